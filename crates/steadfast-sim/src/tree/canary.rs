//! Bytes that stand nowhere else, one for every place that something can leak
//! from; and who may see each.

use std::collections::BTreeMap;

use super::draw::{Draw, Take, Work};
use crate::dice::Dice;

/// Letters of a canary after its `zq`.
const LETTERS: usize = 20;

/// What a canary is planted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    Goal,
    Input,
    /// What a model says on its way, which only its own history holds.
    History,
    /// What a skill returns to it.
    Tool,
    Passed,
    Kept,
    Meta,
}

impl Spot {
    pub(super) const ALL: [Spot; 7] = [
        Spot::Goal,
        Spot::Input,
        Spot::History,
        Spot::Tool,
        Spot::Passed,
        Spot::Kept,
        Spot::Meta,
    ];
}

/// Whose a context or a log is, or whose a canary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    First,
    Node(usize),
    /// The task that a node starts itself.
    Inner(usize),
    /// The task that the first one calls as a skill.
    Called,
}

impl Who {
    /// All of a tree.
    pub(super) fn all(draw: &Draw) -> Vec<Who> {
        let mut all = vec![Who::First];
        for (at, node) in draw.nodes.iter().enumerate() {
            all.push(Who::Node(at));
            if node.work.has_inner() {
                all.push(Who::Inner(at));
            }
        }
        if draw.calls_one {
            all.push(Who::Called);
        }
        all
    }

    /// Its name in the workflow.
    pub(super) fn name(self) -> String {
        match self {
            Who::First => "first".to_owned(),
            Who::Node(at) => format!("t{at}"),
            Who::Inner(at) => format!("inner{at}"),
            Who::Called => "called".to_owned(),
        }
    }

    fn number(self) -> u64 {
        match self {
            Who::First => 0,
            Who::Called => 1,
            Who::Node(at) => 2 + 2 * at as u64,
            Who::Inner(at) => 3 + 2 * at as u64,
        }
    }
}

/// The canary of a place. Letters alone, so that no reader takes it for a value.
pub(super) fn canary(seed: u64, who: Who, spot: Spot) -> String {
    let mut dice = Dice::of(&[seed, who.number(), spot as u64, 0xca_4a]);
    let letter = |dice: &mut Dice| char::from(b'a' + dice.below(26) as u8);
    let drawn: String = (0..LETTERS).map(|_| letter(&mut dice)).collect();
    format!("zq{drawn}")
}

/// Whether a place of `owner` may stand in what `reader` is shown, or in its log.
pub(super) fn may_see(draw: &Draw, reader: Who, owner: Who, spot: Spot) -> bool {
    if reader == owner {
        return true;
    }
    let gives = matches!(spot, Spot::Passed | Spot::Kept | Spot::Meta);
    match (reader, owner) {
        // It wrote them down in its workflow, and reads what they give back.
        (Who::First, Who::Node(_) | Who::Called) => {
            gives || matches!(spot, Spot::Goal | Spot::Input)
        }
        (Who::First, Who::Inner(_)) => matches!(spot, Spot::Goal | Spot::Input),
        (Who::Node(at), Who::Inner(of)) if at == of => {
            gives || matches!(spot, Spot::Goal | Spot::Input)
        }
        // Whoever calls a task as a skill may hand on what is its own.
        (Who::Called, Who::First) => spot == Spot::Input,
        (Who::Inner(at), Who::Node(of)) if at == of => {
            spot == Spot::Input && draw.nodes[at].work == Work::Asks
        }
        (Who::Node(at), Who::Node(of)) => {
            let takes = draw.nodes[at].takes.iter();
            takes
                .filter(|(need, _)| *need == of)
                .any(|(_, take)| match spot {
                    Spot::Passed => matches!(take, Take::Passed | Take::Whole),
                    Spot::Kept => *take == Take::Whole,
                    Spot::Meta => *take == Take::Meta,
                    _ => false,
                })
        }
        _ => false,
    }
}

/// Every canary that stands in a text.
pub(super) fn all_in(text: &str) -> Vec<String> {
    let starts = text.match_indices("zq").map(|(at, _)| at);
    let found = starts.filter_map(|at| text.get(at..at + 2 + LETTERS));
    found.map(str::to_owned).collect()
}

/// What every canary of a tree is of.
pub(super) fn index(draw: &Draw) -> BTreeMap<String, (Who, Spot)> {
    let places = Who::all(draw)
        .into_iter()
        .flat_map(|who| Spot::ALL.map(|spot| (who, spot)));
    places
        .map(|(who, spot)| (canary(draw.seed, who, spot), (who, spot)))
        .collect()
}
