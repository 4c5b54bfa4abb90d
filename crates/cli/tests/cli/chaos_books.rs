//! What the nodes wrote, in the order of their commits.
//!
//! Triggers note each move of a lease, and each write that belongs to a run, with the connection it
//! came over. Every node and every start of one has its own name for its connections, so the notes
//! say who wrote, whatever the row claims. A transaction of the product locks the counter of its
//! workspace before it writes anything, and until COMMIT: the notes of one database stand in the
//! order of its commits, and what a transaction took back is not among them.

use std::path::Path;

use dormouse_testkit::postgres::Server;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use crate::world::World;

/// A law is a name and the query of what breaks it.
type Law = (&'static str, &'static str);

/// Notes on who wrote what. `n` is one sequence for both tables.
const WATCH: &str = "
CREATE SCHEMA watch;
CREATE SEQUENCE watch.n;
CREATE TABLE watch.lease (
  n BIGINT PRIMARY KEY DEFAULT nextval('watch.n'), node TEXT NOT NULL, agent TEXT NOT NULL,
  old_owner TEXT, old_epoch BIGINT NOT NULL, ran_out_at BIGINT,
  owner TEXT, epoch BIGINT NOT NULL, at BIGINT NOT NULL);
CREATE INDEX ON watch.lease (agent, n);
CREATE TABLE watch.write (
  n BIGINT PRIMARY KEY DEFAULT nextval('watch.n'), node TEXT NOT NULL, agent TEXT NOT NULL,
  what TEXT NOT NULL, epoch BIGINT);
CREATE FUNCTION watch.lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watch.lease (node, agent, old_owner, old_epoch, ran_out_at, owner, epoch, at)
  VALUES (current_setting('application_name'), NEW.agent_id, OLD.owner, OLD.epoch, OLD.expires_at,
    NEW.owner, NEW.epoch, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT));
  RETURN NULL; END $$;
CREATE TRIGGER watch AFTER UPDATE ON agent.wake_queue FOR EACH ROW
  WHEN (OLD.owner IS DISTINCT FROM NEW.owner OR OLD.epoch <> NEW.epoch)
  EXECUTE FUNCTION watch.lease();
CREATE FUNCTION watch.write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watch.write (node, agent, what)
  VALUES (current_setting('application_name'), NEW.agent_id, TG_ARGV[0]);
  RETURN NULL; END $$;
CREATE TRIGGER watch AFTER INSERT ON agent.log_lines FOR EACH ROW
  EXECUTE FUNCTION watch.write('a line of the log');
CREATE TRIGGER watch AFTER INSERT ON agent.change_items FOR EACH ROW
  EXECUTE FUNCTION watch.write('a proposal');
CREATE TRIGGER watch AFTER INSERT ON agent.agent_entities FOR EACH ROW
  WHEN (NEW.type = 'agentReport') EXECUTE FUNCTION watch.write('a report');
CREATE TRIGGER watch_messages AFTER INSERT ON agent.agent_entities FOR EACH ROW
  WHEN (NEW.type = 'agentMessage'
    AND CAST(NEW.serialized AS jsonb) #>> '{metadata,turn}' IS NOT NULL)
  EXECUTE FUNCTION watch.write('a message');
CREATE FUNCTION watch.request() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watch.write (node, agent, what, epoch)
  SELECT current_setting('application_name'), agent_id, 'a request', epoch
  FROM agent.wake_run_log r WHERE r.ws = NEW.ws AND r.run_key = NEW.run_key;
  RETURN NULL; END $$;
CREATE TRIGGER watch AFTER INSERT OR UPDATE ON agent.wake_requests FOR EACH ROW
  EXECUTE FUNCTION watch.request();
CREATE FUNCTION watch.ended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watch.write (node, agent, what, epoch)
  VALUES (current_setting('application_name'), NEW.agent_id, 'an end', NEW.epoch);
  RETURN NULL; END $$;
CREATE TRIGGER watch AFTER UPDATE ON agent.wake_run_log FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND NEW.status IN ('completed', 'skipped', 'failed'))
  EXECUTE FUNCTION watch.ended();
CREATE TABLE watch.routed (
  n BIGINT PRIMARY KEY DEFAULT nextval('watch.n'), node TEXT NOT NULL,
  old_host TEXT, old_seq BIGINT NOT NULL, host TEXT NOT NULL, seq BIGINT NOT NULL);
CREATE FUNCTION watch.routed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watch.routed (node, old_host, old_seq, host, seq)
  VALUES (current_setting('application_name'), OLD.host, COALESCE(OLD.seq, 0), NEW.host, NEW.seq);
  RETURN NULL; END $$;
CREATE TRIGGER watch AFTER INSERT OR UPDATE ON agent.feed_position FOR EACH ROW
  EXECUTE FUNCTION watch.routed();
CREATE TABLE watch.mark (
  n BIGINT PRIMARY KEY DEFAULT nextval('watch.n'), node TEXT NOT NULL, agent TEXT NOT NULL);
CREATE FUNCTION watch.mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO watch.mark (node, agent) VALUES (current_setting('application_name'), NEW.agent_id);
  RETURN NULL; END $$;
CREATE TRIGGER watch_mark AFTER UPDATE ON agent.wake_queue FOR EACH ROW
  WHEN (OLD.reasons % 2 = 0 AND NEW.reasons % 2 = 1) EXECUTE FUNCTION watch.mark();
";

/// A takeover leaves the row free, with a higher epoch.
const TAKEOVER: &str = "old_owner IS NOT NULL AND owner IS NULL AND epoch = old_epoch + 1";

const LAWS: &[Law] = &[
    (
        "a process that writes for a run holds the lease of its agent, under the epoch of the run",
        "SELECT w.what || ' of ' || w.agent || ' by ' || w.node || ', but '
           || COALESCE(l.owner || ' (' || l.node || ') has epoch ' || l.epoch, 'nobody holds it')
         FROM watch.write w LEFT JOIN LATERAL
           (SELECT * FROM watch.lease l WHERE l.agent = w.agent AND l.n < w.n ORDER BY l.n DESC LIMIT 1) l
           ON true
         WHERE l.owner IS NULL OR l.node <> w.node OR w.epoch IS NOT NULL AND w.epoch <> l.epoch
         LIMIT 20",
    ),
    (
        "a lease is taken from nobody, and each claim and takeover has an epoch of its own",
        "SELECT agent || ' ' || old_epoch || ' ' || epoch FROM watch.lease
         WHERE owner IS NOT NULL AND (old_owner IS NOT NULL OR epoch <> old_epoch + 1)",
    ),
    (
        "nobody takes over from a node whose lease has not run out",
        "SELECT t.agent || ' by ' || t.node FROM watch.lease t JOIN watch.lease c
           ON c.agent = t.agent AND c.owner = t.old_owner AND c.epoch = t.old_epoch
           AND c.old_owner IS NULL
         WHERE t.old_owner IS NOT NULL AND t.owner IS NULL AND t.epoch = t.old_epoch + 1
           AND t.ran_out_at > t.at AND c.node <> t.node",
    ),
    (
        "every run has ended, and holds the epoch under which it was claimed last",
        "SELECT r.run_key || ' ' || r.status FROM agent.wake_run_log r
         WHERE r.status NOT IN ('completed', 'skipped', 'failed', 'abandoned')
           OR NOT EXISTS (SELECT 1 FROM watch.lease l
             WHERE l.agent = r.agent_id AND l.epoch = r.epoch AND l.owner IS NOT NULL)",
    ),
    (
        "a run ends once, and no two runs have an epoch of one agent in common",
        "SELECT agent || ' ' || epoch FROM watch.write WHERE what = 'an end'
         GROUP BY agent, epoch HAVING count(*) > 1
         UNION ALL
         SELECT agent_id || ' ' || epoch FROM agent.wake_run_log
         GROUP BY agent_id, epoch HAVING count(*) > 1",
    ),
    (
        "the feed position never goes back in one journal",
        "SELECT node || ' ' || old_seq || ' ' || seq FROM watch.routed
         WHERE host = old_host AND seq < old_seq",
    ),
    (
        "nobody is marked as changed without a change that names its task",
        "SELECT m.agent || ' by ' || m.node || ' in ' || r.old_seq || '-' || r.seq
         FROM watch.mark m LEFT JOIN LATERAL
           (SELECT * FROM watch.routed r WHERE r.n < m.n ORDER BY r.n DESC LIMIT 1) r ON true
         WHERE NOT EXISTS (SELECT 1 FROM agent.agent_links l JOIN journal.change_log c
           ON c.ws = l.ws AND c.seq > r.old_seq AND c.seq <= r.seq
             AND (strpos(c.touched, l.to_id) > 0 OR strpos(c.neighbours, l.to_id) > 0)
           WHERE l.from_id = m.agent AND l.type = 'agent_task')
         LIMIT 20",
    ),
    (
        "nobody takes the store for a restored one",
        "SELECT agent_id FROM agent.outdated_agents
         UNION ALL SELECT key FROM agent.meta WHERE key LIKE 'renewed:%'
         UNION ALL SELECT key FROM journal.meta WHERE key LIKE 'renewed:%'",
    ),
];

/// A connection of its own to the database, reopened after each restart.
pub struct Rows {
    url: String,
    runtime: Runtime,
    client: Option<Client>,
}

impl Rows {
    /// Looks into the database of a server.
    pub fn of(server: &Server) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime starts");
        Self { url: server.url(), runtime, client: None }
    }

    /// Begins to note who writes what. The tables of the nodes are there already.
    pub fn watch(&mut self) {
        self.ask(WATCH);
    }

    fn client(&mut self) -> Option<&Client> {
        if self.client.as_ref().is_none_or(Client::is_closed) {
            let connected = self.runtime.block_on(tokio_postgres::connect(&self.url, NoTls));
            self.client = connected.ok().map(|(client, connection)| {
                self.runtime.spawn(connection);
                client
            });
        }
        self.client.as_ref()
    }

    /// The rows of a query, as text.
    pub fn ask(&mut self, sql: &str) -> Vec<Vec<Option<String>>> {
        let mut last_error = String::new();
        // The first attempts may meet a connection that went away with the server before.
        for _ in 0..100 {
            self.client();
            let Some(client) = &self.client else { continue };
            match self.runtime.block_on(client.simple_query(sql)) {
                Ok(messages) => return messages.iter().filter_map(cells).collect(),
                Err(error) => last_error = format!("{error:?}"),
            }
            self.client = None;
        }
        panic!("the database does not answer: {last_error}: {sql}")
    }

    /// The number a query answers.
    pub fn count(&mut self, sql: &str) -> usize {
        let rows = self.ask(sql);
        let first = rows.first().and_then(|row| row.first()?.as_deref()?.parse().ok());
        first.unwrap_or_else(|| panic!("no number: {sql}: {rows:?}"))
    }

    /// Asks until something is so; the server lets each question take a moment.
    pub fn until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) {
        for _ in 0..3_000 {
            if is_so(self) {
                return;
            }
            self.ask("SELECT pg_sleep(0.02)");
        }
        let waiting = "SELECT row_to_json(q) FROM agent.wake_queue q
                       WHERE owner IS NOT NULL OR run_key IS NOT NULL OR due_at IS NOT NULL";
        panic!("it never came: {what}: {:?}", self.ask(waiting));
    }

    /// How many leases a node holds.
    pub fn held_by(&mut self, node: &str) -> usize {
        self.count(&format!(
            "SELECT count(*) FROM agent.wake_queue q JOIN watch.lease l
               ON l.agent = q.agent_id AND l.epoch = q.epoch AND l.owner = q.owner
             WHERE l.node = '{node}'"
        ))
    }

    /// Whether a node has a transaction open and asks nothing.
    pub fn is_within_a_transaction(&mut self, node: &str) -> bool {
        self.count(&format!(
            "SELECT count(*) FROM pg_stat_activity
             WHERE application_name = '{node}' AND state = 'idle in transaction'"
        )) > 0
    }

    /// How many takeovers there were.
    pub fn takeovers(&mut self) -> usize {
        self.count(&format!("SELECT count(*) FROM watch.lease WHERE {TAKEOVER}"))
    }

    /// Takeovers after which another node went on with the same agent.
    pub fn passed_on(&mut self) -> usize {
        self.count(
            "SELECT count(*) FROM watch.lease t
             JOIN watch.lease c ON c.agent = t.agent AND c.epoch = t.old_epoch AND c.owner = t.old_owner
             JOIN watch.lease d ON d.agent = t.agent AND d.epoch = t.epoch + 1 AND d.owner IS NOT NULL
             WHERE t.old_owner IS NOT NULL AND t.owner IS NULL AND t.epoch = t.old_epoch + 1
               AND split_part(c.node, 'x', 1) <> split_part(d.node, 'x', 1)",
        )
    }

    /// How many writes of runs were looked at.
    pub fn writes(&mut self) -> usize {
        self.count("SELECT count(*) FROM watch.write")
    }

    /// Whether everything that was to happen has happened.
    pub fn is_at_rest(&mut self) -> bool {
        self.count(
            "SELECT (SELECT count(*) FROM agent.saga_log WHERE status = 'pending')
               + (SELECT count(*) FROM agent.wake_run_log WHERE status IN ('queued', 'started'))
               + (SELECT count(*) FROM agent.wake_queue q JOIN agent.agent_entities a
                    ON a.ws = q.ws AND a.id = q.agent_id
                  WHERE q.owner IS NOT NULL OR q.run_key IS NOT NULL OR q.due_at IS NOT NULL
                    AND CAST(a.serialized AS jsonb) ->> 'lifecycle' = 'active')
               + (SELECT count(*) FROM journal.change_log c LEFT JOIN agent.feed_position p
                    ON p.ws = c.ws WHERE c.seq > COALESCE(p.seq, 0))",
        ) == 0
    }

    /// Checks what holds when everything is at rest.
    pub fn check(&mut self) {
        for (law, broken_by) in LAWS {
            let found = self.ask(broken_by);
            assert!(found.is_empty(), "not so: {law}: {found:?}");
        }
    }

    /// Writes the rows into a data folder of its own, where the laws of a single process are read.
    pub fn copy(&mut self) -> World {
        let world = World::new();
        world.ok(&["task", "list"]);
        for name in ["agent", "journal"] {
            self.copy_one(name, &world.data().join(format!("{name}.sqlite")));
        }
        world
    }

    fn copy_one(&mut self, schema: &str, file: &Path) {
        let mut to = Connection::open(file).expect("the file was just made");
        let into = to.transaction().expect("nobody else is there");
        let texts = |sql: &str| -> Vec<String> {
            let mut query = into.prepare(sql).expect("the query is fixed");
            let rows = query.query_map([], |row| row.get(0)).expect("the file can be read");
            rows.map(|row| row.expect("the file can be read")).collect()
        };
        // The words of the search index are written again with its rows, under numbers of its own.
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table'
            AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'search_words%'";
        for table in texts(tables) {
            let columns = texts(&format!(
                "SELECT '\"' || name || '\"' FROM pragma_table_info('{table}')
                 WHERE NOT ('{table}' = 'search_index' AND name = 'n')"
            ));
            let (names, n) = (columns.join(", "), columns.len());
            let rows = self.ask(&format!("SELECT {names} FROM {schema}.{table}"));
            into.execute(&format!("DELETE FROM {table}"), []).expect("the file can be written");
            let holes = vec!["?"; n].join(", ");
            let insert = format!("INSERT INTO {table} ({names}) VALUES ({holes})");
            let mut insert = into.prepare(&insert).expect("the columns are these");
            for row in rows {
                let row = row.into_iter().map(|cell| cell.map_or(Value::Null, Value::Text));
                insert.execute(params_from_iter(row)).expect("the same schema takes the row");
            }
        }
        into.commit().expect("the file can be written");
    }
}

fn cells(message: &SimpleQueryMessage) -> Option<Vec<Option<String>>> {
    let SimpleQueryMessage::Row(row) = message else { return None };
    Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect())
}
