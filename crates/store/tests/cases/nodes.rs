//! Several nodes on one Postgres: one order, one time, and hints to each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dormouse_store::agent::spend::{self, Account};
use dormouse_store::backend::postgres::{Options, Postgres, Time};
use dormouse_store::journal::setting;
use dormouse_store::{
    ChangeRow, Commit, CommitError, Committed, Db, Once, Op, Param, Query, Refusal, Store, Value,
    change_log, params, receipt,
};
use dormouse_testkit::postgres::Server;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::Clock;
use dormouse_types::spend::Unit;
use dormouse_types::{EventKind, Origin, Seq, WorkspaceId, hash};
use tokio_postgres::Client;

use crate::world::{MONDAY, OTHER_WS, WS, connections, node, raw_client, still, store, wait};

/// Fails instead of waiting forever.
fn soon<F: Future>(future: F) -> F::Output {
    let limit = Duration::from_secs(60);
    let limited = connections().block_on(async { tokio::time::timeout(limit, future).await });
    limited.expect("it comes to pass within a minute")
}

/// Two schemas for one test, and any number of nodes on them.
struct Cluster {
    prefix: String,
}

impl Cluster {
    fn new() -> Self {
        Self { prefix: Server::shared().prefix() }
    }

    fn node(&self) -> Postgres {
        node(Server::shared().url(), &self.prefix, &still(), 1).expect("a node")
    }

    /// A node as in production, using the database's time.
    fn node_by_database_time(&self) -> Postgres {
        let options = Options {
            url: Server::shared().url(),
            prefix: self.prefix.clone(),
            time: Time::Database,
            clock: still(),
        };
        let entropy = CountingEntropy::seeded(1);
        connections().block_on(Postgres::connect(options, &entropy)).expect("a node")
    }

    /// Locks a workspace's counter in the journal, as a slow node would; dropping the guard
    /// releases it.
    fn hold(&self, ws: WorkspaceId) -> Held {
        let client = raw_client();
        let counters = format!("{}journal.counters", self.prefix);
        let WorkspaceId(ws) = ws;
        let there =
            format!("INSERT INTO {counters} (ws, seq) VALUES ({ws}, 0) ON CONFLICT DO NOTHING");
        let hold = format!("BEGIN; SELECT seq FROM {counters} WHERE ws = {ws} FOR UPDATE NOWAIT");
        wait(async {
            // Sent separately: together, both would be one transaction.
            client.batch_execute(&there).await?;
            client.batch_execute(&hold).await
        })
        .expect("the counter is locked");
        Held { client }
    }
}

struct Held {
    client: Client,
}

impl Held {
    /// Waits until another session waits for the lock.
    fn is_awaited(&self) {
        let sql = "SELECT 1 FROM pg_locks WHERE NOT granted
                   AND pg_backend_pid() = ANY(pg_blocking_pids(pid))";
        while wait(self.client.query_opt(sql, &[])).expect("the locks can be read").is_none() {}
    }

    async fn let_go(self) {
        self.client.batch_execute("COMMIT").await.expect("the lock is released");
    }
}

fn set(key: &str) -> Commit {
    let change = ChangeRow::journal(Origin::Import, Vec::new(), Vec::new());
    Commit::new("set", Db::Journal, WS).op(setting::put(WS, key, "x")).change(change)
}

/// Sends one commit that must wait for a locked counter, then the others while it waits.
fn together(
    store: &Store,
    held: Held,
    commits: Vec<Commit>,
) -> Vec<Result<Committed, CommitError>> {
    let mut first = Box::pin(store.commit(Commit::new("first", Db::Journal, WS)));
    wait(async { assert!(is_pending(&mut first).await) });
    held.is_awaited();
    let mut rest: Vec<_> = commits.into_iter().map(|one| Box::pin(store.commit(one))).collect();
    wait(async {
        for commit in &mut rest {
            assert!(is_pending(commit).await);
        }
        held.let_go().await;
        first.await.expect("an empty commit is accepted");
        let mut results = Vec::new();
        for commit in rest {
            results.push(commit.await);
        }
        results
    })
}

async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    std::future::poll_fn(|context| {
        let poll = std::pin::Pin::new(&mut *future).poll(context);
        std::task::Poll::Ready(poll.is_pending())
    })
    .await
}

/// What a cursor reads that follows the feed while others write, until the end.
fn follow(store: &Store, is_over: &AtomicBool) -> Vec<Seq> {
    let mut seen = Vec::new();
    let mut position = Seq(0);
    loop {
        // Read before the rows: everything committed before the end is then among them.
        let last = is_over.load(Ordering::SeqCst);
        let changes = wait(store.all(change_log::after(WS, position, 7))).expect("the feed");
        position = changes.last().map_or(position, |change| change.seq);
        let found = !changes.is_empty();
        seen.extend(changes.into_iter().map(|change| change.seq));
        if last && !found {
            return seen;
        }
    }
}

/// Sixteen nodes write one workspace, each keeping its transactions open for a different time.
#[test]
fn a_cursor_skips_no_change_of_any_node() {
    const NODES: i64 = 16;
    const EACH: i64 = 15;
    let cluster = Cluster::new();
    let reader = store(cluster.node());
    let nodes: Vec<Store> = (0..NODES).map(|_| store(cluster.node())).collect();
    let is_over = AtomicBool::new(false);
    let slow = |thread: i64, n: i64| {
        let sql = "INSERT INTO settings (ws, key, value)
                   SELECT ?1, ?2, 'x' FROM pg_sleep(?3)";
        let pause = f64::from(u32::try_from((thread * 7 + n * 5) % 11).expect("small")) / 4000.0;
        let params = params![WS.0, format!("{thread}|{n}"), Value::Real(pause)];
        set("last").op(Op::one(sql, params, Refusal::Exists))
    };
    let (written, seen) = std::thread::scope(|scope| {
        let follower = scope.spawn(|| follow(&reader, &is_over));
        let writers: Vec<_> = (0..NODES)
            .zip(&nodes)
            .map(|(thread, node)| {
                scope.spawn(move || {
                    (0..EACH).map(|n| wait(node.commit(slow(thread, n)))).collect::<Vec<_>>()
                })
            })
            .collect();
        let join = |writer: std::thread::ScopedJoinHandle<'_, _>| writer.join().expect("no panic");
        let written: Vec<Result<Committed, _>> = writers.into_iter().flat_map(join).collect();
        is_over.store(true, Ordering::SeqCst);
        (written, follower.join().expect("no panic"))
    });
    let written: Result<Vec<Seq>, _> =
        written.into_iter().map(|committed| committed.map(|committed| committed.seq)).collect();
    let mut written = written.expect("each is accepted");
    written.sort_unstable();
    assert_eq!(seen, written, "every change, once, in order");
}

/// Why positions come from a locked row: a sequence is advanced at once but visible only after
/// COMMIT.
#[test]
fn a_plain_sequence_would_let_a_cursor_skip_a_slow_node() {
    let (slow, fast, reader) = (raw_client(), raw_client(), raw_client());
    let table = format!("{}plain", Server::shared().prefix());
    let insert = format!("INSERT INTO {table} DEFAULT VALUES");
    let ids = |after: i64| -> Vec<i64> {
        let sql = format!("SELECT id FROM {table} WHERE id > {after} ORDER BY id");
        let rows = wait(reader.query(&sql, &[])).expect("the rows");
        rows.iter().map(|row| row.get(0)).collect()
    };
    wait(async {
        reader.batch_execute(&format!("CREATE TABLE {table} (id BIGSERIAL)")).await?;
        slow.batch_execute(&format!("BEGIN; {insert}")).await?;
        fast.batch_execute(&insert).await
    })
    .expect("two rows");
    assert_eq!(ids(0), [2]);
    wait(slow.batch_execute("COMMIT")).expect("the slow one commits");
    assert_eq!(ids(2), [0i64; 0], "the cursor is past it");
}

#[test]
fn commits_that_wait_share_one_transaction_and_one_time() {
    let cluster = Cluster::new();
    let engine = Arc::new(cluster.node_by_database_time());
    let store = Store::new(engine.clone(), Arc::new(dormouse_types::port::NoFaults));
    let before = engine.n_transactions(Db::Journal);
    let stamped = |n: i64| {
        let sql = "INSERT INTO field_says (ws, task_id, field, by, at, seq)
                   VALUES (?1, 'jt', ?2, 'user', ?3, ?4)";
        let params = vec![WS.0.into(), n.to_string().into(), Param::Now, Param::Seq];
        Commit::new("stamp", Db::Journal, WS).op(Op::one(sql, params, Refusal::Exists))
    };
    let results = together(&store, cluster.hold(WS), (0..64).map(stamped).collect());
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(engine.n_transactions(Db::Journal) - before, 2, "the first, and all the others");
    let looks = Query {
        db: Db::Journal,
        sql: "SELECT COUNT(DISTINCT at), COUNT(DISTINCT seq) FROM field_says",
        params: Vec::new(),
        decode: |row| Ok(row.0.clone()),
    };
    let looks = wait(store.all(looks)).expect("the rows");
    assert_eq!(looks, [[Value::Int(1), Value::Int(64)]], "one clock reading, 64 positions");
}

#[test]
fn a_refused_commit_of_a_batch_takes_only_itself_back() {
    let cluster = Cluster::new();
    let store = store(cluster.node());
    let once = |key: &str, request: &str, answer: &str| {
        let request = hash::sha256(request);
        set(key).once(Once { id: "id".into(), request, answer: answer.into(), effects: None })
    };
    let never = "UPDATE settings SET value = 'y' WHERE ws = ?1 AND key = 'not there'";
    let insert = "INSERT INTO settings (ws, key, value) VALUES (?1, 'a', 'y')";
    let results = together(
        &store,
        cluster.hold(WS),
        vec![
            set("a"),
            set("refused").op(Op::one(never, params![WS.0], Refusal::Missing)),
            set("unique").op(Op::one(insert, params![WS.0], Refusal::ItemMoved)),
            once("b", "request", "first"),
            once("replayed", "request", "second"),
            once("mismatch", "other", "third"),
            set("broken").op(Op::any("INSERT INTO no_such_table VALUES (1)", Vec::new())),
            set("unfit").op(setting::put(WS, "a\0b", "no text of this engine")),
            set("c"),
        ],
    );
    let answers: Vec<String> = results
        .iter()
        .map(|result| match result {
            Ok(Committed { replayed: None, seq }) => format!("written {seq}"),
            Ok(Committed { replayed: Some(answer), .. }) => format!("replayed {answer}"),
            Err(CommitError::Refused { refusal, .. }) => format!("refused {refusal:?}"),
            Err(CommitError::Mismatch { .. }) => "mismatch".to_owned(),
            Err(CommitError::Broken { .. }) => "broken".to_owned(),
            Err(CommitError::Unknown { .. }) => "unknown".to_owned(),
        })
        .collect();
    let expected = [
        "written 2",
        "refused Missing",
        "refused ItemMoved",
        "written 3",
        "replayed first",
        "mismatch",
        "broken",
        "broken",
        "written 4",
    ];
    assert_eq!(answers, expected);
    let keys = Query {
        db: Db::Journal,
        sql: "SELECT key FROM settings ORDER BY key",
        params: Vec::new(),
        decode: |row| Ok(row.text(0).expect("a key").to_owned()),
    };
    assert_eq!(wait(store.all(keys)).expect("the rows"), ["a", "b", "c"]);
    let kept = wait(store.first(receipt::by_id(Db::Journal, WS, "id"))).expect("the receipts");
    assert_eq!(kept.map(|receipt| (receipt.seq, receipt.answer)), Some((Seq(3), "first".into())));
}

/// A batch may span several workspaces. Two nodes would deadlock on two of them if each locked the
/// counters in the order of its commits.
#[test]
fn counters_are_locked_in_the_order_of_the_workspaces() {
    let (first, second, busy) = (WS, OTHER_WS, WorkspaceId(3));
    let cluster = Cluster::new();
    let store = store(cluster.node());
    let commit = |ws| {
        let op = setting::put(ws, "k", "x");
        Box::pin(store.commit(Commit::new("set", Db::Journal, ws).op(op)))
    };
    let held = cluster.hold(busy);
    let (mut earlier, mut late, mut early) = (commit(busy), commit(second), commit(first));
    wait(async { assert!(is_pending(&mut earlier).await) });
    held.is_awaited();
    wait(async { assert!(is_pending(&mut late).await && is_pending(&mut early).await) });
    let slow = cluster.hold(first);
    wait(held.let_go());
    slow.is_awaited();
    // Panics if the counter is locked.
    wait(cluster.hold(second).let_go());
    wait(slow.let_go());
    for commit in [earlier, late, early] {
        wait(commit).expect("it is accepted");
    }
}

#[test]
fn a_batch_that_another_transaction_defeated_is_applied_again() {
    let cluster = Cluster::new();
    let store = store(cluster.node());
    let prefix = &cluster.prefix;
    // A sequence is not rolled back with the transaction, so it counts the attempts.
    let sql = format!(
        "CREATE SEQUENCE {prefix}journal.attempts;
         CREATE FUNCTION {prefix}journal.third_time_lucky() RETURNS TEXT LANGUAGE plpgsql AS $$
         BEGIN
           IF nextval('{prefix}journal.attempts') < 3 THEN
             RAISE EXCEPTION 'defeated' USING ERRCODE = 'deadlock_detected';
           END IF;
           RETURN 'lucky';
         END $$"
    );
    wait(raw_client().batch_execute(&sql)).expect("the function is created");
    let lucky = "INSERT INTO settings (ws, key, value) SELECT ?1, 'k', third_time_lucky()";
    let commit = set("before").op(Op::one(lucky, params![WS.0], Refusal::Exists));
    assert_eq!(wait(store.commit(commit)).expect("it is accepted").seq, Seq(1));
    let found = wait(store.first(setting::by_key(WS, "k"))).expect("the setting");
    assert_eq!(found.as_deref(), Some("lucky"));

    let rewind =
        format!("ALTER SEQUENCE {prefix}journal.attempts RESTART WITH -1000 MINVALUE -1000");
    wait(raw_client().batch_execute(&rewind)).expect("the sequence is rewound");
    let commit = set("never").op(Op::one(lucky, params![WS.0], Refusal::Exists));
    let error = wait(store.commit(commit)).expect_err("it does not try for ever");
    assert!(matches!(&error, CommitError::Broken { detail, .. } if detail.contains("defeated")));
    assert_eq!(wait(store.first(setting::by_key(WS, "never"))), Ok(None));
    wait(store.commit(set("after"))).expect("the writer continues");
}

#[test]
fn now_is_the_time_of_the_database() {
    let cluster = Cluster::new();
    let store = store(cluster.node_by_database_time());
    let time = || -> i64 {
        let sql = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
        wait(raw_client().query_one(sql, &[])).expect("a time").get(0)
    };
    let before = time();
    let seq = wait(store.commit(set("k"))).expect("it is accepted").seq;
    let after = time();
    let changes = wait(store.all(change_log::after(WS, Seq(seq.0 - 1), 1))).expect("the feed");
    let at = changes[0].at.micros();
    assert!(before <= at && at <= after, "{before} <= {at} <= {after}");
}

#[test]
fn a_commit_of_one_node_is_a_hint_for_the_others() {
    let cluster = Cluster::new();
    let (here, there) = (store(cluster.node()), store(cluster.node()));
    let mut hints = there.changes();
    // The first hint says that it listens.
    soon(hints.changed()).expect("the node lives");
    hints.borrow_and_update();
    for db in Db::ALL {
        let change = ChangeRow::agent(Origin::Import, EventKind::AgentWake, None, "subject");
        wait(here.commit(Commit::new("tell", db, WS).change(change))).expect("it is accepted");
        soon(hints.changed()).expect("the node lives");
    }
}

#[test]
fn a_node_that_commits_nothing_hears_the_others_again_after_its_connection_was_lost() {
    let cluster = Cluster::new();
    let clock = ManualClock::at(MONDAY);
    let port: Arc<dyn Clock> = Arc::new(clock.clone());
    let there = store(node(Server::shared().url(), &cluster.prefix, &port, 1).expect("a node"));
    let mut hints = there.changes();
    soon(hints.changed()).expect("the node lives");
    hints.borrow_and_update();
    let client = raw_client();
    // What a connection ran last tells which one it is; the other node is not there yet.
    let listening = format!("LISTEN \"{}dormouse_changes\"", cluster.prefix);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1";
    let ended = wait(client.query(end, &[&listening])).expect("it is ended");
    assert_eq!(ended.len(), 1);
    let here = store(cluster.node());
    // Its next look finds the connection gone, and what it opens then is the first hint.
    soon(async {
        while !hints.has_changed().expect("the node lives") {
            clock.advance(Duration::from_secs(15));
            client.simple_query("SELECT 1").await.expect("a server");
        }
    });
    hints.borrow_and_update();
    let change = ChangeRow::agent(Origin::Import, EventKind::AgentWake, None, "subject");
    let tell = Commit::new("tell", Db::Agent, WS).change(change);
    wait(here.commit(tell)).expect("it is accepted");
    soon(hints.changed()).expect("the node lives");
}

#[test]
fn a_commit_is_a_hint_in_its_own_process() {
    let here = store(Cluster::new().node());
    let before = *here.changes().borrow();
    wait(here.commit(set("k"))).expect("it is accepted");
    assert!(*here.changes().borrow() > before, "the hint is given before the answer");
}

#[test]
fn readers_cannot_write() {
    let store = store(Cluster::new().node());
    let write = Query {
        db: Db::Journal,
        sql: "INSERT INTO settings (ws, key, value) VALUES (1, 'k', 'v') RETURNING key",
        params: Vec::new(),
        decode: |_| Ok(()),
    };
    let error = wait(store.all(write)).expect_err("it is refused");
    assert!(error.to_string().contains("journal database"), "{error}");
    assert_eq!(wait(store.first(setting::by_key(WS, "k"))), Ok(None));
}

/// Two nodes reserve what only one of them can have: one is refused, in either order.
#[test]
fn of_two_nodes_that_reserve_the_last_cent_one_is_refused() {
    let cluster = Cluster::new();
    let nodes: Vec<Store> = (0..2).map(|_| store(cluster.node())).collect();
    let day = jiff::civil::date(2026, 3, 2);
    let account = Account { scope: spend::SpendScope::Workspace, day, unit: Unit::MicroDollars };
    for n in 1..=20 {
        let limit = n * 10_000;
        let reserve = |store: &Store| {
            let op = spend::reserve(WS, &account, 10_000, limit);
            let store = store.clone();
            async move { store.commit(Commit::new("reserve", Db::Agent, WS).op(op)).await }
        };
        let both = soon(async { tokio::join!(reserve(&nodes[0]), reserve(&nodes[1])) });
        let refusals: Vec<_> = [both.0, both.1]
            .into_iter()
            .filter_map(|result| result.err().map(|error| error.refusal()))
            .collect();
        assert_eq!(refusals, [Some(Refusal::OverBudget)], "with a limit of {limit}");
    }
}
