//! The simulator's own tests: seeds, scenarios, the exploration, the baseline.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod attempts;
mod baseline;
mod budget;
mod drill;
mod effects;
mod explore;
mod observe;
mod oracle;
mod order;
mod seeds;
mod skip;
mod soak;
mod talk;
mod trees;

use std::sync::Arc;

use steadfast::rules::StandardRules;

fn rules() -> Arc<StandardRules> {
    Arc::new(StandardRules::default())
}
