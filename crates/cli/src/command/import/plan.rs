//! The plan of an import as a person reads it in the terminal.

use dormouse::imports::{ImportAgents, ImportPlan, LineRun, TaskPlan};
use dormouse::view::ImportOutcome;
use dormouse_formats::csv::{Column, Columns};
use dormouse_formats::plan::{self, Role};
use dormouse_types::task::{Priority, Status};

use super::progress::{as_format, named};
use crate::terminal::time::duration;
use crate::terminal::wrap::{self, Margin, cut_to};
use crate::terminal::{Screen, counted, line, titled};

/// Up to so many lines a plan shows each line of the file; a longer one shows the tasks only.
const SHOWN: usize = 120;

/// Whether a task gets an agent.
pub(super) fn has_agent(task: &TaskPlan, agents: ImportAgents) -> bool {
    agents.gives(task.status, task.agent, task.suggests_agent)
}

/// The word for what a line is.
pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Category => "category",
        Role::Parent => "parent",
        Role::Task => "task",
        Role::Item => "item",
        Role::Note => "note",
        Role::Due => "due",
        Role::Field => "field",
        Role::Markup => "markup",
        Role::Skipped => "skipped",
        Role::LeftOut => "out",
        Role::Blank => "",
    }
}

/// The plan of one file.
pub(super) fn lines(
    made: &ImportPlan,
    text: &str,
    agents: ImportAgents,
    screen: &Screen,
) -> Vec<String> {
    let source = plan::lines(text);
    let width = screen.width();
    let mut out = vec![head(made)];
    if let Some(sheet) = &made.sheet {
        let margin = Margin { first: "columns: ", rest: "         " };
        out.extend(wrap::text(&columns(sheet), width, margin));
    }
    let digits = source.len().to_string().len();
    if source.len() <= SHOWN {
        let mut shown = vec![false; made.tasks.len()];
        for run in &made.lines {
            out.extend(run_lines(run, made, &source, (agents, digits, width), &mut shown));
        }
        // What has no line of its own, such as a task that only its file names.
        let missing = made.tasks.iter().zip(shown).filter(|(_, is_shown)| !is_shown);
        out.extend(missing.flat_map(|(task, _)| becomes(task, agents, digits, width)));
    } else {
        for task in &made.tasks {
            let becomes = format!("{}: {}", line(titled(&task.title)), facts(task, agents));
            let (first, rest) =
                (format!("{:>digits$}  ", task.line), format!("{:digits$}    ", ""));
            out.extend(wrap::text(&becomes, width, Margin { first: &first, rest: &rest }));
        }
    }
    if !made.remarks.is_empty() {
        out.push("Please check:".to_owned());
        let remarks = made.remarks.iter();
        out.extend(remarks.map(|at| format!("  line {}: {}", at.line, line(&at.message))));
    }
    out
}

fn head(made: &ImportPlan) -> String {
    let n_tasks = made.tasks.len();
    let n_items = made.tasks.iter().map(|task| task.items).sum();
    let of = |outcome| made.tasks.iter().filter(|task| task.outcome == outcome).count();
    let known = of(ImportOutcome::Updated) + of(ImportOutcome::Unchanged);
    let news = if known == 0 {
        String::new()
    } else {
        let (new, changed) = (of(ImportOutcome::Created), of(ImportOutcome::Updated));
        format!(": {new} new, {changed} changed, {} unchanged", of(ImportOutcome::Unchanged))
    };
    format!(
        "{}: {}{}, {}{news}",
        line(&made.file),
        as_format(made.format),
        counted(n_tasks, "task"),
        counted(n_items, "item")
    )
}

/// What the columns of a sheet are taken for.
fn columns(sheet: &Columns) -> String {
    let (mut taken, mut n_kept, mut n_left_out) = (Vec::new(), 0, 0);
    for guess in &sheet.columns {
        let word = match guess.column {
            Column::KeptInNote | Column::Start => {
                n_kept += 1;
                continue;
            }
            Column::LeftOut => {
                n_left_out += 1;
                continue;
            }
            Column::Key => "id",
            Column::Title => "title",
            Column::Done => "done",
            Column::Status => "status",
            Column::Reason => "reason",
            Column::Priority => "priority",
            Column::Due => "due date",
            Column::Estimate => "estimate",
            Column::Language => "language",
            Column::Category => "category",
            Column::Label => "labels",
            Column::Items => "items",
            Column::Parent => "parent task",
            Column::Canceled => "canceled on",
            Column::Outcome => "outcome",
            Column::Note => "note",
            Column::Entries => "notes",
            Column::Details => "details",
            Column::Starred => "starred",
            Column::Private => "private",
        };
        let name = line(&guess.name);
        // The name says it already.
        let says = name.eq_ignore_ascii_case(word);
        taken.push(if says { name } else { format!("{name} as {word}") });
    }
    let mut parts = taken;
    parts.extend((n_kept > 0).then(|| format!("{n_kept} kept in the note")));
    parts.extend((n_left_out > 0).then(|| format!("{n_left_out} left out")));
    parts.join(", ")
}

fn run_lines(
    run: &LineRun,
    made: &ImportPlan,
    source: &[&str],
    (agents, digits, width): (ImportAgents, usize, usize),
    shown: &mut [bool],
) -> Vec<String> {
    if run.role == Role::Blank {
        return Vec::new();
    }
    let mut out = Vec::new();
    for at in run.from..=run.to {
        let text = line(source.get(at - 1).copied().unwrap_or_default());
        let word = role(run.role);
        out.push(cut_to(&format!("{at:>digits$}  {word:<8}  {}", text.trim_end()), width));
        // Below its own line; where that is not a line of the task, below the first that is.
        let begun = run.task.and_then(|at| Some((made.tasks.get(at)?, shown.get_mut(at)?)));
        if let Some((task, is_shown)) = begun.filter(|(task, shown)| task.line <= at && !**shown) {
            *is_shown = true;
            out.extend(becomes(task, agents, digits, width));
        }
    }
    out
}

/// What a task becomes, below the line it begins with.
fn becomes(task: &TaskPlan, agents: ImportAgents, digits: usize, width: usize) -> Vec<String> {
    let becomes = format!("{}: {}", line(titled(&task.title)), facts(task, agents));
    let (first, rest) = (format!("{:digits$}  -> ", ""), format!("{:digits$}     ", ""));
    wrap::text(&becomes, width, Margin { first: &first, rest: &rest })
}

/// What a task holds, in one line.
fn facts(task: &TaskPlan, agents: ImportAgents) -> String {
    let mut facts = Vec::new();
    match task.outcome {
        ImportOutcome::Created => {}
        ImportOutcome::Updated => facts.push(format!("changes {}", some(&task.changes))),
        ImportOutcome::Unchanged => facts.push("unchanged".to_owned()),
    }
    if !task.kept.is_empty() {
        facts.push(format!("kept as it is in Dormouse: {}", some(&task.kept)));
    }
    let is_agent = has_agent(task, agents);
    if task.outcome == ImportOutcome::Unchanged {
        facts.extend(is_agent.then(|| "agent".to_owned()));
        return facts.join(", ");
    }
    let stays = |field: &str| task.kept.iter().any(|kept| kept == field);
    if let Some(title) = &task.read_title {
        facts.push(format!("was “{}”", line(titled(title))));
    }
    if let Some(status) = task.status.filter(|status| *status != Status::Open && !stays("status")) {
        facts.push(status.to_string());
    }
    if let Some(day) = task.due_on.filter(|_| !stays("dueDate")) {
        facts.push(format!("due {day}"));
    }
    if let Some(priority) = task.priority.filter(|priority| *priority != Priority::default()) {
        facts.push(priority.to_string());
    }
    facts.extend(task.estimate_minutes.map(duration));
    facts.extend(task.category.as_ref().map(|name| format!("in {}", line(name))));
    facts.extend(task.labels.iter().map(|name| format!("#{}", line(name))));
    match (task.items, task.checked_items) {
        (0, _) => {}
        (items, 0) => facts.push(counted(items, "item")),
        (items, done) => facts.push(format!("{}, {done} done", counted(items, "item"))),
    }
    if task.notes > 0 {
        facts.push(counted(task.notes, "note"));
    }
    for (is, word) in [(task.starred, "starred"), (task.private, "private")] {
        facts.extend(is.then(|| word.to_owned()));
    }
    facts.extend(is_agent.then(|| "agent".to_owned()));
    if facts.is_empty() { "title only".to_owned() } else { facts.join(", ") }
}

/// The first of some parts of a task, in words.
fn some(parts: &[String]) -> String {
    const MOST: usize = 4;
    match parts.len().saturating_sub(MOST) {
        0 => named(parts),
        more => format!("{} and {more} more", named(&parts[..MOST])),
    }
}

/// The question below the plans.
pub(super) fn question(plans: &[ImportPlan]) -> String {
    let tasks = || plans.iter().flat_map(|plan| &plan.tasks);
    let is_written = |task: &&TaskPlan| task.outcome != ImportOutcome::Unchanged;
    let answers = "[y]es [n]o [e]dit";
    match (tasks().filter(is_written).count(), tasks().count()) {
        (0, all) => {
            format!("Nothing would change in {}. Continue? {answers} ", counted(all, "task"))
        }
        (n, all) if n == all => format!("Write {}? {answers} ", counted(n, "task")),
        (n, all) => format!("Write {n} of {}? {answers} ", counted(all, "task")),
    }
}
