//! The contract: the mandatory steps of a machine, as the model reads them.
//!
//! Compiled from the machine, so that what is asked for and what the gate
//! admits cannot differ. Short by default, since a terse contract is obeyed
//! better than a detailed one. What may be called at this very moment is not
//! here but in the [`notice`]; what comes after a result is in the [`relay`].

mod notice;
mod relay;
mod step;
mod wording;

use serde::Serialize;

use crate::id::StateName;
use crate::workflow::Workflow;
use crate::workflow::spec::{Form, Markup};

pub use notice::{Standing, notice, reply};
pub use relay::{Shown, relay};
pub use step::{Call, Step, steps};
pub use wording::Lang;

/// How a contract is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub markup: Markup,
    pub form: Form,
    pub lang: Lang,
}

/// The contract of one machine: the file's own (`group` none) or that of the
/// sub-workflow which the state `group` runs.
///
/// Each sub-workflow stands as one step in the contract above it. Optional
/// states and skills are left out; the [`notice`] offers them when their turn
/// comes. A machine without a mandatory step has no contract: an empty text.
pub fn contract(workflow: &Workflow, group: Option<&StateName>, style: Style) -> String {
    let steps = steps(workflow, group);
    if steps.is_empty() {
        return String::new();
    }
    match style.markup {
        Markup::Brackets => brackets(&steps, style),
        Markup::Xml => xml(&steps, style),
        Markup::Markdown => markdown(&steps, style),
        Markup::Json => json(&steps, style),
    }
}

fn brackets(steps: &[Step], style: Style) -> String {
    let lang = style.lang;
    let mut lines = vec!["[EXECUTION_CONTRACT]".to_owned(), lang.preface().to_owned()];
    lines.extend(
        steps
            .iter()
            .map(|step| format!("STEP_{}: {}", step.number, step.text(style))),
    );
    lines.push(lang.haste().to_owned());
    lines.push(lang.void().to_owned());
    lines.push("[/EXECUTION_CONTRACT]".to_owned());
    lines.join("\n")
}

fn xml(steps: &[Step], style: Style) -> String {
    let lang = style.lang;
    let mut lines = vec!["<execution_contract>".to_owned(), escaped(lang.preface())];
    lines.extend(steps.iter().map(|step| {
        format!(
            "<step n=\"{}\">{}</step>",
            step.number,
            escaped(&step.text(style))
        )
    }));
    lines.push(format!("<rule>{}</rule>", escaped(lang.haste())));
    lines.push(format!("<rule>{}</rule>", escaped(lang.void())));
    lines.push("</execution_contract>".to_owned());
    lines.join("\n")
}

fn markdown(steps: &[Step], style: Style) -> String {
    let lang = style.lang;
    let mut lines = vec![
        format!("## {}", lang.heading()),
        lang.preface().to_owned(),
        String::new(),
    ];
    lines.extend(
        steps
            .iter()
            .map(|step| format!("{}. {}", step.number, step.text(style))),
    );
    lines.push(String::new());
    lines.push(format!("- {}", lang.haste()));
    lines.push(format!("- {}", lang.void()));
    lines.join("\n")
}

fn json(steps: &[Step], style: Style) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        execution_contract: Contract<'a>,
    }
    #[derive(Serialize)]
    struct Contract<'a> {
        preface: &'a str,
        steps: Vec<step::Record<'a>>,
        rules: [&'a str; 2],
    }
    let lang = style.lang;
    let document = Document {
        execution_contract: Contract {
            preface: lang.preface(),
            steps: steps.iter().map(|step| step.record(style.form)).collect(),
            rules: [lang.haste(), lang.void()],
        },
    };
    serde_json::to_string(&document).expect("names and texts serialise to JSON")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
