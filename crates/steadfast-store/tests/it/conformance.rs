//! One suite, every backend.

use std::cell::Cell;

use steadfast_store::{Durability, MemoryLog, SqliteLog, SqliteOptions, conformance};

#[tokio::test]
async fn memory_conforms() {
    conformance::suite(async || MemoryLog::new()).await;
}

async fn sqlite_conforms(durability: Durability) {
    let dir = tempfile::tempdir().unwrap();
    let count = Cell::new(0);
    conformance::suite(async || {
        count.set(count.get() + 1);
        let path = dir.path().join(format!("{}.db", count.get()));
        SqliteLog::open(
            path,
            SqliteOptions {
                durability,
                ..SqliteOptions::default()
            },
        )
        .unwrap()
    })
    .await;
}

#[tokio::test]
async fn sqlite_conforms_when_durable() {
    sqlite_conforms(Durability::Full).await;
}

#[tokio::test]
async fn sqlite_conforms_when_relaxed() {
    sqlite_conforms(Durability::Relaxed).await;
}

/// The backends are used behind `dyn Log`, from many threads.
#[test]
fn a_log_is_an_object() {
    fn shared(_: std::sync::Arc<dyn steadfast_store::Log>) {}
    shared(std::sync::Arc::new(MemoryLog::new()));
}
