//! What each kind says over each workspace, in both languages, as snapshots.

use dormouse_types::work_kind::{Agenda, Repeat, Repeated, Review, Sweep, Watch, WorkParameters};

use crate::desk::{named, rendered};
use crate::workspaces::all;

fn check(kind: &str, parameters: &WorkParameters) {
    for (name, desk) in all() {
        let languages = match name {
            "two_languages" | "one_task" | "nothing_new" => ["en", "de"].as_slice(),
            _ => ["en"].as_slice(),
        };
        for language in languages {
            let outcome = desk.run(parameters, language);
            assert_eq!(outcome, desk.run(parameters, language), "the same facts say the same");
            insta::assert_snapshot!(format!("{kind}__{name}__{language}"), rendered(&outcome));
        }
    }
}

#[test]
fn the_agenda() {
    check("agenda", &WorkParameters::Agenda(Agenda::default()));
}

#[test]
fn the_agenda_of_two_days() {
    let parameters = WorkParameters::Agenda(Agenda { ahead_days: 1, ..Agenda::default() });
    check("agenda_ahead", &parameters);
}

#[test]
fn the_review() {
    check("review", &WorkParameters::Review(Review::default()));
}

#[test]
fn the_watch() {
    check("watch", &WorkParameters::Watch(Watch::default()));
}

#[test]
fn the_sweep() {
    check("sweep", &WorkParameters::Sweep(Sweep::default()));
}

#[test]
fn the_repetition() {
    let task = named("jt", 1, "Find movers");
    check(
        "copy",
        &WorkParameters::Repeat(Repeat { what: Repeated::Copy { task }, by_rule: false }),
    );
}
