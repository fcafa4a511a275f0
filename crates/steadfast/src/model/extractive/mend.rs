//! Mending a draft after complaints: the defects that a Markdown check names.
//!
//! What has a mechanical cure is cured everywhere in the draft. What has none is
//! left out, line by line: each mending changes the draft, so that a check and
//! this writer cannot turn in a circle for ever.

use serde_json::Value;

use super::length::{Bound, Length, Unit};
use super::sentences::heading;

/// One thing that was found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// Line of the draft, from 1.
    pub(super) line: Option<usize>,
    pub(super) says: String,
}

impl Complaint {
    /// What a result of a failed check complains about. Nothing if it passed.
    pub(super) fn of_result(result: &Value) -> Vec<Complaint> {
        let passed = ["passed", "ok", "valid", "success"]
            .iter()
            .find_map(|name| result[*name].as_bool());
        if passed == Some(true) {
            return Vec::new();
        }
        let lists = ["issues", "errors", "problems", "violations"];
        let issues = lists.iter().find_map(|name| result[*name].as_array());
        match issues {
            Some(issues) if !issues.is_empty() => issues.iter().map(Complaint::of_issue).collect(),
            _ if passed == Some(false) => vec![Complaint::of_issue(result)],
            _ => Vec::new(),
        }
    }

    fn of_issue(issue: &Value) -> Complaint {
        match issue {
            Value::String(text) => Complaint {
                line: line_in(text),
                says: text.to_lowercase(),
            },
            other => {
                let number = other["line"]
                    .as_u64()
                    .and_then(|line| usize::try_from(line).ok());
                let says = ["rule", "code", "message", "reason", "suggestion"]
                    .iter()
                    .filter_map(|name| other[*name].as_str())
                    .collect::<Vec<_>>()
                    .join(" ");
                Complaint {
                    line: number.or_else(|| line_in(&says)),
                    says: says.to_lowercase(),
                }
            }
        }
    }

    /// The reasons of a refusal that was told in words.
    pub(super) fn of_text(text: &str) -> Vec<Complaint> {
        let complaint = |line: &str| Complaint {
            line: line_in(line),
            says: line.to_lowercase(),
        };
        text.lines()
            .filter(|line| line_in(line).is_some())
            .map(complaint)
            .collect()
    }

    fn speaks_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.says.contains(word))
    }

    /// Whether [`tidy`] cures it.
    fn has_cure(&self) -> bool {
        self.speaks_of(&[
            "fence",
            "code block",
            "title",
            "heading",
            "level",
            "trailing",
            "blank",
            "tab",
            "newline",
            "围栏",
            "代码块",
            "标题",
            "层级",
            "跳级",
            "行尾",
            "空行",
            "制表",
            "换行",
            "md001",
            "md009",
            "md010",
            "md012",
            "md022",
            "md025",
            "md031",
            "md041",
            "md047",
        ])
    }

    /// The section that is missing, by its heading.
    fn missing_section(&self) -> Option<&str> {
        let missing = self.says.contains("missing") || self.says.contains("缺少");
        let named = self.says.split('`').nth(1).filter(|name| !name.is_empty());
        named.filter(|_| missing && self.speaks_of(&["section", "章节", "小节"]))
    }

    /// The length that is asked for, where that is the complaint.
    fn length(&self) -> Option<Length> {
        let about = |words: &[&str], bound| {
            let at = words
                .iter()
                .find_map(|word| Some(self.says.find(word)? + word.len()))?;
            let count = number_at(&self.says[at..]).map_or(0, |(count, _)| count);
            Some(Length {
                count,
                unit: Unit::Zi,
                bound,
            })
        };
        let least = &[
            "at least",
            "too short",
            "shorter than",
            "不少于",
            "至少",
            "过短",
        ];
        let most = &[
            "at most",
            "too long",
            "longer than",
            "exceeds",
            "不超过",
            "超过",
            "超出",
            "过长",
        ];
        about(least, Bound::AtLeast).or_else(|| about(most, Bound::AtMost))
    }
}

/// `line 12`, `第 12 行`, `12: …`.
fn line_in(text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let after = |mark: &str| number_at(&lower[lower.find(mark)? + mark.len()..]);
    let english = after("line ").map(|(number, _)| number);
    let chinese = || after("第").filter(|(_, rest)| rest.trim_start().starts_with('行'));
    let leading = || number_at(&lower).filter(|(_, rest)| rest.starts_with(':'));
    english.or_else(|| chinese().or_else(leading).map(|(number, _)| number))
}

/// The number that a text starts with, and what follows it.
fn number_at(text: &str) -> Option<(usize, &str)> {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    Some((text[..text.len() - rest.len()].parse().ok()?, rest))
}

/// What a draft is mended with.
#[derive(Debug, Default)]
pub(super) struct Spare {
    /// Stands in where the draft has no title.
    pub(super) title: String,
    /// Sentences of the evidence, for a draft that lacks some.
    pub(super) points: Vec<String>,
}

/// The draft without what was complained about.
pub(super) fn mend(draft: &str, complaints: &[Complaint], spare: &Spare) -> String {
    let tidied = tidy(draft, &spare.title);
    let cured = tidied != draft;
    let drop: Vec<usize> = complaints
        .iter()
        .filter(|complaint| complaint.length().is_none() && complaint.missing_section().is_none())
        .filter(|complaint| !(complaint.has_cure() && cured))
        .filter_map(|complaint| complaint.line)
        .collect();
    let mut mended = if drop.is_empty() {
        tidied
    } else {
        without_lines(draft, &drop, spare)
    };
    for complaint in complaints {
        if let Some(section) = complaint.missing_section() {
            let unused = spare
                .points
                .iter()
                .find(|point| !mended.contains(point.as_str()));
            if let Some(point) = unused.or(spare.points.first()) {
                mended.push_str(&format!("\n## {section}\n\n{point}\n"));
            }
        } else if let Some(length) = complaint.length() {
            mended = fit(mended, length, spare);
        }
    }
    mended
}

/// The draft without some lines, numbered as it was checked. The title stays.
fn without_lines(draft: &str, drop: &[usize], spare: &Spare) -> String {
    let kept = draft
        .lines()
        .enumerate()
        .filter(|(at, line)| !drop.contains(&(at + 1)) || line.starts_with("# "));
    let lines: Vec<&str> = kept.map(|(_, line)| line).collect();
    without_empty_sections(&tidy(&lines.join("\n"), &spare.title))
}

/// The draft with points taken off or added until it has the length, and at least
/// one: how the other side counts is not known.
fn fit(mut draft: String, length: Length, spare: &Spare) -> String {
    match length.bound {
        Bound::AtMost | Bound::About => loop {
            let mut lines: Vec<&str> = draft.lines().collect();
            let Some(last) = lines.iter().rposition(|line| line.starts_with("- ")) else {
                break;
            };
            lines.remove(last);
            draft = without_empty_sections(&format!("{}\n", lines.join("\n")));
            if length.of(&draft) <= length.count {
                break;
            }
        },
        Bound::AtLeast => {
            for point in &spare.points {
                if draft.contains(point.as_str()) {
                    continue;
                }
                draft = with_point(&draft, point);
                if length.of(&draft) >= length.count {
                    break;
                }
            }
        }
    }
    draft
}

/// Adds a point after the last one, or at the end where there is no list.
fn with_point(draft: &str, point: &str) -> String {
    let mut lines: Vec<String> = draft.lines().map(str::to_owned).collect();
    match lines.iter().rposition(|line| line.starts_with("- ")) {
        Some(last) => lines.insert(last + 1, format!("- {point}")),
        None => lines.extend([String::new(), format!("- {point}")]),
    }
    format!("{}\n", lines.join("\n"))
}

/// Takes headings off that nothing stands under any more; the title stays.
fn without_empty_sections(draft: &str) -> String {
    let lines: Vec<&str> = draft.lines().collect();
    let mut kept: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let level =
            |line: &str| heading(line).map(|_| line.len() - line.trim_start_matches('#').len());
        let next = lines[at + 1..].iter().find(|line| !line.is_empty());
        let empty = level(line).is_some_and(|own| {
            own > 1 && next.is_none_or(|next| level(next).is_some_and(|other| other <= own))
        });
        if !empty {
            kept.push(line);
        }
    }
    let text = kept.join("\n");
    let mut joined = text.trim().to_owned();
    while joined.contains("\n\n\n") {
        joined = joined.replace("\n\n\n", "\n\n");
    }
    format!("{joined}\n")
}

/// The draft with its mechanical defects cured: no title, headings that jump,
/// fences left open, spaces at line ends, tabs, runs of blank lines, headings
/// without a blank line around them, no newline at the end.
pub(super) fn tidy(draft: &str, title: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut fence: Option<&'static str> = None;
    let mut level = 0;
    for line in draft.lines() {
        let line = line.trim_end();
        if let Some(mark) = fence {
            if line.trim_start().starts_with(mark) {
                fence = None;
            }
            lines.push(line.to_owned());
        } else if let Some(text) = heading(line) {
            if level == 0 && line.starts_with("##") {
                begin_with_title(&mut lines, title);
                level = 1;
            }
            let wanted = line.len() - line.trim_start_matches('#').len();
            level = if level == 0 {
                1
            } else {
                wanted.clamp(2, level + 1)
            };
            blank(&mut lines);
            lines.push(format!("{} {text}", "#".repeat(level)));
            lines.push(String::new());
        } else if line.is_empty() {
            blank(&mut lines);
        } else {
            fence = ["```", "~~~"]
                .into_iter()
                .find(|mark| line.trim_start().starts_with(mark));
            lines.push(line.replace('\t', "    "));
        }
    }
    if let Some(mark) = fence {
        lines.push(mark.to_owned());
    }
    if level == 0 {
        let mut titled = Vec::new();
        begin_with_title(&mut titled, title);
        titled.append(&mut lines);
        lines = titled;
    }
    let text = lines.join("\n");
    format!("{}\n", text.trim())
}

/// Puts the title above all that stands there so far.
fn begin_with_title(lines: &mut Vec<String>, title: &str) {
    lines.splice(0..0, [format!("# {title}"), String::new()]);
}

fn blank(lines: &mut Vec<String>) {
    if lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn titled(title: &str) -> Spare {
        Spare {
            title: title.to_owned(),
            points: Vec::new(),
        }
    }

    fn complaint(line: usize, says: &str) -> Complaint {
        Complaint {
            line: Some(line),
            says: says.to_owned(),
        }
    }

    #[test]
    fn mechanical_defects_are_cured() {
        let draft = "text  \n\n\n### Jump\nunder\n```rust\nlet x;  ";
        let cured = "# 标题\n\ntext\n\n## Jump\n\nunder\n```rust\nlet x;\n```\n";
        assert_eq!(
            mend(draft, &[complaint(1, "title")], &titled("标题")),
            cured
        );
        assert_eq!(tidy(cured, "other"), cured);
    }

    #[test]
    fn one_title_stays_one() {
        assert_eq!(tidy("# A\n# B\n#### C", "t"), "# A\n\n## B\n\n### C\n");
    }

    #[test]
    fn a_line_without_a_cure_is_left_out() {
        let draft = "# A\n\n- one\n- two <b>\n- three\n";
        let mended = mend(draft, &[complaint(4, "raw_html")], &titled("A"));
        assert_eq!(mended, "# A\n\n- one\n- three\n");
    }

    #[test]
    fn each_mending_changes_the_draft() {
        let mut draft = "# A\n\n## P\n\n- one\n- two\n- three\n".to_owned();
        for _ in 0..3 {
            let line = draft.lines().count();
            let mended = mend(&draft, &[complaint(line, "no_good")], &titled("A"));
            assert_ne!(mended, draft);
            draft = mended;
        }
        assert_eq!(draft, "# A\n");
    }

    #[test]
    fn a_length_is_reached_from_both_sides() {
        let draft = "# A\n\ntext\n\n## P\n\n- one more\n- two more\n";
        let says = |says: &str| [complaint(1, says)];
        let most = says("length the draft has 7 characters and words, at most 5 are asked");
        assert_eq!(
            mend(draft, &most, &titled("A")),
            "# A\n\ntext\n\n## P\n\n- one more\n"
        );
        let spare = Spare {
            title: "A".to_owned(),
            points: ["two more", "three more", "four more"]
                .map(str::to_owned)
                .to_vec(),
        };
        let least = says("length the draft has 7 characters and words, at least 9 are asked");
        assert_eq!(
            mend(draft, &least, &spare),
            format!("{draft}- three more\n")
        );
    }

    #[test]
    fn a_missing_section_is_added() {
        let spare = Spare {
            title: "A".to_owned(),
            points: vec!["A sentence.".to_owned()],
        };
        let missing = [complaint(
            1,
            "required_section the section `结论` is missing",
        )];
        assert_eq!(
            mend("# A\n\ntext\n", &missing, &spare),
            "# A\n\ntext\n\n## 结论\n\nA sentence.\n"
        );
    }

    #[test]
    fn complaints_are_read_in_several_forms() {
        let result = json!({"passed": false, "issues": [
            {"line": 3, "rule": "heading-jump", "message": "From 1 to 3"},
            "line 7: trailing spaces",
            "第 9 行：缺少空行",
        ]});
        assert_eq!(
            Complaint::of_result(&result),
            [
                complaint(3, "heading-jump from 1 to 3"),
                complaint(7, "line 7: trailing spaces"),
                complaint(9, "第 9 行：缺少空行"),
            ]
        );
        assert_eq!(
            Complaint::of_result(&json!({"passed": true, "issues": ["a note"]})),
            []
        );
        assert_eq!(Complaint::of_result(&json!([1, 2])), []);
    }
}
