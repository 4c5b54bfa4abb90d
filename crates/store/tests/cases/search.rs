//! The search index finds the same on both engines: words by their beginning, in one memory only.

use dormouse_store::agent::checkpoint::{self, Checkpoint};
use dormouse_store::agent::log_line::{self, Line, LineSubject};
use dormouse_store::agent::memory_index::{self, Backlog, Found, Place};
use dormouse_store::agent::source::Source;
use dormouse_store::{Db, Op, Refusal, Row, Value, params};
use dormouse_types::closed_list::Listed;
use dormouse_types::memory::{Audience, CheckpointKind, MemoryKind};
use dormouse_types::search_words::WordQuery;
use dormouse_types::{AgentId, EntryId, HolderId, RunKey, Timestamp, WorkspaceId, hash};

use crate::world::{OTHER_WS, WS, World, agent_commit, at};

each_engine!(
    words_are_found_by_their_beginning_without_case_and_accents,
    whatever_a_query_says_it_is_only_words,
    a_memory_is_searched_alone,
    results_are_newest_first_and_come_in_pages,
    a_text_is_in_the_index_once,
    what_is_purged_is_found_no_more,
    a_text_that_is_not_stored_is_not_added,
    a_long_text_of_many_words_is_found,
    a_backlog_is_worked_off_once,
);

const NEWEST: (Timestamp, &str) = (Timestamp::from_micros(i64::MAX), "");

fn word_query(query: &str) -> WordQuery {
    WordQuery::of(query).expect("a query with a word")
}

/// Adds a line to a log and to the index.
fn put(world: &World, ws: WorkspaceId, holder: &HolderId, n: i64, text: &str) {
    let run = RunKey("run".into());
    let sources = vec![Source::Run(run.clone())];
    let line = Line {
        n,
        sha256: hash::sha256(text),
        text: Some(text.into()),
        sources,
        subject: LineSubject::None,
        removed_at: None,
        run: run.clone(),
    };
    let ops = log_line::append(ws, holder.clone(), n, text, (&line.sources, None), &run);
    let ops = ops.into_iter().chain([memory_index::put_line(ws, holder, &line, at(n), text)]);
    let commit = dormouse_store::Commit { ws, ..agent_commit(ops) };
    world.apply(commit);
}

fn holder(world: &World) -> HolderId {
    world.id::<AgentId>().into()
}

fn found(world: &World, holder: &HolderId, query: &str) -> Vec<i64> {
    lines(world, WS, holder, query)
}

fn lines(world: &World, ws: WorkspaceId, holder: &HolderId, query: &str) -> Vec<i64> {
    let word_query = word_query(query);
    let query = memory_index::matching(world.store.engine(), ws, holder, &word_query, NEWEST, 99);
    let number = |found: Found| match found.place {
        Place::Line(n) => n,
        Place::Checkpoint(n) => -n,
    };
    world.all(query).into_iter().map(number).collect()
}

fn words_are_found_by_their_beginning_without_case_and_accents(world: &World) {
    let holder = holder(world);
    put(world, WS, &holder, 1, "Zum Café in der Straße: am 2026-03-01, 140,50 EUR");
    put(world, WS, &holder, 2, "明日の会議 with anna@example.org");
    put(world, WS, &holder, 3, "Nothing of interest");
    for query in ["cafe", "CAF", "café straße", "stras", "2026-03", "03-01", "140,5", "eur zum"] {
        assert_eq!(found(world, &holder, query), [1], "{query}");
    }
    for query in ["会", "会議", "anna@example", "example.org"] {
        assert_eq!(found(world, &holder, query), [2], "{query}");
    }
    for query in ["afe", "cafe nothing", "2026-04", "会社"] {
        assert_eq!(found(world, &holder, query), [0i64; 0], "{query}");
    }
}

fn whatever_a_query_says_it_is_only_words(world: &World) {
    let holder = holder(world);
    put(world, WS, &holder, 1, "near the van or not, in columns");
    put(world, WS, &holder, 2, "a lamp");
    let hostile = [
        "NEAR(van the)",
        "van OR",
        "\"van",
        "van' | 'lamp",
        "van\0",
        "van:*&!",
        "{van}: not",
        "^van",
        "van --",
        "van*; DROP TABLE search_index",
        "(((van",
        "van\\",
    ];
    for query in hostile {
        let rows = found(world, &holder, query);
        assert!(rows.is_empty() || rows == [1], "{query}: {rows:?}");
    }
    assert_eq!(found(world, &holder, "\"van\" OR NOT near*"), [1], "words like all others");
    assert_eq!(found(world, &holder, "van OR lamp"), [0i64; 0]);
    assert_eq!(found(world, &holder, &"lamp ".repeat(2_000)), [2]);
    assert_eq!(found(world, &holder, &"x".repeat(10_000)), [0i64; 0]);
    for nothing in ["", " \0 ", "*\"'()-^:|&!", "…?!"] {
        assert_eq!(WordQuery::of(nothing), None, "{nothing}");
    }
}

fn a_memory_is_searched_alone(world: &World) {
    let (one, other) = (holder(world), holder(world));
    put(world, WS, &one, 1, "the van of one");
    put(world, WS, &other, 2, "the van of another");
    put(world, OTHER_WS, &one, 3, "the van of another workspace");
    assert_eq!(found(world, &one, "van"), [1]);
    assert_eq!(found(world, &other, "van"), [2]);
    assert_eq!(lines(world, OTHER_WS, &one, "van"), [3]);
    assert_eq!(lines(world, OTHER_WS, &other, "van"), [0i64; 0]);
    // Even if the marks before their words were the same.
    let area = one.to_string();
    world.agent([Op::any(
        "UPDATE search_index SET area = ?1 WHERE ws = 1 AND area <> ?1",
        params![area],
    )]);
    assert_eq!(found(world, &other, "van"), [0i64; 0]);
}

fn results_are_newest_first_and_come_in_pages(world: &World) {
    let holder = holder(world);
    for n in [2, 5, 1, 4, 3] {
        put(world, WS, &holder, n, &format!("van number {n}"));
    }
    assert_eq!(found(world, &holder, "van"), [5, 4, 3, 2, 1]);
    let word_query = word_query("van");
    let page = |before: (Timestamp, &str)| {
        let engine = world.store.engine();
        world.all(memory_index::matching(engine, WS, &holder, &word_query, before, 2))
    };
    let first = page(NEWEST);
    assert_eq!(first.len(), 2);
    let text = "van number 5";
    let expected = Found {
        place: Place::Line(5),
        kind: Listed::Known(MemoryKind::Observation),
        at: at(5),
        sha256: hash::sha256(text),
        sources: vec![Source::Run(RunKey("run".into()))],
    };
    assert_eq!(first[0], expected);
    let last = &first[1];
    let second = page((last.at, &last.place.to_string()));
    assert_eq!([second[0].place, second[1].place], [Place::Line(3), Place::Line(2)]);
}

fn summary(n: i64, body: &str) -> Checkpoint {
    Checkpoint {
        n,
        audience: Listed::Known(Audience::Everything),
        kind: Listed::Known(CheckpointKind::Summary),
        model: "m".into(),
        version: 1,
        from: 1,
        upto: 2,
        depth: 1,
        sha256: hash::sha256(body),
        sources: vec![Source::Entry(
            "en-00000000000000000000000001".parse::<EntryId>().expect("id"),
        )],
        tainted: true,
        run: RunKey("run".into()),
        created_at: at(9),
        removed_at: None,
    }
}

fn a_text_is_in_the_index_once(world: &World) {
    let holder = holder(world);
    put(world, WS, &holder, 1, "the van");
    let before = world.everything(Db::Agent);
    let line = world.only(log_line::of_holder(WS, holder.clone(), 1, 1));
    world.agent([memory_index::put_line(WS, &holder, &line, at(7), "other words")]);
    assert_eq!(world.everything(Db::Agent), before);
    // A checkpoint with the number of a line is another text.
    let checkpoint = summary(1, "what the van costs");
    let ops = checkpoint::insert(WS, &holder, &checkpoint, "what the van costs");
    let index = memory_index::put_checkpoint(WS, &holder, &checkpoint, "what the van costs");
    world.agent(ops.into_iter().chain([index]));
    assert_eq!(found(world, &holder, "van"), [-1, 1]);
}

fn what_is_purged_is_found_no_more(world: &World) {
    let (one, other) = (holder(world), holder(world));
    put(world, WS, &one, 1, "a secret van");
    put(world, WS, &one, 2, "a plain van");
    put(world, WS, &other, 1, "a secret van");
    let secret = hash::sha256("a secret van");
    let purge = "DELETE FROM texts WHERE ws = ?1 AND sha256 = ?2";
    world.agent([Op::one(purge, params![WS.0, secret.as_str()], Refusal::Missing)]);
    assert_eq!(found(world, &one, "van"), [2]);
    assert_eq!(found(world, &one, "secret"), [0i64; 0]);
    assert_eq!(found(world, &other, "van"), [0i64; 0]);
    assert_eq!(world.raw(Db::Agent, "SELECT id FROM search_index").len(), 1);
    // A purged text cannot come back through the index.
    let line = world.only(log_line::of_holder(WS, one.clone(), 1, 1));
    assert_eq!(line.text, None);
}

/// The engine would otherwise keep the words of a deleted row until it merges its index.
#[test]
fn no_word_of_a_purged_text_stays_in_the_index_of_sqlite() {
    let world = World::in_memory();
    let holder = holder(&world);
    for n in 1..40 {
        put(&world, WS, &holder, n, &format!("plain van number {n}"));
    }
    put(&world, WS, &holder, 40, "a zanzibar van");
    let words = || {
        let blocks = world.raw(Db::Agent, "SELECT block FROM search_words_data");
        let is_there = |row: &Row| match row.0.first() {
            Some(Value::Blob(block)) => block.windows(8).any(|bytes| bytes == b"zanzibar"),
            _ => false,
        };
        blocks.iter().any(is_there)
    };
    assert!(words());
    let sha256 = hash::sha256("a zanzibar van");
    let purge = "DELETE FROM texts WHERE ws = ?1 AND sha256 = ?2";
    world.agent([Op::one(purge, params![WS.0, sha256.as_str()], Refusal::Missing)]);
    assert!(!words());
    assert_eq!(found(&world, &holder, "van").len(), 39);
}

/// A text that is purged while its line is folded is not in the index, and the fold goes on.
fn a_text_that_is_not_stored_is_not_added(world: &World) {
    let holder = holder(world);
    let text = "a van";
    let line = Line {
        n: 1,
        sha256: hash::sha256(text),
        text: None,
        sources: Vec::new(),
        subject: LineSubject::None,
        removed_at: None,
        run: RunKey("run".into()),
    };
    world.agent([memory_index::put_line(WS, &holder, &line, at(1), text)]);
    assert_eq!(found(world, &holder, "van"), [0i64; 0]);
}

fn a_long_text_of_many_words_is_found(world: &World) {
    let holder = holder(world);
    let worst: String = (0..6_000).map(|n| format!("{}.", n % 977)).collect();
    put(world, WS, &holder, 1, &format!("{worst} needle"));
    put(world, WS, &holder, 2, &format!("{}needle", "é".repeat(16 * 1024)));
    put(world, WS, &holder, 3, "");
    assert_eq!(found(world, &holder, "needle"), [1]);
    assert_eq!(found(world, &holder, "976.0.1.2"), [1]);
    assert_eq!(found(world, &holder, &"e".repeat(99)), [2]);
}

fn a_backlog_is_worked_off_once(world: &World) {
    let holder = holder(world);
    assert_eq!(world.first(memory_index::backlog()), None);
    let insert = "INSERT INTO search_backlog (ws, agent_id, next, upto) VALUES (?1, ?2, 1, 5)";
    world.agent([Op::any(insert, params![WS.0, holder.to_string()])]);
    let backlog = |next| Backlog { ws: WS, holder: holder.clone(), next, upto: 5 };
    assert_eq!(world.only(memory_index::backlog()), backlog(1));
    world.agent([memory_index::advance(&backlog(1), 4)]);
    assert_eq!(world.agent_refusal([memory_index::advance(&backlog(1), 4)]), Refusal::Exists);
    assert_eq!(world.only(memory_index::backlog()), backlog(4));
    world.agent([memory_index::advance(&backlog(4), 6)]);
    assert_eq!(world.first(memory_index::backlog()), None);
    assert_eq!(world.agent_refusal([memory_index::advance(&backlog(4), 6)]), Refusal::Exists);
}
