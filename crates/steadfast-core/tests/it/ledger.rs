//! The ledger by itself: patches in, decisions out. G2, and the rules of
//! authority.

mod files;
mod histories;
mod relations;
mod rules;
mod samples;
