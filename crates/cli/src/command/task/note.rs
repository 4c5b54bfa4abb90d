//! `dormouse task note`.

use std::path::{Path, PathBuf};

use clap::Args;
use dormouse::view::Task;
use dormouse_types::limits;
use dormouse_types::task::{EntryKind, Flag};
use serde_json::json;

use crate::dates;
use crate::failure::Failure;
use crate::find;
use crate::input;
use crate::session::Session;
use crate::values::{self, DateText};

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The task; several words of its title in quotes
    task: String,
    /// The note; `-` reads standard input
    #[arg(required_unless_present = "file", conflicts_with = "file", value_name = "TEXT")]
    text: Vec<String>,
    /// Read the note from a file
    #[arg(long)]
    file: Option<PathBuf>,
    /// The day of the note, such as yesterday, friday or 2026-11-20 [default: today]
    #[arg(long, value_parser = values::date, value_name = "DAY")]
    on: Option<DateText>,
    /// The text describes an image: it is added as an image analysis
    #[arg(long)]
    image: bool,
    /// Star it
    #[arg(long)]
    starred: bool,
    /// Make it private: models that are not yours never see it
    #[arg(long)]
    private: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task).await?;
    let text = match &params.file {
        Some(file) => read(file)?,
        None if params.text == ["-"] => read(Path::new("/dev/stdin"))?,
        None => params.text.join(" "),
    };
    let mut body = json!({"text": text});
    if params.image {
        body["kind"] = json!(EntryKind::ImageAnalysis);
    }
    for (is_set, flag) in [(params.starred, Flag::Starred), (params.private, Flag::Private)] {
        if is_set {
            body[flag.name()] = json!(true);
        }
    }
    if let Some(on) = params.on {
        body["on"] = json!(dates::past_day(session, "--on", &on.0)?);
    }
    let path = format!("/api/journal/tasks/{}/entries", row.id);
    let reply = session.client.post(&path, body).await?;
    session.touch_task(&row.id);
    if !session.print_body(&reply) {
        let task: Task = reply.read()?;
        session.screen.say(format!("noted on {}", named(&task)));
    }
    Ok(())
}

/// Reads text. Input that is not UTF-8 is refused rather than guessed at.
fn read(file: &Path) -> Result<String, Failure> {
    let bytes = input::read(file, limits::BODY)?;
    let is_stdin = file == Path::new("/dev/stdin");
    let shown = if is_stdin { "standard input".to_owned() } else { file.display().to_string() };
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::failed(format!("{shown} is not UTF-8 text (byte {})", at + 1))
            .hint("save it as UTF-8 and try again")
    })
}
