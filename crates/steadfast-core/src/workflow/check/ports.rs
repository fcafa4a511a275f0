//! Ports: W0030 a schema that is none, W0028 a bound argument that the skill
//! does not have, W0027 an argument named by `checks`, `key_arg` or `touches`
//! that it does not have.

use serde_json::Value;

use super::places::{self, keys, quoted};
use crate::rules::Schemas;
use crate::workflow::Problem;
use crate::workflow::spec::{SkillSpec, Spec};

pub(super) fn check(spec: &Spec, schemas: &dyn Schemas, problems: &mut Vec<Problem>) {
    for (name, skill) in &spec.skills {
        let name = name.as_str();
        schema(schemas, &skill.input, &["skills", name, "input"], problems);
        schema(
            schemas,
            &skill.output,
            &["skills", name, "output"],
            problems,
        );
        object(&skill.input, &["skills", name, "input"], problems);
        named_arguments(name, skill, problems);
    }
    schema(
        schemas,
        &spec.answer.schema,
        &["answer", "schema"],
        problems,
    );
    for mention in places::states(spec).flat_map(|place| places::mentions(&place)) {
        let Some(skill) = spec.skills.get(mention.skill) else {
            continue;
        };
        for (path, argument) in &mention.with {
            if argument_of(&skill.input, argument) == Argument::Absent {
                let message = format!("skill `{}` has no argument `{argument}`", mention.skill);
                problems
                    .push(Problem::error("W0028", &keys(path), message).hint(known(&skill.input)));
            }
        }
    }
}

fn schema(schemas: &dyn Schemas, schema: &Value, path: &[&str], problems: &mut Vec<Problem>) {
    if schema.is_null() {
        return;
    }
    if let Err(why) = schemas.check(schema) {
        problems.push(
            Problem::error("W0030", path, format!("not a usable JSON Schema: {why}"))
                .hint("write a JSON Schema without remote references"),
        );
    }
}

/// Arguments are an object; a schema of another type admits no call at all.
fn object(schema: &Value, path: &[&str], problems: &mut Vec<Problem>) {
    let is_object = match schema.get("type") {
        Some(Value::String(one)) => one == "object",
        Some(Value::Array(many)) => many.iter().any(|one| one == "object"),
        _ => true,
    };
    if !is_object {
        problems.push(
            Problem::error(
                "W0030",
                path,
                "the arguments of a skill are an object, its schema is of another type",
            )
            .hint("write `type: object` with `properties`"),
        );
    }
}

fn named_arguments(name: &str, skill: &SkillSpec, problems: &mut Vec<Problem>) {
    let mut absent = |field: &[&str], argument: &str| {
        let path = [&["skills", name][..], field].concat();
        let message = format!("skill `{name}` has no argument `{argument}`");
        problems.push(Problem::error("W0027", &path, message).hint(known(&skill.input)));
    };
    if let Some(key) = &skill.key_arg
        && argument_of(&skill.input, key) == Argument::Absent
    {
        absent(&["key_arg"], key);
    }
    for (index, argument) in skill.touches.iter().enumerate() {
        if argument_of(&skill.input, argument) == Argument::Absent {
            absent(&["touches", &index.to_string()], argument);
        }
    }
    let Some(checked) = &skill.checks else { return };
    match argument_of(&skill.input, checked) {
        Argument::Absent => absent(&["checks"], checked),
        Argument::Present(schema) if !admits_string(schema) => {
            let message = format!("argument `{checked}` of skill `{name}` is not a string");
            problems.push(
                Problem::error("W0027", &["skills", name, "checks"], message).hint(
                    "a check passes on the bytes of a text: name an argument of `type: string`",
                ),
            );
        }
        _ => {}
    }
}

#[derive(PartialEq)]
enum Argument<'a> {
    Present(&'a Value),
    Absent,
    /// The schema does not list its arguments in a way that can be read here.
    Unknown,
}

fn argument_of<'a>(input: &'a Value, name: &str) -> Argument<'a> {
    let Some(Value::Object(properties)) = input.get("properties") else {
        return Argument::Unknown;
    };
    if let Some(schema) = properties.get(name) {
        return Argument::Present(schema);
    }
    let open = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"];
    let additional = input
        .get("additionalProperties")
        .is_some_and(|more| *more != false);
    if additional || open.iter().any(|key| input.get(key).is_some()) {
        return Argument::Unknown;
    }
    Argument::Absent
}

fn admits_string(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == "string",
        Some(Value::Array(many)) => many.iter().any(|one| one == "string"),
        _ => true,
    }
}

fn known(input: &Value) -> String {
    match input.get("properties") {
        Some(Value::Object(properties)) if !properties.is_empty() => {
            format!(
                "its arguments: {}",
                quoted(properties.keys().map(String::as_str))
            )
        }
        _ => "list it under `properties` of its `input`".to_owned(),
    }
}
