//! Who may come in: what a token may do, how it ends, codes that work once, tickets for sockets.

use std::time::Duration;

use dormouse::dates::Wording;
use dormouse::view::{Code, CreatedToken, Secret};
use dormouse::{Caller, Error, NewTask, NewToken, NewWork};
use dormouse_store::{Commit, Db, Op, Query};
use dormouse_types::caller::Actor;
use dormouse_types::work::WorkCreator;
use dormouse_types::work_kind::{Agenda, WorkParameters};
use dormouse_types::{Id as _, Scope, TokenId, TokenKind, WorkspaceId, limits};

use crate::world::{World, me, now, token};

fn wanted(kind: TokenKind, scopes: &[Scope]) -> NewToken {
    NewToken { name: "Script".into(), kind, scopes: scopes.to_vec(), expires_in_days: None }
}

fn made(world: &World, kind: TokenKind, scopes: &[Scope]) -> CreatedToken {
    now(world.dormouse.create_token(&me(), wanted(kind, scopes))).expect("a token")
}

fn caller(world: &World, token: &Secret) -> Option<Caller> {
    now(world.dormouse.authenticate(&token.0)).expect("the store answers")
}

fn code(world: &World) -> Code {
    now(world.dormouse.new_code(&me())).expect("a code")
}

fn texts(world: &World, db: Db, sql: &'static str) -> Vec<String> {
    let decode = |row: &dormouse_store::Row| Ok(format!("{:?}", row.0));
    now(world.store.all(Query { db, sql, params: Vec::new(), decode })).expect("rows")
}

fn audited(world: &World) -> Vec<String> {
    let sql = "SELECT actor, action, object, detail FROM audit_log
               WHERE action LIKE 'token.%' OR action LIKE 'access.%' ORDER BY seq";
    let text = |row: &dormouse_store::Row| {
        let text = |n| row.text(n).unwrap_or("?").to_owned();
        Ok([text(0), text(1), text(2), text(3)].join(" | "))
    };
    let query = Query { db: Db::Journal, sql, params: Vec::new(), decode: text };
    now(world.store.all(query)).expect("rows")
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>, slug: &str, words: &[&str]) {
    let problem = result.expect_err(slug).problem();
    assert_eq!(problem.kind.name(), slug, "{}", problem.detail);
    for word in words {
        assert!(problem.detail.contains(word), "{}: no {word}", problem.detail);
    }
}

#[test]
fn a_token_grants_its_scopes_in_its_workspace() {
    let world = World::new();
    let made = made(&world, TokenKind::Person, &[Scope::Edit, Scope::Read, Scope::Edit]);
    let text = &made.token.0;
    assert!(text.starts_with("dm_") && text.len() == 46, "{text}");
    let digits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    assert!(text.chars().all(digits), "{text}");
    assert_eq!(made.details.scopes, [Scope::Read, Scope::Edit]);
    let caller = caller(&world, &made.token).expect("it opens");
    let actor = Actor::Token(made.details.id.to_string());
    assert_eq!(caller, Caller { actor, ..token(&[Scope::Read, Scope::Edit]) });
    now(world.dormouse.create_task(&caller, NewTask::default(), None)).expect("it may edit");
    let access = now(world.dormouse.access(&caller)).expect("who asks");
    assert_eq!(access.actor, format!("token:{}", made.details.id));
    assert_eq!((access.workspace, access.scopes), (1, vec![Scope::Read, Scope::Edit]));
}

#[test]
fn agent_work_says_whether_a_person_or_a_program_began_it() {
    let world = World::new();
    for (kind, creator) in [
        (TokenKind::Person, WorkCreator::User),
        (TokenKind::Agent, WorkCreator::Agent),
        (TokenKind::Mcp, WorkCreator::Agent),
    ] {
        let made = made(&world, kind, &[Scope::Read, Scope::Edit]);
        let caller = caller(&world, &made.token).expect("it opens");
        let new = NewWork {
            title: "Agenda".into(),
            parameters: Some(WorkParameters::Agenda(Agenda::default())),
            schedule: Some("every day at 9".into()),
            ..NewWork::default()
        };
        let work = now(world.dormouse.create_work(&caller, new, Wording::default(), None));
        let work = work.expect("work");
        let run = now(world.dormouse.run_work(&caller, &work.id, None)).expect("a run");
        assert_eq!((work.created_by, run.created_by), (creator, creator), "{kind:?}");
        now(world.dormouse.pause_work(&me(), &work.id, None)).expect("it is paused");
        let again = now(world.dormouse.run_work(&caller, &work.id, None));
        match creator {
            WorkCreator::User => assert_eq!(again.expect("a run").created_by, creator),
            _ => {
                let problem = again.expect_err("it is paused").problem();
                assert!(problem.detail.contains("only a person runs"), "{}", problem.detail);
            }
        }
    }
}

#[test]
fn a_token_opens_its_own_workspace_alone() {
    let world = World::new();
    let theirs = Caller::owner(WorkspaceId(2));
    let new = wanted(TokenKind::Person, Scope::ALL);
    let other = now(world.dormouse.create_token(&theirs, new)).expect("a token");
    let ours = made(&world, TokenKind::Person, Scope::ALL);
    assert_eq!(caller(&world, &other.token).map(|it| it.workspace), Some(WorkspaceId(2)));
    let revoke = now(world.dormouse.revoke_token(&me(), &other.details.id));
    refused(revoke, "not-found", &["token", other.details.id.as_str()]);
    let listed = now(world.dormouse.list_tokens(&me())).expect("tokens");
    assert_eq!(listed.iter().map(|it| &it.id).collect::<Vec<_>>(), [&ours.details.id]);
}

#[test]
fn nobody_makes_a_token_that_may_more_than_they() {
    let world = World::new();
    let admin = token(&[Scope::Read, Scope::Admin]);
    let make = |caller: &Caller, scopes: &[Scope]| {
        now(world.dormouse.create_token(caller, wanted(TokenKind::Person, scopes)))
    };
    for scope in [Scope::Propose, Scope::Edit, Scope::Decide] {
        refused(make(&admin, &[Scope::Read, scope]), "scope-missing", &[scope.name()]);
    }
    make(&admin, &[Scope::Read, Scope::Admin]).expect("as much as they may");
    let others = [Scope::Read, Scope::Propose, Scope::Edit, Scope::Decide];
    refused(make(&token(&others), &[Scope::Read]), "scope-missing", &["admin"]);
    let code = now(world.dormouse.new_code(&admin)).expect("a code");
    let page = now(world.dormouse.exchange(&code.code.0)).expect("a token");
    assert_eq!(page.scopes, [Scope::Read, Scope::Admin], "a code gives no more either");
}

#[test]
fn an_agent_never_decides_whatever_its_row_says() {
    let world = World::new();
    for kind in [TokenKind::Agent, TokenKind::Mcp] {
        for scope in [Scope::Decide, Scope::Admin] {
            let new = wanted(kind, &[Scope::Read, scope]);
            let result = now(world.dormouse.create_token(&me(), new));
            refused(result, "validation-failed", &[kind.name(), scope.name()]);
        }
        let made = made(&world, kind, &[Scope::Read, Scope::Propose, Scope::Edit]);
        let all = "UPDATE tokens SET scopes = 'read propose edit decide admin'";
        let commit = Commit::new("test", Db::Journal, WorkspaceId(1)).op(Op::any(all, Vec::new()));
        now(world.store.commit(commit)).expect("written directly");
        let caller = caller(&world, &made.token).expect("it opens");
        assert_eq!(caller.scopes, [Scope::Read, Scope::Propose, Scope::Edit], "{kind:?}");
    }
    let made = made(&world, TokenKind::Person, Scope::ALL);
    let newer = "UPDATE tokens SET kind = 'robot'";
    let commit = Commit::new("test", Db::Journal, WorkspaceId(1)).op(Op::any(newer, Vec::new()));
    now(world.store.commit(commit)).expect("written by a newer version");
    assert_eq!(caller(&world, &made.token).map(|it| it.scopes), Some(vec![]));
}

#[test]
fn what_a_token_is_made_from_is_checked() {
    let world = World::new();
    let make = |new| now(world.dormouse.create_token(&me(), new));
    let new = || wanted(TokenKind::Person, &[Scope::Read]);
    refused(make(NewToken { scopes: vec![], ..new() }), "validation-failed", &["at least one"]);
    refused(make(NewToken { name: "  ".into(), ..new() }), "validation-failed", &["name"]);
    let named = |n| NewToken { name: "n".repeat(n), ..new() };
    make(named(limits::TOKEN_NAME.max)).expect("just short enough");
    refused(make(named(limits::TOKEN_NAME.max + 1)), "validation-failed", &["60"]);
    let lasting = |days| NewToken { expires_in_days: Some(days), ..new() };
    refused(make(lasting(0)), "validation-failed", &["1 day"]);
    make(lasting(3650)).expect("just long enough");
    refused(make(lasting(3651)), "validation-failed", &["3650"]);
}

#[test]
fn a_workspace_has_so_many_live_tokens_and_no_more() {
    let world = World::new();
    let make = || {
        let new = wanted(TokenKind::Person, &[Scope::Read]);
        now(world.dormouse.create_token(&me(), new))
    };
    let first = make().expect("a token");
    (1..limits::TOKENS.max).for_each(|_| _ = make().expect("a token"));
    refused(make(), "limit-reached", &["200"]);
    let code = code(&world);
    refused(now(world.dormouse.exchange(&code.code.0)), "limit-reached", &["200"]);
    now(world.dormouse.revoke_token(&me(), &first.details.id)).expect("revoked");
    now(world.dormouse.exchange(&code.code.0))
        .expect("there is room, and the code was not used up");
    refused(make(), "limit-reached", &["200"]);
}

#[test]
fn a_revoked_or_expired_token_opens_nothing() {
    let world = World::new();
    let new = NewToken {
        expires_in_days: Some(1),
        ..wanted(TokenKind::Person, &[Scope::Read, Scope::Admin])
    };
    let short = now(world.dormouse.create_token(&me(), new)).expect("a token");
    let long = made(&world, TokenKind::Person, &[Scope::Read]);
    world.later(24 * 3600 - 1);
    assert!(caller(&world, &short.token).is_some());
    world.later(1);
    assert_eq!(caller(&world, &short.token), None, "the day is over");
    let alive = caller(&world, &long.token).expect("it opens");
    let revoked = now(world.dormouse.revoke_token(&me(), &long.details.id)).expect("revoked");
    assert!(!revoked.is_live && revoked.revoked_at.is_some());
    assert_eq!(caller(&world, &long.token), None);
    assert!(!now(world.dormouse.is_live(&alive)).expect("the store answers"));
    let again = now(world.dormouse.revoke_token(&me(), &long.details.id)).expect("no matter");
    assert_eq!(again.revoked_at, revoked.revoked_at);
    for wrong in ["", "dm_", "dm_x", &long.details.id.to_string(), &format!("{} ", short.token.0)] {
        assert_eq!(caller(&world, &Secret(wrong.to_owned())), None, "{wrong}");
    }
    world.later(31 * 24 * 3600);
    made(&world, TokenKind::Person, &[Scope::Read]);
    let listed = now(world.dormouse.list_tokens(&me())).expect("tokens");
    assert_eq!(listed.len(), 1, "those that ended a month ago are forgotten: {listed:?}");
}

#[test]
fn a_token_gives_itself_up_and_no_other() {
    let world = World::new();
    let (mine, other) = (
        made(&world, TokenKind::Agent, &[Scope::Propose]),
        made(&world, TokenKind::Person, &[Scope::Read]),
    );
    let me = caller(&world, &mine.token).expect("it opens");
    let revoke = |id: &TokenId| now(world.dormouse.revoke_token(&me, id));
    refused(revoke(&other.details.id), "scope-missing", &["admin"]);
    assert!(revoke(&mine.details.id).expect("its own").is_own);
    assert_eq!(caller(&world, &mine.token), None);
}

#[test]
fn the_last_use_is_known_to_the_minute() {
    let world = World::new();
    let made = made(&world, TokenKind::Person, &[Scope::Read, Scope::Admin]);
    let listed = || now(world.dormouse.list_tokens(&me())).expect("tokens")[0].last_used_at;
    assert_eq!(listed(), None);
    let first = dormouse_types::port::Clock::now(&world.clock);
    caller(&world, &made.token).expect("it opens");
    world.later(59);
    caller(&world, &made.token).expect("it opens");
    assert_eq!(listed(), Some(first), "a minute is one row");
    world.later(1);
    caller(&world, &made.token).expect("it opens");
    assert_eq!(listed(), Some(first + Duration::from_secs(60)));
}

#[test]
fn a_code_is_exchanged_once_and_within_ten_minutes() {
    let world = World::new();
    let exchange = |code: &str| now(world.dormouse.exchange(code));
    let first = code(&world);
    world.later(599);
    let page = exchange(&first.code.0).expect("a token");
    assert_eq!(page.scopes, Scope::ALL);
    let caller = caller(&world, &page.token).expect("it opens");
    assert!(caller.may(Scope::Decide), "a page is the person's");
    refused(exchange(&first.code.0), "code-refused", &["dormouse open"]);
    let late = code(&world);
    world.later(600);
    refused(exchange(&late.code.0), "code-refused", &["dormouse open"]);
    refused(exchange("never made"), "code-refused", &["dormouse open"]);
    assert_eq!(now(world.dormouse.list_tokens(&me())).expect("tokens").len(), 1);
    assert_eq!(page.expires_at, first.expires_at + Duration::from_secs(90 * 24 * 3600 - 1));
}

#[test]
fn a_ticket_opens_one_socket_within_half_a_minute() {
    let world = World::new();
    let made = made(&world, TokenKind::Person, &[Scope::Read]);
    let reader = caller(&world, &made.token).expect("it opens");
    let give = || now(world.dormouse.new_ticket(&reader)).expect("a ticket").ticket.0;
    let take = |ticket: &str| now(world.dormouse.redeem_ticket(ticket)).expect("the store answers");
    let ticket = give();
    world.later(29);
    assert_eq!(take(&ticket), Some(reader.clone()));
    assert_eq!(take(&ticket), None, "it was used");
    let late = give();
    world.later(30);
    assert_eq!(take(&late), None, "it has ended");
    assert_eq!(take("never given out"), None);
    let orphan = give();
    now(world.dormouse.revoke_token(&me(), &made.details.id)).expect("revoked");
    assert_eq!(take(&orphan), None, "its token was revoked");
    refused(now(world.dormouse.new_ticket(&token(&[Scope::Edit]))), "scope-missing", &["read"]);
}

#[test]
fn so_many_tickets_wait_and_no_more() {
    let world = World::new();
    let give = |n: usize| {
        let actor = Actor::Token(format!("tok-{}", n / limits::TICKETS_EACH.max));
        now(world.dormouse.new_ticket(&Caller { actor, ..me() }))
    };
    (0..limits::TICKETS.max).for_each(|n| _ = give(n).expect("a ticket"));
    refused(give(limits::TICKETS.max), "limit-reached", &["1000"]);
    world.later(limits::TICKET_SECONDS);
    give(0).expect("those that ended make room");
}

#[test]
fn a_token_that_takes_tickets_without_end_takes_none_from_others() {
    let world = World::new();
    let greedy = token(&[Scope::Read]);
    (0..limits::TICKETS_EACH.max)
        .for_each(|_| _ = now(world.dormouse.new_ticket(&greedy)).expect("a ticket"));
    refused(now(world.dormouse.new_ticket(&greedy)), "limit-reached", &["50"]);
    now(world.dormouse.new_ticket(&me())).expect("the owner has tickets of their own");
    world.later(limits::TICKET_SECONDS);
    now(world.dormouse.new_ticket(&greedy)).expect("those that ended make room");
}

#[test]
fn the_audit_log_says_who_let_whom_in() {
    let world = World::new();
    let made = made(&world, TokenKind::Agent, &[Scope::Read, Scope::Propose]);
    now(world.dormouse.revoke_token(&me(), &made.details.id)).expect("revoked");
    now(world.dormouse.revoke_token(&me(), &made.details.id)).expect("no matter");
    let code = code(&world);
    now(world.dormouse.exchange(&code.code.0)).expect("a token");
    now(world.dormouse.exchange(&code.code.0)).expect_err("used");
    now(world.dormouse.note_refused("192.0.2.1", 11));
    let page = now(world.dormouse.list_tokens(&me())).expect("tokens")[0].id.clone();
    let id = made.details.id;
    let expected = [
        format!("owner | token.create | {id} | agent: read propose"),
        format!("owner | token.revoke | {id} | agent: read propose"),
        "owner | access.code |  | read propose edit decide admin".to_owned(),
        format!("owner | access.exchange | {page} | person: read propose edit decide admin"),
        "nobody | access.refused | 192.0.2.1 | 11 within 15 minutes".to_owned(),
    ];
    assert_eq!(audited(&world), expected);
}

#[test]
fn no_secret_is_in_a_row_or_a_debug_text() {
    let world = World::new();
    let made = made(&world, TokenKind::Person, &[Scope::Read, Scope::Admin]);
    let code = code(&world);
    let page = now(world.dormouse.exchange(&code.code.0)).expect("a token");
    caller(&world, &page.token).expect("it opens");
    let ticket = now(world.dormouse.new_ticket(&me())).expect("a ticket");
    let mut seen = format!("{made:?} {code:?} {page:?} {ticket:?}");
    for (db, sql) in [
        (Db::Journal, "SELECT * FROM tokens"),
        (Db::Journal, "SELECT * FROM access_codes"),
        (Db::Journal, "SELECT * FROM audit_log"),
        (Db::Journal, "SELECT * FROM applied_operations"),
    ] {
        let rows = texts(&world, db, sql);
        assert!(sql.contains("applied") || !rows.is_empty(), "{sql}");
        seen.push_str(&rows.concat());
    }
    assert!(seen.contains(&*dormouse_types::hash::sha256(&made.token.0).0), "the hash is kept");
    for secret in [&made.token, &code.code, &page.token, &ticket.ticket] {
        assert!(!seen.contains(secret.0.trim_start_matches("dm_")), "{} in {seen}", secret.0);
    }
}
