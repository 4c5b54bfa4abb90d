//! Replaced files: older copies, missing ones, and a first start that was killed.

use std::fs;
use std::path::Path;

use dormouse_store::backend::sqlite::{OpenError, Sqlite};
use dormouse_store::identity::{self, Reason};
use dormouse_store::{Commit, Db, Store};
use dormouse_testkit::CountingEntropy;
use dormouse_types::{HostId, Seq};

use crate::world::{WS, open, still, wait};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn commits(store: &Store, db: Db, n: usize) {
    for _ in 0..n {
        wait(store.commit(Commit::new("test", db, WS))).expect("a commit");
    }
}

fn hosts(store: &Store) -> [HostId; 2] {
    Db::ALL.map(|db| store.host(db))
}

/// Why a database changed its id, oldest first.
fn renewals(store: &Store, db: Db) -> Vec<Reason> {
    let renewals = wait(store.all(identity::id_changes(db))).expect("the renewals");
    renewals.into_iter().map(|renewal| renewal.reason).collect()
}

const ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

/// Copies the files of a database to another folder, over existing ones.
fn put(from: &Path, to: &Path, db: Db) {
    remove(to, db);
    for ending in ENDINGS {
        let name = format!("{}.sqlite{ending}", db.name());
        if from.join(&name).exists() {
            fs::copy(from.join(&name), to.join(&name)).expect("a copy");
        }
    }
}

fn remove(folder: &Path, db: Db) {
    for ending in ENDINGS {
        let path = folder.join(format!("{}.sqlite{ending}", db.name()));
        if path.exists() {
            fs::remove_file(path).expect("it is gone");
        }
    }
}

/// A folder that continued after it was copied: 3 and 2 commits before, 2 and 3 after.
fn copied() -> (tempfile::TempDir, tempfile::TempDir, [HostId; 2]) {
    let (folder, copy) = (folder(), folder());
    let store = open(folder.path(), &still(), 1);
    commits(&store, Db::Journal, 3);
    commits(&store, Db::Agent, 2);
    let before = hosts(&store);
    drop(store);
    Db::ALL.into_iter().for_each(|db| put(folder.path(), copy.path(), db));
    let store = open(folder.path(), &still(), 2);
    commits(&store, Db::Journal, 2);
    commits(&store, Db::Agent, 3);
    commits(&store, Db::Journal, 1);
    assert_eq!(hosts(&store), before, "nothing was lost yet");
    drop(store);
    (folder, copy, before)
}

fn refused(folder: &Path) -> OpenError {
    let result = Sqlite::open(folder, &still(), &CountingEntropy::seeded(7));
    result.err().expect("the folder is refused")
}

#[test]
fn each_commit_remembers_how_far_the_other_database_had_come() {
    let folder = folder();
    let store = open(folder.path(), &still(), 1);
    let [journal, agent] = hosts(&store);
    let remembered = |db| {
        let marks = wait(store.all(identity::counter_memories(db))).expect("the marks");
        marks.into_iter().map(|mark| (mark.seq.0, mark.other)).collect::<Vec<_>>()
    };
    commits(&store, Db::Agent, 1);
    assert_eq!(remembered(Db::Agent), [(1, Some((journal.clone(), Seq(0))))]);
    commits(&store, Db::Journal, 5);
    assert_eq!(remembered(Db::Journal), [(5, Some((agent, Seq(1))))]);
    assert_eq!(remembered(Db::Agent), [(1, Some((journal.clone(), Seq(0))))], "it was not moved");
    commits(&store, Db::Agent, 1);
    assert_eq!(remembered(Db::Agent), [(2, Some((journal, Seq(5))))]);
}

#[test]
fn an_older_copy_of_one_database_goes_on_under_another_id_and_the_other_keeps_its_own() {
    for (at, older) in Db::ALL.into_iter().enumerate() {
        let (folder, copy, before) = copied();
        put(copy.path(), folder.path(), older);
        let store = open(folder.path(), &still(), 3);
        let now = hosts(&store);
        assert_ne!(now[at], before[at], "{older:?}");
        assert_eq!(now[1 - at], before[1 - at], "{older:?}");
        assert_eq!(renewals(&store, older), [Reason::Older]);
        assert_eq!(renewals(&store, older.other()), []);
        drop(store);

        // It is noticed once, whether or not anything was written in between.
        for n in [0, 1, 0] {
            let store = open(folder.path(), &still(), 4);
            assert_eq!(hosts(&store), now, "{older:?}");
            Db::ALL.into_iter().for_each(|db| commits(&store, db, n));
        }

        // The same copy again is an older one again, though its id is a former one.
        put(copy.path(), folder.path(), older);
        let store = open(folder.path(), &still(), 5);
        let again = hosts(&store);
        assert!(again[at] != now[at] && again[at] != before[at], "{older:?}");
        drop(store);
        assert_eq!(hosts(&open(folder.path(), &still(), 6)), again, "{older:?}");
    }
}

#[test]
fn copies_of_both_that_belong_together_are_taken_for_what_they_are() {
    let (folder, copy, before) = copied();
    Db::ALL.into_iter().for_each(|db| put(copy.path(), folder.path(), db));
    let store = open(folder.path(), &still(), 3);
    assert_eq!(hosts(&store), before);
    assert_eq!(Db::ALL.map(|db| renewals(&store, db)), [vec![], vec![]]);
}

#[test]
fn a_missing_database_is_refused_until_it_is_given_up() {
    for (at, lost) in Db::ALL.into_iter().enumerate() {
        let (folder, _copy, before) = copied();
        remove(folder.path(), lost);
        // An empty file counts as missing too: a folder may be half mounted or half restored.
        for is_empty in [false, true] {
            let path = folder.path().join(format!("{}.sqlite", lost.name()));
            if is_empty {
                fs::write(&path, "").expect("an empty file");
            }
            let error = refused(folder.path());
            assert_eq!(error, OpenError::Missing { path: path.clone(), db: lost });
            let command = format!("`dormouse doctor --accept-missing {}`", lost.name());
            assert!(error.to_string().contains(&command), "{error}");
            let size = path.metadata().map_or(0, |file| file.len());
            assert_eq!((path.exists(), size), (is_empty, 0), "nothing was created");
        }
        let without = |db| {
            let entropy = CountingEntropy::seeded(8);
            Sqlite::open_without(db, folder.path(), &still(), &entropy).err()
        };
        assert_eq!(without(lost.other()), Some(refused(folder.path())), "the other one is there");
        assert_eq!(without(lost), None);
        let store = open(folder.path(), &still(), 9);
        assert_ne!(hosts(&store)[at], before[at]);
        assert_eq!(hosts(&store)[1 - at], before[1 - at]);
        assert_eq!(renewals(&store, lost), [Reason::Missing]);
        drop(store);
        assert!(matches!(without(lost), Some(OpenError::Present { .. })), "it is there now");
    }
}

/// What remains when a first start is killed between the two files.
#[test]
fn a_first_start_that_ended_between_the_two_databases_is_finished_by_the_next() {
    let folder = folder();
    drop(open(folder.path(), &still(), 1));
    remove(folder.path(), Db::Agent);
    let store = open(folder.path(), &still(), 2);
    commits(&store, Db::Journal, 1);
    drop(store);
    remove(folder.path(), Db::Agent);
    assert!(matches!(refused(folder.path()), OpenError::Missing { db: Db::Agent, .. }));
}

#[test]
fn a_new_database_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let store = open(folder.path(), &still(), 1);
    Db::ALL.into_iter().for_each(|db| commits(&store, db, 1));
    for db in Db::ALL {
        for ending in ENDINGS {
            let path = folder.path().join(format!("{}.sqlite{ending}", db.name()));
            let mode = path.metadata().expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        }
    }
}
