//! A task as a file, and back: JSON Lines that carry the stored bytes as they
//! are, so that the chain can be followed outside the store.
//!
//! ```text
//! {"steadfast_export":1,"task":…,"salt":…,"events":N,"head":…,"check":…}
//! {"content":"b3:…","text":"…"}          before the event that first names it
//! {"hash":"b3:…","event":{…}}            the stored bytes
//! {"end":{"events":N,"contents":M,"head":…,"check":…}}
//! ```
//!
//! The header checks itself, each content is named by its keyed hash, each event
//! by its hash and by the one after it, and the last line covers all lines. So
//! any change is noticed, and the place is named. What is whole up to the damage
//! can be salvaged. The inbox and snapshots are not part of an export: nothing
//! of them was recorded.

mod error;
mod export;
mod format;
mod import;
mod scan;
mod survey;

pub use error::{Error, Fault, What};
pub use export::{Exported, export};
pub use format::VERSION;
pub use import::{Options, Outcome, import};
pub use survey::{LostContext, Missing, Survey, survey};
