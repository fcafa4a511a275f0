//! Settings: layers and their order, places of mistakes, models built from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use steadfast::core::event::task::Window;
use steadfast::core::price::Price;
use steadfast::model::select::{SelectError, select_in};
use steadfast::settings::{Layer, Resolved, load, schema, to_toml};
use tempfile::TempDir;

/// A project folder in a home folder, and an environment.
struct Case {
    home: TempDir,
    variables: BTreeMap<String, String>,
}

impl Case {
    fn new(user: &str, project: &str) -> Case {
        let home = TempDir::new().unwrap();
        let write = |path: PathBuf, text: &str| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            if !text.is_empty() {
                std::fs::write(path, text).unwrap();
            }
        };
        write(home.path().join(".config/steadfast/steadfast.toml"), user);
        write(home.path().join("project/steadfast.toml"), project);
        std::fs::create_dir_all(home.path().join("project/inner/most")).unwrap();
        let variables = [("HOME".to_owned(), home.path().display().to_string())];
        Case {
            home,
            variables: variables.into(),
        }
    }

    fn with(mut self, variable: &str, value: &str) -> Case {
        self.variables.insert(variable.to_owned(), value.to_owned());
        self
    }

    fn env(&self) -> impl Fn(&str) -> Option<String> + '_ {
        |name| self.variables.get(name).cloned()
    }

    fn load_with(&self, flags: Layer) -> Result<Resolved, steadfast::settings::Error> {
        load(
            &self.home.path().join("project/inner/most"),
            &self.env(),
            flags,
        )
    }

    fn load(&self) -> Resolved {
        self.load_with(Layer::default()).unwrap()
    }

    fn problems(&self) -> Vec<String> {
        let error = self.load_with(Layer::default()).unwrap_err();
        let home = format!("{}/", self.home.path().display());
        let line = |problem: &steadfast::settings::Problem| {
            format!("{} {problem} ({})", problem.code, problem.hint).replace(&home, "")
        };
        error.problems.iter().map(line).collect()
    }
}

fn origins(resolved: &Resolved) -> Vec<(String, Value, String)> {
    let file = |origin: String| match origin.rsplit_once("steadfast/steadfast.toml") {
        Some((_, line)) => format!("user{line}"),
        None => origin
            .rsplit_once("steadfast.toml")
            .map_or(origin.clone(), |(_, line)| format!("project{line}")),
    };
    let values = resolved.values.iter();
    values
        .map(|(path, (value, origin))| (path.clone(), value.clone(), file(origin.to_string())))
        .collect()
}

#[test]
fn flags_beat_the_environment_beats_the_project_beats_the_user() {
    let user = "model = \"u\"\nuser = \"ann\"\ndurability = \"relaxed\"\nstore = \"u.db\"\n\n\
                [providers.p]\nkind = \"openai\"\nbase_url = \"http://u/v1\"\nkey = \"env:K\"\n\n\
                [models.u]\nprovider = \"p\"\n";
    let project = "model = \"p\"\nstore = \"p.db\"\ndurability = \"full\"\n\
                   [providers.p]\nkind = \"openai\"\nbase_url = \"http://p/v1\"\n";
    let case = Case::new(user, project)
        .with("STEADFAST_STORE", "e.db")
        .with("STEADFAST_MODEL", "e");
    let flags = Layer::default().with_flag("--model", "model", Some(json!("f")));
    let row =
        |path: &str, value: &str, origin: &str| (path.to_owned(), json!(value), origin.to_owned());
    let expected = [
        row("durability", "full", "project:3"),
        row("model", "f", "--model"),
        row("models.u.provider", "p", "user:12"),
        row("providers.p.base_url", "http://p/v1", "project:6"),
        row("providers.p.key", "env:K", "user:9"),
        row("providers.p.kind", "openai", "project:5"),
        row("store", "e.db", "STEADFAST_STORE"),
        row("user", "ann", "user:2"),
    ];
    assert_eq!(origins(&case.load_with(flags).unwrap()), expected);
}

#[test]
fn a_named_file_stands_for_the_projects_and_must_be_there() {
    let case = Case::new("", "model = \"p\"\n");
    std::fs::write(case.home.path().join("other.toml"), "model = \"o\"\n").unwrap();
    let named = case.with("STEADFAST_CONFIG", "../../../other.toml");
    assert_eq!(named.load().settings.model.as_deref(), Some("o"));
    let missing = named.with("STEADFAST_CONFIG", "gone.toml");
    let problems = missing.problems();
    assert!(problems[0].starts_with("M0020 cannot read settings `project/inner/most/gone.toml`"));
}

#[test]
fn mistakes_are_named_with_their_place() {
    let problems = |project: &str| Case::new("", project).problems();
    assert_eq!(
        problems(
            "modle = \"x\"\n[providers.p]\nkind = \"openai\"\n  basurl = \"http://p\"\ntimeouts = { idle = 3 }\n"
        ),
        [
            "M0022 project/steadfast.toml:1:1: `modle` is no setting (`model` is one)",
            "M0022 project/steadfast.toml:4:3: `basurl` is no setting (`base_url` is one)",
            "M0022 project/steadfast.toml:5:14: `idle` is no setting (here may stand: connect_ms, first_byte_ms, idle_ms, whole_ms)",
        ]
    );
    assert_eq!(
        problems("[models.m]\nprovider = \"p\"\nwindow = \"big\"\n"),
        [
            "M0021 project/steadfast.toml:3:10: invalid type: string \"big\", expected u32 (`docs/models.md` lists what each setting takes)"
        ]
    );
    let syntax = problems("model = x\n");
    assert!(
        syntax[0].starts_with("M0021 project/steadfast.toml:1:9: not TOML: "),
        "{syntax:?}"
    );
    assert_eq!(
        problems(
            "[models.m]\nprovider = \"p\"\n[models.n]\n[models.auto]\nkind = \"extractive\"\n"
        ),
        [
            "M0023 project/steadfast.toml:5:1: a model cannot be named `auto` (`auto`, `extractive` and names with a colon mean something already)",
            "M0023 project/steadfast.toml:2:1: model `m` is of provider `p`, which is not described (add a table `[providers.NAME]`)",
        ]
    );
    assert_eq!(
        problems(
            "[models.m]\nkind = \"extractive\"\nprice = { input = -1, output = 2, currency = \"USD\" }\n"
        ),
        [
            "M0023 project/steadfast.toml:2:1: the price of model `m` is none (prices are not negative and have at most six decimals)"
        ]
    );
}

/// A key stands nowhere but where its reference points: a key in the file is
/// refused, and the refusal does not show it.
#[test]
fn a_key_in_the_file_is_refused_and_not_shown() {
    let texts = [
        "[providers.p]\nkind = \"openai\"\nkey = \"sk-live-1234\"\n",
        "[providers.p]\nkind = \"openai\"\nheaders = { x-org = \"sk-live-1234\" }\n",
        "[providers.p]\nkind = \"openai\"\nheaders = { api-key = \"text:sk-live-1234\" }\n",
        "[providers.p]\nkind = \"openai\"\nheaders = { Authorization = \"text:sk-live-1234\" }\n",
        "[providers.p]\nkind = \"openai\"\nbase_url = \"http://me:sk-live-1234@p/v1\"\n",
    ];
    for text in texts {
        let problems = Case::new("", text).problems();
        assert_eq!(problems.len(), 1, "{text}");
        assert!(!problems[0].contains("sk-live-1234"), "{problems:?}");
    }
}

/// Showing and saving is no loss: what is written is what was read.
#[test]
fn a_shown_configuration_is_the_configuration() {
    let project = r#"
model = "m"
[providers.p]
kind = "anthropic"
key = "file:keys/p"
headers = { anthropic-beta = "text:b", x-org = "env:ORG" }
timeouts = { idle_ms = 5 }
[models.m]
provider = "p"
window = 9000
thinking = 4000
price = { input = 2.5, cached_input = 0.25, output = 10.0, currency = "USD" }
parameters = { temperature = 0.5, reasoning_effort = "low", extra = { top_k = 5 } }
[models."with.dot"]
kind = "extractive"
"#;
    let once = Case::new("", project).load();
    let saved = to_toml(&once.settings);
    let again = Case::new("", &saved).load();
    assert_eq!(again.settings, once.settings);
    assert!(saved.contains("key = \"file:keys/p\""), "{saved}");
    assert!(
        !saved.contains("***") && !saved.contains("[secret"),
        "{saved}"
    );
    assert!(once.values.contains_key("models.\"with.dot\".kind"));
}

#[cfg(all(feature = "openai", feature = "anthropic"))]
#[test]
fn a_described_model_is_built_as_described() {
    let project = r#"
model = "cheap"
[providers.local]
kind = "openai"
base_url = "http://localhost:11434/v1"
[providers.claude]
kind = "anthropic"
key = "file:keys/claude"
[models.cheap]
provider = "local"
model = "qwen3:8b"
window = 40000
output_tokens = 2000
price = { input = 0.1, output = 0.4, currency = "USD" }
parameters = { temperature = 0.0 }
[models.good]
provider = "claude"
model = "claude-x"
thinking = "adaptive"
[models.play]
kind = "scripted"
file = "plays/a.yaml"
"#;
    let case = Case::new("", project);
    let chosen = |case: &Case, name: &str| {
        let found = select_in(name, &case.load(), &case.env());
        found.map_err(|error| (error.code(), error.to_string()))
    };
    let (cheap, why) = chosen(&case, "auto").unwrap();
    assert_eq!(why, "`qwen3:8b` at http://localhost:11434/v1 (local)");
    assert_eq!(cheap.name(), "qwen3:8b");
    let window = Window {
        tokens: 40_000,
        output_tokens: 2_000,
    };
    assert_eq!(cheap.window(), Some(window));
    assert_eq!(cheap.parameters(), json!({"temperature": 0.0}));
    let price = Price {
        input_per_million: 100_000,
        cached_input_per_million: 100_000,
        output_per_million: 400_000,
        currency: "USD".to_owned(),
    };
    assert_eq!(cheap.price(), Some(&price));
    // The reference is followed when the model is made, from the file's folder.
    let (code, _) = chosen(&case, "good").err().unwrap();
    assert!(code.starts_with('S'), "{code}");
    let keys = case.home.path().join("project/keys");
    std::fs::create_dir_all(&keys).unwrap();
    std::fs::write(keys.join("claude"), "sk-claude-1\n").unwrap();
    let (good, why) = chosen(&case, "good").unwrap();
    assert_eq!(why, "`claude-x` at https://api.anthropic.com/v1 (claude)");
    assert_eq!(good.secrets()[0].reveal(), "sk-claude-1");
    assert_eq!(good.parameters(), json!({"thinking": "adaptive"}));
    // Any other model of a described provider.
    let (_, why) = chosen(&case, "local:llama3").unwrap();
    assert_eq!(why, "`llama3` at http://localhost:11434/v1 (local)");
    let plays = case.home.path().join("project/plays");
    std::fs::create_dir_all(&plays).unwrap();
    std::fs::write(plays.join("a.yaml"), "- say: hi\n").unwrap();
    assert_eq!(chosen(&case, "play").unwrap().0.name(), "scripted");
}

/// How tasks treat a model: the provider's word, the model's own over it.
#[cfg(feature = "openai")]
#[test]
fn a_models_own_handling_stands_over_its_providers() {
    let project = r#"
[providers.local]
kind = "openai"
base_url = "http://localhost:11434/v1"
contract_markup = "xml"
retry = { patience_ms = 600000, factor = 3 }
[models.one]
provider = "local"
contract_markup = "markdown"
retry = { patience_ms = 0 }
[models.two]
kind = "extractive"
retry = { backoff_ms = 9 }
[models.plain]
kind = "extractive"
"#;
    let case = Case::new("", project);
    let handling = |name: &str| {
        let (model, _) = select_in(name, &case.load(), &case.env()).unwrap();
        serde_json::to_value(model.handling()).unwrap()
    };
    assert_eq!(
        handling("one"),
        json!({"markup": "markdown", "retry": {"patience_ms": 0, "factor": 3}})
    );
    assert_eq!(
        handling("local:llama3"),
        json!({"markup": "xml", "retry": {"patience_ms": 600_000, "factor": 3}})
    );
    assert_eq!(handling("two"), json!({"retry": {"backoff_ms": 9}}));
    assert_eq!(handling("plain"), json!({}));
    let saved = to_toml(&case.load().settings);
    assert_eq!(Case::new("", &saved).load().settings, case.load().settings);
}

#[test]
fn a_retry_policy_that_makes_no_sense_is_named_with_its_place() {
    let problems = |project: &str| Case::new("", project).problems();
    assert_eq!(
        problems(
            "[providers.p]\nkind = \"openai\"\nretry = { factor = 0 }\n[models.m]\nkind = \"extractive\"\n\
             retry = { backoff_ms = 9, backoff_max_ms = 3 }\n"
        ),
        [
            "M0023 project/steadfast.toml:3:1: the pauses of provider `p` are to shrink: `factor` is 0 (1 keeps them as they are, 2 doubles them)",
            "M0023 project/steadfast.toml:5:1: the first pause of model `m` is 9 ms, and the longest 3 ms (give a larger `backoff_max_ms`, or a smaller `backoff_ms`)",
        ]
    );
    assert_eq!(
        problems(
            "[models.m]\nkind = \"extractive\"\nretry = { attempts = 3 }\ncontract_markup = \"xml\"\n"
        ),
        [
            "M0022 project/steadfast.toml:3:11: `attempts` is no setting (here may stand: backoff_max_ms, backoff_ms, factor, patience_ms)"
        ]
    );
    let wrong = problems("[models.m]\nkind = \"extractive\"\ncontract_markup = \"html\"\n");
    assert!(
        wrong[0].starts_with("M0021 project/steadfast.toml:3:19: unknown variant `html`"),
        "{wrong:?}"
    );
}

#[cfg(feature = "openai")]
#[test]
fn the_environment_beats_the_settings_for_auto() {
    let project = "model = \"mine\"\n[models.mine]\nkind = \"extractive\"\n[models.other]\nkind = \"extractive\"\n";
    let why = |case: Case| match select_in("auto", &case.load(), &case.env()) {
        Ok((_, why)) => why,
        Err(SelectError::Unknown { name }) => format!("unknown {name}"),
        Err(error) => panic!("{error}"),
    };
    let case = || Case::new("", project);
    assert_eq!(why(case()), "`mine` of the settings, the extractive writer");
    assert_eq!(
        why(case().with("STEADFAST_MODEL", "other")),
        "`other` of the settings, the extractive writer: STEADFAST_MODEL is set"
    );
    let endpoint = case().with("STEADFAST_BASE_URL", "http://e/v1");
    assert_eq!(
        why(endpoint),
        "`default` at http://e/v1: STEADFAST_BASE_URL is set, and STEADFAST_MODEL names no model of it"
    );
    // A name that leads nowhere is said, not passed over.
    assert_eq!(why(case().with("STEADFAST_MODEL", "gone")), "unknown gone");
}

/// The committed schema is the one of the types. `UPDATE_GOLDEN=1` rewrites it.
#[test]
fn the_schema_is_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap_or_default() == text,
        "docs/settings.schema.json is stale: run with UPDATE_GOLDEN=1"
    );
}
