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

use std::sync::Arc;

use crate::hash::Hash;

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
        Ok(Arc::new(Workflow {
            spec,
            machine,
            fingerprint,
            ledger,
        }))
    }

    pub fn skill(&self, name: &str) -> Option<&spec::SkillSpec> {
        self.spec.skills.get(name)
    }
}
