//! Days, times and titles as people type them: what was understood, and what is refused.

use dormouse::dates::{
    self, AssumptionKind, DayOrder, NotUnderstood, QuickAdd, QuickAddPart, Reader, UnderstoodDate,
};
use dormouse_types::Timestamp;
use jiff::civil::Date;

use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::{line, note};
use crate::values::DateText;

/// Who reads: the zone of the workspace, and the time at which this command began.
pub fn reader(session: &Session) -> Reader {
    dates::reader(session.began(), &session.zone, session.wording)
}

/// `Friday 2026-11-27`.
pub fn named_day(day: Date) -> String {
    day.strftime("%A %F").to_string()
}

/// Reads the day of an option, and says on standard error what was understood.
///
/// Errors: the text is no date, or one that is not a single day.
pub fn day(session: &Session, option: &str, text: &str) -> Result<Date, Failure> {
    let given = dates::date(text, &reader(session)).map_err(|wrong| refused(option, &wrong))?;
    a_day(option, text, &given)
}

/// Reads the day of something that was. A day without a year, or a weekday, is the last such day.
///
/// Errors: those of [`day`].
pub fn past_day(session: &Session, option: &str, text: &str) -> Result<Date, Failure> {
    let given = dates::past_date(text, &reader(session));
    a_day(option, text, &given.map_err(|wrong| refused(option, &wrong))?)
}

/// Reads the time of an option, and says on standard error what the text left open.
///
/// Errors: the text is no date, or has no time, or has more than one.
pub fn time(session: &Session, option: &str, text: &str) -> Result<Timestamp, Failure> {
    let given = dates::date(text, &reader(session)).map_err(|wrong| refused(option, &wrong))?;
    let shown = line(text.trim());
    if given.repeats.is_some() {
        return Err(Failure::usage(format!("{option}: `{shown}` repeats, and this is one time")));
    }
    if given.end_day.is_some() {
        return Err(Failure::usage(format!(
            "{option}: `{shown}` is a range, and this is one time"
        ))
        .hint("write when it begins"));
    }
    let Some(at) = given.at else {
        return Err(Failure::usage(format!("{option}: `{shown}` has no time of day"))
            .hint(format!("write one with it, such as `{shown} 9:00`")));
    };
    for doubt in doubts(&given) {
        note(&format!("{option}: {doubt}"));
    }
    Ok(at)
}

/// Reads a time option, which may be `none`.
///
/// Errors: those of [`time`].
pub fn optional_time(
    session: &Session,
    option: &str,
    text: Option<DateText>,
) -> Result<Option<Timestamp>, Failure> {
    text.map(|text| time(session, option, &text.0)).transpose()
}

/// Checks a date that the server reads.
///
/// Errors: the text is no date.
pub fn check(session: &Session, option: &str, text: &str) -> Result<(), Failure> {
    dates::date(text, &reader(session)).map(|_read| ()).map_err(|wrong| refused(option, &wrong))
}

fn refused(option: &str, wrong: &NotUnderstood) -> Failure {
    Failure::usage(format!("{option}: {}", line(&wrong.to_string())))
}

fn a_day(option: &str, text: &str, given: &UnderstoodDate) -> Result<Date, Failure> {
    let shown = line(text.trim());
    let first = given.day.map(|day| day.to_string()).unwrap_or_default();
    if given.repeats.is_some() {
        let refusal = Failure::usage(format!("{option}: `{shown}` repeats, and this is one day"));
        return Err(match given.day {
            Some(_) => refusal.hint(format!("name one day, such as `{option} {first}`")),
            None => refusal.hint("name one day, or leave it in the title"),
        });
    }
    if let Some(end) = given.end_day.filter(|end| Some(*end) != given.day) {
        let range = format!("{option}: `{shown}` is more than one day: {first} to {end}");
        return Err(Failure::usage(range).hint(format!("name one day, such as `{option} {end}`")));
    }
    let Some(day) = given.day else {
        return Err(Failure::usage(format!("{option}: `{shown}` is not a day")));
    };
    if day.to_string() != text.trim() {
        let mut parts_of_date = vec![named_day(day)];
        parts_of_date.extend(
            given.time.as_ref().map(|time| format!("{time} is ignored: a due date has no time")),
        );
        parts_of_date.extend(doubts(given));
        note(&format!("{option}: {}", parts_of_date.join("; ")));
    }
    Ok(day)
}

/// What a text leaves open in a way that the day does not show.
pub fn doubts(given: &UnderstoodDate) -> Vec<String> {
    let orders = |value: &str| match value.parse() {
        Ok(DayOrder::MonthFirst) => ("month", "the day"),
        Ok(DayOrder::DayFirst) | Err(_) => ("day", "the month"),
    };
    let doubt = |kind: AssumptionKind, value: &str| match kind {
        AssumptionKind::ReadersOrder => {
            let (first, then) = orders(value);
            let other = match value.parse() {
                Ok(DayOrder::MonthFirst) => "dayFirst",
                Ok(DayOrder::DayFirst) | Err(_) => "monthFirst",
            };
            Some(format!("read with the {first} before {then} (--day-order {other} for the other)"))
        }
        AssumptionKind::OtherOrder => {
            let (first, then) = orders(value);
            Some(format!("read with the {first} before {then}: the other way there is no such day"))
        }
        AssumptionKind::InAWeek => Some("the one in a week, because today is one".to_owned()),
        AssumptionKind::NextWeek => Some("the one of next week".to_owned()),
        AssumptionKind::WeekdayDiffers => {
            Some("the weekday does not match the date; the date is used".to_owned())
        }
        AssumptionKind::Before => {
            Some(format!("written as before {value}: that day itself is too late"))
        }
        AssumptionKind::After => Some(format!("written as after {value}: no last day is given")),
        // The day or the time that is shown says it.
        AssumptionKind::OnlyOrder
        | AssumptionKind::Year
        | AssumptionKind::Century
        | AssumptionKind::NextTime
        | AssumptionKind::PartOfDay
        | AssumptionKind::Hour
        | AssumptionKind::PartOfPeriod => None,
    };
    given.assumed.iter().filter_map(|one| doubt(one.kind, &one.value)).collect()
}

/// How often a part of a title is put back before the whole title is left as it is.
const ROUNDS: usize = 8;

/// Reads a title that may hold more than a title. The parts that options give stay in the title.
pub fn title(text: &str, reader: &Reader, given: &[QuickAddPart]) -> QuickAdd {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let read = dates::quick_add(&text, reader);
        let is_given = |part: &QuickAddPart| given.contains(part);
        let Some(place) = read.parts.iter().position(|piece| is_given(&piece.part)) else {
            return read;
        };
        let start: usize = read.parts[..place].iter().map(|piece| piece.text.len()).sum();
        let words = &read.parts[place].text;
        let kept: Vec<String> = words.split_whitespace().map(|word| format!("\\{word}")).collect();
        text.replace_range(start..start + words.len(), &kept.join(" "));
    }
    as_it_is(&text)
}

/// A title that is nothing else.
pub fn as_it_is(text: &str) -> QuickAdd {
    QuickAdd {
        title: text.to_owned(),
        due_on: None,
        due: None,
        priority: None,
        labels: Vec::new(),
        category: None,
        note: None,
        not_a_day: None,
        parts: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    /// Wednesday, 2026-11-18, 10:15 in Berlin.
    fn reader() -> Reader {
        let now = Timestamp::from_jiff("2026-11-18T09:15:00Z".parse().expect("a time"));
        let zone = TimeZone::get("Europe/Berlin").expect("a zone");
        dates::reader(now, &zone, dates::Wording::default())
    }

    #[test]
    fn a_part_that_an_option_gives_stays_in_the_title() {
        let line = "Call the bank fri 3pm !p1 #finance @Home";
        let all = title(line, &reader(), &[]);
        assert_eq!(all.title, "Call the bank");
        assert_eq!(all.due_on.map(|day| day.to_string()).as_deref(), Some("2026-11-20"));
        let kept = title(line, &reader(), &[QuickAddPart::Due, QuickAddPart::Priority]);
        assert_eq!(kept.title, "Call the bank fri 3pm !p1");
        assert_eq!((kept.due_on, kept.priority), (None, None));
        assert_eq!((kept.labels, kept.category.as_deref()), (vec!["finance".into()], Some("Home")));
        // Taking one date away lets the next one be seen.
        let two = title("Pay by 1.12. or by friday", &reader(), &[QuickAddPart::Due]);
        assert_eq!((two.title.as_str(), two.due_on), ("Pay by 1.12. or by friday", None));
    }
}
