//! Formats times for people, and formats and parses durations.

use dormouse_types::Timestamp;
use jiff::tz::TimeZone;

/// A time to the minute, in the user's time zone.
pub fn minute(at: Timestamp, zone: &TimeZone) -> String {
    at.to_jiff().to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// A time to the second, in the user's time zone.
pub fn second(at: Timestamp, zone: &TimeZone) -> String {
    at.to_jiff().to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Roughly how long ago something was.
pub fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = u64::try_from((now.micros() - at.micros()) / 1_000_000).unwrap_or(0);
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// Minutes as hours and minutes.
pub fn duration(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// Parses `90`, `90m`, `1h`, `1h30` or `1h30m` as minutes.
///
/// Errors: the text is invalid; the message shows the accepted forms.
pub fn read_minutes(text: &str) -> Result<u32, String> {
    let given = text.trim().to_lowercase().replace(' ', "");
    let number = |text: &str| -> Option<u32> {
        let digits = text.strip_suffix("min").or_else(|| text.strip_suffix('m')).unwrap_or(text);
        digits.parse().ok()
    };
    let minutes = match given.split_once('h') {
        Some((hours, "")) => hours.parse::<u32>().ok().and_then(|hours| hours.checked_mul(60)),
        Some((hours, rest)) => hours
            .parse::<u32>()
            .ok()
            .and_then(|hours| hours.checked_mul(60)?.checked_add(number(rest)?)),
        None => number(&given),
    };
    match minutes {
        Some(0) => Err(format!("`{text}` is no time at all: write at least one minute")),
        Some(minutes) => Ok(minutes),
        None => Err(format!("`{text}` is not a duration: write minutes, or 1h30m")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, minutes) in [("90", 90), ("45m", 45), ("2h", 120), ("1h30", 90), ("1h 5min", 65)]
        {
            assert_eq!(read_minutes(text), Ok(minutes), "{text}");
        }
        for text in ["", "h", "an hour", "-5", "1.5h", "99999999999h"] {
            assert!(read_minutes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn how_long_ago_is_rounded() {
        let now = Timestamp::from_micros(1_000_000_000_000);
        let ago = |seconds: i64| {
            super::ago(Timestamp::from_micros(now.micros() - seconds * 1_000_000), now)
        };
        let shown = [-5, 59, 60, 7_199, 7_200, 172_800].map(ago);
        assert_eq!(
            shown,
            ["just now", "just now", "1 min ago", "1 h ago", "2 h ago", "2 days ago"]
        );
    }

    #[test]
    fn minutes_are_shown_as_hours() {
        assert_eq!([0, 45, 60, 95].map(duration), ["0 min", "45 min", "1 h", "1 h 35 min"]);
    }
}
