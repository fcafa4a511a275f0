//! What the layers save and what they cost, in tokens per model call, beside
//! keeping the whole history and beside a sliding window.
//!
//! `cargo nextest run -p steadfast-core --no-capture price_of_the_layers` prints the table.

use serde_json::json;
use steadfast_core::context::FragmentKind;
use steadfast_core::rules::{ScriptEstimate, Tokenizer};

use super::{bills, earlier, looks, step, wide};
use crate::harness::Bench;

#[derive(Debug)]
struct Price {
    full: u64,
    sliding: u64,
    layered: u64,
    /// Paths that step 1..n found and that the last context still names.
    known: usize,
    known_sliding: usize,
}

/// A task of pages and figures: between 100 and 1,500 tokens a step.
fn play(steps: u64) -> Price {
    let mut bench = Bench::with(
        looks(),
        "Walk the files and report. Never publish anything.",
        wide(),
    );
    let (mut history, mut sizes) = (0, Vec::new());
    let mut price = Price {
        full: 0,
        sliding: 0,
        layered: 0,
        known: 0,
        known_sliding: 0,
    };
    for n in 0..steps {
        let bill = bills(&bench).pop().expect("a call is open");
        let own = |kind| -> u64 {
            let entries = bill.entries.iter().filter(|one| one.kind == kind);
            entries.map(|one| u64::from(one.tokens)).sum()
        };
        let layers =
            own(FragmentKind::Step) + own(FragmentKind::Archive) + own(FragmentKind::Receipts);
        let base = u64::from(bill.tokens) - layers;
        let window: u64 = sizes.iter().rev().take(6).sum();
        price.full += base + history;
        price.sliding += base + window;
        price.layered += u64::from(bill.tokens);
        let pages = usize::try_from(2 + n * 7 % 23).expect("small");
        let prose =
            "The page tells at length how things came about and who was there. ".repeat(pages);
        let text = format!("{prose}It lists /data/f{n}.csv with {} rows.", 100 + n);
        let (args, result) = (json!({"file": n}), json!({ "page": text }));
        let size = ScriptEstimate.count(&args.to_string())
            + ScriptEstimate.count(&result.to_string())
            + 40;
        sizes.push(u64::from(size));
        history += u64::from(size);
        step(&mut bench, args, result);
    }
    let request = bench.request.clone().expect("open");
    let text = super::all_text(&request);
    let shown = earlier(&request);
    let named = |text: &str| {
        (0..steps)
            .filter(|n| text.contains(&format!("/data/f{n}.csv")))
            .count()
    };
    price.known = named(&text);
    price.known_sliding = named(&text.replace(&shown, ""));
    price
}

#[test]
#[allow(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "figures of a test are for its reader"
)]
fn price_of_the_layers() {
    println!(
        "| steps | full history | sliding window of 6 | layered | layered of full | findings still named: layered / sliding |"
    );
    println!("|---|---|---|---|---|---|");
    for steps in [20, 200] {
        let price = play(steps);
        let each = |sum: u64| sum / steps;
        let percent = price.layered * 100 / price.full;
        println!(
            "| {steps} | {} | {} | {} | {percent} % | {} / {} |",
            each(price.full),
            each(price.sliding),
            each(price.layered),
            price.known,
            price.known_sliding
        );
        if steps == 200 {
            assert!(percent <= 40, "{price:?}");
        }
        assert!(price.layered < price.full, "{price:?}");
        assert!(price.known > price.known_sliding, "{price:?}");
    }
}
