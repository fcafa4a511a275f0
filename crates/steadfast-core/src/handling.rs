//! How one model is handled: the mark-up of the contract that it obeys best, and
//! how it is waited for when it cannot be called.
//!
//! A workflow says both for every model; what the settings of a model say stands
//! over that, value by value. It is recorded as an event before the model is
//! called, so that a context can be made again from the log alone.

use serde::{Deserialize, Serialize};

use crate::workflow::spec::{Markup, ModelRetry};

/// What the settings of a model say, over what the workflow does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Handling {
    /// The mark-up around the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markup: Option<Markup>,
    /// How it is waited for.
    #[serde(skip_serializing_if = "RetryChange::is_empty")]
    pub retry: RetryChange,
}

/// Values of a [`ModelRetry`] that stand over a workflow's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_max_ms: Option<u64>,
}

impl Handling {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Handling::default()
    }

    /// This one, and where it says nothing, `under`.
    #[must_use]
    pub fn over(self, under: Handling) -> Handling {
        Handling {
            markup: self.markup.or(under.markup),
            retry: RetryChange {
                patience_ms: self.retry.patience_ms.or(under.retry.patience_ms),
                backoff_ms: self.retry.backoff_ms.or(under.retry.backoff_ms),
                factor: self.retry.factor.or(under.retry.factor),
                backoff_max_ms: self.retry.backoff_max_ms.or(under.retry.backoff_max_ms),
            },
        }
    }
}

impl RetryChange {
    pub fn is_empty(&self) -> bool {
        *self == RetryChange::default()
    }

    /// A workflow's policy with these values in it.
    #[must_use]
    pub fn applied_to(self, declared: ModelRetry) -> ModelRetry {
        let backoff_ms = self.backoff_ms.unwrap_or(declared.backoff_ms);
        let most = self.backoff_max_ms.unwrap_or(declared.backoff_max_ms);
        ModelRetry {
            patience_ms: self.patience_ms.unwrap_or(declared.patience_ms),
            backoff_ms,
            factor: self.factor.unwrap_or(declared.factor).max(1),
            // Two sources together must not make a first pause longer than the
            // longest: the one that was asked for holds.
            backoff_max_ms: match (self.backoff_ms, self.backoff_max_ms) {
                (Some(first), None) => most.max(first),
                _ => most,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_over_the_workflow_s_one_by_one() {
        let declared = ModelRetry {
            patience_ms: 9_000,
            backoff_ms: 100,
            factor: 3,
            backoff_max_ms: 400,
        };
        assert_eq!(RetryChange::default().applied_to(declared), declared);
        let patient = RetryChange {
            patience_ms: Some(60_000),
            ..RetryChange::default()
        };
        let expected = ModelRetry {
            patience_ms: 60_000,
            ..declared
        };
        assert_eq!(patient.applied_to(declared), expected);
        let slow = RetryChange {
            backoff_ms: Some(1_000),
            ..RetryChange::default()
        };
        let expected = ModelRetry {
            backoff_ms: 1_000,
            backoff_max_ms: 1_000,
            ..declared
        };
        assert_eq!(slow.applied_to(declared), expected);
    }

    #[test]
    fn one_stands_over_another() {
        let under = Handling {
            markup: Some(Markup::Xml),
            retry: RetryChange {
                factor: Some(4),
                backoff_ms: Some(7),
                ..RetryChange::default()
            },
        };
        let over = Handling {
            markup: None,
            retry: RetryChange {
                factor: Some(1),
                ..RetryChange::default()
            },
        };
        let expected = Handling {
            markup: Some(Markup::Xml),
            retry: RetryChange {
                factor: Some(1),
                backoff_ms: Some(7),
                ..RetryChange::default()
            },
        };
        assert_eq!(over.over(under), expected);
        assert!(Handling::default().is_empty() && !expected.is_empty());
    }
}
