//! A data folder of its own, and commands in it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use regex::Regex;
use serde_json::Value;

/// Two tasks with notes.
pub const ALLOTMENT: &str = include_str!("allotment.md");

/// A folder for one test.
pub struct World {
    folder: tempfile::TempDir,
}

/// The exit code and the output of a command.
#[derive(Debug)]
pub struct Done {
    /// Its exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Done {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// The body that `--json` printed.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("no JSON ({e}): {self:?}"))
    }
}

impl World {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    /// A folder with the two tasks of the allotment, without agents.
    pub fn with_tasks() -> Self {
        let world = Self::new();
        let file = world.file("allotment.md", ALLOTMENT);
        world.ok(&["import", &file]);
        world
    }

    /// The same, with agents that made their first report. They are given names, because an agent
    /// that is not gets one by chance.
    pub fn with_agents() -> Self {
        let world = Self::with_tasks();
        world.ok(&["agent", "create", "water butt", "--name", "Wanda"]);
        world.ok(&["agent", "create", "slug fence", "--name", "Sven"]);
        world
    }

    /// Where the data is.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Writes a file next to the data folder.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder.path().join(name);
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("a temporary folder can be made");
        std::fs::write(&path, content).expect("a temporary file can be written");
        path.to_string_lossy().into_owned()
    }

    fn command(&self, data: &Path, args: &[&str], columns: usize) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dormouse"));
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("TZ", "UTC")
            .env("COLUMNS", columns.to_string())
            .arg("--data")
            .arg(data)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Starts a command and leaves it running.
    pub fn start(&self, args: &[&str]) -> Child {
        self.start_with(args, &[])
    }

    /// The same, with these variables.
    pub fn start_with(&self, args: &[&str], settings: &[(&str, &str)]) -> Child {
        let mut command = self.command(&self.data(), args, 100);
        command.envs(settings.iter().copied()).spawn().expect("the binary starts")
    }

    /// Starts a command whose standard input is this.
    pub fn start_on(&self, args: &[&str], stdin: impl Into<Stdio>) -> Child {
        let mut command = self.command(&self.data(), args, 100);
        command.stdin(stdin).spawn().expect("the binary starts")
    }

    /// Runs a command with this data folder, width and standard input.
    pub fn run_at(&self, data: &Path, args: &[&str], columns: usize, stdin: &[u8]) -> Done {
        Self::fed(&mut self.command(data, args, columns), stdin)
    }

    /// Runs a command with these variables and standard input.
    pub fn run_set(&self, args: &[&str], settings: &[(&str, &str)], stdin: &[u8]) -> Done {
        Self::fed(self.command(&self.data(), args, 100).envs(settings.iter().copied()), stdin)
    }

    fn fed(command: &mut Command, stdin: &[u8]) -> Done {
        let mut child = command.spawn().expect("the binary starts");
        let mut input = child.stdin.take().expect("standard input is piped");
        // A command that needs no input may end before it was read.
        let _unread = input.write_all(stdin);
        drop(input);
        Done::of(&child.wait_with_output().expect("the binary ends"))
    }

    /// Runs a command.
    pub fn run(&self, args: &[&str]) -> Done {
        self.run_at(&self.data(), args, 100, b"")
    }

    /// Runs a command that reads this.
    pub fn run_with(&self, args: &[&str], stdin: &[u8]) -> Done {
        self.run_at(&self.data(), args, 100, stdin)
    }

    /// Runs a command that must succeed.
    pub fn ok(&self, args: &[&str]) -> Done {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done
    }

    /// The body of a command that must succeed.
    pub fn json(&self, args: &[&str]) -> Value {
        let mut args = args.to_vec();
        args.push("--json");
        self.ok(&args).json()
    }

    /// What a person sees at some width, with ids, days and times made equal.
    pub fn screen(&self, args: &[&str], columns: usize) -> String {
        let done = self.run_at(&self.data(), args, columns, b"");
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        self.steady(&done.out)
    }

    /// Text with ids, digests, days and times made equal, width for width.
    pub fn steady(&self, text: &str) -> String {
        let lists: [(&str, &[&str]); 4] = [
            ("tsk", &["task", "list", "--limit", "200"]),
            ("agt", &["agent", "list"]),
            ("set", &["change", "list", "--all"]),
            ("wrk", &["work", "list"]),
        ];
        let mut text = text
            .replace(env!("CARGO_BIN_EXE_dormouse"), "dormouse")
            .replace(&*self.data().to_string_lossy(), "DATA");
        for (name, args) in lists {
            let list = self.json(args);
            for (at, row) in list["items"].as_array().into_iter().flatten().enumerate() {
                let id = row["id"].as_str().expect("a row has an id");
                let short = format!("{name}{at:02}");
                text = text.replace(id, &format!("<{short}>"));
                text = text.replace(&id[id.len() - 5..], &short);
                if let Some(today) = row["createdAt"]
                    .as_str()
                    .or(row["created"].as_str())
                    .and_then(|at| at.get(..10))
                {
                    text = text.replace(today, "<today...>");
                }
            }
        }
        let same = [
            (r"(<today...>|\d{4}-\d\d-\d\d) \d\d:\d\d", "<some minute...>"),
            (r"\b[0-9a-f]{64}\b", "<hash>"),
            (r"@[0-9a-f]{8}\b", "@<digest>"),
            (r"run [0-9a-f]{8}\b", "run <run...>"),
            (r"· [0-9a-z]{5}$", "· <en.>"),
        ];
        for (pattern, instead) in same {
            let pattern = Regex::new(&format!("(?m){pattern}")).expect("the pattern is fixed");
            text = pattern.replace_all(&text, instead).into_owned();
        }
        text
    }
}
