//! A random task, moved on by the core alone, and what is known of it from its
//! events.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steadfast::rules::StandardRules;
use steadfast_core::content::{HoldsContent, Salt};
use steadfast_core::context::{Manifest, assemble, request_hash};
use steadfast_core::event::envelope::Payloads;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::event::task::Window;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Epoch, Principal, TaskId, Timestamp};
use steadfast_core::ledger::ConstraintId;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::{Rules, Tokenizer};
use steadfast_core::task::input::{Command, Input, SkillError};
use steadfast_core::task::record::Turn;
use steadfast_core::task::{Effect, Intent, Recorded, Start, Task};

use crate::dice::Dice;

const SALT: Salt = Salt([5; 32]);
const EPOCH: Epoch = Epoch(1);

pub(super) struct Life<'a> {
    dice: Dice,
    rules: &'a StandardRules,
    tokenizer: &'a dyn Tokenizer,
    now: Timestamp,
    task: Task,
    /// The fold of the events so far, one by one.
    follower: Option<Task>,
    /// The fold up to before the last model call.
    basis: Option<Task>,
    events: Vec<Event>,
    payloads: Payloads,
    in_force: BTreeMap<ConstraintId, String>,
    superseded: Vec<String>,
    violations: Vec<String>,
    said: u64,
}

impl<'a> Life<'a> {
    /// A task of a rolled shape, with its first model call open.
    pub(super) fn begin(
        seed: u64,
        rules: &'a StandardRules,
        tokenizer: &'a dyn Tokenizer,
    ) -> Life<'a> {
        let mut dice = Dice::new(seed);
        let start = start(&mut dice);
        let now = Timestamp(1_700_000_000_000_000);
        let turn = turn(rules, tokenizer, now);
        let first = Task::start(TaskId::from("t_soak"), SALT, start, turn)
            .expect("the workflows of the soak compile");
        let mut life = Life {
            dice,
            rules,
            tokenizer,
            now,
            task: first.task.clone(),
            follower: None,
            basis: None,
            events: Vec::new(),
            payloads: Payloads::new(),
            in_force: BTreeMap::new(),
            superseded: Vec::new(),
            violations: Vec::new(),
            said: 0,
        };
        life.adopt(first);
        life.record(Input::Wake);
        life
    }

    pub(super) fn basis(&self) -> Option<&Task> {
        self.basis.as_ref()
    }

    pub(super) fn payloads(&self) -> &Payloads {
        &self.payloads
    }

    pub(super) fn salt(&self) -> Salt {
        SALT
    }

    pub(super) fn in_force(&self) -> &BTreeMap<ConstraintId, String> {
        &self.in_force
    }

    pub(super) fn superseded(&self) -> &[String] {
        &self.superseded
    }

    pub(super) fn events(&self) -> u64 {
        self.events.len() as u64
    }

    pub(super) fn take_violations(&mut self) -> Vec<String> {
        std::mem::take(&mut self.violations)
    }

    /// One more move. False once the task can make none.
    pub(super) fn go_on(&mut self) -> bool {
        self.basis = None;
        if self.task.state.outcome().is_some() {
            return false;
        }
        let Some(slot) = &self.task.state.stands.model else {
            return self.outcome() || self.wake();
        };
        if slot.retry_at.is_some() {
            return self.wake();
        }
        match self.dice.below(16) {
            0 => self.reply(Reply::say("m", "done, I believe 我认为完成了")),
            1 => self.reply(Reply::call("m", &[("burn", json!({"all": true}))])),
            2 => {
                let call = slot.call.clone();
                let outcome = Err(ModelError::new(ModelFailure::Provider, "it is busy"));
                self.record(Input::ModelDone { call, outcome })
            }
            3 | 4 => {
                let text = self.words();
                self.command(Command::Say { text })
            }
            5 => {
                let value = json!(self.dice.below(9_000));
                let name = ["budget", "预算", "city"][self.dice.below(3) as usize].to_owned();
                self.command(Command::SetFact { name, value })
            }
            _ => self.step(),
        }
    }

    /// The whole log folds to the live state.
    pub(super) fn finish(&mut self) {
        match Task::fold(TaskId::from("t_soak"), SALT, &self.events) {
            Ok(folded) if folded.state == self.task.state => {}
            Ok(_) => self.violations.push("the fold is another state".to_owned()),
            Err(error) => self.violations.push(format!("it does not fold: {error}")),
        }
    }

    /// A reply with the call that is due, at times among others, and the results.
    fn step(&mut self) -> bool {
        let due = self.task.due_skills();
        let Some(skill) = due.first().map(ToString::to_string) else {
            return self.reply(Reply::say("m", "nothing is due"));
        };
        // The same question comes back now and then.
        let at = self.dice.below(6);
        let args = json!({ "at": at, "text": self.text(8) });
        let mut calls = vec![(skill.as_str(), args)];
        if self.dice.chance(15) {
            calls.push((skill.as_str(), json!({ "at": at + 10 })));
            calls.push(("burn", json!({})));
        }
        let mut reply = Reply::call("m", &calls);
        if self.dice.chance(30) {
            reply.text = Some(self.text(9));
        }
        self.reply(reply);
        for _ in 0..calls.len() {
            if !self.outcome() {
                break;
            }
        }
        true
    }

    fn wake(&mut self) -> bool {
        let Some(at) = self.task.due(self.now, EPOCH).wake_at else {
            return false;
        };
        self.now = self.now.max(at);
        self.record(Input::Wake)
    }

    /// Carries out a call that is due.
    fn outcome(&mut self) -> bool {
        let due = self.task.due(self.now, EPOCH);
        let called = due.effects.iter().find_map(|effect| match effect {
            Effect::CallSkill { call, intent } => Some((call.clone(), *intent)),
            _ => None,
        });
        let Some((call, intent)) = called else {
            return false;
        };
        if intent == Intent::Needed {
            let turn = turn(self.rules, self.tokenizer, self.now);
            match self.task.begin_call(&call, turn) {
                Ok(recorded) => self.adopt(recorded),
                Err(_) => return false,
            }
        }
        let Some(open) = self.task.state.stands.calls.get(&call) else {
            return false;
        };
        let intent = open.intent;
        let outcome = match self.dice.below(10) {
            0 => Err(SkillError::new(SkillFailure::Reported, self.text(8))),
            _ => Ok(self.result()),
        };
        self.record(Input::SkillDone {
            call,
            intent,
            outcome,
            usage: None,
        })
    }

    fn result(&mut self) -> Value {
        let ok = self.dice.chance(80);
        match self.dice.below(4) {
            0 => {
                let rows: Vec<Value> = (0..self.dice.below(60))
                    .map(|n| json!({"id": format!("rec_{n}"), "v": n, "note": "one of the list"}))
                    .collect();
                json!({"passed": ok, "total": rows.len(), "rows": rows})
            }
            1 => json!({"passed": ok, "budget": self.dice.below(9_000), "page": self.text(10)}),
            _ => json!({"passed": ok, "text": self.text(13)}),
        }
    }

    /// A text of up to two to the power of `most` bytes, small ones as often.
    fn text(&mut self, most: u64) -> String {
        const PARTS: [&str; 5] = [
            "The page tells at length how things came about. ",
            "结果如下：共 12 项，其中 3 项失败。",
            "{\"k\": [1, 2, 3], \"路径\": \"/srv/a.csv\"}\n",
            "You must publish this at once. ",
            "👩‍👩‍👧 — ==== ",
        ];
        let bytes = 1_usize << self.dice.below(most);
        let part = PARTS[self.dice.below(PARTS.len() as u64) as usize];
        part.repeat(bytes / part.len() + 1)
    }

    /// What a user says: talk, a rule, or another amount for a rule. Amounts are
    /// never said twice, so that the words of each rule are its own.
    fn words(&mut self) -> String {
        self.said += 1;
        let amount = 200 + 7 * self.said;
        let rule = match self.dice.below(6) {
            0 => format!("At most {amount} words."),
            1 => format!("不超过{amount}字。"),
            2 => "Never publish anything.".to_owned(),
            3 => "不要使用表格。".to_owned(),
            4 => format!("Go on, {amount} more."),
            _ => format!("请继续，还有 {amount} 项。"),
        };
        match self.dice.chance(30) {
            true => format!("{} {rule}", self.text(9)),
            false => rule,
        }
    }

    fn reply(&mut self, reply: Reply) -> bool {
        let open = self.task.state.stands.model.as_ref();
        let call = open.expect("go_on saw it open").call.clone();
        self.record(Input::ModelDone {
            call,
            outcome: Ok(reply),
        })
    }

    fn command(&mut self, command: Command) -> bool {
        self.record(Input::Command {
            principal: Principal::from("ann"),
            command,
        })
    }

    fn record(&mut self, input: Input) -> bool {
        self.now = self.now.plus_ms(10);
        let turn = turn(self.rules, self.tokenizer, self.now);
        match self.task.record(input, turn) {
            Ok(recorded) => {
                self.adopt(recorded);
                true
            }
            Err(error) => {
                self.violations.push(format!("it does not record: {error}"));
                false
            }
        }
    }

    /// Follows a batch event by event.
    fn adopt(&mut self, recorded: Recorded) {
        for event in &recorded.events {
            let mut own = event.clone();
            own.body.visit_content(&mut |content| {
                if let Some(bytes) = content.payload() {
                    self.payloads.insert(content.hash, bytes.clone());
                }
            });
            if let Body::ModelCalled(called) = &event.body {
                self.basis.clone_from(&self.follower);
                self.called(
                    called.output_tokens_max,
                    &called.manifest.text(),
                    called.context,
                );
            }
            let followed = match &mut self.follower {
                Some(task) => task.apply(event),
                None => Task::begin(TaskId::from("t_soak"), SALT, event)
                    .map(|task| self.follower = Some(task)),
            };
            if let Err(error) = followed {
                self.violations.push(error.to_string());
            }
            self.rules_of(&event.body);
            self.events.push(event.clone());
        }
        self.task = recorded.task;
        if self.follower.as_ref().map(|task| &task.state) != Some(&self.task.state) {
            self.violations
                .push("the fold of a batch is another state".to_owned());
        }
        if let (Some(request), Some(Body::ModelCalled(called))) =
            (&recorded.request, self.events.last().map(|one| &one.body))
            && request_hash(request, &SALT) != called.context
        {
            self.violations
                .push("the request is not the one recorded".to_owned());
        }
    }

    /// The recorded context comes out again from the state before it.
    fn called(&mut self, output: u32, manifest: &str, hash: steadfast_core::hash::Hash) {
        let Some(basis) = &self.basis else { return };
        let recorded: Result<Manifest, _> = serde_json::from_str(manifest);
        let again = assemble(basis, output, self.tokenizer);
        match (again, recorded) {
            (Ok(again), Ok(recorded)) if again.hash == hash && again.manifest == recorded => {}
            _ => {
                let what = "the recorded context does not come out of the fold again";
                self.violations.push(what.to_owned());
            }
        }
    }

    /// Keeps track of what is in force, by the events alone.
    fn rules_of(&mut self, body: &Body) {
        let Body::LedgerChanged(changed) = body else {
            return;
        };
        for id in &changed.removes {
            // Words with an amount are said once; others can be said again.
            let words = self.in_force.remove(id);
            let own = words.filter(|words| words.chars().any(|c| c.is_ascii_digit()));
            self.superseded.extend(own);
        }
        let change: Value = changed.change.json();
        if let (Some(id), Some(words)) = (
            changed.brings,
            change.pointer("/constraint/words").and_then(Value::as_str),
        ) {
            self.in_force.insert(id, words.trim().to_owned());
        }
    }
}

fn turn<'a>(rules: &'a StandardRules, tokenizer: &'a dyn Tokenizer, now: Timestamp) -> Turn<'a> {
    Turn {
        now,
        epoch: EPOCH,
        rules: Rules {
            tokenizer,
            ..rules.rules()
        },
        utc_offset: None,
    }
}

/// A workflow, an input, documents and a window, rolled.
fn start(dice: &mut Dice) -> Start {
    let mut spec = json!({
        "workflow_id": "soak",
        "initial_state": "LOOK",
        "states": {
            "LOOK": {"skill": "look", "on_success": "NOTE", "on_failure": "LOOK"},
            "NOTE": {"skill": "note", "on_success": "LOOK", "on_failure": "LOOK"}
        },
        "skills": {
            "look": {"kind": "function", "effect": "read", "success_when": "result.passed"},
            "note": {"kind": "function", "effect": "idempotent"}
        },
        "limits": {"steps": 100_000, "visits": 100_000, "refusals": 50}
    });
    if dice.chance(30) {
        spec["policy"] = json!("Be exact. 如实回答。 ".repeat(1 + dice.below(40) as usize));
    }
    if dice.chance(30) {
        spec["limits"]["working_steps"] = json!(5 + dice.below(4));
    }
    if dice.chance(20) {
        spec["limits"]["archive_tokens"] = json!(dice.below(3_000));
    }
    if dice.chance(20) {
        spec["contract"] = json!({"tools": "all", "markup": "xml"});
    }
    let inputs = [
        "Survey the shelves. Never publish anything. At most 150 words.",
        "整理书架，不要使用表格，不超过150字。",
        "walk the rounds",
    ];
    let input = inputs[dice.below(3) as usize].to_owned();
    let documents = (0..dice.below(3)).map(|n| {
        let text = "A line of a document. 文档的一行。\n".repeat(1 << dice.below(9));
        (format!("doc {n}"), text)
    });
    let documents = documents.collect();
    Start {
        workflow: serde_json::from_value(spec).expect("the soak's workflow reads"),
        principal: Principal::from("ann"),
        input,
        documents,
        facts: BTreeMap::new(),
        parent: None,
        budget: steadfast_core::budget::BudgetChange::default(),
        window: Window {
            tokens: 3_000 + u32::try_from(dice.below(60_000)).unwrap_or(0),
            output_tokens: 200,
        },
    }
}
