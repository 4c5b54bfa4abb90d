//! Looking at rows, and writing them past all rooms.

use dormouse_store::{Commit, Db, Op, Param, Query, Row, Store, params};
use dormouse_testkit::wait;

use crate::person::WS;
use crate::rooms::Rooms;

/// The rows of a statement as stored.
#[track_caller]
pub fn raw(store: &Store, db: Db, sql: &'static str) -> Vec<Row> {
    let query = Query { db, sql, params: Vec::new(), decode: |row| Ok(row.clone()) };
    wait(store.all(query)).expect("the rows can be read")
}

/// The rows of statements as text, to compare them as a whole.
#[track_caller]
pub fn as_text(store: &Store, db: Db, statements: &[&'static str]) -> Vec<String> {
    let rows = statements.iter().flat_map(|sql| raw(store, db, sql));
    rows.map(|row| format!("{:?}", row.0)).collect()
}

/// The events of an agent store whose name starts with the prefix, oldest first.
#[track_caller]
pub fn events(store: &Store, prefix: &str) -> Vec<String> {
    let rows = raw(store, Db::Agent, "SELECT event FROM change_log WHERE event <> '' ORDER BY seq");
    let events = rows.iter().map(|row| row.text(0).expect("the name of an event").to_owned());
    events.filter(|event| event.starts_with(prefix)).collect()
}

impl Rooms {
    /// Stores a commit that must be accepted.
    #[track_caller]
    pub fn commit(&self, commit: Commit) {
        wait(self.store.commit(commit)).expect("the commit is accepted");
    }

    /// Writes directly to a database, bypassing all rooms.
    #[track_caller]
    pub fn write_directly(&self, db: Db, sql: &'static str, params: Vec<Param>) {
        self.commit(Commit::new("test.write", db, WS).op(Op::any(sql, params)));
    }

    /// Damages the document of an entity directly in the database.
    #[track_caller]
    pub fn damage(&self, db: Db, id: &str) {
        let sql = match db {
            Db::Journal => "UPDATE journal SET serialized = '{\"id\":' WHERE ws = ?1 AND id = ?2",
            Db::Agent => {
                "UPDATE agent_entities SET serialized = '{\"id\":' WHERE ws = ?1 AND id = ?2"
            }
        };
        self.write_directly(db, sql, params![WS.0, id]);
    }

    /// The rows of statements as text, to compare them as a whole.
    #[track_caller]
    pub fn rows_of(&self, db: Db, statements: &[&'static str]) -> Vec<String> {
        as_text(&self.store, db, statements)
    }
}
