//! `config`, and the settings that every command takes from files.

use expect_test::expect;

use crate::harness::Case;

const SETTINGS: &str = r#"model = "play"
store = "tasks.db"
durability = "relaxed"
user = "bob"

[providers.claude]
kind = "anthropic"
key = "env:CLAUDE_KEY"

[models.play]
kind = "scripted"
file = "play.yaml"

[models.good]
provider = "claude"
price = { input = 2.5, output = 10, currency = "USD" }
"#;

#[test]
fn show_says_where_each_value_comes_from() {
    let case = Case::new();
    case.write("steadfast.toml", SETTINGS);
    case.check(
        &["config", "show", "--durability", "full"],
        expect![[r#"
            exit 0
            --- stdout
            durability = "full"                      # --durability
            model = "play"                           # [FOLDER]/steadfast.toml:1
            models.good.price.currency = "USD"       # [FOLDER]/steadfast.toml:16
            models.good.price.input = 2.5            # [FOLDER]/steadfast.toml:16
            models.good.price.output = 10            # [FOLDER]/steadfast.toml:16
            models.good.provider = "claude"          # [FOLDER]/steadfast.toml:15
            models.play.file = "play.yaml"           # [FOLDER]/steadfast.toml:12
            models.play.kind = "scripted"            # [FOLDER]/steadfast.toml:11
            providers.claude.key = "env:CLAUDE_KEY"  # [FOLDER]/steadfast.toml:8
            providers.claude.kind = "anthropic"      # [FOLDER]/steadfast.toml:7
            store = "tasks.db"                       # [FOLDER]/steadfast.toml:2
            user = "ana"                             # STEADFAST_USER
        "#]],
    );
}

/// The value of a key is read only to make the model: nothing shows it, and
/// what is saved is what was there.
#[test]
fn a_shown_configuration_holds_no_secret_and_can_be_saved() {
    let case = Case::new();
    case.write("steadfast.toml", SETTINGS);
    let shown = |args: &[&str]| {
        let mut command = case.command(args);
        command.env("CLAUDE_KEY", "sk-live-123456");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let saved = shown(&["config", "show", "--toml"]);
    let json = shown(&["config", "show", "--json"]);
    for text in [&saved, &json] {
        assert!(
            text.contains("env:CLAUDE_KEY") && !text.contains("sk-live-123456"),
            "{text}"
        );
    }
    case.write("steadfast.toml", &saved);
    assert_eq!(shown(&["config", "show", "--toml"]), saved);
}

#[test]
fn mistakes_are_listed_by_check_and_stop_every_other_command() {
    let case = Case::new();
    case.write(
        "steadfast.toml",
        "modle = \"x\"\n[providers.p]\nkid = \"openai\"\n",
    );
    case.check(
        &["config", "check"],
        expect![[r#"
        exit 3
        --- stdout
        error[M0022]: [FOLDER]/steadfast.toml:1:1: `modle` is no setting
          hint: `model` is one
        error[M0022]: [FOLDER]/steadfast.toml:3:1: `kid` is no setting
          hint: `kind` is one
    "#]],
    );
    case.check(
        &["tasks"],
        expect![[r#"
        exit 1
        --- stderr
        error[M0022]: [FOLDER]/steadfast.toml:1:1: `modle` is no setting
          [FOLDER]/steadfast.toml:3:1: `kid` is no setting

        hint: `model` is one
    "#]],
    );
    case.write("steadfast.toml", "model = \"extractive\"\n");
    case.check(
        &["config", "check"],
        expect![[r#"
        exit 0
        --- stderr
        nothing is wrong
    "#]],
    );
}

/// The settings choose the model, the store and the user, from a folder below.
#[cfg(unix)]
#[test]
fn a_run_takes_its_settings_from_the_file() {
    let case = crate::harness::payment("none");
    case.write("steadfast.toml", SETTINGS);
    case.write("play.yaml", &case.read("script.yaml"));
    let ran = case.run(&[
        "run",
        "pay.yaml",
        "--input",
        "Pay the bill.",
        "--task",
        "t1",
    ]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (0, "All is paid.\n"),
        "{}",
        ran.stderr
    );
    let why = "`play` of the settings, the script `";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
    assert!(case.path("tasks.db").exists());
    assert!(!case.path(".steadfast").exists());
}

/// A prompt may name a model that the settings describe; the contract stands in
/// the mark-up that they give the task's own model.
#[test]
fn prompts_and_contracts_follow_the_described_models() {
    let case = Case::new();
    case.write(
        "steadfast.toml",
        "model = \"play\"\n[models.play]\nkind = \"scripted\"\nfile = \"play.yaml\"\n\
         contract_markup = \"xml\"\nretry = { patience_ms = 5000 }\n\
         [models.judge]\nkind = \"scripted\"\nfile = \"judge.yaml\"\n",
    );
    case.write("judge.yaml", "- say: '{\"mood\": \"good\"}'\n");
    case.write(
        "play.yaml",
        "- call: { skill: rate, args: { topic: tea } }\n- say: It is good.\n",
    );
    case.write(
        "rate.yaml",
        r"workflow_id: rating
initial_state: A
states:
  A:
    skill: rate
    on_success: DONE
    on_failure: A_RETRY
skills:
  rate:
    kind: prompt
    effect: read
    input: { type: object, properties: { topic: { type: string } } }
    output: { type: object, required: [mood], properties: { mood: { type: string } } }
    config: { prompt: 'Rate {topic}.', model: judge }
",
    );
    let ran = case.run(&["run", "rate.yaml", "--input", "Rate tea.", "--task", "t1"]);
    let got = (ran.exit, ran.stdout.as_str());
    assert_eq!(got, (0, "It is good.\n"), "{}", ran.stderr);
    let log = case.run(&["log", "t1"]).stdout;
    let handled: Vec<&str> = log.lines().filter(|l| l.contains("handling_set")).collect();
    assert_eq!(handled.len(), 1, "{log}");
    let said = r#"scripted {"markup":"xml","retry":{"patience_ms":5000}}"#;
    assert!(handled[0].contains(said), "{handled:?}");
    let content = case.run(&["log", "t1", "--json"]).stdout;
    assert!(content.contains("<execution_contract>"), "{content}");
    assert!(!content.contains("[EXECUTION_CONTRACT]"), "{content}");
    // The contexts come out again from the log alone.
    let verified = case.run(&["verify", "t1"]);
    assert_eq!(verified.exit, 0, "{}{}", verified.stdout, verified.stderr);
}

/// A run is recorded once and replayed without the model: the same answer, and
/// a miss where the input is another.
#[cfg(unix)]
#[test]
fn a_run_is_recorded_once_and_replayed_after() {
    let case = crate::harness::payment("none");
    let run = |task: &str, input: &str, model: [&str; 2], more: &[&str]| {
        let args = ["run", "pay.yaml", "--input", input, "--task", task];
        case.run(&[&args[..], &model[..], more].concat())
    };
    let script = ["--model", "script:script.yaml"];
    let first = run("t1", "Pay.", script, &["--record", "a.jsonl"]);
    assert_eq!(
        (first.exit, first.stdout.as_str()),
        (0, "All is paid.\n"),
        "{}",
        first.stderr
    );
    let again = run("t2", "Pay.", script, &["--record", "a.jsonl"]);
    assert!(again.stderr.contains("error[M0007]"), "{}", again.stderr);
    assert_eq!(again.exit, 1);
    let replayed = run("t3", "Pay.", ["--replay", "a.jsonl"], &[]);
    assert_eq!(
        (replayed.exit, replayed.stdout),
        (0, first.stdout),
        "{}",
        replayed.stderr
    );
    let other = run("t4", "Pay twice.", ["--replay", "a.jsonl"], &[]);
    assert_eq!(other.exit, 3);
    let said = "differs at message";
    assert!(other.stderr.contains(said), "{}", other.stderr);
    assert!(other.stderr.contains("not_recorded"), "{}", other.stderr);
}
