//! A pause of a task reaches its sub-tasks, and so does its going on; one that a
//! person paused waits for a person.

use std::time::Duration;

use steadfast::driver::{Driver, Rest, load};
use steadfast_core::id::TaskId;
use steadfast_core::task::input::Command;
use steadfast_core::task::{Lifecycle, Outcome, Waiting};
use steadfast_store::Takeover;

use crate::handoff::{Bench, SALT, ended, id, start, workflow};

async fn post(bench: &Bench, driver: &Driver, to: &TaskId, command: Command) {
    let now = driver.clock.now();
    Driver::post(bench.log.as_ref(), to, "ann".into(), &command, now)
        .await
        .unwrap();
}

/// Runs the task, and pauses it so many milliseconds after it began. Gives the
/// sub-tasks that were then at work.
async fn paused(bench: &Bench, after_ms: u64) -> (Rest, Vec<TaskId>) {
    let (driver, _) = bench.driver();
    driver.start(&id(), SALT, start(workflow())).await.unwrap();
    let parent = id();
    let pause = async {
        tokio::time::sleep(Duration::from_millis(after_ms)).await;
        post(bench, &driver, &parent, Command::Pause).await;
    };
    let (_, rest) = tokio::join!(pause, driver.run(&parent, Takeover::IfExpired));
    let mut open = Vec::new();
    for child in bench.children().await {
        let task = load(bench.log.as_ref(), &child).await.unwrap();
        if task.state.outcome().is_none() {
            let lifecycle = &task.state.stands.lifecycle;
            assert_eq!(*lifecycle, Lifecycle::Paused, "{child} goes on by itself");
            open.push(child);
        }
    }
    (rest.unwrap(), open)
}

#[tokio::test]
async fn a_pause_reaches_the_children_and_they_go_on_with_their_parent() {
    let mut seen = 0;
    for after_ms in [2, 4, 6, 8, 10, 12, 15, 20] {
        let bench = Bench::new();
        let (rest, open) = paused(&bench, after_ms).await;
        if matches!(rest, Rest::Ended(_)) {
            continue;
        }
        assert_eq!(rest, Rest::Waiting(Waiting::Paused), "after {after_ms} ms");
        seen += open.len();
        // Run without a word, it stays paused, in another process too.
        let (driver, _) = bench.driver();
        let rest = driver.run(&id(), Takeover::Force).await.unwrap();
        assert_eq!(rest, Rest::Waiting(Waiting::Paused));
        post(&bench, &driver, &id(), Command::Resume).await;
        let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
        assert!(
            matches!(rest, Rest::Ended(Outcome::Completed { .. })),
            "after {after_ms} ms: {rest:?}"
        );
        assert_eq!(ended(&bench.events().await), 4);
        let noted = bench.noted.lock().unwrap().clone();
        assert!(noted.values().all(|times| *times == 1), "{noted:?}");
    }
    assert!(seen > 0, "some were paused in the middle");
}

#[tokio::test]
async fn a_child_that_a_person_paused_waits_for_a_person() {
    for after_ms in [4, 6, 8, 10, 12] {
        let bench = Bench::new();
        let (_, open) = paused(&bench, after_ms).await;
        let Some(own) = open.first() else { continue };
        let (driver, _) = bench.driver();
        post(&bench, &driver, own, Command::Pause).await;
        driver.run(own, Takeover::Force).await.unwrap();
        post(&bench, &driver, &id(), Command::Resume).await;
        let rest = driver.run(&id(), Takeover::Force).await.unwrap();
        let Rest::Waiting(Waiting::Children { children }) = rest else {
            panic!("{rest:?}");
        };
        assert_eq!(children, std::slice::from_ref(own));
        post(&bench, &driver, own, Command::Resume).await;
        let rest = driver.run(&id(), Takeover::IfExpired).await.unwrap();
        assert!(
            matches!(rest, Rest::Ended(Outcome::Completed { .. })),
            "{rest:?}"
        );
        return;
    }
    panic!("no sub-task was paused in the middle");
}
