//! The secrets that a command must not show, and that may not be put into an
//! inbox.

use std::path::Path;

use serde_json::Value;
use steadfast::driver::redact_command;
use steadfast::model::select;
use steadfast::secret::{Redactor, Secret, SecretRef};
use steadfast_core::task::Task;
use steadfast_core::task::input::Command;
use steadfast_core::workflow::Spec;

use crate::origin::Origin;
use crate::settings::Settings;
use crate::workflow;

/// What a person says to a task, without the secrets that the task may use.
pub(crate) fn cleaned(command: &Command, task: &Task, settings: &Settings) -> Command {
    let origin = Origin::load(settings, &task.state.task).ok().flatten();
    let file = origin.and_then(|origin| origin.workflow);
    let base_dir = file.map(|file| workflow::folder_of(&file));
    let redactor = of(&task.workflow.spec, &base_dir.unwrap_or_default(), settings);
    redact_command(&redactor, command.clone())
}

/// The secrets that a task of this workflow may use: every reference in the
/// configuration of its skills and in the settings, and the key of the model.
/// What cannot be had is left out: it cannot be what somebody writes either.
fn of(spec: &Spec, base_dir: &Path, settings: &Settings) -> Redactor {
    let mut secrets = Vec::new();
    for skill in spec.skills.values() {
        collect(&skill.config, base_dir, &mut secrets);
    }
    for (value, _) in settings.resolved.values.values() {
        collect(value, Path::new(""), &mut secrets);
    }
    let named = std::env::var(select::API_KEY_ENV).unwrap_or_else(|_| "OPENAI_API_KEY".to_owned());
    take(&SecretRef::Env(named), base_dir, &mut secrets);
    Redactor::new(secrets)
}

fn collect(value: &Value, base_dir: &Path, secrets: &mut Vec<Secret>) {
    match value {
        Value::String(text) => {
            if let Ok(reference) = text.parse() {
                take(&reference, base_dir, secrets);
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect(item, base_dir, secrets)),
        Value::Object(fields) => fields
            .values()
            .for_each(|field| collect(field, base_dir, secrets)),
        _ => {}
    }
}

fn take(reference: &SecretRef, base_dir: &Path, secrets: &mut Vec<Secret>) {
    secrets.extend(reference.resolve(&|name| std::env::var(name).ok(), base_dir));
}
