//! `dormouse change list`.

use clap::Args;
use dormouse::view::{ChangeSet, Page};
use dormouse_types::agent::ItemStatus;

use crate::client::path;
use crate::command::proposal;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, titled, wrap};

#[derive(Debug, Args)]
pub struct Params {
    /// Only proposals about this task
    #[arg(value_name = "TASK")]
    task: Vec<String>,
    /// Include decided proposals
    #[arg(long)]
    all: bool,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let mut query = Vec::new();
    let task = match params.task.join(" ") {
        words if words.is_empty() => None,
        words => Some(find::task(session, &words).await?.id.to_string()),
    };
    query.extend(task.as_deref().map(|task| ("task", task)));
    query.extend(params.all.then_some(("all", "true")));
    let reply = session.client.get(&path("/api/change-sets", &query)).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<ChangeSet> = reply.read()?;
    let mut groups: Vec<(String, Table)> = Vec::new();
    let mut n_hidden = 0;
    for set in &page.items {
        for item in &set.items {
            let is_open = item.status == ItemStatus::Pending || item.status == ItemStatus::Deferred;
            // A deferred proposal was shown once, and can still be decided.
            if item.status == ItemStatus::Pending && !item.shown && !params.all {
                n_hidden += 1;
            } else if is_open || params.all || item.status == ItemStatus::Applying {
                let cells = [
                    proposal::name(item),
                    proposal::summary(item),
                    proposal::status(item).to_owned(),
                ];
                match groups.iter_mut().find(|(task, _)| *task == set.task_id.to_string()) {
                    Some((_, table)) => table.row(cells),
                    None => {
                        let mut table = Table::new(COLUMNS);
                        table.row(cells);
                        groups.push((set.task_id.to_string(), table));
                    }
                }
            }
        }
    }
    if groups.is_empty() {
        session.screen.say("No open proposals.");
        return Ok(());
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    for (task, table) in &groups {
        let set = page.items.iter().find(|set| set.task_id.to_string() == *task);
        let title = line(titled(set.map_or("", |set| &set.task_title)));
        session.screen.say(style.bold(&wrap::cut_to(&title, width)));
        for row in table.render_rows(width.saturating_sub(2)).lines() {
            session.screen.say(format!("  {row}"));
        }
    }
    if n_hidden > 0 {
        session.screen.say(format!("{n_hidden} more appear as these are decided"));
    }
    session.screen.say(format!("decide: {}", session.command("review")));
    Ok(())
}

const COLUMNS: [(&str, Fit); 3] =
    [("item", Fit::Whole), ("proposal", Fit::Cut), ("state", Fit::Whole)];
