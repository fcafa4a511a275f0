//! Skills that reply what a case says, call by call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::SkillName;
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::SkillSpec;

use super::spec::{Case, Reply};
use crate::skill::{Skill, SkillCall, SkillError};

/// Replies in the order of a case; the last one stands for all further calls.
struct Told {
    spec: SkillSpec,
    replies: Vec<Reply>,
    next: Mutex<usize>,
}

#[async_trait]
impl Skill for Told {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, _call: &SkillCall) -> Result<Value, SkillError> {
        let at = {
            // Nothing panics while the lock is held, so a poisoned one is whole.
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let at = (*next).min(self.replies.len() - 1);
            *next += 1;
            at
        };
        let reply = &self.replies[at];
        match reply.fail {
            None => Ok(reply.result.clone()),
            Some(class) => Err(SkillError::new(class, told(class))),
        }
    }
}

fn told(class: SkillFailure) -> &'static str {
    match class {
        SkillFailure::Reported => "it reported a failure",
        SkillFailure::NotStarted => "it did not start",
        SkillFailure::Timeout => "no answer in time",
        SkillFailure::Lost => "the connection was lost",
    }
}

/// The skills that a case speaks for.
pub(super) fn skills(case: &Case, spec: &Spec) -> BTreeMap<SkillName, Arc<dyn Skill>> {
    let mut by_skill: BTreeMap<SkillName, Vec<Reply>> = BTreeMap::new();
    for reply in &case.replies {
        let name = SkillName::new(reply.skill.as_str());
        by_skill.entry(name).or_default().push(reply.clone());
    }
    let told = |(name, replies): (SkillName, Vec<Reply>)| {
        let spec = spec.skills.get(&name).cloned().unwrap_or_default();
        let told = Told {
            spec,
            replies,
            next: Mutex::new(0),
        };
        (name, Arc::new(told) as Arc<dyn Skill>)
    };
    by_skill.into_iter().map(told).collect()
}
