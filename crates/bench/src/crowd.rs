//! A crowd of sleeping agents, filled in by SQL: one agent is made by the product, and its rows are
//! copied under other ids.
//!
//! The copies are what the product writes when an agent is created for an empty task:
//! the task, the agent, its state, two links, its subscription, and its row in the wake queue without
//! a due time. A note wakes such an agent.

use anyhow::Context as _;
use dormouse_agents::lifecycle::{NewAgent, RequestContext};
use dormouse_journal::{Edit, NewTask};
use dormouse_store::{Db, Value};
use dormouse_types::{Actor, Id as _, TaskId, WorkspaceId};
use rusqlite::{Connection, params_from_iter};

use crate::place::Place;
use crate::world::{World, person};

/// How many workspaces a crowd is spread over.
pub const WORKSPACES: usize = 100;

/// Where the agent is that was copied.
const ORIGINAL: WorkspaceId = WorkspaceId(101);

/// Units: characters. What of an id the copies share: its time and some of its randomness.
const SHARED: usize = 17;

/// Sleeping agents in a store.
#[derive(Debug, Clone)]
pub struct Crowd {
    original: TaskId,
    n: usize,
}

impl Crowd {
    /// Fills a fresh folder with so many sleeping agents, rounded up to the same number in each
    /// workspace.
    ///
    /// Errors: the disk is full.
    pub async fn fill(place: &Place, n: usize) -> anyhow::Result<Self> {
        let n = n.div_ceil(WORKSPACES) * WORKSPACES;
        let opened = place.open()?;
        let world = World::new(&opened, 1);
        let new = NewTask { title: "Somewhere in the crowd".into(), edits: Vec::new() };
        let original = world.journal.create(ORIGINAL, &new, &person()).await?.task;
        let agent = NewAgent { name: Some("Ida".into()), ..NewAgent::default() };
        let context = RequestContext { actor: Actor::Owner, key: None };
        world.agents.create(ORIGINAL, &original, &agent, &context).await?;
        world.route(ORIGINAL).await?;
        drop((world, opened));
        copy(place, Db::Journal, &["journal"], n)?;
        let tables = ["agent_entities", "agent_links", "subscriptions", "wake_queue"];
        copy(place, Db::Agent, &tables, n)?;
        Ok(Self { original, n })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Writes a note to the task of the agent with this number, from 0; says in which workspace.
    ///
    /// Errors: the store fails.
    pub async fn note(&self, world: &World, number: usize) -> anyhow::Result<WorkspaceId> {
        let number = number % self.n;
        let ws = WorkspaceId(i64::try_from(number / (self.n / WORKSPACES) + 1)?);
        let shared = TaskId::PREFIX.len() + 1 + SHARED;
        let task: TaskId =
            format!("{}{:09}", &self.original.as_str()[..shared], number + 1).parse()?;
        let edits = [Edit::note("The plumber comes on Friday, at eight.")];
        world.journal.edit(ws, &task, &edits, &person()).await?;
        Ok(ws)
    }
}

/// Copies every row of the original agent in some tables `n` times.
fn copy(place: &Place, db: Db, tables: &[&str], n: usize) -> anyhow::Result<()> {
    let connection = Connection::open(place.file(db))?;
    // A crash here loses a bench and nothing else.
    connection.execute_batch(
        "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;
         BEGIN;",
    )?;
    for table in tables {
        for row in originals(&connection, table)? {
            copy_row(&connection, table, &row, n)
                .with_context(|| format!("cannot fill table {table}"))?;
        }
    }
    connection.execute_batch("COMMIT; PRAGMA journal_mode = WAL;")?;
    drop(connection);
    std::fs::File::open(place.file(db))?.sync_all()?;
    Ok(())
}

/// Columns of a row by name.
type Columns = Vec<(String, Value)>;

fn originals(connection: &Connection, table: &str) -> anyhow::Result<Vec<Columns>> {
    let mut statement = connection.prepare(&format!("SELECT * FROM {table} WHERE ws = ?1"))?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([ORIGINAL.0], |row| {
        names
            .iter()
            .zip(0..)
            .map(|(name, at)| {
                let value = match row.get_ref(at)? {
                    rusqlite::types::ValueRef::Null => Value::Null,
                    rusqlite::types::ValueRef::Integer(value) => Value::Int(value),
                    rusqlite::types::ValueRef::Real(value) => Value::Real(value),
                    rusqlite::types::ValueRef::Text(text) => {
                        Value::Text(String::from_utf8_lossy(text).into_owned())
                    }
                    rusqlite::types::ValueRef::Blob(value) => Value::Blob(value.to_vec()),
                };
                Ok((name.clone(), value))
            })
            .collect()
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Inserts a row `n` times, each with ids of its own, in the order of its workspaces.
fn copy_row(connection: &Connection, table: &str, row: &Columns, n: usize) -> anyhow::Result<()> {
    let (total, each) = (i64::try_from(n)?, i64::try_from(n / WORKSPACES)?);
    let mut values = vec![Value::Int(total), Value::Int(each)];
    let mut fresh = Vec::new();
    for (name, value) in row {
        if name == "ws" {
            fresh.push("1 + (i - 1) / ?2".to_owned());
            continue;
        }
        values.push(value.clone());
        let mut expression = format!("?{}", values.len());
        if let Value::Text(text) = value {
            for id in ids(text) {
                values.push(id.as_str().into());
                let at = values.len();
                expression = format!(
                    "replace({expression}, ?{at}, substr(?{at}, 1, {SHARED}) || printf('%09d', i))"
                );
            }
        }
        fresh.push(expression);
    }
    let names: Vec<&str> = row.iter().map(|(name, _)| name.as_str()).collect();
    let sql = format!(
        "INSERT INTO {table} ({})
         WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?1)
         SELECT {} FROM numbers",
        names.join(", "),
        fresh.join(", ")
    );
    connection.prepare(&sql)?.execute(params_from_iter(&values))?;
    Ok(())
}

/// The parts of ids after their dashes that occur in a text, each once.
fn ids(text: &str) -> Vec<String> {
    let is_of_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut found: Vec<String> = Vec::new();
    for word in text.split(|c: char| !is_of_id(c)).filter(|word| word.len() == 26) {
        if word.starts_with('0') && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_inside_documents() {
        let id = "01jd7m3k5vn2c8q4w6x0z9abcd";
        let text =
            format!("{{\"id\":\"ag-{id}\",\"agentId\":\"ag-{id}\",\"mode\":\"autonomous\"}}");
        assert_eq!(ids(&text), [id]);
        assert_eq!(ids("no id here"), [] as [&str; 0]);
    }
}
