//! `--budget KEY=VALUE,…`: what a task may cost, as a person writes it.

use steadfast_core::budget::{Bounds, BudgetChange, OnExhausted};
use steadfast_core::id::StateName;

use crate::error::Error;

/// Reads the flag; several of them are taken in order, the later over the earlier.
pub(crate) fn read(given: &[String]) -> Result<BudgetChange, Error> {
    let mut change = BudgetChange::default();
    for one in given.iter().flat_map(|list| list.split(',')) {
        let wrong = |why: String| Error::Budget {
            given: one.trim().to_owned(),
            why,
        };
        let (key, value) = one
            .split_once('=')
            .ok_or_else(|| wrong("it is not KEY=VALUE".to_owned()))?;
        set(&mut change, key.trim(), value.trim()).map_err(wrong)?;
    }
    Ok(change)
}

fn set(change: &mut BudgetChange, key: &str, value: &str) -> Result<(), String> {
    if key == "then" {
        change.on_exhausted = Some(match value {
            "fail" => OnExhausted::Fail,
            "ask" => OnExhausted::Ask,
            _ => return Err("`then` is `fail` or `ask`".to_owned()),
        });
        return Ok(());
    }
    let (scope, key) = key.rsplit_once('.').unwrap_or(("", key));
    let bounds = match scope {
        "" => &mut change.task,
        "step" => &mut change.step,
        state => change.states.entry(StateName::new(state)).or_default(),
    };
    bound(bounds, key, value)
}

fn bound(bounds: &mut Bounds, key: &str, value: &str) -> Result<(), String> {
    let count = || -> Result<u64, String> {
        let digits = value.replace('_', "");
        digits
            .parse()
            .map_err(|_| format!("`{value}` is not a whole number"))
    };
    match key {
        "tokens" => bounds.tokens = Some(count()?),
        "money" => {
            let money = value.parse().map_err(|error| format!("{error}"))?;
            bounds.money = Some(money);
        }
        "calls" | "model_calls" => bounds.model_calls = Some(count()?),
        "skill_calls" => bounds.skill_calls = Some(count()?),
        "time" => bounds.time_ms = Some(time_ms(value)?),
        _ => {
            return Err(format!(
                "`{key}` is none of tokens, money, calls, skill_calls, time, then"
            ));
        }
    }
    Ok(())
}

/// `500ms`, `90s`, `30m`, `2h`.
fn time_ms(value: &str) -> Result<u64, String> {
    let wrong = || format!("`{value}` is not a time such as 90s, 30m or 2h");
    let unit_at = value
        .find(|c: char| !c.is_ascii_digit())
        .ok_or_else(wrong)?;
    let (count, unit) = value.split_at(unit_at);
    let count: u64 = count.parse().map_err(|_| wrong())?;
    let ms = match unit.trim() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    count.checked_mul(ms).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reads(given: &[&str]) -> Result<serde_json::Value, String> {
        let given: Vec<String> = given.iter().map(|one| (*one).to_owned()).collect();
        let change = read(&given).map_err(|error| error.to_string())?;
        Ok(serde_json::to_value(change).unwrap())
    }

    #[test]
    fn a_budget_is_read_by_key_scope_and_unit() {
        let given = [
            "tokens=200_000,money=2.50 USD,calls=40, skill_calls=60",
            "time=30m,step.tokens=9000,S2/S1.calls=3,then=ask,tokens=100",
        ];
        let expected = json!({
            "task": {"tokens": 100, "money": "2.50 USD", "model_calls": 40,
                     "skill_calls": 60, "time_ms": 1_800_000},
            "step": {"tokens": 9000},
            "states": {"S2/S1": {"model_calls": 3}},
            "on_exhausted": "ask",
        });
        assert_eq!(reads(&given), Ok(expected));
    }

    #[test]
    fn what_is_no_budget_is_refused_with_its_reason() {
        for (given, why) in [
            ("tokens", "it is not KEY=VALUE"),
            ("tokens=many", "`many` is not a whole number"),
            ("tokens=-1", "`-1` is not a whole number"),
            (
                "money=3",
                "`3` is not an amount with a currency, such as `2.50 USD`",
            ),
            ("time=30", "`30` is not a time such as 90s, 30m or 2h"),
            (
                "wishes=3",
                "`wishes` is none of tokens, money, calls, skill_calls, time, then",
            ),
            ("then=wait", "`then` is `fail` or `ask`"),
        ] {
            let said = format!("budget `{given}` does not read: {why}");
            assert_eq!(reads(&[given]), Err(said));
        }
    }
}
