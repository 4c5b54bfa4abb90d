//! A year of forty definitions: a small planner over the series of `formats` makes the runs that the oracle
//! says, line by line. A planner with a mistake does not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::LazyLock;

use dormouse_formats::recurrence::{Clock, Given, Occurrence, Person, Position, Series};
use dormouse_simulation::work_calendar::{Dial, Pattern, Shown, Timetable, instant};
use dormouse_simulation::work_oracle::{Act, CatchUp, Course, Definition, Overlap, expected};
use jiff::civil::{DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

const ZONES: [&str; 3] = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];
const DUE_AT: Time = Time::constant(8, 0, 0, 0);

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
    /// Moving an occurrence to a time that is over makes it due.
    MoveReachesBack,
    /// All that was missed runs.
    CatchUpIgnoresAge,
}

/// Draws numbers, always the same.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn number(&mut self, n: u64) -> i64 {
        i64::try_from(self.below(n)).expect("small")
    }

    fn place(&mut self, n: usize) -> usize {
        usize::try_from(self.below(u64::try_from(n).expect("small"))).expect("small")
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.place(of.len())]
    }
}

fn timetable(draw: &mut Draw, uid: &str, from: DateTime) -> Timetable {
    let dial = match draw.below(8) {
        0 => Dial::Person,
        1 => Dial::Day { due_at: DUE_AT },
        _ => Dial::Zone(ZONES[draw.place(3)]),
    };
    let pattern = match draw.below(9) {
        0 | 1 => Pattern::Days(1 + draw.number(3)),
        2 | 3 => {
            let on = [Weekday::Sunday, Weekday::Monday, Weekday::Thursday];
            Pattern::Weeks(1 + draw.number(2), on[..=draw.place(3)].to_vec())
        }
        4 => Pattern::MonthDays(vec![1, 25, -1]),
        5 => Pattern::NthWeekday(*draw.pick(&[1, 2, -1]), Weekday::Sunday),
        6 => Pattern::Once,
        _ if matches!(dial, Dial::Zone(_)) => Pattern::Minutes(*draw.pick(&[60, 90, 180, 720])),
        _ => Pattern::Days(1),
    };
    let time = match dial {
        Dial::Day { .. } => Time::midnight(),
        _ => *draw.pick(&[
            Time::constant(2, 30, 0, 0),
            Time::constant(1, 45, 0, 0),
            Time::constant(2, 0, 0, 0),
            Time::constant(9, 0, 0, 0),
        ]),
    };
    let day = from.date().saturating_add(draw.number(20).days());
    let start = day.to_datetime(time);
    let until = (draw.below(5) == 0).then(|| day.saturating_add((40 + draw.number(200)).days()));
    let count = (until.is_none() && draw.below(5) == 0).then(|| 20 + draw.place(60));
    let mut table = Timetable { uid: uid.to_owned(), start, dial, pattern, until, count };
    // The start of a series is its first occurrence.
    let stays = [(Timestamp::MIN, ZONES[0])];
    let far = instant(ZONES[0], start.saturating_add(100.days()));
    let bare = Timetable { until: None, count: None, ..table.clone() };
    if let Some((shown, _)) = bare.starts(&stays, far).first() {
        table.start = shown.at;
    }
    table
}

/// A moment at which nothing is due.
fn moment(draw: &mut Draw, from: i64, days: u64) -> Timestamp {
    let minutes = from * 1440 + draw.number(days * 1440);
    let start: Timestamp = "2026-01-01T00:00:17Z".parse().expect("an instant");
    start + SignedDuration::from_mins(minutes)
}

fn definition(n: u64) -> Definition {
    let mut draw = Draw(n * 7 + 3);
    for _ in 0..5 {
        draw.below(2);
    }
    let uid = format!("s{n}");
    let made = moment(&mut draw, 0, 60);
    let at = TimeZone::UTC.to_datetime(made);
    let mut table = timetable(&mut draw, &uid, at);
    // One that passes every change of the clock in each zone.
    let hourly = usize::try_from(n).ok().and_then(|n| ZONES.get(n));
    if let Some(zone) = hourly {
        (table.dial, table.pattern) = (Dial::Zone(zone), Pattern::Minutes(60));
        (table.until, table.count) = (None, None);
    }
    let mut acts = vec![(made, Act::Schedule(table.clone()))];
    let stays = [(Timestamp::MIN, ZONES[0])];
    let end = "2027-01-01T00:00:00Z".parse().expect("an instant");
    let starts = table.starts(&stays, end);
    let can_move = !matches!(table.pattern, Pattern::Minutes(_));
    for _ in 0..6 {
        if starts.len() > 8 && can_move && draw.below(3) > 0 {
            let (original, due) = *draw.pick(&starts);
            let by = *draw.pick(&[-50, -3, 2, 5, 26, 70]);
            let act = if draw.below(4) == 0 {
                Act::Cancel { uid: uid.clone(), original }
            } else {
                let to = original.at.saturating_add(by.hours()).saturating_add(7.minutes());
                Act::Move { uid: uid.clone(), original, to }
            };
            // Mostly before it is due, now and then after.
            let before = *draw.pick(&[-30, 4, 30, 200]);
            acts.push((
                due - SignedDuration::from_hours(before) + SignedDuration::from_secs(17),
                act,
            ));
        }
    }
    if draw.below(3) == 0 {
        let pause = moment(&mut draw, 100, 100);
        let resume = pause + SignedDuration::from_hours(3 + draw.number(300));
        acts.extend([(pause, Act::Pause), (resume, Act::Resume)]);
    }
    if draw.below(3) == 0 {
        let from = moment(&mut draw, 200, 60);
        let until = from + SignedDuration::from_hours(7 * 24);
        acts.push((from - SignedDuration::from_hours(48), Act::TakeOff { from, until }));
    }
    let last = moment(&mut draw, 280, 30);
    let civil = TimeZone::UTC.to_datetime(last).saturating_add(5.days());
    match draw.below(4) {
        _ if hourly.is_some() => {}
        0 => {
            let then = timetable(&mut draw, &format!("{uid}b"), civil);
            // Only a series that has something on both sides can be split.
            let place = starts.iter().position(|(shown, _)| shown.at >= civil);
            if let Some(place) = place.filter(|place| *place > 0) {
                let before = starts[place].0.at;
                acts.push((last, Act::Split { uid: uid.clone(), before, then }));
            }
        }
        1 => acts.push((last, Act::Schedule(timetable(&mut draw, &uid, civil)))),
        _ => {}
    }
    acts.retain(|(at, _)| *at >= made);
    acts.sort_by_key(|(at, _)| *at);
    // What comes after another rule of the same series is about occurrences that it no longer has.
    let rule =
        acts.iter().rposition(|(_, act)| matches!(act, Act::Schedule(_) | Act::Split { .. }));
    let rule = rule.unwrap_or(0);
    let is_kept = |n: usize, act: &Act| {
        n <= rule || rule == 0 || !matches!(act, Act::Move { .. } | Act::Cancel { .. })
    };
    let acts = acts.into_iter().enumerate().filter(|(n, (_, act))| is_kept(*n, act));
    let mut acts: Vec<_> = acts.map(|(_, act)| act).collect();
    acts.dedup_by_key(|(at, _)| *at);
    // While no node is there nobody does anything.
    let down = course().down;
    acts.retain(|(at, _)| !down.iter().any(|(from, to)| (*from..=*to).contains(at)));
    let catch_up = *draw.pick(&[CatchUp::Skip, CatchUp::Once, CatchUp::All]);
    let lasts = SignedDuration::ZERO;
    Definition { name: format!("d{n:02}"), catch_up, overlap: Overlap::Parallel, lasts, acts }
}

fn course() -> Course {
    let utc = |text: &str| text.parse().expect("an instant");
    Course {
        stays: vec![
            (Timestamp::MIN, "Europe/Berlin"),
            (utc("2026-05-04T03:10:23Z"), "Asia/Tokyo"),
            (utc("2026-05-20T01:40:23Z"), "America/New_York"),
            (utc("2026-06-11T12:00:23Z"), "Europe/Berlin"),
        ],
        down: vec![
            // Over the change in Berlin, for a few hours; for days; over the change in New York.
            (utc("2026-03-29T00:10:41Z"), utc("2026-03-29T06:10:41Z")),
            (utc("2026-07-10T05:00:41Z"), utc("2026-07-13T11:00:41Z")),
            (utc("2026-11-01T04:00:41Z"), utc("2026-11-02T03:00:41Z")),
        ],
        end: utc("2027-01-01T00:00:53Z"),
    }
}

fn person(name: &str) -> Person {
    Person { zone: TimeZone::get(name).expect("a zone"), day_due_at: DUE_AT }
}

fn clock(dial: &Dial) -> Clock {
    match dial {
        Dial::Person => Clock::Floating,
        Dial::Day { .. } => Clock::Day,
        Dial::Zone(name) => Clock::named(name).expect("a zone"),
    }
}

fn series(table: &Timetable, person: &Person) -> Series {
    let day = |day: &Weekday| {
        ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
            [usize::try_from(day.to_monday_zero_offset()).expect("small")]
    };
    let joined = |list: Vec<String>| list.join(",");
    let mut rule = match &table.pattern {
        Pattern::Once => return Series::once(table.start, clock(&table.dial)),
        Pattern::Days(n) => format!("FREQ=DAILY;INTERVAL={n}"),
        Pattern::Weeks(n, on) => {
            let on = joined(on.iter().map(|one| day(one).to_owned()).collect());
            format!("FREQ=WEEKLY;INTERVAL={n};BYDAY={on}")
        }
        Pattern::MonthDays(on) => {
            format!(
                "FREQ=MONTHLY;BYMONTHDAY={}",
                joined(on.iter().map(ToString::to_string).collect())
            )
        }
        Pattern::NthWeekday(nth, on) => format!("FREQ=MONTHLY;BYDAY={nth}{}", day(on)),
        Pattern::Minutes(n) => format!("FREQ=MINUTELY;INTERVAL={n}"),
    };
    if let Some(until) = table.until {
        rule.push_str(&until.strftime(";UNTIL=%Y%m%d").to_string());
    }
    if let Some(count) = table.count {
        write!(rule, ";COUNT={count}").expect("a String grows");
    }
    let rule = rule.parse().expect("a rule");
    Series::new(table.start, clock(&table.dial), rule, person).expect("a series")
}

/// A series with how far it has come.
struct Planned {
    series: Series,
    dial: Dial,
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
        let mut due: Vec<(Timestamp, String, Occurrence)> = Vec::new();
        for (uid, planned) in &mut self.planned {
            while let Some(next) = planned.series.next_due(&planned.position, &self.person) {
                if next.at > upto {
                    break;
                }
                planned.position = next.position;
                for one in next.occurrences {
                    // When its clock was put past it, it is due at that moment.
                    let at = match planned.dial {
                        Dial::Zone(_) => one.due,
                        Dial::Person | Dial::Day { .. } => one.due.max(self.here_since),
                    };
                    due.push((at, uid.clone(), one));
                }
            }
        }
        due.sort_by(|a, b| (a.0, &a.1, a.2.id.start).cmp(&(b.0, &b.1, b.2.id.start)));
        let is_after_down = self.course.down.iter().any(|(_, to)| *to == upto);
        let n = due.len();
        for (place, (at, uid, one)) in due.into_iter().enumerate() {
            let key = format!("{uid} {}", one.id);
            if !self.done.insert(key.clone()) && self.mistake != Some(Mistake::NoUniqueOccurrence) {
                continue;
            }
            let age = upto.duration_since(at);
            let is_recent = age <= SignedDuration::from_hours(24)
                || self.mistake == Some(Mistake::CatchUpIgnoresAge);
            let runs = !is_after_down
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
                let to = self.given(uid, *to);
                let planned = self.planned.get_mut(uid).expect("a series");
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
                let at_start = self.given(uid, *before);
                let planned = self.planned.get_mut(uid).expect("a series");
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

    fn plan(&mut self, begin: Timestamp, table: &Timetable) {
        let mut series = series(table, &self.person);
        for (from, until) in &self.off {
            series.suspend(*from, Some(*until));
        }
        let position = Position::new(begin, &self.person);
        let planned = Planned { series, dial: table.dial.clone(), position };
        self.planned.insert(table.uid.clone(), planned);
    }

    /// What a calendar writes as RECURRENCE-ID: in UTC where there is a zone.
    fn recurrence_id(&self, uid: &str, original: Shown) -> Given {
        match &self.planned[uid].dial {
            Dial::Day { .. } => Given::Day(original.at.date()),
            Dial::Person => Given::Local(original.at),
            Dial::Zone(name) => {
                let at = instant(name, original.at);
                if self.mistake == Some(Mistake::RecurrenceIdAsText) {
                    return Given::Local(TimeZone::UTC.to_datetime(at));
                }
                Given::Utc(at)
            }
        }
    }

    fn given(&self, uid: &str, at: DateTime) -> Given {
        match &self.planned[uid].dial {
            Dial::Zone(_) => Given::In(at, self.planned[uid].series.clock().clone()),
            Dial::Person | Dial::Day { .. } => Given::Local(at),
        }
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

fn lines(definitions: &[Definition], course: &Course) -> Vec<String> {
    let mut lines: Vec<String> = expected(definitions, course)
        .iter()
        .map(|line| {
            // An identity as the product writes it.
            let original = match line.dial {
                "date" => line.original.at.date().to_string(),
                _ => line.original.at.to_string(),
            };
            let second = if line.original.is_second { " second" } else { "" };
            format!(
                "{} {} {} {original} {}{second}: {:?}",
                line.due, line.definition, line.uid, line.dial, line.outcome
            )
        })
        .collect();
    lines.sort();
    lines
}

/// What one list has and the other has not, shortly.
fn difference(ours: &[String], theirs: &[String]) -> String {
    let (ours, theirs): (BTreeSet<_>, BTreeSet<_>) =
        (ours.iter().collect(), theirs.iter().collect());
    let only = |a: &BTreeSet<&String>, b: &BTreeSet<&String>, sign: &str| {
        let lines: Vec<String> =
            a.difference(b).take(15).map(|line| format!("{sign} {line}")).collect();
        lines.join("\n")
    };
    format!("{}\n{}", only(&ours, &theirs, "planned "), only(&theirs, &ours, "expected"))
}

/// Forty definitions with the lines of their year.
static YEAR: LazyLock<(Vec<Definition>, Vec<String>)> = LazyLock::new(|| {
    let definitions: Vec<Definition> = (0..40).map(definition).collect();
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
    ] {
        let planned = planned(definitions, &course(), Some(mistake));
        assert!(planned != *expected, "{mistake:?} makes no difference");
    }
}
