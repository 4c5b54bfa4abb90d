//! What a language brings: tables of words, and patterns over them.
//!
//! A pattern is a line of items. An item in capitals stands for a class of words or figures (see
//! [`Class`]), one in small letters for the words themselves, with `/` between alternatives; `?`
//! makes an item optional; `,` is a comma. A new language is a new table, and no code.

use std::collections::HashMap;
use std::sync::LazyLock;

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
    /// Adverbs of repetition, as an interval and a unit.
    pub periodic: &'static [(&'static str, u16, Unit)],
    /// What makes the number after it a quarter.
    pub quarters: &'static [&'static str],
    /// What makes the number after it a calendar week.
    pub weeks: &'static [&'static str],
    /// Patterns of days.
    pub days: &'static [(&'static str, Means, Where)],
    /// Patterns of times of day.
    pub times: &'static [(&'static str, TimeMeans, Where)],
    /// Patterns of recurrences.
    pub recurrences: &'static [(&'static str, Again, Where)],
    /// Words before a date that say what it is for.
    pub leads: &'static [(&'static str, Lead)],
    /// Words after a date that say what it is for.
    pub tails: &'static [(&'static str, Kind)],
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
    /// After a figure: it is an amount.
    pub counters: &'static [&'static str],
    /// Before "by" and a month that is also a name: it is the author.
    pub authored: &'static [&'static str],
    /// Before a day: it tells of the past.
    pub past: &'static [&'static str],
    /// Before a day, even if it is a deadline: it is over.
    pub over: &'static [&'static str],
    /// Before a weekday: the two are a name.
    pub named_days: &'static [&'static str],
    /// Before a word that is also a weekday: it is the other thing.
    pub articles: &'static [&'static str],
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
    /// Its middle.
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
    /// Anywhere.
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
    /// It goes with a date and says nothing more, such as "on".
    On,
    /// "Since".
    Since,
}

/// What a pattern of days means. Items named in the text of a variant are those of the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// OFFSET.
    Offset,
    /// So many days from today.
    Days(i32),
    /// N UNIT from now.
    Ahead,
    /// N UNIT from now, at the latest.
    Within,
    /// This evening.
    Tonight,
    /// PART of today.
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
    /// WEEKDAY of the week of SHIFT.
    WeekdayOfWeek,
    /// WEEKDAY of the week after the next.
    WeekdayAfterNext,
    /// WEEKDAY, N weeks later; without N, one.
    WeekdayAfterWeeks,
    /// FIGURE.
    Figure,
    /// STAMP.
    Stamp,
    /// DAY of MONTH, with YEAR or without.
    DayMonth,
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
    /// All of MONTH.
    Month,
    /// All of QUARTER.
    Quarter,
    /// PLACE quarter.
    NthQuarter,
    /// All of YEAR.
    Year,
    /// All of UNIT, by SHIFT; without UNIT, the weekend.
    Unit,
    /// All of the second UNIT from this one.
    UnitAfterNext,
    /// The week in which DAY of MONTH or FIGURE lies.
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
    /// Each second UNIT.
    EveryOther,
    /// Each third UNIT.
    EveryThird,
    /// Each fourth UNIT.
    EveryFourth,
    /// PERIODIC.
    Periodic,
    /// PERIODIC on WEEKDAY.
    PeriodicWeekday,
    /// Each WEEKDAY, in each Nth week.
    Weekdays,
    /// Each second WEEKDAY.
    OtherWeekday,
    /// Monday to Friday.
    WorkingDays,
    /// Each day at PART.
    EachPart,
    /// PLACE WEEKDAY of each month.
    MonthWeekday,
    /// Each PLACE WEEKDAY, of each month if there can be no other.
    PlaceWeekday,
    /// DAY of each month.
    MonthDay,
    /// PLACE day of each month.
    MonthNthDay,
    /// PLACE day from Monday to Friday of each month.
    MonthWorkingDay,
    /// The last day of each month.
    MonthEnd,
    /// DAY of MONTH in each year.
    YearDay,
}

/// A meaning of one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Weekday(i8),
    WeekdayAgain(i8),
    Month(i8),
    Number(u32),
    Place(i8),
    Unit(Unit),
    Shift(Shift),
    Edge(Edge),
    Offset(i32),
    Part(Time),
    Half(Half),
    Periodic(u16, Unit),
    Quarter,
    WeekNumber,
    OrdinalEnding,
}

/// The number of a word in a [`Table`]; 0 for words it does not have.
pub(super) type Id = u16;

/// A class of words or figures in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Weekday,
    WeekdayAgain,
    Month,
    /// Four figures.
    Year,
    /// A number in figures or words.
    N,
    /// The number of a day of a month.
    Day,
    /// Another one.
    Day2,
    /// The number of a day with an ending, or in words.
    DayTh,
    /// A place in an order.
    Place,
    Unit,
    Shift,
    Edge,
    Offset,
    Part,
    Hour,
    Clock,
    Half,
    Figure,
    Stamp,
    Periodic,
    Quarter,
    WeekNumber,
}

/// What an item of a pattern accepts.
#[derive(Debug, Clone)]
pub(super) enum Accepts {
    Class(Class),
    Words(Vec<Id>),
    Mark(char),
}

#[derive(Debug, Clone)]
pub(super) struct Item {
    pub accepts: Accepts,
    pub is_optional: bool,
}

pub(super) struct Rule<M> {
    pub items: Vec<Item>,
    pub means: M,
    pub holds: Where,
}

#[derive(Debug, Default)]
pub(super) struct Entry {
    pub senses: Vec<Sense>,
    pub is_ambiguous: bool,
    /// Which of the lists of small words it is in, as bits of [`List`].
    pub lists: u16,
}

/// The lists of words that only guard against false dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    At = 1,
    Through = 2,
    Between = 4,
    And = 8,
    Function = 16,
    Reference = 32,
    Counter = 64,
    Authored = 128,
    Past = 256,
    Over = 512,
    NamedDay = 1024,
    Article = 2048,
}

/// The tables of a language, ready to look words up.
pub(super) struct Table {
    pub words: &'static Words,
    pub entries: Vec<Entry>,
    ids: HashMap<String, Id>,
    pub days: Vec<Rule<Means>>,
    pub times: Vec<Rule<TimeMeans>>,
    pub recurrences: Vec<Rule<Again>>,
    pub leads: Vec<Rule<Lead>>,
    pub tails: Vec<Rule<Kind>>,
}

/// A language that dates are read in.
#[derive(Clone, Copy)]
pub struct Language(pub(super) &'static LazyLock<Table>);

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Language").field(&self.code()).finish()
    }
}

impl Language {
    /// ISO 639 code.
    pub fn code(&self) -> &'static str {
        self.0.words.code
    }
}

impl Table {
    pub fn new(words: &'static Words) -> Self {
        let mut table = Self {
            words,
            entries: vec![Entry::default()],
            ids: HashMap::new(),
            days: Vec::new(),
            times: Vec::new(),
            recurrences: Vec::new(),
            leads: Vec::new(),
            tails: Vec::new(),
        };
        table.add_senses();
        table.add_lists();
        for (form, means, holds) in words.days {
            let items = table.items(form);
            table.days.push(Rule { items, means: *means, holds: *holds });
        }
        for (form, means, holds) in words.times {
            let items = table.items(form);
            table.times.push(Rule { items, means: *means, holds: *holds });
        }
        for (form, means, holds) in words.recurrences {
            let items = table.items(form);
            table.recurrences.push(Rule { items, means: *means, holds: *holds });
        }
        for (form, means) in words.leads {
            let items = table.items(form);
            table.leads.push(Rule { items, means: *means, holds: Where::Anywhere });
        }
        for (form, means) in words.tails {
            let items = table.items(form);
            table.tails.push(Rule { items, means: *means, holds: Where::Anywhere });
        }
        table
    }

    /// The number of a word in lower case; 0 if the language has no use for it.
    pub fn id(&self, word: &str) -> Id {
        self.ids.get(word).copied().unwrap_or(0)
    }

    pub fn entry(&self, id: Id) -> &Entry {
        &self.entries[usize::from(id)]
    }

    fn entry_of(&mut self, word: &str) -> &mut Entry {
        let id = self.intern(word);
        &mut self.entries[usize::from(id)]
    }

    fn intern(&mut self, word: &str) -> Id {
        if let Some(id) = self.ids.get(word) {
            return *id;
        }
        let id = Id::try_from(self.entries.len()).expect("a language has fewer than 65,536 words");
        self.entries.push(Entry::default());
        self.ids.insert(word.to_owned(), id);
        id
    }

    fn add_senses(&mut self) {
        let words = self.words;
        for (number, names) in (0..).zip(words.weekdays) {
            self.sense_of_all(names, Sense::Weekday(number));
        }
        for (number, names) in (0..).zip(words.weekdays_again) {
            self.sense_of_all(names, Sense::WeekdayAgain(number));
        }
        for (number, names) in (1..).zip(words.months) {
            self.sense_of_all(names, Sense::Month(number));
        }
        self.sense_of_all(words.quarters, Sense::Quarter);
        self.sense_of_all(words.weeks, Sense::WeekNumber);
        self.sense_of_all(words.ordinal_endings, Sense::OrdinalEnding);
        let senses = (words.numbers.iter().map(|(word, n)| (*word, Sense::Number(*n))))
            .chain(words.places.iter().map(|(word, n)| (*word, Sense::Place(*n))))
            .chain(words.units.iter().map(|(word, unit)| (*word, Sense::Unit(*unit))))
            .chain(words.shifts.iter().map(|(word, shift)| (*word, Sense::Shift(*shift))))
            .chain(words.edges.iter().map(|(word, edge)| (*word, Sense::Edge(*edge))))
            .chain(words.offsets.iter().map(|(word, days)| (*word, Sense::Offset(*days))))
            .chain(words.parts.iter().map(|(word, time)| (*word, Sense::Part(*time))))
            .chain(words.halves.iter().map(|(word, half)| (*word, Sense::Half(*half))))
            .chain(
                words.periodic.iter().map(|(word, n, unit)| (*word, Sense::Periodic(*n, *unit))),
            );
        for (word, sense) in senses {
            self.entry_of(word).senses.push(sense);
        }
        for word in words.ambiguous {
            self.entry_of(word).is_ambiguous = true;
        }
    }

    fn sense_of_all(&mut self, names: &[&str], sense: Sense) {
        for name in names {
            self.entry_of(name).senses.push(sense);
        }
    }

    fn add_lists(&mut self) {
        let words = self.words;
        for (list, names) in [
            (List::At, words.at),
            (List::Through, words.through),
            (List::Between, words.between),
            (List::And, words.between_and),
            (List::Function, words.function_words),
            (List::Reference, words.references),
            (List::Counter, words.counters),
            (List::Authored, words.authored),
            (List::Past, words.past),
            (List::Over, words.over),
            (List::NamedDay, words.named_days),
            (List::Article, words.articles),
        ] {
            for name in names {
                self.entry_of(name).lists |= list as u16;
            }
        }
    }

    fn items(&mut self, form: &str) -> Vec<Item> {
        form.split(' ').map(|item| self.item(item)).collect()
    }

    fn item(&mut self, written: &str) -> Item {
        let (name, is_optional) = match written.strip_suffix('?') {
            Some(name) => (name, true),
            None => (written, false),
        };
        let mut chars = name.chars();
        let accepts = match (chars.next(), chars.next()) {
            (Some(mark), None) if !mark.is_alphanumeric() => Accepts::Mark(mark),
            _ if name.starts_with(|c: char| c.is_uppercase()) => Accepts::Class(class(name)),
            _ => Accepts::Words(name.split('/').map(|word| self.intern(word)).collect()),
        };
        Item { accepts, is_optional }
    }
}

fn class(name: &str) -> Class {
    match name {
        "WEEKDAY" => Class::Weekday,
        "WEEKDAYS" => Class::WeekdayAgain,
        "MONTH" => Class::Month,
        "YEAR" => Class::Year,
        "N" => Class::N,
        "DAY" => Class::Day,
        "DAY2" => Class::Day2,
        "DAYTH" => Class::DayTh,
        "PLACE" => Class::Place,
        "UNIT" => Class::Unit,
        "SHIFT" => Class::Shift,
        "EDGE" => Class::Edge,
        "OFFSET" => Class::Offset,
        "PART" => Class::Part,
        "HOUR" => Class::Hour,
        "CLOCK" => Class::Clock,
        "HALF" => Class::Half,
        "FIGURE" => Class::Figure,
        "STAMP" => Class::Stamp,
        "PERIODIC" => Class::Periodic,
        "QUARTER" => Class::Quarter,
        "WEEK" => Class::WeekNumber,
        unknown => panic!("a table of words names a class of items that does not exist: {unknown}"),
    }
}
