//! The breaks, by guarantee.

use super::Mutant;

const ADD: &str = "crates/steadfast-core/src/ledger/add.rs";
const ADMIT: &str = "crates/steadfast-core/src/task/admit.rs";
const ANSWER_CHECK: &str = "crates/steadfast-core/src/check.rs";
const ADVANCE: &str = "crates/steadfast-core/src/task/advance.rs";
const APPLY: &str = "crates/steadfast-core/src/ledger/apply.rs";
const ASSEMBLE: &str = "crates/steadfast-core/src/context/assemble.rs";
const AUTHORITY: &str = "crates/steadfast-core/src/ledger/authority.rs";
const ARCHIVING: &str = "crates/steadfast-core/src/task/archive.rs";
const CHILD: &str = "crates/steadfast-core/src/task/child.rs";
const COMPOSE: &str = "crates/steadfast-core/src/archive/compose.rs";
const EARLIER: &str = "crates/steadfast-core/src/context/earlier.rs";
const EXTRACT: &str = "crates/steadfast-core/src/archive/extract.rs";
const DRAW: &str = "crates/steadfast-core/src/context/draw.rs";
const DUE: &str = "crates/steadfast-core/src/task/due.rs";
const ENTRY: &str = "crates/steadfast-core/src/ledger/entry.rs";
const HTTP_ADDRESS: &str = "crates/steadfast/src/skill/http/address.rs";
const HTTP_REPLY: &str = "crates/steadfast/src/skill/http/reply.rs";
const HTTP_REQUEST: &str = "crates/steadfast/src/skill/http/request.rs";
const HOST: &str = "crates/steadfast-core/src/text/link/host.rs";
const FIDELITY_AMOUNT: &str = "crates/steadfast-core/src/archive/fidelity/amount.rs";
const FIDELITY_EDIT: &str = "crates/steadfast-core/src/archive/fidelity/edit.rs";
const FIDELITY_RULE: &str = "crates/steadfast-core/src/archive/fidelity/rule.rs";
const FIDELITY_TURN: &str = "crates/steadfast-core/src/archive/fidelity/polarity/turn.rs";
const FOLD: &str = "crates/steadfast-core/src/task/fold.rs";
const FOLD_MODEL: &str = "crates/steadfast-core/src/task/fold/model.rs";
const INSTRUCT: &str = "crates/steadfast-core/src/task/instruct.rs";
const INSTRUCTIONS: &str = "crates/steadfast-core/src/context/instructions.rs";
const KEEP: &str = "crates/steadfast-core/src/task/keep.rs";
const LEDGER: &str = "crates/steadfast-core/src/ledger/state.rs";
const MANIFEST: &str = "crates/steadfast-core/src/context/manifest.rs";
const MCP_BREAKER: &str = "crates/steadfast/src/skill/mcp/breaker.rs";
const MCP_SERVER: &str = "crates/steadfast/src/skill/mcp/server.rs";
const MEND_PLAN: &str = "crates/steadfast-core/src/repair/plan.rs";
const MOVES: &str = "crates/steadfast-core/src/task/moves.rs";
const OBEY: &str = "crates/steadfast-core/src/task/obey.rs";
const OFFER: &str = "crates/steadfast-core/src/archive/offer.rs";
const OUTCOME: &str = "crates/steadfast-core/src/task/outcome.rs";
const RECALLING: &str = "crates/steadfast-core/src/task/recall.rs";
const RECEIPTS: &str = "crates/steadfast-core/src/task/receipts.rs";
const RECORD: &str = "crates/steadfast-core/src/task/record.rs";
const REPLACE: &str = "crates/steadfast-core/src/ledger/replace.rs";
const REVIEW: &str = "crates/steadfast-core/src/check/review.rs";
const RETRY: &str = "crates/steadfast-core/src/task/retry.rs";
const SPEND: &str = "crates/steadfast-core/src/task/spend.rs";
const SUMMARISE: &str = "crates/steadfast-core/src/task/summarise.rs";
const STATE: &str = "crates/steadfast-core/src/task/state.rs";
const VALIDATION_VERDICT: &str = "crates/steadfast-core/src/validate/verdict.rs";
const VET: &str = "crates/steadfast-core/src/task/vet.rs";
const TAINT: &str = "crates/steadfast-core/src/task/taint.rs";
const TASK_REVIEW: &str = "crates/steadfast-core/src/task/review.rs";
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

/// A break that `steadfast test` itself notices, by the cases of the guarantees.
const fn seen_by_test(
    guarantee: &'static str,
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant {
        package: "steadfast-cli",
        ..mutant(
            guarantee,
            name,
            file,
            from,
            to,
            "b09_the_cases_of_the_guarantees_hold",
        )
    }
}

/// A break that a drill itself notices.
const fn seen_by_drill(
    guarantee: &'static str,
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    killed_by: &'static str,
) -> Mutant {
    Mutant {
        package: "steadfast-sim",
        ..mutant(guarantee, name, file, from, to, killed_by)
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
        RECEIPTS,
        "retain(|_, one| one.seq < since);",
        "retain(|_, one| one.seq < since || one.checked.is_some());",
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
    // G2: data never commands, and no lower source weakens a higher one.
    sentinel(mutant(
        "G2",
        "a say for what has none",
        AUTHORITY,
        "_ => Rank::of(source).ok_or(Refused::NoAuthority),",
        "_ => Ok(Rank::of(source).unwrap_or(Rank::User)),",
        "r14_only_people_of_the_task_and_those_above_have_a_say",
    )),
    mutant(
        "G2",
        "another person's say",
        AUTHORITY,
        "principal != owner => Err(Refused::OtherPrincipal),",
        "principal != owner && owner.as_str().is_empty() => Err(Refused::OtherPrincipal),",
        "r14_only_people_of_the_task_and_those_above_have_a_say",
    ),
    mutant(
        "G2",
        "words that do not stand where they are cited",
        APPLY,
        "text.get(span) != Some(cites.words.as_str())",
        "text.get(span).is_none()",
        "cited_words_stand_in_the_message",
    ),
    mutant(
        "G2",
        "a looser rule under a stricter one of a higher source",
        ADD,
        "Relation::Looser | Relation::Contrary | Relation::Unclear => {",
        "Relation::Contrary | Relation::Unclear => {",
        "r24_precedence_is_by_source_and_not_by_order",
    ),
    mutant(
        "G2",
        "a guard loosened without a yes",
        REPLACE,
        "if loosened.iter().any(|one| guard::guards(&one.rule)) {",
        "if loosened.len() > 99 {",
        "r23_a_looser_budget_waits_and_a_tighter_one_does_not",
    ),
    mutant(
        "G2",
        "a model's loosening applied",
        REPLACE,
        "self.by_model().then_some(Why::ModelProposed)",
        "(self.by_model() && loosened.len() > 99).then_some(Why::ModelProposed)",
        "r10_a_models_reading_never_loosens",
    ),
    mutant(
        "G2",
        "a fold that lets a lower source take a higher one's rule",
        ENTRY,
        "Some(of) if of > rank => return Err(",
        "Some(of) if of > rank && self.made > 99 => return Err(",
        "g02_the_fold_refuses_what_apply_cannot_have_made",
    ),
    mutant(
        "G2",
        "a yes to the ledger taken from another talk",
        INSTRUCT,
        "let unclear = loosens && steps.any(|step| said(step.seq));",
        "let unclear = loosens && steps.any(|step| said(step.seq) && step.no > 99);",
        "r14_a_yes_counts_for_the_question_just_asked",
    ),
    // G3: in force, in sight, and nothing else.
    sentinel(mutant(
        "G3",
        "words of dead rules shown again",
        DRAW,
        "let dead = self.task.state.dead_words(message);",
        "let dead: Vec<(usize, usize)> = Vec::new();",
        "g03_after_a_change_no_trace_of_the_old_rule_is_shown",
    )),
    mutant(
        "G3",
        "a rule that an exception stands for still in force",
        LEDGER,
        "here && !excepted && !suspended",
        "here",
        "an_exception_ends_and_the_rule_comes_back",
    ),
    mutant(
        "G3",
        "items that words can break out of",
        INSTRUCTIONS,
        "text.trim_end().replace(ends, \" \")",
        "text.trim_end().replace(|c: char| ends(c) && c == '\\u{7}', \" \")",
        "words_of_a_user_cannot_open_an_item_of_a_higher_source",
    ),
    // G5: same log, same bytes.
    mutant(
        "G2",
        "a page's orders by way of a summary",
        EXTRACT,
        "if no_rules && !fidelity::rules_in(&piece.value).is_empty() {",
        "if false {",
        "rules_are_left_out_and_counted",
    ),
    mutant(
        "G3",
        "an old value of a fact unmarked",
        EARLIER,
        "for (name, value) in contradicted(&one.text.text(), &newer) {",
        "for (name, value) in contradicted(&one.text.text(), &newer).into_iter().skip(9) {",
        "r02_r16_an_old_value_is_marked_once_it_is_replaced",
    ),
    mutant(
        "G4",
        "the agent's own figures among the findings",
        COMPOSE,
        "words: words(task, step),",
        "words: step.text.as_ref().map(|text| text.text().into_owned()).filter(|_| false),",
        "r18_the_agents_own_figures_are_marked_as_its_own",
    ),
    mutant(
        "G11",
        "a step cut without its summary",
        ARCHIVING,
        "self.archive_beyond(context.steps.max(1), Why::Window)?;",
        "return Ok(made);",
        "r07_a_step_leaves_only_with_its_summary",
    ),
    mutant(
        "G4",
        "a model's summary that nobody weighs",
        OFFER,
        "    holds(&fields, measure)?;",
        "",
        "r16_a_lying_summary_is_refused_with_the_pair_and_asked_once_more",
    ),
    mutant(
        "G4",
        "a model's summary that is false today",
        OFFER,
        "match differs.is_empty() {",
        "match true {",
        "r02_a_summary_that_differs_from_what_is_in_force_is_refused",
    ),
    mutant(
        "G4",
        "a summary under the floor",
        OFFER,
        "if tokens < least {",
        "if false {",
        "r07_a_bad_summary_changes_nothing_and_says_why",
    ),
    mutant(
        "G4",
        "a rebuild that believes what it finds",
        SUMMARISE,
        "(_, true) => !self.still_holds(job, entry, raw, &ruled),",
        "(_, true) => false,",
        "b06_a_damaged_summary_is_replaced_when_the_archive_is_rebuilt",
    ),
    mutant(
        "G12",
        "a summariser beyond the budget",
        SUMMARISE,
        "if fits.is_err() || !bounds.iter().all(priced) {",
        "if fits.is_err() && bounds.iter().all(priced) && false {",
        "g12_a_summariser_keeps_to_the_budget",
    ),
    mutant(
        "G13",
        "a search that brings as much as it likes",
        RECALLING,
        "hits.truncate(self.task.recall_count());",
        "",
        "a_search_is_bounded_in_count_and_tokens",
    ),
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
        "if !before.named(&one.sealed.hash) {",
        "if !before.entries.is_empty() && !before.named(&one.sealed.hash) {",
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
    mutant(
        "G3",
        "an answer that breaks a rule delivered",
        ADMIT,
        "guard(guards.ledger, self.broken_rules(answer, rules))?;",
        "guard(guards.ledger, self.broken_rules(answer, rules).filter(|_| answer.bytes == 0))?;",
        "r91_an_answer_that_breaks_a_rule_is_refused_with_its_evidence",
    ),
    // G10: unknown is not yes.
    sentinel(mutant(
        "G10",
        "a deed that an open question is about",
        OBEY,
        ".or_else(|| self.question_about(&deeds, skill, spec))",
        ".or_else(|| self.question_about(&deeds, skill, spec).filter(|_| deeds.len() > 99))",
        "g10_an_open_question_holds_its_deed_back",
    )),
    mutant(
        "G10",
        "prose taken for kept",
        KEEP,
        "!matches!(one.outcome, Outcome::NotChecked(Why::NotInAnswer))",
        "!matches!(one.outcome, Outcome::NotChecked(_))",
        "r91_an_answer_that_breaks_a_rule_is_refused_with_its_evidence",
    ),
    mutant(
        "G10",
        "an undeclared deed taken for a permitted one",
        OBEY,
        "(kind && is_undeclared(spec)).then_some(",
        "(kind && is_undeclared(spec) && deeds.len() > 99).then_some(",
        "g02_a_forbidden_deed_is_refused_whatever_the_model_says",
    ),
    mutant(
        "G10",
        "an amount that does not read taken for one within its bound",
        OBEY,
        "let within = amount.is_some_and(",
        "let within = amount.is_none_or(",
        "g02_a_forbidden_deed_is_refused_whatever_the_model_says",
    ),
    // G7: an approval means this.
    mutant(
        "G7",
        "a yes that outlives its time",
        ADVANCE,
        "until.is_some_and(|until| until <= self.turn.now)",
        "until.is_some_and(|until| until.0 < 0)",
        "r79_a_yes_is_for_these_arguments_until_it_runs_out",
    ),
    mutant(
        "G7",
        "a yes whatever became of the facts",
        RECORD,
        "state.facts.get(name)?.seq",
        "state.facts.get(name).map(|_| Seq(1))?",
        "g07_every_single_change_voids_the_approval",
    ),
    // G9: roll back beliefs, not deeds.
    mutant(
        "G9",
        "deeds that a repair forgets",
        MEND_PLAN,
        "&& !call.is_read()",
        "&& call.is_read()",
        "g09_deeds_stand_and_are_shown_as_done",
    ),
    mutant(
        "G9",
        "a state that does its deed again",
        MOVES,
        "if self.keep_deeds(&name)? {",
        "if name.as_str().is_empty() && self.keep_deeds(&name)? {",
        "g09_no_deed_is_done_twice_whatever_the_crash",
    ),
    mutant(
        "G9",
        "a user's value that is rolled back",
        MEND_PLAN,
        "fact.seq > place && !is_persons(&fact.source)",
        "fact.seq > place",
        "g09_no_deed_is_done_twice_whatever_the_crash",
    ),
    mutant(
        "G9",
        "a repair that looks past the first reader",
        MEND_PLAN,
        "_ if request.known => read(),",
        "_ if request.known => marks.iter().rfind(|mark| mark.hit).map(|mark| mark.seq),",
        "d6_the_roll_back_point_is_where_the_runs_part",
    ),
    // G10: unknown is not yes.
    mutant(
        "G10",
        "a validator that could not verify lets through",
        VET,
        "Verdict::Passed => return Then::Pass,",
        "Verdict::Passed | Verdict::CannotVerify => return Then::Pass,",
        "g10_unknown_is_not_yes",
    ),
    mutant(
        "G10",
        "words that are no verdict count as a pass",
        VALIDATION_VERDICT,
        "_ => Verdict::CannotVerify,",
        "_ => Verdict::Passed,",
        "g10_unknown_is_not_yes",
    ),
    mutant(
        "G10",
        "a pass that is good for another ledger",
        VET,
        "if call.validated == Some(binding) {",
        "if call.validated.is_some() {",
        "g10_a_pass_is_void_once_the_ledger_changed",
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
        "None => brief.unwrap_or_else(|| self.capped(result, caps.result)),",
        "None => brief.unwrap_or_else(|| Text::Whole(result.clone())),",
        "one_oversized_result_becomes_an_excerpt_with_a_reference",
    ),
    mutant(
        "G11",
        "what the work builds on cut down to key data",
        DRAW,
        "if self.task.state.beliefs.receipts.is_of(&call.call) {",
        "if self.task.state.beliefs.receipts.is_of(&call.call) && false {",
        "what_the_work_builds_on_stays_in_full",
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
        "one rule broken without end",
        KEEP,
        ".find(|(_, times)| **times >= limits::ANSWER_REPAIRS_MAX);",
        ".find(|(_, times)| **times >= limits::ANSWER_REPAIRS_MAX * 9);",
        "g12_one_rule_broken_in_a_row_ends_the_task_with_a_diagnosis",
    ),
    mutant(
        "G12",
        "steps without end",
        ADVANCE,
        "if step.saturating_sub(state.stands.round.steps) > limit {",
        "if step.saturating_sub(state.stands.round.steps) > limit.saturating_mul(9) {",
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
        RETRY,
        "if cuts < limits::OUTPUT_ATTEMPTS_MAX && room > slot.output_tokens_max {",
        "if cuts < 9 && room > slot.output_tokens_max {",
        "r63_a_cut_reply_gets_more_room_and_is_no_parse_error",
    ),
    mutant(
        "G12",
        "a provider that is gone is waited for without end",
        RETRY,
        "None if now < deadline =>",
        "None if now < deadline.plus_ms(patience * 9) =>",
        "r58_patience_ends_and_the_diagnosis_says_so",
    ),
    mutant(
        "G12",
        "what a call reserves is not counted",
        FOLD_MODEL,
        "self.stands.account.reserve(state.as_ref(), reserved);",
        "self.stands.account.reserve(state.as_ref(), Amounts::default());",
        "g12_a_call_is_reserved_and_settled_at_what_the_provider_says",
    ),
    mutant(
        "G12",
        "a call that does not fit is made",
        SPEND,
        "spent.saturating_add(reserved).saturating_add(asked) > limit",
        "spent.saturating_add(reserved) > limit",
        "g12_a_call_that_does_not_fit_is_not_made",
    ),
    mutant(
        "G12",
        "a lost reply gives its reservation back",
        FOLD_MODEL,
        "self.unknown(&slot, unrecorded);",
        "self.unknown(&slot, 0);",
        "g12_a_lost_reply_keeps_its_reservation_and_no_more",
    ),
    mutant(
        "G12",
        "a lost call is made again without room for it",
        SPEND,
        "lost == 0 || !is_old && self.fits(",
        "true || !is_old && self.fits(",
        "g12_a_lost_call_without_room_is_not_made_again",
    ),
    mutant(
        "G12",
        "calls side by side do not see each other",
        FOLD,
        "account.settle(state.as_ref(), Amounts::default(), Amounts::SKILL_CALL);",
        "account.settle(state.as_ref(), Amounts::default(), Amounts::default());",
        "g12_calls_side_by_side_share_one_budget",
    ),
    mutant(
        "G6",
        "a limit ends a task with a deed in flight",
        RECORD,
        "if self.task.state.has_deed_in_flight() {",
        "if false {",
        "g06_a_limit_lets_a_deed_in_flight_settle_first",
    ),
    mutant(
        "G12",
        "no bound on the calls of a reply",
        RECORD,
        "if index >= limits::CALLS_PER_REPLY_MAX {",
        "if index >= limits::CALLS_PER_REPLY_MAX * 9 {",
        "a_reply_of_too_many_calls_is_bounded",
    ),
    // Checks of answers: unknown is not yes (G10), and a host is its labels.
    mutant(
        "G10",
        "prose reported as kept",
        ANSWER_CHECK,
        "Rule::Prose { .. } => Outcome::NotChecked(Why::NeedsReader),",
        "Rule::Prose { .. } => Outcome::Kept,",
        "prose_and_deeds_are_not_checked",
    ),
    mutant(
        "checks",
        "a domain without its border",
        HOST,
        "rest.is_empty() || rest.ends_with('.')",
        "rest.is_empty() || !rest.is_empty()",
        "r92_hosts_are_compared_label_by_label",
    ),
    mutant(
        "checks",
        "the user of an address taken for its host",
        HOST,
        ".rsplit_once('@')",
        ".rsplit_once('\u{1}')",
        "r92_hosts_are_compared_label_by_label",
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
    // Reviews, arguments against people's values, questions.
    mutant(
        "G10",
        "a quotation that stands nowhere",
        REVIEW,
        "at.map_or(unclear(Unclear::NoSuchWords), |start| Verdict::Broken {",
        "at.map_or(Verdict::Kept, |start| Verdict::Broken {",
        "whatever_cannot_be_taken_at_its_word_is_never_kept",
    ),
    mutant(
        "G10",
        "a reviewer that failed taken for a yes",
        TASK_REVIEW,
        "verdicts: review::cannot_tell(&asked, Unclear::Failed),\n            reply: None,\n            failure: None,",
        "verdicts: asked.iter().map(|one| (one.constraint, Verdict::Kept)).collect(),\n            reply: None,\n            failure: None,",
        "g10_a_reviewer_that_fails_never_says_kept",
    ),
    mutant(
        "G2",
        "a deed against a person's value",
        OBEY,
        ".or_else(|| self.contradiction(spec, args))",
        ".or_else(|| self.contradiction(spec, &Value::Null))",
        "r22_a_call_against_a_persons_value_is_blocked_before_the_deed",
    ),
    mutant(
        "G2",
        "an argument of a record that nobody holds",
        TAINT,
        "let (from, _) = from.filter(|_| !named)?;",
        "let (from, _) = from.filter(|_| named)?;",
        "r40_a_call_with_an_argument_of_a_record_is_held",
    ),
    // G4: faithful memory.
    mutant(
        "G4",
        "a bound that became another",
        FIDELITY_AMOUNT,
        "(Some(a), Some(b)) => shape(&a) == shape(&b),",
        "(Some(_), Some(_)) => true,",
        "each_kind_of_difference_has_its_name",
    ),
    mutant(
        "G4",
        "a negation that went",
        FIDELITY_TURN,
        "left % 2 == 1 && loose == 0",
        "left > 9 && loose == 0",
        "each_kind_of_difference_has_its_name",
    ),
    mutant(
        "G4",
        "two people in each other's place",
        FIDELITY_EDIT,
        "found.chain(swapped)",
        "found.chain(swapped.filter(|_| false))",
        "the_kinds_of_edits_in_copied_sentences_are_told",
    ),
    mutant(
        "G4",
        "a rule that nobody gave",
        FIDELITY_RULE,
        "    if has_source {\n        return false;",
        "    if has_source || !has_source {\n        return false;",
        "rules_are_stripped_and_the_rest_stays",
    ),
    // Requests: who is asked, and what a lost reply means.
    Mutant {
        package: "steadfast",
        ..mutant(
            "G2",
            "an argument that leaves its place",
            HTTP_REQUEST,
            "Ok(encode(&value))",
            "Ok(value)",
            "arguments_fill_values_and_nothing_else",
        )
    },
    Mutant {
        package: "steadfast",
        ..mutant(
            "G2",
            "a name at an inner address",
            HTTP_ADDRESS,
            "rules.judge(name.as_str(), *address)?;",
            "let _ = rules.judge(name.as_str(), *address);",
            "a_name_at_an_inner_address_is_refused_before_a_connection",
        )
    },
    Mutant {
        package: "steadfast",
        ..mutant(
            "G6",
            "a 5xx of a deed taken for not done",
            HTTP_REPLY,
            "300..=399 | 500.. => Meaning::InDoubt",
            "300..=399 | 500.. => Meaning::NotDone",
            "statuses_are_told_apart_by_effect",
        )
    },
    // Tools of other servers: the one that was pinned, and one failure is no end.
    Mutant {
        package: "steadfast",
        ..mutant(
            "G2",
            "a tool that is no longer the pinned one",
            MCP_SERVER,
            "Some(_) => Standing::Changed,",
            "Some(_) => Standing::Pinned,",
            "r43_a_changed_tool_is_not_called",
        )
    },
    Mutant {
        package: "steadfast",
        ..mutant(
            "G2",
            "a server's word that its tools changed",
            MCP_SERVER,
            "if anew || changed || old {",
            "if anew || (changed && old) || old {",
            "r43_a_changed_tool_is_not_called",
        )
    },
    Mutant {
        package: "steadfast",
        ..mutant(
            "G12",
            "a server that is given up at its first failure",
            MCP_BREAKER,
            "self.failures >= limits::MCP_FAILURES_IN_A_ROW;",
            "self.failures >= 1;",
            "r109_one_failure_opens_nothing",
        )
    },
    // What the settings of a model say.
    mutant(
        "G12",
        "the patience of a model's settings",
        RETRY,
        "change.applied_to(self.workflow.spec.retry)",
        "{ let _ = change; self.workflow.spec.retry }",
        "the_patience_of_the_model_stands_over_the_workflow_s",
    ),
    mutant(
        "G5",
        "the mark-up of a model's settings",
        DRAW,
        ".unwrap_or(spec.markup),",
        ".map_or(spec.markup, |_| spec.markup),",
        "a_contract_stands_in_the_mark_up_of_the_model_and_of_the_next_one",
    ),
    // The regression harness: a case, a contract or a search that cannot fail.
    mutant(
        "G1",
        "a path that is held against itself",
        "crates/steadfast/src/cases/path.rs",
        "            expected.get(*at).map(String::as_str) != actual.get(*at).map(|step| step.name.as_str())",
        "            expected.get(*at).is_some() && actual.get(*at).is_none()",
        "a_path_that_differs_is_told_in_full",
    ),
    mutant(
        "G1",
        "a search that asks no account",
        "crates/steadfast/src/cases/explore/walk.rs",
        "            if walked && !self.skipped.contains(name) && !self.is_complete(name, machine) {",
        "            if walked && self.skipped.contains(name) && !self.is_complete(name, machine) {",
        "an_open_guard_is_found_by_the_search",
    ),
    mutant(
        "G1",
        "a contract that is judged by its upper bound alone",
        "crates/steadfast/src/cases/contract.rs",
        "    let bound = match (low > target, high < target) {",
        "    let bound = match (low > 1.0, high < target) {",
        "one_attempt_in_few_runs_is_above",
    ),
    mutant(
        "G5",
        "a replay that asks what is recorded",
        "crates/steadfast/src/replay/tape.rs",
        "turn.of == key(request));",
        "turn.of != key(request));",
        "an_unchanged_replay_calls_nobody",
    ),
    // Conversations, facts, and what models propose.
    mutant(
        "G2",
        "a tool's value in the place of the user's",
        "crates/steadfast-core/src/task/provide.rs",
        "            match (may, present.cloned()) {",
        "            match (may.or(Ok::<(), crate::ledger::Refused>(())), present.cloned()) {",
        "r23_a_tools_value_waits_beside_the_users",
    ),
    mutant(
        "G2",
        "a tool's words among the rules",
        "crates/steadfast-core/src/task/provide.rs",
        "        Value::Number(_) | Value::Bool(_) => value.to_string(),",
        "        Value::Number(_) | Value::Bool(_) | Value::String(_) => value.to_string(),",
        "g02_a_value_of_words_is_not_shown_among_the_rules",
    ),
    mutant(
        "G2",
        "a model's reading that the words do not carry",
        "crates/steadfast-core/src/ledger/apply.rs",
        "if !applied || !self.by_model() || self.confirmed || carry::carries(self.words, &draft) {",
        "if !applied || !self.by_model() || self.confirmed || draft.expiry == draft.expiry {",
        "words_that_do_not_carry_it_are_asked_about",
    ),
    mutant(
        "G2",
        "a model's own words among the rules",
        "crates/steadfast-core/src/ledger/apply.rs",
        "!carry::own_words(self.text, operation)",
        "false",
        "g02_r10_what_is_not_the_users_is_refused_or_asked",
    ),
    // G8: walls.
    sentinel(mutant(
        "G8",
        "a whole output goes along an edge that names one field",
        CHILD,
        "newest.and_then(|one| edge::field(&one.result.json(), &field))",
        "newest.map(|one| one.result.json()).filter(|_| field.len() < 9)",
        "g08_no_byte_of_a_sibling_reaches_a_sub_task",
    )),
    mutant(
        "G8",
        "a call beyond the capabilities",
        CHILD,
        "(!mask.allows(skill)).then_some(Refusal::NotCapable)",
        "(!mask.allows(skill) && skill.is_empty()).then_some(Refusal::NotCapable)",
        "r05_a_reading_helper_edits_nothing_after_its_history_was_summed_up",
    ),
    mutant(
        "G8",
        "a rule about deeds goes along only when marked",
        "crates/steadfast-core/src/handoff/attenuate.rs",
        "        if binds || marked {",
        "        if binds && marked {",
        "g8_authority_only_shrinks",
    ),
    mutant(
        "G12",
        "a helper begins without setting aside what it may take",
        "crates/steadfast-core/src/task/fold/child.rs",
        "        account.reserve_beside(state.as_ref(), body.reserved);",
        "        account.reserve_beside(state.as_ref(), Default::default());",
        "r54_helpers_side_by_side_cannot_overspend",
    ),
    mutant(
        "G6",
        "a report is taken in twice",
        CHILD,
        "let (Some(call), true) = (call, awaited.is_some_and(|one| one.task == report.child)) else {",
        "let (Some(call), true) = (call, awaited.is_some_and(|one| one.depth > 0)) else {",
        "r50_nobody_outside_of_the_tree_is_heard",
    ),
    // What `steadfast test` and `steadfast drill` see by themselves, as a user runs
    // them: docs/testing.md has the table.
    seen_by_test(
        "G1",
        "test: an answer before the contract is complete",
        ADMIT,
        "guard(guards.contract, self.contract_refusal())?;",
        "guard(guards.contract, None)?;",
    ),
    seen_by_test(
        "G2",
        "test: another person's say",
        AUTHORITY,
        "principal != owner => Err(Refused::OtherPrincipal),",
        "principal != owner && owner.as_str().is_empty() => Err(Refused::OtherPrincipal),",
    ),
    seen_by_drill(
        "G2",
        "drill: what a colleague is said to want, taken for an order",
        "crates/steadfast-core/src/text/reader/clause.rs",
        "let mut act = mood::act(text);",
        "let mut act = match mood::act(text) { Act::Reported => Act::Directive, act => act };",
        "b09_steadfast_keeps_all_where_baselines_lose",
    ),
    seen_by_test(
        "G3",
        "test: an answer that breaks a rule delivered",
        ADMIT,
        "guard(guards.ledger, self.broken_rules(answer, rules))?;",
        "guard(guards.ledger, self.broken_rules(answer, rules).filter(|_| answer.bytes == 0))?;",
    ),
    seen_by_test(
        "G3",
        "test: words of dead rules shown again",
        DRAW,
        "let dead = self.task.state.dead_words(message);",
        "let dead: Vec<(usize, usize)> = Vec::new();",
    ),
    seen_by_drill(
        "G3",
        "drill: an exception that does not end",
        "crates/steadfast-core/src/ledger/expire.rs",
        "(Expiry::Once, Trigger::Answer) => guard::deeds(rule).is_empty(),",
        "(Expiry::Once, Trigger::Answer) => false,",
        "b09_steadfast_keeps_all_where_baselines_lose",
    ),
    seen_by_test(
        "G5",
        "test: tools lost on the way back",
        MANIFEST,
        "        tools,\n        tool_choice: manifest.tool_choice,",
        "        tools: tools.into_iter().skip(1).collect(),\n        tool_choice: manifest.tool_choice,",
    ),
    seen_by_test(
        "G6",
        "test: a lost reply taken as a failure",
        OUTCOME,
        "(error.class.is_ambiguous() && !call.may_repeat());",
        "(error.class.is_ambiguous() && call.is_read());",
    ),
    seen_by_test(
        "G7",
        "test: a deed without the yes that it needs",
        RECORD,
        "spec.is_some_and(|spec| spec.approval == Approval::Required)",
        "spec.is_some_and(|spec| spec.approval == Approval::Required && spec.effect.is_none())",
    ),
    seen_by_test(
        "G8",
        "test: a whole output goes along an edge that names one field",
        CHILD,
        "newest.and_then(|one| edge::field(&one.result.json(), &field))",
        "newest.map(|one| one.result.json()).filter(|_| field.len() < 9)",
    ),
    seen_by_test(
        "G10",
        "test: a deed that an open question is about",
        OBEY,
        ".or_else(|| self.question_about(&deeds, skill, spec))",
        ".or_else(|| self.question_about(&deeds, skill, spec).filter(|_| deeds.len() > 99))",
    ),
    seen_by_test(
        "G10",
        "test: an undeclared deed taken for a permitted one",
        OBEY,
        "(kind && is_undeclared(spec)).then_some(",
        "(kind && is_undeclared(spec) && deeds.len() > 99).then_some(",
    ),
    seen_by_drill(
        "G11",
        "drill: a refused call without its result",
        DRAW,
        "pieces.push(Piece::Tool { call, skill, body });",
        "if !matches!(body, ToolBody::Refused { .. }) {\n                pieces.push(Piece::Tool { call, skill, body });\n            }",
        "b09_requests_are_well_formed_and_contexts_come_again",
    ),
    seen_by_test(
        "G12",
        "test: refusals without end",
        ADVANCE,
        "refusals >= u64::from(limits.refusals)",
        "refusals > u64::from(limits.refusals) * 9",
    ),
    seen_by_drill(
        "G13",
        "drill: steps that never leave the context",
        "crates/steadfast-core/src/context/layer.rs",
        "    let asked = task.workflow.spec.limits.working_steps;\n    if asked",
        "    if task.state.seq.0 > 0 {\n        return 9_999;\n    }\n    let asked = task.workflow.spec.limits.working_steps;\n    if asked",
        "b09_a_call_does_not_grow_with_the_dialogue",
    ),
    // The bisection and the control chart.
    Mutant {
        package: "steadfast",
        ..mutant(
            "d9",
            "a search that halves nothing",
            "crates/steadfast/src/replay/bisect.rs",
            "let middle = good + (bad - good) / 2;",
            "let middle = good + 1;",
            "planted_defects_are_found_in_log_n_tries",
        )
    },
    Mutant {
        package: "steadfast",
        ..mutant(
            "a12",
            "a chart that is deaf to a fall",
            "crates/steadfast/src/metrics/chart.rs",
            "true => (Direction::Fell, low),",
            "true => (Direction::Fell, high),",
            "a_loosened_validator_is_seen_at_once",
        )
    },
    Mutant {
        package: "steadfast",
        ..mutant(
            "a12",
            "a chart that cries at chance",
            "crates/steadfast/src/metrics/chart.rs",
            "(chance < FALSE_ALARMS / 2.0).then_some(Alarm {",
            "(chance < FALSE_ALARMS * 10.0).then_some(Alarm {",
            "false_alarms_are_as_rare_as_stated",
        )
    },
];
