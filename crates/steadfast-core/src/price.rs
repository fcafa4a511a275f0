//! What a model's tokens cost. Money is whole micro-units of a currency (a
//! millionth of a dollar, say), so that sums are exact and the same everywhere.
//!
//! Not here: where a price is read from, and what becomes of a cost.

use serde::{Deserialize, Serialize};

use crate::event::model::Usage;

/// Micro-units in one unit of a currency.
pub const MICROS: u64 = 1_000_000;

/// The price of a model's tokens, in micro-units per million tokens.
///
/// `2_500_000` with the currency `USD` is 2.50 dollars for a million tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    pub input_per_million: u64,
    /// For input tokens that the provider read from its cache.
    pub cached_input_per_million: u64,
    pub output_per_million: u64,
    /// As an ISO 4217 code, or any word: currencies are never converted.
    pub currency: String,
}

impl Price {
    /// Of a model that costs nothing. It fits a budget in any currency.
    pub const FREE: Price = Price {
        input_per_million: 0,
        cached_input_per_million: 0,
        output_per_million: 0,
        currency: String::new(),
    };

    pub fn is_free(&self) -> bool {
        self.input_per_million == 0
            && self.cached_input_per_million == 0
            && self.output_per_million == 0
    }

    /// The most that a call of at most so many tokens can cost.
    pub fn cost_micros_max(&self, input_tokens: u64, output_tokens: u64) -> u64 {
        let dearer = Price {
            input_per_million: self.input_per_million.max(self.cached_input_per_million),
            ..self.clone()
        };
        dearer.cost_micros(&Usage {
            input_tokens,
            output_tokens,
            cached_input_tokens: 0,
        })
    }

    /// The cost of a call in micro-units, rounded up, saturating.
    ///
    /// Tokens that were *written* to a cache count as plain input.
    pub fn cost_micros(&self, usage: &Usage) -> u64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let part = |tokens: u64, per_million: u64| u128::from(tokens) * u128::from(per_million);
        let sum = part(usage.input_tokens - cached, self.input_per_million)
            .saturating_add(part(cached, self.cached_input_per_million))
            .saturating_add(part(usage.output_tokens, self.output_per_million));
        u64::try_from(sum.div_ceil(u128::from(MICROS))).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price() -> Price {
        Price {
            input_per_million: 2_500_000,
            cached_input_per_million: 250_000,
            output_per_million: 10_000_000,
            currency: "USD".to_owned(),
        }
    }

    fn cost(input_tokens: u64, cached_input_tokens: u64, output_tokens: u64) -> u64 {
        price().cost_micros(&Usage {
            input_tokens,
            output_tokens,
            cached_input_tokens,
        })
    }

    #[test]
    fn a_cost_is_exact_and_rounded_up() {
        assert_eq!(cost(1_000_000, 0, 0), 2_500_000);
        assert_eq!(cost(1_000, 400, 200), 1_500 + 100 + 2_000);
        assert_eq!(cost(1, 1, 0), 1);
        assert_eq!(cost(0, 0, 0), 0);
    }

    #[test]
    fn no_count_of_a_provider_overflows() {
        assert_eq!(cost(u64::MAX, 0, u64::MAX), u64::MAX);
        // More cached than read is a provider's slip, not a gift.
        assert_eq!(cost(10, 99, 0), cost(10, 10, 0));
    }
}
