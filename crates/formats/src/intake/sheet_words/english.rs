//! The words of English.

use dormouse_types::task::{Priority, Status};

use super::table::SheetWords;
use crate::reading::Column;

use Column::{Category, Done, Due, Items, Label, Note, Start, Title};
use Priority::{P0, P1, P2, P3};
use Status::{Blocked, InProgress, OnHold, Open, Rejected};

// Rows of words, not one word a line.
#[rustfmt::skip]
pub(super) const WORDS: SheetWords = SheetWords {
    columns: &[
        (Title, &[
            "title", "task", "task name", "taskname", "name", "content", "subject", "summary", "what", "todo",
            "to do", "chore", "company", "item", "action",
        ]),
        (Done, &[
            "completed at", "completed time", "completed date", "completed on", "date completed", "date done",
            "date closed", "completion date", "closed at", "done at", "resolved", "done", "completed", "complete",
            "finished", "checked", "is done", "iscompleted", "is completed", "ok", "✓", "✔",
        ]),
        (Column::Status, &["progress", "status", "state"]),
        (Column::Reason, &["reason"]),
        (Column::Priority, &["priority", "prio", "importance", "urgency"]),
        (Due, &[
            "due", "due date", "duedate", "due on", "deadline", "until", "by", "by when", "until when", "needed by",
            "finish by", "done by", "end date", "date", "when",
        ]),
        (Start, &["start", "start date", "startdate", "started", "started at", "begin", "from", "scheduled"]),
        (Column::Estimate, &["estimate", "est", "estimate minutes", "duration", "effort", "time estimate"]),
        (Column::Language, &["language", "lang"]),
        (Category, &[
            "bucket", "bucket name", "section/column", "projects", "category", "project", "project name", "list",
            "folder", "area", "section", "group", "board", "list name", "folder name", "board name",
        ]),
        (Label, &["label", "labels", "tag", "tags", "categories", "context", "contexts", "keywords"]),
        (Items, &["checklist items", "items", "checklist", "subtasks", "sub tasks", "steps"]),
        (Note, &[
            "note", "notes", "description", "task content", "task description", "comment", "comments", "details",
            "detail", "body", "text", "remarks",
        ]),
        (Column::Starred, &["starred", "star", "favorite", "favourite", "flagged"]),
        (Column::Private, &["private", "confidential"]),
        (Column::Key, &["id", "gid", "uid", "uuid", "guid", "key", "task id", "taskid", "issue key", "identifier"]),
        (Column::Parent, &[
            "parent", "parent id", "parentid", "parent key", "parent task", "parent task id", "parent issue",
            "parent item", "parent card",
        ]),
        (Column::Canceled, &[
            "canceled", "cancelled", "canceled at", "cancelled at", "canceled date", "cancelled date",
            "date canceled", "date cancelled", "cancellation date", "cancelled on", "canceled on",
        ]),
        (Column::Outcome, &["resolution", "close reason", "closed reason", "state reason"]),
        (Column::KeptInNote, &[
            "who", "person", "assignee", "assigned to", "assignee email", "creator", "reporter", "team", "email",
            "owner", "responsible", "author", "url", "link", "created",
            "created at", "created date", "created time", "modified", "updated", "last modified", "repeat",
            "recurrence", "reminder", "order", "position", "nr", "no", "number", "#", "timezone", "time zone",
        ]),
    ],
    days: &["date", "when"],
    past: &[
        "applied", "anniversary", "added", "birth", "birthday", "born", "bought", "changed", "change", "created",
        "creation", "delivered", "edited", "entered", "hired", "installed", "invoice", "issued", "joined", "last",
        "logged", "modification", "modified", "opened", "ordered", "paid", "planted", "posted", "previous",
        "published", "purchase", "purchased", "received", "registered", "reported", "sent", "serviced", "shipped",
        "signed", "since", "updated", "update", "visited",
    ],
    statuses: &[
        (Open, &["open", "new", "todo", "to do", "backlog", "inbox", "not started", "needs action", "pending"]),
        (Status::Groomed, &["groomed", "ready", "next"]),
        (InProgress, &[
            "in progress", "in process", "doing", "started", "active", "wip", "ongoing", "underway", "working on it",
            "review", "in review", "under review", "to review", "reviewing", "code review", "testing", "in testing",
            "in test", "qa", "in qa",
        ]),
        (Blocked, &["blocked", "stuck"]),
        (OnHold, &[
            "on hold", "hold", "waiting", "waiting for", "waiting on someone else", "waiting for someone else",
            "awaiting", "deferred", "paused", "someday",
        ]),
        (Status::Done, &[
            "done", "completed", "complete", "closed", "finished", "resolved", "fixed", "verified", "delivered",
        ]),
        (Rejected, &[
            "rejected", "cancelled", "canceled", "dropped", "wontfix", "won't do", "abandoned", "duplicate",
            "removed", "won't fix", "wont fix", "wont do", "will not do", "not planned", "not doing", "obsolete",
            "invalid", "cannot reproduce", "not a bug", "declined", "discarded",
        ]),
    ],
    priorities: &[
        (P0, &["p0", "urgent", "critical", "highest", "blocker", "asap"]),
        (P1, &["p1", "high", "important"]),
        (P2, &["p2", "medium", "normal"]),
        (P3, &["p3", "low", "lowest"]),
    ],
    actions: &[
        "action items", "actions", "action points", "action list", "todo", "to do", "todos", "to dos", "to do list",
        "todo list", "task list", "tasks", "my tasks", "open tasks", "open items", "next steps", "next actions",
        "follow ups", "follow up", "things to do", "what to do", "to pack", "to buy", "to get", "to bring",
        "shopping list", "packing list", "checklist",
    ],
    yes: &["true", "yes", "y", "ok"],
    no: &["false", "no", "n"],
};
