//! Tasks by command: what is typed is what is in the journal.

use serde_json::{Value, json};

use crate::world::World;

fn task(world: &World, words: &str) -> Value {
    world.json(&["task", "show", words])
}

#[test]
fn a_task_is_added_with_all_its_fields() {
    let world = World::new();
    world.ok(&[
        "task",
        "add",
        "Mend",
        "the",
        "gate",
        "--status",
        "blocked",
        "--reason",
        "no hinges",
        "--priority",
        "p1",
        "--due",
        "2036-06-01",
        "--estimate",
        "1h30m",
        "--language",
        "en",
        "--category",
        "Home",
        "--label",
        "garden",
        "--note",
        "It creaks.",
        "--item",
        "buy hinges",
    ]);
    let task = task(&world, "gate");
    let wanted = json!({
        "title": "Mend the gate", "status": "BLOCKED", "statusReason": "no hinges",
        "priority": "P1", "dueOn": "2036-06-01", "estimateMinutes": 90, "language": "en",
    });
    for (name, value) in wanted.as_object().into_iter().flatten() {
        assert_eq!(task[name], *value, "{name}");
    }
    assert_eq!(task["category"]["name"], "Home");
    assert_eq!(task["labels"][0]["name"], "garden");
    assert_eq!(task["entries"][0]["text"], "It creaks.");
    assert_eq!(task["items"][0]["title"], "buy hinges");
}

#[test]
fn none_clears_a_field_and_other_fields_stay() {
    let world = World::with_tasks();
    world.ok(&["task", "edit", "slug", "fence", "--due", "2036-06-01", "--priority", "p0"]);
    world.ok(&["task", "edit", "slug fence", "--due", "none"]);
    let task = task(&world, "slug fence");
    assert_eq!((&task["dueOn"], &task["priority"]), (&Value::Null, &json!("P0")));
}

#[test]
fn an_edit_of_an_older_revision_is_refused() {
    let world = World::with_tasks();
    let revision = task(&world, "slug fence")["revision"].to_string();
    let edit = ["task", "edit", "slug fence", "--if-revision", &revision, "--priority"];
    world.ok(&[&edit[..], &["p1"]].concat());
    let done = world.run(&[&edit[..], &["p2"]].concat());
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains(&format!("not {revision}")), "{done:?}");
    assert_eq!(task(&world, "slug fence")["priority"], "P1");
}

#[test]
fn a_task_and_a_note_are_starred_and_private_by_command() {
    let world = World::new();
    world.ok(&["task", "add", "Surprise party", "--private", "--note", "Forty guests."]);
    world.ok(&["task", "note", "party", "--image", "--starred", "A cake with candles."]);
    let flags = |value: &Value| (value["starred"].clone(), value["private"].clone());
    let (yes, no) = (json!(true), json!(false));
    let party = task(&world, "party");
    assert_eq!(flags(&party), (no.clone(), yes.clone()));
    assert_eq!(flags(&party["entries"][1]), (yes.clone(), no.clone()));
    assert_eq!(party["entries"][1]["kind"], "imageAnalysis");
    world.ok(&["task", "edit", "party", "--no-private", "--starred"]);
    let done = world.ok(&["task", "entry", "party", "last", "--private", "--no-starred"]);
    assert!(done.out.contains("changed image analysis"), "{done:?}");
    let party = task(&world, "party");
    assert_eq!(flags(&party), (yes.clone(), no.clone()));
    assert_eq!(flags(&party["entries"][1]), (no, yes));
    let page = world.ok(&["task", "show", "party"]).out;
    assert!(page.contains("image analysis · private"), "{page}");
    let activity = world.ok(&["task", "show", "party", "--activity"]).out;
    assert!(activity.contains("private: yes -> no; ") || activity.contains("private: yes -> no"));
    assert!(activity.contains("star: no -> yes"), "{activity}");
    let list = world.ok(&["task", "list", "--starred"]).out;
    assert!(list.contains("marks") && list.contains("starred"), "{list}");
    assert!(world.ok(&["task", "list", "--private"]).out.contains("No tasks."));
    let both = world.run(&["task", "edit", "party", "--private", "--no-private"]);
    assert_eq!(both.code, 2, "{both:?}");
    let nobody = world.run(&["task", "entry", "party", "zzzzz", "--private"]);
    assert!(nobody.err.contains("no entry `zzzzz`"), "{nobody:?}");
}

#[test]
fn items_are_named_by_number_or_words() {
    let world = World::with_tasks();
    world.ok(&["task", "check", "water butt", "2"]);
    world.ok(&["task", "check", "water butt", "level", "ground"]);
    world.ok(&["task", "check", "water butt", "measure", "--off"]);
    world.ok(&["task", "check", "water butt", "--add", "fill it"]);
    let items = task(&world, "water butt")["items"].clone();
    let ticks: Vec<_> = items.as_array().into_iter().flatten().map(|i| &i["isChecked"]).collect();
    assert_eq!(ticks, [&json!(false), &json!(true), &json!(true), &json!(false)]);
    let done = world.run(&["task", "check", "water butt", "paint"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("the task has no item `paint`"), "{done:?}");
}

#[test]
fn a_deleted_task_is_gone_from_the_list_and_comes_back_whole() {
    let world = World::with_tasks();
    let before = task(&world, "slug fence");
    world.ok(&["task", "delete", "slug fence"]);
    assert_eq!(world.json(&["task", "list"])["items"].as_array().map(Vec::len), Some(1));
    let done = world.ok(&["task", "show", "slug fence"]);
    assert!(done.out.contains("deleted   yes"), "{done:?}");
    let done = world.run(&["task", "edit", "slug fence", "--due", "2036-06-01"]);
    assert!(done.code == 1 && done.err.contains("delete"), "{done:?}");

    world.ok(&["task", "add", "Another", "slug", "fence"]);
    let done = world.ok(&["task", "show", "slug fence"]);
    assert!(done.out.starts_with("Another slug fence"), "the living one is meant: {done:?}");
    world.ok(&["task", "restore", "slug fence"]);
    world.ok(&["task", "delete", "another slug fence"]);
    let after = task(&world, "slug fence");
    assert_eq!((&after["items"], &after["entries"]), (&before["items"], &before["entries"]));
}

#[test]
fn a_note_comes_from_words_a_file_or_standard_input() {
    let world = World::with_tasks();
    let file = world.file("note.md", "From a file.\n");
    world.ok(&["task", "note", "slug fence", "From", "words."]);
    world.ok(&["task", "note", "slug fence", "--file", &file]);
    let done = world.run_with(&["task", "note", "slug fence", "-"], b"From standard input.");
    assert_eq!(done.code, 0, "{done:?}");
    let entries = task(&world, "slug fence")["entries"].to_string();
    for text in ["From words.", "From a file.", "From standard input."] {
        assert!(entries.contains(text), "{text}: {entries}");
    }
}

#[test]
fn a_long_import_tells_how_far_it_is() {
    let world = World::new();
    let text: String = (0..210).map(|n| format!("## Task {n}\n- [ ] do it\n\n")).collect();
    let done = world.ok(&["import", &world.file("long.md", text)]);
    assert_eq!(done.err, "long.md: 100 of 210 tasks\nlong.md: 200 of 210 tasks\n");
    assert!(
        done.out.starts_with("long.md: 210 tasks, 210 items, 0 notes; 210 created"),
        "{done:?}"
    );
}

#[test]
fn tasks_are_linked_by_words_and_each_shows_its_own_side() {
    let world = World::with_tasks();
    let done = world.ok(&["task", "link", "slug fence", "follow-up-of", "water", "butt"]);
    assert!(done.out.contains("follow-up of"), "{done:?}");
    let shown =
        |words: &str, more: &[&str]| world.ok(&[&["task", "show", words][..], more].concat()).out;
    assert!(
        shown("slug fence", &[]).contains("  follow-up of: Water butt"),
        "{}",
        shown("slug fence", &[])
    );
    let of_butt = shown("water butt", &[]);
    assert!(of_butt.contains("  followed up by: ") && of_butt.contains("lug fence"), "{of_butt}");
    let activity = shown("water butt", &["--activity"]);
    assert!(activity.contains("link added: followed up by "), "{activity}");

    let again = world.run(&["task", "link", "slug fence", "followUpOf", "water butt"]);
    assert!(again.code == 1 && again.err.contains("already"), "{again:?}");
    let other_way = ["task", "link", "water butt", "follow-up-of", "slug fence", "--remove"];
    let none = world.run(&other_way);
    assert!(none.code == 1 && none.err.contains("there is no link"), "{none:?}");
    let gone = world.ok(&["task", "link", "slug fence", "follow-up-of", "water butt", "--remove"]);
    assert!(gone.out.contains("no more: "), "{gone:?}");
    assert_eq!(task(&world, "water butt")["links"], json!([]));
    let wrong = world.run(&["task", "link", "slug fence", "haunts", "water butt"]);
    assert!(wrong.code == 2 && wrong.err.contains("relatesTo"), "{wrong:?}");
}
