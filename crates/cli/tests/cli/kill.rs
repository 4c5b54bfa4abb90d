//! The binary, killed at random moments while it imports, wakes and confirms.
//!
//! What a command answered before it died must be there afterwards, once; what it did not answer may
//! be there, once. Here is who is killed and when; what must hold is in `kill_books`.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Read;
use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;

use serde_json::Value;

use crate::kill_books::{Acked, Books, Made};
use crate::world::World;

/// Put the seed of a failure here to get its commands and delays again. The moment a kill arrives
/// depends on the machine, so that it may take some runs.
const SEED: Option<u64> = None;

/// Kills that hit a live process in each phase of interest.
const HITS_EACH: usize = 10;
/// Writes that were acknowledged.
const ACKED: usize = 60;
/// Kills that left a confirm between its commits, and such that left a run under way.
const CUT_EACH: usize = 2;
/// A machine where this many commands do not give enough has something wrong.
const MAX_ROUNDS: u64 = 400;
const TASKS_PER_FILE: usize = 4;

/// What a command was doing when it was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Importing,
    Waking,
    Confirming,
    /// A task or note by hand.
    Writing,
}

const OF_INTEREST: [Phase; 3] = [Phase::Importing, Phase::Waking, Phase::Confirming];

/// A command, with what its answer will acknowledge.
#[derive(Debug, Clone)]
enum Order {
    Import { file: String, waits: bool },
    Add(Made),
    Note { task: String, text: String },
    Create { task: String },
    Wake { agent: String, say: String },
    WakeDue,
    Confirm(Vec<(String, i64)>),
    Reject((String, i64)),
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    /// The whole lines of its answer.
    lines: Vec<Value>,
    is_hit: bool,
    code: Option<i32>,
    err: String,
    /// Units: looks at the process.
    lasted: u64,
}

impl Order {
    fn args(&self) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let name = |(set, index): &(String, i64)| format!("{set}:{index}");
        match self {
            Self::Import { file, waits: true } => words(&["import", file, "--with-agents"]),
            Self::Import { file, waits: false } => {
                words(&["--no-wait", "import", file, "--with-agents"])
            }
            Self::Add(made) => {
                let mut args: Vec<String> = words(&["task", "add", &made.title]);
                args.extend(made.items.iter().flat_map(|item| ["--item".into(), item.clone()]));
                args.extend(["--note".into(), made.note.clone()]);
                args
            }
            Self::Note { task, text } => words(&["task", "note", task, text]),
            Self::Create { task } => words(&["agent", "create", task]),
            Self::Wake { agent, say } => words(&["agent", "wake", agent, "--say", say]),
            Self::WakeDue => words(&["agent", "wake", "--due"]),
            Self::Confirm(items) => {
                let mut args: Vec<String> = words(&["change", "confirm"]);
                args.extend(items.iter().map(name));
                args
            }
            Self::Reject(item) => words(&["change", "reject", &name(item)]),
        }
    }

    /// Commands that last about as long as each other.
    fn pace(&self) -> &'static str {
        match self {
            Self::Import { waits: true, .. } => "import and wake",
            Self::Import { waits: false, .. } => "import",
            Self::Add(_) => "add",
            Self::Note { .. } => "note",
            Self::Create { .. } => "create",
            Self::Wake { .. } => "wake",
            Self::WakeDue => "wake those due",
            Self::Confirm(_) => "confirm",
            Self::Reject(_) => "reject",
        }
    }

    /// What it was doing when its answer had come this far.
    fn phase(&self, lines: &[Value]) -> Phase {
        match self {
            Self::Import { .. } if lines.iter().all(|line| line["event"] != "done") => {
                Phase::Importing
            }
            Self::Confirm(_) | Self::Reject(_) if lines.is_empty() => Phase::Confirming,
            Self::Add(_) | Self::Note { .. } if lines.is_empty() => Phase::Writing,
            Self::Import { .. }
            | Self::Add(_)
            | Self::Note { .. }
            | Self::Create { .. }
            | Self::Wake { .. }
            | Self::WakeDue
            | Self::Confirm(_)
            | Self::Reject(_) => Phase::Waking,
        }
    }

    /// Notes what one line of the answer acknowledges.
    fn acknowledge(&self, line: &Value, acked: &mut Acked) {
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{line}")).to_owned();
        match self {
            Self::Import { .. } if line["event"] == "task" => {
                let (task, title) = (text(&line["taskId"]), text(&line["title"]));
                acked.agents.insert(task.clone(), text(&line["agentId"]));
                acked.tasks.insert(task, shelf(&title));
            }
            // What was read, and that it has ended.
            Self::Import { .. } => {}
            Self::Add(made) => {
                acked.tasks.insert(text(&line["id"]), made.clone());
            }
            Self::Note { task, text } => acked.notes.push((task.clone(), text.clone())),
            Self::Create { task } => {
                acked.agents.insert(task.clone(), text(&line["id"]));
            }
            Self::Wake { agent, say } => acked.said.push((agent.clone(), say.clone())),
            // The list of agents: no write.
            Self::WakeDue => {}
            Self::Confirm(_) | Self::Reject(_) => {
                let item = &line["item"];
                let index = item["index"].as_i64().unwrap_or_else(|| panic!("{line}"));
                acked.verdicts.insert((text(&item["set"]), index), text(&item["status"]));
            }
        }
    }
}

/// What the file gives a task of this title.
pub fn shelf(title: &str) -> Made {
    let name = title.to_lowercase();
    Made {
        title: title.to_owned(),
        items: vec![format!("sand {name}"), format!("oil {name}")],
        note: format!("TODO: measure {name}"),
    }
}

/// A file of such tasks.
pub fn markdown(titles: &[String]) -> String {
    let mut text = String::new();
    for title in titles {
        let Made { title, items, note } = shelf(title);
        text.push_str(&format!("## {title}\n\n- [ ] {}\n- [ ] {}\n\n", items[0], items[1]));
        text.push_str(&format!("{title} is of oak.\n\n{note}\n\n"));
        text.push_str("It takes two hours. Deadline: 2036-05-15.\n\n");
    }
    text
}

/// A small generator: the same seed gives the same commands.
pub struct Random(pub u64);

impl Random {
    /// A number below the end.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).expect("31 bits fit") % end.max(1)
    }

    /// One of them; none of nothing.
    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

struct Storm {
    world: World,
    random: Random,
    acked: Acked,
    hits: BTreeMap<Phase, usize>,
    /// How long commands last, as far as it is known.
    pace: BTreeMap<&'static str, u64>,
    /// Kills that left a confirm between its commits; with its journal commit done; that left a run
    /// under way.
    cut: [usize; 3],
    file: String,
    /// The number of the last thing made.
    n: usize,
}

impl Storm {
    fn new(seed: u64) -> Self {
        let mut storm = Self {
            world: World::new(),
            random: Random(seed),
            acked: Acked::default(),
            hits: BTreeMap::new(),
            pace: BTreeMap::new(),
            cut: [0; 3],
            file: String::new(),
            n: 0,
        };
        storm.write_file();
        storm
    }

    fn number(&mut self) -> String {
        self.n += 1;
        format!("{:04}", self.n)
    }

    fn write_file(&mut self) {
        let titles: Vec<String> =
            (0..TASKS_PER_FILE).map(|_| format!("Shelf {}", self.number())).collect();
        self.file = self.world.file(&format!("shelves-{}.md", self.n), markdown(&titles));
    }

    fn books(&self) -> Books {
        Books::copy(&self.world.data())
    }

    /// Runs a command, kills it after so many looks unless it has ended, and takes its answer.
    fn run(&mut self, order: &Order, kill_after: Option<u64>) -> Ended {
        let mut args = order.args();
        args.push("--json".to_owned());
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut child = self.world.start(&args);
        drop(child.stdin.take());
        let out = read_all(child.stdout.take().expect("standard output is piped"));
        let err = read_all(child.stderr.take().expect("standard error is piped"));
        let mut lasted = 0;
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child can be looked at") {
                break status;
            }
            if kill_after.is_some_and(|looks| lasted >= looks) {
                child.kill().expect("a child can be killed");
                break child.wait().expect("a killed child ends");
            }
            pause();
            lasted += 1;
        };
        let out = out.join().expect("the answer is read");
        let err = String::from_utf8_lossy(&err.join().expect("the notes are read")).into_owned();
        // A line without its end was not answered.
        let lines = out.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let lines = lines.map(|line| serde_json::from_slice(line).expect("a line is JSON"));
        let is_hit = status.signal() == Some(9);
        let ended = Ended { lines: lines.collect(), is_hit, code: status.code(), err, lasted };
        self.take(order, &ended);
        ended
    }

    fn take(&mut self, order: &Order, ended: &Ended) {
        if ended.is_hit {
            *self.hits.entry(order.phase(&ended.lines)).or_default() += 1;
            // Only the quick ones of a command live to be measured: who was killed needed longer.
            let usual = self.pace.entry(order.pace()).or_insert(400);
            *usual += *usual / 8 + 1;
        } else {
            assert_eq!(ended.code, Some(0), "{order:?}: {:#?}, {}", ended.lines, ended.err);
            self.pace.insert(order.pace(), ended.lasted);
        }
        // With a failure the body is its problem; but then the command was not killed either.
        for line in &ended.lines {
            order.acknowledge(line, &mut self.acked);
        }
        if matches!(order, Order::Import { .. })
            && ended.lines.iter().any(|line| line["event"] == "done")
        {
            self.write_file();
        }
    }

    /// A command of a phase.
    fn order(&mut self, phase: Phase) -> Order {
        match phase {
            Phase::Importing => {
                Order::Import { file: self.file.clone(), waits: self.random.below(4) == 0 }
            }
            Phase::Waking => self.waking(),
            Phase::Confirming => self.confirming(),
            Phase::Writing => {
                let name = format!("crate {}", self.number());
                Order::Add(Made {
                    title: format!("Nail {name}"),
                    items: vec![format!("saw {name}")],
                    note: format!("TODO: paint {name}"),
                })
            }
        }
    }

    fn waking(&mut self) -> Order {
        // One that was killed may have made an agent that it did not answer.
        let without = self.books().texts(
            "SELECT t.id FROM j.journal t WHERE t.type = 'task'
               AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.task_id = t.id)",
        );
        let agents: Vec<(String, String)> =
            self.acked.agents.iter().map(|(task, agent)| (task.clone(), agent.clone())).collect();
        let (task, agent) = self.random.one_of(&agents).cloned().expect("a file was imported");
        match self.random.below(4) {
            0 if !without.is_empty() => Order::Create { task: without[0].clone() },
            0 => Order::WakeDue,
            1 | 2 => {
                let n = self.number();
                Order::Note { task, text: format!("Remark {n}. TODO: fetch screws {n}") }
            }
            _ => Order::Wake { agent, say: format!("Look again, {}.", self.number()) },
        }
    }

    fn confirming(&mut self) -> Order {
        let open = "SELECT set_id, item_index FROM change_items WHERE state = 'pending'";
        let mut items = self.books().pairs(open);
        while items.len() < 9 {
            let (file, waits) = (self.file.clone(), true);
            self.run(&Order::Import { file, waits }, None);
            self.run(&Order::WakeDue, None);
            items = self.books().pairs(open);
        }
        let first = self.random.below(items.len() - 8);
        match self.random.below(9) {
            0 => Order::Reject(items.swap_remove(first)),
            more => Order::Confirm(items[first..=first + more].to_vec()),
        }
    }

    /// When to kill: any time in one case of four; else not while the process only starts.
    fn delay(&mut self, order: &Order) -> u64 {
        let usual = self.pace.get(order.pace()).copied().unwrap_or(400);
        let from = if self.random.below(4) == 0 { 0 } else { usual / 3 };
        let span = usize::try_from(usual + 2).expect("commands are short");
        from + self.random.below(span) as u64
    }

    /// Looks at what a kill left, before anybody puts it right.
    fn look(&mut self, books: &Books) {
        let open = "SELECT s.operation_id FROM saga_log s WHERE s.status = 'pending'";
        let applied = format!(
            "{open} AND EXISTS (SELECT 1 FROM j.applied_operations o WHERE o.id = s.operation_id)"
        );
        let under_way = "SELECT run_key FROM wake_run_log WHERE status = 'started'";
        for (count, sql) in self.cut.iter_mut().zip([open, &applied, under_way]) {
            *count += usize::from(!books.texts(sql).is_empty());
        }
    }

    /// Whether a phase was hit often enough, and where it hurts.
    fn is_covered(&self, phase: Phase) -> bool {
        let [within_confirm, after_journal, within_run] = self.cut;
        self.hits.get(&phase) >= Some(&HITS_EACH)
            && match phase {
                Phase::Confirming => within_confirm.min(after_journal) >= CUT_EACH,
                Phase::Waking => within_run >= CUT_EACH,
                Phase::Importing | Phase::Writing => true,
            }
    }

    fn is_enough(&self) -> bool {
        OF_INTEREST.iter().all(|phase| self.is_covered(*phase)) && self.acked.count() >= ACKED
    }

    /// What to do next: something that was not hit often enough, and now and then a write by hand.
    fn next_phase(&mut self) -> Phase {
        if self.random.below(7) == 0 {
            return Phase::Writing;
        }
        let open = OF_INTEREST.iter().copied().filter(|phase| !self.is_covered(*phase));
        let open: Vec<Phase> = open.collect();
        self.random.one_of(&open).copied().unwrap_or(Phase::Importing)
    }
}

fn read_all(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "a real process is killed after some real time; only how often it is looked at counts"
)]
fn pause() {
    std::thread::sleep(Duration::from_micros(250));
}

#[test]
#[expect(clippy::print_stderr, reason = "the seed and what was reached are worth knowing")]
fn whichever_process_is_killed_no_answered_write_is_lost_and_none_is_done_twice() {
    let seed = SEED.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    eprintln!("seed {seed}");
    let mut storm = Storm::new(seed);
    let file = storm.file.clone();
    storm.run(&Order::Import { file, waits: true }, None);
    let mut rounds = 0;
    while !storm.is_enough() {
        rounds += 1;
        assert!(rounds < MAX_ROUNDS, "too few kills hit: {:?}, {:?}", storm.hits, storm.cut);
        let phase = storm.next_phase();
        let order = storm.order(phase);
        let delay = storm.delay(&order);
        let ended = storm.run(&order, Some(delay));
        let books = storm.books();
        books.check(&storm.acked);
        if !ended.is_hit {
            continue;
        }
        storm.look(&books);
        // Else the next command finds the folder as it was left, and may be killed while it
        // recovers.
        if storm.random.below(3) > 0 {
            storm.world.ok(&[]);
            let books = storm.books();
            books.check(&storm.acked);
            books.check_recovered();
        }
    }
    storm.run(&Order::WakeDue, None);
    storm.world.ok(&[]);
    let books = storm.books();
    books.check(&storm.acked);
    books.check_recovered();
    books.check_asleep();
    eprintln!(
        "{rounds} commands; kills that hit: {:?}; kills within a confirm, after its journal commit, \
         within a run: {:?}; writes acknowledged and there: {}",
        storm.hits,
        storm.cut,
        storm.acked.count()
    );
}
