//! One table of limits: the docs page states what the code checks.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dormouse_types::limits;
use dormouse_types::problem::ProblemKind;

#[test]
fn a_limit_is_the_last_value_that_is_accepted() {
    for limit in limits::ALL {
        assert_eq!(limit.check(0), Ok(()), "{}", limit.name);
        assert_eq!(limit.check(limit.max - 1), Ok(()), "{}", limit.name);
        assert_eq!(limit.check(limit.max), Ok(()), "{}", limit.name);
        let beyond = limit.check(limit.max + 1).expect_err(limit.name);
        assert_eq!((beyond.limit, beyond.actual), (*limit, limit.max + 1));
        assert!(limit.check(usize::MAX).is_err(), "{}", limit.name);
        let message = beyond.to_string();
        let expected = format!(
            "{} is {} {}, at most {} are accepted",
            limit.name,
            limit.max + 1,
            limit.unit,
            limit.max
        );
        assert_eq!(message, expected);
    }
}

#[test]
fn each_limit_has_a_name_of_its_own_and_one_of_a_few_problems() {
    let names: BTreeSet<&str> = limits::ALL.iter().map(|limit| limit.name).collect();
    assert_eq!(names.len(), limits::ALL.len());
    let known = BTreeSet::from([
        ProblemKind::PayloadTooLarge,
        ProblemKind::ValidationFailed,
        ProblemKind::LimitReached,
        ProblemKind::HeadersTooLarge,
        ProblemKind::UrlTooLong,
        ProblemKind::MalformedJson,
    ]);
    let used: BTreeSet<ProblemKind> = limits::ALL.iter().map(|limit| limit.problem).collect();
    assert_eq!(used, known);
    assert!(limits::ALL.iter().all(|limit| limit.max > 0 && !limit.unit.is_empty()));
}

/// A size as a reader would write it.
fn said(count: usize, unit: &str) -> String {
    match (count, unit) {
        (count, "bytes") if count % (1024 * 1024) == 0 => format!("{} MiB", count / 1024 / 1024),
        (count, "bytes") if count % 1024 == 0 => format!("{} KiB", count / 1024),
        (count, unit) => format!("{count} {unit}"),
    }
}

fn page() -> String {
    let mut page = "\
# Limits

Every limit is in one table of the code, `crates/types/src/limits.rs`. This page is made from it,
and a test compares the two. The second column is the largest value that is accepted, the third the
problem of one more.

| What | At most | Problem beyond it |
|---|---|---|
"
    .to_owned();
    for limit in limits::ALL {
        let most = said(limit.max, limit.unit);
        writeln!(page, "| {} | {most} | `{}` |", limit.name, limit.problem)
            .expect("a String grows");
    }
    page.push_str(
        "
The text of a problem names the limit, the value as given, and the largest that is accepted.

Times and counts that nobody has to keep, but that decide when something ends:

| What | Value |
|---|---|
",
    );
    let days = limits::PROPOSAL_AGE_SECONDS / 86_400;
    let others = [
        ("an open proposal expires after it was first shown for", format!("{days} days")),
        ("decisions in a prompt", format!("{}", limits::DECISIONS_IN_PROMPT)),
        (
            "tokens for decisions in a prompt, counted as bytes / 4",
            format!("{}", limits::DECISION_TOKENS_IN_PROMPT),
        ),
        (
            "failed wakes in a row that put an agent to rest",
            format!("{}", limits::FAILURES_TO_DORMANT),
        ),
        ("failed attempts that end a run of agent work", format!("{}", limits::WORK_ATTEMPTS)),
        (
            "crashes of a run of agent work after which it waits",
            format!("{}", limits::WORK_CRASHES),
        ),
        (
            "an attempt of a run of agent work ends after",
            format!("{} minutes, {} turns", limits::WORK_RUN_SECONDS / 60, limits::WORK_TURNS),
        ),
        ("runs of agent work of one node at once", format!("{}", limits::WORK_SLOTS)),
        ("a question of agent work expires after", {
            format!("{} days", limits::WORK_QUESTION_SECONDS / 86_400)
        }),
        ("an occurrence was missed that starts later than", {
            format!("{} minutes", limits::WORK_LATE_SECONDS / 60)
        }),
        ("a missed occurrence never runs after, unless its work says otherwise", {
            format!("{} hours", limits::WORK_CATCH_UP_USUAL_HOURS)
        }),
        ("crashes of one wake that end it", format!("{}", limits::CRASHES_TO_ABANDON)),
        ("a wake fails after", format!("{} minutes", limits::WAKE_SECONDS / 60)),
        ("output of one turn of a model", format!("{} tokens", limits::MODEL_OUTPUT_TOKENS)),
        ("a server lists its models within", format!("{} seconds", limits::MODEL_LIST_SECONDS)),
        (
            "a model server on this machine is found within",
            format!("{} seconds", limits::LOCAL_DISCOVERY_SECONDS),
        ),
        ("calls of one turn of a model", format!("{}", limits::CALLS_PER_TURN)),
        (
            "arguments of one call, as a model writes them",
            format!("{} KiB", limits::CALL_ARGS_BYTES / 1024),
        ),
        ("text of one turn of a model", format!("{} KiB", limits::TURN_TEXT_BYTES / 1024)),
        (
            "what a provider wants back with one turn",
            format!("{} KiB", limits::PROVIDER_STATE_BYTES / 1024),
        ),
        ("headers of an answer of a provider", {
            let kib = limits::ANSWER_HEAD_BYTES / 1024;
            format!("{}, {kib} KiB in all", limits::ANSWER_HEAD_FIELDS)
        }),
        (
            "an answer of a provider in one piece",
            format!("{} MiB", limits::ANSWER_BYTES / 1024 / 1024),
        ),
        ("an answer of a provider as a stream", {
            let event = limits::ANSWER_EVENT_BYTES / 1024 / 1024;
            format!("{} MiB, {event} MiB an event", limits::ANSWER_STREAM_BYTES / 1024 / 1024)
        }),
        ("a lease without a sign of life ends after", format!("{} seconds", limits::LEASE_SECONDS)),
        ("a request that reads is given up after", format!("{} seconds", limits::READ_SECONDS)),
        ("a request that writes is given up after", format!("{} seconds", limits::WRITE_SECONDS)),
        (
            "an import or an export is given up after",
            format!("{} minutes", limits::TRANSFER_SECONDS / 60),
        ),
        (
            "a connection without the whole head of a request is closed after",
            format!("{} seconds", limits::HEAD_SECONDS),
        ),
        (
            "requests of one token in a second, for as long as it likes",
            format!("{}", limits::REQUESTS_PER_SECOND),
        ),
        ("requests of one token at once", format!("{}", limits::REQUESTS_AT_ONCE)),
        ("connections of one listener at once", format!("{}", limits::CONNECTIONS)),
        ("a one-time code ends after", format!("{} minutes", limits::CODE_SECONDS / 60)),
        ("a ticket for a socket ends after", format!("{} seconds", limits::TICKET_SECONDS)),
        ("sockets of one process at once", format!("{}", limits::SOCKETS)),
        ("sockets of one token at once", format!("{}", limits::SOCKETS_PER_TOKEN)),
        ("a socket that lags further is closed", {
            let kib = limits::SOCKET_BYTES / 1024;
            format!("{} events or {kib} KiB", limits::SOCKET_EVENTS)
        }),
        ("a larger message closes a socket", format!("{} KiB", limits::SOCKET_MESSAGE / 1024)),
        ("a socket is pinged every", format!("{} seconds", limits::SOCKET_PING_SECONDS)),
        ("a change row goes when it is older than", {
            let days = limits::CHANGES_SECONDS / 86_400;
            format!("{days} days, and {} newer ones are there", limits::CHANGES_KEPT)
        }),
        ("the body of a hook call is removed when it is older than", {
            let days = limits::HOOK_BODY_SECONDS / 86_400;
            format!("{days} days, and its run has ended")
        }),
        ("a delivery is removed when it was read more than", {
            format!("{} days ago", limits::READ_DELIVERY_SECONDS / 86_400)
        }),
        ("the token of a page ends after", format!("{} days", limits::PAGE_TOKEN_DAYS)),
        ("failed logins of one address that are answered at once", {
            let minutes = limits::LOGIN_WINDOW_SECONDS / 60;
            format!("{} in {minutes} minutes", limits::LOGIN_FAILURES)
        }),
        ("then the address has to wait", {
            let (first, longest) = (limits::LOGIN_DELAY_SECONDS, limits::LOGIN_DELAY_MAX_SECONDS);
            format!("{first} second, doubled with each, {longest} at most")
        }),
    ];
    for (what, value) in others {
        writeln!(page, "| {what} | {value} |").expect("a String grows");
    }
    page
}

#[test]
fn the_page_says_what_the_table_says() {
    let expected = page();
    let stored = include_str!("../../../../docs/limits.md");
    if stored == expected {
        return;
    }
    let fresh = concat!(env!("CARGO_TARGET_TMPDIR"), "/limits.md");
    std::fs::write(fresh, &expected).expect("the folder for the tests' files can be written");
    panic!(
        "docs/limits.md does not say what limits::ALL says. The page as it should be was written; \
         take it over with\n\n    cp {fresh} docs/limits.md\n\nIt reads:\n\n{expected}"
    );
}
