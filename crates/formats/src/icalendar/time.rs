//! DATE and DATE-TIME values.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use super::content_line::ContentLine;
use crate::intake::ReadOptions;

/// The zone of a time that is written in UTC. A `TZID` would need the zone's rules in the same file (RFC 5545,
/// 3.2.19), and is not allowed for every property.
const ZONE: &str = "X-DORMOUSE-ZONE";

/// What a property with a time says.
pub(super) struct Moment {
    /// The day as written; of a time in UTC, which programs write for any other, the one in the
    /// reader's zone.
    pub day: Date,
    /// As a person reads it, if it says more than the day.
    pub text: Option<String>,
    /// A zone that is in no list of zones; the time is then taken as written.
    pub unknown_zone: Option<String>,
}

/// Reads a DATE or DATE-TIME; `None` if it is neither.
pub(super) fn moment(line: &ContentLine, options: &ReadOptions) -> Option<Moment> {
    let value = line.value.trim();
    if value.len() == 8 {
        return Some(Moment { day: date(value)?, text: None, unknown_zone: None });
    }
    let (day, time) = value.split_once(['T', 't'])?;
    let (time, is_utc) = match time.strip_suffix(['Z', 'z']) {
        Some(time) => (time, true),
        None => (time, false),
    };
    let at = date_time(date(day)?, time)?;
    let zone = line.param("TZID").or(line.param(ZONE)).map(|zone| zone.trim_start_matches('/'));
    let pattern = if at.second() == 0 { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d %H:%M:%S" };
    let shown = at.strftime(pattern).to_string();
    let own_zone = line.param(ZONE).filter(|_| is_utc);
    if let Some((name, zone)) = own_zone.and_then(|name| Some((name, TimeZone::get(name).ok()?))) {
        let local = at.to_zoned(TimeZone::UTC).ok()?.with_time_zone(zone).datetime();
        let text = Some(format!("{} {name}", local.strftime(pattern)));
        return Some(Moment { day: local.date(), text, unknown_zone: None });
    }
    if is_utc {
        let day = at.to_zoned(TimeZone::UTC).ok()?.with_time_zone(options.zone.clone()).date();
        return Some(Moment { day, text: Some(format!("{shown} UTC")), unknown_zone: None });
    }
    let Some(zone) = zone.filter(|zone| !zone.is_empty()) else {
        return Some(Moment { day: at.date(), text: Some(shown), unknown_zone: None });
    };
    let text = Some(format!("{shown} {zone}"));
    match TimeZone::get(zone) {
        // "Until the end of the day in New York" is that day, wherever it is read.
        Ok(_) => Some(Moment { day: at.date(), text, unknown_zone: None }),
        Err(_) => Some(Moment { day: at.date(), text, unknown_zone: Some(zone.to_owned()) }),
    }
}

/// Reads what [`Moment::text`] or a day says back into a property's parameters and value.
pub(super) fn property(text: &str) -> Option<String> {
    let mut parts = text.splitn(3, ' ');
    let day: Date = parts.next().filter(|day| day.len() == 10)?.parse().ok()?;
    let digits = day.strftime("%Y%m%d").to_string();
    let Some(time) = parts.next() else { return Some(format!(";VALUE=DATE:{digits}")) };
    let mut clock = time.replace(':', "");
    if clock.len() == 4 {
        clock.push_str("00");
    }
    date_time(day, &clock)?;
    let time = format!("{digits}T{clock}");
    match parts.next() {
        None => Some(format!(":{time}")),
        Some("UTC") => Some(format!(":{time}Z")),
        Some(zone) if zone.contains(|c: char| c == '"' || c.is_control()) => None,
        Some(zone) => {
            let quote = if zone.contains([':', ';', ',']) { "\"" } else { "" };
            let value = in_utc(date_time(day, &clock)?, zone).unwrap_or(time);
            Some(format!(";{ZONE}={quote}{zone}{quote}:{value}"))
        }
    }
}

/// A time of a zone in UTC; `None` for a zone that is in no list of zones, and for a time that the zone
/// does not have.
fn in_utc(at: DateTime, zone: &str) -> Option<String> {
    let zoned = at.to_zoned(TimeZone::get(zone).ok()?).ok()?;
    let utc = zoned.with_time_zone(TimeZone::UTC);
    (zoned.datetime() == at).then(|| utc.strftime("%Y%m%dT%H%M%SZ").to_string())
}

fn date(text: &str) -> Option<Date> {
    let is_date = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_date.then(|| {
        Date::new(text[..4].parse().ok()?, text[4..6].parse().ok()?, text[6..].parse().ok()?).ok()
    })?
}

/// `HHMMSS` or `HHMM`; a leap second is taken as the second before it.
fn date_time(day: Date, time: &str) -> Option<DateTime> {
    if !matches!(time.len(), 4 | 6) || !time.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize| time.get(from..from + 2).map_or(Some(0), |part| part.parse().ok());
    let time = Time::new(part(0)?, part(2)?, part(4)?.min(59), 0).ok()?;
    Some(day.to_datetime(time))
}
