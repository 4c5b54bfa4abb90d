//! Conversations: their list, their turns as pages and as a file, and the agent work they are about.
//!
//! A turn is the same value on a page, in the file, and in the logs of agent work.

use std::collections::{BTreeMap, VecDeque};

use dormouse_store::agent::conversation::{self, Conversation, Turn as Stored};
use dormouse_store::agent::work::definition;
use dormouse_store::{ReadError, Store};
use dormouse_types::{ConversationId, WorkId, WorkspaceId};

use crate::transcript::{Event, Line, Meta, TaskRef, TranscriptEvent, Turn};
use crate::view::{AgentWork, Conversation as View, Page};
use crate::work_log::WorkLogFile;
use crate::{Queries, QueryError, page};

/// How many turns of a file are read at once.
const TURNS_AT_ONCE: i64 = 50;
/// What a list shows of the newest turn. Units: characters.
const EXCERPT: usize = 200;

/// A transcript as a file, in progress: the log of agent work, or a conversation.
pub enum TranscriptFile {
    /// A log.
    Work(Box<WorkLogFile>),
    /// A conversation.
    Conversation(Box<ConversationFile>),
}

impl TranscriptFile {
    /// The next line with its end; `None` after the last one.
    ///
    /// Errors: rows cannot be read at all; the file is then incomplete.
    pub async fn next(&mut self) -> Result<Option<String>, QueryError> {
        match self {
            Self::Work(file) => file.next().await,
            Self::Conversation(file) => file.next().await,
        }
    }

    /// Where the next part begins; `None` if this is the last one.
    pub fn next_cursor(&self) -> Option<&str> {
        match self {
            Self::Work(file) => file.next_cursor.as_deref(),
            Self::Conversation(_) => None,
        }
    }
}

/// A conversation as a file, in progress.
pub struct ConversationFile {
    store: Store,
    ws: WorkspaceId,
    id: ConversationId,
    meta: Option<Meta>,
    /// The number of the next turn to read.
    next: i64,
    ready: VecDeque<Line>,
}

impl ConversationFile {
    async fn next(&mut self) -> Result<Option<String>, QueryError> {
        if let Some(meta) = self.meta.take() {
            return Ok(Some(Line::Meta(meta).render()));
        }
        if self.ready.is_empty() {
            let turns = conversation::turns_from(self.ws, &self.id, self.next, TURNS_AT_ONCE);
            for (n, turn) in self.store.all(turns).await? {
                self.next = n + 1;
                self.ready.push_back(match turn {
                    Ok(turn) => Line::Turn(Box::new(turn_view(turn))),
                    Err(error) => Line::Event(Box::new(Event {
                        text: Some(damage(error)?),
                        ..Event::of(TranscriptEvent::Damaged)
                    })),
                });
            }
        }
        Ok(self.ready.pop_front().map(|line| line.render()))
    }
}

/// What a row that cannot be read says; all other errors stay errors.
fn damage(error: ReadError) -> Result<String, QueryError> {
    match error {
        error @ ReadError::Corrupt { .. } => Ok(error.to_string()),
        error => Err(error.into()),
    }
}

impl Queries {
    /// A page of conversations, the one with the newest turn first.
    pub async fn conversations(
        &self,
        ws: WorkspaceId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<View>, QueryError> {
        let (at, id) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let rows = conversation::newest(ws, (at, &id), page::rows_to_read(limit));
        let cursor = |row: &Conversation| page::cursor_of(row.updated_at, &row.id);
        let rows = page::page_of(self.store.all(rows).await?, limit, cursor);
        self.conversation_views(ws, rows).await
    }

    /// A conversation.
    pub async fn conversation(
        &self,
        ws: WorkspaceId,
        id: &ConversationId,
    ) -> Result<View, QueryError> {
        let found = Page {
            items: vec![self.known_conversation(ws, id).await?],
            next_cursor: None,
            damaged: Vec::new(),
        };
        let mut views = self.conversation_views(ws, found).await?;
        views.items.pop().ok_or_else(|| missing(id))
    }

    /// A page of the turns of a conversation, newest first. What cannot be read is named in `damaged`.
    pub async fn conversation_turns(
        &self,
        ws: WorkspaceId,
        id: &ConversationId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Turn>, QueryError> {
        let before = match cursor {
            None => i64::MAX,
            Some(cursor) => cursor.parse().map_err(|_| page::foreign_cursor(cursor))?,
        };
        self.known_conversation(ws, id).await?;
        let rows = conversation::turns_before(ws, id, before, page::rows_to_read(limit));
        let rows = page::page_of(self.store.all(rows).await?, limit, |(n, _)| n.to_string());
        let (mut items, mut damaged) = (Vec::new(), Vec::new());
        for (_, turn) in rows.items {
            match turn {
                Ok(turn) => items.push(turn_view(turn)),
                Err(error) => damaged.push(damage(error)?),
            }
        }
        Ok(Page { items, next_cursor: rows.next_cursor, damaged })
    }

    /// A conversation as a file, oldest turn first.
    pub async fn conversation_file(
        &self,
        ws: WorkspaceId,
        id: &ConversationId,
    ) -> Result<TranscriptFile, QueryError> {
        let found = self.known_conversation(ws, id).await?;
        let meta = Meta {
            task_id: found.work,
            session_id: None,
            conversation_id: Some(found.id),
            title: found.title,
            created: found.created_at,
        };
        let (store, id) = (self.store.clone(), id.clone());
        let ready = VecDeque::new();
        let file = ConversationFile { store, ws, id, meta: Some(meta), next: 1, ready };
        Ok(TranscriptFile::Conversation(Box::new(file)))
    }

    /// A page of the agent work that a conversation is about, newest first.
    pub async fn work_of_conversation(
        &self,
        ws: WorkspaceId,
        id: &ConversationId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<AgentWork>, QueryError> {
        let before = match cursor {
            None => "~",
            Some(cursor) => {
                cursor.parse::<WorkId>().map_err(|_| page::foreign_cursor(cursor))?;
                cursor
            }
        };
        self.known_conversation(ws, id).await?;
        let rows = definition::of_conversation(ws, id, before, page::rows_to_read(limit));
        self.work_page(ws, rows, limit).await
    }

    /// A page of the conversations that are about a piece of agent work, newest first.
    pub async fn conversations_of_work(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<View>, QueryError> {
        let before = match cursor {
            None => "~",
            Some(cursor) => {
                cursor.parse::<ConversationId>().map_err(|_| page::foreign_cursor(cursor))?;
                cursor
            }
        };
        let rows = conversation::of_work(ws, work, before, page::rows_to_read(limit));
        let rows = page::page_of(self.store.all(rows).await?, limit, |row| row.id.to_string());
        self.conversation_views(ws, rows).await
    }

    async fn known_conversation(
        &self,
        ws: WorkspaceId,
        id: &ConversationId,
    ) -> Result<Conversation, QueryError> {
        let found = self.store.first(conversation::by_id(ws, id)).await?;
        found.ok_or_else(|| missing(id))
    }

    async fn conversation_views(
        &self,
        ws: WorkspaceId,
        rows: Page<Conversation>,
    ) -> Result<Page<View>, QueryError> {
        let Page { items, next_cursor, mut damaged } = rows;
        let ids: Vec<ConversationId> = items.iter().map(|row| row.id.clone()).collect();
        let mut newest = BTreeMap::new();
        for (_, turn) in self.store.all(conversation::last_turns(ws, &ids)).await? {
            match turn {
                Ok(turn) => _ = newest.insert(turn.conversation.clone(), turn),
                Err(error) => damaged.push(damage(error)?),
            }
        }
        let view = |row: Conversation| View {
            last: newest.get(&row.id).map(excerpt),
            id: row.id,
            kind: row.kind,
            task_id: row.work,
            title: row.title,
            n_turns: row.n_turns,
            created: row.created_at,
            updated: row.updated_at,
        };
        Ok(Page { items: items.into_iter().map(view).collect(), next_cursor, damaged })
    }
}

fn missing(id: &ConversationId) -> QueryError {
    QueryError::NotFound { what: "conversation", id: id.to_string() }
}

/// What a list shows of a turn: its title, or the beginning of its words.
fn excerpt(turn: &Stored) -> String {
    let message = turn.message.title.as_ref().unwrap_or(&turn.message.content);
    let words: Vec<&str> = message.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text,
    }
}

fn turn_view(turn: Stored) -> Turn {
    let Stored { n, message, task_title, .. } = turn;
    let task_ref = message.task_ref.zip(task_title).map(|(it, title)| TaskRef {
        task_id: it.work,
        action: it.action,
        title,
    });
    Turn {
        role: message.role,
        title: message.title,
        content: message.content,
        timestamp: Some(message.at),
        turn_number: usize::try_from(n).unwrap_or_default(),
        task_ref,
        run_id: message.run.as_ref().map(|(run, _)| run.to_string()),
        run: message.run.map(|(_, n)| n),
        run_key: None,
        calls: Vec::new(),
        truncated: false,
    }
}
