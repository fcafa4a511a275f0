//! Less of a case's words, as long as the run goes the same way.
//!
//! Sentences are left out in ever smaller stretches (Zeller's delta debugging).
//! Each try is a run of the case; it counts as the same if the path, the end and
//! the model's first proposals are, and if the input is still of the same kinds:
//! what tempts a model (urging, length, language) must not be cut away from a
//! case whose model is a script.

use std::sync::Arc;

use super::error::Error;
use super::run::{End, Stage, run};
use super::spec::{Case, Document};
use crate::attempts::{First, firsts};
use crate::model::Model;

/// Runs that one case is tried in.
const RUNS_MAX: usize = 300;

/// How a run went, as far as it must stay so.
#[derive(PartialEq)]
struct Way {
    path: Vec<String>,
    end: End,
    firsts: Vec<First>,
    kinds: Vec<String>,
}

/// A text of a case, by its place.
#[derive(Clone, Copy)]
enum Place {
    Input,
    Turn(usize),
    Document(usize),
}

/// The smallest case that this search finds. Documents that are files stay.
///
/// # Errors
///
/// When the case itself cannot be run.
pub async fn minimise(
    stage: &Stage,
    case: &Case,
    model: &dyn Fn() -> Arc<dyn Model>,
) -> Result<Case, Error> {
    let wanted = way(stage, case, model()).await?;
    let mut best = case.clone();
    let mut runs = 0;
    let turns = (0..case.turns.len()).map(Place::Turn);
    let documents = (0..case.documents.len()).map(Place::Document);
    for place in std::iter::once(Place::Input).chain(turns).chain(documents) {
        let Some(text) = text(&best, place) else {
            continue;
        };
        let mut pieces = sentences(&text);
        let mut stretch = pieces.len().div_ceil(2);
        while stretch > 0 && pieces.len() > 1 {
            let mut at = 0;
            while at < pieces.len() && pieces.len() > 1 && runs < RUNS_MAX {
                let mut fewer = pieces.clone();
                fewer.drain(at..(at + stretch).min(pieces.len()));
                let tried = with(&best, place, &fewer);
                runs += 1;
                let same = match tried.input.trim().is_empty() || fewer.is_empty() {
                    true => false,
                    // A shorter case that cannot be run is not the same.
                    false => way(stage, &tried, model())
                        .await
                        .is_ok_and(|went| went == wanted),
                };
                if same {
                    pieces = fewer;
                    best = tried;
                } else {
                    at += stretch;
                }
            }
            stretch /= 2;
        }
    }
    Ok(best)
}

async fn way(stage: &Stage, case: &Case, model: Arc<dyn Model>) -> Result<Way, Error> {
    let trace = run(stage, case, std::path::Path::new(""), model).await?;
    Ok(Way {
        path: trace.path.all(),
        end: trace.end,
        firsts: firsts(&trace.events),
        kinds: super::kinds(case),
    })
}

fn text(case: &Case, place: Place) -> Option<String> {
    match place {
        Place::Input => Some(case.input.clone()),
        Place::Turn(at) => Some(case.turns[at].text.clone()),
        Place::Document(at) => match &case.documents[at] {
            Document::Text(document) => Some(document.text.clone()),
            Document::File(_) => None,
        },
    }
}

fn with(case: &Case, place: Place, pieces: &[String]) -> Case {
    let mut case = case.clone();
    let text = pieces.concat().trim().to_owned();
    match place {
        Place::Input => case.input = text,
        Place::Turn(at) => case.turns[at].text = text,
        Place::Document(at) => {
            if let Document::Text(document) = &mut case.documents[at] {
                document.text = text;
            }
        }
    }
    case
}

/// A text in its sentences and lines, nothing lost.
fn sentences(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        pieces.last_mut().expect("there is always one").push(c);
        let next = chars.peek().copied();
        let ends = match c {
            '\n' | '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends && next.is_some() {
            pieces.push(String::new());
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_both_languages() {
        let text = "快点。写 3.5 页！Be quick. Now?\nend";
        assert_eq!(sentences(text).concat(), text);
        assert_eq!(sentences(text).len(), 6);
    }
}
