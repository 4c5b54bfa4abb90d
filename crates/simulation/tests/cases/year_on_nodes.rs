//! The year of forty definitions on two nodes of the product: what it planned and ran is what the oracle says,
//! line by line, although nodes race for what is due, die with a claim, and the person pauses in between.
//! With a mistake, by name, it is not.
//!
//! Series that are due every few minutes end after some occurrences; `DORMOUSE_WHOLE_YEAR=1` lets them go on
//! to the end of the year.

use std::sync::LazyLock;

use dormouse_simulation::work_calendar::{Pattern, Timetable};
use dormouse_simulation::work_oracle::{Act, Course, Definition, Means, possible};
use jiff::civil::date;
use jiff::{SignedDuration, Timestamp};

use super::year::{definition, difference, lines};
use super::year_product::{Met, Product, Ran, refusal};
use super::year_wire::Mistake;

/// The course of the year, with the lines of pauses, which only the product has.
fn course() -> Course {
    Course { lines_of_pause: 10, ..super::year::course() }
}

/// One definition for each series, as the product has them: what follows a split is one of its own.
fn apart(definitions: Vec<Definition>) -> Vec<Definition> {
    let mut all = Vec::new();
    for mut definition in definitions {
        definition.name = "d".to_owned() + &uid(&definition)[1..];
        let mut other = None;
        let for_both: Vec<(Timestamp, Act)> = definition
            .acts
            .iter()
            .filter(|(_, act)| matches!(act, Act::Pause | Act::Resume | Act::TakeOff { .. }))
            .cloned()
            .collect();
        let one = Definition { acts: Vec::new(), ..definition.clone() };
        for (at, act) in &mut definition.acts {
            let Act::Split { then, .. } = act else { continue };
            let mut acts = for_both.clone();
            acts.push((*at, Act::Schedule(then.clone())));
            acts.sort_by_key(|(at, _)| *at);
            let name = format!("{}b", one.name);
            other = Some(Definition { name, acts, ..one.clone() });
            // What follows is none of its business.
            let start = date(2035, 1, 1).at(9, 0, 0, 0);
            *then = Timetable {
                pattern: Pattern::Once,
                start,
                until: None,
                count: None,
                ..then.clone()
            };
        }
        all.push(definition);
        all.extend(other);
    }
    all
}

fn uid(definition: &Definition) -> &str {
    let mut uids = definition.acts.iter().filter_map(|(_, act)| match act {
        Act::Schedule(table) => Some(table.uid.as_str()),
        _ => None,
    });
    uids.next_back().expect("it has a schedule")
}

/// The definitions of a year. Forty, and one more for each that is split. Of every second one the person skips,
/// moves and suspends by request.
fn year(of: std::ops::Range<u64>, most: Option<usize>) -> Vec<Definition> {
    let mut all = apart(of.map(|n| definition(n, most)).collect());
    all.iter_mut().skip(1).step_by(2).for_each(by_request);
    all
}

/// Changes single occurrences by request: time off begins at once, and ends early now and then.
fn by_request(definition: &mut Definition) {
    if definition.name.ends_with('b') {
        return;
    }
    definition.means = Means::Request;
    let is_paused = definition.acts.iter().any(|(_, act)| *act == Act::Pause);
    let mut back = None;
    for (at, act) in &mut definition.acts {
        if let Act::TakeOff { from, .. } = act {
            *at = *from;
            back = Some(*from + SignedDuration::from_hours(80)).filter(|_| !is_paused);
        }
    }
    definition.acts.extend(back.map(|at| (at, Act::Return)));
    let down = course().down;
    definition.acts.retain(|(at, _)| !down.iter().any(|(from, to)| (*from..=*to).contains(at)));
    definition.acts.sort_by_key(|(at, _)| *at);
}

/// The definitions without what is refused, and what that is.
fn possible_of(definitions: &[Definition]) -> (Vec<Definition>, Vec<String>) {
    let mut all = Vec::new();
    let mut refused = Vec::new();
    for definition in definitions {
        let (left, places) = possible(definition, &course());
        refused.extend(places.into_iter().map(|n| refusal(definition, n)));
        all.push(left);
    }
    (all, refused)
}

/// What the oracle says, with what the person kept from running.
fn expected(definitions: &[Definition], left_out: &[String]) -> Vec<String> {
    let kept = |line: String| {
        let is_out = left_out.iter().any(|begin| line.starts_with(begin));
        if is_out { line.replace(": Runs", ": Paused") } else { line }
    };
    let (possible, refused) = possible_of(definitions);
    let mut lines: Vec<String> = lines(&possible, &course()).into_iter().map(kept).collect();
    lines.extend(refused);
    lines.sort();
    lines
}

#[test]
#[expect(clippy::print_stdout, reason = "what the year met, shown by `--nocapture`")]
fn a_year_of_forty_definitions_on_two_nodes_has_the_runs_of_the_oracle() {
    let is_whole = std::env::var_os("DORMOUSE_WHOLE_YEAR").is_some();
    let definitions = year(0..40, (!is_whole).then_some(12));
    let course = course();
    let Ran { lines, met, left_out } = Product::new(&definitions, &course, None).run();
    let expected = expected(&definitions, &left_out);
    assert!(lines == expected, "{}", difference(&lines, &expected));
    let n = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
    println!("{} lines, {} missed, {} paused, {met:?}", lines.len(), n("Missed"), n("Paused"));
    assert!(n("Runs") > 1_500, "{} runs", n("Runs"));
    for (what, least) in
        [("Missed", 10), ("Paused", 50), (" second:", 1), (" date", 30), (" floating", 30)]
    {
        assert!(n(what) >= least, "only {} lines with {what}", n(what));
    }
    let Met { races, takeovers, restarts, .. } = met;
    assert!(races > 150 && takeovers > 80 && restarts >= 6, "{met:?}");
    let n_acts = |is: fn(&Act) -> bool| {
        definitions.iter().flat_map(|one| &one.acts).filter(|(_, act)| is(act)).count()
    };
    assert!(n_acts(|act| matches!(act, Act::Return)) > 0, "nobody returns early");
    let (possible, _) = possible_of(&definitions);
    let requested = |is: fn(&Act) -> bool| {
        let requested = possible.iter().filter(|one| one.means == Means::Request);
        requested.flat_map(|one| &one.acts).filter(|(_, act)| is(act)).count()
    };
    for (n, what) in [
        (n_acts(|act| matches!(act, Act::Move { .. })), "moves"),
        (n_acts(|act| matches!(act, Act::Cancel { .. })), "cancellations"),
        (n_acts(|act| matches!(act, Act::Split { .. })), "splits"),
        (n_acts(|act| matches!(act, Act::TakeOff { .. })), "weeks off"),
        (n_acts(|act| matches!(act, Act::Pause)), "pauses"),
        (n("refused"), "refusals"),
        (requested(|act| matches!(act, Act::Move { .. })), "requested moves"),
        (requested(|act| matches!(act, Act::Cancel { .. })), "requested skips"),
        (requested(|act| matches!(act, Act::TakeOff { .. })), "requested weeks off"),
    ] {
        assert!(n >= 3, "only {n} {what}");
    }
}

/// Some definitions with little to do, of which most were moved or cancelled, and some that were paused
/// although they are often due.
static FEW: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let has = |one: &Definition, is: fn(&Act) -> bool| one.acts.iter().any(|(_, act)| is(act));
    let mut all = year(3..40, Some(20));
    all.sort_by_cached_key(|one| lines(std::slice::from_ref(one), &course()).len());
    let moved = all.iter().filter(|one| has(one, |act| matches!(act, Act::Move { .. }))).take(8);
    let often = |one: &&Definition| lines(std::slice::from_ref(*one), &course()).len() > 50;
    let paused = all.iter().filter(|one| has(one, |act| *act == Act::Pause)).filter(often).take(2);
    moved.chain(paused).cloned().collect()
});

/// Whether the year of these few shows a mistake; without one it is what the oracle says.
#[expect(clippy::print_stdout, reason = "what a mistake leads to, shown by `--nocapture`")]
fn shows(mistake: Option<Mistake>) -> bool {
    let course = course();
    let ran = Product::new(&FEW, &course, mistake).run();
    let expected = expected(&FEW, &ran.left_out);
    let difference = difference(&ran.lines, &expected);
    println!("{mistake:?}, {} lines, {:?}:\n{difference}", ran.lines.len(), ran.met);
    assert!(mistake.is_some() || ran.lines == expected, "{difference}");
    ran.lines != expected
}

#[test]
fn a_recurrence_id_that_is_compared_as_text_shows() {
    assert!(!shows(None));
    assert!(shows(Some(Mistake::RecurrenceIdAsText)));
}

#[test]
fn an_override_by_sequence_shows() {
    assert!(shows(Some(Mistake::OverrideBySequence)));
}

#[test]
fn a_catch_up_that_ignores_a_pause_shows() {
    assert!(shows(Some(Mistake::CatchUpIgnoresPause)));
}

#[test]
fn an_approval_that_is_read_before_the_claim_shows() {
    assert!(shows(Some(Mistake::ApprovalReadBeforeClaim)));
}

#[test]
fn a_run_that_is_fired_before_it_is_committed_shows() {
    assert!(shows(Some(Mistake::FiredBeforeCommitted)));
}

#[test]
fn occurrences_that_are_not_unique_show() {
    assert!(shows(Some(Mistake::NoUniqueOccurrence)));
}
