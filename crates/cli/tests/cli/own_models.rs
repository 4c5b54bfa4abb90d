//! Nobody gets a model that sends something out without a question that names what that means.

use serde_json::json;

use crate::scripted_server::ScriptedServer;
use crate::world::World;

#[test]
fn an_agent_or_a_template_gets_a_model_only_after_a_yes() {
    let world = World::with_agents();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    world.ok(&["template", "create", "Plainly"]);
    let own =
        |yes: &[&'static str]| [&["agent", "model", "slug fence", "far/big"][..], yes].concat();
    let of_template = |yes: &[&'static str]| {
        [&["template", "edit", "Plainly", "--model", "far/big"][..], yes].concat()
    };
    let made = |yes: &[&'static str]| {
        [&["template", "create", "Curt", "--model", "far/big"][..], yes].concat()
    };
    let in_use = || {
        let agents = world.json(&["agent", "list"])["items"].to_string();
        let templates = world.json(&["template", "list"])["items"].to_string();
        [agents, templates].map(|text| text.contains("far/big"))
    };
    for (command, whom) in [
        (own(&[]), "Let far/big think for "),
        (of_template(&[]), "Let far/big think for 0 agents that follow Plainly?"),
        (made(&[]), "Let far/big think for the agents that will follow it?"),
    ] {
        for answer in ["n\n", ""] {
            let shown = world.run_with(&command, answer.as_bytes());
            assert_eq!(shown.code, 1, "{shown:?}");
            assert!(shown.err.starts_with("nothing is changed"), "{shown:?}");
            for says in [
                whom,
                "  sent to http://127.0.0.1:9/v1:",
                "    its checklists and notes",
                "  never sent:",
                "its price is not known: calls are counted in tokens",
                "far has no key",
            ] {
                assert!(shown.out.contains(says), "{command:?}: no {says:?} in {}", shown.out);
            }
        }
    }
    assert_eq!(in_use(), [false, false]);
    assert_eq!(world.json(&["template", "list"])["items"].to_string().matches("Curt").count(), 0);

    let yes = world.run_with(&own(&[]), b"y\n");
    assert!(yes.out.contains("asks far/big, from its next wake on"), "{yes:?}");
    assert_eq!(in_use(), [true, false]);
    // It asks nothing about a model that the agent has, or that is built in.
    for again in [own(&[]), vec!["agent", "model", "slug fence", "builtin"]] {
        let done = world.run(&again);
        assert!(done.code == 0 && !done.out.contains("Let "), "{done:?}");
    }
    for with_yes in [of_template(&["--yes"]), made(&["--yes"])] {
        let done = world.ok(&with_yes);
        assert!(done.out.contains("Let far/big think for"), "{done:?}");
    }
    assert_eq!(in_use(), [false, true]);
}

#[test]
fn an_agent_follows_the_model_of_a_template_that_is_named_only_after_a_yes() {
    let world = World::with_tasks();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    world.ok(&["template", "create", "Afar", "--model", "far/big", "--yes"]);
    world.ok(&["template", "create", "Plainly"]);
    let create = ["agent", "create", "slug fence", "--template", "Afar"];
    for answer in ["n\n", ""] {
        let shown = world.run_with(&create, answer.as_bytes());
        assert_eq!(shown.code, 1, "{shown:?}");
        for says in [
            "Let far/big think for the new agent, which follows Afar?",
            "  sent to http://127.0.0.1:9/v1:",
            "far has no key",
        ] {
            assert!(shown.out.contains(says), "no {says:?} in {}", shown.out);
        }
        assert!(shown.err.starts_with("nothing is changed"), "{shown:?}");
    }
    assert_eq!(world.json(&["agent", "list"])["items"], serde_json::json!([]));
    let plain = world.ok(&["agent", "create", "water butt", "--template", "Plainly"]);
    assert!(!plain.out.contains("Let "), "its model is the built-in one: {plain:?}");
    let done =
        world.ok(&["--no-wait", "agent", "create", "slug fence", "--template", "Afar", "--yes"]);
    assert!(done.out.contains("created "), "{done:?}");
    assert!(world.json(&["agent", "list"])["items"].to_string().contains("far/big"));
}

#[test]
fn a_provider_in_use_is_changed_only_after_a_yes_and_keeps_what_is_not_named() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(&["task", "add", "Fix the fence"]);
    world.ok(&["--no-wait", "agent", "create", "Fix the fence", "--name", "Sven"]);
    let provider = || world.json(&["models", "list"])["providers"][0].clone();
    let was = provider();
    // Nobody uses it: no question, and what is left out stays.
    let saved = world.ok(&["models", "add", "own", "--format", "chatCompletions"]);
    assert!(!saved.out.contains("in use?"), "{saved:?}");
    assert_eq!(provider(), was, "it is still the person's own, at the same address");
    let missing = world.run(&["models", "add", "nobody"]);
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(missing.err.contains("the address of nobody is missing: give --url"), "{missing:?}");

    world.ok(&["agent", "model", "Fix the fence", "own/script", "--yes"]);
    let same = world.ok(&["models", "add", "own"]);
    assert!(!same.out.contains("in use?"), "nothing changes: {same:?}");
    let unsaid = world.run(&["models", "add", "own", "--url", "http://127.0.0.1:9/v1"]);
    assert_eq!(unsaid.code, 2, "{unsaid:?}");
    assert!(
        unsaid.err.contains("own is your own server") && unsaid.err.contains("--not-own"),
        "{unsaid:?}"
    );
    let moved = ["models", "add", "own", "--url", "http://127.0.0.1:9/v1", "--own"];
    let paid = ["models", "add", "own", "--not-own"];
    for (command, says) in [
        (&moved[..], "  from now on sent to http://127.0.0.1:9/v1 instead of "),
        (&paid[..], "  warning: as it is not your own server any more, its calls cost money"),
    ] {
        for answer in ["n\n", ""] {
            let shown = world.run_with(command, answer.as_bytes());
            assert_eq!(shown.code, 1, "{shown:?}");
            assert!(shown.err.starts_with("nothing is changed"), "{shown:?}");
            let whom = "Change own, which is in use?\n  1 agent asks own/script\n";
            assert!(shown.out.contains(whom) && shown.out.contains(says), "{shown:?}");
        }
    }
    assert_eq!(provider(), was);
    let done = world.run_with(&paid, b"y\n");
    assert!(done.code == 0 && done.out.contains("own is saved"), "{done:?}");
    assert_eq!(provider()["isOwn"], false);
    let opened = world.ok(&["models", "add", "own", "--own", "--yes"]);
    let says = "warning: as your own server it is sent private tasks and notes as well";
    assert!(opened.out.contains(says), "{opened:?}");
    assert_eq!(provider(), was);
}

#[test]
fn the_question_for_another_kind_of_template_says_what_that_sends() {
    let world = World::with_agents();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    let made = ["template", "create", "Work", "--kind", "agent-work", "--model", "far/big"];
    let editor = ["template", "edit", "Template editor", "--model", "far/big"];
    for (command, whom, sent) in [
        (
            &made[..],
            "Let far/big think for the agent work that will follow it?",
            "the title, instructions and steps of the agent work",
        ),
        (
            &editor[..],
            "Let far/big think for the sessions about templates, which Template editor leads?",
            "the last reports and observations of these agents",
        ),
    ] {
        let shown = world.run(command).out;
        assert!(shown.contains(whom) && shown.contains(sent), "{shown}");
        for untrue in ["not linked", "--dry-run", "its checklists"] {
            assert!(!shown.contains(untrue), "{untrue}: {shown}");
        }
    }
}

#[test]
fn a_wake_that_failed_ends_with_a_status_that_says_so() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(&["task", "add", "Fix the fence"]);
    world.ok(&["--no-wait", "agent", "create", "Fix the fence", "--name", "Sven"]);
    world.ok(&["agent", "model", "Fix the fence", "own/script", "--yes"]);
    world.ok(&["models", "test", "own/script"]);
    server.refuses("the content is not allowed");
    let woken = world.run(&["agent", "wake", "Fix the fence"]);
    assert_eq!(woken.code, 1, "{woken:?}");
    assert!(
        woken.err.contains("failed: ") && woken.err.contains("error: the wake of agent Sven ("),
        "{woken:?}"
    );
    let json = world.run(&["agent", "wake", "Fix the fence", "--json"]);
    assert_eq!(json.code, 1, "{json:?}");
    server.accepts();
    server.calls([(
        "update_report",
        serde_json::json!({ "tldr": "It stands.", "content": "So far." }),
    )]);
    let woken = world.run(&["agent", "wake", "Fix the fence"]);
    assert_eq!(woken.code, 0, "{woken:?}");
}

#[test]
fn another_template_another_version_and_agent_work_lead_to_a_model_only_after_a_yes() {
    let world = World::with_agents();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    world.ok(&["template", "create", "Plainly", "--model", "far/big", "--yes"]);
    world.ok(&["template", "edit", "Plainly", "--model", "workspace"]);
    world.ok(&["template", "create", "Afar", "--model", "far/big", "--yes"]);
    let work: &[&'static str] = &["work", "add", "Digest", "--instructions", "Say what is new."];
    let moved = ["template", "assign", "Afar", "slug fence"].to_vec();
    let activated = ["template", "activate", "Plainly", "1"].to_vec();
    let rolled_back = ["template", "rollback", "Plainly", "1"].to_vec();
    let with_model = [work, &["--model", "far/big", "--schedule", "every friday"][..]].concat();
    let before = || {
        ["agent list", "template list", "work list"]
            .map(|list| world.json(&list.split(' ').collect::<Vec<_>>()).to_string())
    };
    let was = before();
    for (command, whom) in [
        (&moved, "Let far/big think for "),
        (&activated, "Let far/big think for 0 agents that follow Plainly?"),
        (&rolled_back, "Let far/big think for 0 agents that follow Plainly?"),
        (&with_model, "Let far/big think for this agent work?"),
    ] {
        for answer in ["n\n", ""] {
            let shown = world.run_with(command, answer.as_bytes());
            assert_eq!(shown.code, 1, "{shown:?}");
            assert!(shown.err.starts_with("nothing is changed"), "{shown:?}");
            for says in [whom, "  sent to http://127.0.0.1:9/v1:", "far has no key"] {
                assert!(shown.out.contains(says), "{command:?}: no {says:?} in {}", shown.out);
            }
        }
    }
    assert_eq!(before(), was, "nothing happened without a yes");

    for command in [&moved, &activated, &with_model] {
        let done = world.ok(&[&command[..], &["--yes"]].concat());
        assert!(done.out.contains("Let far/big think for"), "{done:?}");
    }
    let done = world.ok(&rolled_back);
    assert!(!done.out.contains("Let "), "its agents ask that model now: {done:?}");
    let now = before();
    assert!(now.iter().zip(&was).all(|(now, was)| now != was), "{now:?}");
    let again = world.run(&["work", "edit", "Digest", "--model", "far/other"]);
    assert!(again.out.contains("Let far/other think for the agent work Digest?"), "{again:?}");
    assert!(again.code == 1 && again.err.contains("nothing is changed"), "{again:?}");
    // Nothing is new about a template that leads to the model of the workspace, or to the one in use.
    for known in [
        vec!["work", "edit", "Digest", "--model", "far/big"],
        vec!["template", "assign", "default", "slug fence"],
    ] {
        let done = world.run(&known);
        assert!(done.code == 0 && !done.out.contains("Let "), "{done:?}");
    }
}

#[test]
fn a_model_that_takes_no_forced_call_keeps_its_tools() {
    let server = ScriptedServer::new();
    let world = server.world();
    server.takes_no_force();
    world.ok(&["models", "test", "own/script"]);
    let listed = world.ok(&["models", "list"]).out;
    assert!(!listed.contains("does not call tools itself"), "{listed}");
    world.ok(&["task", "add", "Fix the fence"]);
    world.ok(&["--no-wait", "agent", "create", "Fix the fence", "--name", "Sven"]);
    world.ok(&["agent", "model", "Fix the fence", "own/script", "--yes"]);
    let report = json!({ "tldr": "It stands.", "content": "So far." });
    server.calls([("update_report", report)]);
    let woken = world.run(&["agent", "wake", "Fix the fence"]);
    assert_eq!(woken.code, 0, "{woken:?}");
    let sent = server.requests();
    assert!(!sent.is_empty() && sent.iter().all(|body| body.contains("\"tools\"")), "{sent:?}");
}

#[test]
fn a_model_that_calls_no_tool_is_tried_once_and_its_agents_say_so() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(&["task", "add", "Fix the fence"]);
    world.ok(&["--no-wait", "agent", "create", "Fix the fence", "--name", "Sven"]);
    world.ok(&["agent", "model", "Fix the fence", "own/script", "--yes"]);
    server.calls_nothing();
    let woken = world.ok(&["agent", "wake", "Fix the fence"]).out;
    assert_eq!(server.requests().len(), 3, "it was tried in three ways");
    for says in [
        "it waits for its model: own/script called no tool in any of the three ways",
        "it is not tried again by itself; to choose another model: ",
    ] {
        assert!(woken.contains(says), "no {says:?} in {woken}");
    }
    world.ok(&["agent", "wake", "Fix the fence"]);
    assert_eq!(server.requests().len(), 3, "it is known");
    let listed = world.ok(&["models", "list"]).out;
    assert!(listed.contains("tried: calls no tool"), "{listed}");
    let rows = world.json(&["audit", "--limit", "50"])["items"].to_string();
    assert!(rows.contains("it called no tool in any of the three ways"), "{rows}");
}

/// A server whose template renders no tools says nothing about it: its model only never calls any.
#[test]
fn a_server_that_begins_to_drop_tools_is_noticed_and_uses_a_form_instead() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(&["task", "add", "Fix the fence"]);
    world.ok(&["--no-wait", "agent", "create", "Fix the fence", "--name", "Sven"]);
    world.ok(&["models", "test", "own/script"]);
    world.ok(&["agent", "model", "Fix the fence", "own/script", "--yes"]);
    let mode = || {
        let models = world.json(&["models", "list"])["models"].clone();
        let is_it = |model: &&serde_json::Value| model["id"] == "own/script";
        let found = models.as_array().and_then(|models| models.iter().find(is_it).cloned());
        found.expect("it is listed")["toolMode"].clone()
    };
    assert_eq!(mode(), "native");

    server.drops_tools();
    let before = server.requests().len();
    let woken = world.run(&["agent", "wake", "Fix the fence"]);
    assert_eq!(woken.code, 0, "{woken:?}");
    assert_eq!(mode(), "schema", "a turn forced a call, none came, and the same wake tried again");
    let sent = server.requests();
    let tries = sent[before..].iter().filter(|body| body.contains("confirm_word")).count();
    assert_eq!(tries, 2, "natively in vain, then in a form");
    let last = sent.last().expect("a request");
    assert!(last.contains("json_schema") && !last.contains("\"tools\":"), "{last}");
    let audit = world.ok(&["audit", "--limit", "50"]).out;
    assert!(audit.contains("it called no tool although it had to"), "{audit}");
}
