//! Time as the people of a place read it: an instant in a zone, and what a wall
//! clock's time means there.
//!
//! Comparisons are made between instants, never between wall clocks. On two
//! days of the year a wall time is none, or two: what is then taken is said, not
//! guessed at in silence. The zones are compiled in, so that every machine has
//! the same ones.

use std::fmt;

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use steadfast_core::id::Timestamp;

/// A time zone of the IANA database, by name.
#[derive(Clone, PartialEq, Eq)]
pub struct Zone {
    name: String,
    rules: TimeZone,
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name)
    }
}

/// Why something is no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZoneError {
    #[error("there is no time zone `{name}`")]
    Unknown { name: String },
    #[error("`{given}` is no time")]
    NoTime { given: String },
}

impl ZoneError {
    /// What mends it.
    pub fn hint(&self) -> &'static str {
        match self {
            ZoneError::Unknown { .. } => {
                "give an IANA name, such as `Asia/Shanghai`, `America/New_York` or `UTC`"
            }
            ZoneError::NoTime { .. } => {
                "give date and time, such as `2026-04-14T13:10`, or an instant with its offset, such as `2026-04-14T17:10:00Z`"
            }
        }
    }
}

/// What a wall clock's time is in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    Once(Timestamp),
    /// Clocks were set forward over it: there is no such time on that day. Taken
    /// is the time as far behind the gap as this one stands within it.
    Skipped {
        taken: Timestamp,
    },
    /// Clocks were set back over it: there are two. Taken is the first.
    Twice {
        first: Timestamp,
        second: Timestamp,
    },
}

impl Wall {
    /// The instant that is taken.
    pub fn instant(self) -> Timestamp {
        match self {
            Wall::Once(at) | Wall::Skipped { taken: at } | Wall::Twice { first: at, .. } => at,
        }
    }

    /// What is to be said of it, where there is something.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Wall::Once(_) => None,
            Wall::Skipped { .. } => Some(
                "clocks are set forward over this time, so it does not exist on that day; taken is the time after the gap",
            ),
            Wall::Twice { .. } => Some(
                "clocks are set back over this time, so it comes twice on that day; taken is the first",
            ),
        }
    }
}

impl Zone {
    /// The zone of a name, such as `Asia/Shanghai`.
    ///
    /// # Errors
    ///
    /// [`ZoneError::Unknown`] for any other text.
    pub fn named(name: &str) -> Result<Zone, ZoneError> {
        let rules = TimeZone::get(name).map_err(|_| ZoneError::Unknown {
            name: name.to_owned(),
        })?;
        Ok(Zone {
            name: rules.iana_name().unwrap_or(name).to_owned(),
            rules,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seconds by which the zone's clocks are ahead of UTC at an instant.
    pub fn offset_seconds(&self, at: Timestamp) -> i32 {
        self.rules.to_offset(instant(at)).seconds()
    }

    /// The instant as RFC 3339, with the zone's offset.
    pub fn rfc3339(&self, at: Timestamp) -> String {
        let offset = self.rules.to_offset(instant(at));
        instant(at).display_with_offset(offset).to_string()
    }

    /// What a text means here: a wall clock's time (`2026-04-14T13:10`), or an
    /// instant with its own offset (`2026-04-14T17:10:00Z`).
    ///
    /// # Errors
    ///
    /// [`ZoneError::NoTime`] for any other text.
    pub fn read(&self, text: &str) -> Result<Wall, ZoneError> {
        let text = text.trim();
        if let Ok(at) = text.parse::<jiff::Timestamp>() {
            return Ok(Wall::Once(stamp(at)));
        }
        let wall: DateTime = text.parse().map_err(|_| ZoneError::NoTime {
            given: text.to_owned(),
        })?;
        self.wall(wall).ok_or_else(|| ZoneError::NoTime {
            given: text.to_owned(),
        })
    }

    fn wall(&self, wall: DateTime) -> Option<Wall> {
        let ambiguous = self.rules.to_ambiguous_timestamp(wall);
        let offset = ambiguous.offset();
        let taken = stamp(ambiguous.compatible().ok()?);
        Some(match offset {
            AmbiguousOffset::Unambiguous { .. } => Wall::Once(taken),
            AmbiguousOffset::Gap { .. } => Wall::Skipped { taken },
            AmbiguousOffset::Fold { after, .. } => Wall::Twice {
                first: taken,
                second: stamp(after.to_timestamp(wall).ok()?),
            },
        })
    }
}

fn instant(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_microsecond(at.0).unwrap_or(if at.0 < 0 {
        jiff::Timestamp::MIN
    } else {
        jiff::Timestamp::MAX
    })
}

fn stamp(at: jiff::Timestamp) -> Timestamp {
    Timestamp(at.as_microsecond())
}

/// `in 18 min`, `in 8 h 8 min`, `5 min ago`, `now`: to the minute, below that to
/// the second.
pub fn distance(from: Timestamp, to: Timestamp) -> String {
    let seconds = (to.0 - from.0).div_euclid(1_000_000);
    let size = seconds.unsigned_abs();
    let (days, hours, minutes) = (size / 86_400, size / 3_600 % 24, size / 60 % 60);
    let span = match (days, hours, minutes) {
        (0, 0, 0) if size == 0 => return "now".to_owned(),
        (0, 0, 0) => format!("{size} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, 0) => format!("{hours} h"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, 0, _) => format!("{days} d"),
        (days, hours, _) => format!("{days} d {hours} h"),
    };
    if seconds < 0 {
        format!("{span} ago")
    } else {
        format!("in {span}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        stamp(text.parse().unwrap())
    }

    fn zone(name: &str) -> Zone {
        Zone::named(name).unwrap()
    }

    #[test]
    fn r97_a_meeting_is_compared_as_an_instant_in_the_users_zone() {
        let now = at("2026-04-14T16:51:44Z");
        let new_york = zone("America/New_York").read("2026-04-14T13:10").unwrap();
        assert_eq!(distance(now, new_york.instant()), "in 18 min");
        let shanghai = zone("Asia/Shanghai").read("2026-04-15T09:00").unwrap();
        assert_eq!(distance(now, shanghai.instant()), "in 8 h 8 min");
        assert_eq!(
            zone("Asia/Shanghai").rfc3339(now),
            "2026-04-15T00:51:44+08:00"
        );
    }

    #[test]
    fn r99_a_daily_time_keeps_its_hour_when_clocks_change() {
        let berlin = zone("Europe/Berlin");
        let daily = |day: &str| berlin.read(&format!("{day}T09:00")).unwrap();
        assert_eq!(daily("2026-03-28"), Wall::Once(at("2026-03-28T08:00:00Z")));
        assert_eq!(daily("2026-03-29"), Wall::Once(at("2026-03-29T07:00:00Z")));

        let skipped = berlin.read("2026-03-29T02:30").unwrap();
        let taken = at("2026-03-29T01:30:00Z");
        assert_eq!(skipped, Wall::Skipped { taken });
        assert!(skipped.remark().unwrap().contains("does not exist"));

        let twice = berlin.read("2026-10-25T02:30").unwrap();
        let (first, second) = (at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z"));
        assert_eq!(twice, Wall::Twice { first, second });
        assert!(twice.remark().unwrap().contains("twice"));
    }

    #[test]
    fn what_is_no_zone_or_time_is_an_error() {
        let unknown = Zone::named("Mars/Base").unwrap_err();
        assert_eq!(unknown.to_string(), "there is no time zone `Mars/Base`");
        let none = zone("UTC").read("tomorrow").unwrap_err();
        assert_eq!(none.to_string(), "`tomorrow` is no time");
        assert_eq!(
            distance(at("2026-01-01T00:00:00Z"), at("2026-01-01T00:00:00Z")),
            "now"
        );
    }
}
