//! Bounds out of their range (W0036), each named with what is allowed.

use super::places;
use crate::limits;
use crate::workflow::Problem;
use crate::workflow::spec::{Retry, Spec};

pub(super) fn check(spec: &Spec, problems: &mut Vec<Problem>) {
    let set = &spec.limits;
    let mut within = |path: &[&str], value: u64, min: u64, max: u64| {
        if (min..=max).contains(&value) {
            return;
        }
        let range = if max == u64::MAX {
            format!("at least {min}")
        } else {
            format!("{min} to {max}")
        };
        let name = path.last().copied().unwrap_or_default();
        problems.push(
            Problem::error("W0036", path, format!("`{name}` is {value}"))
                .hint(format!("allowed: {range}")),
        );
    };
    let size = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
    within(
        &["limits", "steps"],
        set.steps.into(),
        1,
        limits::STEPS_MAX.into(),
    );
    within(&["limits", "visits"], set.visits.into(), 1, u64::MAX);
    within(&["limits", "refusals"], set.refusals.into(), 1, u64::MAX);
    within(
        &["limits", "model_attempts"],
        set.model_attempts.into(),
        1,
        u64::MAX,
    );
    within(&["limits", "parallel"], set.parallel.into(), 1, u64::MAX);
    within(
        &["limits", "tokens"],
        set.tokens.unwrap_or(u64::MAX),
        1,
        u64::MAX,
    );
    within(
        &["limits", "time_ms"],
        set.time_ms.unwrap_or(u64::MAX),
        1,
        u64::MAX,
    );
    let (min, max) = (
        size(limits::WORKING_STEPS_MIN),
        size(limits::WORKING_STEPS_MAX),
    );
    within(
        &["limits", "working_steps"],
        size(set.working_steps),
        min,
        max,
    );

    let model = &spec.retry;
    within(&["retry", "factor"], model.factor.into(), 1, u64::MAX);
    within(
        &["retry", "backoff_max_ms"],
        model.backoff_max_ms,
        model.backoff_ms.max(1),
        u64::MAX,
    );

    let mut retry = |path: &[&str], retry: &Retry| {
        let at = |field: &'static str| [path, &["retry", field]].concat();
        within(
            &at("attempts"),
            retry.attempts.into(),
            1,
            limits::RETRY_ATTEMPTS_MAX.into(),
        );
        within(&at("factor"), retry.factor.into(), 1, u64::MAX);
        within(
            &at("backoff_max_ms"),
            retry.backoff_max_ms,
            retry.backoff_ms,
            u64::MAX,
        );
    };
    for place in places::states(spec) {
        if let Some(policy) = &place.state.retry {
            retry(&place.path, policy);
        }
    }
    for (name, skill) in &spec.skills {
        if let Some(policy) = &skill.retry {
            retry(&["skills", name.as_str()], policy);
        }
    }
    for (name, skill) in &spec.skills {
        let timeout = skill.timeout_ms.unwrap_or(u64::MAX);
        within(
            &["skills", name.as_str(), "timeout_ms"],
            timeout,
            1,
            u64::MAX,
        );
    }
}
