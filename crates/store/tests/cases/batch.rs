//! Pending commits are applied in one transaction; each still succeeds or fails alone.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use dormouse_store::journal::setting;
use dormouse_store::{
    Audit, ChangeRow, Commit, CommitError, Committed, Db, Once, Op, Param, Query, Refusal, Row,
    Store, Value, params, receipt,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::port::{BoxFuture, Clock};
use dormouse_types::{Actor, Origin, Timestamp, WorkspaceId, hash};

use crate::world::{OTHER_WS, WS, everything, open, raw, wait};

/// A clock that shows another time at each reading until it is stopped, and blocks the reader while
/// it is watched: a writer reads it once per transaction.
struct Gate {
    looks: Mutex<i64>,
    step: Mutex<i64>,
    watch: Mutex<Option<(Sender<()>, Receiver<()>)>>,
}

impl Gate {
    /// Always shows the time of the next reading from now on.
    fn stand(&self) {
        *self.looks.lock().expect("nobody panicked") += 1;
        *self.step.lock().expect("nobody panicked") = 0;
    }
}

impl Clock for Gate {
    fn now(&self) -> Timestamp {
        if let Some((looked, go_on)) = self.watch.lock().expect("nobody panicked").take() {
            looked.send(()).expect("the test waits for the reading");
            go_on.recv().expect("the test lets the writer go on");
        }
        let mut looks = self.looks.lock().expect("nobody panicked");
        *looks += *self.step.lock().expect("nobody panicked");
        Timestamp::from_micros(*looks)
    }

    fn sleep_until(&self, _at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

/// Sends commits while the writer is blocked, so that all of them are pending together.
fn together(
    store: &Store,
    gate: &Gate,
    commits: Vec<Commit>,
) -> Vec<Result<Committed, CommitError>> {
    let (looked, held) = channel();
    let (go_on, waits) = channel();
    *gate.watch.lock().expect("nobody panicked") = Some((looked, waits));
    wait(async {
        let first = Commit::new("first", Db::Journal, WS);
        let mut first = Box::pin(store.commit(first));
        let mut rest: Vec<_> =
            commits.into_iter().map(|commit| Box::pin(store.commit(commit))).collect();
        // The first poll of a future sends its commit; the writer takes the first commit before the
        // others arrive.
        assert!(is_pending(&mut first).await);
        held.recv().expect("the writer reads the clock");
        for commit in &mut rest {
            assert!(is_pending(commit).await);
        }
        go_on.send(()).expect("the writer is held");
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

struct Batch {
    store: Store,
    gate: Arc<Gate>,
    _folder: tempfile::TempDir,
}

impl Batch {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let (looks, step, watch) = (Mutex::new(0), Mutex::new(1), Mutex::new(None));
        let gate = Arc::new(Gate { looks, step, watch });
        let clock: Arc<dyn Clock> = gate.clone();
        Self { store: open(folder.path(), &clock, 1), gate, _folder: folder }
    }

    fn send(&self, commits: Vec<Commit>) -> Vec<Result<Committed, CommitError>> {
        together(&self.store, &self.gate, commits)
    }

    fn settings(&self) -> Vec<String> {
        let keys = Query {
            db: Db::Journal,
            sql: "SELECT key FROM settings ORDER BY key",
            params: Vec::new(),
            decode: |row| Ok(row.text(0).expect("a key").to_owned()),
        };
        wait(self.store.all(keys)).expect("the settings can be read")
    }
}

fn set(key: &str) -> Commit {
    Commit::new("set", Db::Journal, WS).op(setting::put(WS, key, "x"))
}

fn once(key: &str, request: &str, answer: &str) -> Commit {
    let request = hash::sha256(request);
    set(key).once(Once { id: "id".into(), request, answer: answer.into(), effects: None })
}

fn never() -> Op {
    let sql = "UPDATE settings SET value = 'y' WHERE ws = ?1 AND key = 'not there'";
    Op::one(sql, params![WS.0], Refusal::Missing)
}

#[test]
fn commits_that_wait_share_one_transaction() {
    let batch = Batch::new();
    let stamped = |key: &str| {
        let sql = "INSERT INTO field_says (ws, task_id, field, by, at, seq)
                   VALUES (?1, ?2, 'title', 'user', ?3, ?4)";
        let params =
            vec![WS.0.into(), key.into(), dormouse_store::Param::Now, dormouse_store::Param::Seq];
        Commit::new("stamp", Db::Journal, WS).op(Op::one(sql, params, Refusal::Exists))
    };
    let results = batch.send(vec![stamped("a"), stamped("b"), stamped("c")]);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let looks = Query {
        db: Db::Journal,
        sql: "SELECT COUNT(DISTINCT at), COUNT(DISTINCT seq) FROM field_says",
        params: Vec::new(),
        decode: |row| Ok(row.0.clone()),
    };
    let looks = wait(batch.store.all(looks)).unwrap();
    assert_eq!(looks, [vec![Value::Int(1), Value::Int(3)]], "one clock reading, three positions");
}

#[test]
fn a_refused_commit_takes_only_itself_back() {
    let batch = Batch::new();
    let broken = Op::any("INSERT INTO no_such_table VALUES (1)", Vec::new());
    let results = batch.send(vec![
        set("a"),
        set("refused").op(never()),
        once("b", "request", "first"),
        once("replayed", "request", "second"),
        once("mismatch", "other", "third"),
        set("broken").op(broken),
        set("c"),
    ]);
    let answers: Vec<String> = results
        .iter()
        .map(|result| match result {
            Ok(Committed { replayed: None, .. }) => "written".to_owned(),
            Ok(Committed { replayed: Some(answer), .. }) => format!("replayed {answer}"),
            Err(CommitError::Refused { refusal, .. }) => format!("refused {refusal:?}"),
            Err(CommitError::Mismatch { .. }) => "mismatch".to_owned(),
            Err(CommitError::Broken { .. }) => "broken".to_owned(),
            Err(CommitError::Unknown { .. }) => "unknown".to_owned(),
        })
        .collect();
    let expected = [
        "written",
        "refused Missing",
        "written",
        "replayed first",
        "mismatch",
        "broken",
        "written",
    ];
    assert_eq!(answers, expected);
    assert_eq!(batch.settings(), ["a", "b", "c"]);
}

#[test]
fn a_later_commit_of_the_batch_sees_the_earlier_ones() {
    let batch = Batch::new();
    let sql = "UPDATE settings SET value = 'seen' WHERE ws = ?1 AND key = 'a'";
    let seen = || Op::one(sql, params![WS.0], Refusal::Missing);
    let early = Commit::new("early", Db::Journal, WS).op(seen());
    let late = Commit::new("late", Db::Journal, WS).op(seen());
    let results = batch.send(vec![early, set("a"), late]);
    assert!(results[0].is_err() && results[1].is_ok() && results[2].is_ok(), "{results:?}");
}

/// A full disk or a failed read makes the engine roll the whole transaction back; `OR ROLLBACK`
/// does the same on demand.
#[test]
fn when_the_engine_takes_all_back_the_whole_batch_failed() {
    let batch = Batch::new();
    assert!(wait(batch.store.commit(set("before"))).is_ok());
    let sql = "INSERT OR ROLLBACK INTO settings (ws, key, value) VALUES (?1, 'before', 'y')";
    let gives_up = Op::one(sql, params![WS.0], Refusal::Exists);
    let results = batch.send(vec![
        once("a", "request", "answer"),
        Commit::new("gives up", Db::Journal, WS).op(gives_up),
        set("c"),
    ]);
    for result in &results {
        assert!(matches!(result, Err(CommitError::Broken { .. })), "{result:?}");
    }
    assert_eq!(batch.settings(), ["before"]);
    let none = wait(batch.store.first(receipt::by_id(Db::Journal, WS, "id"))).unwrap();
    assert_eq!(none, None, "a failed commit leaves no receipt");

    assert!(wait(batch.store.commit(once("a", "request", "answer"))).is_ok());
    assert_eq!(batch.settings(), ["a", "before"], "the writer continues");
}

/// A commit that writes a row of every kind; it has two change rows, so it takes two positions.
fn full(ws: WorkspaceId, key: &str) -> Commit {
    let put = "INSERT INTO field_says (ws, task_id, field, by, at, seq)
               VALUES (?1, ?2, 'title', ?3, ?4, ?5)";
    let params = vec![ws.0.into(), key.into(), Param::Host, Param::Now, Param::Seq];
    let tell = |what: &str| ChangeRow {
        subject: Some(format!("{key} {what}")),
        ..ChangeRow::journal(Origin::Person { via: None }, Vec::new(), Vec::new())
    };
    let (actor, object, detail) = (Actor::Owner, key.to_owned(), String::new());
    let request = hash::sha256(key);
    Commit::new("full", Db::Journal, ws)
        .once(Once { id: key.into(), request, answer: format!("did {key}"), effects: None })
        .op(setting::put(ws, key, "x"))
        .op(Op::one(put, params, Refusal::Exists))
        .change(tell("first"))
        .changes([tell("second")])
        .audit(Audit { actor, action: AuditAction::TaskEdit, object, detail })
}

/// A failure's name, and how it breaks a commit.
type Failure = (&'static str, fn(Commit) -> Commit);

/// The ways in which a commit can fail. Each fails after it has written something.
const FAILURES: &[Failure] = &[
    ("a precondition that does not hold", |commit| commit.op(never())),
    ("a unique index that is violated", |commit| {
        let sql = "INSERT INTO settings (ws, key, value) VALUES (?1, 'taken', 'y')";
        commit.op(Op::one(sql, params![WS.0], Refusal::Exists))
    }),
    ("a statement that is broken", |commit| {
        commit.op(Op::any("INSERT INTO no_such_table VALUES (1)", Vec::new()))
    }),
    ("an id used for another request", |mut commit| {
        let request = hash::sha256("another request");
        commit.once = commit.once.map(|once| Once { id: "known".into(), request, ..once });
        commit
    }),
    ("a change row that is not accepted", |commit| {
        // An earlier op takes the position of the second change row.
        let sql =
            "INSERT INTO change_log (ws, seq, origin, depth, touched, neighbours, what, event, at)
                   VALUES (?1, ?2 + 1, '', 0, '', '', '', '', 0)";
        commit.op(Op::one(sql, vec![WS.0.into(), Param::Seq], Refusal::Exists))
    }),
];

/// The answers, and everything stored afterwards, including counters.
type Answered = (Vec<Result<Committed, CommitError>>, Vec<Vec<Row>>, Vec<Row>);

fn state_of(store: &Store, results: Vec<Result<Committed, CommitError>>) -> Answered {
    let counters = raw(store, Db::Journal, "SELECT * FROM counters ORDER BY 1");
    (results, everything(store, Db::Journal), counters)
}

/// A store to which commits were applied.
fn after(before: &[Commit]) -> Batch {
    let batch = Batch::new();
    for commit in before {
        wait(batch.store.commit(commit.clone())).expect("it is accepted");
    }
    batch
}

/// The commits, all of them pending at once.
fn all_at_once(before: &[Commit], commits: &[Commit]) -> Answered {
    let batch = after(before);
    let results = batch.send(commits.to_vec());
    state_of(&batch.store, results)
}

/// The same commits, each sent after the answer to the one before, at the time of the batch.
fn one_by_one(before: &[Commit], commits: &[Commit]) -> Answered {
    let batch = after(before);
    wait(batch.store.commit(Commit::new("first", Db::Journal, WS))).expect("it is accepted");
    batch.gate.stand();
    let results = commits.iter().map(|commit| wait(batch.store.commit(commit.clone()))).collect();
    state_of(&batch.store, results)
}

/// A batch is first tried without savepoints. A failed first try leaves nothing behind, and the
/// result of the second cannot be distinguished from commits applied separately.
#[test]
fn a_batch_that_is_tried_again_answers_and_leaves_what_single_commits_would() {
    let before = [full(WS, "taken"), full(WS, "known")];
    let failing: [&[usize]; 6] = [&[0], &[2], &[4], &[0, 4], &[1, 2], &[0, 1, 2, 4]];
    for (name, fail) in FAILURES {
        for fails in failing {
            let commit = |n: usize| {
                // Another workspace has its own positions.
                let commit = full(if n == 3 { OTHER_WS } else { WS }, &format!("key {n}"));
                if fails.contains(&n) { fail(commit) } else { commit }
            };
            // What the first try wrote must not serve as a receipt for the last commit.
            let commits: Vec<Commit> = (0..5).map(commit).chain([full(WS, "key 1")]).collect();
            let (together, alone) = (all_at_once(&before, &commits), one_by_one(&before, &commits));
            let failed: Vec<usize> = (0..6).filter(|n| together.0[*n].is_err()).collect();
            assert_eq!(failed, fails, "{name} at {fails:?}");
            assert_eq!(together, alone, "{name} at {fails:?}");
        }
    }
}

/// To everybody else, the second try is the only transaction: one clock reading, one hint.
#[test]
fn a_batch_that_is_tried_again_happens_once_for_those_who_listen() {
    let batch = Batch::new();
    let hints = batch.store.changes();
    let n = *hints.borrow();
    let results = batch.send(vec![full(WS, "a"), full(WS, "b").op(never()), full(WS, "c")]);
    assert!(results[0].is_ok() && results[1].is_err() && results[2].is_ok(), "{results:?}");
    assert_eq!(*hints.borrow(), n + 1);
    let times = raw(&batch.store, Db::Journal, "SELECT DISTINCT at FROM change_log");
    let looked = batch.gate.now().micros() - 1;
    assert_eq!(times, [Row(vec![Value::Int(looked)])], "no clock reading after that one");

    // If all of them failed, there is no hint.
    let results = batch.send(vec![full(WS, "d").op(never()), full(WS, "e").op(never())]);
    assert!(results.iter().all(Result::is_err), "{results:?}");
    assert_eq!(*hints.borrow(), n + 1);
}
