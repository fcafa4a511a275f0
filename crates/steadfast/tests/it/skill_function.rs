//! Rust functions as skills: schemas from types, and failures by what is known
//! about the deed.

use expect_test::expect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use steadfast::skill::{FunctionSkill, Skill, SkillError};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::workflow::spec::EffectClass;

use crate::skill_calls::call;

#[derive(Deserialize, JsonSchema)]
struct Transfer {
    /// In cents.
    amount: u32,
    to: Account,
}

#[derive(Deserialize, JsonSchema)]
struct Account {
    iban: String,
}

#[derive(Serialize, JsonSchema)]
struct Receipt {
    id: String,
}

fn transfer() -> FunctionSkill {
    FunctionSkill::typed(|transfer: Transfer, call| async move {
        match transfer.amount {
            0 => Err(SkillError::reported("nothing to transfer")),
            13 => panic!("the ledger is gone"),
            amount => Ok(Receipt {
                id: format!("{}-{amount}-{}", transfer.to.iban, call.attempt),
            }),
        }
    })
    .description("Moves money.")
    .effect(EffectClass::Irreversible)
    .needs_approval()
}

#[test]
fn a_typed_function_has_its_schemas_from_its_types() {
    let skill = transfer();
    let spec = skill.spec();
    assert_eq!(spec.kind.as_deref(), Some("function"));
    assert_eq!(spec.effect, Some(EffectClass::Irreversible));
    expect![[r#"
        {
          "properties": {
            "amount": {
              "description": "In cents.",
              "format": "uint32",
              "minimum": 0,
              "type": "integer"
            },
            "to": {
              "properties": {
                "iban": {
                  "type": "string"
                }
              },
              "required": [
                "iban"
              ],
              "type": "object"
            }
          },
          "required": [
            "amount",
            "to"
          ],
          "type": "object"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&spec.input).unwrap());
    assert_eq!(
        spec.output["properties"],
        json!({ "id": { "type": "string" } })
    );
}

#[tokio::test]
async fn each_way_to_end_says_what_is_known() {
    let skill = transfer();
    let run = |args: Value| {
        let one = call(args);
        let skill = &skill;
        async move { skill.call(&one).await }
    };
    let to = json!({ "iban": "DE1" });
    assert_eq!(
        run(json!({ "amount": 5, "to": to })).await,
        Ok(json!({ "id": "DE1-5-2" }))
    );
    assert_eq!(
        run(json!({ "amount": 0, "to": to })).await,
        Err(SkillError::reported("nothing to transfer"))
    );
    assert_eq!(
        run(json!({ "amount": -1, "to": to }))
            .await
            .unwrap_err()
            .class,
        SkillFailure::NotStarted
    );
    assert_eq!(
        run(json!({ "amount": 13, "to": to })).await,
        Err(SkillError::new(
            SkillFailure::Lost,
            "the function panicked: the ledger is gone"
        ))
    );
}

#[tokio::test]
async fn an_untyped_function_gets_the_call_as_it_is() {
    let skill = FunctionSkill::new(|call| async move { Ok(json!([call.args, call.attempt])) })
        .input(json!({ "type": "object" }))
        .with_spec(|spec| spec.touches = vec!["path".to_owned()]);
    assert_eq!(skill.spec().touches, ["path"]);
    assert_eq!(
        skill.call(&call(json!({ "a": 1 }))).await,
        Ok(json!([{ "a": 1 }, 2]))
    );
}
