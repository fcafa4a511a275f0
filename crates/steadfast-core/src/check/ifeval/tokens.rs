//! Words and sentences as the tools of the reference cut them: `\w+`, the
//! Penn Treebank tokenizer of NLTK, the Spanish one of spaCy, Punkt.
//!
//! Only what the counts depend on is followed. Punkt and spaCy's sentences come
//! from trained models; what stands here for them is an approximation, and
//! figures on sentences are reported apart.

use serde::de::IgnoredAny;

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// `\w+`.
pub(super) fn word_runs(text: &str) -> usize {
    text.split(|c| !is_word(c))
        .filter(|run| !run.is_empty())
        .count()
}

/// `\b` on both sides.
pub(super) fn is_bordered(text: &str, start: usize, end: usize) -> bool {
    let side = |c: Option<char>| c.is_some_and(is_word);
    let inside = &text[start..end];
    side(text[..start].chars().next_back()) != side(inside.chars().next())
        && side(inside.chars().next_back()) != side(text[end..].chars().next())
}

/// A fence is taken off at each end, as the reference does, matching or not.
pub(super) fn is_json(text: &str) -> bool {
    let mut inner = text.trim();
    for prefix in ["```json", "```Json", "```JSON", "```"] {
        inner = inner.strip_prefix(prefix).unwrap_or(inner);
    }
    let inner = inner.strip_suffix("```").unwrap_or(inner).trim();
    serde_json::from_str::<IgnoredAny>(inner).is_ok()
}

/// Words that the Treebank tokenizer cuts in two.
const CUT_IN_TWO: [(&str, usize); 6] = [
    ("cannot", 3),
    ("gimme", 3),
    ("gonna", 3),
    ("gotta", 3),
    ("lemme", 3),
    ("wanna", 3),
];

/// The tokens of `nltk.word_tokenize`; a full stop may stay on its word.
pub(super) fn treebank(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for chunk in text.split_whitespace() {
        for piece in split_marks(chunk) {
            let end = piece.len() - clitic(piece);
            let (word, rest) = piece.split_at(end);
            let lower = word.to_ascii_lowercase();
            match CUT_IN_TWO.iter().find(|(whole, _)| *whole == lower) {
                Some((_, at)) => found.extend([&word[..*at], &word[*at..]]),
                None if !word.is_empty() => found.push(word),
                None => {}
            }
            if !rest.is_empty() {
                found.push(rest);
            }
        }
    }
    found
}

/// Marks stand alone; `,` and `:` unless a digit follows.
fn split_marks(chunk: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut rest = chunk.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        let alone = match c {
            ',' | ':' => next.is_none_or(|c| !c.is_ascii_digit()),
            '-' => next == Some('-') || chunk[..at].ends_with('-'),
            '.' => next == Some('.') || chunk[..at].ends_with('.'),
            '…' | ';' | '@' | '#' | '$' | '%' | '&' | '?' | '!' | '*' | '(' | ')' | '[' | ']'
            | '{' | '}' | '<' | '>' | '"' | '`' | '«' | '»' | '“' | '”' | '‘' | '’' | '„' => {
                true
            }
            _ => false,
        };
        if alone {
            pieces.push(&chunk[from..at]);
            pieces.push(&chunk[at..at + c.len_utf8()]);
            from = at + c.len_utf8();
        }
    }
    pieces.push(&chunk[from..]);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The length of `'s`, `n't` and the like at the end of a piece.
fn clitic(piece: &str) -> usize {
    const CLITICS: [&str; 16] = [
        "'ll", "'LL", "'re", "'RE", "'ve", "'VE", "n't", "N'T", "'s", "'S", "'m", "'M", "'d", "'D",
        "'", "",
    ];
    let fits = |clitic: &&&str| {
        let before = piece.strip_suffix(**clitic);
        before.is_some_and(|before| !before.is_empty() && !before.ends_with('\''))
    };
    CLITICS.iter().find(fits).map_or(0, |clitic| clitic.len())
}

/// The tokens of spaCy's Spanish tokenizer that are not blank.
pub(super) fn spanish(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for chunk in text.split_whitespace() {
        let start = chunk.find(|c| !is_affix(c)).unwrap_or(chunk.len());
        let end = chunk.rfind(|c| !is_affix(c)).map_or(start, |at| {
            at + chunk[at..].chars().next().map_or(0, char::len_utf8)
        });
        push_marks(&chunk[..start], &mut found);
        push_infixed(&chunk[start..end], &mut found);
        push_marks(&chunk[end.max(start)..], &mut found);
    }
    found
}

fn push_marks<'t>(marks: &'t str, found: &mut Vec<&'t str>) {
    let ends = marks
        .char_indices()
        .map(|(at, c)| &marks[at..at + c.len_utf8()]);
    found.extend(ends);
}

fn push_infixed<'t>(word: &'t str, found: &mut Vec<&'t str>) {
    let mut from = 0;
    let mut before: Option<char> = None;
    let mut rest = word.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        let letters = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        let splits = match c {
            ':' | '<' | '>' | '=' | '/' => {
                before.is_some_and(char::is_alphanumeric) && letters(next)
            }
            ',' => letters(before) && letters(next),
            '…' => true,
            '.' => before.is_some_and(char::is_lowercase) && next.is_some_and(char::is_uppercase),
            '"' | '“' | '”' | '«' | '»' | '*' | '(' | ')' => {
                letters(before) && letters(next) && c != '*'
            }
            _ => false,
        };
        if splits {
            found.extend(
                [&word[from..at], &word[at..at + c.len_utf8()]]
                    .into_iter()
                    .filter(|one| !one.is_empty()),
            );
            from = at + c.len_utf8();
        }
        before = Some(c);
    }
    if from < word.len() {
        found.push(&word[from..]);
    }
}

/// Marks that are cut from the ends of a word.
fn is_affix(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '¿'
            | '¡'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '<'
            | '>'
            | '_'
            | '#'
            | '*'
            | '&'
            | '"'
            | '\''
            | '“'
            | '”'
            | '‘'
            | '’'
            | '«'
            | '»'
            | '`'
            | '…'
            | '%'
            | '='
            | '—'
            | '–'
            | '+'
            | '$'
            | '€'
            | '§'
    )
}

/// Tokens that are not punctuation. Runs of blanks beyond the first one are
/// tokens too, and so are symbols.
pub(super) fn spanish_words(text: &str) -> usize {
    let is_symbol =
        |c: char| matches!(c, '<' | '>' | '=' | '+' | '$' | '€' | '`' | '|' | '~' | '^');
    let counts = |token: &str| {
        token.chars().any(|c| {
            c.is_alphanumeric() || is_symbol(c) || !c.is_ascii_punctuation() && !is_affix(c)
        })
    };
    let tokens = spanish(text)
        .into_iter()
        .filter(|token| counts(token))
        .count();
    tokens + blank_tokens(text)
}

/// A run of blanks is a token, but for one space behind a word.
fn blank_tokens(text: &str) -> usize {
    let mut found = 0;
    let mut run = 0;
    let mut first_is_space = false;
    let mut any_word = false;
    for c in text.chars().chain(['x']) {
        if c.is_whitespace() {
            if run == 0 {
                first_is_space = c == ' ' && any_word;
            }
            run += 1;
        } else {
            found += usize::from(run > usize::from(first_is_space));
            run = 0;
            first_is_space = false;
            any_word = true;
        }
    }
    found
}

/// Words before a full stop that Punkt's English model takes for abbreviations.
const ABBREVIATIONS: [&str; 38] = [
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "etc", "e.g", "i.e", "inc", "ltd",
    "co", "corp", "u.s", "u.k", "a.m", "p.m", "ph.d", "gen", "col", "sgt", "capt", "lt", "gov",
    "sen", "rep", "jan", "feb", "aug", "sept", "oct", "nov", "dec", "no", "d.c",
];

/// Punkt, approximated: `?` and `!` end a sentence, and a full stop unless it
/// belongs to an abbreviation, an initial, or dots before a small letter.
pub(super) fn sentences(text: &str) -> usize {
    let mut found = 0;
    let mut open = false;
    let mut chunks = text.split_whitespace().peekable();
    while let Some(chunk) = chunks.next() {
        open = true;
        let core = chunk.trim_end_matches(['"', '\'', ')', ']', '}', '*', '_', '”', '’', ':', ';']);
        let next = chunks
            .peek()
            .and_then(|next| next.chars().find(|c| c.is_alphanumeric()));
        let small = next.is_some_and(char::is_lowercase);
        let ends = match core.chars().next_back() {
            Some('?' | '!') => true,
            Some('.') => {
                let word = core.trim_end_matches('.');
                let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
                let lower = bare.to_lowercase();
                let initial = bare.chars().count() == 1
                    && bare.chars().all(char::is_alphabetic)
                    && bare != "I";
                let dots = core.ends_with("..");
                !(ABBREVIATIONS.contains(&lower.as_str())
                    || initial
                    || (dots || bare.bytes().all(|b| b.is_ascii_digit())) && small)
            }
            _ => false,
        };
        if ends {
            found += 1;
            open = false;
        }
    }
    found + usize::from(open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn treebank_tokens() {
        assert_eq!(
            treebank("DON'T say **HI**, I'M at 3:30 (A-B) CANNOT"),
            [
                "DO", "N'T", "say", "*", "*", "HI", "*", "*", ",", "I", "'M", "at", "3:30", "(",
                "A-B", ")", "CAN", "NOT"
            ]
        );
    }

    #[test]
    fn spanish_tokens() {
        assert_eq!(
            spanish("**Año:** «está» y/o físico-químico."),
            [
                "*",
                "*",
                "Año",
                ":",
                "*",
                "*",
                "«",
                "está",
                "»",
                "y",
                "/",
                "o",
                "físico-químico",
                "."
            ]
        );
        assert_eq!(spanish_words("Uno dos.\n\nTres  = 4"), 7);
    }

    #[test]
    fn fences_and_json() {
        assert!(is_json("```json\n{\"a\": 1}\n```"));
        assert!(!is_json("```json\n{\"a\": 1}\n``` done"));
    }

    #[test]
    fn borders() {
        assert!(is_bordered("a cat.", 2, 5));
        assert!(!is_bordered("cats", 0, 3));
    }
}
