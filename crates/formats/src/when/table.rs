//! The tables of a language, compiled for looking words up and comparing patterns.

use std::collections::{HashMap, HashSet};

use jiff::civil::Time;

use super::value::Kind;
use super::words::{
    Again, Edge, Half, Lead, Means, Relation, Shift, TimeMeans, Unit, Where, Words,
};

/// A meaning of one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Weekday(i8),
    WeekdayAgain(i8),
    Month(i8),
    Number(u32),
    NumberAndHalf(u32),
    Place(i8),
    Unit(Unit),
    Shift(Shift),
    Edge(Edge),
    Offset(i32),
    Part(Time),
    Half(Half),
    Periodic(u16, Unit),
    Quarter,
    HalfYear,
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
    /// Two figures.
    ShortYear,
    /// Two figures that count nothing.
    BareYear,
    /// A number in figures or words.
    N,
    /// A number and a half, in one word or as a fraction: "2.5".
    NHalf,
    /// The number of a day of a month.
    Day,
    /// Another one.
    Day2,
    /// The number of a day with an ending, or in words.
    DayTh,
    /// One or more numbers of days.
    Days,
    /// One or more numbers of days, each with an ending or in words.
    DayThs,
    /// A place in an order.
    Place,
    Unit,
    Shift,
    Edge,
    Offset,
    Part,
    Hour,
    /// An hour in figures or in words.
    AnyHour,
    Clock,
    /// Two figures after an hour: "7 h 15".
    Minute,
    Half,
    Figure,
    Stamp,
    Periodic,
    Quarter,
    HalfYear,
    WeekNumber,
    /// Hour and minutes in one number: `0930`, `1430`.
    Digits,
}

/// What an item of a pattern accepts.
#[derive(Debug, Clone)]
pub(super) enum Accepts {
    Class(Class),
    /// One of these words or marks.
    Words(Vec<Id>, Vec<char>),
    Mark(char),
}

#[derive(Debug, Clone)]
pub(super) struct Item {
    pub accepts: Accepts,
    pub is_optional: bool,
}

/// What a pattern can begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Word(Id),
    Number,
    Ordinal,
    Figure,
    Stamp,
    Clock,
    Mark(char),
}

/// Patterns by what they can begin with, so that most are never compared.
pub(super) struct Rules<M> {
    rules: Vec<Rule<M>>,
    by_key: HashMap<Key, Vec<u16>>,
}

impl<M> Rules<M> {
    /// The patterns that can begin with a token, in the order of the table.
    pub fn beginning_with(&self, key: Key) -> impl Iterator<Item = &Rule<M>> {
        let numbers = self.by_key.get(&key).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|number| &self.rules[usize::from(*number)])
    }

    fn new(rules: Vec<Rule<M>>, entries: &[Entry]) -> Self {
        let mut by_key: HashMap<Key, Vec<u16>> = HashMap::new();
        for (number, rule) in (0_u16..).zip(&rules) {
            let needed = rule.items.iter().position(|item| !item.is_optional);
            let first = &rule.items[..=needed.unwrap_or(rule.items.len() - 1)];
            let mut keys: Vec<Key> =
                first.iter().flat_map(|item| keys(&item.accepts, entries)).collect();
            keys.sort_unstable_by_key(|key| format!("{key:?}"));
            keys.dedup();
            for key in keys {
                by_key.entry(key).or_default().push(number);
            }
        }
        Self { rules, by_key }
    }
}

/// Every token that an item can accept.
fn keys(accepts: &Accepts, entries: &[Entry]) -> Vec<Key> {
    let class = match accepts {
        Accepts::Words(ids, marks) => {
            let words = ids.iter().map(|id| Key::Word(*id));
            return words.chain(marks.iter().map(|mark| Key::Mark(*mark))).collect();
        }
        Accepts::Mark(mark) => return vec![Key::Mark(*mark)],
        Accepts::Class(class) => *class,
    };
    let mut keys = match class {
        Class::Year
        | Class::ShortYear
        | Class::BareYear
        | Class::N
        | Class::Hour
        | Class::AnyHour
        | Class::Minute
        | Class::Digits => vec![Key::Number],
        Class::Day | Class::Day2 | Class::Days => vec![Key::Number, Key::Ordinal],
        Class::DayTh | Class::DayThs | Class::Place => vec![Key::Ordinal],
        Class::Clock => vec![Key::Clock, Key::Figure],
        Class::Figure | Class::NHalf => vec![Key::Figure],
        Class::Stamp => vec![Key::Stamp],
        _ => Vec::new(),
    };
    let is_day =
        matches!(class, Class::Day | Class::Day2 | Class::DayTh | Class::Days | Class::DayThs);
    let begins = |sense: &Sense| match sense {
        Sense::Weekday(_) => class == Class::Weekday,
        Sense::WeekdayAgain(_) => class == Class::WeekdayAgain,
        Sense::Month(_) => class == Class::Month,
        Sense::Number(_) => matches!(class, Class::N | Class::AnyHour) || is_day,
        Sense::NumberAndHalf(_) => class == Class::NHalf,
        Sense::Place(_) => class == Class::Place || is_day,
        Sense::Unit(_) => class == Class::Unit,
        Sense::Shift(_) => class == Class::Shift,
        Sense::Edge(_) => class == Class::Edge,
        Sense::Offset(_) => class == Class::Offset,
        Sense::Part(_) => class == Class::Part,
        Sense::Half(_) => class == Class::Half,
        Sense::Periodic(..) => class == Class::Periodic,
        Sense::Quarter => class == Class::Quarter,
        Sense::HalfYear => class == Class::HalfYear,
        Sense::WeekNumber => class == Class::WeekNumber,
        Sense::OrdinalEnding => false,
    };
    let words = (0..).zip(entries).filter(|(_, entry)| entry.senses.iter().any(begins));
    keys.extend(words.map(|(id, _)| Key::Word(id)));
    keys
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
    pub lists: u64,
}

/// The lists of words that only guard against false dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
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
    NameEnd = 4096,
    HourEnding = 8192,
    Title = 16384,
    NumeralSystem = 32768,
    Moved = 65536,
    Street = 131_072,
    StreetLink = 262_144,
    Lasting = 524_288,
    Lasts = 1_048_576,
    State = 2_097_152,
    Obliges = 4_194_304,
    Offer = 8_388_608,
    Open = 16_777_216,
    Counted = 33_554_432,
    Measured = 67_108_864,
    Paper = 134_217_728,
    Negation = 268_435_456,
    Forget = 536_870_912,
    DayArticle = 1_073_741_824,
    BeforePerson = 2_147_483_648,
    Excepting = 4_294_967_296,
    Condition = 8_589_934_592,
}

/// The tables of a language, ready to look words up.
pub(super) struct Table {
    pub words: &'static Words,
    pub entries: Vec<Entry>,
    ids: HashMap<String, Id>,
    /// Of each pattern that makes a date a deadline, a word without which it cannot fit.
    pub due_words: HashSet<&'static str>,
    pub days: Rules<Means>,
    pub relations: Rules<Relation>,
    pub times: Rules<TimeMeans>,
    pub recurrences: Rules<Again>,
    pub leads: Rules<Lead>,
    pub tails: Rules<Kind>,
    pub day_ends: Rules<()>,
}

impl Table {
    pub fn new(words: &'static Words) -> Self {
        let mut dictionary = Dictionary::new(words);
        let days = dictionary.rules(words.days.iter().copied());
        let anywhere = Where::Anywhere;
        let relations =
            dictionary.rules(words.relations.iter().map(|(form, side)| (*form, *side, anywhere)));
        let times = dictionary.rules(words.times.iter().copied());
        let recurrences = dictionary.rules(words.recurrences.iter().copied());
        let leads =
            dictionary.rules(words.leads.iter().map(|(form, lead)| (*form, *lead, anywhere)));
        let tails =
            dictionary.rules(words.tails.iter().map(|(form, kind)| (*form, *kind, anywhere)));
        let day_ends = dictionary.rules(words.day_ends.iter().map(|form| (*form, (), anywhere)));
        let Dictionary { entries, ids, .. } = dictionary;
        Self {
            words,
            days: Rules::new(days, &entries),
            relations: Rules::new(relations, &entries),
            times: Rules::new(times, &entries),
            recurrences: Rules::new(recurrences, &entries),
            leads: Rules::new(leads, &entries),
            tails: Rules::new(tails, &entries),
            day_ends: Rules::new(day_ends, &entries),
            entries,
            ids,
            due_words: due_words(words),
        }
    }

    /// The number of a word in lower case; 0 if the language has no use for it.
    pub fn id(&self, word: &str) -> Id {
        self.ids.get(word).copied().unwrap_or(0)
    }

    pub fn entry(&self, id: Id) -> &Entry {
        &self.entries[usize::from(id)]
    }
}

/// Of each pattern that makes a date a deadline, its longest word and the words in its place.
fn due_words(words: &'static Words) -> HashSet<&'static str> {
    let leads = words.leads.iter().filter_map(|(form, lead)| match lead {
        Lead::Is(Kind::Due) | Lead::Before => Some(*form),
        Lead::Is(Kind::Start | Kind::Mention | Kind::Past)
        | Lead::After
        | Lead::On
        | Lead::Since => None,
    });
    let tails = words.tails.iter().filter_map(|(form, kind)| (*kind == Kind::Due).then_some(*form));
    let within = words.days.iter().filter(|(_, means, _)| *means == Means::Within);
    let forms = leads.chain(tails).chain(within.map(|(form, _, _)| *form));
    let rarest = forms.filter_map(|form| {
        let items = form.split(' ').filter(|item| {
            !item.ends_with('?')
                && item.starts_with(char::is_alphabetic)
                && **item == item.to_lowercase()
        });
        // Of equal ones the first: in "up to", it says more.
        items.rev().max_by_key(|item| item.split('/').map(str::len).min())
    });
    rarest.flat_map(|item| item.split('/')).collect()
}

/// The words of a table while it is made.
struct Dictionary {
    words: &'static Words,
    entries: Vec<Entry>,
    ids: HashMap<String, Id>,
}

impl Dictionary {
    fn new(words: &'static Words) -> Self {
        let mut dictionary = Self { words, entries: vec![Entry::default()], ids: HashMap::new() };
        dictionary.add_senses();
        dictionary.add_lists();
        dictionary
    }

    fn rules<M>(&mut self, rows: impl Iterator<Item = (&'static str, M, Where)>) -> Vec<Rule<M>> {
        rows.map(|(form, means, holds)| Rule { items: self.items(form), means, holds }).collect()
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
        self.sense_of_all(words.half_years, Sense::HalfYear);
        self.sense_of_all(words.weeks, Sense::WeekNumber);
        self.sense_of_all(words.ordinal_endings, Sense::OrdinalEnding);
        let senses = (words.numbers.iter().map(|(word, n)| (*word, Sense::Number(*n))))
            .chain(words.halves_more.iter().map(|(word, n)| (*word, Sense::NumberAndHalf(*n))))
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
            (List::Moved, words.moved),
            (List::Over, words.over),
            (List::Lasting, words.lasting),
            (List::Lasts, words.lasts),
            (List::State, words.states),
            (List::Obliges, words.obliges),
            (List::Negation, words.negations),
            (List::Forget, words.forget),
            (List::DayArticle, words.day_articles),
            (List::Offer, words.offers),
            (List::Open, words.opens),
            (List::NamedDay, words.named_days),
            (List::Article, words.articles),
            (List::NameEnd, words.name_ends),
            (List::HourEnding, words.hour_endings),
            (List::Street, words.streets),
            (List::StreetLink, words.street_links),
            (List::Title, words.titles),
            (List::NumeralSystem, words.numeral_systems),
            (List::Counted, words.counted_for),
            (List::Measured, words.measured_by),
            (List::Paper, words.papers),
            (List::BeforePerson, words.before_persons),
            (List::Excepting, words.excepting),
            (List::Condition, words.conditions),
        ] {
            for name in names {
                self.entry_of(name).lists |= list as u64;
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
            _ => {
                let mark = |word: &str| word.chars().next().filter(|c| !c.is_alphanumeric());
                let (marks, words): (Vec<&str>, Vec<&str>) =
                    name.split('/').partition(|word| mark(word).is_some());
                let ids = words.into_iter().map(|word| self.intern(word)).collect();
                Accepts::Words(ids, marks.into_iter().filter_map(mark).collect())
            }
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
        "SHORTYEAR" => Class::ShortYear,
        "BAREYEAR" => Class::BareYear,
        "N" => Class::N,
        "NHALF" => Class::NHalf,
        "DAY" => Class::Day,
        "DAY2" => Class::Day2,
        "DAYTH" => Class::DayTh,
        "DAYS" => Class::Days,
        "DAYTHS" => Class::DayThs,
        "PLACE" => Class::Place,
        "UNIT" => Class::Unit,
        "SHIFT" => Class::Shift,
        "EDGE" => Class::Edge,
        "OFFSET" => Class::Offset,
        "PART" => Class::Part,
        "HOUR" => Class::Hour,
        "ANYHOUR" => Class::AnyHour,
        "CLOCK" => Class::Clock,
        "MINUTE" => Class::Minute,
        "HALF" => Class::Half,
        "FIGURE" => Class::Figure,
        "STAMP" => Class::Stamp,
        "PERIODIC" => Class::Periodic,
        "QUARTER" => Class::Quarter,
        "HALFYEAR" => Class::HalfYear,
        "DIGITS" => Class::Digits,
        "WEEK" => Class::WeekNumber,
        unknown => panic!("a table of words names a class of items that does not exist: {unknown}"),
    }
}
