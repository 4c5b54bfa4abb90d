//! Which occurrences of a schedule become runs: pure, from the series, how far it has come, the
//! policies and the time.

use dormouse_formats::recurrence::{OccurrenceId, Person, Position, Series};
use dormouse_types::limits;
use dormouse_types::work::{CatchUp, Overlap, SkipReason};
use jiff::{SignedDuration, Timestamp};

/// What a definition wants to become of occurrences that cannot run when they are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policies {
    /// Of those that were missed.
    pub catch_up: CatchUp,
    /// How old one that was missed may be and still run. Units: hours.
    pub catch_up_hours: i64,
    /// Of those that overlap an earlier run.
    pub overlap: Overlap,
}

impl Default for Policies {
    fn default() -> Self {
        Self {
            catch_up: CatchUp::default(),
            catch_up_hours: limits::WORK_CATCH_UP_USUAL_HOURS,
            overlap: Overlap::default(),
        }
    }
}

/// An occurrence that is due, and whether it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Its identity.
    pub id: OccurrenceId,
    /// When it was due.
    pub due: Timestamp,
    /// Why it is left out; `None` if it runs.
    pub skipped: Option<SkipReason>,
}

/// What a schedule leads to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// All occurrences that are due, in the order in which they were.
    pub occurrences: Vec<Planned>,
    /// How far the series has come with them.
    pub position: Position,
    /// When the next occurrence is due; `None` if none is. In the past, if there were too many for
    /// one plan.
    pub next_due: Option<Timestamp>,
}

/// An occurrence that is due, before anything is decided about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueOccurrence {
    /// Its identity.
    pub id: OccurrenceId,
    /// When it was due.
    pub at: Timestamp,
    /// Whether the clock of the person was set past its time, so that no node could run it then.
    pub was_passed: bool,
}

/// What a series has that is due, before anything is decided about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueOccurrences {
    /// The occurrences, in the order in which they are due.
    pub occurrences: Vec<DueOccurrence>,
    /// How far the series has come with them.
    pub position: Position,
    /// When the next occurrence is due; `None` if none is.
    pub next_due: Option<Timestamp>,
}

/// Finds everything that is due up to now, or a first piece of it: at least `most` occurrences.
///
/// `not_before` is when the definition became due. An occurrence that is due earlier was not: the clock
/// of the person moved past it, and it counts as due at that moment. What is suspended then never runs.
pub fn due_occurrences(
    series: &Series,
    position: &Position,
    person: &Person,
    not_before: Timestamp,
    now: Timestamp,
    most: usize,
) -> DueOccurrences {
    let mut position = position.clone();
    let mut due: Vec<DueOccurrence> = Vec::new();
    let next_due = loop {
        let Some(next) = series.next_due(&position, person) else { break None };
        if next.at > now || due.len() >= most {
            break Some(next.at);
        }
        let occurrences = next.occurrences.into_iter();
        let occurrences = occurrences.map(|one| DueOccurrence {
            id: one.id,
            at: one.due.max(not_before),
            was_passed: one.due < not_before,
        });
        due.extend(occurrences.filter(|one| !series.is_suspended(one.at)));
        position = next.position;
    };
    DueOccurrences { occurrences: due, position, next_due }
}

/// Decides for each due occurrence whether it runs, apart from those that `has_run` says have a run already.
///
/// An occurrence was missed if it starts too late, because nothing ran when it was due, or if the clock of
/// the person was set past it. Of missed ones the policy says which run, but none that is older than its
/// definition lets it be. What runs then meets the runs of the
/// definition that have not ended: `n_open` of them wait or are under way; a run that waits for the
/// person is not one of them.
pub fn plan(
    due: DueOccurrences,
    has_run: impl Fn(&OccurrenceId) -> bool,
    policies: Policies,
    n_open: usize,
    now: Timestamp,
) -> Plan {
    let DueOccurrences { occurrences: mut due, position, next_due } = due;
    // The series may be behind its own runs: an occurrence was moved after it ran, or an older row of
    // the definition came back. What has run holds up nothing that follows.
    due.retain(|one| !has_run(&one.id));
    let is_all = next_due.is_none_or(|next| next > now);
    let last = due.len().saturating_sub(1);
    let mut n_open = n_open;
    // One that is in time runs after those that are made up for before it.
    let mut is_behind = false;
    let occurrences =
        due.into_iter().enumerate().map(|(n, DueOccurrence { id, at: due, was_passed })| {
            let is_newest = is_all && n == last;
            let late_by = now.duration_since(due);
            let is_missed = was_passed || late_by > seconds(limits::WORK_LATE_SECONDS);
            let missed = is_missed.then_some(late_by);
            let is_lined_up = policies.catch_up == CatchUp::All && (is_missed || is_behind);
            let skipped = skip_reason(policies, missed, (is_newest, is_lined_up), n_open);
            is_behind |= is_missed && skipped.is_none();
            if skipped.is_none() {
                n_open += 1;
            }
            Planned { id, due, skipped }
        });
    Plan { occurrences: occurrences.collect(), position, next_due }
}

/// What a request to run a definition does, while something of its schedule is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requested {
    /// It runs the occurrence with this place in the plan. What comes before it is left out; what comes after it
    /// is not decided yet.
    Occurrence(usize),
    /// Nothing that is due is left to run: it is a run beside the schedule.
    Nothing,
    /// The plan is a first piece of what is due, and all of it is left out: a later piece decides.
    LaterPiece,
}

/// Decides which of the planned occurrences a request runs: where missed ones run one after another, the first that
/// may run, else the newest. It was requested, so it runs however old it is, and whatever it overlaps.
pub fn requested(plan: &Plan, catch_up: CatchUp, now: Timestamp) -> Requested {
    let first = plan.occurrences.iter().position(|one| one.skipped.is_none());
    let is_all = plan.next_due.is_none_or(|next| next > now);
    match (catch_up, first) {
        (CatchUp::All, Some(first)) => Requested::Occurrence(first),
        _ if !is_all => Requested::LaterPiece,
        _ => match plan.occurrences.len().checked_sub(1) {
            Some(newest) => Requested::Occurrence(newest),
            None => Requested::Nothing,
        },
    }
}

fn seconds(n: u64) -> SignedDuration {
    SignedDuration::from_secs(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Why an occurrence is left out. `missed` is how late it is, if it was missed; `is_lined_up` whether it is one of
/// those that are caught up with, or comes after them.
fn skip_reason(
    policies: Policies,
    missed: Option<SignedDuration>,
    (is_newest, is_lined_up): (bool, bool),
    n_open: usize,
) -> Option<SkipReason> {
    if let Some(late_by) = missed {
        let is_too_old = late_by > SignedDuration::from_hours(policies.catch_up_hours);
        let may_run = match policies.catch_up {
            CatchUp::Skip => false,
            CatchUp::Once => is_newest,
            CatchUp::All => true,
        };
        if is_too_old || !may_run {
            return Some(SkipReason::Missed);
        }
    }
    let has_room = match policies.overlap {
        Overlap::Parallel => true,
        // Those that are caught up run one after another, however many they are.
        _ if is_lined_up => true,
        Overlap::Queue => n_open < 2,
        Overlap::Skip => n_open == 0,
    };
    if has_room { None } else { Some(SkipReason::Overlap) }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use dormouse_formats::recurrence::Clock;
    use jiff::civil::Time;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::series_text;

    fn person(zone: &str) -> Person {
        let zone = TimeZone::get(zone).expect("a zone");
        Person { zone, day_due_at: Time::constant(8, 0, 0, 0) }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    /// Plans the schedule of `text` as it stood at `from`, at a later time; `~` is a skipped one.
    fn check(text: &str, policies: (CatchUp, Overlap), n_open: usize, times: [&str; 2]) -> String {
        let person = person("Europe/Berlin");
        let series = series_text::read(text, &person).expect("a series");
        let position = Position::new(at(times[0]), &person);
        let (catch_up, overlap) = policies;
        let policies = Policies { catch_up, overlap, ..Policies::default() };
        let due = due_occurrences(&series, &position, &person, Timestamp::MIN, at(times[1]), 100);
        let plan = plan(due, |_| false, policies, n_open, at(times[1]));
        let mut upcoming = String::new();
        for one in &plan.occurrences {
            let due = one.due.to_zoned(person.zone.clone()).datetime();
            let due = due.strftime("%d. %H:%M");
            match one.skipped {
                Some(why) => write!(upcoming, "~{due} {why}, ").expect("a string grows"),
                None => write!(upcoming, "{due}, ").expect("a string grows"),
            }
        }
        let next = plan.next_due.map(|at| at.to_zoned(person.zone.clone()).datetime());
        let next = next.map_or("never".to_owned(), |at| at.strftime("%d. %H:%M").to_string());
        format!("{upcoming}then {next}")
    }

    const DAILY: &str = "DTSTART:20260302T090000\nRRULE:FREQ=DAILY";
    const HOURLY: &str = "DTSTART:20260302T090000\nRRULE:FREQ=HOURLY";
    const ONCE: (CatchUp, Overlap) = (CatchUp::Once, Overlap::Queue);

    #[test]
    fn what_is_due_runs_and_the_next_time_is_known() {
        let found = check(DAILY, ONCE, 0, ["2026-03-02T07:59:00Z", "2026-03-02T08:00:00Z"]);
        assert_eq!(found, "02. 09:00, then 03. 09:00");
        let found = check(DAILY, ONCE, 0, ["2026-03-02T07:59:00Z", "2026-03-02T07:59:59Z"]);
        assert_eq!(found, "then 02. 09:00");
    }

    #[test]
    fn a_new_schedule_does_not_fire_for_the_past() {
        let found = check(DAILY, ONCE, 0, ["2026-03-05T12:00:00Z", "2026-03-05T12:00:00Z"]);
        assert_eq!(found, "then 06. 09:00");
    }

    #[test]
    fn what_the_clock_moves_past_while_it_is_suspended_never_runs() {
        let nightly = "DTSTART:20260301T220000\nRRULE:FREQ=DAILY";
        let (home, away) = (person("UTC"), person("Asia/Tokyo"));
        let mut series = series_text::read(nightly, &home).expect("a series");
        let position = Position::new(at("2026-03-02T13:30:00Z"), &home);
        let moved = at("2026-03-02T14:00:00Z");
        let of = |series: &Series| {
            let due = due_occurrences(series, &position, &away, moved, moved, 100);
            (due.occurrences.len(), due.next_due.expect("a daily time"))
        };
        assert_eq!(of(&series), (1, at("2026-03-03T13:00:00Z")));
        series.suspend(at("2026-03-02T13:45:00Z"), Some(at("2026-03-06T00:00:00Z")));
        assert_eq!(of(&series), (0, at("2026-03-06T13:00:00Z")));
    }

    #[test]
    fn of_missed_occurrences_the_policy_says_which_run() {
        let away = ["2026-03-02T07:00:00Z", "2026-03-02T10:30:00Z"];
        let of = |catch_up| check(HOURLY, (catch_up, Overlap::Queue), 0, away);
        assert_eq!(
            of(CatchUp::Skip),
            "~02. 09:00 missed, ~02. 10:00 missed, ~02. 11:00 missed, then 02. 12:00"
        );
        assert_eq!(
            of(CatchUp::Once),
            "~02. 09:00 missed, ~02. 10:00 missed, 02. 11:00, then 02. 12:00"
        );
        let all = "02. 09:00, 02. 10:00, 02. 11:00, then 02. 12:00";
        assert_eq!(of(CatchUp::All), all);
        assert_eq!(check(HOURLY, (CatchUp::All, Overlap::Skip), 0, away), all, "none overlaps");
    }

    #[test]
    fn what_is_older_than_a_day_never_runs() {
        let away = ["2026-03-02T07:00:00Z", "2026-03-04T09:30:00Z"];
        let of = |catch_up| check(DAILY, (catch_up, Overlap::Queue), 0, away);
        let all = "~02. 09:00 missed, ~03. 09:00 missed, 04. 09:00, then 05. 09:00";
        assert_eq!(of(CatchUp::All), all);
        assert_eq!(of(CatchUp::Once), all);
        let found = check(DAILY, ONCE, 0, ["2026-03-02T07:00:00Z", "2026-03-05T07:30:00Z"]);
        assert_eq!(found, "~02. 09:00 missed, ~03. 09:00 missed, 04. 09:00, then 05. 09:00");
    }

    #[test]
    fn how_old_is_too_old_is_up_to_the_definition() {
        let person = person("UTC");
        let series = series_text::read(DAILY, &person).expect("a series");
        let position = Position::new(at("2026-03-02T07:00:00Z"), &person);
        let now = at("2026-03-04T20:00:00Z");
        let n_run = |catch_up_hours| {
            let due = due_occurrences(&series, &position, &person, Timestamp::MIN, now, 100);
            let catch_up = CatchUp::All;
            let policies = Policies { catch_up, catch_up_hours, overlap: Overlap::Queue };
            let plan = plan(due, |_| false, policies, 0, now);
            plan.occurrences.iter().filter(|one| one.skipped.is_none()).count()
        };
        assert_eq!([0, 10, 11, 35, 58, 59, 720].map(n_run), [0, 0, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn one_that_is_in_time_runs_beside_missed_ones() {
        let away = ["2026-03-02T07:00:00Z", "2026-03-02T10:00:30Z"];
        let found = check(HOURLY, ONCE, 0, away);
        assert_eq!(found, "~02. 09:00 missed, ~02. 10:00 missed, 02. 11:00, then 02. 12:00");
        let found = check(HOURLY, (CatchUp::Skip, Overlap::Queue), 0, away);
        assert_eq!(found, "~02. 09:00 missed, ~02. 10:00 missed, 02. 11:00, then 02. 12:00");
        for overlap in [Overlap::Queue, Overlap::Skip] {
            let found = check(HOURLY, (CatchUp::All, overlap), 0, away);
            assert_eq!(found, "02. 09:00, 02. 10:00, 02. 11:00, then 02. 12:00");
        }
    }

    #[test]
    fn the_policy_says_what_becomes_of_one_that_overlaps() {
        let now = ["2026-03-02T07:59:00Z", "2026-03-02T08:00:00Z"];
        let of = |overlap, n_open| check(DAILY, (CatchUp::Once, overlap), n_open, now);
        assert_eq!(of(Overlap::Skip, 1), "~02. 09:00 overlap, then 03. 09:00");
        assert_eq!(of(Overlap::Queue, 1), "02. 09:00, then 03. 09:00");
        assert_eq!(of(Overlap::Queue, 2), "~02. 09:00 overlap, then 03. 09:00");
        assert_eq!(of(Overlap::Parallel, 9), "02. 09:00, then 03. 09:00");
    }

    #[test]
    fn a_daily_time_is_due_once_where_clocks_change() {
        let half_past_two = "DTSTART:20260301T023000\nRRULE:FREQ=DAILY";
        let spring = ["2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z"];
        let all = (CatchUp::All, Overlap::Parallel);
        assert_eq!(
            check(half_past_two, all, 0, spring),
            "~28. 02:30 missed, ~29. 03:30 missed, 30. 02:30, then 31. 02:30"
        );
        let autumn = ["2026-10-24T12:00:00Z", "2026-10-26T01:31:00Z"];
        assert_eq!(
            check(half_past_two, all, 0, autumn),
            "~25. 02:30 missed, 26. 02:30, then 27. 02:30"
        );
        let hourly = "DTSTART:20261025T013000\nRRULE:FREQ=HOURLY;COUNT=3";
        let found = check(hourly, all, 0, ["2026-10-24T12:00:00Z", "2026-10-25T01:30:00Z"]);
        assert_eq!(found, "25. 01:30, 25. 02:30, 25. 02:30, then never");
    }

    #[test]
    fn many_missed_occurrences_are_decided_in_several_plans() {
        let person = person("UTC");
        let series = series_text::read(HOURLY, &person).expect("a series");
        assert_eq!(series.clock(), &Clock::Floating);
        let now = at("2026-03-02T20:30:00Z");
        let mut position = Position::new(at("2026-03-02T08:00:00Z"), &person);
        let (mut all, mut n_plans) = (Vec::new(), 0);
        loop {
            let due = due_occurrences(&series, &position, &person, Timestamp::MIN, now, 5);
            let plan = plan(due, |_| false, Policies::default(), 0, now);
            all.extend(plan.occurrences);
            position = plan.position;
            n_plans += 1;
            if plan.next_due.is_none_or(|next| next > now) {
                break;
            }
        }
        assert_eq!((all.len(), n_plans), (12, 3));
        let run: Vec<_> = all.iter().filter(|one| one.skipped.is_none()).collect();
        assert_eq!(run.len(), 1, "the newest of all, not of each plan");
        assert_eq!(run[0].due, at("2026-03-02T20:00:00Z"));
    }
}
