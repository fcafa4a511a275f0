//! Finding earlier steps again.
//!
//! ```text
//!  terms ──► lexical (BM25) ──┐
//!                             ├─► standardise, weigh, spread to neighbours ──► hits
//!  vector ─► cosine ──────────┘
//! ```
//!
//! An [`Index`] holds passages in the order of time. Everything is a pure
//! function of what was put in: the same passages and query give the same hits,
//! whatever backend keeps the log, so a recorded recall can be repeated. The
//! index is a cache of the log and can be thrown away.
//!
//! [`encoder`] turns text into vectors with Google's multilingual Universal
//! Sentence Encoder v3, read from files that the user has fetched. It is its own
//! crate for one more reason: its inner loops are slow without optimisation, and
//! this crate is optimised in development builds.
//!
//! Not here: where terms come from (Chinese needs a dictionary), what a query
//! is made of, and the wire to other embedders.

pub mod encoder;
mod fuse;
mod index;
mod lexical;

pub use fuse::Weights;
pub use index::{Hit, Index, Mode, Passage, Query};
