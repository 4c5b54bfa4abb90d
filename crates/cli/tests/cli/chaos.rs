//! Nodes that share one Postgres, while nodes are killed and paused beyond their leases, the database
//! is restarted, and connections are cut between COMMIT and its answer.
//!
//! `DORMOUSE_TAKEOVERS` sets how many takeovers there are at least, and `DORMOUSE_SEED` from what the
//! faults are drawn (`cargo xtask chaos`).

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::os::unix::process::ExitStatusExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dormouse_testkit::postgres::{Cut, Disk, Proxy, Server};
use rustix::process::Signal;

use crate::chaos_books::Rows;
use crate::chaos_load::Writer;
use crate::kill::Random;
use crate::kill_books::{Acked, Books};
use crate::running::{Notice, Running};
use crate::world::World;

/// Takeovers when nobody asks for more.
const TAKEOVERS: usize = 50;
/// A database gets this many takeovers; then everything in it must come to rest.
const TAKEOVERS_PER_DATABASE: usize = 200;
const NODES: usize = 3;
const WRITERS: [&str; 3] = ["ada", "bo", "cy"];
/// What a node says of a run that it finds in other hands.
const LOST: &str = "its lease was lost";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// A node is killed in the middle of its runs, and started again.
    Kill,
    /// A node is suspended until its leases were taken over, and then continues.
    Pause,
    /// The database goes away, as in a crash, and comes back.
    Restart,
    /// The answer to a COMMIT of a node is swallowed, and its connection with it.
    Cut,
}

const FAULTS: [Fault; 4] = [Fault::Kill, Fault::Pause, Fault::Restart, Fault::Cut];

/// A place where a node runs, is killed, and runs again.
struct Place {
    /// The name of its connections begins with this.
    n: usize,
    starts: usize,
    world: World,
    proxy: Proxy,
    node: Option<Running>,
}

impl Place {
    fn new(n: usize, server: &Server) -> Self {
        let proxy = Proxy::before(server.port());
        Self { n, starts: 0, world: World::new(), proxy, node: None }
    }

    /// The name of the connections of the node that runs now.
    fn name(&self) -> String {
        format!("n{}x{}", self.n, self.starts)
    }

    fn start(&mut self) -> Notice {
        self.starts += 1;
        let url = format!("{}?application_name={}", self.proxy.url(), self.name());
        let node = self.world.serve(&[
            ("DORMOUSE_DATABASE_URL", &url),
            ("DORMOUSE_LEASE_SECONDS", "1"),
            ("DORMOUSE_CONCURRENCY", "6"),
            ("DORMOUSE_FAULTS", "model:slow:1500"),
        ]);
        let notice = node.notice.clone();
        self.node = Some(node);
        notice
    }

    fn node(&self) -> &Running {
        self.node.as_ref().expect("it runs")
    }

    fn take(&mut self) -> Running {
        self.node.take().expect("it runs")
    }
}

/// What was reached in all.
#[derive(Debug, Default)]
struct Tally {
    takeovers: usize,
    /// Takeovers after which another node went on.
    passed_on: usize,
    /// Runs that a node found in other hands.
    lost: usize,
    /// Writes of runs that were held against the leases.
    writes: usize,
    acknowledged: usize,
    /// Requests that were done only when they were sent again.
    repeated: usize,
    faults: BTreeMap<Fault, usize>,
    databases: usize,
}

/// A database, its nodes, and what went wrong in it.
struct Storm<'a> {
    server: &'a Server,
    rows: Rows,
    places: Vec<Place>,
    /// Where the nodes are reached.
    notices: &'a Mutex<Vec<Notice>>,
    random: &'a mut Random,
    tally: &'a mut Tally,
}

impl Storm<'_> {
    /// Strikes until there were enough takeovers, and each kind of fault.
    fn rage(&mut self, takeovers: usize) {
        let mut struck: BTreeMap<Fault, usize> = BTreeMap::new();
        let mut bag: Vec<Fault> = Vec::new();
        while self.rows.takeovers() < takeovers || struck.len() < FAULTS.len() {
            if bag.is_empty() {
                bag = FAULTS.to_vec();
                bag.extend([Fault::Kill, Fault::Kill, Fault::Pause, Fault::Pause, Fault::Cut]);
            }
            let fault = bag.swap_remove(self.random.below(bag.len()));
            let at = self.random.below(self.places.len());
            match fault {
                Fault::Kill => self.kill(at),
                Fault::Pause => self.pause(at),
                Fault::Restart => {
                    self.server.stop();
                    self.server.start_again();
                }
                Fault::Cut => {
                    let proxy = &self.places[at].proxy;
                    proxy.cut(Cut::BehindCommit);
                    self.rows.until("a node commits", |_| !proxy.is_armed());
                }
            }
            *struck.entry(fault).or_default() += 1;
            *self.tally.faults.entry(fault).or_default() += 1;
        }
    }

    /// Waits until a node is in the middle of runs.
    fn wait_for_leases(&mut self, at: usize) {
        let (name, least) = (self.places[at].name(), 1 + self.random.below(3));
        self.rows.until("a node holds leases", |rows| rows.held_by(&name) >= least);
    }

    fn kill(&mut self, at: usize) {
        self.wait_for_leases(at);
        let place = &mut self.places[at];
        place.node().signal(Signal::KILL);
        let (status, said) = place.take().end();
        assert_eq!(status.signal(), Some(9), "{said}");
        self.tally.lost += said.matches(LOST).count();
        let notice = place.start();
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)[at] = notice;
    }

    fn pause(&mut self, at: usize) {
        loop {
            self.wait_for_leases(at);
            let (place, name) = (&self.places[at], self.places[at].name());
            place.node().signal(Signal::STOP);
            // A node suspended within a transaction blocks all others until the database ends it.
            let mut is_in_the_way = false;
            self.rows.until("the leases of a paused node are taken over", |rows| {
                is_in_the_way = rows.is_within_a_transaction(&name);
                is_in_the_way || rows.held_by(&name) == 0
            });
            place.node().signal(Signal::CONT);
            if !is_in_the_way {
                return;
            }
        }
    }

    /// Stops every node, once everything that was to happen has happened.
    fn end(mut self) -> Rows {
        self.rows.until("everything is at rest", Rows::is_at_rest);
        for place in &mut self.places {
            let said = place.take().stop();
            self.tally.lost += said.matches(LOST).count();
        }
        self.rows
    }
}

/// How long writers write.
#[derive(Default)]
struct Hours {
    /// What is unanswered is still to be answered.
    is_evening: AtomicBool,
    /// There is nobody left who could answer.
    is_night: AtomicBool,
}

/// Lets the writers end, even if the storm fails.
struct Ends<'a>(&'a Hours);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.is_evening.store(true, Ordering::SeqCst);
        self.0.is_night.store(std::thread::panicking(), Ordering::SeqCst);
    }
}

/// One database: a storm under load, rest, and the books.
fn storm(takeovers: usize, random: &mut Random, tally: &mut Tally) {
    let server = Server::start(Disk::Synced);
    let acked = Arc::new(Mutex::new(Acked::default()));
    let mut places: Vec<Place> = (0..NODES).map(|n| Place::new(n, &server)).collect();
    let notices = Mutex::new(places.iter_mut().map(Place::start).collect::<Vec<_>>());
    let mut rows = Rows::of(&server);
    rows.watch();
    let mut writers: Vec<Writer> = WRITERS
        .iter()
        .map(|name| Writer::new(name, random.below(1 << 30), acked.clone()))
        .collect();
    let hours = Hours::default();
    let mut rows = std::thread::scope(|scope| {
        let ends = Ends(&hours);
        let writing: Vec<_> = (writers.iter_mut())
            .map(|writer| {
                let (notices, hours) = (&notices, &hours);
                scope.spawn(move || {
                    let is = |time: &AtomicBool| time.load(Ordering::SeqCst);
                    while !is(&hours.is_night) && (!is(&hours.is_evening) || writer.waits()) {
                        let all = notices.lock().unwrap_or_else(PoisonError::into_inner).clone();
                        let node = writer.choose(&all);
                        writer.write(&node);
                    }
                })
            })
            .collect();
        let server = &server;
        let mut storm = Storm { server, rows, places, notices: &notices, random, tally };
        storm.rage(takeovers);
        drop(ends);
        for writing in writing {
            writing.join().expect("a writer was answered as it should be");
        }
        storm.end()
    });
    tally.takeovers += rows.takeovers();
    tally.passed_on += rows.passed_on();
    tally.writes += rows.writes();
    tally.repeated += writers.iter().map(|writer| writer.repeated).sum::<usize>();
    tally.databases += 1;
    rows.check();
    let copy = rows.copy();
    let books = Books::copy(&copy.data());
    let acked = acked.lock().unwrap_or_else(PoisonError::into_inner);
    books.check(&acked);
    books.check_recovered();
    books.check_asleep();
    tally.acknowledged += acked.count();
}

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var_os(name).and_then(|n| n.to_str()?.parse().ok())
}

#[test]
#[expect(clippy::print_stderr, reason = "the seed and what was reached are worth knowing")]
fn nodes_that_fail_together_with_their_database_write_nothing_stale() {
    let seed =
        setting("DORMOUSE_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let wanted = setting("DORMOUSE_TAKEOVERS").unwrap_or(TAKEOVERS);
    eprintln!("seed {seed}");
    let (mut random, mut tally) = (Random(seed), Tally::default());
    while tally.takeovers < wanted {
        let missing = wanted - tally.takeovers;
        storm(missing.min(TAKEOVERS_PER_DATABASE), &mut random, &mut tally);
        let Tally { takeovers, passed_on, lost, writes, acknowledged, repeated, faults, databases } =
            &tally;
        eprintln!(
            "{takeovers} takeovers in {databases} databases, {passed_on} by another node; {lost} \
             runs found in other hands; {writes} writes of runs, none stale; {acknowledged} writes \
             acknowledged and there, {repeated} requests sent again; {faults:?}"
        );
    }
    assert!(tally.takeovers >= wanted, "too few takeovers");
    assert!(tally.passed_on >= wanted / 10, "too few runs moved between nodes");
    assert!(tally.lost >= tally.databases, "no node found that its lease was lost");
    assert!(tally.writes >= wanted, "too little was written by runs");
    assert!(tally.acknowledged >= wanted * 2, "too little was written to be lost");
    assert!(tally.repeated >= wanted / 10, "too few requests were in flight");
    assert!(FAULTS.iter().all(|fault| tally.faults.contains_key(fault)), "{:?}", tally.faults);
}
