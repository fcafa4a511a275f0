//! What a task may cost, and what it has cost.
//!
//! A call is *reserved* before it is made: its upper bound counts as if it were
//! spent, so that several calls at once cannot pass a budget together. The
//! reply settles it at what the provider reports; a refusal of the provider
//! releases it; a call whose reply nobody recorded keeps it, as unknown. All of
//! that is a fold of the log. Prices and budgets come from outside and are
//! recorded before they count, so a replay needs no settings.

mod money;

pub use money::{Money, MoneyError};
