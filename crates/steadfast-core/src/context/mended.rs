//! What a repair leaves to be seen: the deeds that stand, and why the task was
//! restarted.

use std::fmt::Write;

use crate::context::draw::{Drawn, Fitting};
use crate::context::fragment::{Piece, Text};
use crate::context::request::FragmentKind;
use crate::event::repair::{Fault, Lesson};
use crate::id::Seq;
use crate::ledger::words;
use crate::limits;
use crate::workflow::contract::Lang;

impl Fitting<'_> {
    /// The causes of restarts, in the system layer, for as long as they are told.
    pub(super) fn lessons(&self, drawn: &mut Drawn) {
        let stands = &self.task.state.stands;
        let told = stands.repairs.lessons.iter();
        let told: Vec<&Lesson> = told
            .filter(|one| stands.counters.steps < one.until_step)
            .collect();
        if told.is_empty() {
            return;
        }
        let mut text = match self.lang() {
            Lang::En => "[EARLIER ATTEMPT] This task was restarted, since this was wrong. \
                         Take another way; do not rest on it again."
                .to_owned(),
            Lang::Zh => {
                "[此前的尝试] 本任务已重启，原因如下。请改用其他做法，不要再以其为依据。".to_owned()
            }
        };
        for one in told {
            let _ = write!(text, "\n- {}", lesson(one, self.lang()));
        }
        let texts = vec![Text::Inline(text)];
        let pieces = vec![Piece::System { texts }];
        self.put(drawn, vec![Seq(1)], FragmentKind::Lesson, pieces);
    }

    /// The deeds that stand after a repair, each with what was sent and what came
    /// of it.
    pub(super) fn kept_deeds(&self, drawn: &mut Drawn) {
        let kept = &self.task.state.stands.repairs.kept;
        if kept.is_empty() {
            return;
        }
        let (lead, may) = match self.lang() {
            Lang::En => (
                "[DONE] Done before a repair, and standing. None of it is to be done again:",
                " (may rest on a value that was wrong)",
            ),
            Lang::Zh => (
                "[DONE] 修复之前已完成的操作，全部有效，不得重做：",
                "（可能依据了错误的值）",
            ),
        };
        let mut texts = vec![Text::Inline(lead.to_owned())];
        for one in kept {
            let note = if one.tainted { may } else { "" };
            texts.push(Text::Inline(format!("\n- {}{note} ", one.skill)));
            texts.push(self.capped(&one.args, limits::KEPT_DEED_TOKENS_MAX));
            texts.push(Text::Inline(" → ".to_owned()));
            texts.push(self.capped(&one.result, limits::KEPT_DEED_TOKENS_MAX));
        }
        let sources = kept.iter().map(|one| one.seq).collect();
        let pieces = vec![Piece::User { texts }];
        self.put(drawn, sources, FragmentKind::Receipts, pieces);
    }
}

impl Fitting<'_> {
    /// What the look-out for anomalies says to the model, until it has moved on.
    pub(super) fn watched(&self, drawn: &mut Drawn) {
        let Some(note) = &self.task.state.stands.validations.note else {
            return;
        };
        let lead = match self.lang() {
            Lang::En => "[VALIDATION] ",
            Lang::Zh => "[校验] ",
        };
        let texts = vec![Text::Inline(lead.to_owned()), Text::Whole(note.clone())];
        let pieces = vec![Piece::User { texts }];
        let at = vec![self.task.state.seq];
        self.put(drawn, at, FragmentKind::Refusal, pieces);
    }
}

/// One cause. The words are of a person who has a say in the task; they are
/// quoted, on one line.
fn lesson(one: &Lesson, lang: Lang) -> String {
    let mut text = match (&one.cause, lang) {
        (cause, Lang::En) => cause.to_string(),
        (Fault::Fact { name }, Lang::Zh) => format!("事实 {} 的值有误", words::quoted(name)),
        (Fault::Call { call }, Lang::Zh) => format!("调用 {call} 的结果有误"),
        (Fault::Step { step }, Lang::Zh) => format!("第 {step} 步的决定有误"),
        (Fault::Phase { name }, Lang::Zh) => format!("阶段 {} 的产出有误", words::quoted(name)),
        (Fault::Course { code }, Lang::Zh) => format!("任务的走向有误：{code}"),
    };
    if let Some(said) = &one.words {
        let said: String = said.text().chars().take(limits::FACT_CHARS_SHOWN).collect();
        let _ = write!(text, ": {}", words::quoted(&said));
    }
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(ends, " ")
}
