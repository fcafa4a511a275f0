//! Exact decimal numbers, for amounts and quantities that text speaks of.
//!
//! Six places behind the point, as many as currencies and common units need.
//! Binary floats would make 0.1 + 0.2 a different budget than 0.3.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const SCALE: i128 = 1_000_000;
const PLACES: usize = 6;

/// A number with up to six decimal places, such as `1200` or `0.25`.
///
/// In JSON an integer of up to 53 bits is a number; anything else is a string
/// (`"0.25"`), since a JSON number would pass through a binary float.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(i128);

/// A text that is no decimal number, or has more than six decimal places.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a decimal number of at most 6 places")]
pub struct NotDecimal(String);

impl Decimal {
    pub const ZERO: Decimal = Decimal(0);

    /// The number as millionths.
    pub const fn from_micros(micros: i128) -> Decimal {
        Decimal(micros)
    }

    pub const fn micros(self) -> i128 {
        self.0
    }

    /// The whole number, when it is one and fits.
    pub fn to_i64(self) -> Option<i64> {
        (self.0 % SCALE == 0)
            .then_some(self.0 / SCALE)
            .and_then(|whole| i64::try_from(whole).ok())
    }

    /// The sum; none where it would not fit.
    pub fn checked_add(self, other: Decimal) -> Option<Decimal> {
        self.0.checked_add(other.0).map(Decimal)
    }

    /// The product, rounded towards zero at the sixth place; none where it
    /// would not fit.
    pub fn checked_mul(self, other: Decimal) -> Option<Decimal> {
        self.0
            .checked_mul(other.0)
            .map(|product| Decimal(product / SCALE))
    }
}

impl From<i64> for Decimal {
    fn from(whole: i64) -> Self {
        Decimal(i128::from(whole) * SCALE)
    }
}

impl FromStr for Decimal {
    type Err = NotDecimal;

    fn from_str(text: &str) -> Result<Self, NotDecimal> {
        let wrong = || NotDecimal(text.chars().take(40).collect());
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !all_digits(whole) || !all_digits(part) || part.len() > PLACES {
            return Err(wrong());
        }
        let whole: i128 = whole.parse().map_err(|_| wrong())?;
        let padded = format!("{part:0<PLACES$}");
        let part: i128 = padded.parse().map_err(|_| wrong())?;
        let micros = whole
            .checked_mul(SCALE)
            .and_then(|micros| micros.checked_add(part))
            .ok_or_else(wrong)?;
        Ok(Decimal(if negative { -micros } else { micros }))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / SCALE, (self.0 % SCALE).unsigned_abs());
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", whole.unsigned_abs())?;
        if part > 0 {
            let digits = format!("{part:06}");
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        Ok(())
    }
}

/// Integers that every JSON reader takes exactly.
const EXACT_JSON_INTEGER: i64 = 1 << 53;

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.to_i64() {
            Some(whole) if whole.abs() <= EXACT_JSON_INTEGER => serializer.serialize_i64(whole),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer, or a decimal number as a string")
            }

            fn visit_i64<E: de::Error>(self, whole: i64) -> Result<Decimal, E> {
                Ok(whole.into())
            }

            fn visit_u64<E: de::Error>(self, whole: u64) -> Result<Decimal, E> {
                let micros = i128::from(whole) * SCALE;
                Ok(Decimal(micros))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Decimal, E> {
                // The shortest text that reads back as this float is what was
                // written, for numbers of up to 15 digits.
                number.to_string().parse().map_err(E::custom)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_shows() {
        for text in ["0", "1200", "-3", "0.25", "-0.000001", "123456789012345678"] {
            assert_eq!(text.parse::<Decimal>().unwrap().to_string(), text);
        }
        assert_eq!("2.50".parse::<Decimal>().unwrap().to_string(), "2.5");
        for text in ["", ".5", "5.", "1e3", "1,200", "0.1234567", "--1", "٣"] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
    }

    #[test]
    fn json() {
        let whole: Decimal = serde_json::from_str("5000").unwrap();
        assert_eq!(serde_json::to_string(&whole).unwrap(), "5000");
        let part: Decimal = serde_json::from_str("0.1").unwrap();
        assert_eq!(serde_json::to_string(&part).unwrap(), r#""0.1""#);
        assert_eq!(serde_json::from_str::<Decimal>(r#""0.1""#).unwrap(), part);
    }
}
