//! Exact token counts for the OpenAI families, by their byte-pair encodings.
//!
//! The encoder is slow on long runs of one character (a run of 32,768 dashes
//! takes a tenth of a second, and ten times that in a debug build). A run
//! longer than [`limits::TOKEN_RUN_MAX`] is counted by rule: its head exactly,
//! the rest in proportion to what the head took, rounded up. Such a run is
//! off by a few tokens at most; every other text is exact.

use bpe_openai::Tokenizer as Bpe;
use steadfast_core::limits;
use steadfast_core::rules::Tokenizer;

/// A vocabulary of OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// GPT-4o and later.
    O200k,
    /// GPT-4 and GPT-3.5.
    Cl100k,
}

impl Encoding {
    /// The encoding of a model, where its name tells. `provider/name` counts as
    /// `name`.
    pub fn of_model(model: &str) -> Option<Encoding> {
        let name = model.rsplit('/').next().unwrap_or(model);
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        if starts(&[
            "gpt-4o",
            "gpt-4.1",
            "gpt-4.5",
            "gpt-5",
            "gpt-oss",
            "chatgpt-4o",
        ]) || ["o1", "o3", "o4"].iter().any(|one| {
            name.strip_prefix(one)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }) {
            Some(Encoding::O200k)
        } else if starts(&["gpt-4", "gpt-3.5"]) {
            Some(Encoding::Cl100k)
        } else {
            None
        }
    }
}

/// Counts tokens as the models of one family do.
#[derive(Clone, Copy, Debug)]
pub struct BpeTokenizer {
    encoding: Encoding,
}

impl BpeTokenizer {
    pub fn new(encoding: Encoding) -> BpeTokenizer {
        BpeTokenizer { encoding }
    }

    fn bpe(self) -> &'static Bpe {
        match self.encoding {
            Encoding::O200k => bpe_openai::o200k_base(),
            Encoding::Cl100k => bpe_openai::cl100k_base(),
        }
    }
}

impl Tokenizer for BpeTokenizer {
    fn id(&self) -> &str {
        match self.encoding {
            Encoding::O200k => "o200k_base/1",
            Encoding::Cl100k => "cl100k_base/1",
        }
    }

    fn count(&self, text: &str) -> u32 {
        let bpe = self.bpe();
        let mut total = 0usize;
        let mut exact_from = 0;
        for run in long_runs(text) {
            let head = &text[run.start..run.start + run.bytes_of(limits::TOKEN_RUN_MAX)];
            let rest = run.count - limits::TOKEN_RUN_MAX;
            total += bpe.count(&text[exact_from..run.start + head.len()]);
            total += (bpe.count(head) * rest).div_ceil(limits::TOKEN_RUN_MAX);
            exact_from = run.end;
        }
        total += bpe.count(&text[exact_from..]);
        u32::try_from(total).unwrap_or(u32::MAX)
    }

    fn is_exact(&self) -> bool {
        true
    }
}

/// A stretch of one repeated character.
struct Run {
    start: usize,
    end: usize,
    count: usize,
}

impl Run {
    /// Bytes of the first `count` characters.
    fn bytes_of(&self, count: usize) -> usize {
        (self.end - self.start) / self.count * count
    }
}

fn long_runs(text: &str) -> impl Iterator<Item = Run> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (start, c) = chars.next()?;
            let mut run = Run {
                start,
                end: start + c.len_utf8(),
                count: 1,
            };
            while let Some((at, _)) = chars.next_if(|(_, next)| *next == c) {
                run.end = at + c.len_utf8();
                run.count += 1;
            }
            if run.count > limits::TOKEN_RUN_MAX {
                return Some(run);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_counted_exactly() {
        let text = "Steadfast keeps long tasks on course. 长任务不跑偏。\n\n| a | b |\n|---|---|\n😀 fn main() {}";
        for (encoding, bpe) in [
            (Encoding::O200k, bpe_openai::o200k_base()),
            (Encoding::Cl100k, bpe_openai::cl100k_base()),
        ] {
            let tokenizer = BpeTokenizer::new(encoding);
            assert_eq!(tokenizer.count(text) as usize, bpe.encode(text).len());
            assert_eq!(tokenizer.count(""), 0);
        }
        assert_eq!(BpeTokenizer::new(Encoding::Cl100k).count("hello world"), 2);
    }

    /// The rule for long runs against the encoder itself, at a length that the
    /// encoder still does quickly.
    #[test]
    fn long_runs_are_off_by_little() {
        for c in ['-', '=', ' ', '\n', 'a', '0', '汉', '😀', '.'] {
            let text = format!("before {} after", c.to_string().repeat(3_000));
            for encoding in [Encoding::O200k, Encoding::Cl100k] {
                let tokenizer = BpeTokenizer::new(encoding);
                let exact = tokenizer.bpe().count(text.as_str());
                let count = tokenizer.count(&text) as usize;
                let allowed = 8 + exact / 20;
                assert!(
                    count.abs_diff(exact) <= allowed,
                    "{c:?} {encoding:?}: {count} for {exact}"
                );
            }
        }
    }

    /// The work is linear: a megabyte of dashes is one head and a product.
    #[test]
    fn a_megabyte_of_dashes_is_no_work() {
        let tokenizer = BpeTokenizer::new(Encoding::O200k);
        let (short, long) = (
            tokenizer.count(&"-".repeat(100_000)),
            tokenizer.count(&"-".repeat(1_000_000)),
        );
        let ratio = f64::from(long) / f64::from(short);
        assert!((9.0..11.0).contains(&ratio), "{short} {long}");
        let runs: Vec<usize> = long_runs(&"-".repeat(1_000_000))
            .map(|run| run.count)
            .collect();
        assert_eq!(runs, [1_000_000]);
    }

    #[test]
    fn models_by_name() {
        for (model, encoding) in [
            ("gpt-4o-mini", Some(Encoding::O200k)),
            ("openai/gpt-5", Some(Encoding::O200k)),
            ("o3", Some(Encoding::O200k)),
            ("o1-mini", Some(Encoding::O200k)),
            ("gpt-4-turbo", Some(Encoding::Cl100k)),
            ("deepseek-chat", None),
            ("o1x", None),
        ] {
            assert_eq!(Encoding::of_model(model), encoding, "{model}");
        }
    }
}
