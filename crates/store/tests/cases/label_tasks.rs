//! Who may read the name of a label is found without reading the tasks that have it.

use dormouse_store::journal::label::Label;
use dormouse_store::journal::label_task;
use dormouse_store::journal::privacy::PrivacyFacts;
use dormouse_store::journal::row;
use dormouse_store::journal::task::Task;
use dormouse_store::{Op, Store};
use dormouse_testkit::postgres::Server;
use dormouse_types::task::Flags;
use dormouse_types::{CategoryId, LabelId};

use super::round_trip_journal::a_task;
use crate::world::{
    OTHER_WS, WS, World, at, journal_commit, node, open, raw_client, still, store, wait,
};

each_engine!(
    a_label_has_one_row_for_all_tasks_that_the_same_models_may_be_sent,
    a_row_goes_with_the_last_task_of_its_kind,
);

fn a_label(world: &World, name: &str) -> Label {
    Label {
        id: world.id(),
        name: name.to_owned(),
        color: None,
        description: None,
        applicable_category_ids: Vec::<CategoryId>::new(),
        created_at: at(0),
        updated_at: at(0),
        deleted_at: None,
    }
}

fn with(world: &World, labels: &[&Label], private: bool, category: Option<&CategoryId>) -> Task {
    Task {
        label_ids: labels.iter().map(|label| label.id.clone()).collect(),
        flags: Flags { starred: false, private },
        category_id: category.cloned(),
        ..a_task(world, "A task")
    }
}

fn insert(task: &Task) -> Vec<Op> {
    let own = [row::insert(WS, task)];
    own.into_iter().chain(label_task::changes(WS, None, task)).collect()
}

/// Whether tasks with a label are private, and their category.
type Reach = (bool, Option<CategoryId>);

fn reaches(store: &Store, label: &LabelId) -> Vec<Reach> {
    let rows = wait(store.all(label_task::reaches(WS, std::slice::from_ref(label))));
    let rows = rows.expect("the rows can be read").into_iter();
    let rows = rows.map(|(_, PrivacyFacts { is_private, category })| (is_private, category));
    let mut rows: Vec<Reach> = rows.collect();
    rows.sort();
    rows
}

fn a_label_has_one_row_for_all_tasks_that_the_same_models_may_be_sent(world: &World) {
    let (used, unused) = (a_label(world, "used"), a_label(world, "unused"));
    let health: CategoryId = world.id();
    world.journal([row::insert(WS, &used), row::insert(WS, &unused)]);
    for _ in 0..20 {
        for (private, category) in [(false, None), (true, None), (true, Some(&health))] {
            world.journal(insert(&with(world, &[&used], private, category)));
        }
    }
    let expected = [(false, None), (true, None), (true, Some(health.clone()))];
    assert_eq!(reaches(&world.store, &used.id), expected);
    assert_eq!(reaches(&world.store, &unused.id), [], "no task has it");
    assert_eq!(world.all(label_task::reaches(OTHER_WS, std::slice::from_ref(&used.id))), []);
    let both = world.all(label_task::reaches(WS, &[unused.id, used.id.clone()]));
    assert!(both.iter().all(|(label, _)| *label == used.id) && both.len() == 3, "{both:?}");
}

fn a_row_goes_with_the_last_task_of_its_kind(world: &World) {
    let label = a_label(world, "label");
    world.journal([row::insert(WS, &label)]);
    let mut one = with(world, &[&label], false, None);
    let two = with(world, &[&label], false, None);
    world.journal(insert(&one).into_iter().chain(insert(&two)));
    let mut change = |edit: &mut dyn FnMut(&mut Task)| {
        let before = one.clone();
        edit(&mut one);
        world.journal(label_task::changes(WS, Some(&before), &one));
        reaches(&world.store, &label.id)
    };
    assert_eq!(change(&mut |task| task.flags.private = true), [(false, None), (true, None)]);
    let category: CategoryId = world.id();
    let filed = change(&mut |task| task.category_id = Some(category.clone()));
    assert_eq!(filed, [(false, None), (true, Some(category.clone()))]);
    let unchanged = change(&mut |task| task.title = "Another title".to_owned());
    assert_eq!(unchanged, filed);
    assert_eq!(change(&mut |task| task.label_ids.clear()), [(false, None)]);
    let mut gone = two.clone();
    gone.label_ids.clear();
    world.journal(label_task::changes(WS, Some(&two), &gone));
    assert_eq!(reaches(&world.store, &label.id), []);
}

/// A journal as the version before wrote it, and what its labels then say. A task whose document is
/// damaged has no labels that anybody knows, and does not stop the others.
fn labels_of_an_earlier_version(
    earlier: Store,
    run: impl FnOnce(&str),
    again: impl FnOnce() -> Store,
) {
    let ids = World::in_memory();
    let (label, other) = (a_label(&ids, "label"), a_label(&ids, "other"));
    let category = ids.id::<CategoryId>();
    let tasks = [
        with(&ids, &[&label, &other], false, Some(&category)),
        with(&ids, &[&label], true, None),
        with(&ids, &[&label], false, Some(&category)),
    ];
    let rows = tasks.iter().map(|task| row::insert(WS, task));
    let labels = [row::insert(WS, &label), row::insert(WS, &other)];
    wait(earlier.commit(journal_commit(rows.chain(labels)))).expect("written");
    drop(earlier);
    run("DROP TABLE label_tasks; DROP INDEX applied_operations_seq; UPDATE meta SET value = '5' WHERE key = 'schema';
         INSERT INTO journal (ws, id, type, created_at, updated_at, serialized, clock_host, clock_counter)
         VALUES (1, 'jt-damaged', 'task', 0, 0, '{\"labelIds\":[', '', 0)");
    let now = again();
    assert_eq!(reaches(&now, &label.id), [(false, Some(category.clone())), (true, None)]);
    assert_eq!(reaches(&now, &other.id), [(false, Some(category))]);
}

#[test]
fn the_labels_of_a_folder_of_an_earlier_version_are_found() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("journal.sqlite");
    labels_of_an_earlier_version(
        open(folder.path(), &still(), 1),
        |sql| {
            let connection = rusqlite::Connection::open(file).expect("the file");
            connection.execute_batch(sql).expect("an earlier version");
            connection.pragma_update(None, "user_version", 5).expect("its number");
        },
        || open(folder.path(), &still(), 1),
    );
}

#[test]
fn the_labels_of_schemas_of_an_earlier_version_are_found() {
    let prefix = Server::shared().prefix();
    let connect = || store(node(Server::shared().url(), &prefix, &still(), 1).expect("a node"));
    labels_of_an_earlier_version(
        connect(),
        |sql| {
            let sql = format!("SET search_path TO {prefix}journal; {sql}");
            wait(raw_client().batch_execute(&sql)).expect("an earlier version");
        },
        connect,
    );
}
