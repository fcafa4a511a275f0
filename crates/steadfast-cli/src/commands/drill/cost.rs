//! The plot of what a call costs as the dialogue grows: flat, or growing with it.

use std::fmt::Write as _;

use steadfast::drill::Report;
use steadfast::drill::report::{PLACES, Row};

use super::page::{BOTTOM, LEFT, RIGHT, TOP, lines, plot, put};
use super::show::grouped;

pub(super) fn cost(body: &mut String, report: &Report) {
    put(
        body,
        "<section>\n<h2>Tokens of a call, by place in the dialogue</h2>\n\
         <p class=\"note\">In and out, the mean of all calls in that tenth.</p>",
    );
    let all = report.methods.iter().flat_map(|row| &row.cost);
    let most = all.copied().max().unwrap_or(1).max(1);
    let mut svg = String::new();
    axes(&mut svg, most);
    let points = |row: &Row| {
        let places = row.cost.iter().enumerate();
        let there = places.filter(|(_, tokens)| **tokens > 0);
        let points = there.map(|(place, tokens)| (x(place), y(*tokens, most)));
        (row.method, points.collect::<Vec<_>>())
    };
    let all: Vec<_> = report.methods.iter().rev().map(points).collect();
    lines(&mut svg, &all);
    plot(
        body,
        report,
        "Tokens of a call, by tenth of the dialogue",
        &svg,
    );
    put(body, "</section>");
}

fn axes(svg: &mut String, most: u64) {
    for quarter in 0..=4 {
        let tokens = most * quarter / 4;
        let at = y(tokens, most);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            grouped(tokens)
        );
    }
    for place in 0..PLACES {
        let _ = writeln!(
            svg,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(place),
            BOTTOM + 20.0,
            place + 1
        );
    }
}

fn x(place: usize) -> f64 {
    let place = u32::try_from(place).unwrap_or_default();
    let last = u32::try_from(PLACES - 1).unwrap_or(1);
    LEFT + 12.0 + f64::from(place) / f64::from(last) * (RIGHT - LEFT - 24.0)
}

#[expect(clippy::cast_precision_loss, reason = "tokens of a call")]
fn y(tokens: u64, most: u64) -> f64 {
    BOTTOM - tokens as f64 / most as f64 * (BOTTOM - TOP)
}
