//! Cut connections and lost servers: nothing acknowledged is lost, nothing is applied twice, and
//! the caller gets the true outcome.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dormouse_store::{
    ChangeRow, Commit, CommitError, Db, Once, Op, Query, Refusal, Store, change_log, params,
};
use dormouse_testkit::ManualClock;
use dormouse_testkit::postgres::{Cut, Disk, Proxy, Server};
use dormouse_types::port::{BoxFuture, Clock};
use dormouse_types::{Origin, Seq, Timestamp, hash};

use crate::world::{MONDAY, WS, node, still, store, wait};

/// A commit that can be applied only once, because its row must not exist.
fn insert(key: &str) -> Commit {
    let sql = "INSERT INTO settings (ws, key, value) VALUES (?1, ?2, 'x')";
    let change = ChangeRow::journal(Origin::Import, Vec::new(), Vec::new());
    let op = Op::one(sql, params![WS.0, key], Refusal::Exists);
    Commit::new("insert", Db::Journal, WS).op(op).change(change)
}

fn once(key: &str) -> Commit {
    let answer = format!("the answer to {key}");
    insert(key).once(Once { id: key.into(), request: hash::sha256(key), answer, effects: None })
}

fn keys(store: &Store) -> Vec<String> {
    let keys = Query {
        db: Db::Journal,
        sql: "SELECT key FROM settings ORDER BY key",
        params: Vec::new(),
        decode: |row| Ok(row.text(0).expect("a key").to_owned()),
    };
    wait(store.all(keys)).expect("the rows can be read")
}

/// A node whose connections go through a proxy.
fn behind_a_proxy() -> (Proxy, Store) {
    let server = Server::shared();
    let proxy = Proxy::before(server.port());
    let engine = node(proxy.url(), &server.prefix(), &still(), 1).expect("a node");
    (proxy, store(engine))
}

#[test]
fn a_commit_with_a_receipt_is_applied_once_though_its_answer_is_lost() {
    const TIMES: usize = 200;
    let (proxy, store) = behind_a_proxy();
    for n in 0..TIMES {
        let key = format!("{n:03}");
        proxy.cut(Cut::BehindCommit);
        let committed = wait(store.commit(once(&key))).expect("it is settled by its receipt");
        assert!(!proxy.is_armed(), "the answer of commit {n} was swallowed");
        let stored = format!("the answer to {key}");
        assert_eq!(committed.replayed, Some(stored), "it gets the stored answer");
    }
    let expected: Vec<String> = (0..TIMES).map(|n| format!("{n:03}")).collect();
    assert_eq!(keys(&store), expected);
    let feed = wait(store.all(change_log::after(WS, Seq(0), 999))).expect("the feed");
    assert_eq!(feed.len(), TIMES, "one change each");
}

#[test]
fn a_commit_without_a_receipt_is_unknown_when_its_answer_is_lost() {
    let (proxy, store) = behind_a_proxy();
    proxy.cut(Cut::BehindCommit);
    let error = wait(store.commit(insert("k"))).expect_err("nobody knows");
    assert!(matches!(&error, CommitError::Unknown { label: "insert", .. }), "{error}");
    // This time it was written, and a retry says so.
    let again = wait(store.commit(insert("k"))).expect_err("it exists");
    assert_eq!(again.refusal(), Some(Refusal::Exists));
}

#[test]
fn a_connection_that_is_lost_before_commit_costs_nothing() {
    let (proxy, store) = behind_a_proxy();
    for n in 0..20 {
        proxy.cut(Cut::BeforeSavepoint);
        let committed = wait(store.commit(insert(&format!("{n:02}")))).expect("it is accepted");
        assert!(!proxy.is_armed(), "the connection was cut");
        assert_eq!((committed.replayed, committed.seq), (None, Seq(n + 1)));
    }
    assert_eq!(keys(&store).len(), 20);
}

/// Spins until a condition holds that other threads bring about.
fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        std::thread::yield_now();
    }
}

#[test]
fn commits_wait_for_a_server_that_comes_back() {
    let server = Server::start(Disk::Unsynced);
    let clock = ManualClock::at(MONDAY);
    let port: Arc<dyn Clock> = Arc::new(clock.clone());
    let store = store(node(server.url(), "", &port, 1).expect("a node"));
    wait(store.commit(insert("before"))).expect("it is accepted");

    server.stop();
    let waiting = std::thread::spawn({
        let store = store.clone();
        move || wait(store.commit(insert("meanwhile")))
    });
    until(|| waits(&clock));
    server.start_again();
    until(|| {
        clock.advance(Duration::from_secs(1));
        waiting.is_finished()
    });
    waiting.join().expect("no panic").expect("it is accepted once the server is back");
    assert_eq!(keys(&store), ["before", "meanwhile"], "readers find the server again");
}

/// Whether the writer waits before a retry; the listener waits a whole second.
fn waits(clock: &ManualClock) -> bool {
    clock.next_deadline().is_some_and(|at| at < clock.now() + Duration::from_secs(1))
}

#[test]
fn commits_do_not_wait_for_ever() {
    let server = Server::start(Disk::Unsynced);
    let clock = ManualClock::at(MONDAY);
    let port: Arc<dyn Clock> = Arc::new(clock.clone());
    let store = store(node(server.url(), "", &port, 1).expect("a node"));
    wait(store.commit(insert("before"))).expect("it is accepted");
    server.stop();
    let waiting = std::thread::spawn({
        let store = store.clone();
        move || wait(store.commit(insert("lost")))
    });
    let stopped_at = clock.now();
    until(|| {
        if let Some(at) = clock.next_deadline() {
            clock.set(at);
        }
        waiting.is_finished()
    });
    assert!(clock.now() < stopped_at + Duration::from_secs(5 * 60), "{}", clock.now());
    let error = waiting.join().expect("no panic").expect_err("the server is away");
    let message = error.to_string();
    assert!(matches!(error, CommitError::Broken { .. }), "{message}");
    assert!(message.contains("the server has not answered since 2026-01-05T09:00:"), "{message}");
    assert!(message.contains("Commits are accepted again once it does"), "{message}");

    server.start_again();
    wait(store.commit(insert("after"))).expect("it is accepted again");
    assert_eq!(keys(&store), ["after", "before"]);
}

/// A clock that jumps to the time a caller waits for.
struct Jumping(Mutex<Timestamp>);

impl Clock for Jumping {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("nobody panicked")
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let mut now = self.0.lock().expect("nobody panicked");
        *now = at.max(*now);
        Box::pin(tokio::task::yield_now())
    }
}

/// The server crashes again and again while many clients write.
#[test]
fn what_was_acknowledged_survives_a_server_that_crashes() {
    const WRITERS: u64 = 6;
    const EACH: u64 = 30;
    const CRASHES: u64 = 4;
    let server = Server::start(Disk::Synced);
    let clock: Arc<dyn Clock> = Arc::new(Jumping(Mutex::new(still().now())));
    let stores: Vec<Store> =
        (0..2).map(|seed| store(node(server.url(), "", &clock, seed).expect("a node"))).collect();
    let n_done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (store, n_done) = (&stores[usize::try_from(writer % 2).expect("small")], &n_done);
            scope.spawn(move || {
                for n in 0..EACH {
                    let key = format!("{writer}|{n:02}");
                    // A client that gets "not written" or "unknown" tries again.
                    while let Err(error) = wait(store.commit(once(&key))) {
                        let may_ask_again = matches!(
                            error,
                            CommitError::Broken { .. } | CommitError::Unknown { .. }
                        );
                        assert!(may_ask_again, "{error}");
                    }
                    n_done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for crash in 1..=CRASHES {
            until(|| n_done.load(Ordering::SeqCst) >= crash * WRITERS * EACH / (CRASHES + 1));
            server.stop();
            server.start_again();
        }
    });
    let mut expected: Vec<String> =
        (0..WRITERS).flat_map(|w| (0..EACH).map(move |n| format!("{w}|{n:02}"))).collect();
    expected.sort_unstable();
    assert_eq!(keys(&stores[0]), expected);
    let feed = wait(stores[1].all(change_log::after(WS, Seq(0), 999))).expect("the feed");
    assert_eq!(feed.len(), usize::try_from(WRITERS * EACH).expect("small"), "one change each");
}
