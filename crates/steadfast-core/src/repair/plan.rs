//! The roll-back point of a fault, and what a repair to it keeps.
//!
//! A task can be taken back only to where it rested: no call open, no reply
//! without its verdict. Of these places the last one before the first event that
//! rests on the fault is the plan's. Two walks of the log: the first finds the
//! place, the second the beliefs there.

use std::collections::BTreeMap;

use crate::content::{Content, Salt};
use crate::event::repair::{FactThen, Fault, Held, Kept, Level};
use crate::event::skill::Relay;
use crate::event::validation::Checkpoint;
use crate::event::{Body, Event};
use crate::facts::{Fact, Facts};
use crate::id::{CallId, Seq, TaskId};
use crate::limits;
use crate::repair::reads::reads;
use crate::source::Source;
use crate::task::state::{Beliefs, Call, CallOutcome, State};
use crate::task::{Corrupt, Task};

/// What is asked of a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub cause: Fault,
    /// The right value is known: only what read the wrong one is redone.
    pub known: bool,
    /// The least level that will do.
    pub level: Option<Level>,
}

/// A repair as it would be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub level: Level,
    /// The first and the last event whose beliefs are void.
    pub from: Seq,
    pub to: Seq,
    /// The event that rests on the fault first; none where nothing does.
    pub first: Option<Seq>,
    pub beliefs: Beliefs,
    pub facts: Vec<FactThen>,
    /// All deeds that stand, those of earlier repairs among them.
    pub kept: Vec<Kept>,
    /// What of the range counts no more, for people.
    pub voided: Voided,
}

/// What a repair voids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Voided {
    pub steps: Vec<u32>,
    /// Results and failures that count no more.
    pub outcomes: Vec<CallId>,
    /// Events that moved the machine.
    pub moves: u32,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPlan {
    #[error("fact `{name}` has no value")]
    NoFact { name: String },
    #[error("the value of fact `{name}` is a person's own: only its right value mends it")]
    PersonsFact { name: String },
    #[error("call `{call}` has no outcome in the part of the log that counts")]
    NoCall { call: CallId },
    #[error("phase `{name}` has not begun")]
    NoPhase { name: String },
    #[error("there is no step {step} in the part of the log that counts")]
    NoStep { step: u32 },
    #[error(
        "the fault is older than what can be rolled back (an answer went out, or the workflow changed, at event {since})"
    )]
    TooOld { since: Seq },
    #[error(
        "{deeds} deeds would have to be kept, and at most {} can",
        limits::KEPT_DEEDS_MAX
    )]
    TooManyDeeds { deeds: usize },
    #[error("the log does not fold: {0}")]
    Corrupt(#[from] Corrupt),
}

/// One place on the way that still counts.
struct Mark {
    seq: Seq,
    /// The task can be taken back to right after it.
    rests: bool,
    /// What it read of the fault.
    hit: bool,
    what: What,
}

/// The way that counts.
struct Walked {
    marks: Vec<Mark>,
    /// Before it nothing is rolled back: an answer went out, or the workflow changed.
    floor: Seq,
    /// Where a restart begins.
    round: Seq,
}

/// What an event did, as far as a repair voids it.
enum What {
    Step(u32),
    Outcome(CallId),
    Move,
    Other,
}

/// Finds the repair of a fault in a whole log. `salt` seals the values of facts
/// as they were.
///
/// # Errors
///
/// [`NoPlan`] says why there is none.
pub fn plan(
    task: &TaskId,
    salt: Salt,
    history: &[Event],
    request: &Request,
) -> Result<Plan, NoPlan> {
    let now = Task::fold(task.clone(), salt, history)?;
    let fault = match &request.cause {
        Fault::Phase { name } => Sought::phase(task, salt, history, name)?,
        _ => Sought::of(&now.state, history, request)?,
    };
    let Walked {
        marks,
        floor,
        round,
    } = walk(task, salt, history, &fault)?;
    let restarts = request.level == Some(Level::Restart);
    let read = || marks.iter().find(|mark| mark.hit).map(|mark| mark.seq);
    let first = match (&request.cause, request.level) {
        (Fault::Course { .. } | Fault::Phase { .. }, Some(Level::Correct)) => None,
        // Forced up, what wrote the wrong value is not trusted either.
        (_, Some(Level::RollBack)) => Some(fault.writer),
        _ if request.known => read(),
        _ => Some(fault.writer),
    };
    let until = first.unwrap_or(now.state.seq.next());
    let place = match restarts {
        true => round,
        false => {
            let before = marks.iter().filter(|mark| mark.rests && mark.seq < until);
            let place = before.map(|mark| mark.seq).max();
            let place = place.filter(|seq| *seq >= floor);
            place.ok_or(NoPlan::TooOld { since: floor })?
        }
    };
    let mut then = fold_to(task, salt, history, place)?;
    let (voided, moved) = voided(&marks, place);
    if moved && let Some(step) = then.state.beliefs.steps.back_mut() {
        // The baton told where the machine went, and it goes there anew.
        for call in &mut step.calls {
            if let CallOutcome::Returned { relay, .. } = &mut call.outcome {
                *relay = Relay::default();
            }
        }
    }
    let level = match (restarts, voided.outcomes.is_empty() && voided.moves == 0) {
        (true, _) => Level::Restart,
        (false, true) => request.level.unwrap_or(Level::Correct),
        (false, false) => Level::RollBack,
    };
    let kept = kept(&then, history, place, first)?;
    let facts = facts_then(&now.state, &then.state.facts, history, place, &salt, &fault);
    let beliefs = match restarts {
        true => Beliefs::default(),
        false => then.state.beliefs,
    };
    Ok(Plan {
        level,
        from: place.next(),
        to: now.state.seq,
        first,
        beliefs,
        facts,
        kept,
        voided,
    })
}

/// The fault, as events.
struct Sought {
    /// Events that hold the wrong value.
    wrong: Vec<Seq>,
    /// The event that wrote it.
    writer: Seq,
    /// The fact that is wrong and whose right value nobody knows.
    fact: Option<String>,
}

impl Sought {
    fn of(now: &State, history: &[Event], request: &Request) -> Result<Sought, NoPlan> {
        match &request.cause {
            Fault::Fact { name } => Sought::fact(now, history, name, request.known),
            Fault::Call { call } => {
                let outcome = history.iter().rev().find(|event| match &event.body {
                    Body::SkillReturned(body) => body.call == *call,
                    Body::DeedSettled(body) => body.call == *call,
                    _ => false,
                });
                let seq = outcome.map(|event| event.seq);
                let seq = seq.ok_or_else(|| NoPlan::NoCall { call: call.clone() })?;
                let mut wrong = vec![seq];
                wrong.extend(brought(history, seq));
                Ok(Sought {
                    wrong,
                    writer: seq,
                    fact: None,
                })
            }
            Fault::Step { step } => {
                let opened = history.iter().rev().find(|event| match &event.body {
                    Body::ModelCalled(body) => body.step == *step && body.attempt == 1,
                    Body::CallAdmitted(body) => {
                        body.proposed_as.is_none() && body.call.as_str() == format!("s{step}.0")
                    }
                    _ => false,
                });
                let seq = opened.map(|event| event.seq);
                let seq = seq.ok_or(NoPlan::NoStep { step: *step })?;
                Ok(Sought {
                    wrong: vec![seq],
                    writer: seq,
                    fact: None,
                })
            }
            // Nobody knows where it began: at the state where the machine stands.
            Fault::Course { .. } | Fault::Phase { .. } => {
                let entered = history
                    .iter()
                    .rev()
                    .find(|event| matches!(&event.body, Body::StateEntered(body) if !body.retry));
                let writer = entered.map_or(Seq(2), |event| event.seq);
                Ok(Sought {
                    wrong: vec![writer],
                    writer: writer.next(),
                    fact: None,
                })
            }
        }
    }

    /// A phase: from where it began last.
    fn phase(id: &TaskId, salt: Salt, history: &[Event], name: &str) -> Result<Sought, NoPlan> {
        let mut began = None;
        if let Some((first, rest)) = history.split_first() {
            let mut task = Task::begin(id.clone(), salt, first)?;
            let mut before = false;
            for event in rest {
                task.apply(event)?;
                let now = task.state.current().is_some() && task.phase() == name;
                if now && !before {
                    began = Some(event.seq);
                }
                before = now;
            }
        }
        let name = name.to_owned();
        let writer = began.ok_or(NoPlan::NoPhase { name })?;
        Ok(Sought {
            wrong: vec![writer],
            writer: writer.next(),
            fact: None,
        })
    }

    fn fact(now: &State, history: &[Event], name: &str, known: bool) -> Result<Sought, NoPlan> {
        // The right value may be in force already: what was wrong is the last value
        // that was found.
        let of_name =
            |event: &&Event| matches!(&event.body, Body::FactSet(body) if body.name == name);
        let mut sets = history.iter().rev().filter(of_name);
        let set = match known {
            true => sets.find(|event| !is_persons(&event.source)).or_else(|| {
                // A person's own earlier value, which this one replaces.
                history.iter().rev().filter(of_name).nth(1)
            }),
            false => sets.next(),
        };
        let Some(set) = set else {
            let begun = history.first().is_some_and(|first| {
                matches!(&first.body, Body::TaskStarted(body) if body.facts().contains_key(name))
            });
            return match (begun, known) {
                (true, true) => Ok(Sought {
                    wrong: vec![Seq(1)],
                    writer: Seq(1),
                    fact: None,
                }),
                (true, false) => Err(NoPlan::PersonsFact {
                    name: name.to_owned(),
                }),
                (false, _) if known && now.facts.contains_key(name) => Ok(Sought {
                    // Nothing wrong was ever in force.
                    wrong: Vec::new(),
                    writer: now.seq.next(),
                    fact: None,
                }),
                (false, _) => Err(NoPlan::NoFact {
                    name: name.to_owned(),
                }),
            };
        };
        if !known && is_persons(&set.source) {
            return Err(NoPlan::PersonsFact {
                name: name.to_owned(),
            });
        }
        let by = bringer(history, set.seq);
        Ok(Sought {
            wrong: vec![set.seq, by.unwrap_or(set.seq)],
            writer: by.unwrap_or(set.seq),
            fact: (!known).then(|| name.to_owned()),
        })
    }
}

fn is_persons(source: &Source) -> bool {
    !matches!(
        source,
        Source::Skill { .. } | Source::Model { .. } | Source::Document { .. }
    )
}

/// The result that brought a fact: it stands right before it.
fn bringer(history: &[Event], set: Seq) -> Option<Seq> {
    let before = history.iter().rev().skip_while(|event| event.seq >= set);
    for event in before {
        match &event.body {
            Body::SkillReturned(_) => return Some(event.seq),
            Body::FactSet(_) | Body::QuestionOpened(_) => {}
            _ => return None,
        }
    }
    None
}

/// The facts that a result brought.
fn brought(history: &[Event], result: Seq) -> Vec<Seq> {
    let after = history.iter().skip_while(|event| event.seq <= result);
    after
        .take_while(|event| matches!(event.body, Body::FactSet(_) | Body::QuestionOpened(_)))
        .filter(|event| matches!(event.body, Body::FactSet(_)))
        .map(|event| event.seq)
        .collect()
}

/// Walks the log, without what earlier repairs have voided. Gives the events that
/// count, and before which of them nothing can be rolled back.
fn walk(id: &TaskId, salt: Salt, history: &[Event], fault: &Sought) -> Result<Walked, NoPlan> {
    let mut walked = Walked {
        marks: Vec::new(),
        floor: Seq(1),
        round: Seq(1),
    };
    let Some((first, rest)) = history.split_first() else {
        return Ok(walked);
    };
    let mut task = Task::begin(id.clone(), salt, first)?;
    for (at, event) in rest.iter().enumerate() {
        let read = reads(&task, event);
        let hit = fault.wrong.iter().any(|seq| read.contains(seq));
        task.apply(event)?;
        match &event.body {
            Body::Repaired(body) => walked.marks.retain(|mark| mark.seq < body.from),
            Body::RoundEnded(_) => (walked.floor, walked.round) = (event.seq, event.seq),
            Body::WorkflowAccepted(_) => walked.floor = event.seq,
            _ => {}
        }
        walked.marks.push(Mark {
            seq: event.seq,
            rests: rests(&task.state, event, rest.get(at + 1)),
            hit,
            what: what(event),
        });
    }
    Ok(walked)
}

/// Whether a task can be taken back to right after `event`.
fn rests(state: &State, event: &Event, next: Option<&Event>) -> bool {
    // A reply or an answer whose verdict follows, or a result whose facts do.
    let brings = |next: &Event| {
        matches!(next.body, Body::FactSet(_) | Body::QuestionOpened(_))
            && matches!(next.source, Source::Skill { .. })
    };
    let decides =
        |next: &Event| matches!(next.body, Body::AnswerAdmitted(_) | Body::AnswerRefused(_));
    let open = state.stands.validations.open.as_ref();
    let looked = open.is_some_and(|look| look.at == Checkpoint::End);
    let halfway = matches!(event.body, Body::ModelReplied(_) | Body::AnswerAdmitted(_))
        || matches!(&event.body, Body::Validated(body) if body.at == Checkpoint::End)
        || state.withholds_answer()
        || looked
        || next.is_some_and(|next| brings(next) || decides(next));
    let pending = state.beliefs.steps.back().is_some_and(|step| {
        let mut calls = step.calls.iter();
        calls.any(|call| call.outcome == CallOutcome::Pending)
    });
    !halfway
        && !pending
        && state.stands.calls.is_empty()
        && state.stands.model.is_none()
        && state
            .beliefs
            .place
            .as_ref()
            .is_some_and(|place| place.state().is_some())
}

fn what(event: &Event) -> What {
    match &event.body {
        Body::ModelCalled(body) if body.attempt == 1 => What::Step(body.step),
        Body::SkillReturned(body) => What::Outcome(body.call.clone()),
        Body::SkillFailed(body) => What::Outcome(body.call.clone()),
        Body::DeedSettled(body) => What::Outcome(body.call.clone()),
        Body::StateEntered(_) | Body::StateSkipped(_) => What::Move,
        _ => What::Other,
    }
}

/// What stands behind a place, and whether it begins with a move of the machine.
fn voided(marks: &[Mark], place: Seq) -> (Voided, bool) {
    let mut voided = Voided::default();
    let mut behind = marks.iter().filter(|mark| mark.seq > place);
    let moved = behind
        .clone()
        .next()
        .is_some_and(|mark| matches!(mark.what, What::Move));
    for mark in behind.by_ref() {
        match &mark.what {
            What::Step(step) => voided.steps.push(*step),
            What::Outcome(call) if !voided.outcomes.contains(call) => {
                voided.outcomes.push(call.clone());
            }
            What::Move => voided.moves += 1,
            What::Outcome(_) | What::Other => {}
        }
    }
    (voided, moved)
}

fn fold_to(id: &TaskId, salt: Salt, history: &[Event], place: Seq) -> Result<Task, Corrupt> {
    let upto = history
        .iter()
        .take_while(|event| event.seq <= place)
        .count();
    Task::fold(id.clone(), salt, &history[..upto])
}

/// The deeds that stand: those that were kept at the place, and those done since,
/// also on ways that earlier repairs have voided.
fn kept(
    then: &Task,
    history: &[Event],
    place: Seq,
    first: Option<Seq>,
) -> Result<Vec<Kept>, NoPlan> {
    let mut kept = then.state.stands.repairs.kept.clone();
    let mut task = then.clone();
    for event in history.iter().filter(|event| event.seq > place) {
        let done = match &event.body {
            Body::SkillReturned(body) if body.success => Some((&body.call, Some(&body.result))),
            Body::DeedSettled(body) if body.done => Some((&body.call, body.result.as_ref())),
            _ => None,
        };
        let call = done.and_then(|(id, _)| task.state.stands.calls.get(id));
        if let (Some(call), Some((id, Some(result)))) = (call, done)
            && !call.is_read()
        {
            kept.push(deed(id, call, event.seq, result, first));
        }
        task.apply(event)?;
    }
    if kept.len() > limits::KEPT_DEEDS_MAX {
        return Err(NoPlan::TooManyDeeds { deeds: kept.len() });
    }
    Ok(kept)
}

fn deed(id: &CallId, call: &Call, seq: Seq, result: &Content, first: Option<Seq>) -> Kept {
    Kept {
        call: id.clone(),
        skill: call.skill.clone(),
        state: call.state.clone(),
        seq,
        args: call.args.clone(),
        result: result.clone(),
        // What was done after the first reader may rest on what that one made of it.
        tainted: first.is_some_and(|first| first < seq),
        taken: false,
    }
}

/// The facts that were found in the range, as they were before it. One that a
/// deed brought stands with the deed; one of a person stands anyway.
fn facts_then(
    now: &State,
    then: &Facts,
    history: &[Event],
    place: Seq,
    salt: &Salt,
    fault: &Sought,
) -> Vec<FactThen> {
    let deeds: BTreeMap<Seq, bool> = deeds_of(history);
    let by_deed = |fact: &Fact| {
        bringer(history, fact.seq).is_some_and(|seq| deeds.get(&seq).copied().unwrap_or(false))
    };
    let changed = now.facts.iter().filter(|(name, fact)| {
        let wrong = fault.fact.as_deref() == Some(name.as_str());
        fact.seq > place && !is_persons(&fact.source) && (wrong || !by_deed(fact))
    });
    let was = |fact: &Fact| Held {
        value: salt.seal_json(&fact.value),
        source: fact.source.clone(),
        seq: fact.seq,
    };
    changed
        .map(|(name, _)| FactThen {
            name: name.clone(),
            then: then.get(name).map(was),
        })
        .collect()
}

/// For each result, whether a deed brought it.
fn deeds_of(history: &[Event]) -> BTreeMap<Seq, bool> {
    use crate::workflow::spec::EffectClass;
    let mut acting = BTreeMap::new();
    let mut found = BTreeMap::new();
    for event in history {
        match &event.body {
            Body::CallAdmitted(body) => {
                acting.insert(&body.call, body.effect != Some(EffectClass::Read));
            }
            Body::SkillReturned(body) => {
                let acts = acting.get(&body.call).copied().unwrap_or(true);
                found.insert(event.seq, acts);
            }
            _ => {}
        }
    }
    found
}
