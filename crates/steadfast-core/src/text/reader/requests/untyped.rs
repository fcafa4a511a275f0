//! A clause that no typed rule was found in: a deed that is asked for, a rule in
//! words, a one-off request, or nothing.

use super::{Frame, Reader};
use crate::ledger::constraint::{Expiry, Scope};
use crate::ledger::patch::{Draft, Operation};
use crate::ledger::rule::{Action, ActionMode, Rule};
use crate::text::reader::clause::{Clause, Sentence};
use crate::text::reader::mood::{Act, any};
use crate::text::reader::{actions, change, format, question, standing};

impl Reader<'_, '_, '_> {
    /// A clause that no typed rule was found in.
    pub(super) fn without_type(
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
                let operation = Operation::Ask {
                    question,
                    options: Vec::new(),
                    holds_back: vec![Action::Kind(deed.kind)],
                };
                self.push(operation, span, "deed", false);
                return false;
            }
            if deed.definite {
                self.found.deeds.push(deed.kind);
            }
        }
        // 不要 Markdown beside another format that is asked for.
        if format::several(sentence.text) && format::names(clause.text) {
            return false;
        }
        if self.puts_aside(clause) {
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
            let force = frame.force(clause);
            let rule = Rule::Prose {
                text: self.words(&span),
            };
            let scope = frame.within(clause).unwrap_or(if frame.next_answer {
                Scope::NextAnswer
            } else {
                Scope::Task
            });
            let draft = Draft {
                force,
                scope,
                expiry: frame.ends(clause).unwrap_or_default(),
                ..Draft::must(rule)
            };
            let span = frame.cited(clause, span);
            self.push(Operation::Add(draft), span, "standing", false);
            return false;
        }
        standing::requests(clause, sentence) || reminded
    }

    /// 别用 JSON 了 ends the rule that asked for it.
    fn puts_aside(&mut self, clause: &Clause<'_>) -> bool {
        let Some(aside) = format::put_aside(clause.text) else {
            return false;
        };
        let held = self.view.active.iter().find(|active| {
            matches!(active.rule, Rule::Format { format }
                if std::mem::discriminant(format) == std::mem::discriminant(&aside))
        });
        let Some(target) = held.map(|held| held.id) else {
            return false;
        };
        let operation = Operation::Revoke {
            target: Some(target),
            about: None,
        };
        self.push(operation, clause.span(), "format", true);
        true
    }
}
