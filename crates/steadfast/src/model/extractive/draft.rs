//! Writing by extraction: a title, a summary, key points, sources.
//!
//! Every sentence stands in the evidence word for word (lines that the author
//! wrapped are joined). Only the title's cut, the headings and the numbers of the
//! sources are this writer's own.

use serde_json::Value;
use steadfast_core::limits::EXTRACTIVE_SENTENCES_MAX;

use super::evidence::Evidence;
use super::length::{Bound, Length, Unit};
use super::ranking::rank;
use super::sentences::{BlockKind, Language, blocks, language_of, split, statements};

/// Sentences of the summary.
const SUMMARY: usize = 3;
/// Key points, where the task asks for no length.
const POINTS: usize = 6;
/// Key points that are kept for what was looked up.
const POINTS_FROM_SOURCES: usize = 2;
/// Characters of a title that the evidence has as one.
const HEADING_CHARS: usize = 160;
/// Characters of a title that is made of other words.
const TITLE_CHARS: usize = 60;
/// Below this length a text has no sections.
const SECTIONS_FROM: usize = 120;
/// Characters of a sentence that can stand alone.
const SENTENCE_CHARS: std::ops::RangeInclusive<usize> = 6..=400;

/// A sentence of the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sentence {
    text: String,
    /// The source that it was looked up in.
    source: Option<usize>,
}

/// All that a text can be made of.
#[derive(Debug, Default)]
struct Material {
    sentences: Vec<Sentence>,
    /// Names of what was looked up, in the order of the results.
    sources: Vec<String>,
}

/// A text over the evidence, of at most `chars_max` characters where given.
pub(super) fn write(evidence: &Evidence, chars_max: Option<usize>) -> String {
    let material = Material::gather(evidence);
    let asked = Length::asked_in(&evidence.task);
    let cap = chars_max.map(|count| Length {
        count,
        unit: Unit::Chars,
        bound: Bound::AtMost,
    });
    let limits: Vec<Length> = asked.into_iter().chain(cap).collect();
    let title = title(evidence);
    let language = language_of(&evidence.source_text());
    let order = material.order(&evidence.task);
    let mut text = Text {
        title,
        language,
        material: &material,
        chosen: Vec::new(),
        sources: true,
    };
    text.fill(&order, &limits);
    text.render(&limits)
}

/// The best sentences of the evidence, in the order of the evidence.
pub(super) fn points(evidence: &Evidence, count: usize) -> Vec<String> {
    let material = Material::gather(evidence);
    let mut best: Vec<usize> = material
        .order(&evidence.task)
        .into_iter()
        .take(count)
        .collect();
    best.sort_unstable();
    best.into_iter()
        .map(|at| material.sentences[at].text.clone())
        .collect()
}

/// The names of what was looked up.
pub(super) fn sources(evidence: &Evidence) -> Vec<String> {
    Material::gather(evidence).sources
}

/// A title: the document's own, its name, or the task's first words.
pub(super) fn title(evidence: &Evidence) -> String {
    let heading = evidence.documents.iter().find_map(|document| {
        let headings = blocks(&document.text).into_iter();
        headings
            .map(|block| (block.kind, block.text))
            .find(|(kind, _)| *kind == BlockKind::Heading)
    });
    let named = || {
        evidence
            .documents
            .iter()
            .find_map(|document| document.name.clone())
    };
    let name = || {
        named().map(|name| {
            name.rsplit_once('.')
                .map_or(name.clone(), |(stem, _)| stem.to_owned())
        })
    };
    let quoted = || {
        Some(
            evidence
                .task
                .split_once('《')?
                .1
                .split_once('》')?
                .0
                .to_owned(),
        )
    };
    let words = || {
        split(&evidence.task)
            .first()
            .map(|first| (*first).to_owned())
    };
    match heading.map(|(_, text)| text).or_else(quoted) {
        Some(heading) => cut_title(&heading, HEADING_CHARS),
        None => cut_title(&name().or_else(words).unwrap_or_default(), TITLE_CHARS),
    }
}

fn cut_title(text: &str, chars_max: usize) -> String {
    let line = text
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches(['#', ' ']);
    let mut cut: String = line.chars().take(chars_max).collect();
    // Not in the middle of a word, where words have spaces.
    if cut.len() < line.len()
        && let Some(at) = cut.rfind(' ')
        && at > 0
    {
        cut.truncate(at);
    }
    let trimmed =
        cut.trim_end_matches(['.', ',', ';', ':', '!', '。', '，', '；', '：', '！', ' ']);
    if trimmed.is_empty() {
        "Untitled".to_owned()
    } else {
        trimmed.to_owned()
    }
}

impl Material {
    fn gather(evidence: &Evidence) -> Material {
        let mut material = Material::default();
        for document in &evidence.documents {
            material.add(&document.text, None);
        }
        // In the order of the calls, so that numbers of sources stay as they are.
        for outcome in evidence.results().rev() {
            material.add_result(&outcome.result, evidence);
        }
        if material.sentences.is_empty() {
            material.add(&evidence.task, None);
        }
        material
    }

    fn add(&mut self, text: &str, source: Option<usize>) {
        for block in blocks(text)
            .into_iter()
            .filter(|block| block.kind != BlockKind::Heading)
        {
            // A list item is a statement without a full stop; a fragment of
            // something that was looked up is not.
            let whole = block.kind == BlockKind::ListItem && source.is_none();
            for sentence in statements(&block.text) {
                let room = self.sentences.len() < EXTRACTIVE_SENTENCES_MAX;
                let known = self.sentences.iter().any(|known| known.text == sentence);
                if room && !known && stands_alone(sentence, whole) {
                    self.sentences.push(Sentence {
                        text: sentence.to_owned(),
                        source,
                    });
                }
            }
        }
    }

    fn add_result(&mut self, result: &Value, evidence: &Evidence) {
        match result {
            Value::String(text) if evidence.draft.as_ref() != Some(text) => self.add(text, None),
            Value::Array(items) => items.iter().for_each(|item| self.add_hit(item)),
            Value::Object(fields) => {
                let lists = fields.values().filter_map(Value::as_array).flatten();
                lists.for_each(|item| self.add_hit(item));
            }
            _ => {}
        }
    }

    /// One thing that was looked up: a text and where it is from.
    fn add_hit(&mut self, hit: &Value) {
        let field = |names: &[&str]| names.iter().find_map(|name| hit.get(*name)?.as_str());
        let text = field(&[
            "excerpt", "snippet", "text", "content", "passage", "quote", "summary", "body",
        ]);
        let name = field(&["source", "file", "path", "url", "name", "title"]);
        let (Some(text), Some(name)) = (text, name) else {
            return;
        };
        let known = self.sources.iter().position(|source| source == name);
        let source = known.unwrap_or_else(|| {
            self.sources.push(name.to_owned());
            self.sources.len() - 1
        });
        self.add(text, Some(source));
    }

    /// The sentences, best first. What was looked up has its say among the first
    /// points, however much longer the documents are.
    fn order(&self, query: &str) -> Vec<usize> {
        let texts: Vec<&str> = self
            .sentences
            .iter()
            .map(|sentence| sentence.text.as_str())
            .collect();
        let ranked = rank(&texts, query);
        let looked_up = |at: &usize| self.sentences[*at].source.is_some();
        let (found, own): (Vec<usize>, Vec<usize>) = ranked.into_iter().partition(looked_up);
        let first = own.len().min(SUMMARY + POINTS - POINTS_FROM_SOURCES);
        let kept = found.len().min(POINTS_FROM_SOURCES);
        [&own[..first], &found[..kept], &own[first..], &found[kept..]].concat()
    }
}

/// Whether a sentence says something by itself: running text, whole, and not
/// read as mark-up at the start of a line.
fn stands_alone(sentence: &str, may_be_open: bool) -> bool {
    let length = sentence.chars().count();
    let letters = sentence.chars().filter(|c| c.is_alphanumeric()).count();
    let closed = sentence
        .trim_end_matches(['”', '’', '"', ')', '）', '」', '』', '*', ']'])
        .ends_with(['。', '！', '？', '.', '!', '?']);
    let marked = sentence.starts_with(['#', '>', '|', '+', '-', '=', '~', '`', '<', '{', '}'])
        || sentence.starts_with("* ")
        || sentence
            .split_once(". ")
            .is_some_and(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()));
    let code = sentence.contains(['{', '}', '<', '`', '\t']) || sentence.contains("](");
    SENTENCE_CHARS.contains(&length)
        && letters * 10 >= length * 6
        && (closed || may_be_open && !sentence.ends_with(['：', ':']))
        && !marked
        && !code
}

/// A text that is being put together.
struct Text<'a> {
    title: String,
    language: Language,
    material: &'a Material,
    /// Places of sentences, best first.
    chosen: Vec<usize>,
    /// Whether there is room for the list of sources.
    sources: bool,
}

impl Text<'_> {
    /// Takes sentences in, best first, until the text is as long as it should be.
    fn fill(&mut self, order: &[usize], limits: &[Length]) {
        let over = |text: &Text<'_>| {
            let rendered = text.render(limits);
            limits
                .iter()
                .any(|l| l.bound != Bound::AtLeast && l.of(&rendered) > l.count)
        };
        let short = |text: &Text<'_>| {
            let rendered = text.render(limits);
            let wanted = |l: &&Length| l.bound != Bound::AtMost;
            limits
                .iter()
                .filter(wanted)
                .any(|l| l.of(&rendered) < l.count)
        };
        // A list of sources that leaves no room for sentences helps nobody.
        self.sources = !over(self) && {
            self.chosen.extend(order.first());
            let fits = !over(self);
            self.chosen.clear();
            fits
        };
        for at in order {
            if self.chosen.len() >= SUMMARY + POINTS && !short(self) {
                break;
            }
            self.chosen.push(*at);
            // A shorter one further down may still fit; the first always stays.
            if self.chosen.len() > 1 && over(self) {
                self.chosen.pop();
            }
        }
    }

    fn render(&self, limits: &[Length]) -> String {
        let in_order = |places: &[usize]| {
            let mut places = places.to_vec();
            places.sort_unstable();
            places
                .into_iter()
                .map(|at| &self.material.sentences[at])
                .collect::<Vec<_>>()
        };
        let small = |l: &Length| l.bound != Bound::AtLeast && l.count < SECTIONS_FROM;
        if limits.iter().any(small) {
            return format!(
                "# {}\n\n{}\n",
                self.title,
                paragraph(&in_order(&self.chosen))
            );
        }
        let (summary, points) = self.chosen.split_at(self.chosen.len().min(SUMMARY));
        let [summary_heading, points_heading, sources_heading] = match self.language {
            Language::Chinese => ["摘要", "要点", "参考资料"],
            Language::English => ["Summary", "Key points", "Sources"],
        };
        let mut sections = vec![format!("# {}", self.title)];
        if !summary.is_empty() {
            sections.push(format!(
                "## {summary_heading}\n\n{}",
                paragraph(&in_order(summary))
            ));
        }
        if !points.is_empty() {
            let lines: Vec<String> = in_order(points)
                .into_iter()
                .map(|s| self.point(s))
                .collect();
            sections.push(format!("## {points_heading}\n\n{}", lines.join("\n")));
        }
        if self.sources && !self.material.sources.is_empty() {
            let numbered = self.material.sources.iter().enumerate();
            let lines: Vec<String> = numbered
                .map(|(at, name)| format!("{}. {name}", at + 1))
                .collect();
            sections.push(format!("## {sources_heading}\n\n{}", lines.join("\n")));
        }
        format!("{}\n", sections.join("\n\n"))
    }

    fn point(&self, sentence: &Sentence) -> String {
        match sentence.source {
            // In words: a bare `[1]` reads as a link that leads nowhere.
            Some(source) if self.sources => {
                let cited = match self.language {
                    Language::Chinese => format!("（来源 {}）", source + 1),
                    Language::English => format!(" (source {})", source + 1),
                };
                format!("- {}{cited}", sentence.text)
            }
            _ => format!("- {}", sentence.text),
        }
    }
}

/// Sentences in a row, with a space where the script has one.
fn paragraph(sentences: &[&Sentence]) -> String {
    sentences.iter().fold(String::new(), |mut text, sentence| {
        let joint = text.chars().next_back().zip(sentence.text.chars().next());
        if joint.is_some_and(|(before, _)| before.is_ascii()) {
            text.push(' ');
        }
        text.push_str(&sentence.text);
        text
    })
}
