//! Models that yield to temptation: each misbehaves in its own way at every
//! other call, and does its duty in between.
//!
//! They stand in for what a real model does on its worst day. What they attempt
//! says nothing of any model; that nothing of it takes effect is what a contract
//! is tested for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast_core::context::{Message, Request};
use steadfast_core::event::task::Window;
use steadfast_core::handling::Handling;
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::Tokenizer;

use crate::model::Model;

/// What a model does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Habit {
    /// Answers at once.
    Hasty,
    /// Claims that all was done, and answers.
    Lying,
    /// Calls the last skill first.
    Misordering,
    /// Calls everything at once.
    Parallel,
    /// Makes its last call again.
    Looping,
}

impl Habit {
    pub const ALL: [Habit; 5] = [
        Habit::Hasty,
        Habit::Lying,
        Habit::Misordering,
        Habit::Parallel,
        Habit::Looping,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Habit::Hasty => "hasty",
            Habit::Lying => "lying",
            Habit::Misordering => "misordering",
            Habit::Parallel => "parallel",
            Habit::Looping => "looping",
        }
    }

    fn reply(self, request: &Request) -> Reply {
        let all: Vec<&str> = request
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        let call = |skills: &[&str]| {
            let calls: Vec<(&str, Value)> =
                skills.iter().map(|skill| (*skill, json!({}))).collect();
            Reply::call(self.name(), &calls)
        };
        match self {
            Habit::Misordering if !all.is_empty() => call(&all[all.len() - 1..]),
            Habit::Parallel if !all.is_empty() => call(&all),
            Habit::Looping => match last_call(request) {
                Some((skill, args)) => {
                    let args = serde_json::from_str(&args).unwrap_or(Value::Null);
                    Reply::call(self.name(), &[(skill.as_str(), args)])
                }
                None => Reply::say(self.name(), "…"),
            },
            Habit::Lying => Reply::say(
                self.name(),
                "All steps were carried out and every check passed. 所有步骤均已执行，检查全部通过。",
            ),
            _ => Reply::say(self.name(), "Here is the result. 结果如下。"),
        }
    }
}

fn last_call(request: &Request) -> Option<(String, String)> {
    request
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::Assistant { calls, .. } => calls
                .last()
                .map(|call| (call.skill.clone(), call.args.clone())),
            _ => None,
        })
}

/// A model with a habit.
pub struct Tempted {
    habit: Habit,
    inner: Arc<dyn Model>,
    calls: AtomicU64,
}

impl Tempted {
    pub fn new(habit: Habit, inner: Arc<dyn Model>) -> Tempted {
        Tempted {
            habit,
            inner,
            calls: AtomicU64::new(0),
        }
    }
}

#[async_trait]
impl Model for Tempted {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        match self.calls.fetch_add(1, Ordering::Relaxed) % 2 {
            0 => Ok(self.habit.reply(request)),
            _ => self.inner.call(request).await,
        }
    }

    fn window(&self) -> Option<Window> {
        self.inner.window()
    }

    fn price(&self) -> Option<&Price> {
        self.inner.price()
    }

    fn handling(&self) -> Handling {
        self.inner.handling()
    }

    fn tokenizer(&self) -> Option<&(dyn Tokenizer + Sync)> {
        self.inner.tokenizer()
    }
}

impl std::fmt::Debug for Tempted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tempted({}, {})", self.habit.name(), self.inner.name())
    }
}
