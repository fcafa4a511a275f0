//! The report as one HTML file: no script, no font, no address of anywhere.
//!
//! Light or dark as the reader's system asks. Bars are HTML, so that they fit
//! any width; the curve is SVG and scrolls in its own box where it must.

use std::fmt::Write as _;

use steadfast::drill::report::{PLACES, Row};
use steadfast::drill::{Count, Method, Report};

use super::show::{dialogues, grouped, of, share, title, tokens};

const STYLE: &str = include_str!("page.css");

pub(super) fn page(report: &Report) -> String {
    let mut body = String::new();
    intro(&mut body, report);
    headline(&mut body, report);
    curve(&mut body, report);
    measures(&mut body, report);
    if report.models.len() > 1 {
        models(&mut body, report);
    }
    if report.repeats > 1 {
        repeats(&mut body, report);
    }
    price(&mut body, report);
    super::cost::cost(&mut body, report);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Drill, seed {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        report.seed
    )
}

pub(super) fn put(body: &mut String, html: &str) {
    body.push_str(html);
    body.push('\n');
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn intro(body: &mut String, report: &Report) {
    let models: Vec<String> = report.models.iter().map(|one| escaped(one)).collect();
    put(
        body,
        &format!(
            "<h1>Drill</h1>\n<p class=\"lead\">Seed {}: {}, {} messages, {}. \
             Rules are set early and changed by those who may; later somebody who may not \
             wants them broken. Each method talks with the same models.</p>\n\
             <p class=\"note\">Models: {}.</p>",
            report.seed,
            dialogues(report.dialogues),
            report.turns,
            match report.repeats {
                1 => "one run each".to_owned(),
                n => format!("{n} runs each"),
            },
            models.join(", ")
        ),
    );
}

fn bar(body: &mut String, method: Method, percent: f64, label: &str) {
    put(
        body,
        &format!(
            "<div class=\"bar\"><span class=\"name\">{}</span>\
             <span class=\"track\"><span class=\"fill {}\" style=\"width:{percent:.1}%\"></span></span>\
             <span class=\"value\">{label}</span></div>",
            title(method),
            method.name()
        ),
    );
}

fn percent(count: Count) -> f64 {
    count.share().unwrap_or_default() * 100.0
}

fn headline(body: &mut String, report: &Report) {
    put(
        body,
        "<section>\n<h2>Dialogues with every constraint kept</h2>\n\
         <p class=\"note\">In every answer, from the first to the last; a missing answer keeps nothing.</p>",
    );
    for row in &report.methods {
        bar(body, row.method, percent(row.all_kept), &of(row.all_kept));
    }
    put(body, "</section>");
}

/// The frame of the plot within its box of 670 by 300.
pub(super) const LEFT: f64 = 46.0;
pub(super) const RIGHT: f64 = 520.0;
pub(super) const TOP: f64 = 16.0;
pub(super) const BOTTOM: f64 = 256.0;

fn y(share: f64) -> f64 {
    BOTTOM - share * (BOTTOM - TOP)
}

fn grid(svg: &mut String) {
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let at = y(share);
        let percent = step * 25;
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
}

/// One line a method, its name where it ends; names are kept apart.
pub(super) fn lines(svg: &mut String, all: &[(Method, Vec<(f64, f64)>)]) {
    let mut ends: Vec<(f64, Method)> = all
        .iter()
        .filter_map(|(method, points)| points.last().map(|(_, at)| (*at, *method)))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut lowest = f64::MIN;
    for (at, _) in &mut ends {
        *at = at.max(lowest + 16.0);
        lowest = *at;
    }
    for (method, points) in all {
        let path: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let name = method.name();
        let _ = writeln!(
            svg,
            "<polyline class=\"line {name}\" points=\"{}\"/>",
            path.join(" ")
        );
        for (x, y) in points {
            let _ = writeln!(
                svg,
                "<circle class=\"dot {name}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
            );
        }
    }
    for (at, method) in ends {
        let _ = writeln!(
            svg,
            "<rect class=\"key {}\" x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" rx=\"2\"/>\
             <text class=\"label\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            method.name(),
            RIGHT + 10.0,
            at - 5.0,
            RIGHT + 25.0,
            at + 4.0,
            title(method)
        );
    }
}

pub(super) fn plot(body: &mut String, report: &Report, about: &str, inner: &str) {
    let key = |row: &Row| {
        let (name, title) = (row.method.name(), title(row.method));
        format!("<span style=\"--own:var(--{name})\">{title}</span>")
    };
    let keys: String = report.methods.iter().map(key).collect();
    put(
        body,
        &format!("<div class=\"legend\" aria-hidden=\"true\">{keys}</div>"),
    );
    put(
        body,
        &format!(
            "<div class=\"plot\"><svg viewBox=\"0 0 670 300\" role=\"img\" aria-label=\"{about}\">\n{inner}</svg></div>"
        ),
    );
}

fn curve(body: &mut String, report: &Report) {
    put(
        body,
        "<section>\n<h2>Answers that keep every rule, by place in the dialogue</h2>\n\
         <p class=\"note\">Each dialogue is cut into tenths. Rules come in the first third, \
         changes up to three fifths, attacks after.</p>",
    );
    let mut svg = String::new();
    grid(&mut svg);
    let x = |place: usize| {
        let place = u32::try_from(place).unwrap_or_default();
        let last = u32::try_from(PLACES - 1).unwrap_or(1);
        LEFT + 12.0 + f64::from(place) / f64::from(last) * (RIGHT - LEFT - 24.0)
    };
    for place in 0..PLACES {
        let _ = writeln!(
            svg,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(place),
            BOTTOM + 20.0,
            place + 1
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">tenth of the dialogue</text>",
        f64::midpoint(LEFT, RIGHT),
        BOTTOM + 38.0
    );
    let points = |row: &Row| {
        let places = row.places.iter().enumerate();
        let points = places.filter_map(|(place, count)| Some((x(place), y(count.share()?))));
        (row.method, points.collect::<Vec<_>>())
    };
    let all: Vec<_> = report.methods.iter().rev().map(points).collect();
    lines(&mut svg, &all);
    plot(
        body,
        report,
        "Share of answers that keep every rule, by tenth of the dialogue",
        &svg,
    );
    put(body, "</section>");
}

fn measures(body: &mut String, report: &Report) {
    put(
        body,
        "<section>\n<h2>All measures</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>method</th>\
         <th>every constraint kept</th><th>constraints</th><th>lawful changes adopted</th>\
         <th>unlawful refused</th><th>fields equal</th><th>final report</th><th>answered</th></tr></thead>\n<tbody>",
    );
    for row in &report.methods {
        let cells = [
            title(row.method).to_owned(),
            of(row.all_kept),
            share(row.constraints),
            share(row.lawful),
            share(row.refused),
            row.fields.map_or_else(|| "–".to_owned(), share),
            of(row.success),
            share(row.answered),
        ];
        put(
            body,
            &format!("<tr><td>{}</td></tr>", cells.join("</td><td>")),
        );
    }
    put(
        body,
        "</tbody></table></div>\n<p class=\"note\">Fields: the rules in force as the method itself \
         records them against the script's. Steadfast's ledger is compared after each message, \
         whole rules; a summary at the end, for the value alone. The other two record none.</p>\n</section>",
    );
}

fn models(body: &mut String, report: &Report) {
    put(
        body,
        "<section>\n<h2>By model: dialogues with every constraint kept</h2>\n\
         <div class=\"wide\"><table class=\"heat\">\n<thead><tr><th>model</th>",
    );
    for row in &report.methods {
        put(body, &format!("<th>{}</th>", title(row.method)));
    }
    put(body, "</tr></thead>\n<tbody>");
    for model in &report.models {
        put(body, &format!("<tr><td>{}</td>", escaped(model)));
        for method in report.methods.iter().map(|row| row.method) {
            let own = |row: &&Row| row.model.as_ref() == Some(model) && row.method == method;
            let count = report.by_model.iter().find(own).map(|row| row.all_kept);
            let count = count.unwrap_or_default();
            put(
                body,
                &format!(
                    "<td style=\"--share:{:.0}%\">{}</td>",
                    percent(count),
                    of(count)
                ),
            );
        }
        put(body, "</tr>");
    }
    put(body, "</tbody></table></div>\n</section>");
}

fn repeats(body: &mut String, report: &Report) {
    put(
        body,
        "<section>\n<h2>pass^k: all of k runs keep every constraint</h2>\n\
         <p class=\"note\">The chance that k runs of the same dialogue all do.</p>",
    );
    let mut svg = String::new();
    grid(&mut svg);
    let most = report.methods.iter().map(|row| row.pass_hat.len()).max();
    let last = u32::try_from(most.unwrap_or(1).saturating_sub(1).max(1)).unwrap_or(1);
    let x = |k: usize| {
        let k = u32::try_from(k).unwrap_or_default();
        LEFT + 12.0 + f64::from(k) / f64::from(last) * (RIGHT - LEFT - 24.0)
    };
    for k in 0..most.unwrap_or(0) {
        let _ = writeln!(
            svg,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">k = {}</text>",
            x(k),
            BOTTOM + 20.0,
            k + 1
        );
    }
    let points = |row: &Row| {
        let shares = row.pass_hat.iter().enumerate();
        (
            row.method,
            shares
                .map(|(k, share)| (x(k), y(*share)))
                .collect::<Vec<_>>(),
        )
    };
    let all: Vec<_> = report.methods.iter().rev().map(points).collect();
    lines(&mut svg, &all);
    plot(body, report, "pass^k by k", &svg);
    put(body, "</section>");
}

fn price(body: &mut String, report: &Report) {
    put(
        body,
        "<section>\n<h2>Tokens of a dialogue</h2>\n\
         <p class=\"note\">All calls of the model, in and out, summaries and mended answers among them; the mean of a run.</p>",
    );
    let most = report.methods.iter().map(tokens).max().unwrap_or(1).max(1);
    for row in &report.methods {
        let own = Count {
            met: tokens(row),
            of: most,
        };
        bar(body, row.method, percent(own), &grouped(tokens(row)));
    }
    put(body, "</section>");
}
