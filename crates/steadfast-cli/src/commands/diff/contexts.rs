//! What the models of a run were shown, in a form that can be compared with
//! another run: each fragment by the hash of its text, without the salt.

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast_core::content::HoldsContent;
use steadfast_core::context::{FragmentKind, Manifest, Message};
use steadfast_core::event::envelope::Payloads;
use steadfast_core::event::{Body, Event};
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, TaskId};
use steadfast_store::Log;

use crate::error::Error;

/// One context: the call that it was for, and its parts.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Shown {
    pub(super) call: CallId,
    pub(super) hash: String,
    pub(super) fragments: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Part {
    pub(super) kind: FragmentKind,
    pub(super) hash: String,
}

impl PartialEq for Shown {
    /// A call that was tried again was shown the same.
    fn eq(&self, other: &Shown) -> bool {
        self.hash == other.hash
    }
}

impl Shown {
    pub(super) fn told(&self) -> String {
        format!("{}  {}", self.call, self.hash)
    }
}

/// The contexts of a run, in order.
pub(super) async fn contexts(
    log: &dyn Log,
    id: &TaskId,
    events: &mut [Event],
) -> Result<Vec<Shown>, Error> {
    let mut payloads = Payloads::new();
    for event in events.iter_mut() {
        event.body.visit_content(&mut |content| {
            if let Some(bytes) = content.payload() {
                payloads.insert(content.hash, bytes.clone());
            }
        });
    }
    let names = Names::of(&payloads);
    let salt = log.header(id).await?.salt;
    let mut shown = Vec::new();
    for event in events.iter() {
        let Body::ModelCalled(called) = &event.body else {
            continue;
        };
        let Ok(manifest) = serde_json::from_str::<Manifest>(&called.manifest.text()) else {
            continue;
        };
        let failed = |source| {
            let (task, call) = (id.clone(), called.call.clone());
            Error::Driver(steadfast::driver::Error::Rebuild { task, call, source })
        };
        let mut fragments = Vec::new();
        let parsed = manifest.fragments(&payloads).map_err(failed)?;
        for (mut fragment, entry) in parsed.into_iter().zip(&manifest.entries) {
            fragment.visit_content(&mut |content| {
                if let Some(bytes) = payloads.get(&content.hash) {
                    content.load(&salt, bytes.clone());
                }
            });
            let mut messages: Vec<Message> = Vec::new();
            fragment.render_into(&mut messages);
            let text = serde_json::to_string(&messages).expect("messages are JSON");
            fragments.push(Part {
                kind: entry.kind,
                hash: hash(&names.plain(&text)),
            });
        }
        let tools = payloads
            .get(&manifest.tools)
            .map_or(Hash::ZERO, |bytes| Hash::of_bytes(bytes));
        let rest = (
            &fragments,
            tools,
            manifest.tool_choice,
            &manifest.answer_schema,
        );
        let hash = Hash::of_json(&rest).to_string();
        shown.push(Shown {
            call: called.call.clone(),
            hash,
            fragments,
        });
    }
    Ok(shown)
}

/// Which fragments differ between two contexts.
pub(super) fn differing(first: Option<&Shown>, second: Option<&Shown>) -> Vec<String> {
    let (Some(first), Some(second)) = (first, second) else {
        return Vec::new();
    };
    let until = first.fragments.len().max(second.fragments.len());
    let differs = |at: usize| {
        let (a, b) = (first.fragments.get(at), second.fragments.get(at));
        let kind = a.or(b).map(|part| kind(part.kind))?;
        (a != b).then(|| format!("fragment {}, {kind}", at + 1))
    };
    let found: Vec<String> = (0..until).filter_map(differs).collect();
    if found.is_empty() {
        vec!["the skills on offer".to_owned()]
    } else {
        found
    }
}

fn kind(kind: FragmentKind) -> String {
    let name = serde_json::to_value(kind).ok();
    name.and_then(|name| name.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn hash(text: &str) -> String {
    Hash::of_bytes(text.as_bytes()).to_string()
}

/// Names that carry a task's salt, and what stands for them in a comparison.
struct Names {
    whole: BTreeMap<String, String>,
    short: BTreeMap<String, String>,
}

impl Names {
    fn of(payloads: &Payloads) -> Names {
        let pair =
            |(salted, bytes): (&Hash, &std::sync::Arc<[u8]>)| (*salted, Hash::of_bytes(bytes));
        let pairs: Vec<(Hash, Hash)> = payloads.iter().map(pair).collect();
        let whole = pairs
            .iter()
            .map(|(salted, plain)| (salted.to_string(), plain.to_string()));
        let short = pairs
            .iter()
            .map(|(salted, plain)| (salted.short(), plain.short()));
        Names {
            whole: whole.collect(),
            short: short.collect(),
        }
    }

    /// The text with every salted name made plain. An idempotency key is a hash
    /// of nothing that is stored: it becomes a bare mark.
    fn plain(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c.is_ascii_hexdigit()) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let run = rest
                .find(|c: char| !c.is_ascii_hexdigit())
                .unwrap_or(rest.len());
            // `b3:` begins with hex digits itself.
            if run == 2 && rest.starts_with("b3:") && is_hash(&rest[3..]) {
                let name = &rest[..3 + 64];
                out.push_str(self.whole.get(name).map_or("b3:*", String::as_str));
                rest = &rest[3 + 64..];
                continue;
            }
            let word = &rest[..run];
            out.push_str(self.short.get(word).map_or(word, String::as_str));
            rest = &rest[run..];
        }
        out.push_str(rest);
        out
    }
}

fn is_hash(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
    digits == 64
}
