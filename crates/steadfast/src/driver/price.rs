//! A budget of money needs a price: said before anything is called.

use steadfast_core::budget::Money;
use steadfast_core::task::Start;
use steadfast_core::workflow::Machine;

use super::Error;
use crate::model::Model;

/// The budgets of money that a start asks for.
pub(super) fn asked(start: &Start, machine: &Machine) -> Vec<Money> {
    let (declared, set) = (&start.workflow.budget, &start.budget);
    let of_task = [
        &declared.money,
        &declared.step.money,
        &set.task.money,
        &set.step.money,
    ];
    let of_states = machine.budgets.values().chain(set.states.values());
    let money = of_task
        .into_iter()
        .chain(of_states.map(|bounds| &bounds.money));
    money.flatten().cloned().collect()
}

/// Whether what the model costs can be held against each of `bounds`.
pub(super) fn check(model: &dyn Model, bounds: &[Money]) -> Result<(), Error> {
    let price = model.price();
    for money in bounds {
        if !price.is_some_and(|price| money.measures(price)) {
            return Err(Error::NoPrice {
                model: model.name().to_owned(),
                budget: money.clone(),
                currency: price.map(|price| price.currency.clone()),
            });
        }
    }
    Ok(())
}
