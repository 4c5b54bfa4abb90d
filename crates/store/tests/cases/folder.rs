//! What can be tested only with files: durability, opening, refusing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use dormouse_store::backend::sqlite::{OpenError, Sqlite};
use dormouse_store::journal::setting;
use dormouse_store::{
    ChangeRow, Commit, Db, Once, Op, Query, Refusal, Row, Store, change_log, params, receipt,
};
use dormouse_testkit::CountingEntropy;
use dormouse_types::port::NoFaults;
use dormouse_types::{HostId, Origin, Seq, hash};

use crate::world::{WS, World, open, still, wait};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn file(folder: &Path, db: Db) -> std::path::PathBuf {
    folder.join(format!("{}.sqlite", db.name()))
}

fn refused(folder: &Path) -> OpenError {
    let result = Sqlite::open(folder, &still(), &CountingEntropy::seeded(7));
    result.err().expect("the folder is refused")
}

/// The files of a folder with their bytes.
fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

fn hosts(store: &Store) -> [HostId; 2] {
    Db::ALL.map(|db| store.host(db))
}

fn get(store: &Store, key: &str) -> Option<String> {
    wait(store.first(setting::by_key(WS, key))).expect("the setting can be read")
}

fn set(key: &str, value: &str) -> Commit {
    Commit::new("set", Db::Journal, WS).op(setting::put(WS, key, value))
}

#[test]
fn a_reopened_folder_has_its_rows_receipts_and_hosts() {
    let folder = folder();
    let store = open(folder.path(), &still(), 1);
    let wanted = Once {
        id: "id".into(),
        request: hash::sha256("request"),
        answer: "answer".into(),
        effects: None,
    };
    let change = ChangeRow::journal(Origin::Import, Vec::new(), Vec::new());
    let commit = set("k", "v").once(wanted.clone()).change(change);
    let first = wait(store.commit(commit)).unwrap().seq;
    let before = hosts(&store);
    drop(store);

    let store = open(folder.path(), &still(), 99);
    assert_eq!(hosts(&store), before, "a host id is created once");
    assert_eq!(get(&store, "k").as_deref(), Some("v"));
    assert_eq!(wait(store.all(change_log::after(WS, Seq(0), 9))).unwrap().len(), 1);
    let replayed = wait(store.commit(set("k", "w").once(wanted))).unwrap();
    assert_eq!((replayed.seq, replayed.replayed.as_deref()), (first, Some("answer")));
    assert!(wait(store.commit(set("k", "x"))).unwrap().seq > first);
    assert_eq!(get(&store, "k").as_deref(), Some("x"));

    let other = self::folder();
    assert_ne!(hosts(&open(other.path(), &still(), 2)), before, "another folder, another host");
}

#[test]
fn what_was_acknowledged_to_many_at_once_is_there_after_reopening() {
    const THREADS: i64 = 8;
    const EACH: i64 = 20;
    let folder = folder();
    let store = open(folder.path(), &still(), 1);
    let acknowledged: Vec<(String, Seq)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let store = store.clone();
                scope.spawn(move || {
                    let commit = |n: i64| {
                        let key = format!("{thread}|{n}");
                        let change = ChangeRow::journal(Origin::Import, Vec::new(), Vec::new());
                        let committed = wait(store.commit(set(&key, "x").change(change)));
                        let seq = committed.expect("the commit is accepted").seq;
                        // An acknowledged commit can be read.
                        assert_eq!(get(&store, &key).as_deref(), Some("x"));
                        (key, seq)
                    };
                    (0..EACH).map(commit).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    drop(store);

    let store = open(folder.path(), &still(), 1);
    let mut seqs: Vec<i64> = acknowledged.iter().map(|(_, seq)| seq.0).collect();
    seqs.sort_unstable();
    let expected: Vec<i64> = (1..=THREADS * EACH).collect();
    assert_eq!(seqs, expected, "each has a position of its own");
    for (key, _) in &acknowledged {
        assert_eq!(get(&store, key).as_deref(), Some("x"), "{key}");
    }
    let changes = wait(store.all(change_log::after(WS, Seq(0), 999))).unwrap();
    assert_eq!(changes.iter().map(|change| change.seq.0).collect::<Vec<_>>(), expected);
}

/// When many callers send the same request at once, it is applied once and all get the same answer.
#[test]
fn the_same_request_sent_by_many_is_applied_once() {
    let folder = folder();
    let store = open(folder.path(), &still(), 1);
    let seqs: Vec<Seq> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                let store = store.clone();
                scope.spawn(move || {
                    let sql = "INSERT INTO settings (ws, key, value) VALUES (?1, 'k', 'v')";
                    let once = Once {
                        id: "id".into(),
                        request: hash::sha256("request"),
                        answer: "answer".into(),
                        effects: None,
                    };
                    let commit = Commit::new("once", Db::Journal, WS)
                        .op(Op::one(sql, params![WS.0], Refusal::Exists))
                        .once(once);
                    wait(store.commit(commit)).expect("the same answer as the first").seq
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(seqs.iter().all(|seq| *seq == seqs[0]), "{seqs:?}");
    let receipt = wait(store.first(receipt::by_id(Db::Journal, WS, "id"))).unwrap();
    assert_eq!(receipt.map(|receipt| receipt.seq), Some(seqs[0]));
}

/// Queries the writing connection itself: both pragmas are per connection.
#[test]
fn the_writer_syncs_at_each_commit_into_a_log() {
    let world = World::in_a_folder();
    for db in Db::ALL {
        let sql = match db {
            Db::Journal => {
                "INSERT INTO settings (ws, key, value)
                 SELECT ?1, 'pragmas', (SELECT * FROM pragma_synchronous) || ' ' ||
                   (SELECT * FROM pragma_journal_mode)"
            }
            Db::Agent => {
                "INSERT INTO texts (ws, sha256, text)
                 SELECT ?1, 'pragmas', (SELECT * FROM pragma_synchronous) || ' ' ||
                   (SELECT * FROM pragma_journal_mode)"
            }
        };
        let op = Op::one(sql, params![WS.0], Refusal::Exists);
        world.apply(Commit::new("pragmas", db, WS).op(op));
        let message = match db {
            Db::Journal => world.raw(db, "SELECT value FROM settings"),
            Db::Agent => world.raw(db, "SELECT text FROM texts"),
        };
        // 2 is FULL.
        assert_eq!(message, [Row(vec!["2 wal".into()])], "{db:?}");
    }
}

#[test]
fn readers_cannot_write() {
    let world = World::in_a_folder();
    let write = Query {
        db: Db::Journal,
        sql: "INSERT INTO settings (ws, key, value) VALUES (1, 'k', 'v') RETURNING key",
        params: Vec::new(),
        decode: |_| Ok(()),
    };
    let error = world.try_all(write).unwrap_err();
    assert!(error.to_string().contains("journal database"), "{error}");
    assert_eq!(world.first(setting::by_key(WS, "k")), None);
}

/// Raises a file's schema version above the newest one, and returns it.
fn raise_version(path: &Path) -> i64 {
    let connection = rusqlite::Connection::open(path).expect("the file");
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0));
    let newer = 1 + version.unwrap_or(0);
    connection.pragma_update(None, "user_version", newer).expect("the version is written");
    newer
}

#[test]
fn a_folder_of_a_newer_version_is_refused_and_left_as_it_was() {
    for newer in Db::ALL {
        let folder = folder();
        let store = open(folder.path(), &still(), 1);
        wait(store.commit(set("k", "v"))).unwrap();
        drop(store);
        let found = raise_version(&file(folder.path(), newer));
        let before = bytes(folder.path());

        let error = refused(folder.path());
        let known = found - 1;
        let expected = OpenError::Newer { path: file(folder.path(), newer), found, known };
        assert_eq!(error, expected);
        let message = format!("newer Dormouse (schema {found}, this one knows {known})");
        assert!(error.to_string().contains(&message), "{error}");
        assert!(bytes(folder.path()) == before, "{:?}", bytes(folder.path()).keys());
    }
}

/// A newer version may have been killed: what it acknowledged is in its log, not yet in the file.
#[test]
fn the_log_of_a_newer_version_is_left_as_it_was() {
    let (origin, folder) = (folder(), folder());
    drop(open(origin.path(), &still(), 1));
    let path = file(origin.path(), Db::Agent);
    let alive = rusqlite::Connection::open(&path).expect("the file");
    alive.pragma_update(None, "user_version", 99).expect("the version is written");
    for (name, bytes) in bytes(origin.path()).iter().filter(|(name, _)| !name.ends_with("-shm")) {
        std::fs::write(folder.path().join(name), bytes).expect("a copy");
    }
    drop(alive);
    let before = bytes(folder.path());
    assert!(before.contains_key("agent.sqlite-wal"), "{:?}", before.keys());

    let error = refused(folder.path());
    assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error}");
    let mut after = bytes(folder.path());
    after.retain(|name, _| !name.ends_with("-shm"));
    assert!(after == before, "{:?} became {:?}", before.keys(), after.keys());
}

/// A setting made by another program is not changed before the file is known to be ours.
#[test]
fn a_newer_folder_without_a_log_gets_none() {
    let folder = folder();
    drop(open(folder.path(), &still(), 1));
    let path = file(folder.path(), Db::Journal);
    let connection = rusqlite::Connection::open(&path).expect("the file");
    connection.pragma_update(None, "journal_mode", "DELETE").expect("the mode is set");
    connection.pragma_update(None, "user_version", 99).expect("the version is written");
    drop(connection);
    let before = bytes(folder.path());
    assert!(matches!(refused(folder.path()), OpenError::Newer { found: 99, .. }));
    assert!(bytes(folder.path()) == before);
}

#[test]
fn a_new_folder_is_not_begun_next_to_a_newer_file() {
    let (origin, folder) = (folder(), folder());
    drop(open(origin.path(), &still(), 1));
    raise_version(&file(origin.path(), Db::Agent));
    std::fs::copy(file(origin.path(), Db::Agent), file(folder.path(), Db::Agent)).expect("a copy");
    let before = bytes(folder.path());
    assert!(matches!(refused(folder.path()), OpenError::Newer { .. }));
    assert!(bytes(folder.path()) == before, "{:?}", bytes(folder.path()).keys());
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_was() {
    let long = "This is a letter, not a database. ".repeat(200);
    for text in ["short", &long] {
        for db in Db::ALL {
            let folder = folder();
            drop(open(folder.path(), &still(), 1));
            let path = file(folder.path(), db);
            std::fs::write(&path, text).expect("the file is written");
            let before = bytes(folder.path());
            let error = refused(folder.path());
            let OpenError::Damaged { path: named, .. } = &error else { panic!("{error}") };
            assert_eq!(*named, path);
            assert!(error.to_string().contains("Restore it from a backup"), "{error}");
            assert!(bytes(folder.path()) == before, "{:?}", bytes(folder.path()).keys());
        }
    }
}

#[test]
fn a_database_with_a_destroyed_schema_is_refused() {
    let folder = folder();
    drop(open(folder.path(), &still(), 1));
    let path = file(folder.path(), Db::Journal);
    let mut content = std::fs::read(&path).expect("the file");
    // The file header stays intact; the schema page after it does not.
    content[100..4096].fill(0x55);
    std::fs::write(&path, &content).expect("the file is written");
    let error = refused(folder.path());
    assert!(matches!(&error, OpenError::Damaged { path: named, .. } if *named == path), "{error}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = folder();
    let missing = folder.path().join("not there");
    let error = refused(&missing);
    let OpenError::ReadOnly { path, .. } = &error else { panic!("{error}") };
    assert!(path.starts_with(&missing));
}

#[test]
fn a_snapshot_of_memory_goes_on_where_it_was_taken() {
    let clock = still();
    let engine = Sqlite::memory(&clock, &CountingEntropy::seeded(1)).expect("a store in memory");
    let engine = Arc::new(engine);
    let store = Store::new(engine.clone(), Arc::new(NoFaults));
    let first = wait(store.commit(set("k", "1"))).unwrap().seq;
    let snapshot = engine.snapshot().expect("memory can be copied");
    wait(store.commit(set("k", "2"))).unwrap();

    let restored = Sqlite::restore(&snapshot, &clock, &CountingEntropy::seeded(2));
    let restored = Store::new(Arc::new(restored.expect("a store in memory")), Arc::new(NoFaults));
    assert_eq!(get(&restored, "k").as_deref(), Some("1"));
    assert_eq!(hosts(&restored), hosts(&store));
    assert_eq!(wait(restored.commit(set("k", "3"))).unwrap().seq.0, first.0 + 1);
    assert_eq!(get(&store, "k").as_deref(), Some("2"), "the copy is a copy");

    let folder = folder();
    let on_disk = Sqlite::open(folder.path(), &clock, &CountingEntropy::seeded(1));
    assert!(on_disk.expect("a folder").snapshot().is_none());
}
