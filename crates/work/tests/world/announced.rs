//! What holds after each commit of each test: a definition whose status or state changed has an event that
//! says so, written by the same commit.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dormouse_store::{Backend, Db, Engine, Query, Store};
use dormouse_testkit::hooks::Hooks;
use dormouse_types::EventKind;
use dormouse_types::port::{Faults, NoFaults, Point, Stage};

use super::wait;

/// The hooks of a test, and a look at the rows after each commit in SQLite: which events there are is decided
/// alike on both engines, and there a look costs next to nothing.
pub struct Announced {
    hooks: Arc<Hooks>,
    rows: Store,
    looks: bool,
    seen: Mutex<Seen>,
}

/// What the last look saw.
#[derive(Default)]
struct Seen {
    statuses: BTreeMap<String, (String, Option<String>)>,
    seq: i64,
}

impl Announced {
    pub fn new(hooks: Arc<Hooks>, engine: Arc<dyn Backend>) -> Self {
        let looks = engine.engine() == Engine::Sqlite;
        let rows = Store::new(engine, Arc::new(NoFaults));
        let announced = Self { hooks, rows, looks, seen: Mutex::default() };
        if looks {
            announced.look(&mut announced.seen.lock().expect("no look failed"));
        }
        announced
    }

    /// Looks at the rows, and returns what changed without an event.
    fn look(&self, seen: &mut Seen) -> Vec<String> {
        let statuses = Query {
            db: Db::Agent,
            sql: "SELECT id, status, run_state FROM work_definitions WHERE ws = 1 ORDER BY id",
            params: Vec::new(),
            decode: |row| {
                let text = |n| row.opt_text(n).ok().flatten().map(ToOwned::to_owned);
                Ok((text(0).unwrap_or_default(), (text(1).unwrap_or_default(), text(2))))
            },
        };
        let events = Query {
            db: Db::Agent,
            sql: "SELECT c.seq, c.event, COALESCE(r.work_id, c.subject)
                  FROM change_log c LEFT JOIN work_runs r ON r.ws = c.ws AND r.id = c.subject
                  WHERE c.ws = 1 AND c.seq > ?1 ORDER BY c.seq",
            params: vec![seen.seq.into()],
            decode: |row| {
                let text = |n| row.opt_text(n).ok().flatten().map(ToOwned::to_owned);
                Ok((row.int(0).unwrap_or_default(), text(1), text(2)))
            },
        };
        let events = wait(self.rows.all(events)).expect("readable");
        let statuses: BTreeMap<_, _> =
            wait(self.rows.all(statuses)).expect("readable").into_iter().collect();
        let tells = [EventKind::WorkStatus.name(), EventKind::WorkCreated.name()];
        let is_announced = |id: &String| {
            events.iter().any(|(_, event, subject)| {
                event.as_deref().is_some_and(|event| tells.contains(&event))
                    && subject.as_ref() == Some(id)
            })
        };
        let changed =
            statuses.iter().filter(|(id, status)| seen.statuses.get(*id) != Some(*status));
        let unsent = changed.filter(|(id, _)| !is_announced(id));
        let unsent = unsent.map(|(id, status)| format!("{id} became {status:?}")).collect();
        seen.seq = events.last().map_or(seen.seq, |(seq, ..)| *seq);
        seen.statuses = statuses;
        unsent
    }
}

impl Faults for Announced {
    fn pass(&self, point: Point<'_>) {
        if self.looks && point.stage == Stage::AfterCommit {
            let unsent = self.look(&mut self.seen.lock().expect("no look failed"));
            // What a test writes by hand has no events.
            let is_by_hand = point.label.starts_with("test");
            assert!(is_by_hand || unsent.is_empty(), "{}: {unsent:?}", point.label);
        }
        self.hooks.pass(point);
    }
}
