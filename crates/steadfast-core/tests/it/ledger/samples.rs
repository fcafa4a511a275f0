//! Short ways to say sources, rules and patches.

use steadfast_core::id::{Principal, Seq, Timestamp};
use steadfast_core::ledger::rule::{
    Action, ActionKind, ActionMode, Bound, LengthUnit, SourceMatch, SourceMode,
};
use steadfast_core::ledger::{
    Citation, Decision, Draft, Entry, Ledger, Operation, Patch, Proposed, Proposer, Refused, Rule,
    apply,
};
use steadfast_core::source::Source;

pub(super) const NOW: Timestamp = Timestamp(1_000_000);

pub(super) fn user() -> Source {
    person("ann")
}

pub(super) fn person(name: &str) -> Source {
    Source::User {
        principal: Principal::from(name),
    }
}

pub(super) fn ledger() -> Ledger {
    Ledger::begin(Principal::from("ann"), Seq(1))
}

pub(super) fn words_at_most(count: u64) -> Rule {
    length(Bound::at_most(count))
}

pub(super) fn length(bound: Bound<u64>) -> Rule {
    Rule::Length {
        unit: LengthUnit::Words,
        bound,
    }
}

pub(super) fn language(tag: &str) -> Rule {
    Rule::Language {
        language: tag.to_owned(),
    }
}

pub(super) fn deed(mode: ActionMode, kind: ActionKind) -> Rule {
    Rule::Action {
        mode,
        action: Action::Kind(kind),
    }
}

pub(super) fn never(kind: ActionKind) -> Rule {
    deed(ActionMode::Forbid, kind)
}

pub(super) fn budget(yuan: i64) -> Rule {
    Rule::Amount {
        name: "budget".to_owned(),
        bound: Bound::at_most(yuan.into()),
        unit: Some("CNY".to_owned()),
    }
}

pub(super) fn cite_only(domain: &str) -> Rule {
    Rule::Sources {
        mode: SourceMode::Allow,
        sources: vec![SourceMatch::Domain(domain.to_owned())],
    }
}

pub(super) fn add(rule: Rule) -> Operation {
    Operation::Add(Draft::must(rule))
}

pub(super) fn replace(rule: Rule) -> Operation {
    Operation::Override {
        target: None,
        with: Draft::must(rule),
    }
}

pub(super) fn revoke(rule: Rule) -> Operation {
    Operation::Revoke {
        target: None,
        about: Some(rule),
    }
}

/// A patch that rests on the whole of a message.
pub(super) fn patch(operation: Operation, text: &str, proposer: Proposer) -> Patch {
    Patch {
        operation,
        cites: Citation {
            message: Seq(2),
            start: 0,
            end: u32::try_from(text.len()).unwrap(),
            words: text.to_owned(),
        },
        proposer,
    }
}

pub(super) fn by_rule() -> Proposer {
    Proposer::Rule {
        rule: "test".to_owned(),
    }
}

pub(super) fn by_model() -> Proposer {
    Proposer::Model {
        model: "m".to_owned(),
    }
}

pub(super) fn decide(ledger: &Ledger, source: &Source, operation: Operation) -> Decision {
    decide_on(ledger, source, operation, "so be it", by_rule())
}

pub(super) fn decide_on(
    ledger: &Ledger,
    source: &Source,
    operation: Operation,
    text: &str,
    proposer: Proposer,
) -> Decision {
    let patch = patch(operation, text, proposer);
    let proposed = Proposed {
        patch: &patch,
        source,
        text,
    };
    apply(ledger, proposed, NOW)
}

/// Puts a patch to the ledger and follows what comes of it.
pub(super) fn put(ledger: &mut Ledger, source: &Source, operation: Operation) -> Vec<Entry> {
    let entries = decide(ledger, source, operation).entries(ledger, None);
    for entry in &entries {
        ledger.follow(entry).unwrap();
    }
    entries
}

pub(super) fn applied(ledger: &mut Ledger, source: &Source, operation: Operation) {
    let version = ledger.version;
    put(ledger, source, operation.clone());
    assert_eq!(ledger.version, version + 1, "{operation:?} was not applied");
}

pub(super) fn refused(ledger: &Ledger, source: &Source, operation: Operation) -> Refused {
    match decide(ledger, source, operation) {
        Decision::Refused(refused) => refused,
        other => panic!("not refused: {other:?}"),
    }
}

/// The text of the question that the patch leads to, which is then open.
pub(super) fn asked(
    ledger: &mut Ledger,
    source: &Source,
    operation: Operation,
    text: &str,
) -> String {
    let decision = decide_on(ledger, source, operation, text, by_rule());
    let Decision::Unresolved(question) = decision else {
        panic!("no question: {decision:?}");
    };
    let words = question.text.clone();
    ledger.follow(&Entry::Opened { question }).unwrap();
    words
}

/// The rules in force, as people read them.
pub(super) fn in_force(ledger: &Ledger) -> Vec<String> {
    use steadfast_core::ledger::words;
    use steadfast_core::workflow::contract::Lang;
    ledger
        .in_force()
        .map(|one| format!("{} {}", one.id, words::rule(&one.rule, Lang::En)))
        .collect()
}
