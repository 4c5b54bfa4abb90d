//! What a text about time can mean.

use super::error::NotUnderstood;
use std::ops::Range;

use dormouse_types::closed_list;
use dormouse_types::day_order::DayOrder;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use serde::{Deserialize, Serialize};

use super::recurrence::Recurrence;
use super::zone;

closed_list! {
    /// What a date in a sentence is for.
    pub enum Kind, "role of a date" {
        /// It ends something: "by", "until", "due".
        Due = "due",
        /// It begins something: "from", "starting", "not before".
        Start = "start",
        /// It says when, and no more.
        Mention = "mention",
        /// It is about something that was.
        Past = "past",
    }
}

/// A time, as a text gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum When {
    Day(Date),
    /// A time on a day.
    At(Moment),
    /// Everything between two ends.
    Span(Span),
    /// Again and again.
    Recurring(Recurrence),
}

impl When {
    /// The last day it reaches in the reader's zone: the day by which it ends.
    ///
    /// A recurrence answers its first day on or after `today`.
    pub fn last_day(&self, zone: &TimeZone, today: Date) -> Option<Date> {
        match self {
            Self::Day(day) => Some(*day),
            Self::At(moment) => Some(moment.day_in(zone)),
            Self::Span(span) => Some(span.to.day_in(zone)),
            Self::Recurring(recurrence) => recurrence.first_from(today),
        }
    }

    /// The first day it touches in the reader's zone.
    ///
    /// A recurrence answers its first day on or after `today`.
    pub fn first_day(&self, zone: &TimeZone, today: Date) -> Option<Date> {
        match self {
            Self::Day(day) => Some(*day),
            Self::At(moment) => Some(moment.day_in(zone)),
            Self::Span(span) => Some(span.from.day_in(zone)),
            Self::Recurring(recurrence) => recurrence.first_from(today),
        }
    }
}

/// A stretch of time. A day as its end is part of it; a time as its end is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins.
    pub from: Point,
    /// Where it ends.
    pub to: Point,
}

/// An end of a [`Span`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Point {
    Day(Date),
    /// A time on a day.
    At(Moment),
}

impl Point {
    /// The day in the reader's zone.
    pub fn day_in(&self, zone: &TimeZone) -> Date {
        match self {
            Self::Day(day) => *day,
            Self::At(moment) => moment.day_in(zone),
        }
    }
}

/// A time on a day, in the zone it was written in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Day and time as a clock on the wall shows them.
    pub at: DateTime,
    /// Where that clock hangs.
    pub zone: Zone,
}

/// The zone of a [`Moment`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Zone {
    /// None is written: the reader's.
    Reader,
    /// A distance from UTC. Units: seconds, east is positive.
    Offset(i32),
    /// A name of the IANA database that exists.
    Named(String),
}

impl Moment {
    pub(super) fn of_reader(at: DateTime) -> Self {
        Self { at, zone: Zone::Reader }
    }

    /// The instant. `reader` is the zone of the person who reads.
    ///
    /// A time that a clock change skips is read with the distance from UTC before the change, so
    /// 02:30 becomes 03:30; of a time that happens twice the first one counts. That is what RFC
    /// 5545 asks for, and what jiff calls compatible.
    ///
    /// Errors: none; an instant outside of jiff's range is its nearest end.
    pub fn timestamp(&self, reader: &TimeZone) -> jiff::Timestamp {
        let zone = match &self.zone {
            Zone::Reader => reader.clone(),
            Zone::Offset(seconds) => {
                Offset::from_seconds(*seconds).map_or(TimeZone::UTC, TimeZone::fixed)
            }
            Zone::Named(name) => zone::named(name).unwrap_or(TimeZone::UTC),
        };
        let nearest = if self.at.year() < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        zone.to_ambiguous_timestamp(self.at).compatible().unwrap_or(nearest)
    }

    /// The day on which it is for somebody in the zone `reader`.
    pub fn day_in(&self, reader: &TimeZone) -> Date {
        match self.zone {
            Zone::Reader => self.at.date(),
            Zone::Offset(_) | Zone::Named(_) => reader.to_datetime(self.timestamp(reader)).date(),
        }
    }
}

/// A date in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// Where it is, with the words that lead to it ("by 24.11.").
    pub span: TextSpan,
    /// Where the date itself is, without words that lead to it or follow it. Units: bytes.
    pub date: Range<usize>,
    /// What it means.
    pub when: When,
    /// What it is for.
    pub kind: Kind,
    /// What the text leaves open and was decided, in the order of the decisions.
    pub assumed: Vec<Assumption>,
}

/// Digits or words in the form of a date that is not in the calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impossible {
    /// Where it is.
    pub span: TextSpan,
    /// Why there is no such day.
    pub why: NotUnderstood,
}

/// A place in a text, counted twice: for slicing here, and for marking in a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSpan {
    /// Units: bytes of UTF-8. Both ends are at character boundaries.
    pub bytes: Range<usize>,
    /// Units: Unicode scalar values, as `Array.from(text)` has them.
    pub chars: Range<usize>,
}

/// Something the text leaves open, and how it was decided. A preview says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Assumption {
    /// Both orders were possible, so the reader's was taken.
    ReadersOrder(DayOrder),
    /// The reader's order, and the other gives no day of the calendar.
    OnlyOrder(DayOrder),
    /// The reader's order gives no day of the calendar, so the other was taken.
    OtherOrder(DayOrder),
    /// No year is written: the one of the next such day.
    Year(i16),
    /// A year of two figures.
    Century(i16),
    /// A weekday named on that very weekday: the one in a week.
    InAWeek(Date),
    /// "Next" before a weekday: the one of next week, although a nearer one comes first.
    NextWeek(Date),
    /// A time without a day: the next time a clock shows it.
    NextTime(Date),
    /// A part of the day in place of a time.
    PartOfDay(Time),
    /// An hour from 1 to 12 without morning or afternoon.
    Hour(Time),
    /// A vague part of a period, such as "mid June" or "end of the week".
    PartOfPeriod(Date),
    /// The weekday that is written is not the one of the date; the date counts.
    WeekdayDiffers(Date),
    /// "Before": the day itself is too late.
    Before(Date),
    /// "After": the day itself is too early, and no day says when it is too late.
    After(Date),
}
