//! Which runs there must be, given what a person set up and changed over time, and when no node was
//! there.
//!
//! Written without a look at the product's planner: the times of all schedules are laid out first
//! ([`crate::work_calendar`]), then one goes through them from the first to the last. A planner is right if
//! its runs are these, line by line.
//!
//! The rules, each in one place below:
//!
//! - What is due while a definition is active runs, once, whatever becomes of its schedule later. Its
//!   identity is the series and the original start, so a moved occurrence that ran does not run again.
//! - What was paused, taken off, newly made or moved into the past never runs, and leaves no line. Where pauses leave
//!   lines, the newest of what was due in one leave a line each when it ends, by the clock that the person has then,
//!   or when the schedule is changed in it; they are dealt with then.
//! - What came due while no node was there is missed if nothing about its series was changed since, and it
//!   is still active. So is what the clock of the person was set past: it is due on arrival. Of what is missed
//!   the catch-up decides; what is older than a day never runs.
//! - While a run lasts, the overlap decides about what comes due. A run that is under way when a pause begins goes
//!   on; one that still waits for its end never begins.
//! - What a person requests about a single occurrence is refused if it has passed or is taken off, or would be
//!   ([`possible`]). What was paused is then still one pause.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};

use crate::work_calendar::{ScheduleClock, Shown, Stays, Timetable};

/// What is older is not caught up with.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(24);

/// What happens with what was missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatchUp {
    /// Nothing runs.
    Skip,
    /// The newest runs.
    Once,
    /// All run, one after another.
    All,
}

/// What happens with what comes due during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// It does not run.
    Skip,
    /// One waits; more do not run.
    Queue,
    /// It runs next to the other.
    Parallel,
}

/// What a person does to a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Gives it a schedule, or another rule or start to the schedule of that id. What was changed about single
    /// occurrences of that schedule is forgotten.
    Schedule(Timetable),
    /// Moves one occurrence to another time on the clock of its schedule.
    Move {
        /// The id of the schedule.
        uid: String,
        /// The original start.
        original: Shown,
        /// The new start.
        to: DateTime,
    },
    /// Takes one occurrence away.
    Cancel {
        /// The id of the schedule.
        uid: String,
        /// The original start.
        original: Shown,
    },
    /// Ends a schedule before a start, and goes on with another one.
    Split {
        /// The id of the schedule.
        uid: String,
        /// The first start that it no longer has.
        before: DateTime,
        /// What follows.
        then: Timetable,
    },
    /// Nothing runs between two instants, which may lie ahead.
    TakeOff {
        /// The first instant.
        from: Timestamp,
        /// The first instant at which it runs again.
        until: Timestamp,
    },
    /// What is taken off ends here, earlier than it was to.
    Return,
    /// Nothing runs from now on.
    Pause,
    /// It runs again.
    Resume,
}

/// How a person changes single occurrences, and takes time off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// By another text of the whole schedule, as a calendar does it.
    Replace,
    /// By a request about the occurrence.
    Request,
}

/// What an agent is to do, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name in the list.
    pub name: String,
    /// What happens with what was missed.
    pub catch_up: CatchUp,
    /// What happens with what comes due during a run.
    pub overlap: Overlap,
    /// How long each run takes.
    pub lasts: SignedDuration,
    /// How single occurrences are changed.
    pub means: Means,
    /// What the person did, in order. No two acts, and no act and a due time, are at one instant: nothing
    /// decides which comes first.
    pub acts: Vec<(Timestamp, Act)>,
}

/// What happens besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// Where the person is, from each instant on; the first is where the person was before.
    pub stays: Vec<(Timestamp, &'static str)>,
    /// When no node is there, in order. A run that is under way then goes on afterwards.
    pub down: Vec<(Timestamp, Timestamp)>,
    /// How many lines a pause leaves at most.
    pub lines_of_pause: usize,
    /// The end. Nothing later is looked at.
    pub end: Timestamp,
}

/// Whether an occurrence runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Runs,
    /// It was missed, and does not run.
    Missed,
    /// Another run was under way, and it does not run.
    Overlaps,
    /// It was paused, and does not run.
    Paused,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub due: Timestamp,
    /// The name of the definition.
    pub definition: String,
    /// The id of the series.
    pub uid: String,
    /// The original start, and whether it is the second of two equal ones.
    pub original: Shown,
    /// `date`, `floating`, or the name of the zone.
    pub dial: &'static str,
    /// Whether it runs.
    pub outcome: Outcome,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { due, definition, uid, original, dial, outcome } = self;
        let second = if original.is_second { " second" } else { "" };
        write!(f, "{due} {definition} {uid} {} {dial}{second}: {outcome:?}", original.at)
    }
}

/// A schedule as it is between two acts.
#[derive(Debug, Clone)]
struct Series {
    timetable: Timetable,
    /// What is due up to then is none of its business.
    since: Timestamp,
    /// When anything about it was changed last.
    changed_at: Timestamp,
    ends_before: Option<DateTime>,
    moved: BTreeMap<Shown, DateTime>,
    cancelled: BTreeSet<Shown>,
}

/// A definition as it is between two acts.
#[derive(Debug, Clone, Default)]
struct State {
    series: BTreeMap<String, Series>,
    is_paused: bool,
    off: Vec<(Timestamp, Timestamp)>,
}

/// Something that is due, with when its series was changed last.
#[derive(Debug, Clone)]
struct Candidate {
    line: Line,
    /// For what the person's clock was set past: when it would have been due by the clock that came.
    passed: Option<Timestamp>,
    changed_at: Timestamp,
}

/// The runs that there must be, by the time at which they are due.
pub fn expected(definitions: &[Definition], course: &Course) -> Vec<Line> {
    let mut lines: Vec<Line> =
        definitions.iter().flat_map(|definition| expected_of(definition, course)).collect();
    lines.sort();
    lines
}

fn expected_of(definition: &Definition, course: &Course) -> Vec<Line> {
    let states = states(definition, course.end);
    let candidates = candidates(definition, &states, course);
    let is_alive = |candidate: &Candidate, at: Timestamp| {
        let since = states.iter().filter(|(from, _)| (candidate.line.due..=at).contains(from));
        let state = state_at(&states, at);
        let series = state.series.get(&candidate.line.uid);
        !since.map(|(_, state)| state).chain([state]).any(|state| state.is_paused)
            && series.is_some_and(|series| series.changed_at == candidate.changed_at)
            && !state.is_off(at)
    };
    let mut place = Place {
        lasts: definition.lasts,
        down: &course.down,
        runs_until: None,
        waiting: VecDeque::new(),
    };
    let mut lines: Vec<Line> = Vec::new();
    let mut done = BTreeSet::new();
    let mut rest = candidates.into_iter().peekable();
    let mut pauses = pauses(definition, &states, course.end).into_iter().peekable();
    let is_pause = |(_, act): &&(Timestamp, Act)| *act == Act::Pause;
    let mut begins = definition.acts.iter().filter(is_pause).map(|(at, _)| *at).peekable();
    let end_pause = |pause: Pause, done: &mut BTreeSet<(String, Shown)>| {
        let mut left_out = pause.lines(definition, course);
        left_out.retain(|line| !done.contains(&(line.uid.clone(), line.original)));
        done.extend(left_out.iter().map(|line| (line.uid.clone(), line.original)));
        let n_older = left_out.len().saturating_sub(course.lines_of_pause);
        left_out.into_iter().skip(n_older).collect::<Vec<_>>()
    };
    while let Some(candidate) = rest.next() {
        let due = candidate.line.due;
        while let Some(begin) = begins.next_if(|begin| *begin < due) {
            place.pause(begin, &mut lines);
        }
        while let Some(pause) = pauses.next_if(|pause| pause.to < due) {
            lines.extend(end_pause(pause, &mut done));
        }
        let down = course.down.iter().find(|(from, to)| (*from..*to).contains(&due));
        let up = down.map(|(_, up)| *up).or(candidate.passed.map(|_| due));
        let Some(up) = up else {
            if done.insert((candidate.line.uid.clone(), candidate.line.original)) {
                let outcome = place.offer(due, definition.overlap, lines.len());
                lines.push(Line { outcome, ..candidate.line });
            }
            continue;
        };
        // All that came due before a node was there again is decided then, together; and all that one arrival
        // put the clock past.
        let mut missed = vec![candidate];
        let is_with =
            |next: &Candidate| next.line.due < up || next.passed.is_some() && next.line.due == up;
        while let Some(next) = rest.next_if(is_with) {
            missed.push(next);
        }
        missed.retain(|one| up <= course.end && is_alive(one, up));
        missed.retain(|one| done.insert((one.line.uid.clone(), one.line.original)));
        let n = missed.len();
        for (place_in_row, one) in missed.into_iter().enumerate() {
            let is_recent = up.duration_since(one.line.due) <= MAX_AGE;
            let outcome = match definition.catch_up {
                CatchUp::Once if is_recent && place_in_row + 1 == n => {
                    place.offer(up, definition.overlap, lines.len())
                }
                CatchUp::All if is_recent => match definition.overlap {
                    Overlap::Parallel => Outcome::Runs,
                    Overlap::Queue | Overlap::Skip => place.line_up(up, lines.len()),
                },
                CatchUp::Skip | CatchUp::Once | CatchUp::All => Outcome::Missed,
            };
            lines.push(Line { outcome, ..one.line });
        }
    }
    for begin in begins {
        place.pause(begin, &mut lines);
    }
    for pause in pauses {
        lines.extend(end_pause(pause, &mut done));
    }
    lines
}

/// A definition without what is refused, and the places of the acts that are: a request about an occurrence that is
/// over or taken off, or would be; time off of what is paused; a return from no time off.
pub fn possible(definition: &Definition, course: &Course) -> (Definition, BTreeSet<usize>) {
    let mut left = Definition { acts: Vec::new(), ..definition.clone() };
    let mut refused = BTreeSet::new();
    for (n, (at, act)) in definition.acts.iter().enumerate() {
        let states = states(&left, course.end);
        let (_, state) = states.last().expect("at least one");
        // Nobody knows where the person will be.
        let stays: Vec<_> = course.stays.iter().copied().filter(|(from, _)| from <= at).collect();
        if definition.means == Means::Replace || state.can_take(*at, act, (&stays, course.end)) {
            left.acts.push((*at, act.clone()));
        } else {
            refused.insert(n);
        }
    }
    (left, refused)
}

/// A time for which a definition is paused and its schedule stays as it is, apart from requests about single
/// occurrences.
struct Pause<'s> {
    from: Timestamp,
    to: Timestamp,
    state: &'s State,
}

/// The pauses that end, in order.
fn pauses<'s>(
    definition: &Definition,
    states: &'s [(Timestamp, State)],
    end: Timestamp,
) -> Vec<Pause<'s>> {
    let is_about_one = |act: &Act| matches!(act, Act::Move { .. } | Act::Cancel { .. });
    let goes_on = |n: usize| {
        let act = n.checked_sub(1).map(|n| &definition.acts[n].1);
        definition.means == Means::Request && act.is_some_and(is_about_one)
    };
    let begins: Vec<usize> = (0..states.len()).filter(|n| !goes_on(*n)).collect();
    let pause = |pair: &[usize]| {
        let (from, to, (_, state)) = (states[pair[0]].0, states[pair[1]].0, &states[pair[1] - 1]);
        (state.is_paused && to <= end).then_some(Pause { from, to, state })
    };
    begins.windows(2).filter_map(pause).collect()
}

impl Pause<'_> {
    /// What was due in it, in order: after its begin by the clock that the person had then, and before its end by that
    /// of then.
    fn lines(&self, definition: &Definition, course: &Course) -> Vec<Line> {
        if course.lines_of_pause == 0 {
            return Vec::new();
        }
        let zone_at = |at: Timestamp| {
            let stay = course.stays.iter().rev().find(|(since, _)| *since <= at);
            stay.expect("the person is somewhere").1
        };
        let [before, after] = [self.from, self.to].map(|at| [(Timestamp::MIN, zone_at(at))]);
        let mut lines = Vec::new();
        for series in self.state.series.values() {
            let later = self.to + SignedDuration::from_hours(48);
            let was_over: BTreeSet<Shown> = series
                .due(&before, later)
                .into_iter()
                .filter(|(_, due, _)| *due <= self.from.max(series.since))
                .map(|(original, ..)| original)
                .collect();
            for (original, due, _) in series.due(&after, self.to) {
                if !was_over.contains(&original) && !self.state.is_off(due) {
                    lines.push(Line {
                        due,
                        definition: definition.name.clone(),
                        uid: series.timetable.uid.clone(),
                        original,
                        dial: series.timetable.dial.name(),
                        outcome: Outcome::Paused,
                    });
                }
            }
        }
        lines.sort();
        lines
    }
}

/// The states of a definition, each with the instant at which it begins.
fn states(definition: &Definition, end: Timestamp) -> Vec<(Timestamp, State)> {
    let mut states = vec![(Timestamp::MIN, State::default())];
    for (at, act) in definition.acts.iter().filter(|(at, _)| *at <= end) {
        let (before, last) = states.last().expect("at least one");
        assert!(before < at, "{}: two acts at {at}", definition.name);
        let mut state = last.clone();
        state.take(*at, act, definition.means);
        states.push((*at, state));
    }
    states
}

impl State {
    fn is_off(&self, at: Timestamp) -> bool {
        self.off.iter().any(|(from, until)| (*from..*until).contains(&at))
    }

    /// Whether a request is possible, as far as the person has come.
    fn can_take(&self, at: Timestamp, act: &Act, (stays, end): (&Stays, Timestamp)) -> bool {
        let is_open = |due: Timestamp| due > at && !self.is_off(due);
        let is_to_come = |uid: &str, original: &Shown| {
            let Some(series) = self.series.get(uid) else { return false };
            // What is cancelled can still be decided otherwise.
            let whole = Series { cancelled: BTreeSet::new(), ..series.clone() };
            let all = whole.due(stays, end + SignedDuration::from_hours(100 * 24));
            let found = all.into_iter().find(|(one, ..)| one == original);
            found.is_some_and(|(_, due, _)| due > series.since && is_open(due))
        };
        match act {
            Act::Move { uid, original, to } => {
                let clock = |series: &Series| series.clock().due(*to, stays);
                is_to_come(uid, original) && self.series.get(uid).map(clock).is_some_and(is_open)
            }
            Act::Cancel { uid, original } => is_to_come(uid, original),
            Act::TakeOff { .. } => !self.is_paused,
            Act::Return => !self.is_paused && self.is_off(at),
            Act::Schedule(_) | Act::Split { .. } | Act::Pause | Act::Resume => true,
        }
    }

    fn take(&mut self, at: Timestamp, act: &Act, means: Means) {
        let series = |timetable: &Timetable| Series {
            timetable: timetable.clone(),
            since: at,
            changed_at: at,
            ends_before: None,
            moved: BTreeMap::new(),
            cancelled: BTreeSet::new(),
        };
        match act {
            Act::Schedule(timetable) => {
                self.series.insert(timetable.uid.clone(), series(timetable));
            }
            Act::Move { uid, original, to } => {
                let series = self.series.get_mut(uid).expect("a schedule");
                series.changed_at = at;
                series.moved.insert(*original, *to);
                if means == Means::Request {
                    series.cancelled.remove(original);
                }
            }
            Act::Cancel { uid, original } => {
                let series = self.series.get_mut(uid).expect("a schedule");
                series.changed_at = at;
                series.cancelled.insert(*original);
            }
            Act::Split { uid, before, then } => {
                let old = self.series.get_mut(uid).expect("a schedule");
                old.changed_at = at;
                old.ends_before = Some(*before);
                self.series.insert(then.uid.clone(), series(then));
            }
            Act::TakeOff { from, until } => self.off.push((*from, *until)),
            Act::Return => {
                for (_, until) in &mut self.off {
                    *until = (*until).min(at);
                }
            }
            Act::Pause => self.is_paused = true,
            Act::Resume => self.is_paused = false,
        }
    }
}

fn state_at(states: &[(Timestamp, State)], at: Timestamp) -> &State {
    let last = states.iter().rev().find(|(from, _)| *from <= at);
    &last.expect("the first state begins before all time").1
}

/// Everything that is due while it is active, in order, whether a node is there or not.
fn candidates(
    definition: &Definition,
    states: &[(Timestamp, State)],
    course: &Course,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (n, (from, state)) in states.iter().enumerate() {
        let to = states.get(n + 1).map_or(course.end, |(next, _)| *next);
        if state.is_paused {
            continue;
        }
        for series in state.series.values() {
            for (original, due, passed) in series.due(&course.stays, to) {
                let is_decided = due != *from && due != to;
                assert!(is_decided, "{}: an act at {due}, when it is due", definition.name);
                if due < *from || due <= series.since || state.is_off(due) {
                    continue;
                }
                candidates.push(Candidate {
                    line: Line {
                        due,
                        definition: definition.name.clone(),
                        uid: series.timetable.uid.clone(),
                        original,
                        dial: series.timetable.dial.name(),
                        outcome: Outcome::Runs,
                    },
                    passed,
                    changed_at: series.changed_at,
                });
            }
        }
    }
    candidates
        .sort_by(|a, b| (a.line.due, a.passed, &a.line).cmp(&(b.line.due, b.passed, &b.line)));
    candidates
}

impl Series {
    /// The clock by which single occurrences are moved. What was moved has a time of day.
    fn clock(&self) -> ScheduleClock {
        match &self.timetable.dial {
            ScheduleClock::Day { .. } | ScheduleClock::Person => ScheduleClock::Person,
            zone @ ScheduleClock::Zone(_) => zone.clone(),
        }
    }

    /// Everything that it has up to an instant: original starts with the instant at which they are due, and
    /// what [`ScheduleClock::passed`] says of it.
    fn due(&self, stays: &Stays, last: Timestamp) -> Vec<(Shown, Timestamp, Option<Timestamp>)> {
        let dial = self.clock();
        // What was moved here may have its original start later than the end.
        let latest = self.moved.keys().map(|original| dial.due(original.at, stays)).max();
        let starts = self.timetable.starts(stays, latest.map_or(last, |latest| latest.max(last)));
        let mut due = Vec::new();
        for (original, at) in starts {
            if self.ends_before.is_some_and(|before| original.at >= before)
                || self.cancelled.contains(&original)
            {
                continue;
            }
            let moved = self.moved.get(&original);
            let at = moved.map_or(at, |to| dial.due(*to, stays));
            let passed = match moved {
                Some(to) => dial.passed(*to, stays),
                None => self.timetable.dial.passed(original.at, stays),
            };
            if at <= last {
                due.push((original, at, passed));
            }
        }
        due
    }
}

/// The place of one run at a time, and of those that wait for it.
struct Place<'a> {
    lasts: SignedDuration,
    down: &'a [(Timestamp, Timestamp)],
    /// When the run that is under way ends.
    runs_until: Option<Timestamp>,
    /// The lines of those that wait. Each begins at the end of the run before.
    waiting: VecDeque<usize>,
}

impl Place<'_> {
    /// When a run ends that begins at an instant: no time passes for it while no node is there.
    fn end_of(&self, begin: Timestamp) -> Timestamp {
        let mut end = begin.checked_add(self.lasts).expect("a year that exists");
        for (from, to) in self.down {
            if *from > begin && *from < end {
                end = end.checked_add(to.duration_since(*from)).expect("a year that exists");
            }
        }
        end
    }

    /// Ends what has ended up to an instant, and begins what waited for it.
    fn settle(&mut self, at: Timestamp) {
        while let Some(until) = self.runs_until.filter(|until| *until <= at) {
            self.runs_until = self.waiting.pop_front().map(|_| self.end_of(until));
        }
    }

    /// Offers an occurrence that is due; `line` is the line of it in the list.
    fn offer(&mut self, at: Timestamp, overlap: Overlap, line: usize) -> Outcome {
        self.settle(at);
        match overlap {
            Overlap::Parallel => Outcome::Runs,
            Overlap::Queue | Overlap::Skip if self.runs_until.is_none() => self.line_up(at, line),
            Overlap::Queue if self.waiting.is_empty() => self.line_up(at, line),
            Overlap::Queue | Overlap::Skip => Outcome::Overlaps,
        }
    }

    /// Runs an occurrence after all others.
    fn line_up(&mut self, at: Timestamp, line: usize) -> Outcome {
        self.settle(at);
        match self.runs_until {
            None => self.runs_until = Some(self.end_of(at)),
            Some(_) => self.waiting.push_back(line),
        }
        Outcome::Runs
    }

    /// Lets nothing begin that waits when a pause begins.
    fn pause(&mut self, at: Timestamp, lines: &mut [Line]) {
        self.settle(at);
        for line in self.waiting.drain(..) {
            lines[line].outcome = Outcome::Paused;
        }
    }
}
