//! Pasted letters with a list in them: what is around the list is no task.

use dormouse_formats::plan::{self, Options, Role};
use insta::assert_snapshot;

use crate::messy::tasks;

/// The tasks of a text, then the lines left out.
fn read(text: &str) -> (Vec<String>, Vec<usize>) {
    let reading = plan::read("letter.txt", text.as_bytes(), &Options::default()).unwrap();
    let tasks = reading.tasks.iter().map(|task| task.title.clone()).collect();
    let left_out = reading.places.iter().filter(|place| place.role == Role::Skipped);
    (tasks, left_out.map(|place| place.line).collect())
}

/// A letter, and the lines around its list.
const LETTERS: &[(&str, &[usize])] = &[
    ("Hi Anna,\nbuy milk\ncall Radu\nBest,\nTom\n", &[1, 4, 5]),
    ("Hello everyone!\n\nbuy milk\ncall Radu\n\nCheers\nTom\n", &[1, 6, 7]),
    ("Dear Ms Pop\n\nbuy milk\ncall Radu\n\nKind regards\nTom\n", &[1, 6, 7]),
    ("Hi,\nbuy milk\ncall Radu\n\nBest, Tom\n", &[1, 5]),
    ("Hi!\nbuy milk\ncall Radu\n\nThank you very much!\n", &[1, 5]),
    ("Subject: Flat\nFrom: tom@example.org\n\nHey,\nbuy milk\ncall Radu\n", &[1, 2, 4]),
    ("Hallo zusammen,\nMilch kaufen\nRadu anrufen\nViele Grüße\nTom\n", &[1, 4, 5]),
    (
        "Sehr geehrte Frau Pop,\nMilch kaufen\nRadu anrufen\n\nMit freundlichen Grüßen\nTom\n",
        &[1, 5, 6],
    ),
    ("Bonjour à tous,\nacheter du lait\nappeler Radu\nMerci d'avance\nTom\n", &[1, 4, 5]),
    ("Hola Ana:\ncomprar leche\nllamar a Radu\nUn abrazo,\nTom\n", &[1, 4, 5]),
    ("Bună Ana,\ncumpără lapte\nsună pe Radu\nMulțumesc,\nTom\n", &[1, 4, 5]),
    ("buy milk\ncall Radu\n-- \nTom Ionescu\n+40 21 555 0100\n", &[3, 4, 5]),
    (
        "Hi Anna,\nbuy milk\nThanks!\n\nBest,\nTom\n--\nTom Ionescu\nSales Manager\n",
        &[1, 3, 5, 6, 7, 8, 9],
    ),
    (
        "Hi Anna,\nbuy milk\nBest,\nTom Ionescu\ntom@example.org\n12 Mill Road\nTel: 021 555 0100\n",
        &[1, 3, 4, 5, 6, 7],
    ),
    // Two dashes are a line of a list as well.
    ("Buy milk\nCall Bob\n--\nPaint fence\nFix gutter\n", &[]),
    ("Buy milk\nCall Bob\n-- \nPaint fence\nFix gutter\n", &[]),
    ("Buy milk\n--\nTom Ionescu\n+40 21 555 0100\n", &[]),
    ("Eggs\n-- \nMilk\nBread\n", &[]),
    ("Hi Tom,\nbuy milk\n--\nPaint fence\nFix gutter\n", &[1]),
    ("Hi Tom,\nbuy milk\n--\nTom\ncall Bob, +40 21 555 0100\n", &[1]),
    // What follows a closing word may be more of the list.
    ("Hi Tom,\n\ncan you do these\nThanks!\nbuy milk\ncall Radu\nbook dentist\n", &[1]),
    ("buy milk\n\nThank you\nSend card to Ann\n", &[]),
    ("buy milk\n\nThank you\nAnn\n", &[]),
    ("Hi Tom,\nbuy milk\nThanks!\nCall Radu\n", &[1]),
    ("Hi Tom,\nbuy milk\nThanks, Call Radu\n", &[1]),
    ("Hallo Tom,\nMilch kaufen\nDanke!\nReparier Dach\nMüll\n", &[1]),
    ("Hi Tom,\nbuy milk\nThanks!\nBread\nButter\n", &[1]),
    ("Hi Tom,\nbuy milk\nThanks!\n+40 21 555 0100\n", &[1]),
    ("Hi Tom,\nbuy milk\nThanks!\nTom\nEmail ann@example.org\n", &[1]),
    ("Hi Tom,\nbuy milk\nThanks!\nTom\nBread, 01/12/2026\n", &[1]),
    ("Hello Kitty\nbuy milk\nThanks\nMia\n", &[]),
    // Lists that only resemble one.
    ("Hello Kitty cup\nMorning pills\nDear Alice, the book\nbuy milk\n", &[]),
    ("buy milk\nThanks cards\nLove songs for the party\n", &[]),
    ("milk\nbread\nBest\n", &[]),
    ("milk\n\nThanks\ncall Radu about the roof of the shed\n", &[]),
    ("Call Tom\nBest before: milk\nCheers to the new flat: glasses\n", &[]),
    ("Hi Anna,\nBest,\nTom\n", &[]),
    ("Subject: maths, chapter 3\nread it twice\n", &[]),
    ("Hi Anna,\nbuy milk\nThanks,\nTom\nPS: and bread\n", &[1]),
];

#[test]
fn greetings_and_signatures_are_no_tasks_and_lists_lose_nothing() {
    let mut wrong = Vec::new();
    for (text, around) in LETTERS {
        let (tasks, left_out) = read(text);
        let n_lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        if left_out != *around || tasks.len() + left_out.len() != n_lines {
            wrong.push(format!("{text}got {left_out:?} {tasks:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_greeting_word_with_a_colon_and_no_name_is_a_heading() {
    let lists = [
        "Morning:\nTake pills\nEvening:\nRead\n",
        "Salut:\nTake pills\nCiao:\nRead\n",
        "Cara:\nTake pills\nTom:\nRead\n",
        "Morning :\nTake pills\nEvening :\nRead\n",
        "Morning Routine:\nTake pills\nEvening Routine:\nRead\n",
    ];
    for list in lists {
        let reading = plan::read("list.txt", list.as_bytes(), &Options::default()).unwrap();
        let roles: Vec<_> = reading.places.iter().map(|place| place.role).collect();
        assert_eq!(roles, [Role::Category, Role::Task, Role::Category, Role::Task], "{list}");
        let heads: Vec<_> =
            list.lines().step_by(2).map(|line| line.trim_end_matches([':', ' '])).collect();
        let named: Vec<_> =
            reading.tasks.iter().map(|task| task.category.as_deref().unwrap()).collect();
        assert_eq!(named, heads, "{list}");
    }
}

const MAIL: &str = "\
From: Ola <ola@example.com>
To: Bo <bo@example.com>,
 Ana <ana@example.com>
Subject: Re: Trip to Rome
Date: Fri, 20 Nov 2026 10:00:00 +0100
Message-ID: <1@example.com>

Hi Bo,

could you do this by 24.11.?
- book the hotel
  1. with breakfast
- [x] buy the tickets

Thanks,
Ola

> On Thursday, Bo wrote:
> - ask about the dog
> Please call me tomorrow.
";

#[test]
fn a_mail_is_a_task_named_by_its_subject_and_keeps_its_head_and_what_it_quotes() {
    assert_snapshot!(tasks(MAIL), @"
    mail
    Trip to Rome: due 2026-11-24 | [ ] book the hotel | [ ] with breakfast | [x] buy the tickets | From: Ola <ola@example.com> / To: Bo <bo@example.com>, /  Ana <ana@example.com> / Subject: Re: Trip to Rome / Date: Fri, 20 Nov 2026 10:00:00 +0100 / Message-ID: <1@example.com> /  / Hi Bo, /  / could you do this by 24.11.? /  / Thanks, / Ola /  / > On Thursday, Bo wrote: / > - ask about the dog / > Please call me tomorrow.
    ");
    let answered = "Subject: Umzug\nVon: Ina\n\nGerne.\n\n> Kannst du\n> - Kartons holen\n> - Strom ummelden\n> bis morgen?\n";
    assert_snapshot!(tasks(answered), @"
    mail
    Umzug: [ ] Kartons holen | [ ] Strom ummelden | Von: Ina /  / Gerne. /  / > Kannst du / > bis morgen?
    ");
    let passed_on = "Subject: Fwd: Flat\nFrom: Ina\nDate: Mon, 2 Nov 2026\n\nSee below.\n\n----- Original Message -----\nFrom: Uwe\n\n- keys\n";
    assert_snapshot!(tasks(passed_on), @"
    mail
    Flat: [ ] keys | Subject: Fwd: Flat / From: Ina / Date: Mon, 2 Nov 2026 /  / See below. /  / ----- Original Message ----- / From: Uwe
    ");
}

#[test]
fn a_text_with_a_line_about_a_subject_is_no_mail() {
    for text in [
        "Subject: maths, chapter 3\nread it twice\n",
        "Subject: Flat\nFrom: tom@example.org\n\nbuy milk\ncall Radu\n",
        "# Notes\n\nSubject: x\nFrom: y\nDate: z\n\n- a\n",
    ] {
        let said = crate::messy::read("list.txt", text).remarks;
        assert!(!said.iter().any(|one| one.message.starts_with("a mail")), "{text}");
    }
}
