//! Conditions of edges, as far as a foreign log can decide them: tests of
//! whether a state has a receipt, joined by `!`, `&&`, `||` and parentheses.
//!
//! All else (results, counters, facts) is left open: the monitor takes such an
//! edge as possible either way.

use std::collections::BTreeSet;

/// A condition, with what is not about receipts left open.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Presence {
    Has(String),
    Not(Box<Presence>),
    And(Vec<Presence>),
    Or(Vec<Presence>),
    Open,
}

impl Presence {
    /// Reads a CEL expression; what it cannot read is [`Presence::Open`].
    pub(super) fn of(expression: &str) -> Presence {
        let mut reader = Reader { rest: expression };
        let whole = reader.or(0);
        reader.space();
        match whole {
            Some(whole) if reader.rest.is_empty() => whole,
            _ => Presence::Open,
        }
    }

    /// The states that it asks for.
    pub(super) fn names<'a>(&'a self, into: &mut BTreeSet<&'a str>) {
        match self {
            Presence::Has(name) => drop(into.insert(name)),
            Presence::Not(one) => one.names(into),
            Presence::And(all) | Presence::Or(all) => all.iter().for_each(|one| one.names(into)),
            Presence::Open => {}
        }
    }

    /// True, false, or open.
    pub(super) fn holds(&self, has: &dyn Fn(&str) -> bool) -> Option<bool> {
        match self {
            Presence::Has(name) => Some(has(name)),
            Presence::Not(one) => one.holds(has).map(|held| !held),
            Presence::And(all) => joined(all, has, false),
            Presence::Or(all) => joined(all, has, true),
            Presence::Open => None,
        }
    }
}

/// `decisive` is the value of one part that settles the whole.
fn joined(all: &[Presence], has: &dyn Fn(&str) -> bool, decisive: bool) -> Option<bool> {
    let mut open = false;
    for one in all {
        match one.holds(has) {
            Some(value) if value == decisive => return Some(decisive),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!decisive)
}

struct Reader<'a> {
    rest: &'a str,
}

/// Parentheses deeper than this are left open.
const DEPTH_MAX: usize = 32;

impl<'a> Reader<'a> {
    fn or(&mut self, depth: usize) -> Option<Presence> {
        let mut all = vec![self.and(depth)?];
        while self.take("||") {
            all.push(self.and(depth)?);
        }
        Some(one_or(all, Presence::Or))
    }

    fn and(&mut self, depth: usize) -> Option<Presence> {
        let mut all = vec![self.unary(depth)?];
        while self.take("&&") {
            all.push(self.unary(depth)?);
        }
        Some(one_or(all, Presence::And))
    }

    fn unary(&mut self, depth: usize) -> Option<Presence> {
        if depth > DEPTH_MAX {
            return None;
        }
        if self.take("!") {
            return Some(Presence::Not(Box::new(self.unary(depth + 1)?)));
        }
        if self.take("has(receipts.") {
            let name = self.name()?;
            return self.take(")").then_some(Presence::Has(name));
        }
        if self.take("(") {
            let inner = self.or(depth + 1)?;
            return self.take(")").then_some(inner);
        }
        if let Some(name) = self.quoted_in_receipts() {
            return Some(Presence::Has(name));
        }
        self.other()
    }

    fn quoted_in_receipts(&mut self) -> Option<String> {
        self.space();
        let quote = self
            .rest
            .chars()
            .next()
            .filter(|c| matches!(c, '\'' | '"'))?;
        let (name, after) = self.rest[1..].split_once(quote)?;
        let after = after.trim_start().strip_prefix("in")?;
        let after = after.strip_prefix(char::is_whitespace)?.trim_start();
        let after = after.strip_prefix("receipts")?;
        if after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[')) {
            return None;
        }
        self.rest = after;
        Some(name.to_owned())
    }

    /// A comparison of other things: read over up to the next joint.
    fn other(&mut self) -> Option<Presence> {
        self.space();
        let mut depth = 0_usize;
        let mut quote = None;
        let mut end = self.rest.len();
        for (at, c) in self.rest.char_indices() {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, '(' | '[' | '{') => depth += 1,
                // A choice has joints of its own kind: the whole is left open.
                (None, '?') => return None,
                (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
                (None, ')') => {
                    end = at;
                    break;
                }
                (None, '&' | '|') if depth == 0 => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let (skipped, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!skipped.trim().is_empty()).then_some(Presence::Open)
    }

    fn name(&mut self) -> Option<String> {
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn take(&mut self, word: &str) -> bool {
        self.space();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

fn one_or(mut all: Vec<Presence>, join: fn(Vec<Presence>) -> Presence) -> Presence {
    if all.len() == 1 {
        all.remove(0)
    } else {
        join(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(expression: &str, receipts: &[&str]) -> Option<bool> {
        Presence::of(expression).holds(&|name| receipts.contains(&name))
    }

    #[test]
    fn receipts_are_decided_and_the_rest_is_open() {
        assert_eq!(holds("has(receipts.A)", &["A"]), Some(true));
        assert_eq!(
            holds("'A' in receipts && !has(receipts.B)", &["A"]),
            Some(true)
        );
        assert_eq!(holds("counters.visits.A < 5", &[]), None);
        assert_eq!(
            holds("has(receipts.A) && counters.steps < 3", &[]),
            Some(false)
        );
        assert_eq!(
            holds("has(receipts.A) || (facts.x == 'a || b')", &["A"]),
            Some(true)
        );
        assert_eq!(holds("(has(receipts.A))", &[]), Some(false));
        assert_eq!(holds("has(receipts.A.b)", &["A"]), None);
        assert_eq!(holds("has(receipts.A) ? true : false", &["A"]), None);
        assert_eq!(holds("has(receipts.A", &["A"]), None);
        assert_eq!(holds("", &["A"]), None);
    }
}
