//! Who reads the instructions of agent work after it was edited.

use serde_json::{Value, json};

use crate::scripted_server::ScriptedServer;
use crate::world::World;

fn work(world: &World, title: &str) -> Value {
    world.json(&["work", "show", title])["task"].clone()
}

#[test]
fn work_that_a_model_had_goes_back_to_the_rules_if_they_understand_its_instructions() {
    let server = ScriptedServer::new();
    let world = server.world();
    let agenda = "Agenda, every day at 09:00: what is overdue and what is due today. Says nothing \
                  if there is nothing.";
    let add = ["work", "add", "Plain", "--instructions", "Every day at 9 say what is due today"];
    world.ok(&add);
    world.ok(&["work", "edit", "plain", "--model", "own/script", "--yes"]);
    assert_eq!(work(&world, "plain")["builtIn"], Value::Null);
    world.ok(&["work", "edit", "plain", "--model", "workspace", "--yes"]);
    assert_eq!(work(&world, "plain")["builtIn"]["sentence"], json!(agenda));
    assert_eq!(work(&world, "plain")["schedule"], json!("Every day at 09:00"));

    let joke = ["work", "add", "Joke", "--instructions", "Tell me a joke.", "--schedule"];
    let rest = ["every day at 10", "--model", "own/script", "--yes"];
    world.ok(&[&joke[..], &rest[..]].concat());
    let refused = world.run(&["work", "edit", "joke", "--model", "workspace", "--yes"]);
    assert!(refused.code == 1 && refused.err.contains("language model"), "{refused:?}");
    assert_eq!(work(&world, "joke")["model"], json!("own/script"));
    let agenda = ["--instructions", "Say what is due today"];
    let edit = ["work", "edit", "joke", "--model", "workspace", "--yes"];
    world.ok(&[&edit[..], &agenda[..]].concat());
    let read = work(&world, "joke");
    assert_eq!(read["builtIn"]["workKind"], json!("agenda"), "{read:#}");
    assert_eq!(read["schedule"], json!("every day at 10"));
    let refused = world.run(&["work", "edit", "joke", "--instructions", "Tell me a joke."]);
    assert!(refused.code == 1 && refused.err.contains("language model"), "{refused:?}");
    assert_eq!(work(&world, "joke")["version"], json!(2));
}

#[test]
fn steps_and_a_template_keep_work_from_going_back_to_the_rules() {
    let server = ScriptedServer::new();
    let world = server.world();
    let steps = world.file("steps.json", r#"[{"text": "Look."}]"#);
    let add = ["work", "add", "Plain", "--instructions", "Say what is due today", "--schedule"];
    let rest = ["every day at 9", "--steps", &steps, "--model", "own/script", "--yes"];
    world.ok(&[&add[..], &rest[..]].concat());
    let refused = world.run(&["work", "edit", "plain", "--model", "workspace", "--yes"]);
    assert!(refused.code == 1 && refused.err.contains("steps"), "{refused:?}");
    let none = world.file("none.json", "[]");
    world.ok(&["work", "edit", "plain", "--model", "workspace", "--yes", "--steps", &none]);
    assert_eq!(work(&world, "plain")["builtIn"]["workKind"], json!("agenda"));
}

#[test]
fn a_run_whose_instructions_nobody_can_read_fails_at_once() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(&["models", "use", "own/script", "--yes"]);
    let add = ["work", "add", "Joke", "--instructions", "Tell me a joke."];
    world.ok(&[&add[..], &["--schedule", "every day at 10"]].concat());
    world.ok(&["models", "use", "builtin", "--yes"]);
    let run = world.run(&["work", "run", "joke"]);
    assert!(run.out.contains("failed") && run.out.contains("edit its instructions"), "{run:?}");
    assert_eq!(work(&world, "joke")["runState"], json!("failed"));
}

#[test]
fn relative_words_of_a_schedule_are_kept_as_what_they_came_to() {
    let world = World::new();
    let add = ["work", "add", "Agenda", "--instructions", "Say what is due today", "--schedule"];
    let times = regex::Regex::new(r"^\d+ [A-Z][a-z]+ \d{4}( at 09:00)?$").expect("fixed");
    let starts = regex::Regex::new(r"^every day at 09:00 (from|until) \d+ [A-Z][a-z]+ \d{4}$")
        .expect("fixed");
    for (words, kept) in [
        ("tomorrow at 9", &times),
        ("on Friday", &times),
        ("every day at 9, starting tomorrow", &starts),
        ("every day at 9 until next Friday", &starts),
    ] {
        let made = world.json(&[&add[..], &[words]].concat());
        let schedule = made["schedule"].as_str().expect("a schedule");
        assert!(kept.is_match(schedule), "{words}: {schedule}");
        let sentence = made["builtIn"]["sentence"].as_str().expect("a sentence");
        assert!(!sentence.contains("tomorrow") && !sentence.contains("Friday"), "{sentence}");
    }
}

#[test]
fn now_is_no_schedule_and_what_to_write_is_said() {
    let world = World::new();
    let add = ["work", "add", "Agenda", "--instructions", "Say what is due today", "--schedule"];
    for (language, words) in
        [("en", "now"), ("de", "Jetzt"), ("fr", "tout de suite"), ("es", "ahora"), ("ro", "acum")]
    {
        let args = [&add[..], &[words]].concat();
        let refused = world.run_set(&args, &[("DORMOUSE_LANG", language)], b"");
        let says =
            format!("`{words}` is no schedule; leave the schedule out: it then runs once, now");
        assert!(refused.code != 0 && refused.err.contains(&says), "{refused:?}");
    }
}

#[test]
fn what_was_paused_with_all_and_then_alone_stays_paused() {
    let world = World::new();
    for title in ["Morning", "Evening"] {
        let add = ["work", "add", title, "--instructions", "Say what is due today", "--schedule"];
        world.ok(&[&add[..], &["every day at 9"]].concat());
    }
    assert!(world.ok(&["work", "pause-all"]).out.contains("paused 2"));
    world.ok(&["work", "pause", "morning"]);
    assert!(world.ok(&["work", "resume-all"]).out.contains("resumed 1 "));
    assert_eq!(work(&world, "morning")["state"], json!("paused"));
    let again = world.run(&["work", "pause", "morning"]);
    assert!(again.code == 1 && again.err.contains("only work that is active"), "{again:?}");
}

#[test]
fn what_a_run_would_come_to_is_shown_and_nothing_is_written() {
    let world = World::new();
    world.ok(&["task", "add", "Book the movers", "--due", "today"]);
    let tried = world.ok(&["work", "try", "Say what is due today"]).out;
    assert!(tried.contains("read as: ") && tried.contains("Book the movers"), "{tried}");
    assert!(tried.ends_with("nothing was written\n"), "{tried}");
    assert_eq!(world.json(&["work", "list"])["items"], json!([]));
    let quiet = world.ok(&["work", "try", "Sweep old tasks"]).out;
    assert!(quiet.contains("it would say nothing now: there is nothing to report"), "{quiet}");
    let trial = world.json(&["work", "try", "Say what is due today"]);
    assert_eq!(trial["outcome"]["outcome"], json!("text"));
    let refused = world.run(&["work", "try", "Compare the prices of vans"]);
    assert!(refused.code == 1 && refused.err.contains("language model"), "{refused:?}");
}
