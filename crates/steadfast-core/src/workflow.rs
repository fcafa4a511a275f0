//! Workflows: what must be done, in which order.
//!
//! A [`Spec`] is the file, resolved: every skill has its ports and its effect.
//! [`Machine`] is the same with sub-workflows laid flat and targets resolved;
//! the gate, the mask, the contract text and the relay are all read off it.

pub mod check;
pub mod contract;
pub mod gate;
pub mod ledger;
pub mod machine;
pub mod problem;
pub mod spec;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::handoff::TaskSpec;
use crate::hash::Hash;
use crate::id::SkillName;

pub use machine::{Edge, Machine, StateDef, Target, Use};
pub use problem::{Problem, Severity};
pub use spec::Spec;

/// A workflow that compiles: its spec, its machine and the fingerprint of both.
#[derive(Clone, Debug)]
pub struct Workflow {
    pub spec: Spec,
    pub machine: Machine,
    pub fingerprint: Hash,
    /// The rules of the file's `ledger` section.
    pub ledger: ledger::FirstRules,
    /// The sub-tasks, as the skills that they are to the machine and the gate.
    tasks: BTreeMap<SkillName, spec::SkillSpec>,
}

impl Workflow {
    /// Compiles a resolved spec.
    ///
    /// # Errors
    ///
    /// The problems that leave no machine to run; `check` finds the rest.
    pub fn compile(spec: Spec) -> Result<Arc<Workflow>, Vec<Problem>> {
        let fingerprint = Hash::of_json(&spec);
        Workflow::recorded(spec, fingerprint)
    }

    /// Compiles a spec whose fingerprint the log holds.
    ///
    /// # Errors
    ///
    /// As [`Workflow::compile`].
    pub fn recorded(spec: Spec, fingerprint: Hash) -> Result<Arc<Workflow>, Vec<Problem>> {
        let machine = Machine::compile(&spec)?;
        let ledger = ledger::read(&spec.ledger)?;
        let tasks = spec.tasks.iter();
        Ok(Arc::new(Workflow {
            tasks: tasks
                .map(|(name, task)| (name.clone(), task.as_skill()))
                .collect(),
            spec,
            machine,
            fingerprint,
            ledger,
        }))
    }

    /// A skill, or a sub-task as the skill that it is called as.
    pub fn skill(&self, name: &str) -> Option<&spec::SkillSpec> {
        self.spec.skills.get(name).or_else(|| self.tasks.get(name))
    }

    pub fn task(&self, name: &str) -> Option<&TaskSpec> {
        self.spec.tasks.get(name)
    }
}
