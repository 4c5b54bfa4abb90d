//! Whether a date in running text is meant as one.

use dormouse_types::day_order::DayOrder;

use super::figure::Figure;
use super::grammar::{Parser, PointHit, Setting};
use super::resolve::{Core, Direction};
use super::table::{Key, List, Sense};
use super::token::Kind as TokenKind;
use super::value::{Assumption, Kind};
use super::words::{Edge, Lead, Means, Unit, Where};

/// How far back a sentence is searched for a word about the past.
const CLAUSE: usize = 8;

impl Parser<'_> {
    /// Where a day without a year is looked for.
    pub(super) fn direction(&self, at: usize, lead: Option<Lead>, allowed: Where) -> Direction {
        let is_over = allowed != Where::Field
            && self.clause_before(at).any(|place| self.matcher.is_in(place, List::Over));
        match lead {
            Some(Lead::Since) => Direction::Back,
            Some(Lead::Is(_) | Lead::Before | Lead::After | Lead::On) | None if is_over => {
                Direction::Back
            }
            Some(Lead::Is(_) | Lead::Before | Lead::After | Lead::On) | None => Direction::Ahead,
        }
    }

    /// The places before a token that belong to the same clause, nearest first.
    pub(super) fn clause_before(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        (1..=CLAUSE)
            .map_while(move |back| at.checked_sub(back))
            .take_while(|place| !self.is_boundary(*place))
    }

    fn is_boundary(&self, at: usize) -> bool {
        match self.matcher.token(at).map(|token| token.class) {
            None | Some(TokenKind::Break) => true,
            Some(TokenKind::Mark(mark)) => !matches!(mark, '\'' | '"' | '*' | '_'),
            Some(
                TokenKind::Word { .. }
                | TokenKind::Number { .. }
                | TokenKind::Ordinal(_)
                | TokenKind::Figure(_)
                | TokenKind::Stamp(_)
                | TokenKind::Clock(_)
                | TokenKind::Opaque,
            ) => false,
        }
    }

    /// "We met on Friday", "on Friday we met".
    pub(super) fn tells_of_past(&self, start: usize, end: usize) -> bool {
        let is_past = |place: usize| self.matcher.is_in(place, List::Past);
        // "Was moved to Friday", "was postponed from Monday to Friday", "was planned for Friday".
        let is_moved = self.clause_before(start).any(|at| self.matcher.is_in(at, List::Moved))
            || start > 0 && self.matcher.is_in(start - 1, List::Through)
            || self.matcher.tokens.get(start).is_some_and(|token| {
                self.matcher.tokens.text_of(token).eq_ignore_ascii_case("for")
            });
        let after =
            !self.is_boundary(end) && self.matcher.is_in(end, List::Article) && is_past(end + 1);
        !is_moved && (self.clause_before(start).any(is_past) || after)
    }

    /// "The budget is fine until March", "bis Sonntag geöffnet": how long something lasts, not by when
    /// something is to be done.
    pub(super) fn tells_how_long(&self, start: usize, end: usize) -> bool {
        let is_in = |place: usize, list| self.matcher.is_in(place, list);
        if !is_in(start, List::Lasting) {
            return false;
        }
        // "Applications are open until Friday": an offer that ends then. "Offer to
        // keep it open" is no such thing.
        let is_offered = !self.clause_before(start).any(|at| is_in(at, List::Past))
            && self
                .clause_before(start)
                .any(|at| is_in(at, List::Offer) && !is_in(at + 1, List::Obliges));
        let is_state =
            |place: usize| is_in(place, List::State) && !(is_offered && is_in(place, List::Open));
        // "Bis März in Ordnung": a small word may come between.
        let is_after = !self.is_boundary(end)
            && (is_state(end) || is_in(end, List::Function) && is_state(end + 1));
        if start.checked_sub(1).is_some_and(is_state) || is_after {
            return true;
        }
        !is_offered
            && self.clause_before(start).any(|at| is_in(at, List::Lasts))
            && !self.clause_before(start).any(|at| is_in(at, List::Obliges))
    }

    /// "Do not open before Friday": when something may begin, not by when it is to be done.
    pub(super) fn forbids(&self, start: usize, lead: Option<Lead>) -> bool {
        let is_in = |place: usize, list| self.matcher.is_in(place, list);
        let is_negated = start.checked_sub(1).is_some_and(|at| is_in(at, List::Negation));
        if is_negated && matches!(lead, Some(Lead::Is(Kind::Due))) {
            return true;
        }
        (matches!(lead, Some(Lead::Before)) || is_in(start, List::Lasting))
            && self.clause_before(start).any(|at| is_in(at, List::Negation))
            && !self.clause_before(start).any(|at| is_in(at, List::Forget))
    }

    /// "If not paid by 10.12.", "wenn bis Freitag keine Antwort kommt": what is done if nothing was done by then is not due
    /// then.
    pub(super) fn is_condition(&self, start: usize, end: usize) -> bool {
        let is_in = |place: usize, list| self.matcher.is_in(place, list);
        let after = (end..end + CLAUSE).take_while(|at| !self.is_boundary(*at));
        let is_negated = self.clause_before(start).chain(after).any(|at| is_in(at, List::Negation));
        let begin = self.clause_before(start).last();
        is_negated && begin.is_some_and(|at| is_in(at, List::Condition))
    }

    /// "Except Friday", "außer am Freitag".
    fn is_excepted(&self, start: usize) -> bool {
        let Some(before) = start.checked_sub(1) else { return false };
        let is_excepting = |at: usize| self.matcher.is_in(at, List::Excepting);
        let is_small = match self.matcher.token(before).map(|token| token.class) {
            Some(TokenKind::Word { id, .. }) => {
                let mut leads = self.table.leads.beginning_with(Key::Word(id));
                leads.any(|lead| lead.means == Lead::On && lead.items.len() == 1)
            }
            _ => false,
        };
        is_excepting(before) || is_small && before.checked_sub(1).is_some_and(is_excepting)
    }

    /// "Gift for May", "Llamar a Julio", "Gruß an August": a month or weekday that is also the name of a person,
    /// after a word that goes with one. Where days have no capitals, a capital says that it is a name.
    fn is_person(&self, point: &PointHit) -> bool {
        let is_bare = matches!(point.means, Some(Means::Month | Means::Weekday))
            && point.end == point.start + 1
            && !point.has_time
            && !point.has_sign;
        let has_capital = match self.matcher.token(point.start).map(|token| token.class) {
            Some(TokenKind::Word { is_capital, .. }) => is_capital,
            _ => false,
        };
        let can_be_name = match self.table.words.days_have_capitals {
            true => point.caught.is_ambiguous,
            false => has_capital,
        };
        let before = point.start.checked_sub(1);
        is_bare
            && can_be_name
            && before.is_some_and(|at| self.matcher.is_in(at, List::BeforePerson))
    }

    /// Whether the next token is the end, a mark or a small word, so that nothing is counted or
    /// named by what precedes.
    pub(super) fn stands_alone(&self, at: usize) -> bool {
        match self.matcher.token(at) {
            None => true,
            Some(token) => match token.class {
                TokenKind::Break | TokenKind::Opaque | TokenKind::Clock(_) => true,
                TokenKind::Mark(mark) => {
                    !matches!(mark, '%' | '€' | '$' | '£' | '°' | '+' | '*' | '=' | '×')
                }
                TokenKind::Word { .. } => self.matcher.is_in(at, List::Function),
                TokenKind::Number { .. }
                | TokenKind::Ordinal(_)
                | TokenKind::Figure(_)
                | TokenKind::Stamp(_) => false,
            },
        }
    }

    pub(super) fn is_counted(&self, at: usize) -> bool {
        self.matcher.is_in(at, List::Counter)
            || self.matcher.is_mark(at, &['%', '€', '$', '£', '°', '×', '='])
    }

    pub(super) fn is_first(&self, at: usize) -> bool {
        at == 0
            || self.matcher.token(at - 1).is_none_or(|token| match token.class {
                TokenKind::Break => true,
                TokenKind::Mark(mark) => !matches!(mark, ',' | '\''),
                _ => false,
            })
    }

    pub(super) fn is_plausible(&self, point: &PointHit, setting: Setting) -> bool {
        let caught = &point.caught;
        let before = point.start.checked_sub(1);
        let is_in =
            |place: Option<usize>, list| place.is_some_and(|at| self.matcher.is_in(at, list));
        let ends_in_figure = point.end > 0
            && self.matcher.token(point.end - 1).is_some_and(|token| {
                matches!(token.class, TokenKind::Number { .. } | TokenKind::Figure(_))
            });
        if ends_in_figure && self.is_counted(point.end)
            || before.is_some_and(|at| self.matcher.is_mark(at, &['€', '$', '£', '#', '§']))
        {
            return false;
        }
        let is_led = match setting.lead {
            Some(Lead::Is(_) | Lead::Before | Lead::After | Lead::Since) => true,
            // "On" goes with a day; "of" and "about" go with anything.
            Some(Lead::On) => before.is_some_and(|at| {
                let word =
                    self.matcher.token(at).map_or("", |token| self.matcher.tokens.text_of(token));
                ["on", "in", "during", "at"].iter().any(|lead| word.eq_ignore_ascii_case(lead))
            }),
            None => false,
        };
        let alone = self.stands_alone(point.end);
        if self.matcher.is_in(point.end, List::NameEnd) && !point.has_time {
            return false;
        }
        if self.names_street(point) || self.names_work(point) || self.is_in_title(point) {
            return false;
        }
        if self.is_excepted(point.start) || self.is_person(point) {
            return false;
        }
        let Some(means) = point.means else {
            return self.is_plausible_time(point, setting, is_led);
        };
        if let Some(figure) = caught.figure
            && means == Means::Figure
        {
            let is_deadline = matches!(setting.lead, Some(Lead::Is(Kind::Due) | Lead::Before));
            return self.is_plausible_figure(point, figure, setting.lead, is_led, is_deadline);
        }
        match means {
            Means::Weekday if self.is_title(point) => false,
            Means::Weekday if caught.is_ambiguous && self.follows_title(point.start) => false,
            Means::DayMonth if self.is_pairing(point.end) => false,
            // "The 3rd Friday": which month is meant is not said.
            Means::Weekday if before.is_some_and(|at| self.is_place(at)) => false,
            // "Episode 4 - May the Force": a dash with spaces joins no day and month.
            Means::DayMonth if self.has_loose_dash(point) => false,
            Means::DayMonth if caught.day == Some(2) && self.is_conversion(point) => false,
            Means::Weekday | Means::WeekdayAfterWeeks if is_in(before, List::NamedDay) => false,
            Means::Weekday if caught.is_ambiguous && caught.shift.is_none() => {
                // "Pe luni": the whole name with a word that goes with a date, though "luni" are months too.
                let is_whole = setting.lead.is_some()
                    && self.table.words.weekdays.iter().any(|names| {
                        names.first().is_some_and(|name| self.is_word(point.start, name))
                    });
                let is_sign = point.has_time || point.has_sign || (is_led || is_whole) && alone;
                let follows = self.is_mark_after(point.end);
                is_sign
                    || caught.is_capital
                        && self.table.words.days_have_capitals
                        && alone
                        && !is_in(before, List::Article)
                        && (!self.is_first(point.start) || follows)
            }
            Means::DayMonth | Means::DaysOfMonth if caught.is_ambiguous && !caught.is_capital => {
                let is_of = caught.year.is_none()
                    && self.matcher.token(point.end).is_some_and(|token| {
                        self.matcher.tokens.text_of(token).eq_ignore_ascii_case("of")
                    });
                (alone || point.has_time || caught.year.is_some()) && !is_of
            }
            Means::Edge if caught.unit == Some(Unit::Day) => {
                matches!(setting.lead, Some(Lead::Is(Kind::Due) | Lead::Before))
            }
            Means::Edge if matches!(caught.edge, Some(Edge::Early | Edge::Late)) => {
                !caught.is_ambiguous || caught.is_capital || alone
            }
            Means::Month if point.holds == Where::WithSign => {
                let author = point.start.checked_sub(2);
                let is_name = caught.is_ambiguous
                    && (is_in(author, List::Authored) || is_in(Some(point.end), List::Past));
                let is_part =
                    before.is_some_and(|at| self.is_word(at, "of") || self.is_word(at, "about"));
                !is_name
                    && (is_led || alone && !is_part)
                    && (caught.is_capital || !caught.is_ambiguous || alone)
                    && !is_in(Some(point.end), List::Past)
            }
            Means::DayOfMonth if self.begins_list(point) => false,
            Means::NthWeekday if self.is_of_list(point.start) => false,
            // "At first I agreed".
            Means::DayOfMonth if point.holds == Where::WithSign => {
                let is_at = before.is_some_and(|at| self.is_word(at, "at"));
                alone && (is_led && !is_at || point.has_time)
            }
            Means::Year
            | Means::HalfYear
            | Means::Quarter
            | Means::Feast(..)
            | Means::Easter(_)
            | Means::OrthodoxEaster(_)
            | Means::Thanksgiving(_)
                if point.holds == Where::WithSign =>
            {
                is_led && alone
            }
            // "Boxing Day sales".
            Means::Feast(..) => alone || is_led || point.has_time,
            // "The Good Friday agreement".
            // Nor are "Black Friday deals" one.
            Means::Easter(_) | Means::OrthodoxEaster(_) | Means::Thanksgiving(_) => alone,
            // "Ten today reasons": the number counts what comes after the day.
            Means::Offset if !point.has_time && !is_led && !alone => {
                !before.is_some_and(|at| self.is_bare_number(at))
            }
            Means::WeekNumber if point.holds == Where::WithSign => {
                is_led
                    && alone
                    && caught.n.is_some_and(|n| n <= 53)
                    && !self.is_word(point.end, "of")
            }
            Means::Unit | Means::Weekend if point.holds == Where::WithSign => is_led && alone,
            Means::Ahead | Means::AheadHalf | Means::AheadCouple | Means::AheadWorking => {
                setting.direction == Direction::Ahead
                    && !self.clause_before(point.start).any(|at| self.matcher.is_in(at, List::Past))
                    && !is_in(before, List::Counter)
                    && !before
                        .is_some_and(|at| self.is_word(at, "once") || self.is_word(at, "twice"))
            }
            _ => true,
        }
    }

    fn has_loose_dash(&self, point: &PointHit) -> bool {
        (point.start..point.end).any(|at| {
            self.matcher.token(at).is_some_and(|token| token.is_mark('-') && !token.is_glued)
        })
    }

    /// Whether the day or the weekday is the last of a list of which the rest is no date for itself: "the 1st
    /// & 3rd Friday".
    pub(super) fn is_of_list(&self, start: usize) -> bool {
        let joint = start.checked_sub(1).filter(|&at| {
            self.matcher.is_in(at, List::And) || self.matcher.is_mark(at, &['&', ',', '/'])
        });
        joint.and_then(|at| at.checked_sub(1)).is_some_and(|at| self.is_place(at))
    }

    /// "The 1st & 3rd Friday": the first day is one of those weekdays.
    fn begins_list(&self, point: &PointHit) -> bool {
        let joins = self.matcher.is_in(point.end, List::And)
            || self.matcher.is_mark(point.end, &['&', ',', '/']);
        let names_weekday = |at: usize| {
            let senses = &self.matcher.entry(at).senses;
            senses.iter().any(|it| matches!(it, Sense::Weekday(_) | Sense::WeekdayAgain(_)))
        };
        joins && self.is_place(point.end + 1) && names_weekday(point.end + 2)
    }

    fn is_place(&self, at: usize) -> bool {
        match self.matcher.token(at).map(|token| token.class) {
            Some(TokenKind::Ordinal(_)) => true,
            _ => self.matcher.entry(at).senses.iter().any(|it| matches!(it, Sense::Place(_))),
        }
    }

    /// "Fr. Müller": a short weekday with a full stop before a name. Before an hour or a common word
    /// it is the day.
    fn is_title(&self, point: &PointHit) -> bool {
        let stop = point.end;
        let is_name = |at: usize| {
            self.matcher.token(at).is_some_and(|token| {
                matches!(token.class, TokenKind::Word { id: 0, is_capital: true })
            })
        };
        let day = stop.checked_sub(1);
        day.is_some_and(|day| self.matcher.is_in(day, List::Title))
            && self.matcher.is_mark(stop, &['.'])
            && is_name(stop + 1)
    }

    /// "Dr. Sun": a short title with its full stop makes a short weekday a name.
    fn follows_title(&self, start: usize) -> bool {
        let stop = start.checked_sub(1).filter(|&at| self.matcher.is_mark(at, &['.']));
        stop.and_then(|at| at.checked_sub(1)).is_some_and(|at| {
            ["dr", "mr", "mrs", "ms", "prof", "st"].iter().any(|title| self.is_word(at, title))
        })
    }

    /// "Jan 1 on 1", "Mar 2 on 1": the figure belongs to a meeting of two with a person of that name.
    fn is_pairing(&self, end: usize) -> bool {
        self.is_word(end, "on")
            && self.is_bare_number(end + 1)
            && end.checked_sub(1).is_some_and(|at| self.is_bare_number(at))
    }

    /// "Dec 2 bin": the 2 is said as "to".
    fn is_conversion(&self, point: &PointHit) -> bool {
        self.matcher.is_in(point.start, List::NumeralSystem)
            && self.matcher.is_in(point.end, List::NumeralSystem)
    }

    /// "Is fixed in 12.4." ends with a version; "at 10.1" is a place in a text or an amount.
    pub(super) fn is_place_or_amount(&self, start: usize, figure: Option<Figure>) -> bool {
        let is_short = figure.is_some_and(|figure| figure.sign == '.' && figure.lengths[2] == 0);
        let before = start.checked_sub(1);
        is_short && before.is_some_and(|at| self.is_word(at, "in") || self.is_word(at, "at"))
    }

    pub(super) fn is_bare_number(&self, at: usize) -> bool {
        match self.matcher.token(at).map(|token| token.class) {
            Some(TokenKind::Number { .. }) => true,
            Some(TokenKind::Word { .. }) => {
                self.matcher.entry(at).senses.iter().any(|sense| matches!(sense, Sense::Number(_)))
            }
            _ => false,
        }
    }

    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        self.matcher
            .token(at)
            .is_some_and(|token| self.matcher.tokens.text_of(token).eq_ignore_ascii_case(word))
    }

    fn is_hashes(&self, at: usize) -> bool {
        self.matcher
            .token(at)
            .is_some_and(|token| self.matcher.tokens.text_of(token).starts_with('#'))
    }

    fn is_mark_after(&self, at: usize) -> bool {
        self.matcher
            .token(at)
            .is_none_or(|token| matches!(token.class, TokenKind::Mark(_) | TokenKind::Break))
    }

    fn is_plausible_time(&self, point: &PointHit, setting: Setting, is_led: bool) -> bool {
        let caught = &point.caught;
        let before = point.start.checked_sub(1);
        let is_reference = before.is_some_and(|at| self.matcher.is_in(at, List::Reference));
        match caught.clock {
            // "14:30" can be a length or a ratio; so can "3:10".
            Some(clock) if caught.half.is_none() && caught.part.is_none() => {
                let has_form = clock.hour_length == 2 || is_led || self.is_first(point.start);
                let is_hour = point.holds == Where::WithSign && setting.allowed != Where::Field;
                !is_reference
                    && has_form
                    && !is_hour
                    && !self.is_counted(point.end)
                    && !self.is_joined(point)
            }
            _ => point.holds == Where::Anywhere && (is_led || !self.begins_name(point)),
        }
    }

    /// "Noon Ltd", "Midnight Mass": a part of the day at the beginning of a name. A time says its hour, or what it is
    /// the time of in small letters: "noon lunch with Ana".
    fn begins_name(&self, point: &PointHit) -> bool {
        let is_name = |at: usize| {
            self.matcher.token(at).is_some_and(|token| {
                matches!(token.class, TokenKind::Word { is_capital: true, .. })
            })
        };
        point.caught.clock.is_none()
            && !self.table.words.nouns_have_capitals
            && point.end == point.start + 1
            && is_name(point.start)
            && is_name(point.end)
            && !self.stands_alone(point.end)
    }

    /// Whether another number hangs on it, as in `10:30/11`.
    fn is_joined(&self, point: &PointHit) -> bool {
        self.matcher.token(point.end).is_some_and(|token| token.is_glued && token.is_mark('/'))
    }

    fn is_plausible_figure(
        &self,
        point: &PointHit,
        figure: Figure,
        lead: Option<Lead>,
        is_led: bool,
        is_deadline: bool,
    ) -> bool {
        let before = point.start.checked_sub(1);
        let back = point.start.checked_sub(2);
        // "Page no. 10.12" names a page. "The page by 10.12." does not: the figure belongs to "by".
        let is_part = before.is_some_and(|at| self.is_word(at, "of") || self.is_word(at, "about"));
        // "Bump from 2.3".
        let is_from = lead == Some(Lead::Is(Kind::Start));
        let named = back.filter(|at| {
            lead.is_none() || is_from || is_part || self.matcher.is_in(*at, List::Measured)
        });
        let is_reference = [before, named].into_iter().flatten().any(|at| {
            self.matcher.is_in(at, List::Reference) || self.matcher.is_in(at, List::Measured)
        });
        let is_sign = is_led || point.has_time || point.has_sign;
        // "(030) 12-10-26": the numbers before it belong to it.
        let continues = [before, back].into_iter().flatten().any(|at| {
            self.matcher
                .token(at)
                .is_some_and(|token| matches!(token.class, TokenKind::Number { .. }))
        });
        let [one, two, _] = figure.parts;
        if self.is_place_or_amount(point.start, Some(figure)) || self.follows_version(point, figure)
        {
            return false;
        }
        match figure.lengths[2] {
            4 => true,
            // "3.2.27" is a version where it is not the whole of a field, or a deadline.
            2 if figure.sign == '.' && figure.lengths[..2] == [1, 1] => {
                is_deadline && !is_reference
            }
            _ if figure.lengths[1] == 4 => {
                !self.numbers_paper(point.start) && (is_sign || self.stands_alone(point.end))
            }
            _ if figure.lengths[0] == 4 => true,
            _ if is_reference || continues && !is_sign => false,
            2 => figure.sign == '/' || is_sign || figure.lengths[..2] == [2, 2],
            _ if is_sign => true,
            // "10.12." is a date, "10.12" more often an amount.
            // Nor is "2.1. Introduction" one, or "3.14."
            _ if figure.sign == '.' => {
                let is_heading = figure.lengths[..2] == [1, 1]
                    && !self.is_mark_after(point.end)
                    && (self.is_first(point.start) || before.is_some_and(|at| self.is_hashes(at)));
                let is_turned =
                    point.assumed.contains(&Assumption::OtherOrder(DayOrder::MonthFirst));
                // "The 3.11. kernel": a figure between an article and a noun names a thing.
                let is_attribute = before.is_some_and(|at| self.matcher.is_in(at, List::Article))
                    && !self.stands_alone(point.end);
                figure.is_closed && !is_heading && !is_turned && !is_attribute
            }
            // "3/4" is a fraction, "8/10" a rating.
            _ => {
                let is_padded =
                    [one, two].iter().zip(figure.lengths).any(|(n, l)| *n < 10 && l == 2);
                (is_padded || one > two && (one, two) != (24, 7))
                    && self.stands_alone(point.end)
                    && matches!(point.core, Core::Day(_) | Core::At(_))
            }
        }
    }
}
