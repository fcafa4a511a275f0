//! What a model decided, step by step, and a sample of it.

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast_core::event::{Body, Event};
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, Seq, StateName, TaskId};

/// Characters of a text that are shown: enough to judge by, and no page.
const SHOWN_CHARS: usize = 600;

/// One step: what was there, what the model proposed, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    pub workflow: String,
    pub task: TaskId,
    pub step: u32,
    /// The model's reply.
    pub seq: Seq,
    pub state: Option<StateName>,
    /// What the user said last.
    pub asked: String,
    /// The result that the model had before it, where there was one.
    pub before: Option<String>,
    /// Each proposed call, or the answer.
    pub proposed: Vec<String>,
    /// What the gate said to each.
    pub gate: Vec<String>,
    /// What came of the calls.
    pub results: Vec<String>,
}

/// All steps of a log in which a model proposed anything. Contents must be loaded.
pub fn decisions(workflow: &str, task: &TaskId, events: &[Event]) -> Vec<Decision> {
    let mut walk = Walk::default();
    for event in events {
        walk.take(workflow, task, event);
    }
    let proposed = walk.found.into_iter();
    proposed.filter(|one| !one.proposed.is_empty()).collect()
}

#[derive(Default)]
struct Walk {
    found: Vec<Decision>,
    steps: BTreeMap<CallId, u32>,
    /// The decision that an admitted call belongs to.
    made: BTreeMap<CallId, (usize, String)>,
    state: Option<StateName>,
    asked: String,
    before: Option<String>,
}

impl Walk {
    fn take(&mut self, workflow: &str, task: &TaskId, event: &Event) {
        match &event.body {
            Body::TaskStarted(body) => self.asked = short(&body.input.text()),
            Body::UserSent(body) => self.asked = short(&body.text.text()),
            Body::StateEntered(body) => self.state = body.to.state().cloned(),
            Body::ModelCalled(body) => drop(self.steps.insert(body.call.clone(), body.step)),
            Body::ModelReplied(body) => {
                let calls = body.calls.iter();
                let mut proposed: Vec<String> = calls
                    .map(|call| format!("{}({})", call.skill, short(&call.args.text())))
                    .collect();
                if let (true, Some(text)) = (proposed.is_empty(), &body.text) {
                    proposed.push(format!("answer: {}", short(&text.text())));
                }
                self.found.push(Decision {
                    workflow: workflow.to_owned(),
                    task: task.clone(),
                    step: self.steps.get(&body.call).copied().unwrap_or_default(),
                    seq: event.seq,
                    state: self.state.clone(),
                    asked: self.asked.clone(),
                    before: self.before.clone(),
                    proposed,
                    gate: Vec::new(),
                    results: Vec::new(),
                });
            }
            Body::CallAdmitted(body) if body.proposed_as.is_some() => {
                let skill = body.skill.to_string();
                self.gate(format!("{skill}: admitted"));
                let at = self.found.len().saturating_sub(1);
                self.made.insert(body.call.clone(), (at, skill));
            }
            Body::CallRefused(body) => {
                self.gate(format!("{}: refused ({})", body.skill, body.refusal.code()));
            }
            Body::AnswerAdmitted(_) => self.gate("answer: admitted".to_owned()),
            Body::AnswerRefused(body) => {
                self.gate(format!("answer: refused ({})", body.refusal.code()));
            }
            Body::SkillReturned(body) => self.result(&body.call, &body.result.text()),
            Body::SkillFailed(body) => self.result(&body.call, &body.message.text()),
            _ => {}
        }
    }

    fn gate(&mut self, said: String) {
        if let Some(last) = self.found.last_mut() {
            last.gate.push(said);
        }
    }

    fn result(&mut self, call: &CallId, text: &str) {
        let text = short(text);
        if let Some((at, skill)) = self.made.get(call)
            && let Some(decision) = self.found.get_mut(*at)
        {
            decision.results.push(format!("{skill}: {text}"));
        }
        self.before = Some(text);
    }
}

/// So many of all steps, as evenly over the workflows as there are steps for: a
/// rare workflow is not drowned by a busy one. The same seed draws the same steps,
/// and a larger sample holds the smaller one.
pub fn draw(all: Vec<Decision>, count: usize, seed: u64) -> Vec<Decision> {
    let mut strata: BTreeMap<String, Vec<(String, Decision)>> = BTreeMap::new();
    for one in all {
        let name = serde_json::json!([seed, one.task, one.step, one.seq]);
        let lot = Hash::of_json(&name).to_string();
        strata
            .entry(one.workflow.clone())
            .or_default()
            .push((lot, one));
    }
    for stratum in strata.values_mut() {
        // Drawn from the end.
        stratum.sort_by(|(one, _), (other, _)| other.cmp(one));
    }
    let mut drawn = Vec::new();
    while drawn.len() < count {
        let before = drawn.len();
        for stratum in strata.values_mut() {
            if drawn.len() < count
                && let Some((_, one)) = stratum.pop()
            {
                drawn.push(one);
            }
        }
        if drawn.len() == before {
            break;
        }
    }
    drawn
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(workflow: &str, task: &str, step: u32) -> Decision {
        Decision {
            workflow: workflow.to_owned(),
            task: task.into(),
            step,
            seq: Seq(u64::from(step)),
            state: None,
            asked: String::new(),
            before: None,
            proposed: vec!["x".to_owned()],
            gate: Vec::new(),
            results: Vec::new(),
        }
    }

    fn all() -> Vec<Decision> {
        let busy = (0..90).map(|at| decision("busy", &format!("t_{}", at / 9), at));
        busy.chain((0..3).map(|at| decision("rare", "t_r", at)))
            .collect()
    }

    #[test]
    fn workflows_share_the_sample() {
        let drawn = draw(all(), 10, 1);
        let rare = drawn.iter().filter(|one| one.workflow == "rare").count();
        assert_eq!((drawn.len(), rare), (10, 3));
        // Where steps run out, the others give more; and no step is drawn twice.
        let every = draw(all(), 200, 1);
        assert_eq!(every.len(), 93);
    }

    #[test]
    fn the_same_seed_draws_the_same_and_more_holds_less() {
        let (few, more) = (draw(all(), 6, 4), draw(all(), 12, 4));
        assert_eq!(few, draw(all(), 6, 4));
        assert!(few.iter().all(|one| more.contains(one)));
        assert_ne!(few, draw(all(), 6, 5));
    }
}
