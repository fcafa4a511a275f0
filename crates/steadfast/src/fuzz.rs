//! Entry points for fuzzing: any bytes, into each reader of what comes from
//! outside. None may panic, and none may take more time or memory than a small
//! multiple of what it was given.
//!
//! The same functions are called by the targets of `fuzz/` (with the feature
//! `fuzz`, under a nightly compiler) and by the tests below, which run in CI:
//! mutated seeds, and 1 MB of the worst that each format allows.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde_json::Value;
use steadfast_core::event::envelope;
use steadfast_core::json;
use steadfast_core::rules::{Conditions, Schemas};
use steadfast_core::workflow::Workflow;

use crate::audit::{self, Format, Options, read::Hints};
use crate::rules::{CelConditions, JsonSchemas, StandardRules};
use crate::spec;

/// A streamed reply of an OpenAI-compatible endpoint.
#[cfg(feature = "openai")]
pub fn openai_stream(bytes: &[u8]) {
    use crate::model::openai::{OpenAi, Settings};
    static CLIENT: LazyLock<OpenAi> = LazyLock::new(|| {
        OpenAi::new(Settings::new("http://localhost/v1", "fuzzed")).expect("the address is one")
    });
    streamed(bytes, |chunks| Box::pin(CLIENT.read_stream(chunks)));
    let _ = CLIENT.read_whole(bytes);
}

/// A streamed reply of an Anthropic endpoint.
#[cfg(feature = "anthropic")]
pub fn anthropic_stream(bytes: &[u8]) {
    use crate::model::anthropic::{Anthropic, Settings};
    static CLIENT: LazyLock<Anthropic> = LazyLock::new(|| {
        Anthropic::new(Settings::new("http://localhost/v1", "fuzzed")).expect("the address is one")
    });
    streamed(bytes, |chunks| Box::pin(CLIENT.read_stream(chunks)));
    let _ = CLIENT.read_whole(bytes);
}

/// Chunks of a body, as a connection brings them.
#[cfg(any(feature = "openai", feature = "anthropic"))]
type Chunks = Vec<Vec<u8>>;

/// Reads a stream as a whole, and cut into pieces of a length that the bytes
/// themselves decide.
#[cfg(any(feature = "openai", feature = "anthropic"))]
fn streamed<'a, F>(bytes: &[u8], read: F)
where
    F: Fn(
        Chunks,
    ) -> futures::future::BoxFuture<
        'a,
        Result<steadfast_core::proposal::Reply, steadfast_core::proposal::ModelError>,
    >,
{
    static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder
            .enable_time()
            .build()
            .expect("a timer needs no system resource")
    });
    let length = 1 + bytes.first().map_or(0, |first| usize::from(*first)) * 31;
    let whole = RUNTIME.block_on(read(vec![bytes.to_vec()]));
    let cut = RUNTIME.block_on(read(bytes.chunks(length).map(<[u8]>::to_vec).collect()));
    // Where a connection cuts the bytes means nothing.
    assert_eq!(whole, cut, "the cut of the chunks decides");
}

/// A log of some agent, in each format that it could be, and the monitor over
/// what was read.
pub fn audited(bytes: &[u8]) {
    static WORKFLOW: LazyLock<std::sync::Arc<Workflow>> = LazyLock::new(|| {
        let spec = serde_json::json!({
            "workflow_id": "w", "initial_state": "S1",
            "states": {
                "S1": {"skill": "search", "on_success": "S2", "on_failure": "S1_RETRY"},
                "S2": {"skills": ["draft", {"skill": "check", "requires": ["draft"]}], "on_success": "S3", "on_failure": "S1"},
                "S3": {"skill": "send", "mandatory": false, "on_success": "DONE"},
            },
        });
        let spec = serde_json::from_value(spec).expect("it is a spec");
        Workflow::compile(spec).expect("it compiles")
    });
    static RULES: LazyLock<StandardRules> = LazyLock::new(StandardRules::default);
    let formats = Format::ALL.into_iter().map(Some).chain([None]);
    for format in formats {
        let hints = Hints {
            format,
            ..Hints::default()
        };
        let mut kept = Vec::new();
        let mut source = bytes;
        let _ = audit::read(&mut source, "fuzzed", hints, &mut |run| {
            let verdict = audit::monitor(&WORKFLOW, &run, &Options::default(), RULES.rules());
            assert!(verdict.calls <= run.calls().count(), "calls out of nowhere");
            // A draft looks at all runs at once.
            if kept.len() < 8 && run.calls().count() < 64 {
                kept.push(run);
            }
        });
        let _ = audit::infer::infer("fuzzed", &kept, &Options::default(), RULES.rules());
    }
}

/// A stored log: an envelope a line, with its body.
pub fn log(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(envelope) = envelope::Envelope::read(line) {
            let _ = envelope.event();
        }
        let _ = envelope::open(line);
    }
}

/// A task as a file: what an import would find in it.
pub fn export(bytes: &[u8]) {
    if let Ok(survey) = steadfast_store::transfer::survey(|| Ok(bytes)) {
        let _ = survey.is_whole();
    }
}

/// A recording of model calls, and a script of replies.
pub fn replies(bytes: &[u8]) {
    let _ = crate::model::recorded::is_recording(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = crate::model::Script::parse(text);
    }
}

/// A settings file.
pub fn settings(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = crate::settings::read_text(text, std::path::Path::new("fuzzed"));
    }
}

/// A workflow file, from its text to its findings.
pub fn workflow(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    #[cfg(feature = "builtin-skills")]
    let builtins = crate::skill::builtin::specs();
    #[cfg(not(feature = "builtin-skills"))]
    let builtins = std::collections::BTreeMap::new();
    match spec::read(text, "fuzzed") {
        Ok(read) => {
            let resolved = spec::resolve(read.spec.clone(), None, &builtins);
            let _ = read.check(&resolved).reports();
        }
        Err(diagnostics) => drop(diagnostics.reports()),
    }
    let _ = spec::read_registry(text, "fuzzed");
}

/// A JSON Schema in the first line, and a model's arguments in the rest.
pub fn arguments(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (schema, args) = text.split_once('\n').unwrap_or(("{}", &text));
    let schema: Value = json::parse(schema).unwrap_or(Value::Null);
    let schemas = JsonSchemas::new();
    let usable = schemas.check(&schema).is_ok();
    if let (true, Ok(args)) = (usable, json::parse(args)) {
        let _ = schemas.issues(&schema, &args);
    }
}

/// An expression in the first line, and its variables in the rest.
pub fn expression(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (expression, variables) = text.split_once('\n').unwrap_or((&text, "{}"));
    let conditions = CelConditions::new();
    if conditions.references(expression).is_ok() {
        let variables = json::parse(variables).unwrap_or_default();
        let _ = conditions.members(expression, "receipts");
        let _ = conditions.evaluate(expression, &variables);
    }
}

/// Inputs of a measurement, a line each.
pub fn inputs(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // A folder that is not there: no file is read, whatever its name.
    let _ = crate::attempts::input::parse(&text, "fuzzed", std::path::Path::new("/nowhere/at/all"));
}

/// What a user says, as the reader of messages takes it.
pub fn message(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for patch in steadfast_core::text::reader::read_message(&text, None).patches {
        assert!(text.get(patch.span).is_some(), "a span that is none");
    }
}

/// An answer under a rule of each kind that looks at its form, the extraction
/// of JSON among them.
pub fn answer(bytes: &[u8]) {
    use steadfast_core::check::{CheckContext, Profile, check_rule};
    use steadfast_core::ledger::Rule;
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let rules = serde_json::json!([
            {"type": "format", "format": {"name": "json", "schema": {"type": "object"}}},
            {"type": "format", "format": {"name": "markdown"}},
            {"type": "format", "format": {"name": "html"}},
            {"type": "format", "format": {"name": "csv"}},
            {"type": "language", "language": "zh"},
            {"type": "length", "unit": "words", "bound": {"max": {"value": 50}}},
            {"type": "length", "unit": "sentences", "bound": {"max": {"value": 5}}},
            {"type": "phrase", "text": "a", "bound": {"max": {"value": 1}}},
            {"type": "sources", "mode": "allow", "sources": [{"by": "domain", "value": "gov.cn"}]},
        ]);
        serde_json::from_value(rules).expect("they are rules")
    });
    static STANDARD: LazyLock<StandardRules> = LazyLock::new(StandardRules::default);
    let text = String::from_utf8_lossy(bytes);
    let rules = STANDARD.rules();
    let context = CheckContext {
        schemas: rules.schemas,
        tokenizer: rules.tokenizer,
        sources: &[],
        profile: Profile::Product,
    };
    for rule in RULES.iter() {
        let _ = check_rule(&text, rule, &context);
    }
}

/// A source, a line of `---`, and a summary of it.
pub fn summary(bytes: &[u8]) {
    use steadfast_core::archive::fidelity::{Options, compare_text};
    let text = String::from_utf8_lossy(bytes);
    let (source, summary) = text.split_once("\n---\n").unwrap_or((&text, &text));
    let options = Options {
        references: &[],
        strict: true,
    };
    let _ = compare_text(source, summary, &options);
}
