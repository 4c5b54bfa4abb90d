//! What must hold in a data folder, whenever the process that wrote it died.
//!
//! Both databases are copied first, with what is still in their logs, and looked at together: looking
//! recovers nothing in the folder itself.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

/// What commands answered before they died or ended.
#[derive(Debug, Default)]
pub struct Acked {
    /// Tasks by id.
    pub tasks: BTreeMap<String, Made>,
    /// Agents by task.
    pub agents: BTreeMap<String, String>,
    /// Notes, as (task, text).
    pub notes: Vec<(String, String)>,
    /// What was said to agents, as (agent, text).
    pub said: Vec<(String, String)>,
    /// The state of decided items, by (set, index).
    pub verdicts: BTreeMap<(String, i64), String>,
}

/// A task with what was given to it when it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its title.
    pub title: String,
    /// Its items.
    pub items: Vec<String>,
    /// Words of its note.
    pub note: String,
}

impl Acked {
    /// How many writes that is.
    pub fn count(&self) -> usize {
        self.tasks.len()
            + self.agents.len()
            + self.notes.len()
            + self.said.len()
            + self.verdicts.len()
    }
}

/// A law is a name and the query of what breaks it. `main` is the agents' store, `j` the journal.
type Law = (&'static str, &'static str);

/// What the laws ask for again and again, taken out of the documents once.
const FLAT: &str = "
    CREATE TEMP TABLE given AS
      SELECT type, task_id, id, deleted_at,
        COALESCE(json_extract(serialized, '$.title'), json_extract(serialized, '$.text')) AS words,
        json_extract(serialized, '$.dueOn') AS due,
        json_extract(serialized, '$.estimateMinutes') AS minutes
      FROM j.journal WHERE type IN ('task', 'checklistItem', 'entry');
    CREATE INDEX temp.given_task ON given (task_id, type);
    CREATE TEMP TABLE decision AS
      SELECT json_extract(serialized, '$.changeSetId') AS set_id,
        json_extract(serialized, '$.itemIndex') AS item_index,
        json_extract(serialized, '$.verdict') AS verdict
      FROM agent_entities WHERE type = 'changeDecision'
        AND COALESCE(json_extract(serialized, '$.outcome'), '') <> 'failed';
    CREATE INDEX temp.decision_item ON decision (set_id, item_index);
    CREATE TEMP TABLE said AS
      SELECT m.agent_id, m.clock_counter AS position, t.text FROM agent_entities m
      CROSS JOIN agent_entities p ON p.ws = m.ws
        AND p.id = json_extract(m.serialized, '$.contentEntryId')
      CROSS JOIN texts t ON t.ws = p.ws AND t.sha256 = json_extract(p.serialized, '$.spans[0]')
      WHERE m.type = 'agentMessage' AND m.subtype = 'user';
    CREATE TEMP TABLE fenced AS
      SELECT agent_id, position, text, '<data of=\"message\">' || char(10) || text || char(10)
        || '</data>' AS shown FROM said;
    CREATE INDEX temp.fenced_shown ON fenced (agent_id, shown);
    CREATE TEMP TABLE heard AS
      SELECT r.agent_id, r.run_key, r.completed_at AS at, s.key AS place, f.position, t.text
      FROM wake_run_log r
      JOIN wake_requests q ON q.ws = r.ws AND q.run_key = r.run_key AND q.turn = 1
      JOIN json_each(q.spans) s ON json_extract(s.value, '$.kind') = 'message'
      JOIN texts t ON t.ws = r.ws AND t.sha256 = json_extract(s.value, '$.sha256')
      LEFT JOIN fenced f ON f.agent_id = r.agent_id AND f.shown = t.text
      WHERE r.status = 'completed';
    CREATE INDEX temp.heard_position ON heard (agent_id, position);
    CREATE TEMP TABLE item AS
      SELECT i.*, EXISTS (SELECT 1 FROM j.applied_operations o
                          WHERE o.ws = i.ws AND o.id = i.operation_id) AS has_receipt
      FROM change_items i;
    CREATE TEMP TABLE via AS
      SELECT seq, json_extract(touched, '$[0]') AS task_id FROM j.change_log
      WHERE json_extract(origin, '$.via') IS NOT NULL;
";

/// Hold at every instant.
const ALWAYS: &[Law] = &[
    (
        "each title, item and note was given once and is there once",
        "SELECT type || ': ' || words FROM given GROUP BY type, words HAVING count(*) > 1",
    ),
    (
        "what was said to an agent is there once",
        "SELECT text FROM said GROUP BY text HAVING count(*) > 1",
    ),
    (
        "what was said to an agent is in the request of one completed run",
        "SELECT text FROM heard GROUP BY agent_id, text HAVING count(*) > 1
         UNION ALL SELECT text FROM heard WHERE position IS NULL",
    ),
    (
        "what was said to an agent is heard in order",
        "SELECT b.text FROM heard a JOIN heard b ON b.agent_id = a.agent_id
           AND b.position > a.position
         WHERE b.at < a.at OR b.run_key = a.run_key AND b.place < a.place",
    ),
    (
        "what was said to an agent before something that it heard is heard as well",
        "SELECT s.text FROM said s WHERE s.position < (SELECT max(h.position) FROM heard h
             WHERE h.agent_id = s.agent_id)
           AND NOT EXISTS (SELECT 1 FROM heard h
             WHERE h.agent_id = s.agent_id AND h.position = s.position)",
    ),
    (
        "an item is applying exactly while its operation is open",
        "SELECT set_id || ':' || item_index || ' ' || state FROM item i
         WHERE (state = 'applying') <> EXISTS (SELECT 1 FROM saga_log s
           WHERE s.ws = i.ws AND s.operation_id = i.operation_id AND s.status = 'pending')",
    ),
    (
        "a confirmed item has its receipt, and one that nobody confirmed has none",
        "SELECT set_id || ':' || item_index || ' ' || state FROM item
         WHERE state <> 'applying' AND (state = 'confirmed') <> has_receipt",
    ),
    (
        "each receipt of an item has one change of its task",
        "SELECT task_id FROM (SELECT task_id, 1 AS n FROM item WHERE has_receipt
                              UNION ALL SELECT task_id, -1 FROM via)
         GROUP BY task_id HAVING sum(n) <> 0",
    ),
    (
        "a proposed checklist item is on the list once when it has a receipt, else never",
        "SELECT set_id || ':' || item_index || ' ' || state || ' ' || args FROM item i
         WHERE tool = 'add_checklist_item' AND has_receipt <> (SELECT count(*) FROM given g
           WHERE g.task_id = i.task_id AND g.type = 'checklistItem'
             AND g.words = json_extract(i.args, '$.title'))",
    ),
    (
        "a proposed value is the task's when it has a receipt, else the field is empty",
        "SELECT i.set_id || ':' || i.item_index || ' ' || i.state || ' ' || i.args
         FROM item i JOIN given t ON t.task_id = i.task_id AND t.type = 'task'
         WHERE i.tool IN ('update_task_due_date', 'update_task_estimate')
           AND CASE i.tool WHEN 'update_task_due_date' THEN t.due ELSE t.minutes END
           IS NOT CASE WHEN has_receipt THEN
             COALESCE(json_extract(i.args, '$.dueDate'), json_extract(i.args, '$.minutes')) END",
    ),
    (
        "a decided item has one decision, with its verdict, and any other has none",
        "SELECT set_id || ':' || item_index || ' ' || state FROM item i
         WHERE (state IN ('applying', 'confirmed', 'rejected')) <>
           (SELECT count(*) FROM decision d
            WHERE d.set_id = i.set_id AND d.item_index = i.item_index
              AND (d.verdict = 'rejected') = (i.state = 'rejected'))",
    ),
    (
        "nothing is proposed twice",
        "SELECT task_id || ' ' || tool || ' ' || args FROM change_items
         GROUP BY task_id, fingerprint HAVING count(*) > 1",
    ),
    (
        "a task has one agent, and an agent its subscription, its state and its place in the queue",
        "SELECT task_id FROM subscriptions WHERE watch = 'own' GROUP BY task_id HAVING count(*) > 1
         UNION ALL
         SELECT a.id FROM agent_entities a WHERE a.type = 'agent' AND
           (1 <> (SELECT count(*) FROM subscriptions s WHERE s.agent_id = a.id AND s.watch = 'own')
            OR 1 <> (SELECT count(*) FROM wake_queue q WHERE q.ws = a.ws AND q.agent_id = a.id)
            OR 1 <> (SELECT count(*) FROM agent_entities t
                     WHERE t.ws = a.ws AND t.agent_id = a.id AND t.type = 'agentState'))",
    ),
    (
        "the head of an agent's reports points to a report of this agent",
        "SELECT h.id FROM agent_entities h WHERE h.type = 'agentReportHead'
           AND NOT EXISTS (SELECT 1 FROM agent_entities r WHERE r.type = 'agentReport'
             AND r.ws = h.ws AND r.agent_id = h.agent_id AND r.id = json_extract(h.serialized, '$.reportId'))",
    ),
    (
        "a run makes one report at most",
        "SELECT json_extract(serialized, '$.provenance.runKey') AS run FROM agent_entities
         WHERE type = 'agentReport' GROUP BY run HAVING count(*) > 1",
    ),
    (
        "a thread of messages has one beginning and no place taken twice",
        "SELECT thread_id FROM agent_entities WHERE type = 'agentMessage'
           AND json_extract(serialized, '$.prevMessageId') IS NULL
         GROUP BY thread_id HAVING count(*) > 1
         UNION ALL
         SELECT thread_id FROM agent_entities WHERE type = 'agentMessage'
         GROUP BY thread_id, json_extract(serialized, '$.metadata.n') HAVING count(*) > 1",
    ),
];

/// Hold after any command that was not killed.
const RECOVERED: &[Law] = &[
    (
        "no item is applying",
        "SELECT set_id || ':' || item_index FROM change_items WHERE state = 'applying'",
    ),
    (
        "no operation is open, unless the run that made it waits to go on and finish it",
        "SELECT operation_id FROM saga_log s WHERE s.status = 'pending'
           AND NOT EXISTS (SELECT 1 FROM wake_run_log r
             WHERE r.ws = s.ws AND r.run_key = s.run_key AND r.status = 'queued')",
    ),
    ("no run is under way", "SELECT run_key FROM wake_run_log WHERE status = 'started'"),
    (
        "nobody holds a lease",
        "SELECT agent_id || ' ' || owner FROM wake_queue WHERE owner IS NOT NULL",
    ),
];

/// Hold once every waiting agent has run.
const ASLEEP: &[Law] = &[
    (
        "no interrupted run is left",
        "SELECT r.agent_id || ' ' || r.reason || ' after crashes: ' || q.crashes
         FROM wake_run_log r JOIN wake_queue q ON q.ws = r.ws AND q.agent_id = r.agent_id
         WHERE r.status = 'queued' OR q.run_key = r.run_key",
    ),
    (
        "what was said to an agent is heard, unless it rests or is tried again later",
        "SELECT s.text FROM said s
         JOIN wake_queue q ON q.agent_id = s.agent_id AND q.due_at IS NULL
         JOIN agent_entities a ON a.ws = q.ws AND a.id = s.agent_id
           AND json_extract(a.serialized, '$.lifecycle') IN ('created', 'active')
         WHERE NOT EXISTS (SELECT 1 FROM heard h
             WHERE h.agent_id = s.agent_id AND h.position = s.position)",
    ),
    (
        "an agent has reported, unless its run was given up",
        "SELECT a.id FROM agent_entities a WHERE a.type = 'agent'
           AND NOT EXISTS (SELECT 1 FROM agent_entities h
             WHERE h.ws = a.ws AND h.agent_id = a.id AND h.type = 'agentReportHead')
           AND NOT EXISTS (SELECT 1 FROM wake_run_log r
             WHERE r.ws = a.ws AND r.agent_id = a.id AND r.status = 'abandoned')",
    ),
];

/// A copy of both databases.
pub struct Books {
    rows: Connection,
    // Its files go with it.
    _copy: tempfile::TempDir,
}

impl Books {
    /// Copies a data folder that nobody is writing.
    pub fn copy(data: &Path) -> Self {
        let copy = tempfile::tempdir().expect("a temporary folder can be made");
        for name in ["agent.sqlite", "agent.sqlite-wal", "journal.sqlite", "journal.sqlite-wal"] {
            let file = data.join(name);
            if file.exists() {
                std::fs::copy(&file, copy.path().join(name)).expect("a database can be copied");
            }
        }
        let rows = Connection::open_with_flags(
            copy.path().join("agent.sqlite"),
            OpenFlags::SQLITE_OPEN_READ_WRITE,
        )
        .expect("the agents' store opens");
        let journal = copy.path().join("journal.sqlite");
        rows.execute("ATTACH ?1 AS j", [journal.to_str()]).expect("the journal opens");
        // Nobody needs the copy after a crash.
        rows.execute_batch(
            "PRAGMA main.synchronous = OFF; PRAGMA j.synchronous = OFF; PRAGMA temp_store = MEMORY",
        )
        .expect("the settings are known");
        rows.execute_batch(FLAT).expect("the documents can be read");
        rows.execute_batch("PRAGMA query_only = ON").expect("a connection can be read-only");
        Self { rows, _copy: copy }
    }

    /// Checks what holds at every instant, and that nothing acknowledged is lost.
    pub fn check(&self, acked: &Acked) {
        for pages in ["PRAGMA main.integrity_check", "PRAGMA j.integrity_check"] {
            assert_eq!(self.texts(pages), ["ok"], "{pages}");
        }
        self.laws(ALWAYS);
        self.lost_nothing(acked);
    }

    /// Checks in addition what one command puts right.
    pub fn check_recovered(&self) {
        self.laws(RECOVERED);
    }

    /// Checks in addition what holds once every agent sleeps.
    pub fn check_asleep(&self) {
        self.laws(ASLEEP);
    }

    fn laws(&self, laws: &[Law]) {
        for (law, broken_by) in laws {
            let found = self.texts(broken_by);
            assert!(found.is_empty(), "not so: {law}: {found:#?}");
        }
    }

    fn lost_nothing(&self, acked: &Acked) {
        let entry = "SELECT count(*) FROM given
                     WHERE task_id = ?1 AND type = 'entry' AND instr(words, ?2) > 0";
        for (id, made) in &acked.tasks {
            let task = "SELECT count(*) FROM given WHERE task_id = ?1 AND type = 'task'
                          AND id = task_id AND words = ?2 AND deleted_at IS NULL";
            assert_eq!(self.count(task, id, &made.title), 1, "task {id} is lost: {made:?}");
            for item in &made.items {
                let listed = "SELECT count(*) FROM given
                              WHERE task_id = ?1 AND type = 'checklistItem' AND words = ?2";
                assert_eq!(self.count(listed, id, item), 1, "item {item} of {id} is lost");
            }
            assert_eq!(self.count(entry, id, &made.note), 1, "the note of {id} is lost: {made:?}");
        }
        for (task, agent) in &acked.agents {
            let own = "SELECT count(*) FROM subscriptions
                       WHERE ws = 1 AND task_id = ?1 AND agent_id = ?2 AND watch = 'own'";
            assert_eq!(self.count(own, task, agent), 1, "agent {agent} of {task} is lost");
        }
        for (task, text) in &acked.notes {
            assert_eq!(self.count(entry, task, text), 1, "a note on {task} is lost: {text}");
        }
        for (agent, text) in &acked.said {
            let said = "SELECT count(*) FROM said WHERE agent_id = ?1 AND text = ?2";
            assert_eq!(self.count(said, agent, text), 1, "a message to {agent} is lost: {text}");
        }
        for ((set, index), state) in &acked.verdicts {
            let item = "SELECT state FROM item WHERE set_id = ?1 AND item_index = ?2";
            let now: String = self
                .rows
                .query_row(item, params![set, index], |row| row.get(0))
                .expect("an item that was decided is there");
            assert_eq!(now, *state, "the verdict on {set}:{index} is lost");
        }
    }

    fn count(&self, sql: &str, first: &str, second: &str) -> i64 {
        self.rows
            .prepare_cached(sql)
            .and_then(|mut query| query.query_row([first, second], |row| row.get(0)))
            .expect("the query is fixed and the copy readable")
    }

    /// The first column of a query of texts.
    pub fn texts(&self, sql: &str) -> Vec<String> {
        let mut query = self.rows.prepare_cached(sql).expect("the query is fixed");
        let rows = query.query_map([], |row| row.get(0)).expect("the copy is readable");
        rows.map(|row| row.expect("the copy is readable")).collect()
    }

    /// Pairs of text and number.
    pub fn pairs(&self, sql: &str) -> Vec<(String, i64)> {
        let mut query = self.rows.prepare_cached(sql).expect("the query is fixed");
        let rows = query
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("the copy is readable");
        rows.map(|row| row.expect("the copy is readable")).collect()
    }
}
