//! From a workflow's skill entries to skills that can be called.
//!
//! Each entry has a kind; each kind has its builder here. What a workflow
//! declares about a skill (ports, effect, retries) was settled when the spec
//! was resolved; here it only becomes something that can act. Results are held
//! to the output schema by the runtime, not here.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use steadfast_core::id::SkillName;
use steadfast_core::workflow::Problem;
use steadfast_core::workflow::spec::{SkillSpec, Spec};

use super::{CommandSkill, Skill, prompt};
use crate::secret::{self, Secret};

/// The kinds that this build can carry out.
pub const KINDS: &[&str] = &[
    #[cfg(feature = "builtin-skills")]
    "builtin",
    "command",
    "function",
    #[cfg(feature = "http")]
    "http",
    #[cfg(feature = "mcp")]
    "mcp",
    "prompt",
];

/// The skills of a workflow, by name.
#[derive(Clone, Default)]
pub struct Skills {
    skills: BTreeMap<SkillName, Arc<dyn Skill>>,
}

impl Skills {
    /// Builds every skill of a resolved spec. Relative paths start at
    /// `base_dir`, the folder of the workflow file. `functions` are the skills
    /// that the embedding program brings; an entry of kind `function`, or of no
    /// kind, finds its own there by name.
    ///
    /// # Errors
    ///
    /// All entries that cannot be built, in the order of their names.
    pub fn build(
        spec: &Spec,
        base_dir: &Path,
        functions: &BTreeMap<SkillName, Arc<dyn Skill>>,
    ) -> Result<Skills, Vec<Error>> {
        Skills::build_with(spec, base_dir, functions, &prompt::of_environment())
    }

    /// The same, where `models` tells which model a prompt's `model` names: the
    /// models that settings describe, say.
    ///
    /// # Errors
    ///
    /// As [`Skills::build`].
    pub fn build_with(
        spec: &Spec,
        base_dir: &Path,
        functions: &BTreeMap<SkillName, Arc<dyn Skill>>,
        models: &prompt::Models,
    ) -> Result<Skills, Vec<Error>> {
        let mut skills = BTreeMap::new();
        let (servers, mut errors) = Servers::of(spec, base_dir);
        let around = Around {
            base_dir,
            functions,
            servers: &servers,
            models,
        };
        for (name, entry) in &spec.skills {
            match build_one(name, entry, &around) {
                Ok(skill) => drop(skills.insert(name.clone(), skill)),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(Skills { skills })
        } else {
            Err(errors)
        }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<dyn Skill>> {
        self.skills.get(name)
    }

    /// The secrets of all skills.
    ///
    /// # Errors
    ///
    /// When one cannot be had.
    pub fn secrets(&self) -> Result<Vec<Secret>, secret::Error> {
        let mut all = Vec::new();
        for skill in self.skills.values() {
            all.extend(skill.secrets()?);
        }
        Ok(all)
    }

    pub fn names(&self) -> impl Iterator<Item = &SkillName> {
        self.skills.keys()
    }
}

impl FromIterator<(SkillName, Arc<dyn Skill>)> for Skills {
    fn from_iter<I: IntoIterator<Item = (SkillName, Arc<dyn Skill>)>>(skills: I) -> Self {
        Skills {
            skills: skills.into_iter().collect(),
        }
    }
}

impl fmt::Debug for Skills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// A spec in which every entry that asks for a built-in stands in full: its
/// ports, effect and checks are the built-in's where the entry says nothing.
/// To be called on a resolved spec, before it is checked or compiled; what is
/// complete stays as it is.
#[must_use]
pub fn complete(mut spec: Spec) -> Spec {
    #[cfg(feature = "builtin-skills")]
    for (name, entry) in &mut spec.skills {
        if entry.kind.as_deref().is_none_or(|kind| kind == "builtin")
            && let Some(whole) = super::builtin::complete(name, entry)
        {
            *entry = whole;
        }
    }
    #[cfg(not(feature = "builtin-skills"))]
    let _ = &mut spec;
    spec
}

/// The tool servers of a workflow; nothing where this build has no client.
#[cfg(feature = "mcp")]
struct Servers(BTreeMap<String, Arc<super::mcp::Server>>);
#[cfg(not(feature = "mcp"))]
struct Servers;

impl Servers {
    #[cfg(feature = "mcp")]
    fn of(spec: &Spec, base_dir: &Path) -> (Servers, Vec<Error>) {
        let (servers, errors) = super::mcp::servers(spec, base_dir);
        (Servers(servers), errors)
    }

    #[cfg(not(feature = "mcp"))]
    fn of(_spec: &Spec, _base_dir: &Path) -> (Servers, Vec<Error>) {
        (Servers, Vec::new())
    }
}

/// Warnings about skills that could not be started here: W0052 where the
/// program of a command is not there. Relative paths start at `base_dir`.
pub fn check(spec: &Spec, base_dir: &Path) -> Vec<Problem> {
    let commands = spec
        .skills
        .iter()
        .filter(|(_, entry)| entry.kind.as_deref() == Some("command"));
    commands
        .filter_map(|(name, entry)| {
            let config = super::command::CommandConfig::from_value(&entry.config).ok()?;
            let why = super::command::missing_program(&config, base_dir)?;
            let place = ["skills", name.as_str(), "config"];
            let hint =
                "paths start at the folder of the workflow; make it executable with `chmod +x`";
            Some(Problem::warning("W0052", &place, format!("skill `{name}`: {why}")).hint(hint))
        })
        .collect()
}

/// What skills are built with, beside their own entries.
struct Around<'a> {
    base_dir: &'a Path,
    functions: &'a BTreeMap<SkillName, Arc<dyn Skill>>,
    servers: &'a Servers,
    models: &'a prompt::Models,
}

fn build_one(
    name: &SkillName,
    entry: &SkillSpec,
    around: &Around<'_>,
) -> Result<Arc<dyn Skill>, Error> {
    let Around {
        base_dir,
        functions,
        servers,
        models,
    } = *around;
    let named = || name.as_str().to_owned();
    let misfit = |why| Error::Config {
        skill: named(),
        why,
    };
    #[cfg(not(feature = "mcp"))]
    let _ = servers;
    let kind = entry.kind.as_deref();
    match kind.or(entry.mcp.as_ref().map(|_| "mcp")) {
        Some("command") => CommandSkill::new(name.clone(), entry.clone(), base_dir)
            .map(|skill| Arc::new(skill) as Arc<dyn Skill>)
            .map_err(misfit),
        #[cfg(feature = "http")]
        Some("http") => super::HttpSkill::new(name.clone(), entry.clone(), base_dir)
            .map(|skill| Arc::new(skill) as Arc<dyn Skill>)
            .map_err(misfit),
        #[cfg(feature = "mcp")]
        Some("mcp") => super::McpSkill::new(name.clone(), entry.clone(), &servers.0)
            .map(|skill| Arc::new(skill) as Arc<dyn Skill>),
        Some("prompt") => super::PromptSkill::new(name.clone(), entry.clone())
            .map(|skill| skill.with_models(Arc::clone(models)))
            .map(|skill| Arc::new(skill) as Arc<dyn Skill>)
            .map_err(misfit),
        Some("function") => functions
            .get(name)
            .cloned()
            .ok_or_else(|| Error::NoFunction {
                skill: named(),
                known: listed(functions.keys()),
            }),
        #[cfg(feature = "builtin-skills")]
        Some("builtin") => super::builtin::build(name, entry, base_dir)?.ok_or_else(|| {
            let wanted = super::builtin::wanted(name, entry).to_owned();
            let known = listed(super::builtin::specs().keys());
            Error::NoBuiltin {
                skill: named(),
                wanted,
                known,
            }
        }),
        Some(kind) => Err(Error::UnknownKind {
            skill: named(),
            kind: kind.to_owned(),
        }),
        None => {
            if let Some(function) = functions.get(name) {
                return Ok(function.clone());
            }
            #[cfg(feature = "builtin-skills")]
            if let Some(skill) = super::builtin::build(name, entry, base_dir)? {
                return Ok(skill);
            }
            Err(Error::NoKind { skill: named() })
        }
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a SkillName>) -> Vec<String> {
    names.map(|name| name.as_str().to_owned()).collect()
}

/// A skill entry that cannot be carried out. Each variant is a code with a
/// page in `docs/errors`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("skill `{skill}` is of unknown kind `{kind}`")]
    UnknownKind { skill: String, kind: String },
    #[error("skill `{skill}` has no kind, and nothing of this name is built in")]
    NoKind { skill: String },
    #[error("skill `{skill}`: there is no built-in skill `{wanted}`")]
    NoBuiltin {
        skill: String,
        wanted: String,
        known: Vec<String>,
    },
    #[error("skill `{skill}`: this program brings no function of that name")]
    NoFunction { skill: String, known: Vec<String> },
    #[error("skill `{skill}`: its `config` does not fit: {why}")]
    Config { skill: String, why: String },
    #[error("skill `{skill}`: the folder `{}` cannot be used: {why}", folder.display())]
    Folder {
        skill: String,
        folder: PathBuf,
        why: String,
    },
    #[error("server `{server}`: {why}")]
    Server { server: String, why: String },
    #[error("skill `{skill}`: {why}")]
    Tool { skill: String, why: String },
    #[error("skill `{skill}`: tool `{tool}` of server `{server}` is not pinned")]
    NotPinned {
        skill: String,
        tool: String,
        server: String,
    },
    #[error("the file of pins `{}` cannot be used: {why}", path.display())]
    Pins { path: PathBuf, why: String },
}

impl Error {
    pub fn code(&self) -> &'static str {
        match self {
            Error::UnknownKind { .. } => "S0001",
            Error::NoKind { .. } => "S0002",
            Error::NoBuiltin { .. } => "S0003",
            Error::NoFunction { .. } => "S0004",
            Error::Config { .. } => "S0005",
            Error::Folder { .. } => "S0006",
            Error::Server { .. } => "S0010",
            Error::Tool { .. } => "S0011",
            Error::NotPinned { .. } => "S0012",
            Error::Pins { .. } => "S0013",
        }
    }

    /// The section of the workflow that it is about, and the name there.
    fn entry(&self) -> [&str; 2] {
        match self {
            Error::UnknownKind { skill, .. }
            | Error::NoKind { skill }
            | Error::NoBuiltin { skill, .. }
            | Error::NoFunction { skill, .. }
            | Error::Config { skill, .. }
            | Error::Folder { skill, .. }
            | Error::Tool { skill, .. }
            | Error::NotPinned { skill, .. } => ["skills", skill],
            Error::Server { server, .. } => ["mcp", server],
            Error::Pins { .. } => ["mcp", ""],
        }
    }

    /// What mends it.
    pub fn hint(&self) -> String {
        match self {
            Error::UnknownKind { .. } | Error::NoKind { .. } => {
                format!("this build knows the kinds {}", quoted(KINDS))
            }
            Error::NoBuiltin { known, .. } => {
                format!(
                    "built in are {}; set `config.builtin` to one of them",
                    quoted(known)
                )
            }
            Error::NoFunction { known, .. } if known.is_empty() => {
                "register the function in the program, or make it a `command`".to_owned()
            }
            Error::NoFunction { known, .. } => format!("registered are {}", quoted(known)),
            Error::Config { .. } => "see docs/skills.md for the keys of each kind".to_owned(),
            Error::Folder { .. } => {
                "create it, or set `config.folder`; the path starts at the workflow's folder"
                    .to_owned()
            }
            Error::Server { .. } => "see docs/skills.md for what a server needs".to_owned(),
            Error::Tool { .. } => "see docs/skills.md for how a tool is named".to_owned(),
            Error::NotPinned { .. } => "look at what it does with `steadfast mcp list WORKFLOW`, \
                                        then pin it with `steadfast mcp pin WORKFLOW`"
                .to_owned(),
            Error::Pins { .. } => {
                "restore it, or delete it and pin anew with `steadfast mcp pin WORKFLOW`".to_owned()
            }
        }
    }

    /// The finding that `check` shows, with its place in the file.
    pub fn problem(&self) -> Problem {
        let key = match self {
            Error::UnknownKind { .. } | Error::NoFunction { .. } => Some("kind"),
            Error::NoKind { .. } | Error::Server { .. } | Error::Pins { .. } => None,
            Error::Tool { .. } | Error::NotPinned { .. } => Some("mcp"),
            Error::NoBuiltin { .. } | Error::Config { .. } | Error::Folder { .. } => Some("config"),
        };
        let entry = self.entry().into_iter().filter(|name| !name.is_empty());
        let place: Vec<&str> = entry.chain(key).collect();
        Problem::error(self.code(), &place, self.to_string()).hint(self.hint())
    }
}

fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    quoted.join(", ")
}
