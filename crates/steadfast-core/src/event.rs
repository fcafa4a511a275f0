//! What can have happened.
//!
//! An [`Event`] is a fact, in the past tense. It is stored once, as the bytes
//! of an [`Envelope`] that names the hash of the one before it, and never
//! changed. Words and data stand in events only as [`Content`] names.

pub mod archive;
pub mod budget;
pub mod child;
pub mod clock;
pub mod envelope;
pub mod ledger;
pub mod machine;
pub mod memory;
pub mod model;
pub mod plan;
pub mod proposal;
pub mod recall;
pub mod repair;
pub mod review;
pub mod skill;
pub mod task;
pub mod validation;

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::id::{Epoch, Seq, Timestamp};
use crate::source::Source;

pub use envelope::{Envelope, FORMAT_VERSION, Sealed, open, seal};

/// One recorded fact of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub seq: Seq,
    pub at: Timestamp,
    pub epoch: Epoch,
    pub source: Source,
    pub body: Body,
}

/// What happened, by family. Variants are added, never renamed: the names stand
/// in stored logs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum Body {
    TaskStarted(Box<task::TaskStarted>),
    UserSent(task::UserSent),
    TaskPaused(task::TaskPaused),
    TaskResumed(task::TaskResumed),
    CancelRequested(task::CancelRequested),
    TaskCancelled(task::TaskCancelled),
    TaskCompleted(task::TaskCompleted),
    TaskFailing(task::TaskFailing),
    TaskFailed(task::TaskFailed),
    WorkflowAccepted(Box<task::WorkflowAccepted>),

    ModelCalled(Box<model::ModelCalled>),
    ModelReplied(Box<model::ModelReplied>),
    ModelFailed(model::ModelFailed),

    CallAdmitted(proposal::CallAdmitted),
    CallRefused(proposal::CallRefused),
    AnswerAdmitted(proposal::AnswerAdmitted),
    AnswerRefused(proposal::AnswerRefused),
    ApprovalRequested(proposal::ApprovalRequested),
    ApprovalDecided(proposal::ApprovalDecided),

    SkillCalled(skill::SkillCalled),
    SkillReturned(skill::SkillReturned),
    SkillFailed(skill::SkillFailed),
    DeedSettled(skill::DeedSettled),

    StateEntered(machine::StateEntered),
    StateSkipped(machine::StateSkipped),
    RepairAsked(repair::RepairAsked),
    Repaired(Box<repair::Repaired>),
    RepairDropped(repair::RepairDropped),
    DeedKept(repair::DeedKept),
    ValidationAsked(validation::ValidationAsked),
    Validated(validation::Validated),

    LedgerChanged(Box<ledger::LedgerChanged>),
    PatchRefused(ledger::PatchRefused),
    QuestionOpened(ledger::QuestionOpened),
    QuestionAnswered(ledger::QuestionAnswered),
    FactSet(ledger::FactSet),
    BudgetSet(Box<budget::BudgetSet>),
    PriceSet(budget::PriceSet),
    BudgetExhausted(budget::BudgetExhausted),

    StepArchived(Box<archive::StepArchived>),
    MemorySet(Box<memory::MemorySet>),
    SummaryAsked(Box<memory::SummaryAsked>),
    SummaryReplaced(Box<memory::SummaryReplaced>),
    SummaryRefused(memory::SummaryRefused),
    Recalled(Box<recall::Recalled>),
    PhasesPlanned(plan::PhasesPlanned),
    PhaseEntered(machine::PhaseEntered),
    ClockRead(clock::ClockRead),
    HandlingSet(model::HandlingSet),
    RoundEnded(task::RoundEnded),
    ReviewerSet(review::ReviewerSet),
    ReviewCalled(Box<review::ReviewCalled>),
    ReviewReturned(Box<review::ReviewReturned>),
    PatchProposed(ledger::PatchProposed),

    ChildStarted(Box<child::ChildStarted>),
    ChildEnded(Box<child::ChildEnded>),
}

impl Body {
    /// The name that the envelope gives as `kind`.
    pub fn kind(&self) -> &'static str {
        match self {
            Body::TaskStarted(_) => "task_started",
            Body::UserSent(_) => "user_sent",
            Body::TaskPaused(_) => "task_paused",
            Body::TaskResumed(_) => "task_resumed",
            Body::CancelRequested(_) => "cancel_requested",
            Body::TaskCancelled(_) => "task_cancelled",
            Body::TaskCompleted(_) => "task_completed",
            Body::TaskFailing(_) => "task_failing",
            Body::TaskFailed(_) => "task_failed",
            Body::WorkflowAccepted(_) => "workflow_accepted",
            Body::ModelCalled(_) => "model_called",
            Body::ModelReplied(_) => "model_replied",
            Body::ModelFailed(_) => "model_failed",
            Body::CallAdmitted(_) => "call_admitted",
            Body::CallRefused(_) => "call_refused",
            Body::AnswerAdmitted(_) => "answer_admitted",
            Body::AnswerRefused(_) => "answer_refused",
            Body::ApprovalRequested(_) => "approval_requested",
            Body::ApprovalDecided(_) => "approval_decided",
            Body::SkillCalled(_) => "skill_called",
            Body::SkillReturned(_) => "skill_returned",
            Body::SkillFailed(_) => "skill_failed",
            Body::DeedSettled(_) => "deed_settled",
            Body::StateEntered(_) => "state_entered",
            Body::StateSkipped(_) => "state_skipped",
            Body::RepairAsked(_) => "repair_asked",
            Body::Repaired(_) => "repaired",
            Body::RepairDropped(_) => "repair_dropped",
            Body::DeedKept(_) => "deed_kept",
            Body::ValidationAsked(_) => "validation_asked",
            Body::Validated(_) => "validated",
            Body::LedgerChanged(_) => "ledger_changed",
            Body::PatchRefused(_) => "patch_refused",
            Body::QuestionOpened(_) => "question_opened",
            Body::QuestionAnswered(_) => "question_answered",
            Body::FactSet(_) => "fact_set",
            Body::BudgetSet(_) => "budget_set",
            Body::PriceSet(_) => "price_set",
            Body::BudgetExhausted(_) => "budget_exhausted",
            Body::StepArchived(_) => "step_archived",
            Body::MemorySet(_) => "memory_set",
            Body::SummaryAsked(_) => "summary_asked",
            Body::SummaryReplaced(_) => "summary_replaced",
            Body::SummaryRefused(_) => "summary_refused",
            Body::Recalled(_) => "recalled",
            Body::PhasesPlanned(_) => "phases_planned",
            Body::PhaseEntered(_) => "phase_entered",
            Body::ClockRead(_) => "clock_read",
            Body::HandlingSet(_) => "handling_set",
            Body::RoundEnded(_) => "round_ended",
            Body::ReviewerSet(_) => "reviewer_set",
            Body::ReviewCalled(_) => "review_called",
            Body::ReviewReturned(_) => "review_returned",
            Body::PatchProposed(_) => "patch_proposed",
            Body::ChildStarted(_) => "child_started",
            Body::ChildEnded(_) => "child_ended",
        }
    }
}

impl HoldsContent for Body {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        match self {
            Body::TaskStarted(body) => body.visit_content(visit),
            Body::UserSent(body) => body.text.visit_content(visit),
            Body::TaskCompleted(body) => body.answer.visit_content(visit),
            Body::RoundEnded(body) => body.answer.visit_content(visit),
            Body::ReviewCalled(body) => body.visit_content(visit),
            Body::ReviewReturned(body) => body.visit_content(visit),
            Body::PatchProposed(body) => body.message.visit_content(visit),
            Body::WorkflowAccepted(body) => body.workflow.visit_content(visit),
            Body::ModelCalled(body) => {
                body.manifest.visit_content(visit);
                body.fragments.visit_content(visit);
            }
            Body::ModelReplied(body) => body.visit_content(visit),
            Body::ModelFailed(body) => body.message.visit_content(visit),
            Body::CallAdmitted(body) => body.args.visit_content(visit),
            Body::CallRefused(body) => body.args.visit_content(visit),
            Body::AnswerAdmitted(body) => body.answer.visit_content(visit),
            Body::AnswerRefused(body) => {
                body.answer.visit_content(visit);
                body.repair.visit_content(visit);
            }
            Body::ApprovalDecided(body) => body.reason.visit_content(visit),
            Body::SkillReturned(body) => {
                body.result.visit_content(visit);
                body.checked.visit_content(visit);
            }
            Body::SkillFailed(body) => body.message.visit_content(visit),
            Body::DeedSettled(body) => body.result.visit_content(visit),
            Body::ValidationAsked(body) => body.visit_content(visit),
            Body::Validated(body) => body.visit_content(visit),
            Body::RepairAsked(body) => body.words.visit_content(visit),
            Body::Repaired(body) => body.visit_content(visit),
            Body::LedgerChanged(body) => body.change.visit_content(visit),
            Body::PatchRefused(body) => body.patch.visit_content(visit),
            Body::QuestionOpened(body) => body.content.visit_content(visit),
            Body::FactSet(body) => body.value.visit_content(visit),
            Body::StepArchived(body) => body.visit_content(visit),
            Body::SummaryAsked(body) => body.visit_content(visit),
            Body::SummaryReplaced(body) => body.visit_content(visit),
            Body::SummaryRefused(body) => body.visit_content(visit),
            Body::Recalled(body) => body.visit_content(visit),
            Body::PhasesPlanned(body) => body.visit_content(visit),
            Body::ChildStarted(body) => body.inherited.visit_content(visit),
            Body::ChildEnded(body) => {
                body.output.visit_content(visit);
                body.why.visit_content(visit);
            }
            Body::TaskPaused(_)
            | Body::TaskResumed(_)
            | Body::CancelRequested(_)
            | Body::TaskCancelled(_)
            | Body::TaskFailing(_)
            | Body::TaskFailed(_)
            | Body::BudgetSet(_)
            | Body::PriceSet(_)
            | Body::ReviewerSet(_)
            | Body::BudgetExhausted(_)
            | Body::MemorySet(_)
            | Body::ClockRead(_)
            | Body::HandlingSet(_)
            | Body::ApprovalRequested(_)
            | Body::SkillCalled(_)
            | Body::StateEntered(_)
            | Body::StateSkipped(_)
            | Body::RepairDropped(_)
            | Body::DeedKept(_)
            | Body::PhaseEntered(_)
            | Body::QuestionAnswered(_) => {}
        }
    }
}
