//! `dormouse export`: the workspace, or one task, as one JSON document.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::client::{Reply, path};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;

#[derive(Debug, Args)]
pub struct Params {
    /// Only this task: the end of its id, or words of its title
    #[arg(value_name = "TASK", conflicts_with = "all")]
    task: Vec<String>,
    /// Every task, including deleted ones; this is the default
    #[arg(long)]
    all: bool,
    /// The file to write; it must not exist yet [default: standard output]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let reply = if params.task.is_empty() {
        session.client.get("/api/export").await?
    } else {
        let task = find::task(session, &params.task.join(" ")).await?;
        session.client.get(&path("/api/export", &[("task", &task.id.to_string())])).await?
    };
    let Some(file) = params.file else {
        session.screen.body(&reply.body);
        return Ok(());
    };
    write(&file, &reply)?;
    session.screen.say(format!("{} bytes written to {}", reply.body.len(), file.display()));
    Ok(())
}

/// Writes a file that only its owner may read. It never replaces an existing file.
fn write(file: &Path, reply: &Reply) -> Result<(), Failure> {
    let failed = |e: std::io::Error| {
        let failure = Failure::failed(format!("{} cannot be written: {e}", file.display()));
        match e.kind() {
            ErrorKind::AlreadyExists => failure.hint("name a file that does not exist yet"),
            _ => failure,
        }
    };
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    let mut opened = opened.map_err(failed)?;
    opened.write_all(&reply.body).and_then(|()| opened.sync_all()).map_err(|e| {
        // Half a document is no export.
        let _left = std::fs::remove_file(file);
        failed(e)
    })
}
