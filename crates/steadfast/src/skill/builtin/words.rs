//! Words of a text in Chinese, English or both.
//!
//! Chinese is segmented by dictionary (jieba), other scripts by their letters;
//! a name such as `format_check`, `GPT-4.1` or `C++` stays one word. All is
//! deterministic: same text, same words.

use std::borrow::Cow;
use std::sync::LazyLock;

use jieba_rs::Jieba;

use super::count::is_cjk;

/// The dictionary takes a moment to unpack, once.
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// What a word is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Chinese, with the dictionary's part of speech.
    Han,
    /// Letters, alone or with digits.
    Latin,
    Number,
}

/// One word, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    /// First byte in the text.
    pub(super) start: usize,
    pub(super) script: Script,
    /// The dictionary's part of speech (`n`, `v`, …); empty for other scripts.
    pub(super) tag: String,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The words of a text in order, without overlap.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    for run in runs(text) {
        match run.script {
            Script::Han => found.extend(JIEBA.tag(run.text, true).into_iter().map(|tag| Word {
                text: tag.word,
                start: run.start + tag.byte_start,
                script: Script::Han,
                tag: tag.tag.to_owned(),
            })),
            Script::Latin | Script::Number => found.push(Word {
                text: run.text,
                start: run.start,
                script: run.script,
                tag: String::new(),
            }),
        }
    }
    found
}

/// The terms under which a text is indexed and found: folded, stemmed, with
/// the parts of compounds beside them (`format_check` also as `format`,
/// `check`; 机器学习 also as 机器, 学习).
pub(crate) fn terms(text: &str) -> Vec<String> {
    let folded = fold(text);
    let mut terms = Vec::new();
    for run in runs(&folded) {
        match run.script {
            Script::Han => terms.extend(
                JIEBA
                    .cut_for_search(run.text, true)
                    .into_iter()
                    .map(|token| token.word.to_owned()),
            ),
            Script::Number => terms.push(run.text.to_owned()),
            Script::Latin => {
                terms.push(stem(run.text));
                let parts: Vec<&str> = run
                    .text
                    .split(['_', '-', '.', '/'])
                    .filter(|part| !part.is_empty())
                    .collect();
                if parts.len() > 1 {
                    terms.extend(parts.into_iter().map(stem));
                }
            }
        }
    }
    terms
}

/// Lower case, with full-width letters and digits as their ordinary forms.
pub(super) fn fold(text: &str) -> String {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '’' => '\'',
        _ => c,
    };
    text.chars()
        .map(narrow)
        .flat_map(char::to_lowercase)
        .collect()
}

struct Run<'t> {
    text: &'t str,
    start: usize,
    script: Script,
}

fn is_han(c: char) -> bool {
    is_cjk(c) && c.is_alphanumeric() && !matches!(c, '\u{ff00}'..='\u{ffef}')
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_han(c)
}

/// Runs of Chinese, and words of other scripts.
fn runs(text: &str) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let length = match c {
            c if is_han(c) => text[at..].find(|c| !is_han(c)).unwrap_or(text.len() - at),
            c if is_letter(c) => letters(&text[at..]),
            _ => {
                at += c.len_utf8();
                continue;
            }
        };
        let run = &text[at..at + length];
        let script = match () {
            () if is_han(c) => Script::Han,
            () if run.chars().any(char::is_alphabetic) => Script::Latin,
            () => Script::Number,
        };
        runs.push(Run {
            text: run,
            start: at,
            script,
        });
        at += length;
    }
    runs
}

/// Length in bytes of the word that the text starts with. A joining mark
/// belongs to it when a letter follows, so that `v1.2` is one word and a full
/// stop ends one; `C++` and `C#` keep their marks.
fn letters(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut end = 0;
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '_' | '-' | '\'' | '’' | '.' | '/')
            && chars.peek().is_some_and(|(_, next)| is_letter(*next));
        if !is_letter(c) && !joins {
            break;
        }
        end = at + c.len_utf8();
    }
    let marks = ["++", "#"]
        .into_iter()
        .find(|marks| text[end..].starts_with(*marks));
    match marks {
        Some(marks) if end == 1 => end + marks.len(),
        _ => end,
    }
}

/// A light English stem: endings of number and tense off, so that *retries*,
/// *retried* and *retrying* meet. Words with digits or marks, short words and
/// other scripts stay as they are.
pub(super) fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if word.len() <= 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let plural: Cow<'_, str> = match word {
        w if w.ends_with("sses") => w[..w.len() - 2].into(),
        w if w.ends_with("ies") && w.len() > 4 => format!("{}y", &w[..w.len() - 3]).into(),
        w if w.ends_with('s')
            && !w.ends_with("ss")
            && !w.ends_with("us")
            && !w.ends_with("sis") =>
        {
            w[..w.len() - 1].into()
        }
        w => w.into(),
    };
    let tense: Cow<'_, str> = match plural.as_ref() {
        w if w.ends_with("ied") && w.len() > 4 => format!("{}y", &w[..w.len() - 3]).into(),
        w => match w.strip_suffix("ing").or_else(|| w.strip_suffix("ed")) {
            Some(root) if root.len() >= 3 && has_vowel(root) => undouble(root).into(),
            _ => plural,
        },
    };
    // *approve*, *approved* and *approving* meet without their e.
    match tense.strip_suffix('e') {
        Some(root) if root.len() >= 3 => root.to_owned(),
        _ => tense.into_owned(),
    }
}

fn has_vowel(root: &str) -> bool {
    root.bytes()
        .any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

/// *stopp* is *stop*; *call*, *pass* and *buzz* keep both letters.
fn undouble(root: &str) -> &str {
    match root.as_bytes() {
        [.., a, b] if a == b && !matches!(b, b'l' | b's' | b'z') => &root[..root.len() - 1],
        _ => root,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_scripts_keep_their_places() {
        let text = "模型跳过了format_check，GPT-4.1 也一样。C++ is fine.";
        let found = words(text);
        for word in &found {
            assert_eq!(&text[word.start..word.end()], word.text);
        }
        let texts: Vec<&str> = found.iter().map(|word| word.text).collect();
        assert_eq!(
            texts,
            [
                "模型",
                "跳过",
                "了",
                "format_check",
                "GPT-4.1",
                "也",
                "一样",
                "C++",
                "is",
                "fine"
            ]
        );
    }

    #[test]
    fn terms_meet_across_forms() {
        for forms in [
            &["retry", "retries", "retried", "Retrying"][..],
            &["approve", "approved", "approving", "APPROVES"],
            &["stop", "stopped", "stops"],
            &["call", "calls", "called", "calling"],
            &["pass", "passes", "passed"],
            &["ＡＰＩ", "api", "APIs"],
        ] {
            let first = terms(forms[0]);
            for form in forms {
                assert_eq!(terms(form), first, "{form}");
            }
        }
        assert_eq!(terms("format_check"), ["format_check", "format", "check"]);
        assert_eq!(terms("status"), ["status"]);
    }
}
