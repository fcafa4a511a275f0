//! Integration tests of the library, one module a topic.

// Helpers of tests are tests: `allow-unwrap-in-tests` sees only the functions
// that bear `#[test]` themselves.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod audit_fast;
mod audit_infer;
mod audit_monitor;
mod audit_read;
mod cases;
mod drift;
mod driver;
mod fit;
mod handoff;
mod handoff_pause;
mod inspect;
#[cfg(feature = "anthropic")]
mod memory;
mod model_anthropic;
#[cfg(feature = "anthropic")]
mod model_anthropic_stream;
mod model_extractive;
#[cfg(feature = "builtin-skills")]
mod model_extractive_pipeline;
#[cfg(any(feature = "openai", feature = "anthropic"))]
mod model_loopback;
#[cfg(feature = "openai")]
mod model_openai;
#[cfg(feature = "openai")]
mod model_openai_stream;
mod model_recorded;
mod model_request;
mod model_scripted;
mod model_select;
#[cfg(all(feature = "openai", feature = "anthropic"))]
mod model_switch;
mod patience;
#[cfg(all(feature = "openai", feature = "recall"))]
mod recall_endpoint;
mod replay_sides;
mod secrets;
mod settings;
mod skill_calls;
mod skill_command;
#[cfg(feature = "builtin-skills")]
mod skill_format_check;
mod skill_function;
#[cfg(feature = "http")]
mod skill_http;
#[cfg(feature = "http")]
mod skill_http_deeds;
#[cfg(feature = "http")]
mod skill_http_hosts;
#[cfg(feature = "builtin-skills")]
mod skill_keywords;
#[cfg(feature = "builtin-skills")]
mod skill_knowledge;
#[cfg(feature = "mcp")]
mod skill_mcp;
#[cfg(feature = "mcp")]
mod skill_mcp_http;
#[cfg(feature = "mcp")]
mod skill_mcp_real;
#[cfg(feature = "builtin-skills")]
mod skill_pipeline;
mod skill_prompt;
#[cfg(feature = "builtin-skills")]
mod skill_registry;
mod spec_article;
mod spec_read;
mod validators;
