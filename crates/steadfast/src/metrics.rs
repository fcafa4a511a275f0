//! How tasks have gone, measured from their logs alone: no model is asked, and
//! nothing is measured that an event does not say.
//!
//! ```text
//! logs ► Measured (a task) ► Totals (by workflow, or over a time) ► rates with bounds
//!                        └► checks in order of time ► chart ► alarms
//! ```
//!
//! The share of checks that found something is watched in both directions: a
//! validator that was loosened finds nothing any more, and that looks like good
//! news to everyone but this chart.

mod chart;
mod compare;
mod drift;
mod margin;
mod measure;
mod text;

pub use chart::{Alarm, BASELINE_WINDOWS, Chart, Direction, FALSE_ALARMS, WINDOW, chart};
pub use compare::{Difference, differences};
pub use drift::{Drift, Price, drift};
pub use margin::{Margin, Margins, NEAR};
pub use measure::{Measured, Totals, measure};
pub(crate) use text::FIGURES;
pub use text::prometheus;
