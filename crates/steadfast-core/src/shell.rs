//! Which programs a command line of a POSIX shell runs, as far as the line itself
//! tells, and whether a forbidden one is among them.
//!
//! A pattern on the raw text is no rule: `/usr/bin/sudo id`, `env A=1 sudo id` and
//! `sh -c 'sudo id'` run what `sudo *` forbids, and `grep 'sudo id' f` does not
//! (field report R78). So the line is read as a shell reads it. What cannot be
//! told apart with certainty is refused: the reader knows less than a shell, and
//! never guesses. What a program does by itself (a script, an interpreter) is
//! beyond what a line tells.

mod programs;
mod words;

use serde_json::Value;

use programs::Deny;
use words::Word;

/// Why a command line does not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("it runs `{0}`, which is forbidden")]
    Program(String),
    #[error("what it runs cannot be told: {0}")]
    Unclear(String),
}

impl Refused {
    fn unclear(why: impl Into<String>) -> Refused {
        Refused::Unclear(why.into())
    }
}

/// Holds a command line against forbidden programs, given by their bare names.
/// `line` is a text for a shell, or a list of texts: a program with its arguments.
/// Names are compared without regard to ASCII case, folder and `.exe`.
///
/// # Errors
///
/// [`Refused`], also for what is neither and for what cannot be read.
pub fn check(line: &Value, forbidden: &[String]) -> Result<(), Refused> {
    let deny = Deny { forbidden };
    match line {
        Value::String(line) => deny.line(line, 0),
        Value::Array(parts) => {
            let parts = parts.iter().map(|part| part.as_str().map(Word::as_given));
            let words: Option<Vec<Word>> = parts.collect();
            let words = words.ok_or_else(|| Refused::unclear("a part of it is no text"))?;
            deny.command(&words, 0)
        }
        _ => Err(Refused::unclear("it is no text")),
    }
}
