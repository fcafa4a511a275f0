//! From a line to simple commands, those within substitutions and groups included.

use super::Refused;
use crate::limits;

/// One word of a command after quotes are taken off.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Something in it is only known when the shell runs: a variable, a pattern.
    pub(super) open: bool,
    /// How many bytes stand before the first quoted character.
    pub(super) bare: usize,
    pub(super) quoted: bool,
}

impl Word {
    /// A word that no shell looks at.
    pub(super) fn as_given(text: &str) -> Word {
        Word {
            text: text.to_owned(),
            quoted: true,
            ..Word::default()
        }
    }

    /// `NAME=value` as a shell understands it: nothing of the name is quoted.
    pub(super) fn is_assignment(&self) -> bool {
        let Some(end) = self.text.find('=') else {
            return false;
        };
        let name = self.text[..end].trim_end_matches('+');
        let first = name.chars().next();
        end < self.bare
            && first.is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(is_name)
    }

    fn quote(&mut self) {
        if !self.quoted {
            self.quoted = true;
            self.bare = self.text.len();
        }
    }
}

fn is_name(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_'
}

/// All simple commands of a line.
pub(super) fn commands(line: &str, depth: usize) -> Result<Vec<Vec<Word>>, Refused> {
    if line.len() > limits::SHELL_LINE_BYTES_MAX {
        return Err(Refused::unclear("it is too long"));
    }
    let odd = |one: char| (one.is_control() && one != '\t' && one != '\n') || is_odd_space(one);
    if line.chars().any(odd) {
        return Err(Refused::unclear("a control character or an unusual space"));
    }
    let mut reader = Reader {
        chars: line.chars().collect(),
        at: 0,
        found: Vec::new(),
    };
    reader.list(false, depth)?;
    Ok(reader.found)
}

/// Shells differ in whether these part words.
fn is_odd_space(one: char) -> bool {
    one.is_whitespace() && !one.is_ascii()
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    found: Vec<Vec<Word>>,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        self.at += usize::from(there);
        there
    }

    fn blanks(&mut self) {
        loop {
            match self.chars.get(self.at..) {
                Some([' ' | '\t', ..]) => self.at += 1,
                Some(['\\', '\n', ..]) => self.at += 2,
                _ => return,
            }
        }
    }

    /// Commands up to the end, or to the bracket that closes them.
    fn list(&mut self, within: bool, depth: usize) -> Result<(), Refused> {
        if depth > limits::SHELL_DEPTH_MAX {
            return Err(Refused::unclear("it is nested too deep"));
        }
        let mut words: Vec<Word> = Vec::new();
        // After a group, and after `&>`, which shells understand differently, no
        // word may follow.
        let mut closed = false;
        loop {
            self.blanks();
            match self.peek() {
                None if within => return Err(Refused::unclear("a bracket is not closed")),
                None => break,
                Some(')') if within => {
                    self.at += 1;
                    break;
                }
                Some('\n' | ';' | '&' | '|') => {
                    let first = self.peek();
                    self.at += 1;
                    if first == Some(';') && self.peek() == Some(';') {
                        return Err(Refused::unclear("`;;`"));
                    }
                    closed = first == Some('&') && self.peek() == Some('>');
                    self.found.push(std::mem::take(&mut words));
                }
                Some('<' | '>') => self.redirection(depth)?,
                Some('(') if words.is_empty() && !closed => {
                    self.at += 1;
                    if self.peek() == Some('(') {
                        return Err(Refused::unclear("`((`"));
                    }
                    self.list(true, depth + 1)?;
                    closed = true;
                }
                Some('(' | ')' | '#') => return Err(Refused::unclear("a bracket or `#`")),
                Some(_) if closed => return Err(Refused::unclear("a word after a group")),
                Some(_) => words.extend(self.argument(depth)?),
            }
        }
        self.found.push(words);
        Ok(())
    }

    fn redirection(&mut self, depth: usize) -> Result<(), Refused> {
        let reads = self.peek() == Some('<');
        self.at += 1;
        match self.peek() {
            Some('<') if reads => return Err(Refused::unclear("`<<`")),
            Some('(') => return Err(Refused::unclear("`<(` or `>(`")),
            Some('>' | '&' | '|') => self.at += 1,
            _ => {}
        }
        self.blanks();
        let begun = self.at;
        self.word(depth)?;
        if self.at == begun {
            return Err(Refused::unclear("a redirection to nowhere"));
        }
        Ok(())
    }

    /// A word, unless it is the number before a redirection.
    fn argument(&mut self, depth: usize) -> Result<Option<Word>, Refused> {
        let word = self.word(depth)?;
        let number = !word.quoted && word.text.chars().all(|one| one.is_ascii_digit());
        let redirects = matches!(self.peek(), Some('<' | '>'));
        Ok((!(number && redirects)).then_some(word))
    }

    fn word(&mut self, depth: usize) -> Result<Word, Refused> {
        let mut word = Word::default();
        while let Some(one) = self.peek() {
            if matches!(
                one,
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')'
            ) {
                break;
            }
            self.at += 1;
            match one {
                '\'' => self.single(&mut word)?,
                '"' => self.double(&mut word, depth)?,
                '\\' => match self.next()? {
                    '\n' => {}
                    kept => {
                        word.quote();
                        word.text.push(kept);
                    }
                },
                '$' => self.dollar(&mut word, false, depth)?,
                '`' => self.backticks(&mut word, depth)?,
                // `{}` alone is no pattern: it stays as it is.
                '{' if self.eat('}') => word.text.push_str("{}"),
                _ => {
                    // A leading `=` finds a program in some shells.
                    let leads = one == '=' && word.text.is_empty();
                    word.open |= leads || matches!(one, '*' | '?' | '[' | ']' | '{' | '}');
                    word.text.push(one);
                }
            }
        }
        if !word.quoted {
            word.bare = word.text.len();
        }
        Ok(word)
    }

    fn next(&mut self) -> Result<char, Refused> {
        let one = self.peek();
        self.at += 1;
        one.ok_or_else(|| Refused::unclear("a quotation is not closed"))
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Refused> {
        word.quote();
        loop {
            match self.next()? {
                '\'' => return Ok(()),
                one => word.text.push(one),
            }
        }
    }

    fn double(&mut self, word: &mut Word, depth: usize) -> Result<(), Refused> {
        word.quote();
        loop {
            match self.next()? {
                '"' => return Ok(()),
                '$' => self.dollar(word, true, depth)?,
                '`' => self.backticks(word, depth)?,
                '\\' => match self.next()? {
                    '\n' => {}
                    one @ ('$' | '`' | '"' | '\\') => word.text.push(one),
                    one => word.text.extend(['\\', one]),
                },
                one => word.text.push(one),
            }
        }
    }

    /// What stands behind a `$`.
    fn dollar(&mut self, word: &mut Word, quoted: bool, depth: usize) -> Result<(), Refused> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                if self.peek() == Some('(') {
                    return Err(Refused::unclear("`$((`"));
                }
                word.open = true;
                self.list(true, depth + 1)
            }
            Some('{') => {
                self.at += 1;
                let begun = self.at;
                self.name();
                if self.at == begun || !self.eat('}') {
                    return Err(Refused::unclear("a `${` that is more than a name"));
                }
                word.open = true;
                Ok(())
            }
            Some('\'' | '"') if !quoted => Err(Refused::unclear("`$'` or `$\"`")),
            Some('[') => Err(Refused::unclear("`$[`")),
            Some('@' | '*' | '#' | '?' | '-' | '$' | '!') => {
                self.at += 1;
                word.open = true;
                Ok(())
            }
            Some(one) if is_name(one) => {
                self.name();
                word.open = true;
                Ok(())
            }
            _ => {
                word.text.push('$');
                Ok(())
            }
        }
    }

    fn name(&mut self) {
        while self.peek().is_some_and(is_name) {
            self.at += 1;
        }
    }

    fn backticks(&mut self, word: &mut Word, depth: usize) -> Result<(), Refused> {
        let mut inner = String::new();
        loop {
            match self.next()? {
                '`' => break,
                '\\' => return Err(Refused::unclear("`\\` within backticks")),
                one => inner.push(one),
            }
        }
        if depth >= limits::SHELL_DEPTH_MAX {
            return Err(Refused::unclear("it is nested too deep"));
        }
        word.open = true;
        self.found.extend(commands(&inner, depth + 1)?);
        Ok(())
    }
}
