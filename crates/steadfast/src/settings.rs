//! Settings: from files, environment and flags, each value with where it comes
//! from.
//!
//! Flags beat the environment, which beats the project's file, which beats the
//! user's, which beats the defaults; tables are merged key by key. Keys are
//! references ([`SecretRef`](crate::secret::SecretRef)), so a shown
//! configuration is the configuration, and saving it stores no mask.
//!
//! Not here: what the settings build. Models are made in
//! [`model::select`](mod@crate::model::select).

mod edit;
mod file;
mod layer;
mod problem;
mod spelling;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use edit::{NotEdited, handling_lines, with_handling};
pub use file::{
    AnswerFormat, CallIds, Durability, Embedder, HeaderValue, InlineReasoning, KeyHeader, Kind,
    MaxTokensField, Model, Price, Provider, Retry, Settings, SystemMessages, Thinking,
    ThinkingWord, Timeouts,
};
pub use layer::{Layer, Origin};
pub use problem::{Error, Problem};
pub use spelling::to_toml;

/// Name of the file, in the working folder or above it, and in the user's.
pub const FILE: &str = "steadfast.toml";
/// Names the file that stands for the project's.
pub const CONFIG: &str = "STEADFAST_CONFIG";

/// Looks a variable of the environment up.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Settings with the origin of each value.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    pub settings: Settings,
    /// Every value that is set, by its path (`providers.local.key`).
    pub values: BTreeMap<String, (Value, Origin)>,
}

/// The JSON Schema of a settings file.
pub fn schema() -> Value {
    schemars::schema_for!(Settings).to_value()
}

/// Finds the files, reads them, and lays environment and flags over them.
///
/// # Errors
///
/// Every problem of the files, each with its place.
pub fn load(working_dir: &Path, env: Env<'_>, flags: Layer) -> Result<Resolved, Error> {
    let mut layers = Vec::new();
    let mut problems = Vec::new();
    for path in files(working_dir, env)? {
        match layer::read(&path) {
            Ok(layer) => layers.push(layer),
            Err(error) => problems.extend(error.problems),
        }
    }
    if !problems.is_empty() {
        return Err(Error { problems });
    }
    layers.push(Layer::of_environment(env));
    layers.push(flags);
    resolve(layers)
}

/// Reads the text of a file by itself; `path` is what its problems name.
///
/// # Errors
///
/// Every problem of the text, each with its place.
pub fn read_text(text: &str, path: &Path) -> Result<Resolved, Error> {
    resolve([layer::parse(text, path)?])
}

/// Lays layers over each other, the weakest first.
///
/// # Errors
///
/// Where the layers together make no sense: a model of a provider that nobody
/// describes, and the like.
pub fn resolve(layers: impl IntoIterator<Item = Layer>) -> Result<Resolved, Error> {
    let mut values: BTreeMap<Vec<String>, (Value, Origin)> = BTreeMap::new();
    for layer in layers {
        for (path, value, origin) in layer.values {
            // A list or a value of any kind is replaced as a whole.
            let inside = values
                .range(path.clone()..)
                .map(|(other, _)| other)
                .take_while(|other| other.starts_with(&path))
                .cloned()
                .collect::<Vec<_>>();
            for other in inside {
                values.remove(&other);
            }
            values.insert(path, (value, origin));
        }
    }
    let mut merged = Value::Object(serde_json::Map::new());
    for (path, (value, _)) in &values {
        layer::put(&mut merged, path, value.clone());
    }
    let settings: Settings = serde_json::from_value(merged).map_err(|error| {
        // Each layer reads by itself; what is left is what lies between them.
        Error::one(Problem::contradiction(None, error.to_string(), ""))
    })?;
    let values: BTreeMap<String, (Value, Origin)> = values
        .into_iter()
        .map(|(path, value)| (layer::spelled(&path), value))
        .collect();
    let problems = problem::contradictions(&settings, &values);
    if problems.is_empty() {
        Ok(Resolved { settings, values })
    } else {
        Err(Error { problems })
    }
}

/// The files that there are, the weakest first.
fn files(working_dir: &Path, env: Env<'_>) -> Result<Vec<PathBuf>, Error> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let user = user_folder(&set).map(|folder| folder.join("steadfast").join(FILE));
    let mut files: Vec<PathBuf> = user.into_iter().filter(|path| path.is_file()).collect();
    let project = match set(CONFIG) {
        // One that was named must be there.
        Some(path) => Some(working_dir.join(path)),
        None => working_dir
            .ancestors()
            .map(|folder| folder.join(FILE))
            .find(|path| path.is_file()),
    };
    files.extend(project.filter(|path| !files.contains(path)));
    Ok(files)
}

/// Where programs keep a user's settings.
fn user_folder(set: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let home = || Some(PathBuf::from(set("HOME")?).join(".config"));
    set("XDG_CONFIG_HOME")
        .or_else(|| set("APPDATA"))
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(home)
}

impl Resolved {
    /// The folder that relative paths of a value start at: that of the file that
    /// says it, else the working folder.
    pub fn folder_of(&self, path: &str) -> PathBuf {
        match self.values.get(path) {
            Some((_, Origin::File { file, .. })) => {
                file.parent().map(Path::to_owned).unwrap_or_default()
            }
            _ => PathBuf::new(),
        }
    }
}
