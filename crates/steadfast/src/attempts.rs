//! What a model attempts: how often it would have left a step out, or taken one
//! out of order, had nothing held it back.
//!
//! ```text
//! inputs × repeats ► a task each (full list of skills, free choice) ► its log
//!     ├─► first proposal in each state: proper, skip, misorder, …  (attempted)
//!     └─► what was carried out, held against the workflow by audit (effective)
//! ```
//!
//! Attempts are counted on the *first* proposal in each state: later ones were
//! made knowing a refusal, and would count the model's patience. What took
//! effect is not assumed to be nothing: another piece of code, the monitor of
//! [`audit`](crate::audit), looks at the calls that were really carried out.
//!
//! Not here: a model of one's own, and any claim about other prompts than ours.

mod count;
mod double;
mod effective;
mod error;
pub mod input;
mod kinds;
mod run;
mod tally;

use std::sync::Arc;

use futures::stream::{FuturesUnordered, StreamExt};
use steadfast_core::event::task::Window;
use steadfast_core::workflow::spec::{GuardMode, Steering, ToolMask};
use steadfast_core::workflow::{Spec, Workflow};

use crate::clock::Clock;
use crate::model::Model;
use crate::rules::StandardRules;
use crate::skill::Skills;

pub use count::{First, Tried, firsts};
pub use double::{Doubles, StandIn};
pub(crate) use effective::effective;
pub use error::Error;
pub use input::Trial;
pub use kinds::kinds_of;
pub use run::{Ended, Measured};
pub use tally::{Row, StateRow, Tally, Tries};

/// What is to be measured.
pub struct Plan {
    /// As it would run; see [`prepare`] for what a measurement changes in it.
    pub spec: Spec,
    pub skills: Skills,
    pub rules: Arc<StandardRules>,
    pub clock: Arc<dyn Clock>,
    pub window: Window,
    pub trials: Vec<Trial>,
    /// Runs of each input; at least one is made.
    pub repeats: u32,
    /// Runs at the same time; at least one.
    pub parallel: usize,
    /// Whether stand-ins took the place of all skills that act. Approvals are
    /// then given by the measurement; a real deed is never approved by it.
    pub doubled: bool,
}

/// The workflow as it is measured: the full list of skills is offered, the
/// model chooses freely, and a guard that is off observes, which changes
/// nothing but leaves a trace to count by. A time limit of the run is the
/// shorter of its own and the given one.
#[must_use]
pub fn prepare(mut spec: Spec, time_ms: Option<u64>) -> Spec {
    spec.contract.tools = ToolMask::All;
    spec.steering = Steering::Model;
    for guard in [&mut spec.guards.order, &mut spec.guards.contract] {
        if *guard == GuardMode::Off {
            *guard = GuardMode::Observe;
        }
    }
    spec.limits.time_ms = match (spec.limits.time_ms, time_ms) {
        (Some(own), Some(given)) => Some(own.min(given)),
        (own, given) => own.or(given),
    };
    spec
}

/// Runs every input as often as asked, and hands each run on as it ends, in no
/// particular order. `model` gives the model of one run: a script begins anew
/// in each, an endpoint can be shared.
///
/// Dropping the future stops the measurement; what was handed on stays.
///
/// # Errors
///
/// When the workflow leaves no machine, or a log refuses. A run that fails is
/// no error: it is among what is measured.
pub async fn measure(
    plan: &Plan,
    model: &mut dyn FnMut() -> Arc<dyn Model>,
    sink: &mut dyn FnMut(Measured),
) -> Result<(), Error> {
    let workflow = Workflow::compile(plan.spec.clone()).map_err(Error::workflow)?;
    let repeats = plan.repeats.max(1);
    let mut waiting =
        (0..repeats).flat_map(|repeat| (0..plan.trials.len()).map(move |trial| (trial, repeat)));
    let mut at_work = FuturesUnordered::new();
    loop {
        while at_work.len() < plan.parallel.max(1) {
            let Some((trial, repeat)) = waiting.next() else {
                break;
            };
            at_work.push(run::run(plan, &workflow, trial, repeat, model()));
        }
        match at_work.next().await {
            Some(measured) => sink(measured?),
            None => return Ok(()),
        }
    }
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Plan({}, {} inputs, {} repeats)",
            self.spec.workflow_id,
            self.trials.len(),
            self.repeats
        )
    }
}
