//! What the reader makes of expiry, place, counts, named skills, output and
//! wishes: the same in Chinese and English.

use serde_json::json;
use steadfast_core::id::StateName;
use steadfast_core::ledger::constraint::{ConstraintId, Expiry, Force, Scope};
use steadfast_core::ledger::patch::{Draft, Operation, OutputContract};
use steadfast_core::ledger::rule::{
    Action, ActionKind, ActionMode, Bound, Format, LengthUnit, Matching, Part, Rule,
};
use steadfast_core::text::date::calendar::Day;
use steadfast_core::text::reader::{Active, LedgerView, Moment, read_message};

fn day(year: i64, month: i64, day: i64) -> Day {
    Day::civil(year, month, day).unwrap()
}

/// Read on Wednesday, 11 March 2026, in the state `draft`.
fn read(text: &str, rules: &[Rule]) -> Vec<Operation> {
    let state = StateName::from("draft");
    let active = (1u32..).zip(rules).map(|(id, rule)| Active {
        id: ConstraintId(id),
        rule,
    });
    let view = LedgerView {
        active: active.collect(),
        moment: Moment {
            now: Some(day(2026, 3, 11).begins().plus_ms(12 * 60 * 60 * 1_000)),
            state: Some(&state),
            phase: None,
        },
    };
    let reading = read_message(text, Some(&view));
    let operations = reading.patches.into_iter();
    operations.map(|patch| patch.operation).collect()
}

fn both(pairs: [&str; 2], rules: &[Rule], wanted: &[Operation]) {
    for text in pairs {
        assert_eq!(read(text, rules), wanted, "{text}");
    }
}

fn add(rule: Rule) -> Operation {
    Operation::Add(Draft::must(rule))
}

fn deed(mode: ActionMode, action: Action) -> Rule {
    Rule::Action { mode, action }
}

fn language(tag: &str) -> Rule {
    Rule::Language {
        language: tag.to_owned(),
    }
}

#[test]
fn a_ban_until_a_day_ends_with_that_day() {
    let ban = Operation::Add(Draft {
        expiry: Expiry::At(day(2026, 3, 13).ends()),
        ..Draft::must(deed(ActionMode::Forbid, Action::Kind(ActionKind::Publish)))
    });
    both(
        [
            "到周五为止不要发布",
            "Until Friday, do not publish anything.",
        ],
        &[],
        &[ban],
    );
}

#[test]
fn a_change_for_some_answers_is_an_exception_that_ends_with_them() {
    let three = Expiry::Turns(2);
    let exception = Operation::Exception {
        target: Some(ConstraintId(1)),
        with: Some(Draft {
            expiry: three.clone(),
            ..Draft::must(language("en"))
        }),
        expiry: three,
    };
    both(
        [
            "接下来三轮改成英文",
            "For the next three answers, switch to English.",
        ],
        &[language("zh")],
        &[exception],
    );
}

/// A guard that opens for some days is asked about like any other.
#[test]
fn a_guard_that_opens_for_a_while_is_asked_about() {
    let budget = |value| Rule::Amount {
        name: "budget".to_owned(),
        bound: Bound::at_most(value),
        unit: None,
    };
    for text in [
        "未来两天预算提高到900",
        "Raise the budget to 900 for the next two days",
    ] {
        let operations = read(text, &[budget("500".parse().unwrap())]);
        let [Operation::Ask { options, .. }] = operations.as_slice() else {
            panic!("{text}: {operations:?}");
        };
        let [
            Operation::Exception {
                target: Some(ConstraintId(1)),
                expiry: Expiry::At(at),
                ..
            },
        ] = options.as_slice()
        else {
            panic!("{text}: {options:?}");
        };
        let half_a_day = 12 * 60 * 60 * 1_000;
        assert_eq!(*at, day(2026, 3, 13).begins().plus_ms(half_a_day));
    }
}

#[test]
fn a_rule_of_one_section_holds_in_the_state_of_the_work() {
    let here = Operation::Add(Draft {
        scope: Scope::State(StateName::from("draft")),
        ..Draft::must(Rule::Structure {
            part: Part::Bullets,
            bound: Bound::at_most(4),
        })
    });
    both(
        [
            "本节最多列 4 个要点",
            "In this section only, use at most 4 bullet points.",
        ],
        &[],
        &[here],
    );
}

#[test]
fn letters_and_words_are_counted() {
    let letters = |bound| {
        add(Rule::Letters {
            letters: "z".to_owned(),
            bound,
        })
    };
    both(
        [
            "字母 z 至少出现三次",
            "The letter z should appear at least three times.",
        ],
        &[],
        &[letters(Bound::at_least(3))],
    );
    both(
        ["不要出现字母“z”", "Do not use the letter \"z\"."],
        &[],
        &[letters(Bound::at_most(0))],
    );
    let phrase = |bound, whole_words| {
        add(Rule::Phrase {
            text: "QR".to_owned(),
            bound,
            matching: Matching {
                case_sensitive: false,
                whole_words,
            },
        })
    };
    both(
        [
            "“QR”这个词最多出现两次",
            "Use the word \"QR\" at most twice.",
        ],
        &[],
        &[phrase(Bound::at_most(2), true)],
    );
}

#[test]
fn a_named_skill_is_required_or_forbidden() {
    let skill = |mode| add(deed(mode, Action::Skill("run_lint".into())));
    both(
        [
            "每次提交前必须先运行 `run_lint`",
            "Always run `run_lint` before you commit.",
        ],
        &[],
        &[skill(ActionMode::Require)],
    );
    both(
        ["不要调用 run_lint", "Never call run_lint."],
        &[],
        &[skill(ActionMode::Forbid)],
    );
    // Words that no check can hold stay words.
    for text in ["必须先备份再改配置", "Always back up before you migrate."] {
        let operations = read(text, &[]);
        assert!(
            matches!(
                operations.as_slice(),
                [Operation::Add(Draft {
                    rule: Rule::Prose { .. },
                    ..
                })]
            ),
            "{operations:?}"
        );
    }
}

#[test]
fn fields_of_a_json_answer_become_its_schema() {
    let output = |names: &[&str]| {
        let properties: serde_json::Map<_, _> = names
            .iter()
            .map(|name| ((*name).to_owned(), json!({})))
            .collect();
        Operation::SetOutput {
            output: OutputContract {
                format: Some(Format::Json {
                    schema: Some(json!({
                        "type": "object", "required": names, "properties": properties
                    })),
                }),
                schema: None,
            },
        }
    };
    both(
        [
            "请以 JSON 输出，字段为 title、score 和 due_date",
            "Answer as JSON with the fields title, score and due_date.",
        ],
        &[],
        &[output(&["title", "score", "due_date"])],
    );
    both(
        [
            "用 JSON 返回，包含 name、age 两个字段",
            "Return JSON with name and age fields.",
        ],
        &[],
        &[output(&["name", "age"])],
    );
    let json = Operation::SetOutput {
        output: OutputContract {
            format: Some(Format::Json { schema: None }),
            schema: None,
        },
    };
    both(
        ["以后都用 JSON 输出", "From now on, output JSON."],
        &[],
        &[json],
    );
}

#[test]
fn a_wish_does_not_bind() {
    let wish = Operation::Add(Draft {
        force: Force::Should,
        ..Draft::must(language("en"))
    });
    both(
        [
            "如果可以的话，请用英文回答",
            "If possible, answer in English.",
        ],
        &[],
        &[wish],
    );
    let length = Rule::Length {
        unit: LengthUnit::Sentences,
        bound: Bound::at_most(3),
    };
    both(
        ["不超过三句话", "At most three sentences"],
        &[],
        &[add(length)],
    );
}

/// The words that a term is told in belong to what the rule rests on.
#[test]
fn the_citation_holds_the_term() {
    for text in [
        "到2099年5月3日为止不要发布",
        "Do not publish until May 3, 2099",
    ] {
        let view = LedgerView {
            moment: Moment {
                now: Some(day(2026, 3, 11).begins()),
                ..Moment::default()
            },
            ..LedgerView::default()
        };
        let reading = read_message(text, Some(&view));
        let spans: Vec<&str> = reading
            .patches
            .iter()
            .map(|patch| &text[patch.span.clone()])
            .collect();
        assert_eq!(spans, [text]);
    }
}
