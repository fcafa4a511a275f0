//! What stops a command, with its code, what mends it, and the exit code.
//!
//! Errors of the libraries come through with their own codes; those of the
//! command itself begin with `C`. A task that fails or waits is no error.

use std::path::PathBuf;

use steadfast::attempts;
use steadfast::audit;
use steadfast::cases;
use steadfast::driver;
use steadfast::model::select::SelectError;
use steadfast::recall::encoder::Unreadable;
use steadfast::recall::fetch::FetchError;
use steadfast::skill::registry;
use steadfast::spec::Diagnostics;
use steadfast_core::id::TaskId;
use steadfast_core::json;
use steadfast_core::ledger::{ImportError, Refused};
use steadfast_sim::zoo::Mind;
use steadfast_store as store;

use crate::exit::Exit;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot read {what} `{path}`", path = path.display())]
    Read {
        what: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{what} `{path}` is not UTF-8 text", path = path.display())]
    NotText { what: &'static str, path: PathBuf },
    #[error("{what} has {bytes} bytes, at most {max} are taken")]
    TooLarge { what: String, bytes: u64, max: u64 },
    #[error("fact `{given}` is not NAME=VALUE")]
    Fact { given: String },
    #[error("fact `{name}` is given twice")]
    FactTwice { name: String },
    #[error("the value of fact `{name}` cannot be kept")]
    FactValue { name: String, source: json::Error },
    #[error("workflow `{name}` has {}", errors(*count))]
    Workflow {
        name: String,
        count: usize,
        diagnostics: Diagnostics,
    },
    #[error("{}", unread(*count))]
    CaseFiles {
        count: usize,
        diagnostics: Diagnostics,
    },
    #[error("there is no case in `{path}`", path = path.display())]
    NoCases { path: PathBuf },
    #[error("there is no case `{name}` in `{path}`", path = path.display())]
    NoCase { path: PathBuf, name: String },
    #[error("`--with {given}` does not read: {why}")]
    With { given: String, why: String },
    #[error("`{path}` holds no tests: {reason}", path = path.display())]
    NotTests { path: PathBuf, reason: String },
    #[error("`{path}` is no baseline: {reason}", path = path.display())]
    Baseline { path: PathBuf, reason: String },
    #[error("several tasks begin with `{prefix}`: {}", list(tasks))]
    Ambiguous { prefix: String, tasks: Vec<TaskId> },
    #[error("task `{task}` has ended: it {how}")]
    Ended { task: TaskId, how: &'static str },
    #[error(
        "the workflow of task `{task}` is not the one that it runs under:\n{}",
        indented(differences)
    )]
    WorkflowChanged {
        task: TaskId,
        differences: Vec<String>,
    },
    #[error("where the workflow file of task `{task}` lies is not known")]
    WorkflowGone { task: TaskId },
    #[error("no call of task `{task}` waits for a person")]
    NothingOpen { task: TaskId },
    #[error(
        "several calls of task `{task}` wait for a person:\n{}",
        indented(calls)
    )]
    SeveralOpen { task: TaskId, calls: Vec<String> },
    #[error("call `{call}` of task `{task}` does not wait for {what}")]
    NotOpen {
        task: TaskId,
        call: String,
        what: &'static str,
    },
    #[error(
        "a decision on call `{call}` of task `{task}` was given already, and waits to be recorded"
    )]
    Decided { task: TaskId, call: String },
    #[error("task `{task}` cannot be repaired so: {why}")]
    NoRepair { task: TaskId, why: String },
    #[error("budget `{given}` does not read: {why}")]
    Budget { given: String, why: String },
    #[error("there is no store at `{path}`", path = path.display())]
    NoStore { path: PathBuf },
    #[error("cannot write `{path}`", path = path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{output} tokens for the reply leave no room in a window of {window}")]
    Window { window: u32, output: u32 },
    #[error("`{path}`, which says where task `{task}` came from, does not read", path = path.display())]
    Origin {
        task: TaskId,
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error(
        "call `{call}` of task `{task}` is still at work: a killed process left {} behind",
        processes(pids)
    )]
    Orphans {
        task: TaskId,
        call: String,
        pids: Vec<u32>,
    },
    #[error("task `{task}` has not begun: its process died before the first event was recorded")]
    NotBegun { task: TaskId },
    #[error("the operating system gave no random bytes: {reason}")]
    Random { reason: String },
    #[error("`{path}` does not read: {reason}", path = path.display())]
    Ledger { path: PathBuf, reason: String },
    #[error("ledger `{path}` does not read:\n{}", faults(errors), path = path.display())]
    Import {
        path: PathBuf,
        errors: Vec<ImportError>,
    },
    #[error("the input has no text")]
    EmptyInput,
    #[error("task `{task}` would be forgotten for good")]
    NotConfirmed { task: TaskId },
    #[error("task `{task}` has not ended, and is not forgotten")]
    NotEnded { task: TaskId },
    #[error("`{path}` is there already", path = path.display())]
    FileExists { path: PathBuf },
    #[error("{}", no_context(task, *step))]
    NoContext {
        task: TaskId,
        step: Option<u32>,
        last: u32,
    },
    #[error("the ledger of task `{task}` has no version {version}")]
    NoVersion {
        task: TaskId,
        version: u64,
        last: u64,
    },
    #[error("no open question of task `{task}` is `{given}`")]
    NoQuestion {
        task: TaskId,
        given: String,
        open: Vec<String>,
    },
    #[error("{}", which_question(task, questions))]
    WhichQuestion {
        task: TaskId,
        questions: Vec<String>,
    },
    #[error("question `{question}` has no such choice")]
    NoChoice {
        question: String,
        options: Vec<String>,
    },
    #[error(
        "an answer to `{question}` of task `{task}` was given already, and waits to be recorded"
    )]
    Answered { task: TaskId, question: String },
    #[error("the answer is not taken: {refused}")]
    NotTaken { refused: Refused },
    #[error(transparent)]
    Otel(steadfast::telemetry::SendError),
    #[error("{}", not_reviews(path, *line, why))]
    Reviews {
        path: PathBuf,
        line: usize,
        why: String,
    },
    #[error("`--compare earlier` needs `--since`")]
    NoSince,
    #[error("{why}")]
    NotWritten { why: String, lines: String },
    #[error("cannot write to stdout")]
    Output { source: std::io::Error },
    #[error("the runtime cannot start")]
    Runtime { source: std::io::Error },
    #[error(transparent)]
    Driver(#[from] driver::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Transfer(#[from] store::transfer::Error),
    #[error(transparent)]
    Model(#[from] SelectError),
    #[error("no model of the zoo is named `{name}`")]
    NoMind { name: String },
    #[error(transparent)]
    Settings(#[from] steadfast::settings::Error),
    #[error(transparent)]
    Skill(#[from] registry::Error),
    #[error(transparent)]
    Encoder(#[from] Unreadable),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Audit(#[from] audit::Error),
    #[error(transparent)]
    Attempts(#[from] attempts::Error),
    #[error(transparent)]
    Cases(#[from] cases::Error),
    #[error(transparent)]
    Replay(#[from] steadfast::replay::Error),
}

impl Error {
    /// Stable code with a page in `docs/errors`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Error::Read { .. } => "C0001",
            Error::NotText { .. } => "C0002",
            Error::TooLarge { .. } => "C0003",
            Error::Fact { .. } | Error::FactTwice { .. } | Error::FactValue { .. } => "C0004",
            Error::Workflow { .. } => "C0005",
            Error::Ambiguous { .. } => "C0006",
            Error::Ended { .. } => "C0007",
            Error::WorkflowChanged { .. } => "C0008",
            Error::WorkflowGone { .. } => "C0009",
            Error::NothingOpen { .. } | Error::SeveralOpen { .. } => "C0010",
            Error::NotOpen { .. } | Error::Decided { .. } => "C0011",
            Error::NoStore { .. } => "C0012",
            Error::Write { .. } | Error::Output { .. } => "C0013",
            Error::Window { .. } => "C0014",
            Error::Origin { .. } => "C0015",
            Error::Random { .. } | Error::Runtime { .. } => "C0016",
            Error::EmptyInput => "C0017",
            Error::Orphans { .. } => "C0018",
            Error::NotBegun { .. } => "C0019",
            Error::Ledger { .. } => "K0101",
            Error::Import { errors, .. } => errors.first().map_or("K0101", ImportError::code),
            Error::Budget { .. } => "C0020",
            Error::NoRepair { .. } => "C0070",
            Error::NotConfirmed { .. } | Error::NotEnded { .. } => "C0030",
            Error::FileExists { .. } => "C0031",
            Error::NoContext { .. } => "C0050",
            Error::NoVersion { .. } => "C0040",
            Error::WhichQuestion { .. } => "C0041",
            Error::Answered { .. } => "C0042",
            Error::NoQuestion { .. } | Error::NoChoice { .. } => "K0009",
            Error::NotTaken { refused } => refused.code(),
            Error::Transfer(error) => error.code(),
            Error::Driver(error) => error.code(),
            Error::Store(error) => error.code(),
            Error::Model(error) => error.code(),
            Error::NoMind { .. } => "M0002",
            Error::Settings(error) => error.code(),
            Error::Skill(error) => error.code(),
            Error::Encoder(_) => "M0202",
            Error::Fetch(error) => error.code(),
            Error::Audit(error) => error.code(),
            Error::Attempts(error) => error.code(),
            Error::Cases(error) => error.code(),
            Error::CaseFiles { .. } => "A0030",
            Error::NoCases { .. } | Error::NoCase { .. } => "C0060",
            Error::Baseline { .. } => "C0061",
            Error::NotTests { .. } => "C0062",
            Error::With { .. } => "C0063",
            Error::NotWritten { .. } => "C0064",
            Error::Otel(_) => "C0067",
            Error::Reviews { .. } => "C0065",
            Error::NoSince => "C0066",
            Error::Replay(error) => error.code(),
        }
    }

    /// What mends it.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            Error::Read { .. } => "check that the file is there and that you may read it",
            Error::NotText { .. } => "convert the file to UTF-8",
            Error::TooLarge { .. } => "give a part of it, or put it where a skill can read it",
            Error::Fact { .. } => "write for example `--fact budget=5000`",
            Error::FactTwice { .. } => "give each name once",
            Error::FactValue { source, .. } => source.hint(),
            Error::Workflow { .. } => "mend what is listed above; warnings may stay",
            Error::Ambiguous { .. } => "give more of the name",
            Error::Ended { .. } => "start a new task with `steadfast run`",
            Error::WorkflowChanged { .. } => {
                "undo the change, or go on under it with `--accept-workflow`, or without it \
                 with `--keep-workflow`"
            }
            Error::WorkflowGone { .. } => "name the file with `--workflow FILE`",
            Error::Budget { .. } => {
                "write for example `--budget \"tokens=200000,money=2.50 USD,time=30m,then=ask\"`"
            }
            Error::NothingOpen { .. } => "see where it stands with `steadfast tasks`",
            Error::NoRepair { task, .. } => {
                return Some(format!(
                    "`steadfast log {task}` shows its calls, `steadfast ledger {task}` its facts"
                ));
            }
            Error::SeveralOpen { task, .. } => {
                return Some(format!("name the call: `steadfast resolve {task} CALL`"));
            }
            Error::NotOpen { task, .. } => {
                return Some(format!("`steadfast resume {task}` lists what waits"));
            }
            Error::Decided { task, .. } => {
                return Some(format!("go on with `steadfast resume {task}`"));
            }
            Error::CaseFiles { .. } => "mend what is listed above; docs/testing.md has the fields",
            Error::NoCases { .. } => "`steadfast init` lays a workflow, cases and a CI job",
            Error::NoCase { path, .. } => {
                let path = path.display();
                return Some(format!(
                    "`steadfast case list {path}` shows those that there are"
                ));
            }
            Error::With { .. } => {
                "write for example `--with model=extractive` or `--with contract=xml`"
            }
            Error::Replay(error) => return error.hint(),
            Error::Reviews { .. } => {
                "a line is `{\"task\": …, \"step\": …, \"right\": true or false}`, `note` as you like"
            }
            Error::Otel(_) => {
                "the log stays, and can be exported again; `--print` shows what would be sent"
            }
            Error::NoSince => "write for example `--since 24 --compare earlier`",
            Error::NotWritten { lines, .. } => {
                return Some(format!("put these lines into `steadfast.toml`:\n{lines}"));
            }
            Error::NotTests { .. } => {
                "name a promptfoo configuration with `tests`, or a list of tests"
            }
            Error::Baseline { .. } => "save one with `steadfast test --save-baseline FILE`",
            Error::Cases(error) => return error.hint(),
            Error::NoStore { .. } => "start a task with `steadfast run`, or give `--store PATH`",
            Error::Write { .. } => "check that the folder is there and that you may write to it",
            Error::Window { .. } => "give a larger `--window`, or fewer `--output-tokens`",
            Error::Origin { .. } => "delete the file, and give `--workflow FILE`",
            Error::Orphans { .. } => "let it end, or end it, and resume again",
            Error::NotBegun { task } => {
                return Some(format!(
                    "begin it with `steadfast run WORKFLOW --task {task}`"
                ));
            }
            Error::Ledger { .. } => "docs/checks.md shows the shape of the file",
            Error::Import { errors, .. } => errors.first()?.hint(),
            Error::EmptyInput => "give `--input TEXT`, `--input @FILE`, or `--input -` for stdin",
            Error::NotConfirmed { task } => {
                return Some(format!("if you mean it: `steadfast forget {task} --yes`"));
            }
            Error::NotEnded { task } => {
                return Some(format!("end it first: `steadfast cancel {task}`"));
            }
            Error::FileExists { .. } => "name another file, or remove that one",
            Error::NoContext { last: 0, .. } => "go on with `steadfast resume`",
            Error::NoContext { last, .. } => {
                return Some(format!("the last context is that of step {last}"));
            }
            Error::NoVersion { task, last, .. } => {
                return Some(format!(
                    "it has v1 to v{last}; `steadfast ledger {task}` shows the last"
                ));
            }
            Error::NoQuestion { task, open, .. } => {
                return Some(match open.is_empty() {
                    true => format!("nothing is open; `steadfast ledger {task}` shows what holds"),
                    false => format!("open are:\n{}", indented(open)),
                });
            }
            Error::WhichQuestion { task, questions } => {
                return Some(match questions.is_empty() {
                    true => format!("`steadfast ledger {task}` shows what is in force"),
                    false => format!("name it: `steadfast confirm {task} QUESTION --choose N`"),
                });
            }
            Error::NoChoice { options, .. } => {
                return Some(match options.is_empty() {
                    true => "it has none to choose: say what you mean with `steadfast send`, \
                             or take it back with `--keep`"
                        .to_owned(),
                    false => format!("choose one of:\n{}\nor `--keep`", indented(options)),
                });
            }
            Error::Answered { task, .. } => {
                return Some(format!("go on with `steadfast resume {task}`"));
            }
            Error::NotTaken { refused } => {
                return Some(format!("docs/errors/{}.md says more", refused.code()));
            }
            Error::Transfer(error) => return error.hint(),
            Error::Output { .. } | Error::Random { .. } | Error::Runtime { .. } => return None,
            Error::Driver(driver::Error::Log(store::Error::Busy { task, .. }))
            | Error::Store(store::Error::Busy { task, .. }) => {
                let take = format!("`steadfast resume {task} --takeover`");
                return Some(format!("wait until it ends, or take it with {take}"));
            }
            Error::Driver(error) => return error.hint(),
            Error::Store(error) => return error.hint(),
            Error::Model(error) => error.hint(),
            Error::NoMind { .. } => {
                let names = Mind::ALL.map(|one| format!("`zoo:{}`", one.name()));
                return Some(format!("take `zoo` for all, or {}", names.join(", ")));
            }
            Error::Settings(error) => error.hint(),
            Error::Skill(error) => return Some(error.hint()),
            Error::Encoder(_) => "get it with `steadfast embedder fetch`",
            Error::Fetch(error) => return error.hint(),
            Error::Audit(error) => error.hint(),
            Error::Attempts(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            // Whoever read our output has had enough.
            Error::Output { source } if source.kind() == std::io::ErrorKind::BrokenPipe => Exit::Ok,
            Error::Output { .. } | Error::Random { .. } | Error::Runtime { .. } => Exit::Unexpected,
            Error::Driver(driver::Error::Log(error))
            | Error::Store(error)
            | Error::Transfer(store::transfer::Error::Log(error)) => of_store(error),
            Error::Transfer(store::transfer::Error::Damaged { .. }) => Exit::Halted,
            Error::Driver(driver::Error::Record(steadfast_core::task::RecordError::Workflow(
                _,
            )))
            | Error::Driver(
                driver::Error::NoSkill { .. }
                | driver::Error::NoPrice { .. }
                | driver::Error::Inbox { .. }
                | driver::Error::Secret(_),
            ) => Exit::User,
            Error::Driver(_) => Exit::Unexpected,
            _ => Exit::User,
        }
    }

    /// Nobody needs to be told that a pipe was closed.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Error::Output { source } if source.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

fn which_question(task: &TaskId, questions: &[String]) -> String {
    match questions {
        [] => format!("no question of task `{task}` is open"),
        several => format!(
            "several questions of task `{task}` are open:\n{}",
            indented(several)
        ),
    }
}

fn not_reviews(path: &std::path::Path, line: usize, why: &str) -> String {
    let path = path.display();
    match line {
        0 => format!("reviews `{path}` cannot be read: {why}"),
        line => format!("line {line} of `{path}` is no review: {why}"),
    }
}

fn faults(errors: &[ImportError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    indented(&lines)
}

fn of_store(error: &store::Error) -> Exit {
    match error {
        store::Error::TaskExists { .. }
        | store::Error::UnknownTask { .. }
        | store::Error::BadTaskId { .. }
        | store::Error::Busy { .. }
        | store::Error::Fenced { .. }
        | store::Error::NewerFormat { .. }
        | store::Error::InboxFull { .. }
        | store::Error::NotALog { .. }
        | store::Error::CannotOpen { .. }
        | store::Error::NewerSchema { .. }
        | store::Error::Erased { .. }
        | store::Error::CannotErase { .. }
        | store::Error::Contended => Exit::User,
        _ => Exit::Unexpected,
    }
}

fn errors(count: usize) -> String {
    if count == 1 {
        "an error".to_owned()
    } else {
        format!("{count} errors")
    }
}

fn unread(files: usize) -> String {
    match files {
        1 => "a file of the suite does not read".to_owned(),
        several => format!("{several} files of the suite do not read"),
    }
}

fn processes(pids: &[u32]) -> String {
    let numbers: Vec<String> = pids.iter().map(|pid| format!("`{pid}`")).collect();
    format!("process {}", numbers.join(", "))
}

fn list(tasks: &[TaskId]) -> String {
    let shown: Vec<String> = tasks
        .iter()
        .take(5)
        .map(|task| format!("`{task}`"))
        .collect();
    let rest = tasks.len().saturating_sub(shown.len());
    let more = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

fn indented(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn no_context(task: &TaskId, step: Option<u32>) -> String {
    match step {
        Some(step) => format!("task `{task}` called no model at step {step}"),
        None => format!("task `{task}` has called no model"),
    }
}
