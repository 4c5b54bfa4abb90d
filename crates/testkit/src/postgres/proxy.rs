//! A proxy for the server that cuts a connection at a given point of the protocol.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::lock;

/// Where a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The server has run COMMIT; its answer is dropped.
    BehindCommit,
    /// The client starts writing after a savepoint; the server does not receive it.
    BeforeSavepoint,
}

/// A proxy on a loopback port.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    armed: Arc<Mutex<Option<Cut>>>,
}

impl Proxy {
    /// Starts a proxy for the server on a loopback port.
    pub fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let port = listener.local_addr().expect("it is bound").port();
        let armed = Arc::new(Mutex::new(None));
        let shared = armed.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // If the server is gone, the client finds its connection closed.
                if let Ok(server) = TcpStream::connect(("127.0.0.1", server)) {
                    join(client, server, &shared);
                }
            }
        });
        Self { port, armed }
    }

    /// The URL of the database through the proxy.
    pub fn url(&self) -> String {
        super::url(self.port)
    }

    /// Cuts the next connection that reaches the point.
    pub fn cut(&self, cut: Cut) {
        *lock(&self.armed) = Some(cut);
    }

    /// Whether the requested cut has not happened yet.
    pub fn is_armed(&self) -> bool {
        lock(&self.armed).is_some()
    }
}

/// Forwards messages both ways until one side ends or the connection is cut.
fn join(client: TcpStream, server: TcpStream, armed: &Arc<Mutex<Option<Cut>>>) {
    for side in [&client, &server] {
        // Forward small messages at once; without this a test is slower, not wrong.
        drop(side.set_nodelay(true));
    }
    let both = || Some((client.try_clone().ok()?, server.try_clone().ok()?));
    let (Some((to_client, from_server)), Some((from_client, to_server))) = (both(), both()) else {
        return;
    };
    // The first message of a client has no kind before its length.
    pump(from_client, to_server, true, Cut::BeforeSavepoint, armed.clone());
    pump(from_server, to_client, false, Cut::BehindCommit, armed.clone());
}

fn pump(
    mut from: TcpStream,
    mut to: TcpStream,
    mut first: bool,
    place: Cut,
    armed: Arc<Mutex<Option<Cut>>>,
) {
    thread::spawn(move || {
        while let Ok(message) = message(&mut from, first) {
            first = false;
            let is_there = match place {
                Cut::BehindCommit => message.starts_with(b"C") && message[5..] == *b"COMMIT\0",
                Cut::BeforeSavepoint => {
                    let text = b"SAVEPOINT one";
                    message.starts_with(b"Q") && message.windows(text.len()).any(|w| w == text)
                }
            };
            if is_there && disarm(&armed, place) {
                break;
            }
            if to.write_all(&message).is_err() {
                break;
            }
        }
        // A connection that is already closed needs no closing.
        drop((from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both)));
    });
}

fn disarm(armed: &Mutex<Option<Cut>>, place: Cut) -> bool {
    let mut armed = lock(armed);
    let hit = *armed == Some(place);
    if hit {
        *armed = None;
    }
    hit
}

/// Reads one message: its kind if it has one, the length of the rest, and the rest.
fn message(from: &mut impl Read, first: bool) -> io::Result<Vec<u8>> {
    let head = if first { 4 } else { 5 };
    let mut message = vec![0; head];
    from.read_exact(&mut message)?;
    let mut length = [0; 4];
    length.copy_from_slice(&message[head - 4..]);
    let rest = u64::from(u32::from_be_bytes(length)).saturating_sub(4);
    from.take(rest).read_to_end(&mut message)?;
    Ok(message)
}
