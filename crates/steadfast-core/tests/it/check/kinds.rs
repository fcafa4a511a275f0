//! Words, letters, marks, beginnings and ends, amounts and dates.

use steadfast_core::ledger::Rule;
use steadfast_core::ledger::rule::{Bound, End, LetterCase, Matching};

use super::verdict;

fn phrase(answer: &str, text: &str, bound: Bound<u64>, whole_words: bool) -> String {
    let matching = Matching {
        case_sensitive: false,
        whole_words,
    };
    verdict(
        answer,
        &Rule::Phrase {
            text: text.to_owned(),
            bound,
            matching,
        },
    )
}

#[test]
fn phrases_in_any_case_and_width() {
    assert_eq!(
        phrase("Risk, RISK and ｒｉｓｋ", "risk", Bound::exactly(3), true),
        "kept"
    );
    assert_eq!(
        phrase("The İstanbul CATALOG", "cat", Bound::at_most(0), false),
        "broken: 1 times “cat”, allowed at most 0 times “cat” @1 “CAT”"
    );
    assert_eq!(
        phrase("The CATALOG", "cat", Bound::at_most(0), true),
        "kept"
    );
    // Chinese has no borders of words.
    assert_eq!(
        phrase("本次最低价为", "最低", Bound::at_most(0), true),
        "broken: 1 times “最低”, allowed at most 0 times “最低” @1 “最低”"
    );
    assert_eq!(
        phrase("无", "风险提示", Bound::at_least(1), false),
        "broken: 0 times “风险提示”, allowed at least 1 times “风险提示”"
    );
    assert_eq!(
        phrase("x", " ", Bound::at_least(1), false),
        "not checked: the constraint asks for nothing"
    );
}

#[test]
fn letters_and_marks() {
    let letters = |answer: &str, letters: &str, bound| {
        verdict(
            answer,
            &Rule::Letters {
                letters: letters.to_owned(),
                bound,
            },
        )
    };
    assert_eq!(letters("Banana", "A", Bound::exactly(3)), "kept");
    assert_eq!(
        letters("Banana", "a", Bound::less_than(3)),
        "broken: 3 times the letter `a`, allowed fewer than 3 times the letter `a` @1 “a”"
    );
    let words = Rule::WordsWithLetters {
        letters: "áéíóú".to_owned(),
        bound: Bound::exactly(2),
    };
    assert_eq!(
        verdict("Él está aquí", &words).split(',').next(),
        Some("broken: 3 words with `áéíóú`")
    );
    let marks = |answer: &str, marks: &str| {
        verdict(
            answer,
            &Rule::Punctuation {
                marks: marks.to_owned(),
                bound: Bound::at_most(0),
            },
        )
    };
    assert_eq!(
        marks("一，二,三", ","),
        "broken: 2 of the mark `,`, allowed at most 0 of the mark `,` @1 “，” @1 “,”"
    );
    assert_eq!(marks("一、二", "，"), "kept");
    assert_eq!(marks("版本 3.5 见 a.txt", "。"), "kept");
    assert!(marks("完。", ".").starts_with("broken: 1"));
}

#[test]
fn case() {
    let case = |answer: &str, case| verdict(answer, &Rule::Case { case });
    assert_eq!(
        case("ALL `code` IS 好 HTTPS://A.B 1", LetterCase::Upper),
        "kept"
    );
    assert_eq!(
        case("all But one", LetterCase::Lower),
        "broken: 1 words in another case, allowed small letters only @1 “But”"
    );
    assert_eq!(case("The Lord of the Rings", LetterCase::Title), "kept");
    assert_eq!(case("全是中文。", LetterCase::Upper), "kept");
    let capitals = |answer: &str| {
        verdict(
            answer,
            &Rule::CapitalWords {
                bound: Bound::at_least(2),
            },
        )
    };
    assert_eq!(capitals("NASA and I saw a UFO-X"), "kept");
    assert!(capitals("I saw A cat").starts_with("broken: 0"));
}

#[test]
fn beginnings_and_ends() {
    let starts = |answer: &str| {
        verdict(
            answer,
            &Rule::StartsWith {
                text: "尊敬的".to_owned(),
            },
        )
    };
    assert_eq!(starts("\n**尊敬的客户**："), "kept");
    assert_eq!(
        starts("您好"),
        "broken: other words, allowed beginning with “尊敬的” @1 “您好”"
    );
    let ends = |answer: &str| {
        verdict(
            answer,
            &Rule::EndsWith {
                text: "Over and out.".to_owned(),
            },
        )
    };
    assert_eq!(ends("Done. *Over and out.*\n"), "kept");
    assert!(ends("Over and out. Bye.").starts_with("broken"));
    let plain = Rule::EndsWith {
        text: "此致敬礼".to_owned(),
    };
    assert_eq!(verdict("……\n此致敬礼！", &plain), "kept");
    for quoted in ["\"a\"", "“一”", "「一」"] {
        assert_eq!(verdict(quoted, &Rule::Quoted), "kept");
    }
    for other in ["\"", "“a\"", "a"] {
        assert!(
            verdict(other, &Rule::Quoted).starts_with("broken"),
            "{other}"
        );
    }
    let one_of = Rule::OneOf {
        options: vec!["是".to_owned(), "否".to_owned()],
    };
    assert_eq!(verdict("**是**。", &one_of), "kept");
    assert!(verdict("是的，因为……", &one_of).starts_with("broken"));
    let repeat = Rule::Repeat {
        text: "写一首诗\n关于秋天".to_owned(),
    };
    assert_eq!(verdict("写一首诗\r\n关于秋天\n秋风……", &repeat), "kept");
    assert_eq!(
        verdict("写一首诗\n关于春天", &repeat),
        "broken: it differs from here on, allowed repeating word for word first: “写一首诗\n关于秋天” @2 “春天”"
    );
}

#[test]
fn first_words_of_paragraphs() {
    let rule = Rule::ParagraphStart {
        paragraph: 2,
        paragraphs: Some(2),
        word: "However".to_owned(),
    };
    assert_eq!(verdict("# T\n\na\n\n**however**, b", &rule), "kept");
    assert!(verdict("a\n\nHoweverly", &rule).starts_with("broken: other words"));
    assert_eq!(
        verdict("a", &rule),
        "broken: 1 paragraphs, allowed 2 paragraphs, and paragraph 2 beginning with “However”"
    );
}

fn budget(answer: &str) -> String {
    let bound = Bound {
        min: None,
        max: Some(End {
            value: 5000.into(),
            open: false,
        }),
        about: None,
    };
    verdict(
        answer,
        &Rule::Amount {
            name: "budget".to_owned(),
            bound,
            unit: Some("CNY".to_owned()),
        },
    )
}

/// A breach is claimed only where the name, an equating word and the amount
/// stand together; all else is left to a reader.
#[test]
fn amounts_only_where_certain() {
    assert_eq!(
        budget("总预算：8,000 元。"),
        "broken: budget 8000 CNY, allowed budget at most 5000 CNY @1 “8,000 元”"
    );
    assert!(budget("The budget is CNY 0.8 million.").starts_with("broken: budget 800000 CNY"));
    assert!(budget("预算为人民币1.2万元").starts_with("broken: budget 12000 CNY"));
    assert_eq!(budget("The total budget is ¥4,999.50."), "kept");
    for open in [
        "原预算为 8000 元，现已下调。",
        "如果预算为 8000 元，则……",
        "预算不是 8000 元。",
        "预算为 4000 至 8000 元",
        "The budget is $8,000.",
        "The budget is 8000.",
        "The budgetary item is CNY 8000.",
        "预算为 8000 元以内的一半",
        "很贵。",
    ] {
        assert!(
            budget(open).starts_with("not checked"),
            "{open}: {}",
            budget(open)
        );
    }
}

#[test]
fn dates_only_where_certain() {
    let date = |answer: &str| {
        let bound = Bound::at_most("2026-05-01".to_owned());
        verdict(
            answer,
            &Rule::Date {
                name: "deadline".to_owned(),
                bound,
            },
        )
    };
    assert_eq!(
        date("截止日期为2026年5月12日。"),
        "broken: deadline 2026-05-12, allowed deadline not after 2026-05-01 @1 “2026年5月12日”"
    );
    assert_eq!(date("The deadline is 2026-04-30."), "kept");
    assert!(date("The deadline was 2026-05-12.").starts_with("not checked"));
    assert!(date("The deadline is May 12.").starts_with("not checked"));
}

/// An estimate of tokens is an upper one: it shows that a maximum is kept, and
/// a breach only of a minimum.
#[test]
fn estimated_tokens_decide_on_one_side_only() {
    let tokens = |bound| {
        let unit = steadfast_core::ledger::rule::LengthUnit::Tokens;
        verdict("一二三四五", &Rule::Length { unit, bound })
    };
    let open = "not checked: the answer does not name it in a form that is certain";
    assert_eq!(tokens(Bound::at_most(5)), "kept");
    assert_eq!(tokens(Bound::at_most(4)), open);
    assert_eq!(tokens(Bound::at_least(5)), open);
    assert_eq!(
        tokens(Bound::at_least(6)),
        "broken: 5 tokens, allowed at least 6 tokens"
    );
}
