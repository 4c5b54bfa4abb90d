//! The first opening of a folder, and the first by a newer version, cut at every moment.

use std::path::Path;
use std::sync::Arc;

use dormouse_powercut::chance::Chance;
use dormouse_powercut::load::{Gate, Kind, Plan, WS, wait};
use dormouse_powercut::story::{every_cut, folder, open, put};
use dormouse_powercut::tape::{Image, Tape};
use dormouse_powercut::vfs;
use dormouse_store::{Db, Query, Row, Store, receipt};
use dormouse_types::HostId;
use dormouse_types::port::Clock;

/// The tables of version 1, as they were released.
const FIRST: [(Db, &str); 2] = [
    (
        Db::Journal,
        concat!(
            include_str!("../../../store/src/migrations/sqlite/0001_both.sql"),
            include_str!("../../../store/src/migrations/sqlite/0001_journal.sql")
        ),
    ),
    (
        Db::Agent,
        concat!(
            include_str!("../../../store/src/migrations/sqlite/0001_both.sql"),
            include_str!("../../../store/src/migrations/sqlite/0001_agent.sql")
        ),
    ),
];

fn clock() -> Arc<dyn Clock> {
    Arc::new(Gate::default())
}

fn file(db: Db) -> String {
    format!("{}.sqlite", db.name())
}

fn hosts(store: &Store) -> [HostId; 2] {
    Db::ALL.map(|db| store.host(db))
}

fn plan(db: Db, n: i64) -> Plan {
    Plan { db, n, kind: Kind::Small }
}

fn rows(store: &Store, db: Db, sql: &'static str) -> Vec<Row> {
    wait(store.all(Query { db, sql, params: Vec::new(), decode: |row| Ok(row.clone()) }))
        .expect("the rows can be read")
}

/// Everything that says what a database is like, without what is in it.
fn schema(store: &Store) -> Vec<Vec<Row>> {
    let sql = "SELECT type, name, sql, (SELECT user_version FROM pragma_user_version)
               FROM sqlite_schema ORDER BY type, name";
    Db::ALL.map(|db| rows(store, db, sql)).into()
}

/// The schema of a folder that this version made in peace.
fn present() -> Vec<Vec<Row>> {
    let folder = folder().expect("a folder for the test");
    schema(&open(folder.path(), &clock(), 1).expect("a fresh store"))
}

/// The tape of an opening of a folder that holds these files, and the ids that were reported.
fn opening(before: Image) -> (Arc<Tape>, [HostId; 2], usize) {
    let folder = folder().expect("a folder for the test");
    put(folder.path(), &before).expect("the files are written");
    let tape = Arc::new(Tape::over(before));
    let watch = vfs::watch(folder.path(), tape.clone()).expect("the folder is watched");
    let store = open(folder.path(), &clock(), 1).expect("the folder can be opened");
    let answered = (hosts(&store), tape.len());
    drop(store);
    drop(watch);
    (tape, answered.0, answered.1)
}

/// Opens what a cut left, twice: what the first opening finished stays.
fn reopened(image: &Image, look: impl Fn(&Store)) -> anyhow::Result<()> {
    let folder = folder()?;
    put(folder.path(), image)?;
    let first = {
        let store = open(folder.path(), &clock(), 2)?;
        look(&store);
        hosts(&store)
    };
    let store = open(folder.path(), &clock(), 3)?;
    anyhow::ensure!(hosts(&store) == first, "the ids changed: {first:?}");
    look(&store);
    Ok(())
}

#[test]
fn a_first_opening_that_was_cut_is_finished_by_the_next() {
    let present = present();
    let (tape, answered, answered_at) = opening(Image::new());
    let mut chance = Chance::new(5);
    let cuts = every_cut(&tape, &mut chance, 2, |at, image| {
        reopened(image, |store| {
            assert_eq!(schema(store), present, "cut at {at}");
            assert!(
                at < answered_at || hosts(store) == answered,
                "cut at {at}: {:?}",
                hosts(store)
            );
            for db in Db::ALL {
                wait(store.commit(plan(db, 1).commit())).expect("a commit");
            }
        })
    });
    let cuts = cuts.expect("every cut can be opened");
    assert!(cuts >= 200, "{cuts} cuts");
}

/// A folder of version 1 with rows in it: closed in peace, or killed with all of it in the log.
fn version_1(folder: &Path, killed: bool) -> Image {
    let mut image = Image::new();
    for (db, sql) in FIRST {
        let path = folder.join(file(db));
        let connection = rusqlite::Connection::open(&path).expect("a file");
        connection
            .execute_batch(&format!(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN; {sql}
                 PRAGMA user_version = 1;
                 INSERT INTO meta VALUES ('host', 'ho-01j00000000000000000000001');
                 INSERT INTO counters VALUES (1, 7);
                 INSERT INTO applied_operations VALUES (1, 'old', 'digest', 'answered', NULL, 7, 1);
                 COMMIT;"
            ))
            .expect("the tables of version 1");
        if db == Db::Agent {
            connection
                .execute_batch(
                    "INSERT INTO texts SELECT 1, value, 'old text' FROM
                       (WITH RECURSIVE n(value) AS
                         (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 200)
                        SELECT value FROM n)",
                )
                .expect("rows of version 1");
        }
        if !killed {
            drop(connection);
        }
        for ending in ["", "-wal"] {
            let name = file(db) + ending;
            if let Ok(bytes) = std::fs::read(folder.join(&name)) {
                image.insert(name, bytes);
            }
        }
    }
    image
}

#[test]
fn an_upgrade_that_was_cut_is_finished_by_the_next_opening_and_loses_nothing() {
    let present = present();
    for killed in [false, true] {
        let folder = folder().expect("a folder for the test");
        let before = version_1(folder.path(), killed);
        assert_eq!(before.len(), if killed { 4 } else { 2 }, "{:?}", before.keys());
        let (tape, answered, _) = opening(before);
        let mut chance = Chance::new(6);
        let cuts = every_cut(&tape, &mut chance, 2, |at, image| {
            reopened(image, |store| {
                assert_eq!(schema(store), present, "cut at {at}");
                assert_eq!(hosts(store), answered, "cut at {at}");
                assert_eq!(answered[0].to_string(), "ho-01j00000000000000000000001");
                for db in Db::ALL {
                    let old = wait(store.first(receipt::by_id(db, WS, "old"))).expect("receipts");
                    assert_eq!(
                        old.map(|old| (old.answer, old.seq.0)),
                        Some(("answered".into(), 7))
                    );
                    let done = wait(store.commit(plan(db, 1).commit())).expect("a commit");
                    assert!(done.seq.0 > 7, "cut at {at}: {done:?}");
                }
                let texts =
                    rows(store, Db::Agent, "SELECT text FROM texts WHERE text = 'old text'");
                assert_eq!(texts.len(), 200, "cut at {at}");
            })
        });
        let cuts = cuts.expect("every cut can be opened");
        assert!(cuts >= 20, "{cuts} cuts");
    }
}
