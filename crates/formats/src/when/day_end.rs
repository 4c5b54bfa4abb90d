//! The end of a day's work, which adds no time to the day: "EOD Friday", "tomorrow, close of business".

use jiff::civil::Date;

use super::grammar::{Parser, PointHit, Setting};
use super::resolve::Core;
use super::table::Table;
use super::value::Kind;
use super::words::{Lead, Where};

impl<'a> Parser<'a> {
    /// The day after the words for its end: "EOD on 12 March".
    pub(super) fn end_of_work(
        &mut self,
        at: usize,
        setting: Setting,
        base: Date,
    ) -> Option<PointHit> {
        let table: &'a Table = self.table;
        let words = self.matcher.longest(&table.day_ends, at, Where::Anywhere)?;
        let mut place = words.end + usize::from(self.matcher.is_mark(words.end, &[',']));
        let lead = self.matcher.longest(&table.leads, place, Where::Anywhere);
        if let Some(lead) = lead.filter(|lead| lead.means == Lead::On) {
            place = lead.end;
        }
        let signed = Setting { allowed: setting.allowed.max(Where::WithSign), ..setting };
        match self.plain_day(place, signed, base)? {
            Ok(day) if matches!(day.core, Core::Day(_)) => {
                Some(PointHit { start: at, has_sign: true, holds: Where::Anywhere, ..day })
            }
            Ok(_) | Err(_) => None,
        }
    }

    /// The same words after the day: "Friday EOD", "tomorrow by close of business".
    pub(super) fn with_end_of_work(&mut self, mut day: PointHit) -> PointHit {
        let table: &'a Table = self.table;
        let mut place = day.end + usize::from(self.matcher.is_mark(day.end, &[',']));
        let lead = self.matcher.longest(&table.leads, place, Where::Anywhere);
        let mut is_due = false;
        if let Some(lead) = &lead {
            is_due = matches!(lead.means, Lead::Is(Kind::Due) | Lead::Before);
            place = lead.end;
        }
        if let Some(words) = self.matcher.longest(&table.day_ends, place, Where::Anywhere)
            && (lead.is_none() || is_due || lead.is_some_and(|lead| lead.means == Lead::On))
            && matches!(day.core, Core::Day(_))
        {
            day.end = words.end;
            day.is_due = is_due;
            day.has_sign = true;
        }
        day
    }
}
