//! What must hold of one context, looked at from outside: the request as a
//! provider would read it, its bill, and the stored pieces.

use std::collections::BTreeSet;
use std::fmt;

use steadfast_core::context::{
    Context, FragmentKind, Infeasible, Message, Part, Request, assemble, rebuild, request_hash,
};
use steadfast_core::event::task::Window;
use steadfast_core::limits;
use steadfast_core::rules::Tokenizer;
use steadfast_core::task::Task;

use super::life::Life;
use crate::dice::Dice;

/// One window, reserve and tokenizer.
pub(super) struct Case<'a> {
    window: u32,
    output: u32,
    tokenizer: &'a dyn Tokenizer,
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (window, output) = (self.window, self.output);
        write!(
            f,
            "window {window}, output {output}, {}",
            self.tokenizer.id()
        )
    }
}

impl<'a> Case<'a> {
    /// Small windows come as often as large ones.
    pub(super) fn roll(dice: &mut Dice, tokenizer: &'a dyn Tokenizer) -> Case<'a> {
        let size = 1_u64 << (9 + dice.below(9));
        let window = size + dice.below(size);
        Case {
            window: u32::try_from(window).unwrap_or(u32::MAX),
            output: u32::try_from(dice.below(window * 2 / 3)).unwrap_or(u32::MAX),
            tokenizer,
        }
    }

    fn margin(&self, window: u32) -> u64 {
        let percent = match self.tokenizer.is_exact() {
            true => limits::EXACT_MARGIN_PERCENT,
            false => limits::ESTIMATE_MARGIN_PERCENT,
        };
        u64::from(window) * u64::from(percent) / 100
    }
}

/// What a case that held was like.
#[derive(Default)]
pub(super) struct Held {
    pub(super) infeasible: bool,
    pub(super) cut: bool,
    pub(super) rules: u64,
    pub(super) superseded: u64,
}

/// A task at one point of its log, with and without the context before.
pub(super) struct Bases {
    incremental: Task,
    scratch: Task,
}

impl Bases {
    pub(super) fn of(basis: &Task) -> Bases {
        let mut scratch = basis.clone();
        scratch.state.stands.manifest = None;
        Bases {
            incremental: basis.clone(),
            scratch,
        }
    }

    fn made(&mut self, case: &Case<'_>, window: u32) -> Result<Result<Made, Infeasible>, String> {
        let both = [&mut self.incremental, &mut self.scratch].map(|task| {
            task.state.window = Window {
                tokens: window,
                output_tokens: case.output,
            };
            assemble(task, case.output, case.tokenizer)
        });
        match both {
            [Ok(one), Ok(scratch)] => {
                let same = one.hash == scratch.hash
                    && one.manifest == scratch.manifest
                    && one.request == scratch.request;
                let differs = "with the context before it is another one than without";
                if !same {
                    return Err(differs.to_owned());
                }
                Ok(Ok(Made { scratch }))
            }
            [Err(one), Err(other)] if one == other => Ok(Err(one)),
            _ => Err("it fits with the context before, or without, but not both".to_owned()),
        }
    }

    pub(super) fn hold(&mut self, case: &Case<'_>, life: &Life<'_>) -> Result<Held, String> {
        match self.made(case, case.window)? {
            Ok(made) => made.hold(case, life),
            Err(no) => self.infeasible(case, &no),
        }
    }

    /// What does not fit says so truly: the size that it names is enough.
    fn infeasible(&mut self, case: &Case<'_>, no: &Infeasible) -> Result<Held, String> {
        if no.needed <= no.room {
            return Err(format!("infeasible although it fits: {no}"));
        }
        let mut window = u64::from(no.needed) + u64::from(case.output);
        while window < u64::from(no.needed) + u64::from(case.output) + case.margin(window as u32) {
            window += 1 + window / 200;
        }
        let window = u32::try_from(window).unwrap_or(u32::MAX);
        match self.made(case, window)? {
            Ok(_) => Ok(Held {
                infeasible: true,
                ..Held::default()
            }),
            Err(again) => Err(format!("{no}, but a window of {window}: {again}")),
        }
    }
}

struct Made {
    scratch: Context,
}

impl Made {
    fn hold(&self, case: &Case<'_>, life: &Life<'_>) -> Result<Held, String> {
        let request = &self.scratch.request;
        self.within(case)?;
        pairs(request)?;
        self.comes_out_again(life)?;
        let (rules, superseded) = in_force(request, life)?;
        Ok(Held {
            infeasible: false,
            cut: !self.scratch.manifest.left_out.is_empty(),
            rules,
            superseded,
        })
    }

    /// The window holds the prompt, the margin and the whole output reserve; and
    /// what a provider would count is no more than the bill says.
    fn within(&self, case: &Case<'_>) -> Result<(), String> {
        let manifest = &self.scratch.manifest;
        let margin = case.margin(case.window);
        let sum = u64::from(manifest.tokens) + u64::from(case.output) + margin;
        if sum > u64::from(case.window) || manifest.output_tokens_max != case.output {
            return Err(format!(
                "{} tokens and a margin of {margin}",
                manifest.tokens
            ));
        }
        let request = &self.scratch.request;
        let mut wire: u64 = 0;
        for message in &request.messages {
            wire += u64::from(case.tokenizer.count(&message.text()));
            if let Message::Assistant { calls, .. } = message {
                for call in calls {
                    wire += u64::from(case.tokenizer.count(&call.args));
                }
            }
        }
        // A text split in two can count a token more at the seam.
        let seams = 8 * request.messages.len() as u64;
        if wire > u64::from(manifest.tokens) + seams {
            let billed = manifest.tokens;
            return Err(format!("{wire} tokens on the wire, {billed} on the bill"));
        }
        Ok(())
    }

    /// From the stored pieces, byte for byte.
    fn comes_out_again(&self, life: &Life<'_>) -> Result<(), String> {
        let mut payloads = life.payloads().clone();
        for piece in &self.scratch.new_fragments {
            let bytes = piece.payload().ok_or("a new fragment without its bytes")?;
            payloads.insert(piece.hash, bytes.clone());
        }
        let salt = life.salt();
        let again = rebuild(&self.scratch.manifest, &payloads, &salt)
            .map_err(|error| format!("it cannot be rebuilt: {error}"))?;
        let same =
            again == self.scratch.request && request_hash(&again, &salt) == self.scratch.hash;
        same.then_some(())
            .ok_or_else(|| "rebuilt it is another one".to_owned())
    }
}

/// As both providers want it: the first message after the system's is the
/// user's, each call has its result right after it and in its order, no result
/// stands alone, and no id twice.
fn pairs(request: &Request) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut first = true;
    for message in &request.messages {
        let closes = matches!(message, Message::Tool { .. });
        if !closes && !open.is_empty() {
            return Err(format!("calls without results: {open:?}"));
        }
        match message {
            Message::System { .. } => continue,
            Message::User { parts } => {
                if parts.iter().all(|part| part.text.trim().is_empty()) {
                    return Err("an empty message".to_owned());
                }
            }
            Message::Assistant { text, calls } => {
                if text.as_deref().unwrap_or_default().is_empty() && calls.is_empty() {
                    return Err("an assistant's message without words or calls".to_owned());
                }
                open = calls.iter().map(|call| call.id.as_str()).collect();
                if !open.iter().all(|id| ids.insert((*id).to_owned())) {
                    return Err(format!("an id twice: {open:?}"));
                }
            }
            Message::Tool { call, .. } => {
                if open.first() != Some(&call.as_str()) {
                    return Err(format!("result of {call} where {open:?} are open"));
                }
                open.remove(0);
            }
        }
        if first && !matches!(message, Message::User { .. }) {
            return Err("the first message is not the user's".to_owned());
        }
        first = false;
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err(format!("calls without results: {open:?}")),
    }
}

/// G3: exactly the rules in force, each in its own words. Gives how many were
/// looked for, and how many superseded ones.
fn in_force(request: &Request, life: &Life<'_>) -> Result<(u64, u64), String> {
    let lines: Vec<&str> = request
        .parts(FragmentKind::Ledger)
        .flat_map(str::lines)
        .filter(|line| line.starts_with("- c"))
        .collect();
    let rules = life.in_force();
    for (id, words) in rules {
        let start = format!("- {id} ");
        let line = lines.iter().find(|line| line.starts_with(&start));
        let line = line.ok_or_else(|| format!("rule {id} is missing ({words})"))?;
        if !line.contains(words.as_str()) {
            return Err(format!("rule {id} not in its words `{words}`: {line}"));
        }
    }
    if lines.len() != rules.len() {
        return Err(format!(
            "{} rules shown, {} in force",
            lines.len(),
            rules.len()
        ));
    }
    let instructs = [
        FragmentKind::Ledger,
        FragmentKind::Task,
        FragmentKind::Message,
    ];
    let texts: Vec<&str> = instructs
        .iter()
        .flat_map(|kind| request.parts(*kind))
        .collect();
    for words in life.superseded() {
        if texts.iter().any(|text| text.contains(words.as_str())) {
            return Err(format!("superseded words are shown: {words}"));
        }
    }
    Ok((rules.len() as u64, life.superseded().len() as u64))
}

/// Takes one thing at a time out of a sound context, or puts one in. False where
/// the context has not all that is to be broken.
pub(super) fn notices(life: &Life<'_>, tokenizer: &dyn Tokenizer) -> Result<bool, String> {
    let made = life.basis().map(|basis| assemble(basis, 200, tokenizer));
    let Some(Ok(made)) = made else {
        return Ok(false);
    };
    let sound = made.request;
    let at = |wanted: &dyn Fn(&Message) -> bool| sound.messages.iter().position(wanted);
    let user = at(&|one| matches!(one, Message::User { .. }));
    let call = at(&|one| matches!(one, Message::Assistant { calls, .. } if !calls.is_empty()));
    let result = at(&|one| matches!(one, Message::Tool { .. }));
    let (Some(user), Some(call), Some(result)) = (user, call, result) else {
        return Ok(false);
    };
    let Some(old) = life.superseded().first() else {
        return Ok(false);
    };
    if life.in_force().is_empty() {
        return Ok(false);
    }
    let check = |request: &Request| pairs(request).and_then(|()| in_force(request, life));
    check(&sound)?;
    let without = |at: usize| {
        let mut broken = sound.clone();
        broken.messages.remove(at);
        broken
    };
    let edited = |edit: &dyn Fn(&mut Vec<Part>)| {
        let mut broken = sound.clone();
        for message in &mut broken.messages {
            if let Message::User { parts } = message {
                edit(parts);
            }
        }
        broken
    };
    let rule = |parts: &mut Vec<Part>| parts.retain(|one| one.kind != FragmentKind::Ledger);
    let text = |parts: &mut Vec<Part>| {
        let (kind, text) = (FragmentKind::Message, old.clone());
        parts.push(Part { kind, text });
    };
    let weaker = |parts: &mut Vec<Part>| {
        for part in parts
            .iter_mut()
            .filter(|one| one.kind == FragmentKind::Ledger)
        {
            for words in life.in_force().values() {
                part.text = part.text.replace(words.as_str(), "as was once said");
            }
        }
    };
    let broken = [
        ("the user's first message", without(user)),
        ("a call", without(call)),
        ("a result", without(result)),
        ("the rules", edited(&rule)),
        ("the words of the rules", edited(&weaker)),
        ("the absence of a superseded one", edited(&text)),
    ];
    for (what, request) in broken {
        if check(&request).is_ok() {
            return Err(format!("nobody misses {what}"));
        }
    }
    Ok(true)
}
