//! Every bound in one place. A loop, a queue or a size without an entry here is
//! a bug. Reaching a limit is an event with a diagnosis, never a silent cut.

/// Questions put to a skill's `verify` about one deed before a person is asked.
pub const VERIFY_QUESTIONS_MAX: u32 = 3;
/// Calls of one skill in one visit of a state, where the workflow says nothing.
pub const RETRY_ATTEMPTS_DEFAULT: u32 = 3;
/// The most attempts that a workflow may ask for.
pub const RETRY_ATTEMPTS_MAX: u32 = 20;
/// First pause between attempts, in milliseconds.
pub const BACKOFF_BASE_MS_DEFAULT: u64 = 500;
/// Growth of the pause from attempt to attempt.
pub const BACKOFF_FACTOR_DEFAULT: u32 = 2;
/// The longest pause between attempts, in milliseconds.
pub const BACKOFF_MAX_MS_DEFAULT: u64 = 60_000;
/// Jitter only ever lengthens a pause, by at most this share of it.
pub const BACKOFF_JITTER_PERCENT: u64 = 25;

/// Steps (turns of the loop) of a task, where the workflow says nothing.
pub const STEPS_DEFAULT: u32 = 200;
/// The most steps that a workflow may ask for.
pub const STEPS_MAX: u32 = 10_000_000;
/// How often a state may be entered.
pub const VISITS_DEFAULT: u32 = 10;
/// Replies in a row of which nothing was admitted, before the task is stopped
/// with a diagnosis.
pub const REFUSALS_IN_A_ROW_DEFAULT: u32 = 5;
/// Replies of a model for one step that cannot be used.
pub const MODEL_ATTEMPTS_DEFAULT: u32 = 4;
/// Skill calls at work at the same time.
pub const PARALLEL_DEFAULT: u32 = 4;
/// Calls that one reply may propose; the rest is refused.
pub const CALLS_PER_REPLY_MAX: usize = 32;

/// Most skills in one state's set.
pub const SKILLS_PER_STATE_MAX: usize = 12;
/// More states than this in one machine is a warning: models lose track
/// (guard-rails article, section 5.3).
pub const STATES_ADVISED_MAX: usize = 7;
/// States of a sub-workflow, from the same section.
pub const SUBWORKFLOW_STATES_ADVISED_MAX: usize = 5;
/// States of a machine with all sub-workflows laid flat.
pub const STATES_MAX: usize = 256;
/// How deep sub-workflows may nest.
pub const WORKFLOW_DEPTH_MAX: usize = 4;
/// Characters of a rendered contract beyond which `check` warns; brevity is
/// obeyed better (guard-rails article, section 5.3).
pub const CONTRACT_CHARS_ADVISED_MAX: usize = 1_200;

/// Steps kept in full in the working layer (long-task article, section 2.3).
pub const WORKING_STEPS_DEFAULT: usize = 6;
pub const WORKING_STEPS_MIN: usize = 5;
pub const WORKING_STEPS_MAX: usize = 8;
/// Tokens of one skill result in a context; beyond it an excerpt stands there.
pub const RESULT_TOKENS_MAX: u32 = 2_000;
/// Tokens of one document in a context.
pub const DOCUMENT_TOKENS_MAX: u32 = 6_000;
/// Tokens from which the input counts as long and the contract is repeated
/// after it (guard-rails article, section 5.2).
pub const CONTRACT_REPEAT_TOKENS: u32 = 1_500;
/// Context window taken where neither model nor settings declare one.
pub const WINDOW_TOKENS_DEFAULT: u32 = 32_768;
/// Room kept for the answer.
pub const OUTPUT_TOKENS_DEFAULT: u32 = 4_096;
/// Share of the window kept free because a token count is an estimate.
pub const ESTIMATE_MARGIN_PERCENT: u32 = 10;
/// The same where the tokenizer is the model's own.
pub const EXACT_MARGIN_PERCENT: u32 = 2;

/// Characters of a result or message that a diagnosis quotes.
pub const DIAGNOSIS_CHARS_MAX: usize = 600;
/// Bytes of one piece of content (a result, a document, a reply).
pub const CONTENT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// User messages kept in the state; older ones stay in the log.
pub const MESSAGES_KEPT: usize = 16;
/// Settled deeds kept in the state; older ones are looked up in the log.
pub const DEEDS_KEPT: usize = 64;
/// Documents given with a task.
pub const DOCUMENTS_MAX: usize = 64;
/// Bytes of one line of an audited log (JSON Lines).
pub const AUDIT_LINE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Bytes of an audited log that is one JSON document, and so is read whole.
pub const AUDIT_DOCUMENT_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Bytes of a workflow file.
pub const SPEC_BYTES_MAX: u64 = 1024 * 1024;

/// Events that one read of a log returns.
pub const READ_EVENTS_MAX: usize = 1_000;
/// Items that wait in a task's inbox.
pub const INBOX_ITEMS_MAX: usize = 1_000;
/// Snapshots kept of a task.
pub const SNAPSHOTS_KEPT: usize = 2;
/// Tasks in one list.
pub const TASKS_LISTED_MAX: usize = 1_000;
/// Writes that SQLite makes durable together.
pub const GROUP_COMMIT_MAX: usize = 64;
/// Connections that read a SQLite log side by side.
pub const SQLITE_READERS: usize = 2;
/// Time to wait for another process to unlock a SQLite log, in milliseconds.
pub const SQLITE_BUSY_TIMEOUT_MS: u64 = 5_000;
/// Size that a SQLite write-ahead log is cut back to after a checkpoint.
pub const SQLITE_WAL_BYTES_KEPT: u64 = 4 * 1024 * 1024;

/// Characters of a name that the tool interfaces of model providers take.
pub const TOOL_NAME_CHARS_MAX: usize = 64;
/// Bytes of one CEL expression.
pub const EXPRESSION_BYTES_MAX: usize = 4 * 1024;
/// Nesting of one CEL expression (brackets, operators, calls).
pub const EXPRESSION_DEPTH_MAX: u16 = 48;
/// Nesting up to which an expression is evaluated on the caller's stack.
pub const EXPRESSION_DEPTH_SHALLOW: usize = 12;
/// Stack on which expressions are parsed and deeper ones evaluated.
pub const EXPRESSION_STACK_BYTES: usize = 64 * 1024 * 1024;
/// Elements that the comprehensions of one CEL expression may visit.
pub const EXPRESSION_VISITS_MAX: u64 = 1_000_000;
/// Nodes of a workflow file with its aliases expanded.
pub const SPEC_NODES_MAX: usize = 100_000;
/// Characters of one line of a workflow file in which a key may begin.
pub const SPEC_LINE_CHARS_MAX: usize = 64 * 1024;
/// Nesting of a workflow file.
pub const SPEC_DEPTH_MAX: usize = 64;
/// Compiled schemas or expressions kept for the next question.
pub const RULES_CACHED_MAX: usize = 512;
/// Length from which a run of one repeated character is counted by rule.
pub const TOKEN_RUN_MAX: usize = 512;

/// Time that a skill call may take, in milliseconds.
pub const SKILL_TIMEOUT_MS_DEFAULT: u64 = 60_000;
/// Time that a model call may take, in milliseconds.
pub const MODEL_TIMEOUT_MS_DEFAULT: u64 = 300_000;
/// Time until a connection to a model stands.
pub const MODEL_CONNECT_TIMEOUT_MS_DEFAULT: u64 = 10_000;
/// Time until the first byte of a streamed reply.
pub const MODEL_FIRST_BYTE_TIMEOUT_MS_DEFAULT: u64 = 120_000;
/// Time between two chunks of a streamed reply.
pub const MODEL_IDLE_TIMEOUT_MS_DEFAULT: u64 = 60_000;
/// Characters of a provider's error message that are kept.
pub const PROVIDER_MESSAGE_CHARS_MAX: usize = 2_000;
/// Bytes of a recording of model calls.
pub const RECORDING_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Sentences that the extractive writer ranks; evidence beyond is not read.
pub const EXTRACTIVE_SENTENCES_MAX: usize = 2_000;

const _: () = assert!(WORKING_STEPS_MIN <= WORKING_STEPS_DEFAULT);
const _: () = assert!(WORKING_STEPS_DEFAULT <= WORKING_STEPS_MAX);
const _: () = assert!(RETRY_ATTEMPTS_DEFAULT <= RETRY_ATTEMPTS_MAX);
const _: () = assert!(STEPS_DEFAULT <= STEPS_MAX);
const _: () = assert!(OUTPUT_TOKENS_DEFAULT < WINDOW_TOKENS_DEFAULT / 2);
const _: () = assert!(EXACT_MARGIN_PERCENT <= ESTIMATE_MARGIN_PERCENT);

/// Bytes that a command may print, where its configuration says nothing.
pub const COMMAND_OUTPUT_BYTES_DEFAULT: u64 = 1024 * 1024;
/// Bytes of a command's error output that are kept (the last ones).
pub const COMMAND_STDERR_BYTES_DEFAULT: u64 = 4 * 1024;
/// How long the output of a command that has ended is still read, in
/// milliseconds: a process that it left behind may hold the pipe open.
pub const COMMAND_DRAIN_MS: u64 = 250;

/// The longest pause that a skill's other side can ask for (`Retry-After`).
pub const RETRY_AFTER_MS_MAX: u64 = 60 * 60 * 1000;

/// Time until a connection of an HTTP skill stands, in milliseconds.
pub const HTTP_CONNECT_TIMEOUT_MS: u64 = 10_000;
/// Bytes of a decompressed response, where the configuration says nothing.
pub const HTTP_RESPONSE_BYTES_DEFAULT: u64 = 1024 * 1024;
/// Redirects that one call follows.
pub const HTTP_REDIRECTS_DEFAULT: u32 = 5;
pub const HTTP_REDIRECTS_MAX: u32 = 20;
/// Addresses of one name that are looked at.
pub const HTTP_ADDRESSES_MAX: usize = 64;

/// Bytes of a rendered prompt of a prompt skill.
pub const PROMPT_BYTES_MAX: usize = 1024 * 1024;

/// Failures in a row after which a tool server is left alone for a while.
pub const MCP_FAILURES_IN_A_ROW: u32 = 3;
/// The first such pause, in milliseconds; each further one is twice as long.
pub const MCP_PAUSE_MS_MIN: u64 = 1_000;
/// The longest one.
pub const MCP_PAUSE_MS_MAX: u64 = 60_000;
/// Time for a tool server to begin, and to list its tools, in milliseconds.
pub const MCP_START_TIMEOUT_MS_DEFAULT: u64 = 10_000;
/// Age from which a list of tools is asked for anew.
pub const MCP_LIST_AGE_MS_MAX: u64 = 60_000;
/// Pages and tools of one list.
pub const MCP_PAGES_MAX: usize = 32;
pub const MCP_TOOLS_MAX: usize = 1_000;
/// Bytes of one message of a tool server.
pub const MCP_MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes that a tool server may send on its pipe within one call.
pub const MCP_TRAFFIC_BYTES_MAX: u64 = 16 * 1024 * 1024;

const _: () = assert!(MCP_MESSAGE_BYTES_MAX as u64 <= MCP_TRAFFIC_BYTES_MAX);
const _: () = assert!(HTTP_RESPONSE_BYTES_DEFAULT <= CONTENT_BYTES_MAX);
const _: () = assert!(HTTP_REDIRECTS_DEFAULT <= HTTP_REDIRECTS_MAX);

/// Bytes of a text that keywords are extracted from.
pub const KEYWORDS_TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Keywords of one extraction.
pub const KEYWORDS_COUNT_DEFAULT: usize = 12;
pub const KEYWORDS_COUNT_MAX: usize = 50;

/// Files of a folder that is searched.
pub const KNOWLEDGE_FILES_MAX: usize = 2_000;
/// Bytes of one file of it; a larger one is skipped and named.
pub const KNOWLEDGE_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of all its files.
pub const KNOWLEDGE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// How deep its folders may nest.
pub const KNOWLEDGE_DEPTH_MAX: usize = 16;
/// Characters of one passage.
pub const PASSAGE_CHARS_MAX: usize = 800;
/// Characters of the excerpt that stands for a passage in a result.
pub const EXCERPT_CHARS_MAX: usize = 400;
/// References of one search.
pub const REFERENCES_DEFAULT: usize = 5;
pub const REFERENCES_MAX: usize = 20;
/// Skipped files that a result names; it counts the rest.
pub const SKIPPED_SHOWN_MAX: usize = 20;

/// Issues that one format check lists; it counts the rest.
pub const FORMAT_ISSUES_SHOWN_MAX: usize = 50;

const _: () = assert!(COMMAND_OUTPUT_BYTES_DEFAULT <= CONTENT_BYTES_MAX);
const _: () = assert!(KEYWORDS_COUNT_DEFAULT <= KEYWORDS_COUNT_MAX);
const _: () = assert!(KNOWLEDGE_FILE_BYTES_MAX <= KNOWLEDGE_BYTES_MAX);
const _: () = assert!(EXCERPT_CHARS_MAX <= PASSAGE_CHARS_MAX);
const _: () = assert!(REFERENCES_DEFAULT <= REFERENCES_MAX);

/// How far "about 500" reaches to either side. The articles give no figure;
/// a tenth is what editors take.
pub const ABOUT_PERCENT: u32 = 10;

/// Bytes of a command line that is held against forbidden programs, and how deep
/// substitutions, groups, `sh -c` and wrappers may nest in it. A longer or deeper
/// one is refused.
pub const SHELL_LINE_BYTES_MAX: usize = 64 * 1024;
pub const SHELL_DEPTH_MAX: usize = 16;

// Secrets, erasure, export.

/// From this length on a secret is found inside other text and in every
/// encoding.
pub const SECRET_BYTES_MIN: usize = 8;
/// From this length on it is found as a word of its own; a shorter one would
/// shred the text and is not looked for.
pub const SECRET_WORD_BYTES_MIN: usize = 4;
/// Bytes of a secret: a certificate with its key fits.
pub const SECRET_BYTES_MAX: usize = 64 * 1024;
/// A line of a secret of many lines is looked for by itself from this length on.
pub const SECRET_LINE_BYTES_MIN: usize = 16;
/// How many escapings on top of each other are looked through.
pub const SECRET_ESCAPINGS_MAX: usize = 3;
/// What a stream holds back at most before it shows what it has.
pub const SECRET_STREAM_HELD_MAX: usize = 256 * 1024;

const _: () = assert!(SECRET_WORD_BYTES_MIN <= SECRET_BYTES_MIN);
const _: () = assert!(SECRET_BYTES_MAX < SECRET_STREAM_HELD_MAX);

// Checks of answers.

/// Bytes of an answer that the checks read. A longer one is reported as not
/// checked.
pub const CHECK_ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Places that the evidence of one breach lists; it counts the rest.
pub const CHECK_PLACES_MAX: usize = 8;
/// Characters of an answer that one place quotes.
pub const CHECK_QUOTE_CHARS_MAX: usize = 80;

// Reviews of answers (`check::review`).

/// Tokens of a reviewer's reply.
pub const REVIEW_OUTPUT_TOKENS: u32 = 2_000;
/// Constraints in prose that one review judges; more are judged by a further one.
pub const REVIEW_CONSTRAINTS_MAX: usize = 16;
/// Bytes of an answer that a reviewer is shown: some 60,000 tokens, which models
/// of today have room for.
pub const REVIEW_ANSWER_BYTES_MAX: usize = 200 * 1024;
/// How often one review is begun: a process may die with it.
pub const REVIEW_ATTEMPTS_MAX: u32 = 2;

// Where arguments come from (`task/taint.rs`).

/// Bytes of one untrusted text that are looked at.
pub const TAINT_BYTES_READ: usize = 64 * 1024;
/// Values of one call that are looked up, and bytes of one: longer ones are text.
pub const TAINT_VALUES_MAX: usize = 16;
pub const TAINT_VALUE_BYTES_MAX: usize = 256;

// Reading messages (`text::reader`).

/// Patches that one message can bring; the reader notes that there were more.
pub const PATCHES_PER_MESSAGE_MAX: usize = 64;
/// Of a longer message only both ends are read: nobody types so much, so the
/// middle is pasted matter.
pub const READ_PROSE_BYTES_MAX: usize = 64 * 1024;
/// Constraints of one ledger. A model that must mind more at once minds none.
pub const LEDGER_CONSTRAINTS_MAX: usize = 128;
/// Questions that wait at the same time, and options of one.
pub const LEDGER_QUESTIONS_MAX: usize = 16;
/// Confirmed changes kept in the state; older ones are in the log.
pub const LEDGER_CONFIRMED_KEPT: usize = 16;
/// Characters of the words that a constraint, goal or request rests on.
pub const LEDGER_WORDS_CHARS_MAX: usize = 2_000;
/// Bytes of one rule.
pub const LEDGER_RULE_BYTES_MAX: usize = 16 * 1024;
/// Answers in a row that may break the same rule before the task is stopped.
pub const ANSWER_REPAIRS_MAX: u32 = 3;
/// Conflicts that the state counts; older ones are in the log.
pub const CONFLICTS_KEPT: usize = 32;
/// Named values of one task.
pub const FACTS_MAX: usize = 256;

// Budgets and waiting for a model.

/// For how long a model that cannot be called for the moment is waited for, in
/// milliseconds: an outage of an afternoon is survived (field report R58).
pub const MODEL_PATIENCE_MS_DEFAULT: u64 = 2 * 60 * 60 * 1_000;
/// First pause before a model is called again (field report R56).
pub const MODEL_BACKOFF_BASE_MS_DEFAULT: u64 = 1_000;
/// Calls for one step whose reply was cut at the output limit; each gets more
/// room than the one before (field reports R63, R85).
pub const OUTPUT_ATTEMPTS_MAX: u32 = 3;
/// Time between the first calls of two tasks after a cool-down that they share.
pub const COOLDOWN_SPREAD_MS: u64 = 250;
/// How long a command that is told to stop lets a deed in flight settle.
pub const STOP_GRACE_MS: u64 = 10_000;
/// How long it waits for its driver where no deed is in flight.
pub const STOP_MS: u64 = 1_000;

const _: () = assert!(MODEL_BACKOFF_BASE_MS_DEFAULT <= BACKOFF_MAX_MS_DEFAULT);
const _: () = assert!(BACKOFF_MAX_MS_DEFAULT < MODEL_PATIENCE_MS_DEFAULT);

// Fidelity of summaries (`archive::fidelity`).

/// Bytes of a summary that are compared; of a longer one the rest is a finding.
pub const FIDELITY_SUMMARY_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a source that are read, over all of its spans; a claim of a source
/// that was cut is compared with what was read.
pub const FIDELITY_SOURCE_BYTES_MAX: usize = 1024 * 1024;
/// Source sentences that one claim is compared with.
pub const FIDELITY_ALIGNED_MAX: usize = 4;
/// A word that stands in more source sentences than this says nothing of where
/// a claim comes from, and is not looked up in the rest of them.
pub const FIDELITY_POSTINGS_MAX: usize = 256;
/// Words of a sentence that are laid side by side with another's: the product
/// of the two is the cost of one comparison.
pub const FIDELITY_WORDS_MAX: usize = 160;
/// Words that are read as one sentence; a longer one is read in pieces, so that
/// comparing clauses costs in the length of a text and not in its square.
pub const FIDELITY_SENTENCE_WORDS_MAX: usize = 256;
/// Bytes of source that a verdict looks through for single names, identifiers,
/// quotations, dates and figures, all walks together: 256 walks over the longest
/// source, and more than any summary asks for over a short one. What is beyond is
/// said to be not compared.
pub const FIDELITY_WALK_BYTES_MAX: usize = 256 * FIDELITY_SOURCE_BYTES_MAX;
/// Findings that a verdict lists.
pub const FIDELITY_FINDINGS_MAX: usize = 64;

// The clock (context/clock.rs)

/// Seconds without an event after which a context says how long nothing
/// happened: a meeting can be over meanwhile.
pub const CLOCK_REST_SECONDS: u64 = 10 * 60;

// Embeddings (steadfast/src/model/embeddings.rs)

/// Texts that one call of an endpoint of embeddings carries. Local servers take
/// a few hundred, hosted ones up to 2,048; less keeps one call short.
pub const EMBED_TEXTS_PER_CALL: usize = 64;

// Circles (validate/trail.rs)

/// Longest cycle of calls that is looked for. Reports of real loops name
/// periods up to 4; twice that costs one comparison each.
pub const LOOP_PERIOD_MAX: usize = 8;
/// Rounds of a circle after which the model is told that it leads nowhere.
pub const LOOP_STEER: u32 = 3;
/// Rounds of a circle after which the step ends.
pub const LOOP_STOP: u32 = 5;

// The archive of earlier steps (`archive`) and the working layer.

/// Tokens of the steps behind the newest up to which the working layer reaches
/// beyond [`WORKING_STEPS_MIN`]: light steps stay longer than heavy ones.
pub const WORKING_TOKENS_WIDE: u32 = 2_000;
/// The same as a share of the window.
pub const WORKING_SHARE_PERCENT: u32 = 30;
/// The newest steps, whose long results stand in full whatever became of them.
pub const FULL_STEPS: usize = 2;
/// Steps that the state keeps between two model calls at most: those in view,
/// and what the runtime did by itself since (a state's whole set at once).
pub const STEPS_KEPT: usize = 32;
/// Summaries kept in the state; the rest is in the log.
pub const ARCHIVE_KEPT: usize = 256;
/// Tokens of a context that earlier steps get, and their share of what is free.
pub const ARCHIVE_TOKENS_MAX: u32 = 2_000;
pub const ARCHIVE_SHARE_PERCENT: u32 = 20;
/// What is left of that before whole steps are cut instead.
pub const ARCHIVE_TOKENS_MIN: u32 = 200;
/// Share of that for the summaries that stay the same from call to call; the rest
/// goes to those that the present call is about.
pub const ARCHIVE_STEADY_PERCENT: u32 = 50;
/// The newest summaries, shown whatever their rank.
pub const ARCHIVE_NEWEST: usize = 2;
/// A text of so many tokens is kept word for word (long-task article).
pub const VERBATIM_TOKENS_MAX: u32 = 200;
/// Bounds of what is extracted from one longer text.
pub const EXTRACT_TOKENS_MIN: u32 = 40;
pub const EXTRACT_TOKENS_MAX: u32 = 600;
/// Bytes of a result that are read for its summary, and for its density.
pub const EXTRACT_BYTES_READ: usize = 256 * 1024;
pub const DENSITY_BYTES_READ: usize = 16 * 1024;
/// Values of one result that are weighed against each other; of a longer one
/// the rest is only counted.
pub const EXTRACT_PIECES_MAX: usize = 2_000;
/// Tokens of the agent's own words that a summary keeps.
pub const ARCHIVE_WORDS_TOKENS_MAX: u32 = 60;
/// Calls of one step that its summary tells of one by one.
pub const SUMMARY_CALLS_MAX: usize = 8;
/// Tokens of one field of a phase, and how deep in a result it is looked for.
pub const PHASE_FIELD_TOKENS_MAX: u32 = 120;
pub const PHASE_FIELD_DEPTH_MAX: usize = 8;
/// Tokens of facts that skills found in a context; those of people are all shown.
pub const FACTS_TOKENS_MAX: u32 = 800;
/// Bytes of a value that a result can set as a fact, and characters shown of one.
pub const FACT_BYTES_MAX: usize = 4 * 1024;
pub const FACT_CHARS_SHOWN: usize = 200;
/// Words of the question that the archive is searched with.
pub const RECALL_TERMS_MAX: usize = 128;

const _: () = assert!(WORKING_STEPS_MAX < STEPS_KEPT);

// Summaries by a model, and the rebuilding of the archive (`task/summarise.rs`).

/// Tokens of raw events that a summariser is shown of one step.
pub const SUMMARY_SOURCE_TOKENS_MAX: u32 = 6_000;
/// Tokens of its reply.
pub const SUMMARY_OUTPUT_TOKENS: u32 = 1_200;
/// Attempts at one summary: a second one is told what was wrong with the first.
pub const SUMMARY_ATTEMPTS_MAX: u32 = 2;
/// Share of its source under which a summary is refused: there the article's
/// agent forgot (long-task article, section 2.3).
pub const SUMMARY_FLOOR_PERCENT: u32 = 5;
/// Summaries that are asked for or made anew at the same time; further ones are
/// left as they are until the next rebuild.
pub const SUMMARIES_OPEN_MAX: usize = 24;
/// Of these, how many are at work side by side.
pub const SUMMARIES_AT_ONCE: usize = 2;
/// Time for one call of the summariser, in milliseconds.
pub const SUMMARY_TIMEOUT_MS: u64 = 60_000;
/// Differences that a refusal names.
pub const SUMMARY_FAULTS_NAMED: usize = 3;
/// Data that one summary refers to.
pub const SUMMARY_REFERENCES_MAX: usize = 16;
/// Steps that are read again when another phase begins: the newest, and those
/// that matter.
pub const PHASE_REREAD_MAX: usize = 12;
/// Steps archived between two rebuilds, and summaries that one of them reads.
pub const ARCHIVE_REBUILD_STEPS: u64 = 32;
pub const ARCHIVE_REBUILD_BATCH: usize = 8;

/// Summaries that one search of the whole archive brings, and at most.
pub const RECALL_COUNT_DEFAULT: u32 = 8;
pub const RECALL_COUNT_MAX: usize = 32;
/// Share of the archive's room that goes to what the state keeps no more.
pub const RECALL_SHARE_PERCENT: u32 = 50;
/// Time for one search, in milliseconds; beyond it the step goes on without.
pub const RECALL_TIMEOUT_MS: u64 = 10_000;
/// Summaries that are embedded in one go, the newest; the rest of an archive that
/// is opened anew is found by its words.
pub const RECALL_EMBEDDED_MAX: usize = 512;
/// Phases of a plan that a model makes, their fields, characters of a name, and
/// how often it may plan.
pub const PHASES_PLANNED_MAX: usize = 8;
pub const PHASE_FIELDS_PLANNED_MAX: usize = 8;
pub const PHASE_NAME_CHARS_MAX: usize = 40;
pub const PLANS_MAX: u32 = 4;
/// Steps in full, and the archive's share and tokens, in a global view.
pub const WORKING_STEPS_GLOBAL: usize = 12;
pub const ARCHIVE_SHARE_GLOBAL_PERCENT: u32 = 40;
pub const ARCHIVE_TOKENS_GLOBAL: u32 = 4_000;

const _: () = assert!(WORKING_STEPS_GLOBAL < STEPS_KEPT);
const _: () = assert!(PHASE_REREAD_MAX + ARCHIVE_REBUILD_BATCH <= SUMMARIES_OPEN_MAX);
const _: () = assert!(SUMMARY_OUTPUT_TOKENS > EXTRACT_TOKENS_MAX);
const _: () = assert!(ARCHIVE_TOKENS_MIN < ARCHIVE_TOKENS_MAX);
const _: () = assert!(EXTRACT_TOKENS_MIN < VERBATIM_TOKENS_MAX);

// Repairs (`repair`, `task/mend.rs`).

/// Repairs of one task by level (1, 2, 3). The article found 70, 25 and 5 of a
/// hundred on these levels; a task that needs more is a person's.
pub const REPAIRS_MAX: [u32; 3] = [16, 8, 2];
/// Repairs of one cause at one level; the next one goes a level up.
pub const REPAIRS_OF_CAUSE_MAX: u32 = 1;
/// Deeds that one task keeps through its repairs. None may be forgotten, so with
/// more a repair is refused.
pub const KEPT_DEEDS_MAX: usize = 128;
/// Causes that are remembered for going a level up.
pub const REPAIR_CAUSES_KEPT: usize = 64;
/// Steps for which a restarted task is told why it was restarted.
pub const LESSON_STEPS: u32 = 64;
/// Tokens of one deed's arguments and result in a context.
pub const KEPT_DEED_TOKENS_MAX: u32 = 120;

// Validation (`validate`, `task/vet.rs`).

/// Tokens of summaries that a validator model reads (long-task article, 5.2); the
/// decision and what is in force come on top.
pub const VALIDATION_HISTORY_TOKENS_MAX: u32 = 1_000;
/// Tokens that its answer may have.
pub const VALIDATION_OUTPUT_TOKENS: u32 = 500;
/// Characters of the call and of the task's own words in its question.
pub const VALIDATION_DECISION_CHARS_MAX: usize = 4_000;
pub const VALIDATION_GOAL_CHARS_MAX: usize = 2_000;
/// Issues of one verdict that are kept.
pub const VALIDATION_ISSUES_MAX: usize = 16;
/// Calls of one skill in a row that did not pass; then a person is asked. Below
/// the attempts that a state has by default, so that it is not given up before.
pub const VALIDATION_REVISIONS_MAX: u32 = 3;
/// Time that a validator model has, in milliseconds. One that takes longer could
/// not verify.
pub const VALIDATION_TIMEOUT_MS: u64 = 60_000;
/// Bytes of arguments and results that the look-out for circles reads; of larger
/// ones it compares the names.
pub const ANOMALY_BYTES_READ: u64 = 4 * 1024;

const _: () = assert!(VALIDATION_REVISIONS_MAX <= RETRY_ATTEMPTS_DEFAULT);

// Sub-tasks (`handoff`).

/// Sub-tasks that a workflow may name, and that one state may run.
pub const TASKS_MAX: usize = 1_024;
/// How deep tasks may start tasks, where the workflow says nothing: two helpers
/// that start helpers of their own kind were 242 in minutes (field report R55).
pub const TASK_DEPTH_DEFAULT: u32 = 2;
pub const TASK_DEPTH_MAX: u32 = 8;
/// Children that a task and those below it may start in all, new attempts
/// included, where the workflow says nothing.
pub const CHILDREN_DEFAULT: u32 = 64;
pub const CHILDREN_MAX: u32 = 10_000;
/// Characters of the summary that stands for a child's output in its parent's
/// contexts, of one text in it, and of its `meta`. Twelve children stay below a
/// kilobyte each (field report R53).
pub const CHILD_SUMMARY_CHARS_MAX: usize = 280;
pub const CHILD_TEXT_CHARS_MAX: usize = 120;
pub const CHILD_META_CHARS_MAX: usize = 240;
/// Sub-tasks of which a context tells once their step is out of view; of further
/// ones it says how many there are.
pub const CHILDREN_SHOWN_MAX: usize = 12;
/// How deep an output is looked into for its summary.
pub const CHILD_SUMMARY_DEPTH_MAX: usize = 4;

const _: () = assert!(TASK_DEPTH_DEFAULT <= TASK_DEPTH_MAX);
const _: () = assert!(CHILDREN_DEFAULT <= CHILDREN_MAX);
const _: () = assert!(CHILD_TEXT_CHARS_MAX <= CHILD_SUMMARY_CHARS_MAX);
