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

/// An eighth of a megabyte of anything takes no more than a few times what a
/// eighth of that takes, so nothing here is quadratic: that would be sixty-four
/// times as long. The longer one must be slow enough to be measured at all.
#[test]
#[allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "growth is measured, which is about the machine and not about a task"
)]
fn time_grows_with_the_text_and_no_faster() {
    const SHORT: usize = 16 * 1024;
    const GROWTH: usize = 8;
    let context = context(&[]);
    for pattern in NASTY {
        let text = |bytes: usize| pattern.repeat(bytes / pattern.len());
        let (short, long) = (text(SHORT), text(SHORT * GROWTH));
        for rule in rules() {
            let time = |text: &str| {
                let begin = std::time::Instant::now();
                check::check_rule(text, &rule, &context);
                begin.elapsed()
            };
            let slow = std::time::Duration::from_millis(400);
            let mut long_time = time(&long);
            // A busy machine stalls now and then; a quadratic reader does always.
            for _ in 0..4 {
                if long_time < slow {
                    break;
                }
                long_time = long_time.min(time(&long));
            }
            if long_time < slow {
                continue;
            }
            let short_time = (0..3).map(|_| time(&short)).min().unwrap_or_default();
            let ratio = long_time.as_secs_f64() / short_time.as_secs_f64();
            assert!(
                ratio < 4.0 * GROWTH as f64,
                "{rule:?} on {pattern:?}: {long_time:?} for {GROWTH} times {short_time:?}"
            );
        }
    }
}
