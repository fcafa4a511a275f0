//! Phases that a rule switches: which one holds is decided once a turn, and is
//! an event of its own.

use std::sync::Arc;

use crate::event::Body;
use crate::event::machine::PhaseEntered;
use crate::task::record::{Draft, Stop};

impl Draft<'_> {
    /// Enters the phase whose rule holds, if it is another one than the present;
    /// of several the first by name. One change a turn, so two rules that both
    /// hold cannot chase each other.
    pub(super) fn enter_phase(&mut self) -> Result<(), Stop> {
        self.look_at_labels()?;
        let validations = &self.task.state.stands.validations;
        if validations.open.is_some() || self.task.state.stands.repairs.asked.is_some() {
            return Ok(());
        }
        let workflow = Arc::clone(&self.task.workflow);
        for (name, phase) in &workflow.spec.phases {
            let Some(when) = &phase.when else { continue };
            if self.task.phase() == name {
                continue;
            }
            if self.task.holds(when, None, self.turn.rules)? {
                let from = Some(self.task.phase().to_owned());
                let entered = PhaseEntered {
                    from: from.filter(|name| !name.is_empty()),
                    to: name.clone(),
                    condition: when.clone(),
                };
                self.runtime(Body::PhaseEntered(entered))?;
                return self.look_at_phase();
            }
        }
        for (name, rule) in self.task.phases_ahead() {
            if self.task.holds(&rule, None, self.turn.rules)? {
                let from = Some(self.task.phase().to_owned());
                let entered = PhaseEntered {
                    from: from.filter(|name| !name.is_empty()),
                    to: name,
                    condition: rule,
                };
                self.runtime(Body::PhaseEntered(entered))?;
                return self.look_at_phase();
            }
        }
        Ok(())
    }
}
