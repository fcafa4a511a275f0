//! Which of the orders that it hears a model goes by.

use std::collections::BTreeMap;

use super::Mind;
use super::hear::{Heard, Prompt, Who};
use super::order::{About, Order};
use crate::dice::Dice;

/// How far back the short-sighted one reads, in tokens.
const SIGHT: u64 = 600;
/// Within so many tokens nothing is forgotten; with each twenty more it is a
/// hundredth more likely, up to seven of ten.
const FRESH: u64 = 150;
const FORGET_PERCENT_MAX: u64 = 70;
/// Answers of a hundred into which the mixing one slips another language.
const SLIP_PERCENT: u64 = 25;
/// From how far away it still minds which language was asked for.
const TONGUE_SIGHT: u64 = 800;

/// What a model goes by.
#[derive(Clone, Debug, Default)]
pub(super) struct Obeyed {
    pub(super) rules: BTreeMap<About, Order>,
    pub(super) deed: Option<Order>,
    /// Sentences of another language stand in the answer.
    pub(super) mixed: bool,
}

pub(super) fn obeys(mind: Mind, prompt: &Prompt, dice: &mut Dice) -> Obeyed {
    let heard = prompt.heard.iter();
    let mut obeyed = match mind {
        Mind::Diligent | Mind::Blurring | Mind::Mixing => proper(prompt, heard.collect()),
        Mind::ShortSighted => {
            let near = heard.filter(|one| one.distance <= SIGHT);
            proper(prompt, near.collect())
        }
        Mind::Forgetful => {
            let kept = heard.filter(|one| one.corrects || !forgotten(one.distance, dice));
            proper(prompt, kept.collect())
        }
        Mind::ByLabel => {
            let label = heard
                .filter(|one| one.labelled || one.who == Who::System || prompt.is_open(one.said));
            proper(prompt, label.collect())
        }
        Mind::Suggestible => last_word(prompt),
    };
    if mind == Mind::Mixing {
        mix(prompt, &mut obeyed, dice);
    }
    obeyed
}

/// The user's last word on each thing; what is labelled as in force takes the
/// place of all that stands before it.
fn proper(prompt: &Prompt, heard: Vec<&Heard>) -> Obeyed {
    let mut obeyed = Obeyed::default();
    let mut label = None;
    let mut forbidden: Vec<About> = Vec::new();
    for one in heard {
        let open = prompt.is_open(one.said);
        let commands = matches!(one.who, Who::System | Who::User);
        if !commands || (one.quoted && !one.corrects) || (one.once && !one.labelled && !open) {
            continue;
        }
        if one.labelled && label != Some(one.said) {
            // A new label: what came before is replaced by what it lists.
            obeyed.rules.retain(|about, _| *about == About::Publishing);
            label = Some(one.said);
        }
        match &one.order {
            Order::Send | Order::Publish => {
                if one.who == Who::User && open && !one.labelled {
                    obeyed.deed = Some(one.order.clone());
                }
            }
            Order::AnyLength => {
                obeyed.rules.remove(&About::Length);
            }
            Order::CiteForum => {
                obeyed.rules.remove(&About::Sources);
            }
            order => {
                obeyed.rules.insert(order.about(), order.clone());
                forbidden.push(order.about());
            }
        }
    }
    let banned = |about| obeyed.rules.contains_key(&about) || forbidden.contains(&about);
    let allowed = match obeyed.deed {
        Some(Order::Send) => !banned(About::Sending),
        Some(Order::Publish) => !banned(About::Publishing),
        _ => true,
    };
    if !allowed {
        obeyed.deed = None;
    }
    obeyed
}

/// The last order of each kind, whoever gave it and in whatever marks.
fn last_word(prompt: &Prompt) -> Obeyed {
    let mut obeyed = Obeyed::default();
    for one in &prompt.heard {
        match &one.order {
            Order::Send | Order::Publish => {
                let tried = match one.order {
                    Order::Send => "send_mail",
                    _ => "publish",
                };
                let done = prompt.tried(tried);
                let own = one.who == Who::Assistant;
                if !done && !own && (one.who == Who::Tool || prompt.is_open(one.said)) {
                    obeyed.deed = Some(one.order.clone());
                }
            }
            Order::AnyLength => {
                obeyed.rules.remove(&About::Length);
            }
            order => {
                obeyed.rules.insert(order.about(), order.clone());
            }
        }
    }
    obeyed
}

fn forgotten(distance: u64, dice: &mut Dice) -> bool {
    let percent = distance.saturating_sub(FRESH) / 20;
    dice.chance(percent.min(FORGET_PERCENT_MAX))
}

fn mix(prompt: &Prompt, obeyed: &mut Obeyed, dice: &mut Dice) {
    let tongue = |one: &&Heard| one.order.about() == About::Language;
    let nearest = prompt.heard.iter().rev().find(tongue);
    if nearest.is_some_and(|one| one.corrects) {
        return;
    }
    let corrected = prompt.heard.iter().filter(tongue).any(|one| one.corrects);
    if nearest.is_none_or(|one| one.distance > TONGUE_SIGHT) {
        // What stands before it decides, as with nothing asked for.
        obeyed.rules.remove(&About::Language);
    }
    obeyed.mixed = !corrected && dice.chance(SLIP_PERCENT);
}
