//! Tokens and one-time codes: stored as hashes, found by them, revoked permanently, exchanged once.

use dormouse_store::journal::access_code::{self, AccessCode};
use dormouse_store::journal::token::{self, Token};
use dormouse_store::{Db, Op, Refusal};
use dormouse_types::{Scope, TokenKind, WorkspaceId, hash};

use crate::world::{OTHER_WS, WS, World, at, journal_commit};

each_engine!(
    a_token_is_found_by_its_hash_and_by_its_name,
    a_hash_opens_one_workspace,
    a_token_is_revoked_once,
    a_use_is_noted_when_none_was_noted_lately,
    tokens_that_ended_long_ago_are_forgotten,
    what_a_newer_version_wrote_gives_no_right,
    a_code_is_exchanged_once_and_in_time,
);

fn made(world: &World, ws: WorkspaceId, secret: &str) -> Token {
    Token {
        id: world.id(),
        ws,
        name: "Page".into(),
        kind: TokenKind::Person.into(),
        scopes: vec![Scope::Read, Scope::Decide],
        sha256: hash::sha256(secret),
        created_at: at(0),
        created_by: "owner".into(),
        last_used_at: None,
        expires_at: Some(at(100)),
        revoked_at: None,
    }
}

fn a_token_is_found_by_its_hash_and_by_its_name(world: &World) {
    let (first, second) = (made(world, WS, "a"), made(world, WS, "b"));
    let third = Token { expires_at: None, ..made(world, OTHER_WS, "c") };
    world.journal([&first, &second, &third].map(token::insert));
    assert_eq!(world.only(token::by_hash(&first.sha256)), first);
    assert_eq!(world.only(token::by_hash(&third.sha256)), third);
    assert_eq!(world.first(token::by_hash(&hash::sha256("d"))), None);
    assert_eq!(world.only(token::by_id(WS, &second.id)), second);
    assert_eq!(world.first(token::by_id(WS, &third.id)), None, "it is of another workspace");
    assert_eq!(world.all(token::all(WS)), [second, first], "the newest first");
}

fn a_hash_opens_one_workspace(world: &World) {
    world.journal([token::insert(&made(world, WS, "a"))]);
    let again = journal_commit([token::insert(&made(world, OTHER_WS, "a"))]);
    assert_eq!(world.refusal(again), Refusal::Exists);
}

fn a_token_is_revoked_once(world: &World) {
    let token = made(world, WS, "a");
    world.journal([token::insert(&token)]);
    let revoke = |ws, micros| journal_commit([token::revoke(ws, &token.id, at(micros))]);
    assert_eq!(world.refusal(revoke(OTHER_WS, 5)), Refusal::Missing);
    world.apply(revoke(WS, 5));
    assert_eq!(world.refusal(revoke(WS, 6)), Refusal::Missing);
    let token = world.only(token::by_hash(&token.sha256));
    assert_eq!(token.revoked_at, Some(at(5)));
    assert!(!token.is_live(at(4)), "revoked is revoked, whatever the clock says");
}

fn a_use_is_noted_when_none_was_noted_lately(world: &World) {
    let token = made(world, WS, "a");
    world.journal([token::insert(&token)]);
    let seen = |now, since| {
        world.journal([token::used(WS, &token.id, at(now), at(since))]);
        world.only(token::by_hash(&token.sha256)).last_used_at
    };
    assert_eq!(seen(10, 0), Some(at(10)));
    assert_eq!(seen(15, 9), Some(at(10)), "a use after 9 is already recorded");
    assert_eq!(seen(20, 10), Some(at(20)));
}

fn tokens_that_ended_long_ago_are_forgotten(world: &World) {
    let lasting = Token { expires_at: None, ..made(world, WS, "a") };
    let (expired, revoked, other) =
        (made(world, WS, "b"), made(world, WS, "c"), made(world, OTHER_WS, "d"));
    world.journal([&lasting, &expired, &revoked, &other].map(token::insert));
    world.journal([token::revoke(WS, &revoked.id, at(5))]);
    let left = |before| {
        world.journal([token::forget(WS, at(before))]);
        world.all(token::all(WS)).len()
    };
    assert_eq!((left(5), left(6), left(101)), (3, 2, 1));
    assert_eq!(world.all(token::all(OTHER_WS)).len(), 1);
    assert!(lasting.is_live(at(1_000_000)) && expired.is_live(at(99)) && !expired.is_live(at(100)));
}

fn what_a_newer_version_wrote_gives_no_right(world: &World) {
    let token = made(world, WS, "a");
    world.journal([token::insert(&token)]);
    let newer = "UPDATE tokens SET scopes = 'read rule', kind = 'robot'";
    world.journal([Op::any(newer, Vec::new())]);
    let found = world.only(token::by_hash(&token.sha256));
    assert_eq!((found.kind.name(), found.scopes.as_slice()), ("robot", &[Scope::Read][..]));
}

fn a_code_is_exchanged_once_and_in_time(world: &World) {
    let code = |secret: &str| AccessCode {
        ws: WS,
        sha256: hash::sha256(secret),
        scopes: vec![Scope::Read, Scope::Admin],
        created_at: at(0),
        created_by: "owner".into(),
        expires_at: at(10),
        used_at: None,
    };
    let (once, late) = (code("a"), code("b"));
    world.journal([&once, &late].map(access_code::insert));
    assert_eq!(world.only(access_code::by_hash(&once.sha256)), once);
    let exchange = |code: &AccessCode, micros| {
        journal_commit([access_code::exchange(WS, &code.sha256, at(micros))])
    };
    world.apply(exchange(&once, 9));
    assert_eq!(world.refusal(exchange(&once, 9)), Refusal::Missing, "it was used");
    assert_eq!(world.refusal(exchange(&late, 10)), Refusal::Missing, "it has ended");
    assert_eq!(world.only(access_code::by_hash(&once.sha256)).used_at, Some(at(9)));
    let before = world.everything(Db::Journal);
    let refused = exchange(&once, 9).op(token::insert(&made(world, WS, "t")));
    assert_eq!(world.refusal(refused), Refusal::Missing);
    assert_eq!(world.everything(Db::Journal), before, "a refused exchange makes no token");
    world.journal([access_code::forget(WS, at(11))]);
    assert_eq!(world.first(access_code::by_hash(&late.sha256)), None);
}
