//! A summary that a model offers: whether it may take the place of the one by
//! rule.
//!
//! It must have the shape, keep to the budget, cite events of the step, say what
//! they say (`fidelity`), and agree with what is in force now. Sentences that
//! give rules are taken out first and counted. What is wrong comes back as the
//! exact pair that differs, so that the model can mend it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::archive::ask::floor;
use crate::archive::compose::Candidate;
use crate::archive::fidelity::{self, Finding, Options};
use crate::archive::source::Source;
use crate::archive::summary::{Field, FieldName, Summary};
use crate::event::memory::NotTaken;
use crate::event::model::Finish;
use crate::id::Seq;
use crate::json;
use crate::ledger::Constraint;
use crate::limits;
use crate::proposal::Reply;
use crate::rules::{ScriptEstimate, Tokenizer};
use crate::workflow::contract::Lang;

/// Why an offer is not taken, with what exactly is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub because: NotTaken,
    pub what: String,
}

impl Fault {
    pub fn of(because: NotTaken, what: String) -> Fault {
        Fault { because, what }
    }

    fn new(because: NotTaken, what: impl Into<String>) -> Fault {
        Fault {
            because,
            what: what.into(),
        }
    }
}

/// A summary that may be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    pub summary: Summary,
    pub text: String,
    pub tokens: u32,
    pub rules_stripped: u32,
}

/// What an offer is held against.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a> {
    pub source: &'a Source,
    /// The summary of the same step by rule.
    pub ruled: &'a Candidate,
    pub fields: &'a [String],
    pub constraints: &'a [Constraint],
    pub facts: &'a BTreeMap<String, Value>,
    pub lang: Lang,
}

#[derive(Deserialize)]
struct Offered {
    action: Said,
    result: Said,
    key_data: Said,
    state_change: Said,
    #[serde(default)]
    phase: BTreeMap<String, Said>,
}

#[derive(Deserialize)]
struct Said {
    text: String,
    importance: u8,
    cites: Vec<u64>,
}

/// Weighs an offer.
///
/// # Errors
///
/// [`Fault`], in the order of the checks: shape, role, citations, size, source,
/// what is in force.
pub fn weigh(reply: &Reply, measure: &Measure<'_>) -> Result<Taken, Fault> {
    let text = worded(reply)?;
    let offered = parsed(text)?;
    let mut fields = Vec::new();
    let mut stripped = 0;
    for (name, said) in named(offered, measure.fields) {
        stripped += field(name, said, measure, &mut fields)?;
    }
    let has = |name: &FieldName| fields.iter().any(|one| one.name == *name);
    if !has(&FieldName::Action) || !has(&FieldName::Result) {
        let what = match stripped {
            0 => "action or result is empty",
            _ => "action or result gives rules and tells nothing",
        };
        return Err(Fault::new(NotTaken::Empty, what));
    }
    sized(&fields, measure.source)?;
    holds(&fields, measure)?;
    let ruled = &measure.ruled.summary;
    let said = all(&fields);
    let summary = Summary {
        step: ruled.step,
        state: ruled.state.clone(),
        phase: ruled.phase.clone(),
        importance: importance(&fields, ruled.importance),
        references: measure.source.references_of(&said),
        rules_left_out: ruled.rules_left_out.max(stripped),
        fields,
    };
    let text = summary.text(measure.lang);
    Ok(Taken {
        tokens: ScriptEstimate.count(&text),
        text,
        summary,
        rules_stripped: stripped,
    })
}

/// Whether fields say what their events say, and agree with what is in force.
///
/// # Errors
///
/// [`Fault`], with the pairs that differ.
pub fn holds(fields: &[Field], measure: &Measure<'_>) -> Result<(), Fault> {
    faithful(fields, measure.source)?;
    let differs = fidelity::agrees(&all(fields), measure.constraints, measure.facts);
    match differs.is_empty() {
        true => Ok(()),
        false => Err(Fault::new(NotTaken::NotInForce, pairs(&differs))),
    }
}

fn all(fields: &[Field]) -> String {
    let said: Vec<&str> = fields.iter().map(|one| one.text.as_str()).collect();
    said.join("\n")
}

/// The words of a reply that is a summary's.
fn worded(reply: &Reply) -> Result<&str, Fault> {
    if !reply.calls.is_empty() {
        let what = "it calls tools, and has none";
        return Err(Fault::new(NotTaken::Role, what));
    }
    match (reply.finish, reply.text.as_deref().map(str::trim)) {
        (Finish::Length, _) => Err(Fault::new(NotTaken::Malformed, "cut at the output limit")),
        (Finish::ContentFilter, _) => {
            Err(Fault::new(NotTaken::Malformed, "withheld by the provider"))
        }
        (_, None | Some("")) => Err(Fault::new(NotTaken::Empty, "no text")),
        (_, Some(text)) => Ok(text),
    }
}

fn parsed(text: &str) -> Result<Offered, Fault> {
    // Models like to fence what they write; the fence says nothing.
    let inner = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"))
        .and_then(|inner| inner.trim_end().strip_suffix("```"))
        .unwrap_or(text);
    let value = json::parse(inner.trim()).map_err(|error| error.to_string());
    let offered = value.and_then(|value| {
        serde_json::from_value::<Offered>(value).map_err(|error| error.to_string())
    });
    offered.map_err(|error| Fault::new(NotTaken::Malformed, error))
}

/// The fields in the order in which a context shows them. A field that the
/// template does not have is nobody's.
fn named(offered: Offered, wanted: &[String]) -> Vec<(FieldName, Said)> {
    let mut phase = offered.phase;
    let mut fields = vec![
        (FieldName::Action, offered.action),
        (FieldName::Result, offered.result),
        (FieldName::KeyData, offered.key_data),
    ];
    for name in wanted {
        if let Some(said) = phase.remove(name) {
            fields.push((FieldName::Phase(name.clone()), said));
        }
    }
    fields.push((FieldName::StateChange, offered.state_change));
    fields
}

/// Puts a field in, without its rules; says how many those were.
fn field(
    name: FieldName,
    said: Said,
    measure: &Measure<'_>,
    fields: &mut Vec<Field>,
) -> Result<u32, Fault> {
    let (text, rules) = without_rules(&one_line(&said.text));
    if text.is_empty() {
        return Ok(rules);
    }
    if let Some(role) = role_in(&said.text) {
        let what = format!("it speaks in the role of `{role}`");
        return Err(Fault::new(NotTaken::Role, what));
    }
    let cites: Vec<Seq> = said.cites.into_iter().map(Seq).collect();
    let foreign = cites.iter().find(|seq| !measure.source.has(**seq));
    if cites.is_empty() || foreign.is_some() {
        let what = match foreign {
            Some(seq) => format!("`{text}` cites event {seq}, which is none of the step"),
            None => format!("`{text}` cites no event"),
        };
        return Err(Fault::new(NotTaken::Uncited, what));
    }
    fields.push(Field {
        name,
        text,
        importance: said.importance.clamp(1, 5),
        cites,
    });
    Ok(rules)
}

fn without_rules(text: &str) -> (String, u32) {
    let rules = fidelity::rules_in(text);
    let (mut kept, mut from) = (String::new(), 0);
    for rule in &rules {
        kept.push_str(&text[from..rule.start]);
        from = rule.end;
    }
    kept.push_str(&text[from..]);
    let count = u32::try_from(rules.len()).unwrap_or(u32::MAX);
    (kept.trim().to_owned(), count)
}

/// The role that a text claims: a line that begins with it, or a mark that
/// templates of chats use.
fn role_in(text: &str) -> Option<&'static str> {
    const LINES: [&str; 7] = [
        "user",
        "assistant",
        "system",
        "human",
        "用户",
        "助手",
        "系统",
    ];
    const MARKS: [&str; 5] = ["<|", "[INST]", "</s>", "\"role\"", "### Instruction"];
    let mark = MARKS.into_iter().find(|mark| text.contains(mark));
    mark.or_else(|| {
        LINES.into_iter().find(|role| {
            text.lines().any(|line| {
                let line = line.trim_start().to_lowercase();
                let rest = line.strip_prefix(role).map(str::trim_start);
                rest.is_some_and(|rest| rest.starts_with([':', '：']))
            })
        })
    })
}

fn sized(fields: &[Field], source: &Source) -> Result<(), Fault> {
    let tokens: u32 = fields
        .iter()
        .map(|one| ScriptEstimate.count(&one.text))
        .sum();
    let (least, most) = (floor(source), source.budget());
    if tokens > most || tokens > source.tokens() {
        let what = format!("{tokens} tokens, at most {most} are kept");
        return Err(Fault::new(NotTaken::Grew, what));
    }
    if tokens < least {
        let what = format!("{tokens} tokens, at least {least} are kept");
        return Err(Fault::new(NotTaken::Starved, what));
    }
    Ok(())
}

/// Each field against the very events that it cites.
fn faithful(fields: &[Field], source: &Source) -> Result<(), Fault> {
    for one in fields {
        let spans = source.spans(|seq| one.cites.contains(&seq));
        let verdict = fidelity::compare(&spans, &one.text, &Options::default());
        if !verdict.faithful {
            return Err(Fault::new(NotTaken::Unfaithful, pairs(&verdict.findings)));
        }
    }
    Ok(())
}

/// The pairs that differ.
fn pairs(findings: &[Finding]) -> String {
    let one = |finding: &Finding| match &finding.source {
        Some(source) => format!(
            "`{}` where it says `{}`: {}",
            finding.text, source.text, finding.why
        ),
        None => format!("`{}`: {}", finding.text, finding.why),
    };
    let first = findings.iter().take(limits::SUMMARY_FAULTS_NAMED);
    let all: Vec<String> = first.map(one).collect();
    all.join("; ")
}

/// A model may weigh a step one grade above the rule. A deed stays one, and
/// nothing else becomes one.
fn importance(fields: &[Field], ruled: u8) -> u8 {
    if ruled == 5 {
        return 5;
    }
    let own = fields.iter().map(|one| one.importance).max().unwrap_or(1);
    own.min(ruled + 1).min(4)
}

fn one_line(text: &str) -> String {
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.trim().replace(ends, " ")
}
