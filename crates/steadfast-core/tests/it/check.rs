//! Answers checked against typed constraints: an answer and a rule in, one line
//! of verdict out.

mod any_input;
mod form;
mod kinds;
mod language;
mod sources;

use steadfast_core::check::{
    self, CheckContext, KnownSource, Outcome, Profile, Report, Tongue, Why,
};
use steadfast_core::id::Seq;
use steadfast_core::ledger::rule::{Bound, LengthUnit};
use steadfast_core::ledger::{Constraint, ConstraintId, Expiry, Force, Rule, Scope};
use steadfast_core::rules::ScriptEstimate;
use steadfast_core::source::Source;

use crate::harness::FewSchemas;

fn context(sources: &[KnownSource]) -> CheckContext<'_> {
    CheckContext {
        schemas: &FewSchemas,
        tokenizer: &ScriptEstimate,
        sources,
        profile: Profile::Product,
    }
}

/// `kept`, `broken: FOUND, allowed ALLOWED @LINE “QUOTE”…`, `not checked: WHY`.
fn verdict(answer: &str, rule: &Rule) -> String {
    shown(&check::check_rule(answer, rule, &context(&[])))
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Kept => "kept".to_owned(),
        Outcome::NotChecked(why) => format!("not checked: {}", why.said().en),
        Outcome::Broken(evidence) => {
            let places = evidence.places.iter();
            let places: Vec<String> = places
                .map(|place| format!(" @{} “{}”", place.line, place.quote))
                .collect();
            format!(
                "broken: {}, allowed {}{}",
                evidence.found.en,
                evidence.allowed.en,
                places.join("")
            )
        }
    }
}

fn length(unit: LengthUnit, bound: Bound<u64>) -> Rule {
    Rule::Length { unit, bound }
}

fn constraint(id: u32, words: &str, rule: Rule) -> Constraint {
    Constraint {
        id: ConstraintId(id),
        rule,
        force: Force::Must,
        scope: Scope::Task,
        expiry: Expiry::Never,
        source: Source::User {
            principal: "ann".into(),
        },
        message: Seq(1),
        words: words.to_owned(),
        since: 1,
        excepts: None,
    }
}

/// The length is counted in the unit asked for, and the message states the
/// measure and the limit.
#[test]
fn r91_lengths_by_the_unit_that_was_asked() {
    let turn = "Hola, te cuento que ayer fuimos al mercado con toda la familia y compramos frutas, verduras, pan y un ramo de flores para la abuela que cumple noventa años hoy mismo.";
    let words = length(LengthUnit::Words, Bound::at_most(25));
    let said = verdict(turn, &words);
    assert_eq!(
        said.split(" @").next(),
        Some("broken: 31 words, allowed at most 25 words")
    );
    assert_eq!(
        verdict(
            "今天我们讨论预算与进度安排以及下一步计划细节",
            &length(LengthUnit::Characters, Bound::at_most(20))
        ),
        "broken: 22 characters, allowed at most 20 characters @1 “细节”"
    );
    assert_eq!(
        verdict("👩‍👩‍👧ab", &length(LengthUnit::Graphemes, Bound::at_most(5))),
        "kept"
    );
}

/// A place never cuts a character in half, whatever the byte at which a limit
/// falls.
#[test]
fn r95_places_keep_emoji_whole() {
    let answer = "ab👩‍👩‍👧cd";
    for most in 0..6 {
        let rule = length(LengthUnit::Graphemes, Bound::at_most(most));
        let outcome = check::check_rule(answer, &rule, &context(&[]));
        let Outcome::Broken(evidence) = outcome else {
            assert_eq!(most, 5);
            continue;
        };
        let place = &evidence.places[0];
        assert_eq!(&answer[place.range()], place.quote);
        assert!(["ab👩‍👩‍👧cd", "b👩‍👩‍👧cd", "👩‍👩‍👧cd", "cd", "d"].contains(&place.quote.as_str()));
    }
}

/// What no rule can judge is never reported as kept.
#[test]
fn prose_and_deeds_are_not_checked() {
    let prose = Rule::Prose {
        text: "语气友好".to_owned(),
    };
    let permission = Rule::Permission {
        name: "network".to_owned(),
        allowed: false,
    };
    let all = [
        constraint(1, "语气友好", prose),
        constraint(2, "不联网", permission),
    ];
    let report = check::check("好的。", &all, &context(&[]));
    let outcomes: Vec<&Outcome> = report.findings.iter().map(|one| &one.outcome).collect();
    assert_eq!(
        outcomes,
        [
            &Outcome::NotChecked(Why::NeedsReader),
            &Outcome::NotChecked(Why::NotInAnswer)
        ]
    );
    assert_eq!(report.breaches().count(), 0);
    assert_eq!(report.not_checked().count(), 2);
    assert_eq!(report.repair(&all, Tongue::English), "");
}

/// A repair names the constraint, quotes what broke it and asks for nothing
/// else; wishes and kept constraints are not in it.
#[test]
fn a_repair_asks_for_what_is_broken_only() {
    let comma = |bound| Rule::Punctuation {
        marks: ",".to_owned(),
        bound,
    };
    let mut wish = constraint(3, "少用逗号", comma(Bound::at_most(0)));
    wish.force = Force::Should;
    let all = [
        constraint(1, "不要用逗号", comma(Bound::at_most(0))),
        constraint(
            2,
            "控制在 100 字以内",
            length(LengthUnit::Characters, Bound::at_most(100)),
        ),
        wish,
    ];
    let report = check::check("第一，快。\n第二,好。", &all, &context(&[]));
    assert_eq!(
        report.repair(&all, Tongue::Chinese),
        "答案不符合约束 c1（“不要用逗号”）。允许：至多 0 个“,”。实际：2 个“,”。\
         位置：第 1 行“，”；第 2 行“,”。只改正这一点，其余保持不变。"
    );
    assert_eq!(
        report.repair(&all, Tongue::English),
        "The answer breaks constraint c1 (“不要用逗号”). Allowed: at most 0 of the mark `,`. \
         Found: 2 of the mark `,`. Where: line 1 “，”; line 2 “,”. \
         Mend only this and leave the rest as it is."
    );
}

/// Reports are kept in logs and read by programs.
#[test]
fn a_report_survives_json() {
    let all = [
        constraint(1, "≤ 2 words", length(LengthUnit::Words, Bound::at_most(2))),
        constraint(
            2,
            "be kind",
            Rule::Prose {
                text: "be kind".to_owned(),
            },
        ),
        constraint(3, "≤ 9 lines", length(LengthUnit::Lines, Bound::at_most(9))),
    ];
    let report = check::check("one two three", &all, &context(&[]));
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    assert_eq!(
        serde_json::to_value(&report).unwrap()["findings"][0],
        serde_json::json!({
            "constraint": 1, "force": "must", "outcome": "broken",
            "found": {"zh": "3 个词", "en": "3 words"},
            "allowed": {"zh": "至多 2 个词", "en": "at most 2 words"},
            "places": [{"start": 8, "end": 13, "line": 1, "quote": "three"}],
            "places_total": 1,
        })
    );
}
