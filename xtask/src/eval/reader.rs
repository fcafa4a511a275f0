//! `text::reader` on the project's own bilingual messages
//! (`testdata/messages`): precision and recall per class and per field.
//!
//! A patch counts as right when operation, target, field, value, scope and
//! expiry all agree; of a question and a request only that it is one.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use steadfast::core::id::{StateName, Timestamp};
use steadfast::core::ledger::constraint::{ConstraintId, Expiry, Force, Scope};
use steadfast::core::ledger::patch::{Draft, Operation};
use steadfast::core::ledger::rule::{
    Action, ActionMode, Bound, End, Format, Part, Rule, SourceMatch, SourceMode,
};
use steadfast::core::text::date::calendar::Day;
use steadfast::core::text::date::dates;
use steadfast::core::text::reader::{Active, Class, LedgerView, Moment, read_message};

use super::score::Score;
use super::{print, text};
use crate::shell::root;

/// A message with what a person says that it asks for.
#[derive(Deserialize)]
struct Row {
    id: String,
    language: String,
    hard: bool,
    text: String,
    #[serde(default)]
    in_force: Vec<Rule>,
    /// The day on which it was said, at noon (UTC).
    #[serde(default)]
    sent: Option<String>,
    /// The state of the workflow in which it was said.
    #[serde(default)]
    state: Option<StateName>,
    class: String,
    patches: Vec<String>,
}

#[derive(Default)]
struct Scores {
    classes: BTreeMap<String, Score>,
    fields: BTreeMap<String, Score>,
    rows: usize,
    /// Class and all patches right.
    whole: usize,
}

pub(super) fn run(json: bool, wrong: bool) -> Result<()> {
    let mut report = serde_json::Map::new();
    for part in [
        "development",
        "held-out",
        "held-out-2",
        "held-out-3",
        "held-out-4",
    ] {
        let path = root().join(format!("testdata/messages/{part}.jsonl"));
        if !path.exists() {
            continue;
        }
        let mut groups: BTreeMap<String, Scores> = BTreeMap::new();
        for row in rows(&path)? {
            let (class, patches) = read(&row);
            if wrong && (class != row.class || sorted(&patches) != sorted(&row.patches)) {
                print(&format!("{part} {}: {:?}", row.id, row.text))?;
                print(&format!("    wanted {} {:?}", row.class, row.patches))?;
                print(&format!("    read   {class} {patches:?}"))?;
            }
            let hard = if row.hard { "hard" } else { "plain" };
            for group in ["all", row.language.as_str(), hard] {
                groups
                    .entry(group.to_owned())
                    .or_default()
                    .count(&row, &class, &patches);
            }
        }
        if json {
            let groups: serde_json::Map<String, Value> = groups
                .iter()
                .map(|(name, scores)| (name.clone(), scores.json()))
                .collect();
            report.insert(part.to_owned(), Value::Object(groups));
        } else {
            for (name, scores) in &groups {
                scores.print(part, name)?;
            }
        }
    }
    if json {
        print(&Value::Object(report).to_string())?;
    }
    Ok(())
}

fn rows(path: &Path) -> Result<Vec<Row>> {
    text(path)?
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).with_context(|| line.to_owned()))
        .collect()
}

fn sorted(patches: &[String]) -> Vec<&String> {
    let mut all: Vec<&String> = patches.iter().collect();
    all.sort();
    all
}

fn read(row: &Row) -> (String, Vec<String>) {
    let ids = (1u32..).map(ConstraintId);
    let active = ids
        .zip(&row.in_force)
        .map(|(id, rule)| Active { id, rule })
        .collect();
    let now = row.sent.as_deref().and_then(noon);
    let moment = Moment {
        now,
        state: row.state.as_ref(),
        phase: None,
    };
    let view = LedgerView { active, moment };
    let reading = read_message(&row.text, Some(&view));
    let patches = reading
        .patches
        .iter()
        .map(|patch| operation(&patch.operation, &row.in_force))
        .collect();
    (class(reading.class).to_owned(), patches)
}

/// Noon of a day in figures.
fn noon(day: &str) -> Option<Timestamp> {
    let found = dates(day).into_iter().next()?;
    let day = found.date.last_day(Day::of(Timestamp(0)))?;
    Some(day.begins().plus_ms(12 * 60 * 60 * 1_000))
}

pub(super) fn class(class: Class) -> &'static str {
    match class {
        Class::Content => "content",
        Class::NewInstruction => "new",
        Class::InstructionUpdate => "update",
    }
}

impl Scores {
    fn count(&mut self, row: &Row, class: &str, patches: &[String]) {
        self.rows += 1;
        self.classes.entry(class.to_owned()).or_default().found += 1;
        let wanted = self.classes.entry(row.class.clone()).or_default();
        wanted.wanted += 1;
        wanted.right += usize::from(class == row.class);
        let mut open: Vec<&String> = row.patches.iter().collect();
        for patch in &row.patches {
            self.fields.entry(field(patch)).or_default().wanted += 1;
        }
        for patch in patches {
            let score = self.fields.entry(field(patch)).or_default();
            score.found += 1;
            if let Some(at) = open.iter().position(|one| *one == patch) {
                open.remove(at);
                score.right += 1;
            }
        }
        self.whole += usize::from(class == row.class && sorted(patches) == sorted(&row.patches));
    }

    fn print(&self, part: &str, group: &str) -> Result<()> {
        let share = super::score::share(self.whole, self.rows);
        print(&format!(
            "{part}, {group}: {} messages, all right {share}",
            self.rows
        ))?;
        for (name, score) in &self.classes {
            print(&score.line(&format!("  class {name}")))?;
        }
        for (name, score) in &self.fields {
            print(&score.line(&format!("  {name}")))?;
        }
        let all = self.sum();
        print(&all.line("  all patches"))
    }

    fn sum(&self) -> Score {
        let mut all = Score::default();
        for score in self.fields.values() {
            all.found += score.found;
            all.right += score.right;
            all.wanted += score.wanted;
        }
        all
    }

    fn json(&self) -> Value {
        let list = |scores: &BTreeMap<String, Score>| -> serde_json::Map<String, Value> {
            scores
                .iter()
                .map(|(name, score)| (name.clone(), score.json()))
                .collect()
        };
        json!({
            "messages": self.rows, "all_right": self.whole,
            "classes": list(&self.classes), "fields": list(&self.fields), "patches": self.sum().json(),
        })
    }
}

/// What a patch in short form is about: `override->c1 language=en` is language.
fn field(patch: &str) -> String {
    let words: Vec<&str> = patch.split(' ').collect();
    let about = words
        .get(1)
        .copied()
        .unwrap_or_else(|| words[0].split("->").next().unwrap_or_default());
    let end = about.find(['=', '<', '>', '@', '~']).unwrap_or(about.len());
    about[..end].to_owned()
}

/// The short form of an operation, as the data has it.
fn operation(operation: &Operation, in_force: &[Rule]) -> String {
    let to = |target: &Option<ConstraintId>| target.map_or(String::new(), |id| format!("->{id}"));
    match operation {
        Operation::Add(draft) => format!("add {}", shown(draft)),
        Operation::Override { target, with } => format!("override{} {}", to(target), shown(with)),
        Operation::Exception { target, with, .. } => {
            let with = with
                .as_ref()
                .map_or(String::new(), |draft| format!(" {}", shown(draft)));
            format!("exception{}{with}", to(target))
        }
        Operation::Revoke { target, about } => {
            let at = target.and_then(|id| usize::try_from(id.0).ok()?.checked_sub(1));
            let about = about.as_ref().or(at.and_then(|at| in_force.get(at)));
            format!("revoke{} {}", to(target), about.map_or("", name))
                .trim_end()
                .to_owned()
        }
        Operation::SetGoal { .. } => "goal".to_owned(),
        Operation::SetOutput { .. } => "output".to_owned(),
        Operation::SetFact { .. } => "fact".to_owned(),
        Operation::SetRequest { .. } => "request".to_owned(),
        Operation::Ask { .. } => "ask".to_owned(),
    }
}

fn shown(draft: &Draft) -> String {
    let scope = match draft.scope {
        Scope::NextAnswer => "@next",
        Scope::State(_) => "@state",
        Scope::Phase(_) => "@phase",
        Scope::Task => "",
    };
    let expiry = match draft.expiry {
        Expiry::Once => "@once".to_owned(),
        // The answers that it covers, the one to this message among them.
        Expiry::Turns(turns) => format!("@turns:{}", turns + 1),
        Expiry::Never => String::new(),
        // The day in which it ends.
        Expiry::At(at) => format!("@until:{}", Day::of(Timestamp(at.0 - 1))),
    };
    let force = match draft.force {
        Force::Must => "",
        Force::Should => "~should",
    };
    format!("{}{scope}{expiry}{force}", rule(&draft.rule))
}

fn name(rule: &Rule) -> &'static str {
    match rule {
        Rule::Language { .. } => "language",
        Rule::Length { .. } => "length",
        Rule::Format { .. } => "format",
        Rule::Structure { .. } => "structure",
        Rule::Sources { .. } => "sources",
        Rule::Action { .. } => "action",
        Rule::Amount { .. } => "amount",
        Rule::Date { .. } => "date",
        Rule::Phrase { .. } => "phrase",
        Rule::StartsWith { .. } => "starts",
        Rule::EndsWith { .. } => "ends",
        Rule::Case { .. } => "case",
        Rule::Punctuation { .. } => "punct",
        Rule::Quoted => "quoted",
        Rule::Permission { .. } => "permission",
        Rule::Letters { .. } => "letters",
        _ => "prose",
    }
}

fn rule(rule: &Rule) -> String {
    let value = match rule {
        Rule::Language { language } => format!("={language}"),
        Rule::Length { unit, bound } => {
            format!("={}{}", format!("{unit:?}").to_lowercase(), interval(bound))
        }
        Rule::Format { format } => format!("={}", form(format)),
        Rule::Structure { part, bound } => format!("={}{}", of_part(part), interval(bound)),
        Rule::Sources { mode, sources } => {
            let mode = if *mode == SourceMode::Allow {
                "allow"
            } else {
                "deny"
            };
            let sources: Vec<&str> = sources.iter().map(source).collect();
            format!("={mode}:{}", sources.join(","))
        }
        Rule::Action { mode, action } => {
            let mode = match mode {
                ActionMode::Forbid => "forbid",
                ActionMode::Require => "require",
                ActionMode::Ask => "ask",
            };
            let action = match action {
                Action::Skill(skill) => skill.to_string(),
                Action::Kind(kind) => format!("{kind:?}").to_lowercase(),
            };
            format!("={mode}:{action}")
        }
        Rule::Amount { name, bound, unit } => format!(
            "={name}{}{}",
            interval(bound),
            unit.as_deref().unwrap_or_default()
        ),
        Rule::Date { name, bound } => format!("={name}{}", interval(bound)),
        Rule::Phrase { text, bound, .. } => format!("=\"{text}\"{}", interval(bound)),
        Rule::StartsWith { text } | Rule::EndsWith { text } => format!("=\"{text}\""),
        Rule::Case { case } => format!("={case:?}").to_lowercase(),
        Rule::Letters { letters, bound } => format!("={letters}{}", interval(bound)),
        Rule::Punctuation { marks, bound } => format!("={marks}{}", interval(bound)),
        Rule::Permission { name, allowed } => {
            format!("={name}:{}", if *allowed { "yes" } else { "no" })
        }
        _ => String::new(),
    };
    format!("{}{value}", name(rule))
}

fn form(format: &Format) -> &str {
    match format {
        Format::Plain => "plain",
        Format::Markdown => "markdown",
        Format::Json { .. } => "json",
        Format::Html => "html",
        Format::Csv => "csv",
        Format::Other { named } => named,
    }
}

fn of_part(part: &Part) -> String {
    let debug = format!("{part:?}").to_lowercase();
    debug
        .split([' ', '{'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn source(source: &SourceMatch) -> &str {
    match source {
        SourceMatch::Domain(name) | SourceMatch::Host(name) | SourceMatch::Grade(name) => name,
    }
}

fn interval<T: std::fmt::Display + PartialEq>(bound: &Bound<T>) -> String {
    let low = |end: &End<T>| format!("{}{}", if end.open { ">" } else { ">=" }, end.value);
    let high = |end: &End<T>| format!("{}{}", if end.open { "<" } else { "<=" }, end.value);
    match (&bound.min, &bound.max, &bound.about) {
        (Some(min), Some(max), _) if min.value == max.value => format!("=={}", min.value),
        (Some(min), Some(max), _) => format!("{}..{}", min.value, max.value),
        (Some(min), None, _) => low(min),
        (None, Some(max), _) => high(max),
        (None, None, Some(about)) => format!("~={about}"),
        (None, None, None) => String::new(),
    }
}
