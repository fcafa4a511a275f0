//! The classes of failed model calls as a user meets them: a stable code with a
//! page in `docs/errors`, and what to do about it.

use steadfast_core::event::model::ModelFailure;

/// The code of a class, such as `M0103`.
pub fn code(class: ModelFailure) -> &'static str {
    match class {
        ModelFailure::Transport => "M0101",
        ModelFailure::Timeout => "M0102",
        ModelFailure::RateLimited => "M0103",
        ModelFailure::Provider => "M0104",
        ModelFailure::Rejected => "M0105",
        ModelFailure::OutputBudget => "M0106",
        ModelFailure::Malformed => "M0107",
        ModelFailure::Empty => "M0108",
        ModelFailure::NotRecorded => "M0109",
        ModelFailure::Unreachable => "M0110",
        ModelFailure::Quota => "M0111",
        ModelFailure::Lost => "M0112",
    }
}

/// What mends a class, in a sentence.
pub fn hint(class: ModelFailure) -> &'static str {
    match class {
        ModelFailure::Transport => "check what stands between this machine and the endpoint",
        ModelFailure::Unreachable => "check that the endpoint runs and that its address is right",
        ModelFailure::Quota => "fill the account or raise its limit, then let the task go on",
        ModelFailure::Lost => "raise the budget with `steadfast resume TASK --budget …`",
        ModelFailure::Timeout => "give the call more time, or ask for a shorter answer",
        ModelFailure::RateLimited => "wait, or lower the number of tasks that run at once",
        ModelFailure::Provider => "the provider failed; resume the task later",
        ModelFailure::Rejected => "check the key, the model's name and the size of the request",
        ModelFailure::OutputBudget => "give the model a larger output limit",
        ModelFailure::Malformed => "check what stands between this machine and the endpoint",
        ModelFailure::Empty => "try again, or take another model",
        ModelFailure::NotRecorded => "add the missing reply to the script",
    }
}
