//! A data folder that is not what it was: an older copy of one database, a missing one, a damaged page.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::world::{Done, World};

const ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

fn remove(folder: &Path, name: &str) {
    for ending in ENDINGS {
        let path = folder.join(format!("{name}.sqlite{ending}"));
        if path.exists() {
            std::fs::remove_file(path).expect("it is gone");
        }
    }
}

/// Puts the files of a database into another folder, in the place of those that are there.
fn put(from: &Path, to: &Path, name: &str) {
    remove(to, name);
    for ending in ENDINGS {
        let file = format!("{name}.sqlite{ending}");
        if from.join(&file).exists() {
            std::fs::copy(from.join(&file), to.join(&file)).expect("a copy");
        }
    }
}

/// A folder with two agents, and a copy of it from before so many notes and a confirmed proposal.
struct Copied {
    world: World,
    copy: tempfile::TempDir,
}

impl Copied {
    fn before(n_notes: usize) -> Self {
        let world = World::with_agents();
        let copy = tempfile::tempdir().expect("a folder for the copy");
        for name in ["journal", "agent"] {
            put(&world.data(), copy.path(), name);
        }
        for n in 0..n_notes {
            // The agents need not look at each of them.
            let last = n + 1 == n_notes;
            let note = format!("Delivery {n} of gravel came.");
            let rest: &[&str] = if last { &[] } else { &["--no-wait"] };
            world.ok(&[&["task", "note", "water butt", &note], rest].concat());
        }
        let sets = world.json(&["change", "list"]);
        let set = &sets["items"][0];
        let item = format!("{}:{}", set["id"].as_str().expect("a set"), set["items"][0]["index"]);
        world.ok(&["change", "confirm", &item]);
        Self { world, copy }
    }

    fn put_back(&self, name: &str) {
        put(self.copy.path(), &self.world.data(), name);
    }

    /// The last run of the agent of a task.
    fn last_run(&self) -> Value {
        self.world.json(&["agent", "log", "water butt"])["items"][0].clone()
    }

    fn report(&self, task: &str) -> Value {
        self.world.json(&["report", task])
    }

    /// Each note from now on is in a run that looked at it.
    fn is_heard(&self) {
        for n in 0..6 {
            let before = self.last_run()["runKey"].clone();
            self.world.ok(&[
                "task",
                "note",
                "water butt",
                &format!("Later note {n}: all is well."),
            ]);
            let run = self.last_run();
            assert_ne!(run["runKey"], before, "note {n} wakes the agent");
            assert_eq!(run["status"], "completed", "note {n}: {run:#}");
        }
        let log = self.world.ok(&["agent", "log", "water butt", "--prompt"]).out;
        assert!(log.contains("Later note 5"), "{log}");
    }
}

fn doctor(world: &World) -> Done {
    world.run(&["doctor"])
}

fn says(done: &Done, code: i32, parts: &[&str]) {
    assert_eq!(done.code, code, "{done:?}");
    let output = format!("{}{}", done.out, done.err);
    for part in parts {
        assert!(output.contains(part), "`{part}` is not in: {output}");
    }
}

/// More notes than the copy lacks, and fewer: the numbers of the new ones are used once more.
#[test]
fn with_an_older_journal_every_note_is_read_and_every_report_is_rewritten() {
    for n_notes in [30, 60] {
        let copied = Copied::before(n_notes);
        let world = &copied.world;
        copied.put_back("journal");
        let listed = world.ok(&["change", "list"]);
        says(&listed, 0, &["1 proposal that you confirmed waits for you again"]);
        copied.is_heard();
        // From here on: what is said about it.
        copied.put_back("journal");
        let output = doctor(world);
        says(&output, 1, &["journal.sqlite is not what the other database remembers"]);
        let first = world.ok(&["task", "list"]);
        says(&first, 0, &["the journal was replaced by an older copy: 2 agents look"]);
        says(&world.ok(&["task", "list"]), 0, &["Water butt"]);
        for task in ["water butt", "slug fence"] {
            assert_eq!(copied.report(task)["writtenBefore"]["database"], "journal", "{task}");
        }
        says(&world.ok(&["report", "slug fence"]), 0, &["written before the journal was restored"]);
        says(&doctor(world), 1, &["2 agents have not reported since journal.sqlite was restored"]);

        world.ok(&["agent", "wake", "--due"]);
        for task in ["water butt", "slug fence"] {
            let report = copied.report(task);
            assert_eq!(report["writtenBefore"], Value::Null, "{task}: {report:#}");
        }
        assert!(!copied.report("water butt")["content"].to_string().contains("gravel"));
        let output = doctor(world);
        says(&output, 0, &["journal.sqlite was replaced by an older copy"]);
        copied.is_heard();
    }
}

#[test]
fn with_an_older_agent_store_every_agent_runs_again_and_reads_what_it_missed() {
    let copied = Copied::before(30);
    let world = &copied.world;
    copied.put_back("agent");
    says(&doctor(world), 1, &["agent.sqlite is not what the other database remembers"]);
    let output = world.ok(&["task", "list"]);
    says(&output, 0, &["the database of the agents was replaced by an older copy: 2 agents look"]);
    assert_eq!(copied.report("slug fence")["writtenBefore"]["database"], "agent");
    world.ok(&["agent", "wake", "--due"]);
    assert_eq!(copied.report("slug fence")["writtenBefore"], Value::Null);
    let log = world.ok(&["agent", "log", "water butt", "--prompt"]).out;
    assert!(log.contains("Delivery 29 of gravel"), "what it missed is in the run");
    copied.is_heard();
    says(&doctor(world), 0, &["agent.sqlite was replaced by an older copy"]);
}

#[test]
fn older_copies_that_belong_together_are_no_matter() {
    let copied = Copied::before(5);
    for name in ["journal", "agent"] {
        copied.put_back(name);
    }
    says(&doctor(&copied.world), 0, &["Nothing needs you."]);
    let output = copied.world.ok(&["task", "list"]);
    assert!(!output.err.contains("older copy"), "{output:?}");
    copied.is_heard();
}

#[test]
fn a_missing_database_is_refused_by_every_command_until_it_is_given_up() {
    for (lost, kept) in [("journal", "agent"), ("agent", "journal")] {
        let world = World::with_agents();
        remove(&world.data(), lost);
        let command = format!(" doctor --accept-missing {lost}`");
        let missing = format!("{lost}.sqlite is missing, and the other database is there");
        let commands: [&[&str]; 5] = [
            &["task", "list"],
            &["task", "add", "Anything"],
            &["agent", "list"],
            &["serve", "--bind", "127.0.0.1:0"],
            &["doctor"],
        ];
        for args in commands {
            says(&world.run(args), 1, &[&missing, &command]);
        }
        assert!(!file(&world, lost).exists(), "nobody made an empty one");
        let other = world.run(&["doctor", "--accept-missing", kept]);
        says(&other, 1, &[&missing, &command]);

        let accepted = world.run(&["doctor", "--accept-missing", lost]);
        says(&accepted, i32::from(lost == "journal"), &["created a new, empty"]);
        let tasks = world.ok(&["task", "list"]).out;
        let agents = world.json(&["agent", "list"]);
        let n_agents = agents["items"].as_array().map_or(0, Vec::len);
        match lost {
            "journal" => {
                assert!(tasks.contains("No tasks"), "{tasks}");
                assert_eq!(n_agents, 2, "the trails of the agents stay");
            }
            _ => {
                assert!(tasks.contains("Water butt"), "{tasks}");
                assert_eq!(n_agents, 0);
            }
        }
        let again = world.run(&["doctor", "--accept-missing", lost]);
        says(&again, 1, &["is not missing"]);
    }
}

fn file(world: &World, name: &str) -> PathBuf {
    world.data().join(format!("{name}.sqlite"))
}

/// Overwrites the pages of a table, and nothing that is read when a folder is opened.
fn damage(world: &World, name: &str, table: &str) {
    let path = file(world, name);
    let pages: Vec<i64> = {
        let connection = rusqlite::Connection::open(&path).expect("the file");
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("folded");
        let sql = "SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?1 AND rootpage > 0";
        let mut statement = connection.prepare(sql).expect("a statement");
        let pages = statement.query_map([table], |row| row.get(0)).expect("pages");
        pages.collect::<Result<_, _>>().expect("pages")
    };
    let mut bytes = std::fs::read(&path).expect("the file");
    for page in pages {
        let at = usize::try_from((page - 1) * 4096).expect("a small file");
        bytes[at..at + 4096].fill(0x55);
    }
    std::fs::write(&path, bytes).expect("damaged");
}

#[test]
fn a_damaged_page_that_is_met_ends_writing_until_doctor_finds_all_well() {
    let copied = Copied::before(1);
    let world = &copied.world;
    let whole = tempfile::tempdir().expect("a folder");
    put(&world.data(), whole.path(), "journal");
    damage(world, "journal", "journal");
    // Nobody had looked: the first command meets it, and says so in words.
    let met = world.run(&["task", "note", "water butt", "Into the damage."]);
    says(&met, 1, &["journal.sqlite was found damaged", " doctor`"]);
    assert!(!met.err.contains("journal.edit:"), "{met:?}");
    let commands: [&[&str]; 4] = [
        &["task", "list"],
        &["task", "add", "More"],
        &["export"],
        &["serve", "--bind", "127.0.0.1:0"],
    ];
    for args in commands {
        says(
            &world.run(args),
            1,
            &["journal.sqlite was found damaged", " doctor`: it reads all of both files"],
        );
    }
    says(&doctor(world), 1, &["journal.sqlite is not a readable", "restore the data folder"]);
    says(&world.run(&["task", "list"]), 1, &[" doctor`: it reads all of both files"]);

    put(whole.path(), &world.data(), "journal");
    says(&world.run(&["task", "list"]), 1, &[" doctor`: it reads all of both files"]);
    says(&doctor(world), 0, &["both files were read whole and are well"]);
    says(&world.ok(&["task", "list"]), 0, &["Water butt"]);
    copied.is_heard();
}

#[test]
fn serve_says_in_words_that_a_page_is_damaged() {
    let world = World::with_agents();
    damage(&world, "journal", "access_codes");
    let done = world.run(&["serve", "--bind", "127.0.0.1:0"]);
    says(&done, 1, &["journal.sqlite was found damaged", " doctor`"]);
    assert!(!done.err.contains("access.code"), "{done:?}");
}

/// What doctor has seen is not written on.
#[test]
fn doctor_leaves_the_mark_that_it_removes() {
    let world = World::with_agents();
    let whole = tempfile::tempdir().expect("a folder");
    put(&world.data(), whole.path(), "agent");
    damage(&world, "agent", "texts");
    says(&doctor(&world), 1, &["agent.sqlite is not a readable"]);
    let refused = world.run(&["task", "list"]);
    says(
        &refused,
        1,
        &["agent.sqlite was found damaged by `", " doctor`: it reads all of both files"],
    );
    put(whole.path(), &world.data(), "agent");
    says(&doctor(&world), 0, &["both files were read whole and are well"]);
    world.ok(&["task", "list"]);
}
