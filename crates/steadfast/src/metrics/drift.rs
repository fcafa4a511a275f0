//! Signs of drift that no event names: calls that go in circles, values that
//! were replaced and are used all the same, margins, and what each method costs.
//! The log is folded once more, so that each event is seen as the task stood.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use steadfast_core::content::Salt;
use steadfast_core::context::{FragmentKind, Manifest};
use steadfast_core::event::model::Usage;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, Seq, TaskId};
use steadfast_core::rules::{ScriptEstimate, Tokenizer};
use steadfast_core::task::{Corrupt, Task};
use steadfast_core::text::naming;
use steadfast_core::validate::likeness::{Likeness, Outcome};
use steadfast_core::validate::trail::{Pass, Trail};
use steadfast_core::workflow::spec::EffectClass;

use super::margin::{self, Margins, same_name};

/// What one task's log shows of drift, and what the methods against it cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Drift {
    /// Rows of calls that went in circles, refused ones among them; one is one,
    /// whatever its length.
    pub circles: u64,
    /// Proposed calls with a value that had been replaced, and those of them that
    /// were admitted.
    pub stale: u64,
    pub stale_used: u64,
    pub margins: Margins,
    /// Repairs made, by level.
    pub repairs: [u64; 3],
    pub price: Price,
}

/// Tokens by what they were for, as far as the log says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Price {
    /// Validations run and those with issues; tokens of validators and reviewers.
    pub validations: u64,
    pub issues: u64,
    pub validation_tokens: u64,
    /// Sub-tasks that ended, those with an answer, and what they took.
    pub children: u64,
    pub children_finished: u64,
    pub child_tokens: u64,
    /// Tokens of all prompts, and an estimate of the same prompts with every
    /// archived step in full in the place of its summary.
    pub prompt_tokens: u64,
    pub prompt_tokens_in_full: u64,
    pub summary_tokens: u64,
}

impl Drift {
    pub fn add(&mut self, one: &Drift) {
        self.circles += one.circles;
        self.stale += one.stale;
        self.stale_used += one.stale_used;
        self.margins.all.extend(&one.margins.all);
        for (sum, made) in self.repairs.iter_mut().zip(one.repairs) {
            *sum += made;
        }
        let (sum, price) = (&mut self.price, one.price);
        sum.validations += price.validations;
        sum.issues += price.issues;
        sum.validation_tokens += price.validation_tokens;
        sum.children += price.children;
        sum.children_finished += price.children_finished;
        sum.child_tokens += price.child_tokens;
        sum.prompt_tokens += price.prompt_tokens;
        sum.prompt_tokens_in_full += price.prompt_tokens_in_full;
        sum.summary_tokens += price.summary_tokens;
    }
}

/// Reads a log whose contents are loaded.
///
/// # Errors
///
/// When the log contradicts itself.
pub fn drift(id: &TaskId, salt: Salt, events: &[Event]) -> Result<Drift, Corrupt> {
    let Some((first, rest)) = events.split_first() else {
        return Ok(Drift::default());
    };
    let mut task = Task::begin(id.clone(), salt, first)?;
    let mut walk = Walk::new(events);
    walk.before(&task, first);
    for event in rest {
        walk.before(&task, event);
        task.apply(event)?;
    }
    Ok(walk.found)
}

struct Walk<'a> {
    found: Drift,
    trail: Trail,
    in_circle: bool,
    calls: BTreeMap<&'a CallId, (&'a str, Value)>,
    /// Values that facts once had.
    replaced: BTreeMap<&'a str, Vec<Value>>,
    said: Vec<(Seq, String)>,
    /// Tokens of what an event brought, in full.
    weights: BTreeMap<Seq, u64>,
    archived: u64,
}

impl<'a> Walk<'a> {
    fn new(events: &'a [Event]) -> Walk<'a> {
        Walk {
            found: Drift::default(),
            trail: Trail::default(),
            in_circle: false,
            calls: BTreeMap::new(),
            replaced: BTreeMap::new(),
            said: Vec::new(),
            weights: events.iter().map(|one| (one.seq, weight(one))).collect(),
            archived: 0,
        }
    }

    /// Sees an event as the task stood before it.
    fn before(&mut self, task: &Task, event: &'a Event) {
        self.price(event);
        match &event.body {
            Body::UserSent(body) => {
                // What a person asks for again is no circle.
                self.trail.user_spoke();
                self.in_circle = false;
                self.said.push((event.seq, body.text.text().into_owned()));
            }
            Body::FactSet(body) => {
                if let Some(fact) = task.state.facts.get(&body.name) {
                    let values = self.replaced.entry(&body.name).or_default();
                    values.push(fact.value.clone());
                }
            }
            Body::CallRefused(body) => {
                let args = body.args.json();
                self.proposed(task, &args, false);
                // What is refused and proposed again leads nowhere just as well.
                let outcome = Outcome::failed(body.refusal.code());
                self.passed(&body.skill, &args, outcome);
            }
            Body::CallAdmitted(body) => {
                let args = body.args.json();
                self.proposed(task, &args, true);
                if body.effect != Some(EffectClass::Read) {
                    let margins = margin::of_call(task, &args);
                    self.found.margins.all.extend(margins);
                }
                self.calls.insert(&body.call, (body.skill.as_str(), args));
            }
            Body::SkillReturned(body) => {
                let none = BTreeSet::new();
                self.ended(&body.call, Outcome::done(&body.result.json(), &none));
            }
            Body::SkillFailed(body) => {
                self.ended(&body.call, Outcome::failed(&body.message.text()));
            }
            Body::TaskCompleted(body) => self.answered(task, &body.answer.text()),
            Body::RoundEnded(body) => self.answered(task, &body.answer.text()),
            Body::Repaired(body) => {
                self.found.repairs[usize::from(body.level.number()) - 1] += 1;
            }
            _ => {}
        }
    }

    fn answered(&mut self, task: &Task, answer: &str) {
        let margins = margin::of_answer(task, answer);
        self.found.margins.all.extend(margins);
    }

    fn ended(&mut self, call: &CallId, outcome: Outcome) {
        if let Some((skill, args)) = self.calls.remove(call) {
            self.passed(skill, &args, outcome);
        }
    }

    fn passed(&mut self, skill: &str, args: &Value, outcome: Outcome) {
        let call = Likeness::of(skill, args, &BTreeSet::new());
        let circle = self.trail.passed(Pass { call, outcome });
        let circling = circle.is_some_and(|circle| circle.advice().is_some());
        self.found.circles += u64::from(circling && !self.in_circle);
        self.in_circle = circling;
    }

    /// Whether an argument bears a fact's name and a value that the fact no longer
    /// has, and that nobody has named since.
    fn proposed(&mut self, task: &Task, args: &Value, admitted: bool) {
        let Some(args) = args.as_object() else { return };
        let stale = self.replaced.iter().any(|(name, values)| {
            let Some(fact) = task.state.facts.get(*name) else {
                return false;
            };
            args.iter().any(|(argument, value)| {
                same_name(argument, name)
                    && !naming::agree(value, &fact.value)
                    && values.iter().any(|old| naming::agree(value, old))
                    && !self.named_since(fact.seq, value)
            })
        });
        self.found.stale += u64::from(stale);
        self.found.stale_used += u64::from(stale && admitted);
    }

    fn named_since(&self, seq: Seq, value: &Value) -> bool {
        let mut later = self.said.iter().filter(|(at, _)| *at > seq);
        later.any(|(_, text)| naming::names(text, value))
    }

    fn price(&mut self, event: &Event) {
        let price = &mut self.found.price;
        match &event.body {
            Body::Validated(body) => {
                price.validations += 1;
                price.issues += u64::from(body.verdict != PASSED);
                price.validation_tokens += tokens(body.usage);
            }
            Body::ReviewReturned(body) => price.validation_tokens += tokens(body.usage),
            Body::SummaryReplaced(body) => price.summary_tokens += tokens(body.usage),
            Body::ChildEnded(body) => {
                price.children += 1;
                let finished = steadfast_core::event::child::ChildEnd::Finished;
                price.children_finished += u64::from(body.how == finished);
                price.child_tokens += body.spent.tokens;
            }
            Body::StepArchived(body) => {
                let weights = body.covers.iter().filter_map(|seq| self.weights.get(seq));
                self.archived += weights.sum::<u64>();
            }
            Body::ModelCalled(body) => {
                let sent = u64::from(body.tokens);
                let shown = summaries(&body.manifest.text()).unwrap_or(self.archived);
                price.prompt_tokens += sent;
                price.prompt_tokens_in_full += (sent + self.archived).saturating_sub(shown);
            }
            _ => {}
        }
    }
}

const PASSED: steadfast_core::event::validation::Verdict =
    steadfast_core::event::validation::Verdict::Passed;

fn tokens(usage: Option<Usage>) -> u64 {
    usage.map_or(0, |usage| usage.input_tokens + usage.output_tokens)
}

/// Tokens of the summaries in a context; none where its bill was erased.
fn summaries(manifest: &str) -> Option<u64> {
    let manifest: Manifest = serde_json::from_str(manifest).ok()?;
    let entries = manifest.entries.iter();
    let shown = entries.filter(|entry| entry.kind == FragmentKind::Archive);
    Some(shown.map(|entry| u64::from(entry.tokens)).sum())
}

/// What an event brought into the task, in tokens of the script estimate: the
/// measure that summaries are counted by too.
fn weight(event: &Event) -> u64 {
    let count = |text: &str| u64::from(ScriptEstimate.count(text));
    match &event.body {
        Body::ModelReplied(body) => {
            let calls = body.calls.iter().map(|call| count(&call.args.text()));
            let text = body.text.as_ref().map_or(0, |text| count(&text.text()));
            calls.sum::<u64>() + text
        }
        Body::SkillReturned(body) => count(&body.result.text()),
        Body::SkillFailed(body) => count(&body.message.text()),
        _ => 0,
    }
}
