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
    assert!(
        shown.contains(" models add chat --url https://api.anthropic.com/v1 --format anthropic"),
        "{shown}"
    );
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

#[test]
fn a_provider_that_is_not_there_is_named_with_the_command_that_adds_it() {
    let world = World::with_tasks();
    let openai = "there is no provider openai: `dormouse models key openai` adds it";
    let ollama = "there is no provider ollama: if it is your own server, `dormouse models add ollama --own` adds it";
    for (args, says) in [
        (vec!["models", "use", "openai/gpt-5", "--yes"], openai),
        (vec!["models", "test", "openai/gpt-5"], openai),
        (vec!["models", "offered", "openai"], openai),
        (vec!["models", "offered", "OpenAI"], "`dormouse models key openai` adds it"),
        (vec!["models", "remove", "near"], "`dormouse models add near --url ADDRESS` adds it"),
        (vec!["models", "test", "ollama/qwen3:8b"], ollama),
    ] {
        let done = world.run(&args);
        assert_eq!(done.code, 1, "{args:?}: {done:?}");
        // The command is proposed as this one was called.
        let (before, command) = says.split_once("dormouse ").expect("a command");
        let is_said = done.err.contains(before) && done.err.contains(&format!(" {command}"));
        assert!(is_said && !done.err.contains("hint"), "{args:?}: {done:?}");
    }
    let chosen = [("DORMOUSE_MODEL", "ollama/qwen3:8b")];
    let made = world.run_set(&["agent", "create", "slug fence"], &chosen, b"");
    assert!(made.out.contains(ollama), "{made:?}");
    let needs = world.run_set(&["attention", "list", "--json"], &chosen, b"");
    assert!(needs.out.contains(ollama), "{needs:?}");
    for (name, address) in
        [("ollama", "http://127.0.0.1:11434/v1"), ("lm-studio", "http://127.0.0.1:1234/v1")]
    {
        let added = world.ok(&["models", "add", name]).out;
        assert!(
            added.contains(&format!("models add {name} --own")),
            "whose it is is asked: {added}"
        );
        assert_eq!(provider(&world, name), [address, "chatCompletions"]);
    }
}

#[test]
fn a_path_below_a_known_host_decides_the_format() {
    let world = World::new();
    let google = "https://generativelanguage.googleapis.com/v1beta/openai";
    let shown = world.ok(&["models", "add", "x4", "--url", &format!("{google}/")]).out;
    assert_eq!(provider(&world, "x4"), [google, "chatCompletions"]);
    assert!(!shown.contains("works best"), "{shown}");
    let deepseek = "https://api.deepseek.com/anthropic";
    world.ok(&["models", "add", "ds", "--url", deepseek]);
    assert_eq!(provider(&world, "ds"), [deepseek, "anthropic"]);
    let shown = world.ok(&["models", "add", "fast", "--url", "https://api.groq.com/v1"]).out;
    let says = "this is another address of groq, whose own is https://api.groq.com/openai/v1";
    assert!(shown.contains(says), "{shown}");
}

#[test]
fn a_key_and_a_name_are_taken_as_they_are_meant() {
    let world = World::new();
    let quoted = world.run_with(&["models", "key", "openai"], b"\"sk-0123456789abcdef\"\n");
    assert_eq!(quoted.code, 1, "{quoted:?}");
    assert!(quoted.err.contains("the key has quotation marks around it"), "{quoted:?}");
    assert!(!quoted.err.contains("sk-0123"), "{quoted:?}");
    let other = world.run(&["models", "add", "OpenAI"]);
    assert_eq!(other.code, 2, "{other:?}");
    assert!(other.err.contains("OpenAI is written openai"), "{other:?}");

    let config = world.data().with_file_name("config");
    std::fs::create_dir_all(&config).expect("a folder can be made");
    let table = "provider,model,input,cachedInput,cacheWrite,output,date,source\n\
                 opnai,*,1,,,2,2026-11-01,list\nopenai,*,1,,,2,2026-11-01,list\n";
    std::fs::write(config.join("prices.csv"), table).expect("a file can be written");
    let config = config.to_string_lossy().into_owned();
    let listed = world.run_set(&["models", "list"], &[("DORMOUSE_CONFIG", &config)], b"").out;
    let says = "problem: your prices name the provider opnai, which is neither added nor known";
    assert!(listed.contains(says) && !listed.contains("the provider openai"), "{listed}");
}

#[test]
fn a_key_in_the_environment_is_said_in_one_line_of_the_overview() {
    let world = World::with_tasks();
    let key = [("OPENAI_API_KEY", "sk-0123456789abcdef")];
    let says = "The environment has a key of openai (OPENAI_API_KEY): it is not used until you choose a model: ";
    let shown = world.run_set(&[], &key, b"").out;
    assert!(shown.contains(says) && shown.contains("models offered openai"), "{shown}");
    assert!(!world.ok(&[]).out.contains("The environment has"));
}

#[test]
fn a_window_is_given_in_thousands_and_an_assumed_one_is_said_to_be() {
    let world = World::new();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    let set = world.ok(&["models", "edit", "far/big", "--window", "128k"]).out;
    assert!(set.contains("far/big has a window of 128000 tokens"), "{set}");
    let back = world.ok(&["models", "edit", "far/big", "--stated-window"]).out;
    let says = "its server states no window of far/big: 8192 tokens are assumed";
    assert!(back.contains(says), "{back}");
    let usage = world.run(&["models", "usage", "--from", "2026-12-01", "--to", "2026-11-01"]);
    assert_eq!(usage.code, 1, "{usage:?}");
    assert!(usage.err.contains("2026-12-01 is after `to`, 2026-11-01"), "{usage:?}");
    let summaries = world.run(&["models", "use", "builtin", "--for", "summarising"]);
    assert!(summaries.err.contains("the built-in rules write no summaries"), "{summaries:?}");
    assert_eq!(summaries.out, "", "nothing is asked first");
}
