use std::time::Duration;

use dormouse_journal::{Deleted, Edit, EditError, JournalError, Outcome, Sort, TaskQuery};
use dormouse_types::change::What;
use dormouse_types::draft;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::TaskState;
use dormouse_types::task::{EntryKind, Field, Flag, Flags};
use dormouse_types::{EntryId, Id as _, TaskId};

use crate::world::{WS, World, agent, now, person};

const STARRED: Flags = Flags { starred: true, private: false };
const PRIVATE: Flags = Flags { starred: false, private: true };

fn flag(flag: Flag, is_set: bool) -> Edit {
    Edit::Flag { flag, is_set }
}

fn flag_entry(entry: &EntryId, flag: Flag, is_set: bool) -> Edit {
    Edit::FlagEntry { entry: entry.clone(), flag, is_set }
}

fn analysis(flags: Flags) -> Edit {
    Edit::AddEntry {
        kind: EntryKind::ImageAnalysis,
        text: None,
        transcript: Some("A receipt of 42 euro.".into()),
        minutes: None,
        on: None,
        tainted: false,
        flags,
    }
}

/// The flags of each entry, oldest first.
fn of_entries(state: &TaskState) -> Vec<Flags> {
    state.entries.iter().map(dormouse_types::model::Entry::flags).collect()
}

#[test]
fn a_flag_of_a_task_is_a_field_like_any_other() {
    let world = World::new();
    let task = world.task("Surprise party", vec![]);
    let before = world.view(&task).revision;
    let edited = world.edit(&task, &[flag(Flag::Private, true)]).unwrap();
    let set = |is_set| Some(FieldValue::Flag { is_set });
    let change = FieldChange { field: FieldRef::Private, from: set(false), to: set(true) };
    assert_eq!(edited.what, [What::FieldSet(change)]);
    assert_eq!(world.view(&task).revision, before + 1);
    assert_eq!(world.state(&task).flags(), PRIVATE);
    assert!(world.view(&task).say(Field::Private).is_some(), "it is recorded who set it");
    let again = world.edit(&task, &[flag(Flag::Private, true)]).unwrap();
    assert_eq!((again.seq, world.view(&task).revision), (None, before + 1));
    now(world.journal.undo(WS, &task, &edited.effects, &person())).unwrap();
    assert_eq!(world.state(&task).flags(), Flags::NONE);
}

#[test]
fn a_flag_that_was_cleared_stays_cleared_in_the_row() {
    let world = World::new();
    let task = world.task("Surprise party", vec![analysis(PRIVATE)]);
    let entry = world.state(&task).entries[0].id.clone();
    world.edit(&task, &[flag(Flag::Starred, true)]).unwrap();
    let clear = [flag(Flag::Starred, false), flag_entry(&entry, Flag::Private, false)];
    world.edit(&task, &clear).unwrap();
    let state = world.state(&task);
    assert_eq!((state.flags(), of_entries(&state)), (Flags::NONE, vec![Flags::NONE]));
}

#[test]
fn an_entry_has_its_flags_from_the_start_and_gets_others_later() {
    let world = World::new();
    let task = world.task("Surprise party", vec![analysis(PRIVATE), Edit::note("Buy candles.")]);
    assert_eq!(of_entries(&world.state(&task)), [PRIVATE, Flags::NONE]);
    assert_eq!(world.state(&task).entries[0].kind, EntryKind::ImageAnalysis);
    let candles = world.state(&task).entries[1].id.clone();
    let edited = world.edit(&task, &[flag_entry(&candles, Flag::Starred, true)]).unwrap();
    let what = What::EntryFlagged { entry: candles.clone(), flag: Flag::Starred, is_set: true };
    assert_eq!(edited.what, [what]);
    assert_eq!(of_entries(&world.state(&task)), [PRIVATE, STARRED]);
    now(world.journal.undo(WS, &task, &edited.effects, &person())).unwrap();
    assert_eq!(of_entries(&world.state(&task)), [PRIVATE, Flags::NONE]);
    let other = world.task("Cellar", vec![]);
    let refused = world.edit(&other, &[flag_entry(&candles, Flag::Private, true)]).unwrap_err();
    assert!(matches!(refused, JournalError::Edit(EditError::NoEntry { .. })), "{refused}");
}

#[test]
fn an_undo_is_refused_once_the_flag_is_another() {
    let world = World::new();
    let task = world.task("Surprise party", vec![]);
    let edited = world.edit(&task, &[flag(Flag::Private, true)]).unwrap();
    world.edit(&task, &[flag(Flag::Private, false)]).unwrap();
    let error = now(world.journal.undo(WS, &task, &edited.effects, &person())).unwrap_err();
    let JournalError::Changed(changed) = error else { panic!("{error}") };
    assert_eq!((changed.field.as_str(), changed.now.as_str()), ("private", "not set"));
}

#[test]
fn what_is_in_a_private_task_is_private_whatever_its_own_mark_says() {
    let world = World::new();
    let task = world.task("Surprise party", vec![Edit::note("Cake."), analysis(PRIVATE)]);
    let private = |world: &World| {
        let state = world.state(&task);
        state.entries.iter().map(|entry| state.is_private(entry)).collect::<Vec<_>>()
    };
    assert_eq!(private(&world), [false, true]);
    world.edit(&task, &[flag(Flag::Private, true)]).unwrap();
    assert_eq!(private(&world), [true, true]);
    assert_eq!(of_entries(&world.state(&task)), [Flags::NONE, PRIVATE]);
}

#[test]
fn an_agent_decides_no_flag() {
    let world = World::new();
    let task = world.task("Surprise party", vec![analysis(PRIVATE)]);
    let entry = world.state(&task).entries[0].id.clone();
    for edit in [flag(Flag::Starred, true), flag_entry(&entry, Flag::Private, false)] {
        let error = world.edit_as(&task, &[edit], &agent()).unwrap_err();
        assert!(error.to_string().contains("only a person"), "{error}");
    }
    assert_eq!(of_entries(&world.state(&task)), [PRIVATE]);
}

#[test]
fn a_list_shows_only_tasks_with_the_requested_flags() {
    let world = World::new();
    let both = vec![flag(Flag::Starred, true), flag(Flag::Private, true)];
    world.task("Both", both);
    world.task("Star", vec![flag(Flag::Starred, true)]);
    world.task("Neither", vec![]);
    let titles = |flags: &[Flag]| {
        let query = TaskQuery {
            statuses: vec![],
            priorities: vec![],
            labels: vec![],
            categories: vec![],
            due: vec![],
            flags: flags.to_vec(),
            today: jiff::civil::date(2026, 1, 5),
            words: vec![],
            report_texts: Default::default(),
            keep: None,
            deleted: Deleted::Without,
            sort: Sort::Created,
        };
        let page = now(world.journal.list(WS, &query, 50, None)).expect("a page");
        let items = page.items.into_iter();
        items.map(|task| (task.title, task.starred, task.private)).collect::<Vec<_>>()
    };
    let both = ("Both".to_owned(), true, true);
    let star = ("Star".to_owned(), true, false);
    assert_eq!(titles(&[Flag::Starred]), [star, both.clone()]);
    assert_eq!(titles(&[Flag::Starred, Flag::Private]), [both]);
    assert_eq!(titles(&[]).len(), 3);
}

#[test]
fn a_link_says_whether_the_other_task_is_private() {
    let world = World::new();
    let other = world.task("Surprise party", vec![flag(Flag::Private, true)]);
    let task = world.task("Shopping", vec![]);
    let kind = dormouse_types::task::LinkKind::RelatesTo;
    let edited = world.edit(&task, &[Edit::Link { to: other.clone(), kind }]).unwrap();
    assert!(edited.view.links[0].other.is_private);
    assert!(world.view(&task).links[0].other.is_private);
    assert!(!world.view(&other).links[0].other.is_private);
}

#[test]
fn rows_without_flags_and_of_the_older_kind_are_read() {
    let world = World::new();
    let task = world.task("Tiles", vec![analysis(Flags::NONE)]);
    let entry = world.state(&task).entries[0].id.clone();
    let write = "UPDATE journal SET serialized = ?3 WHERE ws = ?1 AND id = ?2";
    for id in [task.as_str(), entry.as_str()] {
        let older = world
            .stored(id)
            .replace(r#","starred":false,"private":false"#, "")
            .replace(r#""kind":"imageAnalysis""#, r#""kind":"image""#);
        assert!(!older.contains("private") && !older.contains("Analysis"), "{older}");
        world.raw(write, id, &older);
    }
    let state = world.state(&task);
    assert_eq!((state.flags(), of_entries(&state)), (Flags::NONE, vec![Flags::NONE]));
    assert_eq!(state.entries[0].kind, EntryKind::ImageAnalysis);
}

fn list(task: Flags, entry: Flags) -> draft::Task {
    draft::Task {
        key: "party".into(),
        title: "Surprise party".into(),
        flags: task,
        entries: vec![draft::Entry {
            key: "a".into(),
            text: "A cake with candles.".into(),
            kind: EntryKind::ImageAnalysis,
            flags: entry,
            ..draft::Entry::default()
        }],
        ..draft::Task::default()
    }
}

fn import(world: &World, draft: &draft::Task) -> (TaskId, Outcome, Vec<String>) {
    world.clock.advance(Duration::from_secs(60));
    let imported = now(world.journal.import(WS, "list.json", draft, &person())).expect("accepted");
    (imported.task, imported.outcome, imported.kept)
}

#[test]
fn an_import_brings_flags_and_kinds_and_stars_follow_the_file() {
    let world = World::new();
    let (task, ..) = import(&world, &list(STARRED, STARRED));
    let state = world.state(&task);
    assert_eq!((state.flags(), of_entries(&state)), (STARRED, vec![STARRED]));
    let entry = &state.entries[0];
    assert_eq!(
        (entry.kind, entry.text.as_str()),
        (EntryKind::ImageAnalysis, "A cake with candles.")
    );
    let (_, outcome, _) = import(&world, &list(Flags::NONE, Flags::NONE));
    assert_eq!(outcome, Outcome::Updated { changes: 2 });
    let state = world.state(&task);
    assert_eq!((state.flags(), of_entries(&state)), (Flags::NONE, vec![Flags::NONE]));
}

#[test]
fn a_star_that_was_removed_here_stays_away_and_the_import_says_so() {
    let world = World::new();
    let (task, ..) = import(&world, &list(Flags::NONE, Flags::NONE));
    world.edit(&task, &[flag(Flag::Starred, true)]).unwrap();
    world.edit(&task, &[flag(Flag::Private, true)]).unwrap();
    let mut next = list(Flags::NONE, Flags::NONE);
    next.title = "Party".into();
    let (_, outcome, kept) = import(&world, &next);
    assert_eq!((outcome, kept), (Outcome::Updated { changes: 1 }, vec![]));
    assert_eq!(world.state(&task).flags(), Flags { starred: true, private: true });
}

#[test]
fn a_file_that_no_longer_says_private_opens_nothing() {
    let world = World::new();
    let (task, ..) = import(&world, &list(PRIVATE, PRIVATE));
    let (_, outcome, kept) = import(&world, &list(Flags::NONE, Flags::NONE));
    assert_eq!((outcome, kept), (Outcome::Unchanged, vec![]));
    let state = world.state(&task);
    assert_eq!((state.flags(), of_entries(&state)), (PRIVATE, vec![PRIVATE]));
}

#[test]
fn what_a_person_opened_stays_open_while_the_file_says_what_it_said() {
    let world = World::new();
    let (task, ..) = import(&world, &list(PRIVATE, PRIVATE));
    let entry = world.state(&task).entries[0].id.clone();
    let open = [flag(Flag::Private, false), flag_entry(&entry, Flag::Private, false)];
    world.edit(&task, &open).unwrap();
    let mut next = list(PRIVATE, PRIVATE);
    next.title = "Party".into();
    let (_, outcome, kept) = import(&world, &next);
    assert_eq!((outcome, kept), (Outcome::Updated { changes: 1 }, vec![]));
    let state = world.state(&task);
    assert_eq!((state.flags(), of_entries(&state)), (Flags::NONE, vec![Flags::NONE]));
}
