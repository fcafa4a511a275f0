//! The model of all tasks of a tree. It knows whose turn it is by the goal that it
//! reads, works properly or, by chance, reaches for what is not its own; and it
//! watches each request for bytes that should not be there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::json;
use steadfast::clock::Clock;
use steadfast::model::Model;
use steadfast_core::context::Request;
use steadfast_core::event::model::Usage;
use steadfast_core::proposal::{ModelError, Reply};

use super::canary::{self, Spot, Who, canary, may_see};
use super::draw::Draw;
use crate::dice::Dice;
use crate::model::{View, flaw, mark};
use crate::world::World;

/// What the model cost in truth, whether or not anybody heard of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) calls: u64,
    pub(super) tokens: u64,
}

/// The model of a tree.
#[derive(Debug)]
pub(super) struct TreeModel {
    pub(super) draw: Draw,
    /// What each canary is of.
    pub(super) index: BTreeMap<String, (Who, Spot)>,
    pub(super) world: Arc<World>,
    pub(super) cost: Arc<Mutex<Cost>>,
}

impl TreeModel {
    fn who(&self, text: &str) -> Who {
        let shown = canary::all_in(text);
        let goals = shown
            .iter()
            .filter_map(|found| match self.index.get(found) {
                Some((who, Spot::Goal)) => Some(*who),
                _ => None,
            });
        // Who may call another reads that one's goal in the list of its tools.
        goals.min().unwrap_or(Who::First)
    }

    /// The places of others that a request shows and should not.
    fn leaks(&self, who: Who, text: &str) {
        for found in canary::all_in(text) {
            let Some((owner, spot)) = self.index.get(&found) else {
                continue;
            };
            if !may_see(&self.draw, who, *owner, *spot) {
                self.world.complain(format!(
                    "a context of `{}` shows {spot:?} of `{}`",
                    who.name(),
                    owner.name()
                ));
            }
        }
    }

    fn proper(&self, who: Who, view: &View<'_>) -> Reply {
        let own = |spot| canary(self.draw.seed, who, spot);
        if let Some(tool) = view.due.first() {
            let takes_q = tool.input["required"].to_string().contains("\"q\"");
            let args = match takes_q {
                true => json!({"q": own(Spot::Input)}),
                false => json!({}),
            };
            return Reply::call("tree", &[(tool.name.as_str(), args)]);
        }
        match who {
            Who::First => Reply::say("tree", "The report is out."),
            _ => Reply::say(
                "tree",
                &json!({
                    "passed": own(Spot::Passed),
                    "kept": own(Spot::Kept),
                    "meta": {"warnings": [own(Spot::Meta)]},
                })
                .to_string(),
            ),
        }
    }

    /// Reaches for a skill of another's, calls a sibling, or rambles.
    fn unruly(&self, who: Who, dice: &mut Dice) -> Reply {
        let q = json!({"q": canary(self.draw.seed, who, Spot::Input)});
        let names = ["publish", "act", "surf", "t0", "t1", "inner0", "called"];
        match dice.below(3) {
            0 => Reply::say("tree", &canary(self.draw.seed, who, Spot::History)),
            _ => {
                let name = dice.pick(&names).copied().unwrap_or("publish");
                Reply::call("tree", &[(name, q)])
            }
        }
    }
}

#[async_trait]
impl Model for TreeModel {
    fn name(&self) -> &str {
        "tree"
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let text = serde_json::to_string(request).expect("a request is JSON");
        let who = self.who(&text);
        self.leaks(who, &text);
        if let Some(flaw) = flaw(request) {
            self.world.complain(format!("malformed context: {flaw}"));
        }
        let mut dice = Dice::of(&[self.draw.seed, mark(request)]);
        // So that what runs side by side comes to its end in any order.
        let slow = dice.below(400);
        let until = self.world.now().plus_ms(slow);
        self.world.clock.sleep_until(until).await;
        let mut reply = match dice.chance(self.draw.unruly_percent) {
            true => self.unruly(who, &mut dice),
            false => self.proper(who, &View::of(request)),
        };
        let usage = Usage {
            input_tokens: text.len() as u64 / 8,
            output_tokens: 20,
            cached_input_tokens: 0,
        };
        let mut cost = self.cost.lock().unwrap_or_else(PoisonError::into_inner);
        cost.calls += 1;
        cost.tokens += usage.input_tokens + usage.output_tokens;
        reply.usage = Some(usage);
        Ok(reply)
    }
}
