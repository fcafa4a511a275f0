//! Whether a workflow fits another model: a small set of cases is run under each
//! mark-up of the contract, the best one is held against the model of today, and
//! both say whether to change (guard-rails article, 6).
//!
//! ```text
//! cases ► minimal set ─► trial under each mark-up ─► the best ─┐
//!                    └─► trial of today's model ───────────────┴► compared ► verdict
//! ```
//!
//! Nothing but the mark-up of the contract and the waiting for failed calls
//! depends on the model: cases, machine and checks are the same for both, so two
//! trials differ by the model alone. Thirty cases are few. All that is said of
//! them carries its bounds, and what they cannot show is called open.
//!
//! Not here: which model a name means, and how settings are written.

mod compare;
mod set;
mod trial;
mod verdict;

pub use compare::{CHANCE_MAX, Change, Changed, Pick, changes, paired, pick};
pub use set::{Kind, Member, Set, minimal};
pub use trial::{Ran, Trial, Try, trial};
pub use verdict::{Advice, Reason, Verdict, Weight, verdict};
