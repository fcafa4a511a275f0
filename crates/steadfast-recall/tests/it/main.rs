//! Integration tests of the crate, one binary.

mod encoder;
mod index;
