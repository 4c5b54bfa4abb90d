//! Dates and tasks as people write them: what a text was understood as, for a preview and for
//! commands.
//!
//! Owns: the views of what was understood. Does not own: understanding it (`dormouse-formats`), and
//! the sentences about it.
//!
//! A task is due on a day. A time, a range or a repetition that is written with the day is not
//! lost: [`QuickAdd::note`] has its words.

use dormouse_formats::when::{self, Assumption, Found, Kind, Moment, MonthDay, Point, Rule, When};
use dormouse_formats::{quick_add as line, when::Recurrence};
use dormouse_types::task::Priority;
use dormouse_types::{Caller, Scope, Timestamp, closed_list};
use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};
use serde::{Deserialize, Serialize};

use crate::request::require;
use crate::{Dormouse, Error};

pub use dormouse_formats::when::{DayOrder, Language, NotUnderstood, Reader, Weekday};

/// How a person writes dates.
#[derive(Debug, Clone, Copy)]
pub struct Wording {
    /// The order of day and month in figures.
    pub order: DayOrder,
    /// The language of the words. English is understood besides.
    pub language: Language,
}

impl Default for Wording {
    fn default() -> Self {
        Self { order: DayOrder::DayFirst, language: when::ENGLISH }
    }
}

impl Wording {
    /// The wording of a person with a language tag such as `de-AT`. A language without a table of
    /// words is read as English.
    pub fn of(order: DayOrder, language: Option<&str>) -> Self {
        let language = language.and_then(Language::of_tag).unwrap_or(when::ENGLISH);
        Self { order, language }
    }
}

closed_list! {
    /// What a date is for.
    pub enum DateRole, "role of a date" {
        /// It ends something: "by", "until", "due".
        Due = "due",
        /// It begins something: "from", "not before".
        Start = "start",
        /// It says when, and no more.
        Mention = "mention",
        /// It is about something that was.
        Past = "past",
    }
}

closed_list! {
    /// How often something happens again.
    pub enum RepeatUnit, "unit of a repetition" {
        /// Minutes.
        Minutes = "minutes",
        /// Hours.
        Hours = "hours",
        /// Days.
        Days = "days",
        /// Monday to Friday.
        WorkingDays = "workingDays",
        /// Weeks.
        Weeks = "weeks",
        /// Months.
        Months = "months",
        /// Years.
        Years = "years",
    }
}

closed_list! {
    /// What a text leaves open and was decided.
    pub enum AssumptionKind, "kind of assumption" {
        /// Day and month can be read both ways; `value` is the order that was used.
        ReadersOrder = "readersOrder",
        /// Only the reader's order of day and month gives a day of the calendar.
        OnlyOrder = "onlyOrder",
        /// Only the other order of day and month gives a day of the calendar.
        OtherOrder = "otherOrder",
        /// No year is written; `value` is the year.
        Year = "year",
        /// A year of two figures; `value` is the year.
        Century = "century",
        /// The weekday of today means the day in a week.
        InAWeek = "inAWeek",
        /// "Next" before a weekday means next week, although a nearer one comes first.
        NextWeek = "nextWeek",
        /// A time without a day; `value` is the day on which a clock next shows it.
        NextTime = "nextTime",
        /// A part of the day in place of a time; `value` is the time.
        PartOfDay = "partOfDay",
        /// An hour without morning or afternoon; `value` is the time.
        Hour = "hour",
        /// A vague part of a period; `value` is the day.
        PartOfPeriod = "partOfPeriod",
        /// The weekday that is written is not the one of the date; `value` is the date.
        WeekdayDiffers = "weekdayDiffers",
        /// "Before" a day; `value` is that day, which is already too late.
        Before = "before",
        /// "After" a day; `value` is that day, which is still too early.
        After = "after",
    }
}

closed_list! {
    /// What a part of a line is.
    pub enum QuickAddPart, "part of a line" {
        /// The title, with what separates the other parts.
        Title = "title",
        /// The due date.
        Due = "due",
        /// The priority.
        Priority = "priority",
        /// A label.
        Label = "label",
        /// The category.
        Category = "category",
    }
}

/// What a text about time means. Days and times are in the workspace's time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnderstoodDate {
    /// The words of the date, as they are written.
    pub text: String,
    /// What the date is for.
    pub role: DateRole,
    /// The day, the first day of a range, or the first day of a repetition from today on; none if
    /// a repetition has no such day.
    pub day: Option<Date>,
    /// The last day of a range.
    pub end_day: Option<Date>,
    /// The time of day, or the one at which a range begins. `HH:MM`
    pub time: Option<String>,
    /// The time at which a range ends; it is no part of the range. `HH:MM`
    pub end_time: Option<String>,
    /// The time zone or the distance from UTC, if one is written.
    pub zone: Option<String>,
    /// The instant of `day` and `time`.
    pub at: Option<Timestamp>,
    /// When it happens again.
    pub repeats: Option<Repetition>,
    /// What the text leaves open, and how it was decided.
    pub assumed: Vec<Assumed>,
}

/// When something happens again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repetition {
    /// How many units lie between two times, from 1.
    pub every: u16,
    /// How often it happens in that time, from 1; more than once is on no fixed days.
    pub times: u16,
    /// The unit.
    pub unit: RepeatUnit,
    /// Only on these days of the week.
    pub weekdays: Vec<Weekday>,
    /// Which of those weekdays of a month it is, from 1; -1 is the last.
    pub nth: Option<i8>,
    /// The days of the month, from 1; -1 is the last.
    pub month_days: Vec<i8>,
    /// The month of the year, from 1.
    pub month: Option<i8>,
    /// The times of day, in order. `HH:MM`
    pub times_of_day: Vec<String>,
    /// The first day on which it can happen.
    pub from: Option<Date>,
    /// The last day on which it can happen.
    pub until: Option<Date>,
}

/// Something that a text leaves open, and how it was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Assumed {
    /// What is open.
    pub kind: AssumptionKind,
    /// The decision: an order, a year, a day or a time, as the kind says.
    pub value: String,
}

/// What a line means as a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuickAdd {
    /// The title: the line without the other parts.
    pub title: String,
    /// The due day.
    pub due_on: Option<Date>,
    /// The date that gives it, whole.
    pub due: Option<UnderstoodDate>,
    /// The priority.
    pub priority: Option<Priority>,
    /// The labels.
    pub labels: Vec<String>,
    /// The category.
    pub category: Option<String>,
    /// The words of the date, if they say more than the day that a task has a field for: the text of
    /// a note that keeps them.
    pub note: Option<String>,
    /// The words of a day that the calendar does not have, such as "31.2."; they stay in the title.
    pub not_a_day: Option<String>,
    /// The whole line in pieces: one after the other they are the line.
    pub parts: Vec<QuickAddPiece>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QuickAddPiece {
    /// Its text.
    pub text: String,
    /// What it is.
    pub part: QuickAddPart,
}

/// A person who reads: the zone gives what "today" is at an instant. Weeks begin on Monday.
pub fn reader(now: Timestamp, zone: &TimeZone, wording: Wording) -> Reader {
    Reader {
        now: now.to_jiff().to_zoned(zone.clone()).datetime(),
        zone: zone.clone(),
        order: wording.order,
        language: wording.language,
        week_starts: Weekday::Monday,
    }
}

/// Reads a text that is a date as a whole, in the language of the reader or in English.
///
/// Errors: it is none, or the calendar does not have it; the message says why.
pub fn date(text: &str, reader: &Reader) -> Result<UnderstoodDate, NotUnderstood> {
    let found = when::explain(text, reader).or_else(|error| match error.part() {
        Some(_) => when::explain(text, &in_english(reader)).map_err(|_| error),
        None => Err(error),
    })?;
    Ok(understood(text, &found, reader))
}

/// Reads a text about something that was: a day without a year, or a weekday, is the last such day.
///
/// Errors: those of [`date`].
pub fn past_date(text: &str, reader: &Reader) -> Result<UnderstoodDate, NotUnderstood> {
    let english = in_english(reader);
    let before = [reader, &english].into_iter().find_map(|reader| {
        let text = format!("{} {text}", reader.language.since()?);
        let found = when::explain(&text, reader).ok()?;
        Some(understood(&text, &found, reader))
    });
    // With a word about time of its own, such as "in", the text is only understood alone.
    before.map_or_else(|| date(text, reader), Ok)
}

fn in_english(reader: &Reader) -> Reader {
    Reader { language: when::ENGLISH, ..reader.clone() }
}

/// Reads a task in one line, such as `Call the bank fri 3pm !p1 #finance @Home`.
pub fn quick_add(text: &str, reader: &Reader) -> QuickAdd {
    let mut read = line::quick_add(text, reader);
    if read.due.is_none() && reader.language.code() != when::ENGLISH.code() {
        read = line::quick_add(text, &in_english(reader));
    }
    let due_on = read.due.as_ref().and_then(|found| {
        let today = reader.now.date();
        found.when.last_day(&reader.zone, today)
    });
    let note = read.due.as_ref().and_then(|found| match found.when {
        When::Day(_) => None,
        When::At(_) | When::Span(_) | When::Recurring(_) => {
            Some(format!("When: {}", &text[found.span.bytes.clone()]))
        }
    });
    let not_a_day = match &read.due {
        Some(_) => None,
        None => [reader, &in_english(reader)].into_iter().find_map(|reader| {
            let first = when::scan(text, reader).impossible.into_iter().next()?;
            Some(text[first.span.bytes].trim().to_owned())
        }),
    };
    let mut parts = Vec::new();
    let mut at = 0;
    let mut add = |bytes: std::ops::Range<usize>, part| {
        if !bytes.is_empty() {
            parts.push(QuickAddPiece { text: text[bytes].to_owned(), part });
        }
    };
    for one in &read.understood {
        let bytes = one.span.bytes.clone();
        let part = match one.part {
            line::Part::Due => QuickAddPart::Due,
            line::Part::Priority => QuickAddPart::Priority,
            line::Part::Label => QuickAddPart::Label,
            line::Part::Category => QuickAddPart::Category,
        };
        add(at..bytes.start, QuickAddPart::Title);
        at = bytes.end;
        add(bytes, part);
    }
    add(at..text.len(), QuickAddPart::Title);
    QuickAdd {
        title: read.title,
        due_on,
        due: read.due.map(|found| understood(text, &found, reader)),
        priority: read.priority,
        labels: read.labels,
        category: read.category,
        note,
        not_a_day,
        parts,
    }
}

impl Dormouse {
    /// What a text that is a date as a whole means here and now.
    ///
    /// Errors: it is none, or the calendar does not have it; the message says why.
    pub async fn understand_date(
        &self,
        caller: &Caller,
        text: &str,
        wording: Wording,
    ) -> Result<UnderstoodDate, Error> {
        require(caller, Scope::Read)?;
        Ok(date(text, &reader(self.clock.now(), &self.zone.get(), wording))?)
    }

    /// What a line means as a task, here and now.
    pub async fn understand_line(
        &self,
        caller: &Caller,
        text: &str,
        wording: Wording,
    ) -> Result<QuickAdd, Error> {
        require(caller, Scope::Read)?;
        Ok(quick_add(text, &reader(self.clock.now(), &self.zone.get(), wording)))
    }
}

fn understood(text: &str, found: &Found, reader: &Reader) -> UnderstoodDate {
    let today = reader.now.date();
    let mut view = UnderstoodDate {
        text: text[found.span.bytes.clone()].to_owned(),
        role: match found.kind {
            Kind::Due => DateRole::Due,
            Kind::Start => DateRole::Start,
            Kind::Mention => DateRole::Mention,
            Kind::Past => DateRole::Past,
        },
        day: found.when.first_day(&reader.zone, today),
        end_day: None,
        time: None,
        end_time: None,
        zone: None,
        at: None,
        repeats: None,
        assumed: found.assumed.iter().map(assumed).collect(),
    };
    match &found.when {
        When::Day(_) => {}
        When::At(moment) => view.begin(moment, reader),
        When::Span(span) => {
            view.end_day = Some(span.to.day_in(&reader.zone));
            if let Point::At(moment) = &span.from {
                view.begin(moment, reader);
            }
            if let Point::At(moment) = &span.to {
                view.end_time = Some(local_time(moment, reader));
                view.zone = view.zone.or_else(|| zone_name(moment));
            }
        }
        When::Recurring(recurrence) => view.repeats = Some(repetition(recurrence)),
    }
    view
}

impl UnderstoodDate {
    fn begin(&mut self, moment: &Moment, reader: &Reader) {
        self.time = Some(local_time(moment, reader));
        self.at = Some(Timestamp::from_jiff(moment.timestamp(&reader.zone)));
        self.zone = zone_name(moment);
    }
}

fn hours(time: Time) -> String {
    time.strftime("%H:%M").to_string()
}

/// The time in the reader's zone.
fn local_time(moment: &Moment, reader: &Reader) -> String {
    match moment.zone {
        when::Zone::Reader => hours(moment.at.time()),
        when::Zone::Offset(_) | when::Zone::Named(_) => {
            hours(reader.zone.to_datetime(moment.timestamp(&reader.zone)).time())
        }
    }
}

fn zone_name(moment: &Moment) -> Option<String> {
    match &moment.zone {
        when::Zone::Reader => None,
        when::Zone::Named(name) => Some(name.clone()),
        when::Zone::Offset(seconds) => Offset::from_seconds(*seconds).ok().map(|offset| {
            let seconds = offset.seconds();
            let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.abs() / 60);
            format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }),
    }
}

fn repetition(recurrence: &Recurrence) -> Repetition {
    let mut view = Repetition {
        every: recurrence.every,
        times: recurrence.times,
        unit: RepeatUnit::Days,
        weekdays: Vec::new(),
        nth: None,
        month_days: Vec::new(),
        month: None,
        times_of_day: recurrence.at.iter().copied().map(hours).collect(),
        from: recurrence.from,
        until: recurrence.until,
    };
    view.unit = match &recurrence.rule {
        Rule::Minutes => RepeatUnit::Minutes,
        Rule::Hours => RepeatUnit::Hours,
        Rule::Days => RepeatUnit::Days,
        Rule::WorkingDays => RepeatUnit::WorkingDays,
        Rule::Weeks(days) => {
            view.weekdays.clone_from(days);
            RepeatUnit::Weeks
        }
        Rule::Months(on) => {
            match on {
                MonthDay::Same => {}
                MonthDay::Numbers(days) => view.month_days.clone_from(days),
                MonthDay::Weekday(nth, day) => {
                    view.nth = Some(*nth);
                    view.weekdays = vec![*day];
                }
                MonthDay::WorkingDay(nth) => {
                    view.nth = Some(*nth);
                    view.weekdays = Weekday::WORKING.to_vec();
                }
            }
            RepeatUnit::Months
        }
        Rule::Years(on) => {
            view.month = on.map(|on| on.month);
            view.month_days = on.iter().map(|on| on.day).collect();
            RepeatUnit::Years
        }
    };
    view
}

fn assumed(assumption: &Assumption) -> Assumed {
    let (kind, value) = match assumption {
        Assumption::ReadersOrder(order) => (AssumptionKind::ReadersOrder, order.name().to_owned()),
        Assumption::OnlyOrder(order) => (AssumptionKind::OnlyOrder, order.name().to_owned()),
        Assumption::OtherOrder(order) => (AssumptionKind::OtherOrder, order.name().to_owned()),
        Assumption::Year(year) => (AssumptionKind::Year, year.to_string()),
        Assumption::Century(year) => (AssumptionKind::Century, year.to_string()),
        Assumption::InAWeek(day) => (AssumptionKind::InAWeek, day.to_string()),
        Assumption::NextWeek(day) => (AssumptionKind::NextWeek, day.to_string()),
        Assumption::NextTime(day) => (AssumptionKind::NextTime, day.to_string()),
        Assumption::PartOfDay(time) => (AssumptionKind::PartOfDay, hours(*time)),
        Assumption::Hour(time) => (AssumptionKind::Hour, hours(*time)),
        Assumption::PartOfPeriod(day) => (AssumptionKind::PartOfPeriod, day.to_string()),
        Assumption::WeekdayDiffers(day) => (AssumptionKind::WeekdayDiffers, day.to_string()),
        Assumption::Before(day) => (AssumptionKind::Before, day.to_string()),
        Assumption::After(day) => (AssumptionKind::After, day.to_string()),
    };
    Assumed { kind, value }
}
