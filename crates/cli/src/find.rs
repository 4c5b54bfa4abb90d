//! Resolves what the user typed to the one thing it refers to.
//!
//! An id may be given by its last characters or by words of a task's title. A full title always
//! means its task, even if other titles begin with it. An ambiguous name is never guessed.

use dormouse::view::{
    Agent, AgentWork, ChangeSet, Conversation, Page, Task, TaskRow, Template, Token, Wake,
};
use dormouse_types::agent::Lifecycle;
use dormouse_types::{AgentId, Id as _, RunKey, TaskId};

use crate::client::{Client, path};
use crate::failure::Failure;
use crate::pages;
use crate::session::Session;
use crate::terminal::{line, titled};

/// The most items that a page of a list may have: a title may be the title of several.
const MOST: &str = "200";

/// Finds a task by its id, the end of its id, or words of its title.
///
/// Errors: no match, or several.
pub async fn task(session: &Session, text: &str) -> Result<TaskRow, Failure> {
    let found = tasks(&session.client, text).await?;
    if found.is_empty() && text.parse::<TaskId>().is_ok() {
        // An unreadable row is in no list; a request by id reports what is wrong.
        session.client.get(&format!("/api/journal/tasks/{text}")).await?;
    }
    one(
        titled_so(found, text, |row| &row.title),
        text,
        "task",
        task_line,
        &session.command("task list"),
    )
}

/// Finds a deleted task in the same way.
///
/// Errors: no match, or several.
pub async fn deleted_task(session: &Session, text: &str) -> Result<TaskRow, Failure> {
    let deleted: Vec<TaskRow> =
        pages::all(&session.client, "/api/journal/tasks", &[("deleted", "true")]).await?;
    let names = Name::of(text);
    let is_it = |row: &TaskRow| row.deleted_at.is_some() && names.is(row.id.as_str(), &row.title);
    let found = deleted.into_iter().filter(is_it);
    let hint = session.command("task list --deleted");
    let found = titled_so(found.collect(), text, |row| &row.title);
    one(found, text, "deleted task", task_line, &hint)
}

/// Loads the whole task.
pub async fn whole_task(session: &Session, id: &TaskId) -> Result<Task, Failure> {
    session.client.get(&format!("/api/journal/tasks/{id}")).await?.read()
}

/// Finds an agent by its id, the end of its id, its name, or words of its task's title.
///
/// Errors: no match, or several.
pub async fn agent(session: &Session, text: &str) -> Result<Agent, Failure> {
    let find = path("/api/agents", &[("find", text), ("limit", MOST)]);
    let mut found: Page<Agent> = session.client.get(&find).await?.read()?;
    if found.items.is_empty() {
        for task in tasks(&session.client, text).await? {
            if let Some(agent) = task.agent {
                found
                    .items
                    .push(session.client.get(&format!("/api/agents/{agent}")).await?.read()?);
            }
        }
    }
    // A destroyed agent matches only if no living one does.
    if found.items.iter().any(|agent| agent.lifecycle != Lifecycle::Destroyed) {
        found.items.retain(|agent| agent.lifecycle != Lifecycle::Destroyed);
    }
    if found.items.is_empty()
        && let [task] = &titled_so(tasks(&session.client, text).await?, text, |row| &row.title)[..]
    {
        return Err(without_agent(session, task));
    }
    let found = titled_so(found.items, text, |it| it.task_title.as_deref().unwrap_or_default());
    one(found, text, "agent", agent_line, &session.command("agent list"))
}

/// A task or an agent.
pub enum TaskOrAgent {
    Task(Box<TaskRow>),
    Agent(Box<Agent>),
}

/// Finds a task; if none matches, an agent by its id, the end of its id, or its name.
///
/// Errors: no match, or several.
pub async fn task_or_agent(session: &Session, text: &str) -> Result<TaskOrAgent, Failure> {
    if tasks(&session.client, text).await?.is_empty() {
        let find = path("/api/agents", &[("find", text), ("limit", MOST)]);
        let found: Page<Agent> = session.client.get(&find).await?.read()?;
        if !found.items.is_empty() {
            let list = session.command("agent list --all");
            let agent = one(found.items, text, "agent", agent_line, &list)?;
            return Ok(TaskOrAgent::Agent(Box::new(agent)));
        }
    }
    Ok(TaskOrAgent::Task(Box::new(task(session, text).await?)))
}

/// Finds a run of an agent by its key or the beginning of it.
///
/// Errors: no match, or several.
pub async fn run(session: &Session, agent: &AgentId, text: &str) -> Result<RunKey, Failure> {
    let list = format!("/api/agents/{agent}/wakes");
    let log = session.command(&format!("agent log {}", agent.short()));
    let mut found = Vec::new();
    if !text.is_empty() {
        let wakes: Vec<Wake> = pages::all(&session.client, &list, &[]).await?;
        found.extend(wakes.into_iter().filter_map(|wake| wake.run_key));
        found.retain(|key| key.as_str().starts_with(&text.to_lowercase()));
    }
    match &found[..] {
        [key] => Ok(key.clone()),
        [] => Err(Failure::failed(format!("the agent has no run `{}`", line(text)))
            .hint(format!("{log} shows the keys of its runs"))),
        several => Err(Failure::failed(format!(
            "{} runs have a key that begins with `{}`",
            several.len(),
            line(text)
        ))
        .hint("give more of the key")),
    }
}

/// The error for a task without an agent, with the command that creates one.
pub fn without_agent(session: &Session, task: &TaskRow) -> Failure {
    let failure = Failure::failed(format!("the task “{}” has no agent", line(titled(&task.title))));
    let command = session.command(&format!("agent create {}", task.id.short()));
    failure.hint(format!("{command} creates one"))
}

/// Finds a change set by its id, the end of its id, or words of its task's title.
///
/// Errors: no match, or several.
pub async fn set(session: &Session, text: &str) -> Result<ChangeSet, Failure> {
    let find = path("/api/change-sets", &[("find", text)]);
    let found: Page<ChangeSet> = session.client.get(&find).await?.read()?;
    let found = titled_so(found.items, text, |set| &set.task_title);
    one(found, text, "change set", set_line, &session.command("change list --all"))
}

/// Finds a live token by its id, the end of its id, or words of its name.
///
/// Errors: no match, or several.
pub async fn token(session: &Session, text: &str) -> Result<Token, Failure> {
    let all: Page<Token> = session.client.get("/api/tokens").await?.read()?;
    let name = Name::of(text);
    let is_it = |token: &Token| token.is_live && name.is(token.id.as_str(), &token.name);
    let found = all.items.into_iter().filter(is_it);
    one(found.collect(), text, "token", token_line, &session.command("token list"))
}

/// All agent work, newest first.
pub async fn all_work(session: &Session) -> Result<Vec<AgentWork>, Failure> {
    pages::all(&session.client, "/api/tasks", &[]).await
}

/// Finds agent work by its id, the end of its id, or words of its title.
///
/// Errors: no match, or several.
pub async fn work(session: &Session, text: &str) -> Result<AgentWork, Failure> {
    let name = Name::of(text);
    let mut found = all_work(session).await?;
    found.retain(|work| name.is(work.id.as_str(), &work.title));
    let found = titled_so(found, text, |work| &work.title);
    let list = session.command("work list");
    one(found, text, "agent work", work_line, &list)
}

/// Finds a conversation by its id, the end of its id, or words of its title.
///
/// Errors: no match, or several.
pub async fn conversation(session: &Session, text: &str) -> Result<Conversation, Failure> {
    let name = Name::of(text);
    let mut found: Vec<Conversation> =
        pages::all(&session.client, "/api/conversations", &[]).await?;
    found.retain(|one| name.is(one.id.as_str(), &one.title));
    let found = titled_so(found, text, |one| &one.title);
    one(found, text, "conversation", conversation_line, &session.command("conversation list"))
}

/// Finds a template by its id, the end of its id, or words of its name.
///
/// Errors: no match, or several.
pub async fn template(session: &Session, text: &str) -> Result<Template, Failure> {
    let name = Name::of(text);
    let all: Page<Template> = session.client.get("/api/templates").await?.read()?;
    let is_it = |one: &Template| name.is(one.id.as_str(), &one.display_name);
    let found = all.items.into_iter().filter(is_it).collect();
    let found = titled_so(found, text, |one| &one.display_name);
    one(found, text, "template", template_line, &session.command("template list"))
}

/// What the user typed for one of a list: its id, the end of it, or words of its title.
struct Name<'a> {
    text: &'a str,
    words: Vec<String>,
}

impl<'a> Name<'a> {
    /// Units: characters. A shorter end of an id may be any of several.
    const END: usize = 5;

    fn of(text: &'a str) -> Self {
        Self { text, words: text.split_whitespace().map(str::to_lowercase).collect() }
    }

    fn is(&self, id: &str, title: &str) -> bool {
        let title = title.to_lowercase();
        id == self.text
            || (self.text.len() >= Self::END && id.ends_with(self.text))
            || (!self.words.is_empty() && self.words.iter().all(|word| title.contains(word)))
    }
}

async fn tasks(client: &Client, text: &str) -> Result<Vec<TaskRow>, Failure> {
    let mut found: Vec<TaskRow> =
        pages::all(client, "/api/journal/tasks", &[("find", text)]).await?;
    // A deleted task matches only if no live one does.
    if found.iter().any(|task| task.deleted_at.is_none()) {
        found.retain(|task| task.deleted_at.is_none());
    }
    Ok(found)
}

/// Keeps only exact title matches if there are any.
fn titled_so<T>(found: Vec<T>, text: &str, title: impl Fn(&T) -> &str) -> Vec<T> {
    let (mut found, text) = (found, text.trim());
    let is_it = |one: &T| title(one).trim() == text;
    let is_like_it = |one: &T| title(one).trim().to_lowercase() == text.to_lowercase();
    if found.iter().any(is_it) {
        found.retain(is_it);
    } else if found.iter().any(is_like_it) {
        found.retain(is_like_it);
    }
    found
}

/// Returns the only match, or an error.
fn one<T>(
    mut found: Vec<T>,
    text: &str,
    what: &str,
    shown: fn(&T) -> String,
    list: &str,
) -> Result<T, Failure> {
    /// The number of candidates to show.
    const SHOWN: usize = 10;
    match (found.len(), found.pop()) {
        (1, Some(found)) => Ok(found),
        (_, None) => {
            let words = match what {
                "template" => "its name",
                "agent work" | "conversation" => "its title",
                _ => "a task's title",
            };
            Err(Failure::failed(format!("there is no {what} `{}`", line(text))).hint(format!(
                "use the end of an id (5 characters) or words of {words}; `{list}` shows both"
            )))
        }
        (n, Some(last)) => {
            found.push(last);
            let mut failure = Failure::usage(match what {
                "agent work" => format!("`{}` matches {n} pieces of agent work", line(text)),
                _ => format!("`{}` matches {n} {what}s", line(text)),
            })
            .hint("use the id in the first column, or the full title if it is unique");
            failure.more = found.iter().take(SHOWN).map(shown).collect();
            if n > SHOWN {
                failure.more.push(format!("… and {} more", n - SHOWN));
            }
            Err(failure)
        }
    }
}

fn task_line(task: &TaskRow) -> String {
    format!("{}  {}", task.id.short(), titled(&task.title))
}

fn agent_line(agent: &Agent) -> String {
    let title = agent.task_title.as_deref().unwrap_or("its task is gone");
    format!("{}  {}, {}", agent.id.short(), agent.display_name, titled(title))
}

fn token_line(token: &Token) -> String {
    format!("{}  {}", token.id.short(), token.name)
}

fn work_line(work: &AgentWork) -> String {
    format!("{}  {}", work.id.short(), titled(&work.title))
}

fn conversation_line(one: &Conversation) -> String {
    format!("{}  {}", one.id.short(), titled(&one.title))
}

fn template_line(one: &Template) -> String {
    format!("{}  {}", one.id.short(), line(&one.display_name))
}

fn set_line(set: &ChangeSet) -> String {
    format!("{}  {}", set.id.short(), titled(&set.task_title))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn display(text: &&'static str) -> String {
        (*text).to_owned()
    }

    #[test]
    fn several_are_listed_and_none_is_guessed() {
        let failure = one(vec!["a", "b"], "x", "task", display, "list").unwrap_err();
        assert_eq!((failure.code, failure.more), (2, vec!["a".to_owned(), "b".to_owned()]));
        let failure = one(Vec::<&str>::new(), "x", "task", display, "list").unwrap_err();
        assert_eq!((failure.code, failure.message.as_str()), (1, "there is no task `x`"));
        assert_eq!(one(vec!["a"], "x", "task", display, "list").ok(), Some("a"));
    }

    #[test]
    fn a_whole_title_means_its_task_whatever_begins_with_it() {
        let so = |text| titled_so(vec!["Old boiler", "old", "Old", "OLD"], text, |title| title);
        assert_eq!(so("Old"), ["Old"]);
        assert_eq!(so("oLD"), ["old", "Old", "OLD"]);
        assert_eq!(so("boiler"), ["Old boiler", "old", "Old", "OLD"]);
        let equal = titled_so(vec!["Old", "Old boiler", "Old "], "Old", |title| title);
        assert_eq!(equal, ["Old", "Old "], "equal titles differ by their ids");
    }
}
