//! Phases that the model plans, by a tool of the runtime's own. Off unless the
//! workflow says `memory.plan`.
//!
//! A plan says what summaries keep and when that changes, and nothing else: it
//! has no instruction, since a model's words rule nothing, and its rules come
//! from a closed set. It may be made again; what has begun stays as it was.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::{Content, HoldsContent};
use crate::context::Tool;
use crate::event::Body;
use crate::event::plan::{Begins, PhasesPlanned, PlannedPhase};
use crate::id::{CallId, SkillName};
use crate::json;
use crate::limits;
use crate::proposal::ReplyCall;
use crate::task::record::Draft;
use crate::task::state::{CallOutcome, State};
use crate::task::{Corrupt, Task};

/// The name of the tool.
pub const PLAN_PHASES: &str = "plan_phases";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposed {
    phases: Vec<PlannedPhase>,
}

impl Task {
    /// Whether a call of this name plans. A skill of the workflow's own that has
    /// the name stays what it is.
    pub(super) fn is_plan(&self, skill: &str) -> bool {
        skill == PLAN_PHASES
            && self.workflow.spec.memory.plan
            && self.workflow.skill(skill).is_none()
    }

    /// The tool, while a plan may still be made.
    pub(crate) fn planning_tool(&self) -> Option<Tool> {
        let open = self.state.beliefs.plans < limits::PLANS_MAX;
        (open && self.is_plan(PLAN_PHASES)).then(|| Tool {
            name: SkillName::from(PLAN_PHASES),
            description: "Plan the phases of the task, before the work begins or when it turns \
                          out otherwise: what to keep of the steps of each (names of members of \
                          results), and when it begins. 规划任务的阶段：每个阶段的步骤要保留什么\
                          （结果中的成员名），以及何时开始。"
                .to_owned(),
            input: schema(),
        })
    }

    /// The phases of the plan that may yet begin, with the rules that begin them:
    /// a plan goes forward only.
    pub(super) fn phases_ahead(&self) -> Vec<(String, String)> {
        let plan = &self.state.beliefs.plan;
        let here = plan.iter().position(|one| one.name == self.phase());
        let ahead = plan.iter().skip(here.map_or(0, |at| at + 1));
        ahead
            .map(|one| (one.name.clone(), one.begins.rule()))
            .collect()
    }

    /// A plan as it would hold; the error is what the model is told.
    fn plan(&self, args: &str) -> Result<Vec<PlannedPhase>, String> {
        if self.state.beliefs.plans >= limits::PLANS_MAX {
            let most = limits::PLANS_MAX;
            return Err(format!("it was planned {most} times, and stays as it is"));
        }
        let value = json::parse(args).map_err(|error| error.to_string())?;
        let proposed: Proposed =
            serde_json::from_value(value).map_err(|error| error.to_string())?;
        let begun = &self.state.beliefs.begun;
        let mut plan: Vec<PlannedPhase> = self
            .state
            .beliefs
            .plan
            .iter()
            .filter(|one| begun.contains(&one.name))
            .cloned()
            .collect();
        let mut names = BTreeSet::new();
        for phase in proposed.phases {
            self.sound(&phase)?;
            if !names.insert(phase.name.clone()) {
                return Err(format!("`{}` stands in it twice", phase.name));
            }
            match plan.iter().find(|one| one.name == phase.name) {
                Some(before) if *before != phase => {
                    return Err(format!("`{}` has begun and stays as it was", phase.name));
                }
                Some(_) => {}
                None => plan.push(phase),
            }
        }
        match plan.len() {
            2..=limits::PHASES_PLANNED_MAX => Ok(plan),
            count => Err(format!(
                "{count} phases, not 2 to {}",
                limits::PHASES_PLANNED_MAX
            )),
        }
    }

    fn sound(&self, phase: &PlannedPhase) -> Result<(), String> {
        let name = &phase.name;
        let declared = self.workflow.spec.phases.contains_key(name);
        if !is_name(name) || declared {
            return Err(format!("`{name}` cannot name a phase"));
        }
        if phase.fields.len() > limits::PHASE_FIELDS_PLANNED_MAX {
            let most = limits::PHASE_FIELDS_PLANNED_MAX;
            return Err(format!("`{name}` has more than {most} fields"));
        }
        if let Some(field) = phase.fields.iter().find(|field| !is_name(field)) {
            return Err(format!("`{field}` cannot name a field"));
        }
        match &phase.begins {
            Begins::AfterState(state) if !self.workflow.machine.states.contains_key(state) => {
                Err(format!("there is no state `{state}`"))
            }
            Begins::WithFact(fact) if !is_name(fact) => Err(format!("`{fact}` cannot name a fact")),
            _ => Ok(()),
        }
    }
}

/// A name is a word, so that no sentence comes in by it.
fn is_name(name: &str) -> bool {
    let count = name.chars().count();
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=limits::PHASE_NAME_CHARS_MAX).contains(&count) && name.chars().all(word)
}

impl Draft<'_> {
    /// Takes a plan in, and tells the model what became of it.
    pub(super) fn hear_plan(
        &mut self,
        index: u32,
        id: &CallId,
        call: &ReplyCall,
    ) -> Result<(), Corrupt> {
        let salt = self.task.state.salt;
        let (plan, message) = match self.task.plan(&call.args) {
            Ok(plan) => {
                let names: Vec<&str> = plan.iter().map(|one| one.name.as_str()).collect();
                let message = format!("planned: {}", names.join(", "));
                (Some(salt.seal_own(&plan)), message)
            }
            Err(why) => (None, format!("not taken: {why}")),
        };
        self.runtime(Body::PhasesPlanned(PhasesPlanned {
            call: id.clone(),
            proposed_as: index,
            plan,
            message: salt.seal_text(&message),
        }))
    }
}

impl State {
    /// Takes a plan in. `plan` is as the event holds it.
    pub(super) fn planned(&mut self, plan: Option<Vec<PlannedPhase>>) {
        let counters = &mut self.stands.counters;
        counters.proposals += 1;
        match plan {
            Some(plan) => {
                counters.refusals_in_a_row = 0;
                self.beliefs.plan = plan;
                self.beliefs.plans += 1;
            }
            // Else a model could go on planning for ever.
            None => counters.refusals_in_a_row += 1,
        }
    }
}

impl HoldsContent for PhasesPlanned {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.plan.visit_content(visit);
        self.message.visit_content(visit);
    }
}

impl PhasesPlanned {
    /// How the call came out, as the step keeps it.
    pub(super) fn outcome(&self) -> CallOutcome {
        CallOutcome::Heard {
            message: self.message.clone(),
        }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["phases"],
        "properties": { "phases": {
            "type": "array", "minItems": 1, "maxItems": limits::PHASES_PLANNED_MAX,
            "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["name", "fields", "begins"],
                "properties": {
                    "name": { "type": "string", "description": "one word" },
                    "fields": {
                        "type": "array", "maxItems": limits::PHASE_FIELDS_PLANNED_MAX,
                        "items": { "type": "string" }
                    },
                    "begins": {
                        "type": "object", "minProperties": 1, "maxProperties": 1,
                        "additionalProperties": false,
                        "properties": {
                            "after_state": { "type": "string" },
                            "after_steps": { "type": "integer", "minimum": 0 },
                            "with_fact": { "type": "string" }
                        }
                    }
                }
            }
        }}
    })
}
