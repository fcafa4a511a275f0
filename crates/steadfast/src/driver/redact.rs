//! What comes in, without the secrets in use: the last station before anything
//! is recorded, so that no log, inbox or snapshot ever holds one.

use serde_json::Value;
use steadfast_core::proposal::{ModelError, Reply, ReplyCall};
use steadfast_core::task::input::{Command, Input, SkillError};
use steadfast_core::task::{Proposal, Start, Summarised};

use crate::secret::{Error, Redactor};

/// What a task starts from. The workflow is bound by its fingerprint and cannot
/// be changed: one that holds a secret is refused.
pub(super) fn start(redactor: &Redactor, mut start: Start) -> Result<Start, Error> {
    if redactor.is_empty() {
        return Ok(start);
    }
    let workflow = serde_json::to_string(&start.workflow).expect("specs are JSON");
    if let Some(name) = redactor.finds(&workflow) {
        return Err(Error::InTheClear {
            place: "the workflow".to_owned(),
            name: name.to_owned(),
        });
    }
    start.input = redactor.redacted(start.input);
    for (name, text) in &mut start.documents {
        *name = redactor.redacted(std::mem::take(name));
        *text = redactor.redacted(std::mem::take(text));
    }
    let facts = std::mem::take(&mut start.facts).into_iter();
    start.facts = facts
        .map(|(name, mut value)| {
            redactor.redact_value(&mut value);
            (redactor.redacted(name), value)
        })
        .collect();
    Ok(start)
}

/// What came in while the task runs.
pub(super) fn input(redactor: &Redactor, input: Input) -> Input {
    if redactor.is_empty() {
        return input;
    }
    match input {
        Input::ModelDone { call, outcome } => Input::ModelDone {
            call,
            outcome: match outcome {
                Ok(reply) => Ok(self::reply(redactor, reply)),
                Err(error) => Err(ModelError {
                    message: redactor.redacted(error.message),
                    ..error
                }),
            },
        },
        Input::SkillDone {
            call,
            intent,
            outcome,
            usage,
        } => Input::SkillDone {
            call,
            intent,
            usage,
            outcome: match outcome {
                Ok(value) => Ok(self::value(redactor, value)),
                Err(error) => Err(SkillError {
                    message: redactor.redacted(error.message),
                    ..error
                }),
            },
        },
        // Texts of the log, which were redacted when they came.
        Input::Searched(search) => Input::Searched(search),
        Input::Summarised(done) => Input::Summarised(Summarised {
            outcome: done.outcome.map(|outcome| match outcome {
                Ok(reply) => Ok(self::reply(redactor, reply)),
                Err(error) => Err(ModelError {
                    message: redactor.redacted(error.message),
                    ..error
                }),
            }),
            ..done
        }),
        Input::Validated { call, outcome } => Input::Validated {
            call,
            outcome: match outcome {
                Ok(reply) => Ok(self::reply(redactor, reply)),
                Err(error) => Err(ModelError {
                    message: redactor.redacted(error.message),
                    ..error
                }),
            },
        },
        Input::Command { principal, command } => Input::Command {
            principal,
            command: self::command(redactor, command),
        },
        // It was read off a log that holds none.
        Input::ChildDone { .. }
        | Input::ParentLeft
        | Input::ParentPaused
        | Input::ParentResumed
        | Input::Wake => input,
    }
}

fn reply(redactor: &Redactor, reply: Reply) -> Reply {
    let calls = reply.calls.into_iter().map(|call| ReplyCall {
        id: redactor.redacted(call.id),
        skill: redactor.redacted(call.skill),
        args: redactor.redacted(call.args),
    });
    Reply {
        model: redactor.redacted(reply.model),
        text: reply.text.map(|text| redactor.redacted(text)),
        calls: calls.collect(),
        extra: value(redactor, reply.extra),
        ..reply
    }
}

fn value(redactor: &Redactor, mut value: Value) -> Value {
    redactor.redact_value(&mut value);
    value
}

/// A person's words. Before they are put into an inbox, and again when they are
/// taken out: not everybody who posts knows the secrets.
pub fn command(redactor: &Redactor, command: Command) -> Command {
    match command {
        Command::Say { text } => Command::Say {
            text: redactor.redacted(text),
        },
        Command::Decide {
            call,
            approved,
            reason,
        } => Command::Decide {
            call,
            approved,
            reason: reason.map(|reason| redactor.redacted(reason)),
        },
        Command::Instruct { text, proposals } => {
            let clean = redactor.redacted(text.clone());
            // Proposals cite places of the text. Where those have moved, the
            // words are read anew instead.
            let proposals = match clean == text {
                true => redacted(redactor, proposals),
                false => Vec::new(),
            };
            Command::Instruct {
                text: clean,
                proposals,
            }
        }
        Command::SetFact { name, value } => Command::SetFact {
            name: redactor.redacted(name),
            value: self::value(redactor, value),
        },
        Command::Repair {
            cause,
            level,
            value,
            reason,
        } => Command::Repair {
            cause,
            level,
            value: value.map(|value| self::value(redactor, value)),
            reason: reason.map(|reason| redactor.redacted(reason)),
        },
        // No words of anybody, or bound by a fingerprint: whoever accepts a
        // workflow looks first. Named one by one, so that a new one is thought of.
        command @ (Command::Answer { .. }
        | Command::Pause
        | Command::Resume
        | Command::Cancel
        | Command::Settle { .. }
        | Command::SetBudget { .. }
        | Command::AcceptWorkflow { .. }) => command,
    }
}

/// Proposals hold words and values of their own. One whose form does not outlive
/// the redaction is dropped: the words that it rests on remain.
fn redacted(redactor: &Redactor, proposals: Vec<Proposal>) -> Vec<Proposal> {
    let clean = proposals.into_iter().filter_map(|proposal| {
        let before = serde_json::to_value(&proposal).expect("proposals are JSON");
        let after = value(redactor, before.clone());
        match after == before {
            true => Some(proposal),
            false => serde_json::from_value(after).ok(),
        }
    });
    clean.collect()
}
