//! The server of a data folder, as it names itself to the commands beside it.
//!
//! `server.json` in the folder says where the server listens and holds its token. It can be read by
//! the owner of the folder alone, and it counts only as long as the process it names holds the
//! folder's lock.

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

/// A server that runs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// Its process.
    pub pid: u32,
    /// Where it listens.
    pub address: SocketAddr,
    /// Whoever shows this may do everything.
    pub token: String,
    /// The person's time zone, by its name.
    pub zone: String,
    /// The address of the proxy before it, where there is one.
    #[serde(default)]
    pub public_url: Option<String>,
}

// The token is not for logs.
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
    /// The address as a person types it.
    pub fn url(&self) -> String {
        format!("http://{}", self.local_address())
    }

    /// The address of its page.
    pub fn page(&self) -> String {
        self.public_url.clone().unwrap_or_else(|| self.url())
    }

    /// Where it is reached from this machine: who listens everywhere listens here too.
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

/// The server that a folder's file names; none when there is no such file, or none that can be used.
pub fn read(folder: &Path) -> Option<Server> {
    serde_json::from_slice(&std::fs::read(folder.join(NAME)).ok()?).ok()
}

/// Removes what a dead server left.
///
/// Errors: the file is there and cannot be removed.
pub fn clear(folder: &Path) -> io::Result<()> {
    match std::fs::remove_file(folder.join(NAME)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A server's file while it runs; removed when this value goes.
#[derive(Debug)]
pub struct ServerFile {
    folder: PathBuf,
}

impl ServerFile {
    /// Writes the file whole or not at all, readable by its owner only.
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
        // Whoever takes the folder next removes what is left.
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
