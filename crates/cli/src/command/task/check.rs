//! `dormouse task check`.

use clap::Args;
use dormouse::view::{Item, Task};
use dormouse_types::Id as _;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::line;

use super::name::named;

#[derive(Debug, Args)]
pub struct Params {
    /// The task; several words of its title in quotes
    task: String,
    /// The item: its number in `task show`, the end of its id, or words of its title
    #[arg(required_unless_present = "add", conflicts_with = "add", value_name = "ITEM")]
    item: Vec<String>,
    /// Untick it
    #[arg(long)]
    off: bool,
    /// Give it another title
    #[arg(long, value_name = "TITLE", conflicts_with = "off")]
    rename: Option<String>,
    /// Archive it
    #[arg(long, conflicts_with_all = ["off", "rename"])]
    archive: bool,
    /// Restore an archived item
    #[arg(long, conflicts_with_all = ["off", "rename", "archive"])]
    unarchive: bool,
    /// Add a new item instead
    #[arg(long, value_name = "TITLE")]
    add: Option<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let row = find::task(session, &params.task).await?;
    let path = format!("/api/journal/tasks/{}/checklist-items", row.id);
    let (reply, done) = if let Some(title) = &params.add {
        let reply = session.client.post(&path, json!({"title": title})).await?;
        (reply, format!("added “{}” to", line(title)))
    } else {
        let task = find::whole_task(session, &row.id).await?;
        let show = session.command(&format!("task show {}", row.id.short()));
        let item = item(&task.items, &params.item.join(" "), &show)?;
        let (body, verb) = change(&params);
        let reply = session.client.patch(&format!("{path}/{}", item.id), body).await?;
        (reply, format!("{verb} “{}” of", line(&item.title)))
    };
    session.touch_task(&row.id);
    if !session.print_body(&reply) {
        let task: Task = reply.read()?;
        session.screen.say(format!("{done} {}", named(&task)));
    }
    Ok(())
}

fn change(params: &Params) -> (Value, &'static str) {
    match &params.rename {
        Some(title) => (json!({"title": title}), "renamed"),
        None if params.archive => (json!({"isArchived": true}), "archived"),
        None if params.unarchive => (json!({"isArchived": false}), "restored"),
        None if params.off => (json!({"isChecked": false}), "unticked"),
        None => (json!({"isChecked": true}), "ticked"),
    }
}

/// Finds the item. `show` is the command that numbers them.
fn item<'a>(items: &'a [Item], text: &str, show: &str) -> Result<&'a Item, Failure> {
    if let Some(item) =
        text.parse::<usize>().ok().and_then(|number| items.get(number.checked_sub(1)?))
    {
        return Ok(item);
    }
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let by_id = |item: &&Item| text.len() >= 5 && item.id.as_str().ends_with(text);
    let by_words = |item: &&Item| {
        let title = item.title.to_lowercase();
        !words.is_empty() && words.iter().all(|word| title.contains(word))
    };
    let mut found: Vec<&Item> = items.iter().filter(by_id).collect();
    if found.is_empty() {
        found = items.iter().filter(|item| item.title.trim() == text.trim()).collect();
    }
    if found.is_empty() {
        found = items.iter().filter(by_words).collect();
    }
    match found.as_slice() {
        [item] => Ok(item),
        [] => Err(Failure::failed(format!("the task has no item `{}`", line(text)))
            .hint(format!("{show} numbers its items"))),
        several => {
            let mut failure =
                Failure::usage(format!("`{}` matches {} items", line(text), several.len()))
                    .hint("use the end of the id in the first column, or more words");
            failure.more =
                several.iter().map(|item| format!("{}  {}", item.id.short(), item.title)).collect();
            Err(failure)
        }
    }
}
