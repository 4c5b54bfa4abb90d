//! A relay before a model server: it keeps what was sent, says when an answer is under way, and holds
//! answers short.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Units: bytes. An answer of which so much was passed on has begun and is not complete.
const BEGUN: usize = 2_000;

/// Units: tokens. The longest answer that the relay asks for: a small model rambles on to any limit.
const LONGEST: &str = "\"max_tokens\":250";

/// What happens to a call of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// Its answer has begun.
    Answering,
    /// Its connection is closed.
    Closed,
}

/// A relay to one server. Its threads end with the test process.
pub struct Relay {
    /// Where it listens.
    pub address: SocketAddr,
    calls: Arc<Mutex<Vec<String>>>,
    passing: Receiver<Passing>,
}

impl Relay {
    /// A relay to the server at an address, which may come and go.
    pub fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let address = listener.local_addr().expect("it listens");
        let calls = Arc::new(Mutex::new(Vec::new()));
        let (tell, passing) = channel();
        let kept = Arc::clone(&calls);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (kept, tell) = (Arc::clone(&kept), tell.clone());
                // A side that goes away closes the other: that is all there is to do.
                std::thread::spawn(move || pass(client, server, &kept, &tell));
            }
        });
        Self { address, calls, passing }
    }

    /// The bodies of all calls so far.
    pub fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until an answer is under way.
    pub fn answering(&self, most: Duration) {
        while self.passing.recv_timeout(most).expect("the model answers") != Passing::Answering {}
    }

    /// Waits for the next thing to happen, for a while.
    pub fn next(&self, most: Duration) -> Option<Passing> {
        match self.passing.recv_timeout(most) {
            Ok(passing) => Some(passing),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the relay has ended"),
        }
    }

    /// Forgets what has happened.
    pub fn forget(&self) {
        while self.passing.try_recv().is_ok() {}
    }
}

/// Passes one request and its answer on; `None` if a side went away.
fn pass(
    mut client: TcpStream,
    server: SocketAddr,
    calls: &Mutex<Vec<String>>,
    tell: &Sender<Passing>,
) -> Option<()> {
    let mut request = read_request(&mut client).ok()?;
    let is_call = request.starts_with(b"POST /v1/chat/completions");
    if is_call {
        let body = request.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
        let body = String::from_utf8_lossy(&request[body..]).into_owned();
        request = shorter(&request, &body);
        calls.lock().unwrap_or_else(PoisonError::into_inner).push(body);
    }
    let answered = answer(&mut client, server, &request, is_call.then_some(tell));
    let _closed = client.shutdown(Shutdown::Both);
    if is_call {
        // The test may have ended.
        let _unheard = tell.send(Passing::Closed);
    }
    answered.ok()
}

/// The request for a short answer.
fn shorter(request: &[u8], body: &str) -> Vec<u8> {
    let head = String::from_utf8_lossy(&request[..request.len() - body.len()]).into_owned();
    let limit = body.find("\"max_tokens\":").map(|at| {
        let digits = body[at + 13..].bytes().take_while(u8::is_ascii_digit).count();
        &body[at..at + 13 + digits]
    });
    let short = limit.map_or_else(|| body.to_owned(), |limit| body.replacen(limit, LONGEST, 1));
    let length = format!("content-length: {}", body.len());
    head.replace(&length, &format!("content-length: {}", short.len()))
        .into_bytes()
        .into_iter()
        .chain(short.into_bytes())
        .collect()
}

fn answer(
    client: &mut TcpStream,
    server: SocketAddr,
    request: &[u8],
    tell: Option<&Sender<Passing>>,
) -> io::Result<()> {
    let mut upstream = TcpStream::connect(server)?;
    upstream.write_all(request)?;
    let mut piece = [0; 4096];
    let mut passed = 0;
    loop {
        let length = upstream.read(&mut piece)?;
        if length == 0 {
            return Ok(());
        }
        client.write_all(&piece[..length])?;
        let was_begun = passed >= BEGUN;
        passed += length;
        if let Some(tell) = tell.filter(|_| !was_begun && passed >= BEGUN) {
            let _unheard = tell.send(Passing::Answering);
        }
    }
}

/// A request with its body.
fn read_request(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    let mut piece = [0; 16 * 1024];
    loop {
        let head = all.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4);
        if let Some(head) = head {
            let text = String::from_utf8_lossy(&all[..head]).to_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0_usize);
            if all.len() >= head + length {
                return Ok(all);
            }
        }
        match client.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            length => all.extend_from_slice(&piece[..length]),
        }
    }
}
