//! Capability masks: what a task may call at all, whatever its workflow, its
//! model or its context says. A mask only shrinks on its way down.

use std::collections::BTreeSet;

use crate::id::SkillName;

/// All that a task may call. None of it stands in a context, so nothing that a
/// context loses can widen it (field report R05).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Mask(BTreeSet<SkillName>);

impl Mask {
    pub fn of(names: impl IntoIterator<Item = SkillName>) -> Mask {
        Mask(names.into_iter().collect())
    }

    pub fn allows(&self, skill: &str) -> bool {
        self.0.contains(skill)
    }

    pub fn names(&self) -> impl Iterator<Item = &SkillName> {
        self.0.iter()
    }

    /// What is left of this mask below a task with `parent`; a task without a
    /// mask may call whatever its workflow has.
    #[must_use]
    pub fn below(self, parent: Option<&Mask>) -> Mask {
        match parent {
            Some(parent) => Mask(self.0.intersection(&parent.0).cloned().collect()),
            None => self,
        }
    }

    pub fn is_within(&self, other: &Mask) -> bool {
        self.0.is_subset(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn masks() -> impl Strategy<Value = Mask> {
        prop::collection::btree_set("[a-e]", 0..5)
            .prop_map(|names| Mask::of(names.iter().map(|n| SkillName::from(n.as_str()))))
    }

    proptest! {
        /// Down any chain of hand-offs, nothing that one task may not call may be
        /// called below it.
        #[test]
        fn a_mask_only_shrinks(chain in prop::collection::vec(masks(), 1..6)) {
            let mut above: Option<Mask> = None;
            for declared in chain {
                let mask = declared.clone().below(above.as_ref());
                prop_assert!(mask.is_within(&declared));
                if let Some(above) = &above {
                    prop_assert!(mask.is_within(above));
                }
                above = Some(mask);
            }
        }
    }
}
