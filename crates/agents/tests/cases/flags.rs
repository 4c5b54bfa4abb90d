//! What agents learn of stars, of what is private, and of image analyses.

use dormouse_journal::Edit;
use dormouse_types::task::{EntryKind, Flag, Flags};

use crate::world::{World, routine_report};

#[test]
fn a_star_wakes_nobody_and_is_in_no_prompt() {
    let (world, task, agent) = World::settled();
    let entry = world.task_state(&task).entries[0].id.clone();
    let star = Edit::Flag { flag: Flag::Starred, is_set: true };
    let star_entry = Edit::FlagEntry { entry, flag: Flag::Starred, is_set: true };
    world.edit(&task, &[star, star_entry]);
    world.route();
    let row = world.row(&agent);
    assert_eq!((row.due_at, row.first_signal_at), (None, None), "{row:?}");
    world.run_with(&task, [routine_report()]);
    let delta = world.last_delta();
    assert!(delta.contains("Something happened.") && !delta.contains("starred"), "{delta}");
}

#[test]
fn what_becomes_private_or_no_longer_is_a_change_like_any_other() {
    let (world, task, agent) = World::settled();
    let entry = world.task_state(&task).entries[0].id.clone();
    let private = Edit::FlagEntry { entry: entry.clone(), flag: Flag::Private, is_set: true };
    world.edit(&task, &[private, Edit::Flag { flag: Flag::Private, is_set: true }]);
    world.route();
    assert!(world.row(&agent).due_at.is_some());
    world.run_with(&task, [routine_report()]);
    let delta = world.last_delta();
    assert!(delta.contains("private: no -> yes"), "{delta}");
    assert!(delta.contains(&format!("entry private (id: {entry})")), "{delta}");
}

#[test]
fn an_image_analysis_is_not_taken_for_the_words_of_the_person() {
    let (world, task, _) = World::settled();
    let analysis = Edit::AddEntry {
        kind: EntryKind::ImageAnalysis,
        text: None,
        transcript: Some("A receipt of 42 euro.".into()),
        minutes: None,
        on: None,
        tainted: false,
        flags: Flags::NONE,
    };
    world.edit(&task, &[analysis]);
    world.run_with(&task, [routine_report()]);
    let delta = world.last_delta();
    assert!(delta.contains("image analysis added (id: "), "{delta}");
    assert!(delta.contains("A receipt of 42 euro."), "{delta}");
}
