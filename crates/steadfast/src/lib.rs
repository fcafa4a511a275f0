//! A runtime that keeps long LLM-agent tasks on course: no step skipped, no
//! rule lost, no deed done twice, every step replayable.
//!
//! ```
//! use std::{collections::BTreeMap, sync::Arc};
//! use serde_json::json;
//! use steadfast::core::{content::Salt, event::task::Window, id::TaskId};
//! use steadfast::core::task::{Outcome, Start};
//! use steadfast::driver::{Driver, Rest};
//! use steadfast::model::Script;
//! use steadfast::skill::{FunctionSkill, Skill, Skills};
//! use steadfast::store::{MemoryLog, Takeover};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let workflow = serde_json::from_value(json!({
//!     "workflow_id": "hello",
//!     "initial_state": "S1",
//!     "states": { "S1": { "skill": "shout", "on_success": "DONE" } },
//!     "skills": { "shout": { "kind": "function", "effect": "read" } }
//! }))?;
//! let shout = FunctionSkill::new(|call| async move {
//!     Ok(json!(call.args["text"].as_str().unwrap_or_default().to_uppercase()))
//! });
//! let skills: Skills = [("shout".into(), Arc::new(shout) as Arc<dyn Skill>)].into_iter().collect();
//!
//! // A model that answers at once, is refused, and then does its duty.
//! let model = Script::new().say("HELLO").call("shout", json!({ "text": "hello" })).say("HELLO");
//! let log = Arc::new(MemoryLog::new());
//! let driver = Driver::new(log, Arc::new(model.build()), skills);
//!
//! let task = TaskId::new("t_1");
//! let start = Start {
//!     workflow,
//!     principal: "ann".into(),
//!     input: "shout hello".to_owned(),
//!     documents: vec![],
//!     facts: BTreeMap::new(),
//!     parent: None,
//!     budget: Default::default(),
//!     window: Window { tokens: 8_000, output_tokens: 1_000 },
//! };
//! driver.start(&task, Salt([7; 32]), start).await?;
//! let Rest::Ended(Outcome::Completed { answer }) = driver.run(&task, Takeover::IfExpired).await?
//! else { panic!("not completed") };
//! assert_eq!(answer.text(), "HELLO");
//! # Ok(())
//! # }
//! ```
//!
//! The flow, and what each part of it may do, is drawn in [`core`]. Here is what
//! acts: the [`driver`], [`model`]s, [`skill`]s, what keeps [`secret`]s out of
//! logs, the reader of workflow files ([`spec`]), and the [`rules`] that the core asks (JSON Schema, CEL, tokens).
//!
//! Not here: a language model, an agent loop of your own making, prompts. A
//! prompt is assembled from typed fragments; nothing else reaches a model.
//!
//! | feature | what it adds | default |
//! |---|---|---|
//! | `openai` | the client of OpenAI-compatible endpoints | yes |
//! | `anthropic` | the client of the Anthropic Messages API | yes |
//! | `sqlite` | the SQLite log | yes |
//! | `builtin-skills` | keyword extraction, folder search, the Markdown check | yes |
//! | `recall` | searching earlier steps by words and meaning | yes |
//! | `http` | skills that are HTTP requests | yes |
//! | `otel` | sending spans and metrics over OTLP/HTTP | no |
//! | `mcp` | skills that are tools of Model Context Protocol servers | no |

pub mod attempts;
pub mod audit;
pub mod cases;
pub mod clock;
pub mod conversation;
pub mod drill;
pub mod driver;
pub mod fit;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
pub mod inspect;
pub mod metrics;
pub mod model;
#[cfg(feature = "recall")]
pub mod recall;
pub mod replay;
pub mod review;
pub mod rules;
pub mod secret;
pub mod settings;
pub mod skill;
pub mod spec;
pub mod telemetry;
pub mod zone;

pub use steadfast_core as core;
pub use steadfast_store as store;
