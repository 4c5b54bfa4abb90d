//! Feasts that have another date in each year.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

/// So many days after Easter Sunday.
///
/// Source: the anonymous Gregorian computus (Meeus, "Astronomical Algorithms", chapter 8).
pub(super) fn easter(year: i16, after: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (8 * b + 13) / 25;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 19 * l) / 433;
    let month = (h + l - 7 * m + 90) / 25;
    let day = (h + l - 7 * m + 33 * month + 19) % 32;
    moved(year, month, day, i64::from(after))
}

/// So many days after the Easter Sunday of the Orthodox churches, as a day of the Gregorian calendar.
///
/// Source: the Julian computus (Meeus, chapter 8).
pub(super) fn orthodox_easter(year: i16, after: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 4, y % 7, y % 19);
    let d = (19 * c + 15) % 30;
    let e = (2 * a + 4 * b - d + 34) % 7;
    let (month, day) = ((d + e + 114) / 31, (d + e + 114) % 31 + 1);
    // The calendars are 13 days apart from 1900 to 2099.
    let apart = y / 100 - y / 400 - 2;
    moved(year, month, day, i64::from(after) + i64::from(apart))
}

/// So many days after the fourth Thursday of November, which is Thanksgiving in the United States.
pub(super) fn thanksgiving(year: i16, after: i16) -> Option<Date> {
    let day = Date::new(year, 11, 1).ok()?.nth_weekday_of_month(4, Weekday::Thursday).ok()?;
    day.checked_add(i64::from(after).days()).ok()
}

fn moved(year: i16, month: i32, day: i32, after: i64) -> Option<Date> {
    let day = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    day.checked_add(after.days()).ok()
}

#[test]
fn easter_is_where_the_churches_have_it() {
    use jiff::civil::date;

    for (year, west, east) in [
        (1961, date(1961, 4, 2), date(1961, 4, 9)),
        (2000, date(2000, 4, 23), date(2000, 4, 30)),
        (2024, date(2024, 3, 31), date(2024, 5, 5)),
        (2025, date(2025, 4, 20), date(2025, 4, 20)),
        (2026, date(2026, 4, 5), date(2026, 4, 12)),
        (2027, date(2027, 3, 28), date(2027, 5, 2)),
        (2038, date(2038, 4, 25), date(2038, 4, 25)),
    ] {
        assert_eq!((easter(year, 0), orthodox_easter(year, 0)), (Some(west), Some(east)), "{year}");
    }
}
