//! The real binary, a file a command: exit code, stdout and stderr as a user
//! gets them.

// A test may stop where it stands.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[cfg(unix)]
mod approval;
#[cfg(unix)]
mod attempts;
mod audit;
#[cfg(unix)]
mod bad_input;
#[cfg(unix)]
mod budget;
#[cfg(unix)]
mod cancel;
#[cfg(unix)]
mod case;
#[cfg(unix)]
mod chat;
mod check;
mod check_answer;
mod codes;
mod config;
mod context;
#[cfg(unix)]
mod diff;
#[cfg(unix)]
mod doubt;
mod drill;
#[cfg(unix)]
mod export_otel;
mod fidelity;
#[cfg(unix)]
mod fit;
#[cfg(unix)]
mod guarantees;
mod guards;
mod harness;
#[cfg(unix)]
mod init;
mod inspect;
#[cfg(target_os = "linux")]
mod kill;
#[cfg(unix)]
mod kill_children;
#[cfg(unix)]
mod ledger;
#[cfg(unix)]
mod log;
#[cfg(unix)]
mod mcp;
#[cfg(unix)]
mod metrics;
#[cfg(unix)]
mod repair;
#[cfg(unix)]
mod replay;
#[cfg(unix)]
mod resume;
mod reviewer;
#[cfg(unix)]
mod run;
mod secrets;
#[cfg(unix)]
mod tasks;
#[cfg(unix)]
mod test_command;
#[cfg(unix)]
mod transfer;
mod usage;
#[cfg(unix)]
mod verify;
