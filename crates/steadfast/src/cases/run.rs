//! One run of one case, in a log of its own in memory.
//!
//! Nothing that acts is carried out: what the case says for a skill is its
//! reply, and a stand-in answers for all others that are not declared to only
//! read. The name of the task and the salt are fixed, so that the same case asks
//! a model the very same thing each time, and a recording of it is found again.

use std::collections::BTreeMap;
use std::path::Path as Folder;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;
use steadfast_core::budget::BudgetChange;
use steadfast_core::content::Salt;
use steadfast_core::event::model::ModelCalled;
use steadfast_core::event::task::Window;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Principal, Seq, TaskId};
use steadfast_core::ledger::Ledger;
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start, Waiting};
use steadfast_core::workflow::{Spec, Workflow};
use steadfast_store::{Log, MemoryLog, Takeover, load_events};

use super::error::Error;
use super::path::{self, Path};
use super::spec::{Approvals, Case, Document, Speaker};
use super::{misfits, replies};
use crate::attempts::{Doubles, prepare};
use crate::clock::Clock;
use crate::driver::{self, Driver, Memory, Rest, Settings, Stop, Unobserved};
use crate::model::Model;
use crate::rules::StandardRules;
use crate::skill::Skills;

/// Decisions that one run is given.
const DECISIONS_MAX: usize = 1_000;
/// The name of every task: each has a log of its own.
const TASK: &str = "t_case";
/// Whose task it is, and who else there is.
const USER: &str = "user";
const OTHER: &str = "other_user";

/// What cases of one workflow are run in.
pub struct Stage {
    pub workflow: Arc<Workflow>,
    /// The skills that can be carried out.
    pub skills: Skills,
    /// Results of stand-ins for the whole suite.
    pub doubles: Doubles,
    pub clock: Arc<dyn Clock>,
    /// The room of a model that does not say its own.
    pub window: Window,
    rules: Mutex<BTreeMap<String, Arc<StandardRules>>>,
}

/// A run, over.
pub struct Trace {
    pub events: Vec<Event>,
    /// The sub-tasks that it began, and theirs.
    pub children: Vec<Child>,
    pub log: Arc<MemoryLog>,
    pub task: TaskId,
    pub end: End,
    /// Why it failed or waits.
    pub diagnosis: Option<String>,
    pub path: Path,
    /// What was delivered last.
    pub answer: Option<String>,
    /// What was in force at the end.
    pub ledger: Ledger,
}

/// A sub-task as it went.
#[derive(Debug)]
pub struct Child {
    pub id: TaskId,
    /// Its name in the workflow.
    pub task: String,
    pub events: Vec<Event>,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    Completed,
    /// A conversation that waits for the next message, every turn answered.
    Listening,
    Failed,
    Cancelled,
    /// For a person.
    Waiting,
}

impl Stage {
    pub fn new(
        workflow: Arc<Workflow>,
        skills: Skills,
        doubles: Doubles,
        clock: Arc<dyn Clock>,
        window: Window,
    ) -> Stage {
        Stage {
            workflow,
            skills,
            doubles,
            clock,
            window,
            rules: Mutex::default(),
        }
    }

    pub fn spec(&self) -> &Spec {
        &self.workflow.spec
    }

    /// The same workflow as a measurement runs it: the full list of skills is
    /// offered and the model chooses freely, so that what it attempts can be
    /// counted. None where the workflow leaves no machine.
    pub fn free(&self, time_ms: Option<u64>) -> Option<Stage> {
        let spec = prepare(self.spec().clone(), time_ms);
        let workflow = Workflow::compile(spec).ok()?;
        Some(Stage::new(
            workflow,
            self.skills.clone(),
            self.doubles.clone(),
            Arc::clone(&self.clock),
            self.window,
        ))
    }

    /// The rules with a model's tokenizer, made once for each name.
    pub fn rules(&self, model: &str) -> Arc<StandardRules> {
        // Nothing panics while the lock is held, so a poisoned one is whole.
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let made = known
            .entry(model.to_owned())
            .or_insert_with(|| Arc::new(StandardRules::for_model(model)));
        Arc::clone(made)
    }

    /// The skills of one run: the case's replies, stand-ins, and what reads.
    fn skills(&self, case: &Case, rules: &StandardRules) -> Result<Skills, Error> {
        let told = replies::skills(case, self.spec());
        let mut names = self.doubles.of(self.spec(), false);
        names.retain(|name| !told.contains_key(name));
        let stand_ins = self.doubles.build(&self.workflow, &names, rules.rules())?;
        let real = self.skills.names().filter_map(|name| {
            let taken = names.contains(name) || told.contains_key(name);
            let skill = (!taken).then(|| self.skills.get(name.as_str()))??;
            Some((name.clone(), Arc::clone(skill)))
        });
        let real: Vec<_> = real.collect();
        Ok(real.into_iter().chain(stand_ins).chain(told).collect())
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stage({})", self.spec().workflow_id)
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Trace({:?}, {:?})", self.end, self.path.all())
    }
}

/// Runs a case once. `folder` is where its documents' paths start.
///
/// # Errors
///
/// When the case does not fit the workflow, a document cannot be read, or no
/// stand-in can be made for a skill. A run that fails is no error.
pub async fn run(
    stage: &Stage,
    case: &Case,
    folder: &Folder,
    model: Arc<dyn Model>,
) -> Result<Trace, Error> {
    if let Some(misfit) = misfits(case, &stage.workflow).into_iter().next() {
        return Err(Error::Misfit(misfit));
    }
    let rules = stage.rules(model.name());
    let log = Arc::new(MemoryLog::new());
    let window = model.window().unwrap_or(stage.window);
    let driver = Driver {
        log: log.clone(),
        validator: None,
        skills: stage.skills(case, &rules)?,
        model,
        reviewer: None,
        rules,
        clock: Arc::clone(&stage.clock),
        observer: Arc::new(Unobserved),
        holder: "cases".to_owned(),
        settings: Settings {
            snapshot_every: 0,
            ..Settings::default()
        },
        memory: Memory::default(),
        stop: Stop::default(),
    };
    let id = TaskId::from(TASK);
    let start = Start {
        workflow: stage.spec().clone(),
        principal: Principal::from(USER),
        input: case.input.clone(),
        documents: documents(case, folder)?,
        facts: case.facts.clone(),
        parent: None,
        window,
        budget: BudgetChange::default(),
    };
    // Nothing of this log leaves the process, so nothing can be guessed from it.
    driver.start(&id, Salt([0; 32]), start).await?;
    let rest = converse(&driver, &id, case).await?;
    Ok(Trace::of(log, id, &rest).await?)
}

/// The documents of a case, read: name and text.
///
/// # Errors
///
/// When one cannot be read.
pub fn documents(case: &Case, folder: &Folder) -> Result<Vec<(String, String)>, Error> {
    let one = |document: &Document| match document {
        Document::Text(text) => Ok((text.name.clone(), text.text.clone())),
        Document::File(name) => {
            let read = std::fs::read_to_string(folder.join(name));
            let text = read.map_err(|source| Error::Document {
                name: name.clone(),
                source,
            })?;
            Ok((name.clone(), text))
        }
    };
    case.documents.iter().map(one).collect()
}

/// Says all turns, each at its time, and drives on to the end.
async fn converse(driver: &Driver, id: &TaskId, case: &Case) -> Result<Rest, Error> {
    let mut turns = case.turns.iter();
    let spec = driver::load(driver.log.as_ref(), id).await?.workflow;
    if !spec.spec.conversation {
        for turn in turns.by_ref() {
            say(driver, id, turn).await?;
        }
    }
    let mut rest = decide(driver, id, case.approvals).await?;
    for turn in turns {
        if !matches!(rest, Rest::Waiting(Waiting::Message)) {
            break;
        }
        say(driver, id, turn).await?;
        rest = decide(driver, id, case.approvals).await?;
    }
    Ok(rest)
}

async fn say(driver: &Driver, id: &TaskId, turn: &super::Turn) -> Result<(), Error> {
    let by = match turn.source {
        Speaker::User => USER,
        Speaker::OtherUser => OTHER,
    };
    let command = Command::Say {
        text: turn.text.clone(),
    };
    let log = driver.log.as_ref();
    Driver::post(log, id, Principal::from(by), &command, driver.clock.now()).await?;
    Ok(())
}

/// Drives until the task rests, deciding on what waits for approval: there is
/// nothing real behind it.
async fn decide(driver: &Driver, id: &TaskId, approvals: Approvals) -> Result<Rest, Error> {
    let mut rest = driver.run(id, Takeover::IfExpired).await?;
    for _ in 0..DECISIONS_MAX {
        let (Rest::Waiting(Waiting::Approval { calls }), true) =
            (&rest, approvals != Approvals::Wait)
        else {
            break;
        };
        for call in calls {
            let command = Command::Decide {
                call: call.clone(),
                approved: approvals == Approvals::Grant,
                reason: None,
            };
            let log = driver.log.as_ref();
            let by = Principal::from("approver");
            Driver::post(log, id, by, &command, driver.clock.now()).await?;
        }
        rest = driver.run(id, Takeover::IfExpired).await?;
    }
    Ok(rest)
}

fn end(rest: &Rest) -> (End, Option<String>) {
    let waits = |why: &str| (End::Waiting, Some(why.to_owned()));
    match rest {
        Rest::Ended(Outcome::Completed { .. }) => (End::Completed, None),
        Rest::Ended(Outcome::Failed { diagnosis, .. }) => (End::Failed, Some(diagnosis.clone())),
        Rest::Ended(Outcome::Cancelled) => (End::Cancelled, None),
        Rest::Waiting(Waiting::Message) => (End::Listening, None),
        Rest::Waiting(Waiting::Approval { .. }) => waits("a call waits for approval"),
        Rest::Waiting(Waiting::Budget { .. }) => waits("a budget is exhausted"),
        Rest::Waiting(Waiting::Doubt { .. }) => waits("a deed is in doubt"),
        Rest::Waiting(_) => waits("it waits for a person"),
        Rest::Stopped => waits("it was told to stop"),
    }
}

/// All tasks below, in the order in which they began.
async fn children(log: &MemoryLog, events: &[Event]) -> Result<Vec<Child>, driver::Error> {
    let begun = |events: &[Event]| -> Vec<(TaskId, String)> {
        let ids = events.iter().filter_map(|event| match &event.body {
            Body::ChildStarted(body) => Some((body.child.clone(), body.task.to_string())),
            _ => None,
        });
        ids.collect()
    };
    let mut wanted = std::collections::VecDeque::from(begun(events));
    let mut found = Vec::new();
    while let Some((id, task)) = wanted.pop_front() {
        // One that was begun by name only has no log yet.
        let Ok(events) = load_events(log, &id, Seq(1)).await else {
            continue;
        };
        wanted.extend(begun(&events));
        found.push(Child { id, task, events });
    }
    Ok(found)
}

fn answer(events: &[Event]) -> Option<String> {
    events.iter().rev().find_map(|event| match &event.body {
        Body::TaskCompleted(body) => Some(body.answer.text().into_owned()),
        Body::RoundEnded(body) => Some(body.answer.text().into_owned()),
        _ => None,
    })
}

impl Trace {
    /// A run in a log in memory, read.
    ///
    /// # Errors
    ///
    /// When the log does not read.
    pub async fn of(
        log: Arc<MemoryLog>,
        task: TaskId,
        rest: &Rest,
    ) -> Result<Trace, driver::Error> {
        let events = load_events(log.as_ref(), &task, Seq(1)).await?;
        let folded = driver::load(log.as_ref(), &task).await?;
        let children = children(log.as_ref(), &events).await?;
        let (end, diagnosis) = end(rest);
        Ok(Trace {
            path: path::path(&events),
            answer: answer(&events),
            ledger: folded.state.ledger,
            events,
            children,
            log,
            task,
            end,
            diagnosis,
        })
    }

    /// What the model saw last before an event, as text. None where it saw nothing.
    pub async fn context_before(&self, seq: Seq) -> Option<String> {
        let called = self
            .events
            .iter()
            .rev()
            .find_map(|event| match &event.body {
                Body::ModelCalled(body) if event.seq < seq => Some(body),
                _ => None,
            })?;
        self.shown(&self.task, called).await
    }

    /// A context of a task of the run, as text.
    pub(super) async fn shown(&self, task: &TaskId, called: &ModelCalled) -> Option<String> {
        let salt = self.log.header(task).await.ok()?.salt;
        let log: &dyn Log = self.log.as_ref();
        let (call, manifest) = (&called.call, &called.manifest);
        let request = driver::rebuild_context(log, task, &salt, call, manifest, None)
            .await
            .ok()?;
        let shown = request.messages.iter().map(|message| {
            let value = serde_json::to_value(message).unwrap_or_default();
            let role = value
                .get("role")
                .and_then(Value::as_str)
                .unwrap_or("?")
                .to_owned();
            let calls = value.get("calls").filter(|calls| !calls.is_null());
            let calls = calls.map(|calls| format!("\n{calls}")).unwrap_or_default();
            format!("[{role}]\n{}{calls}", message.text())
        });
        Some(shown.collect::<Vec<_>>().join("\n\n"))
    }

    /// Tokens of all model calls, as far as they are known.
    pub fn tokens(&self) -> u64 {
        let usages = self.events.iter().filter_map(|event| match &event.body {
            Body::ModelReplied(body) => body.usage.or(body.counted),
            _ => None,
        });
        usages
            .map(|usage| usage.input_tokens + usage.output_tokens)
            .sum()
    }
}
