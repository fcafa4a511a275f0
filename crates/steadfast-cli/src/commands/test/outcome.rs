//! What a test found, in the one form that every report is made of.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use steadfast::cases::{Attempted, Tested};

use super::baseline::Compared;
use crate::args::Layer;

/// All of it.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(super) workflow: String,
    pub(super) model: String,
    /// What the outcome depends on, by name: a baseline of another is stale.
    pub(super) fingerprint: BTreeMap<&'static str, String>,
    pub(super) passed: bool,
    pub(super) layers: Vec<LayerReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline: Option<Compared>,
}

/// One layer.
#[derive(Debug, Serialize)]
pub(crate) struct LayerReport {
    pub(super) layer: &'static str,
    /// False where a layer before it failed.
    pub(super) run: bool,
    pub(super) checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    pub(super) name: String,
    /// The failure mode of a case; of other layers, what is looked at.
    pub(super) group: String,
    pub(super) status: Status,
    /// What was found, in a sentence; empty where there is nothing to say.
    pub(super) message: String,
    /// More of it, in lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) details: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<PathBuf>,
    pub(super) elapsed_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) attempted: Option<Attempted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) case: Option<Box<Tested>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Passed,
    Failed,
    /// It could not be run.
    Broken,
    /// Neither shown nor refuted: more runs would tell.
    Open,
}

impl Status {
    pub(super) fn is_good(self) -> bool {
        matches!(self, Status::Passed | Status::Open)
    }
}

impl Check {
    pub(super) fn new(name: impl Into<String>, group: &str, status: Status) -> Check {
        Check {
            name: name.into(),
            group: group.to_owned(),
            status,
            message: String::new(),
            details: Vec::new(),
            file: None,
            elapsed_ms: 0,
            attempted: None,
            case: None,
        }
    }

    /// Passed or failed, with what was found.
    pub(super) fn held(name: impl Into<String>, group: &str, holds: bool) -> Check {
        let status = if holds {
            Status::Passed
        } else {
            Status::Failed
        };
        Check::new(name, group, status)
    }

    pub(super) fn saying(mut self, message: impl Into<String>) -> Check {
        self.message = message.into();
        self
    }
}

impl LayerReport {
    pub(super) fn of(layer: Layer, checks: Vec<Check>) -> LayerReport {
        LayerReport {
            layer: layer.name(),
            run: true,
            checks,
        }
    }

    pub(super) fn not_run(layer: Layer) -> LayerReport {
        LayerReport {
            layer: layer.name(),
            run: false,
            checks: Vec::new(),
        }
    }

    pub(super) fn passed(&self) -> bool {
        self.run && self.checks.iter().all(|check| check.status.is_good())
    }

    pub(super) fn bad(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.status.is_good())
    }
}

impl Report {
    /// Whether nothing stands in the way: no failure, or with a baseline of the
    /// same making none that is new.
    pub(super) fn holds(&self) -> bool {
        let known = |check: &Check| match &self.baseline {
            Some(compared) if compared.stale.is_empty() => compared.known.contains(&check.name),
            _ => false,
        };
        let excused = |layer: &LayerReport| layer.run && layer.bad().all(known);
        let held = |layer: &LayerReport| layer.passed() || excused(layer);
        // A layer that was not run stands behind one that failed.
        self.layers.iter().all(held)
    }

    pub(super) fn checks(&self) -> impl Iterator<Item = (&LayerReport, &Check)> {
        self.layers
            .iter()
            .flat_map(|layer| layer.checks.iter().map(move |check| (layer, check)))
    }
}
