use dormouse_journal::Edit;
use dormouse_types::Id as _;

use crate::world::{WS, World, now};

fn found(world: &World, text: &str) -> Vec<String> {
    let found = now(world.journal.find(WS, text, 200, None)).unwrap().items;
    let ids: Vec<_> = found.iter().map(|task| task.id.clone()).collect();
    assert_eq!(now(world.journal.find_ids(WS, text)).unwrap(), ids, "{text}");
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
    let task = now(world.journal.find(WS, "door", 9, None)).unwrap().items.remove(0);
    assert_eq!(task.id, old);
    assert!(task.deleted_at.is_some());
    let new = world.task("Paint the door again", vec![]);
    let found = now(world.journal.find(WS, "door", 9, None)).unwrap().items;
    assert_eq!(found.iter().map(|task| &task.id).collect::<Vec<_>>(), [&new]);
    assert_eq!(now(world.journal.find(WS, old.short(), 9, None)).unwrap().items[0].id, old);
}

#[test]
fn a_whole_title_goes_before_words_of_titles() {
    let world = World::new();
    world.task("Rent", vec![]);
    world.task("Rent a van", vec![]);
    assert_eq!(found(&world, "rent"), ["Rent"]);
    assert_eq!(found(&world, "rent van"), ["Rent a van"]);
    // No sign of a title is a pattern.
    world.task("R%", vec![]);
    assert_eq!(found(&world, "r%"), ["R%"]);
    assert_eq!(found(&world, "a van"), ["Rent a van"]);
}

#[test]
fn what_is_found_comes_in_pages_that_miss_and_repeat_nothing() {
    let world = World::new();
    for n in 0..7 {
        world.task(&format!("one two three four five {n}"), vec![]);
        world.task(&format!("one two three four {n}"), vec![]);
    }
    let (mut cursor, mut seen, mut pages) = (None::<String>, Vec::new(), 0);
    loop {
        let text = "one two three four five";
        let page = now(world.journal.find(WS, text, 3, cursor.as_deref())).unwrap();
        assert!(page.items.len() <= 3);
        seen.extend(page.items.into_iter().map(|task| task.title));
        pages += 1;
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let wanted: Vec<String> =
        (0..7).rev().map(|n| format!("one two three four five {n}")).collect();
    assert_eq!((seen, pages), (wanted, 3));
    for wrong in ["x", "words.", "others.1.task_1", "words.1.x"] {
        let error = now(world.journal.find(WS, "one", 3, Some(wrong))).unwrap_err();
        assert!(error.to_string().contains(wrong), "{error}");
    }
}
