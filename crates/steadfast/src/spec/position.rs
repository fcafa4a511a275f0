//! Where each key and value stands in a file.
//!
//! Read from the parser's events in a pass of its own, so that a finding about
//! `states.S1.on_success` can point at the very word. A text that the parser
//! does not take, or an alias, leaves its places unknown; nothing else depends
//! on them.

use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};
use steadfast_core::limits;

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A scalar without quotes, as it is written.
    Plain(String),
    Quoted,
    List,
    Map,
}

#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) kind: Kind,
    /// The key, where the value has one.
    key: Option<Range<usize>>,
    value: Range<usize>,
}

/// Which part of a place a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Aim {
    Key,
    Value,
}

impl Place {
    /// What to point at: the value where it is a scalar, the key of anything
    /// larger, the first line of what has no key.
    fn span(&self, text: &str, aim: Aim) -> Range<usize> {
        let large = matches!(self.kind, Kind::List | Kind::Map);
        match &self.key {
            // A key without a value has an empty span behind it.
            Some(key) if large || aim == Aim::Key || self.value.is_empty() => key.clone(),
            _ => {
                let written = text.get(self.value.clone()).unwrap_or_default();
                let line = written.lines().next().unwrap_or_default();
                self.value.start..self.value.start + line.trim_end().len()
            }
        }
    }
}

/// Places by their path: keys, and indices as decimal numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Positions(BTreeMap<Vec<String>, Place>);

impl Positions {
    pub(super) fn of(text: &str) -> Positions {
        let mut walk = Walk {
            places: BTreeMap::new(),
            open: Vec::new(),
            path: Vec::new(),
        };
        for event in Parser::new_from_str(text).take(limits::SPEC_NODES_MAX * 2) {
            let Ok((event, span)) = event else { break };
            let Some(range) = span.byte_range() else {
                break;
            };
            walk.event(event, range);
        }
        Positions(walk.places)
    }

    pub(super) fn at(&self, path: &[String]) -> Option<&Place> {
        self.0.get(path)
    }

    /// The span of the path, or of the longest part of it that is there.
    pub(super) fn span(&self, text: &str, path: &[String], aim: Aim) -> Option<Range<usize>> {
        let place = (0..=path.len())
            .rev()
            .find_map(|length| self.at(&path[..length]))?;
        Some(place.span(text, aim))
    }

    /// The innermost path whose value holds a byte, for errors that know only that.
    pub(super) fn path_of(&self, byte: usize) -> Vec<String> {
        let holds = |place: &Place| {
            place.value.contains(&byte) || place.key.as_ref().is_some_and(|key| key.contains(&byte))
        };
        let inner = self
            .0
            .iter()
            .filter(|(_, place)| holds(place))
            .max_by_key(|(path, _)| path.len());
        inner.map(|(path, _)| path.clone()).unwrap_or_default()
    }
}

struct Walk {
    places: BTreeMap<Vec<String>, Place>,
    open: Vec<Open>,
    path: Vec<String>,
}

enum Open {
    List {
        next: usize,
    },
    /// The key that waits for its value.
    Map {
        key: Option<Range<usize>>,
    },
    /// A key that is no scalar: nothing in it has a path.
    Nameless {
        depth: usize,
    },
}

impl Walk {
    fn event(&mut self, event: Event<'_>, span: Range<usize>) {
        if let Some(Open::Nameless { depth }) = self.open.last_mut() {
            match event {
                Event::SequenceStart(..) | Event::MappingStart(..) => *depth += 1,
                Event::SequenceEnd | Event::MappingEnd => *depth -= 1,
                _ => {}
            }
            if *depth == 0 {
                self.open.pop();
                self.await_value(String::new(), span);
            }
            return;
        }
        match event {
            Event::Scalar(text, style, ..) => {
                if self.expects_key() {
                    return self.await_value(text.into_owned(), span);
                }
                let kind = match style {
                    ScalarStyle::Plain => Kind::Plain(text.into_owned()),
                    _ => Kind::Quoted,
                };
                self.value(kind, span);
                self.leave();
            }
            Event::Alias(_) if self.expects_key() => self.await_value(String::new(), span),
            Event::Alias(_) => {
                self.enter();
                self.leave();
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if self.expects_key() => {
                self.open.push(Open::Nameless { depth: 1 });
            }
            Event::SequenceStart(..) => {
                self.value(Kind::List, span);
                self.open.push(Open::List { next: 0 });
            }
            Event::MappingStart(..) => {
                self.value(Kind::Map, span);
                self.open.push(Open::Map { key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
                if let Some(place) = self.places.get_mut(&self.path) {
                    place.value.end = span.end.max(place.value.end);
                }
                self.leave();
            }
            _ => {}
        }
    }

    fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Map { key: None }))
    }

    fn await_value(&mut self, name: String, span: Range<usize>) {
        if let Some(Open::Map { key }) = self.open.last_mut() {
            *key = Some(span);
            self.path.push(name);
        }
    }

    /// Makes the path that of the value which comes now.
    fn enter(&mut self) -> Option<Range<usize>> {
        match self.open.last_mut() {
            Some(Open::List { next }) => {
                self.path.push(next.to_string());
                *next += 1;
                None
            }
            Some(Open::Map { key }) => key.clone(),
            _ => None,
        }
    }

    fn value(&mut self, kind: Kind, span: Range<usize>) {
        let key = self.enter();
        self.places.entry(self.path.clone()).or_insert(Place {
            kind,
            key,
            value: span,
        });
    }

    /// Goes back to the collection around the value that has ended.
    fn leave(&mut self) {
        match self.open.last_mut() {
            Some(Open::List { .. }) => {
                self.path.pop();
            }
            Some(Open::Map { key }) => {
                *key = None;
                self.path.pop();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'t>(text: &'t str, path: &[&str]) -> Option<&'t str> {
        let path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
        Positions::of(text)
            .span(text, &path, Aim::Value)
            .and_then(|span| text.get(span))
    }

    #[test]
    fn scalars_by_value_and_collections_by_key() {
        let text = "a: 一\nb:\n  - x: 1\n    y: [p, 'q']\n  - {z: null}\nc:\n";
        assert_eq!(at(text, &["a"]), Some("一"));
        assert_eq!(at(text, &["b"]), Some("b"));
        assert_eq!(at(text, &["b", "0", "x"]), Some("1"));
        assert_eq!(at(text, &["b", "0", "y"]), Some("y"));
        assert_eq!(at(text, &["b", "0", "y", "1"]), Some("'q'"));
        assert_eq!(at(text, &["b", "1", "z"]), Some("null"));
        assert_eq!(at(text, &["c"]), Some("c"));
        // What is not there is pointed at where it should be.
        assert_eq!(at(text, &["b", "0", "missing", "more"]), Some("x: 1"));
    }

    #[test]
    fn strange_keys_do_not_lose_the_place() {
        let text = "? [complex, {k: v}]\n: 1\nanchor: &a 2\nalias: *a\nlast: here\n";
        assert_eq!(at(text, &["last"]), Some("here"));
        assert_eq!(
            at(text, &["anchor"]).map(|span| span.ends_with('2')),
            Some(true)
        );
    }

    #[test]
    fn json_has_places_too() {
        let text = "{\"states\": {\"S1\": {\"skill\": \"a\"}}}";
        assert_eq!(at(text, &["states", "S1", "skill"]), Some("\"a\""));
    }
}
