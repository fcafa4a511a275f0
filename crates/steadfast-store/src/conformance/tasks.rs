//! Making, listing and finding tasks.

use steadfast_core::content::Salt;
use steadfast_core::id::{Seq, TaskId, Timestamp};

use super::{Script, done, refused};
use crate::log::{Batch, Held, Log, Status, Takeover, TaskFilter, TaskHeader, TaskSummary};

pub(super) async fn a_task_is_made_once(log: &impl Log) {
    let header = TaskHeader {
        salt: Salt([9; 32]),
        workflow_id: "审稿".to_owned(),
        created_at: Timestamp(-5),
        parent: Some("t_parent".into()),
    };
    done(log.create(&"t_1".into(), header.clone()).await);
    let other = TaskHeader {
        salt: Salt([1; 32]),
        ..header.clone()
    };
    assert_eq!(
        refused(log.create(&"t_1".into(), other).await),
        "task `t_1` exists already"
    );
    assert_eq!(
        done(log.header(&"t_1".into()).await),
        header,
        "the first one stands"
    );
}

pub(super) async fn a_name_must_be_valid(log: &impl Log) {
    let header = Script::start(log, "t").await.header();
    for name in ["", "../t", "-t", "任务", &"t".repeat(65)] {
        let task = TaskId::from(name);
        let refusal = refused(log.create(&task, header.clone()).await);
        assert_eq!(refusal, format!("`{name}` cannot name a task"));
        assert!(log.header(&task).await.is_err());
    }
}

pub(super) async fn an_unknown_task_is_refused(log: &impl Log) {
    let other = Script::start(log, "t_1").await;
    let task = TaskId::from("t_2");
    let expected = "there is no task `t_2`";
    assert_eq!(refused(log.head(&task).await), expected);
    assert_eq!(refused(log.header(&task).await), expected);
    assert_eq!(refused(log.read(&task, Seq(1), 1).await), expected);
    assert_eq!(
        refused(log.append(&task, other.batch(&[b"x"])).await),
        expected
    );
    assert_eq!(refused(log.inbox(&task).await), expected);
    assert_eq!(refused(log.content(&task, &[]).await), expected);
    assert_eq!(refused(log.snapshot(&task).await), expected);
}

pub(super) async fn lists_are_newest_first_and_filtered(log: &impl Log) {
    let make = async |name: &str, workflow: &str, at, parent: Option<&str>| {
        let header = TaskHeader {
            salt: Salt([0; 32]),
            workflow_id: workflow.to_owned(),
            created_at: Timestamp(at),
            parent: parent.map(TaskId::from),
        };
        done(log.create(&name.into(), header).await);
    };
    make("t_b", "draft", 20, None).await;
    make("t_a", "draft", 30, Some("t_b")).await;
    make("t_d", "review", 10, Some("t_b")).await;
    make("t_c", "review", 20, None).await;
    let status = Status {
        text: "done".to_owned(),
        at: Timestamp(40),
    };
    let batch = Batch {
        status: Some(status),
        ..Batch::default()
    };
    done(log.append(&"t_d".into(), batch).await);

    let list = async |filter: TaskFilter| -> Vec<String> {
        let found = done(log.tasks(&filter).await);
        found.into_iter().map(|task| task.id.to_string()).collect()
    };
    let all = TaskFilter::default();
    assert_eq!(list(all.clone()).await, ["t_a", "t_c", "t_b", "t_d"]);
    assert_eq!(
        list(TaskFilter {
            limit: 2,
            ..all.clone()
        })
        .await,
        ["t_a", "t_c"]
    );
    let review = TaskFilter {
        workflow_id: Some("review".to_owned()),
        ..all.clone()
    };
    assert_eq!(list(review).await, ["t_c", "t_d"]);
    let children = TaskFilter {
        parent: Some("t_b".into()),
        ..all.clone()
    };
    assert_eq!(list(children.clone()).await, ["t_a", "t_d"]);
    let done_children = TaskFilter {
        status: Some("done".to_owned()),
        ..children
    };
    assert_eq!(list(done_children).await, ["t_d"]);
}

pub(super) async fn a_prefix_finds_its_tasks(log: &impl Log) {
    for name in ["t_9f2", "t_9", "t_9f1", "t_a", "t%"] {
        // `t%` is no valid name, and must be no pattern either.
        if TaskId::is_valid(name) {
            Script::start(log, name).await;
        }
    }
    let find = async |prefix: &str| -> Vec<String> {
        let found = done(log.find(prefix).await);
        found.into_iter().map(|task| task.id.to_string()).collect()
    };
    assert_eq!(find("t_9f").await, ["t_9f1", "t_9f2"]);
    assert_eq!(find("t_9").await, ["t_9", "t_9f1", "t_9f2"]);
    assert_eq!(find("").await, ["t_9", "t_9f1", "t_9f2", "t_a"]);
    assert_eq!(find("t%").await, [""; 0]);
    assert_eq!(find("T_9").await, [""; 0]);
}

pub(super) async fn status_stays_until_the_next(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let summary = |head, status: Option<&Status>| TaskSummary {
        id: "t".into(),
        workflow_id: "pipeline".to_owned(),
        created_at: Timestamp(1_000_000),
        parent: None,
        head: Seq(head),
        status: status.cloned(),
        held: None,
    };
    assert_eq!(done(log.find("t").await), [summary(0, None)]);
    let waiting = Status {
        text: "等待审批".to_owned(),
        at: Timestamp(7),
    };
    let batch = Batch {
        status: Some(waiting.clone()),
        ..script.batch(&[b"one"])
    };
    script.head = done(log.append(&script.task, batch).await);
    script.say(log, &[b"two"]).await;
    assert_eq!(done(log.find("t").await), [summary(2, Some(&waiting))]);
}

pub(super) async fn lists_say_who_holds_a_task(log: &impl Log) {
    let script = Script::start(log, "t").await;
    let held = async || -> Option<Held> {
        let listed = done(log.tasks(&TaskFilter::default()).await);
        let found = done(log.find("t").await);
        assert_eq!(listed, found);
        found[0].held.clone()
    };
    assert_eq!(held().await, None);
    let taken = log.lease(
        &script.task,
        "ann",
        Timestamp(1_000),
        5,
        Takeover::IfExpired,
    );
    let lease = done(taken.await);
    let expected = Held {
        holder: "ann".to_owned(),
        expires_at: Timestamp(6_000),
    };
    assert_eq!(held().await, Some(expected));
    done(log.release(&lease).await);
    assert_eq!(held().await, None);
}
