//! Dates and times in figures, by their form alone.

/// Two or three numbers with the same sign between them: `24.11.`, `10/12`, `12-10-26`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Figure {
    pub parts: [u16; 3],
    /// How many figures each part is written with; 0 for a third part that is missing.
    pub lengths: [u8; 3],
    pub sign: char,
    /// Whether a full stop follows the second of two parts, as in `24.11.`
    pub is_closed: bool,
}

/// A date in the form of ISO 8601.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stamp {
    /// `2026-12-10`
    Day,
    /// `2026-12`
    Month,
    /// `2026-W49`, `2026-W49-3`
    Week,
    /// `2026-12-10T14:00`, with an offset or zone or without.
    Time,
}

/// A time of day in figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    /// How many figures the hour is written with.
    pub hour_length: u8,
    /// Whether the minutes are written, too.
    pub has_minutes: bool,
    /// Whether a full stop is between hour and minute; then it is a time only with am or pm.
    pub is_dotted: bool,
}

impl Clock {
    /// An hour without minutes: "3 pm", "at 9".
    pub fn of_hour(hour: u8) -> Self {
        Self { hour, minute: 0, second: 0, hour_length: 1, has_minutes: false, is_dotted: false }
    }
}

pub(super) fn figure(text: &str) -> Option<Figure> {
    let sign = text.chars().find(|c| !c.is_ascii_digit())?;
    if !matches!(sign, '.' | '/' | '-') {
        return None;
    }
    let (body, is_closed) = match text.strip_suffix('.') {
        Some(body) if sign == '.' => (body, true),
        _ => (text, false),
    };
    let mut found = Figure { parts: [0; 3], lengths: [0; 3], sign, is_closed };
    let mut count = 0;
    for part in body.split(sign) {
        if count == 3 || part.is_empty() || part.len() > 4 {
            return None;
        }
        found.parts[count] = part.parse().ok()?;
        found.lengths[count] = u8::try_from(part.len()).ok()?;
        count += 1;
    }
    let [one, two, three] = found.lengths;
    let is_date = match count {
        // A year in front with full stops is a version.
        3 if one == 4 => found.parts[0] >= 1000 && sign != '.' && two <= 2 && three <= 2,
        3 => one <= 2 && two <= 2 && matches!(three, 2 | 4),
        // A month: "12/2026".
        2 if two == 4 => sign == '/' && one <= 2 && (1900..2200).contains(&found.parts[1]),
        2 => sign != '-' && one <= 2 && two <= 2,
        _ => false,
    };
    is_date.then_some(found)
}

pub(super) fn stamp(text: &str) -> Option<Stamp> {
    let bytes = text.as_bytes();
    // A number that begins with 0 is a phone's.
    if bytes.len() < 7
        || bytes[0] == b'0'
        || !bytes[..4].iter().all(u8::is_ascii_digit)
        || bytes[4] != b'-'
    {
        return None;
    }
    let rest = &text[5..];
    let shape: String =
        rest.chars().take(12).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    match shape.as_str() {
        "00-00" => Some(Stamp::Day),
        "00" => Some(Stamp::Month),
        "W00" | "W00-0" | "w00" | "w00-0" => Some(Stamp::Week),
        _ if (shape.starts_with("00-00T00:00") || shape.starts_with("00-00t00:00"))
            && is_rest_of_time(&rest[11..]) =>
        {
            Some(Stamp::Time)
        }
        _ => None,
    }
}

/// Seconds, a distance from UTC and a zone in brackets, as far as their signs go.
fn is_rest_of_time(rest: &str) -> bool {
    let (figures, zone) = match rest.split_once('[') {
        Some((figures, zone)) => (figures, Some(zone)),
        None => (rest, None),
    };
    figures.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | '+' | '-' | 'Z' | 'z'))
        && zone.is_none_or(|zone| zone.find(']') == Some(zone.len().saturating_sub(1)))
}

pub(super) fn clock(text: &str) -> Option<Clock> {
    let sign = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, ':' | '.'))?;
    let mut parts = text.split(sign);
    let (hour, minute) = (parts.next()?, parts.next()?);
    let second = parts.next();
    let two = |part: &str| part.len() == 2;
    let has_form = matches!(hour.len(), 1 | 2)
        && two(minute)
        && second.is_none_or(two)
        && (second.is_none() || sign == ':');
    if !has_form || parts.next().is_some() {
        return None;
    }
    let found = Clock {
        hour: hour.parse().ok()?,
        minute: minute.parse().ok()?,
        second: second.map_or(Ok(0), str::parse).ok()?,
        hour_length: u8::try_from(hour.len()).ok()?,
        has_minutes: true,
        is_dotted: sign == '.',
    };
    let exists = found.hour <= 24
        && found.minute < 60
        && found.second < 60
        && (found.hour < 24 || found.minute == 0 && found.second == 0);
    exists.then_some(found)
}
