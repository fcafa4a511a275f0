//! `check-answer --reviewer`: the constraints in prose, judged by a model.

use steadfast::clock::SystemClock;
use steadfast::model::ask;
use steadfast_core::check::review::{self, Asked, Unclear};
use steadfast_core::check::{Outcome, Report, Why};
use steadfast_core::ledger::{Constraint, ConstraintId};
use steadfast_core::limits;

use crate::error::Error;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{model, store};

/// Puts a reviewer's verdicts into a report. A reviewer that cannot be asked, or
/// whose words cannot be taken, tells nothing: the report says why.
pub(super) async fn fill_in(
    reviewer: &str,
    answer: &str,
    constraints: &[Constraint],
    report: &mut Report,
    settings: &Settings,
    printer: &Printer,
) -> Result<(), Error> {
    let (model, why) = model::choose(reviewer, settings)?;
    printer.say(&format!("reviewer: {why}"));
    let open = constraints.iter().zip(&report.findings);
    let open = open.filter(|(_, one)| one.outcome == Outcome::NotChecked(Why::NeedsReader));
    let unread: Vec<Asked> = open.filter_map(|(one, _)| Asked::of(one)).collect();
    let words = |id: ConstraintId| {
        let one = unread.iter().find(|one| one.constraint == id);
        one.map_or_else(String::new, |one| one.text.clone())
    };
    for asked in unread.chunks(limits::REVIEW_CONSTRAINTS_MAX) {
        if answer.len() > limits::REVIEW_ANSWER_BYTES_MAX {
            let verdicts = review::cannot_tell(asked, Unclear::TooLong);
            review::fill_in(&mut report.findings, answer, &words, &verdicts);
            continue;
        }
        // Drawn at random, so that no text can know it.
        let mark = store::new_salt()?.seal_text(answer).hash.short();
        let request = review::request(asked, answer, &mark);
        let clock = SystemClock::new();
        let reply = ask(
            model.as_ref(),
            &clock,
            &request,
            limits::MODEL_TIMEOUT_MS_DEFAULT,
        );
        let verdicts = match reply.await {
            Ok(reply) => review::read(&reply, asked, answer),
            Err(error) => {
                printer.say(&format!("the reviewer gave no reply: {error}"));
                review::cannot_tell(asked, Unclear::Failed)
            }
        };
        review::fill_in(&mut report.findings, answer, &words, &verdicts);
    }
    Ok(())
}
