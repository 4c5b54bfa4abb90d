//! A plan as a text that a person edits: a word before each line says what it becomes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Command;

use dormouse::imports::{Column, Correction, ImportAgents, ImportPlan};
use dormouse_formats::plan::{self, AgentChoice, Edit, Role};
use dormouse_types::closed_list::ClosedList as _;
use dormouse_types::task::{Flag, Flags, NotListed};

use super::columns;
use super::plan::{has_agent, role};
use crate::failure::Failure;
use crate::terminal::line;

const HELP: &str = "\
# What each line becomes. Change the word after a number, or the title after `=`; then save and close.
# Below a title, `+ private`, `+ starred` or `+ private, starred` marks the task.
#   task       begins a task; `task+` one with an agent
#   item, note, due   of the task above
#   category   of the tasks below
#   join       this task becomes part of the task above
#   out        is left out, with all of it if it begins a task; so is a line you remove here
# Of a sheet, `|` and the number of a column say what the column is: title, note, items, done, status,
#   reason, priority, due, start, estimate, language, category, labels, starred, private, id,
#   text (kept under its name) or out.
# Lines that begin with # are not read, nor is the text of a line.
";

/// What the word of a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Is(Role),
    /// A task, and whether it gets an agent.
    Task(AgentChoice),
    Join,
}

/// A plan, line by line, as the document shows it.
struct Shown {
    word: Word,
    /// The title of the task that begins here.
    title: Option<String>,
    flags: Flags,
}

/// The document of several plans.
pub(super) fn document(plans: &[ImportPlan], texts: &[String], agents: ImportAgents) -> String {
    let mut out = HELP.to_owned();
    for (made, text) in plans.iter().zip(texts) {
        let source = plan::lines(text);
        let digits = source.len().to_string().len();
        // Writing to a String cannot fail.
        let _always = writeln!(out, "\n@ {}", line(&made.file));
        out.push_str(&columns::rows(made));
        for (at, shown) in current_choices(made, agents) {
            let word = match &shown.word {
                Word::Is(is) => role(*is),
                Word::Task(AgentChoice::Give) => "task+",
                Word::Task(AgentChoice::Refuse) => "task",
                Word::Join => "join",
            };
            let text = line(source.get(at - 1).copied().unwrap_or_default());
            let _always = writeln!(out, "{at:>digits$} {word:<8} {}", text.trim_end());
            if let Some(title) = &shown.title {
                let _always = writeln!(out, "{:digits$} = {}", "", line(title));
            }
            let flags = Flag::ALL.iter().filter(|flag| shown.flags.has(**flag));
            let flags: Vec<&str> = flags.map(|flag| flag.name()).collect();
            if !flags.is_empty() {
                let _always = writeln!(out, "{:digits$} + {}", "", flags.join(", "));
            }
        }
    }
    out
}

/// Each line that is not blank.
fn current_choices(made: &ImportPlan, agents: ImportAgents) -> BTreeMap<usize, Shown> {
    let mut all = BTreeMap::new();
    for run in made.lines.iter().filter(|run| run.role != Role::Blank) {
        for at in run.from..=run.to {
            let task = run.task.and_then(|task| made.tasks.get(task));
            let begun = task.filter(|task| run.role == Role::Task && task.line == at);
            let agent = |gets| if gets { AgentChoice::Give } else { AgentChoice::Refuse };
            let word =
                begun.map_or(Word::Is(run.role), |task| Word::Task(agent(has_agent(task, agents))));
            let flags = begun.map(|task| Flags { starred: task.starred, private: task.private });
            let title = begun.map(|task| task.title.clone());
            all.insert(at, Shown { word, title, flags: flags.unwrap_or_default() });
        }
    }
    all
}

/// What a person changed in the plan of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes {
    pub corrections: Vec<Correction>,
    /// What each column of the sheet means, if that changed.
    pub columns: Option<Vec<Column>>,
}

/// What a person changed in the document, for each plan.
///
/// Errors: a line of the document that is not understood; the message names it.
pub(super) fn corrections(
    plans: &[ImportPlan],
    texts: &[String],
    agents: ImportAgents,
    document: &str,
) -> Result<Vec<Changes>, String> {
    let mut meanings: Vec<BTreeMap<usize, Column>> =
        plans.iter().map(|_| BTreeMap::new()).collect();
    let mut written: Vec<BTreeMap<usize, Shown>> = plans.iter().map(|_| BTreeMap::new()).collect();
    let mut file = None;
    let mut last = 0;
    for (number, row) in (1..).zip(document.lines()) {
        let row = row.trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        if row.starts_with('@') {
            file = Some(file.map_or(0, |file: usize| file + 1));
            last = 0;
            continue;
        }
        let of_file = file.and_then(|file| written.get_mut(file).zip(meanings.get_mut(file)));
        let Some((written, meanings)) = of_file else {
            return Err(format!("line {number} of the edited plan is under no file (`@ …`)"));
        };
        if let Some(column) = row.strip_prefix('|') {
            let (at, column) =
                columns::read(column).map_err(|error| format!("line {number}: {error}"))?;
            meanings.insert(at, column);
            continue;
        }
        if let Some(title) = row.strip_prefix('=') {
            let Some(task) = written.get_mut(&last) else {
                return Err(format!(
                    "line {number} of the edited plan: a title needs its task above"
                ));
            };
            task.title = Some(title.trim().to_owned());
            continue;
        }
        if let Some(marks) = row.strip_prefix('+') {
            let flags = flags(marks).map_err(|error| format!("line {number}: {error}"))?;
            let task = written.get_mut(&last).filter(|task| matches!(task.word, Word::Task(_)));
            let Some(task) = task else {
                return Err(format!(
                    "line {number} of the edited plan: private and starred need their task above"
                ));
            };
            task.flags = flags;
            continue;
        }
        let mut words = row.split_whitespace();
        let at = words.next().and_then(|at| at.parse().ok());
        let word = words.next().and_then(word);
        let (Some(at), Some(word)) = (at, word) else {
            return Err(format!(
                "line {number} of the edited plan is not understood: it begins with the number of a \
                 line and one of task, task+, item, note, due, category, join, out"
            ));
        };
        last = at;
        written.insert(at, Shown { word, title: None, flags: Flags::NONE });
    }
    let written = written.iter().zip(&meanings);
    let changed =
        plans.iter().zip(written).zip(texts).map(|((made, (written, meanings)), text)| {
            let beyond = written.keys().find(|at| **at == 0 || **at > plan::lines(text).len());
            if let Some(at) = beyond {
                return Err(format!("{} has no line {at}", line(&made.file)));
            }
            let corrections = differences(&current_choices(made, agents), written);
            Ok(Changes { corrections, columns: columns::changed(made, meanings)? })
        });
    changed.collect()
}

fn word(text: &str) -> Option<Word> {
    match text {
        "task" => Some(Word::Task(AgentChoice::Refuse)),
        "task+" => Some(Word::Task(AgentChoice::Give)),
        "join" => Some(Word::Join),
        "skip" | "drop" => Some(Word::Is(Role::LeftOut)),
        _ => Role::ALL.iter().find(|is| role(**is) == text).map(|is| Word::Is(*is)),
    }
}

/// The flags that a list of their names sets.
fn flags(names: &str) -> Result<Flags, NotListed> {
    let names = names.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty());
    names.map(Flag::parse).try_fold(Flags::NONE, |flags, flag| Ok(flags.with(flag?, true)))
}

fn differences(before: &BTreeMap<usize, Shown>, after: &BTreeMap<usize, Shown>) -> Vec<Correction> {
    let out = Shown { word: Word::Is(Role::LeftOut), title: None, flags: Flags::NONE };
    let mut all = Vec::new();
    for (&line, was) in before {
        let is = after.get(&line).unwrap_or(&out);
        let mut push = |edit| all.push(Correction { line, edit });
        if was.word != is.word {
            if was.word == Word::Is(Role::LeftOut) {
                push(Edit::PutBack);
            }
            match (&was.word, &is.word) {
                // The plan says "skipped" of a line that belongs to no task; no person means anything else by it.
                (_, Word::Is(Role::LeftOut | Role::Skipped)) => push(Edit::LeaveOut),
                (_, Word::Join) => push(Edit::Join),
                (Word::Task(_), Word::Task(agent)) => push(Edit::SetAgent { agent: *agent }),
                (Word::Is(Role::LeftOut), Word::Task(agent)) => {
                    push(Edit::SetAgent { agent: *agent });
                }
                (_, Word::Task(agent)) => {
                    push(Edit::Split);
                    if *agent == AgentChoice::Give {
                        push(Edit::SetAgent { agent: *agent });
                    }
                }
                (_, Word::Is(role)) => push(Edit::SetRole { role: *role }),
            }
        }
        if matches!(is.word, Word::Task(_)) {
            if was.flags.starred != is.flags.starred {
                push(Edit::SetStarred { starred: is.flags.starred });
            }
            if was.flags.private != is.flags.private {
                push(Edit::SetPrivate { private: is.flags.private });
            }
        }
        if let (Some(was), Some(title)) = (&was.title, &is.title)
            && crate::terminal::line(was) != *title
        {
            push(Edit::Rename { title: title.clone() });
        }
    }
    all
}

/// Earlier corrections with later ones in their place.
pub(super) fn merged(earlier: &[Correction], later: Vec<Correction>) -> Vec<Correction> {
    let is_replaced = |old: &Correction| {
        later.iter().any(|new| {
            new.line == old.line
                && (std::mem::discriminant(&new.edit) == std::mem::discriminant(&old.edit)
                    || is_place(&new.edit) && is_place(&old.edit))
        })
    };
    let is_undone = |new: &Correction| {
        new.edit == Edit::PutBack
            && earlier.iter().any(|old| old.line == new.line && is_place(&old.edit))
    };
    let stays = earlier.iter().filter(|old| !is_replaced(old)).cloned();
    stays.chain(later.iter().filter(|new| !is_undone(new)).cloned()).collect()
}

/// Whether an edit says what a line is; of such, one holds for a line.
fn is_place(edit: &Edit) -> bool {
    match edit {
        Edit::SetRole { .. }
        | Edit::Split
        | Edit::Join
        | Edit::LeaveOut
        | Edit::LeaveOutTask
        | Edit::PutBack => true,
        Edit::Rename { .. }
        | Edit::RenameTask { .. }
        | Edit::SetAgent { .. }
        | Edit::SetCategory { .. }
        | Edit::SetStarred { .. }
        | Edit::SetPrivate { .. } => false,
    }
}

/// Opens a text in the person's editor and returns it as they saved it.
pub(super) fn in_editor(text: &str, editor: &str) -> Result<String, Failure> {
    let file = std::env::temp_dir().join(format!("dormouse-plan-{}.txt", std::process::id()));
    let failed = |what: &str, error: &std::io::Error| {
        Failure::failed(format!("{} cannot be {what}: {error}", file.display()))
    };
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
    let mut opened = opened.map_err(|error| failed("written", &error))?;
    let written = opened.write_all(text.as_bytes());
    let edited = written.map_err(|error| failed("written", &error)).and_then(|()| {
        // An editor is often a command with arguments, such as `code --wait`.
        let command = format!("{editor} \"$1\"");
        match Command::new("sh").args(["-c", &command, "sh"]).arg(&file).status() {
            Ok(status) if status.success() => {
                std::fs::read_to_string(&file).map_err(|error| failed("read", &error))
            }
            Ok(status) => Err(Failure::failed(format!("`{editor}` ended with {status}"))
                .hint("nothing was written; set EDITOR to an editor that works")),
            Err(error) => Err(Failure::failed(format!("`{editor}` cannot be started: {error}"))),
        }
    });
    let removed = std::fs::remove_file(&file);
    let edited = edited?;
    removed.map_err(|error| failed("removed", &error))?;
    Ok(edited)
}
