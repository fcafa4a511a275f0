//! Any text under any rule: an outcome, no panic, places that stand in the
//! text, and time that grows no faster than the text.

use proptest::prelude::*;
use steadfast_core::check::{self, CheckContext, Outcome, Profile, Set};
use steadfast_core::ledger::Rule;
use steadfast_core::ledger::rule::{
    Bound, Format, LengthUnit, LetterCase, Matching, Part, SourceMatch, SourceMode,
};

use super::context;

/// One rule of each kind and shape.
fn rules() -> Vec<Rule> {
    let mut all = vec![
        Rule::Quoted,
        Rule::CapitalWords {
            bound: Bound::at_most(0),
        },
        Rule::Letters {
            letters: "aÑ".into(),
            bound: Bound::at_most(0),
        },
        Rule::WordsWithLetters {
            letters: "é".into(),
            bound: Bound::at_most(0),
        },
        Rule::Punctuation {
            marks: ",.?".into(),
            bound: Bound::at_most(0),
        },
        Rule::StartsWith {
            text: "一a".into()
        },
        Rule::EndsWith { text: "。".into() },
        Rule::Repeat {
            text: "a\n一".into(),
        },
        Rule::OneOf {
            options: vec!["是".into()],
        },
        Rule::ParagraphStart {
            paragraph: 1,
            paragraphs: None,
            word: "a".into(),
        },
        Rule::Amount {
            name: "budget".into(),
            bound: Bound::at_most(5.into()),
            unit: None,
        },
        Rule::Date {
            name: "截止日期".into(),
            bound: Bound::at_most("2026-01-01".into()),
        },
        Rule::Prose { text: "x".into() },
    ];
    for language in ["zh", "en", "ja", "ar", "hi", "ru", "th", "xx"] {
        all.push(Rule::Language {
            language: language.into(),
        });
    }
    for unit in [
        LengthUnit::Characters,
        LengthUnit::Graphemes,
        LengthUnit::Words,
        LengthUnit::Sentences,
        LengthUnit::Paragraphs,
        LengthUnit::Lines,
        LengthUnit::Tokens,
    ] {
        all.push(Rule::Length {
            unit,
            bound: Bound::at_most(1),
        });
    }
    for format in [
        Format::Plain,
        Format::Markdown,
        Format::Html,
        Format::Csv,
        Format::Json { schema: None },
    ] {
        all.push(Rule::Format { format });
    }
    let marker = || "第".to_owned();
    for part in [
        Part::Bullets,
        Part::NumberedItems,
        Part::Sections { marker: None },
        Part::Sections {
            marker: Some(marker()),
        },
        Part::Title,
        Part::Headings,
        Part::Tables,
        Part::CodeFences,
        Part::Highlights,
        Part::Placeholders,
        Part::Postscript { marker: marker() },
        Part::Responses,
        Part::Links,
        Part::Citations,
        Part::Questions,
        Part::Exclamations,
    ] {
        all.push(Rule::Structure {
            part,
            bound: Bound::at_most(0),
        });
    }
    for mode in [SourceMode::Allow, SourceMode::Deny] {
        let sources = vec![
            SourceMatch::Domain("a.cn".into()),
            SourceMatch::Grade("retrieved".into()),
        ];
        all.push(Rule::Sources { mode, sources });
    }
    for case in [LetterCase::Upper, LetterCase::Lower, LetterCase::Title] {
        all.push(Rule::Case { case });
    }
    for (case_sensitive, whole_words) in [(false, false), (true, true), (false, true)] {
        let matching = Matching {
            case_sensitive,
            whole_words,
        };
        all.push(Rule::Phrase {
            text: "aİ.".into(),
            bound: Bound::at_most(0),
            matching,
        });
    }
    all
}

fn judge_all(text: &str) {
    for profile in [
        Profile::Product,
        Profile::Ifeval(Set::English),
        Profile::Ifeval(Set::Spanish),
    ] {
        let context = CheckContext {
            profile,
            ..context(&[])
        };
        for rule in rules() {
            let outcome = check::check_rule(text, &rule, &context);
            let Outcome::Broken(evidence) = outcome else {
                continue;
            };
            for place in &evidence.places {
                let inside = text.get(place.range());
                let inside =
                    inside.unwrap_or_else(|| panic!("{rule:?}: {place:?} is not in {text:?}"));
                let quote = place.quote.trim_end_matches('…');
                assert!(inside.starts_with(quote), "{rule:?}: {place:?} in {text:?}");
                assert_eq!(
                    text[..place.range().start].matches('\n').count() + 1,
                    usize::try_from(place.line).unwrap()
                );
            }
            assert!(evidence.places_total >= evidence.places.len() as u64);
        }
    }
}

/// Pieces that mean something to some reader.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "*",
        "**",
        "***",
        "******",
        "-",
        "- ",
        "# ",
        "## ",
        "```",
        "~~~",
        "`",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "[",
        "]",
        "[1]",
        "](",
        ")",
        "【",
        "】",
        "<<",
        ">>",
        "<",
        ">",
        "</b>",
        "<b>",
        "\"",
        "“",
        "”",
        "「",
        "」",
        "{",
        "}",
        "\"a\":",
        ",",
        "，",
        "。",
        ".",
        "!",
        "？",
        "¿",
        "a",
        "A",
        "é",
        "e\u{301}",
        "İ",
        "ß",
        "字",
        "か",
        "한",
        "я",
        "ع",
        "ह",
        "ไ",
        "😀",
        "👩‍👩‍👧",
        "\u{200d}",
        "\u{feff}",
        "https://",
        "www.a.cn",
        "a.cn/",
        "@",
        "%zz",
        "%41",
        "xn--",
        "0x7f",
        "|",
        "|---|",
        "1.",
        "一、",
        "（二）",
        "①",
        "P.S.",
        "第一",
        "budget is ",
        "截止日期：",
        "2026年5月1日",
        "8,000",
        "元",
        "万",
        "$",
        "\0",
        "\u{2028}",
        "\u{ad}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|all| all.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_under_any_rule(text in any::<String>()) {
        judge_all(&text);
    }

    #[test]
    fn any_pieces_under_any_rule(text in pieces()) {
        judge_all(&text);
    }

    #[test]
    fn any_bytes_under_any_rule(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        judge_all(&String::from_utf8_lossy(&bytes));
    }
}

/// Texts that make a careless reader look again and again at the same bytes.
const NASTY: [&str; 26] = [
    "*",
    "[",
    "`",
    "“",
    "\"",
    "<",
    "<!--",
    "</",
    "(",
    "|",
    "- ",
    "\n",
    " ",
    "#",
    "[1",
    "](",
    "https://",
    "http:/",
    "www.a",
    "a.",
    "字",
    "¿",
    "budget is ",
    "一、",
    "{\"a\":",
    "` `` ",
];

/// The time of one call.
#[allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "growth is measured, which is about the machine and not about a task"
)]
fn time(work: impl FnOnce()) -> f64 {
    let begin = std::time::Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

/// A reader that is linear for certain, and asks for as much memory.
fn control(text: &str) {
    let copy: String = text.chars().rev().collect();
    assert_eq!(copy.len(), text.len());
}

/// An eighth of a megabyte of anything takes a few times eight what an eighth of
/// that takes, so nothing here is quadratic: that would be sixty-four times as
/// long. Only what is slow enough to be measured is judged, and only in moments
/// in which a reader that is linear for certain is linear on this machine too.
#[test]
fn time_grows_with_the_text_and_no_faster() {
    const SHORT: usize = 16 * 1024;
    const GROWTH: usize = 8;
    const SLOW_SECONDS: f64 = 0.4;
    const TRIES: usize = 8;
    let context = context(&[]);
    for pattern in NASTY {
        let text = |bytes: usize| pattern.repeat(bytes / pattern.len());
        let (short, long) = (text(SHORT), text(SHORT * GROWTH));
        for rule in rules() {
            let judge = |text: &str| {
                check::check_rule(text, &rule, &context);
            };
            let grows_too_fast = || {
                let slow = time(|| judge(&long));
                if slow < SLOW_SECONDS {
                    return Some(false);
                }
                let calm = time(|| control(&long)) < 4.0 * GROWTH as f64 * time(|| control(&short));
                let fast = (0..3)
                    .map(|_| time(|| judge(&short)))
                    .fold(f64::MAX, f64::min);
                calm.then_some(slow > 4.0 * GROWTH as f64 * fast)
            };
            // Once in time is enough: a quadratic reader never is.
            let tries: Vec<Option<bool>> = (0..TRIES)
                .scan(false, |done, _| {
                    let found = (!*done).then(grows_too_fast)?;
                    *done = found == Some(false);
                    Some(found)
                })
                .collect();
            let judged: Vec<bool> = tries.into_iter().flatten().collect();
            assert!(
                judged.is_empty() || judged.contains(&false),
                "{rule:?} on {pattern:?}: too slow {} times in a row",
                judged.len()
            );
        }
    }
}
