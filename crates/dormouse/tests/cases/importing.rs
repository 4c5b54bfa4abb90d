use dormouse::imports::{Column, LineRun};
use dormouse::view::{ImportEvent, ImportOutcome};
use dormouse::{Error, ImportAgents, ImportFile, ImportOptions, ImportPlan, TaskFilter, WORKSPACE};
use dormouse_formats::plan::{AgentChoice, Correction, Edit, Format, Role};
use dormouse_store::journal::import_correction;
use dormouse_store::{Commit, Db};
use dormouse_types::agent::Lifecycle;
use dormouse_types::{AgentId, TaskId};

use crate::world::{World, me, now};

const MOVE: &str = "# Move\n\n## Boxes\n- [ ] Tape\n\n## Movers\n- [ ] Ask three\n\nVlad wants \
                    1,800 lei.\n\n## Done\n- [x] Measured the windows\n";

fn list(text: &str) -> ImportFile {
    ImportFile::new("list.md", text.as_bytes())
}

fn with_agents() -> ImportOptions {
    ImportOptions { agents: ImportAgents::All, ..ImportOptions::default() }
}

fn at(line: usize, edit: Edit) -> Correction {
    Correction { line, edit }
}

/// The options of a person who saw a plan and corrected it.
fn confirmed(plan: &ImportPlan, corrections: &[Correction]) -> ImportOptions {
    ImportOptions {
        digest: Some(plan.digest.clone()),
        corrections: corrections.to_vec(),
        ..ImportOptions::default()
    }
}

fn plan(world: &World, text: &str, options: &ImportOptions) -> ImportPlan {
    now(world.dormouse.plan_import(&me(), &list(text), options)).expect("a plan")
}

/// Imports a text; returns the outcome of each task.
fn write(
    world: &World,
    text: &str,
    options: &ImportOptions,
) -> Result<Vec<(String, ImportOutcome, Option<AgentId>)>, Error> {
    let mut made = Vec::new();
    let mut on_event = |event| {
        if let ImportEvent::Task { title, outcome, agent_id, .. } = event {
            made.push((title, outcome, agent_id));
        }
    };
    now(world.dormouse.import(&me(), &list(text), options, &mut on_event))?;
    Ok(made)
}

fn titles(world: &World) -> Vec<String> {
    let page = now(world.dormouse.tasks(&me(), TaskFilter::default(), 99, None)).expect("tasks");
    let mut titles: Vec<String> = page.items.into_iter().map(|task| task.title).collect();
    titles.sort();
    titles
}

fn import(world: &World, text: &str) -> Vec<(TaskId, Option<AgentId>)> {
    world.later(60);
    let mut made = Vec::new();
    let mut on_event = |event| {
        if let ImportEvent::Task { task_id, agent_id, .. } = event {
            made.push((task_id, agent_id));
        }
    };
    now(world.dormouse.import(&me(), &list(text), &with_agents(), &mut on_event))
        .expect("imported");
    made
}

#[test]
fn an_imported_task_with_content_gets_an_agent_that_runs() {
    let world = World::new();
    let made = import(&world, "# Move\n\nThe van comes on Friday.\n\n- [ ] Pack\n");
    assert_eq!(made.len(), 1);
    let agent = made[0].1.clone().expect("an agent");
    world.answer(&[]);
    assert_eq!(world.drain(&made[0].0).len(), 1);
    assert_eq!(world.fresh_agent(&agent).lifecycle, Lifecycle::Active);
    assert_eq!(world.drain(&made[0].0).len(), 0, "its own import does not wake it again");
    // The same file again: the same tasks, the same agents, nothing to do.
    assert_eq!(import(&world, "# Move\n\nThe van comes on Friday.\n\n- [ ] Pack\n"), made);
    assert_eq!(world.drain(&made[0].0).len(), 0);
    assert_eq!(titles(&world).len(), 1);
}

#[test]
fn an_imported_task_that_says_nothing_yet_costs_nothing_until_it_does() {
    let world = World::new();
    let made = import(&world, "---\ntitle: Garden\n---\n");
    let Some((task, Some(agent))) = made.first().cloned() else { panic!("{made:?}") };
    world.later(86_400);
    assert!(world.drain(&task).is_empty());
    assert!(world.script.requests().is_empty());
    world.note(&task, "Buy seeds.");
    world.answer(&[]);
    assert_eq!(world.drain(&task).len(), 1);
    assert_eq!(world.fresh_agent(&agent).lifecycle, Lifecycle::Active);
}

#[test]
fn a_task_that_has_an_agent_keeps_it() {
    let world = World::new();
    let text = "# Move\n\n- [ ] Pack\n";
    let mut task = None;
    let mut on_event = |event| {
        if let ImportEvent::Task { task_id, .. } = event {
            task = Some(task_id);
        }
    };
    let options = ImportOptions::default();
    now(world.dormouse.import(&me(), &list(text), &options, &mut on_event)).expect("imported");
    let own = world.agent(&task.expect("a task"));
    assert_eq!(import(&world, text)[0].1, Some(own.id));
}

#[test]
fn a_plan_shows_each_line_and_each_task_and_writes_nothing() {
    let world = World::new();
    let before = world.rows();
    let plan = plan(&world, MOVE, &ImportOptions::default());
    assert_eq!(world.rows(), before);
    let shown: Vec<_> = plan.tasks.iter().map(|task| (task.line, task.title.as_str())).collect();
    assert_eq!(shown, [(3, "Boxes"), (6, "Movers"), (11, "Done")]);
    assert_eq!((plan.tasks[1].items, plan.tasks[1].notes), (1, 1));
    assert_eq!(plan.tasks[2].checked_items, 1);
    assert!(plan.tasks.iter().all(|task| task.outcome == ImportOutcome::Created));
    let lines: usize = plan.lines.iter().map(|run| run.to + 1 - run.from).sum();
    assert_eq!(lines, MOVE.lines().count());
    let boxes = LineRun { from: 3, to: 3, role: Role::Task, task: Some(0) };
    assert!(plan.lines.contains(&boxes), "{:?}", plan.lines);
}

#[test]
fn the_plan_of_an_imported_file_says_what_is_new() {
    let world = World::new();
    write(&world, MOVE, &ImportOptions::default()).expect("imported");
    let text = MOVE.replace("Ask three", "Ask four") + "\n## Lamps\n- [ ] Bulbs\n";
    let plan = plan(&world, &text, &ImportOptions::default());
    let outcomes: Vec<_> = plan.tasks.iter().map(|task| task.outcome).collect();
    use ImportOutcome::{Created, Unchanged, Updated};
    assert_eq!(outcomes, [Unchanged, Updated, Unchanged, Created]);
    assert!(plan.tasks[0].task_id.is_some() && plan.tasks[3].task_id.is_none());
}

#[test]
fn what_a_person_corrected_is_written_and_holds_for_the_next_import() {
    let world = World::new();
    let first = plan(&world, MOVE, &ImportOptions::default());
    let corrections = [
        at(3, Edit::Rename { title: "Boxes and tape".into() }),
        at(6, Edit::SetAgent { agent: AgentChoice::Give }),
        at(11, Edit::LeaveOut),
    ];
    let options = confirmed(&first, &corrections);
    let corrected = plan(&world, MOVE, &options);
    assert_eq!(corrected.digest, first.digest, "a digest is of what the plan was made of");
    assert_eq!(corrected.tasks[0].read_title.as_deref(), Some("Boxes"));
    let made = write(&world, MOVE, &options).expect("imported");
    assert_eq!(titles(&world), ["Boxes and tape", "Movers"]);
    assert!(made[0].2.is_none() && made[1].2.is_some(), "{made:?}");
    // The same list a week later, by a script that knows no corrections.
    let later = format!("{MOVE}\n## Lamps\n- [ ] Bulbs\n");
    let made = write(&world, &later, &ImportOptions::default()).expect("imported");
    let outcomes: Vec<_> = made.iter().map(|(title, what, _)| (title.as_str(), *what)).collect();
    use ImportOutcome::{Created, Unchanged};
    let wanted = [("Boxes and tape", Unchanged), ("Movers", Unchanged), ("Lamps", Created)];
    assert_eq!(outcomes, wanted);
    // And it can be put back.
    let again = plan(&world, &later, &ImportOptions::default());
    let back = confirmed(&again, &[at(11, Edit::PutBack)]);
    write(&world, &later, &back).expect("imported");
    assert_eq!(titles(&world), ["Boxes and tape", "Done", "Lamps", "Movers"]);
}

#[test]
fn a_plan_that_is_another_one_by_now_is_refused_and_nothing_is_written() {
    let world = World::new();
    let first = plan(&world, MOVE, &ImportOptions::default());
    let drop = confirmed(&first, &[at(11, Edit::LeaveOut)]);
    let rename = confirmed(&first, &[at(3, Edit::Rename { title: "Crates".into() })]);
    let other_text = write(&world, &format!("{MOVE}\nMore.\n"), &drop).expect_err("another text");
    assert_eq!((other_text.kind().name(), other_text.problem().status), ("plan-changed", 409));
    assert_eq!(titles(&world), [""; 0]);
    // Two plans of one file at once: the second did not see what the first one left out.
    write(&world, MOVE, &drop).expect("imported");
    let rows = world.rows();
    assert_eq!(write(&world, MOVE, &rename).expect_err("overtaken").kind().name(), "plan-changed");
    assert_eq!(world.rows(), rows);
    // The first one again, as after a lost answer: it goes on where it was.
    let again = write(&world, MOVE, &drop).expect("the same request");
    assert!(again.iter().all(|(_, outcome, _)| *outcome == ImportOutcome::Unchanged), "{again:?}");
}

#[test]
fn corrections_need_their_plan_and_a_line_that_exists() {
    let world = World::new();
    let first = plan(&world, MOVE, &ImportOptions::default());
    let rows = world.rows();
    let mut options = confirmed(&first, &[at(11, Edit::LeaveOut)]);
    options.digest = None;
    let error = write(&world, MOVE, &options).expect_err("no digest");
    assert_eq!((error.kind().name(), error.problem().status), ("validation-failed", 422));
    let beyond = confirmed(&first, &[at(400, Edit::LeaveOut)]);
    let error = write(&world, MOVE, &beyond).expect_err("no such line");
    assert_eq!(error.kind().name(), "validation-failed");
    assert!(error.problem().detail.contains("line 400"), "{}", error.problem().detail);
    assert_eq!(world.rows(), rows);
}

#[test]
fn agents_are_given_to_tasks_with_plenty_to_read_if_it_is_left_to_the_plan() {
    let world = World::new();
    let options = ImportOptions { agents: ImportAgents::Suggested, ..ImportOptions::default() };
    let text = "# Home\n\n## Lamp\n- [ ] Bulb\n\n## Bath\n- [ ] Tiles\n- [ ] Tap\n- [ ] Mirror\n";
    let made = write(&world, text, &options).expect("imported");
    let agents: Vec<_> = made.iter().map(|(title, _, id)| (&title[..], id.is_some())).collect();
    assert_eq!(agents, [("Lamp", false), ("Bath", true)]);
}

#[test]
fn words_for_a_day_mean_the_same_day_at_the_next_import() {
    let world = World::new();
    let text = "# Flat\n\n## Internet\nTwo weeks, so by Friday at the latest.\n";
    let due = |world: &World| plan(world, text, &ImportOptions::default()).tasks[0].due_on;
    let first = due(&world).expect("a due date");
    let shown = plan(&world, text, &ImportOptions::default());
    write(&world, text, &confirmed(&shown, &[])).expect("imported");
    world.later(20 * 86_400);
    assert_eq!(due(&world), Some(first));
    let again = write(&world, text, &ImportOptions::default()).expect("imported");
    assert_eq!(again[0].1, ImportOutcome::Unchanged);
}

#[test]
fn a_deadline_in_a_sentence_is_a_guess_that_somebody_must_see_first() {
    let world = World::new();
    let text = "# Flat\n\n## Internet\nTwo weeks, so by 24 December 2027 at the latest.\n";
    write(&world, text, &ImportOptions::default()).expect("imported by a script");
    let shown = plan(&world, text, &ImportOptions::default());
    assert!(shown.tasks[0].due_on.is_some());
    assert_eq!(shown.tasks[0].outcome, ImportOutcome::Updated);
    write(&world, text, &confirmed(&shown, &[])).expect("imported by a person");
    let again = write(&world, text, &ImportOptions::default()).expect("by the script again");
    assert_eq!(again[0].1, ImportOutcome::Unchanged);
}

#[test]
fn a_confirmed_request_goes_on_with_its_own_text_only() {
    let world = World::new();
    let first = plan(&world, MOVE, &ImportOptions::default());
    let options = confirmed(&first, &[at(3, Edit::LeaveOut)]);
    write(&world, MOVE, &options).expect("imported");
    let other = "# Move\n\n## Tax return, due tomorrow\n- [ ] Receipts\n";
    assert_eq!(
        write(&world, other, &options).expect_err("another text").kind().name(),
        "plan-changed"
    );
    let format = Some(Format::PlainLines);
    let as_lines = ImportOptions { format, ..options };
    assert_eq!(
        write(&world, MOVE, &as_lines).expect_err("another format").kind().name(),
        "plan-changed"
    );
}

#[test]
fn damaged_corrections_stop_a_script_and_are_shown_to_a_person() {
    let world = World::new();
    let op = import_correction::insert(WORKSPACE, "list.md", "{broken");
    now(world.store.commit(Commit::new("test", Db::Journal, WORKSPACE).op(op))).expect("damaged");
    let refused = write(&world, MOVE, &ImportOptions::default()).expect_err("a script");
    assert_eq!(refused.kind().name(), "damaged-row");
    let shown = plan(&world, MOVE, &ImportOptions::default());
    assert!(shown.remarks[0].message.contains("cannot be read"), "{:?}", shown.remarks);
    write(&world, MOVE, &confirmed(&shown, &[at(11, Edit::LeaveOut)])).expect("a person");
    let again = write(&world, MOVE, &ImportOptions::default()).expect("the script again");
    assert_eq!(again.len(), 2);
}

#[test]
fn the_columns_of_a_sheet_are_guessed_and_can_be_said() {
    let world = World::new();
    let text = "what;room;until\nBookshelf;living room;2026-11-27\nRails;bedroom;2026-12-05\n";
    let shown = plan(&world, text, &ImportOptions::default());
    let columns = shown.sheet.as_ref().expect("a sheet").columns.clone();
    let found: Vec<_> = columns.iter().map(|guess| guess.column).collect();
    assert_eq!((found[0], found[2]), (Column::Title, Column::Due));
    let columns = Some(vec![Column::Title, Column::Category, Column::LeftOut]);
    let said = plan(&world, text, &ImportOptions { columns, ..ImportOptions::default() });
    assert_ne!(said.digest, shown.digest);
    let first = &said.tasks[0];
    assert_eq!((first.category.as_deref(), first.due_on), (Some("living room"), None));
    let columns = Some(vec![Column::Title]);
    let options = ImportOptions { columns, ..ImportOptions::default() };
    let error = now(world.dormouse.plan_import(&me(), &list(text), &options)).expect_err("three");
    assert!(error.problem().detail.contains("3 columns"), "{}", error.problem().detail);
}

#[test]
fn what_a_person_said_of_a_column_holds_for_the_next_import() {
    let world = World::new();
    let text = "Guest;Vegan;Bench\nAnna;x;4\nBen;;5\n";
    let shown = plan(&world, text, &ImportOptions::default());
    let found: Vec<_> =
        shown.sheet.expect("a sheet").columns.iter().map(|one| one.column).collect();
    assert_eq!(found[..2], [Column::Title, Column::Done]);
    let columns = Some(vec![Column::Title, Column::KeptInNote, Column::LeftOut]);
    let said = ImportOptions { columns, ..ImportOptions::default() };
    let said = plan(&world, text, &said);
    let columns = said.sheet.as_ref().map(|sheet| sheet.meanings());
    let options = ImportOptions { columns, ..confirmed(&said, &[]) };
    assert_eq!(write(&world, text, &options).expect("imported").len(), 2);
    // The same request again, as after a lost answer.
    assert_eq!(write(&world, text, &options).expect("imported").len(), 2);
    // A script imports the sheet with another row and the columns in another order.
    let text = "Bench;Vegan;Guest;Arrives\n4;x;Anna;2026-12-01\n5;;Ben;\n6;x;Cleo;\n";
    let made = write(&world, text, &ImportOptions::default()).expect("imported");
    let made: Vec<_> = made.into_iter().map(|(title, outcome, _)| (title, outcome)).collect();
    let known = |title: &str, outcome| (title.to_owned(), outcome);
    use ImportOutcome::{Created, Unchanged, Updated};
    let expected = [known("Anna", Updated), known("Ben", Unchanged), known("Cleo", Created)];
    assert_eq!(made, expected);
    let page = now(world.dormouse.tasks(&me(), TaskFilter::default(), 9, None)).expect("tasks");
    assert!(page.items.iter().all(|task| task.status == dormouse_types::task::Status::Open));
    let shown = plan(&world, text, &ImportOptions::default());
    let found: Vec<_> =
        shown.sheet.expect("a sheet").columns.iter().map(|one| one.column).collect();
    assert_eq!(found, [Column::LeftOut, Column::KeptInNote, Column::Title, Column::Due]);
}

/// The remarks of an import, each with its line.
fn remarks(world: &World, text: &str, options: &ImportOptions) -> Vec<(usize, String)> {
    let mut remarks = Vec::new();
    let mut on_event = |event| {
        if let ImportEvent::Remark { line, message } = event {
            remarks.push((line, message));
        }
    };
    now(world.dormouse.import(&me(), &list(text), options, &mut on_event)).expect("imported");
    remarks
}

#[test]
fn a_split_or_a_join_of_what_was_imported_before_says_what_is_in_two_places() {
    let world = World::new();
    let text = "# Move\n\n## Boxes\n- [ ] Tape\n- [ ] Labels\n\n## Movers\n- [ ] Ask three\n";
    assert_eq!(remarks(&world, text, &ImportOptions::default()), []);
    let shown = plan(&world, text, &ImportOptions::default());
    let options = confirmed(&shown, &[at(5, Edit::Split), at(7, Edit::Join)]);
    let found = plan(&world, text, &options).remarks;
    let found: Vec<_> = found.into_iter().map(|remark| (remark.line, remark.message)).collect();
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 7], "{found:?}");
    assert!(found[0].1.contains("1 item or note stays in “Boxes”"), "{found:?}");
    assert!(found[1].1.contains("“Movers” was imported as a task of its own"), "{found:?}");
    assert_eq!(remarks(&world, text, &options), found);
    assert_eq!(titles(&world), ["Boxes", "Labels", "Movers"]);
}

#[test]
fn a_split_at_the_first_import_says_nothing_and_holds() {
    let world = World::new();
    let text = "# Move\n\n## Boxes\n- [ ] Tape\n- [ ] Labels\n";
    let shown = plan(&world, text, &ImportOptions::default());
    let options = confirmed(&shown, &[at(5, Edit::Split)]);
    assert_eq!(remarks(&world, text, &options), []);
    let again = write(&world, text, &ImportOptions::default()).expect("imported");
    assert!(again.iter().all(|(_, what, _)| *what == ImportOutcome::Unchanged), "{again:?}");
    assert_eq!(remarks(&world, text, &ImportOptions::default()), []);
}

#[test]
fn a_name_with_a_control_character_is_refused() {
    let world = World::new();
    for name in ["a\0.md", "a\nb.md", "\u{1b}[2J.md"] {
        let file = ImportFile::new(name, MOVE.as_bytes());
        let options = ImportOptions::default();
        let error = now(world.dormouse.plan_import(&me(), &file, &options)).expect_err(name);
        assert_eq!(error.kind().name(), "validation-failed");
        let detail = error.problem().detail;
        assert!(detail.contains("name") && !detail.chars().any(char::is_control), "{detail}");
    }
}

fn messages(plan: &ImportPlan) -> Vec<&str> {
    plan.remarks.iter().map(|remark| remark.message.as_str()).collect()
}

#[test]
fn a_plan_names_the_tasks_that_the_file_no_longer_has() {
    let world = World::new();
    write(&world, MOVE, &ImportOptions::default()).expect("imported");
    assert!(messages(&plan(&world, MOVE, &ImportOptions::default())).is_empty());
    let fewer = "# Move\n\n## Boxes\n- [ ] Tape\n\n## Lamps\n- [ ] Bulbs\n";
    let options = ImportOptions::default();
    let names = "2 tasks imported earlier are no longer in list.md and are kept: “Done”, “Movers”";
    assert_eq!(messages(&plan(&world, fewer, &options)), [names]);
    // An import without a plan says so too, and does nothing to them.
    let mut said = Vec::new();
    let mut on_event = |event| {
        if let ImportEvent::Remark { message, .. } = event {
            said.push(message);
        }
    };
    now(world.dormouse.import(&me(), &list(fewer), &options, &mut on_event)).expect("imported");
    assert_eq!(said, [names]);
    assert_eq!(titles(&world), ["Boxes", "Done", "Lamps", "Movers"]);
    // Another list of that name has nothing to do with it.
    assert!(messages(&plan(&world, "# Trip\n- [ ] Tent\n", &options)).is_empty());
}

#[test]
fn a_list_that_is_written_in_another_way_names_the_tasks_of_before() {
    let world = World::new();
    let options = ImportOptions::default();
    write(&world, "- milk\n- bread\n", &options).expect("imported");
    // With a box, both are items of one task.
    let boxed = plan(&world, "- [x] milk\n- [ ] bread\n", &options);
    assert_eq!(boxed.tasks.len(), 1);
    let names = "2 tasks imported earlier are no longer in list.md and are kept: “bread”, “milk”";
    assert_eq!(messages(&boxed), [names]);
}

#[test]
fn what_is_left_out_or_deleted_is_not_missing_from_the_file() {
    let world = World::new();
    write(&world, MOVE, &ImportOptions::default()).expect("imported");
    let options = ImportOptions::default();
    let seen = plan(&world, MOVE, &options);
    let without = confirmed(&seen, &[at(6, Edit::LeaveOut)]);
    assert!(messages(&plan(&world, MOVE, &without)).is_empty());
    write(&world, MOVE, &without).expect("imported");
    assert!(messages(&plan(&world, MOVE, &options)).is_empty());
    let done = seen.tasks[2].task_id.clone().expect("a task");
    now(world.dormouse.delete_task(&me(), &done, None)).expect("deleted");
    assert!(
        messages(&plan(
            &world,
            "# Move\n\n## Boxes\n- [ ] Tape\n\n## Movers\n- [ ] Ask three\n",
            &options
        ))
        .is_empty()
    );
}

#[test]
fn many_missing_tasks_are_counted_and_the_first_named() {
    let world = World::new();
    let many: String = (0..1_200).map(|n| format!("## Task {n:04}\n- [ ] a\n")).collect();
    write(&world, &many, &ImportOptions::default()).expect("imported");
    let plan = plan(&world, "## Task 1199\n- [ ] a\n", &ImportOptions::default());
    let names: Vec<String> = (0..5).map(|n| format!("“Task {n:04}”")).collect();
    let names = names.join(", ");
    let said = format!(
        "1199 tasks imported earlier are no longer in list.md and are kept: {names} and 1194 more"
    );
    assert_eq!(messages(&plan), [said]);
}

#[test]
fn a_list_that_is_downloaded_again_under_another_name_is_said_to_be_there_already() {
    let world = World::new();
    let board = r#"{"name":"Fair","lists":[{"id":"l","name":"Home"}],"cards":[{"id":"c1","name":"Paint","idList":"l"},{"id":"c2","name":"Saw","idList":"l"}]}"#;
    let plain = "Call Ana\nBuy milk\n";
    let import = |name: &str, text: &str| {
        let file = ImportFile::new(name, text.as_bytes());
        now(world.dormouse.import(&me(), &file, &ImportOptions::default(), &mut |_| {}))
            .expect("imported");
    };
    let said = |name: &str, text: &str| {
        let file = ImportFile::new(name, text.as_bytes());
        let plan = now(world.dormouse.plan_import(&me(), &file, &ImportOptions::default()));
        let remarks = plan.expect("a plan").remarks.into_iter().map(|remark| remark.message);
        remarks.filter(|message| message.contains("adds")).collect::<Vec<_>>()
    };
    assert_eq!(said("board (1).json", board), [""; 0]);
    import("board.json", board);
    import("list.txt", plain);
    let again = |tasks: &str, them: &str, name: &str| {
        format!(
            "{tasks} imported from {name} before, and this file adds {them} again: to update {them} instead, \
             rename this file to {name} and import it again"
        )
    };
    let both = |name: &str| again("these 2 tasks were", "them", name);
    assert_eq!(said("board (2).json", board), [both("board.json")]);
    assert_eq!(said("board copy.json", board), [both("board.json")]);
    assert_eq!(said("list (1).txt", plain), [both("list.txt")]);
    let one = again("this task was", "it", "board.json");
    let alone = r#"{"name":"Fair","lists":[{"id":"l","name":"Home"}],"cards":[{"id":"c1","name":"Paint","idList":"l"}]}"#;
    assert_eq!(said("board (2).json", alone), [one]);
    let one = again("1 of these 2 tasks was", "it", "list.txt");
    assert_eq!(said("list (1).txt", "Call Ana\nOil\n"), [one]);
    let two = again("2 of these 3 tasks were", "them", "list.txt");
    assert_eq!(said("list (1).txt", "Call Ana\nBuy milk\nOil\n"), [two]);
    assert_eq!(said("list (1).txt", "Paint\nOil\n"), [""; 0]);
    assert_eq!(said("other.json", board), [""; 0]);
    // Who imported it all the same has two lists from then on.
    import("board (1).json", board);
    assert_eq!(said("board (1).json", board), [""; 0]);
}
