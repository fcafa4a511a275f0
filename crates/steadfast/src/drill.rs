//! Drills: long dialogues made from a seed, held with a model under Steadfast
//! and under what is commonly done instead.
//!
//! ```text
//! seed ─► script (dialogue, and what must hold at each turn)
//!              ├─► Steadfast ──────────┐
//!              ├─► the whole history ──┤  the same model, the same pages,
//!              ├─► a sliding window ───┤  the same tools
//!              └─► a running summary ──┘
//!                        └─► measure ─► report
//! ```
//!
//! What must hold at a turn is known from what the script planted, never from
//! what the runtime read out of a message: a reader that errs is found out.
//! Answers are judged by the checkers of the core and, beside them, by a coarse
//! look of the drill's own, so that a checker that lets everything pass is found
//! out too.
//!
//! Not here: the models that fail on purpose, which are the simulator's, and how
//! a report looks.

mod chance;
pub mod clock;
pub mod dialogue;
mod history;
mod look;
pub mod measure;
mod metered;
mod phrases;
pub mod report;
pub mod run;
mod runtime;
mod script;
mod world;

pub use clock::Virtual;
pub use dialogue::{Dialogue, Speech, Turn};
pub use history::SUMMARISE;
pub use measure::{Count, Score};
pub use report::Report;
pub use run::{Error, Method, Models, Plan, Progress, Run, run};
pub use script::dialogue;
