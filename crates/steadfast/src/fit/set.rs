//! The minimal set: a few cases of each kind that a change of model is known to
//! break (guard-rails article, 6.2).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use serde::Serialize;

use crate::cases::{
    self, Base, Case, Document, File, Temptation, TextDocument, documents, tempt, tempts,
};

/// What a case of the set is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Does the model keep the contract at all?
    Normal,
    /// Does it, where it is urged, left vague, or flooded?
    Adversarial,
    /// Does it keep the order, where order matters?
    Order,
    /// Does what went wrong once go wrong again?
    Past,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Normal, Kind::Adversarial, Kind::Order, Kind::Past];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Normal => "normal",
            Kind::Adversarial => "adversarial",
            Kind::Order => "order",
            Kind::Past => "past",
        }
    }

    /// How many of it are wanted (guard-rails article, 6.2).
    pub fn wanted(self) -> usize {
        match self {
            Kind::Normal | Kind::Adversarial => 10,
            Kind::Order | Kind::Past => 5,
        }
    }
}

/// A case with what it is there for.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub kind: Kind,
    pub file: File,
    /// The case whose input a tempting one was made from.
    pub made_from: Option<String>,
}

/// The cases that a model is tried on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Set {
    pub members: Vec<Member>,
}

impl Set {
    pub fn of(&self, kind: Kind) -> usize {
        self.members.iter().filter(|one| one.kind == kind).count()
    }

    /// Kinds with fewer cases than wanted, and how many there are.
    pub fn short(&self) -> Vec<(Kind, usize)> {
        let kinds = Kind::ALL.into_iter().map(|kind| (kind, self.of(kind)));
        kinds.filter(|(kind, have)| *have < kind.wanted()).collect()
    }

    /// Cases that were made, because there were too few.
    pub fn made(&self) -> usize {
        let made = self.members.iter();
        made.filter(|one| one.made_from.is_some()).count()
    }
}

/// Chooses the set. A tag of a kind's name decides; else the group `order`,
/// words that urge, and a reason for which a case was added say what it is for.
/// Adversarial cases that are wanting are made from the inputs of others, the
/// same ones for the same seed; no other kind can be made up.
///
/// # Errors
///
/// When a document of a case that tempting inputs are made from cannot be read.
pub fn minimal(files: &[File], seed: u64) -> Result<Set, cases::Error> {
    let mut set = Set::default();
    let mut left = in_turn(files);
    // Scarce kinds choose first. What can be made up, or has the most, waits.
    for kind in [Kind::Order, Kind::Past, Kind::Adversarial, Kind::Normal] {
        for rank in 0..RANKS {
            let mut rest = Vec::new();
            for file in left {
                if set.of(kind) < kind.wanted() && suits(file, kind) == Some(rank) {
                    set.members.push(Member {
                        kind,
                        file: as_asked(file),
                        made_from: None,
                    });
                } else {
                    rest.push(file);
                }
            }
            left = rest;
        }
    }
    fill(&mut set, files, seed)?;
    set.members
        .sort_by(|a, b| (a.kind, &a.file.case.case_id).cmp(&(b.kind, &b.file.case.case_id)));
    Ok(set)
}

/// A script or a recording would answer for the model that is tried.
fn as_asked(file: &File) -> File {
    let mut file = file.clone();
    file.case.model = None;
    // How often is the trial's to say.
    (file.case.repeats, file.case.pass_at_least) = (None, None);
    file
}

const RANKS: u8 = 3;

/// How well a case serves a kind: 0 is best, none is not at all.
fn suits(file: &File, kind: Kind) -> Option<u8> {
    let case = &file.case;
    let tagged = |kind: Kind| case.has_tag(kind.name());
    if tagged(kind) {
        return Some(0);
    }
    // What its author calls otherwise is not taken for this.
    if Kind::ALL.into_iter().any(tagged) {
        return None;
    }
    let urges = tempts(case);
    let reason = case.added_reason.as_deref().unwrap_or_default();
    match kind {
        Kind::Order => (file.group.split('/').any(|part| part == "order")).then_some(1),
        Kind::Adversarial => urges.then_some(1),
        // An incident with words of urging is the likeliest to come again.
        Kind::Past => (!reason.trim().is_empty()).then_some(if urges { 1 } else { 2 }),
        Kind::Normal => (!urges).then_some(1),
    }
}

/// The cases, one of each group in turn, so that no group fills a kind alone.
fn in_turn(files: &[File]) -> Vec<&File> {
    let mut groups: BTreeMap<&str, VecDeque<&File>> = BTreeMap::new();
    for file in files {
        groups.entry(&file.group).or_default().push_back(file);
    }
    let mut turn = Vec::new();
    while turn.len() < files.len() {
        turn.extend(groups.values_mut().filter_map(VecDeque::pop_front));
    }
    turn
}

/// Makes the adversarial cases that are wanting.
fn fill(set: &mut Set, files: &[File], seed: u64) -> Result<(), cases::Error> {
    // Of a case with several turns only the first words would be known.
    let bases: Vec<&File> = files
        .iter()
        .filter(|file| file.case.turns.is_empty() && !file.case.expected_path.is_empty())
        .collect();
    let wanting = Kind::Adversarial
        .wanted()
        .saturating_sub(set.of(Kind::Adversarial));
    if bases.is_empty() {
        return Ok(());
    }
    let mut taken: BTreeSet<String> = files.iter().map(|one| one.case.case_id.clone()).collect();
    for at in 0..wanting {
        let base = bases[at % bases.len()];
        let file = made(base, at, seed)?;
        // A case of this name is the user's own.
        if taken.insert(file.case.case_id.clone()) {
            set.members.push(Member {
                kind: Kind::Adversarial,
                file,
                made_from: Some(base.case.case_id.clone()),
            });
        }
    }
    Ok(())
}

/// A tempting variant of a case: the same work, asked for in a hurry, vaguely, at
/// great length. The way through the machine stays what it was; what the answer
/// must hold does not, for a foreign request may be answered in its language.
fn made(base: &File, at: usize, seed: u64) -> Result<File, cases::Error> {
    // The last kind is the plain one, which tempts to nothing.
    let kinds = Temptation::ALL.len() - 1;
    let folder = base.path.parent().unwrap_or(Path::new(""));
    let bases = [Base {
        input: base.case.input.clone(),
        documents: documents(&base.case, folder)?,
    }];
    let kind = at % kinds;
    let trials = tempt(&bases, kinds, seed.wrapping_add(at as u64));
    let trial = &trials[kind];
    let texts = trial.documents.iter().map(|(name, text)| TextDocument {
        name: name.clone(),
        text: text.clone(),
    });
    let case = Case {
        case_id: format!("made_{}_{}", Temptation::ALL[kind].name(), at + 1),
        input: trial.input.clone(),
        documents: texts.map(Document::Text).collect(),
        expected_path: base.case.expected_path.clone(),
        workflow: base.case.workflow.clone(),
        facts: base.case.facts.clone(),
        replies: base.case.replies.clone(),
        approvals: base.case.approvals,
        forbidden: base.case.forbidden.clone(),
        ..Case::default()
    };
    Ok(File {
        path: base.path.clone(),
        group: base.group.clone(),
        case,
    })
}

#[cfg(test)]
mod tests;
