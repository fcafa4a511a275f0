//! `clock`: what time it is in a zone, and how far off another time is.
//!
//! A model that is told an instant in UTC takes it for local time, and one that
//! subtracts wall clocks errs at every change of the clocks. So both are done
//! here, on instants.

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast_core::id::Timestamp;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use crate::clock::{Clock as _, SystemClock};
use crate::skill::{Skill, SkillCall, SkillError};
use crate::zone::{Zone, ZoneError, distance};

pub(super) fn spec() -> SkillSpec {
    SkillSpec {
        kind: Some("builtin".to_owned()),
        description: "Says what time it is in a time zone, and how far off another time is."
            .to_owned(),
        input: json!({
            "type": "object",
            "properties": {
                "zone": {"type": "string", "description": "IANA name, such as Asia/Shanghai"},
                "at": {"type": "string", "description": "a time to compare with: 2026-04-14T13:10 in that zone, or with an offset"}
            },
            "additionalProperties": false
        }),
        output: json!({
            "type": "object",
            "required": ["now", "zone"],
            "properties": {
                "now": {"type": "string"},
                "zone": {"type": "string"},
                "at": {"type": "string"},
                "distance": {"type": "string"},
                "seconds": {"type": "integer"},
                "past": {"type": "boolean"},
                "remark": {"type": "string"}
            }
        }),
        effect: Some(EffectClass::Read),
        ..SkillSpec::default()
    }
}

#[derive(Debug)]
pub(super) struct Clock {
    spec: SkillSpec,
    /// The zone of calls that name none.
    zone: Zone,
    clock: SystemClock,
}

impl Clock {
    pub(super) fn new(spec: SkillSpec, config: &Value) -> Result<Clock, String> {
        let mut fields = config.as_object().into_iter().flatten();
        if let Some((name, _)) = fields.find(|(name, _)| *name != "zone") {
            return Err(format!("it has a field `{name}`; `zone` is the only one"));
        }
        let name = match config.get("zone") {
            None => "UTC",
            Some(Value::String(name)) => name,
            Some(other) => return Err(format!("`zone` is {other}, not a name")),
        };
        let zone = Zone::named(name).map_err(|error| format!("{error}: {}", error.hint()))?;
        Ok(Clock {
            spec,
            zone,
            clock: SystemClock::new(),
        })
    }
}

#[async_trait]
impl Skill for Clock {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        told(&call.args, &self.zone, self.clock.now())
            .map_err(|error| SkillError::reported(format!("{error}: {}", error.hint())))
    }
}

fn told(args: &Value, own: &Zone, now: Timestamp) -> Result<Value, ZoneError> {
    let named = args.get("zone").and_then(Value::as_str);
    let zone = named.map_or_else(|| Ok(own.clone()), Zone::named)?;
    let mut told = json!({ "now": zone.rfc3339(now), "zone": zone.name() });
    if let Some(given) = args.get("at").and_then(Value::as_str) {
        let wall = zone.read(given)?;
        let at = wall.instant();
        told["at"] = zone.rfc3339(at).into();
        told["distance"] = distance(now, at).into();
        told["seconds"] = (at.0 - now.0).div_euclid(1_000_000).into();
        told["past"] = (at < now).into();
        if let Some(remark) = wall.remark() {
            told["remark"] = remark.into();
        }
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_776_185_504_000_000);

    #[test]
    fn a_time_is_told_in_its_zone_and_from_now() {
        let zone = Zone::named("Asia/Shanghai").unwrap();
        assert_eq!(
            told(&json!({"at": "2026-04-15T09:00"}), &zone, NOW).unwrap(),
            json!({
                "now": "2026-04-15T00:51:44+08:00",
                "zone": "Asia/Shanghai",
                "at": "2026-04-15T09:00:00+08:00",
                "distance": "in 8 h 8 min",
                "seconds": 29_296,
                "past": false,
            })
        );
        let berlin = json!({"zone": "Europe/Berlin", "at": "2026-03-29T02:30"});
        let skipped = told(&berlin, &zone, NOW).unwrap();
        assert_eq!(skipped["past"], true);
        assert!(
            skipped["remark"]
                .as_str()
                .unwrap()
                .contains("does not exist")
        );
        assert!(told(&json!({"zone": "Mars/Base"}), &zone, NOW).is_err());
    }

    #[test]
    fn its_configuration_names_a_zone_and_nothing_else() {
        let misfit = |config: Value| Clock::new(spec(), &config).unwrap_err();
        assert!(misfit(json!({"zone": "Mars/Base"})).starts_with("there is no time zone"));
        assert!(misfit(json!({"zone": 8})).contains("not a name"));
        assert!(misfit(json!({"place": "x"})).contains("`place`"));
        assert!(Clock::new(spec(), &Value::Null).is_ok());
    }
}
