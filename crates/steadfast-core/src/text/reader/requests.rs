//! Goes through the sentences of a message and turns what they say into
//! patches.

use std::ops::Range;

use crate::ledger::constraint::{ConstraintId, Expiry, Scope};
use crate::ledger::patch::{Draft, Operation};
use crate::ledger::rule::{ActionMode, Bound, Rule, SourceMode};
use crate::text::fold::Folded;
use crate::text::reader::clause::{Clause, Message, Sentence, sentences};
use crate::text::reader::hit::{Field, Hit};
use crate::text::reader::mood::{self, Act, Mood, any};
use crate::text::reader::prose::prose;
use crate::text::reader::question::{self, Tongue};
use crate::text::reader::revoke::{self, Subject};
use crate::text::reader::standing;
use crate::text::reader::{
    Active, LedgerView, ProposedPatch, actions, amounts, change, format, language, length,
    permission, phrases, sources,
};

/// What was found in a message so far.
#[derive(Default)]
pub(super) struct Found {
    /// Each with whether it changes what is in force.
    pub(super) patches: Vec<(ProposedPatch, bool)>,
    pub(super) in_force: Vec<ConstraintId>,
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
    let prose = prose(folded.text());
    found.others |= prose.others;
    let message = Message {
        folded,
        prose: &prose,
    };
    let mut reader = Reader {
        message: &message,
        offset,
        view,
        found,
        requests: Vec::new(),
    };
    for sentence in sentences(&prose.text) {
        reader.sentence(&sentence);
    }
    reader.request();
}

struct Reader<'r, 't, 'v> {
    message: &'r Message<'t>,
    offset: usize,
    view: &'v LedgerView<'v>,
    found: &'r mut Found,
    /// Folded spans of sentences that ask for something once.
    requests: Vec<Range<usize>>,
}

/// What of a sentence bears on all its clauses.
struct Frame {
    once: bool,
    next_answer: bool,
    stands: bool,
    replaces: bool,
    tongue: Tongue,
}

impl<'v> Reader<'_, '_, 'v> {
    fn sentence(&mut self, sentence: &Sentence<'_>) {
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

    /// 可以引用维基百科: ends, or excepts from, the rule that kept a source out.
    fn lets_source(&mut self, clause: &Clause<'_>, frame: &Frame) -> bool {
        let allowed = sources::allowed(clause.text);
        let held = self
            .view
            .active
            .iter()
            .copied()
            .find(|active| match active.rule {
                Rule::Sources {
                    mode: SourceMode::Deny,
                    sources,
                } => sources.iter().any(|source| allowed.contains(source)),
                _ => false,
            });
        let Some(held) = held else {
            return false;
        };
        let operation = if frame.once || frame.next_answer {
            Operation::Exception {
                target: Some(held.id),
                with: None,
                expiry: Expiry::Once,
            }
        } else {
            Operation::Revoke {
                target: Some(held.id),
                about: None,
            }
        };
        self.push(operation, clause.span(), "sources", true);
        true
    }

    /// 不用…了: ends a rule that stands; else nothing was asked for.
    fn release(&mut self, clause: &Clause<'_>, hits: Vec<Hit>, frame: &Frame) -> bool {
        let ends = revoke::any_more(clause.text);
        for hit in &hits {
            let field = Field::of(&hit.rule);
            let target = self.of_field(&field).filter(|active| {
                active.rule == &hit.rule || !matches!(field, Field::Language | Field::Format)
            });
            if let Some(target) = target.filter(|_| ends) {
                let operation = Operation::Revoke {
                    target: Some(target.id),
                    about: None,
                };
                self.loosen(
                    operation,
                    &field,
                    Some(target),
                    clause.span(),
                    frame,
                    "release",
                );
            }
        }
        if let Some(Subject::Field(field, rule)) =
            revoke::read(clause.text).filter(|_| hits.is_empty())
        {
            self.revoke(clause, Subject::Field(field, rule), frame);
            return false;
        }
        // "No need to send the letter any more" calls a deed off.
        hits.is_empty() && ends && standing::calls_off(clause.text)
    }

    fn revoke(&mut self, clause: &Clause<'_>, subject: Subject, frame: &Frame) {
        let span = clause.span();
        let words = self.words(&span);
        let (field, sample) = match subject {
            Subject::Any => {
                let question = question::which_rule(&words, &self.view.active, frame.tongue);
                let options = self.view.active.iter().map(|active| Operation::Revoke {
                    target: Some(active.id),
                    about: None,
                });
                let options = options.collect();
                return self.ask(question, options, span, "revoke", true);
            }
            Subject::Field(field, sample) => (field, sample),
        };
        let meant: Vec<Active<'_>> = self
            .view
            .active
            .iter()
            .filter(|active| Field::of(active.rule) == field)
            .copied()
            .collect();
        if meant.len() > 1 {
            let question = question::which_rule(&words, &meant, frame.tongue);
            let options = meant.iter().map(|active| Operation::Revoke {
                target: Some(active.id),
                about: None,
            });
            let options = options.collect();
            return self.ask(question, options, span, "revoke", true);
        }
        let target = meant.first().copied();
        let operation = if frame.once || frame.next_answer {
            Operation::Exception {
                target: target.map(|active| active.id),
                with: None,
                expiry: Expiry::Once,
            }
        } else {
            Operation::Revoke {
                target: target.map(|active| active.id),
                about: target.is_none().then_some(sample),
            }
        };
        self.loosen(operation, &field, target, span, frame, "revoke");
    }

    /// Proposes a loosening, or asks first where it opens a guard.
    fn loosen(
        &mut self,
        operation: Operation,
        field: &Field,
        target: Option<Active<'_>>,
        span: Range<usize>,
        frame: &Frame,
        name: &'static str,
    ) {
        if field.guarded() {
            let question = question::loosening(&self.words(&span), target.as_ref(), frame.tongue);
            self.ask(question, vec![operation], span, name, true);
        } else {
            self.push(operation, span, name, true);
        }
    }

    /// A clause that no typed rule was found in.
    fn without_type(
        &mut self,
        clause: &Clause<'_>,
        sentence: &Sentence<'_>,
        frame: &Frame,
        relative: bool,
    ) -> bool {
        let span = clause.span();
        if frame.once && change::allows(clause.text) && clause.act != Act::Directive {
            return false;
        }
        if let Some(deed) = actions::asked(clause) {
            let held = self.view.active.iter().copied().find(|active| {
                question::kind(active.rule) == Some(deed.kind)
                    && matches!(
                        active.rule,
                        Rule::Action {
                            mode: ActionMode::Forbid | ActionMode::Ask,
                            ..
                        }
                    )
            });
            if let Some(held) = held {
                let question =
                    question::forbidden(&self.words(&span), deed.kind, &held, frame.tongue);
                let options = vec![
                    Operation::Exception {
                        target: Some(held.id),
                        with: None,
                        expiry: Expiry::Once,
                    },
                    Operation::Revoke {
                        target: Some(held.id),
                        about: None,
                    },
                ];
                self.ask(question, options, span, "deed", true);
                return false;
            }
            if deed.vague {
                let question = question::vague_deed(&self.words(&span), deed.kind, frame.tongue);
                self.ask(question, Vec::new(), span, "deed", false);
                return false;
            }
        }
        // 不要 Markdown beside another format that is asked for.
        if format::several(sentence.text) && format::names(clause.text) {
            return false;
        }
        if clause.act == Act::Fragment
            && !relative
            && !standing::manner(clause.text)
            && !standing::go_on(clause.text)
        {
            return false;
        }
        let reminded = any(
            clause.text,
            &[
                "别忘",
                "不要忘",
                "don't forget to",
                "do not forget to",
                "dont forget",
            ],
        );
        if (relative || standing::standing(clause.text, frame.stands)) && !reminded {
            let force = standing::force(clause.text);
            let rule = Rule::Prose {
                text: self.words(&span),
            };
            let draft = Draft {
                force,
                scope: if frame.next_answer {
                    Scope::NextAnswer
                } else {
                    Scope::Task
                },
                ..Draft::must(rule)
            };
            self.push(Operation::Add(draft), span, "standing", false);
            return false;
        }
        standing::requests(clause, sentence) || reminded
    }

    /// Turns a typed rule into the change that the clause makes of it.
    fn hit(&mut self, hit: Hit, clause: &Clause<'_>, frame: &Frame, attribute: bool) {
        let field = Field::of(&hit.rule);
        let span = hit.span.clone();
        let suspends = frame.once && change::allows(clause.text) && only_lets(&hit.rule);
        let known = self.overlapping(&hit.rule);
        let known = known.or_else(|| self.of_field(&field).filter(|_| suspends));
        if let Some(same) = known.filter(|known| *known.rule == hit.rule) {
            self.found.in_force.push(same.id);
            return;
        }
        let mut draft = Draft {
            force: standing::force(clause.text),
            ..Draft::must(hit.rule)
        };
        if attribute {
            draft.scope = Scope::NextAnswer;
            return self.push(Operation::Add(draft), span, hit.name, false);
        }
        if frame.once || (frame.next_answer && known.is_some()) || suspends {
            draft.expiry = Expiry::Once;
            let operation = Operation::Exception {
                target: known.map(|known| known.id),
                with: (!suspends).then_some(draft),
                expiry: Expiry::Once,
            };
            return self.loosen_if(operation, &field, known, span, frame, hit.name);
        }
        if frame.next_answer && !frame.stands && !field.guarded() {
            draft.scope = Scope::NextAnswer;
            return self.push(Operation::Add(draft), span, hit.name, false);
        }
        if let Some(known) = known {
            let looser = looser(known.rule, &draft.rule);
            let operation = Operation::Override {
                target: Some(known.id),
                with: draft,
            };
            if looser {
                return self.loosen(operation, &field, Some(known), span, frame, hit.name);
            }
            return self.push(operation, span, hit.name, true);
        }
        if frame.replaces
            && change::replaces(clause.text)
            && !matches!(field, Field::Action(_) | Field::Phrase(_))
        {
            let operation = Operation::Override {
                target: None,
                with: draft,
            };
            return self.push(operation, span, hit.name, true);
        }
        self.push(Operation::Add(draft), span, hit.name, false);
    }

    fn loosen_if(
        &mut self,
        operation: Operation,
        field: &Field,
        known: Option<Active<'_>>,
        span: Range<usize>,
        frame: &Frame,
        name: &'static str,
    ) {
        if known.is_some() {
            self.loosen(operation, field, known, span, frame, name);
        } else {
            self.push(operation, span, name, true);
        }
    }

    fn of_field(&self, field: &Field) -> Option<Active<'v>> {
        self.view
            .active
            .iter()
            .copied()
            .find(|active| Field::of(active.rule) == *field)
    }

    /// The rule in force that a new one would clash with or repeat.
    fn overlapping(&self, rule: &Rule) -> Option<Active<'v>> {
        self.view
            .active
            .iter()
            .copied()
            .find(|active| overlap(active.rule, rule))
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
        self.push(Operation::Ask { question, options }, span, name, changes);
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

/// Whether two rules cannot both be meant, or are the same.
fn overlap(old: &Rule, new: &Rule) -> bool {
    if old == new {
        return true;
    }
    match (old, new) {
        (
            Rule::Length {
                bound: old_bound, ..
            },
            Rule::Length {
                bound: new_bound, ..
            },
        ) => Field::of(old) == Field::of(new) && sides_meet(old_bound, new_bound),
        (
            Rule::Structure {
                bound: old_bound, ..
            },
            Rule::Structure {
                bound: new_bound, ..
            },
        ) => Field::of(old) == Field::of(new) && sides_meet(old_bound, new_bound),
        (
            Rule::Amount {
                bound: old_bound, ..
            },
            Rule::Amount {
                bound: new_bound, ..
            },
        ) => Field::of(old) == Field::of(new) && sides_meet(old_bound, new_bound),
        // A further forbidden source stands beside the others; another list of
        // the only ones allowed does not.
        (Rule::Sources { mode: old, .. }, Rule::Sources { mode: new, .. }) => {
            old == new && *new == SourceMode::Allow
        }
        (Rule::Phrase { .. }, Rule::Phrase { .. }) => Field::of(old) == Field::of(new),
        (Rule::Prose { .. }, _) | (_, Rule::Prose { .. }) => false,
        _ => Field::of(old) == Field::of(new) && Field::of(new) != Field::Other,
    }
}

/// A least and a most can stand side by side; two of one side cannot.
fn sides_meet<T>(old: &Bound<T>, new: &Bound<T>) -> bool {
    let (low, high) = (
        old.min.is_some() && new.min.is_some(),
        old.max.is_some() && new.max.is_some(),
    );
    low || high || old.about.is_some() || new.about.is_some()
}

/// "You can go over 300 words": lets something be and sets nothing.
fn only_lets(rule: &Rule) -> bool {
    match rule {
        Rule::Length { bound, .. } | Rule::Structure { bound, .. } => {
            bound.max.is_none() && bound.about.is_none()
        }
        Rule::Amount { bound, .. } => bound.max.is_none() && bound.about.is_none(),
        _ => false,
    }
}

/// Whether a guard is opened wider by the new rule.
fn looser(old: &Rule, new: &Rule) -> bool {
    match (old, new) {
        (
            Rule::Amount {
                bound: old,
                unit: old_unit,
                ..
            },
            Rule::Amount {
                bound: new, unit, ..
            },
        ) => {
            let same_unit = old_unit == unit || unit.is_none();
            match (&old.max, &new.max) {
                (Some(old), Some(new)) => !same_unit || new.value > old.value,
                (Some(_), None) => true,
                (None, _) => false,
            }
        }
        (Rule::Permission { allowed: old, .. }, Rule::Permission { allowed: new, .. }) => {
            !old && *new
        }
        (Rule::Action { mode: old, .. }, Rule::Action { mode: new, .. }) => {
            old != new && *new != ActionMode::Forbid
        }
        _ => false,
    }
}
