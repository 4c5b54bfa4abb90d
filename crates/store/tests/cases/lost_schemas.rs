//! A changed Postgres: an older or missing schema, and a promoted standby.

use std::sync::Arc;

use dormouse_store::backend::postgres::{OpenError, Options, Postgres, Time};
use dormouse_store::identity::{self, Reason};
use dormouse_store::{Backend as _, Commit, CommitError, Db, Store};
use dormouse_testkit::CountingEntropy;
use dormouse_testkit::postgres::{Disk, Server};
use dormouse_types::port::NoFaults;
use dormouse_types::{HostId, Seq};

use crate::world::{WS, connections, node, raw_client, still, store, wait};

fn commit(store: &Store, db: Db) -> Result<(), CommitError> {
    wait(store.commit(Commit::new("test", db, WS))).map(drop)
}

fn hosts(store: &Store) -> [HostId; 2] {
    Db::ALL.map(|db| store.host(db))
}

fn renewals(store: &Store, db: Db) -> Vec<Reason> {
    let renewals = wait(store.all(identity::id_changes(db))).expect("the renewals");
    renewals.into_iter().map(|renewal| renewal.reason).collect()
}

/// Two schemas with five commits each, and their prefix.
fn written() -> (String, Store) {
    let prefix = Server::shared().prefix();
    let store = store(connect(&prefix, 1));
    for db in [Db::Journal, Db::Agent].repeat(5) {
        commit(&store, db).expect("a commit");
    }
    (prefix, store)
}

fn connect(prefix: &str, seed: u64) -> Postgres {
    node(Server::shared().url(), prefix, &still(), seed).expect("a node")
}

fn run(sql: &str) {
    wait(raw_client().batch_execute(sql)).expect("the statement runs");
}

#[test]
fn each_commit_remembers_how_far_the_other_schema_had_come() {
    let (_prefix, store) = written();
    let [journal, agent] = hosts(&store);
    let remembered = |db| {
        let marks = wait(store.all(identity::counter_memories(db))).expect("the marks");
        marks.into_iter().map(|mark| (mark.seq.0, mark.other)).collect::<Vec<_>>()
    };
    assert_eq!(remembered(Db::Journal), [(5, Some((agent, Seq(4))))]);
    assert_eq!(remembered(Db::Agent), [(5, Some((journal, Seq(5))))]);
}

/// Other running nodes learn of it with their next write.
#[test]
fn an_older_schema_goes_on_under_another_id_and_a_node_that_lives_writes_nothing_more() {
    for (at, older) in Db::ALL.into_iter().enumerate() {
        let (prefix, alive) = written();
        let before = hosts(&alive);
        run(&format!("UPDATE {prefix}{}.counters SET seq = 2", older.name()));
        let engine = Arc::new(connect(&prefix, 2));
        let store = Store::new(engine.clone(), Arc::new(NoFaults));
        let now = hosts(&store);
        assert_ne!(now[at], before[at], "{older:?}");
        assert_eq!(now[1 - at], before[1 - at], "{older:?}");
        assert_eq!(renewals(&store, older), [Reason::Older]);
        assert_eq!(renewals(&store, older.other()), []);

        let error = commit(&alive, older).expect_err("it knows another database");
        let message = error.to_string();
        assert!(
            message.contains("now holds another database") && message.contains("restart Dormouse"),
            "{message}"
        );
        assert!(alive.writing_ended().is_some_and(|why| message.ends_with(&why)), "{message}");
        assert_eq!(engine.writing_ended(), None);
        Db::ALL.into_iter().for_each(|db| commit(&store, db).expect("the new node writes"));
        assert_eq!(hosts(&self::store(connect(&prefix, 3))), now, "it is noticed once");
    }
}

/// A restored copy of the files keeps the id and the server's timeline, so only running nodes can
/// notice.
#[test]
fn a_node_that_lives_notices_that_both_schemas_went_back() {
    let (prefix, alive) = written();
    for db in Db::ALL {
        run(&format!("UPDATE {prefix}{}.counters SET seq = 2, other_seq = 2", db.name()));
    }
    let message = commit(&alive, Db::Journal).expect_err("it wrote more than that").to_string();
    assert!(message.contains("went back to an older state: restart Dormouse"), "{message}");
    assert!(alive.writing_ended().is_some_and(|why| message.ends_with(&why)), "{message}");
    let left: i64 =
        wait(raw_client().query_one(&format!("SELECT seq FROM {prefix}journal.counters"), &[]))
            .expect("a row")
            .get(0);
    assert_eq!(left, 2, "nothing was written");
    let store = store(connect(&prefix, 2));
    Db::ALL.into_iter().for_each(|db| commit(&store, db).expect("a node that starts writes"));
}

#[test]
fn a_missing_schema_is_refused_until_it_is_given_up() {
    for (at, lost) in Db::ALL.into_iter().enumerate() {
        let (prefix, alive) = written();
        let before = hosts(&alive);
        drop(alive);
        run(&format!("DROP SCHEMA {prefix}{} CASCADE", lost.name()));
        let error = node(Server::shared().url(), &prefix, &still(), 2).err().expect("refused");
        let schema = format!("{prefix}{}", lost.name());
        assert_eq!(error, OpenError::Missing { schema, db: lost });
        let command = format!("`dormouse doctor --accept-missing {}`", lost.name());
        assert!(error.to_string().contains(&command), "{error}");
        let without = |db| {
            let (url, clock) = (Server::shared().url(), still());
            let time = Time::Clock(clock.clone());
            let options = Options { url, prefix: prefix.clone(), time, clock };
            let entropy = CountingEntropy::seeded(3);
            connections().block_on(Postgres::connect_without(db, options, &entropy))
        };
        assert_eq!(without(lost.other()).err(), Some(error), "that one is there");
        let store = store(without(lost).expect("it continues"));
        assert_ne!(hosts(&store)[at], before[at]);
        assert_eq!(hosts(&store)[1 - at], before[1 - at]);
        assert_eq!(renewals(&store, lost), [Reason::Missing]);
        assert!(matches!(without(lost).err(), Some(OpenError::Present { .. })));
    }
}

/// A standby may lack the last commits of the server it replaces, in both schemas alike.
#[test]
fn after_a_promotion_no_node_continues_as_before() {
    let server = Server::start(Disk::Synced);
    let connect = |seed| node(server.url(), "", &still(), seed).expect("a node");
    let (alive, before) = {
        let store = store(connect(1));
        Db::ALL.into_iter().for_each(|db| commit(&store, db).expect("a commit"));
        let before = hosts(&store);
        (store, before)
    };
    server.stop();
    server.start_again();
    Db::ALL
        .into_iter()
        .for_each(|db| commit(&alive, db).expect("a restart of the same server changes nothing"));
    server.promote_a_standby();
    let error = commit(&alive, Db::Journal).expect_err("nobody knows what was lost");
    assert!(error.to_string().contains("a standby took the place of the server"), "{error}");
    assert!(alive.writing_ended().is_some());

    let store = store(connect(2));
    let now = hosts(&store);
    assert!(now[0] != before[0] && now[1] != before[1], "{now:?}");
    assert_eq!(Db::ALL.map(|db| renewals(&store, db)), [[Reason::Timeline]; 2]);
    Db::ALL.into_iter().for_each(|db| commit(&store, db).expect("the new node writes"));
    assert_eq!(hosts(&self::store(connect(3))), now, "it is noticed once");
}
