//! What is due next, and how far a series has come.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};

use super::series::{OccurrenceId, Override, Series};
use super::starts::{Counted, Seek, Start, farthest_move};
use super::zone::{Clock, Person, resolve};

/// How far a series has come: what is stored with it, so that what comes next costs the same in its tenth
/// year as in its first.
///
/// Shape: a change of the rule's text clears `counted`, and sets `at` to the time of the change:
/// then nothing is due before the edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// What was due up to this instant has passed.
    pub at: Timestamp,
    /// What the person's clock showed then. On the person's clock, this decides: a person who
    /// travels meets no occurrence twice, and loses none.
    pub clock_showed: DateTime,
    /// The last whole day that has passed, also if its time of day is moved to a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day_done: Option<Date>,
    /// How far a rule with `COUNT` was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
}

impl Position {
    /// Nothing before an instant is due: a series that is made, or changed, then.
    pub fn new(at: Timestamp, person: &Person) -> Self {
        Self { at, clock_showed: person.zone.to_datetime(at), day_done: None, counted: None }
    }
}

/// One time that something happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Its identity.
    pub id: OccurrenceId,
    pub due: Timestamp,
    /// Whether it was moved from its original start.
    pub is_moved: bool,
}

/// The next instant at which something of a series is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextDue {
    /// The instant.
    pub at: Timestamp,
    /// All that is due then, by original start; at least one. A change of the clock or a move can put two
    /// at one instant.
    pub occurrences: Vec<Occurrence>,
    /// Where the series is once all of them have been dealt with.
    pub position: Position,
    /// How much was looked at; a test holds it to a bound. Units: days or periods of the rule.
    pub steps: u64,
}

/// An occurrence whose due time is known.
#[derive(Clone)]
struct Candidate {
    start: Start,
    due: Timestamp,
    /// What its clock shows when it is due.
    shows: DateTime,
    is_moved: bool,
    on_persons_clock: bool,
    /// The whole day that it is due on.
    day: Option<Date>,
}

impl Series {
    /// What is due next after a position. It may lie in the past, if the position does.
    ///
    /// `None` if nothing is: the rule has ended, all the rest is suspended, or nothing fits within 400 years
    /// or within 20,000 periods of a rule of hours or minutes.
    pub fn next_due(&self, after: &Position, person: &Person) -> Option<NextDue> {
        let mut best: Vec<Candidate> = Vec::new();
        let mut offer = |candidate: Candidate| {
            match best.first() {
                Some(first) if first.due < candidate.due => return,
                Some(first) if first.due > candidate.due => best.clear(),
                Some(_) | None => {}
            }
            best.push(candidate);
        };
        for candidate in self.single(person) {
            if !candidate.is_over(after) && !self.is_suspended(candidate.due) {
                offer(candidate);
            }
        }
        let (counted, steps) = self.offer_next_of_rule(after, person, &mut offer);
        best.sort_by_key(|candidate| candidate.start);
        let at = best.first()?.due;
        let showed = best.iter().filter(|one| one.on_persons_clock).map(|one| one.shows);
        let showed = showed.max().unwrap_or_else(|| person.zone.to_datetime(at));
        let position = Position {
            at: at.max(after.at),
            clock_showed: showed.max(after.clock_showed),
            day_done: best.iter().filter_map(|one| one.day).max().max(after.day_done),
            counted,
        };
        let occurrences = best.iter().map(|one| Occurrence {
            id: self.id(one.start),
            due: one.due,
            is_moved: one.is_moved,
        });
        Some(NextDue { at, occurrences: occurrences.collect(), position, steps })
    }

    /// All occurrences that are due after a position, in the order in which they are due.
    pub fn upcoming<'a>(
        &'a self,
        after: &Position,
        person: &'a Person,
    ) -> impl Iterator<Item = Occurrence> + 'a {
        let mut position = after.clone();
        std::iter::from_fn(move || {
            let due = self.next_due(&position, person)?;
            position = due.position;
            Some(due.occurrences)
        })
        .flatten()
    }

    /// An occurrence by its original start, whether it has passed, is skipped or suspended.
    pub fn occurrence(&self, start: Start, person: &Person) -> Occurrence {
        let Candidate { due, is_moved, .. } = self.candidate_of(start, person);
        Occurrence { id: self.id(start), due, is_moved }
    }

    /// When the occurrence with an original start is due by the rule, whatever was said about it.
    pub fn due_by_rule(&self, start: Start, person: &Person) -> Timestamp {
        self.at_its_start(start, person).due
    }

    /// Whether an occurrence of the series is still to come after a position: it is not over, not taken out and
    /// not suspended. It costs the same however far ahead it is.
    pub fn is_to_come(&self, start: Start, after: &Position, person: &Person) -> bool {
        let candidate = self.candidate_of(start, person);
        let is_cancelled = self.overrides.get(&start) == Some(&Override::Cancelled);
        !is_cancelled
            && !self.is_excluded(start)
            && !candidate.is_over(after)
            && !self.is_suspended(candidate.due)
    }

    fn candidate_of(&self, start: Start, person: &Person) -> Candidate {
        match self.overrides.get(&start) {
            Some(Override::Moved(to, clock)) => moved(start, *to, clock, person),
            Some(Override::Cancelled) | None => self.at_its_start(start, person),
        }
    }

    /// What does not come from the rule, or no longer at the time it says.
    fn single<'a>(&'a self, person: &'a Person) -> impl Iterator<Item = Candidate> + 'a {
        let once = self.rule().is_none().then(|| Start::at(self.start()));
        let added = self.added.iter().copied().chain(once.filter(|one| !self.added.contains(one)));
        let added = added.filter(|start| !self.overrides.contains_key(start));
        let added = added.map(|start| self.at_its_start(start, person));
        let moved = self.overrides.iter().filter_map(|(start, one)| match one {
            Override::Cancelled => None,
            Override::Moved(to, clock) => Some(moved(*start, *to, clock, person)),
        });
        added.chain(moved).filter(|candidate| !self.is_excluded(candidate.start))
    }

    fn at_its_start(&self, start: Start, person: &Person) -> Candidate {
        let is_elapsed = self.rule().is_some_and(|rule| rule.parts().frequency.is_elapsed());
        candidate(start, start, self.clock(), !is_elapsed, person)
    }

    /// Offers the next of what the rule gives, with all that is due at the same instant.
    ///
    /// The order of starts is not quite the order in which they are due: a change of the clock moves a start
    /// by up to a day. So it looks a little further back and ahead, except for rules of hours and minutes.
    fn offer_next_of_rule(
        &self,
        after: &Position,
        person: &Person,
        offer: &mut impl FnMut(Candidate),
    ) -> (Option<Counted>, u64) {
        let is_elapsed = self.rule().is_some_and(|rule| rule.parts().frequency.is_elapsed());
        let zone = self.clock().zone(person);
        let back = |at: DateTime| at.checked_sub(farthest_move() * 2).unwrap_or(DateTime::MIN);
        let mut safe = back(zone.to_datetime(after.at));
        if self.clock().follows_the_person() {
            safe = safe.min(back(after.clock_showed));
        }
        let mut seek = if is_elapsed { Seek::Instant(after.at) } else { Seek::Civil(safe) };
        let (mut counted, mut steps) = (after.counted, 0);
        'seek: loop {
            let mut starts = self.starts_after(seek, counted, person);
            let mut first: Option<Candidate> = None;
            // How far the starts are looked at that follow a suspended one, and when that one resumes.
            let mut held: Option<(DateTime, Option<Timestamp>)> = None;
            while let Some(start) = starts.next() {
                let candidate = self.at_its_start(start, person);
                let is_behind =
                    if is_elapsed { candidate.is_over(after) } else { start.civil <= safe };
                if starts.is_counting() && is_behind {
                    counted = Some(Counted { start, used: starts.used() });
                }
                if first.as_ref().is_some_and(|first| {
                    if is_elapsed { candidate.due > first.due } else { start.civil > first.limit() }
                }) {
                    break;
                }
                if let Some((limit, resumes)) = held
                    && first.is_none()
                    && start.civil > limit
                {
                    let Some(resumes) = resumes else { break };
                    let target = back(zone.to_datetime(resumes));
                    if !starts.is_counting() && target > start.civil {
                        steps += starts.steps();
                        seek = Seek::Civil(target);
                        continue 'seek;
                    }
                    held = None;
                }
                let is_single = self.added.contains(&start) || self.overrides.contains_key(&start);
                if is_single || self.is_excluded(start) || candidate.is_over(after) {
                    continue;
                }
                match self.suspended_until(candidate.due) {
                    Some(resumes) => held = held.or(Some((candidate.limit(), resumes))),
                    None => {
                        if first.as_ref().is_none_or(|first| candidate.due < first.due) {
                            first = Some(candidate.clone());
                        }
                        offer(candidate);
                    }
                }
            }
            return (counted, steps + starts.steps());
        }
    }

    /// Whether nothing is due at a time because it is suspended.
    pub fn is_suspended(&self, due: Timestamp) -> bool {
        self.suspended_until(due).is_some()
    }

    /// Until when a due time is suspended, if it is; `Some(None)` for good.
    pub fn suspended_until(&self, due: Timestamp) -> Option<Option<Timestamp>> {
        suspended_until(self.suspensions.iter().map(|one| (one.from, one.until)), due)
    }
}

/// Until when a time is suspended by some spans, each from its first instant to before its last, or for good;
/// `None` if it is not, `Some(None)` for good.
pub fn suspended_until(
    spans: impl Iterator<Item = (Timestamp, Option<Timestamp>)>,
    at: Timestamp,
) -> Option<Option<Timestamp>> {
    let within = spans.filter(|(from, until)| *from <= at && until.is_none_or(|until| at < until));
    within.map(|(_, until)| until).reduce(|end, until| Some(end?.max(until?)))
}

impl Candidate {
    fn is_over(&self, after: &Position) -> bool {
        let is_day_done = self.day.is_some_and(|day| Some(day) <= after.day_done);
        is_day_done
            || if self.on_persons_clock {
                self.shows <= after.clock_showed
            } else {
                self.due <= after.at
            }
    }

    /// Starts after this one are due later.
    fn limit(&self) -> DateTime {
        self.shows.checked_add(farthest_move()).unwrap_or(DateTime::MAX)
    }
}

/// The occurrence with this original start, moved to a time on a clock.
fn moved(start: Start, to: Start, clock: &Clock, person: &Person) -> Candidate {
    // The clock shows the second of two equal times again: only the instant says whether it has passed.
    Candidate { is_moved: true, ..candidate(start, to, clock, !to.fold, person) }
}

/// The occurrence with this original start at a time on a clock. `by_clock` says whether the clock of a
/// person who travels decides what has passed.
fn candidate(start: Start, at: Start, clock: &Clock, by_clock: bool, person: &Person) -> Candidate {
    let zone = clock.zone(person);
    let is_day = *clock == Clock::Day;
    let civil = if is_day { at.civil.date().to_datetime(person.day_due_at) } else { at.civil };
    let due = resolve(zone, civil, at.fold);
    Candidate {
        start,
        due,
        shows: zone.to_datetime(due),
        is_moved: false,
        on_persons_clock: by_clock && clock.follows_the_person(),
        day: is_day.then(|| at.civil.date()),
    }
}
