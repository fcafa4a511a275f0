//! From a task's state to a request: fragments in a fixed order, fitted into
//! the window.
//!
//! Stale and duplicate summaries never go in. Cuts fall on the low-ranked part of
//! the archive first, then on the working layer's oldest steps (which are archived
//! instead), then on documents and results, and last on the rest of the archive;
//! never on policy, contract, task, messages, rules in force or notice. What still
//! does not fit is [`Infeasible`], before any call is made.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use serde::Deserialize;

use crate::content::Content;
use crate::context::draw::{Caps, Drawn, Fitting};
use crate::context::manifest::{Entry, Manifest, hash_with_tools};
use crate::context::request::{FragmentKind, Request, Tool, ToolChoice};
use crate::context::tools::tools;
use crate::context::{earlier, view};
use crate::hash::Hash;
use crate::limits;
use crate::rules::Tokenizer;
use crate::task::Task;
use crate::workflow::spec::ToolMask;

/// A request with its bill of materials.
#[derive(Clone, Debug)]
pub struct Context {
    pub request: Request,
    pub manifest: Manifest,
    pub hash: Hash,
    /// Steps that stand in it in full.
    pub steps: usize,
    /// Stored pieces that the context before this one did not name.
    pub new_fragments: Vec<Content>,
}

/// What must be shown does not fit the window. Sizes in tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the context needs {needed} tokens and has room for {room}; the largest part is the {largest:?} with {largest_tokens}"
)]
pub struct Infeasible {
    pub needed: u32,
    pub room: u32,
    pub largest: FragmentKind,
    pub largest_tokens: u32,
}

/// Assembles the context of the next model call.
///
/// # Errors
///
/// [`Infeasible`] when what must stand in the context does not fit.
pub fn assemble(
    task: &Task,
    output_tokens_max: u32,
    tokenizer: &dyn Tokenizer,
) -> Result<Context, Infeasible> {
    let window = task.state.window.tokens;
    let percent = if tokenizer.is_exact() {
        limits::EXACT_MARGIN_PERCENT
    } else {
        limits::ESTIMATE_MARGIN_PERCENT
    };
    let margin = u64::from(window) * u64::from(percent) / 100;
    let room = window
        .saturating_sub(output_tokens_max)
        .saturating_sub(u32::try_from(margin).unwrap_or(u32::MAX));
    let before = Before::of(task);
    let fitting = Fitting {
        task,
        tokenizer,
        known: RefCell::new(before.counts(tokenizer)),
        order: OnceCell::new(),
    };
    let tools = tools(task);
    let sealed_tools = task.state.salt.seal_json(&tools);
    let tool_tokens = tokenizer.count(&sealed_tools.text());

    let mut caps = Caps {
        archive: earlier::room(task, room),
        steps: view::steps(task).min(task.state.beliefs.steps.len()),
        document: limits::DOCUMENT_TOKENS_MAX,
        result: limits::RESULT_TOKENS_MAX,
    };
    let (drawn, tokens) = loop {
        let drawn = fitting.draw(caps);
        let tokens = drawn.fragments.iter().map(|one| one.tokens).sum::<u32>() + tool_tokens;
        if tokens <= room {
            break (drawn, tokens);
        }
        caps = caps
            .tighter()
            .ok_or_else(|| infeasible(&drawn, tokens, room))?;
    };
    Ok(finish(
        task,
        tokenizer,
        &before,
        drawn,
        tools,
        sealed_tools,
        Sizes {
            window,
            room,
            output_tokens_max,
            tokens,
            tool_tokens,
            steps: caps.steps,
        },
    ))
}

struct Sizes {
    window: u32,
    room: u32,
    output_tokens_max: u32,
    tokens: u32,
    tool_tokens: u32,
    steps: usize,
}

fn finish(
    task: &Task,
    tokenizer: &dyn Tokenizer,
    before: &Before,
    drawn: Drawn,
    tools: Vec<Tool>,
    sealed_tools: Content,
    sizes: Sizes,
) -> Context {
    let mut messages = Vec::new();
    let mut entries = Vec::new();
    let mut new_fragments = Vec::new();
    for one in drawn.fragments {
        one.fragment.render_into(&mut messages);
        entries.push(Entry {
            kind: one.fragment.kind,
            hash: one.sealed.hash,
            tokens: one.tokens,
            sources: one.sources,
        });
        if !before.named(&one.sealed.hash) {
            new_fragments.push(one.sealed);
        }
    }
    let (_, may_answer) = task.open_states();
    let tool_choice = match task.workflow.spec.contract.tools {
        _ if tools.is_empty() => ToolChoice::None,
        ToolMask::Due if !may_answer => ToolChoice::Required,
        ToolMask::Due | ToolMask::All => ToolChoice::Auto,
    };
    let request = Request {
        messages,
        tools,
        tool_choice,
        output_tokens_max: sizes.output_tokens_max,
        answer_schema: task.workflow.spec.answer.schema.clone(),
    };
    let manifest = Manifest {
        assembler: crate::context::ASSEMBLER_VERSION,
        tokenizer: tokenizer.id().to_owned(),
        ledger_version: task.state.ledger_version(),
        window: sizes.window,
        room: sizes.room,
        output_tokens_max: sizes.output_tokens_max,
        tokens: sizes.tokens,
        entries,
        tools: sealed_tools.hash,
        tool_tokens: sizes.tool_tokens,
        tool_choice,
        answer_schema: request.answer_schema.clone(),
        left_out: drawn.left_out,
    };
    let hash = hash_with_tools(&request, sealed_tools.hash, &task.state.salt);
    if !before.named(&sealed_tools.hash) {
        new_fragments.push(sealed_tools);
    }
    Context {
        request,
        manifest,
        hash,
        steps: sizes.steps,
        new_fragments,
    }
}

fn infeasible(drawn: &Drawn, needed: u32, room: u32) -> Infeasible {
    let largest = drawn.fragments.iter().max_by_key(|one| one.tokens);
    Infeasible {
        needed,
        room,
        largest: largest.map_or(FragmentKind::Task, |one| one.fragment.kind),
        largest_tokens: largest.map_or(0, |one| one.tokens),
    }
}

/// What the context before named, with its counts where they are this tokenizer's.
#[derive(Default, Deserialize)]
struct Before {
    tokenizer: String,
    entries: Vec<Part>,
    #[serde(default)]
    tools: Option<Hash>,
}

#[derive(Deserialize)]
struct Part {
    hash: Hash,
    tokens: u32,
}

impl Before {
    fn of(task: &Task) -> Before {
        let manifest = task.state.stands.manifest.as_ref();
        let bytes = manifest.and_then(Content::payload);
        let read = bytes.and_then(|bytes| serde_json::from_slice(bytes).ok());
        read.unwrap_or_default()
    }

    fn named(&self, hash: &Hash) -> bool {
        self.tools.as_ref() == Some(hash) || self.entries.iter().any(|part| part.hash == *hash)
    }

    fn counts(&self, tokenizer: &dyn Tokenizer) -> BTreeMap<Hash, u32> {
        let same = self.tokenizer == tokenizer.id();
        let entries = self.entries.iter().filter(|_| same);
        entries.map(|part| (part.hash, part.tokens)).collect()
    }
}
