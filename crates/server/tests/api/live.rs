//! Live events over a socket of this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use dormouse::events::{Cursor, Since};
use dormouse::{Dormouse, NewEntry, NewTask};
use dormouse_server::{AllowedHosts, Authenticator, Hardening};
use dormouse_types::limits::{SOCKET_MESSAGE, SOCKETS_PER_TOKEN};
use dormouse_types::port::{BoxFuture, Clock};
use dormouse_types::{Caller, EventKind, TaskId, Timestamp, WorkspaceId};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::site::{Site, TOKEN};
use crate::world::World;

type Socket = WebSocketStream<TcpStream>;

/// A clock that never wakes anybody: what comes, comes by a hint.
struct Asleep;

impl Clock for Asleep {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_772_442_000_000_000)
    }

    fn sleep_until(&self, _at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

fn me() -> Caller {
    Caller::owner(WorkspaceId(1))
}

async fn site(world: &World) -> Site {
    let dormouse = world.dormouse();
    Site::new(|port| {
        let hardening = Hardening::new(AllowedHosts::new(port, None), Arc::new(Asleep));
        dormouse_server::listener(dormouse, Authenticator::new(TOKEN, Arc::new(Asleep)), &hardening)
    })
    .await
}

async fn ticket(dormouse: &Dormouse) -> String {
    dormouse.new_ticket(&me()).await.expect("a ticket").ticket.0
}

/// Opens a socket with a query.
async fn open(site: &Site, query: &str, origin: Option<&str>) -> Result<Socket, Error> {
    let stream = TcpStream::connect(site.address).await.expect("the server listens");
    let address = format!("ws://{}/api/ws?{query}", site.host());
    let mut request = address.into_client_request().expect("an address");
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().expect("a header"));
    }
    client_async(request, stream).await.map(|(socket, _)| socket)
}

async fn resume(site: &Site, dormouse: &Dormouse, since: Option<&str>) -> Socket {
    let since = since.map(|since| format!("&since={since}")).unwrap_or_default();
    let query = format!("ticket={}{since}", ticket(dormouse).await);
    open(site, &query, None).await.expect("a socket")
}

/// The next frame; none once the socket has ended, and how.
async fn next(socket: &mut Socket) -> Result<Value, Option<u16>> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                return Ok(serde_json::from_str(&text).expect("JSON"));
            }
            Some(Ok(Message::Close(close))) => return Err(close.map(|it| it.code.into())),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return Err(None),
        }
    }
}

async fn task(dormouse: &Dormouse, title: &str) -> TaskId {
    let new = NewTask { title: title.to_owned(), ..NewTask::default() };
    dormouse.create_task(&me(), new, None).await.expect("a task").id
}

fn text<'a>(frame: &'a Value, name: &str) -> &'a str {
    frame[name].as_str().unwrap_or_default()
}

fn status(error: Result<Socket, Error>) -> u16 {
    match error {
        Err(Error::Http(response)) => response.status().as_u16(),
        other => panic!("no answer of HTTP: {other:?}"),
    }
}

#[tokio::test]
async fn a_change_comes_by_itself_with_its_task_and_a_place_to_resume_from() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let mut socket = resume(&site, &dormouse, None).await;
    let hello = next(&mut socket).await.expect("a frame");
    assert_eq!(text(&hello, "type"), "hello");
    assert_eq!(text(&hello, "version"), env!("CARGO_PKG_VERSION"));
    let id = task(&dormouse, "Gate").await;
    let changed = next(&mut socket).await.expect("a frame");
    let expected = serde_json::json!({
        "type": "journal:changed", "cursor": changed["cursor"], "subject": null, "tasks": [id],
        "agent": null, "at": "2026-03-02T09:00:00Z",
    });
    assert_eq!(changed, expected);
    assert!(Cursor::read(text(&changed, "cursor")).is_some());
    let mut again = resume(&site, &dormouse, Some(text(&hello, "cursor"))).await;
    assert_eq!(next(&mut again).await.map(|it| it["cursor"].clone()), Ok(hello["cursor"].clone()));
    assert_eq!(next(&mut again).await, Ok(changed), "what was missed follows the hello");
}

#[tokio::test]
async fn a_run_that_reports_tells_of_its_report_and_names_the_task() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let id = task(&dormouse, "Gate").await;
    let note = NewEntry { text: "Still to do: oil the hinge.".into(), ..NewEntry::default() };
    dormouse.add_entry(&me(), &id, note, None).await.expect("an entry");
    let agent = dormouse.create_agent(&me(), &id, None, None).await.expect("an agent").id;
    let mut socket = resume(&site, &dormouse, None).await;
    next(&mut socket).await.expect("a hello");
    world.drain(&id.to_string()).await;
    let mut seen = Vec::new();
    while !seen.iter().any(|kind| kind == "agent:report") {
        let frame = next(&mut socket).await.expect("a frame");
        if text(&frame, "type").starts_with("agent:") {
            assert_eq!(frame["tasks"], serde_json::json!([id]), "{frame}");
            assert_eq!(frame["agent"], serde_json::json!(agent), "{frame}");
        }
        seen.push(text(&frame, "type").to_owned());
    }
    assert!(seen.iter().any(|kind| kind == "agent:wake"), "{seen:?}");
    assert!(seen.iter().any(|kind| kind == "needs-attention"), "{seen:?}");
}

#[tokio::test]
async fn a_cursor_of_another_server_or_of_nobody_is_answered_with_a_resync() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let other = format!("ho-{0}.1.ho-{0}.1", "0".repeat(26));
    for since in [other.as_str(), "nonsense"] {
        let mut socket = resume(&site, &dormouse, Some(since)).await;
        assert_eq!(next(&mut socket).await.map(|it| it["cursor"].clone()), Ok(since.into()));
        let resync = next(&mut socket).await.expect("a frame");
        assert_eq!(text(&resync, "type"), "resync");
        let id = task(&dormouse, "Later").await;
        let changed = next(&mut socket).await.expect("it goes on from there");
        assert_eq!(changed["tasks"], serde_json::json!([id]));
    }
}

#[tokio::test]
async fn a_ticket_opens_one_socket_and_a_wrong_one_none() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let query = format!("ticket={}", ticket(&dormouse).await);
    let mut first = open(&site, &query, None).await.expect("a socket");
    assert_eq!(next(&mut first).await.map(|it| it["type"].clone()), Ok("hello".into()));
    for wrong in [query.as_str(), "ticket=nonsense", "ticket="] {
        let mut socket = open(&site, wrong, None).await.expect("it is opened to be closed");
        assert_eq!(next(&mut socket).await, Err(Some(4001)), "{wrong}");
    }
    assert_eq!(status(open(&site, "", None).await), 422, "no ticket at all");
    let unknown = format!("ticket={}&nobody=1", ticket(&dormouse).await);
    assert_eq!(status(open(&site, &unknown, None).await), 422);
}

#[tokio::test]
async fn a_page_of_somebody_else_opens_no_socket() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let query = format!("ticket={}", ticket(&dormouse).await);
    assert_eq!(status(open(&site, &query, Some("http://evil.example")).await), 403);
    let own = format!("http://{}", site.host());
    let mut socket = open(&site, &query, Some(&own)).await.expect("the ticket was not used up");
    assert_eq!(next(&mut socket).await.map(|it| it["type"].clone()), Ok("hello".into()));
}

#[tokio::test]
async fn a_token_has_so_many_sockets_and_one_more_when_one_has_ended() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let mut sockets = Vec::new();
    for n in 0..SOCKETS_PER_TOKEN {
        let mut socket = resume(&site, &dormouse, None).await;
        let hello = next(&mut socket).await.map(|it| it["type"].clone());
        assert_eq!(hello, Ok("hello".into()), "{n}");
        sockets.push(socket);
    }
    let query = format!("ticket={}", ticket(&dormouse).await);
    assert_eq!(status(open(&site, &query, None).await), 429);
    let mut gone = sockets.pop().expect("a socket");
    gone.close(None).await.expect("the close is sent");
    while next(&mut gone).await.is_ok() {}
    // The seat is free once the server has seen the end too, which nobody tells.
    for _ in 0..1000 {
        let query = format!("ticket={}", ticket(&dormouse).await);
        if open(&site, &query, None).await.is_ok() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("the place of a socket that ended stays taken");
}

#[tokio::test]
async fn a_large_message_ends_the_socket_and_a_small_one_is_let_be() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    for (size, lives) in
        [(SOCKET_MESSAGE - 1, true), (SOCKET_MESSAGE, true), (SOCKET_MESSAGE + 1, false)]
    {
        let mut socket = resume(&site, &dormouse, None).await;
        next(&mut socket).await.expect("a hello");
        // A live socket answers what follows.
        let sent = socket.send(Message::Text("x".repeat(size).into())).await;
        let pinged = socket.send(Message::Ping(b"there?".to_vec().into())).await;
        let mut answered = false;
        if sent.is_ok() && pinged.is_ok() {
            answered = loop {
                match socket.next().await {
                    Some(Ok(Message::Pong(_))) => break true,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => break false,
                }
            };
        }
        assert_eq!(answered, lives, "{size} bytes");
    }
}

#[tokio::test]
async fn a_server_that_stops_says_so() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let mut socket = resume(&site, &dormouse, None).await;
    next(&mut socket).await.expect("a hello");
    drop(site);
    assert_eq!(next(&mut socket).await, Err(Some(1001)));
}

/// What one client saw, however often it was cut off.
#[derive(Default)]
struct Seen {
    journal: Vec<i64>,
    agent: Vec<i64>,
}

/// The positions of a cursor in the journal and in the agent store.
fn positions(cursor: &str) -> (i64, i64) {
    assert!(Cursor::read(cursor).is_some(), "{cursor}");
    let parts: Vec<&str> = cursor.split('.').collect();
    (parts[1].parse().expect("a number"), parts[3].parse().expect("a number"))
}

impl Seen {
    fn count(&self) -> usize {
        self.journal.len() + self.agent.len()
    }

    /// Takes note of an event; needs-attention has no cursor of its own.
    fn note(&mut self, kind: &str, cursor: &str) {
        let (journal, agent) = positions(cursor);
        match kind {
            "journal:changed" => self.journal.push(journal),
            _ => self.agent.push(agent),
        }
    }
}

/// Numbers from a seed (splitmix64).
struct Chance(AtomicU64);

impl Chance {
    fn below(&self, n: u64) -> u64 {
        let mut z = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Everything that happened after a cursor.
async fn truth(dormouse: &Dormouse, mut cursor: String) -> Seen {
    let mut seen = Seen::default();
    loop {
        match dormouse.events_since(&me(), Some(&cursor)).await.expect("events") {
            Since::Page { events, .. } if events.is_empty() => return seen,
            Since::Page { events, cursor: next } => {
                events.iter().for_each(|event| seen.note(event.kind.name(), &event.cursor));
                cursor = next;
            }
            Since::Resync { .. } => panic!("nothing was trimmed"),
        }
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "people write while clients listen")]
async fn however_often_it_is_cut_off_a_client_sees_each_event_once_and_in_order() {
    for seed in 0..12 {
        let chance = Arc::new(Chance(AtomicU64::new(seed)));
        let world = World::new();
        let (site, dormouse) = (site(&world).await, world.dormouse());
        let mut socket = resume(&site, &dormouse, None).await;
        let hello = next(&mut socket).await.expect("a hello");
        let start = text(&hello, "cursor").to_owned();
        let writer = {
            let (dormouse, chance) = (dormouse.clone(), chance.clone());
            tokio::spawn(async move {
                for n in 0..60 {
                    let id = task(&dormouse, &format!("Task {n}")).await;
                    if chance.below(3) == 0 {
                        dormouse.create_agent(&me(), &id, None, None).await.expect("an agent");
                    }
                    for _ in 0..chance.below(4) {
                        tokio::task::yield_now().await;
                    }
                }
                task(&dormouse, "last").await
            })
        };
        let (mut seen, mut last, mut cuts) = (Seen::default(), start.clone(), 0);
        let (mut writer, mut end) = (writer, None);
        let is_all = |seen: &Seen, end: &Option<Seen>| {
            end.as_ref().is_some_and(|end| seen.count() >= end.count())
        };
        while !is_all(&seen, &end) {
            // Read a little, then be cut off in the middle.
            let mut left = chance.below(9);
            while left > 0 && !is_all(&seen, &end) {
                let frame = tokio::select! {
                    frame = next(&mut socket) => frame.expect("a frame"),
                    wrote = &mut writer, if end.is_none() => {
                        wrote.expect("it wrote");
                        end = Some(truth(&dormouse, start.clone()).await);
                        continue;
                    }
                };
                left -= 1;
                match text(&frame, "type") {
                    "hello" | "needs-attention" => {}
                    kind => {
                        assert_ne!(kind, "resync", "seed {seed}: nothing was trimmed");
                        last = text(&frame, "cursor").to_owned();
                        seen.note(kind, &last);
                    }
                }
            }
            drop(socket);
            cuts += 1;
            socket = resume(&site, &dormouse, Some(&last)).await;
        }
        let end = end.expect("the writer ended");
        assert_eq!(seen.journal, end.journal, "seed {seed}, {cuts} cuts");
        assert_eq!(seen.agent, end.agent, "seed {seed}, {cuts} cuts");
        assert!(cuts > 5, "seed {seed}: {cuts} cuts");
    }
}

/// How long a change takes to be a frame. Run by hand:
/// `cargo test -p dormouse-server --release -- --ignored --nocapture commit_to_frame`.
#[tokio::test]
#[ignore = "a measurement: it judges nothing"]
#[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
async fn commit_to_frame() {
    use std::io::Write as _;

    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let mut socket = resume(&site, &dormouse, None).await;
    next(&mut socket).await.expect("a hello");
    let (mut to_commit, mut to_frame) = (Vec::new(), Vec::new());
    for n in 0..500 {
        let begun = Instant::now();
        task(&dormouse, &format!("Task {n}")).await;
        to_commit.push(begun.elapsed());
        next(&mut socket).await.expect("a frame");
        to_frame.push(begun.elapsed() - to_commit[to_commit.len() - 1]);
    }
    to_frame.sort_unstable();
    to_commit.sort_unstable();
    let at = |of: &[std::time::Duration], share: usize| of[of.len() * share / 100];
    writeln!(
        std::io::stderr(),
        "commit: median {:?}; commit to frame: median {:?}, p95 {:?}, p99 {:?}",
        at(&to_commit, 50),
        at(&to_frame, 50),
        at(&to_frame, 95),
        at(&to_frame, 99),
    )
    .expect("the close is sent");
}

#[test]
fn the_page_about_events_names_every_kind() {
    let page = include_str!("../../../../docs/live.md");
    for kind in EventKind::ALL {
        assert!(page.contains(&format!("`{kind}`")), "{kind} is not in docs/live.md");
    }
}

/// Frames up to the first that `is_last`.
async fn upto(socket: &mut Socket, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut frames = Vec::new();
    loop {
        let frame = next(socket).await.expect("a frame");
        let ends = is_last(&frame);
        frames.push(frame);
        if ends {
            return frames;
        }
    }
}

#[tokio::test]
async fn events_of_agent_work_carry_the_work_its_status_its_turns_and_why_it_waits() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let mut socket = resume(&site, &dormouse, None).await;
    let (work, run, question) = crate::work::asking(&world).await;
    let path = format!("/api/tasks/{work}");
    let frames = upto(&mut socket, |it| text(it, "type") == "task:needs-attention").await;
    let of = |frames: &[Value], kind: &str| -> Vec<Value> {
        frames.iter().filter(|it| text(it, "type") == kind).cloned().collect()
    };
    let [created] = &of(&frames, "task:created")[..] else { panic!("{frames:#?}") };
    let shown = world.get(&path).await.json()["task"].clone();
    assert_eq!(created["task"]["id"], work.as_str(), "{created:#}");
    assert_eq!(
        created["task"].as_object().map(|it| it.len()),
        shown.as_object().map(|it| it.len())
    );
    let waits = frames.last().expect("a frame");
    assert_eq!(waits["taskId"], work.as_str());
    assert_eq!((text(waits, "reason"), text(waits, "subject")), ("workQuestion", run.as_str()));
    let status = of(&frames, "task:status").pop().expect("an event");
    assert_eq!((text(&status, "taskId"), text(&status, "status")), (work.as_str(), "paused"));

    let answer = format!("/api/questions/{question}/answer");
    world.call("POST", &answer, r#"{"answer": "front"}"#).await;
    world.script.push(dormouse_testkit::scripted::Answer::calls([(
        "finish",
        serde_json::json!({ "outcome": "done", "summary": "Told." }),
    )]));
    world.drain_all().await;
    let is_third = |it: &Value| text(it, "type") == "task:log" && it["turn"]["turnNumber"] == 3;
    let after = upto(&mut socket, is_third).await;
    let done = of(&after, "task:status").pop().expect("an event");
    assert_eq!((text(&done, "taskId"), text(&done, "status")), (work.as_str(), "completed"));
    let all = [frames.clone(), after].concat();
    // Each turn is the line that the log has of it: the request, the answer, how it ended.
    let file = world.get(&format!("{path}/log.jsonl")).await;
    let lines: Vec<Value> =
        file.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let lines: Vec<&Value> = lines.iter().filter(|line| line["type"] == "turn").collect();
    let turns = of(&all, "task:log");
    let turns: Vec<&Value> = turns.iter().map(|it| &it["turn"]).collect();
    assert_eq!(turns, lines, "{}", file.body);
    assert_eq!(turns.len(), 3);
}

#[tokio::test]
async fn changes_that_follow_each_other_quickly_are_frames_with_a_status_each() {
    let world = World::new();
    let (site, dormouse) = (site(&world).await, world.dormouse());
    let mut socket = resume(&site, &dormouse, None).await;
    let hello = next(&mut socket).await.expect("a frame");
    drop(socket);
    // All of it happens before a client reads again.
    let (work, _, question) = crate::work::asking(&world).await;
    let answer = format!("/api/questions/{question}/answer");
    world.call("POST", &answer, r#"{"answer": "front"}"#).await;
    world.script.push(dormouse_testkit::scripted::Answer::calls([(
        "finish",
        serde_json::json!({ "outcome": "done", "summary": "Told." }),
    )]));
    world.drain_all().await;
    world.call("PATCH", &format!("/api/tasks/{work}"), r#"{"action": "archive"}"#).await;
    world.call("DELETE", &format!("/api/tasks/{work}"), "").await;

    let mut socket = resume(&site, &dormouse, Some(text(&hello, "cursor"))).await;
    let Ok(Since::Page { cursor: end, .. }) = dormouse.events_since(&me(), None).await else {
        panic!("there is a cursor")
    };
    let end = positions(&end).1;
    let is_last = |it: &Value| it["cursor"].as_str().is_some_and(|at| positions(at).1 == end);
    let frames = upto(&mut socket, is_last).await;
    let statuses: Vec<&str> = frames
        .iter()
        .filter(|it| text(it, "type") == "task:status")
        .map(|it| text(it, "status"))
        .collect();
    let mut seen = statuses.clone();
    seen.dedup();
    assert_eq!(
        seen,
        ["running", "paused", "pending", "running", "completed"],
        "{statuses:?}: {frames:#?}"
    );
    // From the middle on it is the same.
    let middle = frames.iter().position(|it| text(it, "type") == "task:needs-attention");
    let middle = middle.expect("it asked");
    let mut socket = resume(&site, &dormouse, Some(text(&frames[middle], "cursor"))).await;
    let rest = upto(&mut socket, is_last).await;
    // Where the journal was meanwhile depends on where a client begins.
    let statuses = |frames: &[Value]| -> Vec<(i64, Value)> {
        let frames = frames.iter().filter(|it| text(it, "type") == "task:status");
        frames.map(|it| (positions(text(it, "cursor")).1, it["status"].clone())).collect()
    };
    assert_eq!(statuses(&rest), statuses(&frames[middle + 1..]));
}
