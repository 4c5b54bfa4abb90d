//! `dormouse open`: a link that lets a page in.

use std::process::{Command, Stdio};

use clap::Args;
use dormouse::view::Code;
use serde_json::json;

use crate::client::Client;
use crate::config::Config;
use crate::engine::open_or_find_server;
use crate::failure::Failure;
use crate::folder::Found;
use crate::server_file::Server;
use crate::terminal::{Screen, note};

/// Makes a link that opens the page of the running server. It works once, within 10 minutes; the page
/// keeps a token of its own from then on.
#[derive(Debug, Args)]
pub struct Params {
    /// Open it in the browser too
    #[arg(long)]
    browser: bool,
}

/// What opens an address, where it is installed.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Asks the server of the folder for a code, and prints the link.
///
/// Errors: no server runs, or it does not answer.
pub async fn run(config: &Config, params: &Params) -> Result<(), Failure> {
    let server = match open_or_find_server(config).await? {
        Found::Served(server) => server,
        Found::Free(_folder) => {
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
    screen.flush().map_err(|e| Failure::failed(format!("the link cannot be written: {e}")))?;
    if params.browser && !browse(&link) {
        return Err(Failure::failed("no browser could be started")
            .hint("paste the link into the address line of one"));
    }
    Ok(())
}

/// The address of the page with a code behind the `#`, which a browser sends to nobody.
pub fn link(server: &Server, code: &Code) -> String {
    format!("{}/#code={}", server.page(), code.code.0)
}

/// Hands an address to whatever opens it here.
fn browse(link: &str) -> bool {
    OPENERS.iter().any(|opener| {
        let mut command = Command::new(opener);
        command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}
