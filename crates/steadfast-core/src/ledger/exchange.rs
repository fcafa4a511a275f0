//! The ledger as a file: the shape that the multi-turn article gives it, with
//! typed extras beside it.
//!
//! ```json
//! {"version": 4, "goal": "生成内部中文报告",
//!  "constraints": ["仅官方来源", {"type": "action", "mode": "forbid", "action": {"kind": "publish"}}],
//!  "output": {"format": "markdown", "max_words": 1200}}
//! ```
//!
//! A constraint is a plain string or an object. A string is read like a message;
//! what is not understood stays prose. Ids, sources and messages of an exported
//! ledger are read over: authority comes from who imports, not from the file.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::id::{Principal, Seq, Timestamp};
use crate::ledger::apply::{Decision, Proposed, apply};
use crate::ledger::constraint::{Constraint, Expiry, Force, Scope};
use crate::ledger::patch::{Citation, Draft, Operation, OutputContract, Patch, Proposer};
use crate::ledger::refused::Refused;
use crate::ledger::rule::{Bound, Format, LengthUnit, Rule};
use crate::ledger::state::Ledger;
use crate::source::Source;
use crate::text::reader::read_message;

/// A rule from a file, with the words that it stands in.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    pub operation: Operation,
    pub words: String,
}

/// A file, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    pub version: Option<u64>,
    pub goal: Option<String>,
    pub rules: Vec<Given>,
}

/// A place in a file that does not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at `{pointer}`: {fault}")]
pub struct ImportError {
    /// JSON pointer.
    pub pointer: String,
    pub fault: Fault,
}

/// What is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("expected {expected}")]
    Type { expected: &'static str },
    #[error("unknown key `{key}`")]
    UnknownKey { key: String },
    #[error("not a rule: {reason}")]
    Rule { reason: String },
}

impl ImportError {
    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self.fault {
            Fault::Type { .. } => "K0010",
            Fault::UnknownKey { .. } => "K0011",
            Fault::Rule { .. } => "K0012",
        }
    }

    pub fn hint(&self) -> &'static str {
        match self.fault {
            Fault::Type { .. } => "docs/ledger.md shows the shape of the file",
            Fault::UnknownKey { .. } => "check the spelling against docs/ledger.md",
            Fault::Rule { .. } => "a rule is a string, or an object with a `type`",
        }
    }
}

/// What reads a plain string: the rules that it says, none where it is prose.
pub type Read<'a> = &'a dyn Fn(&str) -> Vec<Draft>;

/// What a sentence of the file says as rules; none where it is prose. Where the
/// rules do not rest on all of its words, it stands as prose beside them: no
/// "unless" of the author is lost.
pub fn sentence(text: &str) -> Vec<Draft> {
    let patches = read_message(text, None).patches;
    let mut drafts = Vec::new();
    for patch in &patches {
        match &patch.operation {
            Operation::Add(draft) => drafts.push(draft.clone()),
            _ => return Vec::new(),
        }
    }
    let rests_on = |at: usize| patches.iter().any(|patch| patch.span.contains(&at));
    let mut words = text.char_indices().filter(|(_, c)| c.is_alphanumeric());
    if !drafts.is_empty() && !words.all(|(at, _)| rests_on(at)) {
        let text = text.to_owned();
        drafts.push(Draft::must(Rule::Prose { text }));
    }
    drafts
}

/// Reads a ledger file.
///
/// # Errors
///
/// All places that do not read.
pub fn import(file: &Value, read: Read<'_>) -> Result<Imported, Vec<ImportError>> {
    let mut errors = Vec::new();
    let mut out = Imported::default();
    let Some(fields) = file.as_object() else {
        return Err(vec![wrong("", "an object")]);
    };
    for (key, value) in fields {
        let at = format!("/{key}");
        match key.as_str() {
            "version" => match value.as_u64().filter(|version| *version > 0) {
                Some(version) => out.version = Some(version),
                None => errors.push(wrong(&at, "a positive whole number")),
            },
            "goal" => match value.as_str() {
                Some(goal) => out.goal = Some(goal.to_owned()),
                None => errors.push(wrong(&at, "a string")),
            },
            "constraints" => out.rules.extend(constraints(value, &at, read, &mut errors)),
            "output" => out.rules.extend(output(value, &at, &mut errors)),
            // Of an exported ledger; they are of that task.
            "request" | "unresolved" | "confirmed_changes" | "at_rest" | "facts" | "conflicts"
            | "history" | "task" => {}
            _ => errors.push(unknown("", key)),
        }
    }
    if errors.is_empty() {
        Ok(out)
    } else {
        Err(errors)
    }
}

/// Reads a list of constraints.
pub fn constraints(
    list: &Value,
    at: &str,
    read: Read<'_>,
    errors: &mut Vec<ImportError>,
) -> Vec<Given> {
    let Some(items) = list.as_array() else {
        errors.push(wrong(at, "a list"));
        return Vec::new();
    };
    let mut rules = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = format!("{at}/{index}");
        match item {
            Value::String(text) if !text.trim().is_empty() => {
                let mut drafts = read(text);
                if drafts.is_empty() {
                    drafts.push(Draft::must(Rule::Prose { text: text.clone() }));
                }
                rules.extend(drafts.into_iter().map(|draft| Given {
                    operation: Operation::Add(draft),
                    words: text.clone(),
                }));
            }
            Value::Object(fields) => match constraint(fields, &at) {
                Ok(given) => rules.push(given),
                Err(found) => errors.extend(found),
            },
            _ => errors.push(wrong(&at, "a string or an object")),
        }
    }
    rules
}

/// Keys of a constraint beside those of its rule.
const OWN: [&str; 4] = ["force", "scope", "expiry", "words"];
/// Keys of an exported constraint that a file cannot set.
const ORIGIN: [&str; 5] = ["id", "source", "message", "since", "excepts"];

fn constraint(fields: &Map<String, Value>, at: &str) -> Result<Given, Vec<ImportError>> {
    let mut rule = fields.clone();
    for key in ORIGIN {
        rule.remove(key);
    }
    let mut own = Map::new();
    for key in OWN {
        if let Some(value) = rule.remove(key) {
            own.insert(key.to_owned(), value);
        }
    }
    let words = match own.remove("words") {
        None => None,
        Some(Value::String(words)) if !words.trim().is_empty() => Some(words),
        Some(_) => return Err(vec![wrong(&format!("{at}/words"), "a string")]),
    };
    let rule: Rule = typed(&Value::Object(rule), at)?;
    let force: Force = part(&mut own, "force", at)?;
    let scope: Scope = part(&mut own, "scope", at)?;
    let expiry: Expiry = part(&mut own, "expiry", at)?;
    let said = words
        .unwrap_or_else(|| crate::ledger::words::rule(&rule, crate::workflow::contract::Lang::En));
    let draft = Draft {
        rule,
        force,
        scope,
        expiry,
    };
    Ok(Given {
        operation: Operation::Add(draft),
        words: said,
    })
}

fn part<T: Default + Serialize + serde::de::DeserializeOwned>(
    own: &mut Map<String, Value>,
    key: &str,
    at: &str,
) -> Result<T, Vec<ImportError>> {
    match own.remove(key) {
        None => Ok(T::default()),
        Some(value) => typed(&value, &format!("{at}/{key}")),
    }
}

/// A value of one of our types, with no key that it does not know.
fn typed<T: Serialize + serde::de::DeserializeOwned>(
    value: &Value,
    at: &str,
) -> Result<T, Vec<ImportError>> {
    let read: T = serde_json::from_value(value.clone()).map_err(|error| {
        vec![ImportError {
            pointer: at.to_owned(),
            fault: Fault::Rule {
                reason: error.to_string(),
            },
        }]
    })?;
    let written = serde_json::to_value(&read).expect("our types are JSON");
    let mut errors = Vec::new();
    strange(value, &written, at, &mut errors);
    if errors.is_empty() {
        Ok(read)
    } else {
        Err(errors)
    }
}

/// Keys that were given and are not written again: nothing knows them.
fn strange(given: &Value, written: &Value, at: &str, errors: &mut Vec<ImportError>) {
    match (given, written) {
        (Value::Object(given), Value::Object(written)) => {
            for (key, value) in given {
                match written.get(key) {
                    // What is left out when it says nothing.
                    None if value.is_null() || *value == Value::Bool(false) => {}
                    None => errors.push(unknown(at, key)),
                    Some(again) => strange(value, again, &format!("{at}/{key}"), errors),
                }
            }
        }
        (Value::Array(given), Value::Array(written)) => {
            for (index, (given, written)) in given.iter().zip(written).enumerate() {
                strange(given, written, &format!("{at}/{index}"), errors);
            }
        }
        _ => {}
    }
}

/// Reads the output contract; its bounds become constraints.
pub fn output(value: &Value, at: &str, errors: &mut Vec<ImportError>) -> Vec<Given> {
    let Some(fields) = value.as_object() else {
        errors.push(wrong(at, "an object"));
        return Vec::new();
    };
    let mut contract = OutputContract::default();
    let mut rules = Vec::new();
    for (key, value) in fields {
        let place = format!("{at}/{key}");
        let words = format!("{key}: {value}");
        match key.as_str() {
            "format" => match format(value, &place) {
                Ok(format) => contract.format = Some(format),
                Err(found) => errors.extend(found),
            },
            "schema" => contract.schema = Some(value.clone()),
            "language" => match value.as_str() {
                Some(language) => rules.push(given(
                    Rule::Language {
                        language: language.to_owned(),
                    },
                    words,
                )),
                None => errors.push(wrong(&place, "a string")),
            },
            key => match (length(key), value.as_u64()) {
                (None, _) => errors.push(unknown(at, key)),
                (Some(_), None) => errors.push(wrong(&place, "a whole number")),
                (Some((unit, true)), Some(count)) => {
                    let bound = Bound::at_most(count);
                    rules.push(given(Rule::Length { unit, bound }, words));
                }
                (Some((unit, false)), Some(count)) => {
                    let bound = Bound::at_least(count);
                    rules.push(given(Rule::Length { unit, bound }, words));
                }
            },
        }
    }
    if contract != OutputContract::default() {
        let words = format!("output: {value}");
        let operation = Operation::SetOutput { output: contract };
        rules.insert(0, Given { operation, words });
    }
    rules
}

fn given(rule: Rule, words: String) -> Given {
    Given {
        operation: Operation::Add(Draft::must(rule)),
        words,
    }
}

/// `max_words` and its kin: the unit, and whether it bounds above.
fn length(key: &str) -> Option<(LengthUnit, bool)> {
    let (upper, unit) = match key.split_once('_')? {
        ("max", unit) => (true, unit),
        ("min", unit) => (false, unit),
        _ => return None,
    };
    let unit = match unit {
        "characters" | "chars" => LengthUnit::Characters,
        "graphemes" => LengthUnit::Graphemes,
        "words" => LengthUnit::Words,
        "sentences" => LengthUnit::Sentences,
        "paragraphs" => LengthUnit::Paragraphs,
        "lines" => LengthUnit::Lines,
        "tokens" => LengthUnit::Tokens,
        _ => return None,
    };
    Some((unit, upper))
}

fn format(value: &Value, at: &str) -> Result<Format, Vec<ImportError>> {
    let Some(name) = value.as_str() else {
        return typed(value, at);
    };
    Ok(match name.to_lowercase().as_str() {
        "plain" | "text" => Format::Plain,
        "markdown" | "md" => Format::Markdown,
        "json" => Format::Json { schema: None },
        "html" => Format::Html,
        "csv" => Format::Csv,
        _ => Format::Other {
            named: name.to_owned(),
        },
    })
}

fn wrong(pointer: &str, expected: &'static str) -> ImportError {
    ImportError {
        pointer: pointer.to_owned(),
        fault: Fault::Type { expected },
    }
}

fn unknown(pointer: &str, key: &str) -> ImportError {
    ImportError {
        pointer: pointer.to_owned(),
        fault: Fault::UnknownKey {
            key: key.to_owned(),
        },
    }
}

impl Imported {
    /// A ledger with these rules in force, as those of `by`. Rules that cannot
    /// come in are named.
    pub fn into_ledger(self, by: &Source, owner: Principal) -> (Ledger, Vec<(String, Refused)>) {
        let mut ledger = Ledger::begin(owner, Seq(1));
        let mut refused = Vec::new();
        let goal = self.goal.map(|goal| Given {
            operation: Operation::SetGoal { goal: goal.clone() },
            words: goal,
        });
        for given in goal.into_iter().chain(self.rules) {
            let patch = given.patch(Seq(1));
            let proposed = Proposed {
                patch: &patch,
                source: by,
                text: &given.words,
            };
            let decision = apply(&ledger, proposed, Timestamp(0));
            if let Decision::Refused(why) = decision {
                refused.push((given.words, why));
                continue;
            }
            for entry in decision.entries(&ledger, None) {
                ledger
                    .follow(&entry)
                    .expect("what `apply` decides can be followed");
            }
        }
        if let Some(version) = self.version {
            ledger.version = version;
        }
        (ledger, refused)
    }
}

impl Given {
    /// The rule as a patch that rests on its own words.
    pub fn patch(&self, message: Seq) -> Patch {
        Patch {
            operation: self.operation.clone(),
            cites: Citation {
                message,
                start: 0,
                end: u32::try_from(self.words.len()).unwrap_or(u32::MAX),
                words: self.words.clone(),
            },
            proposer: Proposer::Direct,
        }
    }
}

/// The ledger in the article's shape. Only what is in force; `input` is the
/// task's own text, which is the goal where no other was set.
pub fn export(ledger: &Ledger, input: &str) -> Value {
    let goal = ledger.goal.text.as_deref().unwrap_or(input);
    let form = |one: &&Constraint| matches!(one.rule, Rule::Format { .. });
    let standing = ledger.in_force().filter(|one| !form(one));
    let constraints: Vec<Value> = standing.map(exported).collect();
    let mut out = json!({
        "version": ledger.version,
        "goal": goal,
        "constraints": constraints,
    });
    let fields = out.as_object_mut().expect("just made as one");
    if let Some(format) = ledger.output().format {
        let name = match &format {
            Format::Plain => "plain",
            Format::Markdown => "markdown",
            Format::Json { .. } => "json",
            Format::Html => "html",
            Format::Csv => "csv",
            Format::Other { named } => named,
        };
        let mut output = json!({ "format": name });
        if let Format::Json {
            schema: Some(schema),
        } = &format
        {
            output["schema"] = schema.clone();
        }
        fields.insert("output".to_owned(), output);
    }
    if let Some(request) = &ledger.request {
        fields.insert("request".to_owned(), json!(request.text));
    }
    if !ledger.unresolved.is_empty() {
        let open = ledger.unresolved.iter().map(|one| {
            json!({
                "id": one.id.to_string(),
                "question": one.text,
                "why": one.why,
                "about": one.about.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "options": one.options,
                "message": one.message,
                "words": one.words,
            })
        });
        fields.insert("unresolved".to_owned(), open.collect());
    }
    if !ledger.confirmed_changes.is_empty() {
        let confirmed = ledger
            .confirmed_changes
            .iter()
            .map(|one| json!({ "version": one.version, "words": one.words }));
        fields.insert("confirmed_changes".to_owned(), confirmed.collect());
    }
    out
}

/// One constraint; a rule of form stands in `output` instead.
fn exported(one: &Constraint) -> Value {
    let plain = one.force == Force::Must
        && one.scope == Scope::Task
        && one.expiry == Expiry::Never
        && one.excepts.is_none();
    if let (true, Rule::Prose { text }) = (plain, &one.rule) {
        return Value::String(text.clone());
    }
    let mut value = serde_json::to_value(&one.rule).expect("rules are JSON");
    let fields = value.as_object_mut().expect("rules are tagged objects");
    let mut put = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    put("id", json!(one.id.to_string()));
    put("words", json!(one.words));
    put("source", json!(one.source));
    put("message", json!(one.message));
    put("since", json!(one.since));
    if one.force != Force::Must {
        put("force", json!(one.force));
    }
    if one.scope != Scope::Task {
        put("scope", json!(one.scope));
    }
    if one.expiry != Expiry::Never {
        put("expiry", json!(one.expiry));
    }
    if let Some(base) = one.excepts {
        put("excepts", json!(base.to_string()));
    }
    value
}
