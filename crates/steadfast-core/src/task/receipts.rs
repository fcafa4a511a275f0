//! What succeeded, by state and skill: the proofs that the machine moves on.
//!
//! A task with a thousand sub-tasks has a thousand receipts, and most steps look
//! up a few of them: so whose receipts they are is known without a walk over all,
//! and a copy of the state shares them until one is added.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::id::{CallId, Seq, SkillName, StateName};

/// Proof that a skill succeeded for a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    pub call: CallId,
    pub seq: Seq,
    pub result: Content,
    /// The text that this skill checked and passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Content>,
}

/// The receipts of one state.
pub type OfState = BTreeMap<SkillName, Receipt>;

/// All receipts that count. Bounded by the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<StateName, Arc<OfState>>")]
#[serde(into = "BTreeMap<StateName, Arc<OfState>>")]
pub struct Receipts {
    of: BTreeMap<StateName, Arc<OfState>>,
    /// The calls that they are of.
    calls: Arc<BTreeSet<CallId>>,
}

impl Receipts {
    pub fn get(&self, state: &StateName) -> Option<&OfState> {
        self.of.get(state).map(|of_state| &**of_state)
    }

    pub fn contains_key(&self, state: &StateName) -> bool {
        self.of.contains_key(state)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&StateName, &OfState)> {
        self.of.iter().map(|(state, all)| (state, &**all))
    }

    pub fn keys(&self) -> impl Iterator<Item = &StateName> {
        self.of.keys()
    }

    /// The receipts, state by state.
    pub fn values(&self) -> impl Iterator<Item = &OfState> {
        self.of.values().map(|all| &**all)
    }

    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Whether a call is one that a receipt is of.
    pub fn is_of(&self, call: &CallId) -> bool {
        self.calls.contains(call)
    }

    pub(super) fn put(&mut self, state: StateName, skill: SkillName, receipt: Receipt) {
        let call = receipt.call.clone();
        let of_state = Arc::make_mut(self.of.entry(state).or_default());
        let before = of_state.insert(skill, receipt);
        let calls = Arc::make_mut(&mut self.calls);
        if let Some(before) = before {
            calls.remove(&before.call);
        }
        calls.insert(call);
    }

    /// Keeps those of before an event alone.
    pub(super) fn lapse_since(&mut self, since: Seq) {
        if !self
            .values()
            .flat_map(BTreeMap::values)
            .any(|one| one.seq >= since)
        {
            return;
        }
        for of_state in self.of.values_mut() {
            Arc::make_mut(of_state).retain(|_, one| one.seq < since);
        }
        self.of.retain(|_, of_state| !of_state.is_empty());
        *self = Receipts::from(std::mem::take(&mut self.of));
    }
}

impl From<BTreeMap<StateName, Arc<OfState>>> for Receipts {
    fn from(of: BTreeMap<StateName, Arc<OfState>>) -> Receipts {
        let all = of.values().flat_map(|of_state| of_state.values());
        let calls = Arc::new(all.map(|one| one.call.clone()).collect());
        Receipts { of, calls }
    }
}

impl From<Receipts> for BTreeMap<StateName, Arc<OfState>> {
    fn from(receipts: Receipts) -> Self {
        receipts.of
    }
}

impl HoldsContent for Receipts {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        for of_state in self.of.values_mut() {
            for receipt in Arc::make_mut(of_state).values_mut() {
                receipt.result.visit_content(visit);
                receipt.checked.visit_content(visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Salt;

    fn receipt(call: &str, seq: u64) -> Receipt {
        Receipt {
            call: CallId::from(call),
            seq: Seq(seq),
            result: Salt([1; 32]).seal_json(&call),
            checked: None,
        }
    }

    #[test]
    fn a_call_is_known_while_its_receipt_counts() {
        let mut all = Receipts::default();
        let (first, skill) = (StateName::from("S1"), SkillName::from("look"));
        all.put(first.clone(), skill.clone(), receipt("c1", 4));
        all.put(StateName::from("S2"), skill.clone(), receipt("c2", 7));
        let copy = all.clone();
        all.put(first, skill, receipt("c3", 9));
        let known = |all: &Receipts| ["c1", "c2", "c3"].map(|id| all.is_of(&CallId::from(id)));
        assert_eq!(known(&all), [false, true, true]);
        assert_eq!(known(&copy), [true, true, false]);
        all.lapse_since(Seq(8));
        assert_eq!(known(&all), [false, true, false]);
        assert_eq!(all.keys().count(), 1);
        let stored = serde_json::to_value(&all).expect("it is JSON");
        let read: Receipts = serde_json::from_value(stored).expect("it reads back");
        assert_eq!(read, all);
    }
}
