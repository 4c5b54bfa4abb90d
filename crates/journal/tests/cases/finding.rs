use dormouse_journal::Edit;
use dormouse_types::Id as _;

use crate::world::{WS, World, now};

fn found(world: &World, text: &str) -> Vec<String> {
    let found = now(world.journal.find(WS, text)).unwrap();
    found.into_iter().map(|task| task.title).collect()
}

#[test]
fn a_task_is_found_by_its_id_the_end_of_its_id_and_words_of_its_title() {
    let world = World::new();
    let roof = world.task("Repair the roof of the shed", vec![]);
    world.task("Repair the BICYCLE", vec![]);
    for text in [roof.as_str(), roof.short(), "ROOF", "shed repair", "  roof  "] {
        assert_eq!(found(&world, text), ["Repair the roof of the shed"], "{text}");
    }
    assert_eq!(found(&world, "bicycle"), ["Repair the BICYCLE"]);
    assert_eq!(found(&world, "repair"), ["Repair the BICYCLE", "Repair the roof of the shed"]);
    assert_eq!(found(&world, "roof bicycle"), Vec::<String>::new());
    assert_eq!(found(&world, " "), Vec::<String>::new());
    assert_eq!(found(&world, &roof.as_str()[roof.as_str().len() - 4..]), Vec::<String>::new());
}

#[test]
fn signs_of_a_pattern_stand_for_themselves() {
    let world = World::new();
    world.task("Save 100% of it", vec![]);
    world.task("Save 100 of_it \\ all", vec![]);
    assert_eq!(found(&world, "100%"), ["Save 100% of it"]);
    assert_eq!(found(&world, "of_it"), ["Save 100 of_it \\ all"]);
    assert_eq!(found(&world, "\\"), ["Save 100 of_it \\ all"]);
    assert_eq!(found(&world, "%%%%%"), Vec::<String>::new());
}

#[test]
fn every_word_counts_also_beyond_the_fourth() {
    let world = World::new();
    world.task("one two three four five six", vec![]);
    assert_eq!(found(&world, "six five four three two one").len(), 1);
    assert_eq!(found(&world, "one two three four seven"), Vec::<String>::new());
}

#[test]
fn letters_outside_of_ascii_are_folded_too() {
    let world = World::new();
    world.task("ÄPFEL pflücken", vec![]);
    assert_eq!(found(&world, "äpfel PFLÜCKEN"), ["ÄPFEL pflücken"]);
}

#[test]
fn a_deleted_task_is_found_only_when_no_live_one_is() {
    let world = World::new();
    let old = world.task("Paint the door", vec![]);
    world.edit(&old, &[Edit::Delete]).unwrap();
    let task = now(world.journal.find(WS, "door")).unwrap().remove(0);
    assert_eq!(task.id, old);
    assert!(task.deleted_at.is_some());
    let new = world.task("Paint the door again", vec![]);
    let found = now(world.journal.find(WS, "door")).unwrap();
    assert_eq!(found.iter().map(|task| &task.id).collect::<Vec<_>>(), [&new]);
    assert_eq!(now(world.journal.find(WS, old.short())).unwrap()[0].id, old);
}
