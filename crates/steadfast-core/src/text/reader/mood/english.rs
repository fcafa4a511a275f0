//! English: the form and place of the verb.

use super::{Act, Mood, any, starts};
use crate::text::reader::lexicon::{FINITE_EN, NOUN_SIGNS, REPORT_EN, THIRD_EN, VERBS};
use crate::text::token::{find_words, starts_with_words};

pub(super) fn mood(text: &str, bare: &str) -> Mood {
    if starts(
        bare,
        &[
            "suppose",
            "supposing",
            "imagine",
            "what if",
            "assuming",
            "let's say",
            "let us say",
            "say that",
            "hypothetically",
        ],
    ) {
        return Mood::Hypothetical;
    }
    if starts(
        bare,
        &["if", "in case", "unless", "when", "whenever", "once"],
    ) && !starts(
        bare,
        &[
            "if possible",
            "if at all possible",
            "if it is possible",
            "if it's possible",
            "if you can",
            "if you could",
            "when possible",
        ],
    ) {
        let asks = text.ends_with('?');
        return if asks {
            Mood::Question
        } else {
            Mood::Conditional
        };
    }
    #[rustfmt::skip]
    const DISOWNED: &[&str] = &[
        "i didn't ask", "i did not ask", "i never asked", "i never told", "i didn't tell",
        "i did not tell", "i never said", "i didn't say", "i did not say", "it's not that",
        "it is not that", "nobody asked", "we never asked", "we didn't ask", "i am not asking",
        "i'm not asking", "i'm not saying",
    ];
    if any(text, DISOWNED) {
        return Mood::Disowned;
    }
    if starts(
        bare,
        &[
            "i wonder",
            "i was wondering",
            "i am wondering",
            "i'm wondering",
            "not sure",
            "i'm not sure",
            "i am not sure",
            "i don't know",
            "do you think",
        ],
    ) {
        let request = starts(
            bare,
            &["i was wondering if you could", "i wonder if you could"],
        );
        return if request {
            Mood::Polite
        } else {
            Mood::Question
        };
    }
    for opener in [
        "can you",
        "could you",
        "would you",
        "will you",
        "can we",
        "could we",
        "can i have",
        "can i get",
        "could i have",
        "could i get",
        "may i have",
        "would you mind",
        "do you mind",
        "why don't you",
        "can you please",
        "could you please",
        "would it be possible to",
        "is it possible to",
        "could this be",
        "could it be",
        "can this be",
        "can it be",
        "can we please",
        "any chance you could",
    ] {
        if let Some(rest) = bare.strip_prefix(opener)
            && rest.starts_with(' ')
        {
            let rest = rest.trim_start();
            let opinion = starts(
                rest,
                &[
                    "say",
                    "agree",
                    "recommend",
                    "think",
                    "consider",
                    "believe",
                    "see",
                    "remember",
                    "mean",
                    "know",
                ],
            );
            let we = opener.ends_with("we") && !opens_with_verb(rest);
            return if opinion || we {
                Mood::Question
            } else {
                Mood::Polite
            };
        }
    }
    #[rustfmt::skip]
    const OPENERS: &[&str] = &[
        "what", "why", "how", "when", "where", "who", "whose", "which", "is", "are", "was", "were",
        "does", "did", "has", "should", "am", "can i", "may i", "could i", "shall", "do you",
        "do we", "do i", "do they", "have you", "have we", "will it", "will this", "would it",
        "would that", "would this", "can it", "can they", "isn't", "aren't", "doesn't", "didn't",
    ];
    if text.ends_with('?')
        || (starts(bare, OPENERS)
            && !starts(bare, &["do not", "how about", "what about", "which means"]))
    {
        if starts(bare, &["how about", "what about"]) && text.ends_with('?') {
            return Mood::Polite;
        }
        let imperative = opens_with_verb(bare) && !starts(bare, OPENERS);
        return if imperative && !text.ends_with("right?") {
            Mood::Polite
        } else {
            Mood::Question
        };
    }
    const ONCE: &[&str] = &[
        "last time",
        "earlier",
        "yesterday",
        "previously",
        "last week",
        "last month",
        "last year",
        "back then",
        "in the past",
        "so far",
    ];
    if starts(bare, ONCE) && !any(text, &["please", "must", "never", "don't"]) {
        return Mood::Past;
    }
    Mood::Plain
}

pub(super) fn act(clause: &str, bare: &str) -> Act {
    if imperative_en(bare) || (pleads(clause) && !reported_en(bare)) {
        return Act::Directive;
    }
    if reported_en(bare) {
        return Act::Reported;
    }
    let first: Vec<&str> = words(bare).take(6).collect();
    let third = first.iter().take(4).any(|word| THIRD_EN.contains(word))
        && !first.contains(&"you")
        && first.first() != Some(&"you");
    #[rustfmt::skip]
    const WISHES: &[&str] = &[
        "i want", "i need", "i'd like", "i would like", "we want", "we need", "i'd prefer",
        "i prefer", "i would prefer", "we'd like", "i expect", "i'd rather",
    ];
    if starts(bare, WISHES) {
        return Act::Directive;
    }
    #[rustfmt::skip]
    const YOU: &[&str] = &[
        "you can", "you may", "you must", "you should", "you need", "you have to", "you are to",
        "you cannot", "you can't", "you will", "you don't have to", "you do not have to",
        "you needn't", "you don't need", "you do not need", "you are allowed", "you're allowed",
        "you are not allowed", "you shall",
    ];
    if starts(bare, YOU) {
        return Act::Directive;
    }
    let third = third || matches!(first.first(), Some(&("their" | "his" | "her")));
    if of_answer(&first) && (any(bare, OWES) || praised(bare)) {
        return Act::Directive;
    }
    if third && !parameter(bare) {
        return Act::Statement;
    }
    #[rustfmt::skip]
    const MODALS: &[&str] = &[
        "must", "should", "shall", "needs to", "need to", "has to", "have to", "cannot", "can't",
        "may not", "mustn't", "shouldn't", "is not allowed", "are not allowed", "is forbidden",
        "are forbidden", "is prohibited", "is not to", "are not to", "may only", "can only",
    ];
    if any(bare, MODALS) && !starts(bare, &["i", "we"]) {
        return Act::Directive;
    }
    // "Around 800 words would be ideal": a wish about what it names first.
    if praised(bare) && bare.contains(|c: char| c.is_ascii_digit()) {
        return Act::Directive;
    }
    // "No single payment may exceed …"
    let no_more = starts(bare, &["no", "none of"]) && any(bare, &["may", "can", "will", "is to"]);
    if parameter(bare) || no_more {
        return Act::Directive;
    }
    let finite = words(bare).any(|word| FINITE_EN.contains(&word));
    let pronoun = first.first().is_some_and(|word| {
        matches!(
            *word,
            "i" | "we" | "it" | "that" | "this" | "there" | "these" | "those"
        )
    }) && first.len() > 2
        && !starts(bare, &["this answer", "this time", "that way"]);
    let _ = clause;
    if finite
        || (pronoun
            && !starts(
                bare,
                &["it by", "this in", "it in", "that in", "it to", "it under"],
            ))
    {
        Act::Statement
    } else {
        Act::Fragment
    }
}

/// What an answer owes, as said of the answer itself.
#[rustfmt::skip]
const OWES: &[&str] = &[
    "must", "should", "shall", "needs", "need", "has to", "have to", "is to", "are to", "may not",
    "cannot", "can't", "may only", "mustn't", "shouldn't", "is limited to", "are limited to",
];

/// Whether the clause speaks of what the agent writes: "all replies to applicants",
/// "the body". What somebody else's replies owe is no rule.
fn of_answer(first: &[&str]) -> bool {
    #[rustfmt::skip]
    const WRITTEN: &[&str] = &[
        "answer", "answers", "reply", "replies", "response", "responses", "body", "text",
        "summary", "summaries", "report", "reports", "email", "emails", "message", "messages",
        "output", "outputs", "draft", "drafts", "paragraph", "paragraphs", "wording",
    ];
    const LEADS: &[&str] = &["the", "all", "your", "every", "each", "any", "our"];
    let head = first.iter().find(|word| !LEADS.contains(word));
    head.is_some_and(|head| WRITTEN.contains(head))
}

/// "… would be ideal".
fn praised(bare: &str) -> bool {
    #[rustfmt::skip]
    const PRAISE: &[&str] = &[
        "would be ideal", "would be best", "would be nice", "would be good", "would be great",
        "would be perfect", "would be better", "would be enough", "would be fine",
        "would be preferable", "is ideal", "is plenty", "is enough",
    ];
    any(bare, PRAISE)
}

pub(super) fn opens_with_verb(text: &str) -> bool {
    let text = text.strip_prefix("please ").unwrap_or(text);
    VERBS.iter().any(|verb| starts_with_words(text, verb))
        || starts(
            text,
            &[
                "do not", "don't", "never", "you", "i want", "i need", "always",
            ],
        )
}

/// "Please" before a word that can only be a verb there, listed or not.
pub(in crate::text::reader) fn pleads(clause: &str) -> bool {
    #[rustfmt::skip]
    const NO_VERBS: &[&str] = &[
        "the", "a", "an", "in", "no", "not", "at", "only", "this", "that", "these", "those", "for",
        "with", "under", "about", "and", "but", "my", "your", "our", "as", "to", "of", "is", "i",
        "you", "it", "exactly", "between", "by", "on",
    ];
    ["please ", "kindly "].iter().any(|word| {
        let place = find_words(clause, word.trim_end(), 0);
        place.is_some_and(|place| {
            let next = words(&clause[place.end..]).next();
            next.is_some_and(|next| {
                next.starts_with(|c: char| c.is_ascii_lowercase()) && !NO_VERBS.contains(&next)
            })
        })
    })
}

pub(in crate::text::reader) fn imperative_en(bare: &str) -> bool {
    #[rustfmt::skip]
    const OPENERS: &[&str] = &[
        "do not", "don't", "never", "always", "let's", "let us", "make sure", "be sure", "be",
        "must", "no need", "not to", "ensure", "without", "don't you", "under no circumstances",
        "at no point", "do",
    ];
    if starts(bare, OPENERS) {
        return true;
    }
    let mut words = words(bare);
    let first = words.next();
    let second = words.next();
    let adverb = first.is_some_and(|word| word.ends_with("ly") && word.len() > 4);
    let (verb, after) = if adverb {
        (second, words.next())
    } else {
        (first, second)
    };
    let Some(verb) = verb.filter(|verb| VERBS.contains(verb)) else {
        return false;
    };
    let noun = after.is_some_and(|after| NOUN_SIGNS.contains(&after))
        && !(verb == "think" || verb == "sum");
    !noun
}

/// "The budget is …", "deadline: …": a setting, not a tale.
fn parameter(bare: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "budget", "deadline", "limit", "word limit", "language", "format", "maximum", "length",
        "title", "tone", "goal", "due date", "output", "target", "minimum", "word count", "cap",
    ];
    let mut rest = bare;
    rest = rest.strip_prefix("the ").unwrap_or(rest);
    // "Hotel budget", "travel budget": one word of what it is for.
    let kind = rest.split_once(' ').map(|(_, rest)| rest);
    let kind = kind.filter(|rest| NAMES.iter().any(|name| starts_with_words(rest, name)));
    rest = kind.unwrap_or(rest);
    for lead in [
        "the ", "our ", "my ", "your ", "new ", "total ", "overall ", "output ", "final ",
    ] {
        rest = rest.strip_prefix(lead).unwrap_or(rest);
    }
    let Some(name) = NAMES
        .iter()
        .filter(|name| starts_with_words(rest, name))
        .max_by_key(|name| name.len())
    else {
        return false;
    };
    let rest = rest[name.len()..].trim_start();
    // "The budget for the trip is …"
    let rest = if starts(rest, &["for", "of", "on", "per"]) {
        [" is ", " are ", " will be "]
            .iter()
            .find_map(|verb| rest.find(verb))
            .map_or(rest, |at| &rest[at + 1..])
    } else {
        rest
    };
    starts(
        rest,
        &["is", "are", "will be", "stays", "becomes", "remains", "now"],
    ) && !any(rest, &["was", "about the", "fine", "good", "great", "ok"])
        || rest.starts_with([':', '='])
}

fn reported_en(bare: &str) -> bool {
    let mut before: Option<&str> = None;
    let mut first: Option<&str> = None;
    for word in words(bare).take(14) {
        let subject = before.is_some_and(|before| {
            !matches!(
                before,
                "i" | "we"
                    | "you"
                    | "to"
                    | "not"
                    | "as"
                    | "i've"
                    | "the"
                    | "a"
                    | "is"
                    | "are"
                    | "be"
            )
        });
        if subject
            && REPORT_EN.contains(&word)
            && !first.is_some_and(|first| matches!(first, "i" | "we" | "you"))
        {
            return true;
        }
        first = first.or(Some(word));
        before = Some(word);
    }
    starts(bare, &["according to"])
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-')))
        .filter(|word| !word.is_empty())
}
