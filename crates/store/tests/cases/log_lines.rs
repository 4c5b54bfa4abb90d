//! A log only grows, and a text is stored once however often it is referenced.

use dormouse_store::agent::log_line::{self, Line, LineSubject, Subject};
use dormouse_store::agent::source::Source;
use dormouse_store::{Db, Op, Refusal, params, text};
use dormouse_types::task::Field;
use dormouse_types::{AgentId, EntryId, ItemId, RunKey, hash};

use crate::world::{OTHER_WS, WS, World};

each_engine!(
    a_line_keeps_its_number_for_ever,
    texts_are_stored_once_per_workspace,
    a_purged_text_leaves_its_line,
    a_line_whose_sources_cannot_be_read_has_unknown_ones,
    a_line_keeps_what_it_is_about,
);

fn append(agent: &AgentId, n: i64, line: &str) -> [Op; 2] {
    log_line::append(WS, agent, n, line, (&sources(), None), &RunKey("run".into()))
}

fn sources() -> Vec<Source> {
    vec![Source::Run(RunKey("earlier".into()))]
}

fn line(n: i64, text: &str) -> Line {
    Line {
        n,
        sha256: hash::sha256(text),
        text: Some(text.to_owned()),
        sources: sources(),
        subject: LineSubject::None,
        removed_at: None,
        run: RunKey("run".into()),
    }
}

fn a_line_keeps_its_number_for_ever(world: &World) {
    let (agent, other): (AgentId, AgentId) = (world.id(), world.id());
    for (n, text) in [(1, "one"), (2, "two \u{1F42D}\n"), (3, "")] {
        world.agent(append(&agent, n, text));
    }
    world.agent(append(&other, 1, "another log"));
    let before = world.everything(Db::Agent);
    assert_eq!(world.agent_refusal(append(&agent, 2, "other words")), Refusal::LeaseLost);
    assert_eq!(world.agent_refusal(append(&agent, 2, "two \u{1F42D}\n")), Refusal::LeaseLost);
    assert_eq!(world.everything(Db::Agent), before);

    let lines = |from, upto| world.all(log_line::of_holder(WS, &agent, from, upto));
    assert_eq!(lines(1, 99), [line(1, "one"), line(2, "two \u{1F42D}\n"), line(3, "")]);
    assert_eq!(lines(2, 2), [line(2, "two \u{1F42D}\n")]);
    assert_eq!(lines(4, 9), []);
    assert_eq!(world.all(log_line::of_holder(OTHER_WS, &agent, 1, 99)), []);
}

fn texts_are_stored_once_per_workspace(world: &World) {
    let agent: AgentId = world.id();
    let (digest, put) = text::put(WS, "the same words");
    world.agent([put.clone()]);
    world.agent(append(&agent, 1, "the same words"));
    world.agent(append(&agent, 2, "the same words"));
    world.agent([put]);
    assert_eq!(world.raw(Db::Agent, "SELECT sha256 FROM texts").len(), 1);
    assert_eq!(digest, hash::sha256("the same words"));
    assert_eq!(world.only(text::by_digest(WS, &digest)), "the same words");
    assert_eq!(world.first(text::by_digest(OTHER_WS, &digest)), None);
}

fn a_purged_text_leaves_its_line(world: &World) {
    let agent: AgentId = world.id();
    world.agent(append(&agent, 1, "a secret"));
    let purge = Op::any("DELETE FROM texts WHERE ws = ?1", params![WS.0]);
    world.agent([purge]);
    let purged = Line { text: None, ..line(1, "a secret") };
    assert_eq!(world.all(log_line::of_holder(WS, &agent, 1, 9)), [purged]);
}

fn a_line_whose_sources_cannot_be_read_has_unknown_ones(world: &World) {
    let agent: AgentId = world.id();
    let set = |sources: Option<&str>| {
        world.agent([Op::any("UPDATE log_lines SET sources = ?1", params![sources])]);
        world.only(log_line::of_holder(WS, &agent, 1, 1)).sources
    };
    world.agent(append(&agent, 1, "line"));
    assert_eq!(set(None), [Source::Unknown], "a line of an earlier version");
    assert_eq!(set(Some(r#"[{"planet":"en-1"}]"#)), [Source::Unknown], "one of a later version");
    assert_eq!(set(Some("[]")), []);
}

fn a_line_keeps_what_it_is_about(world: &World) {
    let agent: AgentId = world.id();
    let (entry, item): (EntryId, ItemId) = (world.id(), world.id());
    let subjects = [
        Some(Subject::Entry(entry)),
        Some(Subject::Item(item)),
        Some(Subject::Field(Field::DueDate)),
        Some(Subject::Other("colour".into())),
        None,
    ];
    for (n, subject) in (1..).zip(&subjects) {
        let run = RunKey("run".into());
        world.agent(log_line::append(WS, &agent, n, "line", (&[], subject.as_ref()), &run));
    }
    let read = |world: &World| -> Vec<LineSubject> {
        let lines = world.all(log_line::of_holder(WS, &agent, 1, 9));
        lines.into_iter().map(|line| line.subject).collect()
    };
    let expected = subjects.map(|subject| subject.map_or(LineSubject::None, LineSubject::Of));
    assert_eq!(read(world), expected);
    world.agent([Op::any("UPDATE log_lines SET subject = ?1", params![None::<&str>])]);
    assert_eq!(read(world), [const { LineSubject::InWords }; 5], "lines of an earlier version");
}
