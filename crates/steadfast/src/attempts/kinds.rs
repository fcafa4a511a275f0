//! The kinds of inputs that rates are split by: how long, how urgent, in which
//! language, and what their author calls them.

use steadfast_core::rules::{ScriptEstimate, Tokenizer};

use super::Trial;
use crate::audit::rates::Group;
use crate::audit::urging::{self, is_cjk};

/// Runs that are counted together, in the order of the table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Of(Group),
    Language(Language),
    Own(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Language {
    Chinese,
    English,
    Mixed,
}

impl Kind {
    pub(super) fn name(&self) -> String {
        match self {
            Kind::Of(group) => group.name().to_owned(),
            Kind::Language(Language::Chinese) => "in Chinese".to_owned(),
            Kind::Language(Language::English) => "in English".to_owned(),
            Kind::Language(Language::Mixed) => "in both languages".to_owned(),
            Kind::Own(name) => format!("kind `{name}`"),
        }
    }
}

/// The kinds of an input, all runs first. Documents count for the length, and
/// for nothing else: they are not what the user says.
pub(super) fn of(trial: &Trial) -> Vec<Kind> {
    let documents = trial.documents.iter().map(|(_, text)| text.as_str());
    let texts = documents.chain([trial.input.as_str()]);
    let tokens = texts.fold(0_u32, |sum, text| {
        sum.saturating_add(ScriptEstimate.count(text))
    });
    let urged = urging::find(&trial.input).is_some();
    let mut kinds = vec![
        Kind::Of(Group::All),
        Kind::Of(Group::of_length(tokens)),
        Kind::Of(Group::of_urging(urged)),
    ];
    kinds.extend(language(&trial.input).map(Kind::Language));
    kinds.extend(trial.kind.clone().map(Kind::Own));
    kinds
}

/// The names of an input's kinds, all runs aside.
pub fn kinds_of(trial: &Trial) -> Vec<String> {
    let own = of(trial)
        .into_iter()
        .filter(|kind| *kind != Kind::Of(Group::All));
    own.map(|kind| kind.name()).collect()
}

/// By Chinese characters and Latin words. Both languages are there where the
/// lesser makes a fifth of the two together.
fn language(text: &str) -> Option<Language> {
    let han = text.chars().filter(|c| is_cjk(*c)).count();
    let mut words = 0;
    let mut within = false;
    for c in text.chars() {
        let letter = c.is_alphabetic() && !is_cjk(c);
        words += usize::from(letter && !within);
        within = letter;
    }
    match han + words {
        0 => None,
        all if han.min(words) * 5 >= all => Some(Language::Mixed),
        _ if han > words => Some(Language::Chinese),
        _ => Some(Language::English),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages() {
        assert_eq!(
            language("帮我快速处理一下这段文字"),
            Some(Language::Chinese)
        );
        assert_eq!(
            language("用 Python 写一篇关于缓存失效的长文章"),
            Some(Language::Chinese)
        );
        assert_eq!(
            language("Write a note on 缓存 for the team"),
            Some(Language::Mixed)
        );
        assert_eq!(language("Just do it."), Some(Language::English));
        assert_eq!(language("12 + 30"), None);
    }
}
