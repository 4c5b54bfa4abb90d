//! What a language brings: tables of words, and patterns over them.
//!
//! A pattern is a line of items. An item in capitals stands for a class of words or figures (see
//! [`Class`]), one in small letters for the words themselves, with `/` between alternatives; `?`
//! makes an item optional; `,` is a comma. A new language is a new table, and no code.

use jiff::civil::Time;

use super::value::Kind;

/// The words of one language.
#[derive(Debug)]
pub struct Words {
    /// ISO 639 code.
    pub code: &'static str,
    /// Names of the days, from Monday.
    pub weekdays: [&'static [&'static str]; 7],
    /// Names that mean each such day, from Monday.
    pub weekdays_again: [&'static [&'static str]; 7],
    /// Names of the months.
    pub months: [&'static [&'static str]; 12],
    /// Whether a day is written with a capital, so that a capital is a sign of one.
    pub days_have_capitals: bool,
    /// Whether any noun is written with a capital, so that words with capitals are not yet a name.
    pub nouns_have_capitals: bool,
    /// Names of days and months that are also something else. They need a sign that a date is
    /// meant.
    pub ambiguous: &'static [&'static str],
    /// Numbers in words.
    pub numbers: &'static [(&'static str, u32)],
    /// Places in an order, in words; -1 is the last.
    pub places: &'static [(&'static str, i8)],
    /// What is attached to a number to make it a place: "3rd".
    pub ordinal_endings: &'static [&'static str],
    /// Units of time.
    pub units: &'static [(&'static str, Unit)],
    /// Which one of several.
    pub shifts: &'static [(&'static str, Shift)],
    /// Parts of a period.
    pub edges: &'static [(&'static str, Edge)],
    /// Days by their distance from today.
    pub offsets: &'static [(&'static str, i32)],
    /// Parts of the day with the time they stand for.
    pub parts: &'static [(&'static str, Time)],
    /// Morning or afternoon after an hour.
    pub halves: &'static [(&'static str, Half)],
    /// Numbers and a half in one word, by the whole number.
    pub halves_more: &'static [(&'static str, u32)],
    /// What is attached to an hour: "9ish", "9h".
    pub hour_endings: &'static [&'static str],
    /// Adverbs of repetition, as an interval and a unit.
    pub periodic: &'static [(&'static str, u16, Unit)],
    /// What makes the number after it a quarter.
    pub quarters: &'static [&'static str],
    /// What makes the number after it a half of a year.
    pub half_years: &'static [&'static str],
    /// What makes the number after it a calendar week.
    pub weeks: &'static [&'static str],
    /// Patterns of days.
    pub days: &'static [(&'static str, Means, Where)],
    /// Patterns of a distance to the day after them.
    pub relations: &'static [(&'static str, Relation)],
    /// Patterns of times of day.
    pub times: &'static [(&'static str, TimeMeans, Where)],
    /// Patterns of recurrences.
    pub recurrences: &'static [(&'static str, Again, Where)],
    /// Words before a date that say what it is for.
    pub leads: &'static [(&'static str, Lead)],
    /// Words after a date that say what it is for.
    pub tails: &'static [(&'static str, Kind)],
    /// Patterns of the end of a day's work, before or after the day: "EOD Friday", "tomorrow, close of business".
    pub day_ends: &'static [&'static str],
    /// Between a day and its time.
    pub at: &'static [&'static str],
    /// Between the ends of a range.
    pub through: &'static [&'static str],
    /// Before a range whose ends are joined by `between_and`.
    pub between: &'static [&'static str],
    /// Between the ends of a range that `between` began, and the members of a list.
    pub between_and: &'static [&'static str],
    /// Small words that can follow a date; another word after a bare figure is what it counts.
    pub function_words: &'static [&'static str],
    /// Before a figure: it numbers a part of something.
    pub references: &'static [&'static str],
    /// Before a number and a year: it is the number of a paper, as in "invoice 11/2026".
    pub papers: &'static [&'static str],
    /// Two words before a figure: "by" between them gives an amount, as in "grew by 3.4".
    pub measured_by: &'static [&'static str],
    /// After a figure: it is an amount.
    pub counters: &'static [&'static str],
    /// Before "by" and a month that is also a name: it is the author.
    pub authored: &'static [&'static str],
    /// Before a day: it tells of the past.
    pub past: &'static [&'static str],
    /// With a word of the past before a day: a day that something was moved to or planned for, and
    /// that need not be past.
    pub moved: &'static [&'static str],
    /// Before a day, even if it is a deadline: it has passed.
    pub over: &'static [&'static str],
    /// Before a day up to which something can last as well as be done by: "until".
    pub lasting: &'static [&'static str],
    /// Before such a word, anywhere in the clause: something lasts. "The budget is fine until March".
    pub lasts: &'static [&'static str],
    /// Right before or after such a day: what lasts. "Closed until Sunday", "bis Sonntag geöffnet".
    pub states: &'static [&'static str],
    /// In a clause with `lasts`: that day is a deadline all the same. "Is to be paid until Friday", "the
    /// offer is valid until Friday".
    pub obliges: &'static [&'static str],
    /// Before "before" or "until" in a clause: it may begin then. "Do not open before Friday".
    pub negations: &'static [&'static str],
    /// Between a weekday and its date: "Freitag, den 11.12.".
    pub day_articles: &'static [&'static str],
    /// With such a word it is a deadline all the same. "Don't forget to pay before Friday".
    pub forget: &'static [&'static str],
    /// What somebody has to take up before it ends: the day is a deadline. "Applications are open until Friday".
    pub offers: &'static [&'static str],
    /// The words of `states` with which such a thing can still be taken up.
    pub opens: &'static [&'static str],
    /// Before a weekday: the two are a name.
    pub named_days: &'static [&'static str],
    /// Before a word that is also a weekday: it is the other thing.
    pub articles: &'static [&'static str],
    /// After a day: the two are a name, as in "12 March Street".
    pub name_ends: &'static [&'static str],
    /// Words for a street or square whose name may be a day: "rue du 4 septembre".
    pub streets: &'static [&'static str],
    /// What may be between such a word and the day.
    pub street_links: &'static [&'static str],
    /// Short weekdays that stand for a title of a person before a name: "Fr. Müller".
    pub titles: &'static [&'static str],
    /// Before a bare number: it is how many, not when. "Dinner for 2 on Friday".
    pub counted_for: &'static [&'static str],
    /// Names of numeral systems. "Dec 2 bin" turns decimal to binary.
    pub numeral_systems: &'static [&'static str],
    /// Numbers in words that count the first day too, with the days that are meant: "quinze jours" are two weeks.
    pub days_with_today: &'static [(&'static str, u32)],
    /// Before a date or a person: "Gift for May", "Llamar a Julio". What can be a name is one there.
    pub before_persons: &'static [&'static str],
    /// Before a day that is left out: "except Friday".
    pub excepting: &'static [&'static str],
    /// Before a day on which nothing can be done: "Closed Sunday".
    pub closed: &'static [&'static str],
    /// At the beginning of a clause that only says under which condition something is done: "If not paid by Friday".
    pub conditions: &'static [&'static str],
    /// How a schedule is said.
    pub schedule: ScheduleWords,
}

/// How people say what happens again without the word for each: "last Friday of the month", "7am and 7pm".
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScheduleWords {
    /// What makes the day after it one that comes again: "every".
    pub each: &'static str,
    /// What may be before the day, and does not go with `each`.
    pub dropped: &'static [&'static str],
    /// What makes a weekday, without more, that of each week: before the weekday, with the space, or the weekday itself.
    pub weekly: &'static [&'static str],
    /// Words for a month, of which one is in each weekday of a month.
    pub months: &'static [&'static str],
    /// After a day: it is one of any month.
    pub of_month: &'static [&'static str],
    /// What a list of times leaves out, and a list of days of the month; each with the words that such a list, and no
    /// other, can begin with.
    pub lists: &'static [(&'static str, &'static [&'static str])],
    /// Before a time of day.
    pub at: &'static str,
    /// Other spellings of words for what happens again, each with the usual one.
    pub spellings: &'static [(&'static str, &'static str)],
    /// Parts of the day that are those of every such day in the plural, each with the singular: "Monday mornings".
    pub plural_parts: &'static [(&'static str, &'static str)],
    /// At once, which is no schedule.
    pub now: &'static [&'static str],
    /// A schedule as an error proposes it.
    pub example: &'static str,
}

impl Words {
    /// No words, for the lists that a language does without.
    pub(super) const NONE: Self = Self {
        code: "",
        weekdays: [&[]; 7],
        weekdays_again: [&[]; 7],
        months: [&[]; 12],
        days_have_capitals: false,
        nouns_have_capitals: false,
        ambiguous: &[],
        numbers: &[],
        places: &[],
        ordinal_endings: &[],
        units: &[],
        shifts: &[],
        edges: &[],
        offsets: &[],
        parts: &[],
        halves: &[],
        halves_more: &[],
        hour_endings: &[],
        periodic: &[],
        quarters: &[],
        half_years: &[],
        weeks: &[],
        days: &[],
        relations: &[],
        times: &[],
        recurrences: &[],
        leads: &[],
        tails: &[],
        day_ends: &[],
        at: &[],
        through: &[],
        between: &[],
        between_and: &[],
        function_words: &[],
        references: &[],
        papers: &[],
        measured_by: &[],
        counters: &[],
        authored: &[],
        past: &[],
        moved: &[],
        over: &[],
        lasting: &[],
        lasts: &[],
        states: &[],
        obliges: &[],
        negations: &[],
        forget: &[],
        day_articles: &[],
        offers: &[],
        opens: &[],
        named_days: &[],
        articles: &[],
        name_ends: &[],
        streets: &[],
        street_links: &[],
        titles: &[],
        counted_for: &[],
        numeral_systems: &[],
        days_with_today: &[],
        before_persons: &[],
        excepting: &[],
        closed: &[],
        conditions: &[],
        schedule: ScheduleWords {
            each: "",
            dropped: &[],
            weekly: &[],
            months: &[],
            of_month: &[],
            lists: &[],
            at: "",
            spellings: &[],
            plural_parts: &[],
            now: &[],
            example: "",
        },
    };
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Unit {
    Minute,
    Hour,
    Day,
    WorkingDay,
    Week,
    Weekend,
    Fortnight,
    Month,
    Quarter,
    Year,
}

/// Which one of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// The current one.
    This,
    /// The one in the next period.
    Next,
    /// The next one that comes.
    Coming,
    /// The one before.
    Last,
}

/// A part of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Its first day.
    Start,
    /// Its first third.
    Early,
    Middle,
    /// Its last third.
    Late,
    /// Its last day.
    End,
}

/// The half of the day that an hour is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Before noon.
    Morning,
    /// After noon.
    Afternoon,
}

/// Where a pattern holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Where {
    Anywhere,
    /// In running text only with a sign that a date is meant, such as "by".
    WithSign,
    /// Only where the whole text is a date.
    Field,
}

/// What a word before a date does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// It says what the date is for.
    Is(Kind),
    /// "Before": due, and the day itself is too late.
    Before,
    /// "After": a start, and the day itself is too early.
    After,
    /// It goes with a date and says nothing more, such as "on".
    On,
    /// "Since".
    Since,
}

/// On which side of the day after it a pattern of a distance lies. Without N UNIT it is one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// "Two days before".
    Before,
    /// "A week after".
    After,
    /// "Two working days before".
    WorkingBefore,
    /// "Two working days after".
    WorkingAfter,
    /// "The Friday before".
    WeekdayBefore,
    /// "The Monday after"; with PLACE, so many of them.
    WeekdayAfter,
}

/// What a pattern of days means. Items named in the text of a variant are those of the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    Offset,
    /// So many days from today.
    Days(i32),
    /// N UNIT from now.
    Ahead,
    /// N UNIT from now, at the latest.
    Within,
    /// This evening.
    Tonight,
    PartOfToday,
    /// N working days from today.
    AheadWorking,
    /// Two of UNIT from now.
    AheadCouple,
    /// N of UNIT from tomorrow.
    AheadFromTomorrow,
    /// N of UNIT and a half from now.
    AheadAndHalf,
    /// Half a UNIT from now.
    AheadHalf,
    /// N UNIT before now.
    Ago,
    /// WEEKDAY, with SHIFT or without.
    Weekday,
    /// N of WEEKDAYS from now.
    WeekdaysAhead,
    /// The WEEKDAY before today, and N - 1 weeks before that.
    WeekdaysAgo,
    /// The second last WEEKDAY before today.
    WeekdayBeforeLast,
    /// The WEEKDAY before today, and N weeks before that.
    WeekdayWeeksAgo,
    /// A week after OFFSET.
    OffsetAndWeek,
    /// The time of now, on OFFSET or a UNIT away by SHIFT.
    SameTime,
    /// WEEKDAY of the week of SHIFT.
    WeekdayOfWeek,
    /// WEEKDAY of the week after the next.
    WeekdayAfterNext,
    /// WEEKDAY, N weeks later; without N, one.
    WeekdayAfterWeeks,
    /// WEEKDAY, N times two weeks later; without N, two.
    WeekdayAfterFortnights,
    Figure,
    /// DAY and DAY2, the number of the month, in YEAR: a figure with spaces in it.
    Numbers,
    DaysOfFigure,
    /// Seven days of MONTH, by PLACE.
    NthWeek,
    Stamp,
    /// DAY of MONTH, with YEAR or without.
    DayMonth,
    /// The day of this month and number, such as Christmas, with YEAR or without.
    Feast(i8, i8),
    /// So many days after Easter Sunday, with YEAR or without.
    Easter(i16),
    /// So many days after the Easter Sunday of the Orthodox churches, with YEAR or without.
    OrthodoxEaster(i16),
    /// So many days after the fourth Thursday of November, with YEAR or without.
    Thanksgiving(i16),
    /// DAY to DAY2 of MONTH, with YEAR or without.
    DaysOfMonth,
    /// DAY of a month named by SHIFT, or of the nearest that has it.
    DayOfMonth,
    /// EDGE of MONTH, UNIT or YEAR.
    Edge,
    /// The last day of a unit.
    EndOf(Unit),
    /// PLACE WEEKDAY of MONTH or of the month of SHIFT.
    NthWeekday,
    /// PLACE day of MONTH or of the month of SHIFT.
    NthDay,
    /// PLACE day from Monday to Friday of MONTH or of the month of SHIFT.
    NthWorkingDay,
    Month,
    Quarter,
    /// PLACE quarter.
    NthQuarter,
    /// All of HALFYEAR.
    HalfYear,
    /// PLACE half of YEAR, MONTH or the UNIT of SHIFT.
    NthHalf,
    /// Saturday and Sunday on or after DAY of MONTH, or DAY of the nearest month.
    WeekendOf,
    /// PLACE weekend of MONTH or of the month of SHIFT.
    NthWeekend,
    Year,
    /// All of UNIT, by SHIFT; without SHIFT, of this one.
    Unit,
    /// All of the next UNIT.
    NextUnit,
    /// Saturday and Sunday, by SHIFT; without SHIFT, of this week.
    Weekend,
    /// The next Saturday and Sunday.
    ComingWeekend,
    /// All of the second UNIT from this one.
    UnitAfterNext,
    /// The week in which DAY of MONTH, DAY of the nearest month or FIGURE lies.
    WeekOf,
    /// The calendar week of a number.
    WeekNumber,
    /// Today.
    Now,
}

/// What a pattern of times means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeMeans {
    /// CLOCK or HOUR, with HALF or without.
    Clock,
    /// PART; without it, noon.
    Part,
    /// The end of a day: the beginning of the next.
    Midnight,
    /// N minutes after HOUR.
    Past,
    /// N minutes before HOUR.
    To,
    /// So many minutes after HOUR; negative before.
    PastBy(i32),
}

/// What a pattern of recurrences means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// Each N UNIT; without N, each.
    Interval,
    /// So many times in each UNIT, on no fixed day; 0 is N times.
    Times(u16),
    /// So many times in each PERIODIC; 0 is N times.
    TimesPeriodic(u16),
    /// Each half UNIT.
    EveryHalf,
    /// Each second UNIT.
    EveryOther,
    /// Each third UNIT.
    EveryThird,
    /// Each fourth UNIT.
    EveryFourth,
    Periodic,
    PeriodicWeekday,
    /// Each WEEKDAY, in each Nth week.
    Weekdays,
    /// From each WEEKDAY to the next such WEEKDAY.
    WeekdayRange,
    /// Each WEEKDAY, in each Nth UNIT, which is some weeks: "every 14 days on Friday".
    IntervalWeekday,
    /// Two or more WEEKDAY next to each other: "mon wed fri".
    WeekdayRow,
    /// Each second WEEKDAY.
    OtherWeekday,
    /// Saturday and Sunday.
    Weekends,
    /// Monday to Friday.
    WorkingDays,
    /// Each day at PART.
    EachPart,
    /// Each day at this hour: "nightly".
    EachDayAt(i8),
    /// Words that are said of several things: "every second" of a minute, a month or a pair.
    Unclear,
    /// PLACE WEEKDAY of each month.
    MonthWeekday,
    /// The WEEKDAY of each month before the last one.
    MonthWeekdayBeforeLast,
    /// Each PLACE WEEKDAY, of each month if there can be no other.
    PlaceWeekday,
    MonthDay,
    /// PLACE day of each month.
    MonthNthDay,
    /// PLACE day from Monday to Friday of each month.
    MonthWorkingDay,
    /// The last day of each month.
    MonthEnd,
    /// DAY of MONTH in each year; or FIGURE, which is one.
    YearDay,
}
