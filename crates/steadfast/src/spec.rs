//! Workflow files: YAML or JSON in, a resolved spec or diagnostics out.
//!
//! ```text
//! text ► yaml (values) ► format (fields, types) ► Spec ► resolve (skills) ► check
//!   └──► position (where each key stands) ► diagnostic
//! ```
//!
//! What a workflow must be beyond its form is checked by
//! [`steadfast_core::workflow::check`]; its findings get their places in the
//! file through [`Source::diagnostics`].

mod diagnostic;
mod difference;
mod format;
mod position;
mod resolve;
mod shape;
mod yaml;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use steadfast_core::id::SkillName;
use steadfast_core::limits;
use steadfast_core::workflow::spec::{SkillSpec, Spec};
use steadfast_core::workflow::{Problem, check};

use crate::rules::{CelConditions, JsonSchemas};
use crate::zone::Zone;

pub use diagnostic::{Diagnostic, Diagnostics, Report, Source};
pub use difference::differences;
pub use format::json_schema;
pub(crate) use format::{Format, nearest};
pub use resolve::resolve;

/// A workflow file that has the right form.
#[derive(Clone, Debug)]
pub struct Read {
    pub spec: Spec,
    /// The text, to say where in it a finding is.
    pub source: Source,
}

impl Read {
    /// What is wrong with the workflow once its skills are resolved, with
    /// places in this file. Empty when nothing is.
    pub fn check(&self, resolved: &Spec) -> Diagnostics {
        let mut problems = check::check(resolved, &JsonSchemas::new(), &CelConditions::new());
        problems.extend(unknown_zone(resolved));
        self.source.diagnostics(problems)
    }
}

/// W0054: a clock in a zone that there is not.
fn unknown_zone(spec: &Spec) -> Option<Problem> {
    let name = spec.clock.zone.as_deref()?;
    let unknown = Zone::named(name).err()?;
    let problem = Problem::error("W0054", &["clock", "zone"], unknown.to_string());
    Some(problem.hint(unknown.hint()))
}

/// Reads a workflow file. `name` is what diagnostics call it.
///
/// # Errors
///
/// Everything that keeps the text from being a workflow: no YAML, a key given
/// twice, a field that does not exist, a value of the wrong type. All W0001.
pub fn read(text: &str, name: &str) -> Result<Read, Diagnostics> {
    let source = Source::new(text, name);
    let spec = parse(&source, format::workflow())?;
    Ok(Read { spec, source })
}

/// Reads a registry: a file whose `skills:` section workflows can draw on.
///
/// # Errors
///
/// As [`read`].
pub fn read_registry(
    text: &str,
    name: &str,
) -> Result<BTreeMap<SkillName, SkillSpec>, Diagnostics> {
    let registry: format::Registry = parse(&Source::new(text, name), format::registry())?;
    Ok(registry.skills)
}

pub(crate) fn parse<T: DeserializeOwned>(source: &Source, form: &Format) -> Result<T, Diagnostics> {
    let failed = |problems: Vec<Problem>| Err(source.diagnostics(problems));
    let size = source.text().len() as u64;
    if size > limits::SPEC_BYTES_MAX {
        let message = format!("{size} bytes, at most {} are read", limits::SPEC_BYTES_MAX);
        return failed(vec![
            form.problem(&[], message)
                .hint("keep data in files of its own"),
        ]);
    }
    let value: Value = yaml::value(source, form)?;
    let problems = form.problems(&value);
    if !problems.is_empty() {
        return Err(source.aimed(problems));
    }
    match serde_json::from_value(value) {
        Ok(read) => Ok(read),
        // What the schema of the format cannot say, such as the range of u32.
        Err(error) => failed(vec![form.problem(&[], error.to_string()).hint(form.see())]),
    }
}
