use dormouse_journal::{Edit, EditError, JournalError};
use dormouse_store::journal::label::Label;
use dormouse_store::journal::row;
use dormouse_store::{Commit, Db, Refusal};
use dormouse_testkit::CountingEntropy;
use dormouse_types::change::What;
use dormouse_types::{Id as _, LabelId};

use crate::world::{WS, World, agent, now, person};

fn label(world: &World, name: &str) -> LabelId {
    now(world.journal.ensure_label(WS, name, &person())).unwrap().id
}

#[test]
fn a_name_is_one_label_whatever_its_letter_case() {
    let world = World::new();
    let first = label(&world, "Garden");
    assert_eq!(label(&world, "  gARDEN "), first);
    let names: Vec<_> =
        now(world.journal.labels(WS)).unwrap().into_iter().map(|label| label.name).collect();
    assert_eq!(names, ["Garden"]);
    let error = now(world.journal.ensure_label(WS, " ", &person())).unwrap_err();
    assert!(matches!(error, JournalError::Edit(EditError::Empty { field: "label" })));
    let error = now(world.journal.ensure_label(WS, "\u{200b}\u{202e}", &person()))
        .expect_err("it shows nothing");
    assert!(matches!(error, JournalError::Edit(EditError::Empty { field: "label" })));
}

#[test]
fn two_writers_of_one_name_cannot_both_define_it() {
    let world = World::new();
    label(&world, "Garden");
    let mut second = now(world.journal.labels(WS)).unwrap().remove(0);
    second.name = "GARDEN".into();
    let define = |label: &Label| {
        let commit = Commit::new("test.define", Db::Journal, WS).op(row::insert(WS, label));
        now(world.store.commit(commit))
    };
    second.id = LabelId::fresh(second.created_at, &CountingEntropy::seeded(77));
    assert_eq!(define(&second).unwrap_err().refusal(), Some(Refusal::Exists));
    second.name = "Orchard".into();
    define(&second).unwrap();
}

#[test]
fn taking_a_label_off_suppresses_it_and_putting_it_on_lifts_that() {
    let world = World::new();
    let garden = label(&world, "Garden");
    let task = world.task("Prune", vec![]);
    let on = [Edit::AddLabel(garden.clone())];
    let off = [Edit::RemoveLabel(garden.clone())];
    let edited = world.edit(&task, &on).unwrap();
    assert_eq!(edited.what, [What::LabelAdded { label: garden.clone(), name: "Garden".into() }]);
    assert_eq!(world.state(&task).labels[0].name, "Garden");
    world.edit(&task, &off).unwrap();
    assert_eq!(world.state(&task).suppressed_labels, std::slice::from_ref(&garden));
    let error = world.edit_as(&task, &on, &agent()).unwrap_err();
    assert!(matches!(error, JournalError::Edit(EditError::Suppressed { .. })), "{error}");
    world.edit(&task, &on).unwrap();
    let state = world.state(&task);
    assert_eq!((state.labels.len(), state.suppressed_labels.len()), (1, 0));
}

#[test]
fn an_agent_that_takes_a_label_off_teaches_nothing() {
    let world = World::new();
    let garden = label(&world, "Garden");
    let task = world.task("Prune", vec![Edit::AddLabel(garden.clone())]);
    world.edit_as(&task, &[Edit::RemoveLabel(garden)], &agent()).unwrap();
    let state = world.state(&task);
    assert_eq!((state.labels.len(), state.suppressed_labels.len()), (0, 0));
}

#[test]
fn a_rejected_label_is_suppressed_without_having_been_on() {
    let world = World::new();
    let garden = label(&world, "Garden");
    let task = world.task("Prune", vec![]);
    let edited = world.edit(&task, &[Edit::SuppressLabel(garden.clone())]).unwrap();
    assert_eq!(edited.what, []);
    assert_eq!(world.state(&task).suppressed_labels, std::slice::from_ref(&garden));
    assert_eq!(world.state(&task).available_labels.len(), 1);
}

#[test]
fn an_unknown_label_or_category_is_refused_by_its_id() {
    let world = World::new();
    let other = World::new();
    let task = world.task("Prune", vec![]);
    let stranger = label(&other, "Elsewhere");
    let error = world.edit(&task, &[Edit::AddLabel(stranger.clone())]).unwrap_err();
    assert!(error.to_string().contains(&stranger.to_string()), "{error}");
    let category = now(other.journal.ensure_category(WS, "Elsewhere", &person())).unwrap().id;
    let error = world.edit(&task, &[Edit::Category(Some(category.clone()))]).unwrap_err();
    assert!(error.to_string().contains(&category.to_string()), "{error}");
}

#[test]
fn a_category_is_shown_by_name() {
    let world = World::new();
    let home = now(world.journal.ensure_category(WS, "Home", &person())).unwrap();
    let task = world.task("Prune", vec![Edit::Category(Some(home.id.clone()))]);
    assert_eq!(world.state(&task).category.as_deref(), Some("Home"));
    assert_eq!(now(world.journal.categories(WS)).unwrap(), [home]);
}
