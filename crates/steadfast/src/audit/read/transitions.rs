//! Logs of the moves of a state machine: our own, with `task` in each line, and
//! the guard-rails article's, one file a workflow and no name of the run.
//!
//! Without names, a run begins where a line leaves the initial state, and a
//! line belongs to the run that stands where it starts. Where two runs stand
//! there, the younger gets it, and the report says that the log is ambiguous.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Error, Hints, Out, Record, Records};
use crate::audit::run::{Call, Move, Place, Run, Step, StepKind};

/// Runs without a name that may be under way at once.
const OPEN_MAX: usize = 64;

pub(super) struct Transitions {
    wanted: Option<String>,
    initial: Option<String>,
    /// Runs with a name, by number.
    named: BTreeMap<(String, String), usize>,
    finished: Vec<Run>,
    /// Runs without one, oldest first.
    open: Vec<Open>,
    /// First states of workflows, as their first lines have them.
    firsts: BTreeMap<String, String>,
    /// Lines of other workflows.
    passed_over: usize,
}

struct Open {
    workflow: String,
    stands: String,
    run: Run,
}

impl Transitions {
    pub(super) fn new(hints: Hints<'_>) -> Transitions {
        Transitions {
            wanted: hints.workflow.map(str::to_owned),
            initial: hints.initial.map(str::to_owned),
            named: BTreeMap::new(),
            finished: Vec::new(),
            open: Vec::new(),
            firsts: BTreeMap::new(),
            passed_over: 0,
        }
    }

    fn line(&mut self, value: &Value, place: Place, out: &mut Out<'_>) -> Result<(), Error> {
        let field = |name: &str| match value.get(name) {
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Null) | None => Ok(None),
            Some(_) => Err(out.shape(place, format!("`{name}` is no text"))),
        };
        let workflow = field("workflow")?.unwrap_or_default();
        let from = field("from")?.ok_or_else(|| out.shape(place, "a move needs `from`"))?;
        let to = field("to")?.ok_or_else(|| out.shape(place, "a move needs `to`"))?;
        let (skill, task) = (field("skill")?, field("task")?);
        if self
            .wanted
            .as_ref()
            .is_some_and(|wanted| !workflow.is_empty() && *wanted != workflow)
        {
            self.passed_over += 1;
            return Ok(());
        }
        // A retry starts where what is retried stands.
        let from = from.strip_suffix("_RETRY").unwrap_or(&from).to_owned();
        let steps = steps(place, skill, &from, &to);
        match task {
            Some(task) => {
                let next = self.finished.len();
                let number = *self.named.entry((workflow, task.clone())).or_insert(next);
                if number == next {
                    self.finished.push(Run {
                        id: task,
                        ..Run::default()
                    });
                }
                self.finished[number].steps.extend(steps);
            }
            None => self.nameless(workflow, &from, &to, steps, out),
        }
        Ok(())
    }

    fn nameless(
        &mut self,
        workflow: String,
        from: &str,
        to: &str,
        steps: Vec<Step>,
        out: &mut Out<'_>,
    ) {
        let first = self
            .firsts
            .entry(workflow.clone())
            .or_insert_with(|| from.to_owned());
        let begins = self.initial.as_ref().unwrap_or(first) == from;
        let of_workflow = |open: &&Open| open.workflow == workflow;
        let stands_here = |open: &&Open| open.workflow == workflow && open.stands == from;
        let under_way = self.open.iter().filter(of_workflow).count();
        let here = self.open.iter().filter(stands_here).count();
        let found = match here {
            0 if begins => None,
            // A step was passed over: the youngest run is the likeliest.
            0 => self.open.iter().rposition(|open| open.workflow == workflow),
            _ => self.open.iter().rposition(|open| stands_here(&open)),
        };
        let at = found.unwrap_or_else(|| {
            self.open.push(Open {
                workflow: workflow.clone(),
                stands: String::new(),
                run: Run::default(),
            });
            self.open.len() - 1
        });
        if here > 1 || here == 0 && found.is_some() && under_way > 1 {
            // Said once: the places after the first follow from it.
            let run = &mut self.open[at].run;
            if run.notes.is_empty() {
                let place = steps.first().map(|step| step.place).unwrap_or_default();
                run.notes.push(format!(
                    "ambiguous: {under_way} runs without a name were under way at{place}"
                ));
            }
        }
        self.open[at].run.steps.extend(steps);
        to.strip_suffix("_RETRY")
            .unwrap_or(to)
            .clone_into(&mut self.open[at].stands);
        if matches!(to, "DONE" | "FAILED") {
            let open = self.open.remove(at);
            out.run(open.run);
        } else if self.open.len() > OPEN_MAX {
            let open = self.open.remove(0);
            out.run(open.run);
        }
    }
}

/// The call of a move, and the answer where it leads to the end. A move
/// without a skill is a rule's and no call.
fn steps(place: Place, skill: Option<String>, from: &str, to: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    if let Some(skill) = skill {
        let moved = Move {
            from: from.to_owned(),
            to: to.to_owned(),
        };
        let call = Call {
            skill,
            moved: Some(moved),
            ..Call::default()
        };
        let kind = StepKind::Call(call);
        steps.push(Step { place, kind });
    }
    if to == "DONE" {
        let text = String::new();
        let kind = StepKind::Answer { text };
        steps.push(Step { place, kind });
    }
    steps
}

impl Records for Transitions {
    fn take(&mut self, record: Record, out: &mut Out<'_>) -> Result<(), Error> {
        match &record.value {
            Value::Array(all) => {
                for (index, one) in all.iter().enumerate() {
                    self.line(one, record.at(Some(index)), out)?;
                }
                Ok(())
            }
            one => self.line(one, record.at(None), out),
        }
    }

    fn finish(&mut self, out: &mut Out<'_>) -> Result<(), Error> {
        for open in std::mem::take(&mut self.open) {
            out.run(open.run);
        }
        for run in std::mem::take(&mut self.finished) {
            out.run(run);
        }
        if self.passed_over > 0 {
            let note = format!(
                "{} lines of other workflows were passed over",
                self.passed_over
            );
            out.notes.push(note);
        }
        Ok(())
    }
}
