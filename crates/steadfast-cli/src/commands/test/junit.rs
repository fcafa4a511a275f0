//! JUnit XML, as GitHub actions, GitLab and Jenkins read it: a suite a layer, a
//! test case a check. The elements and attributes are those of Jenkins' schema
//! (`xunit` plug-in, `jenkins-junit.xsd`); a case that could not be run is an
//! `error`, one that failed a `failure`, a layer that was not run is `skipped`.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::outcome::{Check, LayerReport, Report, Status};

type Xml = Writer<Vec<u8>>;

/// The report as a file.
pub(super) fn xml(report: &Report) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut writer, report).expect("writing to memory does not fail");
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("made of text")
}

fn write(writer: &mut Xml, report: &Report) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let counts = Counts::of(report.layers.iter());
    let name = clean(&format!("steadfast {}", report.workflow));
    writer
        .create_element("testsuites")
        .with_attributes(
            counts
                .attributes(&name)
                .iter()
                .map(|(key, value)| (*key, value.as_str())),
        )
        .write_inner_content(|writer| {
            report
                .layers
                .iter()
                .try_for_each(|layer| suite(writer, layer))
        })?;
    Ok(())
}

fn suite(writer: &mut Xml, layer: &LayerReport) -> io::Result<()> {
    let counts = Counts::of([layer]);
    let mut attributes = counts.attributes(layer.layer);
    attributes.push(("skipped", counts.skipped.to_string()));
    writer
        .create_element("testsuite")
        .with_attributes(attributes.iter().map(|(key, value)| (*key, value.as_str())))
        .write_inner_content(|writer| {
            if !layer.run {
                return skipped(writer, layer);
            }
            layer
                .checks
                .iter()
                .try_for_each(|check| case(writer, layer, check))
        })?;
    Ok(())
}

fn skipped(writer: &mut Xml, layer: &LayerReport) -> io::Result<()> {
    writer
        .create_element("testcase")
        .with_attributes([
            ("name", layer.layer),
            ("classname", layer.layer),
            ("time", "0.000"),
        ])
        .write_inner_content(|writer| {
            let why = ("message", "a layer before it failed");
            writer
                .create_element("skipped")
                .with_attribute(why)
                .write_empty()?;
            Ok(())
        })?;
    Ok(())
}

fn case(writer: &mut Xml, layer: &LayerReport, check: &Check) -> io::Result<()> {
    let name = clean(&check.name);
    let class = match check.group.as_str() {
        "" => layer.layer.to_owned(),
        group if group == layer.layer => group.to_owned(),
        group => clean(&format!("{}.{}", layer.layer, group.replace('/', "."))),
    };
    let time = seconds(check.elapsed_ms);
    let element = writer.create_element("testcase").with_attributes([
        ("name", name.as_str()),
        ("classname", class.as_str()),
        ("time", time.as_str()),
    ]);
    let (tag, kind) = match check.status {
        Status::Passed => {
            element.write_empty()?;
            return Ok(());
        }
        // Neither shown nor refuted is no failure; what is known is kept.
        Status::Open => ("system-out", None),
        Status::Failed => ("failure", Some("failed")),
        Status::Broken => ("error", Some("not run")),
    };
    let message = clean(&check.message);
    let text = match check.details.is_empty() {
        true => message.clone(),
        false => clean(&check.details.join("\n")),
    };
    element.write_inner_content(|writer| {
        let mut inner = writer.create_element(tag);
        if let Some(kind) = kind {
            inner = inner.with_attributes([("message", message.as_str()), ("type", kind)]);
        }
        inner.write_text_content(BytesText::new(&text))?;
        Ok(())
    })?;
    Ok(())
}

#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    elapsed_ms: u64,
}

impl Counts {
    fn of<'a>(layers: impl IntoIterator<Item = &'a LayerReport>) -> Counts {
        let mut counts = Counts::default();
        for layer in layers {
            if !layer.run {
                counts.tests += 1;
                counts.skipped += 1;
            }
            for check in &layer.checks {
                counts.tests += 1;
                counts.failures += usize::from(check.status == Status::Failed);
                counts.errors += usize::from(check.status == Status::Broken);
                counts.elapsed_ms += check.elapsed_ms;
            }
        }
        counts
    }

    fn attributes(&self, name: &str) -> Vec<(&'static str, String)> {
        vec![
            ("name", name.to_owned()),
            ("tests", self.tests.to_string()),
            ("failures", self.failures.to_string()),
            ("errors", self.errors.to_string()),
            ("time", seconds(self.elapsed_ms)),
        ]
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

/// Text without the characters that XML 1.0 cannot hold, escaped or not.
fn clean(text: &str) -> String {
    let held = |c: char| {
        matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'))
    };
    text.chars()
        .map(|c| if held(c) { c } else { '\u{fffd}' })
        .collect()
}
