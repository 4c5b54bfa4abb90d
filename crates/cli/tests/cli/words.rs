//! What a person says to an agent by command: all of it reaches the agent, or is named as unheard.

use serde_json::json;

use crate::world::World;

/// A task of its own with an agent that has reported.
fn with_agent() -> World {
    let world = World::new();
    world.ok(&["task", "add", "Mend the pipe", "--note", "It drips."]);
    world.ok(&["agent", "create", "pipe"]);
    world
}

fn say(world: &World, words: &str) {
    world.ok(&["agent", "wake", "pipe", "--say", words, "--no-wait"]);
}

#[test]
fn words_said_one_after_the_other_are_all_in_the_prompt_in_order() {
    let world = with_agent();
    let words = ["Call Anna first.", "The tap is in the cellar.", "She has the key."];
    for one in words {
        say(&world, one);
    }
    world.ok(&["agent", "wake", "--due"]);
    let prompt = world.ok(&["agent", "log", "pipe", "--prompt", "--limit", "1"]).out;
    let places: Vec<Option<usize>> = words.iter().map(|one| prompt.find(one)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {prompt}");
}

#[test]
fn words_that_go_with_a_cancelled_wake_are_named() {
    let world = with_agent();
    say(&world, "Call Anna first.");
    say(&world, "She has the key.");
    let cancelled = world.ok(&["agent", "wake", "pipe", "--cancel"]).out;
    let lines: Vec<&str> = cancelled.lines().skip(1).collect();
    assert_eq!(lines, ["not delivered: Call Anna first.", "not delivered: She has the key."]);
    world.ok(&["agent", "wake", "pipe"]);
    let prompt = world.ok(&["agent", "log", "pipe", "--prompt"]).out;
    assert!(!prompt.contains("Anna"), "{prompt}");
    let again = world.json(&["agent", "wake", "pipe", "--cancel"]);
    assert_eq!(again["unheard"], json!([]));
}

#[test]
fn an_agent_that_is_destroyed_names_what_it_never_heard() {
    let world = with_agent();
    say(&world, "Call Anna first.");
    let gone = world.ok(&["agent", "destroy", "pipe"]).out;
    assert_eq!(gone.lines().nth(1), Some("not delivered: Call Anna first."), "{gone}");
}
