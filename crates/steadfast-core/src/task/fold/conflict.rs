//! What refused changes of the ledger make of the state: a count for each.

use crate::event::Event;
use crate::event::ledger::PatchRefused;
use crate::ledger::{Conflict, Entry, Patch};
use crate::limits;
use crate::task::state::State;

impl State {
    pub(super) fn patch_refused(
        &mut self,
        event: &Event,
        body: &PatchRefused,
    ) -> Result<(), String> {
        self.ledger.follow(&Entry::Refused)?;
        let bytes = body.patch.payload();
        let patch = bytes.and_then(|bytes| serde_json::from_slice::<Patch>(bytes).ok());
        // The same demand in two messages is one; where its words were erased, each
        // message is one by itself.
        let demand = patch.map_or(body.patch.hash, |patch| {
            self.salt.seal_own(&patch.operation).hash
        });
        let Some(found) = Conflict::of(&body.refused, &event.source, demand, event.seq) else {
            return Ok(());
        };
        let conflicts = &mut self.stands.conflicts;
        if !conflicts.iter_mut().any(|one| one.again(&found)) {
            if conflicts.len() >= limits::CONFLICTS_KEPT {
                conflicts.pop_front();
            }
            conflicts.push_back(found);
        }
        Ok(())
    }
}
