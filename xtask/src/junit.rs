//! Reports of `steadfast test` held against the JUnit schema of Jenkins' xunit
//! plug-in, which CI systems read by.
//!
//! The schema is not copied into this repository: pytest holds its own reports
//! against the same file and ships it in its source package, so it is taken from
//! there, at a fixed version. Where Python or the package index is out of reach
//! the step is left out, and says so; the structure is tested in any case by
//! `steadfast-cli/tests/it/test_command.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, root, run, say};

/// The package that ships `junit-10.xsd` (MIT, Gregory Boissinot 2014).
const PYTEST: &str = "pytest==9.0.1";
const XSD: &str = "testing/example_scripts/junit-10.xsd";
const LXML: &str = "lxml==6.1.3";
/// Unpacks the schema and holds the files of its further arguments against it.
const CHECK: &str = "
import glob, sys, tarfile
from lxml import etree
folder, name, files = sys.argv[1], sys.argv[2], sys.argv[3:]
with tarfile.open(glob.glob(folder + '/pytest-*.tar.gz')[0]) as archive:
    member = next(one for one in archive.getnames() if one.endswith(name))
    schema = etree.XMLSchema(etree.parse(archive.extractfile(member)))
for file in files:
    if not schema.validate(etree.parse(file)):
        sys.exit('%s: %s' % (file, schema.error_log))
";

/// A workflow whose first layer fails, so that the others are left out.
const UNSOUND: (&str, &str) = ("on_success: S3", "on_success: DONE");

pub(crate) fn check() -> Result<()> {
    let venv = root().join("target/junit");
    if let Err(error) = install(&venv) {
        say(&format!(
            "JUnit schema: left out, since it cannot be fetched here ({error:#})"
        ));
        return Ok(());
    }
    let files = reports(&venv.join("try"))?;
    run(
        "JUnit reports against the schema of CI systems",
        Command::new(venv.join("bin/python"))
            .args(["-c", CHECK])
            .arg(venv.join("pytest"))
            .arg(XSD)
            .args(&files),
    )
}

/// The checker and the package that holds the schema, where they are missing.
fn install(venv: &Path) -> Result<()> {
    let stamp = venv.join("versions");
    let versions = format!("{LXML} {PYTEST}");
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == versions) {
        return Ok(());
    }
    quiet(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
    let pip = venv.join("bin/pip");
    quiet(Command::new(&pip).args(["install", LXML]))?;
    quiet(
        Command::new(&pip)
            .args([
                "download",
                "--no-deps",
                "--no-binary",
                ":all:",
                PYTEST,
                "--dest",
            ])
            .arg(venv.join("pytest")),
    )?;
    Ok(std::fs::write(stamp, versions)?)
}

fn quiet(command: &mut Command) -> Result<()> {
    let out = command.output().context("cannot run python3")?;
    if !out.status.success() {
        let errors = String::from_utf8_lossy(&out.stderr);
        bail!("{}", errors.lines().last().unwrap_or("it failed"));
    }
    Ok(())
}

/// What `init` lays, tested as it stands, and with a layer that fails, with and
/// without going on: cases that passed, failed, could not be run, were skipped.
fn reports(folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    test(folder, &["init", "."], &[0])?;
    let sound = ["test", "--suite", "fast", "--junit", "sound.xml"];
    test(folder, &sound, &[0])?;
    let workflow = folder.join("workflow.yaml");
    let text = std::fs::read_to_string(&workflow)?;
    if !text.contains(UNSOUND.0) {
        bail!("what `init` lays has no `{}`", UNSOUND.0);
    }
    std::fs::write(&workflow, text.replace(UNSOUND.0, UNSOUND.1))?;
    test(folder, &["test", "--junit", "early.xml"], &[3])?;
    let all = ["test", "--keep-going", "--junit", "all.xml"];
    test(folder, &all, &[3])?;
    let names = ["sound.xml", "early.xml", "all.xml"];
    Ok(names.map(|name| folder.join(name)).to_vec())
}

fn test(folder: &Path, args: &[&str], codes: &[i32]) -> Result<()> {
    let manifest = root().join("Cargo.toml");
    let mut command = cargo(&["run", "--quiet", "--package", "steadfast-cli"]);
    let command = command.arg("--manifest-path").arg(manifest).arg("--");
    let out = command.args(args).current_dir(folder).output()?;
    let code = out.status.code();
    if !code.is_some_and(|code| codes.contains(&code)) {
        let errors = String::from_utf8_lossy(&out.stderr);
        bail!(
            "`steadfast {}` ended with {code:?}: {errors}",
            args.join(" ")
        );
    }
    Ok(())
}
