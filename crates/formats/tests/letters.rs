//! Pasted letters with a list in them: what is around the list is no task.

use dormouse_formats::plan::{self, Options, Role};

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
    ("Hello everyone!\n\nbuy milk\ncall Radu\n\nCheers\nTom and Mia\n", &[1, 6, 7]),
    ("Dear Ms Pop\n\nbuy milk\ncall Radu\n\nKind regards\nTom\n", &[1, 6, 7]),
    ("buy milk\ncall Radu\n\nBest, Tom\n", &[4]),
    ("buy milk\ncall Radu\n\nThank you very much!\n", &[4]),
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
