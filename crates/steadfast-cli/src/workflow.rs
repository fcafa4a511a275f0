//! From a workflow file to what a task can run: read, resolved, checked, and
//! its skills built.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use steadfast::skill::mcp::Pins;
use steadfast::skill::{Skills, builtin, registry};
use steadfast::spec::{self, Diagnostics};
use steadfast_core::id::SkillName;
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::SkillSpec;

use crate::error::Error;
use crate::input;
use crate::model;
use crate::printer::Printer;
use crate::settings::Settings;

/// A workflow file with everything that it names.
pub(crate) struct Loaded {
    /// As diagnostics call the file.
    name: String,
    /// Every skill in full.
    spec: Spec,
    pub(crate) findings: Diagnostics,
    skills: Option<Skills>,
}

/// Reads, resolves and checks. Findings are not errors yet: see [`Loaded::accept`].
///
/// # Errors
///
/// When a file cannot be read, or is no workflow at all.
pub(crate) fn load(
    path: &Path,
    registry: Option<&Path>,
    settings: &Settings,
) -> Result<Loaded, Error> {
    load_for(path, registry, settings, &|_| BTreeSet::new())
}

/// The same, where some skills are not carried out and so need not be there.
///
/// # Errors
///
/// As [`load`].
pub(crate) fn load_for(
    path: &Path,
    registry: Option<&Path>,
    settings: &Settings,
    without: &dyn Fn(&Spec) -> BTreeSet<SkillName>,
) -> Result<Loaded, Error> {
    let name = path.display().to_string();
    let text = input::file("workflow", path)?;
    let refused = |diagnostics| refused(&name, diagnostics);
    let read = spec::read(&text, &name).map_err(refused)?;
    let mut spec = resolve(&read, registry)?;
    if let Some(pins) = pins(path)? {
        pins.fill(&mut spec);
    }
    let mut findings = read.check(&spec);
    let startable = steadfast::skill::registry::check(&spec, folder(path));
    findings
        .list
        .extend(read.source.diagnostics(startable).list);
    let without = without(&spec);
    let mut carried_out = spec.clone();
    carried_out.skills.retain(|name, _| !without.contains(name));
    let built = build(&carried_out, folder(path), settings);
    let skills = match built {
        Ok(skills) => Some(skills),
        Err(errors) => {
            let problems = errors.iter().map(|error| error.problem()).collect();
            findings.list.extend(read.source.diagnostics(problems).list);
            None
        }
    };
    Ok(Loaded {
        name,
        spec,
        findings,
        skills,
    })
}

fn resolve(read: &spec::Read, registry: Option<&Path>) -> Result<Spec, Error> {
    let registry = registry.map(load_registry).transpose()?;
    let builtins = builtin::specs();
    Ok(spec::resolve(
        read.spec.clone(),
        registry.as_ref(),
        &builtins,
    ))
}

/// The workflow of a file with its pins, before anything of it is built.
pub(crate) fn resolved(path: &Path, registry: Option<&Path>) -> Result<Spec, Error> {
    let name = path.display().to_string();
    let text = input::file("workflow", path)?;
    let read = spec::read(&text, &name).map_err(|diagnostics| refused(&name, diagnostics))?;
    let mut spec = resolve(&read, registry)?;
    if let Some(pins) = pins(path)? {
        pins.fill(&mut spec);
    }
    Ok(spec)
}

/// The pins that lie beside a workflow file.
pub(crate) fn pins(workflow: &Path) -> Result<Option<Pins>, Error> {
    let path = Pins::path(workflow);
    Pins::load(&path).map_err(|why| registry::Error::Pins { path, why }.into())
}

fn load_registry(path: &Path) -> Result<BTreeMap<SkillName, SkillSpec>, Error> {
    let name = path.display().to_string();
    let text = input::file("registry", path)?;
    spec::read_registry(&text, &name).map_err(|diagnostics| refused(&name, diagnostics))
}

fn refused(name: &str, diagnostics: Diagnostics) -> Error {
    let count = diagnostics.list.iter().filter(|one| one.is_error()).count();
    Error::Workflow {
        name: name.to_owned(),
        count,
        diagnostics,
    }
}

impl Loaded {
    /// The spec and its skills, and what to warn of. Errors stop here.
    pub(crate) fn accept(self) -> Result<(Spec, Skills, Warnings), Error> {
        match self.skills {
            Some(skills) if !self.findings.has_errors() => {
                let warnings = Warnings {
                    name: self.name,
                    findings: self.findings,
                };
                Ok((self.spec, skills, warnings))
            }
            _ => Err(refused(&self.name, self.findings)),
        }
    }
}

/// Findings that do not stop a run.
pub(crate) struct Warnings {
    name: String,
    findings: Diagnostics,
}

impl Warnings {
    pub(crate) fn show(&self, printer: &Printer) {
        printer.warnings(&self.name, &self.findings);
    }
}

/// The skills of a workflow that was accepted before. Relative paths start at
/// `base_dir`.
pub(crate) fn skills(spec: &Spec, base_dir: &Path, settings: &Settings) -> Result<Skills, Error> {
    build(spec, base_dir, settings).map_err(|errors| {
        errors
            .into_iter()
            .next()
            .expect("a failed build names what failed")
            .into()
    })
}

/// Prompts may name the models that the settings describe.
fn build(
    spec: &Spec,
    base_dir: &Path,
    settings: &Settings,
) -> Result<Skills, Vec<registry::Error>> {
    Skills::build_with(
        spec,
        base_dir,
        &BTreeMap::new(),
        &model::for_skills(settings),
    )
}

/// The folder that the relative paths of a workflow file start at.
pub(crate) fn folder(workflow: &Path) -> &Path {
    workflow.parent().unwrap_or(Path::new(""))
}

/// The same of a file whose path is kept.
pub(crate) fn folder_of(workflow: &Path) -> PathBuf {
    folder(workflow).to_owned()
}
