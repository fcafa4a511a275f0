//! Language of the prose: code, quotations and addresses aside.
//!
//! Names and terms of another language within a sentence are usual and break
//! nothing. A stretch of lines in another language does, and so does an answer
//! of which much is in one.

use std::ops::Range;

use crate::check::answer::{Answer, is_text};
use crate::check::evidence::{Outcome, Said, Why};
use crate::text::language::{self, Script, Scripts};
use crate::text::segment::{Kind, lines};

/// A line whose larger part is in another script counts as foreign.
const LINE_SHARE_PERCENT: u32 = 50;
/// So much of the answer may be in foreign lines: a heading, a list of names.
const FOREIGN_SHARE_PERCENT: u32 = 20;
/// A foreign line of this weight (10 Latin words, 15 Han characters) is a
/// sentence, not a name.
const SENTENCE_WEIGHT: u32 = 30;
/// Words that must speak for another language of the same script before a
/// whole answer is said to be in it.
const DUEL_EVIDENCE_MIN: u32 = 6;

pub(super) fn check(answer: &Answer<'_>, wanted: &str) -> Outcome {
    let tag = language::primary(wanted).to_lowercase();
    let Some(script) = language::script(&tag) else {
        return Outcome::NotChecked(Why::Unknown {
            name: wanted.to_owned(),
        });
    };
    let mut prose = prose_lines(answer, &[Kind::Prose]);
    if prose.is_empty() {
        // An answer that is quoted or fenced as a whole is judged by what it says.
        prose = prose_lines(answer, &[Kind::Prose, Kind::Quotation]);
    }
    if prose.is_empty() {
        prose = prose_lines(answer, &[Kind::Prose, Kind::Quotation, Kind::Code]);
        if prose.is_empty() {
            return Outcome::Kept;
        }
        if answer
            .text
            .trim_start()
            .lines()
            .next()
            .is_some_and(is_code_fence)
        {
            return Outcome::NotChecked(Why::NotCertain);
        }
    }
    judge(answer, &tag, script, &prose)
}

/// A fence that names a language other than text: what it holds is code.
fn is_code_fence(line: &str) -> bool {
    let info = line.trim().trim_start_matches(['`', '~']);
    !is_text(info)
}

/// The letters of one line of the answer.
struct Line {
    range: Range<usize>,
    text: String,
    scripts: Scripts,
}

fn prose_lines(answer: &Answer<'_>, kinds: &[Kind]) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut segments = answer.segments().iter().peekable();
    for (start, line) in lines(answer.text) {
        let end = start + line.len();
        let mut text = String::new();
        // A segment may reach over several lines, and a line hold several.
        while let Some(segment) = segments.peek() {
            if segment.start >= end {
                break;
            }
            if kinds.contains(&segment.kind) {
                let part = segment.start.max(start)..segment.end.min(end);
                text.push_str(&answer.text[part]);
                text.push(' ');
            }
            if segment.end > end {
                break;
            }
            segments.next();
        }
        let scripts = Scripts::of(&text);
        if scripts.total() > 0 {
            found.push(Line {
                range: start..start + line.trim_end().len(),
                text,
                scripts,
            });
        }
    }
    found
}

fn judge(answer: &Answer<'_>, tag: &str, script: Script, prose: &[Line]) -> Outcome {
    let mut whole = Scripts::default();
    for line in prose {
        whole.add(&line.scripts);
    }
    let foreign: Vec<&Line> = prose
        .iter()
        .filter(|line| is_foreign(line, tag, script))
        .collect();
    let weight: u32 = foreign.iter().map(|line| line.scripts.total()).sum();
    let total = whole.total();
    let longest = foreign
        .iter()
        .map(|line| line.scripts.total())
        .max()
        .unwrap_or(0);
    // Names, titles and terms are short; a sentence is not, and a share is not.
    let much = weight * 100 > total.saturating_mul(FOREIGN_SHARE_PERCENT);
    let mainly = !foreign.is_empty() && foreign.len() == prose.len();
    if much && (longest >= SENTENCE_WEIGHT || weight >= 2 * SENTENCE_WEIGHT || mainly) {
        let other = name_of(&foreign, script);
        let share = u64::from(weight) * 100 / u64::from(total.max(1));
        let found = Said::new(
            format!("正文有 {share}% 是{}", other.zh),
            format!("{share} % of the prose in {}", other.en),
        );
        let places = foreign.iter().map(|line| line.range.clone());
        return answer.broken(allowed(tag), found, places);
    }
    if total > 0 && whole.weight(script) == 0 && !mainly {
        return Outcome::NotChecked(Why::TooShort);
    }
    same_script(answer, tag, script, &whole, prose)
}

fn is_foreign(line: &Line, tag: &str, script: Script) -> bool {
    let total = line.scripts.total();
    let own = own_weight(&line.scripts, tag, script);
    if (total - own) * 100 > total * LINE_SHARE_PERCENT {
        return true;
    }
    // A whole sentence in a sister language.
    language::duel(tag, &line.text)
        .is_some_and(|(own, other, _)| other >= DUEL_EVIDENCE_MIN && other > 2 * own)
}

/// What of a line may be of the wanted language by its script.
fn own_weight(scripts: &Scripts, tag: &str, script: Script) -> u32 {
    match script {
        Script::EastAsian if tag == "zh" && language::east_asian(scripts) == "ja" => 0,
        Script::Other if scripts.other_language.is_some_and(|one| one != tag) => 0,
        _ => scripts.weight(script),
    }
}

/// Of languages that share a script, by their small words.
fn same_script(
    answer: &Answer<'_>,
    tag: &str,
    script: Script,
    whole: &Scripts,
    prose: &[Line],
) -> Outcome {
    match script {
        Script::EastAsian if tag == "ja" && whole.kana == 0 => {
            // Han alone: a title can be Japanese, a text cannot.
            if whole.weight(script) < SENTENCE_WEIGHT {
                return Outcome::NotChecked(Why::TooShort);
            }
            let found = Said::new("只有汉字，没有假名", "Han characters without kana");
            answer.broken(allowed(tag), found, [answer.trimmed()])
        }
        Script::EastAsian | Script::Hangul | Script::Other => Outcome::Kept,
        Script::Arabic | Script::Devanagari => {
            let text = joined(prose);
            match language::detect(&text) {
                Some(found) if found != tag && whole.total() >= SENTENCE_WEIGHT => {
                    answer.broken(allowed(tag), named(found), [answer.trimmed()])
                }
                Some(found) if found == tag => Outcome::Kept,
                _ => Outcome::NotChecked(Why::TooShort),
            }
        }
        Script::Latin | Script::Cyrillic => {
            let Some((own, other, sister)) = language::duel(tag, &joined(prose)) else {
                return Outcome::NotChecked(Why::TooShort);
            };
            if own > 0 && own >= other {
                Outcome::Kept
            } else if other >= DUEL_EVIDENCE_MIN && other > own + own / 2 {
                answer.broken(allowed(tag), named(sister), [answer.trimmed()])
            } else {
                Outcome::NotChecked(Why::TooShort)
            }
        }
    }
}

fn joined(prose: &[Line]) -> String {
    let mut text = String::new();
    for line in prose {
        text.push_str(&line.text);
    }
    text
}

fn name_of(lines: &[&Line], script: Script) -> Said {
    let heaviest = lines.iter().max_by_key(|line| line.scripts.total());
    let found = heaviest.and_then(|line| language::detect(&line.text));
    match found {
        Some(tag) => named(tag),
        None if script == Script::Latin => Said::new("其他语言", "another language"),
        None => Said::new("其他文字", "another script"),
    }
}

fn allowed(tag: &str) -> Said {
    let name = named(tag);
    Said::new(
        format!("正文用{}（代码与引文除外）", name.zh),
        format!("prose in {}, code and quotations aside", name.en),
    )
}

/// The usual name of a language; the tag where it is not known.
fn named(tag: &str) -> Said {
    let (zh, en) = match tag {
        "zh" => ("中文", "Chinese"),
        "en" => ("英文", "English"),
        "ja" => ("日文", "Japanese"),
        "ko" => ("韩文", "Korean"),
        "es" => ("西班牙文", "Spanish"),
        "fr" => ("法文", "French"),
        "de" => ("德文", "German"),
        "it" => ("意大利文", "Italian"),
        "pt" => ("葡萄牙文", "Portuguese"),
        "ru" => ("俄文", "Russian"),
        "ar" => ("阿拉伯文", "Arabic"),
        other => return Said::new(format!("“{other}”"), format!("`{other}`")),
    };
    Said::new(zh, en)
}
