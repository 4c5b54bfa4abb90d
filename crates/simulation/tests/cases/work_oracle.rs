//! What the oracle of agent work says about one definition at a time.

use dormouse_simulation::work_calendar::{Pattern, ScheduleClock, Shown, Timetable};
use dormouse_simulation::work_oracle::{
    Act, CatchUp, Course, Definition, Means, Overlap, expected, possible,
};
use jiff::civil::{DateTime, Time, date};
use jiff::{SignedDuration, Timestamp};

fn utc(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn day(n: i8) -> DateTime {
    date(2026, 6, n).at(9, 0, 0, 0)
}

/// Every day at 9:00 UTC, from the first of June 2026.
fn daily() -> Timetable {
    Timetable {
        uid: "one".into(),
        start: day(1),
        dial: ScheduleClock::Zone("UTC"),
        pattern: Pattern::Days(1),
        until: None,
        count: None,
    }
}

fn first(at: DateTime) -> Shown {
    Shown { at, is_second: false }
}

/// The lines of one definition, until noon of the sixth of June: the days of the originals, with what is
/// not plain about them.
fn lines(
    policies: (CatchUp, Overlap),
    lasts: SignedDuration,
    acts: &[(&str, Act)],
    down: &[(&str, &str)],
) -> String {
    lines_with(0, policies, lasts, acts, down)
}

/// The same, with some lines of each pause.
fn lines_with(
    lines_of_pause: usize,
    policies: (CatchUp, Overlap),
    lasts: SignedDuration,
    acts: &[(&str, Act)],
    down: &[(&str, &str)],
) -> String {
    let definition = Definition {
        name: "morning".into(),
        catch_up: policies.0,
        overlap: policies.1,
        lasts,
        means: Means::Replace,
        acts: acts.iter().map(|(at, act)| (utc(at), act.clone())).collect(),
    };
    let course = Course {
        stays: vec![(Timestamp::MIN, "UTC")],
        down: down.iter().map(|(from, to)| (utc(from), utc(to))).collect(),
        lines_of_pause,
        end: utc("2026-06-06T12:00:00Z"),
    };
    let lines = expected(&[definition], &course).into_iter().map(|line| {
        let due = line.due.strftime("%d").to_string();
        let original = line.original.at.strftime("%d").to_string();
        let moved = if due == original { String::new() } else { format!("<{original}") };
        let outcome = match line.outcome {
            dormouse_simulation::work_oracle::Outcome::Runs => "",
            dormouse_simulation::work_oracle::Outcome::Missed => "-",
            dormouse_simulation::work_oracle::Outcome::Overlaps => "=",
            dormouse_simulation::work_oracle::Outcome::Paused => "~",
        };
        format!("{due}{moved}{outcome}")
    });
    lines.collect::<Vec<_>>().join(" ")
}

const QUICK: SignedDuration = SignedDuration::from_mins(5);
const MADE: &str = "2026-05-31T12:00:00Z";

fn plain(acts: &[(&str, Act)]) -> String {
    let mut all = vec![(MADE, Act::Schedule(daily()))];
    all.extend_from_slice(acts);
    lines((CatchUp::Once, Overlap::Queue), QUICK, &all, &[])
}

#[test]
fn what_is_due_while_it_is_active_runs_once() {
    assert_eq!(plain(&[]), "01 02 03 04 05 06");
    assert_eq!(
        plain(&[("2026-06-02T08:59:00Z", Act::Pause), ("2026-06-04T09:01:00Z", Act::Resume)]),
        "01 05 06",
        "paused a minute before, and resumed a minute after"
    );
    let off =
        Act::TakeOff { from: utc("2026-06-03T00:00:00Z"), until: utc("2026-06-05T00:00:00Z") };
    assert_eq!(plain(&[("2026-06-01T10:00:00Z", off)]), "01 02 05 06");
}

#[test]
fn the_newest_of_a_pause_have_a_line_once_it_ends() {
    let paused = |n, acts: &[(&str, Act)]| {
        let mut all = vec![(MADE, Act::Schedule(daily()))];
        all.extend_from_slice(acts);
        lines_with(n, (CatchUp::Once, Overlap::Queue), QUICK, &all, &[])
    };
    let pause = ("2026-06-02T08:59:00Z", Act::Pause);
    let resume = ("2026-06-04T09:01:00Z", Act::Resume);
    assert_eq!(paused(3, &[pause.clone(), resume.clone()]), "01 02~ 03~ 04~ 05 06");
    assert_eq!(paused(2, &[pause.clone(), resume.clone()]), "01 03~ 04~ 05 06");
    assert_eq!(paused(3, std::slice::from_ref(&pause)), "01", "it is not over");
    // What has a line does not run later, whereto it is moved.
    let to = date(2026, 6, 5).at(11, 0, 0, 0);
    let original = first(date(2026, 6, 3).at(9, 0, 0, 0));
    let moves = ("2026-06-04T10:00:00Z", Act::Move { uid: "one".into(), original, to });
    let moved = paused(3, &[pause.clone(), resume, moves]);
    assert_eq!(moved, "01 02~ 03~ 04~ 05 06");
    let other = ("2026-06-03T10:00:00Z", Act::Schedule(daily()));
    let resume = ("2026-06-04T10:00:00Z", Act::Resume);
    assert_eq!(paused(1, &[pause, other, resume]), "01 03~ 04~ 05 06", "one of each schedule");
}

#[test]
fn what_is_new_runs_nothing_that_was_due_before() {
    let acts = [("2026-06-03T10:00:00Z", Act::Schedule(daily()))];
    assert_eq!(lines((CatchUp::All, Overlap::Queue), QUICK, &acts, &[]), "04 05 06");
    let later = Timetable { start: date(2026, 6, 1).at(11, 0, 0, 0), ..daily() };
    let earlier = Timetable { start: date(2026, 6, 1).at(7, 0, 0, 0), ..daily() };
    // At 8 on the third it moves from 9 to 11, at 10 on the fifth from 11 to 7.
    let acts = [
        ("2026-06-03T08:00:00Z", Act::Schedule(later)),
        ("2026-06-05T10:00:00Z", Act::Schedule(earlier)),
    ];
    assert_eq!(plain(&acts), "01 02 03 04 06");
}

#[test]
fn an_occurrence_that_is_moved_keeps_its_identity() {
    let to = |at: &'static str, original, to| {
        (at, Act::Move { uid: "one".into(), original: first(day(original)), to: day(to) })
    };
    let at = date(2026, 6, 5).at(15, 0, 0, 0);
    let original = first(day(3));
    let later = Act::Move { uid: "one".into(), original, to: at };
    assert_eq!(plain(&[("2026-06-02T10:00:00Z", later.clone())]), "01 02 04 05 05<03 06");
    assert_eq!(plain(&[("2026-06-03T10:00:00Z", later)]), "01 02 03 04 05 06", "it already ran");
    let (when, past) = to("2026-06-02T10:00:00Z", 3, 2);
    assert_eq!(plain(&[(when, past)]), "01 02 04 05 06", "moved into the past");
    let cancel = Act::Cancel { uid: "one".into(), original };
    assert_eq!(plain(&[("2026-06-02T10:00:00Z", cancel)]), "01 02 04 05 06");
}

#[test]
fn a_split_ends_one_series_and_begins_another() {
    let then = Timetable { uid: "two".into(), start: date(2026, 6, 4).at(7, 0, 0, 0), ..daily() };
    let split = Act::Split { uid: "one".into(), before: day(4), then };
    assert_eq!(plain(&[("2026-06-02T10:00:00Z", split)]), "01 02 03 04 05 06");
}

#[test]
fn a_catch_up_decides_about_what_was_missed() {
    let made = [(MADE, Act::Schedule(daily()))];
    let down = [("2026-06-02T08:00:00Z", "2026-06-04T20:00:00Z")];
    let of = |catch_up| lines((catch_up, Overlap::Queue), QUICK, &made, &down);
    assert_eq!(of(CatchUp::Skip), "01 02- 03- 04- 05 06");
    assert_eq!(of(CatchUp::Once), "01 02- 03- 04 05 06");
    assert_eq!(of(CatchUp::All), "01 02- 03- 04 05 06", "older than a day");
    let down = [("2026-06-02T08:00:00Z", "2026-06-04T08:59:00Z")];
    let of = |catch_up| lines((catch_up, Overlap::Queue), QUICK, &made, &down);
    assert_eq!(of(CatchUp::Once), "01 02- 03 04 05 06");
    let twice = [(MADE, Act::Schedule(Timetable { pattern: Pattern::Minutes(720), ..daily() }))];
    let down = [("2026-06-02T08:00:00Z", "2026-06-03T08:00:00Z")];
    let of = |catch_up| lines((catch_up, Overlap::Queue), QUICK, &twice, &down);
    assert!(of(CatchUp::All).starts_with("01 01 02 02 03 03"), "{}", of(CatchUp::All));
    assert!(of(CatchUp::Once).starts_with("01 01 02- 02 03 03"), "{}", of(CatchUp::Once));
}

#[test]
fn a_catch_up_decides_about_what_a_clock_is_set_past() {
    // At 12:30 in Berlin it is past 19:00 in Tokyo: two of the second of June have passed, one is on time.
    let stays = vec![
        (Timestamp::MIN, "Europe/Berlin"),
        (utc("2026-06-02T10:30:07Z"), "Asia/Tokyo"),
        (utc("2026-06-02T16:30:07Z"), "Europe/Berlin"),
    ];
    let of = |catch_up| {
        let moved = |hour, day: i8, to: (i8, i8)| {
            let to = date(2026, 6, to.0).at(to.1, 0, 0, 0);
            let original = first(date(2026, 6, day).at(9, 0, 0, 0));
            (utc(hour), Act::Move { uid: "one".into(), original, to })
        };
        let definition = Definition {
            name: "morning".into(),
            catch_up,
            overlap: Overlap::Parallel,
            lasts: QUICK,
            means: Means::Replace,
            acts: vec![
                (utc(MADE), Act::Schedule(Timetable { dial: ScheduleClock::Person, ..daily() })),
                moved("2026-06-01T10:00:00Z", 4, (2, 15)),
                moved("2026-06-01T11:00:00Z", 3, (2, 18)),
                moved("2026-06-01T12:00:00Z", 5, (2, 23)),
            ],
        };
        let end = utc("2026-06-03T00:00:00Z");
        let course = Course { stays: stays.clone(), down: Vec::new(), lines_of_pause: 0, end };
        let lines = expected(&[definition], &course).into_iter().map(|line| {
            format!(
                "{} {:?} {}",
                line.original.at.day(),
                line.outcome,
                line.due.strftime("%d. %H:%M")
            )
        });
        lines.collect::<Vec<_>>().join(", ")
    };
    let rest = "2 Runs 02. 07:00";
    let last = "5 Runs 02. 14:00";
    assert_eq!(
        of(CatchUp::Once),
        format!("1 Runs 01. 07:00, {rest}, 3 Runs 02. 10:30, 4 Missed 02. 10:30, {last}")
    );
    assert_eq!(
        of(CatchUp::Skip),
        format!("1 Runs 01. 07:00, {rest}, 3 Missed 02. 10:30, 4 Missed 02. 10:30, {last}")
    );
    assert_eq!(
        of(CatchUp::All),
        format!("1 Runs 01. 07:00, {rest}, 3 Runs 02. 10:30, 4 Runs 02. 10:30, {last}")
    );
}

#[test]
fn what_was_paused_or_changed_is_not_missed() {
    let down = [("2026-06-02T08:00:00Z", "2026-06-02T20:00:00Z")];
    let with = |at, act| {
        let acts = [(MADE, Act::Schedule(daily())), (at, act)];
        lines((CatchUp::All, Overlap::Queue), QUICK, &acts, &down)
    };
    assert_eq!(with("2026-06-02T07:00:00Z", Act::Pause), "01");
    assert_eq!(with("2026-06-02T10:00:00Z", Act::Pause), "01", "paused before a node was there");
    // Another program changed the series meanwhile.
    let cancel = Act::Cancel { uid: "one".into(), original: first(day(4)) };
    assert_eq!(with("2026-06-02T10:00:00Z", cancel), "01 03 05 06");
}

#[test]
fn an_overlap_decides_about_what_comes_due_during_a_run() {
    let made = [(MADE, Act::Schedule(daily()))];
    let of = |overlap, hours| {
        let lasts = SignedDuration::from_hours(hours);
        lines((CatchUp::Once, overlap), lasts, &made, &[])
    };
    assert_eq!(of(Overlap::Skip, 25), "01 02= 03 04= 05 06=");
    assert_eq!(of(Overlap::Queue, 25), "01 02 03 04 05 06", "each waits an hour longer");
    assert_eq!(of(Overlap::Queue, 60), "01 02 03= 04 05= 06");
    assert_eq!(of(Overlap::Parallel, 60), "01 02 03 04 05 06");
}

#[test]
fn what_waits_when_a_pause_begins_never_begins() {
    let with = |policies, hours, acts: &[(&str, Act)], down: &[(&str, &str)]| {
        let mut all = vec![(MADE, Act::Schedule(daily()))];
        all.extend_from_slice(acts);
        lines(policies, SignedDuration::from_hours(hours), &all, down)
    };
    let rest = [("2026-06-02T10:00:00Z", Act::Pause), ("2026-06-02T11:00:00Z", Act::Resume)];
    assert_eq!(with((CatchUp::Once, Overlap::Queue), 60, &rest, &[]), "01 02~ 03 04 05= 06");
    assert_eq!(with((CatchUp::Once, Overlap::Parallel), 60, &rest, &[]), "01 02 03 04 05 06");
    // What is lined up leaves no room for another one, and waits as well.
    let twice = Timetable { pattern: Pattern::Minutes(720), ..daily() };
    let down = [("2026-06-02T08:00:00Z", "2026-06-03T08:00:00Z")];
    let acts = [
        (MADE, Act::Schedule(twice)),
        ("2026-06-03T10:00:00Z", Act::Pause),
        ("2026-06-03T11:00:00Z", Act::Resume),
    ];
    let found = lines((CatchUp::All, Overlap::Queue), SignedDuration::from_hours(20), &acts, &down);
    assert_eq!(found, "01 01 02~ 02~ 03= 03 04 04 05= 05 06=");
}

#[test]
fn a_request_about_what_is_over_or_taken_off_is_refused() {
    let moves = |original, (day, hour)| {
        let to = date(2026, 6, day).at(hour, 0, 0, 0);
        Act::Move { uid: "one".into(), original: first(self::day(original)), to }
    };
    let cancel = |n| Act::Cancel { uid: "one".into(), original: first(day(n)) };
    let original = first(date(2026, 6, 4).at(10, 0, 0, 0));
    let unknown = Act::Cancel { uid: "one".into(), original };
    let off = |from: &str, until: &str| Act::TakeOff { from: utc(from), until: utc(until) };
    let acts = [
        (MADE, Act::Schedule(daily())),
        ("2026-06-01T10:00:00Z", cancel(1)),
        ("2026-06-01T11:00:00Z", moves(2, (1, 10))),
        ("2026-06-01T12:00:00Z", cancel(2)),
        ("2026-06-01T13:00:00Z", moves(2, (1, 20))),
        ("2026-06-01T14:00:00Z", unknown),
        ("2026-06-02T12:00:00Z", off("2026-06-02T12:00:00Z", "2026-06-06T00:00:00Z")),
        ("2026-06-02T13:00:00Z", cancel(4)),
        ("2026-06-02T14:00:00Z", moves(6, (5, 9))),
        ("2026-06-04T12:00:00Z", Act::Return),
        ("2026-06-04T13:00:00Z", Act::Return),
    ];
    let definition = Definition {
        name: "morning".into(),
        catch_up: CatchUp::Once,
        overlap: Overlap::Queue,
        lasts: QUICK,
        means: Means::Request,
        acts: acts.map(|(at, act)| (utc(at), act)).to_vec(),
    };
    let course = Course {
        stays: vec![(Timestamp::MIN, "UTC")],
        down: Vec::new(),
        lines_of_pause: 0,
        end: utc("2026-06-06T12:00:00Z"),
    };
    let (left, refused) = possible(&definition, &course);
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), [1, 2, 5, 7, 8, 10]);
    let due: Vec<String> = expected(&[left], &course)
        .iter()
        .map(|line| line.due.strftime("%d. %H").to_string())
        .collect();
    assert_eq!(due, ["01. 09", "01. 20", "05. 09", "06. 09"]);
}

#[test]
fn whole_days_are_due_at_the_time_of_the_person() {
    let due_at = Time::constant(8, 0, 0, 0);
    let table = Timetable {
        start: date(2026, 3, 28).at(0, 0, 0, 0),
        dial: ScheduleClock::Day { due_at },
        ..daily()
    };
    let definition = Definition {
        name: "morning".into(),
        catch_up: CatchUp::Once,
        overlap: Overlap::Queue,
        lasts: QUICK,
        means: Means::Replace,
        acts: vec![(utc("2026-03-20T00:00:01Z"), Act::Schedule(table))],
    };
    let course = Course {
        stays: vec![(Timestamp::MIN, "Europe/Berlin")],
        down: Vec::new(),
        lines_of_pause: 0,
        end: utc("2026-03-30T00:00:00Z"),
    };
    let lines: Vec<String> =
        expected(&[definition], &course).iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "2026-03-28T07:00:00Z morning one 2026-03-28T00:00:00 date: Runs",
            "2026-03-29T06:00:00Z morning one 2026-03-29T00:00:00 date: Runs",
        ]
    );
}
