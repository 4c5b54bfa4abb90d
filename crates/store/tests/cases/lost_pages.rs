//! A damaged page found during work.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use dormouse_store::backend::sqlite::{OpenError, Sqlite, health};
use dormouse_store::journal::setting;
use dormouse_store::{Commit, Db, Query, Store};
use dormouse_testkit::CountingEntropy;
use dormouse_types::port::NoFaults;

use crate::world::{WS, open, still, wait};

fn set(n: usize) -> Commit {
    let text = "x".repeat(3000);
    Commit::new("set", Db::Journal, WS).op(setting::put(WS, &format!("key {n}"), &text))
}

/// A folder whose journal has many pages, the later half of them overwritten.
fn damaged() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let store = open(folder.path(), &still(), 1);
    (0..200).for_each(|n| drop(wait(store.commit(set(n))).expect("a commit")));
    drop(store);
    let path = folder.path().join("journal.sqlite");
    let mut content = fs::read(&path).expect("the file");
    let half = content.len() / 2;
    content[half..].fill(0x55);
    fs::write(&path, content).expect("the damage");
    folder
}

fn engine(folder: &Path) -> Result<Sqlite, OpenError> {
    Sqlite::open(folder, &still(), &CountingEntropy::seeded(2))
}

fn read_all(store: &Store) -> Result<Vec<()>, String> {
    let sql = "SELECT key, value FROM settings ORDER BY value, key";
    let query = Query { db: Db::Journal, sql, params: Vec::new(), decode: |_| Ok(()) };
    wait(store.all(query)).map_err(|e| e.to_string())
}

#[test]
fn a_damaged_page_ends_writing_and_the_next_opening_until_the_files_were_read() {
    for by_reading in [true, false] {
        let folder = damaged();
        let store =
            Store::new(Arc::new(engine(folder.path()).expect("opened")), Arc::new(NoFaults));
        assert_eq!(store.writing_ended(), None, "opening reads no more than it must");
        assert_eq!(health::read(folder.path()).expect("no mark"), None);
        let message = match by_reading {
            true => read_all(&store).expect_err("a page is damaged"),
            false => (0..300)
                .find_map(|n| wait(store.commit(set(n))).err())
                .expect("a page is damaged")
                .to_string(),
        };
        for part in ["journal.sqlite was found damaged", "`dormouse doctor`"] {
            assert!(message.contains(part), "{message}");
        }
        for db in Db::ALL {
            let refused = wait(store.commit(Commit::new("after", db, WS)));
            let refused = refused.expect_err("nothing is written any more").to_string();
            assert!(refused.contains("journal.sqlite was found damaged"), "{refused}");
        }
        let why = store.writing_ended().expect("it says so");
        assert!(message.ends_with(&why), "{message}");
        drop(store);

        let mark = health::read(folder.path()).expect("readable").expect("a mark");
        let error = engine(folder.path()).err().expect("refused");
        assert_eq!(error, OpenError::Marked { detail: mark.clone() });
        assert!(error.to_string().contains("Run `dormouse doctor`"), "{error}");
        assert!(mark.starts_with("journal.sqlite was found damaged"), "{mark}");
        health::clear(folder.path()).expect("cleared");
        assert_eq!(engine(folder.path()).err(), None, "it was checked");
    }
}
