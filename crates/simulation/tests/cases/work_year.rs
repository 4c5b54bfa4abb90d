//! A year of forty definitions: a small planner over the series of `formats` makes the runs that the oracle
//! says, line by line. A planner with a mistake does not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use dormouse_formats::recurrence::{Given, Occurrence, Person, Position, Series};
use dormouse_simulation::work_calendar::{ScheduleClock, Shown, Timetable};
use dormouse_simulation::work_oracle::{Act, CatchUp, Course, Definition};
use jiff::{SignedDuration, Timestamp};

use super::year::{
    course, definition, difference, given, lines, person, recurrence_id, recurrence_id_as_text,
    series,
};

/// A mistake of a planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// The digits of a RECURRENCE-ID in UTC are compared with those of the series.
    RecurrenceIdAsText,
    /// An override does not take the place of its occurrence, because it is matched by SEQUENCE.
    OverrideBySequence,
    /// What came due during a pause is caught up with.
    CatchUpIgnoresPause,
    /// Nothing remembers which occurrences ran.
    NoUniqueOccurrence,
    /// An edit makes due what its new times had before it.
    EditReachesBack,
    /// Moving an occurrence to a time that has passed makes it due.
    MoveReachesBack,
    /// All that was missed runs.
    CatchUpIgnoresAge,
    /// What the person's clock was set past runs whatever the catch-up says.
    PassedIsOnTime,
}

/// A series with how far it has come.
struct Planned {
    series: Series,
    dial: ScheduleClock,
    position: Position,
}

/// Plans one definition as the product does: a position moves along each series.
struct Planner<'a> {
    definition: &'a Definition,
    course: &'a Course,
    mistake: Option<Mistake>,
    planned: BTreeMap<String, Planned>,
    off: Vec<(Timestamp, Timestamp)>,
    is_paused: bool,
    person: Person,
    /// Since when the person is where the person is.
    here_since: Timestamp,
    done: BTreeSet<String>,
    lines: Vec<String>,
}

impl Planner<'_> {
    fn run(mut self) -> Vec<String> {
        let mut marks: Vec<Timestamp> = self.definition.acts.iter().map(|(at, _)| *at).collect();
        marks.extend(self.course.stays.iter().skip(1).map(|(at, _)| *at));
        marks.extend(self.course.down.iter().flat_map(|(from, to)| [*from, *to]));
        marks.push(self.course.end);
        marks.sort();
        for mark in marks {
            let is_up = !self.course.down.iter().any(|(from, to)| *from < mark && mark < *to);
            if is_up {
                self.collect(mark);
            }
            if let Some((_, name)) = self.course.stays.iter().find(|(at, _)| *at == mark) {
                self.person = person(name);
                self.here_since = mark;
                // Who arrives where it is past a time finds it due.
                self.collect(mark);
            }
            if let Some((_, act)) = self.definition.acts.iter().find(|(at, _)| *at == mark) {
                self.take(mark, &act.clone());
            }
        }
        self.lines
    }

    /// Deals with all that is due up to an instant.
    fn collect(&mut self, upto: Timestamp) {
        if self.is_paused {
            return;
        }
        let mut due: Vec<(Timestamp, String, Occurrence, bool)> = Vec::new();
        for (uid, planned) in &mut self.planned {
            while let Some(next) = planned.series.next_due(&planned.position, &self.person) {
                if next.at > upto {
                    break;
                }
                planned.position = next.position;
                for one in next.occurrences {
                    // When its clock was put past it, it is due at that moment.
                    let at = match planned.dial {
                        ScheduleClock::Zone(_) => one.due,
                        ScheduleClock::Person | ScheduleClock::Day { .. } => {
                            one.due.max(self.here_since)
                        }
                    };
                    let was_passed = at > one.due;
                    due.push((at, uid.clone(), one, was_passed));
                }
            }
        }
        due.sort_by_key(|(at, uid, one, _)| (*at, one.due, uid.clone(), one.id.start));
        let is_after_down = self.course.down.iter().any(|(_, to)| *to == upto);
        let n = due.len();
        for (place, (at, uid, one, was_passed)) in due.into_iter().enumerate() {
            let key = format!("{uid} {}", one.id);
            if !self.done.insert(key.clone()) && self.mistake != Some(Mistake::NoUniqueOccurrence) {
                continue;
            }
            let age = upto.duration_since(at);
            let is_recent = age <= SignedDuration::from_hours(24)
                || self.mistake == Some(Mistake::CatchUpIgnoresAge);
            let is_missed =
                is_after_down || was_passed && self.mistake != Some(Mistake::PassedIsOnTime);
            let runs = !is_missed
                || match self.definition.catch_up {
                    CatchUp::Skip => false,
                    CatchUp::Once => place + 1 == n && is_recent,
                    CatchUp::All => is_recent,
                };
            let outcome = if runs { "Runs" } else { "Missed" };
            self.lines.push(format!("{at} {} {key}: {outcome}", self.definition.name));
        }
    }

    fn take(&mut self, at: Timestamp, act: &Act) {
        let begin = match self.mistake {
            Some(Mistake::EditReachesBack) => at - SignedDuration::from_hours(24),
            _ => at,
        };
        if self.mistake != Some(Mistake::MoveReachesBack) && !self.is_paused {
            // Nothing is due before the edit.
            for planned in self.planned.values_mut() {
                let now = Position::new(at, &self.person);
                let position = &mut planned.position;
                position.at = position.at.max(now.at);
                position.clock_showed = position.clock_showed.max(now.clock_showed);
            }
        }
        match act {
            Act::Schedule(table) => self.plan(begin, table),
            Act::Move { uid, original, to } => {
                let id = self.recurrence_id(uid, *original);
                let planned = self.planned.get_mut(uid).expect("a series");
                let to = given(&planned.series, *to);
                if self.mistake == Some(Mistake::OverrideBySequence) {
                    planned.series.add(&to, &self.person);
                } else {
                    planned.series.move_to(&id, &to, &self.person);
                }
            }
            Act::Cancel { uid, original } => {
                let id = self.recurrence_id(uid, *original);
                let planned = self.planned.get_mut(uid).expect("a series");
                planned.series.cancel(&id, &self.person);
            }
            Act::Split { uid, before, then } => {
                let planned = self.planned.get_mut(uid).expect("a series");
                let at_start = given(&planned.series, *before);
                let split = planned.series.split(&at_start, &self.person);
                planned.series = split.expect("something on both sides").0;
                self.plan(begin, then);
            }
            Act::TakeOff { from, until } => {
                self.off.push((*from, *until));
                for planned in self.planned.values_mut() {
                    planned.series.suspend(*from, Some(*until));
                }
            }
            Act::Return => panic!("nobody returns early here"),
            Act::Pause => self.is_paused = true,
            Act::Resume => {
                self.is_paused = false;
                if self.mistake != Some(Mistake::CatchUpIgnoresPause) {
                    for planned in self.planned.values_mut() {
                        planned.position = Position::new(at, &self.person);
                    }
                }
            }
        }
    }

    fn recurrence_id(&self, uid: &str, original: Shown) -> Given {
        let dial = &self.planned[uid].dial;
        match self.mistake {
            Some(Mistake::RecurrenceIdAsText) => recurrence_id_as_text(dial, original),
            _ => recurrence_id(dial, original),
        }
    }

    fn plan(&mut self, begin: Timestamp, table: &Timetable) {
        let mut series = series(table, &self.person);
        for (from, until) in &self.off {
            series.suspend(*from, Some(*until));
        }
        let position = Position::new(begin, &self.person);
        let planned = Planned { series, dial: table.dial.clone(), position };
        self.planned.insert(table.uid.clone(), planned);
    }
}

/// The lines of a planner.
fn planned(definitions: &[Definition], course: &Course, mistake: Option<Mistake>) -> Vec<String> {
    let plan = |definition| {
        let planner = Planner {
            definition,
            course,
            mistake,
            planned: BTreeMap::new(),
            off: Vec::new(),
            is_paused: false,
            person: person(course.stays[0].1),
            here_since: Timestamp::MIN,
            done: BTreeSet::new(),
            lines: Vec::new(),
        };
        planner.run()
    };
    let mut lines: Vec<String> = definitions.iter().flat_map(plan).collect();
    lines.sort();
    lines
}

/// Forty definitions with the lines of their year.
static YEAR: LazyLock<(Vec<Definition>, Vec<String>)> = LazyLock::new(|| {
    let definitions: Vec<Definition> = (0..40).map(|n| definition(n, None)).collect();
    let lines = lines(&definitions, &course());
    (definitions, lines)
});

#[test]
fn a_year_of_forty_definitions_has_the_runs_of_the_oracle() {
    let (definitions, expected) = &*YEAR;
    let planned = planned(definitions, &course(), None);
    assert!(planned == *expected, "{}", difference(&planned, expected));
    let n = |what: &str| expected.iter().filter(|line| line.contains(what)).count();
    assert!(expected.len() > 5_000, "{} lines", expected.len());
    let kinds = [n("Missed"), n(" second:"), n(" date"), n(" floating")];
    assert!(kinds.iter().zip([10, 1, 30, 30]).all(|(n, least)| *n >= least), "{kinds:?}");
    let n_acts = |is: fn(&Act) -> bool| {
        definitions.iter().flat_map(|one| &one.acts).filter(|(_, act)| is(act)).count()
    };
    for (n, what) in [
        (n_acts(|act| matches!(act, Act::Move { .. })), "moves"),
        (n_acts(|act| matches!(act, Act::Cancel { .. })), "cancellations"),
        (n_acts(|act| matches!(act, Act::Split { .. })), "splits"),
        (n_acts(|act| matches!(act, Act::TakeOff { .. })), "weeks off"),
        (n_acts(|act| matches!(act, Act::Pause)), "pauses"),
    ] {
        assert!(n >= 3, "only {n} {what}");
    }
}

#[test]
fn each_mistake_of_a_planner_shows() {
    let (definitions, expected) = &*YEAR;
    for mistake in [
        Mistake::RecurrenceIdAsText,
        Mistake::OverrideBySequence,
        Mistake::CatchUpIgnoresPause,
        Mistake::NoUniqueOccurrence,
        Mistake::EditReachesBack,
        Mistake::MoveReachesBack,
        Mistake::CatchUpIgnoresAge,
        Mistake::PassedIsOnTime,
    ] {
        let planned = planned(definitions, &course(), Some(mistake));
        assert!(planned != *expected, "{mistake:?} makes no difference");
    }
}
