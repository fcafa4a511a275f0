//! What a step costs in tasks of very different age, without a disk: the reply,
//! the gate, the result, the move of the machine, the next context, the bytes
//! that would be appended.

use std::time::{Duration, Instant};

use criterion::Criterion;
use steadfast::rules::StandardRules;

use crate::grown::Grown;
use crate::rivals::{Rival, compare};
use crate::scene::{Words, sized};

/// Steps of one timed run, each from the same state.
const STEPS: u64 = 50;

pub(crate) fn measure(criterion: &mut Criterion) -> Vec<String> {
    let rules = StandardRules::default();
    let ages = [100, sized(10_000, 1_000), sized(1_000_000, 20_000)];
    let grown = grow(&ages, &rules);
    let rivals = ["young", "grown", "old"].into_iter().zip(&grown);
    let rivals = rivals.map(|(name, grown)| Rival::new(name, || timed_steps(grown, &rules)));
    let rounds = compare(criterion, "step_cost_by_history", STEPS, rivals.collect());
    let mut lines = vec![format!(
        "  a step of a task with {} events {:.0} us",
        ages[0],
        rounds.micros("young")
    )];
    for (name, age) in [("grown", ages[1]), ("old", ages[2])] {
        lines.push(format!(
            "  with {age} events {:.0} us: {} (aim 1.2x)",
            rounds.micros(name),
            rounds.ratio(name, "young"),
        ));
    }
    lines
}

/// Steps with usual words before a state is kept: what is kept of earlier ones
/// (working layer, receipts) is then the same at every age.
const LAST_STEPS: u64 = 12;
const EVENTS_PER_STEP: u64 = 6;

/// One task, kept as it was at each of these ages (in events). All of them wait
/// for a reply in the same state. The long way is gone with few words.
fn grow(ages: &[u64], rules: &StandardRules) -> Vec<Grown> {
    let mut grown = Grown::begin(rules, &mut |_| ());
    let mut kept = Vec::new();
    for age in ages {
        let near = age.saturating_sub(LAST_STEPS * EVENTS_PER_STEP);
        loop {
            let state = &grown.task.state;
            let in_first = state.current().is_some_and(|one| one.as_str() == "S1");
            if state.seq.0 >= *age && in_first {
                break;
            }
            let words = match state.seq.0 < near {
                true => Words::Tiny,
                false => Words::Usual,
            };
            grown.step(grown.next(words), rules, &mut |_| ());
        }
        kept.push(grown.clone());
    }
    kept
}

fn timed_steps(grown: &Grown, rules: &StandardRules) -> Duration {
    let mut spent = Duration::ZERO;
    for _ in 0..STEPS {
        let mut task = grown.clone();
        let next = task.next(Words::Usual);
        let mut bytes = 0;
        let started = Instant::now();
        task.step(next, rules, &mut |batch| {
            bytes += batch.iter().map(|event| event.bytes.len()).sum::<usize>();
        });
        spent += started.elapsed();
        assert!(bytes > 0, "a step makes events");
    }
    spent
}
