//! Runs put together: by method, by model, by place in the dialogue.

use std::collections::BTreeMap;

use serde::Serialize;

use super::dialogue::Speech;
use super::measure::{Count, Spent};
use super::run::{Method, Plan, Run};

/// Parts that a dialogue is cut into for the curve of its decay.
pub const PLACES: usize = 10;

/// A drill as programs read it and as tables and plots show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    pub seed: u64,
    pub models: Vec<String>,
    pub dialogues: usize,
    /// Messages of the user in all dialogues.
    pub turns: usize,
    pub repeats: u32,
    pub methods: Vec<Row>,
    pub by_model: Vec<Row>,
    pub by_speech: Vec<Row>,
    pub runs: Vec<Run>,
}

/// What one method came to, over all runs of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub method: Method,
    /// The model that the row is about; none where it is about all.
    pub model: Option<String>,
    pub speech: Option<Speech>,
    /// The headline: dialogues in which every answer came and kept every rule.
    pub all_kept: Count,
    pub success: Count,
    pub constraints: Count,
    pub lawful: Count,
    pub refused: Count,
    pub fields: Option<Count>,
    pub answered: Count,
    /// Tokens and calls of all runs.
    pub tokens: u64,
    pub calls: u64,
    /// For k from 1 on: the chance that k runs of a dialogue all keep every rule.
    pub pass_hat: Vec<f64>,
    /// Answers that kept every rule, by their place in the dialogue, in tenths.
    pub places: Vec<Count>,
    /// Turns in which every request was well formed.
    pub well_formed: Count,
    /// Contexts that come out of the log again.
    pub contexts: Option<Count>,
    /// Tokens of a call on average, by place.
    pub cost: Vec<u64>,
}

impl Report {
    pub fn of(plan: &Plan, seed: u64, runs: Vec<Run>) -> Report {
        let mut models: Vec<String> = Vec::new();
        for run in &runs {
            if !models.contains(&run.model) {
                models.push(run.model.clone());
            }
        }
        let group = |model: Option<&str>, speech: Option<Speech>| {
            let within = |run: &&Run| {
                model.is_none_or(|model| run.model == model)
                    && speech.is_none_or(|speech| run.speech == speech)
            };
            let runs: Vec<&Run> = runs.iter().filter(within).collect();
            rows(&runs, model, speech)
        };
        let methods = group(None, None);
        let by_model = models.iter().flat_map(|model| group(Some(model), None));
        let by_model = by_model.collect();
        let speeches = Speech::ALL.into_iter();
        let by_speech = speeches.flat_map(|speech| group(None, Some(speech)));
        let by_speech = by_speech.collect();
        Report {
            seed,
            models,
            dialogues: plan.dialogues.len(),
            turns: plan.dialogues.iter().map(|one| one.turns.len()).sum(),
            repeats: plan.repeats,
            methods,
            by_model,
            by_speech,
            runs,
        }
    }

    /// Runs under Steadfast in which something was delivered, done or held in
    /// force that should not be. Empty if all is well.
    pub fn breached(&self) -> impl Iterator<Item = &Run> {
        let ours = self.runs.iter();
        let ours = ours.filter(|run| run.method == Method::Steadfast);
        ours.filter(|run| {
            let score = &run.score;
            let all = |count: Count| count.met == count.of;
            !score.breaches.is_empty()
                || !all(score.refused)
                || !score.fields.is_none_or(all)
                || !score.contexts.is_none_or(all)
        })
    }

    /// Runs under Steadfast that came to a halt: nothing wrong was delivered, and
    /// not everything was answered.
    pub fn halted(&self) -> impl Iterator<Item = &Run> {
        let ours = self.runs.iter();
        ours.filter(|run| run.method == Method::Steadfast && run.score.halted.is_some())
    }
}

fn rows(runs: &[&Run], model: Option<&str>, speech: Option<Speech>) -> Vec<Row> {
    let of = |method: Method| {
        let own: Vec<&Run> = runs
            .iter()
            .copied()
            .filter(|run| run.method == method)
            .collect();
        (!own.is_empty()).then(|| row(method, model, speech, &own))
    };
    Method::ALL.into_iter().filter_map(of).collect()
}

fn row(method: Method, model: Option<&str>, speech: Option<Speech>, runs: &[&Run]) -> Row {
    let mut row = Row {
        method,
        model: model.map(str::to_owned),
        speech,
        all_kept: Count::default(),
        success: Count::default(),
        constraints: Count::default(),
        lawful: Count::default(),
        refused: Count::default(),
        fields: None,
        answered: Count::default(),
        tokens: 0,
        calls: 0,
        pass_hat: pass_hat(runs),
        places: vec![Count::default(); PLACES],
        well_formed: Count::default(),
        contexts: None,
        cost: cost(runs),
    };
    for run in runs {
        let score = &run.score;
        row.all_kept.add(score.all_kept);
        row.success.add(score.success);
        row.constraints.join(score.constraints);
        row.lawful.join(score.lawful);
        row.refused.join(score.refused);
        row.answered.join(score.answered);
        if let Some(fields) = score.fields {
            row.fields.get_or_insert_default().join(fields);
        }
        row.well_formed.join(score.well_formed);
        if let Some(contexts) = score.contexts {
            row.contexts.get_or_insert_default().join(contexts);
        }
        row.tokens += score.tokens;
        row.calls += score.calls;
        for (at, kept) in score.turns.iter().enumerate() {
            row.places[at * PLACES / score.turns.len()].add(*kept);
        }
    }
    row
}

/// Tokens of a call on average, by its place in the dialogue.
fn cost(runs: &[&Run]) -> Vec<u64> {
    let mut places = vec![Spent::default(); PLACES];
    for run in runs {
        let cost = &run.score.cost;
        for (at, spent) in cost.iter().enumerate() {
            let place = &mut places[at * PLACES / cost.len()];
            place.calls += spent.calls;
            place.tokens += spent.tokens;
        }
    }
    let mean = |one: Spent| one.tokens.checked_div(one.calls).unwrap_or_default();
    places.into_iter().map(mean).collect()
}

/// pass^k (Yao et al. 2024, tau-bench, arXiv 2406.12045): of a dialogue with c
/// good runs of n, the share of choices of k runs that are all good, C(c, k) /
/// C(n, k); the mean over all dialogues and models.
fn pass_hat(runs: &[&Run]) -> Vec<f64> {
    let mut cells: BTreeMap<(&str, usize), Count> = BTreeMap::new();
    for run in runs {
        let cell = cells.entry((&run.model, run.dialogue)).or_default();
        cell.add(run.score.all_kept);
    }
    let n = cells.values().map(|cell| cell.of).min().unwrap_or(0);
    let mean = |k: u64| {
        let of_cell = |cell: &Count| (0..k).map(|i| ratio(cell.met, cell.of, i)).product::<f64>();
        let sum: f64 = cells.values().map(of_cell).sum();
        #[expect(clippy::cast_precision_loss, reason = "a count of dialogues")]
        let cells = cells.len().max(1) as f64;
        sum / cells
    };
    (1..=n).map(mean).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of runs")]
fn ratio(met: u64, of: u64, i: u64) -> f64 {
    met.saturating_sub(i) as f64 / (of - i) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drill::measure::Score;

    fn run(dialogue: usize, all_kept: bool) -> Run {
        let none = Count::default();
        Run {
            model: "m".to_owned(),
            method: Method::Steadfast,
            dialogue,
            speech: Speech::En,
            repeat: 0,
            score: Score {
                constraints: none,
                lawful: none,
                refused: none,
                fields: None,
                answered: none,
                all_kept,
                success: all_kept,
                turns: vec![all_kept],
                calls: 1,
                tokens: 1,
                breaches: Vec::new(),
                halted: None,
                well_formed: none,
                contexts: None,
                cost: vec![Spent::default()],
            },
        }
    }

    /// Two dialogues of four runs: 4 of 4 and 2 of 4 are good.
    #[test]
    fn pass_hat_counts_choices_of_runs() {
        let all = [true, true, true, true].map(|kept| run(0, kept));
        let half = [true, false, true, false].map(|kept| run(1, kept));
        let runs: Vec<&Run> = all.iter().chain(&half).collect();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let got = pass_hat(&runs);
        // C(2,2)/C(4,2) is 1/6; of three good ones there are none.
        let expected = [0.75, (1.0 + 1.0 / 6.0) / 2.0, 0.5, 0.5];
        assert!(
            got.iter().zip(expected).all(|(a, b)| close(*a, b)),
            "{got:?}"
        );
    }
}
