//! One call of a model with a bound on its time: what the driver does with every
//! request, for those who ask a model outside of a task.

use futures::future::{Either, select};
use steadfast_core::context::Request;
use steadfast_core::event::model::ModelFailure;
use steadfast_core::proposal::{ModelError, Reply};

use crate::clock::Clock;
use crate::model::Model;

/// Calls a model once, and gives it up after `timeout_ms`.
///
/// # Errors
///
/// As [`Model::call`], and [`ModelFailure::Timeout`].
pub async fn ask(
    model: &dyn Model,
    clock: &dyn Clock,
    request: &Request,
    timeout_ms: u64,
) -> Result<Reply, ModelError> {
    let until = clock.now().plus_ms(timeout_ms);
    match select(model.call(request), clock.sleep_until(until)).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(_) => {
            let message = format!("no reply within {timeout_ms} ms");
            Err(ModelError::new(ModelFailure::Timeout, message))
        }
    }
}
