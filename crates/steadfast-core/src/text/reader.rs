//! Reads what a user says: content, a new instruction, or a change of one; and
//! proposes typed patches with the words that each rests on.
//!
//! By rule, in Chinese and English, in linear time. Only the user's own prose is
//! read: quotes, code, forwarded mail, pasted documents, examples, reported
//! speech and questions about a rule are set aside. What loosens a guard
//! (money, sending, publishing, deleting, permissions) or can be meant in more
//! than one way becomes a question. The reader decides nothing: each patch
//! passes the ledger's gate like any other.
//!
//! What is read and what is not stands in `docs/instructions.md`.

mod actions;
mod amounts;
mod change;
mod clause;
mod format;
mod hit;
mod language;
mod length;
mod letters;
mod lexicon;
mod mood;
mod permission;
mod phrases;
mod prose;
mod question;
mod reach;
mod requests;
mod revoke;
mod skills;
mod sources;
mod standing;

use std::ops::Range;

use crate::id::{StateName, Timestamp};
use crate::ledger::constraint::ConstraintId;
use crate::ledger::patch::Operation;
use crate::ledger::rule::{ActionKind, Rule};
use crate::limits::{PATCHES_PER_MESSAGE_MAX, READ_PROSE_BYTES_MAX};
use crate::text::fold::Folded;

/// What a message is, as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nothing in it asks for anything: facts, thanks, questions, others' words.
    Content,
    /// A rule, a wish or a request that was not there before.
    NewInstruction,
    /// Takes back, replaces or excepts from what is in force.
    InstructionUpdate,
}

/// What a message says, as far as rules can tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub class: Class,
    /// In the order of the words they rest on.
    pub patches: Vec<ProposedPatch>,
    /// Kinds of deed that are asked for in so many words, with whom or what they
    /// concern: what settles a question about just that.
    pub deeds: Vec<ActionKind>,
    pub notes: Vec<Note>,
}

/// A change that a message asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedPatch {
    pub operation: Operation,
    /// The words it rests on: bytes of the message, on character borders.
    pub span: Range<usize>,
    /// The rule that read it so; for [`crate::ledger::Proposer::Rule`].
    pub rule_name: &'static str,
}

/// What the reader wants known beside its patches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Quotes, code, mail or documents in it were not read.
    OthersWords,
    /// The rule is in force already.
    AlreadyInForce(ConstraintId),
    /// Only so many bytes at either end of the message's prose were read.
    TooLong { read: usize },
    /// Further patches were left out.
    TooMany,
}

/// What the reader has to know of the ledger: without it "instead" and "drop
/// that rule" find no target, and a loosening is not seen as one.
#[derive(Clone, Debug, Default)]
pub struct LedgerView<'a> {
    pub active: Vec<Active<'a>>,
    /// When and where in the work the message came.
    pub moment: Moment<'a>,
}

/// What "until Friday" and "in this section" are measured from. What is left
/// out stays unread: a rule with such words is then kept in words, or holds for
/// the next answer only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment<'a> {
    /// When the message came. Days are counted in UTC.
    pub now: Option<Timestamp>,
    /// The state that the task is in.
    pub state: Option<&'a StateName>,
    /// The phase of that state.
    pub phase: Option<&'a str>,
}

/// A rule in force.
#[derive(Clone, Copy, Debug)]
pub struct Active<'a> {
    pub id: ConstraintId,
    pub rule: &'a Rule,
}

/// Reads a message of a user. Total: any text gives a reading.
///
/// Without a `ledger` every patch stands by itself, and an override names no
/// target.
pub fn read_message(text: &str, ledger: Option<&LedgerView<'_>>) -> Reading {
    let empty = LedgerView::default();
    let view = ledger.unwrap_or(&empty);
    let mut found = requests::Found::default();
    let mut notes = Vec::new();
    let (head, tail) = ends(text, &mut notes);
    for piece in [Some(head), tail].into_iter().flatten() {
        let folded = Folded::of(&text[piece.clone()]);
        requests::read(&folded, piece.start, view, &mut found);
    }
    if found.others {
        notes.push(Note::OthersWords);
    }
    notes.extend(found.in_force.into_iter().map(Note::AlreadyInForce));
    let mut patches = found.patches;
    patches.sort_by_key(|(patch, _)| (patch.span.start, patch.span.end));
    if patches.len() > PATCHES_PER_MESSAGE_MAX {
        patches.truncate(PATCHES_PER_MESSAGE_MAX);
        notes.push(Note::TooMany);
    }
    let class = match patches.iter().map(|(_, changes)| *changes).max() {
        None => Class::Content,
        Some(false) => Class::NewInstruction,
        Some(true) => Class::InstructionUpdate,
    };
    Reading {
        class,
        patches: patches.into_iter().map(|(patch, _)| patch).collect(),
        deeds: found.deeds,
        notes,
    }
}

/// The whole message, or both ends of one that is too long to be typed by hand.
fn ends(text: &str, notes: &mut Vec<Note>) -> (Range<usize>, Option<Range<usize>>) {
    if text.len() <= READ_PROSE_BYTES_MAX {
        return (0..text.len(), None);
    }
    let half = READ_PROSE_BYTES_MAX / 2;
    let mut head = half;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - half;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    notes.push(Note::TooLong {
        read: head + text.len() - tail,
    });
    (0..head, Some(tail..text.len()))
}
