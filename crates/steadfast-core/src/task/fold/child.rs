//! What a child's beginning and end make of its parent.

use crate::event::child::{ChildEnded, ChildStarted, Then};
use crate::task::state::{Child, State};

impl State {
    /// What it can take counts from here on as if it were spent.
    pub(super) fn child_started(&mut self, body: &ChildStarted) -> Result<(), String> {
        let state = self.call_mut(&body.call)?.state.clone();
        let stands = &mut self.stands;
        let account = &mut stands.account;
        account.reserve_beside(state.as_ref(), body.reserved);
        let with_its_own = body.children.saturating_add(1);
        stands.children_started = stands.children_started.saturating_add(with_its_own);
        let child = Child::of(body);
        match stands.children.insert(body.call.clone(), child) {
            None => Ok(()),
            Some(other) => Err(format!("sub-task `{}` is still at work", other.task)),
        }
    }

    pub(super) fn child_ended(&mut self, body: &ChildEnded) -> Result<(), String> {
        let call = self.call_mut(&body.call)?;
        let (state, task) = (call.state.clone(), call.skill.clone());
        let child = self.stands.children.remove(&body.call);
        if child.as_ref().is_some_and(|child| child.task != body.child) {
            return Err(format!("sub-task `{}` is not at work", body.child));
        }
        let reserved = child.map(|child| child.reserved).unwrap_or_default();
        let stands = &mut self.stands;
        let account = &mut stands.account;
        account.settle_beside(state.as_ref(), reserved, body.spent);
        let spent = &mut stands.spent;
        spent.child_tokens = spent.child_tokens.saturating_add(body.spent.tokens);
        spent.micros = spent.micros.saturating_add(body.spent.micros);
        if body.then == Then::LeftOut {
            self.beliefs.visit.left_out.insert(task);
        }
        Ok(())
    }
}
