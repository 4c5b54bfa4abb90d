//! The log of agent work, rendered from rows: as pages of lines, and as a file with one line a turn.
//!
//! Both read run by run and turn by turn, so what is held does not grow with the log. What cannot be
//! read is reported in its place, and hides nothing else.

use std::collections::VecDeque;

use dormouse_runs::recorded_turns::{RecordedTurn, RecordedTurns};
use dormouse_store::agent::wake_run::{self, Run as Attempt};
use dormouse_store::agent::work::definition;
use dormouse_store::agent::work::question::{self, Question};
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::{ReadError, Store};
use dormouse_types::conversation::TurnRole;
use dormouse_types::{RunKey, Timestamp, WorkId, WorkRunId, WorkspaceId};

use dormouse_work::attempt::TurnPlace;

use crate::transcript::{Event, Line, Meta, TranscriptEvent, Turn};
use crate::view::{LogLineKind, Page, WorkLogLine};
use crate::{Queries, QueryError, page};

/// The most runs whose log is on one page.
const MOST_RUNS_OF_PAGE: usize = 20;
/// A page ends with the run that exceeds this. Units: bytes of text.
const MOST_OF_PAGE: usize = 4 * 1024 * 1024;
/// The newest lines that come with a definition.
const RECENT: usize = 20;
/// The most of a text, or of arguments, among these. Units: bytes.
const MOST_OF_RECENT: usize = 2_000;
/// How many runs are read at once.
const RUNS_AT_ONCE: i64 = 8;

/// What a log holds, in order.
enum Entry {
    /// A run began.
    Began(Box<Run>),
    /// A turn of an attempt.
    Turn(Box<Run>, RunKey, RecordedTurn),
    /// The person answered the question of the attempt before.
    Answer(Box<Run>, Box<Question>, String),
    /// A run ended, or waits for the person; what it published, if no turn has it.
    Ended(Box<Run>, Option<String>),
    /// A row that cannot be read: the number of its run, and why.
    Damaged(i64, Option<Box<Run>>, String),
}

/// A run whose entries are being read.
struct Current {
    run: Box<Run>,
    attempts: VecDeque<Attempt>,
    turns: Option<(RunKey, RecordedTurns)>,
    questions: VecDeque<Question>,
    /// Whether an attempt has a turn so far.
    has_turns: bool,
}

/// Reads the entries of a log from a run on.
struct Entries {
    store: Store,
    ws: WorkspaceId,
    work: WorkId,
    /// The number of the next run.
    next: i64,
    /// How many runs are still to be read.
    left: usize,
    ready: VecDeque<(i64, Result<Run, ReadError>)>,
    current: Option<Current>,
    pending: VecDeque<Entry>,
}

impl Entries {
    async fn next(&mut self) -> Result<Option<Entry>, QueryError> {
        loop {
            if let Some(entry) = self.pending.pop_front() {
                return Ok(Some(entry));
            }
            let Some(mut current) = self.current.take() else {
                if !self.begin_run().await? {
                    return Ok(None);
                }
                continue;
            };
            let Some((key, mut turns)) = current.turns.take() else {
                match current.attempts.pop_front() {
                    None => {
                        let Current { run, has_turns, .. } = current;
                        let result = run.result.clone().filter(|_| !has_turns);
                        self.pending.push_back(Entry::Ended(run, result));
                    }
                    Some(attempt) => {
                        let turns = RecordedTurns::of(&self.store, self.ws, &attempt).await?;
                        current.turns = Some((attempt.key, turns));
                        self.current = Some(current);
                    }
                }
                continue;
            };
            match turns.next(&self.store, self.ws).await? {
                Some(turn) => {
                    self.pending.push_back(Entry::Turn(current.run.clone(), key.clone(), turn));
                    current.has_turns = true;
                    current.turns = Some((key, turns));
                }
                // A question ends its attempt.
                None => {
                    let question = current.questions.pop_front();
                    if let Some(question) = question
                        && let Some(answer) = question.answer.clone()
                    {
                        let answer = Entry::Answer(current.run.clone(), Box::new(question), answer);
                        self.pending.push_back(answer);
                    }
                }
            }
            self.current = Some(current);
        }
    }

    /// Whether no entry of the run that was begun last is still to come.
    fn is_between_runs(&self) -> bool {
        self.pending.is_empty() && self.current.is_none()
    }

    /// Begins the next run; returns whether there is one.
    async fn begin_run(&mut self) -> Result<bool, QueryError> {
        if self.left == 0 {
            return Ok(false);
        }
        if self.ready.is_empty() {
            let at_once = RUNS_AT_ONCE.min(page::rows_to_read(self.left - 1));
            let rows = run::each_from_number(self.ws, &self.work, self.next, at_once);
            self.ready = self.store.all(rows).await?.into();
        }
        let Some((n, run)) = self.ready.pop_front() else { return Ok(false) };
        self.next = n + 1;
        self.left -= 1;
        let run = match run {
            Ok(run) => Box::new(run),
            Err(error @ ReadError::Corrupt { .. }) => {
                self.pending.push_back(Entry::Damaged(n, None, error.to_string()));
                return Ok(true);
            }
            Err(error) => return Err(error.into()),
        };
        self.pending.push_back(Entry::Began(run.clone()));
        let mut damaged = Vec::new();
        let mut attempts: Vec<Attempt> = Vec::new();
        for key in self.store.all(run::attempts(self.ws, &run.id)).await? {
            let found = self.store.first(wake_run::by_key(self.ws, &key)).await;
            attempts.extend(sound(found, &mut damaged)?.flatten());
        }
        attempts.sort_by_key(|attempt| attempt.created_at);
        let mut questions = VecDeque::new();
        for row in self.store.each(question::of_run(self.ws, &run.id)).await? {
            questions.extend(sound(row, &mut damaged)?);
        }
        let tell = |text| Entry::Damaged(run.n, Some(run.clone()), text);
        self.pending.extend(damaged.into_iter().map(tell));
        self.current = Some(Current {
            run,
            attempts: attempts.into(),
            turns: None,
            questions,
            has_turns: false,
        });
        Ok(true)
    }
}

/// What was read; a row that cannot be read is reported.
fn sound<T>(
    read: Result<T, ReadError>,
    damaged: &mut Vec<String>,
) -> Result<Option<T>, QueryError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error @ ReadError::Corrupt { .. }) => {
            damaged.push(error.to_string());
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The log of a definition as a file, in progress.
pub struct WorkLogFile {
    entries: Entries,
    meta: Option<Meta>,
    /// The number of the last turn of the run.
    n_turns: usize,
    lines: VecDeque<Line>,
    /// Where the next part begins; `None` if this is the last one.
    pub next_cursor: Option<String>,
}

impl WorkLogFile {
    /// The next line; `None` after the last one.
    ///
    /// Errors: rows cannot be read at all; the file is then incomplete.
    pub async fn next(&mut self) -> Result<Option<String>, QueryError> {
        loop {
            if let Some(meta) = self.meta.take() {
                return Ok(Some(Line::Meta(meta).render()));
            }
            if let Some(line) = self.lines.pop_front() {
                return Ok(Some(line.render()));
            }
            let Some(entry) = self.entries.next().await? else { return Ok(None) };
            if let Entry::Began(_) = &entry {
                self.n_turns = 0;
            }
            self.push(entry);
        }
    }

    fn push(&mut self, entry: Entry) {
        let event = |run: &Run, event| Event {
            run_id: Some(run.id.to_string()),
            run: Some(run.n),
            ..Event::of(event)
        };
        match entry {
            Entry::Began(run) => self.lines.push_back(Line::Event(Box::new(Event {
                timestamp: Some(began_at(&run)),
                scheduled_for: run.scheduled_for,
                revises: run.revises.as_ref().map(ToString::to_string),
                ..event(&run, TranscriptEvent::RunStarted)
            }))),
            Entry::Turn(run, key, recorded) => {
                let RecordedTurn { at, turn, summaries, damaged, .. } = recorded;
                let event_with = |name, text| {
                    let text = Some(text);
                    Line::Event(Box::new(Event { timestamp: at, text, ..event(&run, name) }))
                };
                let summaries = summaries
                    .into_iter()
                    .map(|text| event_with(TranscriptEvent::Compression, text));
                self.lines.extend(summaries);
                if let Some(mut turn) = turn {
                    self.n_turns += 1;
                    self.lines.push_back(Line::Turn(Box::new(Turn {
                        role: TurnRole::Assistant,
                        content: std::mem::take(&mut turn.text),
                        timestamp: at,
                        turn_number: self.n_turns,
                        title: None,
                        task_ref: None,
                        run_id: Some(run.id.to_string()),
                        run: Some(run.n),
                        run_key: Some(key.to_string()),
                        calls: Turn::calls_of(turn),
                        truncated: false,
                    })));
                }
                self.lines.extend(
                    damaged.into_iter().map(|text| event_with(TranscriptEvent::Damaged, text)),
                );
            }
            Entry::Answer(run, question, answer) => {
                self.n_turns += 1;
                self.lines.push_back(Line::Turn(Box::new(Turn {
                    role: TurnRole::User,
                    content: answer,
                    timestamp: question.closed_at,
                    turn_number: self.n_turns,
                    title: None,
                    task_ref: None,
                    run_id: Some(run.id.to_string()),
                    run: Some(run.n),
                    run_key: None,
                    calls: Vec::new(),
                    truncated: false,
                })));
            }
            Entry::Ended(run, _) if run.state.holds_its_place() => {}
            Entry::Ended(run, result) => self.lines.push_back(Line::Event(Box::new(Event {
                timestamp: Some(run.completed_at.unwrap_or(run.updated_at)),
                run_state: Some(run.state),
                text: end_of(&run, result),
                ..event(&run, TranscriptEvent::RunEnded)
            }))),
            Entry::Damaged(n, run, text) => self.lines.push_back(Line::Event(Box::new(Event {
                run_id: run.map(|run| run.id.to_string()),
                run: Some(n),
                text: Some(text),
                ..Event::of(TranscriptEvent::Damaged)
            }))),
        }
    }
}

impl Queries {
    /// A page of the log of a definition, oldest run first: all lines of at most `limit` runs.
    pub async fn work_log(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<WorkLogLine>, QueryError> {
        let from = first_run(cursor)?;
        let limit = limit.clamp(1, MOST_RUNS_OF_PAGE);
        let mut entries = self.entries(ws, id, from, limit);
        let (mut items, mut damaged, mut size) = (Vec::new(), Vec::new(), 0);
        while let Some(entry) = entries.next().await? {
            let lines = lines_of(id, entry);
            damaged.extend(
                lines
                    .iter()
                    .filter(|it| it.kind == LogLineKind::Damaged)
                    .filter_map(|line| line.text.clone()),
            );
            size += lines.iter().map(size_of).sum::<usize>();
            items.extend(lines);
            if size > MOST_OF_PAGE && entries.is_between_runs() {
                break;
            }
        }
        let next_cursor = self.cursor_from(ws, id, entries.next).await?;
        Ok(Page { items, next_cursor, damaged })
    }

    /// The log of a definition as a file, from a run on: of at most `limit` runs, or of all. The parts
    /// of a log, one after another, are the whole file.
    pub async fn work_log_file(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        limit: Option<usize>,
        cursor: Option<&str>,
    ) -> Result<WorkLogFile, QueryError> {
        let from = first_run(cursor)?;
        let next_cursor = match limit {
            None => None,
            Some(limit) => {
                let rows = run::each_from_number(ws, id, from, page::rows_to_read(limit));
                self.store.all(rows).await?.get(limit).map(|(n, _)| n.to_string())
            }
        };
        let meta = match cursor {
            Some(_) => None,
            None => self.store.first(definition::by_id(ws, id)).await?.map(|found| Meta {
                task_id: Some(found.id),
                session_id: Some(found.session.to_string()),
                conversation_id: None,
                title: found.title,
                created: found.created_at,
            }),
        };
        let entries = self.entries(ws, id, from, limit.unwrap_or(usize::MAX));
        Ok(WorkLogFile { entries, meta, n_turns: 0, lines: VecDeque::new(), next_cursor })
    }

    /// The log of one run, as far as it has got.
    pub async fn work_run_log(
        &self,
        ws: WorkspaceId,
        id: &WorkRunId,
    ) -> Result<Vec<WorkLogLine>, QueryError> {
        let found = self.store.first(run::by_id(ws, id)).await?;
        let missing = || QueryError::NotFound { what: "run", id: id.to_string() };
        let run = found.ok_or_else(missing)?;
        let mut entries = self.entries(ws, &run.work, run.n, 1);
        let mut lines = Vec::new();
        while let Some(entry) = entries.next().await? {
            lines.extend(lines_of(&run.work, entry));
        }
        Ok(lines)
    }

    /// The newest lines of the log of a run, what is long cut; and whether that is all.
    pub(crate) async fn recent_log(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        n: i64,
    ) -> Result<(Vec<WorkLogLine>, bool), QueryError> {
        let mut entries = self.entries(ws, work, n, 1);
        let (mut lines, mut is_whole) = (VecDeque::new(), true);
        while let Some(entry) = entries.next().await? {
            for mut line in lines_of(work, entry) {
                is_whole &= !cut_line(&mut line);
                lines.push_back(line);
            }
            while lines.len() > RECENT {
                lines.pop_front();
                is_whole = false;
            }
        }
        Ok((lines.into(), is_whole))
    }

    /// The turns of a run as its file has them, each with the subject of the event that it was added.
    pub(crate) async fn announced_turns(
        &self,
        ws: WorkspaceId,
        run: &Run,
        places: &[TurnPlace],
    ) -> Result<Vec<(String, Line)>, QueryError> {
        let entries = self.entries(ws, &run.work, run.n, 1);
        let (meta, next_cursor) = (None, None);
        let mut file =
            WorkLogFile { entries, meta, n_turns: 0, lines: VecDeque::new(), next_cursor };
        let mut turns = Vec::new();
        while let Some(entry) = file.entries.next().await? {
            let subject = match &entry {
                Entry::Turn(_, key, recorded) => places
                    .iter()
                    .find(|at| at.turn == recorded.number && at.attempt_key() == *key)
                    .map(ToString::to_string),
                Entry::Answer(_, question, _) => Some(question.id.to_string()),
                Entry::Began(_) | Entry::Ended(..) | Entry::Damaged(..) => None,
            };
            file.push(entry);
            let line = file.lines.drain(..).find(|line| matches!(line, Line::Turn(_)));
            turns.extend(subject.zip(line));
        }
        Ok(turns)
    }

    fn entries(&self, ws: WorkspaceId, work: &WorkId, from: i64, n_runs: usize) -> Entries {
        Entries {
            store: self.store.clone(),
            ws,
            work: work.clone(),
            next: from,
            left: n_runs,
            ready: VecDeque::new(),
            current: None,
            pending: VecDeque::new(),
        }
    }

    async fn cursor_from(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        n: i64,
    ) -> Result<Option<String>, QueryError> {
        let next = self.store.first(run::each_from_number(ws, id, n, 1)).await?;
        Ok(next.map(|(n, _)| n.to_string()))
    }
}

fn first_run(cursor: Option<&str>) -> Result<i64, QueryError> {
    match cursor {
        None => Ok(1),
        Some(cursor) => cursor.parse().map_err(|_| page::foreign_cursor(cursor)),
    }
}

fn began_at(run: &Run) -> Timestamp {
    run.started_at.or(run.scheduled_for).unwrap_or(run.created_at)
}

/// What there is to say about the end of a run, and below an empty line what it published.
fn end_of(run: &Run, result: Option<String>) -> Option<String> {
    let why = run.skip_reason.map(|why| why.name().to_owned());
    let line = run.error.clone().or_else(|| run.summary.clone()).or(why);
    match (line, result) {
        (Some(line), Some(result)) => Some(format!("{line}\n\n{result}")),
        (line, result) => line.or(result),
    }
}

/// Cuts what is long in a line; returns whether anything was.
fn cut_line(line: &mut WorkLogLine) -> bool {
    let mut is_cut = false;
    if let Some(text) = line.text.as_mut().filter(|text| text.len() > MOST_OF_RECENT) {
        text.truncate(text.floor_char_boundary(MOST_OF_RECENT));
        text.push('…');
        is_cut = true;
    }
    let written = line.arguments.as_ref().map(ToString::to_string);
    if let Some(mut text) = written.filter(|text| text.len() > MOST_OF_RECENT) {
        text.truncate(text.floor_char_boundary(MOST_OF_RECENT));
        text.push('…');
        line.arguments = Some(text.into());
        is_cut = true;
    }
    is_cut
}

fn size_of(line: &WorkLogLine) -> usize {
    line.text.as_ref().map_or(0, String::len)
        + line.arguments.as_ref().map_or(0, |args| args.to_string().len())
}

/// An entry as lines of a page.
fn lines_of(work: &WorkId, entry: Entry) -> Vec<WorkLogLine> {
    let line = |run: &Run, kind| WorkLogLine {
        task_id: work.clone(),
        run_id: Some(run.id.clone()),
        run: run.n,
        run_key: None,
        kind,
        at: None,
        text: None,
        tool: None,
        arguments: None,
        refused: None,
        run_state: None,
        revises: None,
    };
    match entry {
        Entry::Began(run) => {
            let (at, revises) = (Some(began_at(&run)), run.revises.clone());
            vec![WorkLogLine { at, revises, ..line(&run, LogLineKind::Run) }]
        }
        Entry::Turn(run, key, recorded) => {
            let RecordedTurn { turn, summaries, damaged, .. } = recorded;
            let of_attempt = |kind| WorkLogLine { run_key: Some(key.clone()), ..line(&run, kind) };
            let line_with = |kind, text| WorkLogLine { text: Some(text), ..of_attempt(kind) };
            let mut lines: Vec<WorkLogLine> =
                summaries.into_iter().map(|text| line_with(LogLineKind::Summary, text)).collect();
            if let Some(turn) = turn {
                if !turn.text.trim().is_empty() {
                    lines.push(line_with(LogLineKind::Message, turn.text));
                }
                for (call, result) in turn.calls.into_iter().zip(turn.results) {
                    let tool = Some(call.name);
                    lines.push(WorkLogLine {
                        tool: tool.clone(),
                        arguments: Some(call.args),
                        ..of_attempt(LogLineKind::Call)
                    });
                    lines.extend(result.map(|result| WorkLogLine {
                        tool,
                        text: Some(result.text),
                        refused: Some(result.refused),
                        ..of_attempt(LogLineKind::Result)
                    }));
                }
            }
            lines.extend(damaged.into_iter().map(|text| line_with(LogLineKind::Damaged, text)));
            lines
        }
        Entry::Answer(run, question, answer) => vec![WorkLogLine {
            at: question.closed_at,
            text: Some(answer),
            ..line(&run, LogLineKind::Answer)
        }],
        Entry::Ended(run, _) if run.state.holds_its_place() => Vec::new(),
        Entry::Ended(run, result) => vec![WorkLogLine {
            at: Some(run.completed_at.unwrap_or(run.updated_at)),
            text: end_of(&run, result),
            run_state: Some(run.state),
            ..line(&run, LogLineKind::End)
        }],
        Entry::Damaged(n, run, text) => vec![WorkLogLine {
            task_id: work.clone(),
            run_id: run.map(|run| run.id),
            run: n,
            run_key: None,
            kind: LogLineKind::Damaged,
            at: None,
            text: Some(text),
            tool: None,
            arguments: None,
            refused: None,
            run_state: None,
            revises: None,
        }],
    }
}
