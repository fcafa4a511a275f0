//! A world for repairs: skills whose first answers can be wrong, deeds that are
//! counted, a model that writes down what it is shown, and a process that dies
//! at any boundary.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steadfast_core::event::task::Window;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, Epoch, Principal, TaskId, Timestamp};
use steadfast_core::proposal::Reply;
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::record::Turn;
use steadfast_core::task::{Effect, Intent, Recorded, Start, Task};

use crate::harness::{RULES, SALT};

/// What each reading skill finds when it is right.
pub(super) const RIGHT: [(&str, i64); 3] = [("x", 1), ("y", 5), ("z", 9)];

/// Three findings, two deeds that cannot be taken back between them, and a turn
/// of the way that one finding decides.
pub(super) fn workflow() -> Value {
    let finds =
        |name: &str| json!({"kind": "function", "effect": "read", "provides": {name: "value"}});
    let deed = json!({"kind": "function", "effect": "irreversible", "verify": "was_done"});
    json!({
        "workflow_id": "findings",
        "initial_state": "X",
        "states": {
            "X": {"skill": "find_x", "on_success": [{"when": "facts.x == 2", "to": "ODD"}, {"to": "Y"}]},
            "ODD": {"skill": "warn", "mandatory": false, "on_success": "Y"},
            "Y": {"skill": "find_y", "on_success": "BOOK"},
            "BOOK": {"skill": "book", "on_success": "Z"},
            "Z": {"skill": "find_z", "on_success": "SEND"},
            "SEND": {"skill": "send", "on_success": "DONE"}
        },
        "skills": {
            "find_x": finds("x"), "find_y": finds("y"), "find_z": finds("z"),
            "warn": deed, "book": deed, "send": deed,
            "was_done": {"kind": "function", "effect": "read"}
        }
    })
}

/// What a run is made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// The fact that is found wrong at first, and what is found.
    pub(super) wrong: Option<(&'static str, i64)>,
    /// After how many appends it is reported, and whether with its right value.
    pub(super) report: Option<(usize, bool)>,
    /// After how many appends the user gives a value of their own.
    pub(super) user: Option<usize>,
    /// At which boundary (before or after an append or an effect) the process dies.
    pub(super) crash: Option<usize>,
}

pub(super) struct Ran {
    pub(super) task: Task,
    pub(super) events: Vec<Event>,
    /// Deeds as the world saw them, in order.
    pub(super) deeds: Vec<(String, Value)>,
    pub(super) boundaries: usize,
    pub(super) appends: usize,
    pub(super) notes: Vec<String>,
}

struct World {
    script: Script,
    task: Task,
    events: Vec<Event>,
    now: Timestamp,
    epoch: Epoch,
    found: BTreeMap<String, u32>,
    done: BTreeMap<CallId, Value>,
    deeds: Vec<(String, Value)>,
    boundaries: usize,
    appends: usize,
    notes: Vec<String>,
}

/// Runs a script to its end.
pub(super) fn run(script: &Script) -> Ran {
    let start = Start {
        workflow: serde_json::from_value(workflow()).expect("a spec"),
        principal: Principal::from("ann"),
        input: "make the tour".to_owned(),
        documents: Vec::new(),
        facts: BTreeMap::new(),
        parent: None,
        budget: Default::default(),
        window: Window {
            tokens: 32_000,
            output_tokens: 1_000,
        },
    };
    let now = Timestamp(1_000_000);
    let turn = Turn {
        now,
        epoch: Epoch(1),
        rules: RULES,
        utc_offset: None,
    };
    let begun = Task::start(TaskId::from("t_1"), SALT, start, turn).expect("it starts");
    let mut world = World {
        script: script.clone(),
        task: begun.task,
        events: begun.events,
        now,
        epoch: Epoch(1),
        found: BTreeMap::new(),
        done: BTreeMap::new(),
        deeds: Vec::new(),
        boundaries: 0,
        appends: 0,
        notes: Vec::new(),
    };
    for _ in 0..400 {
        if world.task.state.outcome().is_some() && !world.waits() {
            break;
        }
        world.turn_over();
    }
    Ran {
        task: world.task,
        events: world.events,
        deeds: world.deeds,
        boundaries: world.boundaries,
        appends: world.appends,
        notes: world.notes,
    }
}

impl World {
    fn turn(&self) -> Turn<'static> {
        Turn {
            now: self.now,
            epoch: self.epoch,
            rules: RULES,
            utc_offset: None,
        }
    }

    /// A report that comes later than the end still comes.
    fn waits(&self) -> bool {
        self.script.report.is_some()
    }

    /// Whether the process dies here. All that is not in the log is forgotten.
    fn dies(&mut self) -> bool {
        self.boundaries += 1;
        if self.script.crash != Some(self.boundaries) {
            return false;
        }
        self.task = Task::fold(TaskId::from("t_1"), SALT, &self.events).expect("it folds");
        self.epoch = Epoch(self.epoch.0 + 1);
        true
    }

    fn append(&mut self, recorded: Recorded) {
        self.notes.extend(recorded.note);
        if recorded.events.is_empty() || self.dies() {
            return;
        }
        self.events.extend(recorded.events);
        self.task = recorded.task;
        self.appends += 1;
        let folded = Task::fold(TaskId::from("t_1"), SALT, &self.events).expect("it folds");
        assert_eq!(folded.state, self.task.state);
        self.dies();
    }

    fn input(&mut self, input: Input) {
        self.now = self.now.plus_ms(10);
        let recorded = self.task.record(input, self.turn()).expect("it records");
        self.append(recorded);
    }

    /// A person's word is durable before it is taken up, so it survives a crash.
    fn command(&mut self, command: &Command) {
        for _ in 0..3 {
            let before = self.events.len();
            self.input(Input::Command {
                principal: Principal::from("ann"),
                command: command.clone(),
            });
            if self.events.len() > before || self.task.state.stands.repairs.asked.is_some() {
                return;
            }
        }
    }

    fn people(&mut self) {
        let ended = self.task.state.outcome().is_some();
        if self.script.user.is_some_and(|at| self.appends >= at) {
            self.script.user = None;
            self.command(&Command::SetFact {
                name: "note".to_owned(),
                value: json!("kept"),
            });
        }
        let Some((at, known)) = self.script.report else {
            return;
        };
        let Some((name, _)) = self.script.wrong else {
            return;
        };
        if self.appends < at && !ended {
            return;
        }
        self.script.report = None;
        let right = RIGHT
            .iter()
            .find(|(of, _)| *of == name)
            .expect("a finding")
            .1;
        self.command(&Command::Repair {
            cause: steadfast_core::repair::Fault::Fact {
                name: name.to_owned(),
            },
            level: None,
            value: known.then(|| json!(right)),
            reason: None,
        });
    }

    fn turn_over(&mut self) {
        self.people();
        let due = self.task.due(self.now, self.epoch);
        match due.effects.first().cloned() {
            Some(Effect::CallModel { call }) => {
                let reply = self.model();
                if !self.dies() {
                    self.input(Input::ModelDone {
                        call,
                        outcome: Ok(reply),
                    });
                }
            }
            Some(Effect::CallSkill { call, intent } | Effect::VerifyDeed { call, intent }) => {
                match intent {
                    Intent::Needed => {
                        let begun = self.task.begin_call(&call, self.turn()).expect("begins");
                        self.append(begun);
                    }
                    Intent::Recorded => self.carry_out(&call),
                }
            }
            Some(Effect::Repair { .. }) => {
                let made = self
                    .task
                    .repair(&self.events, self.turn())
                    .expect("repairs");
                self.append(made);
            }
            other => {
                assert_eq!(other, None, "nothing else is due");
                if let Some(at) = due.wake_at {
                    self.now = self.now.max(at);
                    let woken = self.task.record(Input::Wake, self.turn()).expect("wakes");
                    self.append(woken);
                }
            }
        }
        self.begun();
    }

    /// A call whose intent this very process has just recorded is carried out.
    fn begun(&mut self) {
        use steadfast_core::task::state::Stage;
        let calls = self.task.state.stands.calls.iter();
        let begun = calls.filter(|(_, call)| match call.stage {
            Stage::Called { epoch, .. } => epoch == self.epoch && !call.may_repeat(),
            Stage::Verifying => true,
            _ => false,
        });
        let begun: Vec<CallId> = begun.map(|(id, _)| id.clone()).collect();
        for call in begun {
            self.carry_out(&call);
        }
    }

    fn carry_out(&mut self, id: &CallId) {
        use steadfast_core::task::state::Stage;
        let Some(call) = self.task.state.stands.calls.get(id).cloned() else {
            return;
        };
        let (skill, args) = (call.skill.as_str(), call.args.json());
        let result = if call.stage == Stage::Verifying {
            json!({"done": self.done.contains_key(id)})
        } else if let Some(name) = skill.strip_prefix("find_") {
            let times = self.found.entry(name.to_owned()).or_default();
            *times += 1;
            let right = RIGHT
                .iter()
                .find(|(of, _)| *of == name)
                .expect("a finding")
                .1;
            let wrong = self
                .script
                .wrong
                .filter(|(of, _)| *of == name && *times == 1);
            json!({"value": wrong.map_or(right, |(_, value)| value)})
        } else {
            self.deeds.push((skill.to_owned(), args.clone()));
            self.done.insert(id.clone(), args);
            json!({"ok": true})
        };
        if !self.dies() {
            let intent = call.intent;
            self.input(Input::SkillDone {
                call: id.clone(),
                intent,
                outcome: Ok(result),
                usage: None,
            });
        }
    }

    /// Calls what is due with the values that it is shown, and at last says them.
    fn model(&self) -> Reply {
        let facts = &self.task.state.facts;
        let seen: BTreeMap<&String, &Value> = facts
            .iter()
            .filter(|(name, _)| *name != "note")
            .map(|(name, fact)| (name, &fact.value))
            .collect();
        match self.task.due_skills().first() {
            Some(skill) => Reply::call("m", &[(skill.as_str(), json!(seen))]),
            None => Reply::say("m", &json!(seen).to_string()),
        }
    }
}

/// A line an event, for a failing test.
pub(super) fn lines(events: &[Event]) -> String {
    let line = |event: &Event| {
        let more = match &event.body {
            Body::Repaired(body) => format!(" {:?} {}..{}", body.level, body.from, body.to),
            Body::StateEntered(body) => format!(" {}", body.to),
            Body::CallAdmitted(body) => format!(" {} {}", body.skill, body.args.text()),
            Body::FactSet(body) => format!(" {} {}", body.name, body.value.text()),
            _ => String::new(),
        };
        format!("{:>3} {}{more}", event.seq, event.body.kind())
    };
    events.iter().map(line).collect::<Vec<_>>().join("\n")
}
