//! Dates in words, and a task in one line, by command. Days without a year depend on today, so these
//! are far away.

use serde_json::{Value, json};

use crate::world::World;

fn task(world: &World, words: &str) -> Value {
    world.json(&["task", "show", words])
}

#[test]
fn a_title_may_hold_the_other_fields_and_says_so() {
    let world = World::new();
    let line = "Call the bank 10 december 2036 3pm !p1 #finance #\"two words\" @Home";
    let done = world.ok(&["task", "add", line]);
    let said = "from the title: due Wednesday 2036-12-10, priority P1, label finance, label two words, category Home";
    assert!(done.out.contains(said), "{done:?}");
    assert!(done.out.contains("the rest is a note: When: 10 december 2036 3pm"), "{done:?}");
    let task = task(&world, "bank");
    let fields = ["title", "dueOn", "priority"].map(|name| &task[name]);
    assert_eq!(fields, ["Call the bank", "2036-12-10", "P1"]);
    assert_eq!(task["category"]["name"], "Home");
    let labels: Vec<_> = task["labels"].as_array().into_iter().flatten().collect();
    assert_eq!(
        labels.iter().map(|label| &label["name"]).collect::<Vec<_>>(),
        ["finance", "two words"]
    );
    assert_eq!(task["entries"][0]["text"], "When: 10 december 2036 3pm");
}

#[test]
fn words_of_a_title_are_kept_where_that_is_requested() {
    let world = World::new();
    for (args, title) in [
        (&["Call 2036-12-10 !p1", "--plain"][..], "Call 2036-12-10 !p1"),
        (&["Mend \\2036-12-10 \\#shed"], "Mend 2036-12-10 #shed"),
        (&["Paint 2036-12-10", "--due", "2036-01-02"], "Paint 2036-12-10"),
        (&["Buy the C# book, 1.2.3"], "Buy the C# book, 1.2.3"),
        (&["#shed"], "#shed"),
    ] {
        let added = world.json(&[&["task", "add"][..], args].concat());
        assert_eq!(added["title"], title, "{args:?}");
        assert_eq!((&added["labels"], &added["priority"]), (&json!([]), &Value::Null), "{args:?}");
    }
    assert_eq!(task(&world, "Paint")["dueOn"], "2036-01-02");
    assert_eq!(task(&world, "Mend")["dueOn"], Value::Null);
    let both = world.json(&["task", "add", "Sort #shed", "--label", "tools", "--label", "shed"]);
    let labels: Vec<_> = both["labels"].as_array().into_iter().flatten().collect();
    assert_eq!(labels.iter().map(|label| &label["name"]).collect::<Vec<_>>(), ["shed", "tools"]);
}

#[test]
fn a_due_day_is_said_in_words_and_what_was_understood_is_said_back() {
    let world = World::with_tasks();
    let edit = |due: &str| world.ok(&["task", "edit", "slug fence", "--due", due]).err;
    assert_eq!(edit("2036-06-01"), "", "a day as it is stored needs no word");
    assert_eq!(edit("first monday in may 2036"), "--due: Monday 2036-05-05\n");
    assert_eq!(
        edit("10 december 2036 3pm"),
        "--due: Wednesday 2036-12-10; 15:00 is ignored: a due date has no time\n"
    );
    assert_eq!(task(&world, "slug fence")["dueOn"], "2036-12-10");
    let said = edit("3/4/2036");
    assert!(said.starts_with("--due: Thursday 2036-04-03; read with the day before"), "{said}");
    edit("none");
    assert_eq!(task(&world, "slug fence")["dueOn"], Value::Null);
}

#[test]
fn day_and_month_are_read_in_the_order_of_a_flag_or_the_environment() {
    let world = World::with_tasks();
    let edit = ["task", "edit", "slug fence", "--due", "3/4/2036"];
    let due = || task(&world, "slug fence")["dueOn"].clone();
    world.ok(&edit);
    assert_eq!(due(), "2036-04-03");
    world.ok(&[&edit[..], &["--day-order", "monthFirst"]].concat());
    assert_eq!(due(), "2036-03-04");
    world.ok(&edit);
    let set = [("DORMOUSE_DAY_ORDER", "monthFirst")];
    let done = world.run_set(&edit, &set, b"");
    assert_eq!((done.code, due()), (0, json!("2036-03-04")), "{done:?}");
    let done = world.run_set(&[&edit[..], &["--day-order", "dayFirst"]].concat(), &set, b"");
    assert_eq!((done.code, due()), (0, json!("2036-04-03")), "{done:?}");
}

#[test]
fn dates_are_read_in_the_language_of_the_environment_and_in_english() {
    let world = World::with_tasks();
    let edit = |day| ["task", "edit", "slug fence", "--due", day];
    let due = || task(&world, "slug fence")["dueOn"].clone();
    let refused = world.run_set(&edit("3. Mai 2036"), &[("LC_ALL", "C")], b"");
    assert_eq!(refused.code, 2, "{refused:?}");
    for set in [("DORMOUSE_LANG", "de"), ("LC_ALL", "de_AT.UTF-8")] {
        for (words, day) in [("3. Mai 2036", "2036-05-03"), ("4 may 2036", "2036-05-04")] {
            let done = world.run_set(&edit(words), &[set], b"");
            assert_eq!((done.code, due()), (0, json!(day)), "{set:?}: {done:?}");
        }
    }
}

#[test]
fn the_day_of_a_note_is_one_that_was() {
    let world = World::with_tasks();
    let done = world.ok(&["task", "note", "slug fence", "It leans.", "--on", "1 march 2020"]);
    assert_eq!(done.err, "--on: Sunday 2020-03-01\n");
    world.ok(&["task", "time", "slug fence", "20m", "--on", "2020-03-02"]);
    let entries = task(&world, "slug fence")["entries"].clone();
    let mut days: Vec<_> = entries.as_array().into_iter().flatten().map(|one| &one["on"]).collect();
    days.retain(|day| day.as_str().is_some_and(|day| day.starts_with("2020")));
    assert_eq!(days, ["2020-03-01", "2020-03-02"]);
}

#[test]
fn the_order_of_the_workspace_holds_where_a_command_names_none() {
    let world = World::with_tasks();
    let edit = ["task", "edit", "slug fence", "--due", "3/4/2036"];
    let due = || task(&world, "slug fence")["dueOn"].clone();
    let done = world.run_set(&edit, &[("LC_ALL", "en_US.UTF-8")], b"");
    assert_eq!((done.code, due()), (0, json!("2036-03-04")), "{done:?}");
    let set = world.ok(&["settings", "--date-order", "monthFirst"]);
    assert!(set.out.starts_with("dates in figures: monthFirst, 3/4 is 4 March\n"), "{}", set.out);
    world.ok(&edit);
    assert_eq!(due(), "2036-03-04");
    world.ok(&[&edit[..], &["--day-order", "dayFirst"]].concat());
    assert_eq!(due(), "2036-04-03");
    world.ok(&["settings", "--date-order", "dayFirst"]);
    let done = world.run_set(&edit, &[("LC_ALL", "en_US.UTF-8")], b"");
    assert_eq!((done.code, due()), (0, json!("2036-04-03")), "{done:?}");
    world.ok(&["settings", "--date-order", "none"]);
    let none = world.ok(&["settings"]);
    assert!(none.out.contains("as each locale writes them"), "{}", none.out);
}

#[test]
fn the_time_zone_of_the_workspace_is_set_and_holds_for_the_next_command() {
    let world = World::with_tasks();
    let shown = |args: &[&str]| world.ok(&[&["settings"][..], args].concat()).out;
    let before = shown(&[]);
    let system = ", that of the system when this workspace was first opened\n";
    assert!(before.contains("\ntime zone: ") && before.contains(system), "{before}");
    let set = shown(&["--time-zone", "Pacific/Kiritimati"]);
    assert!(set.contains("\ntime zone: Pacific/Kiritimati\n"), "{set}");
    let set = shown(&["--day-starts", "6:30"]);
    assert!(set.ends_with("\ndays start at 06:30\n"), "{set}");
    assert!(shown(&["--day-starts", "default"]).ends_with("\ndays start at 08:00\n"));
    // Whatever time it is, it is another day in Kiritimati than in Niue: they are 25 hours apart.
    let tomorrow = || {
        world.ok(&["task", "edit", "slug fence", "--due", "tomorrow"]);
        task(&world, "slug fence")["dueOn"].as_str().expect("a day").to_owned()
    };
    let east = tomorrow();
    shown(&["--time-zone", "pacific/niue"]);
    let west = tomorrow();
    assert!(west < east, "{west} {east}");
    let refused = world.run(&["settings", "--time-zone", "Mars/Olympus"]);
    let why = "there is no time zone `Mars/Olympus`: give an IANA name such as Europe/Berlin";
    assert!(refused.code != 0 && refused.err.contains(why), "{refused:?}");
    assert_eq!(shown(&["--time-zone", "default"]), before);
}

#[test]
fn before_a_day_says_that_the_day_itself_is_too_late() {
    let world = World::with_tasks();
    let done = world.ok(&["task", "edit", "slug fence", "--due", "before 2036-04-04"]);
    let said = "written as before 2036-04-04: that day itself is too late";
    assert!(done.err.contains(said), "{}", done.err);
}
