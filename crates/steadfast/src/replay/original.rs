//! A recorded task, taken apart: what it began with, what its model was asked
//! and said, what its skills gave, what people said and when.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use steadfast_core::content::Salt;
use steadfast_core::context::Request;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::task::TaskStarted;
use steadfast_core::event::{Body, Event};
use steadfast_core::handling::Handling;
use steadfast_core::id::{CallId, Principal, Seq, TaskId};
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply, ReplyCall};
use steadfast_core::source::Source;
use steadfast_core::workflow::Spec;
use steadfast_store::{Log, load_events};

use super::error::Error;
use super::sides::Sides;
use crate::driver;

/// A recorded task.
#[derive(Debug)]
pub struct Original {
    pub task: TaskId,
    pub salt: Salt,
    pub events: Vec<Event>,
    pub started: TaskStarted,
    /// The workflow that it began under.
    pub workflow: Spec,
    pub owner: Principal,
    /// The tokenizer that its contexts were counted with; none where no model
    /// was called.
    pub tokenizer: Option<String>,
    pub handling: Handling,
    /// The model's calls, in order.
    pub calls: Vec<Called>,
    /// What skills gave, by skill and arguments.
    pub(super) results: BTreeMap<(String, String), VecDeque<(Seq, Given)>>,
    /// Decisions on calls that needed approval.
    pub(super) decisions: BTreeMap<CallId, bool>,
    /// What the models beside the main one said.
    pub(super) sides: Sides,
    pub(super) price: Option<Price>,
    /// What its archive was searched by meaning with.
    pub embedder: Option<String>,
}

/// One call of the model.
#[derive(Clone, Debug)]
pub struct Called {
    /// The event of its intent: the context is complete there.
    pub seq: Seq,
    pub request: Request,
    /// None where no outcome is recorded.
    pub outcome: Option<Result<Reply, ModelError>>,
    /// The event of its outcome.
    pub(super) answered: Seq,
    /// What people said after it, before the next.
    pub(super) said: Vec<(Principal, String)>,
}

/// What a call of a skill gave.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Result(Value),
    Failure(steadfast_core::event::skill::SkillFailure, String),
}

/// Reads a task out of a log.
///
/// # Errors
///
/// When the log does not read, or a context cannot be made again from it.
pub async fn read(log: &dyn Log, task: &TaskId) -> Result<Original, Error> {
    let events = load_events(log, task, Seq(1)).await?;
    let salt = log.header(task).await?.salt;
    let Some(Event {
        body: Body::TaskStarted(started),
        source,
        ..
    }) = events.first()
    else {
        return Err(Error::NotATask);
    };
    let owner = match source {
        Source::User { principal } => principal.clone(),
        _ => Principal::from("user"),
    };
    let workflow = serde_json::from_str(&started.workflow.text()).map_err(|_| Error::NotATask)?;
    let mut original = Original {
        task: task.clone(),
        salt,
        started: started.as_ref().clone(),
        workflow,
        owner,
        tokenizer: None,
        handling: Handling::default(),
        calls: Vec::new(),
        results: BTreeMap::new(),
        decisions: BTreeMap::new(),
        sides: Sides::read(&events),
        price: None,
        embedder: None,
        events: Vec::new(),
    };
    let mut by_call: BTreeMap<CallId, (String, String)> = BTreeMap::new();
    let mut places: BTreeMap<CallId, usize> = BTreeMap::new();
    for event in &events {
        match &event.body {
            Body::ModelCalled(body) => {
                let (call, manifest) = (&body.call, &body.manifest);
                let request =
                    driver::rebuild_context(log, task, &salt, call, manifest, Some(body.context))
                        .await?;
                original.tokenizer = Some(body.tokenizer.clone());
                places.insert(call.clone(), original.calls.len());
                original.calls.push(Called {
                    seq: event.seq,
                    request,
                    outcome: None,
                    answered: event.seq,
                    said: Vec::new(),
                });
            }
            Body::ModelReplied(body) => {
                if let Some(place) = places.get(&body.call) {
                    original.calls[*place].outcome = Some(Ok(reply(body)));
                    original.calls[*place].answered = event.seq;
                }
            }
            Body::ModelFailed(body) => {
                if let Some(place) = places.get(&body.call) {
                    let failed = ModelError::new(body.class, body.message.text().into_owned());
                    original.calls[*place].outcome = Some(Err(failed));
                    original.calls[*place].answered = event.seq;
                }
            }
            Body::PriceSet(body) => original.price = body.price.clone(),
            Body::MemorySet(body) => original.embedder.clone_from(&body.embedder),
            Body::HandlingSet(body) => original.handling = body.handling,
            Body::UserSent(body) => {
                let by = match &event.source {
                    Source::User { principal } => principal.clone(),
                    _ => original.owner.clone(),
                };
                if let Some(last) = original.calls.last_mut() {
                    last.said.push((by, body.text.text().into_owned()));
                }
            }
            Body::CallAdmitted(body) => {
                let of = (body.skill.to_string(), body.args.text().into_owned());
                by_call.insert(body.call.clone(), of);
            }
            Body::SkillReturned(body) => {
                let given = (event.seq, Given::Result(body.result.json()));
                original.gave(&by_call, &body.call, given);
            }
            Body::SkillFailed(body) => {
                let message = body.message.text().into_owned();
                let given = (event.seq, Given::Failure(body.class, message));
                original.gave(&by_call, &body.call, given);
            }
            Body::ApprovalDecided(body) => {
                original.decisions.insert(body.call.clone(), body.approved);
            }
            _ => {}
        }
    }
    original.events = events;
    Ok(original)
}

impl Original {
    fn gave(
        &mut self,
        by_call: &BTreeMap<CallId, (String, String)>,
        call: &CallId,
        given: (Seq, Given),
    ) {
        if let Some(of) = by_call.get(call) {
            self.results.entry(of.clone()).or_default().push_back(given);
        }
    }
}

/// The reply as the model gave it.
fn reply(body: &steadfast_core::event::model::ModelReplied) -> Reply {
    Reply {
        model: body.model.clone(),
        text: body.text.as_ref().map(|text| text.text().into_owned()),
        calls: body
            .calls
            .iter()
            .map(|call| ReplyCall {
                id: call.id.clone(),
                skill: call.skill.clone(),
                args: call.args.text().into_owned(),
            })
            .collect(),
        finish: body.finish,
        usage: body.usage,
        extra: body
            .extra
            .as_ref()
            .map(|extra| extra.json())
            .unwrap_or_default(),
    }
}

/// What a call ends with that nothing is recorded for.
pub(super) fn not_recorded(what: &str) -> ModelError {
    ModelError::new(ModelFailure::NotRecorded, what.to_owned())
}
