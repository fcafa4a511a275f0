//! The answer checks against recorded verdicts of the IFEval reference, on
//! answers of real models, beside the verdict "always kept" on the same rows.
//!
//! Detection of a language and counting of sentences rest on trained models in
//! the reference, so they are counted apart: `agreement` is without them,
//! `agreement_all` with them.

mod rows;
mod rules;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use steadfast::core::check::{self, CheckContext, Outcome, Profile, Set};
use steadfast::rules::StandardRules;

use super::score::share;
use super::{is_there, print};
use rows::Row;

/// Whose reading the checks follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Reading {
    /// The product's own, sensible one.
    Product,
    /// The reference's, oddities included.
    Ifeval,
}

/// Types that the reference judges by a trained model.
const APART: [&str; 2] = [
    "language:response_language",
    "length_constraints:number_sentences",
];

/// Verdicts against verdicts.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    both_kept: usize,
    both_broken: usize,
    /// The reference says kept, the check broken or not checked.
    false_alarms: usize,
    /// The reference says broken, the check kept or not checked.
    missed: usize,
    not_checked: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.both_kept += other.both_kept;
        self.both_broken += other.both_broken;
        self.false_alarms += other.false_alarms;
        self.missed += other.missed;
        self.not_checked += other.not_checked;
    }

    fn rows(&self) -> usize {
        self.both_kept + self.both_broken + self.false_alarms + self.missed
    }

    fn agreed(&self) -> usize {
        self.both_kept + self.both_broken
    }

    /// What "always kept" agrees on.
    fn kept(&self) -> usize {
        self.both_kept + self.false_alarms
    }

    fn broken(&self) -> usize {
        self.both_broken + self.missed
    }

    /// Cohen's kappa; none where chance alone would agree on all.
    fn kappa(&self) -> Option<f64> {
        let of = ratio(1, self.rows())?;
        let observed = ratio(self.agreed(), self.rows())?;
        let found_kept = float(self.both_kept + self.missed) * of;
        let kept = float(self.kept()) * of;
        let chance = kept * found_kept + (1.0 - kept) * (1.0 - found_kept);
        (chance < 1.0).then(|| (observed - chance) / (1.0 - chance))
    }

    fn line(&self, name: &str) -> String {
        let kappa = self
            .kappa()
            .map_or("  -  ".to_owned(), |kappa| format!("{kappa:.3}"));
        format!(
            "{name:<52} {:>5} rows  agreement {}  always kept {}  kappa {kappa}  recall on violated {}",
            self.rows(),
            share(self.agreed(), self.rows()),
            share(self.kept(), self.rows()),
            share(self.both_broken, self.broken()),
        )
    }

    fn json(&self) -> Value {
        json!({
            "rows": self.rows(), "agreed": self.agreed(), "violated": self.broken(),
            "agreement": ratio(self.agreed(), self.rows()),
            "always_kept": ratio(self.kept(), self.rows()),
            "kappa": self.kappa(),
            "recall_violated": ratio(self.both_broken, self.broken()),
            "false_alarms": self.false_alarms, "missed": self.missed,
            "not_checked": self.not_checked,
        })
    }
}

fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

fn ratio(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| float(part) / float(of))
}

/// All that was counted.
#[derive(Default)]
struct Figures {
    by_type: BTreeMap<String, Tally>,
    by_file: BTreeMap<String, Tally>,
    /// Constraints without a rule here, by type.
    not_covered: BTreeMap<String, usize>,
    differing: Vec<String>,
}

impl Figures {
    /// The sum over types; without those apart where `all` is false.
    fn total(&self, all: bool) -> Tally {
        let mut total = Tally::default();
        for (name, tally) in &self.by_type {
            if all || !is_apart(name) {
                total.add(*tally);
            }
        }
        total
    }
}

fn is_apart(name: &str) -> bool {
    APART.iter().any(|apart| name.ends_with(apart))
}

pub(super) fn run(data: &Path, reading: Reading, differing: bool, as_json: bool) -> Result<()> {
    let folder = data.join("ifeval");
    if !is_there(&folder) {
        return Ok(());
    }
    let (rows, left_out) = rows::read(&folder)?;
    ensure!(
        !rows.is_empty(),
        "no recorded verdicts in {}",
        folder.display()
    );
    let standard = StandardRules::default();
    let mut figures = Figures::default();
    for row in &rows {
        judge(row, reading, &standard, &mut figures);
    }
    report(&figures, reading, left_out, differing, as_json)
}

fn judge(row: &Row, reading: Reading, standard: &StandardRules, figures: &mut Figures) {
    // The first set names no language: `keywords:existence`.
    let (language, kind) = match row.kind.split_once(':') {
        Some((language, kind)) if kind.contains(':') => (language, kind),
        _ => ("en", row.kind.as_str()),
    };
    let Some(rules) = rules::of(language, kind, &row.arguments) else {
        *figures.not_covered.entry(row.kind.clone()).or_default() += 1;
        return;
    };
    let set = if language == "es" {
        Set::Spanish
    } else {
        Set::English
    };
    let asked = standard.rules();
    let context = CheckContext {
        schemas: asked.schemas,
        tokenizer: asked.tokenizer,
        sources: &[],
        profile: match reading {
            Reading::Product => Profile::Product,
            Reading::Ifeval => Profile::Ifeval(set),
        },
    };
    let outcomes: Vec<Outcome> = rules
        .iter()
        .map(|rule| check::check_rule(&row.response, rule, &context))
        .collect();
    // The reference takes an empty response to follow nothing.
    let blank = row.response.trim().is_empty();
    let broken = blank || outcomes.iter().any(|one| matches!(one, Outcome::Broken(_)));
    let open = !broken
        && outcomes
            .iter()
            .any(|one| matches!(one, Outcome::NotChecked(_)));
    let tally = Tally {
        both_kept: usize::from(row.followed && !broken && !open),
        both_broken: usize::from(!row.followed && broken),
        false_alarms: usize::from(row.followed && (broken || open)),
        missed: usize::from(!row.followed && !broken),
        not_checked: usize::from(open),
    };
    if tally.agreed() == 0 {
        let found = outcomes.iter().find_map(|one| match one {
            Outcome::Broken(evidence) => Some(format!(
                "broken: {}, allowed {}",
                evidence.found.en, evidence.allowed.en
            )),
            Outcome::NotChecked(why) => Some(format!("not checked: {}", why.said().en)),
            Outcome::Kept => None,
        });
        let found = found.unwrap_or_else(|| "kept".to_owned());
        let wanted = if row.followed { "kept" } else { "violated" };
        figures.differing.push(format!(
            "{}:{} {}: reference {wanted}, here {found}",
            row.file, row.line, row.kind
        ));
    }
    figures
        .by_type
        .entry(row.kind.clone())
        .or_default()
        .add(tally);
    let file = figures.by_file.entry(row.file.clone()).or_default();
    if !is_apart(&row.kind) {
        file.add(tally);
    }
}

fn report(
    figures: &Figures,
    reading: Reading,
    left_out: usize,
    differing: bool,
    as_json: bool,
) -> Result<()> {
    let (main, all) = (figures.total(false), figures.total(true));
    let not_covered: usize = figures.not_covered.values().sum();
    if as_json {
        let json_of = |tallies: &BTreeMap<String, Tally>| -> BTreeMap<String, Value> {
            tallies
                .iter()
                .map(|(name, tally)| (name.clone(), tally.json()))
                .collect()
        };
        let figures = json!({
            "profile": format!("{reading:?}").to_lowercase(),
            "rows": main.rows(), "rows_all": all.rows(),
            "agreement": ratio(main.agreed(), main.rows()),
            "agreement_all": ratio(all.agreed(), all.rows()),
            "kappa": main.kappa(), "kappa_all": all.kappa(),
            "recall_violated": ratio(main.both_broken, main.broken()),
            "always_kept": ratio(main.kept(), main.rows()),
            "always_kept_all": ratio(all.kept(), all.rows()),
            "apart": APART,
            "not_covered": figures.not_covered, "not_covered_rows": not_covered,
            "rows_left_out": left_out,
            "by_type": json_of(&figures.by_type),
            "by_file": json_of(&figures.by_file),
        });
        return print(&serde_json::to_string_pretty(&figures)?);
    }
    for (name, tally) in &figures.by_type {
        print(&tally.line(name))?;
    }
    print("")?;
    for (name, tally) in &figures.by_file {
        print(&tally.line(&format!("{name} (without those apart)")))?;
    }
    print("")?;
    print(&main.line("all but language and sentences"))?;
    print(&all.line("all"))?;
    if not_covered > 0 {
        print(&format!(
            "{not_covered} constraints not covered: {:?}",
            figures.not_covered
        ))?;
    }
    if left_out > 0 {
        print(&format!(
            "{left_out} answers left out: no arguments or no verdicts"
        ))?;
    }
    if differing {
        for line in &figures.differing {
            print(line)?;
        }
    }
    Ok(())
}
