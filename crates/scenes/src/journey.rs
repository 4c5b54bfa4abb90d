//! A scene commit by commit: which rows each commit wrote.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use dormouse_store::backend::sqlite::{Snapshot, Sqlite};
use dormouse_store::{Db, Store, Value};
use dormouse_testkit::CountingEntropy;
use dormouse_types::Timestamp;
use dormouse_types::port::{Clock, Faults, NoFaults, Point, Stage as Moment};

use crate::names::Names;
use crate::scene::Scene;
use crate::tables::{Dump, Fields};
use crate::world::{Stage, World, lock};

/// Columns that every row has and that say nothing in a story.
const QUIET: &[&str] = &["ws", "clock_host", "schema_version"];

/// Units: characters. What is longer is cut.
const LONGEST: usize = 72;

/// Copies the store behind every commit.
struct Camera {
    stage: Stage,
    taken: Mutex<Vec<(String, Snapshot)>>,
}

impl Faults for Camera {
    fn pass(&self, point: Point<'_>) {
        if point.stage == Moment::AfterCommit {
            let snapshot = self.stage.sqlite.snapshot().expect("a store in memory can be copied");
            lock(&self.taken).push((point.label.to_owned(), snapshot));
        }
    }
}

/// Plays a scene and tells each of its commits as Markdown: label, database, and the rows.
pub async fn of(scene: &Scene) -> anyhow::Result<String> {
    let stage = Stage::fresh(scene)?;
    let empty = stage.sqlite.snapshot().expect("a store in memory can be copied");
    let camera = Arc::new(Camera { stage: stage.clone(), taken: Mutex::default() });
    let world = World::new(stage, camera.clone());
    world.play(scene).await?;
    let mut before = developed(&world, &empty).await?;
    let mut page = String::new();
    let taken = std::mem::take(&mut *lock(&camera.taken));
    for (n, (label, snapshot)) in taken.iter().enumerate() {
        let after = developed(&world, snapshot).await?;
        let (db, lines) = written(&before, &after);
        writeln!(page, "### {}. `{label}` ({})\n\n```text", n + 1, db.name())?;
        for line in lines {
            writeln!(page, "{line}")?;
        }
        writeln!(page, "```\n")?;
        before = after;
    }
    Ok(Names::default().in_text(&page))
}

async fn developed(world: &World, snapshot: &Snapshot) -> anyhow::Result<Dump> {
    let clock: Arc<dyn Clock> = Arc::new(world.stage.clock.clone());
    let sqlite = Sqlite::restore(snapshot, &clock, &CountingEntropy::seeded(9))?;
    Dump::of(&Store::new(Arc::new(sqlite), Arc::new(NoFaults))).await
}

/// The rows that one commit made or changed, and the database it was in.
fn written(before: &Dump, after: &Dump) -> (Db, Vec<String>) {
    let mut lines = Vec::new();
    let mut place = Db::Agent;
    for (at, rows) in &after.tables {
        let old = before.tables.get(at).map(Vec::as_slice).unwrap_or_default();
        let keys = &after.keys[at];
        for row in rows.iter().filter(|row| !old.contains(row)) {
            place = at.0;
            let same = |other: &&Fields| keys.iter().all(|key| get(other, key) == get(row, key));
            lines.push(match old.iter().find(same) {
                None => format!("+ {:<18} {}", at.1, made(row)),
                Some(old) => format!("~ {:<18} {}", at.1, changed(keys, old, row)),
            });
        }
        for row in old.iter().filter(|old| {
            !rows.iter().any(|row| keys.iter().all(|key| get(row, key) == get(old, key)))
        }) {
            place = at.0;
            lines.push(format!("- {:<18} {}", at.1, made(row)));
        }
    }
    (place, lines)
}

fn get<'f>(fields: &'f Fields, name: &str) -> Option<&'f Value> {
    fields.iter().find(|(column, _)| column == name).map(|(_, value)| value)
}

fn made(row: &Fields) -> String {
    let told = row.iter().filter(|(column, value)| {
        !QUIET.contains(&column.as_str()) && *value != Value::Null
    });
    told.map(|(column, value)| format!("{column}={}", shown(value))).collect::<Vec<_>>().join(" ")
}

fn changed(keys: &[String], old: &Fields, row: &Fields) -> String {
    let named = keys.iter().filter_map(|key| get(row, key).map(|v| format!("{key}={}", shown(v))));
    let moved = row.iter().filter(|(column, value)| {
        !QUIET.contains(&column.as_str()) && get(old, column) != Some(value)
    });
    let moved = moved.map(|(column, value)| {
        format!("{column}: {} -> {}", get(old, column).map(shown).unwrap_or_default(), shown(value))
    });
    named.chain(moved).collect::<Vec<_>>().join(" ")
}

/// A value in one short piece: times as the time of day, long texts cut.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        // Nothing else in these databases counts this high.
        Value::Int(micros) if *micros > 1_000_000_000_000_000 => {
            Timestamp::from_micros(*micros).to_jiff().strftime("%H:%M:%S").to_string()
        }
        Value::Int(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => cut(text),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}

fn cut(text: &str) -> String {
    let line = text.replace('\n', "\\n");
    if line.chars().count() <= LONGEST {
        return line;
    }
    let kept: String = line.chars().take(LONGEST).collect();
    format!("{kept}… ({} characters)", line.chars().count())
}
