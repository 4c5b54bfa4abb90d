use dormouse_journal::{Edit, JournalError};
use dormouse_store::ReadError;
use dormouse_types::Id as _;
use dormouse_types::task::{EntryKind, Priority};

use crate::world::{WS, World, now};

const WRITE: &str = "UPDATE journal SET serialized = ?3 WHERE ws = ?1 AND id = ?2";

#[test]
fn fields_of_a_newer_version_survive_an_edit_byte_for_byte() {
    let world = World::new();
    let task = world.task("Tune the piano", vec![Edit::note("A flat is flat.")]);
    let strange = r#""coverArt": {"crop" :1.50,"x":[1 ,2]},"zeta":1e3,"#;
    let own = world.stored(task.as_str()).replacen('{', &format!("{{{strange}"), 1);
    world.raw(WRITE, task.as_str(), &own);
    let entry = world.view(&task).entries[0].value.id.clone();
    let note = world.stored(entry.as_str()).replacen('{', r#"{"mood" : "grim","#, 1);
    world.raw(WRITE, entry.as_str(), &note);

    world.edit(&task, &[Edit::Priority(Some(Priority::P1))]).unwrap();
    assert_eq!(world.stored(entry.as_str()), note, "an untouched row is not written");
    let stored = world.stored(task.as_str());
    assert!(stored.contains(r#""coverArt":{"crop" :1.50,"x":[1 ,2]},"zeta":1e3,"#), "{stored}");
    assert!(stored.contains(r#""priority":"P1""#), "{stored}");

    world
        .edit(&task, &[Edit::EditEntry { entry: entry.clone(), text: Some("Fixed.".into()) }])
        .unwrap();
    let stored = world.stored(entry.as_str());
    assert!(stored.contains(r#""mood":"grim""#) && stored.contains("Fixed."), "{stored}");
}

#[test]
fn the_status_history_keeps_what_a_newer_version_put_into_it() {
    let world = World::new();
    let task = world.task("Tune the piano", vec![]);
    let own = world
        .stored(task.as_str())
        .replace(r#""statusHistory":[{"#, r#""statusHistory":[{"place":"home","#);
    world.raw(WRITE, task.as_str(), &own);
    let status = dormouse_types::task::Status::InProgress;
    world.edit(&task, &[Edit::Status { status, reason: None }]).unwrap();
    let stored = world.stored(task.as_str());
    assert!(stored.contains(r#""statusHistory":[{"place":"home","status":"OPEN""#), "{stored}");
}

#[test]
fn an_entry_of_an_unknown_kind_is_text_here_and_stays_what_it_is() {
    let world = World::new();
    let task = world.task("Tune the piano", vec![Edit::note("A4 = 442")]);
    let entry = world.view(&task).entries[0].value.id.clone();
    let own = world.stored(entry.as_str()).replace(r#""kind":"text""#, r#""kind":"hologram""#);
    assert!(own.contains("hologram"));
    world.raw(WRITE, entry.as_str(), &own);
    assert_eq!(world.state(&task).entries[0].kind, EntryKind::Text);
    world
        .edit(&task, &[Edit::EditEntry { entry: entry.clone(), text: Some("A4 = 440".into()) }])
        .unwrap();
    assert!(world.stored(entry.as_str()).contains(r#""kind":"hologram""#));
}

#[test]
fn a_row_of_an_unknown_kind_does_not_disturb_its_task() {
    let world = World::new();
    let task = world.task("Tune the piano", vec![Edit::note("A4 = 442")]);
    let entry = world.view(&task).entries[0].value.id.clone();
    world.raw("UPDATE journal SET type = ?3 WHERE ws = ?1 AND id = ?2", entry.as_str(), "mood");
    assert_eq!(world.state(&task).entries, []);
    world.edit(&task, &[Edit::Estimate(Some(5))]).unwrap();
    assert!(world.stored(entry.as_str()).contains("A4 = 442"));
}

#[test]
fn a_damaged_row_is_named_and_the_other_tasks_still_list() {
    let world = World::new();
    let broken = world.task("Broken", vec![]);
    world.task("Whole", vec![]);
    world.raw(WRITE, broken.as_str(), "{\"id\": 7");
    let error = now(world.journal.task(WS, &broken)).unwrap_err();
    assert!(
        matches!(&error, JournalError::Read(ReadError::Corrupt { noun: "task", id, .. }) if id == broken.as_str()),
        "{error}"
    );
    let page = now(world.journal.tasks(WS, &Default::default(), 50, None)).unwrap();
    assert_eq!(page.items.len(), 1);
    assert!(page.damaged[0].contains(broken.as_str()), "{:?}", page.damaged);
    assert!(now(world.journal.find_ids(WS, "whole")).unwrap().len() == 1);
    let error = now(world.journal.find_ids(WS, broken.short())).unwrap_err();
    assert!(error.to_string().contains(broken.as_str()), "{error}");
}
