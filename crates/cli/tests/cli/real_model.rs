//! A whole journey with a real language model: import, wakes, notes, decisions, kills, a run that is
//! cancelled, a window that is too small.
//!
//! The model has 135 million parameters and says what it likes, which makes it the best adversary:
//! nothing here depends on what it says. `cargo xtask check model` runs these; without the server of
//! `scripts/model-server.txt` they say in one line that they were skipped, and where `CI` is set when
//! they are built, they fail instead.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dormouse_testkit::model_server::{ModelServer, Options, Template};
use serde_json::{Value, json};

use crate::kill_books::{Acked, Books};
use crate::relay::{Passing, Relay};
use crate::running::{Notice, Running};
use crate::world::World;

/// What is written on the two tasks, and belongs in the requests of one agent each.
const PRIVATE: [&str; 2] =
    ["The padlock opens with 7781-heron.", "The gate opens with 4410-otter."];
/// What takes longer is stuck. It takes far less, except where several builds share the machine.
const PATIENCE: Duration = Duration::from_secs(900);
/// A connection is closed within a second, unless several builds share the machine.
const CLOSES: Duration = Duration::from_secs(10);
/// What is said to an agent before its run is cancelled, and before its model is killed.
const ASKED: &str = "Is anything missing?";
const ASKED_AFTER: &str = "And the downpipe?";
/// How often it is looked whether agents rest.
const LOOK: Duration = Duration::from_millis(250);

/// A server of this kind, with room for a prompt and an answer.
fn options(template: Template) -> Options {
    Options { template, window: 8192 }
}

/// A data folder whose agents use a real model through a relay.
struct Journey {
    world: World,
    server: ModelServer,
    relay: Relay,
    /// The provider, as `provider/model`.
    model: String,
    tasks: [String; 2],
    acked: Acked,
}

/// The Python that has the server; `None`, and a line that says so, without it.
fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let python = target.join("model-server/bin/python");
    if python.exists() {
        return Some(python);
    }
    assert!(option_env!("CI").is_none(), "{} is missing: run scripts/setup test", python.display());
    let _ = writeln!(
        std::io::stderr(),
        "skipped: no model server; scripts/setup test installs the one of scripts/model-server.txt"
    );
    None
}

impl Journey {
    /// Imports two tasks, adds a note to each, and makes a real model that of the workspace.
    fn begin(template: Template, provider: &str, is_own: IsOwn) -> Option<Self> {
        let server = ModelServer::start(&python()?, options(template));
        let relay = Relay::to(server.address());
        let world = World::with_tasks();
        let listed = world.json(&["task", "list"]);
        let task = |title: &str| {
            let all = listed["items"].as_array().expect("a list");
            let found = all.iter().find(|row| row["title"].as_str().is_some_and(|it| it == title));
            text(&found.expect("it was imported")["id"])
        };
        let tasks = [task("Water butt for the shed"), task("Slug fence")];
        let mut acked = Acked::default();
        for (task, note) in tasks.iter().zip(PRIVATE) {
            world.ok(&["task", "note", task, note]);
            acked.notes.push((task.clone(), note.to_owned()));
        }
        let url = format!("http://{}/v1", relay.address);
        match is_own {
            IsOwn::Yes => world.ok(&["models", "add", provider, "--url", &url, "--own"]),
            IsOwn::No => world.ok(&["models", "add", provider, "--url", &url]),
        };
        let model = format!("{provider}/smollm2");
        Some(Self { world, server, relay, model, tasks, acked })
    }

    /// Makes the model that of all agents.
    fn choose(&self) {
        self.world.ok(&["models", "use", &self.model, "--yes"]);
    }

    /// How the model calls tools, as a test call finds it.
    fn tool_mode(&self) -> Option<String> {
        let found = self.world.json(&["models", "test", &self.model]);
        found["toolMode"].as_str().map(str::to_owned)
    }

    /// Gives a task its agent, which wakes for the first time; the command ends when it rests.
    fn agent(&mut self, task: usize) {
        let task = self.tasks[task].clone();
        let done = self.world.run(&["agent", "create", &task, "--json"]);
        let agents = self.world.json(&["agent", "list"]);
        let mut all = agents["items"].as_array().expect("a list").iter();
        let own = all.find(|agent| agent["slots"]["activeTaskId"] == task.as_str());
        let own = own.unwrap_or_else(|| panic!("no agent of {task}: {agents}: {done:?}"));
        self.acked.agents.insert(task, text(&own["id"]));
    }

    fn agent_of(&self, task: usize) -> &str {
        &self.acked.agents[&self.tasks[task]]
    }

    /// Says something to an agent on a server, which wakes it.
    fn say(&mut self, notice: &Notice, task: usize, words: &str) {
        let agent = self.agent_of(task).to_owned();
        let body = json!({ "message": words }).to_string();
        let answer = notice.ask("POST", &format!("/api/agents/{agent}/wake"), "", &body);
        let answer = answer.expect("the server answers");
        assert!((200..300).contains(&answer.status), "{answer:?}");
        self.acked.said.push((agent, words.to_owned()));
    }

    /// Waits until no agent works and none wakes soon.
    fn rest(&self, notice: &Notice) {
        self.look(notice, "/api/agents?limit=200", |agents| {
            let mut all = agents["items"].as_array().expect("a list").iter();
            all.all(|agent| agent["activity"] == "asleep")
        });
    }

    /// Waits until an agent is not at work.
    fn stopped(&self, notice: &Notice, task: usize) {
        let path = format!("/api/agents/{}", self.agent_of(task));
        self.look(notice, &path, |agent| agent["activity"] != "running");
    }

    fn look(&self, notice: &Notice, path: &str, is_so: impl Fn(&Value) -> bool) {
        let looks = PATIENCE.as_millis() / LOOK.as_millis();
        for _ in 0..looks {
            if is_so(&notice.get(path)) {
                return;
            }
            self.relay.next(LOOK);
        }
        panic!("it never comes to that: {}", notice.get(path));
    }

    /// The promises, whatever the model said: nothing that was acknowledged is lost, nothing is
    /// applied without a verdict, each request is about one task, and what was spent is known.
    fn check(&self) -> Books {
        let books = Books::copy(&self.world.data());
        books.check(&self.acked);
        let unsettled = "SELECT run_key || ' ' || turn FROM model_calls c WHERE status = 'reserved'
            AND NOT EXISTS (SELECT 1 FROM wake_run_log r WHERE r.ws = c.ws
              AND r.run_key = c.run_key AND (r.status IN ('started', 'queued') OR r.crashes > 0))";
        assert_eq!(books.texts(unsettled), [""; 0], "a call that ended has its cost");
        let unbalanced = "SELECT scope || ' ' || day FROM spend s WHERE scope = 'workspace'
            AND s.reserved + s.spent <> (SELECT total(COALESCE(c.cost, c.reserved))
              FROM model_calls c WHERE c.ws = s.ws AND c.day = s.day AND c.unit = s.unit)";
        assert_eq!(books.texts(unbalanced), [""; 0], "what is counted is what was called");
        let by_itself = "SELECT what FROM j.change_log WHERE instr(origin, '\"agent\"') > 0
            AND json_extract(origin, '$.via') IS NULL AND instr(what, 'language') = 0";
        assert_eq!(books.texts(by_itself), [""; 0], "an agent sets only the language by itself");
        for call in self.relay.calls() {
            let found = PRIVATE.map(|private| call.contains(private));
            assert!(found != [true, true], "a request names the text of two tasks: {call}");
        }
        books
    }

    /// The status of an agent's last run.
    fn last_run(&self, task: usize) -> String {
        text(&self.last_wake(task)["status"])
    }

    /// An agent's last run; a wake that is set for later is none yet.
    fn last_wake(&self, task: usize) -> Value {
        let wakes = self.world.json(&["agent", "log", self.agent_of(task)]);
        let mut all = wakes["items"].as_array().expect("a list").iter();
        all.find(|wake| wake["runKey"].is_string()).expect("it ran").clone()
    }

    /// How many runs of an agent failed since the last that did not.
    fn failures(&self, task: usize) -> i64 {
        let agent = self.world.json(&["agent", "show", self.agent_of(task)]);
        agent["consecutiveFailureCount"].as_i64().expect("a number")
    }

    /// Cancels the run of an agent, whose connection to the model closes.
    fn cancel(&self, notice: &Notice, task: usize) {
        let agent = format!("/api/agents/{}", self.agent_of(task));
        let run = text(&notice.get(&agent)["runKey"]);
        let answer = notice.ask("POST", &format!("{agent}/wakes/{run}/cancel"), "", "");
        let answer = answer.expect("the server answers");
        assert!((200..300).contains(&answer.status), "{answer:?}");
        assert_eq!(self.relay.next(CLOSES), Some(Passing::Closed), "nobody listens any more");
    }

    /// The id of the report of a task; none if the model never wrote one.
    fn report(&self, task: usize) -> Option<String> {
        let done = self.world.run(&["report", &self.tasks[task], "--json"]);
        (done.code == 0).then(|| text(&done.json()["id"]))
    }

    /// Confirms what it can and rejects the rest, one after another.
    fn decide(&mut self) -> usize {
        let sets = self.world.json(&["change", "list"]);
        let items: Vec<Value> = sets["items"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|set| set["items"].as_array().cloned().unwrap_or_default())
            .filter(|item| item["status"] == "pending")
            .collect();
        for (n, item) in items.iter().enumerate() {
            let (set, index) = (text(&item["set"]), item["index"].as_i64().expect("a number"));
            let name = format!("{set}:{index}");
            let verdicts: &[&str] = if n % 2 == 0 { &["confirm", "reject"] } else { &["reject"] };
            let taken = verdicts
                .iter()
                .find(|verdict| self.world.run(&["change", verdict, &name]).code == 0);
            let taken = taken.unwrap_or_else(|| panic!("no verdict on {item} is taken"));
            let state = if *taken == "confirm" { "confirmed" } else { "rejected" };
            self.acked.verdicts.insert((set, index), state.to_owned());
        }
        items.len()
    }

    fn serve(&self) -> Running {
        let server = self.world.serve(&[]);
        self.relay.forget();
        server
    }
}

/// Whether a person says that a server is their own.
#[derive(Clone, Copy)]
enum IsOwn {
    Yes,
    No,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

#[test]
#[ignore = "a real model takes minutes: cargo xtask check model"]
fn every_promise_holds_whatever_a_model_says_that_fills_in_a_form() {
    let Some(mut journey) = Journey::begin(Template::Own, "small", IsOwn::Yes) else { return };
    assert_eq!(journey.tool_mode().as_deref(), Some("schema"), "its template drops tools");
    journey.choose();

    // The first wake.
    journey.agent(0);
    journey.check().check_recovered();

    // A note for the agent, then verdicts on whatever was proposed.
    let note = "The hose is two metres too short.";
    journey.world.run(&["task", "note", &journey.tasks[0], note]);
    journey.acked.notes.push((journey.tasks[0].clone(), note.to_owned()));
    journey.check();
    journey.decide();
    journey.check().check_recovered();

    // The program is killed while the model answers.
    let server = journey.serve();
    let body = json!({}).to_string();
    let path = format!("/api/journal/tasks/{}/agent", journey.tasks[1]);
    let made = server.notice.ask("POST", &path, "", &body).expect("the server answers");
    journey.acked.agents.insert(journey.tasks[1].clone(), text(&made.json()["id"]));
    let notice = server.notice.clone();
    journey.say(&notice, 1, "What is left to do?");
    journey.relay.answering(PATIENCE);
    server.kill();
    let books = journey.check();
    // On a slow machine the other agent may be at work as well.
    let cut = books.texts("SELECT agent_id FROM wake_run_log WHERE status = 'started'");
    assert!(cut.iter().any(|agent| agent == journey.agent_of(1)), "its run was under way");

    // It starts again; the run asks once more, and its message is heard.
    let calls = journey.relay.calls().len();
    let server = journey.serve();
    journey.rest(&server.notice);
    assert!(journey.relay.calls().len() > calls, "the call in flight is made again");
    server.stop();
    journey.check().check_recovered();

    // A person cancels a run in the middle of an answer: its connection closes, nothing counts, and
    // what was said waits for the next wake.
    let report = journey.report(0);
    let failures = journey.failures(0);
    let server = journey.serve();
    let notice = server.notice.clone();
    journey.say(&notice, 0, ASKED);
    journey.relay.answering(PATIENCE);
    journey.cancel(&notice, 0);
    journey.stopped(&notice, 0);
    server.stop();
    journey.check().check_recovered();
    let wake = journey.last_wake(0);
    assert_eq!((&wake["status"], &wake["failure"]), (&json!("failed"), &json!("cancelled")));
    assert_eq!(journey.failures(0), failures, "it counts as no failure");
    assert_eq!(journey.report(0), report, "the report stays");

    // The model server is killed while it answers, comes back with a window that is too small, and
    // then as it was.
    let server = journey.serve();
    let notice = server.notice.clone();
    journey.say(&notice, 0, ASKED_AFTER);
    journey.relay.answering(PATIENCE);
    journey.server.kill();
    journey.stopped(&notice, 0);
    server.stop();
    journey.check().check_recovered();
    assert_eq!(journey.last_run(0), "queued", "it is tried again");
    assert_eq!(journey.report(0), report, "the report stays");

    journey.server.start_again(Options { window: 1024, ..options(Template::Own) });
    let agent = journey.agent_of(0).to_owned();
    journey.world.run(&["agent", "wake", &agent]);
    journey.check().check_recovered();
    assert_eq!(journey.last_run(0), "failed", "it does not fit");
    assert_eq!(journey.report(0), report, "the report stays");

    journey.server.start_again(options(Template::Own));
    journey.world.run(&["agent", "wake", &agent]);
    journey.check().check_recovered();
    let ended = journey.last_run(0);
    assert!(ended == "completed" || ended == "failed", "it came to an end: {ended}");
    let heard = journey.relay.calls().pop().expect("a call");
    let heard = [ASKED, ASKED_AFTER].map(|words| heard.contains(words));
    assert_eq!(heard, [true; 2], "what was said is heard, also if its run was cancelled or cut");
}

/// A template that shows tools, and a provider that is not the person's own: native calls, counted in
/// tokens against the budget of models without a price.
#[test]
#[ignore = "a real model takes minutes: cargo xtask check model"]
fn every_promise_holds_whatever_a_model_says_that_is_offered_tools() {
    let Some(mut journey) = Journey::begin(Template::Tools, "hosted", IsOwn::No) else { return };
    journey.choose();
    journey.agent(0);
    let calls = journey.relay.calls();
    assert!(calls.iter().all(|call| call.contains("\"tools\":[")), "tools are offered natively");
    let books = journey.check();
    books.check_recovered();
    let spent = books.pairs("SELECT unit, reserved + spent FROM spend WHERE scope = 'workspace'");
    let [(unit, tokens)] = &spent[..] else { panic!("{spent:?}") };
    assert!(unit == "tokens" && *tokens > 0, "{spent:?}");

    // A budget of nothing: no byte leaves.
    journey.world.ok(&["models", "budget", "--tokens", "0"]);
    let agent = journey.agent_of(0).to_owned();
    journey.world.run(&["agent", "wake", &agent]);
    assert_eq!(journey.relay.calls().len(), calls.len(), "nothing is sent beyond the budget");
    journey.check().check_recovered();
}

/// A server without a template engine answers requests with tools with 500.
#[test]
#[ignore = "a real model takes minutes: cargo xtask check model"]
fn a_server_that_refuses_tools_is_used_without_them() {
    let Some(mut journey) = Journey::begin(Template::Off, "plain", IsOwn::Yes) else { return };
    let mode = journey.tool_mode();
    assert_ne!(mode.as_deref(), Some("native"), "it refuses tools");
    journey.choose();
    journey.agent(0);
    let calls = journey.relay.calls();
    let woke = calls.iter().filter(|call| call.contains(PRIVATE[0]));
    assert!(woke.clone().count() > 0, "the model was called");
    assert!(woke.clone().all(|call| !call.contains("\"tools\":")), "no tools are sent");
    journey.check().check_recovered();
}
