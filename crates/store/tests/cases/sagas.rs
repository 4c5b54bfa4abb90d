//! A saga across the two databases stays open until it is closed, once.

use dormouse_store::agent::saga::{self, Phase, Saga};
use dormouse_store::{Op, Refusal};
use dormouse_types::OperationId;
use dormouse_types::agent::{OperationPhase, OperationStatus};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    a_saga_is_open_once,
    a_completed_saga_is_over,
    a_failed_saga_is_opened_again,
    sagas_are_listed_by_status_and_age,
);

fn operation(name: &str) -> OperationId {
    OperationId(name.to_owned())
}

fn open(name: &str, micros: i64) -> Op {
    saga::open(WS, &operation(name), "run", "set_task_title", r#"{"n":1}"#, at(micros))
}

fn close(name: &str, status: OperationStatus, error: Option<&str>, micros: i64) -> Op {
    let phase =
        if status == OperationStatus::Completed { Phase::AgentDone } else { Phase::JournalDone };
    saga::close(WS, &operation(name), phase, status, error, at(micros))
}

fn pending(name: &str, micros: i64) -> Saga {
    Saga {
        operation: operation(name),
        run_key: "run".into(),
        phase: OperationPhase::JournalPending.into(),
        status: OperationStatus::Pending.into(),
        tool: "set_task_title".into(),
        payload: r#"{"n":1}"#.into(),
        last_error: None,
        created_at: at(micros),
        updated_at: at(micros),
    }
}

fn a_saga_is_open_once(world: &World) {
    world.agent([open("a", 1)]);
    assert_eq!(world.agent_refusal([open("a", 2)]), Refusal::Exists);
    assert_eq!(world.all(saga::by_status(WS, OperationStatus::Pending)), [pending("a", 1)]);
}

fn a_completed_saga_is_over(world: &World) {
    world.agent([open("a", 1)]);
    world.agent([close("a", OperationStatus::Completed, None, 5)]);
    let done = Saga {
        phase: OperationPhase::AgentDone.into(),
        status: OperationStatus::Completed.into(),
        updated_at: at(5),
        ..pending("a", 1)
    };
    assert_eq!(
        world.all(saga::by_status(WS, OperationStatus::Completed)),
        std::slice::from_ref(&done)
    );
    assert_eq!(world.all(saga::by_status(WS, OperationStatus::Pending)), []);
    assert_eq!(
        world.agent_refusal([close("a", OperationStatus::Failed, None, 6)]),
        Refusal::ItemMoved
    );
    assert_eq!(world.agent_refusal([open("a", 7)]), Refusal::Exists);
    assert_eq!(world.all(saga::by_status(WS, OperationStatus::Completed)), [done]);
    let unknown = close("b", OperationStatus::Completed, None, 8);
    assert_eq!(world.agent_refusal([unknown]), Refusal::ItemMoved);
}

fn a_failed_saga_is_opened_again(world: &World) {
    world.agent([open("a", 1)]);
    world.agent([close("a", OperationStatus::Failed, Some("the task was deleted"), 5)]);
    let failed = world.only(saga::by_status(WS, OperationStatus::Failed));
    assert_eq!(failed.last_error.as_deref(), Some("the task was deleted"));

    let payload = r#"{"n":2}"#;
    world.agent([saga::open(WS, &operation("a"), "run", "set_task_title", payload, at(9))]);
    let again = world.only(saga::by_status(WS, OperationStatus::Pending));
    let opened = (again.phase.name(), again.payload.as_str(), again.created_at, again.updated_at);
    assert_eq!(opened, ("journal_pending", payload, at(1), at(9)));
    world.agent([close("a", OperationStatus::Completed, None, 10)]);
    assert_eq!(world.only(saga::by_status(WS, OperationStatus::Completed)).last_error, None);
    assert_eq!(world.all(saga::by_status(WS, OperationStatus::Failed)), []);
}

fn sagas_are_listed_by_status_and_age(world: &World) {
    for (name, micros) in [("c", 1), ("b", 3), ("a", 3), ("d", 2)] {
        world.agent([open(name, micros)]);
    }
    world.agent([close("d", OperationStatus::Completed, None, 4)]);
    let names: Vec<_> = world
        .all(saga::by_status(WS, OperationStatus::Pending))
        .into_iter()
        .map(|saga| saga.operation.0)
        .collect();
    assert_eq!(names, ["c", "a", "b"]);
    assert_eq!(world.all(saga::by_status(OTHER_WS, OperationStatus::Pending)), []);
}
