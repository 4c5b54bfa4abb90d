//! Lookups of agent work among 100,000 definitions use an index: the planner has counted the rows, and may
//! read the whole table if that is cheaper.

use dormouse_store::Db;

use crate::world::{World, raw_client, wait};

/// The lookups that other programs do in the view `tasks`, and the index that each uses.
const LOOKUPS: &[(&str, &str)] = &[
    ("id = 'x500'", "work_definitions_id"),
    ("status = 'running'", "work_definitions_status"),
    ("recurrence_id = 'x500'", "work_definitions_recurrence"),
    ("source_type = 'caldav' AND source_ref = 'x500'", "work_definitions_source"),
];

/// What is due, and when the next one is, as the planner of schedules asks for it.
const DUE: [&str; 2] = [
    "SELECT * FROM work_definitions WHERE next_due_at IS NOT NULL AND next_due_at <= 100
       AND (CAST(NULL AS BIGINT) IS NULL OR ws = CAST(NULL AS BIGINT))
       AND (next_due_at, ws, id) > (0, 0, '')
     ORDER BY next_due_at, ws, id LIMIT 10",
    "SELECT MIN(next_due_at) FROM work_definitions WHERE next_due_at IS NOT NULL
       AND (CAST(NULL AS BIGINT) IS NULL OR ws = CAST(NULL AS BIGINT))",
];

const TABLES: [&str; 3] = ["work_definitions", "work_versions", "work_runs"];

/// Of a hundred thousand definitions few run, few are of a series, and few come from a calendar.
const MIXED: &str = "UPDATE work_definitions SET
    status = CASE WHEN version % 1000 = 0 THEN 'running' ELSE 'completed' END,
    source_type = CASE WHEN version % 100 = 0 THEN 'caldav' ELSE 'manual' END,
    next_due_at = version,
    deleted_at = NULL";

/// An expression for the value of a column in row `g`.
fn value(name: &str, is_number: bool, is_nullable: bool) -> String {
    let value = match (name, is_number) {
        ("ws", _) => "g % 5",
        (_, true) => "g",
        (_, false) => "'x' || g",
    };
    if is_nullable { format!("CASE WHEN g % 50 = 0 THEN {value} END") } else { value.to_owned() }
}

fn queries() -> Vec<(String, &'static str)> {
    let lookup = |(condition, index): &(&str, &'static str)| {
        (format!("SELECT id FROM tasks WHERE {condition}"), *index)
    };
    let mut all: Vec<_> = LOOKUPS.iter().map(lookup).collect();
    all.extend(DUE.map(|sql| (sql.to_owned(), "work_definitions_due")));
    all
}

#[test]
fn among_100_000_definitions_each_lookup_uses_its_index_in_sqlite() {
    let world = World::in_a_folder();
    let file = rusqlite::Connection::open(world.file(Db::Agent)).expect("the file");
    for table in TABLES {
        let sql = "SELECT name, type = 'INTEGER' OR type = 'BIGINT', NOT \"notnull\"
                   FROM pragma_table_info(?1)";
        let mut columns = file.prepare(sql).expect("a statement");
        let columns = columns.query_map([table], |row| {
            let (name, is_number, is_nullable) =
                (row.get::<_, String>(0)?, row.get(1)?, row.get(2)?);
            Ok((value(&name, is_number, is_nullable), name))
        });
        let columns: Vec<(String, String)> =
            columns.expect("columns").collect::<Result<_, _>>().expect("columns");
        let names: Vec<&str> = columns.iter().map(|(_, name)| name.as_str()).collect();
        let values: Vec<&str> = columns.iter().map(|(value, _)| value.as_str()).collect();
        let fill = format!(
            "INSERT OR IGNORE INTO {table} ({}) WITH RECURSIVE n(g) AS
               (SELECT 1 UNION ALL SELECT g + 1 FROM n WHERE g < 100000) SELECT {} FROM n",
            names.join(", "),
            values.join(", ")
        );
        assert_eq!(file.execute(&fill, []).expect("filled"), 100_000, "{table}");
    }
    file.execute_batch(&format!("{MIXED}; ANALYZE;")).expect("mixed and counted");
    for (sql, index) in queries() {
        let mut plan = file.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a statement");
        let plan: Vec<String> =
            plan.raw_query().mapped(|row| row.get(3)).collect::<Result<_, _>>().expect("a plan");
        let uses = plan.iter().any(|line| line.contains(index));
        assert!(uses && !plan.iter().any(|line| line.starts_with("SCAN d")), "{sql}: {plan:?}");
    }
}

#[test]
fn among_100_000_definitions_each_lookup_uses_its_index_in_postgres() {
    let world = World::on_postgres();
    let prefix = world.prefix().expect("a world on Postgres");
    let client = raw_client();
    wait(async {
        let setup = format!(
            "SET search_path TO {prefix}{}; SET session_replication_role = replica",
            Db::Agent.name()
        );
        client.batch_execute(&setup).await.expect("the schema");
        for table in TABLES {
            let sql = "SELECT column_name::text, data_type = 'bigint', is_nullable = 'YES'
                       FROM information_schema.columns
                       WHERE table_schema = current_schema() AND table_name = $1";
            let rows = client.query(sql, &[&table]).await.expect("columns");
            let columns: Vec<(String, String)> = rows
                .iter()
                .map(|row| {
                    let name: String = row.get(0);
                    (value(&name, row.get(1), row.get(2)), name)
                })
                .collect();
            let names: Vec<&str> = columns.iter().map(|(_, name)| name.as_str()).collect();
            let values: Vec<&str> = columns.iter().map(|(value, _)| value.as_str()).collect();
            let fill = format!(
                "INSERT INTO {table} ({}) SELECT {} FROM generate_series(1, 100000) g
                 ON CONFLICT DO NOTHING",
                names.join(", "),
                values.join(", ")
            );
            assert_eq!(client.execute(&fill, &[]).await.expect("filled"), 100_000, "{table}");
        }
        client.batch_execute(MIXED).await.expect("mixed");
        for table in TABLES {
            client.batch_execute(&format!("ANALYZE {table}")).await.expect("counted");
        }
        for (sql, index) in queries() {
            let explain = format!("EXPLAIN (COSTS OFF) {sql}");
            let rows = client.query(&explain, &[]).await.expect("a plan");
            let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            let uses = plan.iter().any(|line| line.contains(index));
            let scans = plan.iter().any(|line| line.contains("Seq Scan on work_definitions"));
            assert!(uses && !scans, "{sql}: {plan:#?}");
        }
    });
}
