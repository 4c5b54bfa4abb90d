//! What holds for any recurrence rule.

use dormouse_formats::recurrence::{Clock, Position, RecurrenceRule, Series};
use jiff::civil::date;
use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;

use crate::recurrence::{beginning, person};

const ZONES: [&str; 5] =
    ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"];

/// Rules of every frequency; many of their parts do not go together.
fn rule() -> impl Strategy<Value = String> {
    let frequency =
        prop::sample::select(vec!["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
    let interval = prop::sample::select(vec!["", ";INTERVAL=2", ";INTERVAL=3", ";INTERVAL=11"]);
    let part = prop::sample::select(vec![
        ";COUNT=5",
        ";COUNT=40",
        ";UNTIL=20280101",
        ";UNTIL=20261130T100000Z",
        ";BYMONTH=2,3,10,11",
        ";BYWEEKNO=1,-1,20",
        ";BYYEARDAY=1,-1,100",
        ";BYMONTHDAY=1,15,31,-1",
        ";BYDAY=MO,SU",
        ";BYDAY=1MO,-1FR,SA",
        ";BYHOUR=2,3",
        ";BYMINUTE=0,15,30,45",
        ";BYSECOND=0,60",
        ";BYSETPOS=1,-1",
        ";WKST=SU",
    ]);
    (frequency, interval, prop::collection::btree_set(part, 0..4)).prop_map(
        |(frequency, interval, parts)| {
            let parts: Vec<&str> = parts.into_iter().collect();
            format!("FREQ={frequency}{interval}{}", parts.concat())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = text.parse::<RecurrenceRule>();
        let _ = format!("FREQ=DAILY;{text}").parse::<RecurrenceRule>();
    }

    #[test]
    fn any_rule_is_written_as_it_was_read_and_gives_the_same_however_it_is_spelt(
        text in rule(),
        days in 0_i64..1_000,
        hour in 0_i8..5,
        zone in prop::sample::select(ZONES.to_vec()),
        skipped in 0_usize..6,
    ) {
        let Ok(rule) = text.parse::<RecurrenceRule>() else { return Ok(()) };
        let canonical = rule.to_string();
        prop_assert_eq!(&canonical.parse::<RecurrenceRule>().unwrap(), &rule);
        prop_assert_eq!(canonical.parse::<RecurrenceRule>().unwrap().to_string(), canonical.clone());

        let person = person(zone);
        let start = date(2025, 3, 1).saturating_add(days.days()).at(hour, 30, 0, 0);
        let clock = Clock::named(zone).unwrap();
        let Ok(series) = Series::new(start, clock.clone(), rule, &person) else { return Ok(()) };
        let begin = beginning(&person);
        let found: Vec<_> = series.upcoming(&begin, &person).take(12).collect();
        prop_assert!(!found.is_empty());
        for pair in found.windows(2) {
            let order = |at: usize| (pair[at].due, pair[at].id.start);
            prop_assert!(order(0) < order(1), "{canonical}: {pair:?}");
        }

        // The parts in another order, and lists turned round.
        let turned: Vec<String> = canonical
            .split(';')
            .rev()
            .map(|part| match part.split_once('=') {
                Some((name, list)) => {
                    format!("{name}={}", list.split(',').rev().collect::<Vec<_>>().join(","))
                }
                None => part.to_owned(),
            })
            .collect();
        let turned = Series::new(start, clock, turned.join(";").parse().unwrap(), &person).unwrap();
        let again: Vec<_> = turned.upcoming(&begin, &person).take(12).collect();
        prop_assert_eq!(&again, &found, "{}", canonical);

        // A jump gives what a walk gives. Without a position, what COUNT needs is counted again.
        let from = found.get(skipped).unwrap_or(&found[0]);
        let rest: Vec<_> = found.iter().filter(|one| one.due > from.due).cloned().collect();
        let jump = Position::new(from.due, &person);
        let jumped: Vec<_> = series.upcoming(&jump, &person).take(rest.len()).collect();
        prop_assert_eq!(jumped, rest, "{}", canonical);
        // Between two of them nothing is left out.
        let before = Position::new(from.due - 1.second(), &person);
        prop_assert_eq!(series.next_due(&before, &person).unwrap().at, from.due);
        // A stored position is the one that was stored.
        let next = series.next_due(&before, &person).unwrap().position;
        let stored = serde_json::to_string(&next).unwrap();
        prop_assert_eq!(serde_json::from_str::<Position>(&stored).unwrap(), next);
        prop_assert!(series.next_due(&Position::new(Timestamp::MAX, &person), &person).is_none());
    }
}
