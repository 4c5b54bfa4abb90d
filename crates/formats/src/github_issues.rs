//! Reads the JSON that `gh issue list --json` prints, with whatever fields were requested.
//!
//! - Boxes in the body are items; the rest of the body is a note. Comments are entries of their day.
//! - The due day is the milestone's. A label such as `P1` or `priority: high` is also the priority.
//! - The category is the repository, from the address of the issue.
//!
//! An issue is recognized by repository and number.
//!
//! Source: cli.github.com/manual/gh_issue_list.

use dormouse_types::task::Status;

use crate::intake::{
    Draft, Gather, Lines, ReadError, ReadOptions, day_of, fold, priority_of, take_boxes,
};
use crate::json::{self, Node, Object};
use crate::reading::{Format, Reading, Role};

/// The issues that are looked at for a sign of GitHub: labels, people and reasons may be missing from most.
const SAMPLE: usize = 50;

/// Whether a text is a list of issues: objects with title and number, of which one has what only GitHub
/// writes. A number alone has many a list.
pub fn looks_like(text: &str) -> bool {
    if !json::begins(text) {
        return false;
    }
    let Ok(lines) = Lines::new("", text) else { return false };
    let Ok(root) = Node::of("", &lines) else { return false };
    let issues = if root.is_object() { vec![root] } else { root.items() };
    let mut issues = issues.iter().take(SAMPLE).map(Node::object);
    issues.next().is_some_and(|first| {
        let is_issue = first.has("title")
            && (first.has("number") || has_sign(&first))
            && !["done", "idBoard", "cards", "lists"].iter().any(|name| first.has(name));
        is_issue && (has_sign(&first) || issues.any(|issue| has_sign(&issue)))
    })
}

/// Whether an object has what only an issue of GitHub has.
fn has_sign(issue: &Object<'_>) -> bool {
    let text = |name: &str| issue.peek(name).and_then(|node| node.text());
    let is_address = |url: String| {
        let path = url.split_once("://").map(|(_, path)| path).unwrap_or_default();
        ["issues", "pull"].iter().any(|kind| path.split('/').nth(3) == Some(kind))
    };
    let is_of = |list: &str, members: &[&str]| {
        let nodes = issue.peek(list).map(|node| node.items()).unwrap_or_default();
        nodes.first().is_some_and(|node| {
            let object = node.object();
            members.iter().all(|member| object.has(member))
        })
    };
    issue.has("stateReason")
        || issue.has("closedByPullRequestsReferences")
        || text("state").is_some_and(|state| matches!(&*state, "OPEN" | "CLOSED" | "MERGED"))
        || ["url", "html_url"].iter().any(|name| text(name).is_some_and(is_address))
        || is_of("labels", &["name", "color"])
        || is_of("assignees", &["login"])
        || issue.peek("author").is_some_and(|author| author.object().has("login"))
}

/// Reads the issues.
///
/// Errors: see [`ReadError`].
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let root = Node::of(name, &lines)?;
    let mut gather = Gather::new(name, &lines, options);
    // `gh issue view --json` prints one issue without the brackets.
    let issues = if root.is_object() { vec![root] } else { root.items() };
    for node in issues {
        issue(node, options, &mut gather)?;
    }
    Ok(gather.finish(Format::GithubIssues))
}

fn issue(node: Node<'_>, options: &ReadOptions, gather: &mut Gather<'_>) -> Result<(), ReadError> {
    let mut issue = node.object();
    if !node.is_object() {
        gather.say(node.line(), "not an issue: left out");
        gather.claim(node.lines(), Role::Skipped, None);
        return Ok(());
    }
    let mut draft = Draft::default();
    draft.task.title = issue.take_text("title").unwrap_or_default();
    let number = issue.take_text("number");
    let state = issue.take_text("state").map(|state| state.to_uppercase());
    let reason = issue.take_text("stateReason").map(|reason| reason.to_uppercase());
    let is_closed = issue.take("closed").is_some_and(|closed| closed.is_true());
    draft.task.status = match (state.as_deref(), reason.as_deref()) {
        (Some("CLOSED"), Some("NOT_PLANNED" | "DUPLICATE")) => Some(Status::Rejected),
        (Some("CLOSED"), _) => Some(Status::Done),
        (Some(_), _) => Some(Status::Open),
        (None, _) => is_closed.then_some(Status::Done),
    };
    if reason.as_deref() == Some("DUPLICATE") {
        draft.details.push("Closed as", "duplicate");
    }
    // The API itself calls the address of a page `html_url`, and that of its own answer `url`.
    let page = issue.take_text("html_url");
    let url = issue.take_text("url");
    let url = page.or(url);
    let repository = url.as_deref().and_then(repository);
    draft.task.category.clone_from(&repository);
    for label in issue.take("labels").map(|labels| labels.items()).unwrap_or_default() {
        let name = if label.is_object() { label.object().take_text("name") } else { label.text() };
        if let Some(name) = name {
            let word = name.rsplit([':', '/']).next().unwrap_or_default();
            let is_priority = name.to_lowercase().starts_with("prio")
                || (name.len() == 2 && name.starts_with(['P', 'p']));
            if is_priority && draft.task.priority.is_none() {
                draft.task.priority = priority_of(word);
            }
            draft.label(&name);
        }
    }
    let body = issue.take_text("body").unwrap_or_default();
    draft.note = take_boxes(&body.replace("\r\n", "\n"), &mut draft);
    if let Some(number) = &number {
        draft.details.push("Issue", &format!("#{number}"));
    }
    if let Some(url) = &url {
        draft.details.push("Link", url);
    }
    if let Some(milestone) = issue.take("milestone") {
        let mut milestone = milestone.object();
        if let Some(title) = milestone.take_text("title") {
            draft.details.push("Milestone", &title);
        }
        draft.task.due_on = milestone.take_text("dueOn").and_then(|due| day_of(&due, options));
    }
    people(
        &mut draft,
        issue.take("assignees").map(|people| people.items()).unwrap_or_default(),
        "Assigned to",
    );
    people(&mut draft, issue.take("author").into_iter().collect(), "Author");
    for comment in issue.take("comments").map(|comments| comments.items()).unwrap_or_default() {
        let mut comment = comment.object();
        let author = comment.take("author").and_then(|author| author.object().take_text("login"));
        let on = comment.take_text("createdAt").and_then(|at| day_of(&at, options));
        if let Some(text) = comment.take_text("body") {
            let text = text.replace("\r\n", "\n");
            let text = author.map_or(text.clone(), |author| format!("{author}:\n\n{text}"));
            draft.comments.push((on, text).into());
        }
    }
    for (name, label) in [("createdAt", "Created"), ("closedAt", "Completed")] {
        if let Some(at) = issue.take_text(name) {
            draft.details.push(label, &at);
            gather.say(node.line(), "the times of creation and closing are kept in the note");
        }
    }
    issue.drop(&["id", "updatedAt", "isPinned", "reactionGroups"]);
    issue.keep_rest(&mut draft.details, gather);
    let key = match (repository, number) {
        (Some(repository), Some(number)) => format!("{repository}/{number}"),
        (None, Some(number)) => format!("issue/{number}"),
        (_, None) => url.unwrap_or_else(|| fold(&draft.task.title)),
    };
    let task = gather.add(node.line(), key, draft)?;
    let roles = [
        ("title", Role::Task),
        ("body", Role::Note),
        ("comments", Role::Note),
        ("milestone", Role::Due),
    ];
    node.object().claim(&roles, task, gather);
    gather.claim(node.lines(), Role::Field, Some(task));
    Ok(())
}

fn people(draft: &mut Draft, people: Vec<Node<'_>>, label: &str) {
    let logins: Vec<String> =
        people.iter().filter_map(|person| person.object().take_text("login")).collect();
    draft.details.push(label, &logins.join(", "));
}

/// `owner/name` of an issue's address.
fn repository(url: &str) -> Option<String> {
    let path = url.split_once("://")?.1;
    let mut parts = path.split('/').skip(1);
    let (owner, name) = (parts.next()?, parts.next()?);
    (parts.next().is_some() && !owner.is_empty() && !name.is_empty())
        .then(|| format!("{owner}/{name}"))
}
