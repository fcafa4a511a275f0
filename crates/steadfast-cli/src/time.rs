//! Points in time as people read them. UTC, so that two machines print the same.

use steadfast_core::id::Timestamp;
use steadfast_core::text::date::calendar::Day;

/// `2026-03-14 09:26:53Z`.
pub(crate) fn utc(at: Timestamp) -> String {
    let of_day = at.0.div_euclid(1_000_000).rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{} {hour:02}:{minute:02}:{second:02}Z", Day::of(at))
}

/// `0.4 s`, `12 s`, `3 min 5 s`.
pub(crate) fn span(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{:.1} s", ms as f64 / 1_000.0),
        10_000..120_000 => format!("{} s", ms / 1_000),
        _ => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_calendars_get_wrong() {
        for (seconds, shown) in [
            (0, "1970-01-01 00:00:00Z"),
            (-1, "1969-12-31 23:59:59Z"),
            (951_782_400, "2000-02-29 00:00:00Z"),
            (4_107_542_400, "2100-03-01 00:00:00Z"),
            (1_709_251_199, "2024-02-29 23:59:59Z"),
        ] {
            assert_eq!(utc(Timestamp(seconds * 1_000_000)), shown);
        }
    }
}
