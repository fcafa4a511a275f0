//! Short answers to the ledger's own questions, given in the dialogue: "yes",
//! "不", "q2: 1". Whole messages only; whatever says more is a message like any
//! other.

use crate::ledger::question::{Choice, QuestionId};

/// An answer, and the question where it names one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    pub question: Option<QuestionId>,
    pub choice: Choice,
}

const YES: [&str; 14] = [
    "yes",
    "y",
    "yes please",
    "ok",
    "okay",
    "confirm",
    "confirmed",
    "是",
    "是的",
    "好",
    "好的",
    "可以",
    "确认",
    "同意",
];
const NO: [&str; 14] = [
    "no",
    "n",
    "no thanks",
    "keep",
    "cancel",
    "never mind",
    "不",
    "不是",
    "不要",
    "不用",
    "否",
    "算了",
    "不同意",
    "保持不变",
];

/// Reads a whole message as an answer, if it is one.
pub fn read(message: &str) -> Option<Reply> {
    let message = message.trim().to_lowercase();
    let (question, rest) = named(&message);
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || ".,!:;。，！：；".contains(c));
    let choice = if YES.contains(&rest) {
        Choice::Option(1)
    } else if NO.contains(&rest) {
        Choice::Keep
    } else {
        let digits = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
        match rest.parse() {
            Ok(number) if digits => Choice::Option(number),
            _ => return None,
        }
    };
    Some(Reply { question, choice })
}

/// Splits `q3` off the front.
fn named(message: &str) -> (Option<QuestionId>, &str) {
    let Some(rest) = message.strip_prefix('q') else {
        return (None, message);
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    match rest[..end].parse() {
        Ok(number) => (Some(QuestionId(number)), &rest[end..]),
        Err(_) => (None, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_messages_only() {
        let read = |text: &str| read(text).map(|reply| (reply.question.map(|q| q.0), reply.choice));
        let yes = Choice::Option(1);
        assert_eq!(read(" Yes. "), Some((None, yes)));
        assert_eq!(read("是的。"), Some((None, yes)));
        assert_eq!(read("q12 yes"), Some((Some(12), yes)));
        assert_eq!(read("Q3：不要"), Some((Some(3), Choice::Keep)));
        assert_eq!(read("q2: 2"), Some((Some(2), Choice::Option(2))));
        assert_eq!(read("2"), Some((None, Choice::Option(2))));
        for text in [
            "yes, and publish it",
            "是不是",
            "q",
            "q1",
            "quit",
            "",
            "1.5",
            "10 000",
            "+1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
