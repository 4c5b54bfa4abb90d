//! Reads the JSON export of a Trello board.
//!
//! - If a list is named as a stage of work ("Doing", "Erledigt"), lists are statuses and the category
//!   is the board; a list without such a name is kept as text. Otherwise a list is a category.
//!   A limit of cards, as in "Doing (3)", is no part of the name.
//! - Checklists are items; if a card has several, their names stand before the titles. Comments are
//!   entries of their day. What else happened on the board is counted and left.
//! - An archived card, or one of an archived list, is done.
//!
//! A card is recognized by its id.
//!
//! Source: developer.atlassian.com/cloud/trello/guides/rest-api/object-definitions.

use std::collections::HashMap;

use dormouse_types::task::Status;
use jiff::civil::Date;

use crate::intake::{
    Draft, Gather, Lines, ReadError, ReadOptions, day_of, fold, status_of, without_limit,
};
use crate::json::{self, Node};
use crate::reading::{Format, Reading, Role};

/// Whether a text is a board. Other programs call the parts of their boards so too, but no card of theirs names its
/// list as Trello's do.
pub fn looks_like(text: &str) -> bool {
    if !json::has_names(text, &["cards", "lists"]) {
        return false;
    }
    let Ok(lines) = Lines::new("", text) else { return false };
    let cards = Node::of("", &lines).ok().and_then(|root| root.object().take("cards"));
    let cards = cards.map(|cards| cards.items()).unwrap_or_default();
    cards.is_empty() || cards.iter().any(|card| card.object().has("idList"))
}

/// Reads the cards of a board.
///
/// Errors: see [`ReadError`].
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let root = Node::of(name, &lines)?;
    let mut gather = Gather::new(name, &lines, options);
    let mut object = root.object();
    let Some(cards) = object.take("cards") else {
        return Err(ReadError::Unexpected {
            name: name.to_owned(),
            line: 1,
            expected: "a board with `cards`",
            remedy: "export the board as JSON from its menu",
        });
    };
    let mut board = Board::default();
    if let Some(title) = object.take("name") {
        board.name = title.text();
        gather.claim(title.lines(), Role::Category, None);
    }
    if object.take_text("desc").is_some() {
        gather.say(root.line(), "the description of the board belongs to no card: left out");
    }
    board.read(&mut object, options, &mut gather);
    for node in cards.items() {
        card(node, &mut board, options, &mut gather)?;
    }
    board.say_orphans(&mut gather);
    Ok(gather.finish(Format::Trello))
}

#[derive(Default)]
struct List {
    name: String,
    is_closed: bool,
    status: Option<Status>,
}

#[derive(Default)]
struct Board<'a> {
    name: Option<String>,
    lists: HashMap<String, List>,
    is_workflow: bool,
    labels: HashMap<String, String>,
    members: HashMap<String, String>,
    /// By card: name, items, and the lines.
    checklists: HashMap<String, Vec<(String, Node<'a>)>>,
    comments: HashMap<String, Vec<(Option<Date>, String, Node<'a>)>>,
}

impl<'a> Board<'a> {
    fn read(
        &mut self,
        object: &mut json::Object<'a>,
        options: &ReadOptions,
        gather: &mut Gather<'_>,
    ) {
        let items = |node: Option<Node<'a>>| node.map(|node| node.items()).unwrap_or_default();
        for node in items(object.take("lists")) {
            let mut list = node.object();
            let name = list.take_text("name").unwrap_or_default();
            let name = without_limit(&name).to_owned();
            let is_closed = list.take("closed").is_some_and(|closed| closed.is_true());
            let status = status_of(&name);
            self.is_workflow |= status.is_some() && !is_closed;
            gather.claim(node.lines(), Role::Category, None);
            if let Some(id) = list.take_text("id") {
                self.lists.insert(id, List { name, is_closed, status });
            }
        }
        for node in items(object.take("labels")) {
            let mut label = node.object();
            let name = label.take_text("name").or_else(|| label.take_text("color"));
            if let (Some(id), Some(name)) = (label.take_text("id"), name) {
                self.labels.insert(id, name);
            }
        }
        for node in items(object.take("members")) {
            let mut member = node.object();
            let name = member.take_text("fullName").or_else(|| member.take_text("username"));
            if let (Some(id), Some(name)) = (member.take_text("id"), name) {
                self.members.insert(id, name);
            }
        }
        for node in items(object.take("checklists")) {
            let mut list = node.object();
            let name = list.take_text("name").unwrap_or_default();
            if let Some(card) = list.take_text("idCard") {
                self.checklists.entry(card).or_default().push((name, node));
            }
        }
        let mut n_left = 0;
        let actions = object.take("actions");
        for node in items(actions) {
            let mut action = node.object();
            let is_comment = action.take_text("type").as_deref() == Some("commentCard");
            let data = action.take("data").filter(|_| is_comment).map(|data| data.object());
            let card_comment = data.and_then(|mut data| {
                Some((data.take("card")?.object().take_text("id")?, data.take_text("text")?))
            });
            let Some((card, text)) = card_comment else {
                n_left += 1;
                gather.claim(node.lines(), Role::Skipped, None);
                continue;
            };
            let author = action
                .take("memberCreator")
                .and_then(|author| author.object().take_text("fullName"));
            let on = action.take_text("date").and_then(|date| day_of(&date, options));
            let text = author.map_or(text.clone(), |author| format!("{author}:\n\n{text}"));
            self.comments.entry(card).or_default().push((on, text, node));
        }
        if n_left > 0 {
            let line = actions.map_or(0, |actions| actions.line());
            gather.say(
                line,
                format!("the board's history is left out, except comments: {n_left} actions"),
            );
        }
    }

    /// Names what belongs to cards that the file does not have, such as deleted ones.
    fn say_orphans(&self, gather: &mut Gather<'_>) {
        let checklists: Vec<Node<'a>> =
            self.checklists.values().flatten().map(|(_, node)| *node).collect();
        let comments: Vec<Node<'a>> =
            self.comments.values().flatten().map(|(_, _, node)| *node).collect();
        for (what, nodes) in [("checklist", checklists), ("comment", comments)] {
            let Some(first) = nodes.iter().map(Node::line).min() else { continue };
            let message = match nodes.len() {
                1 => format!("1 {what} belongs to a card that is not in the file: left out"),
                n => format!("{n} {what}s belong to cards that are not in the file: left out"),
            };
            gather.say(first, message);
            for node in nodes {
                gather.claim(node.lines(), Role::Skipped, None);
            }
        }
    }
}

fn card(
    node: Node<'_>,
    board: &mut Board<'_>,
    options: &ReadOptions,
    gather: &mut Gather<'_>,
) -> Result<(), ReadError> {
    let line = node.line();
    let mut card = node.object();
    let mut draft = Draft::default();
    draft.task.title = card.take_text("name").unwrap_or_default();
    draft.note = card.take_text("desc").unwrap_or_default();
    let id = card.take_text("id");
    let is_complete = card.take("dueComplete").is_some_and(|done| done.is_true());
    let mut is_archived = card.take("closed").is_some_and(|closed| closed.is_true());
    draft.task.category.clone_from(&board.name);
    if let Some(list) = card.take_text("idList").and_then(|id| board.lists.get(&id)) {
        is_archived |= list.is_closed;
        match list.status {
            Some(status) if board.is_workflow && !status.needs_reason() => {
                draft.task.status = Some(status)
            }
            Some(status) if board.is_workflow => {
                draft.task.status = Some(status);
                draft.task.status_reason = Some(list.name.clone());
            }
            Some(_) | None if board.is_workflow => draft.details.push("List", &list.name),
            Some(_) | None => draft.task.category = Some(list.name.clone()),
        }
    }
    if is_complete {
        draft.task.status = Some(Status::Done);
    } else if is_archived && draft.task.status != Some(Status::Done) {
        draft.task.status = Some(Status::Done);
        gather.say(line, "an archived card is imported as done");
    }
    if draft.task.status == Some(Status::Done) {
        draft.task.status_reason = None;
    }
    if let Some(due) = card.take_text("due") {
        draft.task.due_on = day_of(&due, options);
        draft.details.push("Due", &due);
        gather.say(line, "the time of a due date has no matching field: kept in the note");
    }
    if let Some(start) = card.take_text("start") {
        draft.details.push("Start", &start);
        gather.say(line, "a start date has no matching field: kept in the note");
    }
    let own = card.take("labels").map(|labels| labels.items()).unwrap_or_default();
    let ids = card.take("idLabels").map(|ids| ids.items()).unwrap_or_default();
    for label in &own {
        let mut label = label.object();
        if let Some(name) = label.take_text("name").or_else(|| label.take_text("color")) {
            draft.label(&name);
        }
    }
    for name in ids
        .iter()
        .filter_map(Node::text)
        .filter_map(|id| board.labels.get(&id))
        .filter(|_| own.is_empty())
    {
        draft.label(name);
    }
    let members = card.take("idMembers").map(|ids| ids.items()).unwrap_or_default();
    let members: Vec<&str> = members
        .iter()
        .filter_map(Node::text)
        .filter_map(|id| board.members.get(&id).map(String::as_str))
        .collect();
    draft.details.push("Members", &members.join(", "));
    for attachment in card.take("attachments").map(|all| all.items()).unwrap_or_default() {
        let mut attachment = attachment.object();
        let (name, url) =
            (attachment.take_text("name"), attachment.take_text("url").unwrap_or_default());
        let name = name.filter(|name| *name != url).unwrap_or_default();
        draft.details.push("Attachment", format!("{name} {url}").trim());
        gather.say(line, "an attachment is kept as its address");
    }
    let link = card.take_text("shortUrl").or_else(|| card.take_text("url"));
    draft.details.push("Link", &link.unwrap_or_default());
    let checklists = id.as_ref().and_then(|id| board.checklists.remove(id)).unwrap_or_default();
    let comments = id.as_ref().and_then(|id| board.comments.remove(id)).unwrap_or_default();
    for (name, list) in &checklists {
        for item in list.object().take("checkItems").map(|items| items.items()).unwrap_or_default()
        {
            let lines = item.lines();
            let mut item = item.object();
            let is_done = item.take_text("state").as_deref() == Some("complete");
            let title = item.take_text("name").unwrap_or_default();
            let title = if checklists.len() > 1 { format!("{name}: {title}") } else { title };
            draft.item_on(lines, item.take_text("id").as_deref(), &title, is_done, 0);
            if let Some(due) = item.take_text("due") {
                draft.details.push("Item due", &format!("{title}: {due}"));
            }
        }
    }
    if let [(name, _)] = &checklists[..]
        && name != "Checklist"
    {
        draft.details.push("Checklist", name);
    }
    // Trello lists the newest first.
    for (on, text, _) in comments.iter().rev() {
        draft.comments.push((*on, text.clone()).into());
    }
    card.drop(&[
        "idBoard",
        "pos",
        "idShort",
        "shortLink",
        "shortUrl",
        "url",
        "dateLastActivity",
        "badges",
        "idChecklists",
        "checklists",
        "descData",
        "cover",
        "subscribed",
        "isTemplate",
        "idAttachmentCover",
        "manualCoverAttachment",
        "email",
        "checkItemStates",
        "idMembersVoted",
        "dueReminder",
        "limits",
        "cardRole",
        "nodeId",
        "creationMethod",
        "creationMethodError",
        "creationMethodLoadingStartedAt",
        "agent",
        "idOrganization",
        "mirrorSourceId",
        "pinned",
        "idLabels",
        "faviconUrl",
        "isDueDateBanished",
        "dateCompleted",
        "dateClosed",
    ]);
    card.keep_rest(&mut draft.details, gather);
    let key = id.unwrap_or_else(|| fold(&draft.task.title));
    let task = gather.add(line, key, draft)?;
    node.object().claim(
        &[("name", Role::Task), ("desc", Role::Note), ("due", Role::Due)],
        task,
        gather,
    );
    gather.claim(node.lines(), Role::Field, Some(task));
    for (_, list) in &checklists {
        gather.claim(list.lines(), Role::Item, Some(task));
    }
    for (_, _, comment) in &comments {
        gather.claim(comment.lines(), Role::Note, Some(task));
    }
    Ok(())
}
