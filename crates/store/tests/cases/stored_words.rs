//! The places where words of a person may stand: no column is forgotten, and each is searched and
//! replaced on both engines.

use dormouse_store::agent::{forgotten_entry, log_line, purge};
use dormouse_store::stored_words::{self, PLACES, StoredText};
use dormouse_store::{Db, Op, Value, params};
use dormouse_types::{AgentId, EntryId, HolderId, OperationId, RunKey, TaskId};

use crate::world::{WS, World, at, wait};

/// Columns without words of a person: ids, hashes, names and times that the program chose, secrets that
/// are only hashes, what is written by an operator, and the person's own documents, which a removal
/// changes by itself.
const WITHOUT_WORDS: &[(&str, &[&str])] = &[
    ("meta", &["key", "value"]),
    ("counters", &["other_host"]),
    ("applied_operations", &["id", "request_digest"]),
    ("change_log", &["origin", "touched", "neighbours", "event", "subject"]),
    ("audit_log", &["actor", "action", "object", "detail"]),
    // The documents of entries; titles and names stay until the person changes them.
    ("journal", &["id", "type", "subtype", "task_id", "folded", "serialized", "clock_host"]),
    ("linked_entries", &["id", "from_id", "to_id", "type", "serialized", "clock_host"]),
    ("touched_tasks", &["task_id"]),
    ("label_tasks", &["label_id", "task_id", "reach"]),
    ("field_says", &["task_id", "field", "by"]),
    ("imported", &["key", "entity_id"]),
    ("import_corrections", &["file"]),
    ("settings", &["key", "value"]),
    ("fence", &["holder"]),
    ("tokens", &["id", "name", "kind", "scopes", "sha256", "created_by"]),
    ("access_codes", &["sha256", "scopes", "created_by"]),
    (
        "agent_entities",
        &["id", "agent_id", "type", "subtype", "thread_id", "task_id", "clock_host"],
    ),
    ("agent_links", &["id", "from_id", "to_id", "type", "serialized", "clock_host"]),
    ("subscriptions", &["task_id", "agent_id", "id", "watch"]),
    ("feed_position", &["host", "agent_host"]),
    ("wake_queue", &["agent_id", "request_id", "run_key", "owner", "put_off"]),
    (
        "wake_run_log",
        &[
            "run_key",
            "agent_id",
            "reason",
            "reason_id",
            "initiator",
            "template_version",
            "thread_id",
            "status",
            "logical_change_key",
            "model",
            "kept_back",
            "failure",
        ],
    ),
    ("wake_requests", &["run_key", "spans", "digest", "sources", "answer_sources"]),
    ("texts", &["sha256"]),
    ("log_lines", &["agent_id", "sha256", "run_key", "sources", "subject"]),
    ("checkpoints", &["agent_id", "audience", "kind", "model", "sha256", "sources", "run_key"]),
    (
        "change_items",
        &["set_id", "task_id", "agent_id", "tool", "fingerprint", "state", "operation_id"],
    ),
    ("saga_log", &["operation_id", "run_key", "phase", "status", "tool_name"]),
    ("timers", &["agent_id", "kind", "about"]),
    ("breakers", &["provider", "why"]),
    ("outdated_agents", &["agent_id", "db"]),
    ("provider_states", &["run_key", "provider"]),
    ("model_calls", &["run_key", "holder", "model", "day", "status", "unit"]),
    ("spend", &["scope", "day", "unit"]),
    ("model_settings", &["doc"]),
    ("forgotten_entries", &["task_id", "entry_id"]),
    ("search_backlog", &["agent_id"]),
    // A row of the index follows the text that it names: it is made again with the words that are left.
    ("search_index", &["id", "area", "kind", "sha256", "sources", "words"]),
    // The words of a removal are taken out by the removal.
    ("purges", &["id", "agent_id", "line", "task_id", "entry_id", "phase", "words", "removed"]),
    (
        "work_definitions",
        &[
            "id",
            "type",
            "source_type",
            "source_ref",
            "state",
            "session_id",
            "recurrence_id",
            "schedule",
            "catch_up",
            "overlap",
            "model",
            "template",
            "position",
            "status",
            "run_state",
            "latest_run",
            "created_by",
        ],
    ),
    ("rules", &["id", "holder", "effect", "tool", "decisions", "made_by", "removed_by"]),
    ("held_back", &["rule_id", "fingerprint", "task_id", "holder"]),
    ("items_by_rule", &["set_id", "rule_id"]),
    ("work_versions", &["work_id", "made_by"]),
    (
        "work_runs",
        &[
            "id",
            "work_id",
            "source",
            "uid",
            "original_start",
            "zone",
            "session_id",
            "state",
            "skip_reason",
            "run_key",
            "outcome",
            "created_by",
            "ended_by",
            "revises",
            // Numbers, names of lists, and ids.
            "figures",
        ],
    ),
    ("work_questions", &["id", "work_id", "run_id", "answered_by"]),
    ("work_corrections", &["work_id", "made_by"]),
    ("work_summaries", &["work_id", "model", "sources", "run_id"]),
    ("work_filters", &["work_id", "host", "agent_host"]),
    ("acknowledgements", &["entry", "made_by"]),
    ("work_hooks", &["id", "work_id", "form", "secrets", "made_by"]),
    ("work_hook_calls", &["run_id", "hook_id", "delivery_id", "signed", "body_hash", "sender"]),
    ("work_hook_hours", &["hook_id", "refusal", "sender"]),
    ("conversations", &["id", "kind", "work_id"]),
    ("conversation_turns", &["conversation_id", "role", "work_id", "action", "run_id", "sources"]),
    ("conversation_work", &["conversation_id", "work_id"]),
    ("work_steps", &["work_id"]),
    ("work_result_tasks", &["work_id", "task_id"]),
    ("work_results", &["run_id", "task_id"]),
    ("work_statuses", &["work_id", "status_before"]),
    ("work_run_steps", &["run_id", "state"]),
    ("deliveries", &["id", "target", "kind", "work_id", "run_id", "state"]),
];

#[test]
fn every_column_with_text_is_a_place_or_is_known_to_have_no_words() {
    let world = World::in_a_folder();
    let mut forgotten = Vec::new();
    for db in Db::ALL {
        let file = rusqlite::Connection::open(world.file(db)).expect("the file");
        let sql = "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                   WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.type = 'TEXT'";
        let mut statement = file.prepare(sql).expect("a statement");
        let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        for column in columns.expect("columns") {
            let (table, column): (String, String) = column.expect("two names");
            let has_place = |place: &&stored_words::Place| {
                place.db == db && place.table == table && place.column == column
            };
            let is_known = |(known, columns): &&(&str, &[&str])| {
                *known == table && columns.contains(&column.as_str())
            };
            let is_place = PLACES.iter().any(|place| has_place(&place));
            if !is_place && !WITHOUT_WORDS.iter().any(|known| is_known(&known)) {
                forgotten.push(format!("{}.{table}.{column}", db.name()));
            }
        }
    }
    assert_eq!(forgotten, Vec::<String>::new(), "add them to PLACES in stored_words.rs");
}

fn text(world: &World, words: &str) -> Vec<StoredText> {
    let texts = &PLACES[0];
    assert_eq!(texts.table, "texts");
    let all = world.all(texts.after(WS, &texts.start(), 99));
    all.into_iter().filter(|row| row.text.as_deref() == Some(words)).collect()
}

fn every_place_is_read_and_replaced(world: &World) {
    let agent: AgentId = world.id();
    let run = RunKey("r".repeat(64));
    world.agent(log_line::append(WS, &agent, 1, "the old words", (&[], None), &run));
    for place in PLACES {
        let rows = world.all(place.after(WS, &place.start(), 99));
        for row in &rows {
            let after = world.all(place.after(WS, &row.key, 99));
            assert!(after.len() < rows.len(), "{}: a page begins after its key", place.table);
        }
        // A row that is not there: the statement is understood, and refused.
        let op = place.replace(WS, &place.start(), "old", "new");
        let refused = match place.db {
            Db::Agent => world.agent_refusal([op]),
            Db::Journal => world.refusal(crate::world::journal_commit([op])),
        };
        assert_eq!(refused, dormouse_store::Refusal::Stale, "{}.{}", place.table, place.column);
    }
    let [row] = text(world, "the old words").try_into().expect("one text");
    world.agent([PLACES[0].replace(WS, &row.key, "the old words", "[removed]")]);
    assert_eq!(text(world, "[removed]").len(), 1);
    let lines = world.all(stored_words::line_hashes(WS, &stored_words::first_line(), 9));
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].key, [Value::Text(agent.to_string()), Value::Int(1)]);
    assert!(
        world.all(stored_words::request_spans(WS, &stored_words::first_request(), 9)).is_empty()
    );
    wait(world.store.clean_files()).expect("the files are cleaned");
}

fn words_that_are_written_again_are_whole_again(world: &World) {
    let (digest, put) = dormouse_store::text::put(WS, "the old words");
    world.agent([put.clone()]);
    let [row] = text(world, "the old words").try_into().expect("one text");
    world.agent([
        PLACES[0].replace(WS, &row.key, "the old words", "[removed]"),
        stored_words::mark_purged(WS, &digest),
    ]);
    world.agent([put]);
    assert_eq!(text(world, "the old words").len(), 1);
}

fn a_removal_is_kept_with_its_next_step(world: &World) {
    let (agent, task, entry): (AgentId, TaskId, EntryId) = (world.id(), world.id(), world.id());
    let begun = purge::Purge {
        id: OperationId("o".repeat(64)),
        agent: agent.clone(),
        line: "line-1".into(),
        task: Some(task.clone()),
        entry: Some(entry.clone()),
        phase: purge::Phase::Journal.into(),
        words: Some("[\"the words\"]".into()),
        removed: "{}".into(),
        created_at: at(1),
    };
    world.agent([purge::insert(WS, &begun)]);
    assert_eq!(world.all(purge::open(WS)), std::slice::from_ref(&begun));
    assert_eq!(world.all(purge::workspaces()), [WS]);
    assert_eq!(
        world.agent_refusal([purge::insert(WS, &begun)]),
        dormouse_store::Refusal::Exists,
        "a line is removed once"
    );
    world.agent([purge::is_out_of_rows(WS, &begun.id)]);
    let next = world.all(purge::of_line(WS, &agent, "line-1")).remove(0);
    assert_eq!((next.phase.name(), next.words), ("files", None), "the words are gone first");
    world.agent([purge::finish(WS, &begun.id)]);
    assert_eq!(world.all(purge::open(WS)), []);
    let later = purge::Purge {
        id: OperationId("p".repeat(64)),
        line: "line-2".into(),
        created_at: at(2),
        ..begun.clone()
    };
    world.agent([purge::insert(WS, &later)]);
    let newest: Vec<_> = world.all(purge::of_agent(WS, &agent, 9));
    assert_eq!(
        newest.iter().map(|one| one.line.as_str()).collect::<Vec<_>>(),
        ["line-2", "line-1"]
    );
    assert_eq!(world.all(purge::of_agent(WS, &agent, 1)), [later]);
    assert_eq!(world.all(purge::of_agent(WS, &world.id(), 9)), []);
    world.agent([forgotten_entry::insert(WS, &task, &entry)]);
    world.agent([forgotten_entry::insert(WS, &task, &entry)]);
    assert_eq!(world.all(forgotten_entry::of_task(WS, &task)), [entry]);
}

fn nothing_is_committed_while_a_reader_is_at_work(world: &World) {
    let (busy, idle): (AgentId, AgentId) = (world.id(), world.id());
    for (agent, owner) in [(&busy, Some("node")), (&idle, None)] {
        let owner = owner.map(ToOwned::to_owned);
        world.agent([Op::any(
            "INSERT INTO wake_queue (ws, agent_id, reasons, upto, priority, owner, epoch, crashes)
             VALUES (?1, ?2, 0, 0, 9, ?3, 1, 0)",
            params![WS.0, agent.to_string(), owner],
        )]);
    }
    let asleep = |holders: &[&AgentId]| {
        let holders: Vec<HolderId> = holders.iter().map(|agent| HolderId::from(*agent)).collect();
        dormouse_store::agent::wake_queue::expect_asleep(WS, &holders)
    };
    world.agent([asleep(&[&idle])]);
    let refused = world.agent_refusal([asleep(&[&idle, &busy])]);
    assert_eq!(refused, dormouse_store::Refusal::LeaseLost);
}

each_engine!(
    every_place_is_read_and_replaced,
    words_that_are_written_again_are_whole_again,
    a_removal_is_kept_with_its_next_step,
    nothing_is_committed_while_a_reader_is_at_work,
);
