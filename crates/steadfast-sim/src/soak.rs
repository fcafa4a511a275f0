//! A soak of the assembler: random logs, and at random points of them contexts
//! for random windows, output reserves and tokenizers.
//!
//! Held of every context: each hard rule in force stands in it in its own words
//! and none that was superseded (G3); what was promised to the answer is free;
//! calls and results stand in pairs and within the window (G11); it comes out
//! again byte for byte from its stored pieces (G5), and the same whether the
//! context before is known or not. What cannot fit is told as such, with a size
//! that is enough. Of every log: the fold of its events is the live state.
//!
//! A case is one context for one window, reserve and tokenizer. What is in force
//! is kept track of from the events, not asked of the ledger.

mod check;
mod count;
mod life;

use steadfast::rules::StandardRules;
use steadfast_core::rules::{ScriptEstimate, Tokenizer};

use crate::dice::Dice;
pub use count::Synthetic;
use life::Life;

/// Contexts that are tried at one point of a log.
const CASES_PER_POINT: u64 = 8;
/// Violations that a report keeps in words; it counts the rest.
const SHOWN_MAX: usize = 20;

/// What a soak saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub logs: u64,
    pub events: u64,
    pub cases: u64,
    /// Cases in which what must be shown did not fit, and that said so.
    pub infeasible: u64,
    /// Cases in which something optional had to be left out.
    pub cut: u64,
    /// Rules in force, over all cases, that were looked for and found.
    pub rules: u64,
    /// Superseded ones that were looked for and not found.
    pub superseded: u64,
    pub violations: u64,
    /// The first of them in words, each with the seed of its log.
    pub shown: Vec<String>,
}

impl Report {
    pub fn add(&mut self, other: Report) {
        self.logs += other.logs;
        self.events += other.events;
        self.cases += other.cases;
        self.infeasible += other.infeasible;
        self.cut += other.cut;
        self.rules += other.rules;
        self.superseded += other.superseded;
        self.violations += other.violations;
        let room = SHOWN_MAX.saturating_sub(self.shown.len());
        self.shown.extend(other.shown.into_iter().take(room));
    }

    fn violation(&mut self, seed: u64, what: &str) {
        self.violations += 1;
        if self.shown.len() < SHOWN_MAX {
            self.shown.push(format!("log {seed}: {what}"));
        }
    }
}

/// Whose tokens are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Counters with random weights, and the script estimate.
    Synthetic,
    /// The tokenizers of real models, and the script estimate.
    Real,
}

/// Plays the log of one seed and tries contexts at all of its points.
pub fn soak(seed: u64, counting: Counting, rules: &StandardRules) -> Report {
    let mut report = Report {
        logs: 1,
        ..Report::default()
    };
    let mut dice = Dice::of(&[seed, 0x50a7]);
    let tokenizer = pick(counting, &mut dice);
    let mut life = Life::begin(dice.roll(), rules, tokenizer.as_ref());
    let moves = 1 + dice.below(24);
    for _ in 0..moves {
        for what in life.take_violations() {
            report.violation(seed, &what);
        }
        point(seed, &life, counting, &mut dice, &mut report);
        if !life.go_on() {
            break;
        }
    }
    life.finish();
    for what in life.take_violations() {
        report.violation(seed, &what);
    }
    report.events = life.events();
    report
}

/// Shows on contexts that are broken by hand that the checks notice it: a soak
/// that would not is worth nothing.
///
/// # Errors
///
/// The break that was not noticed, in words.
pub fn notices(rules: &StandardRules) -> Result<(), String> {
    let tokenizer = ScriptEstimate;
    for seed in 0..200 {
        let mut life = Life::begin(seed, rules, &tokenizer);
        for _ in 0..24 {
            if check::notices(&life, &tokenizer)? {
                return Ok(());
            }
            if !life.go_on() {
                break;
            }
        }
    }
    Err("no log has all that is to be broken".to_owned())
}

/// Contexts of the moment before the last model call.
fn point(seed: u64, life: &Life<'_>, counting: Counting, dice: &mut Dice, report: &mut Report) {
    let Some(basis) = life.basis() else { return };
    let mut bases = check::Bases::of(basis);
    for _ in 0..CASES_PER_POINT {
        let tokenizer = pick(counting, dice);
        let case = check::Case::roll(dice, tokenizer.as_ref());
        report.cases += 1;
        match bases.hold(&case, life) {
            Ok(held) => {
                report.infeasible += u64::from(held.infeasible);
                report.cut += u64::from(held.cut);
                report.rules += held.rules;
                report.superseded += held.superseded;
            }
            Err(what) => report.violation(seed, &format!("{case}: {what}")),
        }
    }
}

fn pick(counting: Counting, dice: &mut Dice) -> Box<dyn Tokenizer> {
    use steadfast::rules::{BpeTokenizer, Encoding};
    match (counting, dice.below(5)) {
        (_, 0) => Box::new(ScriptEstimate),
        (Counting::Synthetic, _) => Box::new(Synthetic::roll(dice)),
        (Counting::Real, 1 | 2) => Box::new(BpeTokenizer::new(Encoding::Cl100k)),
        (Counting::Real, _) => Box::new(BpeTokenizer::new(Encoding::O200k)),
    }
}
