//! A skill that is a Rust function.
//!
//! The function gets the arguments and the call (its idempotency key, its
//! attempt) and gives a value or a [`SkillError`] that says what is known about
//! the deed. The typed form derives the schemas of both ports from the types.
//! A panic is caught here: the deed may have been done, so the call is *lost*.

use std::any::Any;
use std::fmt;
use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::SkillName;
use steadfast_core::workflow::spec::{Approval, EffectClass, Retry, SkillSpec};

use super::{Skill, SkillCall, SkillError};

type Run = dyn Fn(SkillCall) -> BoxFuture<'static, Result<Value, SkillError>> + Send + Sync;

/// A Rust async function with the spec of a skill.
///
/// ```
/// use serde_json::json;
/// use steadfast::skill::FunctionSkill;
/// use steadfast_core::workflow::spec::EffectClass;
///
/// let skill = FunctionSkill::new(|call| async move {
///     let text = call.args["text"].as_str().unwrap_or_default();
///     Ok(json!({ "letters": text.chars().count() }))
/// })
/// .description("Counts the letters of a text.")
/// .input(json!({ "type": "object", "required": ["text"],
///                "properties": { "text": { "type": "string" } } }))
/// .effect(EffectClass::Read);
/// # let _ = skill;
/// ```
pub struct FunctionSkill {
    spec: SkillSpec,
    run: Box<Run>,
}

impl FunctionSkill {
    /// A function of the call; `call.args` holds the arguments.
    pub fn new<F, Fut>(run: F) -> Self
    where
        F: Fn(SkillCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, SkillError>> + Send + 'static,
    {
        let run = Box::new(move |call| run(call).boxed());
        FunctionSkill {
            spec: empty_spec(),
            run,
        }
    }

    /// A function of typed arguments; both schemas come from the types.
    ///
    /// Arguments that pass the schema and still do not fit the type are a
    /// failure *before* the deed ([`SkillFailure::NotStarted`]).
    pub fn typed<A, R, F, Fut>(run: F) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize + JsonSchema,
        F: Fn(A, SkillCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, SkillError>> + Send + 'static,
    {
        let run = Box::new(move |call: SkillCall| match A::deserialize(&call.args) {
            Ok(args) => {
                let done = run(args, call);
                async move { done.await.and_then(|result| to_value(&result)) }.boxed()
            }
            Err(error) => {
                let refused = SkillError::not_started(format!("arguments do not fit: {error}"));
                std::future::ready(Err(refused)).boxed()
            }
        });
        FunctionSkill {
            spec: empty_spec(),
            run,
        }
        .input(schema_of::<A>())
        .output(schema_of::<R>())
    }

    /// What the skill is for, as the model reads it.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.spec.description = description.into();
        self
    }

    /// JSON Schema of the arguments (an object).
    #[must_use]
    pub fn input(mut self, schema: Value) -> Self {
        self.spec.input = schema;
        self
    }

    /// JSON Schema of the result; the runtime holds each result to it.
    #[must_use]
    pub fn output(mut self, schema: Value) -> Self {
        self.spec.output = schema;
        self
    }

    /// What carrying it out twice would do.
    #[must_use]
    pub fn effect(mut self, effect: EffectClass) -> Self {
        self.spec.effect = Some(effect);
        self
    }

    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.spec.retry = Some(retry);
        self
    }

    /// A person must approve each exact call.
    #[must_use]
    pub fn needs_approval(mut self) -> Self {
        self.spec.approval = Approval::Required;
        self
    }

    /// CEL over `result`: when a result counts as success.
    #[must_use]
    pub fn success_when(mut self, condition: impl Into<String>) -> Self {
        self.spec.success_when = Some(condition.into());
        self
    }

    /// The argument whose text this skill checks.
    #[must_use]
    pub fn checks(mut self, argument: impl Into<String>) -> Self {
        self.spec.checks = Some(argument.into());
        self
    }

    /// The read-only skill that tells whether a deed in doubt was done.
    #[must_use]
    pub fn verify(mut self, skill: impl Into<SkillName>) -> Self {
        self.spec.verify = Some(skill.into());
        self
    }

    /// The argument that carries the idempotency key.
    #[must_use]
    pub fn key_arg(mut self, argument: impl Into<String>) -> Self {
        self.spec.key_arg = Some(argument.into());
        self
    }

    #[must_use]
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.spec.timeout_ms = Some(timeout_ms);
        self
    }

    /// The rest of the spec, where no method above sets it.
    #[must_use]
    pub fn with_spec(mut self, change: impl FnOnce(&mut SkillSpec)) -> Self {
        change(&mut self.spec);
        self
    }
}

#[async_trait]
impl Skill for FunctionSkill {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        // The call of `run` lies inside the future too: a closure may panic
        // before it gives its future back.
        let done = async { (self.run)(call.clone()).await };
        AssertUnwindSafe(done)
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| {
                let message = format!("the function panicked: {}", panic_text(panic.as_ref()));
                Err(SkillError::new(SkillFailure::Lost, message))
            })
    }
}

impl fmt::Debug for FunctionSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionSkill")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

fn empty_spec() -> SkillSpec {
    SkillSpec {
        kind: Some("function".to_owned()),
        ..SkillSpec::default()
    }
}

/// The schema of a type with everything inline: models read references badly.
fn schema_of<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("$schema");
    schema.remove("title");
    schema.into()
}

/// The function has returned, so the deed is done; that its result cannot be
/// written down leaves it in doubt.
fn to_value<R: Serialize>(result: &R) -> Result<Value, SkillError> {
    serde_json::to_value(result).map_err(|error| {
        SkillError::new(
            SkillFailure::Lost,
            format!("the result is not JSON: {error}"),
        )
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
