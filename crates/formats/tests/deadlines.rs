//! Due dates that a list says in words, and lines that a person makes the due date.

use dormouse_formats::csv::{Because, Column};
use dormouse_formats::intake::{DayOrder, ReadOptions};
use dormouse_formats::plan::{
    self, Correction, CorrectionError, Edit, Kept, Options, Planned, Reading, Role,
};
use insta::assert_snapshot;
use jiff::civil::{Date, date};

use crate::show::{places_shown, plan_shown};

/// Saturday.
const TODAY: Date = date(2026, 11, 21);

fn options(today: Date) -> Options {
    let read = ReadOptions { today: Some(today), ..ReadOptions::default() };
    Options { read, ..Options::default() }
}

fn read_on(today: Date, text: &str) -> Reading {
    plan::read("list.md", text.as_bytes(), &options(today)).unwrap()
}

fn apply(
    text: &str,
    reading: &Reading,
    kept: &Kept,
    edits: &[(usize, Role)],
) -> Result<Planned, CorrectionError> {
    let edit = |&(line, role): &(usize, Role)| Correction { line, edit: Edit::SetRole { role } };
    let corrections: Vec<_> = edits.iter().map(edit).collect();
    plan::apply(text, reading, kept, &corrections)
}

fn corrected(text: &str, edits: &[(usize, Role)]) -> String {
    match apply(text, &read_on(TODAY, text), &Kept::default(), edits) {
        Ok(planned) => {
            let mut out = String::new();
            places_shown(text, &planned.places, &mut out);
            for task in &planned.tasks {
                crate::show::task_shown(&task.draft, &mut out);
            }
            out
        }
        Err(error) => error.to_string(),
    }
}

const FLAT: &str = "\
# Flat
## Internet
- [ ] Call the provider
Technician needs two weeks, so by 24.11. at the latest.
Must not be forgotten before Christmas.
## Movers
- [ ] Ask three
Vlad on Saturday at 11, wants 1,800 lei.
## Hand over
Monday 30 Nov, 10:00 with the landlord
- [ ] Paint
## Deposit due 5 January
450 lei
## Steuer
- [ ] Belege
Abgabe bis spätestens 31. Januar 2027
## Impôts
- [ ] Dossier
À rendre avant le 15 mars 2027.
## Log
- [ ] x
2026-11-01: said it would be done by Friday
## Old
- [x] was due
by 24.11.
## Odd
- [ ] y
> by Friday, please
by 31.2. or never
```
by tomorrow
```
## Twice
- [ ] z
Due: 1 Dec 2026
The printer needs it by 28 Nov.
";

#[test]
fn deadlines_in_the_words_of_a_list_are_due_dates() {
    assert_snapshot!(plan_shown(FLAT, &read_on(TODAY, FLAT)));
}

#[test]
fn deadlines_of_a_plain_list_are_due_dates() {
    let text = "call Ana by friday\nbuy milk\nrent, due 1 december\n  until tomorrow, really\n\
                pick up the parcel\n  open until 8pm on 4 Dec\nmuseum, version 2.11\n";
    assert_snapshot!(plan_shown(text, &read_on(TODAY, text)));
}

#[test]
fn without_a_day_of_reading_a_whole_date_by_itself_is_due_and_a_sentence_is_named() {
    let text = "# Rent\nDue: 2026-12-05\n- [ ] form\n\n# Passport (due 7 December 2026)\n- [ ] photos\n\n\
                # Report\nTo be sent by 9 December 2026 to Ana.\n- [ ] draft\n\n# Ship by Friday\n- [ ] box\n\n\
                # Fence\nDue: Friday\n- [ ] paint\n";
    let reading = plan::read("list.md", text.as_bytes(), &Options::default()).unwrap();
    let due = |reading: &Reading| -> Vec<_> {
        reading.tasks.iter().map(|task| task.due_on.map(|day| day.to_string())).collect()
    };
    let some = |day: &str| Some(day.to_owned());
    assert_eq!(due(&reading), [some("2026-12-05"), some("2026-12-07"), None, None, None]);
    let remarks: Vec<_> = reading.remarks.iter().map(|it| (it.line, it.message.as_str())).collect();
    let message = "a date in a sentence becomes the due date only if you confirm a plan: it stays in the text";
    assert_eq!(remarks, [(9, message), (12, message), (16, message)]);
    // A person who looks at the plan sees them all.
    assert!(due(&read_on(TODAY, text)).iter().all(Option::is_some));
}

#[test]
fn a_date_in_brackets_goes_before_one_in_the_words_and_one_below_an_item_is_of_the_item() {
    let text = "# Renew before 15 Jan 2027 (due 2026-12-05)\n- [ ] a\n# Launch\n- [ ] Slides\n  - Due: 2026-12-04\n- [ ] Handout\n";
    for reading in
        [read_on(TODAY, text), plan::read("list.md", text.as_bytes(), &Options::default()).unwrap()]
    {
        let due: Vec<_> =
            reading.tasks.iter().map(|task| task.due_on.map(|day| day.to_string())).collect();
        assert_eq!(due, [Some("2026-12-05".to_owned()), None]);
        let remark = reading.remarks.iter().find(|remark| remark.line == 5).unwrap();
        assert_eq!(
            remark.message,
            "`Due: 2026-12-04` is the deadline of one point: it stays in the text"
        );
    }
}

#[test]
fn a_due_column_has_no_day_since_when_and_reads_those_of_east_asia() {
    let text = "Task,Due\na,since 2026-11-01\nb,seit 1.11.2026\nc,nicht später als 15.12.2026\n\
                d,2026年12月5日\ne,12月20日\nf,\"Freitag, der 11.12.2026\"\ng,2026년 12월 6일\n";
    let due: Vec<String> = read_on(TODAY, text)
        .tasks
        .iter()
        .map(|task| task.due_on.map_or("-".to_owned(), |day| day.to_string()))
        .collect();
    assert_eq!(
        due,
        ["-", "-", "2026-12-15", "2026-12-05", "2026-12-20", "2026-12-11", "2026-12-06"]
    );
}

#[test]
fn a_weekday_that_is_not_that_of_the_date_is_named() {
    let text = "Task,Due\nPay,Fri 5 Dec 2026\nCall,Sat 5 Dec 2026\nPlant,not before 5 Dec 2026\n";
    let reading = read_on(TODAY, text);
    let due: Vec<_> =
        reading.tasks.iter().map(|task| task.due_on.map(|day| day.to_string())).collect();
    assert_eq!(due, [Some("2026-12-05".into()), Some("2026-12-05".into()), None::<String>]);
    let remarks: Vec<_> = reading.remarks.iter().map(|it| (it.line, it.message.as_str())).collect();
    assert_eq!(
        remarks,
        [
            (2, "the weekday does not match the date: the date is used"),
            (4, "this says when something may begin, not when it is due: kept in the note"),
        ]
    );
    let text = "# Offer, until Friday 5 Dec 2026\n- [ ] read it\n";
    let remarks: Vec<_> = read_on(TODAY, text).remarks.into_iter().map(|it| it.message).collect();
    assert_eq!(remarks, ["the weekday does not match the date: the date is used"]);
}

#[test]
fn a_day_without_a_year_stays_what_it_was_when_it_was_read_first() {
    let due = |planned: &Planned| -> Vec<_> {
        planned.tasks.iter().map(|task| task.draft.due_on.unwrap().to_string()).collect()
    };
    let text = "# A\n- [ ] a\nby 24.11.\n# B\n- [ ] b\nuntil Friday\n# C\n- [ ] c\nby 2027-01-31\n";
    let first = apply(text, &read_on(TODAY, text), &Kept::default(), &[]).unwrap();
    assert_eq!(due(&first), ["2026-11-24", "2026-11-27", "2027-01-31"]);
    let json = serde_json::to_string(&first.kept).unwrap();
    assert_snapshot!(json, @r#"{"edits":[],"days":[{"task":"list.md/a#1","words":"by 24.11.","day":"2026-11-24","order":"dayFirst"},{"task":"list.md/b#1","words":"until friday","day":"2026-11-27","order":"dayFirst"}]}"#);
    // A month later the list is the same, with another task before.
    let later = date(2026, 12, 21);
    let longer = format!("# New\n- [ ] n\nby 24.11.\n{text}");
    let kept = serde_json::from_str(&json).unwrap();
    let second = apply(&longer, &read_on(later, &longer), &kept, &[]).unwrap();
    assert_eq!(due(&second), ["2027-11-24", "2026-11-24", "2026-11-27", "2027-01-31"]);
    assert_eq!(second.kept.days.len(), 3);
    // Other words are a new date.
    let moved = text.replace("by 24.11.", "by 25.11.");
    let third = apply(&moved, &read_on(later, &moved), &kept, &[]).unwrap();
    assert_eq!(due(&third), ["2027-11-25", "2026-11-27", "2027-01-31"]);
}

#[test]
fn a_line_with_a_date_becomes_the_due_date_of_its_task() {
    // A note, an item, a title, and one in place of another.
    let shown = [
        corrected(FLAT, &[(8, Role::Due)]),
        corrected("# A\n- [ ] pay on 3 December\n- [ ] b\n", &[(2, Role::Due)]),
        corrected("# Party on 4 Dec\n- [ ] cake\nring at five\n", &[(1, Role::Due)]),
        corrected("# A\n- [ ] a\nby 24.11.\non 2 December\n", &[(4, Role::Due)]),
    ];
    assert_snapshot!(shown.join("----\n"));
}

#[test]
fn a_due_line_that_is_made_text_takes_the_due_date_away() {
    let matter = "---\ndue: 2026-12-01\nstatus: open\n---\n# A\n- [ ] a\n";
    let shown = [
        corrected("# A\n- [ ] a\nby 24.11.\n", &[(3, Role::Note)]),
        corrected("# A\n- [ ] a\nby 24.11.\n", &[(3, Role::Item)]),
        corrected("# A\n- [ ] a\nby 24.11.\n", &[(3, Role::LeftOut)]),
        corrected("# A\n- [ ] a\nby 24.11.\n", &[(3, Role::Task)]),
        corrected(matter, &[(2, Role::Note)]),
        corrected(matter, &[(2, Role::LeftOut)]),
        corrected(matter, &[(2, Role::Task)]),
        corrected("# A\n- [ ] a\nno day\n", &[(3, Role::Due)]),
    ];
    assert_snapshot!(shown.join("----\n"));
}

#[test]
fn a_correction_of_due_holds_for_the_next_import() {
    let text = "# A\n- [ ] a\nmeet Vlad on Friday\n# B\n- [ ] b\nby 24.11.\n";
    let edits = [(3, Role::Due), (6, Role::Note)];
    let first = apply(text, &read_on(TODAY, text), &Kept::default(), &edits).unwrap();
    let longer = format!("# C\n- [ ] c\n{text}");
    let again = apply(&longer, &read_on(date(2026, 12, 7), &longer), &first.kept, &[]).unwrap();
    let due: Vec<_> = again.tasks[1..].iter().map(|task| task.draft.due_on).collect();
    assert_eq!(due, [Some(date(2026, 11, 27)), None]);
    assert_eq!(again.kept.edits, first.kept.edits);
}

#[test]
fn the_meanings_that_a_person_gives_to_columns_hold() {
    let text = "what,room,who,on\nShelf,hall,Radu,5.12.\nSofa,bath,Ana,6.12.\n";
    let read = |columns: Option<Vec<Column>>| {
        plan::read("a.csv", text.as_bytes(), &Options { columns, ..options(TODAY) })
    };
    let guessed = read(None).unwrap().sheet.unwrap();
    assert_eq!(guessed.delimiter, ',');
    let mut said = guessed.meanings();
    said[1] = Column::Category;
    let reading = read(Some(said.clone())).unwrap();
    assert_eq!(reading.tasks[1].category.as_deref(), Some("bath"));
    assert_eq!(reading.tasks[1].due_on, Some(date(2026, 12, 6)));
    let sheet = reading.sheet.clone().unwrap();
    assert_eq!(sheet.columns[1].because, Because::Person);
    assert_eq!(sheet.meanings(), said);
    let planned = plan::apply(text, &reading, &Kept::default(), &[]).unwrap();
    assert_eq!(planned.sheet.as_ref(), Some(&sheet));
    assert_snapshot!(serde_json::to_string(&sheet).unwrap(), @r#"{"delimiter":",","hasHead":true,"columns":[{"name":"what","column":"title","because":"name"},{"name":"room","column":"category","because":"person"},{"name":"who","column":"keptInNote","because":"name"},{"name":"on","column":"due","because":"days","n":2,"of":2}],"sample":[{"line":2,"cells":["Shelf","hall","Radu","5.12."]},{"line":3,"cells":["Sofa","bath","Ana","6.12."]}]}"#);
    assert_eq!(
        serde_json::from_str::<dormouse_formats::csv::Columns>(
            &serde_json::to_string(&sheet).unwrap()
        )
        .unwrap(),
        sheet
    );
    assert_snapshot!(read(Some(said[1..].to_vec())).unwrap_err().to_string(), @"a.csv has 4 columns, and 3 meanings were given; give one for each column");
    said[0] = Column::LeftOut;
    assert_snapshot!(read(Some(said)).unwrap_err().to_string(), @"no column of a.csv is the title of its tasks; choose one");
}

#[test]
fn the_digest_changes_with_everything_that_a_plan_depends_on() {
    let base = options(TODAY);
    let month_first = ReadOptions { order: DayOrder::MonthFirst, ..base.read.clone() };
    let zone = jiff::tz::TimeZone::get("Europe/Bucharest").unwrap();
    let all = [
        base.clone(),
        Options { read: month_first, ..base.clone() },
        Options { read: ReadOptions { zone, ..base.read.clone() }, ..base.clone() },
        options(date(2026, 11, 22)),
        Options { columns: Some(vec![Column::Title]), ..base.clone() },
        Options { columns: Some(vec![Column::Note]), ..base },
    ];
    let digests: std::collections::BTreeSet<_> =
        all.iter().map(|options| plan::digest("a", b"text", options).as_str().to_owned()).collect();
    assert_eq!(digests.len(), all.len());
    let json = serde_json::to_string(&all[2].read).unwrap();
    assert_snapshot!(json, @r#"{"order":"dayFirst","today":"2026-11-21","zone":"Europe/Bucharest"}"#);
    assert_eq!(serde_json::from_str::<ReadOptions>(&json).unwrap(), all[2].read);
}

/// Lines of a list as people write them, with the due date that they say, read on a Saturday.
const LINES: &[(&str, &str)] = &[
    ("by 24.11.", "2026-11-24"),
    ("Must be booked by 10 December 2026", "2026-12-10"),
    ("Due 31 January 2027", "2027-01-31"),
    ("closes 15/01/2027", "2027-01-15"),
    ("**Due:** 2026-12-01", "2026-12-01"),
    ("Deadline: Friday", "2026-11-27"),
    ("the offer ends on 3 Dec at noon", "2026-12-03"),
    ("pay before Christmas", "2026-12-25"),
    ("no later than end of March", "2027-03-31"),
    ("by tomorrow evening", "2026-11-22"),
    ("within two weeks", "2026-12-05"),
    ("needs it by the 3rd", "2026-12-03"),
    ("until we know more", "-"),
    ("written by May", "-"),
    ("by 2.0 or 3.1 of the library", "-"),
    ("was due on 3 November", "-"),
    ("reduced by 10.12. percent", "-"),
    ("the deposit is due when we move out", "-"),
    ("by train, 3 hours", "-"),
    ("we lived there until 2019.", "-"),
    ("open until 8pm", "-"),
    ("done by 3 May 2024", "-"),
    ("overdue: by 24.10.2026", "2026-10-24"),
    ("due:2026-12-01", "2026-12-01"),
    ("(due 3 Dec)", "2026-12-03"),
    ("Deadline – 3.12.", "2026-12-03"),
    ("- Due date: Dec 1", "2026-12-01"),
    ("| Due | 2026-12-01 |", "-"),
    ("_due_ Friday 4 December", "2026-12-04"),
    ("Due on: 2026-12-01", "2026-12-01"),
    ("Due by: tomorrow", "2026-11-22"),
    ("[due: 2026-12-01]", "2026-12-01"),
    ("due = 2026-12-01", "-"),
    ("DUE DECEMBER 1ST", "2026-12-01"),
    ("needs to be done by next week", "2026-11-29"),
    ("by end of November", "2026-11-30"),
    ("by the end of next month", "2026-12-31"),
    ("before we leave on 20 December", "-"),
    ("EOD Monday", "-"),
    ("submit by 11:59pm on December 5", "2026-12-05"),
    ("respond by 12/05/2026", "2026-05-12"),
    ("bis 24.11.", "2026-11-24"),
    ("Fälligkeit: 3.12.2026", "2026-12-03"),
    ("Termin bis 3.12.", "2026-12-03"),
    ("muss bis nächsten Freitag fertig sein", "2026-11-27"),
    ("bis KW 49", "2026-12-06"),
    ("bis 3.12.26, 18 Uhr", "2026-12-03"),
    ("avant vendredi prochain", "2026-11-27"),
    ("antes de fin de mes", "2026-11-30"),
    ("până vineri, 27 noiembrie", "2026-11-27"),
    ("bis spätestens Freitag", "2026-11-27"),
    ("Abgabe bis 31. Januar 2027", "2027-01-31"),
    ("fällig am 3. Dezember", "2026-12-03"),
    ("Frist: 15.01.2027", "2027-01-15"),
    ("spätestens Ende März", "2027-03-31"),
    ("bis morgen", "2026-11-22"),
    ("vor dem 10.12. anrufen", "2026-12-10"),
    ("bis Ende der Woche", "2026-11-27"),
    ("bis zum 3.12. um 12 Uhr", "2026-12-03"),
    ("bis 2,5 kg", "-"),
    ("bis auf weiteres", "-"),
    ("von 9 bis 12 Uhr", "-"),
    ("5 bis 10 Mitarbeiter", "-"),
    ("wir haben bis 2019 dort gewohnt", "-"),
    ("avant le 15 mars 2027", "2027-03-15"),
    ("à rendre pour le 3 décembre", "2026-12-03"),
    ("au plus tard vendredi", "2026-11-27"),
    ("jusqu'au 30 novembre", "2026-11-30"),
    ("d'ici demain", "2026-11-22"),
    ("date limite : 01/02/2027", "2027-02-01"),
    ("échéance le 1er décembre", "2026-12-01"),
    ("pour le chat", "-"),
    ("avant tout", "-"),
    ("hasta el 15 de enero de 2027", "2027-01-15"),
    ("Budget is fine until March", "-"),
    ("the quote was good till Friday", "-"),
    ("Museum: closed until 4 December", "-"),
    ("open until 8pm on 4 Dec", "-"),
    ("the milk lasts until Sunday", "-"),
    ("Ana is away through Friday", "-"),
    ("keep the window shut until Monday", "-"),
    ("the guarantee runs until 3.12.", "-"),
    ("is to be paid until Friday", "2026-11-27"),
    ("this must be ready until Friday", "2026-11-27"),
    ("Is it late? Pay until Friday", "2026-11-27"),
    ("is fine, but needed by Friday", "2026-11-27"),
    ("the flat is ours until Friday at the latest", "2026-11-27"),
    ("clean up until Friday", "2026-11-27"),
    ("tell Ana who is there, and pay until Friday", "2026-11-27"),
    ("Applications open until 15 March", "2027-03-15"),
    ("Applications are open until Friday", "2026-11-27"),
    ("the offer is open until Friday", "2026-11-27"),
    ("registration runs until 3 Dec", "2026-12-03"),
    ("the shop is closed until Friday", "-"),
    ("applications are closed until Friday", "-"),
    ("the application was open until Friday", "-"),
    ("Offer to keep the shop open until Friday", "-"),
    ("the shop has to stay closed until Friday", "-"),
    ("die Anmeldung ist bis Freitag offen", "2026-11-27"),
    ("das Büro ist bis Freitag offen", "-"),
    ("les inscriptions sont ouvertes jusqu'au 30 novembre", "2026-11-30"),
    ("la convocatoria está abierta hasta el viernes", "2026-11-27"),
    ("înscrierile sunt deschise până vineri", "2026-11-27"),
    ("das Budget reicht bis März", "-"),
    ("bis Sonntag geöffnet", "-"),
    ("ist bis März in Ordnung", "-"),
    ("gilt bis 3.12.", "2026-12-03"),
    ("the offer is valid until 3 Dec", "2026-12-03"),
    ("ist bis Freitag abzugeben", "2026-11-27"),
    ("le musée est ouvert jusqu'au 30 novembre", "-"),
    ("est à rendre jusqu'au 30 novembre", "2026-11-30"),
    ("la tienda está cerrada hasta el viernes", "-"),
    ("magazinul este închis până vineri", "-"),
    ("trebuie plătit până vineri", "2026-11-27"),
    ("antes del 3 de diciembre", "2026-12-03"),
    ("vence el viernes", "2026-11-27"),
    ("para el lunes", "2026-11-23"),
    ("fecha límite: 31/01/2027", "2027-01-31"),
    ("para el perro", "-"),
    ("hasta 3 personas", "-"),
    ("până la 15 ianuarie 2027", "2027-01-15"),
    ("pana vineri", "2026-11-27"),
    ("termen: 3 decembrie", "2026-12-03"),
    ("cel târziu pe 24.11.", "2026-11-24"),
    ("scadent la 31.01.2027", "2027-01-31"),
    ("până la urmă", "-"),
    ("până la 3 luni", "-"),
];

#[test]
fn deadlines_are_read_as_people_write_them_in_each_language() {
    let mut wrong = Vec::new();
    for (line, expected) in LINES {
        let text = format!("# A\n- [ ] a\n{line}\n");
        let due = read_on(TODAY, &text).tasks[0].due_on;
        let due = due.map_or("-".to_owned(), |day| day.to_string());
        if due != *expected {
            wrong.push(format!("{line}: expected {expected}, got {due}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_kept_day_outlives_half_a_file_and_gives_way_to_the_other_order() {
    let text = "# Flat\n\n## Internet\nBy 3/4 at the latest.\n\n## Keys\n- [ ] Copy\n";
    let options = |order| plan::Options {
        read: ReadOptions {
            order,
            today: Some("2026-11-20".parse().unwrap()),
            ..ReadOptions::default()
        },
        ..plan::Options::default()
    };
    let planned = |text: &str, order, kept: &Kept| {
        let reading = plan::read("list", text.as_bytes(), &options(order)).unwrap();
        plan::apply(text, &reading, kept, &[]).unwrap()
    };
    let first = planned(text, DayOrder::DayFirst, &Kept::default());
    let due = |planned: &plan::Planned| planned.tasks[0].draft.due_on.map(|day| day.to_string());
    assert_eq!(due(&first).as_deref(), Some("2027-04-03"));
    let mut earlier = first.kept;
    earlier.days[0].day = "2026-04-03".parse().unwrap();
    let half = planned("# Flat\n", DayOrder::DayFirst, &earlier);
    let again = planned(text, DayOrder::DayFirst, &half.kept);
    assert_eq!(due(&again).as_deref(), Some("2026-04-03"), "it was kept meanwhile");
    let other = planned(text, DayOrder::MonthFirst, &again.kept);
    assert_eq!(due(&other).as_deref(), Some("2027-03-04"));
}

#[test]
fn the_deadline_of_one_point_is_not_that_of_the_task() {
    let text = "# Meeting\n\n- Ola sends the offer by Friday\n- Bo books the room\n\n# Trip\n\n- [ ] Book\n\n\
                | What | When |\n|---|---|\n| Visa | by 24.11. |\n| Hotel | |\n\n# Flat\n\n- Due: 24.11.\n- near the park\n\n\
                # Car\n\n- has to be sold by 24.11.\n";
    let reading = read_on(TODAY, text);
    let due: Vec<_> = reading
        .tasks
        .iter()
        .map(|task| {
            format!("{}: {}", task.title, task.due_on.map_or("-".into(), |day| day.to_string()))
        })
        .collect();
    assert_eq!(due, ["Meeting: -", "Trip: -", "Flat: 2026-11-24", "Car: 2026-11-24"]);
    let said: Vec<_> = reading.remarks.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "`by Friday` is the deadline of one point: it stays in the text",
            "`by 24.11.` is the deadline of one point: it stays in the text",
        ]
    );
}

#[test]
fn an_export_of_dormouse_has_fields_for_due_dates_and_its_words_give_none() {
    let id = "jt-01m8hyt3x6sw180vnxw66s936h";
    let text = |id: &str| {
        format!(
            "## Call the bank\n\n[id:: {id}] [status:: OPEN]\n\nLoan until 31.12.2026?\n\n## Pay\n"
        )
    };
    let due = |text: String| read_on(TODAY, &text).tasks[0].due_on;
    assert_eq!(due(text(id)), None);
    // The id of another program says nothing about that.
    assert_eq!(due(text("bank-1")), Some(date(2026, 12, 31)));
}

#[test]
fn a_time_without_a_day_is_no_due_date() {
    let text = "# Move\n\n- [ ] Pack\n\n08:00 van arrives\n\n08:00 van, keys back on 30 Jan\n";
    assert_eq!(
        corrected(text, &[(5, Role::Due)]),
        "line 5: there is no date in it; write one like `by 10 December` or 2026-12-10"
    );
    assert!(corrected(text, &[(7, Role::Due)]).contains("2027-01-30"));

    let sheet = "Task,Due\nVan,08:00\nCall,in 2 hours\nKeys,2027-01-30 10:00\nParty,tonight\n";
    let reading = plan::read("list.csv", sheet.as_bytes(), &options(TODAY)).unwrap();
    let due = reading.tasks.iter().map(|task| task.due_on).collect::<Vec<_>>();
    assert_eq!(due, [None, None, Some(date(2027, 1, 30)), Some(TODAY)]);
    let said: Vec<_> = reading.remarks.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "this is a time without a day, so there is no due date: kept in the note (also on one more line)"
        ]
    );
}
