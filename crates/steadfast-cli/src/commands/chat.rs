//! `steadfast chat`: a conversation on a terminal, under rules that hold until
//! they are changed.
//!
//! Each line is a message of the user. What it changes in the ledger is told
//! before the answer, and a question is asked at once. The conversation is a task
//! like any other: it is in the log, and goes on after a crash or a pause.

mod announce;
mod command;
mod lines;

use std::sync::Arc;

use steadfast::conversation;
use steadfast::driver::Rest;
use steadfast::model::recorded::Take;
use steadfast::skill::Skills;
use steadfast_core::id::{CallId, Principal, TaskId};
use steadfast_core::ledger::question::language;
use steadfast_core::ledger::{Choice, reply};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Start, Task, Waiting};
use steadfast_core::workflow::contract::Lang;
use steadfast_store::{SqliteLog, Takeover};

use crate::args::{Chat, Onward};
use crate::commands::{resume, run as begin_task};
use crate::drive::{Engine, Signals};
use crate::error::Error;
use crate::exit::Exit;
use crate::origin::Origin;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{budget, input, memory, model, pending, report, secrets, store, workflow};

use announce::Announcer;
use command::After;
use lines::Lines;

/// The number of the signal that Ctrl-C sends.
const SIGINT: u8 = 2;

/// An open conversation.
pub(super) struct Talk<'a> {
    pub(super) log: Arc<SqliteLog>,
    pub(super) id: TaskId,
    pub(super) by: Principal,
    engine: Engine,
    announcer: Arc<Announcer>,
    pub(super) settings: &'a Settings,
    pub(super) printer: &'a Printer,
}

/// How a conversation goes on after a line.
enum Next {
    /// Something was posted: drive the task.
    Drive,
    Leave(Exit),
}

pub(crate) async fn run(args: Chat, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let mut lines = Lines::of_stdin();
    let mut signals = Signals::listen()?;
    let talk = match args.resume.clone() {
        Some(given) => go_on(&args, &given, settings, printer).await?,
        None => match begin(args, &mut lines, &mut signals, settings, printer).await? {
            Ok(talk) => talk,
            Err(exit) => return Ok(exit),
        },
    };
    loop {
        let rest = talk
            .engine
            .until_rest(&talk.id, Takeover::IfExpired, &mut signals)
            .await?;
        let rest = match rest {
            Ok(rest) => rest,
            Err(number) => return Ok(talk.leave(Exit::Signal(number))),
        };
        if talk.engine.driver.stop.is_set() {
            // The signal came while the task came to its rest by itself.
            return Ok(talk.leave(Exit::Signal(SIGINT)));
        }
        let task = store::load(talk.log.as_ref(), &talk.id).await?;
        if let Some(exit) = talk.rested(&task, &rest)? {
            return Ok(exit);
        }
        match talk.hear(&task, &rest, &mut lines, &mut signals).await? {
            Next::Drive => {}
            Next::Leave(exit) => return Ok(talk.leave(exit)),
        }
    }
}

/// A new conversation, which its first line starts.
async fn begin<'a>(
    args: Chat,
    lines: &mut Lines,
    signals: &mut Signals,
    settings: &'a Settings,
    printer: &'a Printer,
) -> Result<Result<Talk<'a>, Exit>, Error> {
    let onward = &args.onward;
    let (spec, skills) = match &args.workflow {
        Some(file) => {
            let loaded = workflow::load(file, onward.registry.as_deref(), settings)?;
            let (spec, skills, warnings) = loaded.accept()?;
            warnings.show(printer);
            (spec, skills)
        }
        None => (conversation::plain(), Skills::default()),
    };
    let id = args.task.map_or_else(store::new_task_id, TaskId::new);
    if !TaskId::is_valid(id.as_str()) {
        return Err(steadfast_store::Error::BadTaskId { task: id }.into());
    }
    let name = model::named(onward.model.as_deref(), &onward.recording);
    let (model, why) = model::choose(&name, settings)?;
    let window = model::window(model.as_ref(), args.window, args.output_tokens)?;
    let (documents, facts) = (input::documents(&args.docs)?, input::facts(&args.facts)?);
    let budget = budget::read(&onward.budget)?;
    let log = store::open(settings)?;
    begin_task::refuse_taken(log.as_ref(), &id).await?;
    let model = model::recorded(model, &onward.recording, Take::New)?;
    printer.say(&format!("task {id}, workflow {}", spec.workflow_id));
    printer.say(&format!("model: {why}"));
    let reviewer = model::reviewer(onward.reviewer.as_deref(), &spec, settings, printer)?;
    printer.say("say what you want; /help lists what else there is");
    let Some(first) = first_line(lines, signals, printer).await? else {
        return Ok(Err(Exit::Ok));
    };
    let by = settings.principal(args.user.as_deref());
    let start = Start {
        workflow: spec,
        principal: by.clone(),
        input: first,
        documents,
        facts,
        parent: None,
        budget,
        window,
    };
    // First the origin: a task that is there can always be resumed.
    let registry = onward.registry.as_deref();
    Origin::new(args.workflow.as_deref(), registry, &name)
        .reviewed_by(onward.reviewer.as_deref())
        .save(settings, &id)?;
    let memory = memory::of(&start.workflow, settings, printer)?;
    let engine = Engine::new(Arc::clone(&log), model, skills, memory, &printer.still());
    let mut engine = engine.reviewed_by(reviewer, printer);
    let announcer = Arc::new(Announcer::new(printer, Arc::clone(&engine.progress)));
    announcer.speak(language(&start.input));
    engine.driver.observer = announcer.clone();
    engine.start(&id, start).await?;
    Ok(Ok(Talk {
        log,
        id,
        by,
        engine,
        announcer,
        settings,
        printer,
    }))
}

/// The first message; none where the person leaves before it.
async fn first_line(
    lines: &mut Lines,
    signals: &mut Signals,
    printer: &Printer,
) -> Result<Option<String>, Error> {
    loop {
        printer.prompt("> ");
        let line = tokio::select! {
            line = lines.next() => line?,
            _ = signals.next() => None,
        };
        match line.as_deref().map(str::trim) {
            None | Some("/quit" | "/exit") => return Ok(None),
            Some("") => {}
            Some(one) if one.starts_with('/') => printer.say(command::help(Lang::En)),
            Some(_) => return Ok(line),
        }
    }
}

/// A conversation that was left.
async fn go_on<'a>(
    args: &Chat,
    given: &str,
    settings: &'a Settings,
    printer: &'a Printer,
) -> Result<Talk<'a>, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), given).await?;
    let task = store::load(log.as_ref(), &id).await?;
    if let Some(outcome) = task.state.outcome() {
        let how = super::cancel::how(outcome);
        return Err(Error::Ended { task: id, how });
    }
    let origin = Origin::load(settings, &id)?;
    let onward = Onward {
        registry: args.onward.registry.clone(),
        accept_workflow: args.onward.accept_workflow,
        keep_workflow: args.onward.keep_workflow,
        ..Onward::default()
    };
    let skills = resume::skills(&log, &task, origin.as_ref(), &onward, settings, printer).await?;
    let by = settings.principal(args.user.as_deref());
    let change = budget::read(&args.onward.budget)?;
    if !change.is_empty() {
        pending::post(&log, &id, by.clone(), &Command::SetBudget { change }).await?;
    }
    let begun_with = origin.as_ref().map(|origin| origin.model.as_str());
    let recording = &args.onward.recording;
    let name = model::named(args.onward.model.as_deref().or(begun_with), recording);
    let (model, why) = model::choose_for(&name, settings, log.as_ref(), &id).await?;
    let model = model::recorded(model, recording, Take::Onward)?;
    printer.say(&format!(
        "task {id}, workflow {}, v{}",
        task.workflow.spec.workflow_id, task.state.ledger.version
    ));
    printer.say(&format!("model: {why}"));
    let asked = origin
        .as_ref()
        .and_then(|origin| origin.reviewer.as_deref());
    let asked = args.onward.reviewer.as_deref().or(asked);
    let reviewer = model::reviewer_for(asked, &task, settings, log.as_ref(), printer).await?;
    let memory = memory::of(&task.workflow.spec, settings, printer)?;
    let engine = Engine::new(Arc::clone(&log), model, skills, memory, &printer.still());
    let mut engine = engine.reviewed_by(reviewer, printer);
    let announcer = Arc::new(Announcer::new(printer, Arc::clone(&engine.progress)));
    announcer.speak(task.lang());
    announcer.know(&task);
    engine.driver.observer = announcer.clone();
    Ok(Talk {
        log,
        id,
        by,
        engine,
        announcer,
        settings,
        printer,
    })
}

impl Talk<'_> {
    /// Puts a command of the user into the inbox.
    pub(super) async fn post(&self, task: &Task, command: &Command) -> Result<(), Error> {
        let command = secrets::cleaned(command, task, self.settings);
        pending::post(&self.log, &self.id, self.by.clone(), &command).await
    }

    /// What a rest asks of the person; the end, where the task goes no further.
    fn rested(&self, task: &Task, rest: &Rest) -> Result<Option<Exit>, Error> {
        match rest {
            Rest::Waiting(Waiting::Message) => Ok(None),
            Rest::Waiting(Waiting::Approval { calls }) => {
                for call in calls {
                    self.announcer.approval(task, call);
                }
                Ok(None)
            }
            rest => report::report(task, rest, self.settings, self.printer).map(Some),
        }
    }

    /// Takes lines in until one gives the task something to do.
    async fn hear(
        &self,
        task: &Task,
        rest: &Rest,
        lines: &mut Lines,
        signals: &mut Signals,
    ) -> Result<Next, Error> {
        loop {
            self.printer.prompt("> ");
            let line = tokio::select! {
                line = lines.next() => line?,
                number = signals.next() => return Ok(Next::Leave(Exit::Signal(number))),
            };
            let Some(line) = line else {
                let waits = matches!(rest, Rest::Waiting(Waiting::Approval { .. }));
                let exit = if waits { Exit::Waiting } else { Exit::Ok };
                return Ok(Next::Leave(exit));
            };
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            if text.starts_with('/') {
                match command::run(self, task, text).await {
                    Ok(After::Drive) => return Ok(Next::Drive),
                    Ok(After::Listen) => continue,
                    Ok(After::Leave) => return Ok(Next::Leave(Exit::Ok)),
                    // A mistyped command is no reason to leave.
                    Err(error) => {
                        self.printer.error(&error);
                        continue;
                    }
                }
            }
            self.announcer.speak(language(text));
            let command = match decision(task, rest, text) {
                Some(command) => command,
                None => Command::Say { text: line },
            };
            self.post(task, &command).await?;
            return Ok(Next::Drive);
        }
    }

    /// Says how to come back.
    fn leave(&self, exit: Exit) -> Exit {
        let chat = self.settings.command(&format!("chat --resume {}", self.id));
        self.printer.say(&format!("go on with `{chat}`"));
        exit
    }
}

/// A bare yes or no to the one call that waits. Where a question of the ledger is
/// open too, it could be meant for that: then the call is named.
fn decision(task: &Task, rest: &Rest, text: &str) -> Option<Command> {
    let Rest::Waiting(Waiting::Approval { calls }) = rest else {
        return None;
    };
    let [call] = calls.as_slice() else {
        return None;
    };
    if !task.state.ledger.unresolved.is_empty() {
        return None;
    }
    let reply = reply::read(text).filter(|reply| reply.question.is_none())?;
    // `1` is a number of a choice, and nothing was there to choose.
    let bare = text.trim().parse::<u32>().is_err();
    bare.then(|| decide(call, reply.choice != Choice::Keep))
}

pub(super) fn decide(call: &CallId, approved: bool) -> Command {
    Command::Decide {
        call: call.clone(),
        approved,
        reason: None,
    }
}
