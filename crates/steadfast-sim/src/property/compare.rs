//! A run with crashes against the same run without.
//!
//! The stored bytes must be the same but for epoch and chain. Where the crash
//! left a deed in doubt, the settling (and what it leads to: the next context
//! says "settled" in the place of a result) is the run's own; there the two must
//! agree up to it.

use steadfast_core::event::Body;
use steadfast_core::event::envelope::Envelope;
use steadfast_store::Stored;

/// How two logs relate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    Same,
    /// Up to the event at which a deed in doubt begins to be settled.
    SameUntilSettled {
        seq: u64,
    },
    Differ {
        seq: u64,
        how: String,
    },
}

/// Compares the log of a run with that of the uninterrupted one.
pub fn compare(run: &[Stored], reference: &[Stored]) -> Compared {
    for (index, (one, other)) in run.iter().zip(reference).enumerate() {
        let (Ok(a), Ok(b)) = (Envelope::read(&one.bytes), Envelope::read(&other.bytes)) else {
            return Compared::Differ {
                seq: one.seq.0,
                how: "no envelope".to_owned(),
            };
        };
        let same = a.v == b.v
            && a.seq == b.seq
            && a.ts == b.ts
            && a.kind == b.kind
            && a.source.get() == b.source.get()
            && a.body.get() == b.body.get();
        if !same {
            let settles = settled(&a).or_else(|| settled_later(&b, &run[index..]));
            return settles.unwrap_or_else(|| Compared::Differ {
                seq: a.seq.0,
                how: format!(
                    "{} at {} by {}: {}\n  for\n  {} at {} by {}: {}",
                    a.kind, a.ts.0, a.source, a.body, b.kind, b.ts.0, b.source, b.body
                ),
            });
        }
    }
    let shared = run.len().min(reference.len());
    if run.len() == reference.len() {
        return Compared::Same;
    }
    let next = run
        .get(shared)
        .and_then(|stored| Envelope::read(&stored.bytes).ok());
    next.and_then(|next| settled(&next))
        .unwrap_or_else(|| Compared::Differ {
            seq: shared as u64 + 1,
            how: format!("{} events for {}", run.len(), reference.len()),
        })
}

fn settled(at: &Envelope) -> Option<Compared> {
    let settles = match at.event().ok()?.body {
        Body::DeedSettled(_) => true,
        Body::SkillCalled(body) => body.verifying,
        _ => false,
    };
    settles.then_some(Compared::SameUntilSettled { seq: at.seq.0 })
}

/// The call whose outcome is missing here is settled further on: another one,
/// at work beside it, came first.
fn settled_later(missing: &Envelope, rest: &[Stored]) -> Option<Compared> {
    let call = match missing.event().ok()?.body {
        Body::SkillReturned(body) => body.call,
        Body::SkillFailed(body) => body.call,
        _ => return None,
    };
    let found = rest.iter().find_map(|stored| {
        let envelope = Envelope::read(&stored.bytes).ok()?;
        let settles = match envelope.event().ok()?.body {
            Body::DeedSettled(body) => body.call == call,
            Body::SkillCalled(body) => body.verifying && body.call == call,
            _ => false,
        };
        settles.then_some(envelope.seq.0)
    });
    found.map(|seq| Compared::SameUntilSettled { seq })
}
