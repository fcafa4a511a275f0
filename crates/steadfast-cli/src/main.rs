//! The `steadfast` command: parse, run, print what went wrong, set the exit code.
//!
//! stdout carries data (the answer, a list, JSON), stderr everything else. What
//! a command does is in `commands/NAME.rs`; here is only the way in and out.

mod args;
mod budget;
mod commands;
mod content;
mod decisions;
mod drive;
mod error;
mod exit;
mod holder;
mod input;
mod memory;
mod model;
mod origin;
mod orphans;
mod otel;
mod pending;
mod printer;
mod progress;
mod report;
mod secrets;
mod settings;
mod store;
mod table;
mod time;
mod workflow;

use clap::Parser;

use args::{Args, Command};
use error::Error;
use exit::Exit;
use printer::Printer;
use settings::Settings;

fn main() -> std::process::ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(usage) => return exit::usage(&usage).into(),
    };
    let (settings, wrong) = Settings::resolve(&args.global);
    let printer = Printer::new(&settings);
    settings::start_tracing(&printer);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(run(args.command, &settings, wrong, &printer)),
        Err(source) => Err(Error::Runtime { source }),
    };
    let exit = outcome.unwrap_or_else(|error| {
        printer.error(&error);
        error.exit()
    });
    exit.into()
}

async fn run(
    command: Command,
    settings: &Settings,
    wrong: Option<steadfast::settings::Error>,
    printer: &Printer,
) -> Result<Exit, Error> {
    let command = match (command, wrong) {
        (Command::Config(args), wrong) => {
            return commands::config::run(&args, settings, wrong, printer);
        }
        (_, Some(wrong)) => return Err(wrong.into()),
        (command, None) => command,
    };
    match command {
        Command::Run(args) => commands::run::run(args, settings, printer).await,
        Command::Chat(args) => commands::chat::run(args, settings, printer).await,
        Command::Resume(args) => commands::resume::run(args, settings, printer).await,
        Command::Resolve(args) => commands::resolve::run(args, settings, printer).await,
        Command::Repair(args) => commands::repair::run(args, settings, printer).await,
        Command::Cancel(args) => commands::cancel::run(&args, settings, printer).await,
        Command::Pause(args) => commands::pause::run(&args, settings, printer).await,
        Command::Unpause(args) => commands::unpause::run(&args, settings, printer).await,
        Command::Send(args) => commands::send::run(&args, settings, printer).await,
        Command::Ledger(args) => commands::ledger::run(&args, settings, printer).await,
        Command::Confirm(args) => commands::confirm::run(args, settings, printer).await,
        Command::Tasks(args) => commands::tasks::run(args, settings, printer).await,
        Command::Log(args) => commands::log::run(&args, settings, printer).await,
        Command::Import(args) => commands::import::run(&args, settings, printer).await,
        Command::Forget(args) => commands::forget::run(&args, settings, printer).await,
        Command::Context(args) => commands::context::run(&args, settings, printer).await,
        Command::Verify(args) => commands::verify::run(&args, settings, printer).await,
        Command::Diff(args) => commands::diff::run(&args, settings, printer).await,
        Command::Inspect(args) => commands::inspect::run(&args, settings, printer).await,
        Command::Check(args) => commands::check::run(&args, settings, printer),
        Command::CheckAnswer(args) => commands::check_answer::run(&args, settings, printer).await,
        Command::Fidelity(args) => commands::fidelity::run(&args, printer),
        Command::Audit(args) => commands::audit::run(&args, printer),
        Command::Embedder(args) => commands::embedder::run(args, printer),
        Command::Config(_) => unreachable!("the settings were shown above"),
        Command::Mcp(args) => commands::mcp::run(args, printer).await,
        Command::Attempts(args) => commands::attempts::run(&args, settings, printer).await,
        Command::Test(args) => commands::test::run(&args, settings, printer).await,
        Command::Fit(args) => commands::fit::run(&args, settings, printer).await,
        Command::Drill(args) => commands::drill::run(&args, settings, printer).await,
        Command::Metrics(args) => commands::metrics::run(&args, settings, printer).await,
        Command::ExportOtel(args) => commands::export_otel::run(&args, settings, printer).await,
        Command::Review(args) => commands::review::run(&args, settings, printer).await,
        Command::Replay(args) => commands::replay::run(&args, settings, printer).await,
        Command::Fork(args) => commands::fork::run(&args, settings, printer).await,
        Command::Bisect(args) => commands::bisect::run(&args, settings, printer).await,
        Command::Case(args) => commands::case::run(&args.verb, settings, printer).await,
        Command::Init(args) => commands::init::run(&args, printer),
        Command::Schema => commands::schema::run(printer),
        Command::Completions(args) => commands::completions::run(&args, printer),
    }
}
