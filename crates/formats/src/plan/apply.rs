//! Applies corrections to a plan.

use std::collections::BTreeSet;

use dormouse_types::limits;

use super::correction::{Correction, CorrectionError, Edit, Kept, Planned, PlannedTask};
use super::due::Days;
use super::join::{self, Keys, Taken};
use super::read::category_name;
use super::rework::{self, Reworked};
use super::sheet::{self, Pieces, words};
use super::wanted::{self, EditSource, Index, Slot, Wanted};
use super::work::{Fate, Plan, Work};
use super::{Place, Reading, Role};

/// Applies the corrections of earlier imports and those of now to what was read of a text.
///
/// Corrections may come in any order: lines change first, then tasks are split, left out, made
/// categories, joined, renamed, and get categories, agents and flags. A due date whose words depend on the
/// day of reading stays what `kept` says as long as its task says these words. `text` must be the one that was read.
/// Errors: a correction of now that cannot be made; one of an earlier import is passed over, and
/// stays in [`Planned::kept`].
pub fn apply(
    text: &str,
    reading: &Reading,
    kept: &Kept,
    corrections: &[Correction],
) -> Result<Planned, CorrectionError> {
    let lines = super::lines(text);
    if lines.len() != reading.places.len() {
        let (lines, places) = (lines.len(), reading.places.len());
        return Err(CorrectionError::OtherText { lines, places });
    }
    let mut days = Days::of(kept, reading);
    let settled = days.settled(reading);
    let reading = settled.as_ref().unwrap_or(reading);
    if corrections.is_empty() && kept.edits.is_empty() {
        return Ok(unchanged(reading, Kept { edits: Vec::new(), days: days.into_kept() }));
    }
    let named = wanted::named(reading, &kept.edits, corrections);
    let pieces = sheet::apart(&lines, reading, &named);
    let index = Index::new(&lines, reading, &pieces);
    let wanted = Wanted::collect(&index, kept, corrections)?;
    let edits = wanted.kept(&index);
    if wanted.is_empty() {
        return Ok(unchanged(reading, Kept { edits, days: days.into_kept() }));
    }
    let mut plan = Plan::new(&lines, reading, pieces, &wanted)?;
    plan.set_due(&wanted, &mut days)?;
    plan.leave_out(&wanted);
    plan.make_categories(&wanted)?;
    plan.join(&wanted)?;
    plan.rename(&wanted)?;
    plan.categorise(&wanted)?;
    plan.choose_agents(&wanted);
    plan.flag(&wanted);
    Ok(plan.finish(Kept { edits, days: days.into_kept() }))
}

fn unchanged(reading: &Reading, kept: Kept) -> Planned {
    let plan =
        |task: &dormouse_types::draft::Task| PlannedTask { draft: task.clone(), agent: None };
    Planned {
        format: reading.format,
        tasks: reading.tasks.iter().map(plan).collect(),
        places: reading.places.clone(),
        remarks: reading.remarks.clone(),
        sheet: reading.sheet.clone(),
        kept,
    }
}

impl<'a> Plan<'a> {
    /// Changes single lines and splits tasks.
    fn new(
        lines: &'a [&'a str],
        reading: &'a Reading,
        pieces: Vec<Pieces>,
        wanted: &Wanted,
    ) -> Result<Self, CorrectionError> {
        let touched: BTreeSet<usize> =
            wanted.lines().filter_map(|line| reading.places[line].task).collect();
        let mut roles: Vec<Role> = reading.places.iter().map(|place| place.role).collect();
        let mut keys = Taken::new(pieces.iter().map(|pieces| pieces.task.key.clone()));
        let mut works: Vec<Work> = Vec::with_capacity(pieces.len());
        let mut first_of = Vec::with_capacity(pieces.len());
        // The lines of the titles of new tasks.
        let mut titles: Vec<(usize, usize)> = Vec::new();
        for (at, pieces) in pieces.into_iter().enumerate() {
            first_of.push(works.len());
            let title_line = pieces.task.line.checked_sub(1).filter(|&line| {
                reading.places.get(line).is_some_and(|p| p.role == Role::Task && p.task == Some(at))
            });
            if !touched.contains(&at) {
                works.push(Work { pieces, title_line, fate: Fate::Stays, agent: None });
                continue;
            }
            let Reworked { origin, split, left_out } =
                rework::rework(lines, pieces, wanted, &mut keys)?;
            for line in left_out {
                roles[line] = Role::LeftOut;
            }
            works.push(Work { pieces: origin, title_line, fate: Fate::Stays, agent: None });
            for (title_lines, pieces) in split {
                let title_line = title_lines.first().copied();
                titles.extend(title_lines.into_iter().map(|line| (line, works.len())));
                works.push(Work { pieces, title_line, fate: Fate::Stays, agent: None });
            }
        }
        let mut of_line: Vec<Option<usize>> = reading
            .places
            .iter()
            .map(|place| place.task.and_then(|task| first_of.get(task).copied()))
            .collect();
        for (at, work) in works.iter().enumerate() {
            for &line in work.pieces.items.iter().flat_map(|piece| &piece.lines) {
                (of_line[line], roles[line]) = (Some(at), Role::Item);
            }
            let texts = work.pieces.texts.iter().flat_map(|piece| &piece.lines);
            for line in texts.filter_map(|line| line.from) {
                of_line[line] = Some(at);
                if !matches!(roles[line], Role::Markup | Role::Due) {
                    roles[line] = Role::Note;
                }
            }
        }
        for (line, at) in titles {
            (of_line[line], roles[line]) = (Some(at), Role::Task);
        }
        let mut plan = Self { lines, reading, works, of_line, roles };
        plan.follow_due(&first_of, wanted);
        Ok(plan)
    }

    /// The task that a line begins.
    fn begun(&self, line: usize) -> Option<usize> {
        // A task may take several lines for its title; each of them begins it.
        self.of_line[line].filter(|_| self.roles[line] == Role::Task)
    }

    fn leave_out(&mut self, wanted: &Wanted) {
        for (line, _, _) in wanted.of(Slot::LeaveOut) {
            if let Some(at) = self.begun(line) {
                self.works[at].fate = Fate::LeftOut;
            } else if self.roles[line] == Role::Category {
                self.recategorise(line, None);
                self.roles[line] = Role::LeftOut;
            }
        }
        for (line, _, _) in wanted.of(Slot::LeaveOutTask) {
            if let Some(at) = self.of_line[line] {
                self.works[at].fate = Fate::LeftOut;
            }
        }
    }

    /// Makes tasks without content the category of the tasks that follow.
    fn make_categories(&mut self, wanted: &Wanted) -> Result<(), CorrectionError> {
        let given = self.reading.places.iter().filter(|place| place.role == Role::Category);
        let given: Vec<usize> = given.map(|place| place.line).collect();
        let is_category = |edit: &Edit| *edit == Edit::SetRole { role: Role::Category };
        for (line, _, source) in wanted.of(Slot::Role).filter(|(_, edit, _)| is_category(edit)) {
            let Some(at) = self.begun(line).filter(|&at| self.works[at].fate == Fate::Stays) else {
                continue;
            };
            let title = self.works[at].pieces.task.title.clone();
            // A line whose words are not all in the title has fields.
            let has_fields = !title.ends_with(words(self.lines[line]));
            if has_fields || self.works[at].pieces.has_content() {
                if source == EditSource::Earlier {
                    continue;
                }
                return Err(CorrectionError::HasContent { line: line + 1, title });
            }
            if !self.has_task_below(at, &given) {
                if source == EditSource::Earlier {
                    continue;
                }
                return Err(CorrectionError::NothingBelow { line: line + 1, title });
            }
            self.works[at].fate = Fate::Category;
            self.roles[line] = Role::Category;
        }
        let mut given = given.into_iter().peekable();
        let mut made: Option<String> = None;
        let mut is_below_line = false;
        for work in &mut self.works {
            let task = &mut work.pieces.task;
            while given.next_if(|&line| line < task.line).is_some() {
                (made, is_below_line) = (None, true);
            }
            match work.fate {
                Fate::Category => made = Some(category_name(&task.title)),
                Fate::Stays | Fate::LeftOut | Fate::Joined(_) => {
                    task.category = match (task.category.take(), &made) {
                        (own, None) => own,
                        (None, Some(made)) => Some(made.clone()),
                        // A category above this one contains it, as among headings.
                        (Some(own), Some(made)) if is_below_line => {
                            Some(category_name(&format!("{own}: {made}")))
                        }
                        // The task has a field for it.
                        (Some(own), Some(_)) => Some(own),
                    };
                }
            }
        }
        Ok(())
    }

    /// Whether a task follows that would take a category made of this one.
    ///
    /// `given`: the lines of the categories of the text, in order.
    fn has_task_below(&self, at: usize, given: &[usize]) -> bool {
        let line = self.works[at].pieces.task.line;
        let next = given.partition_point(|&category| category <= line);
        let end = given.get(next).copied().unwrap_or(usize::MAX);
        let below = self.works[at + 1..].iter();
        let mut below = below.take_while(|work| work.pieces.task.line < end);
        below.any(|work| work.fate == Fate::Stays)
    }

    fn join(&mut self, wanted: &Wanted) -> Result<(), CorrectionError> {
        let mut wants: Vec<Option<(usize, EditSource)>> = vec![None; self.works.len()];
        for (line, _, source) in wanted.of(Slot::Join) {
            if let Some(at) = self.of_line[line] {
                wants[at] = Some((line, source));
            }
        }
        let mut above: Option<usize> = None;
        let mut keys: Option<Keys> = None;
        for (at, want) in wants.into_iter().enumerate() {
            if self.works[at].fate != Fate::Stays {
                continue;
            }
            let Some((line, wanted_by)) = want else {
                (above, keys) = (Some(at), None);
                continue;
            };
            let Some(host) = above else {
                if wanted_by == EditSource::Now {
                    return Err(CorrectionError::NothingAbove { line: line + 1 });
                }
                (above, keys) = (Some(at), None);
                continue;
            };
            let (before, after) = self.works.split_at_mut(at);
            let (into, from) = (&mut before[host].pieces, &mut after[0]);
            let n_items = into.items.len() + from.pieces.items.len();
            if let Err(source) = limits::ITEMS_PER_TASK.check(n_items) {
                if wanted_by == EditSource::Now {
                    return Err(CorrectionError::Limit { line: line + 1, source });
                }
                (above, keys) = (Some(at), None);
                continue;
            }
            from.fate = Fate::Joined(host);
            let empty = Pieces::empty(&from.pieces.task);
            let pieces = std::mem::replace(&mut from.pieces, empty);
            let keys = keys.get_or_insert_with(|| Keys::of(into));
            join::join(into, keys, pieces, self.lines, from.title_line);
        }
        Ok(())
    }

    fn rename(&mut self, wanted: &Wanted) -> Result<(), CorrectionError> {
        for (line, edit, source) in wanted.of(Slot::Rename) {
            let Edit::Rename { title } = edit else { continue };
            let role = self.roles[line];
            if role == Role::Category {
                self.recategorise(line, Some(title));
                continue;
            }
            if let Some(at) = self.begun(line).filter(|&at| self.begins(at)) {
                self.works[at].pieces.task.title.clone_from(title);
                continue;
            }
            let host = self.of_line[line].map(|at| self.host(at));
            let items = host.map_or(&mut [][..], |at| &mut self.works[at].pieces.items);
            if let Some(piece) = items.iter_mut().find(|piece| piece.lines.contains(&line)) {
                let checked = limits::ITEM_TITLE.check(title.chars().count());
                checked.map_err(|source| CorrectionError::Limit { line: line + 1, source })?;
                piece.item.title.clone_from(title);
            } else if source == EditSource::Now && role != Role::LeftOut {
                let allowed = "task, item and category";
                return Err(CorrectionError::WrongRole { line: line + 1, role, allowed });
            }
        }
        for (line, edit, _) in wanted.of(Slot::RenameTask) {
            if let (Edit::RenameTask { title }, Some(at)) = (edit, self.of_line[line]) {
                let at = self.host(at);
                self.works[at].pieces.task.title.clone_from(title);
            }
        }
        Ok(())
    }

    /// Whether a task is still one of its own.
    fn begins(&self, at: usize) -> bool {
        !matches!(self.works[at].fate, Fate::Joined(_))
    }

    /// The task that a task is part of; itself if it was not joined.
    fn host(&self, at: usize) -> usize {
        match self.works[at].fate {
            Fate::Joined(host) => host,
            Fate::Stays | Fate::LeftOut | Fate::Category => at,
        }
    }

    fn categorise(&mut self, wanted: &Wanted) -> Result<(), CorrectionError> {
        for (line, edit, _) in wanted.of(Slot::Category) {
            let Edit::SetCategory { category } = edit else { continue };
            if self.reading.places[line].role == Role::Category {
                self.recategorise(line, category.as_deref());
            } else if let Some(at) = self.of_line[line] {
                let at = self.host(at);
                self.works[at].pieces.task.category.clone_from(category);
            }
        }
        Ok(())
    }

    /// Renames the category that a line gives.
    fn recategorise(&mut self, line: usize, to: Option<&str>) {
        let old = words(self.lines[line]).trim_end_matches(':').trim();
        let tasks = self.works.iter_mut().map(|work| &mut work.pieces.task);
        for task in tasks.filter(|task| task.line > line) {
            let Some(category) = &task.category else { continue };
            let inner = category.strip_prefix(old).and_then(|rest| rest.strip_prefix(": "));
            if category == old {
                task.category = to.map(str::to_owned);
            } else if let Some(inner) = inner {
                task.category = Some(to.map_or(inner.to_owned(), |to| format!("{to}: {inner}")));
            }
        }
    }

    fn choose_agents(&mut self, wanted: &Wanted) {
        for (line, edit, _) in wanted.of(Slot::Agent) {
            if let (Edit::SetAgent { agent }, Some(at)) = (edit, self.of_line[line]) {
                let at = self.host(at);
                self.works[at].agent = Some(*agent);
            }
        }
    }

    fn flag(&mut self, wanted: &Wanted) {
        let starred = wanted.of(Slot::Starred);
        for (line, edit, _) in starred.chain(wanted.of(Slot::Private)) {
            let Some(at) = self.of_line[line] else { continue };
            let at = self.host(at);
            let flags = &mut self.works[at].pieces.task.flags;
            match edit {
                Edit::SetStarred { starred } => flags.starred = *starred,
                Edit::SetPrivate { private } => flags.private = *private,
                Edit::SetRole { .. }
                | Edit::Split
                | Edit::Join
                | Edit::LeaveOut
                | Edit::LeaveOutTask
                | Edit::PutBack
                | Edit::Rename { .. }
                | Edit::RenameTask { .. }
                | Edit::SetAgent { .. }
                | Edit::SetCategory { .. } => {}
            }
        }
    }

    fn finish(self, kept: Kept) -> Planned {
        let mut number = 0;
        let mut numbers = Vec::with_capacity(self.works.len());
        for work in &self.works {
            numbers.push(match work.fate {
                Fate::Stays => {
                    number += 1;
                    Some(number - 1)
                }
                // The host comes before it, and is never joined itself.
                Fate::Joined(host) => numbers[host],
                Fate::LeftOut | Fate::Category => None,
            });
        }
        let places = self.of_line.iter().zip(&self.roles).enumerate().map(|(line, (at, &role))| {
            let fate = at.map(|at| self.works[at].fate);
            let task = at.and_then(|at| numbers[at]);
            let role = match (fate, role) {
                (_, Role::Blank | Role::LeftOut) => role,
                (Some(Fate::LeftOut), _) => Role::LeftOut,
                (Some(Fate::Joined(_)), Role::Task) => Role::Note,
                (_, role) => role,
            };
            let task = if role == Role::LeftOut { None } else { task };
            Place { line: line + 1, role, task }
        });
        let places = places.collect();
        let live = self.works.into_iter().filter(|work| work.fate == Fate::Stays);
        let tasks = live.map(|work| {
            let draft = work.pieces.together();
            PlannedTask { agent: work.agent, draft }
        });
        Planned {
            format: self.reading.format,
            tasks: tasks.collect(),
            places,
            remarks: self.reading.remarks.clone(),
            sheet: self.reading.sheet.clone(),
            kept,
        }
    }
}
