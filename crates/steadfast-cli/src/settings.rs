//! What files, environment and flags say, resolved once before any work begins.
//!
//! The environment variables of the command are declared here, and nowhere
//! else; those of the models are in `steadfast::model::select`. The format of
//! the files and the order of precedence are in `steadfast::settings`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::Value;
use steadfast::settings::{self as file, Layer, Origin, Resolved};
use steadfast_core::id::Principal;
use steadfast_store::Durability;

use crate::args::{DurabilityArg, Global};
use crate::printer::Printer;

/// The file that holds the tasks, where `--store` is not given.
pub(crate) const STORE: &str = "STEADFAST_STORE";
/// Who speaks, where `--user` or `--by` is not given.
pub(crate) const USER: &str = "STEADFAST_USER";
/// What is traced on stderr, in the syntax of `tracing` filters; off by default.
pub(crate) const LOG: &str = "STEADFAST_LOG";
/// The folder with the files of the sentence encoder.
pub(crate) const ENCODER: &str = "STEADFAST_ENCODER";
/// Set to anything: no colour. Everybody's convention.
pub(crate) const NO_COLOR: &str = "NO_COLOR";

/// Folder and file of the default store, in the working folder.
pub(crate) const DEFAULT_FOLDER: &str = ".steadfast";
pub(crate) const DEFAULT_FILE: &str = "steadfast.db";

/// How the command behaves, whatever it does.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) store: PathBuf,
    /// The store is the default one, whose folder is made when it is missing.
    pub(crate) default_store: bool,
    pub(crate) durability: Durability,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) color_stdout: bool,
    pub(crate) color_stderr: bool,
    /// stderr is a terminal, so that lines can be drawn over.
    pub(crate) live: bool,
    /// The settings as a whole: what the models are made from.
    pub(crate) resolved: Resolved,
}

impl Settings {
    /// Settings, and what is wrong with the files that they were to come from.
    pub(crate) fn resolve(global: &Global) -> (Settings, Option<file::Error>) {
        let folder = std::env::current_dir().unwrap_or_default();
        match file::load(&folder, &env, flags(global)) {
            Ok(resolved) => (Settings::of(global, resolved), None),
            Err(error) => (Settings::of(global, Resolved::default()), Some(error)),
        }
    }

    fn of(global: &Global, resolved: Resolved) -> Settings {
        let said = global.store.clone().or_else(|| {
            // A path in a file starts at the file's folder.
            let store = resolved.settings.store.as_ref()?;
            Some(resolved.folder_of("store").join(store))
        });
        let plain = std::env::var_os(NO_COLOR).is_some_and(|value| !value.is_empty());
        let live = std::io::stderr().is_terminal();
        Settings {
            default_store: said.is_none(),
            store: said.unwrap_or_else(|| Path::new(DEFAULT_FOLDER).join(DEFAULT_FILE)),
            durability: match resolved.settings.durability {
                None | Some(file::Durability::Full) => Durability::Full,
                Some(file::Durability::Relaxed) => Durability::Relaxed,
            },
            json: global.json,
            quiet: global.quiet,
            color_stdout: !plain && std::io::stdout().is_terminal(),
            color_stderr: !plain && live,
            live,
            resolved,
        }
    }

    /// Who speaks: as given, else as the settings or the system name the account.
    pub(crate) fn principal(&self, given: Option<&str>) -> Principal {
        let of_system = || ["USER", "USERNAME"].iter().find_map(|name| env(name));
        let name = given
            .map(str::to_owned)
            .or_else(|| self.resolved.settings.user.clone())
            .or_else(of_system)
            .filter(|name| !name.is_empty());
        Principal::new(name.unwrap_or_else(|| "local".to_owned()))
    }

    /// A command line to suggest, with what it needs to find this store again.
    pub(crate) fn command(&self, words: &str) -> String {
        let in_env = std::env::var_os(STORE).is_some_and(|value| *value == *self.store);
        let in_file = matches!(
            self.resolved.values.get("store"),
            Some((_, Origin::File { .. }))
        );
        if self.default_store || in_env || in_file {
            return format!("steadfast {words}");
        }
        format!("steadfast {words} --store {}", self.store.display())
    }
}

/// Where the sentence encoder is kept: as given, else in the user's cache.
pub(crate) fn encoder_folder(given: Option<PathBuf>) -> PathBuf {
    let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = || {
        let own = var("XDG_CACHE_HOME").or_else(|| var("LOCALAPPDATA"));
        own.map(PathBuf::from)
            .or_else(|| var("HOME").map(|home| Path::new(&home).join(".cache")))
            .unwrap_or_else(|| PathBuf::from(DEFAULT_FOLDER))
    };
    given.unwrap_or_else(|| cache().join("steadfast").join("use-multilingual-3"))
}

/// A variable of the environment.
pub(crate) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What flags say. One that only repeats its variable is the variable's.
fn flags(global: &Global) -> Layer {
    let store = global.store.as_ref().map(|path| path.display().to_string());
    let durability = global.durability.map(|durability| match durability {
        DurabilityArg::Full => "full",
        DurabilityArg::Relaxed => "relaxed",
    });
    Layer::default()
        .with_flag(
            "--store",
            "store",
            store
                .filter(|store| env(STORE).as_ref() != Some(store))
                .map(Value::from),
        )
        .with_flag("--durability", "durability", durability.map(Value::from))
}

/// Traces to stderr what `STEADFAST_LOG` asks for; nothing where it is not set.
pub(crate) fn start_tracing(printer: &Printer) {
    let Ok(filter) = std::env::var(LOG) else {
        return;
    };
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new(filter))
        .with_writer(printer.clone())
        .init();
}
