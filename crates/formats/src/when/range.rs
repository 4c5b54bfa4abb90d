//! Ranges whose two ends are read one after the other.

use jiff::ToSpan;
use jiff::civil::Date;

use super::calendar::{plus, short, weekday};
use super::error::NotUnderstood;
use super::grammar::{Hit, Parsed, Parser, PointHit, Setting};
use super::recurrence::Weekday;
use super::resolve::{Core, Direction};
use super::table::List;
use super::value::{Assumption, Kind, Point, Span, When};
use super::words::{Lead, Means, Where};

impl Parser<'_> {
    /// The second end, after "to" or a dash.
    pub(super) fn range(&mut self, first: &PointHit, setting: Setting) -> Parsed<Hit> {
        let matcher = &self.matcher;
        let joint = first.end;
        let is_between = first.start > 0 && matcher.is_in(first.start - 1, List::Between);
        let joins = matcher.is_in(joint, List::Through)
            || matcher.is_mark(joint, &['-', '–', '—', '→'])
            || first.means == Some(Means::Stamp) && matcher.is_mark(joint, &['/'])
            || is_between && matcher.is_in(joint, List::And);
        let (from, from_day) = match &first.core {
            Core::Day(day) => (Point::Day(*day), *day),
            Core::At(moment) => (Point::At(moment.clone()), moment.at.date()),
            Core::Days(from, _) => (Point::Day(*from), *from),
        };
        if !joins || first.means == Some(Means::Ahead) {
            return None;
        }
        let signed = Setting {
            lead: Some(Lead::On),
            direction: Direction::Ahead,
            allowed: setting.allowed.max(Where::WithSign),
        };
        let second = self.point(joint + 1, signed, from_day)?;
        let second = match second {
            Ok(second) => second,
            Err(error) => return Some(Err(error)),
        };
        // "In 2-3 weeks": the first number counts weeks too.
        if second.means == Some(Means::Ahead) && first.means.is_none() {
            return None;
        }
        // "15.4 to 16.2" can be anything.
        if setting.allowed != Where::Field
            && matches!(first.means, None | Some(Means::Figure))
            && !self.is_plausible(first, setting)
            && !self.is_plausible(&second, setting)
        {
            return None;
        }
        // "December 10 - 14:00" is a day and its time.
        if matches!((&first.core, &second.core), (Core::Day(_), Core::At(_)))
            && second.means.is_none()
        {
            return None;
        }
        if self.is_row_of_versions(first, &second) {
            return None;
        }
        if let Some(from) = self.begin_in_month_of(first, &second) {
            return Some(Ok(self.range_of_days(from, first, second, setting)));
        }
        let to = match second.core {
            Core::Day(day) | Core::Days(_, day) => Point::Day(day),
            Core::At(moment) => Point::At(moment),
        };
        if let Some(begun) = self.begun(first, second.end, signed, setting) {
            return Some(Ok(begun));
        }
        let mut assumed = first.assumed.clone();
        let zone = &self.reader.zone;
        if from.day_in(zone) > to.day_in(zone) {
            let text = short(self.text(first.start, second.end));
            return (setting.allowed == Where::Field)
                .then_some(Err((second.end, NotUnderstood::EndsBeforeItBegins { text })));
        }
        assumed.extend(second.assumed.into_iter().filter(|one| !first.assumed.contains(one)));
        let when = When::Span(Span { from, to });
        let kind = self.kind_of_range(setting);
        let date = first.start..second.end;
        Some(Ok(Hit { start: first.start, end: second.end, date, when, kind, assumed }))
    }

    /// A range that has begun: its first day is before today, and its last is not.
    fn begun(
        &mut self,
        first: &PointHit,
        end: usize,
        signed: Setting,
        setting: Setting,
    ) -> Option<Hit> {
        let Core::Day(from) = first.core else { return None };
        let is_year = |one: &Assumption| matches!(one, Assumption::Year(_));
        if !matches!(first.means, Some(Means::DayMonth | Means::Figure))
            || !first.assumed.iter().any(is_year)
        {
            return None;
        }
        let today = self.reader.now.date();
        let Some(Ok(PointHit { core: Core::Day(last), assumed: again, .. })) =
            self.point(first.end + 1, signed, today)
        else {
            return None;
        };
        if last >= from || !again.iter().any(is_year) {
            return None;
        }
        let start = Date::new(last.year(), from.month(), from.day()).ok()?;
        let start = if start > last {
            Date::new(last.year() - 1, from.month(), from.day()).unwrap_or(start)
        } else {
            start
        };
        let mut assumed = first.assumed.clone();
        assumed.retain(|one| !is_year(one));
        assumed.push(Assumption::Year(last.year()));
        Some(Hit {
            start: first.start,
            end,
            date: first.start..end,
            when: When::Span(Span { from: Point::Day(start), to: Point::Day(last) }),
            kind: self.kind_of_range(setting),
            assumed,
        })
    }

    fn kind_of_range(&self, setting: Setting) -> Kind {
        match setting.lead {
            Some(Lead::Is(Kind::Due)) | Some(Lead::Before) => Kind::Due,
            Some(Lead::Is(_) | Lead::After | Lead::On | Lead::Since) | None => Kind::Mention,
        }
    }

    /// The first day of a range whose month is named once, at its end: "from the 13th to the 15th of July",
    /// "Monday to Wednesday 15 July". It is the nearest such day before the last one.
    fn begin_in_month_of(&self, first: &PointHit, second: &PointHit) -> Option<Date> {
        let Core::Day(last) = second.core else { return None };
        let is_dated = second.means == Some(Means::DayMonth)
            || second.means == Some(Means::DayOfMonth) && second.caught.shift.is_some();
        let is_bare = first.caught.shift.is_none() && !first.has_time && !second.has_time;
        if !is_dated || !is_bare {
            return None;
        }
        match first.means {
            Some(Means::DayOfMonth) => {
                let day = first.caught.day?;
                let month = if day < last.day() { last } else { plus(last, (-1).months()).ok()? };
                Date::new(month.year(), month.month(), day).ok()
            }
            // "Friday to 20 July" begins on the next Friday.
            Some(Means::Weekday) if second.has_sign => {
                let ahead =
                    i64::from(last.weekday().until(weekday(first.caught.weekday?)?.civil()));
                plus(last, (ahead - 7).days()).ok()
            }
            _ => None,
        }
    }

    fn range_of_days(
        &self,
        from: Date,
        first: &PointHit,
        second: PointHit,
        setting: Setting,
    ) -> Hit {
        let mut assumed = second.assumed;
        let written = first.caught.weekday.and_then(weekday);
        if written.is_some_and(|weekday| weekday != Weekday::of(from)) {
            assumed.push(Assumption::WeekdayDiffers(from));
        }
        let to = match second.core {
            Core::Day(day) | Core::Days(_, day) => Point::Day(day),
            Core::At(moment) => Point::At(moment),
        };
        Hit {
            start: first.start,
            end: second.end,
            date: first.start..second.end,
            when: When::Span(Span { from: Point::Day(from), to }),
            kind: self.kind_of_range(setting),
            assumed,
        }
    }
}
