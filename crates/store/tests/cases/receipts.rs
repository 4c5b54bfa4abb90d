//! One id is applied once, and a repetition gets the same answer.

use dormouse_store::journal::setting;
use dormouse_store::receipt::{self, Receipt};
use dormouse_store::{ChangeRow, Commit, CommitError, Committed, Db, Once, Op, Refusal, params};
use dormouse_types::{Origin, WorkspaceId, hash};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    the_same_request_gets_the_stored_answer_and_writes_nothing,
    another_request_under_the_id_is_refused,
    a_refused_commit_leaves_no_receipt,
    a_receipt_holds_what_undo_needs,
    ids_are_used_per_workspace_and_database,
);

fn once(id: &str, request: &str, answer: &str) -> Once {
    Once { id: id.into(), request: hash::sha256(request), answer: answer.into(), effects: None }
}

fn commit(ws: WorkspaceId, value: &str) -> Commit {
    let change = ChangeRow::journal(Origin::Import, Vec::new(), Vec::new());
    Commit::new("test.once", Db::Journal, ws).op(setting::put(ws, "k", value)).change(change)
}

fn the_same_request_gets_the_stored_answer_and_writes_nothing(world: &World) {
    let first = world.apply(commit(WS, "1").once(once("id", "request", "the first answer")));
    assert_eq!(first.replayed, None);
    world.apply(commit(WS, "2"));
    let before = world.everything(Db::Journal);

    let again = world.apply(commit(WS, "3").once(once("id", "request", "another answer")));
    assert_eq!(again, Committed { seq: first.seq, replayed: Some("the first answer".into()) });
    assert_eq!(world.everything(Db::Journal), before);
}

fn another_request_under_the_id_is_refused(world: &World) {
    world.apply(commit(WS, "1").once(once("id", "request", "answer")));
    let before = world.everything(Db::Journal);
    let error = world.send(commit(WS, "2").once(once("id", "other", "answer"))).unwrap_err();
    assert_eq!(error, CommitError::Mismatch { label: "test.once", id: "id".into() });
    assert!(error.to_string().contains("id was already used"), "{error}");
    assert_eq!(world.everything(Db::Journal), before);
}

fn a_refused_commit_leaves_no_receipt(world: &World) {
    let sql = "UPDATE settings SET value = 'x' WHERE ws = ?1 AND key = 'not there'";
    let never = Op::one(sql, params![WS.0], Refusal::Stale);
    let refused = commit(WS, "1").once(once("id", "request", "answer")).op(never);
    assert_eq!(world.refusal(refused), Refusal::Stale);
    assert_eq!(world.first(receipt::by_id(Db::Journal, WS, "id")), None);

    let decided_again = world.apply(commit(WS, "2").once(once("id", "request", "answer")));
    assert_eq!(decided_again.replayed, None);
    assert_eq!(world.first(setting::by_key(WS, "k")).as_deref(), Some("2"));
}

fn a_receipt_holds_what_undo_needs(world: &World) {
    let effects = Some(r#"{"title":{"before":"a","after":"b"}}"#.to_owned());
    let wanted = Once { effects: effects.clone(), ..once("id", "request", "answer") };
    let seq = world.apply(commit(WS, "1").once(wanted)).seq;
    let stored = world.only(receipt::by_id(Db::Journal, WS, "id"));
    let expected = Receipt {
        id: "id".into(),
        request: hash::sha256("request"),
        answer: "answer".into(),
        effects,
        seq,
        at: at(0),
    };
    assert_eq!(stored, expected);
}

fn ids_are_used_per_workspace_and_database(world: &World) {
    let wanted = || once("id", "request", "answer");
    assert_eq!(world.apply(commit(WS, "1").once(wanted())).replayed, None);
    assert_eq!(world.apply(commit(OTHER_WS, "1").once(wanted())).replayed, None);
    let in_agent_store = Commit::new("test.once", Db::Agent, WS).once(wanted());
    assert_eq!(world.apply(in_agent_store.clone()).replayed, None);
    assert_eq!(world.apply(in_agent_store).replayed.as_deref(), Some("answer"));
}
