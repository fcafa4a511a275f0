//! Reading an export line by line, and noticing every byte that is not as it
//! was written.
//!
//! Events are given while they chain; content that is damaged is left out and
//! named. The caller decides what that is worth.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Read};

use steadfast_core::content::{Content, Salt};
use steadfast_core::event::Sealed;
use steadfast_core::hash::Hash;
use steadfast_core::id::Seq;

use super::error::{Error, Fault, What};
use super::format::{self, ContentLine, End, EndLine, Header, LINE_BYTES_MAX, VERSION};
use crate::chain;
use crate::error::Damage;
use crate::log::Head;

/// Faults that are told one by one; a file that is all damage is not.
const FAULTS_MAX: usize = 100;

/// An event with the content that it is the first to name.
pub(super) struct Unit {
    pub(super) sealed: Sealed,
    /// Named and not there; whether the export itself said so.
    pub(super) missing: Vec<(Hash, bool)>,
}

pub(super) struct Scanner<R> {
    reader: R,
    pub(super) header: Header,
    salt: Option<Salt>,
    line: u64,
    byte: u64,
    next_byte: u64,
    check: Hash,
    pub(super) head: Head,
    contents: u64,
    /// Content lines whose event has not come yet.
    waiting: BTreeMap<Hash, Content>,
    declared: BTreeSet<Hash>,
    known: BTreeSet<Hash>,
    pub(super) faults: Vec<Fault>,
    over: bool,
}

struct Line {
    bytes: Vec<u8>,
    ended: bool,
}

impl<R: BufRead> Scanner<R> {
    /// Reads the first line. Without it nothing can be told of the rest.
    pub(super) fn open(mut reader: R) -> Result<Scanner<R>, Error> {
        let not = |reason: &str| Error::NotAnExport {
            reason: reason.to_owned(),
        };
        let line = read_line(&mut reader)?.ok_or_else(|| not("it is empty"))?;
        let value: serde_json::Value = serde_json::from_slice(&line.bytes).unwrap_or_default();
        match value["steadfast_export"].as_u64() {
            Some(found) if found > u64::from(VERSION) => return Err(Error::Newer { found }),
            Some(_) => {}
            None => return Err(not("its first line is not the one of an export")),
        }
        let header = Header::read(&line.bytes)
            .filter(|_| line.ended)
            .ok_or_else(|| not("its first line was changed, and nothing can be read without it"))?;
        let check = format::roll(Hash::ZERO, &line.bytes);
        let next_byte = line.bytes.len() as u64 + 1;
        Ok(Scanner {
            reader,
            salt: header.salt(),
            header,
            line: 1,
            byte: 0,
            next_byte,
            check,
            head: Head::EMPTY,
            contents: 0,
            waiting: BTreeMap::new(),
            declared: BTreeSet::new(),
            known: BTreeSet::new(),
            faults: Vec::new(),
            over: false,
        })
    }

    /// The next event that follows. None at the end, or where nothing follows
    /// any more; `faults` says which.
    pub(super) fn next(&mut self) -> Result<Option<Unit>, Error> {
        while !self.over {
            let Some(line) = read_line(&mut self.reader)? else {
                (self.line, self.byte) = (self.line + 1, self.next_byte);
                self.fault(What::Torn);
                self.over = true;
                break;
            };
            (self.line, self.byte) = (self.line + 1, self.next_byte);
            self.next_byte += line.bytes.len() as u64 + 1;
            if line.bytes.len() as u64 > LINE_BYTES_MAX {
                self.fault(What::TooLong);
                self.over = true;
                break;
            }
            if !line.ended {
                // Nothing can stand behind it.
                self.fault(What::NoLineEnd);
                self.over = true;
            }
            let check = std::mem::replace(&mut self.check, Hash::ZERO);
            self.check = format::roll(check, &line.bytes);
            let starts = |front: &str| line.bytes.starts_with(front.as_bytes());
            if starts(format::EVENT_FRONT) {
                if let Some(unit) = self.event(&line.bytes) {
                    return Ok(Some(unit));
                }
            } else if starts("{\"content\":") {
                self.content(&line.bytes);
            } else if starts("{\"end\":") {
                self.end(&line, check)?;
            } else {
                self.fault(What::NotALine);
            }
        }
        Ok(None)
    }

    fn fault(&mut self, what: What) {
        // A line that was cut need not be told to be none as well.
        let cut = self
            .faults
            .last()
            .is_some_and(|last| last.line == self.line && last.what == What::NoLineEnd);
        if self.faults.len() < FAULTS_MAX && !(cut && what == What::NotALine) {
            self.faults.push(Fault {
                line: self.line,
                byte: self.byte,
                what,
            });
        }
    }

    fn event(&mut self, line: &[u8]) -> Option<Unit> {
        let Some((hash, bytes)) = split_event(line) else {
            self.fault(What::NotALine);
            return None;
        };
        let expected = self.head.seq.next();
        let follows = chain::follow(expected, self.head.hash, bytes);
        let damage = match follows {
            Err(damage) => Some(damage),
            Ok(real) if real != hash => Some(Damage::Mishashed),
            Ok(_) if expected > self.header.events => Some(Damage::BeyondHead {
                head: self.header.events,
            }),
            Ok(_) if expected == self.header.events && hash != self.header.head => {
                Some(Damage::NotTheHead)
            }
            Ok(_) => None,
        };
        if let Some(damage) = damage {
            self.fault(What::Event { expected, damage });
            self.over = true;
            return None;
        }
        self.head = Head {
            seq: expected,
            hash,
        };
        let (mut contents, mut missing) = (Vec::new(), Vec::new());
        if self.salt.is_some() {
            for name in format::named(bytes) {
                if !self.known.insert(name) {
                    continue;
                }
                match self.waiting.remove(&name) {
                    Some(content) => contents.push(content),
                    None => {
                        let declared = self.declared.remove(&name);
                        missing.push((name, declared));
                        if !declared {
                            self.fault(What::ContentMissing {
                                event: expected,
                                hash: name,
                            });
                        }
                    }
                }
            }
        }
        // What no event names does not belong to the task.
        self.waiting.clear();
        self.contents += contents.len() as u64;
        Some(Unit {
            sealed: Sealed {
                seq: expected,
                bytes: bytes.to_vec(),
                hash,
                contents,
            },
            missing,
        })
    }

    fn content(&mut self, line: &[u8]) {
        let Some(salt) = self.salt else {
            return self.fault(What::NotALine);
        };
        let Ok(read) = serde_json::from_slice::<ContentLine<'_>>(line) else {
            return self.fault(What::NotALine);
        };
        let named = read.content;
        let bytes = match (&read.text, &read.hex, read.missing) {
            (Some(text), None, false) => Some(text.as_bytes().to_vec()),
            (None, Some(hex), false) => format::unhex(hex),
            (None, None, true) => {
                self.declared.insert(named);
                None
            }
            _ => None,
        };
        if format::line(&read).as_bytes() != line || (bytes.is_none() && !read.missing) {
            self.fault(What::NotALine);
        }
        let Some(bytes) = bytes else { return };
        // Under the name that the bytes have: they may be whole, and the name
        // beside them not.
        let content = salt.seal(bytes);
        if content.hash != named {
            self.fault(What::ContentChanged { named });
        }
        self.waiting.insert(content.hash, content);
    }

    fn end(&mut self, line: &Line, check: Hash) -> Result<(), Error> {
        let read: Option<EndLine> = serde_json::from_slice(&line.bytes).ok();
        let Some(read) = read.filter(|read| format::line(read).as_bytes() == line.bytes) else {
            self.fault(What::NotALine);
            return Ok(());
        };
        let here = End {
            events: self.head.seq.0,
            contents: self.contents,
            head: self.head.hash,
            check,
        };
        if read.end != here || self.head.seq != self.header.events {
            self.fault(What::EndDiffers);
        }
        if line.ended && read_line(&mut self.reader)?.is_some() {
            (self.line, self.byte) = (self.line + 1, self.next_byte);
            self.fault(What::Trailing);
        }
        self.over = true;
        Ok(())
    }
}

/// The hash and the stored bytes of an event's line.
fn split_event(line: &[u8]) -> Option<(Hash, &[u8])> {
    const HASH: usize = 67;
    let rest = line.strip_prefix(format::EVENT_FRONT.as_bytes())?;
    let (hash, rest) = rest.split_at_checked(HASH)?;
    let bytes = rest
        .strip_prefix(format::EVENT_MIDDLE.as_bytes())?
        .strip_suffix(b"}")?;
    Some((std::str::from_utf8(hash).ok()?.parse().ok()?, bytes))
}

fn read_line(reader: &mut impl BufRead) -> Result<Option<Line>, Error> {
    let mut bytes = Vec::new();
    reader
        .by_ref()
        .take(LINE_BYTES_MAX + 2)
        .read_until(b'\n', &mut bytes)?;
    let ended = bytes.last() == Some(&b'\n');
    if ended {
        bytes.pop();
    }
    Ok((ended || !bytes.is_empty()).then_some(Line { bytes, ended }))
}

/// The range of events that did not come.
pub(super) fn lost(head: Seq, declared: Seq) -> Option<(u64, u64)> {
    (head < declared).then(|| (head.0 + 1, declared.0))
}
