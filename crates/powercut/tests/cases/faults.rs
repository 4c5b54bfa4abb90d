//! A full disk and a sync that fails, at every point where they can strike.

use std::sync::Arc;

use dormouse_powercut::chance::Chance;
use dormouse_powercut::disk::Disk;
use dormouse_powercut::load::{Gate, Kind, Outcome, Plan, WS, step, wait};
use dormouse_powercut::story::{folder, open, put};
use dormouse_powercut::tape::{Event, Fault, Image, Tape};
use dormouse_powercut::{Syncs, vfs};
use dormouse_store::{CommitError, Db, Query, Store, receipt};
use dormouse_types::port::Clock;

/// A store whose files are on a tape.
struct Noted {
    store: Store,
    gate: Arc<Gate>,
    tape: Arc<Tape>,
    watch: vfs::Watch,
    folder: tempfile::TempDir,
}

impl Noted {
    /// A fresh store in which the first commit of each database is acknowledged.
    fn new() -> Self {
        let folder = folder().expect("a folder for the test");
        let tape = Arc::new(Tape::over(Image::new()));
        let watch = vfs::watch(folder.path(), tape.clone()).expect("the folder is watched");
        let gate = Arc::new(Gate::default());
        let clock: Arc<dyn Clock> = gate.clone();
        let store = open(folder.path(), &clock, 1).expect("a fresh store");
        let noted = Self { store, gate, tape, watch, folder };
        for db in Db::ALL {
            noted.send(plan(db, 1)).expect("nothing goes wrong yet");
        }
        noted
    }

    fn send(&self, plan: Plan) -> Outcome {
        wait(self.store.commit(plan.commit()))
    }

    /// The same files, closed and opened again.
    fn reopened(self) -> Self {
        let Self { store, gate, tape, watch, folder } = self;
        drop(store);
        let clock: Arc<dyn Clock> = gate.clone();
        let store = open(folder.path(), &clock, 1).expect("the store can be opened again");
        Self { store, gate, tape, watch, folder }
    }

    /// What the folder holds when the power goes now.
    fn cut(&self, chance: &mut Chance) -> Image {
        let events = self.tape.events();
        let mut disk = Disk::new(&self.tape, Syncs::Honest);
        events.iter().for_each(|event| disk.follow(event, chance));
        disk.cut(chance).image
    }
}

fn plan(db: Db, n: i64) -> Plan {
    Plan { db, n, kind: Kind::Small }
}

fn bulk(db: Db, n: i64) -> Plan {
    Plan { db, n, kind: Kind::Bulk }
}

fn is_there(store: &Store, plan: Plan) -> bool {
    let receipt = wait(store.first(receipt::by_id(plan.db, WS, &plan.id())));
    receipt.expect("the receipts can be read").is_some()
}

/// The numbers that each table with one row per commit has; all tables have the same.
fn numbers(store: &Store, db: Db) -> Vec<String> {
    let ids = |sql: &'static str| -> Vec<String> {
        let decode = |row: &dormouse_store::Row| Ok(row.text(0).expect("an id").to_owned());
        wait(store.all(Query { db, sql, params: Vec::new(), decode })).expect("rows")
    };
    let receipts = ids("SELECT id FROM applied_operations ORDER BY seq");
    assert_eq!(ids("SELECT subject FROM change_log ORDER BY seq"), receipts);
    assert_eq!(ids("SELECT object FROM audit_log ORDER BY seq"), receipts);
    let rows = match db {
        Db::Journal => ids("SELECT 'op-' || CAST(substr(id, -23) AS INTEGER) FROM journal
                            ORDER BY clock_counter"),
        Db::Agent => ids("SELECT 'op-' || l.n FROM log_lines l
                          JOIN applied_operations o ON o.id = 'op-' || l.n ORDER BY o.seq"),
    };
    assert_eq!(rows, receipts);
    receipts
}

/// Opens what a cut left.
fn opened<T>(image: &Image, look: impl FnOnce(&Store) -> T) -> T {
    let folder = folder().expect("a folder for the test");
    put(folder.path(), image).expect("the image is written");
    let clock: Arc<dyn Clock> = Arc::new(Gate::default());
    look(&open(folder.path(), &clock, 2).expect("what the cut left can be opened"))
}

fn is_broken(outcome: &Outcome) -> bool {
    matches!(outcome, Err(CommitError::Broken { .. }))
}

#[test]
fn a_full_disk_refuses_whole_transactions_and_the_store_continues_after_it() {
    for db in Db::ALL {
        let (first, rest) = (plan(db, 2), [plan(db, 3), bulk(db, 4), plan(db, 5)]);
        let mut struck = 0;
        for n in 1.. {
            let noted = Noted::new();
            noted.tape.arm(Fault::Full { n });
            let mut outcomes: Vec<(Plan, Outcome)> = Vec::new();
            step(&noted.store, &noted.gate, first, &rest, |plans, answers| {
                let broken = answers.iter().filter(|outcome| is_broken(outcome)).count();
                assert!(broken == 0 || broken == answers.len(), "write {n}: {answers:?}");
                outcomes.extend(plans.iter().copied().zip(answers.iter().cloned()));
            });
            let fired = noted.tape.heal();
            for (plan, outcome) in &outcomes {
                match outcome {
                    Ok(_) => assert!(is_there(&noted.store, *plan), "write {n}: {plan:?}"),
                    Err(CommitError::Broken { detail, .. }) => {
                        assert!(detail.contains("disk is full"), "write {n}: {detail}");
                        assert!(!is_there(&noted.store, *plan), "write {n}: {plan:?}");
                    }
                    Err(e) => panic!("write {n}: {e}"),
                }
            }
            let acknowledged: Vec<String> = outcomes
                .iter()
                .filter(|(_, answer)| answer.is_ok())
                .map(|(plan, _)| plan.id())
                .collect();
            let mut expected = vec!["op-1".to_owned()];
            expected.extend(acknowledged);
            let mut chance = Chance::new(n as u64);
            opened(&noted.cut(&mut chance), |store| {
                assert_eq!(numbers(store, db), expected, "write {n}, and a cut after it");
            });
            // Space is back: who was refused sends it again.
            for (plan, outcome) in &outcomes {
                let again = noted.send(*plan).expect("there is space again");
                assert_eq!(again.replayed.is_some(), outcome.is_ok(), "write {n}: {plan:?}");
            }
            assert_eq!(numbers(&noted.store, db).len(), 5, "write {n}");
            opened(&noted.cut(&mut chance), |store| assert_eq!(numbers(store, db).len(), 5));
            if fired == 0 {
                break;
            }
            struck += 1;
        }
        assert!(struck >= 20, "{struck} points were struck in {}", db.name());
    }
}

#[test]
fn after_a_failed_sync_nothing_is_accepted_until_the_store_is_reopened() {
    for db in Db::ALL {
        let mut struck = 0;
        for n in 1.. {
            let noted = Noted::new();
            noted.tape.arm(Fault::Sync { n });
            let plans = [plan(db, 2), bulk(db, 3), plan(db, 4)];
            let outcomes = plans.map(|plan| noted.send(plan));
            if noted.tape.heal() == 0 {
                assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
                break;
            }
            struck += 1;
            let why = noted.store.writing_ended().expect("the reason is reported");
            assert!(why.contains(db.name()) && why.contains("start Dormouse again"), "{why}");
            let failed = outcomes.iter().position(Result::is_err).expect("a caller gets the error");
            // The log has the transaction, but perhaps the disk does not: nobody can know.
            assert!(
                matches!(&outcomes[failed], Err(CommitError::Unknown { .. })),
                "sync {n}: {:?}",
                outcomes[failed]
            );
            for outcome in outcomes[failed + 1..].iter().chain([&noted.send(plan(db, 5))]) {
                let Err(CommitError::Broken { detail, .. }) = outcome else {
                    panic!("sync {n}: {outcome:?}");
                };
                assert!(detail.contains("start Dormouse again"), "{detail}");
            }
            let other = if db == Db::Journal { Db::Agent } else { Db::Journal };
            noted.send(plan(other, 2)).expect("the other database is not concerned");

            let acknowledged: Vec<String> =
                (1..).take(failed + 1).map(|n| format!("op-{n}")).collect();
            let mut perhaps = acknowledged.clone();
            perhaps.push(plans[failed].id());
            let mut chance = Chance::new(n as u64);
            for _ in 0..20 {
                opened(&noted.cut(&mut chance), |store| {
                    let there = numbers(store, db);
                    assert!(there == acknowledged || there == perhaps, "sync {n}: {there:?}");
                });
            }

            // Started again without a power cut, the system may show what the disk never got.
            let noted = noted.reopened();
            for plan in plans {
                noted.send(plan).expect("it is sent again");
            }
            for _ in 0..20 {
                opened(&noted.cut(&mut chance), |store| {
                    assert_eq!(numbers(store, db), ["op-1", "op-2", "op-3", "op-4"], "sync {n}");
                });
            }
        }
        assert!(struck >= 3, "{struck} syncs failed in {}", db.name());
    }
}

/// Enough commits that SQLite folds the log into the file once; how many were acknowledged.
fn until_a_checkpoint(noted: &Noted, db: Db) -> i64 {
    let commits = (2..50).map_while(|n| noted.send(bulk(db, n)).ok());
    1 + commits.map(|_| 1).sum::<i64>()
}

/// Which writes and which syncs belong to a checkpoint: their numbers, counted from 1 after the
/// first commits, in a run in which nothing goes wrong.
fn of_a_checkpoint(db: Db) -> (Vec<usize>, Vec<usize>) {
    let noted = Noted::new();
    let from = noted.tape.len();
    assert_eq!(until_a_checkpoint(&noted, db), 49);
    let events = noted.tape.events();
    let file = events.iter().find_map(|event| match event {
        Event::Create { name, inode } if *name == format!("{}.sqlite", db.name()) => Some(*inode),
        _ => None,
    });
    let file = file.expect("the file was created");
    let (mut writes, mut syncs) = ((0, Vec::new()), (0, Vec::new()));
    for event in &events[from..] {
        let (inode, seen) = match event {
            Event::Write { inode, .. } => (inode, &mut writes),
            Event::Sync { inode } => (inode, &mut syncs),
            _ => continue,
        };
        seen.0 += 1;
        if *inode == file {
            seen.1.push(seen.0);
        }
    }
    (writes.1, syncs.1)
}

/// SQLite folds the log into the file after a commit, and reports no failure of that.
#[test]
fn a_checkpoint_that_fails_loses_nothing() {
    for db in Db::ALL {
        let (writes, syncs) = of_a_checkpoint(db);
        assert!(writes.len() >= 20 && !syncs.is_empty(), "{writes:?} {syncs:?}");
        let full = writes.iter().step_by(9).map(|n| Fault::Full { n: *n });
        // The sync of the log comes just before the first write to the file, the one of the file
        // after the last.
        let failed = syncs.iter().flat_map(|n| [n - 1, *n]).map(|n| Fault::Sync { n });
        for fault in full.chain(failed) {
            let noted = Noted::new();
            noted.tape.arm(fault);
            let acknowledged = until_a_checkpoint(&noted, db);
            assert!(noted.tape.heal() > 0, "{fault:?}");
            assert!(acknowledged >= 20, "{fault:?}: it was a commit that failed");
            let mut chance = Chance::new(acknowledged as u64);
            for _ in 0..5 {
                opened(&noted.cut(&mut chance), |store| {
                    assert_eq!(numbers(store, db).len() as i64, acknowledged, "{fault:?}");
                });
            }
            for n in 50..60 {
                noted.send(bulk(db, n)).expect("the writer goes on");
            }
            opened(&noted.cut(&mut chance), |store| {
                assert_eq!(numbers(store, db).len() as i64, acknowledged + 10, "{fault:?}");
            });
        }
    }
}

#[test]
fn a_full_disk_or_a_failed_sync_while_opening_is_an_error_and_a_later_opening_works() {
    let faults: [fn(usize) -> Fault; 2] = [|n| Fault::Full { n }, |n| Fault::Sync { n }];
    for fault in faults {
        let mut struck = 0;
        for n in 1.. {
            let folder = folder().expect("a folder for the test");
            let tape = Arc::new(Tape::over(Image::new()));
            let watch = vfs::watch(folder.path(), tape.clone()).expect("the folder is watched");
            tape.arm(fault(n));
            let clock: Arc<dyn Clock> = Arc::new(Gate::default());
            let first = open(folder.path(), &clock, 1).map(drop);
            if tape.heal() == 0 {
                first.expect("nothing went wrong");
                break;
            }
            struck += 1;
            if let Err(e) = first {
                let text = format!("{e:#}");
                assert!(text.contains("cannot open") && text.contains(".sqlite"), "{n}: {text}");
            }
            let store = open(folder.path(), &clock, 2).expect("the later opening works");
            for db in Db::ALL {
                wait(store.commit(plan(db, 1).commit())).expect("a commit");
                assert_eq!(numbers(&store, db), ["op-1"]);
            }
            drop(watch);
        }
        assert!(struck >= 4, "{struck} points of {:?} were struck", fault(1));
    }
}
