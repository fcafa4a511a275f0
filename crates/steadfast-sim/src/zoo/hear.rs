//! A prompt as a model on the wire reads it: who says what, in which order, how
//! far from the end.

use steadfast_core::context::{Message, Request};

use super::order::{Order, orders};

/// Whose words a text is, by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    System,
    User,
    Assistant,
    Tool,
}

/// One text of a prompt.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) who: Who,
    pub(super) text: String,
    /// The assistant's own call in this place, if any.
    pub(super) calls: Vec<String>,
}

/// An order that stands in a prompt.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) order: Order,
    pub(super) who: Who,
    /// The number of the text that it stands in.
    pub(super) said: usize,
    /// In quotation marks, or retold as somebody else's.
    pub(super) quoted: bool,
    /// For one answer only.
    pub(super) once: bool,
    /// Under a heading that says what is in force.
    pub(super) labelled: bool,
    /// In a request to mend an answer, which stands right before the end.
    pub(super) corrects: bool,
    /// Tokens to the end of the prompt, roughly.
    pub(super) distance: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Prompt {
    pub(super) said: Vec<Said>,
    pub(super) heard: Vec<Heard>,
}

/// Headings under which people and runtimes put what counts.
const LABELS: &[&str] = &["[IN_FORCE", "Rules in force:"];
const CORRECTIONS: &[&str] = &["breaks constraint", "不符合约束"];
const ONCE: &[&str] = &["just this once", "this once", "这次例外", "仅此一次"];
/// Words before what somebody else is said to want.
const RETOLD: &[&str] = &["colleague says", "同事说"];
/// Marks of a message that is dealt with.
const ANSWERED: &[&str] = &["[answered already]", "[已答复]"];

impl Prompt {
    pub(super) fn of(request: &Request) -> Prompt {
        let mut said = Vec::new();
        for message in &request.messages {
            let mut say = |who, text: &str, calls| {
                let text = text.to_owned();
                said.push(Said { who, text, calls });
            };
            match message {
                Message::System { parts } => {
                    for part in parts {
                        say(Who::System, &part.text, Vec::new());
                    }
                }
                Message::User { parts } => {
                    for part in parts {
                        say(Who::User, &part.text, Vec::new());
                    }
                }
                Message::Assistant { text, calls } => {
                    let names = calls.iter().map(|call| call.skill.clone()).collect();
                    say(Who::Assistant, text.as_deref().unwrap_or_default(), names);
                }
                Message::Tool { text, .. } => say(Who::Tool, text, Vec::new()),
            }
        }
        Prompt::heard(said)
    }

    /// A conversation that is told in one text, a paragraph a turn. Who spoke is
    /// what stands before the colon, whoever wrote that there.
    pub(super) fn of_transcript(told: &str) -> Prompt {
        let roles = [
            ("user: ", Who::User),
            ("assistant: ", Who::Assistant),
            ("tool: ", Who::Tool),
            ("Summary so far:", Who::System),
        ];
        let mut said: Vec<Said> = Vec::new();
        let told = told.replace("\\n", "\n");
        for line in told.lines() {
            let role = roles.iter().find(|(prefix, _)| line.starts_with(prefix));
            match (role, said.last_mut()) {
                (None, Some(last)) => {
                    last.text.push('\n');
                    last.text.push_str(line);
                }
                (role, _) => said.push(Said {
                    who: role.map_or(Who::User, |(_, who)| *who),
                    text: line[role.map_or(0, |(prefix, _)| prefix.len())..].to_owned(),
                    calls: Vec::new(),
                }),
            }
        }
        Prompt::heard(said)
    }

    fn heard(said: Vec<Said>) -> Prompt {
        let mut heard = Vec::new();
        let mut after: u64 = said.iter().map(|one| weight(&one.text)).sum();
        for (number, one) in said.iter().enumerate() {
            let labelled = LABELS.iter().any(|label| one.text.contains(label));
            let corrects = CORRECTIONS.iter().any(|words| one.text.contains(words));
            let text = one.text.replace("\\n", "\n").replace("\\\"", "\"");
            for sentence in sentences(&text) {
                let line = folded(sentence);
                let once = ONCE.iter().any(|words| line.contains(words));
                let all = orders(&line, sentence).into_iter();
                heard.extend(all.map(|(at, order)| Heard {
                    order,
                    who: one.who,
                    said: number,
                    quoted: is_quoted(&line, at) || is_retold(&line, at),
                    once,
                    labelled,
                    corrects,
                    distance: after / 4,
                }));
                after = after.saturating_sub(weight(sentence));
            }
        }
        Prompt { said, heard }
    }

    /// The conversation that is to be summed up, where one is.
    pub(super) fn transcript(&self, request: &str) -> Option<&str> {
        let last = self.said.last()?;
        let told = last.text.split_once("<conversation>\n")?.1;
        last.text.starts_with(request).then_some(told)
    }

    /// Whether a tool was called since the last answer that was let stand: what was
    /// tried, and perhaps turned down, is not tried again.
    pub(super) fn tried(&self, tool: &str) -> bool {
        let mut since = self.since_answer().iter();
        since.any(|one| one.calls.iter().any(|call| call == tool))
    }

    /// Requests to mend the answer that is due which name one of these words.
    pub(super) fn corrected(&self, zh: &str, en: &str) -> u64 {
        let corrects = |one: &&Said| {
            let asks = CORRECTIONS.iter().any(|words| one.text.contains(words));
            asks && (one.text.contains(zh) || one.text.contains(en))
        };
        let count = self.since_answer().iter().filter(corrects).count();
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// What came since the last answer that was let stand.
    fn since_answer(&self) -> &[Said] {
        let answered = (0..self.said.len()).rposition(|number| {
            let one = &self.said[number];
            let answers = one.who == Who::Assistant && one.calls.is_empty();
            answers && !one.text.is_empty() && !self.turned_down(number)
        });
        &self.said[answered.map_or(0, |number| number + 1)..]
    }

    /// Whether an answer is followed by a request to mend it, before any other.
    fn turned_down(&self, number: usize) -> bool {
        let after = self.said[number + 1..].iter();
        let mut until = after.take_while(|one| one.who != Who::Assistant);
        until.any(|one| CORRECTIONS.iter().any(|words| one.text.contains(words)))
    }

    /// Whether a text waits for its answer: nothing says that it was answered, and
    /// no answer came after it that was let stand.
    pub(super) fn is_open(&self, number: usize) -> bool {
        let text = &self.said[number].text;
        if ANSWERED.iter().any(|mark| text.starts_with(mark)) {
            return false;
        }
        let after = number + 1..self.said.len();
        !after.into_iter().any(|later| {
            let one = &self.said[later];
            let answers = one.who == Who::Assistant && one.calls.is_empty();
            answers && !one.text.is_empty() && !self.turned_down(later)
        })
    }
}

/// Quarters of a token: a Chinese character is one token, four others are one.
fn weight(text: &str) -> u64 {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 4 }).sum()
}

/// Lower case; in a Chinese sentence without blanks beside Chinese characters.
fn folded(sentence: &str) -> String {
    let lower = sentence.to_ascii_lowercase();
    let chars: Vec<char> = lower.chars().collect();
    let mut out = String::with_capacity(lower.len());
    for (at, c) in chars.iter().enumerate() {
        let han = |c: Option<&char>| c.is_some_and(|c| ('\u{4e00}'..='\u{9fff}').contains(c));
        let beside = han(at.checked_sub(1).and_then(|at| chars.get(at))) || han(chars.get(at + 1));
        if *c != ' ' || !beside {
            out.push(*c);
        }
    }
    out
}

fn is_quoted(line: &str, at: usize) -> bool {
    let before = &line[..at];
    let open = before.matches('“').count() > before.matches('”').count();
    open || before.matches('"').count() % 2 == 1
}

fn is_retold(line: &str, at: usize) -> bool {
    RETOLD.iter().any(|words| line[..at].contains(words))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    // A mark in quotation marks or in an address ends nothing that is ordered
    // here, and "!" is itself the object of an order.
    text.split_inclusive(['\n', '。', '？', '；'])
        .flat_map(|piece| piece.split_inclusive(". "))
}
