//! Providers that are known with their addresses are added by their names; what is said of one that is not.

use crate::scripted_server::ScriptedServer;
use crate::world::World;

fn provider(world: &World, name: &str) -> [String; 2] {
    let providers = world.json(&["models", "list"])["providers"].clone();
    let all = providers.as_array().expect("a list");
    let found = all.iter().find(|provider| provider["name"] == name).expect("it is added").clone();
    ["baseUrl", "format"].map(|field| found[field].as_str().expect("a text").to_owned())
}

#[test]
fn a_known_name_or_address_gives_what_is_left_out() {
    let world = World::new();
    let anthropic = ["https://api.anthropic.com/v1", "anthropic"];
    world.ok(&["models", "add", "openai"]);
    assert_eq!(provider(&world, "openai"), ["https://api.openai.com/v1", "responses"]);
    world.ok(&["models", "add", "claude", "--url", "https://api.anthropic.com"]);
    assert_eq!(provider(&world, "claude"), anthropic);
    let chat = ["--format", "chatCompletions"];
    let added = ["models", "add", "chat", "--url", "https://api.anthropic.com/v1"];
    let shown = world.ok(&[&added[..], &chat[..]].concat()).out;
    assert!(shown.contains("the one that works best there is anthropic: --format"), "{shown}");
    let wrong = world.run(&["models", "add", "gemini", "--format", "responses"]);
    assert_eq!(wrong.code, 1, "{wrong:?}");
    let says = "does not speak the format responses: choose gemini";
    assert!(wrong.err.contains(says), "{wrong:?}");
}

#[test]
fn a_key_adds_a_known_provider_and_says_how_to_add_another_one() {
    let world = World::new();
    let kept = world.run_with(&["models", "key", "anthropic"], b"sk-ant-0123456789abcdef\n");
    assert_eq!(kept.code, 0, "{kept:?}");
    let says = "anthropic is added, at https://api.anthropic.com/v1; its models: ";
    assert!(kept.out.contains(says), "{kept:?}");
    assert_eq!(provider(&world, "anthropic")[1], "anthropic");
    let again = world.run_with(&["models", "key", "anthropic"], b"sk-ant-fedcba9876543210\n");
    assert!(again.code == 0 && !again.out.contains("is added"), "{again:?}");
    let unknown = world.run_with(&["models", "key", "mine"], b"sk-0123456789abcdef\n");
    assert_eq!(unknown.code, 1, "{unknown:?}");
    assert!(unknown.err.contains("there is no provider mine"), "{unknown:?}");
    assert!(unknown.err.contains("models add mine --url ADDRESS"), "{unknown:?}");
}

#[test]
fn a_server_on_this_machine_is_said_to_be_taken_as_somebody_elses() {
    let world = World::new();
    let says = "it is taken as somebody else's server";
    let local = ["models", "add", "local", "--url", "http://localhost:9/v1"];
    let shown = world.ok(&local).out;
    assert!(shown.contains(says) && shown.contains("models add local --own"), "{shown}");
    for is_said in [
        [&local[..], &["--not-own"]].concat(),
        vec!["models", "add", "local", "--own"],
        vec!["models", "add", "far", "--url", "https://models.example/v1"],
    ] {
        let shown = world.ok(&is_said).out;
        assert!(!shown.contains(says), "{is_said:?}: {shown}");
    }
}

#[test]
fn a_model_that_was_only_tested_is_taken_off_the_list() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(&["models", "test", "own/My Model Q4.gguf"]);
    let listed = world.ok(&["models", "list"]).out;
    assert!(listed.contains("own/My Model Q4.gguf"), "{listed}");
    let shown = world.ok(&["models", "forget", "own/My Model Q4.gguf"]).out;
    assert!(shown.contains("own/My Model Q4.gguf is off the list"), "{shown}");
    assert!(!world.ok(&["models", "list"]).out.contains("Q4"));
}

#[test]
fn a_model_that_uses_a_lower_way_says_why() {
    let server = ScriptedServer::new();
    let world = server.world();
    server.drops_tools();
    world.ok(&["models", "test", "own/script"]);
    let listed = world.ok(&["models", "list"]).out;
    let says = "own/script does not call tools itself: the model answered without calling the tool";
    assert!(listed.contains(says), "{listed}");
}

#[test]
fn tokens_are_given_as_on_the_page_and_one_of_them_is_one() {
    let world = World::new();
    let shown = world.ok(&["models", "budget", "--tokens", "250k"]).out;
    assert!(shown.contains("250000 tokens a day"), "{shown}");
    let shown = world.ok(&["models", "budget", "--tokens", "1"]).out;
    assert!(shown.contains("1 token a day"), "{shown}");
    let wrong = world.run(&["models", "budget", "--tokens", "1.5"]);
    assert!(wrong.err.contains("write 250000, 500k or 1.5M"), "{wrong:?}");
}
