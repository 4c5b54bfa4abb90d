//! Every row of both databases, as they stand.

use std::collections::BTreeMap;

use dormouse::Store;
use dormouse_store::{Db, Query, ReadError, Row, Value};

/// A table: where it is, its name, what reads its columns and its rows.
struct Table {
    db: Db,
    name: &'static str,
    columns: &'static str,
    rows: &'static str,
}

macro_rules! tables {
    ($($db:ident: $($name:literal),+;)*) => {
        &[$($(Table {
            db: Db::$db,
            name: $name,
            columns: concat!("SELECT name, pk FROM pragma_table_info('", $name, "') ORDER BY cid"),
            rows: concat!("SELECT * FROM ", $name),
        }),+),*]
    };
}

const TABLES: &[Table] = tables! {
    Journal: "meta", "counters", "applied_operations", "change_log", "audit_log", "journal",
        "linked_entries", "touched_tasks", "label_tasks", "field_says", "imported", "import_corrections", "settings", "fence",
        "tokens", "access_codes";
    Agent: "meta", "counters", "applied_operations", "change_log", "audit_log", "agent_entities",
        "agent_links", "subscriptions", "feed_position", "wake_queue", "wake_run_log",
        "wake_requests", "texts", "log_lines", "checkpoints", "change_items", "rules", "held_back",
        "items_by_rule", "saga_log", "timers", "breakers", "outdated_agents",
        "provider_states", "model_calls", "spend", "model_settings", "search_index", "search_backlog",
        "forgotten_entries", "purges", "work_definitions", "work_versions", "work_runs",
        "work_questions", "work_corrections", "work_summaries", "work_filters", "work_steps",
        "work_run_steps", "work_result_tasks", "work_results", "work_statuses", "deliveries",
        "acknowledgements", "work_hooks", "work_hook_calls", "work_hook_hours",
        "conversations", "conversation_turns", "conversation_work";
};

/// A row as (column, value) in the order of its table.
pub type Fields = Vec<(String, Value)>;

/// Every row of both databases, by database and table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dump {
    /// The rows of a table, by where it is and its name.
    pub tables: BTreeMap<(Db, &'static str), Vec<Fields>>,
    /// The columns that tell the rows of a table apart.
    pub keys: BTreeMap<(Db, &'static str), Vec<String>>,
}

impl Dump {
    /// Reads every row.
    ///
    /// Errors: a database cannot be read, or has a table that this page does not know.
    pub async fn of(store: &Store) -> anyhow::Result<Self> {
        for db in Db::ALL {
            known(store, db).await?;
        }
        let mut dump = Self::default();
        for table in TABLES {
            let columns = raw(store, table.db, table.columns).await?;
            let named = |row: &Row| text(row).to_owned();
            let keys = columns.iter().filter(|row| row.int(1).is_ok_and(|pk| pk > 0)).map(named);
            let keys: Vec<String> = keys.filter(|column| column != "ws").collect();
            let columns: Vec<String> = columns.iter().map(named).collect();
            let rows = raw(store, table.db, table.rows).await?;
            let fields = |Row(values): Row| columns.iter().cloned().zip(values).collect();
            dump.tables.insert((table.db, table.name), rows.into_iter().map(fields).collect());
            dump.keys.insert((table.db, table.name), keys);
        }
        Ok(dump)
    }

    /// How many rows each table has.
    pub fn counts(&self) -> Vec<(String, usize)> {
        let count = |((db, name), rows): (&(Db, &str), &Vec<Fields>)| {
            (format!("{}.{name}", db.name()), rows.len())
        };
        self.tables.iter().map(count).collect()
    }
}

/// Refuses a database with a table that is not listed here: its rows would be overlooked.
async fn known(store: &Store, db: Db) -> anyhow::Result<()> {
    // What is named after the search index holds the same words again, in the engine's own form.
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND name NOT LIKE 'search_words%'";
    for row in raw(store, db, sql).await? {
        let name = text(&row);
        let listed = TABLES.iter().any(|table| table.db == db && table.name == name);
        anyhow::ensure!(listed, "list table {}.{name} in crates/scenes/src/tables.rs", db.name());
    }
    Ok(())
}

async fn raw(store: &Store, db: Db, sql: &'static str) -> Result<Vec<Row>, ReadError> {
    store.all(Query { db, sql, params: Vec::new(), decode: |row| Ok(row.clone()) }).await
}

fn text(row: &Row) -> &str {
    row.text(0).unwrap_or_default()
}
