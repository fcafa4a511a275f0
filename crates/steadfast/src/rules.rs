//! What the core asks of the outside: JSON Schema, CEL and token counts.
//!
//! Each is a pure function of its question: no clock, no network, no order that
//! differs from run to run. Compiled schemas and expressions are kept, since
//! the same few are asked for at every step.

mod cache;
mod cel;
mod schema;
mod tokens;

use steadfast_core::rules::{Rules, ScriptEstimate, Tokenizer};

pub use cel::CelConditions;
pub use schema::JsonSchemas;
pub use tokens::{BpeTokenizer, Encoding};

/// The rules that a driver needs, in one value that it can own and share.
pub struct StandardRules {
    schemas: JsonSchemas,
    conditions: CelConditions,
    tokenizer: Box<dyn Tokenizer + Send + Sync>,
}

impl StandardRules {
    /// With the tokenizer of the model that is to be called.
    pub fn new(tokenizer: impl Tokenizer + Send + Sync + 'static) -> StandardRules {
        StandardRules {
            schemas: JsonSchemas::new(),
            conditions: CelConditions::new(),
            tokenizer: Box::new(tokenizer),
        }
    }

    /// With the tokenizer that the name of a model tells, or an upper estimate
    /// where it is not known.
    pub fn for_model(model: &str) -> StandardRules {
        match Encoding::of_model(model) {
            Some(encoding) => StandardRules::new(BpeTokenizer::new(encoding)),
            None => StandardRules::new(ScriptEstimate),
        }
    }

    pub fn rules(&self) -> Rules<'_> {
        Rules {
            schemas: &self.schemas,
            conditions: &self.conditions,
            tokenizer: self.tokenizer.as_ref(),
        }
    }
}

impl Default for StandardRules {
    fn default() -> Self {
        StandardRules::new(ScriptEstimate)
    }
}

impl std::fmt::Debug for StandardRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StandardRules(tokenizer {})", self.tokenizer.id())
    }
}
