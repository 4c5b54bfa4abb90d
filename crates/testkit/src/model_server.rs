//! A real language model on a real server: llama.cpp with a model of 135 million parameters.
//!
//! The model is far too small to be useful, so nothing that it says can be relied on. `scripts/setup
//! test` installs both below the target directory (`scripts/model-server.txt`). The server listens on
//! a loopback port and ends with the test process, however that ends.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

const SERVE: &str = include_str!("model_server/serve.py");
const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/model_server/tools.jinja");

/// How the server turns messages into the text that the model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// By the template of the model, which leaves tools out without a word.
    Own,
    /// By a template that shows tools to the model.
    Tools,
    /// Without a template engine: requests with tools are refused.
    Off,
}

/// What a server is started with.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub template: Template,
    /// The context window. Units: tokens.
    pub window: u32,
}

/// A running server.
#[derive(Debug)]
pub struct ModelServer {
    python: PathBuf,
    address: SocketAddr,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    /// The server ends when this is closed.
    _input: ChildStdin,
}

impl ModelServer {
    /// Starts a server on a free port. `python` is the interpreter that has its packages.
    ///
    /// Panics if it does not start: the last lines that it printed are in the message.
    pub fn start(python: &Path, options: Options) -> Self {
        let (process, address) = Process::start(python, 0, options);
        Self { python: python.to_owned(), address, process: Some(process) }
    }

    /// Where it listens, also while it is stopped.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Kills it: connections break off.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Starts it again on the same port, perhaps with other options.
    pub fn start_again(&mut self, options: Options) {
        self.kill();
        self.process = Some(Process::start(&self.python, self.address.port(), options).0);
    }
}

impl Process {
    fn start(python: &Path, port: u16, options: Options) -> (Self, SocketAddr) {
        let template = match options.template {
            Template::Own => "own",
            Template::Tools => "tools",
            Template::Off => "off",
        };
        let mut child = Command::new(python)
            .args(["-c", SERVE, &port.to_string(), template, TOOLS, &options.window.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("{} does not start: {e}", python.display()));
        let input = child.stdin.take().expect("standard input is piped");
        let mut log = child.stderr.take().expect("standard error is piped");
        // What it says is read, so that it never waits for a reader.
        let log = std::thread::spawn(move || {
            let mut log_text = Vec::new();
            let _closed = log.read_to_end(&mut log_text);
            String::from_utf8_lossy(&log_text).into_owned()
        });
        let mut line = String::new();
        let output = child.stdout.take().expect("standard output is piped");
        BufReader::new(output).read_line(&mut line).expect("a pipe of text can be read");
        let port = line.strip_prefix("ready ").and_then(|port| port.trim_end().parse().ok());
        let Some(port) = port else {
            drop(input);
            let _ended = child.wait();
            let log_text = log.join().unwrap_or_default();
            let log_text: Vec<_> = log_text.lines().rev().take(8).collect();
            let log_text: Vec<_> = log_text.into_iter().rev().collect();
            panic!("no model server for the tests: {}", log_text.join("\n"));
        };
        (Self { child, _input: input }, SocketAddr::from(([127, 0, 0, 1], port)))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}
