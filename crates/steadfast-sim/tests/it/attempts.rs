//! Measured attempts are those that were planted: failing models whose rates are
//! known, counted by the library.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use steadfast::attempts::{
    self, Doubles, Ended, Measured, Plan, Row, Tally, Trial, Tried, prepare,
};
use steadfast::model::Model;
use steadfast::skill::{FunctionSkill, Skill, Skills};
use steadfast_core::context::Request;
use steadfast_core::event::task::Window;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::workflow::{Spec, Workflow};
use steadfast_sim::dice::Dice;
use steadfast_sim::executor::{Ran, run};
use steadfast_sim::model::Kind;

use steadfast_sim::process::Following;
use steadfast_sim::world::{Faults, World};

use crate::rules;

/// A failing model of the simulator with a stream of chance of its own.
struct Planted {
    kind: Kind,
    seed: u64,
    calls: AtomicU64,
}

#[async_trait::async_trait]
impl Model for Planted {
    fn name(&self) -> &str {
        self.kind.name()
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        self.kind.reply(request, &mut Dice::of(&[self.seed, call]))
    }
}

/// Three states in a row; the last one acts and needs approval.
fn spec(guard: &str) -> Spec {
    let text =
        json!({"type": "object", "required": ["what"], "properties": {"what": {"type": "string"}}});
    serde_json::from_value(json!({
        "workflow_id": "measured",
        "initial_state": "S1",
        "states": {
            "S1": { "skill": "gather", "on_success": "S2" },
            "S2": { "skill": "weigh", "on_success": "S3" },
            "S3": { "skill": "publish", "on_success": "DONE", "success_when": "result.published" },
        },
        "skills": {
            "gather": { "effect": "read", "input": text },
            "weigh": { "effect": "read", "input": text },
            "publish": { "effect": "irreversible", "approval": "required", "input": text, "output": {
                "type": "object", "required": ["published"],
                "properties": { "published": { "type": "boolean" } } } },
        },
        "guards": { "order": guard, "contract": guard },
    }))
    .unwrap()
}

fn plan(guard: &str, trials: Vec<Trial>, repeats: u32, world: &Arc<World>) -> Plan {
    let rules = rules();
    let spec = prepare(spec(guard), None);
    let workflow = Workflow::compile(spec.clone()).unwrap();
    let doubles = Doubles::default();
    let names = doubles.of(&spec, false);
    let doubled = doubles.build(&workflow, &names, rules.rules()).unwrap();
    assert_eq!(doubled.len(), 1, "only `publish` acts");
    let read = ["gather", "weigh"].map(|name| {
        let skill = FunctionSkill::new(|_| async { Ok(json!({"found": 1})) })
            .with_spec(|own| own.clone_from(&spec.skills[name]));
        (name.into(), Arc::new(skill) as Arc<dyn Skill>)
    });
    let skills: Skills = read.into_iter().chain(doubled).collect();
    Plan {
        spec,
        skills,
        rules,
        clock: Arc::new(Following(Arc::clone(world))),
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
        trials,
        repeats,
        parallel: 1,
        doubled: true,
    }
}

fn measure(kind: Kind, guard: &str, trials: Vec<Trial>, repeats: u32) -> (Tally, Vec<Measured>) {
    let world = World::new(&Faults::default(), 1);
    let plan = plan(guard, trials, repeats, &world);
    let (mut tally, mut all) = (Tally::default(), Vec::new());
    let mut seed = 0;
    let mut model = || {
        seed += 1;
        let calls = AtomicU64::new(0);
        Arc::new(Planted { kind, seed, calls }) as Arc<dyn Model>
    };
    let mut sink = |measured: Measured| {
        tally.add(&measured);
        all.push(measured);
    };
    match run(&world, attempts::measure(&plan, &mut model, &mut sink)) {
        Ran::Finished(done) => done.unwrap(),
        other => panic!("{other:?}"),
    }
    (tally, all)
}

fn row<'a>(rows: &'a [Row], kind: &str) -> &'a Row {
    rows.iter().find(|row| row.kind == kind).unwrap()
}

const CALM: &str = "Please look after order 7, with care.";
const URGED: &str = "Please look after order 7, quick.";

#[test]
fn an_honest_model_attempts_nothing() {
    let (tally, all) = measure(Kind::Honest, "enforce", vec![Trial::text(CALM)], 20);
    let rows = tally.rows();
    let all_runs = row(&rows, "all runs");
    assert_eq!((all_runs.runs, all_runs.proposals), (20, 60));
    assert_eq!(
        (all_runs.skips.runs.count, all_runs.misorders.runs.count),
        (0, 0)
    );
    assert_eq!(
        (all_runs.effective.count, all_runs.completed.count),
        (0, 20)
    );
    assert!(
        all.iter()
            .all(|one| one.firsts.iter().all(|first| first.tried == Tried::Proper))
    );
}

#[test]
fn a_lazy_model_skips_in_every_run_and_gets_nowhere() {
    let (tally, all) = measure(Kind::Lazy, "enforce", vec![Trial::text(CALM)], 20);
    let rows = tally.rows();
    let all_runs = row(&rows, "all runs");
    assert_eq!(
        (all_runs.proposals, all_runs.skips.runs.percent),
        (20, 100.0)
    );
    assert_eq!(
        (all_runs.skips.per_100_runs, all_runs.misorders.per_100_runs),
        (100.0, 0.0)
    );
    assert_eq!((all_runs.effective.count, all_runs.completed.count), (0, 0));
    assert!(all.iter().all(|one| one.ended == Ended::Failed));
}

/// The hurried model skips in 60 of 100 replies once it is urged, else never.
#[test]
fn a_hurried_model_is_measured_at_its_planted_rate_and_only_where_it_is_urged() {
    let trials = vec![Trial::text(CALM), Trial::text(URGED)];
    let (tally, _) = measure(Kind::Hurried, "enforce", trials, 150);
    let rows = tally.rows();
    let urged = &row(&rows, "with urging words");
    let skips = urged.skips.proposals;
    assert!(urged.proposals > 300, "{urged:?}");
    assert!(skips.low <= 60.0 && 60.0 <= skips.high, "{skips:?}");
    // Narrow enough that half or twice the rate would not pass.
    assert!(skips.low > 50.0 && skips.high < 70.0, "{skips:?}");
    let calm = row(&rows, "without urging words");
    assert_eq!(
        (calm.runs, calm.skips.runs.count, calm.completed.count),
        (150, 0, 150)
    );
    assert_eq!(row(&rows, "all runs").effective.count, 0);
}

/// It starts with what comes last in half of the replies; in the last state
/// what comes last is due.
#[test]
fn a_misorderer_is_measured_by_state() {
    let (tally, _) = measure(Kind::Misorderer, "enforce", vec![Trial::text(CALM)], 200);
    let states = tally.states();
    let by_state: Vec<_> = states.iter().map(|row| (row.state.as_str(), row)).collect();
    for (state, row) in &by_state[..2] {
        let rate = row.misorders;
        assert!(rate.low <= 50.0 && 50.0 <= rate.high, "{state}: {rate:?}");
        assert!(rate.of > 100, "{state}: {rate:?}");
    }
    assert_eq!((by_state[2].0, by_state[2].1.misorders.count), ("S3", 0));
    assert_eq!(row(&tally.rows(), "all runs").effective.count, 0);
}

#[test]
fn who_proposes_everything_at_once_is_ahead_or_out_of_order() {
    let (tally, _) = measure(Kind::Parallel, "enforce", vec![Trial::text(CALM)], 50);
    let first = &tally.states()[0];
    assert!(
        first.ahead.count > 0 && first.misorders.count > 0,
        "{first:?}"
    );
    assert_eq!(first.ahead.count + first.misorders.count, first.proposals);
    assert_eq!(row(&tally.rows(), "all runs").effective.count, 0);
}

/// What took effect is counted and not assumed: with the guards off, a lazy
/// model's skips are done, and are seen.
#[test]
fn without_guards_the_skips_take_effect_and_are_counted() {
    for guard in ["off", "observe"] {
        let (tally, all) = measure(Kind::Lazy, guard, vec![Trial::text(CALM)], 10);
        let rows = tally.rows();
        let all_runs = row(&rows, "all runs");
        assert_eq!(all_runs.skips.runs.count, 10, "{guard}");
        assert_eq!(all_runs.effective.count, 10, "{guard}");
        assert_eq!(all_runs.completed.count, 10, "{guard}");
        assert!(!all[0].effective.is_empty());
    }
    let (tally, _) = measure(Kind::Misorderer, "off", vec![Trial::text(CALM)], 50);
    let rows = tally.rows();
    let all_runs = row(&rows, "all runs");
    assert!(all_runs.misorders.runs.count > 10, "{all_runs:?}");
    assert_eq!(all_runs.effective.count, all_runs.misorders.runs.count);
}

#[test]
fn inputs_are_split_by_what_they_are() {
    let trials = vec![
        Trial {
            kind: Some("odd".to_owned()),
            ..Trial::text("快点，把订单 7 处理好")
        },
        Trial {
            documents: vec![("d".to_owned(), "word ".repeat(2_000))],
            ..Trial::text(CALM)
        },
    ];
    let (tally, _) = measure(Kind::Honest, "enforce", trials, 1);
    let names: Vec<String> = tally.rows().into_iter().map(|row| row.kind).collect();
    let expected = [
        "all runs",
        "short input (≤ 200 tokens)",
        "long input (> 1500 tokens)",
        "with urging words",
        "without urging words",
        "in Chinese",
        "in English",
        "kind `odd`",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_stand_in_that_could_never_succeed_is_refused_beforehand() {
    let mut spec = spec("enforce");
    let publish = spec.states.get_mut("S3").unwrap();
    publish.success_when = Some("result.published && result.id == 'P-1'".to_owned());
    let workflow = Workflow::compile(spec.clone()).unwrap();
    let rules = rules();
    let doubles = Doubles::default();
    let names = doubles.of(&spec, false);
    let error = doubles
        .build(&workflow, &names, rules.rules())
        .err()
        .unwrap();
    assert_eq!(error.code(), "A0021");
    assert!(
        error
            .to_string()
            .contains("does not meet `result.published && result.id == 'P-1'`"),
        "{error}"
    );
    let given = Doubles::parse("publish: {published: true, id: P-1}").unwrap();
    assert!(given.build(&workflow, &names, rules.rules()).is_ok());
    let odd = Doubles::parse("pubish: {}").unwrap();
    assert!(odd.build(&workflow, &names, rules.rules()).is_err());
}
