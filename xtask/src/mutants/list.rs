//! The breaks, by guarantee.

use super::Mutant;

const ADMIT: &str = "crates/steadfast-core/src/task/admit.rs";
const ADVANCE: &str = "crates/steadfast-core/src/task/advance.rs";
const ASSEMBLE: &str = "crates/steadfast-core/src/context/assemble.rs";
const DRAW: &str = "crates/steadfast-core/src/context/draw.rs";
const DUE: &str = "crates/steadfast-core/src/task/due.rs";
const FOLD: &str = "crates/steadfast-core/src/task/fold.rs";
const MANIFEST: &str = "crates/steadfast-core/src/context/manifest.rs";
const MOVES: &str = "crates/steadfast-core/src/task/moves.rs";
const OUTCOME: &str = "crates/steadfast-core/src/task/outcome.rs";
const RECORD: &str = "crates/steadfast-core/src/task/record.rs";
const STATE: &str = "crates/steadfast-core/src/task/state.rs";
const CORE: &str = "steadfast-core";

const fn mutant(
    guarantee: &'static str,
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    killed_by: &'static str,
) -> Mutant {
    Mutant {
        guarantee,
        name,
        file,
        from,
        to,
        package: CORE,
        killed_by,
        sentinel: false,
    }
}

const fn sentinel(mutant: Mutant) -> Mutant {
    Mutant {
        sentinel: true,
        ..mutant
    }
}

pub(super) const MUTANTS: &[Mutant] = &[
    // G1: no skip.
    sentinel(mutant(
        "G1",
        "an answer before the contract is complete",
        ADMIT,
        "guard(guards.contract, self.contract_refusal())?;",
        "guard(guards.contract, None)?;",
        "g01_an_answer_before_the_contract_is_complete_is_void",
    )),
    mutant(
        "G1",
        "other bytes than the checked ones",
        ADMIT,
        "Some(checked) if checked != answer =>",
        "Some(checked) if checked != answer && answer.bytes == 0 =>",
        "g01_only_the_checked_bytes_are_delivered",
    ),
    mutant(
        "G1",
        "requirements of a set not asked for",
        ADMIT,
        "(!first.is_empty()).then_some(Refusal::OutOfOrder { first })",
        "None.or((first.len() > 99).then_some(Refusal::OutOfOrder { first }))",
        "r32_a_set_is_complete_with_all_of_its_evidence",
    ),
    mutant(
        "G1",
        "a pass that outlives what it rests on",
        FOLD,
        "receipts.retain(|_, receipt| receipt.seq < since);",
        "receipts.retain(|_, receipt| receipt.seq < since || receipt.checked.is_some());",
        "a_receipt_lapses_when_what_it_rests_on_changes",
    ),
    mutant(
        "G1",
        "a claim without a receipt",
        ADMIT,
        "guard(guards.claims, self.claim_refusal(answer))?;",
        "guard(guards.claims, None)?;",
        "claims_need_receipts_in_words_and_by_schema",
    ),
    mutant(
        "G1",
        "a check that counts although it said no",
        OUTCOME,
        "let success = because.is_none();",
        "let success = because.is_none() || spec.checks.is_some();",
        "a_check_that_says_no_wants_another_text",
    ),
    // G5: same log, same bytes.
    sentinel(mutant(
        "G5",
        "a context that depends on the time",
        DRAW,
        "let at = self.task.state.seq;",
        "let at = Seq(self.task.state.last_at.0 as u64 + self.task.state.beliefs.steps.capacity() as u64);",
        "g05_every_context_rebuilds_to_its_hash",
    )),
    mutant(
        "G5",
        "a manifest that does not name its fragments",
        ASSEMBLE,
        "hash: one.sealed.hash,",
        "hash: sealed_tools.hash,",
        "g05_every_context_rebuilds_to_its_hash",
    ),
    mutant(
        "G5",
        "a fragment that is not stored",
        ASSEMBLE,
        "if !before.contains(&one.sealed.hash) {",
        "if !before.is_empty() && !before.contains(&one.sealed.hash) {",
        "g05_every_context_rebuilds_to_its_hash",
    ),
    mutant(
        "G5",
        "tools lost on the way back",
        MANIFEST,
        "        tools,\n        tool_choice: manifest.tool_choice,",
        "        tools: tools.into_iter().skip(1).collect(),\n        tool_choice: manifest.tool_choice,",
        "g05_every_context_rebuilds_to_its_hash",
    ),
    // G6: nothing lost, nothing twice.
    sentinel(mutant(
        "G6",
        "an irreversible intent repeated after a crash",
        STATE,
        "*then < epoch && !self.may_repeat(),",
        "*then < epoch && !self.may_repeat() && self.key.as_bytes()[0] == 0 && self.key.as_bytes()[1] == 0,",
        "g06_an_intent_of_an_earlier_epoch_is_in_doubt_unless_it_may_be_repeated",
    )),
    mutant(
        "G6",
        "a lost reply taken as a failure",
        OUTCOME,
        "(error.class.is_ambiguous() && !call.may_repeat());",
        "(error.class.is_ambiguous() && call.is_read());",
        "r69_an_irreversible_deed_in_doubt_waits_for_a_person",
    ),
    mutant(
        "G6",
        "a reported failure of a deed repeated by itself",
        OUTCOME,
        "Some(EffectClass::Irreversible) => class == SkillFailure::NotStarted,",
        "Some(EffectClass::Irreversible) => !class.is_ambiguous(),",
        "a_reported_failure_of_a_deed_is_not_repeated_by_the_runtime",
    ),
    mutant(
        "G6",
        "a key of the model's own",
        ADMIT,
        "args.remove(name);",
        "let _ = name;",
        "r70_keys_are_the_runtimes_own",
    ),
    mutant(
        "G6",
        "a doubled reply recorded twice",
        RECORD,
        "open.is_some_and(|slot| slot.call == *call && slot.retry_at.is_none())",
        "open.is_some_and(|slot| slot.retry_at.is_none())",
        "a_late_or_doubled_reply_changes_nothing",
    ),
    mutant(
        "G6",
        "a write and what reads it side by side",
        DUE,
        "a == b || inside(a, b) || inside(b, a)",
        "a == b",
        "r37_conflicting_calls_keep_their_order_and_others_overlap",
    ),
    // G11: well formed always.
    mutant(
        "G11",
        "a refused call without its result",
        DRAW,
        "pieces.push(Piece::Tool { call, skill, body });",
        "if !matches!(body, ToolBody::Refused { .. }) {\n                pieces.push(Piece::Tool { call, skill, body });\n            }",
        "g05_every_context_rebuilds_to_its_hash",
    ),
    mutant(
        "G11",
        "a context beyond its window",
        ASSEMBLE,
        "if tokens <= room {",
        "if tokens <= room + 400 {",
        "g11_contexts_are_well_formed_at_any_size",
    ),
    mutant(
        "G11",
        "an oversized output in full",
        DRAW,
        "let shown = self.capped(result, caps.result);",
        "let shown = Text::Whole(result.clone());",
        "one_oversized_result_becomes_an_excerpt_with_a_reference",
    ),
    // G12: bounded.
    mutant(
        "G12",
        "refusals without end",
        ADVANCE,
        "refusals >= u64::from(limits.refusals)",
        "refusals > u64::from(limits.refusals) * 9",
        "g12_refusals_in_a_row_end_the_task_with_a_diagnosis",
    ),
    mutant(
        "G12",
        "steps without end",
        ADVANCE,
        "if step > limit {",
        "if step > limit.saturating_mul(9) {",
        "steps_and_time_are_bounded",
    ),
    mutant(
        "G12",
        "retries without end",
        MOVES,
        "if failures < attempts {",
        "if failures < attempts * 9 {",
        "spent_retries_end_in_failed",
    ),
    mutant(
        "G12",
        "a cut reply retried without end",
        RECORD,
        "let again = error.class.is_retryable() && attempt < max;",
        "let again = error.class.is_retryable() && attempt < max * 9;",
        "r63_a_cut_reply_is_retried_with_more_room_and_bounded",
    ),
    mutant(
        "G12",
        "no bound on the calls of a reply",
        RECORD,
        "if index >= limits::CALLS_PER_REPLY_MAX {",
        "if index >= limits::CALLS_PER_REPLY_MAX * 9 {",
        "a_reply_of_too_many_calls_is_bounded",
    ),
    // No secret in the log; what is forgotten is gone; a file is what it was.
    Mutant {
        package: "steadfast",
        ..mutant(
            "R111",
            "results recorded with their secrets",
            "crates/steadfast/src/driver/redact.rs",
            "Ok(value) => Ok(self::value(redactor, value)),",
            "Ok(value) => Ok(value),",
            "r111_no_secret_reaches_the_log_whoever_says_it",
        )
    },
    Mutant {
        package: "steadfast",
        ..mutant(
            "R111",
            "base64 looked for at one place of a group only",
            "crates/steadfast/src/secret/forms.rs",
            "let alignments = (0..3usize)",
            "let alignments = (0..1usize)",
            "no_planted_secret_survives",
        )
    },
    Mutant {
        package: "steadfast-store",
        ..mutant(
            "erasure",
            "deleted rows left in the file",
            "crates/steadfast-store/src/sqlite/erase.rs",
            "conn.execute_batch(\"VACUUM\")?;",
            "",
            "what_was_forgotten_stands_in_no_file",
        )
    },
    Mutant {
        package: "steadfast-store",
        ..mutant(
            "export",
            "content taken in under the name beside it",
            "crates/steadfast-store/src/transfer/scan.rs",
            "if content.hash != named {",
            "if content.hash != named && named == Hash::ZERO {",
            "with_any_byte_changed_it_is_refused_or_salvaged_truly",
        )
    },
];
