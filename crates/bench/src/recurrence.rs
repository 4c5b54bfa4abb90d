//! How fast schedules are worked out, compared with python-dateutil, and whether an old one costs more than a young
//! one.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use dormouse_adapters::SystemClock;
use dormouse_formats::recurrence::{Clock, Person, Position, Series};
use dormouse_types::port::Clock as _;
use jiff::civil::{Date, DateTime, Time, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::Serialize;

use crate::clock::seconds;
use crate::machine::Machine;
use crate::median;
use crate::world::count;

const ZONE: &str = "Europe/Berlin";
const START: DateTime = date(2026, 1, 1).at(9, 0, 0, 0);
const RULES: [&str; 6] = [
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "FREQ=MONTHLY;BYDAY=-1FR",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
];

/// The same by dateutil, on times without a zone, which the zone is put on afterwards. Prints how many there
/// were and how many seconds they took.
const DATEUTIL: &str = r#"
import datetime, json, sys, time, zoneinfo
from dateutil.rrule import rrulestr
given = json.load(sys.stdin)
zone = zoneinfo.ZoneInfo(given["zone"])
start, end = (datetime.datetime.fromisoformat(given[name]) for name in ("start", "end"))
samples = []
for _ in range(given["samples"]):
    n, began = 0, time.perf_counter()
    for rule in given["rules"]:
        for one in rrulestr(rule, dtstart=start):
            if one > end:
                break
            one.replace(tzinfo=zone).timestamp()
            n += 1
    samples.append(n / (time.perf_counter() - began))
samples.sort()
print(json.dumps({"n": n, "perSecond": samples[len(samples) // 2]}))
"#;

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The medians of so many are reported.
    pub samples: usize,
    /// A Python with python-dateutil, to compare with.
    pub python: Option<PathBuf>,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Where.
    pub machine: Machine,
    /// Occurrences of all rules in ten years.
    pub occurrences: usize,
    /// Occurrences worked out in a second, with the instants at which they are due.
    pub per_second: f64,
    /// The same by python-dateutil.
    pub dateutil_per_second: Option<f64>,
    /// How many times as many.
    pub ratio: Option<f64>,
    /// Units: microseconds. What is due next, a day after the start of a series.
    pub after_a_day_us: f64,
    /// Units: microseconds. The same after ten years.
    pub after_ten_years_us: f64,
    /// How many times as long.
    pub age_ratio: f64,
}

/// Measures.
///
/// Errors: the Python that is named has no dateutil, or finds another number of occurrences.
pub fn run(options: &Options) -> anyhow::Result<Figures> {
    let samples = options.samples.max(1);
    let zone = TimeZone::get(ZONE)?;
    let person = Person { zone: zone.clone(), day_due_at: Time::midnight() };
    let series: Vec<Series> = RULES
        .iter()
        .map(|rule| Ok(Series::new(START, Clock::named(ZONE)?, rule.parse()?, &person)?))
        .collect::<anyhow::Result<_>>()?;
    let begin = Position::new(zone.to_timestamp(START)? - 1.second(), &person);
    let end = zone.to_timestamp(START + 10.years())?;

    let (mut rates, mut n) = (Vec::new(), 0);
    for _ in 0..samples {
        let began = SystemClock.now();
        n = 0;
        for one in &series {
            n += one.upcoming(&begin, &person).take_while(|one| one.due <= end).count();
        }
        rates.push(count(n) / seconds(began, SystemClock.now()).max(1e-6));
    }
    let per_second = median(rates);

    let next_due = |day: Date| -> anyhow::Result<f64> {
        // A month of positions, so that no one day decides.
        let positions: Vec<Position> = (0..30)
            .map(|n| Ok(zone.to_timestamp((day + n.days()).at(12, 0, 0, 0))?))
            .map(|at: anyhow::Result<Timestamp>| Ok(Position::new(at?, &person)))
            .collect::<anyhow::Result<_>>()?;
        let mut times = Vec::new();
        for _ in 0..samples {
            let began = SystemClock.now();
            let mut found = 0;
            for position in &positions {
                found += series.iter().filter_map(|one| one.next_due(position, &person)).count();
            }
            anyhow::ensure!(found == positions.len() * series.len(), "a series has ended");
            times.push(seconds(began, SystemClock.now()) * 1e6 / count(found));
        }
        Ok(median(times))
    };
    // The same month of the year, which has as many weekends and ends.
    let (young, old) = (START.date() + 1.day(), START.date() + 10.years() + 1.day());
    next_due(young)?;
    let (after_a_day_us, after_ten_years_us) = (next_due(young)?, next_due(old)?);

    let dateutil_result =
        options.python.as_deref().map(|python| dateutil(python, samples)).transpose()?;
    if let Some((theirs, _)) = dateutil_result {
        anyhow::ensure!(theirs == n, "dateutil finds {theirs} occurrences, and we {n}");
    }
    let dateutil_per_second = dateutil_result.map(|(_, per_second)| per_second);
    Ok(Figures {
        machine: Machine::of(Path::new(".")),
        occurrences: n,
        per_second,
        dateutil_per_second,
        ratio: dateutil_per_second.map(|theirs| per_second / theirs),
        after_a_day_us,
        after_ten_years_us,
        age_ratio: after_ten_years_us / after_a_day_us.max(1e-6),
    })
}

/// How many occurrences dateutil finds, and how many in a second.
fn dateutil(python: &Path, samples: usize) -> anyhow::Result<(usize, f64)> {
    let problem = format!("cannot run {} with python-dateutil", python.display());
    let mut child = Command::new(python)
        .args(["-c", DATEUTIL])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context(problem.clone())?;
    let end = START + 10.years();
    let given = serde_json::json!({
        "zone": ZONE, "rules": RULES, "samples": samples,
        "start": START.to_string(), "end": end.to_string(),
    });
    child.stdin.take().context("no pipe")?.write_all(given.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "{problem}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let n = answer["n"].as_u64().and_then(|n| usize::try_from(n).ok());
    Ok((n.context(problem.clone())?, answer["perSecond"].as_f64().context(problem)?))
}
