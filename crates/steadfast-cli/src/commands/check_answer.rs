//! `steadfast check-answer`: whether a text keeps the constraints of a file.

mod given;
mod reviewed;

use std::path::Path;

use serde::Serialize;
use steadfast::rules::StandardRules;
use steadfast_core::check::{self, CheckContext, Finding, Outcome, Profile, Report, Tongue};
use steadfast_core::ledger::{Constraint, Force};

use crate::args::CheckAnswer;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::printer::Printer;
use crate::settings::Settings;

/// The report as programs read it.
#[derive(Serialize)]
struct Findings<'a> {
    file: String,
    broken: usize,
    not_checked: usize,
    findings: Vec<Shown<'a>>,
    /// The request to mend what is broken; empty where nothing is.
    repair: Repair,
}

#[derive(Serialize)]
struct Shown<'a> {
    words: &'a str,
    #[serde(flatten)]
    finding: &'a Finding,
}

#[derive(Serialize)]
struct Repair {
    zh: String,
    en: String,
}

pub(crate) async fn run(
    args: &CheckAnswer,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let answer = if args.file == Path::new("-") {
        input::text("-")?
    } else {
        input::file("answer", &args.file)?
    };
    let constraints = given::constraints(&args.ledger)?;
    let sources = match &args.sources {
        Some(path) => given::sources(path)?,
        None => Vec::new(),
    };
    let standard = match &args.model {
        Some(model) => StandardRules::for_model(model),
        None => StandardRules::default(),
    };
    let asked = standard.rules();
    let context = CheckContext {
        schemas: asked.schemas,
        tokenizer: asked.tokenizer,
        sources: &sources,
        profile: Profile::Product,
    };
    let mut report = check::check(&answer, &constraints, &context);
    if let Some(reviewer) = &args.reviewer {
        let report = &mut report;
        reviewed::fill_in(reviewer, &answer, &constraints, report, settings, printer).await?;
    }
    show(args, &constraints, &report, printer)?;
    let hard = |one: &&Finding| one.force == Force::Must;
    let open = args.strict && report.not_checked().filter(hard).count() > 0;
    Ok(if open || report.breaches().count() > 0 {
        Exit::Halted
    } else {
        Exit::Ok
    })
}

fn show(
    args: &CheckAnswer,
    constraints: &[Constraint],
    report: &Report,
    printer: &Printer,
) -> Result<(), Error> {
    let file = args.file.display().to_string();
    let all = report.findings.iter();
    let broken = all
        .filter(|one| matches!(one.outcome, Outcome::Broken(_)))
        .count();
    let not_checked = report.not_checked().count();
    if printer.json {
        let shown = constraints.iter().zip(&report.findings);
        let shown = shown.map(|(constraint, finding)| Shown {
            words: &constraint.words,
            finding,
        });
        return printer.json(&Findings {
            file,
            broken,
            not_checked,
            findings: shown.collect(),
            repair: Repair {
                zh: report.repair(constraints, Tongue::Chinese),
                en: report.repair(constraints, Tongue::English),
            },
        });
    }
    for (constraint, finding) in constraints.iter().zip(&report.findings) {
        printer.data(&lines(&file, constraint, finding))?;
    }
    let kept = constraints.len() - broken - not_checked;
    printer.say(&format!(
        "{file}: {kept} kept, {broken} broken, {not_checked} not checked"
    ));
    Ok(())
}

/// One constraint: its outcome, and below it the places.
fn lines(file: &str, constraint: &Constraint, finding: &Finding) -> String {
    let words = constraint.words.replace('\n', " ");
    let wish = match finding.force {
        Force::Must => "",
        Force::Should => " (a wish)",
    };
    match &finding.outcome {
        Outcome::Kept => format!("kept         {}{wish} “{words}”", constraint.id),
        Outcome::NotChecked(why) => format!(
            "not checked  {}{wish} “{words}”: {}",
            constraint.id,
            why.said().en
        ),
        Outcome::Broken(evidence) => {
            let mut text = format!(
                "broken       {}{wish} “{words}”: found {}; allowed {}",
                constraint.id, evidence.found.en, evidence.allowed.en
            );
            for place in &evidence.places {
                let quote = place.quote.replace('\n', " ");
                text += &format!("\n             {file}:{}: {quote}", place.line);
            }
            let shown = u64::try_from(evidence.places.len()).unwrap_or(u64::MAX);
            if evidence.places_total > shown {
                text += &format!("\n             and {} more", evidence.places_total - shown);
            }
            text
        }
    }
}
