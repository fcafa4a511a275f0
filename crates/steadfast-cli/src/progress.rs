//! What happens while a task runs: a line a step, and on a terminal a bar.
//!
//! Display only. A line stands for something recorded, never for something hoped.

mod line;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use steadfast::driver::Observer;
use steadfast_core::event::{Body, Event};
use steadfast_core::task::Task;

use crate::printer::Printer;
use crate::time;
use line::Lines;

/// Tells what is recorded.
pub(crate) struct Progress {
    printer: Printer,
    bar: Option<ProgressBar>,
    lines: Mutex<Lines>,
    deed_in_flight: AtomicBool,
}

impl Progress {
    pub(crate) fn new(printer: &Printer) -> Progress {
        let bar = printer.is_live().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(spinner());
            bar.enable_steady_tick(std::time::Duration::from_millis(120));
            bar
        });
        Progress {
            printer: printer.clone(),
            bar,
            lines: Mutex::default(),
            deed_in_flight: AtomicBool::new(false),
        }
    }

    /// Whether a deed that cannot be repeated was in flight at the last event.
    pub(crate) fn has_deed_in_flight(&self) -> bool {
        self.deed_in_flight.load(Ordering::Relaxed)
    }

    /// Takes the bar away; the lines stay.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A line of its own.
    pub(crate) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(self.printer.clean(text)),
            None => self.printer.say(text),
        }
    }
}

impl Observer for Progress {
    fn recorded(&self, event: &Event, task: &Task) {
        let in_flight = task.state.has_deed_in_flight();
        self.deed_in_flight.store(in_flight, Ordering::Relaxed);
        // Nothing panics while the lock is held, so a poisoned one is whole.
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.of(event, task) {
            self.say(&line);
        }
        let Some(bar) = &self.bar else { return };
        match &event.body {
            Body::ModelCalled(body) => bar.set_message(format!("model, step {}", body.step)),
            Body::SkillCalled(body) => bar.set_message(lines.skill(&body.call, task)),
            Body::ModelFailed(_) => {
                if let Some(until) = task.state.parked_until() {
                    bar.set_message(format!("waits for the provider until {}", time::utc(until)));
                }
            }
            Body::SkillReturned(body) => step(bar, &body.relay.contract_step),
            _ => {}
        }
    }
}

/// Moves the bar to "done/mandatory", the length that is known.
fn step(bar: &ProgressBar, contract_step: &str) {
    let Some((done, all)) = contract_step.split_once('/') else {
        return;
    };
    if let (Ok(done), Ok(all @ 1..)) = (done.parse(), all.parse::<u64>()) {
        bar.set_style(steps());
        bar.set_length(all);
        bar.set_position(done);
    }
}

fn spinner() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg}").expect("the template is fixed")
}

fn steps() -> ProgressStyle {
    let bar = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}");
    bar.expect("the template is fixed").progress_chars("━╸─")
}
