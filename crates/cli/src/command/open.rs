//! `dormouse open`: a link that signs a browser in.

use std::process::{Command, Stdio};

use clap::Args;
use dormouse::view::Code;
use serde_json::json;

use crate::client::Client;
use crate::config::Config;
use crate::engine::open_or_find_server;
use crate::failure::Failure;
use crate::folder::FolderState;
use crate::server_file::Server;
use crate::terminal::{Screen, note};

/// Creates a link that opens the app of the running server. It works once, within 10 minutes; after
/// that the browser keeps its own token.
#[derive(Debug, Args)]
pub struct Params {
    /// Also open it in the browser
    #[arg(long)]
    browser: bool,
}

/// Programs that open a URL, if installed.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Requests a code from the folder's server and prints the link.
///
/// Errors: no server runs, or it does not respond.
pub async fn run(config: &Config, params: &Params) -> Result<(), Failure> {
    let server = match open_or_find_server(config).await? {
        FolderState::Served(server) => server,
        FolderState::Free(_folder) => {
            let data = config.data.display();
            return Err(Failure::failed(format!("no server runs on {data}"))
                .hint("start one in another terminal: `dormouse serve`"));
        }
    };
    let reply = Client::of(server.clone()).post("/api/access/codes", json!({})).await?;
    let code: Code = reply.read()?;
    let link = link(&server, &code);
    let mut screen = Screen::new(config.screen);
    if screen.is_json() {
        screen.body(json!({"link": link, "expiresAt": code.expires_at}).to_string().as_bytes());
    } else {
        screen.say(&link);
        note("it works once, within 10 minutes");
    }
    screen.flush().map_err(|e| Failure::failed(format!("cannot write the link: {e}")))?;
    if params.browser && !browse(&link) {
        return Err(Failure::failed("no browser could be started")
            .hint("paste the link into the address bar of a browser"));
    }
    Ok(())
}

/// The URL of the page with a code after the `#`, which browsers do not send to servers.
pub fn link(server: &Server, code: &Code) -> String {
    format!("{}/#code={}", server.page(), code.code.0)
}

/// Opens a URL in the default browser.
fn browse(link: &str) -> bool {
    OPENERS.iter().any(|opener| {
        let mut command = Command::new(opener);
        command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}
