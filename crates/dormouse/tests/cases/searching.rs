//! What an agent remembers is searched page by page: lines that are not folded, then folded ones.

use dormouse::view::MemoryHit;
use dormouse_store::agent::checkpoint::{self, Checkpoint};
use dormouse_store::agent::log_line::{self, Line, LineSubject};
use dormouse_store::agent::memory_index;
use dormouse_store::agent::source::Source;
use dormouse_store::{Commit, Db};
use dormouse_types::closed_list::Listed;
use dormouse_types::memory::{Audience, CheckpointKind, MemoryKind};
use dormouse_types::{AgentId, EntryId, HolderId, RunKey, Timestamp, hash};

use crate::world::{World, me, now};

fn entry() -> EntryId {
    "en-00000000000000000000000001".parse().expect("an id")
}

fn line(n: i64, text: &str) -> Line {
    let text = format!("<data of=\"input\">\n{text}\n</data>");
    let sources = vec![Source::Entry(entry())];
    Line {
        n,
        sha256: hash::sha256(&text),
        text: Some(text),
        sources,
        subject: LineSubject::None,
        removed_at: None,
        run: RunKey("run".into()),
    }
}

/// An agent with a log of which lines up to a number are folded.
fn agent(world: &World, texts: &[String], folded: i64) -> AgentId {
    let agent = world.agent(&world.task("Move").id).id;
    let (ws, holder) = (me().workspace, HolderId::from(&agent));
    let run = RunKey("run".into());
    let mut commit = Commit::new("test", Db::Agent, ws);
    for (n, text) in (1..).zip(texts) {
        let line = line(n, text);
        let text = line.text.as_deref().unwrap_or_default();
        commit = commit.ops(log_line::append(ws, &agent, n, text, (&line.sources, None), &run));
        if n <= folded {
            let at = Timestamp::from_micros(n);
            commit = commit.op(memory_index::put_line(ws, &holder, &line, at, text));
        }
    }
    if folded > 0 {
        let body = "A summary of vans.";
        let checkpoint = Checkpoint {
            n: 1,
            audience: Listed::Known(Audience::Everything),
            kind: Listed::Known(CheckpointKind::Summary),
            model: "m".into(),
            version: 1,
            from: 1,
            upto: folded,
            depth: 1,
            sha256: hash::sha256(body),
            sources: Vec::new(),
            tainted: true,
            run,
            created_at: Timestamp::from_micros(folded + 1),
            removed_at: None,
        };
        commit = commit.ops(checkpoint::insert(ws, &holder, &checkpoint, body));
        commit = commit.op(memory_index::put_checkpoint(ws, &holder, &checkpoint, body));
    }
    now(world.store.commit(commit)).expect("a log");
    agent
}

/// All pages of a search, and how many there are.
fn all(world: &World, agent: &AgentId, words: &str, limit: usize) -> (Vec<MemoryHit>, usize) {
    let (mut hits, mut cursor, mut n_pages) = (Vec::new(), None::<String>, 0);
    loop {
        let me = me();
        let page = world.dormouse.search_memory(&me, agent, words, limit, cursor.as_deref());
        let page = now(page).expect("a page");
        assert!(page.items.len() <= limit);
        hits.extend(page.items);
        n_pages += 1;
        let Some(next) = page.next_cursor else { return (hits, n_pages) };
        cursor = Some(next);
    }
}

fn places(hits: &[MemoryHit]) -> Vec<i64> {
    hits.iter().map(|hit| hit.line.unwrap_or(0)).collect()
}

#[test]
fn in_pages_of_any_size_every_text_is_found_once_newest_first() {
    let world = World::new();
    let text = |n: i64| {
        let van = if n % 3 == 0 { "the Ván" } else { "a lamp" };
        format!("{van} of day {n}")
    };
    let texts: Vec<String> = (1..=700).map(text).collect();
    let agent = agent(&world, &texts, 150);
    let newer = (151..=700).rev().filter(|n| n % 3 == 0);
    let older = (1..=150).rev().filter(|n| n % 3 == 0);
    let expected: Vec<i64> = newer.chain([0]).chain(older).collect();
    for limit in [1, 7, 200] {
        let (hits, _) = all(&world, &agent, "van", limit);
        assert_eq!(places(&hits), expected, "{limit}");
    }
    assert_eq!(places(&all(&world, &agent, "day 150", 9).0), [150]);
    let (none, n_pages) = all(&world, &agent, "horse", 50);
    assert_eq!((none.len(), n_pages), (0, 3), "550 lines, 200 for each page");
    let (hits, _) = all(&world, &agent, "summary vans", 9);
    let expected = MemoryHit {
        line: None,
        checkpoint: Some(1),
        kind: Listed::Known(MemoryKind::Summary),
        at: Timestamp::from_micros(151),
        entry_id: None,
        excerpt: "A summary of vans.".into(),
    };
    assert_eq!(hits, [expected]);
    let (hits, _) = all(&world, &agent, "day 3 van", 200);
    let last = hits.last().expect("line 3");
    let (line, kind) = (Some(3), Listed::Known(MemoryKind::Entry));
    assert_eq!((last.line, &last.kind, &last.entry_id), (line, &kind, &Some(entry())));
    assert_eq!(last.excerpt, "the V\u{e1}n of day 3");
}

#[test]
fn an_agent_without_a_model_that_folds_is_searched_as_well() {
    let world = World::new();
    let folds_nothing = agent(&world, &["The van.".into(), "A lamp.".into()], 0);
    let empty = agent(&world, &[], 0);
    assert_eq!(places(&all(&world, &folds_nothing, "van", 9).0), [1]);
    assert_eq!(places(&all(&world, &folds_nothing, "data of input", 9).0), [0i64; 0]);
    assert_eq!(places(&all(&world, &empty, "van", 9).0), [0i64; 0]);
}

#[test]
fn a_search_that_cannot_be_made_says_why() {
    let world = World::new();
    let agent = agent(&world, &["The van.".into()], 0);
    let refused = |words: &str, cursor| {
        let me = me();
        let page = world.dormouse.search_memory(&me, &agent, words, 9, cursor);
        now(page).err().unwrap_or_else(|| panic!("{words:?} is refused")).to_string()
    };
    assert!(refused(" \0*\"'()", None).contains("no letter or digit"));
    assert!(refused(&"x".repeat(10_000), None).contains("query of a memory is 10000 characters"));
    for cursor in ["", "12", "line.x", "folded.1", "folded.x.line-1"] {
        assert!(refused("van", Some(cursor)).contains("is not a cursor of this list"), "{cursor}");
    }
    let other: AgentId = "ag-00000000000000000000000009".parse().expect("an id");
    let page = now(world.dormouse.search_memory(&me(), &other, "van", 9, None));
    let error = page.expect_err("there is no such agent").to_string();
    assert!(error.contains("there is no agent ag-"), "{error}");
    for words in ["van\0", "\"van", "van' | '", "NEAR(van", "(van"] {
        now(world.dormouse.search_memory(&me(), &agent, words, 9, None)).expect(words);
    }
}
