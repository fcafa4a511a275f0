//! Goes through the sentences of a message and turns what they say into
//! patches.

mod fields;
mod settle;
mod taken_back;
mod untyped;
mod weigh;

use std::ops::Range;

use crate::ledger::constraint::{ConstraintId, Expiry, Force, Scope};
use crate::ledger::patch::{Draft, Operation};
use crate::ledger::rule::{ActionKind, Rule};
use crate::text::fold::Folded;
use crate::text::reader::clause::{Clause, Message, Sentence, sentences};
use crate::text::reader::hit::Field;
use crate::text::reader::mood::{self, Act, Mood};
use crate::text::reader::prose::prose;
use crate::text::reader::question::{self, Tongue};
use crate::text::reader::reach::{self, Reach, Term};
use crate::text::reader::revoke;
use crate::text::reader::standing;
use crate::text::reader::{
    LedgerView, ProposedPatch, actions, amounts, change, format, language, length, letters,
    permission, phrases, skills, sources,
};

/// What was found in a message so far.
#[derive(Default)]
pub(super) struct Found {
    /// Each with whether it changes what is in force.
    pub(super) patches: Vec<(ProposedPatch, bool)>,
    pub(super) in_force: Vec<ConstraintId>,
    /// Deeds that are asked for, with whom they reach.
    pub(super) deeds: Vec<ActionKind>,
    /// Others' words were set aside.
    pub(super) others: bool,
}

/// Reads one stretch of a message; `offset` is where it begins in the message.
pub(super) fn read<'v>(
    folded: &Folded<'_>,
    offset: usize,
    view: &'v LedgerView<'v>,
    found: &mut Found,
) {
    let mut prose = prose(folded.text());
    found.others |= prose.others;
    let terms = reach::take(&mut prose.text, &view.moment);
    let message = Message {
        folded,
        prose: &prose,
    };
    let mut reader = Reader {
        message: &message,
        offset,
        view,
        found,
        terms,
        requests: Vec::new(),
    };
    let all = sentences(&prose.text);
    for (at, sentence) in all.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        let from = before.map_or(0, |before| {
            let end = before.start + before.text.len();
            let gap = &prose.text[end..sentence.start];
            end + gap.rfind('\n').map_or(0, |line| line + 1)
        });
        let next = all.get(at + 1).map(|next| next.start);
        let until = next.map_or(prose.text.len(), |next| {
            let end = sentence.start + sentence.text.len();
            let gap = prose.text.get(end..next).unwrap_or_default();
            end + gap.rfind('\n').unwrap_or(0)
        });
        reader.sentence(sentence, from..until);
    }
    reader.request();
}

struct Reader<'r, 't, 'v> {
    message: &'r Message<'t>,
    offset: usize,
    view: &'v LedgerView<'v>,
    found: &'r mut Found,
    /// How long and where rules hold, said anywhere in the message.
    terms: Vec<Term>,
    /// Folded spans of sentences that ask for something once.
    requests: Vec<Range<usize>>,
}

/// What of a sentence bears on all its clauses.
struct Frame {
    once: bool,
    next_answer: bool,
    stands: bool,
    replaces: bool,
    /// A clause of its own that makes the rest a wish ("if possible, …").
    wished: bool,
    /// The terms that the sentence holds.
    terms: Vec<Term>,
    /// Where its clauses lie, in folded bytes.
    clauses: Vec<Range<usize>>,
    tongue: Tongue,
}

impl Frame {
    /// The terms of a clause: its own, and those that stand apart from all.
    fn terms(&self, clause: &Clause<'_>) -> impl Iterator<Item = &Term> {
        let own = clause.start..clause.start + clause.text.len();
        self.terms.iter().filter(move |term| {
            let at = term.span.start;
            own.contains(&at) || !self.clauses.iter().any(|clause| clause.contains(&at))
        })
    }

    /// When a rule of the clause ends by itself.
    fn ends(&self, clause: &Clause<'_>) -> Option<Expiry> {
        self.terms(clause).find_map(|term| match &term.reach {
            Reach::Ends(expiry) => Some(expiry.clone()),
            Reach::Within(_) => None,
        })
    }

    /// Where alone a rule of the clause holds.
    fn within(&self, clause: &Clause<'_>) -> Option<Scope> {
        self.terms(clause).find_map(|term| match &term.reach {
            Reach::Within(scope) => Some(scope.clone()),
            Reach::Ends(_) => None,
        })
    }

    /// The words that a rule rests on, with those of its terms.
    fn cited(&self, clause: &Clause<'_>, span: Range<usize>) -> Range<usize> {
        let spans = self.terms(clause).map(|term| term.span.clone());
        spans.fold(span, |all, term| {
            all.start.min(term.start)..all.end.max(term.end)
        })
    }

    fn force(&self, clause: &Clause<'_>) -> Force {
        if self.wished {
            Force::Should
        } else {
            standing::force(clause.text)
        }
    }
}

impl<'v> Reader<'_, '_, 'v> {
    /// `reach`: the bytes whose terms are the sentence's, with the blanks around
    /// it that terms have left.
    fn sentence(&mut self, sentence: &Sentence<'_>, reach: Range<usize>) {
        match sentence.mood {
            Mood::Question | Mood::Hypothetical | Mood::Disowned | Mood::Past => return,
            Mood::Conditional => return self.conditional(sentence),
            Mood::Plain | Mood::Polite => {}
        }
        let frame = Frame {
            once: change::once(sentence.text),
            next_answer: change::next_answer(sentence.text),
            stands: change::stands(sentence.text),
            replaces: change::replaces(sentence.text),
            wished: sentence
                .clauses
                .iter()
                .any(|clause| standing::only_wishes(clause.text)),
            terms: self.terms_within(reach),
            clauses: sentence
                .clauses
                .iter()
                .map(|clause| clause.start..clause.start + clause.text.len())
                .collect(),
            tongue: if sentence.chinese {
                Tongue::Chinese
            } else {
                Tongue::English
            },
        };
        if self.whole_sentence(sentence, &frame) {
            return;
        }
        let mut asked = false;
        let mut amount = None;
        for clause in &sentence.clauses {
            // "The budget is not $5k, it is $15k": the second half sets it.
            let corrects =
                amount.is_some() && clause.act == Act::Statement && standing::corrects(clause.text);
            if corrects {
                self.corrected(clause, &frame, amount);
                continue;
            }
            if clause.act == Act::Reported
                || (clause.act == Act::Statement && sentence.mood != Mood::Polite)
            {
                amount = amount.or_else(|| amounts::name(clause.text));
                continue;
            }
            asked |= self.clause(clause, sentence, &frame, asked, amount);
            amount = amounts::name(clause.text).or(amount);
        }
        if asked {
            let end = sentence.start + sentence.text.len();
            self.requests.push(sentence.start..end);
        }
    }

    fn terms_within(&self, reach: Range<usize>) -> Vec<Term> {
        let from = self
            .terms
            .partition_point(|term| term.span.start < reach.start);
        self.terms[from..]
            .iter()
            .take_while(|term| term.span.start < reach.end)
            .cloned()
            .collect()
    }

    fn corrected(&mut self, clause: &Clause<'_>, frame: &Frame, amount: Option<&'static str>) {
        let mut hits = Vec::new();
        amounts::read(clause, amount, &mut hits);
        for hit in hits {
            self.hit(hit, clause, frame, false);
        }
    }

    /// If …, then do …: kept in words, since no type holds a condition.
    fn conditional(&mut self, sentence: &Sentence<'_>) {
        let told = sentence
            .clauses
            .iter()
            .skip(1)
            .any(|clause| clause.act == Act::Directive);
        if told {
            let rule = Rule::Prose {
                text: self.words(&self.whole(sentence)),
            };
            self.push(
                Operation::Add(Draft::must(rule)),
                self.whole(sentence),
                "conditional",
                false,
            );
        }
    }

    /// Changes of goal, and sentences that are unclear as a whole.
    fn whole_sentence(&mut self, sentence: &Sentence<'_>, frame: &Frame) -> bool {
        let span = self.whole(sentence);
        if let Some(at) = standing::goal(sentence.text) {
            let goal = span.start + at.min(span.len())..span.end;
            let goal = self
                .words(&goal)
                .trim_end_matches(['。', '.', '!', '！'])
                .trim()
                .to_owned();
            if !goal.is_empty() {
                self.push(Operation::SetGoal { goal }, span, "goal", true);
                return true;
            }
        }
        let reported = sentence
            .clauses
            .iter()
            .all(|clause| matches!(clause.act, Act::Reported | Act::Statement));
        let either = standing::either(sentence.text) && language::named(sentence.text).len() > 1;
        if !reported && (either || standing::unclear(sentence.text)) {
            let question = question::unclear(&self.words(&span), frame.tongue);
            let changes = standing::refers_back(sentence.text) && !self.view.active.is_empty();
            self.ask(question, Vec::new(), span, "unclear", changes);
            return true;
        }
        false
    }

    /// Reads a clause. Gives whether it asks for something once.
    fn clause(
        &mut self,
        clause: &Clause<'_>,
        sentence: &Sentence<'_>,
        frame: &Frame,
        asked: bool,
        amount: Option<&'static str>,
    ) -> bool {
        let mut hits = Vec::new();
        language::read(clause, &mut hits);
        length::read(clause, &mut hits);
        format::read(clause, sentence.text, &mut hits);
        sources::read(clause, &mut hits);
        permission::read(clause, &mut hits);
        amounts::read(clause, amount, &mut hits);
        phrases::read(clause, self.message, &mut hits);
        letters::read(clause, self.message, &mut hits);
        skills::read(clause, self.message, &mut hits);
        self.fields(sentence, &mut hits);
        let relative = amounts::read_date(clause, &mut hits);
        if revoke::releases(clause.text) {
            return self.release(clause, hits, frame);
        }
        if let Some(subject) = revoke::read(clause.text) {
            self.revoke(clause, subject, frame);
            return false;
        }
        actions::read(clause, &mut hits);
        let bare = mood::strip_leads(clause.text);
        let task = standing::task(bare, sentence.chinese);
        if hits.is_empty() && self.lets_source(clause, frame) {
            return false;
        }
        if hits.is_empty() {
            return self.without_type(clause, sentence, frame, relative);
        }
        for hit in hits {
            let follows = asked && clause.act == Act::Fragment && Field::of(&hit.rule).of_answer();
            let attribute = task && Field::of(&hit.rule).of_answer();
            self.hit(hit, clause, frame, follows || attribute);
        }
        task
    }

    fn whole(&self, sentence: &Sentence<'_>) -> Range<usize> {
        sentence.start..sentence.start + sentence.text.trim_end().len()
    }

    /// The words of a folded range as they were written.
    fn words(&self, folded: &Range<usize>) -> String {
        let span = self.message.folded.span(folded.clone());
        self.message.folded.original()[span].trim().to_owned()
    }

    fn push(
        &mut self,
        operation: Operation,
        folded: Range<usize>,
        rule_name: &'static str,
        changes: bool,
    ) {
        let span = self.message.folded.span(folded);
        let patch = ProposedPatch {
            operation,
            span: span.start + self.offset..span.end + self.offset,
            rule_name,
        };
        self.found.patches.push((patch, changes));
    }

    fn ask(
        &mut self,
        question: String,
        options: Vec<Operation>,
        span: Range<usize>,
        name: &'static str,
        changes: bool,
    ) {
        let operation = Operation::Ask {
            question,
            options,
            holds_back: Vec::new(),
        };
        self.push(operation, span, name, changes);
    }

    /// All one-off requests of the message are one: the next answer owes all.
    fn request(&mut self) {
        let (Some(first), Some(last)) = (
            self.requests.first().cloned(),
            self.requests.last().cloned(),
        ) else {
            return;
        };
        let words: Vec<String> = self.requests.iter().map(|span| self.words(span)).collect();
        let request = words.join("\n");
        self.push(
            Operation::SetRequest { request },
            first.start..last.end,
            "request",
            false,
        );
    }
}
