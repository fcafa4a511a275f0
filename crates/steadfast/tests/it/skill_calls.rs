//! What the skill tests share: one call, and a skill by its entry.

use serde_json::Value;
use steadfast::skill::{Meter, SkillCall, TaskModel};
use steadfast_core::hash::Hash;
use steadfast_core::workflow::spec::SkillSpec;

#[cfg(feature = "builtin-skills")]
pub(crate) use built_in::{builtin, run};

/// A call with these arguments and ten seconds.
pub(crate) fn call(args: Value) -> SkillCall {
    SkillCall {
        task: "t_test".into(),
        call: "s3.1".into(),
        args,
        key: Hash::of_bytes(b"key"),
        attempt: 2,
        timeout_ms: 10_000,
        meter: Meter::default(),
        model: TaskModel::default(),
    }
}

/// The entry of a skill, as a workflow file would have it.
pub(crate) fn entry(kind: &str, config: Value) -> SkillSpec {
    SkillSpec {
        kind: Some(kind.to_owned()),
        config,
        ..SkillSpec::default()
    }
}

#[cfg(feature = "builtin-skills")]
mod built_in {
    use std::path::Path;
    use std::sync::Arc;

    use serde_json::Value;
    use steadfast::skill::{Skill, SkillError, builtin as built_ins};

    use super::{call, entry};

    /// A built-in with this configuration.
    pub(crate) fn builtin(name: &str, config: Value, base_dir: &Path) -> Arc<dyn Skill> {
        let built = built_ins::build(&name.into(), &entry("builtin", config), base_dir);
        built.unwrap().unwrap()
    }

    /// Calls a built-in that needs no folder.
    pub(crate) async fn run(name: &str, config: Value, args: Value) -> Result<Value, SkillError> {
        let skill = builtin(name, config, Path::new("."));
        skill.call(&call(args)).await
    }
}
