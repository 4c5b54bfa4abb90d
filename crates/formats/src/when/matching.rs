//! Compares the tokens at a place with patterns.

use jiff::civil::Time;

use super::figure::{Clock, Figure, Stamp};
use super::table::{Accepts, Class, Entry, Item, Key, List, Rules, Sense, Table};
use super::token::{Kind, Token, Tokens};
use super::words::{Edge, Half, Lead, Shift, Unit, Where};

/// What the items of a pattern stood for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Caught {
    pub weekday: Option<i8>,
    /// The weekday before that one, where a pattern has two: "Monday to Thursday".
    pub weekday_before: Option<i8>,
    pub month: Option<i8>,
    pub year: Option<i16>,
    /// Whether the year is written with two figures, as in "Dec '26".
    pub has_short_year: bool,
    pub n: Option<u32>,
    /// The days that N in words means if it counts days: 14 for "quinze".
    pub days_with_today: Option<u32>,
    /// The number of a half of a year.
    pub half_year: Option<i8>,
    pub day: Option<i8>,
    pub day2: Option<i8>,
    /// The days of a list, as bits.
    pub month_days: u32,
    pub place: Option<i8>,
    pub unit: Option<Unit>,
    pub shift: Option<Shift>,
    pub edge: Option<Edge>,
    pub offset: Option<i32>,
    pub part: Option<Time>,
    pub clock: Option<Clock>,
    pub half: Option<Half>,
    /// Whether hour and minutes are one number: `0930`.
    pub is_digits: bool,
    /// Whether the hour is one of 24, whatever it is written with.
    pub is_24_hours: bool,
    pub figure: Option<Figure>,
    /// The form of a date of ISO 8601, and the token that is one.
    pub stamp: Option<(Stamp, usize)>,
    pub periodic: Option<(u16, Unit)>,
    /// Whether a word that is also something else names the day or month.
    pub is_ambiguous: bool,
    /// Whether such a word is written with a capital.
    pub is_capital: bool,
}

/// A pattern that fits.
pub(super) struct Match<M> {
    pub end: usize,
    pub means: M,
    pub holds: Where,
    pub caught: Caught,
}

/// Reads tokens by the tables of a language, and counts what it compares.
pub(super) struct Matcher<'a> {
    pub tokens: Tokens<'a>,
    pub table: &'a Table,
    pub steps: u64,
    /// The year in which the text is read.
    this_year: i16,
}

impl<'a> Matcher<'a> {
    pub fn new(text: &'a str, table: &'a Table, this_year: i16) -> Self {
        Self { tokens: Tokens::new(text, table), table, steps: 0, this_year }
    }

    pub fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    /// The entry of the word at a place; the empty one for anything but a known word.
    pub fn entry(&self, at: usize) -> &'a Entry {
        let table: &'a Table = self.table;
        table.entry(match self.token(at).map(|token| token.class) {
            Some(Kind::Word { id, .. }) => id,
            _ => 0,
        })
    }

    pub fn is_in(&self, at: usize, list: List) -> bool {
        self.entry(at).lists & list as u64 != 0
    }

    pub fn is_mark(&self, at: usize, marks: &[char]) -> bool {
        self.token(at).is_some_and(|token| marks.iter().any(|mark| token.is_mark(*mark)))
    }

    /// Whether a word here goes with a date and says nothing more: "on".
    pub fn is_lead_on(&mut self, at: usize) -> bool {
        let table: &'a Table = self.table;
        let lead = self.longest(&table.leads, at, Where::Anywhere);
        lead.is_some_and(|lead| lead.means == Lead::On && lead.end == at + 1)
    }

    /// The longest of the patterns that fit here; of equally long ones the first.
    pub fn longest<M: Copy>(
        &mut self,
        rules: &'a Rules<M>,
        at: usize,
        allowed: Where,
    ) -> Option<Match<M>> {
        let mut best: Option<Match<M>> = None;
        let key = key(self.token(at)?)?;
        for rule in rules.beginning_with(key).filter(|rule| rule.holds <= allowed) {
            let Some((end, caught)) = self.fits(&rule.items, at, at, Caught::default()) else {
                continue;
            };
            if best.as_ref().is_none_or(|best| end > best.end) {
                best = Some(Match { end, means: rule.means, holds: rule.holds, caught });
            }
        }
        if let Some(Match {
            caught: Caught { n, unit: Some(Unit::Day), days_with_today, .. },
            ..
        }) = &mut best
        {
            *n = days_with_today.or(*n);
        }
        best
    }

    fn fits(
        &mut self,
        items: &[Item],
        begin: usize,
        at: usize,
        caught: Caught,
    ) -> Option<(usize, Caught)> {
        let Some((item, rest)) = items.split_first() else {
            return (at > begin).then_some((at, caught));
        };
        self.steps += 1;
        let here = if at > begin && !self.is_own_mark(item, at) { self.skip_joint(at) } else { at };
        let mut next = caught;
        if let Some(after) = self.accept(item, here, &mut next)
            && let Some(found) = self.fits(rest, begin, after, next)
        {
            return Some(found);
        }
        if item.is_optional { self.fits(rest, begin, at, caught) } else { None }
    }

    /// Whether the mark at a place is the one that an item is about: "Mon-Fri".
    fn is_own_mark(&self, item: &Item, at: usize) -> bool {
        match &item.accepts {
            Accepts::Words(_, marks) => !marks.is_empty() && self.is_mark(at, marks),
            Accepts::Mark(mark) => self.is_mark(at, &[*mark]),
            Accepts::Class(_) => false,
        }
    }

    /// A hyphen between two words ("mid-June") and the full stop of a short form ("Dec. 10").
    fn skip_joint(&self, at: usize) -> usize {
        let (Some(before), Some(mark)) =
            (at.checked_sub(1).and_then(|at| self.token(at)), self.token(at))
        else {
            return at;
        };
        if !matches!(before.class, Kind::Word { .. }) || !mark.is_glued {
            return at;
        }
        let is_short = before.end - before.start <= 5;
        let joins_words = mark.is_mark('-')
            && self
                .token(at + 1)
                .is_some_and(|after| after.is_glued && matches!(after.class, Kind::Word { .. }));
        if joins_words || mark.is_mark('.') && is_short { at + 1 } else { at }
    }

    fn accept(&mut self, item: &Item, at: usize, caught: &mut Caught) -> Option<usize> {
        let token = *self.token(at)?;
        match &item.accepts {
            Accepts::Mark('\'') => self.is_mark(at, &['\'', '’']).then_some(at + 1),
            Accepts::Mark(mark) => token.is_mark(*mark).then_some(at + 1),
            Accepts::Words(ids, marks) => match token.class {
                Kind::Word { id, .. } if id != 0 && ids.contains(&id) => Some(at + 1),
                Kind::Mark(mark) if marks.contains(&mark) => Some(at + 1),
                _ => None,
            },
            Accepts::Class(class) => self.accept_class(*class, at, token, caught),
        }
    }

    fn accept_class(
        &mut self,
        class: Class,
        at: usize,
        token: Token,
        caught: &mut Caught,
    ) -> Option<usize> {
        let next = at + 1;
        match class {
            Class::Year => {
                if let Some(year) = self.named_year(at) {
                    caught.year = Some(year);
                    return Some(next + 1);
                }
                if matches!(token.class, Kind::Mark('\'' | '’')) {
                    let after = *self.token(next)?;
                    let Kind::Number { value, digits: 2 } = after.class else { return None };
                    caught.year = i16::try_from(2000 + value).ok().filter(|_| after.is_glued);
                    caught.has_short_year = caught.year.is_some();
                    return caught.year.map(|_| next + 1);
                }
                let Kind::Number { value, digits: 4 } = token.class else { return None };
                caught.year = i16::try_from(value).ok().filter(|year| (1900..2200).contains(year));
                caught.year.map(|_| next)
            }
            Class::ShortYear => {
                let Kind::Number { value, digits: 2 } = token.class else { return None };
                caught.year = i16::try_from(2000 + value).ok();
                caught.has_short_year = true;
                Some(next)
            }
            Class::BareYear => {
                let Kind::Number { value: value @ 20..=69, digits: 2 } = token.class else {
                    return None;
                };
                caught.year = i16::try_from(2000 + value).ok();
                caught.has_short_year = true;
                // "1 Dec 26 guests": what a word follows is a number of it.
                let counts = match self.token(next).map(|token| token.class) {
                    None | Some(Kind::Break | Kind::Clock(_)) => false,
                    Some(Kind::Word { .. }) => !self.is_in(next, List::Function),
                    Some(Kind::Mark(mark)) => "%€$£°+*=×/&".contains(mark),
                    Some(_) => true,
                };
                (!counts).then_some(next)
            }
            Class::N => {
                let (n, next) = self.count(at, token)?;
                caught.n = Some(n);
                caught.days_with_today = self.days_with_today(at, next);
                Some(next)
            }
            Class::NHalf => {
                let whole = match token.class {
                    Kind::Figure(Figure {
                        parts: [whole, 5, _],
                        lengths: [_, 1, 0],
                        sign: '.',
                        is_closed: false,
                    }) => Some(u32::from(whole)),
                    _ => self.sense(token, |sense| match sense {
                        Sense::NumberAndHalf(n) => Some(n),
                        _ => None,
                    }),
                };
                caught.n = Some(whole?);
                Some(next)
            }
            Class::Day | Class::DayTh => {
                let (day, next) = self.day(at, token, class == Class::DayTh)?;
                caught.day = Some(day);
                Some(next)
            }
            Class::Days | Class::DayThs => {
                let needs_ending = class == Class::DayThs;
                let (first, mut next) = self.day(at, token, needs_ending)?;
                caught.day = Some(first);
                caught.month_days = 1 << first;
                while let Some((day, end)) = self.another_day(next, needs_ending) {
                    caught.month_days |= 1 << day;
                    next = end;
                }
                Some(next)
            }
            Class::Day2 => {
                let (day, next) = self.day(at, token, false)?;
                caught.day2 = Some(day);
                Some(next)
            }
            Class::Place => {
                let place = match token.class {
                    Kind::Ordinal(value) => {
                        i8::try_from(value).ok().filter(|n| (1..=31).contains(n))
                    }
                    _ => self.sense(token, |sense| match sense {
                        Sense::Place(n) => Some(n),
                        _ => None,
                    }),
                };
                caught.place = Some(place?);
                Some(next)
            }
            Class::Hour | Class::AnyHour => {
                let value = match token.class {
                    Kind::Number { value, digits: 1..=2 } => value,
                    _ if class == Class::AnyHour => {
                        self.number_word(at).filter(|hour| *hour <= 12)?
                    }
                    _ => return None,
                };
                let hour = u8::try_from(value).ok().filter(|hour| *hour <= 24)?;
                caught.clock = Some(Clock::of_hour(hour));
                Some(next)
            }
            Class::Minute => {
                let Kind::Number { value, digits: 2 } = token.class else { return None };
                let minute = u8::try_from(value).ok().filter(|minute| *minute < 60)?;
                let clock = caught.clock?;
                caught.clock = Some(Clock { minute, has_minutes: true, ..clock });
                Some(next)
            }
            Class::Clock => {
                let clock = match token.class {
                    Kind::Clock(clock) => clock,
                    // "9.30 am"
                    Kind::Figure(_) => {
                        let clock = super::figure::clock(self.tokens.text_of(&token))?;
                        // "8.15 Uhr": the word says that it is an hour.
                        let is_hour = self.is_in(next, List::HourEnding);
                        Clock { is_dotted: clock.is_dotted && !is_hour, ..clock }
                    }
                    _ => return None,
                };
                caught.clock = Some(clock);
                Some(next)
            }
            Class::Figure => {
                let Kind::Figure(figure) = token.class else { return None };
                caught.figure = Some(figure);
                Some(next)
            }
            Class::Stamp => {
                let Kind::Stamp(stamp) = token.class else { return None };
                caught.stamp = Some((stamp, at));
                Some(next)
            }
            Class::Digits => {
                let Kind::Number { value, digits: digits @ 3..=4 } = token.class else {
                    return None;
                };
                let (hour, minute) = (u8::try_from(value / 100).ok()?, value % 100);
                let minute = u8::try_from(minute).ok().filter(|minute| *minute < 60)?;
                let clock = Clock::of_hour(hour);
                caught.is_digits = true;
                let hour_length = digits - 2;
                caught.clock = Some(Clock { minute, hour_length, has_minutes: true, ..clock });
                (hour < 24).then_some(next)
            }
            Class::HalfYear => {
                self.sense(token, |sense| (sense == Sense::HalfYear).then_some(()))?;
                let after = *self.token(next)?;
                let Kind::Number { value: value @ 1..=2, digits: 1 } = after.class else {
                    return None;
                };
                caught.half_year = i8::try_from(value).ok().filter(|_| after.is_glued);
                caught.half_year.map(|_| next + 1)
            }
            Class::Quarter | Class::WeekNumber => {
                let wanted =
                    if class == Class::Quarter { Sense::Quarter } else { Sense::WeekNumber };
                self.sense(token, |sense| (sense == wanted).then_some(()))?;
                let after = *self.token(next)?;
                let Kind::Number { value, digits: 1..=2 } = after.class else { return None };
                if class == Class::Quarter && !after.is_glued {
                    return None;
                }
                caught.n = Some(value);
                Some(next + 1)
            }
            Class::Weekday
            | Class::WeekdayAgain
            | Class::Month
            | Class::Unit
            | Class::Shift
            | Class::Edge
            | Class::Offset
            | Class::Part
            | Class::Half
            | Class::Periodic => self.accept_word(class, token, caught).then_some(next),
        }
    }

    fn accept_word(&self, class: Class, token: Token, caught: &mut Caught) -> bool {
        let Kind::Word { id, is_capital } = token.class else { return false };
        let entry = self.table.entry(id);
        let fits = entry.senses.iter().any(|sense| match (class, *sense) {
            (Class::Weekday, Sense::Weekday(n)) | (Class::WeekdayAgain, Sense::WeekdayAgain(n)) => {
                caught.weekday_before = caught.weekday;
                caught.weekday = Some(n);
                true
            }
            (Class::Month, Sense::Month(n)) => {
                caught.month = Some(n);
                true
            }
            (Class::Unit, Sense::Unit(unit)) => {
                caught.unit = Some(unit);
                true
            }
            (Class::Shift, Sense::Shift(shift)) => {
                caught.shift = Some(shift);
                true
            }
            (Class::Edge, Sense::Edge(edge)) => {
                caught.edge = Some(edge);
                true
            }
            (Class::Offset, Sense::Offset(days)) => {
                caught.offset = Some(days);
                true
            }
            (Class::Part, Sense::Part(time)) => {
                caught.part = Some(time);
                true
            }
            (Class::Half, Sense::Half(half)) => {
                caught.half = Some(half);
                true
            }
            (Class::Periodic, Sense::Periodic(n, unit)) => {
                caught.periodic = Some((n, unit));
                true
            }
            (_, _) => false,
        });
        if fits && matches!(class, Class::Weekday | Class::Month) && entry.is_ambiguous {
            caught.is_ambiguous = true;
            caught.is_capital = is_capital;
        }
        fits
    }

    /// The year of "next year", "nächsten Jahres" and "año próximo".
    fn named_year(&self, at: usize) -> Option<i16> {
        let (first, second) = (*self.token(at)?, *self.token(at + 1)?);
        let shift = |token| {
            self.sense(token, |sense| match sense {
                Sense::Shift(Shift::Next | Shift::Coming) => self.this_year.checked_add(1),
                Sense::Shift(Shift::This) => Some(self.this_year),
                _ => None,
            })
        };
        let is_year =
            |token| self.sense(token, |sense| (sense == Sense::Unit(Unit::Year)).then_some(()));
        shift(first)
            .filter(|_| is_year(second).is_some())
            .or_else(|| shift(second).filter(|_| is_year(first).is_some()))
    }

    fn sense<T>(&self, token: Token, pick: impl Fn(Sense) -> Option<T>) -> Option<T> {
        let Kind::Word { id, .. } = token.class else { return None };
        self.table.entry(id).senses.iter().find_map(|sense| pick(*sense))
    }

    /// The next day of a list: "and 15th", "und am 15.", "et le 15".
    fn another_day(&mut self, end: usize, needs_ending: bool) -> Option<(i8, usize)> {
        let is_glued = self.token(end).is_some_and(|mark| mark.is_glued);
        let dot = !needs_ending && is_glued && self.is_mark(end, &['.']);
        let joint = end + usize::from(dot);
        let mut place = joint + usize::from(self.is_mark(joint, &[',', '/', '&', '+']));
        place += usize::from(self.is_in(place, List::And));
        if place == joint {
            return None;
        }
        let table: &'a Table = self.table;
        if let Some(lead) = self.longest(&table.leads, place, Where::Anywhere)
            && lead.means == Lead::On
        {
            place = lead.end;
        }
        place += usize::from(self.is_in(place, List::Article));
        let token = *self.token(place)?;
        self.day(place, token, needs_ending)
    }

    /// What a number of one word counts of days if it counts the first one too.
    fn days_with_today(&self, at: usize, next: usize) -> Option<u32> {
        let word = self.tokens.text_of(self.token(at).filter(|_| next == at + 1)?);
        let counts = self.table.words.days_with_today.iter();
        let mut fits = counts.filter(|(known, _)| word.to_lowercase() == *known);
        fits.next().map(|(_, days)| *days)
    }

    fn number_word(&self, at: usize) -> Option<u32> {
        self.sense(*self.token(at)?, |sense| match sense {
            Sense::Number(n) => Some(n),
            _ => None,
        })
    }

    /// `3`, "three", "twenty-one".
    fn count(&self, at: usize, token: Token) -> Option<(u32, usize)> {
        if let Kind::Number { value, digits: 1..=4 } = token.class {
            return Some((value, at + 1));
        }
        let tens = self.number_word(at)?;
        let after = self.skip_joint(at + 1);
        match self.number_word(after) {
            Some(one @ 1..=9) if tens >= 20 && tens % 10 == 0 => Some((tens + one, after + 1)),
            _ => Some((tens, at + 1)),
        }
    }

    /// `10`, `10th`, "tenth", "twenty-first".
    fn day(&self, at: usize, token: Token, needs_ending: bool) -> Option<(i8, usize)> {
        let place = |at: usize| {
            self.sense(*self.token(at)?, |sense| match sense {
                Sense::Place(n) if n > 0 => Some(n),
                _ => None,
            })
        };
        let (day, next) = match token.class {
            Kind::Number { value, digits: 1..=2 } if !needs_ending => {
                (i8::try_from(value).ok()?, at + 1)
            }
            Kind::Ordinal(value) => (i8::try_from(value).ok()?, at + 1),
            _ => match (place(at), self.number_word(at)) {
                (Some(day), _) => (day, at + 1),
                (None, Some(tens @ (20 | 30))) => {
                    let after = self.skip_joint(at + 1);
                    (i8::try_from(tens).ok()? + place(after).filter(|n| *n < 10)?, after + 1)
                }
                (None, _) => return None,
            },
        };
        (1..=31).contains(&day).then_some((day, next))
    }
}

fn key(token: &Token) -> Option<Key> {
    match token.class {
        Kind::Word { id, .. } => (id != 0).then_some(Key::Word(id)),
        Kind::Number { .. } => Some(Key::Number),
        Kind::Ordinal(_) => Some(Key::Ordinal),
        Kind::Figure(_) => Some(Key::Figure),
        Kind::Stamp(_) => Some(Key::Stamp),
        Kind::Clock(_) => Some(Key::Clock),
        Kind::Mark(mark) => Some(Key::Mark(mark)),
        Kind::Opaque | Kind::Break => None,
    }
}
