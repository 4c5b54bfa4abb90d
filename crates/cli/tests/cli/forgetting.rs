//! `dormouse agent knows` and `dormouse agent forget`: what was removed is in no file of the folder, and
//! in no row of a Postgres server.

use std::path::{Path, PathBuf};

use dormouse_testkit::postgres::Server;
use tokio_postgres::{NoTls, SimpleQueryMessage};

use crate::world::World;

const SECRET: &str = "The gate opens with 4711 and a kick";

/// The files of a folder that have some bytes.
fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default().to_ascii_lowercase();
            let words = words.to_ascii_lowercase();
            if bytes.windows(words.len()).any(|part| part == words.as_bytes()) {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// A world whose agent knows the secret, and the name of the line.
fn world_with_secret() -> (World, String) {
    let world = World::with_agents();
    world.ok(&["task", "note", "water butt", &format!("{SECRET}. Bring a rope.")]);
    world.ok(&["agent", "wake", "water butt"]);
    let known = world.json(&["agent", "knows", "water butt"]);
    let lines = known["items"].as_array().expect("lines");
    let has =
        |line: &&serde_json::Value| line["text"].as_str().is_some_and(|text| text.contains(SECRET));
    let line = lines.iter().find(has).expect("it knows it");
    assert_eq!(line["kind"], "input");
    assert!(line["entryId"].is_string() && line["runKey"].is_string() && line["at"].is_string());
    let name = line["line"].as_str().expect("a name").to_owned();
    (world, name)
}

#[test]
fn what_an_agent_knows_is_listed_with_its_source() {
    let (world, line) = world_with_secret();
    let shown = world.run(&["agent", "knows", "water butt"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains(&line) && shown.out.contains(SECRET), "{}", shown.out);
    let first = world.json(&["agent", "knows", "water butt", "--limit", "2"]);
    assert_eq!(first["items"].as_array().map(Vec::len), Some(2));
    let cursor = first["nextCursor"].as_str().expect("there is more").to_owned();
    let next = world.json(&["agent", "knows", "water butt", "--limit", "2", "--after", &cursor]);
    assert_ne!(next["items"][0]["line"], first["items"][1]["line"]);
    let refused = world.run(&["agent", "knows", "water butt", "--after", "x"]);
    assert!(refused.code != 0 && refused.err.contains("not a cursor"), "{refused:?}");
}

#[test]
fn a_line_that_a_newer_one_replaced_names_it() {
    let world = World::with_agents();
    for day in ["2026-12-01", "2026-12-08", "2026-12-15"] {
        world.ok(&["task", "edit", "water butt", "--due", day]);
        world.ok(&["agent", "wake", "water butt"]);
    }
    let known = world.json(&["agent", "knows", "water butt"]);
    let lines = known["items"].as_array().expect("lines").iter();
    let of_due = lines.filter(|line| line["subject"] == "dueDate");
    let names: Vec<&str> = of_due.map(|line| line["line"].as_str().expect("a name")).collect();
    let [newest, before, oldest] = names[..] else { panic!("{names:?}: {known}") };
    let shown = world.ok(&["agent", "knows", "water butt"]).out;
    let heading = |name: &str| {
        let heading = shown.lines().find(|line| line.split_whitespace().next() == Some(name));
        heading.unwrap_or_else(|| panic!("no {name}: {shown}")).to_owned()
    };
    assert!(!heading(newest).contains("replaced"), "{shown}");
    for name in [before, oldest] {
        assert!(heading(name).ends_with(&format!("replaced by {newest}")), "{shown}");
    }
}

#[test]
fn a_removed_line_is_in_no_file_of_the_folder() {
    let (world, line) = world_with_secret();
    let data = world.data();
    assert!(!files_with(&data, SECRET).is_empty());
    let preview = world.run(&["agent", "forget", "water butt", &line, "--and-entry"]);
    assert_eq!(preview.code, 0, "{preview:?}");
    assert!(preview.out.contains("this would be removed"), "{}", preview.out);
    assert!(
        preview.out.contains("  | ") && preview.out.contains(SECRET),
        "it is shown: {}",
        preview.out
    );
    assert!(preview.out.contains("can then no longer be shown as they were"), "{}", preview.out);
    assert!(preview.out.contains("in other words stay"), "{}", preview.out);
    assert!(preview.out.contains("--and-entry --yes"), "{}", preview.out);
    assert!(!files_with(&data, SECRET).is_empty(), "a look removes nothing");

    let done = world.json(&["agent", "forget", "water butt", &line, "--and-entry", "--yes"]);
    assert_eq!(done["phase"], "done", "{done}");
    assert_eq!(files_with(&data, SECRET), Vec::<String>::new());
    assert_eq!(files_with(&data, "Bring a rope"), Vec::<String>::new());
    let again = world.json(&["agent", "forget", "water butt", &line, "--and-entry", "--yes"]);
    assert_eq!(again, done, "to remove it twice changes nothing");

    let log = world.run(&["agent", "log", "water butt", "--prompt"]);
    assert!(log.out.contains("part of this request was removed"), "{}", log.out);
    let task = world.run(&["task", "show", "water butt"]);
    assert!(!task.out.contains("4711") && !task.out.contains("[removed]"), "{}", task.out);
}

#[test]
fn without_its_entry_the_note_stays_in_the_task() {
    let (world, line) = world_with_secret();
    let done = world.run(&["agent", "forget", "water butt", &line, "--yes"]);
    assert!(done.out.contains("its entry stays in the task"), "{done:?}");
    let files = files_with(&world.data(), SECRET);
    assert!(files.iter().all(|file| file.contains("journal.sqlite")), "{files:?}");
    assert!(!files.is_empty());
    let unknown = world.run(&["agent", "forget", "water butt", "line-999"]);
    assert!(unknown.code != 0 && unknown.err.contains("knows no line-999"), "{unknown:?}");
}

/// The first column of every row that some statements answer.
#[expect(clippy::disallowed_methods, reason = "the connection runs beside its client")]
fn sql(url: &str, statements: &[&str]) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a server");
        let connection = tokio::spawn(connection);
        let mut first = Vec::new();
        for statement in statements {
            for message in client.simple_query(statement).await.expect(statement) {
                if let SimpleQueryMessage::Row(row) = message {
                    first.push(row.get(0).unwrap_or_default().to_owned());
                }
            }
        }
        drop(client);
        connection.await.expect("it ends").expect("without an error");
        first
    })
}

/// The tables that have some words in a row, and the statistics of columns if they have them.
fn tables_with(url: &str, words: &str) -> Vec<String> {
    let tables = "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables
                  WHERE table_type = 'BASE TABLE'
                    AND table_schema NOT IN ('pg_catalog', 'information_schema')";
    let tables = sql(url, &[tables]).into_iter().chain(["pg_catalog.pg_stats".to_owned()]);
    let has_words = |table: &String| {
        let rows = sql(url, &[&format!("SELECT t::text FROM {table} t")]);
        rows.iter().any(|row| row.to_lowercase().contains(&words.to_lowercase()))
    };
    tables.filter(has_words).collect()
}

#[test]
fn on_postgres_a_removed_line_is_in_no_row_and_after_vacuum_full_in_no_file() {
    let server = Server::shared().url();
    sql(&server, &["CREATE DATABASE forgetting"]);
    let url = server.replace("/postgres", "/forgetting");
    assert!(server != url && url.starts_with("postgres:"), "{url}");
    let world = World::new();
    let json = |args: &[&str]| {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let done = world.run_set(&args, &[("DORMOUSE_DATABASE_URL", &url)], b"");
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done.json()
    };
    json(&["task", "add", "Water butt", "--note", "TODO: buy a tap"]);
    json(&["agent", "create", "water butt"]);
    json(&["task", "note", "water butt", &format!("{SECRET}. Bring a rope.")]);
    json(&["agent", "wake", "water butt"]);
    let known = json(&["agent", "knows", "water butt"]);
    let mut lines = known["items"].as_array().expect("lines").iter();
    let line = lines.find(|line| line["text"].as_str().is_some_and(|text| text.contains(SECRET)));
    let line = line.expect("it knows it")["line"].as_str().expect("a name").to_owned();

    // As the server does by itself now and then: the statistics of a column have values of it.
    sql(&url, &["ANALYZE", "CHECKPOINT"]);
    let folder = "SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database
                  WHERE datname = current_database()";
    let folder = PathBuf::from(sql(&url, &[folder]).remove(0));
    assert!(tables_with(&url, SECRET).len() > 3, "rows, and statistics");
    assert!(!files_with(&folder, SECRET).is_empty(), "the search finds it");

    let done = json(&["agent", "forget", "water butt", &line, "--and-entry", "--yes"]);
    assert_eq!(done["phase"], "done", "{done}");
    for words in [SECRET, "Bring a rope"] {
        assert_eq!(tables_with(&url, words), Vec::<String>::new(), "{words}");
    }
    sql(&url, &["VACUUM FULL", "CHECKPOINT"]);
    for words in [SECRET, "Bring a rope"] {
        assert_eq!(files_with(&folder, words), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn what_was_said_to_an_agent_is_removed_by_the_id_that_its_log_shows() {
    let world = World::with_agents();
    world.ok(&["agent", "wake", "water butt", "--say", &format!("{SECRET}. Tell nobody.")]);
    let log = world.ok(&["agent", "log", "water butt"]).out;
    let (_, said) = log.split_once("What you said to it").expect("it has the section");
    let id = said.split_whitespace().find(|word| word.starts_with("am-")).expect("an id");
    assert!(said.contains(SECRET), "{said}");
    world.ok(&["agent", "forget", "water butt", id, "--yes"]);
    assert_eq!(files_with(&world.data(), SECRET), Vec::<String>::new());
}

#[test]
fn a_task_and_its_agents_memory_are_shown_as_they_were_at_a_run() {
    let world = World::with_agents();
    // The keys of its runs, oldest first.
    let runs = || -> Vec<String> {
        let log = world.json(&["agent", "log", "water butt"]);
        let items = log["items"].as_array().expect("runs").iter().rev();
        items.map(|run| run["runKey"].as_str().expect("a key")[..8].to_owned()).collect()
    };
    let first = runs().remove(0);
    world.ok(&["task", "edit", "water butt", "--title", "Mend the water butt", "--priority", "P0"]);
    world.ok(&["task", "note", "water butt", &format!("{SECRET}. Bring a rope.")]);
    world.ok(&["agent", "wake", "water butt"]);
    let shown = world.ok(&["task", "show", "water butt", "--at", &first]).out;
    assert!(shown.contains("As it was on") && shown.contains(&first), "{shown}");
    let (then, since) = shown.split_once("Since then").expect("what changed");
    assert!(!then.contains("Mend the water butt") && !then.contains(SECRET), "{then}");
    let since = since.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(since.contains("Mend the water butt") && since.contains("none -> P0"), "{since}");
    assert!(!world.ok(&["agent", "knows", "water butt", "--at", &first]).out.contains(SECRET));
    let later =
        world.ok(&["task", "show", "water butt", "--at", runs().last().expect("a run")]).out;
    assert!(later.contains("Mend the water butt") && later.contains(SECRET), "{later}");

    let unknown = world.run(&["task", "show", "water butt", "--at", "zzzz"]);
    assert!(
        unknown.code == 1 && unknown.err.contains("the agent has no run `zzzz`"),
        "{unknown:?}"
    );
    assert!(unknown.err.contains("agent log"), "{}", unknown.err);
}
