//! Text is not syntax: what begins with a dash, and titles that begin other titles.

use rusqlite::Connection;
use serde_json::Value;

use crate::world::World;

fn task(world: &World, words: &str) -> Value {
    world.json(&["task", "show", words])
}

#[test]
fn text_that_begins_with_a_dash_is_taken_as_it_is() {
    let world = World::new();
    world.ok(&["task", "add", "Dash", "--note", "- [ ] first", "--item", "- x", "--label", "-a-"]);
    world.ok(&["task", "add", "- [ ] a title", "--reason", "--why", "--status", "blocked"]);
    world.ok(&["task", "note", "Dash", "- [ ] second"]);
    world.ok(&["task", "note", "Dash", "-x", "--on", "2036-01-01"]);
    world.ok(&["task", "note", "Dash", "--reason"]);
    world.ok(&["task", "check", "Dash", "--add", "--reason"]);
    world.ok(&["task", "label", "Dash", "-b-"]);
    world.ok(&["task", "time", "Dash", "5", "- dug"]);
    let dash = task(&world, "Dash");
    let texts = |list: &str, name: &str| -> Vec<String> {
        let all = dash[list].as_array().into_iter().flatten();
        let mut all: Vec<_> = all.filter_map(|one| one[name].as_str().map(str::to_owned)).collect();
        all.sort();
        all
    };
    assert_eq!(
        texts("entries", "text"),
        ["- [ ] first", "- [ ] second", "- dug", "--reason", "-x"]
    );
    assert_eq!(texts("items", "title"), ["- x", "--reason"]);
    assert_eq!(texts("labels", "name"), ["-a-", "-b-"]);
    let other = task(&world, "- [ ] a title");
    assert_eq!(
        (&other["title"], &other["statusReason"]),
        (&"- [ ] a title".into(), &"--why".into())
    );
    world.ok(&["task", "edit", "Dash", "--title", "-- dash"]);
    assert_eq!(task(&world, "-- dash")["title"], "-- dash");
}

#[test]
fn words_to_an_agent_and_reasons_may_begin_with_a_dash() {
    let world = World::with_agents();
    world.ok(&["agent", "wake", "Wanda", "--say", "- hello"]);
    let set = world.json(&["change", "list"])["items"][0]["items"][0].clone();
    let id = set["set"].as_str().expect("an id");
    let item = format!("{}:{}", &id[id.len() - 5..], set["index"]);
    world.ok(&["change", "reject", &item, "--reason", "- not now"]);
    let rows = Connection::open(world.data().join("agent.sqlite")).expect("the store opens");
    let sql = "SELECT json_extract(serialized, '$.rejectionReason') FROM agent_entities
               WHERE type = 'changeDecision'";
    let reason = rows.query_row(sql, [], |row| row.get::<_, String>(0));
    assert_eq!(reason.as_deref(), Ok("- not now"));
}

#[test]
fn a_word_that_is_nearly_an_option_is_refused_and_nothing_is_written() {
    let world = World::new();
    let done = world.run(&["task", "add", "--itme", "hinges", "Mend"]);
    assert!(done.code == 2 && done.err.contains("--item"), "{done:?}");
    assert_eq!(world.json(&["task", "list"])["items"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_task_whose_title_begins_others_is_named_by_it() {
    let world = World::new();
    for title in ["Old", "Old boiler", "Old boiler room"] {
        world.ok(&["task", "add", title]);
    }
    assert_eq!(task(&world, "Old")["title"], "Old");
    assert_eq!(task(&world, "old boiler")["title"], "Old boiler");
    let several = world.run(&["task", "show", "boiler"]);
    assert!(several.code == 2 && several.err.contains("the full title"), "{several:?}");
    world.ok(&["agent", "create", "Old", "--name", "Olga"]);
    world.ok(&["agent", "create", "Old boiler", "--name", "Bo"]);
    assert_eq!(world.json(&["agent", "show", "Old"])["displayName"], "Olga");
    world.ok(&["task", "delete", "Old"]);
    world.ok(&["task", "delete", "Old boiler"]);
    world.ok(&["task", "restore", "Old"]);
    assert_eq!(task(&world, "Old")["deletedAt"], Value::Null);

    world.ok(&["task", "add", "Old"]);
    let equal = world.run(&["task", "show", "Old"]);
    assert!(equal.code == 2 && equal.err.contains("`Old` matches 2 tasks"), "{equal:?}");
    assert!(equal.err.contains("use the id in the first column"), "{equal:?}");
    assert!(!equal.err.contains("boiler"), "others are not meant: {equal:?}");
}
