//! What must hold of every run, judged from the log and the world alone.
//!
//! Nothing here asks the gate: the walk over the spec, the pairing of proposals
//! and the counting of deeds are done a second time, in another way.

mod books;
mod compare;
mod ledger;
mod replay;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::event::{Body, Event};
use steadfast_core::hash::Hash;
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::EffectClass;

use crate::world::World;

pub use compare::{Compared, compare};
pub use ledger::ledger;
pub use replay::{Depth, replay};
pub use walk::{Walk, Walked};

/// Events of one simulated task; more means that a loop has no end.
pub const EVENTS_MAX: usize = 2_000;

/// What does not hold, in words.
pub type Violations = Vec<String>;

/// The path through the machine, the answer, the pairing of proposals.
pub fn walk(spec: &Spec, flag: bool, events: &[Event]) -> (Walked, Violations) {
    let (walked, mut violations) = walk::along(spec, flag, events);
    if events.len() > EVENTS_MAX {
        violations.push(format!("{} events: no end in sight", events.len()));
    }
    (walked, violations)
}

/// No deed twice, none without its intent, none under a key of another intent.
pub fn deeds(spec: &Spec, events: &[Event], world: &World) -> Violations {
    let mut violations = Vec::new();
    let effect = |skill: &str| spec.skills.get(skill).and_then(|spec| spec.effect);
    let mut done: BTreeMap<(String, Hash), u32> = BTreeMap::new();
    let deeds = world.effects.deeds();
    for deed in &deeds {
        let times = done.entry((deed.skill.clone(), deed.key)).or_default();
        *times += 1;
        if *times > 1 && effect(&deed.skill) != Some(EffectClass::Read) {
            violations.push(format!(
                "`{}` was done {times} times for one intent",
                deed.skill
            ));
        }
        let intended = events.iter().any(|event| {
            event.seq <= deed.head
                && matches!(&event.body, Body::SkillCalled(body) if body.call == deed.call)
        });
        if !intended {
            violations.push(format!(
                "`{}` was done before its intent was recorded",
                deed.skill
            ));
        }
    }
    violations.extend(keys(events));
    violations.extend(receipts(spec, events, world));
    violations
}

/// One key an intent: the same state, visit, skill and arguments give the same
/// key, and others another.
fn keys(events: &[Event]) -> Violations {
    let mut violations = Vec::new();
    let mut visits: BTreeMap<String, u32> = BTreeMap::new();
    let mut by_intent: BTreeMap<String, Hash> = BTreeMap::new();
    let mut by_key: BTreeMap<Hash, String> = BTreeMap::new();
    for event in events {
        match &event.body {
            Body::StateEntered(body) if !body.retry => {
                *visits.entry(format!("{:?}", body.to)).or_default() += 1;
            }
            Body::CallAdmitted(body) => {
                let place = body
                    .state
                    .clone()
                    .map(steadfast_core::event::machine::Place::State);
                let visit = place.and_then(|place| visits.get(&format!("{place:?}")).copied());
                let mut args = body.args.json();
                if let Some(args) = args.as_object_mut() {
                    args.remove("key");
                }
                let intent = format!("{:?} {visit:?} {} {args}", body.state, body.skill);
                let known = by_intent.entry(intent.clone()).or_insert(body.key);
                if *known != body.key {
                    violations.push(format!("event {}: a second key for {intent}", event.seq));
                }
                let known = by_key.entry(body.key).or_insert_with(|| intent.clone());
                if *known != intent {
                    violations.push(format!("event {}: the key of {known}", event.seq));
                }
            }
            _ => {}
        }
    }
    violations
}

/// A result of a skill that acts rests on a deed.
fn receipts(spec: &Spec, events: &[Event], world: &World) -> Violations {
    let mut violations = Vec::new();
    let mut skills = BTreeMap::new();
    for event in events {
        let (call, settled) = match &event.body {
            Body::CallAdmitted(body) => {
                skills.insert(body.call.clone(), (body.skill.clone(), body.key));
                continue;
            }
            Body::SkillReturned(body) if body.success => (&body.call, None),
            Body::DeedSettled(body) => (&body.call, Some(body.done)),
            _ => continue,
        };
        let Some((skill, key)) = skills.get(call) else {
            continue;
        };
        let effect = spec.skills.get(skill.as_str()).and_then(|spec| spec.effect);
        if effect == Some(EffectClass::Read) {
            continue;
        }
        // "Not done" is about this call alone: a later one may do the same thing.
        let done = match settled {
            Some(false) => world.was_done(call),
            _ => world.effects.has_key(skill.as_str(), key),
        };
        if settled.unwrap_or(true) != done {
            violations.push(format!(
                "event {}: `{skill}` done: {done}, but the log says else",
                event.seq
            ));
        }
    }
    violations
}

/// Whether a log says that something was in doubt, and what was settled.
pub fn settlements(events: &[Event]) -> usize {
    events
        .iter()
        .filter(|event| matches!(event.body, Body::DeedSettled(_)))
        .count()
}

/// Steps that a person would call a skip or a misorder: those tried, by refusals.
pub fn attempts(events: &[Event]) -> (u64, u64) {
    events.iter().fold((0, 0), |(skips, misorders), event| {
        let refusal = match &event.body {
            Body::CallRefused(body) => &body.refusal,
            Body::AnswerRefused(body) => &body.refusal,
            _ => return (skips, misorders),
        };
        (
            skips + u64::from(refusal.is_skip()),
            misorders + u64::from(refusal.is_misorder()),
        )
    })
}

/// The mandatory states with all receipts, of all mandatory ones: what part of
/// the prescribed work a log shows as carried out.
pub fn coverage(spec: &Spec, flag: bool, events: &[Event]) -> (usize, usize) {
    let (walked, _) = walk(spec, flag, events);
    let mandatory: BTreeSet<_> = spec
        .states
        .iter()
        .filter(|(_, state)| state.mandatory != Some(false))
        .map(|(name, _)| name.clone())
        .collect();
    (
        mandatory.intersection(&walked.complete).count(),
        mandatory.len(),
    )
}
