//! Times of day.

use jiff::civil::Time;

use super::matching::Caught;
use super::value::Assumption;
use super::words::{Half, TimeMeans};

/// The time of day of a pattern, and whether the hour was ambiguous.
pub(super) fn time(means: TimeMeans, caught: &Caught) -> Option<(Time, Option<Assumption>, bool)> {
    let minutes = |hour: u8, minute: i32, half: Option<Half>| -> Option<(i32, bool)> {
        let hour = i32::from(hour);
        let (hour, is_open) = match half {
            None if caught.is_24_hours => (hour % 24, (1..=11).contains(&hour)),
            Some(_) if !(1..=12).contains(&hour) => return None,
            Some(Half::Morning) => (hour % 12, false),
            Some(Half::Afternoon) => (hour % 12 + 12, false),
            // People who leave it out mean the day, not the night.
            None if (1..=6).contains(&hour) => (hour + 12, true),
            None => (hour, (7..=11).contains(&hour)),
        };
        Some((hour * 60 + minute, is_open))
    };
    if let Some(part) = caught.part
        && means == TimeMeans::Part
    {
        let noon = Time::constant(12, 0, 0, 0);
        return Some((part, (part != noon).then_some(Assumption::PartOfDay(part)), false));
    }
    // "In the evening at 20:00" needs no half: an hour beyond 12 has one already.
    let part =
        caught.part.filter(|_| caught.clock.is_none_or(|clock| (1..=12).contains(&clock.hour)));
    let half = caught.half.or_else(|| {
        part.map(|part| if part.hour() < 12 { Half::Morning } else { Half::Afternoon })
    });
    let of = |minutes: i32| {
        let minutes = minutes.rem_euclid(1440);
        Time::new(i8::try_from(minutes / 60).ok()?, i8::try_from(minutes % 60).ok()?, 0, 0).ok()
    };
    match means {
        TimeMeans::Part => Some((Time::constant(12, 0, 0, 0), None, false)),
        TimeMeans::Midnight => Some((Time::midnight(), None, true)),
        TimeMeans::Clock => {
            let clock = caught.clock?;
            let (hour, minute) = (clock.hour, i32::from(clock.minute));
            // Two figures and no half of the day are a 24-hour clock: "05:00".
            let is_exact =
                half.is_none() && (clock.hour_length == 2 || clock.hour == 0 || hour > 12);
            // "9.30" without am or pm is an amount.
            if clock.is_dotted && half.is_none() {
                return None;
            }
            if is_exact {
                let time = Time::new(
                    i8::try_from(hour % 24).ok()?,
                    i8::try_from(minute).ok()?,
                    i8::try_from(clock.second).ok()?,
                    0,
                );
                return Some((time.ok()?, None, hour == 24));
            }
            // "At 12 tonight" and "at 1 tonight" are the hours after midnight.
            let is_night = caught.half.is_none()
                && part.is_some_and(|part| part.hour() >= 19)
                && matches!(hour, 12 | 1..=3);
            if is_night {
                return Some((of(i32::from(hour % 12) * 60 + minute)?, None, true));
            }
            let (total, is_open) = minutes(hour, minute, half)?;
            let time = of(total)?;
            Some((time, is_open.then_some(Assumption::Hour(time)), false))
        }
        TimeMeans::Past | TimeMeans::To | TimeMeans::PastBy(_) => {
            let by = match (means, i32::try_from(caught.n.unwrap_or(0)).ok()?) {
                (TimeMeans::PastBy(by), _) => by,
                (_, n) if !(1..60).contains(&n) => return None,
                (TimeMeans::To, n) => -n,
                (_, n) => n,
            };
            let (total, is_open) = minutes(caught.clock?.hour, by, half)?;
            let time = of(total)?;
            Some((time, is_open.then_some(Assumption::Hour(time)), false))
        }
    }
}
