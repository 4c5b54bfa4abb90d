//! What a person sees when a model, its provider, a key, a price or a budget is not what it should
//! be. Whatever it is, the last report stays, and the message names the thing and what to do.
//!
//! Here a real command meets a real server that plays bytes. Its limits, and what takes
//! longer than a test may, are in the rooms:
//!
//! | what | where |
//! |---|---|
//! | any status, in each format; 429 with and without `retry-after` | `crates/adapters/tests/cases/broken.rs` |
//! | broken events, call index 10^9, in each format | `crates/adapters/tests/wire/broken.txt` |
//! | bodies, headers and events without end; redirects; web pages | `crates/adapters/tests/cases/servers.rs` |
//! | half a call, then silence; slow headers; a megabyte of arguments | `crates/agents/tests/cases/drafting.rs`, `crates/runs/src/model_call.rs` |
//! | what a provider does wrong counts against no agent | `crates/agents/tests/cases/breaker.rs` |
//! | usage that is missing or cannot be right | `crates/adapters/src/models/usage.rs`, `crates/agents/tests/cases/spending.rs` |
//! | ids of another agent, data that closes its fence | `crates/scenes/tests/cases/hostile.rs` |
//! | two nodes that reserve the last cent | `crates/store/tests/cases/nodes.rs` |

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};

use crate::scripted_server::{about_the_model, read};
use crate::world::World;

/// What a server does with each connection, once it has read the request.
#[derive(Clone)]
enum Play {
    /// Writes and closes.
    Bytes(String),
    /// Writes the first, then the second again and again until the client closes.
    Endless(String, String),
}

fn serve(play: Play) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
    let address = listener.local_addr().expect("it listens");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if let Some(about) = about_the_model(&read(&mut stream)) {
                let _gone = stream.write_all(about.as_bytes());
                continue;
            }
            // The client closes whenever it has read enough.
            match &play {
                Play::Bytes(text) => _ = stream.write_all(text.as_bytes()),
                Play::Endless(head, piece) => {
                    let _gone = stream.write_all(head.as_bytes());
                    while stream.write_all(piece.as_bytes()).is_ok() {}
                }
            }
        }
    });
    address
}

fn answer(status: &str, headers: &str, body: &str) -> Play {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n");
    Play::Bytes(format!("{head}connection: close\r\n\r\n{body}"))
}

const JSON: &str = "content-type: application/json\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

/// The events of a turn that calls `update_report` once, as it comes over the wire.
fn turn(index: u64, arguments: &str, usage: &str) -> Play {
    let call = serde_json::json!({
        "index": index, "id": "c1", "type": "function",
        "function": { "name": "update_report", "arguments": arguments },
    });
    let delta = format!("{{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}");
    let stop = "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]";
    Play::Bytes(format!("{EVENTS}data: {delta}\n\ndata: {stop}{usage}}}\n\ndata: [DONE]\n\n"))
}

/// The events of a turn that calls nothing: the wake ends.
fn says_nothing(usage: &str) -> Play {
    let stop = "{\"choices\":[{\"delta\":{\"content\":\"Fine.\"},\"finish_reason\":\"stop\"}]";
    Play::Bytes(format!("{EVENTS}data: {stop}{usage}}}\n\ndata: [DONE]\n\n"))
}

const REPORT: &str = r#"{"tldr":"All is well.","content":"So far."}"#;

/// A world with an agent that asks a model of this server, which is not the person's own.
fn world(play: Play) -> World {
    let world = World::with_tasks();
    world.ok(&["agent", "create", "slug fence", "--name", "Sven"]);
    let url = format!("http://{}/v1", serve(play));
    world.ok(&["models", "add", "far", "--url", &url]);
    world.ok(&["agent", "model", "slug fence", "far/big", "--yes"]);
    world
}

/// The address of a server that refuses every call because of its key.
pub fn refusing_url() -> String {
    let refused = answer("401 Unauthorized", JSON, r#"{"error":{"message":"invalid key"}}"#);
    format!("http://{}/v1", serve(refused))
}

/// What the terminal shows of a wake.
fn rendered(play: Play) -> String {
    let world = world(play);
    let before = world.json(&["report", "slug fence"]);
    let woken = world.run(&["agent", "wake", "slug fence"]);
    let after = world.json(&["report", "slug fence"]);
    assert_eq!(before["id"], after["id"], "the last report stays");
    format!("{}{}", woken.out, woken.err)
}

#[test]
fn what_a_provider_does_wrong_is_said_in_words_and_keeps_the_last_report() {
    let error = |message: &str| format!("{{\"error\":{{\"message\":\"{message}\"}}}}");
    let retry = format!("{JSON}retry-after: 40\r\n");
    let half = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\
                \"function\":{\"name\":\"update_report\",\"arguments\":\"{\\\"tl\"}}]}}]}\n\n";
    let long = format!("{{\"tldr\":\"{}\"}}", "x".repeat(1 << 20));
    let big = "HTTP/1.1 200 OK\r\ncontent-length: 209715200\r\n\
               content-type: application/json\r\n\r\n";
    let moved = "location: https://evil.example/steal?key=1\r\n";
    let cases = [
        (
            "a wrong key",
            answer("401 Unauthorized", JSON, &error("invalid key")),
            "the provider wants a key, and it was sent none; set one: invalid key",
        ),
        (
            "an unknown model",
            answer("404 Not Found", JSON, &error("model not found")),
            "far does not offer the model big; choose one that it lists",
        ),
        (
            "a request beyond the window",
            answer("400 Bad Request", JSON, &error("maximum context length is 10")),
            "the request is larger than the context window of big",
        ),
        (
            "429 with retry-after",
            answer("429 Too Many Requests", &retry, &error("slow down")),
            "the provider's limit is reached: slow down",
        ),
        (
            "429 without it",
            answer("429 Too Many Requests", JSON, &error("slow down")),
            "the provider's limit is reached: slow down",
        ),
        (
            "500",
            answer("500 Internal Server Error", JSON, ""),
            "the provider does not work at the moment (status 500, no reason given)",
        ),
        (
            "a web page",
            answer("200 OK", "content-type: text/html\r\n", "<html>"),
            "a web page instead of an answer of a model; check the base URL",
        ),
        (
            "a redirect",
            answer("307 Moved", moved, ""),
            "points to https://evil.example: redirects are not followed; enter the address of the server itself",
        ),
        (
            "half a call",
            Play::Bytes(format!("{EVENTS}{half}")),
            "the answer ended before it was complete",
        ),
        (
            "200 MB",
            Play::Endless(big.into(), " ".repeat(1 << 16)),
            "answered with more than 4194304 bytes",
        ),
        (
            "a megabyte of arguments",
            turn(0, &long, ""),
            "more than 262144 bytes of arguments for one call",
        ),
        (
            "a call at 10^9",
            turn(1_000_000_000, REPORT, ""),
            "more than 64 tool calls in one answer",
        ),
        (
            "fewer tokens than were sent",
            turn(0, REPORT, ",\"usage\":{\"prompt_tokens\":257,\"completion_tokens\":9}"),
            "read 257 tokens of a prompt that has at least",
        ),
    ];
    for (what, play, says) in cases {
        let shown = rendered(play);
        assert!(shown.contains(says), "{what} does not say {says:?}: {shown}");
        assert!(!shown.contains("steal"), "{what}: {shown}");
    }
}

#[test]
fn a_call_without_a_figure_that_can_be_right_counts_as_what_was_reserved() {
    let costs = |usage: &str| {
        let world = world(says_nothing(usage));
        let used = || {
            let used = &world.json(&["models", "usage"])["items"][0];
            assert_eq!(used["unit"], "tokens", "{used}");
            [&used["cost"], &used["calls"]].map(|figure| figure.as_i64().expect("a number"))
        };
        world.ok(&["models", "test", "far/big"]);
        let [tested, tests] = used();
        world.ok(&["agent", "wake", "slug fence"]);
        let [cost, calls] = used();
        (cost - tested) / (calls - tests)
    };
    let said = costs(",\"usage\":{\"prompt_tokens\":2000,\"completion_tokens\":9}");
    assert_eq!(said, 2009);
    let reserved = costs("");
    assert!(reserved > 2 * said, "{reserved}");
    for absurd in ["{}", "{\"prompt_tokens\":-5,\"completion_tokens\":9}", "{\"prompt_tokens\":7}"]
    {
        assert_eq!(costs(&format!(",\"usage\":{absurd}")), reserved, "{absurd}");
    }
}

#[test]
fn what_a_person_gives_wrong_is_named_and_changes_nothing() {
    let world = World::with_agents();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    let before = world.json(&["models", "list"]);
    let add = |name: &'static str, url: &'static str| vec!["models", "add", name, "--url", url];
    let own = [&add("openai", "https://api.openai.com/v1")[..], &["--own"]].concat();
    let dry_run = ["agent", "wake", "slug fence", "--dry-run", "--model"];
    let far = "http://127.0.0.1:9/v1";
    for (args, code, says) in [
        (add("far away", far), 1, "\"far away\" cannot be the name of a provider"),
        (add("builtin", far), 1, "builtin is the name of the built-in model"),
        (add("b", "ftp://127.0.0.1/v1"), 1, "does not begin with `http://` or `https://`"),
        (add("b", "http://me:sk-first@127.0.0.1/v1"), 1, "give the key by itself"),
        (add("b", "127.0.0.1:9/v1"), 1, "is not the address of a server"),
        (own, 1, "belongs to the provider openai: it is not your own server"),
        (vec!["models", "use", "big", "--yes"], 1, "`big` is no model: write provider/model"),
        (vec!["models", "use", "near/big", "--yes"], 1, "there is no provider near"),
        (vec!["models", "test", "far/big"], 1, "cannot connect to http://127.0.0.1:9"),
        (vec!["models", "offered", "far"], 1, "cannot connect to http://127.0.0.1:9"),
        (vec!["models", "budget", "--day", "lots"], 2, "`lots` is no amount in dollars"),
        (vec!["models", "edit", "far/big", "--window", "0"], 1, "0 tokens is not possible"),
        ([&dry_run[..], &["near/big"]].concat(), 1, " models add near --url ADDRESS` adds it"),
        ([&dry_run[..], &["big"]].concat(), 1, "`big` is no model: write provider/model"),
        (vec!["agent", "wake", "slug fence", "--model", "far/big"], 2, "--dry-run"),
    ] {
        let done = world.run(&args);
        assert_eq!(done.code, code, "{args:?}: {done:?}");
        assert!(done.err.starts_with("error: ") && done.err.contains(says), "{args:?}: {done:?}");
        assert!(!done.err.contains("sk-first"), "{args:?}: {done:?}");
    }
    assert_eq!(world.json(&["models", "list"]), before);
}

#[test]
fn a_key_with_a_line_break_is_refused_wherever_it_comes_from_and_never_shown() {
    let world = World::with_agents();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    let pasted = world.run_with(&["models", "key", "far"], b"sk-first\nsk-second\n");
    assert_eq!(pasted.code, 1, "{pasted:?}");
    assert!(pasted.err.contains("the key contains a line break"), "{pasted:?}");
    let variable = [("DORMOUSE_KEY_FAR", "sk-first\nsk-second")];
    let listed = world.run_set(&["models", "list"], &variable, b"");
    assert!(listed.out.contains("problem: DORMOUSE_KEY_FAR"), "{listed:?}");
    let tested = world.run_set(&["models", "test", "far/big"], &variable, b"");
    assert_eq!(tested.code, 1, "{tested:?}");
    assert!(tested.err.contains("DORMOUSE_KEY_FAR"), "{tested:?}");
    for done in [pasted, listed, tested] {
        assert!(!format!("{done:?}").contains("sk-"), "{done:?}");
    }
}

#[test]
fn a_price_table_with_a_typo_is_named_by_file_line_and_column() {
    let world = World::with_agents();
    let config = world.data().with_file_name("config");
    std::fs::create_dir(&config).expect("a folder can be made");
    let table = "provider,model,input,cachedInput,cacheWrite,output,date,source\n\
                 far,big,0.2x,,,2,2026-11-01,my contract\n";
    std::fs::write(config.join("prices.csv"), table).expect("a file can be written");
    let config = config.to_string_lossy().into_owned();
    let listed = world.run_set(&["models", "list"], &[("DORMOUSE_CONFIG", &config)], b"");
    assert_eq!(listed.code, 0, "everything else works: {listed:?}");
    let says = ["problem: ", "prices.csv, line 2, column input: "];
    assert!(says.iter().all(|words| listed.out.contains(words)), "{listed:?}");
}

#[test]
fn a_budget_of_nothing_sends_nothing_and_says_so() {
    let world = world(says_nothing(""));
    world.ok(&["models", "budget", "--tokens", "0"]);
    let woken = world.run(&["agent", "wake", "slug fence"]);
    let says = "more than all agents may still spend";
    assert!(woken.err.contains(says), "{woken:?}");
    assert_eq!(world.json(&["models", "usage"])["items"], serde_json::json!([]));
    let home = world.ok(&[]).out;
    assert!(home.contains("0 of 0 tokens today: a budget of 0 allows no call, raise it"), "{home}");
    assert!(home.contains("set a budget that allows a call"), "{home}");
}

#[test]
fn a_budget_of_nothing_is_to_be_raised_and_neither_lifted_nor_waited_for() {
    let world = world(says_nothing(""));
    world.ok(&["models", "edit", "far/big", "--input-price", "1", "--output-price", "4"]);
    world.ok(&["models", "test", "far/big"]);
    for (budget, whose, entry) in [
        ("--agent", "one agent", "The budget of Sven for a day is 0"),
        ("--day", "all agents", "The budget of all agents for a day is 0"),
    ] {
        world.ok(&["models", "budget", "--agent", "0.5", "--day", "3"]);
        world.ok(&["models", "budget", budget, "0"]);
        let woken = world.ok(&["agent", "wake", "slug fence"]);
        let says = format!(
            "it waits: the budget of {whose} for a day is 0, which allows no call; to raise it:"
        );
        assert!(woken.out.contains(&says), "{woken:?}");
        let needs = world.json(&["attention", "list"])["items"][0].to_string();
        assert!(needs.contains(entry) && needs.contains("raise the budget"), "{needs}");
        for untrue in ["once-more", "until midnight", "it waits until"] {
            let shown = format!("{}{needs}", woken.out);
            assert!(!shown.contains(untrue), "{untrue}: {shown}");
        }
    }
}

/// 12,000 tokens in and 4,096 out are reserved for a call of a usual size, and 2,000 more in for the next one.
#[test]
fn a_choice_warns_of_budgets_with_no_room_for_a_wake_and_of_a_key_that_is_missing() {
    let world = world(says_nothing(""));
    world.ok(&["models", "edit", "far/big", "--input-price", "3", "--output-price", "15"]);
    let chosen = world.ok(&["models", "use", "far/big", "--yes"]).out;
    assert!(chosen.contains("of all agents and agent work without one of their own"), "{chosen}");
    let add = ["work", "add", "Tidy", "--instructions", "Sweep old tasks", "--dry-run"];
    let dry = world.ok(&add).out;
    assert!(dry.contains("read by: far/big"), "{dry}");
    let rules = world.ok(&[&add[..], &["--model", "builtin"]].concat()).out;
    assert!(rules.contains("read as: ") && !rules.contains("read by: "), "{rules}");
    let key = "warning: far has no key, and a provider refuses calls without one: set it with `";
    assert!(chosen.contains(key) && chosen.contains("models key far`"), "{chosen}");
    let wake = "warning: a wake takes 2 calls at least, which may cost together up to $0.2009, more than the \
                $0.10 that one wake may spend: its wakes may fail; $0.21 is enough: `";
    assert!(chosen.contains(wake) && chosen.contains("models budget --wake 0.21`"), "{chosen}");
    assert!(!chosen.contains("a day: its wakes"), "a day has room: {chosen}");
    world.ok(&["models", "budget", "--wake", "0.21"]);
    let chosen = world.ok(&["models", "use", "far/big", "--yes"]).out;
    assert!(!chosen.contains("may cost"), "what it names is enough: {chosen}");

    world.ok(&["models", "budget", "--wake", "0.05", "--agent", "0.06"]);
    let chosen = world.ok(&["models", "use", "far/big", "--yes"]).out;
    let wake = "warning: one call may cost up to $0.0975, more than the $0.05 that one wake may spend: \
                its wakes would fail; $0.21 is enough: `";
    assert!(chosen.contains(wake), "{chosen}");
    let day = "more than the $0.06 that one agent may spend a day: its wakes would wait; $0.21 is";
    assert!(chosen.contains(day), "{chosen}");
    let shown = world.run(&["agent", "wake", "slug fence", "--dry-run"]);
    let warns = "warning: one call may cost up to $";
    assert!(shown.err.contains(warns) && shown.err.contains("$0.05 that one wake"), "{shown:?}");
}

#[test]
fn a_wake_that_waits_says_for_what_since_when_and_what_to_do() {
    let world = world(answer("401 Unauthorized", JSON, r#"{"error":{"message":"no such key"}}"#));
    let woken = world.ok(&["agent", "wake", "slug fence"]);
    assert!(!woken.err.contains("WARN"), "the log is for servers: {woken:?}");
    let woken = woken.out;
    let since = "it waits for its model: far has been unavailable since ";
    let why = "the provider wants a key, and it was sent none; set one: no such key";
    let next =
        ["it is tried again by the next command after ", "models test far/big", "agent model "];
    assert!(woken.contains(since) && woken.contains(why), "{woken}");
    assert!(next.iter().all(|words| woken.contains(words)), "{woken}");
    let needs = world.json(&["attention", "list"])["items"].clone();
    let all = needs.as_array().expect("a list");
    let entries: Vec<_> = all.iter().filter(|one| one["kind"] == "modelSetup").collect();
    let [entry] = &entries[..] else { panic!("{needs}") };
    assert_eq!(entry["id"], "provider:far");
    let text = entry["text"].as_str().expect("a text");
    assert_eq!(text, format!("The model provider far cannot be used: {why}"));
    let listed = world.ok(&["attention", "list"]).out;
    assert!(listed.contains("The model provider far cannot"), "{listed}");
    let shown: Vec<&str> = listed.split_whitespace().collect();
    assert!(text.split_whitespace().all(|word| shown.contains(&word)), "no word is cut: {listed}");
    // Nothing is sent while it is held, and the reason is the same.
    let again = world.ok(&["agent", "wake", "slug fence"]).out;
    assert!(again.contains(since) && again.contains(why), "{again}");

    // A budget says nothing of the provider, which stays held; that its model is chosen does.
    world.ok(&["models", "budget", "--tokens", "1"]);
    let again = world.ok(&["agent", "wake", "slug fence"]).out;
    assert!(again.contains(since) && again.contains(why), "{again}");
    world.ok(&["models", "use", "far/big", "--yes"]);
    let woken = world.ok(&["agent", "wake", "slug fence"]).out;
    let says =
        ["today's budget has no room for the next call", "models once-more", "models budget"];
    assert!(says.iter().all(|words| woken.contains(words)), "{woken}");
    let home = world.ok(&[]).out;
    assert!(home.contains("wakes wait until midnight"), "{home}");
    world.ok(&["agent", "model", "slug fence", "builtin"]);
    let home = world.ok(&[]).out;
    assert!(!home.contains("midnight"), "nobody waits for the budget: {home}");

    world.ok(&["agent", "model", "slug fence", "far/big", "--yes"]);
    world.ok(&["models", "budget", "--tokens", "500000"]);
    world.ok(&["models", "off"]);
    let woken = world.ok(&["agent", "wake", "slug fence"]).out;
    assert!(woken.contains("it waits: calls that cost money are switched off"), "{woken}");
}

#[test]
fn the_first_failure_of_a_provider_is_shown_with_its_reason() {
    let world = World::with_agents();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    world.ok(&["models", "use", "far/big", "--yes"]);
    let woken = world.ok(&["agent", "wake", "slug fence"]).out;
    let why =
        "it waits for its model: far/big could not be used: cannot connect to http://127.0.0.1:9";
    assert!(woken.contains(why), "{woken}");
    let later = "it is tried again by the next command after ";
    assert!(woken.contains(later) && !woken.contains("ag-"), "nothing runs by itself: {woken}");
    let shown = world.ok(&["agent", "show", "slug fence"]).out;
    assert!(shown.contains(why), "{shown}");
    let preview = world.run(&["agent", "wake", "slug fence", "--dry-run"]);
    assert_eq!(preview.code, 1, "{preview:?}");
    let says = ["is in a wake that waits to continue", "agent cancel "];
    assert!(says.iter().all(|words| preview.err.contains(words)), "{preview:?}");
}

#[test]
fn an_agent_that_sleeps_is_named_with_the_command_that_wakes_it() {
    let world = World::with_agents();
    world.ok(&["agent", "pause", "slug fence"]);
    let woken = world.run(&["agent", "wake", "slug fence"]);
    assert_eq!(woken.code, 1, "{woken:?}");
    assert!(woken.err.contains("Sven") && woken.err.contains(" is dormant"), "{woken:?}");
    assert!(woken.err.contains("agent resume ") && !woken.err.contains("ag-"), "{woken:?}");
}
