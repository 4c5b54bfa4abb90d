//! Query plans: every query uses an index, whatever the number of rows.

use dormouse_store::agent::agent_entity::{self, Agent};
use dormouse_store::agent::change_set::ChangeSet;
use dormouse_store::agent::message;
use dormouse_store::agent::{
    acknowledgement, breaker, change_item, checkpoint, conversation, entity, evolution,
    feed_position, forgotten_entry, link, log_line, memory_index, model_call, model_setting,
    outdated, provider_state, purge, report, rule, saga, spend, subscription, template,
    template_metrics, timer, wake_queue, wake_request, wake_run, wake_tally, work,
};
use dormouse_store::audit_log::{self, AuditPlace};
use dormouse_store::journal::task::ListQuery;
use dormouse_store::journal::{
    access_code, entry, fence, field_say, import_correction, imported, item, label, label_task,
    linked_entry, linked_task, privacy, setting, task, task_list, token, touched,
};
use dormouse_store::stored_words::{self, PLACES};
use dormouse_store::{
    Db, Query, agent, change_log, identity, journal, receipt, search_index, text,
};
use dormouse_types::agent::{AgentLinkKind, Lifecycle, MessageKind, ReportScope};
use dormouse_types::delivery::DeliveryState;
use dormouse_types::memory::{Audience, CheckpointKind};
use dormouse_types::rule::RuleHolder;
use dormouse_types::search_words::WordQuery;
use dormouse_types::spend::Unit;
use dormouse_types::work::WorkStatus;
use dormouse_types::{
    AgentId, ChangeSetId, ConversationId, OperationId, RuleId, RunKey, Seq, TaskId, TaskLinkId,
    TemplateId, ThreadId, Timestamp, TokenId, WorkId, WorkRunId, hash,
};

use crate::world::{WS, World, at, raw_client, wait};

/// A query with its source text.
struct Statement {
    name: &'static str,
    db: Db,
    sql: &'static str,
    n_params: usize,
}

/// SQLite's plan, line by line. It does not depend on the parameters.
fn plan(world: &World, db: Db, sql: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(world.file(db)).expect("the file");
    let mut statement =
        connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a statement");
    let rows = statement.raw_query().mapped(|row| row.get(3)).collect::<Result<_, _>>();
    rows.expect("a plan")
}

fn check_plan<T>(world: &World, query: &Query<T>, expected: &str) {
    let plan = plan(world, query.db, query.sql);
    assert!(plan[0].contains(expected), "{plan:?}");
}

#[test]
fn entities_are_found_by_agent_kind_and_type() {
    let world = World::in_a_folder();
    let agent: AgentId = world.id();
    let by_agent = "SEARCH agent_entities USING INDEX agent_entities_agent \
                    (ws=? AND agent_id=? AND type=?)";
    check_plan(&world, &entity::of_agent::<Agent>(WS, &agent, 9), by_agent);
    let by_kind = "SEARCH agent_entities USING INDEX agent_entities_agent \
                   (ws=? AND agent_id=? AND type=? AND subtype=?)";
    check_plan(&world, &message::of_kind(WS, &agent, MessageKind::Observation), by_kind);
    let newest = message::newest_of_kind(WS, &agent, MessageKind::Observation, 9);
    check_plan(&world, &newest, by_kind);
    let newest_first = Query {
        db: Db::Agent,
        sql: "SELECT serialized FROM agent_entities WHERE ws = ?1 AND agent_id = ?2
              AND type = 'agentMessage' AND subtype = ?3 ORDER BY created_at DESC LIMIT 9",
        params: Vec::new(),
        decode: |_| Ok(()),
    };
    assert_eq!(
        plan(&world, newest_first.db, newest_first.sql),
        [by_kind],
        "no sorting is left to do"
    );
    let by_type = "SEARCH agent_entities USING INDEX agent_entities_type (ws=? AND type=?)";
    check_plan(&world, &entity::of_kind::<Agent>(WS), by_type);
}

#[test]
fn lookups_in_the_view_of_agent_work_use_an_index() {
    let world = World::in_a_folder();
    for (condition, index) in [
        ("id = 'x'", "work_definitions_id (id=?)"),
        ("status = 'running'", "work_definitions_status (status=?)"),
        ("recurrence_id = 'x'", "work_definitions_recurrence (recurrence_id=?)"),
        (
            "source_type = 'caldav' AND source_ref = 'x'",
            "work_definitions_source (source_type=? AND source_ref=?)",
        ),
    ] {
        let sql = format!("SELECT id FROM tasks WHERE {condition}");
        let plan = plan(&world, Db::Agent, &sql);
        let expected = format!("SEARCH d USING INDEX {index}");
        assert!(plan.iter().any(|line| line.starts_with(&expected)), "{condition}: {plan:?}");
    }
}

/// Fills each table with meaningless rows, so that the planner sees which columns are selective and
/// which are mostly empty. References between tables are not checked.
const FILL: &str = "SET session_replication_role = replica; DO $$
  DECLARE filling RECORD;
  BEGIN
    FOR filling IN
      SELECT table_name, string_agg(quote_ident(column_name), ',') AS names,
        string_agg(CASE is_nullable WHEN 'YES' THEN 'CASE WHEN g % 50 = 0 THEN ' ELSE '' END ||
                   CASE WHEN column_name = 'ws' THEN 'g % 5'
                        WHEN data_type = 'bigint' THEN 'g'
                        ELSE '''x'' || g' END ||
                   CASE is_nullable WHEN 'YES' THEN ' END' ELSE '' END, ',') AS filled
      FROM information_schema.columns JOIN information_schema.tables
        USING (table_schema, table_name)
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' GROUP BY table_name
    LOOP
      EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM generate_series(100, 2100) g
                      ON CONFLICT DO NOTHING', filling.table_name, filling.names, filling.filled);
      EXECUTE format('ANALYZE %I', filling.table_name);
    END LOOP;
  END $$";

/// Postgres's generic plan, line by line.
async fn plan_on_postgres(client: &tokio_postgres::Client, statement: &Statement) -> Vec<String> {
    let sql = (1..=statement.n_params)
        .rev()
        .fold(statement.sql.to_owned(), |sql, n| sql.replace(&format!("?{n}"), &format!("${n}")));
    let nulls = vec!["NULL"; statement.n_params].join(", ");
    let nulls = if nulls.is_empty() { nulls } else { format!("({nulls})") };
    // Postgres reads a small table in full whatever its indexes are; that is not what is tested
    // here.
    let setup = format!(
        "SET enable_seqscan = off; SET enable_bitmapscan = off;
         SET plan_cache_mode = force_generic_plan; PREPARE statement AS {sql}"
    );
    client.batch_execute(&setup).await.expect("a statement");
    let explain = format!("EXPLAIN (COSTS OFF) EXECUTE statement{nulls}");
    let rows = client.simple_query(&explain).await.expect("a plan");
    client.batch_execute("DEALLOCATE statement").await.expect("it is there");
    let line = |row: &tokio_postgres::SimpleQueryMessage| match row {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(ToOwned::to_owned),
        _ => None,
    };
    rows.iter().filter_map(line).collect()
}

/// The scans of a plan that read too many rows.
fn too_much_on_postgres(plan: &[String]) -> Vec<String> {
    let mut scans = Vec::new();
    for (n, line) in plan.iter().enumerate() {
        let by_index = line.split_once("Index Scan using ");
        let Some((_, index)) = by_index.or_else(|| line.split_once("Index Only Scan using "))
        else {
            scans.extend(line.contains("Seq Scan").then(|| line.clone()));
            continue;
        };
        let index = index.split(' ').next().unwrap_or_default();
        let next = plan.get(n + 1).map_or("", |next| next.trim());
        let condition = next.strip_prefix("Index Cond: ").unwrap_or_default();
        let is_narrow = !condition.is_empty() && condition != "(ws = $1)";
        if !is_narrow && !SMALL_ON_POSTGRES.contains(&index) {
            scans.push(format!("{line} {condition}"));
        }
    }
    scans
}

#[test]
fn no_query_of_the_store_reads_a_whole_table_on_postgres() {
    let world = World::on_postgres();
    let prefix = world.prefix().expect("a world on Postgres");
    let client = raw_client();
    let scans = wait(async {
        let mut scans = Vec::new();
        for db in Db::ALL {
            let fill = format!("SET search_path TO {prefix}{}; {FILL}", db.name());
            client.batch_execute(&fill).await.expect("the tables are filled");
            let statement = queries(&world).into_iter().filter(|statement| statement.db == db);
            let is_checked = |statement: &Statement| {
                let name = statement.name;
                !WHOLE.contains(&name)
                    && !PAGES_ON_POSTGRES.iter().any(|page| name.starts_with(page))
            };
            for statement in statement.filter(is_checked) {
                let statement = &statement;
                let plan = plan_on_postgres(&client, statement).await;
                assert!(!plan.is_empty());
                let whole = too_much_on_postgres(&plan).into_iter();
                scans.extend(whole.map(|line| format!("{}: {line}", statement.name)));
            }
        }
        scans
    });
    assert_eq!(scans, Vec::<String>::new());
}

#[test]
fn a_search_looks_its_words_up_on_both_engines() {
    let word_query = WordQuery::of("word other").expect("a query");
    let search = |engine| search_index::matching(engine, WS, "area", &word_query, (at(0), ""), 9);
    let world = World::in_a_folder();
    let query = search(world.store.engine());
    let lines = plan(&world, query.db, query.sql);
    let expected = [
        "SCAN search_words VIRTUAL TABLE INDEX 0:M1",
        "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
    ];
    assert_eq!(lines, expected);

    let world = World::on_postgres();
    let prefix = world.prefix().expect("a world on Postgres");
    let query = search(world.store.engine());
    // One area with many texts, as a memory that has grown old: to read all of it must not seem
    // cheaper than to look the words up.
    let fill = format!(
        "SET search_path TO {prefix}agent; SET session_replication_role = replica;
         INSERT INTO search_index (ws, id, area, kind, at, sha256, sources, words)
         SELECT 1, 'line-' || g, 'area', 'entry', g, 'x' || g, '[]', 'word' || g || ' other'
         FROM generate_series(1, 10000) g; ANALYZE search_index;
         SET plan_cache_mode = force_generic_plan"
    );
    let client = raw_client();
    let sql = (1..=6)
        .fold(query.sql.to_owned(), |sql, n| sql.replace(&format!("?{n}"), &format!("${n}")));
    let lines = wait(async {
        client.batch_execute(&fill).await.expect("the table is filled");
        client.batch_execute(&format!("PREPARE search AS {sql}")).await.expect("a statement");
        let explain = "EXPLAIN (COSTS OFF) EXECUTE search (1, 'area', 'word', 9, '', 9)";
        client.query(explain, &[]).await.expect("a plan")
    });
    let lines: Vec<String> = lines.iter().map(|row| row.get(0)).collect();
    let by_words = "Bitmap Index Scan on search_index_words";
    assert!(lines.iter().any(|line| line.contains(by_words)), "{lines:#?}");
}

#[test]
fn no_query_of_the_store_reads_a_whole_table() {
    let world = World::in_a_folder();
    let mut scans = Vec::new();
    for statement in
        queries(&world).into_iter().filter(|statement| !WHOLE.contains(&statement.name))
    {
        let lines = plan(&world, statement.db, statement.sql);
        assert!(!lines.is_empty());
        let whole = lines.iter().filter(|line| reads_too_much(line));
        scans.extend(whole.map(|line| format!("{}: {line}", statement.name)));
    }
    assert_eq!(scans, Vec::<String>::new());
}

/// Every query of the store.
fn queries(world: &World) -> Vec<Statement> {
    let (agent, task, set): (AgentId, TaskId, ChangeSetId) = (world.id(), world.id(), world.id());
    let rule_id: RuleId = world.id();
    let (thread, key): (ThreadId, RunKey) = (world.id(), RunKey("k".into()));
    let (task_link, token): (TaskLinkId, TokenId) = (world.id(), world.id());
    let (work_id, work_run): (WorkId, WorkRunId) = (world.id(), world.id());
    let occurrence = work::run::Occurrence {
        source: "schedule".into(),
        uid: "x".into(),
        original_start: "2026-11-24T09:00:00".into(),
        zone: "UTC".into(),
        fold: false,
    };
    let (conversation, template_id): (ConversationId, TemplateId) = (world.id(), world.id());
    let day = jiff::civil::date(2026, 1, 1);
    let account =
        spend::Account { scope: spend::SpendScope::Workspace, day, unit: Unit::MicroDollars };
    let wanted = ListQuery {
        status: None,
        words: Vec::new(),
        title: None,
        include_deleted: false,
        after: None,
        limit: 1,
    };
    let wanted_metrics =
        template_metrics::Wanted { template: &template_id, is_default: true, weeks: &[at(0)] };
    let engine = world.store.engine();
    let word_query = WordQuery::of("word").expect("a query");
    let messages = message::MessageQuery { thread: None, kind: None, from: 0, at_least: 1 };
    macro_rules! list {
        ($($query:expr),* $(,)?) => {
            vec![$({
                let Query { db, sql, params, .. } = $query;
                Statement { name: stringify!($query), db, sql, n_params: params.len() }
            }),*]
        };
    }
    list!(
        change_log::after(WS, Seq(0), 1),
        change_log::positions_after(WS, Seq(0), 1),
        change_log::of_task(WS, &task, Seq(0), Seq(1)),
        change_log::head(Db::Journal, WS),
        change_log::head(Db::Agent, WS),
        change_log::heads(Db::Journal),
        change_log::heads(Db::Agent),
        change_log::notices_after(Db::Journal, WS, Seq(0), 1),
        change_log::trimmed(Db::Journal, WS),
        change_log::newest(Db::Journal, WS),
        change_log::count_after(Db::Journal, WS, Seq(0)),
        change_log::notices_after(Db::Agent, WS, Seq(0), 1),
        change_log::trimmed(Db::Agent, WS),
        change_log::newest(Db::Agent, WS),
        change_log::count_after(Db::Agent, WS, Seq(0)),
        receipt::by_id(Db::Journal, WS, "id"),
        receipt::by_id(Db::Agent, WS, "id"),
        text::by_digest(WS, &hash::sha256("x")),
        text::some(WS, &[hash::sha256("x")]),
        entity::by_id::<Agent>(WS, "id"),
        entity::of_kind::<Agent>(WS),
        entity::of_agent::<Agent>(WS, &agent, 1),
        entity::of_task::<ChangeSet>(WS, &task),
        entity::of_tasks::<ChangeSet>(WS, std::slice::from_ref(&task)),
        entity::by_ending::<Agent>(WS, "abcde"),
        entity::page_of_agent::<Agent>(WS, &agent, (at(0), ""), 1),
        agent_entity::of_task(WS, &task),
        agent_entity::of_tasks(WS, std::slice::from_ref(&task)),
        agent_entity::places_of_tasks(WS, std::slice::from_ref(&task)),
        agent_entity::places(WS, &[&agent]),
        agent_entity::model_choices(WS, std::slice::from_ref(&agent)),
        agent_entity::page_of_name(WS, "name", true, (at(0), "~"), 1),
        agent_entity::count(WS),
        agent_entity::page_of_lifecycle(WS, Lifecycle::Created, (at(0), "~"), 1),
        message::of_thread(WS, &thread, 1),
        message::of_kind(WS, &agent, MessageKind::User),
        message::newest_of_kind(WS, &agent, MessageKind::User, 1),
        message::newest(WS, &thread),
        message::user_messages(WS, &agent, Seq(0), Seq(1)),
        message::newest_user_messages(WS, &agent),
        message::forward(WS, &agent, &messages),
        message::last(WS, &agent, &messages),
        report::head(WS, &agent, &ReportScope::Current.into()),
        change_item::by_index(WS, &set, 1),
        change_item::of_set(WS, &set),
        change_item::of_sets(WS, std::slice::from_ref(&set)),
        change_item::of_task(WS, &task),
        change_item::open(WS),
        change_item::open_among(WS, std::slice::from_ref(&task)),
        change_item::decided_since(WS, at(0)),
        change_item::shown_by(at(0), None, 1),
        rule::by_id(WS, &rule_id),
        rule::in_force(WS, &[RuleHolder::Task(task.clone())]),
        rule::all_in_force(WS),
        rule::held_by(WS, &rule_id, 1),
        rule::held_counts(WS, std::slice::from_ref(&rule_id)),
        rule::waiting(1),
        entry::tainted_of(WS, std::slice::from_ref(&task)),
        item::by_id(WS, &world.id()),
        touched::of_task(WS, &task, [Seq(0), Seq(9)], 1),
        link::from(WS, "id"),
        link::to(WS, "id"),
        link::page_of_agent(WS, &agent, Some(AgentLinkKind::Task), (at(0), ""), 1),
        log_line::before(WS, &agent, 9, 9),
        checkpoint::of_holder(WS, &(&agent).into(), 9),
        checkpoint::newest(
            WS,
            &(&agent).into(),
            (Audience::Public, CheckpointKind::Summary),
            0,
            Timestamp::MAX,
        ),
        checkpoint::last(WS, &(&agent).into()),
        checkpoint::folded_upto(WS, &(&agent).into()),
        log_line::sources(WS, &[(&agent).into()]),
        log_line::of_holder(WS, &agent, 1, 2),
        log_line::dated(WS, &(&agent).into(), 1, 2),
        search_index::matching(engine, WS, "area", &word_query, (at(0), ""), 1),
        search_index::of_text(WS, &hash::sha256("x")),
        memory_index::matching(engine, WS, &(&agent).into(), &word_query, (at(0), ""), 1),
        memory_index::backlog(),
        saga::by_status(WS, saga::OperationStatus::Pending),
        saga::status_of(WS, &OperationId(String::new())),
        saga::count(WS, saga::OperationStatus::Pending),
        saga::workspaces(),
        saga::page(WS, "", 1),
        subscription::of_task(WS, &task),
        subscription::of_agent(WS, &agent),
        feed_position::read(WS),
        feed_position::all(),
        feed_position::as_written(WS),
        wake_queue::of_holder(WS, &agent),
        wake_queue::claimable(WS, at(0), 1),
        wake_queue::claimable_of(WS, "ag", at(0), 1),
        wake_queue::waiting(WS),
        wake_queue::put_off(WS),
        wake_queue::put_off_by_budgets(WS),
        wake_queue::leased(WS),
        wake_queue::expired_leases(at(0)),
        wake_queue::owned_by("owner"),
        wake_queue::first_per_priority(WS, at(0)),
        wake_queue::first_per_priority_of(WS, "ag", at(0)),
        wake_queue::workspaces(),
        wake_queue::next_due(WS, at(0)),
        wake_queue::with_due_beyond(WS, at(0)),
        wake_tally::waiting(WS, at(0)),
        wake_tally::leased(WS, at(0)),
        wake_run::by_key(WS, &key),
        wake_run::of_agent(WS, &agent, 1),
        wake_run::page(WS, &agent, (at(0), ""), 1),
        wake_run::completed_before(WS, &agent, at(0)),
        wake_run::completed_after(WS, &agent, at(0)),
        wake_run::with_counts_by_key(WS, &key),
        wake_request::of_run(WS, &key),
        wake_request::origins(WS, std::slice::from_ref(&key)),
        timer::of_holder(WS, &agent),
        timer::of_holders(WS, std::slice::from_ref(&agent)),
        timer::waiting(WS, timer::Kind::DueDate),
        timer::coming(WS, at(0), 1),
        timer::due(WS, at(0), 1),
        timer::next_of_each(),
        breaker::of_provider(WS, "provider"),
        breaker::all(WS),
        breaker::of_model(WS, "provider", "provider/model"),
        agent::raw::after(WS, "", 1),
        task::by_id(WS, &task),
        task::aggregate(WS, &task),
        task::aggregates(WS, std::slice::from_ref(&task)),
        task::list(WS, &wanted),
        task::titled(WS, &wanted),
        task::by_ending(WS, "abcde"),
        task::live_titles(WS, &["move".to_owned()]),
        linked_entry::of_task(WS, &task),
        linked_entry::by_id(WS, &task_link),
        linked_task::of_task(WS, &task),
        linked_task::minutes(WS, std::slice::from_ref(&task)),
        linked_entry::after(WS, "", 1),
        privacy::of_some(WS, &[task.to_string()]),
        label::definitions(WS),
        label_task::reaches(WS, &[world.id()]),
        fence::of(WS, "agent"),
        field_say::of_task(WS, &task),
        field_say::of_tasks(WS, std::slice::from_ref(&task)),
        imported::by_key(WS, "key"),
        imported::by_keys(WS, &["key".to_owned()]),
        imported::between(WS, "file|", "file}", 1),
        imported::tasks(WS),
        import_correction::of_file(WS, "list.md"),
        setting::by_key(WS, "key"),
        setting::date_order(WS),
        setting::all(WS),
        token::by_hash(&hash::sha256("x")),
        token::by_id(WS, &token),
        token::all(WS),
        access_code::by_hash(&hash::sha256("x")),
        journal::entry::created_since(WS, at(0)),
        journal::raw::of_task(WS, &task),
        journal::raw::tasks(WS, (at(0), ""), 1),
        journal::raw::definitions(WS),
        journal::raw::after(WS, "", 1),
        change_log::oldest(Db::Journal),
        audit_log::before(Db::Journal, WS, AuditPlace::END, 1),
        change_log::of_tasks(WS, std::slice::from_ref(&task), [Seq(0), Seq(1)], 1),
        change_log::last_before(Db::Journal, WS, at(0), 1, Seq(1)),
        identity::id_changes(Db::Journal),
        identity::counter_memories(Db::Agent),
        outdated::all(WS),
        outdated::of_agent(WS, &agent),
        outdated::some(WS, std::slice::from_ref(&agent)),
        wake_run::unfinished(WS),
        fence::all(WS),
        change_item::confirmed_after(WS, ("cs", 0), 1),
        receipt::known(Db::Journal, WS, &["op".to_owned()]),
        entity::some::<Agent>(WS, &[&agent]),
        entity::page_of_kind::<Agent>(WS, (at(0), ""), 1),
        agent_entity::failed(WS),
        agent_entity::states(WS, std::slice::from_ref(&agent)),
        report::heads(WS, std::slice::from_ref(&agent)),
        report::heads_of_tasks(WS, std::slice::from_ref(&task)),
        report::by_ids(WS, &[world.id()]),
        report::newest_heads(WS, (at(0), ""), 1),
        change_item::open_of_tasks(WS, std::slice::from_ref(&task)),
        change_item::of_proposers(WS, &[(&work_run).into()]),
        subscription::own_on_tasks(WS, std::slice::from_ref(&task)),
        subscription::own_of_agents(WS, std::slice::from_ref(&agent)),
        subscription::own(WS),
        wake_queue::of_holders(WS, std::slice::from_ref(&agent)),
        wake_queue::oldest_signal(WS),
        wake_run::least_processed(WS),
        wake_run::heard_by_completed(WS, &agent),
        wake_run::agents_of(WS, &["k"]),
        wake_run::begun_by_agents(WS, std::slice::from_ref(&key)),
        wake_run::failed_last(WS, 1),
        wake_run::completed_of_since(WS, std::slice::from_ref(&agent), at(0)),
        provider_state::of_run(WS, &key),
        model_call::of_run(WS, &key, 1),
        model_call::open_of_run(WS, &key),
        model_call::per_day(WS, day, day),
        model_call::reserved_under_way(WS, day, Unit::MicroDollars, &(&agent).into()),
        agent_entity::count_by_template(WS),
        template::active(WS, &template_id),
        template::active_of_all(WS),
        template::of_older_shape(WS),
        template::mark(WS),
        evolution::active(WS, &template_id),
        evolution::followers(WS, &template_id, true, 1),
        template_metrics::runs(WS, &wanted_metrics),
        template_metrics::cost(WS, &wanted_metrics),
        template_metrics::items(WS, &wanted_metrics),
        evolution::messages(WS, &world.id()),
        spend::of_account(WS, &account),
        spend::of_scope(WS, &spend::SpendScope::Workspace, day),
        spend::held(WS, day),
        model_setting::paid_calls(WS),
        model_setting::of_workspace(WS),
        task_list::all(WS),
        task_list::by_status(WS),
        task_list::by_creation(WS, false, (at(0), ""), 1),
        task_list::by_change(WS, false, (at(0), ""), 1),
        task_list::some(WS, &[]),
        task_list::review_columns(WS, std::slice::from_ref(&task)),
        task_list::items(WS, &[]),
        task_list::hits(WS, &[]),
        task_list::texts(WS, &[]),
        log_line::held_before(WS, &agent, 9, 1),
        log_line::held_until(WS, &agent, at(0)),
        wake_run::keys_of(WS, &(&agent).into()),
        wake_run::purged_at(WS, &key),
        forgotten_entry::of_task(WS, &task),
        purge::of_line(WS, &agent, "line-1"),
        purge::of_agent(WS, &agent, 1),
        purge::open(WS),
        purge::workspaces(),
        work::definition::by_id(WS, &work_id),
        work::definition::newest(WS, None, "~", 1),
        work::definition::newest_of_status(WS, WorkStatus::Pending, None, "~", 1),
        work::definition::page(WS, "", 1),
        work::definition::by_ids(WS, std::slice::from_ref(&work_id)),
        work::definition::due(None, at(0), &work::place::Place::START, 1),
        work::definition::next_due(None),
        work::definition::count(WS),
        work::definition::in_need(WS, "", 1),
        acknowledgement::of_some(WS, &["x".to_owned()]),
        work::version::by_number(WS, &work_id, 1),
        work::version::newest_of(WS, std::slice::from_ref(&work_id)),
        work::version::of_definition(WS, &work_id),
        work::run::by_id(WS, &work_run),
        work::run::of_occurrence(WS, &occurrence),
        work::run::page(WS, "", 1),
        work::run::by_ids(WS, std::slice::from_ref(&work_run)),
        work::run::from_number(WS, &work_id, 1, 1),
        work::run::each_from_number(WS, &work_id, 1, 1),
        work::run::of_definition(WS, &work_id, 9, 1),
        work::run::last_ended_well(WS, &work_id, 9),
        work::run::last_reported(WS, &work_id, 9),
        work::run::of_definition_between(WS, &work_id, [at(0), at(1)], 9, 1),
        work::run::open(WS, &work_id),
        work::run::newest_made_between(WS, at(0), at(1), 1),
        work::run::waiting_of(WS, std::slice::from_ref(&work_id)),
        work::run::newest_over_of(WS, std::slice::from_ref(&work_id)),
        work::run::of_starts(WS, "schedule", "x", &["2026-11-24T09:00:00".to_owned()]),
        work::run::attempts(WS, &work_run),
        work::question::by_id(WS, &world.id()),
        work::question::open_by_id(WS, &world.id()),
        work::question::of_run(WS, &work_run),
        work::question::open_of_work(WS, &work_id),
        work::question::open_of_runs(WS, std::slice::from_ref(&work_run)),
        work::question::of_runs(WS, std::slice::from_ref(&work_run)),
        work::question::overdue(None, at(0), &work::place::Place::START, 1),
        work::question::open(None, at(0), &work::place::Place::START, 1),
        work::correction::after(WS, &work_id, 0),
        work::summary::newest(WS, &work_id, 9),
        work::filter::of_definition(WS, &work_id),
        work::filter::of_definitions(WS, std::slice::from_ref(&work_id)),
        work::filter::of_active(WS),
        work::filter::workspaces(),
        work::hook::by_id(WS, &world.id()),
        work::hook::of_work(WS, &work_id),
        work::hook::having(WS, std::slice::from_ref(&work_id)),
        work::hook_call::of_run(WS, &work_run),
        work::hook_call::of_delivery(WS, &world.id(), "x"),
        work::hook_call::of_signed(WS, &world.id(), "x"),
        work::hook_call::newest(WS, &world.id(), 1),
        work::hook_call::hours(WS, None, 1),
        work::hook_call::with_old_bodies(None, at(0), 1),
        work::definition::of_conversation(WS, &conversation, "~", 1),
        work::definition::count_by_template(WS),
        conversation::by_id(WS, &conversation),
        conversation::newest(WS, (at(0), "~"), 1),
        conversation::of_work(WS, &work_id, "~", 1),
        conversation::turns_before(WS, &conversation, 9, 1),
        conversation::turns_from(WS, &conversation, 1, 1),
        conversation::last_turns(WS, std::slice::from_ref(&conversation)),
        work::step::of_definitions(WS, std::slice::from_ref(&work_id)),
        work::step::of_run(WS, &work_run),
        work::result::pending(None, &work::place::Place::START, 1),
        work::result::task_of(WS, &work_id),
        work::status::replaced_between(WS, &work_id, [Seq(1), Seq(2)]),
        work::step::of_runs(WS, std::slice::from_ref(&work_run)),
        work::run::started_of_since(WS, std::slice::from_ref(&work_id), at(0)),
        work::delivery::by_id(WS, &world.id()),
        work::delivery::unread_of_work(WS, &work_id),
        work::delivery::known(WS, &[]),
        work::delivery::read_before(None, at(0), 1),
        work::delivery::newest(WS, (at(0), "~"), 1),
        work::delivery::newest_of_state(WS, DeliveryState::Pending, (at(0), "~"), 1),
        PLACES[0].after(WS, &PLACES[0].start(), 1),
        stored_words::request_spans(WS, &stored_words::first_request(), 1),
        stored_words::line_hashes(WS, &stored_words::first_line(), 1),
        stored_words::entry_documents(WS, &task),
    )
}

#[test]
fn no_query_is_missing_among_those_that_are_looked_at() {
    let seen = queries(&World::in_memory()).len();
    // A function that takes a query and returns one reads the same rows.
    let is_query = |line: &&str| line.contains(") -> Query<") && !line.contains("query: Query<");
    let public: usize = sources(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")))
        .iter()
        .map(|source| source.lines().filter(is_query).count())
        .sum();
    let of_one_query_per_database = 7;
    assert_eq!(seen, public + of_one_query_per_database, "a query is missing in the list above");
}

/// Queries that may read a whole table, and why.
const WHOLE: &[&str] = &[
    // One row per workspace, and the first change row of each.
    "change_log::oldest(Db::Journal)",
    // Run only when there are more change rows than are kept.
    "change_log::last_before(Db::Journal, WS, at(0), 1, Seq(1))",
    "wake_queue::oldest_signal(WS)",
    // Run only when a database was restored.
    "fence::all(WS)",
    // What it scans is what it has found so far, by the index.
    "label_task::reaches(WS, &[world.id()])",
    // A list filtered by agents reads all of them.
    "subscription::own(WS)",
    // Only items that a rule has yet to confirm.
    "rule::waiting(1)",
    // Read once by an export to todo.txt, which reads every task.
    "imported::tasks(WS)",
    // Read when the time zone of the workspace changes, which moves all of them.
    "timer::waiting(WS, timer::Kind::DueDate)",
];

/// A search by workspace alone reads the whole table or index: allowed only for those that stay
/// small.
const SMALL: &[&str] = &[
    // One row per workspace.
    "SEARCH counters USING INDEX sqlite_autoindex_counters_1 (ws=?)",
    "SCAN counters USING INDEX sqlite_autoindex_counters_1",
    "SEARCH feed_position USING INDEX sqlite_autoindex_feed_position_1 (ws=?)",
    "SCAN feed_position USING INDEX sqlite_autoindex_feed_position_1",
    // Only waiting rows.
    "SEARCH wake_queue USING INDEX wake_queue_due (ws=?)",
    "SEARCH wake_queue USING INDEX wake_queue_due_of (ws=?)",
    // A person makes few rules.
    "SEARCH rules USING INDEX sqlite_autoindex_rules_1 (ws=?)",
    // Only open items.
    "SEARCH change_items USING INDEX change_items_waiting (ws=?)",
    "SEARCH change_items USING COVERING INDEX change_items_open (ws=?)",
    "SCAN saga_log USING COVERING INDEX saga_log_open",
    // Only removals that have not ended.
    "SEARCH purges USING INDEX purges_open (ws=?)",
    "SCAN purges USING INDEX purges_open",
    // Only results that were not brought back yet.
    "SCAN work_results USING INDEX work_results_pending",
    // Only runs that wait for the person.
    "SEARCH work_runs USING INDEX work_runs_waiting (ws=?)",
    // As many as there may be.
    "SEARCH work_definitions USING INDEX work_definitions_live (ws=?)",
    "SEARCH f USING INDEX sqlite_autoindex_work_filters_1 (ws=?)",
    "SEARCH d USING INDEX work_definitions_live (ws=?)",
    "SCAN work_filters USING COVERING INDEX sqlite_autoindex_work_filters_1",
    // The workspace's first entry.
    "SEARCH t USING INDEX timers_due (ws=?)",
    // Only agents that have not reported since a database was restored.
    "SEARCH outdated_agents USING INDEX sqlite_autoindex_outdated_agents_1 (ws=?)",
    // One row per provider.
    "SEARCH breakers USING INDEX sqlite_autoindex_breakers_1 (ws=?)",
    // One row per workspace.
    "SEARCH model_settings USING INDEX sqlite_autoindex_model_settings_1 (ws=?)",
    // The last entry.
    "SEARCH change_log USING INDEX sqlite_autoindex_change_log_1 (ws=?)",
    // A handful.
    "SEARCH settings USING INDEX sqlite_autoindex_settings_1 (ws=?)",
    // A handful: expired tokens are deleted.
    "SEARCH tokens USING INDEX sqlite_autoindex_tokens_1 (ws=?)",
    // The rows of one area that have the words.
    "SCAN search_words VIRTUAL TABLE INDEX 0:M1",
    // Only logs that an earlier version folded.
    "SCAN search_backlog USING INDEX sqlite_autoindex_search_backlog_1",
    // Rows the statement itself produced.
    "SCAN (subquery-3)",
    "SCAN ranked",
    "SCAN waiting",
    "SCAN armed",
    "SCAN first_0",
    "SCAN first_1",
    "SCAN first_2",
    "SCAN first_3",
];

/// Queries by a page of keys for which Postgres reads all of a table that has hardly more rows than
/// the page, as the filled ones.
const PAGES_ON_POSTGRES: &[&str] = &[
    "log_line::sources(",
    "wake_request::origins(",
    "conversation::last_turns(",
    "work::step::of_runs(",
    "rule::held_counts(",
];

/// The same for Postgres, by index.
const SMALL_ON_POSTGRES: &[&str] = &[
    // Only open questions.
    "work_questions_open",
    // Only results that were not brought back yet.
    "work_results_pending",
    "counters_pkey",
    "feed_position_pkey",
    // Only waiting rows, only leased rows.
    "wake_queue_due",
    "wake_queue_due_of",
    "wake_queue_leased",
    "wake_queue_put_off",
    // A person makes few rules.
    "rules_pkey",
    // Only open items.
    "change_items_waiting",
    "saga_log_open",
    "purges_open",
    // Only runs that wait for the person.
    "work_runs_waiting",
    "work_definitions_live",
    "work_filters_pkey",
    // The first entry.
    "work_definitions_due",
    "breakers_pkey",
    "outdated_agents_pkey",
    "settings_pkey",
    "model_settings_pkey",
    // Only logs that an earlier version folded.
    "search_backlog_pkey",
    "tokens_pkey",
    // The first entry, and the first one after it.
    "timers_due",
    // Only labels and categories.
    "journal_definition",
    // Messages alone, and what agents watch as their own: the filler rows contain neither, and
    // reading an empty index costs nothing.
    "agent_messages",
    "subscriptions_own",
];

fn reads_too_much(line: &str) -> bool {
    let much = line.starts_with("SCAN") || line.contains("(ws=?)");
    much && !SMALL.contains(&line)
}

/// The files that hold queries, so that a new query is not forgotten here.
fn sources(folder: &std::path::Path) -> Vec<String> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources.extend(self::sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(std::fs::read_to_string(&path).expect("a source"));
        }
    }
    sources
}

/// It reads no table but by an index, and of that one entry for each distinct value.
#[test]
fn the_reach_of_a_label_is_found_by_its_index() {
    let world = World::in_a_folder();
    let query = label_task::reaches(WS, &[world.id()]);
    let lines = plan(&world, query.db, query.sql);
    let by_index = "SEARCH t USING COVERING INDEX label_tasks_reach (ws=? AND label_id=?";
    assert_eq!(lines.iter().filter(|line| line.starts_with(by_index)).count(), 2, "{lines:#?}");
    let scans = lines.iter().filter(|line| line.starts_with("SCAN")).map(String::as_str);
    assert_eq!(scans.collect::<Vec<_>>(), ["SCAN r", "SCAN reaches"], "what it has found");
}
