//! What a text is made of, in Chinese and English alike.

pub mod language;
pub mod length;
pub mod link;
pub mod segment;
