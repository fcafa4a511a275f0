//! GitHub: annotations at the files that failed, and the summary of the job.

use super::outcome::{Check, Report};

/// One workflow command a failure.
pub(super) fn annotations(report: &Report) -> String {
    let one = |check: &Check| {
        let file = check
            .file
            .as_ref()
            .map(|file| format!("file={},", property(&relative(file))));
        let text = match check.details.is_empty() {
            true => check.message.clone(),
            false => check.details.join("\n"),
        };
        format!(
            "::error {}title={}::{}",
            file.unwrap_or_default(),
            property(&format!("{} failed", check.name)),
            data(&text)
        )
    };
    let bad = report.checks().filter(|(_, check)| !check.status.is_good());
    bad.map(|(_, check)| one(check))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Paths of annotations start at the root of the repository.
pub(super) fn relative(file: &std::path::Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let file = file.strip_prefix(&here).unwrap_or(file);
    let text = file.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").unwrap_or(&text).to_owned()
}

/// The escapes that GitHub's runner undoes (actions/toolkit, `command.ts`).
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Markdown: a table of the layers, then each failure.
pub(super) fn summary(report: &Report) -> String {
    let verdict = if report.passed { "passed" } else { "failed" };
    let mut lines = vec![
        format!("## steadfast test: {verdict}"),
        String::new(),
        format!("workflow `{}`, model `{}`", report.workflow, report.model),
        String::new(),
        "| layer | holds | fails |".to_owned(),
        "|---|---|---|".to_owned(),
    ];
    for layer in &report.layers {
        let bad = layer.bad().count();
        lines.push(match layer.run {
            true => format!("| {} | {} | {bad} |", layer.layer, layer.checks.len() - bad),
            false => format!("| {} | not run | |", layer.layer),
        });
    }
    for (layer, check) in report.checks().filter(|(_, check)| !check.status.is_good()) {
        let fence = "~~~~";
        lines.extend([
            String::new(),
            format!("### {}: {}", layer.layer, cell(&check.name)),
            String::new(),
            cell(&check.message),
            String::new(),
            fence.to_owned(),
            check.details.join("\n").replace(fence, "~ ~ ~ ~"),
            fence.to_owned(),
        ]);
    }
    if let Some(compared) = &report.baseline {
        lines.extend([String::new(), compared.told()]);
    }
    lines.push(String::new());
    lines.join("\n") + "\n"
}

/// Text that a failing run can choose must not become markup of the page.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('|', "\\|")
        .replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_says_cannot_end_an_annotation() {
        assert_eq!(data("50 %\r\n::error::x"), "50 %25%0D%0A::error::x");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
        assert_eq!(cell("<b>|`x`\ny"), "&lt;b>\\|'x' y");
    }
}
