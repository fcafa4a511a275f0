//! Found against wanted.

use serde_json::{Value, json};

/// Counts of what was found, of what of it was right, and of what was wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    pub(super) found: usize,
    pub(super) right: usize,
    pub(super) wanted: usize,
}

impl Score {
    pub(super) fn line(&self, name: &str) -> String {
        format!(
            "{name:<24} precision {}  recall {}  ({} right of {} found, {} wanted)",
            share(self.right, self.found),
            share(self.right, self.wanted),
            self.right,
            self.found,
            self.wanted
        )
    }

    pub(super) fn json(&self) -> Value {
        let ratio = |of: usize| (of > 0).then(|| as_f64(self.right) / as_f64(of));
        json!({
            "found": self.found, "right": self.right, "wanted": self.wanted,
            "precision": ratio(self.found), "recall": ratio(self.wanted),
        })
    }
}

pub(super) fn share(part: usize, of: usize) -> String {
    if of == 0 {
        return "  -  ".to_owned();
    }
    format!("{:.3}", as_f64(part) / as_f64(of))
}

fn as_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}
