//! Events out of a byte stream that is cut anywhere, by the rules of the WHATWG
//! specification of `text/event-stream`.
//!
//! Each byte is looked at once. A parser that looks at an unfinished line again
//! with every chunk takes the square of its length, and a slow or hostile server
//! decides both. Only `data` is kept: nothing here needs names, ids or retries.

/// A stream as far as it has come in.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The data lines of the event that has not ended yet.
    data: Option<String>,
    /// The last byte was `\r`, so that a `\n` belongs to the same line end.
    after_return: bool,
    /// A line has ended: no byte order mark can follow.
    begun: bool,
}

/// A line that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotText;

impl Frames {
    /// Takes a chunk in and adds the data of the events that it ends. An event
    /// that the stream's end cuts off is never given.
    ///
    /// # Errors
    ///
    /// [`NotText`]; the events before it were added.
    pub(super) fn take(&mut self, chunk: &[u8], events: &mut Vec<String>) -> Result<(), NotText> {
        let mut rest = chunk;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.extend_from_slice(&rest[..at]);
            events.extend(self.end_line()?);
            let (end, after) = (rest[at], &rest[at + 1..]);
            rest = match end {
                b'\r' => {
                    self.after_return = after.is_empty();
                    after.strip_prefix(b"\n").unwrap_or(after)
                }
                _ => after,
            };
        }
        self.line.extend_from_slice(rest);
        Ok(())
    }

    /// The data of the event that an empty line ends.
    fn end_line(&mut self) -> Result<Option<String>, NotText> {
        let line = std::mem::take(&mut self.line);
        let bytes = match self.begun {
            true => &line[..],
            false => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line),
        };
        self.begun = true;
        let line = std::str::from_utf8(bytes).map_err(|_| NotText)?;
        if line.is_empty() {
            return Ok(self.data.take().filter(|data| !data.is_empty()));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&[u8]]) -> Result<Vec<String>, NotText> {
        let mut frames = Frames::default();
        let mut all = Vec::new();
        for chunk in chunks {
            frames.take(chunk, &mut all)?;
        }
        Ok(all)
    }

    #[test]
    fn the_rules_of_the_format() {
        let all = |text: &str| events(&[text.as_bytes()]).unwrap();
        assert_eq!(
            all("data: a\n\ndata:b\r\n\r\ndata:  c\r\r"),
            ["a", "b", " c"]
        );
        assert_eq!(all("data: a\ndata\ndata: b\n\n"), ["a\n\nb"]);
        assert_eq!(
            all(": a comment\nevent: x\nid: 1\ndata: a\nretry: 5\n\n"),
            ["a"]
        );
        assert_eq!(all("\u{feff}data: a\n\n"), ["a"]);
        assert_eq!(all("data: a\n"), [""; 0], "cut off by the end");
        assert_eq!(all("\n\nevent: ping\n\ndata:\n\n"), [""; 0], "no data");
        assert_eq!(events(&[b"data: \xff\n\n"]), Err(NotText));
    }

    #[test]
    fn the_cut_of_the_chunks_means_nothing() {
        let text = "\u{feff}data: 你好\r\ndata: b\r\n\r\n: x\rdata: c\r\rdata: d\n\n".as_bytes();
        let whole = events(&[text]).unwrap();
        assert_eq!(whole, ["你好\nb", "c", "d"]);
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let cut = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(events(&cut).unwrap(), whole, "cut at {first} and {second}");
            }
        }
    }
}
