//! Regression cases: what a task was given, and what must come of it.
//!
//! ```text
//! files ► read ► Case ─┐
//! workflow, skills ────┼► run (a log of its own in memory) ► Trace ► judge ► failures
//! model ───────────────┘
//! ```
//!
//! A case is run by the same driver as any task. What acts is not carried out:
//! the case says what its skills reply, and stand-ins answer for the rest.
//!
//! Not here: which model a name means, and how results are shown.

mod contract;
mod error;
mod explore;
mod fit;
mod gaps;
mod harvest;
mod judge;
mod lint;
mod minimise;
mod path;
mod promptfoo;
mod read;
mod replies;
mod run;
mod seen;
mod setup;
mod spec;
mod suite;
mod tempt;
mod tempted;

pub use contract::{Attempted, Bound, MISORDER_TARGET, RUNS_TO_PROVE_MISORDER};
pub use contract::{RUNS_TO_PROVE_SKIP, SKIP_TARGET, attempted};
pub use error::Error;
pub use explore::{Explored, Limits, explore};
pub use fit::misfits;
use gaps::kinds;
pub use gaps::{Gap, Survey};
pub(crate) use harvest::tempts;
pub use harvest::{Harvest, harvest};
pub use judge::{Failure, FailureKind, judge};
pub use lint::{ADVERSARIAL_MIN, Lint, LintKind, lint};
pub use minimise::minimise;
pub use path::{Path, path};
pub use promptfoo::{Imported, Unmapped, promptfoo};
pub use read::{File, Tree, json_schema, parse, tree};
pub use run::{End, Stage, Trace, documents, run};
pub use setup::{Setup, find_setup, parse_setup};
pub use spec::{
    Approvals, Case, Document, Forbidden, ForbiddenCall, ModelFull, ModelSpec, Reply, ScriptCall,
    ScriptTurn, Speaker, TextDocument, Turn,
};
pub use suite::{Job, Models, Outcome, Tested, test};
pub use tempt::{Base, Temptation, tempt};
pub use tempted::{Habit, Tempted};
