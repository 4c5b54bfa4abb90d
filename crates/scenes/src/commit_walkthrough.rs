//! A scene commit by commit: which rows each commit wrote.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use dormouse_store::backend::sqlite::{Snapshot, Sqlite};
use dormouse_store::{Db, Store, Value};
use dormouse_testkit::CountingEntropy;
use dormouse_types::Timestamp;
use dormouse_types::port::{Clock, NoFaults, Stage as Moment};
use serde_json::{Map, Value as Json};

use crate::names::Names;
use crate::scene::Scene;
use crate::snapshots::SnapshotRecorder;
use crate::tables::{Dump, Fields};
use crate::world::{Setup, World};

/// Columns that say nothing in a story: the page says that they are left out.
const QUIET: &[&str] =
    &["ws", "clock_host", "clock_counter", "schema_version", "created_at", "updated_at"];

/// Units: characters. What is longer is cut.
const LONGEST: usize = 100;

/// Plays a scene and tells each of its commits as Markdown: label, database, and the rows.
pub async fn of(scene: &Scene) -> anyhow::Result<String> {
    let stage = Setup::fresh(scene);
    let empty = stage.sqlite.snapshot().expect("a store in memory can be copied");
    let recorder = Arc::new(SnapshotRecorder::on(stage.sqlite.clone()));
    let world = World::new(stage, recorder.clone());
    world.play(scene).await?;
    let mut before = developed(&world, &empty).await?;
    let mut page = String::new();
    let mut row_diff = RowDiff::default();
    let commits = recorder.finish().into_iter().filter(|one| one.moment == Moment::AfterCommit);
    for (n, commit) in commits.enumerate() {
        let after = developed(&world, &commit.snapshot).await?;
        let (db, lines) = row_diff.written(&before, &after);
        writeln!(page, "### {}. `{}` ({})\n\n```text", n + 1, commit.label, db.name())?;
        for line in lines {
            writeln!(page, "{line}")?;
        }
        writeln!(page, "```\n")?;
        before = after;
    }
    Ok(page)
}

async fn developed(world: &World, snapshot: &Snapshot) -> anyhow::Result<Dump> {
    let clock: Arc<dyn Clock> = Arc::new(world.stage.clock.clone());
    let sqlite = Sqlite::restore(snapshot, &clock, &CountingEntropy::seeded(9))?;
    Dump::of(&Store::new(Arc::new(sqlite), Arc::new(NoFaults))).await
}

/// Writes rows as lines; ids get their names in the order in which they are written.
#[derive(Default)]
struct RowDiff {
    names: Names,
}

impl RowDiff {
    /// The rows that one commit made, changed or took away, and the database it was in.
    fn written(&mut self, before: &Dump, after: &Dump) -> (Db, Vec<String>) {
        let mut lines = Vec::new();
        let mut place = Db::Agent;
        for (at, rows) in &after.tables {
            let old = before.tables.get(at).map(Vec::as_slice).unwrap_or_default();
            let keys = &after.keys[at];
            let same = |a: &Fields, b: &Fields| keys.iter().all(|key| get(a, key) == get(b, key));
            for row in rows.iter().filter(|row| !old.contains(row)) {
                place = at.0;
                lines.push(match old.iter().find(|old| same(old, row)) {
                    None => format!("+ {} {}", at.1, self.made(at.1, row)),
                    Some(old) => format!("~ {} {}", at.1, self.changed(keys, old, row)),
                });
            }
            for row in old.iter().filter(|old| !rows.iter().any(|row| same(old, row))) {
                place = at.0;
                lines.push(format!("- {} {}", at.1, self.made(at.1, row)));
            }
        }
        (place, lines)
    }

    fn made(&mut self, table: &str, row: &Fields) -> String {
        let mut parts = Vec::new();
        for (column, value) in row {
            // A link says in its columns all that its document says.
            let repeated = table == "agent_links" && column == "serialized";
            if !QUIET.contains(&column.as_str()) && *value != Value::Null && !repeated {
                parts.push(format!("{column}={}", self.rendered(value)));
            }
        }
        parts.join(" ")
    }

    fn changed(&mut self, keys: &[String], old: &Fields, row: &Fields) -> String {
        let mut parts = Vec::new();
        for key in keys {
            parts.extend(get(row, key).map(|value| format!("{key}={}", self.rendered(value))));
        }
        for (column, value) in row {
            let was = get(old, column);
            if QUIET.contains(&column.as_str()) || was == Some(value) {
                continue;
            }
            match (was, value) {
                (Some(Value::Text(was)), Value::Text(is)) if column == "serialized" => {
                    parts.extend(self.document(was, is));
                }
                _ => {
                    let was = was.map(|was| self.rendered(was)).unwrap_or_default();
                    parts.push(format!("{column}: {was} -> {}", self.rendered(value)));
                }
            }
        }
        parts.join(" ")
    }

    /// The fields of a document that changed.
    fn document(&mut self, was: &str, is: &str) -> Vec<String> {
        let read = |text: &str| serde_json::from_str::<Map<String, Json>>(text).unwrap_or_default();
        let (was, is) = (read(was), read(is));
        let fields: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        let mut parts = Vec::new();
        for field in fields {
            let (a, b) = (was.get(field), is.get(field));
            if a != b && field != "updatedAt" {
                let text = |value: Option<&Json>| value.map_or("none".into(), ToString::to_string);
                let (a, b) = (self.cut(&text(a)), self.cut(&text(b)));
                parts.push(format!("serialized.{field}: {a} -> {b}"));
            }
        }
        parts
    }

    /// A value in one short piece: times as the time of day, long texts cut.
    fn rendered(&mut self, value: &Value) -> String {
        match value {
            Value::Null => "none".into(),
            // Nothing else in these databases counts this high.
            Value::Int(micros) if *micros > 1_000_000_000_000_000 => {
                Timestamp::from_micros(*micros).to_jiff().strftime("%H:%M:%S").to_string()
            }
            Value::Int(number) => number.to_string(),
            Value::Real(number) => number.to_string(),
            Value::Text(text) => self.cut(text),
            Value::Blob(bytes) => format!("{} bytes", bytes.len()),
        }
    }

    fn cut(&mut self, text: &str) -> String {
        let line = self.names.in_text(text).replace('\n', "\\n");
        if line.is_empty() {
            return "\"\"".into();
        }
        let mut kept: String = line.chars().take(LONGEST).collect();
        if kept.len() < line.len() {
            kept.push('…');
        }
        kept
    }
}

fn get<'f>(fields: &'f Fields, name: &str) -> Option<&'f Value> {
    fields.iter().find(|(column, _)| column == name).map(|(_, value)| value)
}
