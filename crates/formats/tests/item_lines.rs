//! Corrections of the line of an item act on that item and on no other, in every format.

use dormouse_formats::plan::{
    self, Correction, CorrectionError, Edit, Kept, Options, Planned, Reading, Role,
};

/// A text in which a word of each item is in no other line, and the words of its items in their order.
struct Sample {
    name: &'static str,
    text: &'static str,
    words: &'static [&'static str],
}

const SAMPLES: &[Sample] = &[
    Sample {
        name: "signs.md",
        text: "# Move\n- [ ] Anchor\n- [?] Van\n- [/] Tape\n- [-] Box\n- [>] Rope\n- [!] Saw\n- [~] Lamp\n- [x] Desk\n",
        words: &["Anchor", "Van", "Tape", "Box", "Rope", "Saw", "Lamp", "Desk"],
    },
    Sample {
        name: "sign first.md",
        text: "# Move\n- [?] Van\n- [ ] Tape\n- [ ] Box\n",
        words: &["Van", "Tape", "Box"],
    },
    Sample {
        name: "nested.md",
        text: "# Move\n- [ ] Anchor\n  - [!] Van\n    - [ ] Tape\n- [?] Box that takes\n  two lines\n- [ ] Rope\n",
        words: &["Anchor", "Van", "Tape", "Box", "Rope"],
    },
    Sample {
        name: "equal.md",
        text: "# Move\n- [ ] Tape for Van\n- [?] Tape\n- [ ] Ta\n- [ ] Box\n",
        words: &["Van", "[?] Tape", "Ta", "Box"],
    },
    Sample {
        name: "table.md",
        text: "# Move\n\n**To-dos:**\n\n- Anchor\n\n| What | Who | Status |\n|---|---|---|\n| Van | | open |\n| Tape | three | blocked |\n| Box | two | done |\n| Rope | | open |\n",
        words: &["Anchor", "Van", "Tape", "Box", "Rope"],
    },
    Sample {
        name: "plain bullets.md",
        text: "# Move\n\nTo do:\n\n- Anchor\n* Van\n1. Tape\n- *Box*\n",
        words: &["Anchor", "Van", "Tape", "Box"],
    },
    Sample {
        name: "vault.md",
        text: "# Home\n- [ ] Move 📅 2026-12-05\n  - [/] Van 📅 2026-12-01 #big ^ab\n  - [ ] Tape ⏫\n  - [x] Box ✅ 2026-10-01\n  - [ ] Rope 🔁 every week\n",
        words: &["Van", "Tape", "Box", "Rope"],
    },
    Sample {
        name: "board.md",
        text: "---\nkanban-plugin: board\n---\n\n## Doing\n\n- [ ] Move\n  - [?] Van\n  - [ ] Tape\n  - [ ] Box\n\n## Done\n\n- [x] Sell\n",
        words: &["Van", "Tape", "Box"],
    },
    Sample {
        name: "list.txt",
        text: "Move\n  - [?] Van\n  - [ ] Tape\n  - Box\nSell\n",
        words: &["Van", "Tape", "Box"],
    },
    Sample {
        name: "mail.txt",
        text: "From: ana@example.org\nTo: ben@example.org\nDate: Mon, 2 Nov 2026 10:00:00 +0100\nSubject: Move\n\nHello Ben,\n\n- [ ] Van\n• Tape\n- [x] Box\n",
        words: &["Van", "Tape", "Box"],
    },
    Sample {
        name: "move.org",
        text: "* TODO Move\n- [ ] Van\n- [X] Tape\n** TODO [#A] Saw\n** TODO Box\n** DONE Rope\n",
        words: &["Van", "Tape", "Box", "Rope"],
    },
    Sample {
        name: "logseq.md",
        text: "- TODO Move\n\t- TODO **Van**\n\t- DONE Tape\n\t- TODO Box\n",
        words: &["Van", "Tape", "Box"],
    },
    Sample {
        name: "sheet.csv",
        text: "Task,Parent,Due\nMove,,2026-12-01\n\"The \"\"big\"\" Van\",Move,\nTape,Move,\n\"Box, small\",Move,\n",
        words: &["Van", "Tape", "Box"],
    },
    Sample {
        name: "todoist.csv",
        text: "TYPE,CONTENT,PRIORITY,INDENT\ntask,Move,1,1\ntask,\"The \"\"big\"\" Van\",4,2\ntask,Tape,4,2\ntask,Box @home,4,3\n",
        words: &["Van", "Tape"],
    },
    Sample {
        name: "google.json",
        text: "{\"kind\":\"tasks#tasks\",\"items\":[\n{\"id\":\"m\",\"title\":\"Move\",\"status\":\"needsAction\"},\n{\"id\":\"v\",\"title\":\"The \\\"big\\\" Van\",\"status\":\"needsAction\",\"parent\":\"m\"},\n{\"id\":\"t\",\"title\":\"Tape\",\"status\":\"needsAction\",\"parent\":\"m\"}\n]}\n",
        words: &["Van", "Tape"],
    },
    Sample {
        name: "move.ics",
        text: "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:t\nSUMMARY:Tape\nRELATED-TO:m\nEND:VTODO\nBEGIN:VTODO\nUID:m\nSUMMARY:Move\nEND:VTODO\nBEGIN:VTODO\nUID:v\nSUMMARY:Van\\, big\nRELATED-TO:m\nEND:VTODO\nBEGIN:VTODO\nUID:b\nSUMMARY:Box\nRELATED-TO:v\nEND:VTODO\nEND:VCALENDAR\n",
        words: &["Tape", "Van", "Box"],
    },
];

impl Sample {
    fn reading(&self) -> Reading {
        let reading = plan::read(self.name, self.text.as_bytes(), &Options::default()).unwrap();
        let (_, items) = titles(&plan::apply(self.text, &reading, &Kept::default(), &[]).unwrap());
        assert_eq!(items.len(), self.words.len(), "{}: {items:?}", self.name);
        for (item, word) in items.iter().zip(self.words) {
            assert!(item.contains(word), "{}: {items:?}", self.name);
        }
        reading
    }

    /// The line that a word is in, from 1.
    fn line(&self, word: &str) -> usize {
        let lines = plan::lines(self.text);
        let is_word = |line: &&str| {
            line.split(|sign: char| !sign.is_alphanumeric()).any(|other| other == word)
                || line.contains(word) && word.contains('[')
        };
        lines.iter().position(is_word).unwrap() + 1
    }

    /// Corrects a line. The correction holds at the next import, also of a text whose lines have moved.
    fn corrected(&self, reading: &Reading, line: usize, edit: Edit) -> Planned {
        let correction = Correction { line, edit };
        let planned = plan::apply(self.text, reading, &Kept::default(), &[correction]);
        let planned = planned.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let again = plan::apply(self.text, reading, &planned.kept, &[]).unwrap();
        assert_eq!(again, planned, "{}: line {line}", self.name);
        if let Some((head, rest)) = self.text.split_once("# Move\n") {
            let text = format!("{head}# Move\n\nA line more.\n\n{rest}");
            let later = plan::read(self.name, text.as_bytes(), &Options::default()).unwrap();
            let later = plan::apply(&text, &later, &planned.kept, &[]).unwrap();
            assert_eq!(titles(&later), titles(&planned), "{}: line {line}", self.name);
        }
        planned
    }
}

/// The titles of the tasks, and those of the items.
fn titles(planned: &Planned) -> (Vec<String>, Vec<String>) {
    let tasks = planned.tasks.iter().map(|task| task.draft.title.clone());
    let items = planned.tasks.iter().flat_map(|task| &task.draft.items);
    (tasks.collect(), items.map(|item| item.title.clone()).collect())
}

fn texts(planned: &Planned) -> Vec<String> {
    let entries = planned.tasks.iter().flat_map(|task| &task.draft.entries);
    entries.map(|entry| entry.text.clone()).collect()
}

/// Does the same to each item of each sample.
fn each(check: impl Fn(&Sample, &Reading, usize, usize)) {
    for sample in SAMPLES {
        let reading = sample.reading();
        for (at, word) in sample.words.iter().enumerate() {
            check(sample, &reading, sample.line(word), at);
        }
    }
}

fn uncorrected(sample: &Sample, reading: &Reading) -> Planned {
    plan::apply(sample.text, reading, &Kept::default(), &[]).unwrap()
}

#[test]
fn an_item_that_is_left_out_is_the_only_one_that_goes() {
    each(|sample, reading, line, at| {
        let before = uncorrected(sample, reading);
        let planned = sample.corrected(reading, line, Edit::LeaveOut);
        let (tasks, mut items) = titles(&before);
        items.remove(at);
        assert_eq!(titles(&planned), (tasks, items), "{}: line {line}", sample.name);
        assert_eq!(texts(&planned), texts(&before), "{}: line {line}", sample.name);
        let left_out = planned.places.iter().filter(|place| place.role == Role::LeftOut);
        let lines = plan::lines(sample.text);
        for place in left_out {
            let of_others = sample.words.iter().enumerate().filter(|(other, _)| *other != at);
            let mut others = of_others.map(|(_, word)| sample.line(word));
            assert!(others.all(|other| other != place.line), "{}", lines[place.line - 1]);
        }
        assert_eq!(planned.places[line - 1].role, Role::LeftOut, "{}: line {line}", sample.name);
    });
}

#[test]
fn an_item_that_is_renamed_is_the_only_one_that_changes() {
    each(|sample, reading, line, at| {
        let planned =
            sample.corrected(reading, line, Edit::Rename { title: "New words".to_owned() });
        let (tasks, mut items) = titles(&uncorrected(sample, reading));
        items[at] = "New words".to_owned();
        assert_eq!(titles(&planned), (tasks, items), "{}: line {line}", sample.name);
    });
}

#[test]
fn an_item_that_is_made_text_is_the_only_one_that_moves() {
    each(|sample, reading, line, at| {
        let edit = Edit::SetRole { role: Role::Note };
        let planned = sample.corrected(reading, line, edit);
        let (tasks, mut items) = titles(&uncorrected(sample, reading));
        let text = items.remove(at);
        assert_eq!(titles(&planned), (tasks, items), "{}: line {line}", sample.name);
        assert!(texts(&planned).contains(&text), "{}: {:?}", sample.name, texts(&planned));
    });
}

#[test]
fn an_item_that_begins_a_task_takes_only_what_is_nested_in_it_along() {
    each(|sample, reading, line, at| {
        let planned = sample.corrected(reading, line, Edit::Split);
        let before = uncorrected(sample, reading);
        let items: Vec<_> = before.tasks.iter().flat_map(|task| &task.draft.items).collect();
        let nested = items[at + 1..].iter().take_while(|item| item.depth > items[at].depth);
        let taken: Vec<&str> = nested.map(|item| item.title.as_str()).collect();
        let n_before = before.tasks.len();
        assert_eq!(planned.tasks.len(), n_before + 1, "{}: line {line}", sample.name);
        let mut new = planned.tasks.iter().filter(|task| task.draft.title == items[at].title);
        let new = new.next().unwrap_or_else(|| panic!("{}: line {line}", sample.name));
        let own: Vec<&str> = new.draft.items.iter().map(|item| item.title.as_str()).collect();
        assert_eq!(own, taken, "{}: line {line}", sample.name);
    });
}

#[test]
fn an_item_with_a_date_makes_its_task_due_and_stays_no_item() {
    let text = "# Move\n- [ ] Anchor\n- [?] Van by 10 December 2026\n- [ ] Tape\n";
    let reading = plan::read("due.md", text.as_bytes(), &Options::default()).unwrap();
    let due = |line| Correction { line, edit: Edit::SetRole { role: Role::Due } };
    let planned = plan::apply(text, &reading, &Kept::default(), &[due(3)]).unwrap();
    assert_eq!(planned.tasks[0].draft.due_on.unwrap().to_string(), "2026-12-10");
    assert_eq!(titles(&planned).1, ["Anchor", "Tape"]);
    assert_eq!(planned.places[2].role, Role::Due);
    let error = plan::apply(text, &reading, &Kept::default(), &[due(4)]).unwrap_err();
    assert_eq!(error, CorrectionError::NoDate { line: 4 });
}

#[test]
fn a_line_with_two_items_is_refused() {
    let text = "{\"tasks\":[\n{\"title\":\"Move\",\"done\":false,\"subtasks\":[\n{\"title\":\"Van\",\"done\":false},{\"title\":\"Tape\",\"done\":false},\n{\"title\":\"Box\",\"done\":false}]}\n]}\n";
    let reading = plan::read("a.json", text.as_bytes(), &Options::default()).unwrap();
    let leave_out = |line| {
        let correction = Correction { line, edit: Edit::LeaveOut };
        plan::apply(text, &reading, &Kept::default(), &[correction])
    };
    assert_eq!(leave_out(3), Err(CorrectionError::NotAlone { line: 3 }));
    assert_eq!(titles(&leave_out(4).unwrap()).1, ["Van", "Tape"]);
}

#[test]
fn an_item_in_an_item_of_a_document_is_found_by_its_own_lines() {
    let text = "[{\n\"title\": \"Move\",\n\"done\": false,\n\"subtasks\": [\n{\n\"title\": \"Van\",\n\"subtasks\": [\n{\n\"title\": \"Tape\"\n}\n],\n\"done\": false\n},\n{\n\"title\": \"Box\"\n}\n]\n}]\n";
    let reading = plan::read("a.json", text.as_bytes(), &Options::default()).unwrap();
    let leave_out = |line| {
        let correction = Correction { line, edit: Edit::LeaveOut };
        titles(&plan::apply(text, &reading, &Kept::default(), &[correction]).unwrap()).1
    };
    assert_eq!(leave_out(9), ["Van", "Box"]);
    assert_eq!(leave_out(6), ["Tape", "Box"]);
    assert_eq!(leave_out(12), ["Tape", "Box"]);
    assert_eq!(leave_out(15), ["Van", "Tape"]);
}
