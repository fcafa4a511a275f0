//! The raw events of a step as pieces of text, each with its event: what a
//! summariser reads, and what its summary is held against.

use crate::archive::density::{self, Density};
use crate::archive::fidelity::{SourceSpan, Speaker};
use crate::archive::raw::RawStep;
use crate::archive::summary::{FieldName, Reference, Summary};
use crate::id::Seq;
use crate::limits;
use crate::rules::{ScriptEstimate, Tokenizer};
use crate::task::Task;
use crate::task::state::{CallOutcome, StepCall};
use crate::workflow::spec::EffectClass;

/// One piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub seq: Seq,
    pub by: Speaker,
    /// What it is, for the summariser: `call`, `result`, `outcome`, `words`.
    pub label: &'static str,
    pub text: String,
    /// Tokens that a summary may keep of it.
    pub budget: u32,
    /// Tokens of it, up to what a context would show.
    pub tokens: u32,
}

/// The pieces of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub pieces: Vec<Piece>,
    /// Data that a summary stands for, by name.
    pub references: Vec<(Reference, String)>,
}

impl Source {
    /// Reads a step. `ruled` is its summary by rule: how its calls came out, in
    /// the runtime's own words, and where the machine went.
    pub fn of(task: &Task, raw: &RawStep, ruled: &Summary) -> Source {
        let mut source = Source {
            pieces: Vec::new(),
            references: Vec::new(),
        };
        let step = &raw.step;
        if let Some(text) = &step.text {
            let text = text.text().into_owned();
            source.put(step.seq, Speaker::Agent, "words", text, Density::Plain);
        }
        for call in &step.calls {
            source.call(task, step.seq, call);
        }
        for field in &ruled.fields {
            let label = match field.name {
                FieldName::Result => "outcome",
                FieldName::StateChange => "moved",
                _ => continue,
            };
            let seq = field.cites.last().copied().unwrap_or(step.seq);
            source.pieces.push(Piece {
                seq,
                by: Speaker::Data,
                label,
                tokens: ScriptEstimate.count(&field.text),
                budget: ScriptEstimate.count(&field.text),
                text: field.text.clone(),
            });
        }
        for one in &ruled.references {
            if !source.references.iter().any(|(at, _)| at.hash == one.hash) {
                source.references.push((one.clone(), String::new()));
            }
        }
        source
    }

    fn call(&mut self, task: &Task, seq: Seq, call: &StepCall) {
        let spec = task.workflow.skill(&call.skill);
        let acts = spec.is_some_and(|spec| spec.effect != Some(EffectClass::Read));
        let args = format!("{} {}", call.skill, call.args.text());
        self.put(seq, Speaker::Agent, "call", args, Density::Sparse);
        let (seq, data, counts) = match &call.outcome {
            CallOutcome::Returned {
                seq,
                result,
                because,
                ..
            } => (*seq, result, because.is_none()),
            CallOutcome::Failed { seq, message, .. } => (*seq, message, false),
            CallOutcome::Denied {
                reason: Some(reason),
            } => (seq, reason, false),
            _ => return,
        };
        let density = match (acts, counts) {
            (true, _) => Density::Sparse,
            (false, true) => density::of_text(&data.text()),
            (false, false) => Density::Void,
        };
        let by = match call.outcome {
            CallOutcome::Denied { .. } => Speaker::User,
            _ => Speaker::Data,
        };
        self.put(seq, by, "result", data.text().into_owned(), density);
        let reference = Reference {
            hash: data.hash,
            bytes: data.bytes,
            of: call.skill.clone(),
        };
        self.references.push((reference, data.text().into_owned()));
    }

    fn put(&mut self, seq: Seq, by: Speaker, label: &'static str, text: String, density: Density) {
        let tokens = match text.len() < limits::RESULT_TOKENS_MAX as usize {
            true => ScriptEstimate.count(&text),
            false => u32::try_from(text.len() / 3).unwrap_or(u32::MAX),
        };
        let tokens = tokens.min(limits::RESULT_TOKENS_MAX);
        self.pieces.push(Piece {
            seq,
            by,
            label,
            text,
            budget: density::budget(tokens, density),
            tokens,
        });
    }

    /// The pieces of the cited events, as spans.
    pub fn spans(&self, cited: impl Fn(Seq) -> bool) -> Vec<SourceSpan<'_>> {
        let pieces = self.pieces.iter().filter(|piece| cited(piece.seq));
        pieces
            .map(|piece| SourceSpan {
                seq: piece.seq,
                by: piece.by,
                text: &piece.text,
            })
            .collect()
    }

    /// Whether there is an event of this number.
    pub fn has(&self, seq: Seq) -> bool {
        self.pieces.iter().any(|piece| piece.seq == seq)
    }

    /// Tokens of the whole, and what a summary may keep of it.
    pub fn tokens(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.tokens).sum()
    }

    pub fn budget(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.budget).sum()
    }

    /// The references that a summary must carry: to all data that does not stand
    /// in it word for word.
    pub fn references_of(&self, text: &str) -> Vec<Reference> {
        let missing = self
            .references
            .iter()
            .filter(|(_, data)| data.is_empty() || !text.contains(data.as_str()));
        let mut all: Vec<Reference> = missing.map(|(one, _)| one.clone()).collect();
        all.truncate(limits::SUMMARY_REFERENCES_MAX);
        all
    }
}
