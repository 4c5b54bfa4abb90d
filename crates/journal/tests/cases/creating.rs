use dormouse_journal::{Edit, EditError, JournalError, NewTask, OnceKey};
use dormouse_types::caller::By;
use dormouse_types::change::What;
use dormouse_types::hash;
use dormouse_types::task::{Priority, Status};

use crate::world::{WS, World, now, person};

#[test]
fn a_new_task_is_open_and_nobody_has_ranked_it() {
    let world = World::new();
    let task = world.task("Renew the passport", vec![]);
    let state = world.state(&task);
    assert_eq!(state.title, "Renew the passport");
    assert_eq!((state.status, state.priority, state.due_on), (Status::Open, None, None));
    let said: Vec<_> = state.says.iter().map(|say| (say.field.to_string(), say.by)).collect();
    assert_eq!(said, [("title".to_owned(), By::User)], "a default is nobody's say");
}

#[test]
fn a_new_task_may_be_untitled_and_carry_everything_at_once() {
    let world = World::new();
    let task = world.task(
        "",
        vec![
            Edit::Priority(Some(Priority::P1)),
            Edit::AddItem { title: "Photo".into(), is_checked: true, depth: 0 },
            Edit::note("The office opens at nine."),
        ],
    );
    let view = world.view(&task);
    assert_eq!(view.revision, 1);
    assert_eq!(view.task.value.title, "");
    assert_eq!(view.items[0].value.title, "Photo");
    assert_eq!(view.items[0].value.checked_by, By::User);
    assert_eq!(view.entries[0].value.says(), "The office opens at nine.");
    let changes = world.changes();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].touched, [task]);
    assert_eq!(changes[0].what[0], What::TaskCreated { title: String::new() });
    assert_eq!(changes[0].what.len(), 4);
}

#[test]
fn a_refused_part_creates_no_task() {
    let world = World::new();
    let new = NewTask {
        title: "Paint the fence".into(),
        edits: vec![Edit::Status { status: Status::Blocked, reason: None }],
    };
    let error = now(world.journal.create(WS, &new, &person())).unwrap_err();
    assert!(matches!(
        error,
        JournalError::Edit(EditError::ReasonMissing { status: Status::Blocked })
    ));
    assert_eq!(world.titles(&Default::default()), Vec::<String>::new());
    assert_eq!(world.changes(), []);
}

#[test]
fn the_same_creation_sent_twice_makes_one_task() {
    let world = World::new();
    let mut ctx = person();
    ctx.once = Some(OnceKey { id: "key-1".into(), request: hash::sha256("a") });
    let new = NewTask { title: "Call the dentist".into(), edits: vec![] };
    let first = now(world.journal.create(WS, &new, &ctx)).unwrap();
    let second = now(world.journal.create(WS, &new, &ctx)).unwrap();
    assert!(!first.replayed && second.replayed);
    assert_eq!((&first.task, first.seq, &first.made), (&second.task, second.seq, &second.made));
    assert_eq!(world.titles(&Default::default()).len(), 1);

    ctx.once = Some(OnceKey { id: "key-1".into(), request: hash::sha256("b") });
    let error = now(world.journal.create(WS, &new, &ctx)).unwrap_err();
    assert!(matches!(error, JournalError::Reused { id } if id == "key-1"));
}
