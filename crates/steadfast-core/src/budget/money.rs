//! An amount of money as a person writes it and as an integer: millionths of a
//! currency's unit. No float is anywhere near it, since `0.1 + 0.2` must stay
//! within a budget of `0.3`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::price::{MICROS, Price};

/// Digits after the point that a millionth has.
const DECIMALS: usize = 6;

/// An amount of money in one currency, never negative. Written as an amount and
/// a currency: `2.50 USD`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money {
    /// Millionths of the currency's unit.
    pub micros: u64,
    /// As in [`Price`]; never converted.
    pub currency: String,
}

impl Money {
    /// Whether what `price` makes can be held against this amount: it is of the
    /// same currency, or nothing at all.
    pub fn measures(&self, price: &Price) -> bool {
        price.is_free() || price.currency.eq_ignore_ascii_case(&self.currency)
    }
}

/// Why a text is no amount of money.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    #[error("`{0}` is not an amount with a currency, such as `2.50 USD`")]
    Shape(String),
    #[error("`{0}` has more than {DECIMALS} digits after the point")]
    Decimals(String),
    #[error("`{0}` is more money than can be counted")]
    TooMuch(String),
}

impl FromStr for Money {
    type Err = MoneyError;

    fn from_str(text: &str) -> Result<Money, MoneyError> {
        let shape = || MoneyError::Shape(text.to_owned());
        let given = text.trim();
        let end = given.find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let (amount, currency) = given.split_at(end.ok_or_else(shape)?);
        let currency = currency.trim();
        let (whole, part) = amount.split_once('.').unwrap_or((amount, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) || !currency.chars().all(char::is_alphabetic) {
            return Err(shape());
        }
        if part.len() > DECIMALS {
            return Err(MoneyError::Decimals(text.to_owned()));
        }
        let too_much = || MoneyError::TooMuch(text.to_owned());
        let whole: u64 = whole.parse().map_err(|_| too_much())?;
        let part: u64 = format!("{part:0<DECIMALS$}").parse().map_err(|_| shape())?;
        let micros = whole.checked_mul(MICROS).and_then(|m| m.checked_add(part));
        Ok(Money {
            micros: micros.ok_or_else(too_much)?,
            currency: currency.to_owned(),
        })
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.micros / MICROS, self.micros % MICROS);
        let part = format!("{part:0>DECIMALS$}");
        // Cents are written even where they are none.
        let part = format!("{:0<2}", part.trim_end_matches('0'));
        write!(f, "{whole}.{part} {}", self.currency)
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_reads_and_shows_exactly() {
        let shown = |text: &str| text.parse::<Money>().map(|money| money.to_string());
        assert_eq!(shown("2.5 USD"), Ok("2.50 USD".to_owned()));
        assert_eq!(shown("0.000001CNY"), Ok("0.000001 CNY".to_owned()));
        assert_eq!(shown("30 元"), Ok("30.00 元".to_owned()));
        for text in [
            "2.5",
            "USD 2",
            "-1 USD",
            "1. USD",
            ".5 USD",
            "1.2.3 USD",
            "1 U$",
        ] {
            let error = MoneyError::Shape(text.to_owned());
            assert_eq!(text.parse::<Money>(), Err(error), "{text}");
        }
        let fine = "1.0000001 USD".to_owned();
        assert_eq!(fine.parse::<Money>(), Err(MoneyError::Decimals(fine)));
        let much = "18446744073710 USD".to_owned();
        assert_eq!(much.parse::<Money>(), Err(MoneyError::TooMuch(much)));
    }

    #[test]
    fn only_one_currency_or_nothing_is_measured() {
        let money: Money = "1 USD".parse().unwrap();
        let price = |currency: &str| Price {
            input_per_million: 1,
            currency: currency.to_owned(),
            ..Price::FREE
        };
        assert!(money.measures(&price("usd")));
        assert!(!money.measures(&price("CNY")));
        assert!(money.measures(&Price::FREE));
    }
}
