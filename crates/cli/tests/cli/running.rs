//! A server of the real binary, and plain requests to it.

use std::fmt;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::world::World;

/// Nothing here takes so long; a test that waits in vain ends.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// A server that was started. It is killed with this value, whatever becomes of the test.
pub struct Running {
    child: Child,
    /// The first line that it printed.
    pub startup: String,
    /// What its file in the data folder says.
    pub notice: Notice,
    out: Receiver<String>,
    err: Receiver<String>,
}

/// Where a server is, and its token.
#[derive(Debug, Clone)]
pub struct Notice {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its token.
    pub token: String,
}

/// An answer over the wire.
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its head, as it came.
    pub head: String,
    /// Its body.
    pub body: Vec<u8>,
    /// Whether all of it came.
    pub is_whole: bool,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\n{}", self.head, String::from_utf8_lossy(&self.body))
    }
}

impl Answer {
    /// The body.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("no JSON ({e}): {self:?}"))
    }
}

impl World {
    /// Starts a server on a free port and waits until it listens.
    pub fn serve(&self, settings: &[(&str, &str)]) -> Running {
        self.try_serve(settings).unwrap_or_else(|(status, err)| panic!("{status}: {err}"))
    }

    /// The same, listening where the settings say.
    pub fn serve_as_set(&self, settings: &[(&str, &str)]) -> Running {
        let server = self.try_start(&["serve"], settings);
        server.unwrap_or_else(|(status, err)| panic!("{status}: {err}"))
    }

    /// The same, filled with the sample.
    pub fn serve_demo(&self) -> Running {
        let server = self.try_start(&["serve", "--bind", "127.0.0.1:0", "--demo"], &[]);
        server.unwrap_or_else(|(status, err)| panic!("{status}: {err}"))
    }

    /// The same; or, when it ends before it listens, how and with which words.
    pub fn try_serve(&self, settings: &[(&str, &str)]) -> Result<Running, (ExitStatus, String)> {
        self.try_start(&["serve", "--bind", "127.0.0.1:0"], settings)
    }

    fn try_start(
        &self,
        args: &[&str],
        settings: &[(&str, &str)],
    ) -> Result<Running, (ExitStatus, String)> {
        let mut child = self.start_with(args, settings);
        let out = lines(child.stdout.take().expect("standard output is piped"));
        let err = lines(child.stderr.take().expect("standard error is piped"));
        match out.recv_timeout(DEADLINE) {
            Ok(startup) => {
                let notice = Notice::read(self);
                Ok(Running { child, startup, notice, out, err })
            }
            Err(_closed) => {
                // Standard output is closed, or nothing came in time.
                let _gone_already = child.kill();
                let status = child.wait().expect("a child ends");
                Err((status, err.iter().collect::<Vec<_>>().join("\n")))
            }
        }
    }
}

impl Notice {
    fn read(world: &World) -> Self {
        let path = world.data().join("server.json");
        let text = std::fs::read(&path).expect("a server that listens has its file");
        let file: Value = serde_json::from_slice(&text).expect("the file is JSON");
        let text = |name: &str| file[name].as_str().expect("the file has this member").to_owned();
        let address = text("address").parse().expect("the address is one");
        Self { address, token: text("token") }
    }

    /// Sends a request with the token. An error is a server that went away before its whole answer.
    pub fn ask(&self, method: &str, path: &str, key: &str, body: &str) -> io::Result<Answer> {
        let answer = self.ask_torn(method, path, key, body)?;
        if answer.is_whole { Ok(answer) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// The same, with what came of an answer that broke off.
    pub fn ask_torn(&self, method: &str, path: &str, key: &str, body: &str) -> io::Result<Answer> {
        let token = format!("Bearer {}", self.token);
        let mut headers = vec![("Authorization", token.as_str())];
        if !key.is_empty() {
            headers.push(("Idempotency-Key", key));
        }
        if !body.is_empty() {
            let is_import = path.starts_with("/api/imports");
            let kind = if is_import { "text/markdown" } else { "application/json" };
            headers.push(("Content-Type", kind));
        }
        let host = self.address.to_string();
        headers.push(("Host", &host));
        send(self.address, method, path, &headers, body)
    }

    /// The body of a GET that must succeed.
    pub fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, "", "").expect("the server answers");
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }
}

impl Running {
    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("a child that was not waited for takes signals");
    }

    /// The next line that it printed; none when there is none yet.
    pub fn says(&self) -> Option<String> {
        self.out.try_recv().ok()
    }

    /// Waits for the next line that it prints.
    pub fn next_says(&self) -> String {
        self.out.recv_timeout(DEADLINE).unwrap_or_else(|e| panic!("it says nothing more: {e}"))
    }

    /// Waits for a line on standard error that holds these words.
    pub fn hears(&self, words: &str) -> String {
        loop {
            let line = self.err.recv_timeout(DEADLINE);
            let line = line.unwrap_or_else(|e| panic!("nobody says `{words}`: {e}"));
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Waits for its end; what it said on standard error meanwhile.
    pub fn end(mut self) -> (ExitStatus, String) {
        let mut said = Vec::new();
        loop {
            match self.err.recv_timeout(DEADLINE) {
                Ok(line) => said.push(line),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(e) => panic!("the server does not end: {e}; {said:#?}"),
            }
        }
        (self.child.wait().expect("a child ends"), said.join("\n"))
    }

    /// Ends it as a service manager does; it must end well.
    pub fn stop(self) -> String {
        self.signal(Signal::TERM);
        let (status, said) = self.end();
        assert_eq!(status.code(), Some(0), "{said}");
        said
    }

    /// Ends it as the system does that runs out of memory.
    pub fn kill(mut self) {
        self.child.kill().expect("a child can be killed");
        self.child.wait().expect("a killed child ends");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It is gone already after most tests.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Asks until something is so; the asking takes the time.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..200_000 {
        if let Some(found) = look() {
            return found;
        }
    }
    panic!("it never came: {what}")
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (tell, startup) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            // Nobody may listen any more; the pipe is read to its end all the same.
            let _unheard = tell.send(line.expect("a pipe of text can be read"));
        }
    });
    startup
}

/// Opens a connection and sends a head.
pub fn open(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    Ok(stream)
}

/// Sends a request as it is, and reads what comes back.
pub fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> io::Result<Answer> {
    let length = body.len().to_string();
    let mut headers = headers.to_vec();
    headers.push(("Content-Length", &length));
    let mut stream = open(address, method, path, &headers)?;
    stream.write_all(body.as_bytes())?;
    receive(stream)
}

/// Reads an answer to the end of its connection.
pub fn receive(mut stream: TcpStream) -> io::Result<Answer> {
    let mut all = Vec::new();
    // A server that was killed may reset the connection: what came before counts.
    let read = stream.read_to_end(&mut all);
    let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") else {
        read?;
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    let head = String::from_utf8_lossy(&all[..end]).to_lowercase();
    let rest = all.split_off(end + 4);
    let status = head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let (body, is_whole) = match length.and_then(|length| length.parse::<usize>().ok()) {
        Some(length) => (rest.clone(), rest.len() == length),
        None => dechunked(&rest),
    };
    Ok(Answer { status, head, body, is_whole })
}

/// A body in chunks, as far as it came.
fn dechunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).ok();
        let Some(size) = size.and_then(|size| usize::from_str_radix(size, 16).ok()) else { break };
        let chunk = &rest[end + 2..];
        if size == 0 {
            return (body, true);
        }
        body.extend_from_slice(&chunk[..size.min(chunk.len())]);
        if chunk.len() < size + 2 {
            break;
        }
        rest = &chunk[size + 2..];
    }
    (body, false)
}
