//! A private Postgres server for tests, and a proxy that cuts connections on demand.
//!
//! The server has its own folder and loopback port. A shell watches a pipe: when the test process
//! ends, however it ends, the pipe closes, and the shell stops the server and removes the folder.
//! Postgres refuses to run as root; it then runs as another user.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use tokio::runtime::{Builder, Runtime};

use crate::lock;

pub use proxy::{Cut, Proxy};

mod proxy;

const SUPERVISOR: &str = include_str!("postgres/supervisor.sh");

/// The runtime for the connections of all tests of a process; [`crate::wait`] only waits.
pub fn connections() -> &'static Runtime {
    static CONNECTIONS: OnceLock<Runtime> = OnceLock::new();
    CONNECTIONS.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2).enable_all().build().expect("a runtime for connections")
    })
}

/// Whether the server syncs to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    /// The default: for tests that kill the server.
    Synced,
    /// Faster: for tests that do not simulate a power loss.
    Unsynced,
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    port: u16,
    shell: Mutex<Shell>,
    n_prefixes: AtomicU64,
}

#[derive(Debug)]
struct Shell {
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server.
    ///
    /// Panics if Postgres is not installed: its tests are never skipped.
    pub fn start(disk: Disk) -> Self {
        let mut failure = String::new();
        // Another process may take the port in between.
        for _ in 0..5 {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
            let port = free.expect("a free loopback port").port();
            match Shell::start(port, disk) {
                Ok(shell) => {
                    return Self { port, shell: Mutex::new(shell), n_prefixes: AtomicU64::new(0) };
                }
                Err(output) => failure = output,
            }
        }
        panic!("no Postgres for the tests: {failure}");
    }

    /// The process-wide server, which does not sync to disk.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(Disk::Unsynced))
    }

    /// Its loopback port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of its database.
    pub fn url(&self) -> String {
        url(self.port)
    }

    /// A prefix for names that no other test uses.
    pub fn prefix(&self) -> String {
        format!("t{}_", self.n_prefixes.fetch_add(1, Ordering::Relaxed))
    }

    /// Stops it at once, as a crash would: connections are not closed cleanly.
    pub fn stop(&self) {
        let output = lock(&self.shell).ask("stop");
        assert_eq!(output, "stopped", "the server stops");
    }

    /// Stops it at once, and promotes a standby on the same port.
    pub fn promote_a_standby(&self) {
        let output = lock(&self.shell).ask("promote");
        assert_eq!(output, "promoted", "a standby takes the server's place");
    }

    /// Starts it again after [`Server::stop`], on the same port.
    pub fn start_again(&self) {
        let output = lock(&self.shell).ask("start");
        assert_eq!(output, "ready", "the server starts again");
    }
}

/// The URL of the database on a port.
pub(crate) fn url(port: u16) -> String {
    format!("postgres://dormouse@127.0.0.1:{port}/postgres")
}

impl Shell {
    fn start(port: u16, disk: Disk) -> Result<Self, String> {
        let fsync = match disk {
            Disk::Synced => "on",
            Disk::Unsynced => "off",
        };
        let mut child = Command::new("/bin/sh")
            .args(["-c", SUPERVISOR, "supervisor", &port.to_string(), fsync])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("/bin/sh does not start: {e}"))?;
        let commands = child.stdin.take();
        let answers = child.stdout.take().expect("its output is piped");
        let mut shell = Self { child, commands, answers: BufReader::new(answers) };
        match shell.answer() {
            ready if ready == "ready" => Ok(shell),
            output => Err(output),
        }
    }

    fn ask(&mut self, command: &str) -> String {
        let commands = self.commands.as_mut().expect("it is open until the server is dropped");
        writeln!(commands, "{command}").expect("the shell of the server listens");
        self.answer()
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the shell of the server answers");
        line.trim_end().to_owned()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.commands = None;
        // The shell ends after the server has stopped and its folder is removed.
        drop(self.child.wait());
    }
}
