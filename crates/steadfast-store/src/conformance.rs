//! The suite that every backend passes: what [`Log`] promises, as checks.
//!
//! Call [`suite`] from a test with a function that makes an empty log. A check
//! that fails panics. What only one backend can do (files, damage, processes)
//! is tested beside that backend.

mod append;
mod erase;
mod inbox;
mod lease;
mod read;
mod snapshot;
mod tasks;

use steadfast_core::content::Salt;
use steadfast_core::event::task::UserSent;
use steadfast_core::event::{Body, Event, Sealed, seal};
use steadfast_core::id::{Epoch, Principal, TaskId, Timestamp};
use steadfast_core::source::Source;

use crate::log::{Batch, Head, Log, TaskHeader};

macro_rules! checks {
    ($($module:ident: $($check:ident)+;)+) => {
        /// Runs every check, each on a log of its own.
        pub async fn suite<L: Log>(fresh: impl AsyncFn() -> L) {
            $($($module::$check(&fresh().await).await;)+)+
        }
    };
}

checks! {
    tasks: a_task_is_made_once a_name_must_be_valid an_unknown_task_is_refused
        lists_are_newest_first_and_filtered a_prefix_finds_its_tasks
        status_stays_until_the_next
        lists_say_who_holds_a_task;
    append: appends_chain_and_move_the_head a_wrong_head_is_a_conflict
        a_batch_is_all_or_nothing a_broken_batch_is_refused content_is_kept_once
        foreign_content_is_refused a_batch_may_be_empty;
    read: reads_come_in_pages reads_beyond_the_head_are_empty tasks_do_not_see_each_other
        events_load_with_their_content values_hydrate missing_content_is_named any_bytes_round_trip;
    lease: a_held_task_is_busy an_expired_one_is_taken force_takes_at_once
        a_taken_over_writer_is_fenced renewal_and_release r105_the_late_writer_is_refused;
    inbox: items_wait_in_order an_append_consumes a_key_makes_posts_idempotent
        a_full_inbox_refuses;
    erase: what_was_forgotten_is_gone others_are_left a_forgotten_task_takes_nothing
        only_the_holder_forgets;
    snapshot: the_latest_not_ahead_is_given old_ones_go_and_all_can;
}

/// A writer that knows where a task stands, for tests.
#[derive(Clone, Debug)]
pub struct Script {
    pub task: TaskId,
    pub salt: Salt,
    pub head: Head,
    pub epoch: Epoch,
}

impl Script {
    /// Makes a task and stands at its start.
    pub async fn start(log: &impl Log, task: &str) -> Script {
        let script = Script {
            task: task.into(),
            salt: Salt([7; 32]),
            head: Head::EMPTY,
            epoch: Epoch(0),
        };
        log.create(&script.task, script.header())
            .await
            .expect("the log holds no such task");
        script
    }

    pub fn header(&self) -> TaskHeader {
        TaskHeader {
            salt: self.salt,
            workflow_id: "pipeline".to_owned(),
            created_at: Timestamp(1_000_000),
            parent: None,
        }
    }

    /// The events that say `texts`, from the head on.
    pub fn events(&self, texts: &[&[u8]]) -> Vec<Event> {
        let from = self.head.seq.0 + 1;
        let event = |(seq, text): (u64, &&[u8])| Event {
            seq: steadfast_core::id::Seq(seq),
            at: Timestamp(1_000_000 + seq.cast_signed()),
            epoch: self.epoch,
            source: user(),
            body: Body::UserSent(UserSent {
                text: self.salt.seal(*text),
            }),
        };
        (from..).zip(texts).map(event).collect()
    }

    pub fn sealed(&self, texts: &[&[u8]]) -> Vec<Sealed> {
        seal(self.head.hash, &mut self.events(texts))
    }

    pub fn batch(&self, texts: &[&[u8]]) -> Batch {
        let (expected, epoch) = (self.head.seq, self.epoch);
        Batch {
            expected,
            epoch,
            events: self.sealed(texts),
            ..Batch::default()
        }
    }

    /// Appends one batch and moves on to its end.
    pub async fn say(&mut self, log: &impl Log, texts: &[&[u8]]) -> Vec<Event> {
        let events = self.events(texts);
        self.head = log
            .append(&self.task, self.batch(texts))
            .await
            .expect("nobody else writes");
        events
    }
}

/// The user whom the scripts speak for.
pub fn user() -> Source {
    Source::User {
        principal: Principal::from("ann"),
    }
}

/// Unwraps with the name of what was done, since a check may not print.
#[track_caller]
fn done<T>(result: crate::Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error} ({})", error.code()))
}

/// The refusal that was due, as text.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: crate::Result<T>) -> String {
    result.expect_err("this must be refused").to_string()
}
