//! A skill that is an external program.
//!
//! The program gets its arguments as one JSON object on stdin and answers with
//! one JSON value on stdout. How it ends says what is known about the deed:
//! exit code 0 means done, any other code means *not* done (the end of stderr
//! tells why), and a kill, a deadline or an answer that cannot be used leaves
//! the deed in doubt. There is no shell: words of a command line are never
//! split or expanded.

pub(super) mod group;
mod process;
mod program;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::OnceLock;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::SkillName;
use steadfast_core::json;
use steadfast_core::limits;
use steadfast_core::shell;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use super::{Skill, SkillCall, SkillError};
use crate::secret::{self, Redactor, Secret, SecretRef, sounds_secret};
use process::{End, Limits, Outcome};
pub(super) use program::missing as missing_program;

/// The variables that a command inherits where `env.allow` is not given:
/// enough to find programs, a home and a place for temporary files. Keys and
/// tokens of the surrounding process stay out.
#[cfg(not(windows))]
pub const ENV_DEFAULT: &[&str] = &["PATH", "HOME", "LANG", "TMPDIR"];
#[cfg(windows)]
pub const ENV_DEFAULT: &[&str] = &["PATH", "USERPROFILE", "LANG", "TEMP", "TMP", "SYSTEMROOT"];

/// Variables that the runtime sets for every command begin so.
const ENV_PREFIX: &str = "STEADFAST_";

/// The `config` of a command skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandConfig {
    /// Program and arguments. A program with a path separator is taken from the
    /// workflow's folder, one without is looked up in `PATH`.
    pub command: Vec<String>,
    /// Working folder, from the workflow's folder; that folder by default.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    #[serde(default)]
    pub env: CommandEnv,
    /// Programs that a command line among the arguments must not run.
    #[serde(default)]
    pub forbid: Option<Forbid>,
    /// More bytes than this on stdout are an error.
    #[serde(default = "output_limit")]
    pub output_limit_bytes: u64,
    /// How many of the last bytes of stderr stand in the error message.
    #[serde(default = "stderr_limit")]
    pub stderr_limit_bytes: u64,
}

/// Programs that a command line must not run, wherever in it they stand; see
/// [`steadfast_core::shell`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forbid {
    /// The argument that holds the line: a text for a shell, or a list of a program
    /// and its arguments. A call without it is refused.
    pub argument: String,
    /// Bare names, such as `sudo`.
    pub programs: Vec<String>,
}

impl Forbid {
    fn check(&self) -> Result<(), String> {
        if self.programs.is_empty() {
            return Err("`forbid.programs` names none".to_owned());
        }
        let odd = |name: &&String| name.is_empty() || name.contains(['/', '*', ' ']);
        match self.programs.iter().find(odd) {
            Some(name) => Err(format!("`forbid.programs`: `{name}` is no bare name")),
            None => Ok(()),
        }
    }

    /// Nothing runs where this fails.
    fn hold(&self, args: &Value) -> Result<(), String> {
        let name = &self.argument;
        let line = args.get(name).unwrap_or(&Value::Null);
        shell::check(line, &self.programs).map_err(|why| format!("argument `{name}`: {why}"))
    }
}

/// The environment of a command: what is inherited, then what is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CommandEnv {
    /// The whole list of inherited variables; [`ENV_DEFAULT`] where not given.
    pub allow: Option<Vec<String>>,
    pub set: BTreeMap<String, String>,
    /// Variables whose values are secrets, by reference.
    pub secrets: BTreeMap<String, SecretRef>,
}

fn output_limit() -> u64 {
    limits::COMMAND_OUTPUT_BYTES_DEFAULT
}

fn stderr_limit() -> u64 {
    limits::COMMAND_STDERR_BYTES_DEFAULT
}

impl CommandConfig {
    /// Reads a `config`; the error says what does not fit.
    pub fn from_value(config: &Value) -> Result<CommandConfig, String> {
        let config = CommandConfig::deserialize(config).map_err(|error| error.to_string())?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        if self.command.first().is_none_or(String::is_empty) {
            return Err("`command` names no program".to_owned());
        }
        self.forbid.as_ref().map_or(Ok(()), Forbid::check)?;
        let most = limits::CONTENT_BYTES_MAX;
        if !(1..=most).contains(&self.output_limit_bytes) {
            return Err(format!("`output_limit_bytes` is not within 1..={most}"));
        }
        if self.stderr_limit_bytes > most {
            return Err(format!("`stderr_limit_bytes` is above {most}"));
        }
        let set = self.env.set.keys().chain(self.env.secrets.keys());
        let names = self.env.allow.iter().flatten().chain(set);
        for name in names {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(format!("`{name}` cannot name a variable"));
            }
            if self.env.set.contains_key(name) && self.env.secrets.contains_key(name) {
                return Err(format!("`{name}` is set twice"));
            }
            if name.starts_with(ENV_PREFIX) {
                return Err(format!(
                    "`{name}`: names with `{ENV_PREFIX}` are the runtime's"
                ));
            }
        }
        Ok(())
    }
}

/// An external program as a skill.
#[derive(Debug)]
pub struct CommandSkill {
    name: SkillName,
    spec: SkillSpec,
    config: CommandConfig,
    program: OsString,
    cwd: PathBuf,
    base_dir: PathBuf,
    given: OnceLock<Given>,
}

/// The secrets as they were read at first use: what the program is given and
/// what is looked for in its output are the same values.
#[derive(Debug)]
struct Given {
    /// By variable.
    secrets: BTreeMap<String, Secret>,
    redactor: Redactor,
}

impl CommandSkill {
    /// A skill from its spec; paths in the configuration start at `base_dir`.
    ///
    /// # Errors
    ///
    /// What in `spec.config` does not fit a command.
    pub fn new(name: SkillName, spec: SkillSpec, base_dir: &Path) -> Result<Self, String> {
        let config = CommandConfig::from_value(&spec.config)?;
        let program = match Path::new(&config.command[0]) {
            path if path.components().count() > 1 => base_dir.join(path).into_os_string(),
            path => path.as_os_str().to_owned(),
        };
        // An empty path stands for the current folder but cannot be entered.
        let base_dir = if base_dir.as_os_str().is_empty() {
            Path::new(".")
        } else {
            base_dir
        };
        let cwd = config
            .cwd
            .as_ref()
            .map_or_else(|| base_dir.to_owned(), |cwd| base_dir.join(cwd));
        Ok(CommandSkill {
            name,
            spec,
            config,
            program,
            cwd,
            base_dir: base_dir.to_owned(),
            given: OnceLock::new(),
        })
    }

    /// The secrets of this skill: those that it names, and those among the
    /// inherited variables whose names say so.
    fn given(&self) -> Result<&Given, secret::Error> {
        if let Some(given) = self.given.get() {
            return Ok(given);
        }
        let env = |name: &str| std::env::var(name).ok();
        let mut secrets = BTreeMap::new();
        for name in self.config.env.allow.iter().flatten() {
            let reference = SecretRef::Env(name.clone());
            if let (true, Ok(secret)) =
                (sounds_secret(name), reference.resolve(&env, &self.base_dir))
            {
                secrets.insert(name.clone(), secret);
            }
        }
        for (variable, reference) in &self.config.env.secrets {
            secrets.insert(variable.clone(), reference.resolve(&env, &self.base_dir)?);
        }
        let redactor = Redactor::new(secrets.values().cloned());
        Ok(self.given.get_or_init(|| Given { secrets, redactor }))
    }

    /// The class of a failure that came after the program had its turn. What
    /// only reads did no deed; anything else may have.
    fn after_the_fact(&self) -> SkillFailure {
        match self.spec.effect {
            Some(EffectClass::Read) => SkillFailure::Reported,
            Some(EffectClass::Idempotent | EffectClass::Irreversible) | None => SkillFailure::Lost,
        }
    }

    fn prepare(&self, call: &SkillCall, given: &Given) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(&self.program);
        command
            .args(&self.config.command[1..])
            .current_dir(&self.cwd)
            .env_clear();
        let inherited: Vec<&str> = match &self.config.env.allow {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => ENV_DEFAULT.to_vec(),
        };
        for name in inherited {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .envs(&self.config.env.set)
            .envs(given.secrets.iter().map(|(name, one)| (name, one.reveal())))
            .env("STEADFAST_TASK", call.task.as_str())
            .env("STEADFAST_CALL", call.call.as_str())
            .env("STEADFAST_IDEMPOTENCY_KEY", call.key.to_string())
            .env("STEADFAST_ATTEMPT", call.attempt.to_string());
        command
    }

    fn answer(&self, status: ExitStatus, outcome: &Outcome) -> Result<Value, SkillError> {
        if !status.success() {
            return Err(self.failed(status, outcome));
        }
        let unusable = |why: String| {
            let message = format!("`{}` ended well, but {why}", self.name);
            Err(SkillError::new(self.after_the_fact(), message))
        };
        match std::str::from_utf8(&outcome.stdout) {
            Err(_) => unusable("its output is not UTF-8".to_owned()),
            Ok(text) if text.trim().is_empty() => unusable("it printed nothing".to_owned()),
            Ok(text) => json::parse(text).or_else(|error| {
                unusable(format!(
                    "its output is not one JSON value: {error} ({})",
                    error.hint()
                ))
            }),
        }
    }

    fn failed(&self, status: ExitStatus, outcome: &Outcome) -> SkillError {
        let (class, how) = match status.code() {
            Some(code) => (SkillFailure::Reported, format!("exit code {code}")),
            None => (SkillFailure::Lost, format!("it was killed ({status})")),
        };
        SkillError::new(
            class,
            format!("`{}` failed: {how}{}", self.name, outcome.stderr_note()),
        )
    }
}

#[async_trait]
impl Skill for CommandSkill {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        Ok(self.given()?.secrets.values().cloned().collect())
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        if let Some(forbid) = &self.config.forbid {
            forbid.hold(&call.args).map_err(|why| {
                SkillError::reported(format!("`{}` ran nothing: {why}", self.name))
            })?;
        }
        let given = self
            .given()
            .map_err(|error| SkillError::not_started(format!("`{}`: {error}", self.name)))?;
        let limits = Limits {
            time: Duration::from_millis(call.timeout_ms),
            stdout_bytes: self.config.output_limit_bytes,
            stderr_bytes: self.config.stderr_limit_bytes,
        };
        let mut command = self.prepare(call, given);
        let input = call.args.to_string();
        let outcome = process::run(&mut command, input, limits, &given.redactor).await;
        let outcome = outcome.map_err(|error| {
            let place = if self.cwd.is_dir() {
                ""
            } else {
                " (its `cwd` is no folder)"
            };
            SkillError::not_started(format!(
                "`{}` could not start `{}`{place}: {error}",
                self.name, self.config.command[0],
            ))
        })?;
        match outcome.end {
            End::Exited(status) => self.answer(status, &outcome),
            End::Deadline => {
                let message = format!(
                    "`{}` did not end within {} ms and was killed{}",
                    self.name,
                    call.timeout_ms,
                    outcome.stderr_note(),
                );
                Err(SkillError::new(SkillFailure::Timeout, message))
            }
            End::Flood => {
                let message = format!(
                    "`{}` printed more than the {} bytes that `output_limit_bytes` allows \
                     and was killed after {}",
                    self.name,
                    limits.stdout_bytes,
                    outcome.stdout.len(),
                );
                Err(SkillError::new(self.after_the_fact(), message))
            }
            End::Unknown(ref error) => {
                let message = format!("how `{}` ended cannot be told: {error}", self.name);
                Err(SkillError::new(SkillFailure::Lost, message))
            }
        }
    }
}
