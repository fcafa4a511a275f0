//! What a text is made of and what it says, in Chinese and English alike:
//! numbers, bounds, negation, dates, names, borders of sentences, languages,
//! lengths, links, and what a user asks for.
//!
//! Pure functions of the text, linear in its length, with the byte span of all
//! that they find. There is no model in here and no dictionary of a language:
//! only closed classes of words (numerals, units, comparatives, negations).

pub mod bound;
pub mod date;
pub mod fold;
pub mod identifier;
pub mod language;
pub mod length;
pub mod link;
pub mod modality;
pub mod naming;
pub mod negation;
pub mod number;
pub mod quantity;
pub mod reader;
pub mod segment;
pub mod sentence;
pub mod token;
