//! Which sources the answer cites, by the addresses that stand in it.
//!
//! A source that is only named in words ("as the ministry says") cannot be
//! seen here.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::check::CheckContext;
use crate::check::answer::Answer;
use crate::check::evidence::{Outcome, Said, Why};
use crate::ledger::rule::{SourceMatch, SourceMode};
use crate::text::link::{self, Citation, Host, Link};

/// The grade of every source that was retrieved in this task: a rule that
/// allows only it forbids invented sources.
pub const RETRIEVED: &str = "retrieved";

/// What is known of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KnownSource {
    /// Its address, as it was retrieved; or a bare host, for all below it.
    pub address: String,
    /// Grades such as `official`, `internal`.
    #[serde(default)]
    pub grades: Vec<String>,
    /// Whether its content came in during this task.
    #[serde(default)]
    pub retrieved: bool,
}

/// How a link stands to the sources of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Named,
    NotNamed,
    /// It would depend on a grade that no known source has.
    Open,
}

pub(super) fn check(
    answer: &Answer<'_>,
    mode: SourceMode,
    sources: &[SourceMatch],
    context: &CheckContext<'_>,
) -> Outcome {
    if sources.is_empty() {
        return Outcome::NotChecked(Why::Empty);
    }
    let catalogue = Catalogue::of(context.sources);
    let cited = cited(answer.text, mode, sources);
    let mut wrong: Vec<Link> = Vec::new();
    let mut open: Option<String> = None;
    for link in cited {
        match (mode, catalogue.standing(answer.text, &link, sources)) {
            (SourceMode::Allow, Standing::NotNamed) | (SourceMode::Deny, Standing::Named) => {
                wrong.push(link);
            }
            (_, Standing::Open) => {
                open = open.or_else(|| catalogue.unknown_grade(sources).map(str::to_owned));
            }
            _ => {}
        }
    }
    let numbers = Numbers::of(answer.text);
    let asks_retrieved =
        mode == SourceMode::Allow && sources.contains(&SourceMatch::Grade(RETRIEVED.to_owned()));
    let unlisted = if asks_retrieved {
        numbers.unlisted()
    } else {
        Vec::new()
    };
    if !wrong.is_empty() || !unlisted.is_empty() {
        let found = found(&wrong, &unlisted, &numbers);
        let places = wrong
            .into_iter()
            .map(|one| one.range)
            .chain(unlisted.into_iter().map(|one| one.range));
        return answer.broken(allowed(mode, sources), found, places);
    }
    match open {
        Some(name) => Outcome::NotChecked(Why::Unknown { name }),
        // Numbers without a list say that something is cited, not what.
        None if mode == SourceMode::Allow
            && numbers.entries.is_empty()
            && !numbers.mentions.is_empty() =>
        {
            Outcome::NotChecked(Why::NotCertain)
        }
        None => Outcome::Kept,
    }
}

/// The addresses of an answer; bare names of hosts too, where they lead
/// somewhere or are the very ones that are denied.
fn cited(text: &str, mode: SourceMode, sources: &[SourceMatch]) -> Vec<Link> {
    let mut found = link::links(text);
    let is_denied =
        |host: &Host| mode == SourceMode::Deny && sources.iter().any(|one| is_host_of(one, host));
    let bare = link::bare_hosts(text, |host| is_denied(host) || is_usual(host));
    let known: Vec<Range<usize>> = found.iter().map(|one| one.range.clone()).collect();
    for link in bare {
        let at = known.partition_point(|range| range.end <= link.range.start);
        let inside = known
            .get(at)
            .is_some_and(|range| range.start < link.range.end);
        let leads = text[link.range.end..].starts_with('/')
            && !text[..link.range.start].ends_with(['/', '@', '\\']);
        if !inside && (leads || link.host.as_ref().is_some_and(is_denied)) {
            found.push(link);
        }
    }
    found.sort_by_key(|one| one.range.start);
    found
}

/// Endings of host names that are seldom anything else.
fn is_usual(host: &Host) -> bool {
    const ENDINGS: [&str; 24] = [
        "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "cn", "hk", "tw", "jp",
        "kr", "uk", "de", "fr", "eu", "us", "au", "in", "ru", "br", "example",
    ];
    let name = host.to_string();
    host.is_dotted_name()
        && name
            .rsplit('.')
            .next()
            .is_some_and(|last| ENDINGS.contains(&last))
}

fn is_host_of(source: &SourceMatch, host: &Host) -> bool {
    match source {
        SourceMatch::Domain(domain) => host.is_within(domain),
        SourceMatch::Host(name) => host.is(name),
        SourceMatch::Grade(_) => false,
    }
}

/// Known sources by address and by host.
struct Catalogue<'a> {
    by_address: BTreeMap<String, Vec<&'a KnownSource>>,
    hosts: Vec<(Host, &'a KnownSource)>,
    grades: BTreeSet<&'a str>,
}

impl<'a> Catalogue<'a> {
    fn of(sources: &'a [KnownSource]) -> Catalogue<'a> {
        let mut catalogue = Catalogue {
            by_address: BTreeMap::new(),
            hosts: Vec::new(),
            grades: BTreeSet::from([RETRIEVED]),
        };
        for source in sources {
            catalogue
                .grades
                .extend(source.grades.iter().map(String::as_str));
            match Host::parse(&source.address) {
                Some(host) => catalogue.hosts.push((host, source)),
                None => {
                    let all = catalogue.by_address.entry(canonical(&source.address));
                    all.or_default().push(source);
                }
            }
        }
        catalogue
    }

    fn standing(&self, text: &str, link: &Link, sources: &[SourceMatch]) -> Standing {
        let Some(host) = &link.host else {
            return Standing::NotNamed;
        };
        let address = canonical(&text[link.range.clone()]);
        let mut standing = Standing::NotNamed;
        for source in sources {
            match source {
                SourceMatch::Grade(grade) if self.has_grade(&address, host, grade) => {
                    return Standing::Named;
                }
                SourceMatch::Grade(grade) if !self.grades.contains(grade.as_str()) => {
                    standing = Standing::Open;
                }
                SourceMatch::Grade(_) => {}
                other if is_host_of(other, host) => return Standing::Named,
                _ => {}
            }
        }
        standing
    }

    fn has_grade(&self, address: &str, host: &Host, grade: &str) -> bool {
        let exact = self.by_address.get(address).into_iter().flatten();
        let below = self
            .hosts
            .iter()
            .filter(|(known, _)| host.is_within(&known.to_string()));
        exact
            .copied()
            .chain(below.map(|(_, source)| *source))
            .any(|source| {
                grade == RETRIEVED && source.retrieved
                    || source.grades.iter().any(|one| one == grade)
            })
    }

    fn unknown_grade<'s>(&self, sources: &'s [SourceMatch]) -> Option<&'s str> {
        sources.iter().find_map(|source| match source {
            SourceMatch::Grade(grade) if !self.grades.contains(grade.as_str()) => {
                Some(grade.as_str())
            }
            _ => None,
        })
    }
}

/// An address without scheme, user, port, part and final slash.
fn canonical(address: &str) -> String {
    let Some(host) = Host::of_address(address) else {
        return address.to_owned();
    };
    let rest = address.split_once("//").map_or(address, |(_, rest)| rest);
    let path = rest
        .find(['/', '?', '#', '\\'])
        .map_or("", |at| &rest[at..]);
    let path = path.split('#').next().unwrap_or("");
    format!("{host}{}", path.trim_end_matches('/'))
}

/// Numbered citations and the list that they refer to.
struct Numbers {
    mentions: Vec<Citation>,
    entries: BTreeSet<u32>,
}

impl Numbers {
    fn of(text: &str) -> Numbers {
        let (entries, mentions) = link::citations(text)
            .into_iter()
            .partition::<Vec<_>, _>(|one| one.is_entry);
        Numbers {
            mentions,
            entries: entries.into_iter().map(|one| one.number).collect(),
        }
    }

    /// Mentions without an entry, where there is a list.
    fn unlisted(&self) -> Vec<Citation> {
        if self.entries.is_empty() {
            return Vec::new();
        }
        let all = self.mentions.iter();
        all.filter(|one| !self.entries.contains(&one.number))
            .cloned()
            .collect()
    }

    /// Numbers that the list leaves out, the first few.
    fn gaps(&self) -> Vec<u32> {
        let last = self.entries.last().copied().unwrap_or(0);
        (1..last)
            .filter(|number| !self.entries.contains(number))
            .take(5)
            .collect()
    }
}

fn found(wrong: &[Link], unlisted: &[Citation], numbers: &Numbers) -> Said {
    const SHOWN: usize = 5;
    let mut names: Vec<String> = Vec::new();
    for link in wrong {
        let name = link
            .host
            .as_ref()
            .map_or_else(|| "?".to_owned(), ToString::to_string);
        if !names.contains(&name) && names.len() < SHOWN {
            names.push(name);
        }
    }
    names.extend(
        unlisted
            .iter()
            .take(SHOWN)
            .map(|one| format!("[{}]", one.number)),
    );
    let mut said = Said::new(names.join("、"), names.join(", "));
    let gaps: Vec<String> = numbers.gaps().iter().map(ToString::to_string).collect();
    if !gaps.is_empty() {
        said.zh.push_str(&format!("；编号缺 {}", gaps.join("、")));
        said.en
            .push_str(&format!("; the numbering leaves out {}", gaps.join(", ")));
    }
    said
}

fn allowed(mode: SourceMode, sources: &[SourceMatch]) -> Said {
    let names = |domain: &str, grade: &str, retrieved: &str, between: &str| {
        let names = sources.iter().map(|source| match source {
            SourceMatch::Domain(name) => format!("{name}{domain}"),
            SourceMatch::Host(name) => name.clone(),
            SourceMatch::Grade(name) if name == RETRIEVED => retrieved.to_owned(),
            SourceMatch::Grade(name) => format!("{grade}{name}"),
        });
        names.collect::<Vec<_>>().join(between)
    };
    let zh = names(" 及其子域", "等级 ", "本任务中实际检索到的来源", "、");
    let en = names(
        " and below",
        "grade ",
        "sources retrieved in this task",
        ", ",
    );
    match mode {
        SourceMode::Allow => Said::new(format!("只引用 {zh}"), format!("citing only {en}")),
        SourceMode::Deny => Said::new(format!("不引用 {zh}"), format!("not citing {en}")),
    }
}
