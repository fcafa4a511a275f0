//! Which step stands before which, and the states that come of it.

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::limits;

use super::{Item, Seen, StateDraft};

/// States in an order that agrees with every run as far as runs agree.
pub(super) fn states(seen: &Seen) -> Vec<StateDraft> {
    let order = Order::of(seen);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for item in order.sorted() {
        let joins = groups.last().is_some_and(|group| order.joins(group, item));
        match groups.last_mut() {
            Some(group) if joins => group.push(item),
            _ => groups.push(vec![item]),
        }
    }
    groups
        .iter()
        .map(|group| order.state(group, seen))
        .collect()
}

struct Order {
    items: Vec<Item>,
    /// Runs that have an item.
    runs: Vec<usize>,
    total: usize,
    /// For each pair, runs in which the first stands before the second.
    before: BTreeMap<(usize, usize), usize>,
    /// Where in its run an item stands on average, 0 to 1.
    places: Vec<f64>,
}

impl Order {
    fn of(seen: &Seen) -> Order {
        let all: BTreeSet<&Item> = seen.orders.iter().flatten().collect();
        let items: Vec<Item> = all.into_iter().cloned().collect();
        let numbers: BTreeMap<&Item, usize> = items
            .iter()
            .enumerate()
            .map(|(number, item)| (item, number))
            .collect();
        let mut order = Order {
            runs: vec![0; items.len()],
            total: seen.orders.len(),
            before: BTreeMap::new(),
            places: vec![0.0; items.len()],
            items: Vec::new(),
        };
        for run in &seen.orders {
            let run: Vec<usize> = run.iter().map(|item| numbers[item]).collect();
            for (at, first) in run.iter().enumerate() {
                order.runs[*first] += 1;
                #[allow(clippy::cast_precision_loss, reason = "places in a run are small")]
                let place = at as f64 / run.len() as f64;
                order.places[*first] += place;
                for second in &run[at + 1..] {
                    *order.before.entry((*first, *second)).or_default() += 1;
                }
            }
        }
        for (place, runs) in order.places.iter_mut().zip(&order.runs) {
            #[allow(clippy::cast_precision_loss, reason = "places in a run are small")]
            let count = (*runs).max(1) as f64;
            *place /= count;
        }
        order.items = items;
        order
    }

    /// Whether one item stood before another in every run with both.
    fn precedes(&self, first: usize, second: usize) -> bool {
        self.before.contains_key(&(first, second)) && !self.before.contains_key(&(second, first))
    }

    /// Whether both orders were seen.
    fn is_free(&self, one: usize, other: usize) -> bool {
        self.before.contains_key(&(one, other)) && self.before.contains_key(&(other, one))
    }

    /// All items, none before one that precedes it; where precedences go in a
    /// circle, the one that stands first on average breaks it.
    fn sorted(&self) -> Vec<usize> {
        let mut waits: Vec<usize> = vec![0; self.items.len()];
        for (first, second) in self.before.keys() {
            if self.precedes(*first, *second) {
                waits[*second] += 1;
            }
        }
        let mut open: BTreeSet<usize> = (0..self.items.len()).collect();
        let mut sorted = Vec::new();
        while !open.is_empty() {
            let least = |a: &&usize, b: &&usize| {
                let key = |item: usize| (waits[item] > 0, self.places[item]);
                let (blocked_a, place_a) = key(**a);
                let (blocked_b, place_b) = key(**b);
                blocked_a
                    .cmp(&blocked_b)
                    .then(place_a.total_cmp(&place_b))
                    .then(a.cmp(b))
            };
            let Some(next) = open.iter().min_by(least).copied() else {
                break;
            };
            open.remove(&next);
            sorted.push(next);
            for other in &open {
                if self.precedes(next, *other) {
                    waits[*other] = waits[*other].saturating_sub(1);
                }
            }
        }
        sorted
    }

    /// Whether an item shares a state: with one of the group it was seen in
    /// both orders, and the skill is not there yet.
    fn joins(&self, group: &[usize], item: usize) -> bool {
        let same = |other: &usize| self.items[*other].skill == self.items[item].skill;
        group.len() < limits::SKILLS_PER_STATE_MAX
            && !group.iter().any(same)
            && group.iter().any(|other| self.is_free(*other, item))
    }

    fn state(&self, group: &[usize], seen: &Seen) -> StateDraft {
        let uses = group
            .iter()
            .map(|item| {
                let required = group.iter().filter(|other| self.precedes(**other, *item));
                // Only what every run has can be required.
                let required = required.filter(|other| self.runs[**other] == self.total);
                let required = required.map(|other| self.items[*other].skill.clone());
                let mandatory = self.runs[*item] == self.total;
                (self.items[*item].clone(), mandatory, required.collect())
            })
            .collect();
        let rounds = group
            .iter()
            .filter_map(|item| seen.loops.get(&self.items[*item]))
            .max()
            .copied();
        StateDraft { uses, rounds }
    }
}
