//! Logs of other agents as contexts: an agent without a runtime of ours is
//! shown, at each of its steps, all that came before.

use std::io::BufRead;

use steadfast_core::context::{FragmentKind, Message, Part, RequestCall};
use steadfast_core::id::CallId;

use super::Shown;
use crate::audit::read::{self, Hints};
use crate::audit::{Error, Role, Run, StepKind};

/// The contexts before the last `count` steps of the agent, of each run of a
/// log, oldest first. With `before`, only steps whose message stands before that
/// index of the log count.
///
/// # Errors
///
/// For a log that does not read, as [`read`](read::read) says.
pub fn contexts(
    source: &mut dyn BufRead,
    file: &str,
    before: Option<usize>,
    count: usize,
) -> Result<Vec<(String, Vec<Shown>)>, Error> {
    let mut runs = Vec::new();
    read::read(source, file, Hints::default(), &mut |run| runs.push(run))?;
    Ok(runs
        .into_iter()
        .map(|run| {
            let shown = of_run(&run, before, count);
            (run.id, shown)
        })
        .collect())
}

fn of_run(run: &Run, before: Option<usize>, count: usize) -> Vec<Shown> {
    let mut messages = Vec::new();
    // The length of the history before each step of the agent, with its name.
    let mut steps = Vec::new();
    for (at, step) in run.steps.iter().enumerate() {
        let index = step.place.index.unwrap_or(at);
        if before.is_some_and(|before| index >= before) {
            break;
        }
        let mut begins = |messages: &[Message]| steps.push((messages.len(), format!("#{index}")));
        match &step.kind {
            StepKind::Message { role, text } => {
                if *role == Role::Assistant {
                    begins(&messages);
                }
                messages.push(message(*role, text));
            }
            StepKind::Answer { text } => {
                begins(&messages);
                messages.push(message(Role::Assistant, text));
            }
            StepKind::Call(call) => {
                begins(&messages);
                let id = CallId::new(format!("{at}"));
                messages.push(Message::Assistant {
                    text: None,
                    calls: vec![RequestCall {
                        id: id.clone(),
                        skill: call.skill.clone(),
                        args: call.args.to_string(),
                    }],
                });
                let result = call.result.as_ref();
                let text = result.map(|value| match value.as_str() {
                    Some(text) => text.to_owned(),
                    None => value.to_string(),
                });
                messages.push(Message::Tool {
                    call: id,
                    skill: call.skill.clone(),
                    text: text.unwrap_or_default(),
                });
            }
        }
    }
    // What the last step led to is part of the picture.
    steps.push((messages.len(), "the end".to_owned()));
    let from = steps.len().saturating_sub(count);
    steps[from..]
        .iter()
        .map(|(length, name)| Shown {
            name: name.clone(),
            messages: messages[..*length].to_vec(),
        })
        .collect()
}

fn message(role: Role, text: &str) -> Message {
    let parts = |kind| {
        vec![Part {
            kind,
            text: text.to_owned(),
        }]
    };
    match role {
        Role::System => Message::System {
            parts: parts(FragmentKind::Policy),
        },
        Role::User => Message::User {
            parts: parts(FragmentKind::Message),
        },
        Role::Assistant => Message::Assistant {
            text: Some(text.to_owned()),
            calls: Vec::new(),
        },
    }
}
