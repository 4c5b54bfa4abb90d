//! The file in which the server of a data folder announces itself to other commands.
//!
//! `server.json` in the folder contains the server's address and token. Only the owner of the
//! folder can read it, and it is valid only while the process it names holds the folder's lock.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use dormouse_types::port::Entropy;
use serde::{Deserialize, Serialize};

/// The name of the file.
const NAME: &str = "server.json";

/// A running server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// Its process id.
    pub pid: u32,
    /// The address it listens on.
    pub address: SocketAddr,
    /// The token with all rights.
    pub token: String,
    /// The name of the user's time zone.
    pub zone: String,
    /// The address of the proxy in front of it, if any.
    #[serde(default)]
    pub public_url: Option<String>,
}

// Keeps the token out of logs.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("pid", &self.pid)
            .field("address", &self.address)
            .field("zone", &self.zone)
            .field("public_url", &self.public_url)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// The URL as a user types it.
    pub fn url(&self) -> String {
        format!("http://{}", self.local_address())
    }

    /// The URL of its page.
    pub fn page(&self) -> String {
        self.public_url.clone().unwrap_or_else(|| self.url())
    }

    /// The address that reaches it from this machine; a server that listens on all addresses also
    /// listens here.
    pub fn local_address(&self) -> SocketAddr {
        let mut address = self.address;
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            IpAddr::V4(_) | IpAddr::V6(_) => {}
        }
        address
    }
}

/// A fresh token: 32 random bytes as hex digits.
pub fn token(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads the folder's server file; `None` if there is no usable one.
pub fn read(folder: &Path) -> Option<Server> {
    serde_json::from_slice(&std::fs::read(folder.join(NAME)).ok()?).ok()
}

/// Removes the file of a dead server.
///
/// Errors: the file is there and cannot be removed.
pub fn clear(folder: &Path) -> io::Result<()> {
    match std::fs::remove_file(folder.join(NAME)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The file of a running server; removed on drop.
#[derive(Debug)]
pub struct ServerFile {
    folder: PathBuf,
}

impl ServerFile {
    /// Writes the file atomically, readable only by its owner.
    ///
    /// Errors: the folder cannot be written.
    pub fn write(folder: &Path, server: &Server) -> io::Result<Self> {
        let new = folder.join(format!("{NAME}.new"));
        match std::fs::remove_file(&new) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            Ok(()) | Err(_) => {}
        }
        let mut file: File =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec(server).map_err(io::Error::other)?)?;
        std::fs::rename(&new, folder.join(NAME))?;
        Ok(Self { folder: folder.to_owned() })
    }
}

impl Drop for ServerFile {
    fn drop(&mut self) {
        // The next process that locks the folder removes it if this fails.
        let _later = clear(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn server() -> Server {
        Server {
            pid: 7,
            address: ([127, 0, 0, 1], 7330).into(),
            token: "secret".into(),
            zone: "Europe/Oslo".into(),
            public_url: None,
        }
    }

    #[test]
    fn a_notice_is_its_owners_alone_and_goes_with_its_server() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        assert_eq!(read(folder.path()), None);
        std::fs::write(folder.path().join("server.json.new"), "left by a crash")?;
        let notice = ServerFile::write(folder.path(), &server())?;
        let path = folder.path().join(NAME);
        assert_eq!(std::fs::metadata(&path)?.permissions().mode() & 0o777, 0o600);
        assert_eq!(read(folder.path()), Some(server()));
        drop(notice);
        assert!(!path.exists());
        clear(folder.path())?;
        Ok(())
    }

    #[test]
    fn a_page_is_where_people_reach_it() {
        let mut server = server();
        assert_eq!(server.page(), "http://127.0.0.1:7330");
        server.address = "0.0.0.0:7330".parse().expect("an address");
        assert_eq!(
            (server.page().as_str(), server.local_address().port()),
            ("http://127.0.0.1:7330", 7330)
        );
        server.address = "[::]:7330".parse().expect("an address");
        assert_eq!(server.page(), "http://[::1]:7330");
        server.public_url = Some("https://tasks.example".into());
        assert_eq!(server.page(), "https://tasks.example");
    }

    #[test]
    fn a_token_is_not_shown() {
        assert!(!format!("{:?}", server()).contains("secret"));
    }
}
