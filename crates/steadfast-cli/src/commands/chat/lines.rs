//! Lines of stdin, read by a thread of their own: a read cannot be broken off,
//! and a signal must not wait for the end of a line.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use steadfast_core::limits;
use tokio::sync::mpsc::{Receiver, channel};

use crate::error::Error;

/// What the thread hands over.
pub(super) struct Lines {
    from: Receiver<Result<String, Error>>,
}

impl Lines {
    pub(super) fn of_stdin() -> Lines {
        let (to, from) = channel(1);
        // It ends with stdin, with the receiver, or with the process.
        std::thread::spawn(move || {
            let mut input = BufReader::new(std::io::stdin().lock());
            while let Some(line) = read(&mut input).transpose() {
                let failed = line.is_err();
                if to.blocking_send(line).is_err() || failed {
                    return;
                }
            }
        });
        Lines { from }
    }

    /// The next line without its end; none at the end of the input.
    pub(super) async fn next(&mut self) -> Result<Option<String>, Error> {
        self.from.recv().await.transpose()
    }
}

fn read(input: &mut impl BufRead) -> Result<Option<String>, Error> {
    let max = limits::CONTENT_BYTES_MAX;
    let mut bytes = Vec::new();
    let read = input.by_ref().take(max + 1).read_until(b'\n', &mut bytes);
    read.map_err(|source| Error::Read {
        what: "message",
        path: PathBuf::from("-"),
        source,
    })?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > max {
        return Err(Error::TooLarge {
            what: "the message".to_owned(),
            bytes: bytes.len() as u64,
            max,
        });
    }
    let text = String::from_utf8(bytes).map_err(|_| Error::NotText {
        what: "message",
        path: PathBuf::from("-"),
    })?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}
