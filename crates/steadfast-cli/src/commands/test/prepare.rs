//! From the command line and `suite.yaml` to what the layers run with.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use steadfast::attempts::Doubles;
use steadfast::cases::{self, Case, File, ModelSpec, Models, Setup, Stage};
use steadfast::clock::SystemClock;
use steadfast::model::recorded::{Recorded, Take};
use steadfast::model::{Model, Script};
use steadfast::spec::Diagnostics;
use steadfast_core::context::ASSEMBLER_VERSION;
use steadfast_core::event::task::Window;
use steadfast_core::hash::Hash;
use steadfast_core::id::SkillName;
use steadfast_core::limits;
use steadfast_core::workflow::Workflow;

use crate::args::{Suite, Test};
use crate::error::Error;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{input, model, workflow};

/// Cases of the fast suite where none is tagged so (guard-rails article, 5.3).
const FAST_CASES: usize = 10;
/// Tempting inputs (guard-rails article, 2.3), and those of the fast suite.
const GENERATED: u32 = 50;
const GENERATED_FAST: u32 = 12;
/// Where recordings lie, beside `suite.yaml` or in the folder of the cases.
const RECORDINGS: &str = "recordings";

/// The model of the command, whatever is recorded.
const LIVE: &str = "live";

/// What the layers run with.
pub(crate) struct Prepared {
    pub(crate) files: Vec<File>,
    /// The workflow file of the suite, and all that cases name.
    pub(super) stages: BTreeMap<PathBuf, Staged>,
    /// The workflow file of cases that name none.
    pub(crate) main: Option<PathBuf>,
    pub(super) model_name: String,
    pub(crate) why: String,
    pub(super) generate: u32,
    pub(super) repeats: u32,
    configured: Configured,
    /// The models that cases name, `live` aside.
    named: BTreeMap<String, Configured>,
    recordings: PathBuf,
    live: bool,
    record: bool,
}

/// A workflow, or what keeps it from being run.
pub(crate) struct Staged {
    pub(super) findings: Diagnostics,
    pub(super) stage: Option<Arc<Stage>>,
}

type Configured = Rc<RefCell<model::Models>>;

pub(crate) fn prepare(
    args: &Test,
    settings: &Settings,
    printer: &Printer,
) -> Result<Prepared, Error> {
    let (setup, folder) = setup(&args.path)?;
    let files = files(args)?;
    let beside = |name: &String| tidy(folder.join(name));
    let main = args
        .workflow
        .clone()
        .or_else(|| setup.workflow.as_ref().map(beside))
        .or_else(|| Some(PathBuf::from("workflow.yaml")).filter(|path| path.is_file()));
    let registry = args
        .registry
        .clone()
        .or_else(|| setup.registry.as_ref().map(beside));
    let named = args.model.as_ref().or(setup.model.as_ref());
    let named = named.map_or("auto", String::as_str);
    let (mut models, why) = model::each(named, settings)?;
    let first = models();
    let window = model::window(first.as_ref(), None, None)?;
    let doubles = doubles(&setup);
    let mut stages = BTreeMap::new();
    let wanted: BTreeSet<PathBuf> = main
        .iter()
        .cloned()
        .chain(files.iter().filter_map(of_case))
        .collect();
    for path in wanted {
        let staged = stage(
            &path,
            registry.as_deref(),
            &doubles,
            window,
            settings,
            printer,
        )?;
        stages.insert(path, staged);
    }
    let mut of_cases = BTreeMap::new();
    for name in files.iter().filter_map(|file| match &file.case.model {
        Some(ModelSpec::Named(name)) if name != LIVE => Some(name.clone()),
        _ => None,
    }) {
        let (models, _) = model::each(&name, settings)?;
        of_cases.insert(name, Rc::new(RefCell::new(models)));
    }
    let fast = args.suite == Suite::Fast;
    let usual = if fast { GENERATED_FAST } else { GENERATED };
    Ok(Prepared {
        files,
        stages,
        main,
        model_name: first.name().to_owned(),
        why,
        generate: args.generate.or(setup.generate).unwrap_or(usual),
        repeats: args.repeats.or(setup.repeats).unwrap_or(1),
        configured: Rc::new(RefCell::new(models)),
        named: of_cases,
        recordings: folder.join(RECORDINGS),
        live: args.live,
        record: args.record,
    })
}

/// The suite file and its folder; without one, the folder of the cases.
fn setup(path: &Path) -> Result<(Setup, PathBuf), Error> {
    let Some(file) = cases::find_setup(path) else {
        let folder = if path.is_dir() {
            Some(path)
        } else {
            path.parent()
        };
        return Ok((Setup::default(), folder.unwrap_or(Path::new("")).to_owned()));
    };
    let name = file.display().to_string();
    let text = input::file("suite", &file)?;
    let setup = cases::parse_setup(&text, &name).map_err(|diagnostics| Error::CaseFiles {
        count: 1,
        diagnostics,
    })?;
    Ok((setup, file.parent().unwrap_or(Path::new("")).to_owned()))
}

/// The cases that are asked for.
fn files(args: &Test) -> Result<Vec<File>, Error> {
    let mut files = read(&args.path)?;
    if !args.tag.is_empty() {
        files.retain(|file| args.tag.iter().any(|tag| file.case.has_tag(tag)));
    }
    if args.suite == Suite::Fast {
        if files.iter().any(|file| file.case.has_tag("fast")) {
            files.retain(|file| file.case.has_tag("fast"));
        } else {
            files.truncate(FAST_CASES);
        }
    }
    if files.is_empty() {
        return Err(Error::NoCases {
            path: args.path.clone(),
        });
    }
    Ok(files)
}

/// Every case of a path; none that does not read is passed over.
pub(crate) fn read(path: &Path) -> Result<Vec<File>, Error> {
    let tree = cases::tree(path)?;
    if tree.wrong.is_empty() {
        return Ok(tree.files);
    }
    Err(Error::CaseFiles {
        count: tree.wrong.len(),
        diagnostics: Diagnostics {
            list: tree.wrong.into_iter().flat_map(|one| one.list).collect(),
        },
    })
}

/// The workflow file that a case names.
fn of_case(file: &File) -> Option<PathBuf> {
    let name = file.case.workflow.as_ref()?;
    Some(tidy(file.path.parent().unwrap_or(Path::new("")).join(name)))
}

/// A path without `..`, from here, where that leads to the same file.
fn tidy(path: PathBuf) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    let here = std::env::current_dir().unwrap_or_default();
    let plain = plain
        .strip_prefix(&here)
        .map(Path::to_owned)
        .unwrap_or(plain);
    // A link on the way makes `..` lead elsewhere.
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    match same(&plain) {
        Some(file) if same(&path) == Some(file.clone()) => plain,
        _ => path,
    }
}

fn doubles(setup: &Setup) -> Doubles {
    let results = setup.stand_ins.iter();
    Doubles::of_results(
        results.map(|(name, result)| (SkillName::new(name.as_str()), result.clone())),
    )
}

fn stage(
    path: &Path,
    registry: Option<&Path>,
    doubles: &Doubles,
    window: Window,
    settings: &Settings,
    printer: &Printer,
) -> Result<Staged, Error> {
    // A skill that a case or the suite speaks for need not be there.
    let loaded = workflow::load_for(path, registry, settings, &|spec| doubles.of(spec, false));
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(Error::Workflow { diagnostics, .. }) => {
            return Ok(Staged {
                findings: diagnostics,
                stage: None,
            });
        }
        Err(error) => return Err(error),
    };
    let findings = loaded.findings.clone();
    let Ok((spec, skills, _)) = loaded.accept() else {
        return Ok(Staged {
            findings,
            stage: None,
        });
    };
    if let Ok(secrets) = skills.secrets() {
        printer.guard(&steadfast::secret::Redactor::new(secrets));
    }
    let clock = Arc::new(SystemClock::new());
    let stage = Workflow::compile(spec)
        .map(|workflow| Arc::new(Stage::new(workflow, skills, doubles.clone(), clock, window)));
    Ok(Staged {
        findings,
        stage: stage.ok(),
    })
}

impl Prepared {
    /// The workflow file of a case.
    pub(crate) fn workflow_of(&self, file: &File) -> Option<PathBuf> {
        of_case(file).or_else(|| self.main.clone())
    }

    pub(crate) fn stage_of(&self, file: &File) -> Option<Arc<Stage>> {
        let path = self.workflow_of(file)?;
        self.stages.get(&path)?.stage.clone()
    }

    /// The stages that could be made, each with its file.
    pub(crate) fn staged(&self) -> impl Iterator<Item = (&Path, &Arc<Stage>)> {
        let all = self.stages.iter();
        all.filter_map(|(path, staged)| Some((path.as_path(), staged.stage.as_ref()?)))
    }

    pub(crate) fn workflow_id(&self) -> String {
        let first = self.staged().next();
        first
            .map(|(_, stage)| stage.spec().workflow_id.clone())
            .unwrap_or_default()
    }

    /// The model of the command, anew.
    pub(crate) fn configured(&self) -> Arc<dyn Model> {
        (self.configured.borrow_mut())()
    }

    /// What gives the model of each run of a case.
    pub(super) fn models(&self, file: &File) -> Models {
        let folder = file.path.parent().unwrap_or(Path::new("")).to_owned();
        match of(&file.case) {
            Wanted::Script(text) => match Script::parse(&text) {
                Ok(script) => Box::new(move || Ok(Arc::new(script.clone().build()))),
                Err(error) => failing(error.to_string()),
            },
            Wanted::Recording(name) => replay(folder.join(name)),
            Wanted::Named(name) => asked(self.named.get(&name).unwrap_or(&self.configured)),
            Wanted::Usual => {
                let path = self.recordings.join(format!("{}.jsonl", file.case.case_id));
                match (self.record, path.is_file() && !self.live) {
                    (true, _) => self.recording(path),
                    (false, true) => replay(path),
                    (false, false) => asked(&self.configured),
                }
            }
        }
    }

    /// Asks the model and writes down what it says; of several runs the last stays.
    fn recording(&self, path: PathBuf) -> Models {
        let configured = Rc::clone(&self.configured);
        Box::new(move || {
            let folder = path.parent().unwrap_or(Path::new(""));
            std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
            if path.is_file() {
                std::fs::remove_file(&path).map_err(|error| error.to_string())?;
            }
            let live = (configured.borrow_mut())();
            let recorded = Recorded::record(&path, live, Take::New);
            Ok(Arc::new(recorded.map_err(|error| error.to_string())?) as Arc<dyn Model>)
        })
    }

    /// What the outcome rests on. A baseline in which any of it differs compares
    /// two things.
    pub(super) fn fingerprint(&self) -> BTreeMap<&'static str, String> {
        let specs: Vec<_> = self.staged().map(|(_, stage)| stage.spec()).collect();
        let hash = |value: serde_json::Value| Hash::of_json(&value).to_string();
        let each = |of: &dyn Fn(&steadfast_core::workflow::Spec) -> serde_json::Value| {
            hash(specs.iter().map(|spec| of(spec)).collect())
        };
        let version = env!("CARGO_PKG_VERSION");
        [
            ("model", self.model_name.clone()),
            ("workflow", each(&|spec| json(spec))),
            (
                "prompt",
                format!(
                    "assembler {ASSEMBLER_VERSION}, {}",
                    each(&|spec| serde_json::json!([json(&spec.policy), json(&spec.contract)]))
                ),
            ),
            (
                "summariser",
                format!("rules of {version}, {}", each(&|spec| json(&spec.phases))),
            ),
            (
                "retrieval",
                format!("rules of {version}, {} terms", limits::RECALL_TERMS_MAX),
            ),
        ]
        .into()
    }
}

/// A part of a workflow as JSON.
fn json<T: serde::Serialize>(value: &T) -> serde_json::Value {
    serde_json::to_value(value).expect("parts of a workflow are JSON")
}

enum Wanted {
    Usual,
    Named(String),
    Script(String),
    Recording(String),
}

fn of(case: &Case) -> Wanted {
    match &case.model {
        None => Wanted::Usual,
        Some(ModelSpec::Named(name)) => Wanted::Named(name.clone()),
        Some(ModelSpec::Full(full)) => match &full.recorded {
            Some(name) => Wanted::Recording(name.clone()),
            None => Wanted::Script(
                serde_json::to_string(&full.script).expect("turns of a script are JSON"),
            ),
        },
    }
}

fn asked(models: &Configured) -> Models {
    let models = Rc::clone(models);
    Box::new(move || Ok((models.borrow_mut())()))
}

fn replay(path: PathBuf) -> Models {
    Box::new(move || {
        let recorded = Recorded::replay(&path).map_err(|error| error.to_string())?;
        Ok(Arc::new(recorded) as Arc<dyn Model>)
    })
}

fn failing(why: String) -> Models {
    Box::new(move || Err(why.clone()))
}
