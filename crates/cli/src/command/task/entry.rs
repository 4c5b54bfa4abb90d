//! `dormouse task entry`: the text and the flags of an entry.

use clap::Args;
use dormouse::view::{Entry, Task};
use dormouse_types::Id as _;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::line;
use crate::values;

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The task; several words of its title in quotes
    task: String,
    /// The note, recording, image analysis or time: the end of its id in `task show`, or `last`
    entry: String,
    #[command(flatten)]
    fields: Fields,
    /// Only if the task still has this revision
    #[arg(long, value_name = "REVISION")]
    if_revision: Option<i64>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Fields {
    /// Another text
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Star it
    #[arg(long, conflicts_with = "no_starred")]
    starred: bool,
    /// Take its star away
    #[arg(long)]
    no_starred: bool,
    /// Make it private: models that are not yours never see it
    #[arg(long, conflicts_with = "no_private")]
    private: bool,
    /// Open it to every model again; in a private task it stays private
    #[arg(long)]
    no_private: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task).await?;
    let task = find::whole_task(session, &row.id).await?;
    let entry = entry(&task.entries, &params.entry)?;
    let Fields { text, starred, no_starred, private, no_private } = params.fields;
    let fields = [
        ("text", text.map(Value::from)),
        ("starred", values::flag(starred, no_starred).map(Value::from)),
        ("private", values::flag(private, no_private).map(Value::from)),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let body = Value::Object(fields.collect::<Map<_, _>>());
    let path = format!("/api/journal/tasks/{}/entries/{}", row.id, entry.id);
    let reply = match params.if_revision {
        Some(revision) => session.client.patch_if(&path, body, revision).await?,
        None => session.client.patch(&path, body).await?,
    };
    session.touch_task(&row.id);
    if !session.print_body(&reply) {
        let after: Task = reply.read()?;
        let what = if after.revision == task.revision { "unchanged" } else { "changed" };
        let (kind, id) = (entry.kind.words(), entry.id.short());
        session.screen.say(format!("{what} {kind} {id} of {}", named(&after)));
    }
    Ok(())
}

/// Finds the entry.
fn entry<'a>(entries: &'a [Entry], text: &str) -> Result<&'a Entry, Failure> {
    let missing = || {
        Failure::failed(format!("the task has no entry `{}`", line(text)))
            .hint("`dormouse task show TASK` shows the end of each id; `last` is the newest one")
    };
    if text == "last" {
        return entries.last().ok_or_else(missing);
    }
    let is_it = |entry: &&Entry| text.len() >= 5 && entry.id.as_str().ends_with(text);
    let found: Vec<&Entry> = entries.iter().filter(is_it).collect();
    match found.as_slice() {
        [entry] => Ok(entry),
        [] => Err(missing()),
        several => {
            let n = several.len();
            let mut failure = Failure::usage(format!("`{}` matches {n} entries", line(text)))
                .hint("use the whole id");
            failure.more = several.iter().map(|entry| entry.id.to_string()).collect();
            Err(failure)
        }
    }
}
