//! Agent work on the command line, with and without a server.

use std::path::Path;

use serde_json::{Value, json};

use crate::running::{send, until};
use crate::scripted_server::ScriptedServer;
use crate::world::World;

const DIGEST: &[&str] = &[
    "work",
    "add",
    "Morning digest",
    "--instructions",
    "Say what is **new**.",
    "--schedule",
    "every weekday at 9",
    "--model",
    "own/script",
    "--yes",
];
/// Adds work that a model does once.
pub const ONCE: &[&str] = &[
    "work",
    "add",
    "Compare vans",
    "--instructions",
    "Compare prices.",
    "--model",
    "own/script",
    "--yes",
];

/// Every day is another one: what is shown of the coming days is made equal.
fn steady(world: &World, text: &str) -> String {
    let day = regex::Regex::new(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d").expect("fixed");
    let minute = regex::Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d").expect("fixed");
    let text = day.replace_all(text, "<some day.....>");
    let text = minute.replace_all(&text, "<some minute...>");
    let port = regex::Regex::new(r"http://127\.0\.0\.1:\d+").expect("fixed");
    let text = port.replace_all(&text, "http://<some port>");
    world.steady(&text)
}

/// Makes all agent work that has a schedule daily work, due at the minute in which it was made.
fn let_it_be_due(data: &Path) {
    let connection = rusqlite::Connection::open(data.join("agent.sqlite")).expect("the file");
    let sql = "UPDATE work_definitions SET position = NULL, created_at = created_at - 3600000000,
                 next_due_at = created_at / 60000000 * 60000000,
                 schedule = 'DTSTART;TZID=UTC:20200101T'
                   || strftime('%H%M00', created_at / 1000000, 'unixepoch') || char(10) || 'RRULE:FREQ=DAILY'
               WHERE next_due_at IS NOT NULL";
    assert!(connection.execute(sql, []).expect("written") > 0, "nothing is due by a schedule");
}

#[test]
fn the_next_five_times_are_shown_before_it_is_written_and_a_dry_run_writes_nothing() {
    let server = ScriptedServer::new();
    let world = server.world();
    let dry = world.ok(&[DIGEST, &["--dry-run"]].concat());
    insta::assert_snapshot!("work_add_dry_run", steady(&world, &dry.out));
    assert_eq!(world.json(&["work", "list"])["items"], json!([]));
    let dry = world.json(&[DIGEST, &["--dry-run"]].concat());
    assert_eq!(dry["schedule"]["next"].as_array().map(Vec::len), Some(5), "{dry:#}");
    let added = world.ok(DIGEST);
    insta::assert_snapshot!("work_add", steady(&world, &added.out));
    let listed = world.json(&["work", "list"]);
    assert_eq!(listed["items"][0]["nextDueAt"], dry["schedule"]["next"][0]);
    assert_eq!(server.requests().len(), 0, "nothing runs yet");
}

#[test]
fn screens_of_agent_work_at_60_and_100_columns() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(DIGEST);
    let text = "- Acme: 3 vans\n- Beta: none";
    server.calls([
        ("publish_result", json!({ "title": "Vans", "text": text })),
        ("finish", json!({ "outcome": "done", "summary": "Compared two." })),
    ]);
    let ran = world.ok(ONCE);
    insta::assert_snapshot!("work_add_once", steady(&world, &ran.out));
    server.calls([("ask", json!({ "question": "Which garden?", "options": ["front", "back"] }))]);
    let requests = world.ok(&["work", "run", "digest"]);
    insta::assert_snapshot!("work_run_asks", steady(&world, &requests.out));
    let shown: [(&str, &[&str]); 5] = [
        ("work_list", &["work", "list"]),
        ("work_show", &["work", "show", "digest"]),
        ("work_next", &["work", "next"]),
        ("work_next_words", &["work", "next", "last Friday of the month"]),
        ("work_log", &["work", "log", "vans"]),
    ];
    for columns in [60, 100] {
        for (name, args) in shown {
            let done = world.run_at(&world.data(), args, columns, b"");
            assert_eq!(done.code, 0, "{args:?}: {done:?}");
            insta::assert_snapshot!(format!("{name}_{columns}"), steady(&world, &done.out));
        }
    }
}

#[test]
fn a_question_is_answered_a_run_corrected_approved_declined_tried_again_and_removed() {
    let server = ScriptedServer::new();
    let world = server.world();
    server.calls([("ask", json!({ "question": "Which garden?" }))]);
    world.ok(ONCE);
    let listed = || world.json(&["work", "list"])["items"][0].clone();
    assert_eq!(
        (&listed()["runState"], &listed()["status"]),
        (&json!("needs_input"), &json!("paused"))
    );
    world.ok(&["work", "correct", "vans", "Leave", "out", "Acme."]);
    server.finishes("Compared.");
    let done = world.ok(&["work", "answer", "vans", "the", "front", "one"]);
    assert!(done.out.contains("succeeded") && done.out.contains("Compared."), "{done:?}");
    let last = server.requests().pop().expect("a request");
    assert!(last.contains("the front one") && last.contains("Leave out Acme."), "{last}");
    let again = world.run(&["work", "answer", "vans", "back"]);
    assert!(again.code == 1 && again.err.contains("asks nothing"), "{again:?}");

    // Two turns that say something and call nothing end without an outcome.
    let unclear = world.ok(&["work", "run", "vans"]);
    assert!(unclear.out.contains("needs review"), "{unclear:?}");
    let declined = world.ok(&["work", "decline", "vans", "--reason", "It says nothing."]);
    assert!(declined.out.contains("declined run 2"), "{declined:?}");
    let runs = || world.ok(&["work", "runs", "vans"]).out;
    assert!(runs().contains("It says nothing.") && !runs().contains("approve"), "{}", runs());
    server.finishes("Now it is done.");
    let retried = world.ok(&["work", "retry", "vans"]);
    assert!(retried.out.contains("Now it is done."), "{retried:?}");
    world.ok(&["work", "run", "vans"]);
    assert!(runs().contains("read its log, then approve or decline it"), "{}", runs());
    assert!(world.ok(&["work", "approve", "vans"]).out.contains("approved run 3"));
    assert!(!runs().contains("approve"), "{}", runs());
    assert!(!world.ok(&["work", "log", "vans"]).out.contains("approve or decline it"));
    let none = world.run(&["work", "approve", "vans"]);
    assert!(none.code == 1 && none.err.contains("needs a review"), "{none:?}");

    let deliveries = world.ok(&["work", "deliveries"]).out;
    assert!(
        deliveries.contains("Compare vans asks: ") && deliveries.contains("read"),
        "{deliveries}"
    );
    let unread = world.json(&["work", "deliveries", "--state", "pending"]);
    assert_eq!(unread["items"], json!([]), "all of it was dealt with: {deliveries}");

    world.ok(&["work", "edit", "vans", "--title", "Compare bikes", "--instructions", "Bikes."]);
    assert_eq!((&listed()["title"], &listed()["version"]), (&json!("Compare bikes"), &json!(2)));
    world.ok(&["work", "rm", "bikes"]);
    assert_eq!(world.json(&["work", "list"])["items"], json!([]));
}

#[test]
fn deliveries_are_listed_and_marked_as_read() {
    let server = ScriptedServer::new();
    let world = server.world();
    let none = world.ok(&["work", "deliveries"]);
    assert!(none.out.contains("There are no deliveries"), "{none:?}");
    for question in ["Which van?", "Which day?"] {
        server.calls([("ask", json!({ "question": question }))]);
        world.ok(ONCE);
    }
    let listed = world.json(&["work", "deliveries", "--state", "pending"])["items"].clone();
    let ids: Vec<&str> =
        listed.as_array().expect("items").iter().flat_map(|it| it["id"].as_str()).collect();
    assert_eq!(ids.len(), 2, "{listed:#}");
    let end = &ids[0][ids[0].len() - 5..];
    assert!(world.ok(&["work", "deliveries", "--read", end]).out.contains("1 marked as read"));
    let again = world.run(&["work", "deliveries", "--read", end]);
    assert!(again.code == 1 && again.err.contains("no unread delivery"), "{again:?}");
    let rest = world.json(&["work", "deliveries", "--read", "all"]);
    assert_eq!(rest["items"][0]["state"], "read", "{rest:#}");
    assert!(world.ok(&["work", "deliveries"]).out.contains("Compare vans asks: Which day?"));
}

#[test]
fn without_a_server_nothing_fires_and_commands_name_what_was_due() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(DIGEST);
    let_it_be_due(&world.data());
    for args in [&["work", "list"][..], &["work", "show", "digest"], &["work", "next"], &[]] {
        let said = world.ok(args).err;
        assert!(said.contains("was due at") && said.contains("Morning digest"), "{args:?}: {said}");
        assert!(said.contains("work run") && said.contains("serve"), "{args:?}: {said}");
    }
    // Neither does a command that runs what is pending.
    world.ok(&["agent", "wake", "--due"]);
    assert_eq!(world.json(&["work", "list"])["items"][0]["latestRun"], Value::Null);
    assert_eq!(server.requests().len(), 0);
    server.finishes("Told.");
    let before = world.json(&["work", "list"])["items"][0]["nextDueAt"].clone();
    let ran = world.ok(&["work", "run", "digest"]);
    assert_eq!(ran.err, "", "nothing is due any more");
    let after = world.json(&["work", "list"])["items"][0].clone();
    assert_eq!(after["runState"], "succeeded");
    assert_ne!(after["nextDueAt"], before, "its schedule moved on");
    assert_eq!(world.ok(&[]).err, "");
    // A server does not run it a second time.
    let running = world.serve(&[]);
    server.finishes("Told again.");
    world.ok(&["work", "run", "digest"]);
    running.stop();
    let runs = world.json(&["work", "runs", "digest"])["items"].clone();
    let due: Vec<_> =
        runs.as_array().into_iter().flatten().map(|run| &run["scheduledFor"]).collect();
    assert_eq!(due, [&Value::Null, &before], "{runs:#}");
}

#[test]
fn work_with_a_usual_time_runs_once_and_says_how_to_keep_it() {
    let world = ScriptedServer::new().world();
    let remind = "remind me two days before a deadline";
    let added = world.ok(&["work", "add", "Deadlines", "--instructions", remind]).out;
    let (_, again) = added.split_once("it runs once; to repeat it").expect(&added);
    assert_eq!(world.json(&["work", "list"])["items"][0]["schedule"], Value::Null);
    let (_, words) = again.split_once("--schedule '").expect("a schedule");
    let words = words.trim().trim_end_matches('\'');
    let add = ["work", "add", "Deadlines again", "--instructions", remind, "--schedule", words];
    assert!(!world.ok(&add).out.contains("it runs once"), "it has a schedule");
    let kept = world.json(&["work", "show", "deadlines again"])["task"].clone();
    assert_eq!(kept["schedule"], "every day at 08:00");
    assert_ne!(kept["nextDueAt"], Value::Null);
}

#[test]
fn of_two_runs_that_ask_each_is_named_and_answered_by_its_number() {
    let server = ScriptedServer::new();
    let world = server.world();
    let asks = || server.calls([("ask", json!({ "question": "Which garden?" }))]);
    asks();
    let first = world.ok(ONCE).out;
    assert!(first.contains("--run 1 TEXT"), "{first}");
    asks();
    world.ok(&["work", "run", "vans"]);
    let shown = world.ok(&["work", "show", "vans"]).out;
    for n in 1..=2 {
        let (asks, answer) = (format!("run {n} asks, until"), format!(" --run {n} TEXT"));
        assert!(shown.contains(&asks) && shown.contains(&answer), "{shown}");
    }
    let refused = world.run(&["work", "answer", "vans", "front"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    for said in
        ["asks 2 questions", "run 1: Which garden?", "run 2: Which garden?", " --run N TEXT"]
    {
        assert!(refused.err.contains(said), "{said}: {refused:?}");
    }
    server.finishes("The front one.");
    let answered = world.ok(&["work", "answer", "vans", "--run", "1", "front"]).out;
    assert!(answered.contains("run 1 ") && answered.contains("succeeded"), "{answered}");
    let again = world.run(&["work", "answer", "vans", "--run", "1", "back"]);
    assert!(
        again.code == 1 && again.err.contains("run 1 of") && again.err.contains("asks nothing")
    );
}

#[test]
fn a_schedule_is_not_removed_and_a_correction_says_which_run_reads_it() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(DIGEST);
    for words in ["none", "", " None "] {
        let refused = world.run(&["work", "edit", "digest", "--schedule", words]);
        assert_eq!(refused.code, 2, "{refused:?}");
        for said in ["cannot be removed", "work pause", "work rm"] {
            assert!(refused.err.contains(said), "{said}: {refused:?}");
        }
    }
    let correct = || world.ok(&["work", "correct", "digest", "Shorter."]).out;
    assert!(correct().contains("its next run reads it"));
    server.calls([("ask", json!({ "question": "Which garden?" }))]);
    world.ok(&["work", "run", "digest"]);
    assert!(correct().contains("its next turn reads it"));
}

#[test]
fn with_a_server_a_command_waits_for_the_run_and_says_nothing_of_what_is_due() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(DIGEST);
    let running = world.serve(&[]);
    server.finishes("Told by the server.");
    let ran = world.ok(&["work", "run", "digest"]);
    assert!(ran.out.contains("succeeded") && ran.out.contains("Told by the server."), "{ran:?}");
    assert_eq!(ran.err, "");
    server.calls([("ask", json!({ "question": "Which garden?" }))]);
    assert!(world.ok(&["work", "run", "digest"]).out.contains("it asks: Which garden?"));
    server.calls([("ask", json!({ "question": "Which shed?" }))]);
    assert!(world.ok(&["work", "run", "digest"]).out.contains("it asks: Which shed?"));
    let waits = world.ok(&["attention", "list"]).out;
    assert_eq!(waits.matches("workQuestion ").count(), 2, "{waits}");
    let first = world.ok(&["work", "cancel", "digest", "--run", "2"]).out;
    assert!(first.contains("cancelled run 2 of"), "{first}");
    assert!(world.ok(&["work", "cancel", "digest"]).out.contains("cancelled run 3 of"));
    let runs = world.ok(&["work", "runs", "digest", "--limit", "2"]).out;
    assert!(runs.contains("run 3 ") && !runs.contains("run 1 "), "{runs}");
    assert!(runs.contains("more: ") && runs.contains("--cursor 2"), "{runs}");
    let none = world.ok(&["work", "runs", "digest", "--to", "2020-01-01"]).out;
    assert!(none.contains("No runs on these days."), "{none}");
    let again = world.ok(&["work", "cancel", "digest"]).out;
    assert!(again.contains("cancelled run 3 of"), "to cancel twice changes nothing: {again}");
    until("the run is cancelled", || {
        let state = world.json(&["work", "list"])["items"][0]["runState"].clone();
        (state == "cancelled").then_some(())
    });
    running.stop();
}

#[test]
fn what_is_paused_is_not_due_until_it_is_resumed() {
    let world = ScriptedServer::new().world();
    world.ok(DIGEST);
    world.ok(&[&DIGEST[..2], &["Evening digest"], &DIGEST[3..]].concat());
    let due = || world.json(&["work", "next"])["items"].as_array().map_or(0, Vec::len);
    assert_eq!(due(), 2);
    world.ok(&["work", "pause", "morning"]);
    assert_eq!(due(), 1);
    assert!(world.ok(&["work", "pause-all"]).out.contains("paused 1 piece of agent work"));
    assert_eq!(due(), 0);
    assert!(world.ok(&["work", "resume-all"]).out.contains("resumed 1 piece of agent work"));
    assert_eq!(due(), 1, "what was paused alone stays paused");
    world.ok(&["work", "pause", "evening"]);
    let none = world.ok(&["work", "resume-all"]).out;
    assert!(none.contains("Nothing was paused with all agent work."), "{none}");
    assert!(world.ok(&["work", "resume", "morning"]).out.contains(", next "), "it is due again");
    assert_eq!(due(), 1);
    assert!(world.ok(&["work", "resume", "--held"]).out.contains("Nothing is held."));
}

/// Puts an older copy of the database of the agents in the place of the newer one.
#[test]
fn a_restored_store_starts_nothing_and_says_what_would_run_until_it_is_resumed() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(DIGEST);
    world.ok(&[&DIGEST[..2], &["Evening digest"], &DIGEST[3..]].concat());
    world.ok(&["work", "pause", "evening"]);
    world.ok(&["task", "add", "Mend the fence"]);
    let_it_be_due(&world.data());
    let copy = tempfile::tempdir().expect("a folder for the copy");
    let copied = |from: &Path, to: &Path| {
        for ending in ["", "-wal", "-shm"] {
            let file = format!("agent.sqlite{ending}");
            let _absent = std::fs::remove_file(to.join(&file));
            if from.join(&file).exists() {
                std::fs::copy(from.join(&file), to.join(&file)).expect("a copy");
            }
        }
    };
    copied(&world.data(), copy.path());
    for n in 0..5 {
        world.ok(&["task", "note", "fence", &format!("Plank {n} is here.")]);
        world.ok(&["work", "correct", "morning", &format!("Mind plank {n}.")]);
    }
    copied(copy.path(), &world.data());

    let running = world.serve(&[]);
    let line = running.hears("is held until you resume it");
    assert!(line.contains("“Morning digest”, due at 20"), "{line}");
    running.notice.get("/readyz");
    running.stop();
    let listed = world.json(&["work", "list"]);
    let state = |title: &str| {
        let items = listed["items"].as_array().expect("a list");
        let found = items.iter().find(|one| one["title"] == title).expect("it is listed");
        (found["state"].clone(), found["nextDueAt"].clone(), found["latestRun"].clone())
    };
    assert_eq!(state("Morning digest"), (json!("held"), Value::Null, Value::Null));
    assert_eq!(state("Evening digest").0, "paused", "the person paused it");
    let said = world.ok(&["work", "list"]);
    assert!(said.out.contains("held") && said.err.contains("work resume --held"), "{said:?}");
    let doctor = world.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("1 piece of agent work held"), "{doctor:?}");
    assert_eq!(server.requests().len(), 0, "nothing ran");

    let resumed = world.ok(&["work", "resume", "--held"]);
    assert!(resumed.out.contains("resumed") && resumed.out.contains(", next "), "{resumed:?}");
    assert!(!resumed.err.contains("held"), "{resumed:?}");
    assert_eq!(world.json(&["work", "next"])["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(server.requests().len(), 0, "what was due meanwhile never runs");
}

#[test]
fn work_and_new_agents_follow_a_template_that_is_named() {
    let server = ScriptedServer::new();
    let world = server.world();
    let template = |words: &str| world.json(&["template", "show", words])["template"]["id"].clone();
    let added = world.json(&[DIGEST, &["--template", "worker"]].concat());
    assert_eq!(added["templateId"], template("worker"));
    server.finishes("Nothing is new.");
    world.ok(&["work", "run", "digest"]);
    let requests = server.requests().pop().expect("a request");
    assert!(requests.contains("You carry out one piece of work on your own."), "{requests}");
    let edited = world.json(&["work", "edit", "digest", "--template", "none"]);
    assert_eq!(edited["templateId"], Value::Null);
    let refused = world.run(&["work", "edit", "digest", "--template", "terse"]);
    assert!(
        refused.code == 1 && refused.err.contains("only one of the kind agentWork"),
        "{refused:?}"
    );

    world.ok(&["task", "add", "Water the plants"]);
    world.ok(&["agent", "create", "plants", "--template", "terse"]);
    assert_eq!(world.json(&["agent", "show", "plants"])["templateId"], template("terse"));
}

#[test]
fn one_occurrence_is_skipped_moved_and_restored_and_a_schedule_suspended() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(DIGEST);
    let coming = || {
        let coming = world.ok(&["work", "upcoming", "digest"]).out;
        let key = regex::Regex::new(r"\d{4}-\d\d-\d\dT09:00:00").expect("fixed");
        let coming = key.replace_all(&coming, "<key>").into_owned();
        let lines: Vec<String> = steady(&world, &coming).lines().map(ToOwned::to_owned).collect();
        lines
    };
    let five = |first: &str| {
        let mut five = vec!["<some minute...>  <key>".to_owned(); 5];
        five[0].push_str(first);
        five
    };
    assert_eq!(coming(), five(""));
    let skipped = world.ok(&["work", "skip", "digest"]).out;
    assert!(skipped.starts_with("skipped ") && skipped.contains("Morning digest"), "{skipped}");
    assert_eq!(coming()[0], "<some minute...>  <key>  skipped");
    assert_eq!(coming().len(), 6);
    world.ok(&["work", "restore", "digest"]);
    assert_eq!(coming(), five(""));
    let moved = world.ok(&["work", "move", "digest", "--to", "in two hours"]).out;
    assert!(moved.starts_with("moved ") && moved.contains("Morning digest"), "{moved}");
    assert_eq!(coming(), five("  moved"));
    let refused = world.run(&["work", "move", "digest", "--to", "tomorrow"]);
    assert!(refused.code != 0 && refused.err.contains("has no time of day"), "{refused:?}");
    let unknown = world.run(&["work", "skip", "digest", "--occurrence", "never"]);
    assert!(
        unknown.code == 1 && unknown.err.contains("`never` names no occurrence"),
        "{unknown:?}"
    );
    assert!(unknown.err.contains(" lists the keys") && unknown.err.contains("work upcoming "));
    let suspended = world.ok(&["work", "suspend", "digest", "--until", "in 30 days"]).out;
    let suspended = steady(&world, &suspended);
    let until = "until <some minute...>, next <some minute...>";
    assert!(suspended.starts_with("suspended ") && suspended.contains(until), "{suspended}");
    assert_eq!(coming()[0], "suspended until <some minute...>; `work resume` ends that");
    for command in [&["work", "list"][..], &["work", "show", "digest"]] {
        let shown = steady(&world, &world.ok(command).out);
        assert!(shown.contains("suspended until <some minute...>"), "{shown}");
    }
    world.ok(&["work", "resume", "digest"]);
    assert_eq!(coming(), five("  moved"));
}

#[test]
fn a_single_time_that_falls_into_a_suspension_is_said_to_do_so() {
    let world = World::new();
    let add = ["work", "add", "Agenda", "--instructions", "Say what is due today"];
    world.ok(&[&add[..], &["--schedule", "tomorrow at 15:00"]].concat());
    let suspended = world.ok(&["work", "suspend", "agenda", "--until", "in 30 days"]).out;
    assert!(suspended.contains(": nothing of it comes after that"), "{suspended}");
    assert!(world.ok(&["work", "list"]).out.contains("suspended until"));
    world.ok(&["work", "resume", "agenda"]);
    world.ok(&["work", "skip", "agenda"]);
    assert!(world.ok(&["work", "list"]).out.contains("nothing to come"));
}

#[test]
fn a_dry_run_says_what_work_without_a_schedule_becomes() {
    let world = World::new();
    let add = |instructions: &'static str, more: &[&'static str]| {
        let add = ["work", "add", "Agenda", "--instructions", instructions];
        let said = |args: &[&str]| steady(&world, &world.ok(args).out);
        let dry = said(&[&add[..], more, &["--dry-run"]].concat());
        (dry, said(&[&add[..], more].concat()))
    };
    let (dry, added) = add("Say what is due today", &[]);
    let read = "read as: Agenda: what is overdue and what is due today. Says nothing if there is nothing.\n";
    let proposed = "it would run once, now\nits usual time: --schedule 'every weekday at 07:30'\n";
    assert_eq!(dry, format!("{proposed}{read}nothing was written\n"));
    assert!(added.starts_with(&format!("{read}added ")) && added.contains("run 1 "), "{added}");
    let (dry, added) = add("Say what is due today", &["--waits-for-calls"]);
    let called = "it would run when a hook of it is called\n";
    assert_eq!(dry, format!("{called}{read}nothing was written\n"));
    assert!(added.starts_with(&format!("{read}added ")) && !added.contains("next"), "{added}");
    let (dry, added) = add("Every weekday at 7 say what is due today", &[]);
    assert!(dry.starts_with("every weekday at 07:00\n  <some day.....> 07:00\n"), "{dry}");
    let times = dry.trim_end_matches("nothing was written\n");
    assert!(added.starts_with(times) && added.contains(", next <some minute...>"), "{added}");
}

#[test]
fn what_is_understood_of_instructions_beside_a_schedule_is_said_with_what_is_not() {
    let world = World::new();
    let of_text = "Tell me what is due and delete what is done";
    let add = ["work", "add", "Agenda", "--schedule", "every day at 9", "--instructions", of_text];
    let understood = "read as: Agenda, every day at 09:00: what is overdue and what is due today. \
                      Says nothing if there is nothing.\nnot understood: delete what is done\n";
    let dry = world.ok(&[&add[..], &["--dry-run"]].concat()).out;
    assert!(dry.starts_with("every day at 09:00\n"), "{dry}");
    assert!(dry.ends_with(&format!("{understood}nothing was written\n")), "{dry}");
    let body = world.json(&[&add[..], &["--dry-run"]].concat());
    assert_eq!(body["notUnderstood"], json!(["delete what is done"]));
    let added = world.ok(&add).out;
    assert!(added.contains(&format!("{understood}added ")), "{added}");
    let shown = world.ok(&["work", "show", "agenda"]).out;
    assert!(shown.contains("not understood: delete what is done"), "{shown}");
}

#[test]
fn changes_of_tasks_that_start_it_are_read_from_a_file_and_shown() {
    let server = ScriptedServer::new();
    let world = server.world();
    let events = r#"[{"event": "fieldSet", "field": "dueDate"}]"#;
    let file = world.file("events.json", events);
    let add =
        ["work", "add", "Plan", "--instructions", "Plan again.", "--model", "own/script", "--yes"];
    world.ok(&[&add[..], &["--events", &file]].concat());
    let shown = world.ok(&["work", "show", "plan"]).out;
    assert!(shown.contains("when tasks change"), "{shown}");
    assert!(shown.contains(r#"  {"event":"fieldSet","field":"dueDate"}"#), "{shown}");
    let none = world.file("none.json", "[]");
    world.ok(&["work", "edit", "plan", "--events", &none]);
    assert_eq!(world.json(&["work", "show", "plan"])["task"]["events"], json!([]));
}

#[test]
fn an_empty_list_and_the_gallery_show_commands_that_work() {
    let world = World::new();
    let empty = world.ok(&["work", "list"]).out;
    let mut shown = commands(&empty);
    assert_eq!(shown.len(), 1, "{empty}");
    let gallery = world.ok(&["work", "gallery"]).out;
    shown.extend(
        commands(&gallery).into_iter().filter(|args| !args.contains(&"reset \"TITLE\"".to_owned())),
    );
    assert_eq!(shown.len(), 5, "{gallery}");
    for args in &shown {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let dry = world.ok(&[&args[..], &["--dry-run"]].concat()).out;
        assert!(dry.contains("read as: ") && !dry.contains("not understood"), "{args:?}: {dry}");
    }
    let german = world.run_set(&["work", "gallery"], &[("DORMOUSE_LANG", "de")], b"").out;
    assert!(german.contains("Fristen überwachen"), "{german}");
}

/// The arguments of the commands `work add` that a text shows.
fn commands(text: &str) -> Vec<Vec<String>> {
    let words = |command: &str| -> Vec<String> {
        let parts = command.split('\'').enumerate().flat_map(|(n, part)| match n % 2 {
            0 => part.split_whitespace().map(ToOwned::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        parts.collect()
    };
    let found =
        text.lines().filter_map(|line| line.find("work add '").map(|at| words(&line[at..])));
    found.collect()
}

#[test]
fn an_hour_before_seven_is_taken_literally_and_said() {
    let world = World::new();
    let said = world.ok(&["work", "next", "every day at 6"]).out;
    assert!(
        said.starts_with(
            "every day at 06:00\n06:00 is in the morning; write 18:00 for the evening\n"
        ),
        "{said}"
    );
    let said = world.ok(&["work", "next", "every monday at 2:30"]).out;
    assert!(said.contains("02:30 is in the morning; write 14:30 for the afternoon\n"), "{said}");
    for words in ["every day at 06:00", "every day at 6pm", "every day at 9"] {
        let said = world.ok(&["work", "next", words]).out;
        assert!(!said.contains("morning"), "{words}: {said}");
    }
    let add = ["work", "add", "Agenda", "--instructions", "agenda every day at 6", "--dry-run"];
    let dry = world.ok(&add).out;
    assert!(dry.contains("every day at 06:00\n06:00 is in the morning; write 18:00"), "{dry}");
}

#[test]
fn what_starts_work_without_a_schedule_is_said_and_no_column_is_left_out_at_80() {
    let world = World::new();
    let agenda = ["work", "add", "Mail", "--instructions", "agenda"];
    world.ok(&[&agenda[..], &["--waits-for-calls"]].concat());
    let events = world.file("events.json", r#"[{"event": "created"}]"#);
    world.ok(&[
        "work",
        "add",
        "On new tasks of the house move",
        "--instructions",
        "agenda",
        "--events",
        &events,
    ]);
    world.ok(&[
        "work",
        "add",
        "Suspended for a while, with a long title",
        "--instructions",
        "agenda",
        "--schedule",
        "every weekday at 9:00 and 17:00",
    ]);
    let again = world.run(&["work", "suspend", "suspended", "--until", "every monday"]);
    assert!(again.code != 0 && again.err.contains("`every monday` happens again"), "{again:?}");
    world.ok(&["work", "suspend", "suspended", "--until", "in 3 days at 9"]);
    for columns in [60, 80, 200] {
        let list = world.screen(&["work", "list"], columns);
        for part in [
            "when called",
            "when tasks change",
            "every weekday at 9:00 and 17:00",
            "suspended until",
        ] {
            assert!(list.contains(part), "at {columns}: {part}\n{list}");
        }
        assert!(list.lines().all(|line| line.chars().count() <= columns), "{list}");
    }
    assert!(world.ok(&["work", "show", "mail"]).out.contains("when called"));
}

#[test]
fn refused_calls_of_a_hook_are_listed_with_their_reason_at_80_columns() {
    let world = World::new();
    world.ok(&["work", "add", "Mail", "--instructions", "agenda", "--waits-for-calls"]);
    let made = world.json(&["work", "hook", "add", "mail", "--name", "Mail server"]);
    let running = world.serve(&[]);
    let path = made["hook"]["path"].as_str().expect("a path");
    for _ in 0..2 {
        let address = running.notice.address;
        let host = address.to_string();
        let forged = [
            ("Host", host.as_str()),
            ("webhook-id", "1"),
            ("webhook-timestamp", "1"),
            ("webhook-signature", "v1,AAAA"),
        ];
        let answer = send(address, "POST", path, &forged, "{}").expect("it is answered");
        assert_eq!(answer.status, 403);
    }
    until("the refusals are counted", || {
        let list = world.screen(&["work", "hook", "list", "mail"], 80);
        let has_all = ["refused: 2 signed", "Mail server", "the last refused call came at", path]
            .iter()
            .all(|part| list.split_whitespace().collect::<Vec<_>>().join(" ").contains(part));
        has_all.then_some(())
    });
    running.stop();
}

#[test]
fn a_command_does_not_wait_for_a_model_that_cannot_be_used() {
    let world = World::new();
    world.ok(&["models", "add", "far", "--url", &crate::bad_models::refusing_url()]);
    let running = world.serve(&[]);
    let add = [
        "work",
        "add",
        "Ask garden",
        "--instructions",
        "Say hello.",
        "--model",
        "far/big",
        "--yes",
    ];
    let added = world.run(&add);
    let said = format!("{}{}", added.out, added.err);
    assert!(said.contains("it waits: ") && said.contains("invalid key"), "{said}");
    assert!(said.contains("what to do: ") && said.contains("attention list"), "{said}");
    for args in [&["work", "show", "garden"][..], &["work", "list"]] {
        let shown = world.ok(args).out;
        assert!(shown.contains("waits") && shown.contains("invalid key"), "{shown}");
    }
    running.stop();
}
