//! What the core asks of the outside: three questions with pure answers.
//!
//! JSON Schema, CEL and tokenizers enter through these traits because their
//! crates carry random seeds and hash maps. An implementation must give the
//! same answer to the same question, always.

use serde_json::Value;

/// One place at which a value breaks its schema.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SchemaIssue {
    /// JSON pointer into the value; empty is the value itself.
    pub path: String,
    pub message: String,
}

/// Checks values by JSON Schema.
pub trait Schemas {
    /// Whether the schema itself can be used; the error says why not.
    fn check(&self, schema: &Value) -> Result<(), String>;

    /// Where `value` breaks `schema`; empty when it holds. A null schema always holds.
    fn issues(&self, schema: &Value, value: &Value) -> Vec<SchemaIssue>;
}

/// Evaluates CEL expressions.
pub trait Conditions {
    /// The variables that an expression reads; the error says why it does not parse.
    fn references(&self, expression: &str) -> Result<Vec<String>, String>;

    /// The members of a variable that an expression names outright, each as a
    /// path: `receipts.S1.x`, `receipts["S2/S1"]` and `"S1" in receipts` name
    /// members of `receipts`. Empty where an implementation cannot tell, and
    /// for an expression that does not parse.
    fn members(&self, _expression: &str, _variable: &str) -> Vec<Vec<String>> {
        Vec::new()
    }

    /// The value of an expression. `variables` is an object.
    fn evaluate(&self, expression: &str, variables: &Value) -> Result<Value, String>;
}

/// Counts the tokens of a text.
pub trait Tokenizer {
    /// Name and version, as the manifest records it.
    fn id(&self) -> &str;

    fn count(&self, text: &str) -> u32;

    /// Whether the count is the model's own; an estimate gets a larger margin.
    fn is_exact(&self) -> bool;
}

/// The three together, as the core passes them along.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    pub schemas: &'a dyn Schemas,
    pub conditions: &'a dyn Conditions,
    pub tokenizer: &'a dyn Tokenizer,
}

impl std::fmt::Debug for Rules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rules(tokenizer {})", self.tokenizer.id())
    }
}

/// A tokenizer that knows scripts but no vocabulary: an upper estimate for any
/// model.
///
/// Per character: CJK 1 token (0.6–0.96 were measured, field report R94), other
/// letters and digits 0.35, other text 0.5, emoji and the rest 2. Ratios are
/// rounded up once, at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScriptEstimate;

impl Tokenizer for ScriptEstimate {
    fn id(&self) -> &str {
        "script-estimate/1"
    }

    fn count(&self, text: &str) -> u32 {
        let hundredths: u64 = text.chars().map(|c| u64::from(hundredths(c))).sum();
        u32::try_from(hundredths.div_ceil(100)).unwrap_or(u32::MAX)
    }

    fn is_exact(&self) -> bool {
        false
    }
}

/// What one character weighs in the estimate, in hundredths of a token.
pub(crate) fn hundredths(c: char) -> u32 {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' => 35,
        '\0'..='\u{7f}' => 50,
        '\u{80}'..='\u{24f}' => 50,
        '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}' => 100,
        _ => 200,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R94: characters divided by four undercounts Chinese three to four times.
    #[test]
    fn r94_the_estimate_knows_scripts() {
        let count = |c: char, n: usize| ScriptEstimate.count(&c.to_string().repeat(n));
        assert!((240..=800).contains(&count('汉', 400)));
        assert!((80..=200).contains(&count('a', 400)));
        assert!((100..=400).contains(&count('😀', 100)));
    }
}
