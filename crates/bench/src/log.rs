//! What it takes in memory to read the log of agent work, as pages and as one file: for a long log as much as
//! for a short one.
//!
//! The log is made by the product: a model says 64 KiB in each turn. It is read in a process of its own, so
//! that nothing counts that was allocated while it was made. The caller starts it; [`read`] is what runs in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use dormouse::dates::Wording;
use dormouse::{Caller, Dormouse, DrainScope, NewWork, Parts, WORKSPACE, WorkFilter};
use dormouse_types::WorkId;
use dormouse_types::model::{ModelError, Request, ToolCall, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::machine::{Machine, peak_bytes};
use crate::place::{self, Opened, Place};

/// Units: bytes. What the model says in a turn.
const TURN_BYTES: usize = 64 * 1024;
/// Turns of a run.
const TURNS: usize = 16;
/// Runs on a page, at most.
const PAGE: usize = 20;

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Units: MiB. The logs.
    pub sizes: Vec<usize>,
    /// Where the data is to lie.
    pub folder: Option<PathBuf>,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Where.
    pub machine: Machine,
    /// For each log.
    pub points: Vec<Point>,
}

/// What was measured for one log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    /// Runs in the log.
    pub runs: usize,
    /// Units: bytes. The file.
    pub file_bytes: usize,
    /// Lines of the file.
    pub lines: usize,
    /// Pages of the log.
    pub pages: usize,
    /// Units: bytes. Held at most until the first page was requested.
    pub before_bytes: u64,
    /// Units: bytes. Held at most when all pages were read, one after another.
    pub paged_bytes: u64,
    /// Units: bytes. Held at most when the file was read as well.
    pub peak_bytes: u64,
}

/// Makes a log of each size, and reads it.
///
/// Errors: the disk is full, the process fails.
pub async fn run(
    options: &Options,
    mut measure: impl AsyncFnMut(&Path) -> anyhow::Result<Point>,
    mut tell: impl FnMut(&Point),
) -> anyhow::Result<Figures> {
    let mut points = Vec::new();
    let mut machine = None;
    for size in &options.sizes {
        let place = Place::new(options.folder.as_deref())?;
        fill(&place, (size * 1024 * 1024).div_ceil(TURNS * TURN_BYTES)).await?;
        let point = measure(place.path()).await?;
        anyhow::ensure!(
            point.file_bytes >= size * 1024 * 1024,
            "the log has only {} bytes",
            point.file_bytes
        );
        tell(&point);
        points.push(point);
        machine = Some(Machine::of(place.path()));
    }
    Ok(Figures { machine: machine.context("no size was given")?, points })
}

fn joined(opened: &Opened) -> Dormouse {
    Dormouse::new(Parts {
        store: opened.store.clone(),
        clock: opened.as_clock.clone(),
        entropy: opened.entropy.clone(),
        model: Arc::new(Talkative),
        zone: jiff::tz::TimeZone::UTC,
        owner: "bench".into(),
    })
}

/// Makes one definition with so many runs.
async fn fill(place: &Place, n_runs: usize) -> anyhow::Result<()> {
    let opened = place.open()?;
    let (dormouse, caller) = (joined(&opened), Caller::owner(WORKSPACE));
    let new = NewWork {
        title: "A long story".into(),
        instructions: Some("Tell it.".into()),
        ..NewWork::default()
    };
    let work = dormouse.create_work(&caller, new, Wording::default(), None).await?.id;
    for n in 0..n_runs {
        if n > 0 {
            dormouse.run_work(&caller, &work, None).await?;
        }
        let scope = DrainScope { all_due: true, ..DrainScope::default() };
        dormouse.drain(scope, &mut |_| {}).await?;
    }
    Ok(())
}

/// Reads the log of a folder to its end, page by page, and then as a file; says what this process held.
///
/// Errors: there is no log, a row cannot be read.
pub async fn read(folder: &Path) -> anyhow::Result<Point> {
    let opened = place::open(folder)?;
    let (dormouse, caller) = (joined(&opened), Caller::owner(WORKSPACE));
    let work = dormouse.work_list(&caller, WorkFilter::default(), 1, None).await?;
    let work: WorkId = work.items.first().context("there is no agent work")?.id.clone();
    let before_bytes = peak_bytes()?;
    let (mut pages, mut cursor) = (0, None);
    loop {
        let page = dormouse.work_log(&caller, &work, PAGE, cursor.as_deref()).await?;
        anyhow::ensure!(page.damaged.is_empty(), "{}", page.damaged.join("; "));
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let paged_bytes = peak_bytes()?;
    let mut file = dormouse.work_log_file(&caller, &work, None, None).await?;
    let (mut lines, mut file_bytes, mut runs) = (0, 0, 0);
    while let Some(line) = file.next().await? {
        lines += 1;
        file_bytes += line.len();
        runs += usize::from(line.contains("\"run_started\""));
    }
    let peak_bytes = peak_bytes()?;
    Ok(Point { runs, file_bytes, lines, pages, before_bytes, paged_bytes, peak_bytes })
}

/// Says a lot in each turn, looks at its list of work, and ends after some turns.
struct Talkative;

impl Model for Talkative {
    fn name(&self) -> &str {
        "bench"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let turn = usize::try_from(request.turn).unwrap_or(TURNS);
        // Another text each time, so that none is stored once for many turns.
        let words = format!("{} {turn}: and then? ", request.run_key.as_str());
        let text = words.repeat(TURN_BYTES / words.len() + 1);
        let (name, args) = match turn < TURNS {
            true => ("list_agent_work", json!({ "from": "2026-01-05", "to": "2026-01-05" })),
            false => ("finish", json!({ "outcome": "done", "summary": "It is done." })),
        };
        let call = ToolCall { id: format!("call-{turn}"), name: name.into(), args };
        let events = [
            Ok(TurnEvent::Text(text)),
            Ok(TurnEvent::Call(call)),
            Ok(TurnEvent::End { ended: turn >= TURNS }),
        ];
        Box::pin(stream::iter(events))
    }
}
