//! Secrets: named by reference, held where no output shows them, and taken out
//! of everything that leaves.
//!
//! A [`SecretRef`] (`env:NAME`, `file:PATH`) stands in files; resolving it gives
//! a [`Secret`]; a [`Redactor`] knows the secrets in use and puts
//! `[secret:NAME]` where one of them stands in any of its forms. The driver
//! redacts what comes in before it is recorded, so a log never holds a secret
//! and a replay needs none. A mask is never written back: what is stored is the
//! reference.
//!
//! Not here: where secrets are kept. The environment and files are what every
//! secret store can feed.

mod error;
mod forms;
mod redactor;
mod reference;
mod stream;
mod value;
mod view;

pub use error::Error;
pub use redactor::{Redactor, Weak};
pub use reference::{SecretRef, sounds_secret};
pub use stream::Stream;
pub use value::Secret;
