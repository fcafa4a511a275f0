//! How fast answers are checked, a kind at a time, in bytes a second.
//!
//! The answer is half Chinese, half English, with all that checkers look for in
//! it. `scan` is the floor: one pass over its characters. Each kind runs at two
//! sizes, so that a cost beyond linear shows as a lower rate at the larger one.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use steadfast::rules::StandardRules;
use steadfast_core::check::{CheckContext, Profile, check_rule};
use steadfast_core::ledger::Rule;
use steadfast_core::ledger::rule::{
    Bound, Format, LengthUnit, LetterCase, Matching, Part, SourceMatch, SourceMode,
};

/// One page of an answer, about 1 kB.
const PAGE: &str = "\
## 第二部分 市场情况\n\n\
本季度销售额为 1,200 万元，同比增长 3.5%，主要来自“东部地区”的新客户（见 [统计局](https://stats.gov.cn/a/b)）[3]。\
但是成本上升较快，预算为 4,800 元；下一步需要关注汇率、库存以及交付日期等风险！\n\n\
The **second** part of the report says what was done, what is still open, and why it matters: \
the NASA data in `src/load.rs` were read again, and no error was found. Is that enough? See www.example.org/x_(y).\n\n\
- 第一点：控制范围，不得对外发送\n- Second point, with a [placeholder] and a *highlight*\n\n\
1. One\n2. Two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nlet total = 1; // 合计\n```\n\n\
> 引文：quoted words of somebody else.\n\n";

fn answer(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + PAGE.len());
    while text.len() < bytes {
        text.push_str(PAGE);
    }
    text
}

fn rules() -> Vec<(&'static str, Rule)> {
    let structure = |part| Rule::Structure {
        part,
        bound: Bound::at_most(0),
    };
    let length = |unit| Rule::Length {
        unit,
        bound: Bound::at_most(1),
    };
    let phrase = |text: &str, whole_words| Rule::Phrase {
        text: text.to_owned(),
        bound: Bound::at_most(0),
        matching: Matching {
            case_sensitive: false,
            whole_words,
        },
    };
    vec![
        (
            "language_zh",
            Rule::Language {
                language: "zh".to_owned(),
            },
        ),
        (
            "language_en",
            Rule::Language {
                language: "en".to_owned(),
            },
        ),
        ("characters", length(LengthUnit::Characters)),
        ("graphemes", length(LengthUnit::Graphemes)),
        ("words", length(LengthUnit::Words)),
        ("sentences", length(LengthUnit::Sentences)),
        ("paragraphs", length(LengthUnit::Paragraphs)),
        (
            "plain",
            Rule::Format {
                format: Format::Plain,
            },
        ),
        (
            "markdown",
            Rule::Format {
                format: Format::Markdown,
            },
        ),
        (
            "csv",
            Rule::Format {
                format: Format::Csv,
            },
        ),
        ("bullets", structure(Part::Bullets)),
        ("sections", structure(Part::Sections { marker: None })),
        ("tables", structure(Part::Tables)),
        ("highlights", structure(Part::Highlights)),
        ("placeholders", structure(Part::Placeholders)),
        ("questions", structure(Part::Questions)),
        ("citations", structure(Part::Citations)),
        (
            "sources",
            Rule::Sources {
                mode: SourceMode::Allow,
                sources: vec![SourceMatch::Domain("gov.cn".to_owned())],
            },
        ),
        ("phrase", phrase("风险", false)),
        ("phrase_words", phrase("report", true)),
        (
            "letters",
            Rule::Letters {
                letters: "e".to_owned(),
                bound: Bound::at_most(0),
            },
        ),
        (
            "case",
            Rule::Case {
                case: LetterCase::Upper,
            },
        ),
        (
            "capital_words",
            Rule::CapitalWords {
                bound: Bound::at_most(0),
            },
        ),
        (
            "punctuation",
            Rule::Punctuation {
                marks: ",".to_owned(),
                bound: Bound::at_most(0),
            },
        ),
        (
            "amount",
            Rule::Amount {
                name: "budget".to_owned(),
                bound: Bound::at_most(5000.into()),
                unit: Some("CNY".to_owned()),
            },
        ),
        ("quoted", Rule::Quoted),
    ]
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let standard = StandardRules::default();
    let asked = standard.rules();
    let context = CheckContext {
        schemas: asked.schemas,
        tokenizer: asked.tokenizer,
        sources: &[],
        profile: Profile::Product,
    };
    for kilobytes in [16_usize, 256] {
        let text = answer(kilobytes * 1024);
        let json =
            serde_json::to_string(&vec![PAGE; text.len() / PAGE.len()]).expect("texts are JSON");
        let mut group = criterion.benchmark_group(format!("checks_{kilobytes}k"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("scan", |bench| {
            bench.iter(|| {
                black_box(&text)
                    .chars()
                    .filter(|c| c.is_alphanumeric())
                    .count()
            });
        });
        for (name, rule) in rules() {
            group.bench_function(name, |bench| {
                bench.iter(|| check_rule(black_box(&text), &rule, &context));
            });
        }
        group.throughput(Throughput::Bytes(json.len() as u64));
        let rule = Rule::Format {
            format: Format::Json { schema: None },
        };
        group.bench_function("json", |bench| {
            bench.iter(|| check_rule(black_box(&json), &rule, &context));
        });
        group.finish();
    }
    criterion.final_summary();
}
