//! A year of work whose runs last longer than the time between two: what comes due meanwhile runs, waits or is left
//! out as each overlap policy says, line by line, although processes die in the middle of runs, and the person
//! pauses, skips, moves and suspends in between.

use std::collections::BTreeSet;

use dormouse_simulation::work_calendar::{Pattern, ScheduleClock, Shown, Timetable, instant};
use dormouse_simulation::work_oracle::{
    Act, CatchUp, Course, Definition, Means, Outcome, Overlap, expected, possible,
};
use jiff::civil::{DateTime, date};
use jiff::{SignedDuration, Timestamp};

use super::year::{difference, lines};
use super::year_product::{Product, Ran, refusal};

const ZONES: [&str; 3] = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];

/// Around two changes of the clock, and in between.
const BEGINS: [(i8, i8); 3] = [(3, 29), (7, 6), (10, 25)];

fn utc(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn course() -> Course {
    Course {
        stays: vec![(Timestamp::MIN, ZONES[0])],
        down: vec![
            // In the middle of runs, for less and for more than one lasts.
            (utc("2026-03-29T01:31:41Z"), utc("2026-03-29T02:13:41Z")),
            (utc("2026-07-06T05:31:41Z"), utc("2026-07-06T11:13:41Z")),
            (utc("2026-10-25T01:21:41Z"), utc("2026-10-25T06:13:41Z")),
        ],
        lines_of_pause: 10,
        end: utc("2027-01-01T00:00:53Z"),
    }
}

/// Every twenty minutes, for a day, three times; each run lasts about as long as two of the times between.
fn definition(n: usize, overlap: Overlap, catch_up: CatchUp) -> Definition {
    let (uid, zone) = (format!("l{n}"), ZONES[n % 3]);
    let mut acts = Vec::new();
    for (place, (month, day)) in BEGINS.into_iter().enumerate() {
        let start = date(2026, month, day).at(0, 30, 0, 0);
        let table = Timetable {
            uid: uid.clone(),
            start,
            dial: ScheduleClock::Zone(zone),
            pattern: Pattern::Minutes(20),
            until: None,
            count: Some(60),
        };
        let begin = instant(zone, start);
        let at = |minutes: i64| begin + SignedDuration::from_secs(minutes * 60 + 17);
        let shown = |minutes: i64| Shown { at: civil(zone, begin, minutes), is_second: false };
        acts.push((at(-600), Act::Schedule(table)));
        // While one is under way, and mostly another one waits.
        let pause = 665 + i64::try_from(n).expect("few") * 3;
        let acts_of_day = match place {
            0 => vec![
                (pause, Act::Pause),
                (pause + 30, Act::Resume),
                (800, Act::Cancel { uid: uid.clone(), original: shown(820) }),
            ],
            1 => vec![
                (600, Act::TakeOff { from: at(600), until: at(760) }),
                (700, Act::Return),
                (
                    801,
                    Act::Move {
                        uid: uid.clone(),
                        original: shown(820),
                        to: civil(zone, begin, 1350),
                    },
                ),
            ],
            _ => vec![
                (
                    601,
                    Act::Move {
                        uid: uid.clone(),
                        original: shown(620),
                        to: civil(zone, begin, 655),
                    },
                ),
                // It has ended.
                (660, Act::Cancel { uid: uid.clone(), original: shown(640) }),
                (pause + 60, Act::Pause),
                (pause + 200, Act::Resume),
            ],
        };
        acts.extend(acts_of_day.into_iter().map(|(minutes, act)| (at(minutes), act)));
    }
    let down = course().down;
    acts.retain(|(at, _)| !down.iter().any(|(from, to)| (*from..=*to).contains(at)));
    let lasts = SignedDuration::from_secs(47 * 60 + 11);
    let (name, means) = (format!("d{n}"), Means::Request);
    Definition { name, catch_up, overlap, lasts, means, acts }
}

/// What the clock of a zone shows so many minutes later.
fn civil(zone: &str, begin: Timestamp, minutes: i64) -> DateTime {
    let zone = jiff::tz::TimeZone::get(zone).expect("a zone");
    zone.to_datetime(begin + SignedDuration::from_mins(minutes))
}

#[test]
#[expect(clippy::print_stdout, reason = "what the year met, shown by `--nocapture`")]
fn a_year_of_long_runs_has_those_of_the_oracle_under_each_overlap_policy() {
    let policies = [Overlap::Skip, Overlap::Queue, Overlap::Parallel].map(|overlap| {
        [CatchUp::Skip, CatchUp::Once, CatchUp::All].map(|catch_up| (overlap, catch_up))
    });
    let definitions: Vec<Definition> = policies
        .concat()
        .into_iter()
        .enumerate()
        .map(|(n, (overlap, catch_up))| definition(n, overlap, catch_up))
        .collect();
    let course = course();
    let (left, refused): (Vec<Definition>, Vec<BTreeSet<usize>>) =
        definitions.iter().map(|one| possible(one, &course)).unzip();
    let Ran { lines: ran, met, .. } = Product::new(&definitions, &course, None).run();
    let mut wanted = lines(&left, &course);
    for (definition, places) in definitions.iter().zip(refused) {
        wanted.extend(places.into_iter().map(|n| refusal(definition, n)));
    }
    wanted.sort();
    println!("{} lines, {met:?}", ran.len());
    assert!(ran == wanted, "{}", difference(&ran, &wanted));
    let all = expected(&left, &course);
    let of = |overlap: Overlap, outcome: Outcome| {
        let names: BTreeSet<&str> = definitions
            .iter()
            .filter(|one| one.overlap == overlap)
            .map(|one| one.name.as_str())
            .collect();
        let is_one = |name: &str, is: Outcome| names.contains(name) && is == outcome;
        all.iter().filter(|line| is_one(&line.definition, line.outcome)).count()
    };
    for (overlap, outcome, least) in [
        (Overlap::Skip, Outcome::Runs, 150),
        (Overlap::Skip, Outcome::Overlaps, 200),
        (Overlap::Queue, Outcome::Runs, 150),
        (Overlap::Queue, Outcome::Overlaps, 150),
        (Overlap::Queue, Outcome::Paused, 15),
        (Overlap::Parallel, Outcome::Runs, 350),
        (Overlap::Parallel, Outcome::Missed, 10),
    ] {
        let n = of(overlap, outcome);
        assert!(n >= least, "{overlap:?}: only {n} lines say {outcome:?}");
    }
    assert_eq!(of(Overlap::Parallel, Outcome::Overlaps), 0);
    assert!(ran.iter().any(|line| line.contains("refused")), "no request was refused");
    assert!(met.races > 40 && met.restarts == 3 && met.resumed >= 9, "{met:?}");
}
