//! `dormouse serve`, killed under load: at every point that has a name, and at random moments.
//!
//! `DORMOUSE_KILLS` sets how many kills there are at least (`cargo xtask kill`). The points that
//! have names come first, each before and after its commit.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::os::unix::process::ExitStatusExt as _;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, PoisonError};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::kill::Random;
use crate::kill_books::{Acked, Books};
use crate::kill_load::{Shared, Writer};
use crate::kill_points::{POINTS, Way};
use crate::running::{Notice, Running, until};
use crate::world::World;

/// Kills when nobody asks for more.
const KILLS: usize = 50;
const WRITERS: usize = 3;
/// A folder gets this many kills; then everything in it must come to rest.
const KILLS_PER_FOLDER: usize = 40;
/// Requests of one writer between two looks whether the point was passed.
const REQUESTS: usize = 40;
/// A point that is not passed after so many looks is not on the way that its row says.
const LOOKS: usize = 10;

/// A folder, its writers, and the answers they got.
struct Storm {
    world: World,
    writers: Vec<Writer>,
    acked: Shared,
    kills: usize,
}

/// What was reached in all.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    at_points: usize,
    /// Kills that left a run under way, and such that left an operation open.
    cut: [usize; 2],
    acknowledged: usize,
    /// Requests that were sent again after a kill.
    repeated: usize,
    folders: usize,
}

impl Storm {
    fn new(random: &mut Random) -> Self {
        let acked = Shared::default();
        let writer = |n: usize, random: &mut Random| {
            let name = ["ada", "bo", "cy"][n % WRITERS].to_owned();
            Writer::new(name, random.below(1 << 30) as u64, acked.clone())
        };
        let writers = (0..WRITERS).map(|n| writer(n, random)).collect();
        Self { world: World::new(), writers, acked: Arc::clone(&acked), kills: 0 }
    }

    /// Lets everybody write, so many requests at most, while `watch` hears of each answer. Says
    /// whether the server is still there.
    fn write(&mut self, server: &Running, most: usize, watch: impl FnOnce(Receiver<()>)) -> bool {
        let (tell, acknowledged) = channel();
        std::thread::scope(|scope| {
            let mut all = Vec::new();
            for writer in &mut self.writers {
                let (notice, tell) = (&server.notice, tell.clone());
                all.push(scope.spawn(move || writer.write(notice, most, &tell)));
            }
            drop(tell);
            watch(acknowledged);
            all.into_iter().all(|writer| writer.join().expect("a writer does its part"))
        })
    }

    /// Kills a server after a random number of answers.
    fn kill_anywhere(&mut self, random: &mut Random) {
        let after = random.below(40);
        let server = self.world.serve(&[]);
        self.write(&server, 200, |acknowledged| {
            for () in acknowledged.iter().take(after) {}
            server.signal(Signal::KILL);
        });
        let (status, said) = server.end();
        assert_eq!(status.signal(), Some(9), "{said}");
        self.kills += 1;
    }

    /// Has a server kill itself when it passes a point for the nth time; one that did not come
    /// there in so many looks is killed where it is. Says whether it came there.
    fn kill_at(&mut self, label: &str, moment: &str, n: usize, looks: usize) -> bool {
        let fault = format!("kill:{label}:{moment}:{n}");
        let server = match self.world.try_serve(&[("DORMOUSE_FAULTS", &fault)]) {
            Ok(server) => server,
            Err((status, said)) => {
                assert_eq!(status.signal(), Some(9), "{fault}: {said}");
                self.kills += 1;
                return true;
            }
        };
        for _ in 0..looks {
            if !self.write(&server, REQUESTS, drop) {
                let (status, said) = server.end();
                assert_eq!(status.signal(), Some(9), "{fault}: {said}");
                self.kills += 1;
                return true;
            }
        }
        server.kill();
        self.kills += 1;
        false
    }

    /// What the last kill left, held against what was acknowledged.
    fn look(&self, tally: &mut Tally) {
        let books = Books::copy(&self.world.data());
        books.check(&self.acked.lock().unwrap_or_else(PoisonError::into_inner));
        let under_way = "SELECT run_key FROM wake_run_log WHERE status = 'started'";
        let open = "SELECT operation_id FROM saga_log WHERE status = 'pending'";
        for (count, sql) in tally.cut.iter_mut().zip([under_way, open]) {
            *count += usize::from(!books.texts(sql).is_empty());
        }
    }

    /// Lets everything come to rest: every request answered, every agent asleep, every run ended.
    fn settle(mut self, tally: &mut Tally) {
        let server = self.world.serve(&[]);
        while self.writers.iter().any(Writer::waits) {
            assert!(self.write(&server, 1, drop), "nobody kills it");
        }
        rest(&server.notice);
        server.stop();
        let books = Books::copy(&self.world.data());
        let acked = self.acked.lock().unwrap_or_else(PoisonError::into_inner);
        books.check(&acked);
        books.check_recovered();
        books.check_asleep();
        tally.kills += self.kills;
        tally.acknowledged += acked.count();
        tally.repeated += self.writers.iter().map(|writer| writer.answered[1]).sum::<usize>();
        tally.folders += 1;
    }
}

/// Waits until no agent is at work or waits, on any page of the list.
fn rest(server: &Notice) {
    let mut page = String::from("/api/agents?limit=200");
    until("every agent sleeps", || {
        let agents = server.get(&page);
        let all = agents["items"].as_array().expect("a list");
        if !all.iter().all(|agent| agent["activity"] == "asleep") {
            return None;
        }
        // No client writes any more: an agent that was seen asleep stays asleep.
        let Some(cursor) = agents["nextCursor"].as_str() else { return Some(()) };
        page = format!("/api/agents?limit=200&cursor={cursor}");
        None
    });
}

/// A task with something to propose, and its agent.
fn task_and_agent(server: &Notice) -> std::io::Result<[String; 2]> {
    let body =
        json!({"title": "Crate", "items": ["saw"], "note": "TODO: paint it. It takes two hours."});
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let task = server.ask("POST", "/api/journal/tasks", "", &body.to_string())?.json();
    let task = format!("/api/journal/tasks/{}", text(&task["id"]));
    let agent = server.ask("POST", &format!("{task}/agent"), "", "{}")?.json();
    Ok([task, format!("/api/agents/{}", text(&agent["id"]))])
}

/// Kills a server in a folder of its own, at a point that the load does not pass.
fn kill_aside(label: &str, moment: &str, way: Way) -> World {
    let world = World::new();
    let fault = format!("kill:{label}:{moment}:1");
    let serve = |fault: &str| {
        world.try_serve(&[("DORMOUSE_FAULTS", fault), ("DORMOUSE_LEASE_SECONDS", "1")])
    };
    let died = |ended: (std::process::ExitStatus, String)| {
        assert_eq!(ended.0.signal(), Some(9), "{fault}: {}", ended.1);
    };
    let begins = |fault: &str| serve(fault).unwrap_or_else(|(status, e)| panic!("{status} {e}"));
    // Once it dies, requests are not answered: that is what is wanted.
    match way {
        Way::FirstStart => died(serve(&fault).err().expect("it dies at its start")),
        Way::AfterKill | Way::AfterThreeKills => {
            let server = begins("kill:model.ask:before:1");
            let _unanswered = task_and_agent(&server.notice);
            died(server.end());
            for _ in 1..if way == Way::AfterKill { 1 } else { 3 } {
                let again = serve("kill:model.ask:before:1");
                again.map_or_else(died, |server| died(server.end()));
            }
            serve(&fault).map_or_else(died, |server| died(server.end()));
        }
        Way::Mood(mood) => {
            let server = begins(&format!("{mood},{fault}"));
            let _unanswered = task_and_agent(&server.notice);
            died(server.end());
        }
        Way::Stop => {
            let server = begins(&format!("model:holds,{fault}"));
            let [_, agent] = task_and_agent(&server.notice).expect("nothing is killed yet");
            until("the agent is at work", || {
                (server.notice.get(&agent)["activity"] == "running").then_some(())
            });
            server.signal(Signal::TERM);
            died(server.end());
        }
        Way::Once(method, "undo") => {
            let server = begins(&fault);
            task_and_agent(&server.notice).expect("nothing is killed yet");
            rest(&server.notice);
            let item = server.notice.get("/api/change-sets")["items"][0]["items"][0].clone();
            let (set, digest) = (item["set"].as_str().expect("an id"), &item["digest"]);
            let path = format!("/api/change-sets/{set}/items/{}", item["index"]);
            let body = json!({"digest": digest}).to_string();
            let done = server.notice.ask(method, &format!("{path}/confirm"), "", &body);
            assert_eq!(done.expect("nothing is killed yet").status, 200);
            let undone = server.notice.ask(method, &format!("{path}/undo"), "", &body);
            assert!(undone.is_err(), "{fault}: it was not killed: {undone:?}");
            died(server.end());
        }
        Way::Once(method, path) => {
            let server = begins(&fault);
            let [task, agent] = task_and_agent(&server.notice).expect("nothing is killed yet");
            rest(&server.notice);
            let note = json!({"text": "TODO: oil it"}).to_string();
            let noted = server.notice.ask("POST", &format!("{task}/entries"), "", &note);
            assert_eq!(noted.expect("nothing is killed yet").status, 201);
            until("the agent is to wake", || {
                (server.notice.get(&agent)["activity"] == "queued").then_some(())
            });
            let path = if path == "task" { task } else { format!("{agent}{path}") };
            let _unanswered = server.notice.ask(method, &path, "", "");
            died(server.end());
        }
        Way::Load | Way::Work | Way::Never(_) => panic!("{label} is not reached like this"),
    }
    world
}

/// A folder in which one thing was cut off: the next start puts it right.
fn check_aside(world: &World, label: &str) {
    let server = world.serve(&[]);
    let waits = |agent: &Value| agent["activity"] != "asleep" && agent["lifecycle"] == "active";
    until("nobody is at work", || {
        let agents = server.notice.get("/api/agents");
        let mut all = agents["items"].as_array().expect("a list").iter();
        // Failures and absent providers are waited for: longer than a test lasts.
        let is_held = label == "run.fail";
        (is_held || !all.any(waits)).then_some(())
    });
    server.stop();
    let books = Books::copy(&world.data());
    if label != "change.undo" {
        // An undo has receipts and changes of its own that these laws do not count.
        books.check(&Acked::default());
    }
    books.check_recovered();
}

/// How many kills to make.
fn wanted() -> usize {
    let wanted = std::env::var_os("DORMOUSE_KILLS").and_then(|n| n.to_str()?.parse().ok());
    wanted.unwrap_or(KILLS)
}

#[test]
#[expect(clippy::print_stderr, reason = "the seed and what was reached are worth knowing")]
fn a_server_that_is_killed_loses_and_doubles_nothing_it_acknowledged() {
    let seed = RandomState::new().build_hasher().finish();
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    let mut tally = Tally::default();
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let mut storm = Storm::new(&mut random);
    for (label, way) in POINTS {
        for moment in ["before", "after"] {
            eprintln!("{label}, {moment}");
            match way {
                Way::Work | Way::Never(_) => continue,
                Way::Load => {
                    let came = storm.kill_at(label, moment, 1, LOOKS);
                    assert!(came, "the load never came to {label}");
                    storm.look(&mut tally);
                }
                _ => {
                    check_aside(&kill_aside(label, moment, *way), label);
                    tally.kills += 1;
                }
            }
            *at.entry(label).or_default() += 1;
            tally.at_points += 1;
            if storm.kills >= KILLS_PER_FOLDER {
                std::mem::replace(&mut storm, Storm::new(&mut random)).settle(&mut tally);
            }
        }
    }
    let known = POINTS.iter().filter(|(_, way)| !matches!(way, Way::Work | Way::Never(_)));
    assert!(known.clone().all(|(label, _)| at[label] == 2), "{at:?}");
    let load: Vec<&str> =
        known.filter(|(_, way)| *way == Way::Load).map(|(label, _)| *label).collect();
    let random_kills = wanted().saturating_sub(tally.at_points).max(10);
    for _ in 0..random_kills {
        if random.below(2) == 0 {
            let label = random.one_of(&load).copied().expect("there are points");
            let moment = ["before", "after"][random.below(2)];
            // A rare one may not be passed so often; a kill is a kill.
            let _came = storm.kill_at(label, moment, 1 + random.below(8), 1);
        } else {
            storm.kill_anywhere(&mut random);
        }
        storm.look(&mut tally);
        if storm.kills >= KILLS_PER_FOLDER {
            std::mem::replace(&mut storm, Storm::new(&mut random)).settle(&mut tally);
        }
    }
    storm.settle(&mut tally);
    let Tally { kills, at_points, cut: [within_run, within_confirm], .. } = tally;
    eprintln!(
        "{kills} kills in {} folders, {at_points} at {} points; {within_run} within a run, \
         {within_confirm} within a confirm; {} writes acknowledged and there, {} requests sent again",
        tally.folders,
        at.len(),
        tally.acknowledged,
        tally.repeated
    );
    assert!(kills >= wanted(), "too few kills");
    assert!(tally.acknowledged >= kills * 2, "too little was written to be lost");
    assert!(within_run >= kills / 10, "too few kills interrupted a run");
    assert!(within_confirm >= 2, "too few kills interrupted a confirm");
    assert!(tally.repeated >= kills / 10, "too few requests were in flight");
}
