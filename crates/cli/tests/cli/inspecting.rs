//! Looking into agents and into the data folder, and what can be set on an agent.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};

use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::running::DEADLINE;
use crate::world::World;

/// The findings of a doctor: (severity, message).
fn findings(world: &World) -> (i32, Vec<(String, String)>, Value) {
    let done = world.run(&["doctor", "--json"]);
    let report = done.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = report["findings"].as_array().expect("a list").iter();
    let found = found.map(|one| (text(&one["severity"]), text(&one["message"]))).collect();
    (done.code, found, report)
}

fn problem<'a>(found: &'a [(String, String)], words: &[&str]) -> &'a str {
    let is_it = |message: &str| words.iter().all(|word| message.contains(word));
    let found = found.iter().find(|(severity, message)| severity == "problem" && is_it(message));
    &found.unwrap_or_else(|| panic!("no problem with {words:?}")).1
}

#[test]
fn a_healthy_folder_has_no_findings_also_while_a_server_runs() {
    let world = World::with_agents();
    let (code, found, report) = findings(&world);
    assert_eq!((code, found), (0, Vec::new()), "{report:#}");
    let databases = report["databases"].as_array().expect("a list");
    assert_eq!(databases.len(), 2);
    for database in databases {
        assert_eq!(
            (&database["synchronous"], &database["journalMode"]),
            (&json!("FULL"), &json!("wal"))
        );
        assert_eq!(database["schema"], database["knownSchema"]);
        assert!(database["hostId"].as_str().is_some_and(|host| host.starts_with("ho-")));
    }
    assert!(report["journalHead"].as_i64() > Some(1), "{report:#}");
    assert_eq!((&report["changesToRoute"], &report["queue"]["waiting"]), (&json!(0), &json!(0)));
    assert!(report["diskFreeBytes"].as_u64() > Some(0));
    let screen = world.ok(&["doctor"]).out;
    assert!(
        screen.contains("synchronous FULL") && screen.contains("Nothing needs you."),
        "{screen}"
    );
    let server = world.serve(&[]);
    let (code, found, report) = findings(&world);
    assert_eq!((code, found), (0, Vec::new()), "{report:#}");
    assert!(
        report["files"]
            .as_array()
            .is_some_and(|files| files.iter().any(|f| f["name"] == "server.json"))
    );
    server.stop();
}

#[test]
fn what_is_wrong_with_a_folder_is_named_each_and_changes_nothing() {
    let world = World::with_agents();
    let path = world.data().join("journal.sqlite");
    let agents = world.data().join("agent.sqlite");
    let item: String = {
        let journal = Connection::open(&path).expect("the journal");
        let sql = "SELECT id FROM journal WHERE type = 'checklistItem' ORDER BY id LIMIT 1";
        let item = journal.query_row(sql, [], |row| row.get(0)).expect("an item");
        journal
            .execute("UPDATE journal SET serialized = '{' WHERE id = ?1", [&item])
            .expect("damaged");
        journal
            .execute("UPDATE change_log SET at = 32503680000000000 WHERE seq = (SELECT MAX(seq) FROM change_log)", [])
            .expect("in the future");
        item
    };
    let agent = Connection::open(&agents).expect("the agent store");
    agent
        .execute_batch(
            "INSERT INTO breakers (ws, provider, failures, since, opened, open_until, detail) VALUES (1, 'far', 5, 1000000, 1, 32503680000000000, '503 no service');
             INSERT INTO saga_log VALUES (1, 'op-1', 'run', 'journal_pending', 'pending', 'set_task_title', '{}', 'no room', 1, 1);
             INSERT INTO saga_log VALUES (1, 'op-2', 'run', 'journal_pending', 'pending', 'set_task_title', '{}', NULL, 1, 1);
             UPDATE wake_queue SET owner = 'process-7', expires_at = 1000000;
             UPDATE agent_entities SET serialized = '{\"id\": 3}' WHERE type = 'agentReport' AND id = (SELECT MAX(id) FROM agent_entities WHERE type = 'agentReport');",
        )
        .expect("broken");
    drop(agent);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.data(), mode).expect("opened to others");
    let before = (std::fs::read(&path).expect("bytes"), std::fs::read(&agents).expect("bytes"));
    let (code, found, report) = findings(&world);
    assert_eq!(code, 1, "{report:#}");
    problem(&found, &[item.as_str(), "cannot be read"]);
    problem(&found, &["row ar-", "cannot be read"]);
    problem(&found, &["the clock says", "journal.sqlite", "3000-01-01"]);
    problem(&found, &["far has been unavailable since", "503 no service"]);
    problem(&found, &["op-1", "no room"]);
    problem(&found, &["entered by others"]);
    let note =
        |words: &str| found.iter().any(|(severity, it)| severity == "note" && it.contains(words));
    assert!(note("op-2") && note("process-7 stopped working for agent"), "{found:#?}");
    assert_eq!(report["queue"]["expired"], 2);
    assert_eq!(report["queue"]["heldBy"], "far");
    assert_eq!(report["damaged"].as_array().map(Vec::len), Some(2), "{report:#}");
    assert_eq!(report["openOperations"].as_array().map(Vec::len), Some(2));
    let severities: Vec<_> = found.iter().map(|(severity, _)| severity.as_str()).collect();
    assert!(severities.is_sorted_by(|a, b| a >= b), "problems come first: {severities:?}");
    let after = (std::fs::read(&path).expect("bytes"), std::fs::read(&agents).expect("bytes"));
    assert!(before == after, "looking changed a file");
    let screen = world.run(&["doctor"]);
    assert_eq!(screen.code, 1);
    assert!(screen.out.contains("problem: ") && screen.out.contains("chmod go-rwx"), "{screen:?}");
}

#[test]
fn what_is_damaged_in_agent_work_is_named_each_also_within_a_column() {
    let world = World::with_tasks();
    let events = world.file("events.json", r#"[{"event": "deleted"}]"#);
    let ids = ["Well", "Hurt"].map(|title| {
        let add = ["work", "add", title, "--instructions", "Say what is due today"];
        let when = ["--schedule", "every monday at 9", "--events", &events];
        world.json(&[&add[..], &when].concat())["id"].clone()
    });
    let id = ids[1].as_str().expect("an id");
    world.ok(&["work", "hook", "add", "hurt", "--name", "Mail"]);
    world.ok(&["work", "run", "hurt"]);
    let agent = Connection::open(world.data().join("agent.sqlite")).expect("the agent store");
    let text = |sql: &str| -> String {
        agent.query_row(sql, [id], |row| row.get(0)).expect("a row of the work")
    };
    let run = text("SELECT id FROM work_runs WHERE work_id = ?1");
    let hook = text("SELECT id FROM work_hooks WHERE work_id = ?1");
    let question = "qu-00000000000000000000000000";
    agent
        .execute_batch(&format!(
            "INSERT INTO work_steps (ws, work_id, steps) VALUES (1, '{id}', '[]');
             INSERT INTO work_run_steps (ws, run_id, n, step, state, is_added, attempts)
               VALUES (1, '{run}', 1, '{{\"text\": \"Look\", \"mandatory\": true}}', 'open', 0, 0);
             INSERT INTO work_questions
               (ws, id, work_id, run_id, attempt, question, options, asked_at, expires_at)
               VALUES (1, '{question}', '{id}', '{run}', 0, 'Which?', '[]', 1, 2);"
        ))
        .expect("the other parts");
    let (code, found, _) = findings(&world);
    assert_eq!((code, found), (0, Vec::new()));
    let cases = [
        ("work_definitions", "built_in", "id", id, id),
        ("work_definitions", "position", "id", id, id),
        ("work_definitions", "schedule", "id", id, id),
        ("work_definitions", "catch_up", "id", id, id),
        ("work_filters", "filters", "work_id", id, id),
        ("work_steps", "steps", "work_id", id, id),
        ("work_hooks", "secrets", "work_id", id, hook.as_str()),
        ("work_runs", "figures", "id", run.as_str(), run.as_str()),
        ("work_runs", "created_by", "id", run.as_str(), run.as_str()),
        ("work_run_steps", "step", "run_id", run.as_str(), run.as_str()),
        ("work_questions", "options", "run_id", run.as_str(), question),
    ];
    for (table, column, key, of, named) in cases {
        let sql = format!("SELECT {column} FROM {table} WHERE {key} = ?1");
        let sound: String = agent.query_row(&sql, [of], |row| row.get(0)).expect("a value");
        let sql = format!("UPDATE {table} SET {column} = ?2 WHERE {key} = ?1");
        assert_eq!(agent.execute(&sql, [of, "{"]).expect("damaged"), 1, "{table}.{column}");
        let (code, found, report) = findings(&world);
        assert_eq!((code, found.len()), (1, 1), "{table}.{column}: {report:#}");
        problem(&found, &[named, "cannot be read"]);
        agent.execute(&sql, [of, sound.as_str()]).expect("mended");
    }
}

#[test]
fn a_folder_that_nothing_else_opens_is_looked_at() {
    let world = World::new();
    let (code, found, _) = findings(&world);
    assert_eq!(code, 1);
    problem(&found, &["there is no data folder"]);
    assert!(!world.data().exists(), "looking makes nothing");

    let world = World::with_tasks();
    std::fs::write(
        world.data().join("agent.sqlite"),
        "this is no database, and long enough to be read as one",
    )
    .expect("written");
    let (code, found, _) = findings(&world);
    assert_eq!(code, 1);
    problem(&found, &["agent.sqlite", "not a readable database"]);
    std::fs::remove_file(world.data().join("agent.sqlite")).expect("removed");
    let (code, found, _) = findings(&world);
    assert_eq!(code, 1);
    problem(&found, &["agent.sqlite is missing"]);

    let world = World::with_tasks();
    Connection::open(world.data().join("journal.sqlite"))
        .and_then(|journal| journal.pragma_update(None, "user_version", 99))
        .expect("a newer version");
    let (code, found, _) = findings(&world);
    assert_eq!(code, 1);
    problem(&found, &["journal.sqlite has schema 99"]);
}

#[test]
fn an_export_goes_to_the_screen_or_to_a_new_file_of_its_owner() {
    let world = World::with_agents();
    let all = world.ok(&["export"]).json();
    assert_eq!(
        (&all["format"], all["tasks"].as_array().map(Vec::len)),
        (&json!("dormouse-export"), Some(2))
    );
    let one = world.ok(&["export", "water", "butt", "--json"]).json();
    assert_eq!(one["tasks"].as_array().map(Vec::len), Some(1));
    assert!(all["tasks"].as_array().is_some_and(|tasks| tasks.contains(&one["tasks"][0])));
    let file = world.file("old.json", "mine");
    let done = world.run(&["export", "--all", "--file", &file]);
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("text"), "mine", "nothing is replaced");
    let file = format!("{file}.new");
    world.ok(&["export", "--all", "--file", &file]);
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("text")).expect("JSON");
    assert_eq!(written, all);
    let mode = std::fs::metadata(&file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(world.run(&["export", "nowhere"]).code, 1);
    assert_eq!(world.run(&["export", "--all", "butt"]).code, 2);
}

#[test]
fn the_description_of_the_api_is_printed_without_a_folder() {
    let world = World::new();
    let document = world.ok(&["openapi"]).json();
    assert_eq!(document["openapi"].as_str().map(|v| &v[..3]), Some("3.1"));
    assert!(document["paths"]["/api/export"]["get"].is_object());
    assert!(!world.data().exists(), "nothing is opened for it");
}

#[test]
fn automation_and_times_are_set_as_a_person_says_them() {
    let world = World::with_agents();
    let show = || world.json(&["agent", "show", "water butt"]);
    let set = ["agent", "automation", "water butt", "off", "--sleep-until", "tomorrow 9:00"];
    let report = world.ok(&[&set[..], &["--linked", "on"]].concat()).out;
    assert!(report.contains("automation of agent Wanda") && report.contains("09:00"), "{report}");
    let agent = show();
    assert_eq!((&agent["automation"], &agent["wakeOnLinked"]), (&json!("off"), &json!(true)));
    assert!(agent["sleepUntil"].as_str().is_some_and(|at| at.ends_with("T09:00:00Z")), "{agent}");
    let screen = world.ok(&["agent", "show", "water butt"]).out;
    assert!(screen.contains("held back") && screen.contains("linked tasks too"), "{screen}");
    world.ok(&["agent", "automation", "water butt", "--sleep-until", "none"]);
    let agent = show();
    assert_eq!((&agent["automation"], &agent["sleepUntil"]), (&json!("off"), &json!(null)));

    world.ok(&["task", "note", "water butt", "It leaks."]);
    let screen = world.ok(&["agent", "show", "water butt"]).out;
    assert!(screen.contains("changed just now; update now: "), "{screen}");

    world.ok(&["agent", "wake", "water butt", "--at", "tomorrow 18:00"]);
    let id = agent["id"].as_str().expect("an id").to_owned();
    let server = world.serve(&[]);
    let timers = || server.notice.get(&format!("/api/agents/{id}/timers"))["items"].clone();
    let is_set = |timers: &Value| {
        timers.as_array().is_some_and(|all| all.iter().any(|it| it["kind"] == "wakeAt"))
    };
    assert!(is_set(&timers()), "{}", timers());
    let report = world.ok(&["agent", "wake", "water butt", "--cancel"]).out;
    let says =
        ["has no waiting wake", "it still wakes at ", " 18:00, the time that you set", "--at none"];
    assert!(says.iter().all(|text| report.contains(text)), "{report}");
    world.ok(&["agent", "wake", "water butt", "--at", "none"]);
    assert!(!is_set(&timers()), "{}", timers());
    let report = world.ok(&["agent", "wake", "water butt", "--cancel"]).out;
    assert!(report.contains("has no waiting wake") && !report.contains("still"), "{report}");
    server.stop();

    for (args, word) in [
        (vec!["agent", "wake", "water butt", "--at", "soon"], "--at: `soon` is not understood"),
        (
            vec!["agent", "automation", "water butt", "--sleep-until", "tomorrow"],
            "--sleep-until: `tomorrow` has no time of day",
        ),
        (
            vec!["agent", "wake", "water butt", "--at", "none", "--say", "Look"],
            "cannot be used with",
        ),
        (vec!["agent", "automation", "water butt"], "required"),
    ] {
        let done = world.run(&args);
        assert_eq!(done.code, 2, "{args:?}: {done:?}");
        assert!(done.err.contains(word), "{args:?}: {done:?}");
    }
    let done = world.run(&["agent", "wake", "water butt", "--at", "2026-01-01 09:00"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("in the past"), "{done:?}");
}

/// A command that runs until it gets a signal.
struct Following {
    child: Child,
    out: Receiver<String>,
}

impl Following {
    fn start(world: &World, args: &[&str]) -> Self {
        let mut child = world.start(args);
        let out = child.stdout.take().expect("standard output is piped");
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines() {
                // Nobody may listen any more; the pipe is read to its end all the same.
                let _unheard = tell.send(line.expect("a pipe of text can be read"));
            }
        });
        Self { child, out: lines }
    }

    /// The lines up to the first one that holds these words.
    fn hears(&self, words: &str) -> Vec<String> {
        let mut heard = Vec::new();
        while !heard.last().is_some_and(|line: &String| line.contains(words)) {
            let line = self.out.recv_timeout(DEADLINE);
            heard.push(line.unwrap_or_else(|e| panic!("nobody says `{words}`: {e}: {heard:#?}")));
        }
        heard
    }

    /// Ends it as Ctrl-C does; it must end well.
    fn stop(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("a child takes signals");
        assert_eq!(self.child.wait().expect("a child ends").code(), Some(0));
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // It may have ended.
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

#[test]
fn following_an_agent_shows_each_line_once_as_it_comes() {
    let world = World::with_agents();
    let server = world.serve(&[]);
    let text = Following::start(&world, &["agent", "log", "water butt", "-f"]);
    let before = text.hears("completed  creation");
    assert!(before[0].contains("agent Wanda"), "{before:#?}");
    let json = Following::start(&world, &["agent", "log", "water butt", "--follow", "--json"]);
    json.hears("\"reason\":\"creation\"");
    world.ok(&["agent", "wake", "water butt", "--say", "Anything new?", "--no-wait"]);
    let heard = text.hears("completed  userInitiated");
    let said = heard.iter().filter(|line| line.contains("Anything new?")).count();
    assert_eq!(said, 1, "{heard:#?}");
    let lines: Vec<Value> = json
        .hears("\"status\":\"completed\"")
        .iter()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let ids: Vec<_> = lines.iter().filter_map(|line| line["message"]["id"].as_str()).collect();
    let each: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), each.len(), "{lines:#?}");
    assert_eq!(lines.last().map(|line| &line["run"]["reason"]), Some(&json!("userInitiated")));
    text.stop();
    json.stop();
    server.stop();
    let alone = world.run(&["agent", "log", "water butt", "-f"]);
    assert_eq!(alone.code, 1, "{alone:?}");
    assert!(
        alone.out.contains("userInitiated") && alone.err.contains("no server runs"),
        "{alone:?}"
    );
}

#[test]
fn the_reports_of_a_destroyed_agent_stay_readable() {
    let world = World::with_agents();
    let old = world.json(&["report", "water butt"]);
    let id = old["agentId"].as_str().expect("an id").to_owned();
    let short = &id[id.len() - 5..];
    world.ok(&["agent", "destroy", "Wanda"]);
    let shown = world.ok(&["agent", "show", short]).out;
    assert!(shown.contains(&format!(" report {short}")), "{shown}");
    for words in [short, "water butt"] {
        assert_eq!(world.json(&["report", words])["id"], old["id"], "{words}");
        let out = world.ok(&["report", words]).out;
        assert!(out.contains(&format!("for agent Wanda ({short}), destroyed ")), "{out}");
    }

    world.ok(&["agent", "create", "water butt", "--name", "Wilma"]);
    let new = world.json(&["report", "water butt"]);
    assert_ne!(new["agentId"], old["agentId"], "the living one is meant");
    let history = world.json(&["report", "water butt", "--history"]);
    let ids: Vec<_> =
        history["items"].as_array().expect("a list").iter().map(|r| &r["id"]).collect();
    assert_eq!(ids, [&new["id"], &old["id"]]);
    let out = world.ok(&["report", "water butt", "--history"]).out;
    assert!(out.contains("for agent Wanda"), "{out}");
    assert_eq!(world.json(&["report", short])["id"], old["id"]);
    let nobody = world.run(&["report", "nobody at all"]);
    assert!(nobody.code == 1 && nobody.err.contains("there is no task"), "{nobody:?}");
}

/// What an agent of the built-in model remembers is listed and searched, although nothing is folded.
#[test]
fn what_an_agent_remembers_is_shown_and_found() {
    let world = World::new();
    world.ok(&[
        "task",
        "add",
        "Fix the water butt",
        "--note",
        "The Café sells a kit for 140,50 EUR.",
    ]);
    world.ok(&["agent", "create", "water butt"]);
    let all = world.ok(&["agent", "memory", "water butt"]).out;
    assert!(all.contains("line-1") && !all.contains("<data"), "{all}");
    let found = world.ok(&["agent", "memory", "water butt", "--find", "cafe 140,5"]).out;
    assert!(found.contains("entry") && found.contains("sells a kit for 140,50 EUR."), "{found}");
    let none = world.ok(&["agent", "memory", "water butt", "--find", "lastwagen"]).out;
    assert!(none.contains("Nothing that it remembers has all of these words."), "{none}");
    let json = world.json(&["agent", "memory", "water butt", "--find", "kit", "--limit", "1"]);
    assert_eq!(json["items"].as_array().map(Vec::len), Some(1), "{json}");
    let refused = world.run(&["agent", "memory", "water butt", "--find", "*?"]);
    assert!(refused.err.contains("no letter or digit"), "{}", refused.err);
}
