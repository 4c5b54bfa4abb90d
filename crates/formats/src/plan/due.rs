//! Due dates in a plan: days that were understood before stay, and a person says which line is one.

use std::collections::{BTreeMap, HashMap, HashSet};

use dormouse_types::limits;

use super::correction::{CorrectionError, Edit, Kept, KeptDay};
use super::join::Taken;
use super::sheet::{TextLine, TextPiece, words};
use super::wanted::{EditSource, Slot, Wanted};
use super::work::Plan;
use super::{Reading, Role};
use crate::intake::{Dates, DayOrder};
use crate::markdown::key::fold;

use jiff::civil::Date;

/// The days of words that mean another day on another day of reading, by task and words.
#[derive(Debug)]
pub(super) struct Days {
    kept: HashMap<(String, String), Date>,
    /// Those of this plan.
    now: BTreeMap<(String, String), Date>,
    /// Those of tasks that the text does not have: it may have them again, as after half of a file
    /// was imported.
    absent: Vec<KeptDay>,
    order: DayOrder,
}

impl Days {
    pub fn of(kept: &Kept, reading: &Reading) -> Self {
        let order = reading.options.order;
        let tasks: HashSet<&str> = reading.tasks.iter().map(|task| task.key.as_str()).collect();
        let (present, absent): (Vec<&KeptDay>, Vec<&KeptDay>) =
            kept.days.iter().partition(|kept| tasks.contains(kept.task.as_str()));
        // A person who reads 3/4 the other way round means another day.
        let days = present.into_iter().filter(|kept| kept.order == order);
        let days = days.map(|kept| ((kept.task.clone(), kept.words.clone()), kept.day));
        let first = absent.len().saturating_sub(limits::CORRECTIONS.max);
        let absent = absent[first..].iter().copied().cloned().collect();
        Self { kept: days.collect(), now: BTreeMap::new(), absent, order }
    }

    /// The day of words: the one understood before, else the one of now.
    fn settle(&mut self, task: &str, words: &str, day: Date) -> Date {
        let (task, words) = (task.to_owned(), fold(words));
        let place = (task, words);
        let day = self.kept.get(&place).copied().unwrap_or(day);
        self.now.insert(place, day);
        day
    }

    /// Sets the days of a reading to those understood before; none if nothing changes.
    pub fn settled(&mut self, reading: &Reading) -> Option<Reading> {
        let days = reading.moving.iter().map(|moving| {
            let task = &reading.tasks[moving.task];
            self.settle(&task.key, &moving.words, moving.day)
        });
        let days: Vec<Date> = days.collect();
        let is_same = days.iter().zip(&reading.moving).all(|(day, moving)| *day == moving.day);
        if is_same {
            return None;
        }
        let mut reading = reading.clone();
        for (moving, day) in reading.moving.iter_mut().zip(days) {
            let task = &mut reading.tasks[moving.task];
            if task.due_on == Some(moving.day) {
                task.due_on = Some(day);
            }
            moving.day = day;
        }
        Some(reading)
    }

    pub fn into_kept(self) -> Vec<KeptDay> {
        let order = self.order;
        let now = self.now.into_iter();
        let now = now.map(|((task, words), day)| KeptDay { task, words, day, order });
        self.absent.into_iter().chain(now).collect()
    }
}

/// Where the lines of tasks are kept as text or as items, so that a line is found without a search.
struct Kinds {
    /// For each line of text, its task, its entry and its line there.
    texts: HashMap<usize, (usize, usize, usize)>,
    items: HashSet<usize>,
    /// The keys of the entries of a task that got another one.
    keys: HashMap<usize, Taken>,
}

impl Kinds {
    fn of(plan: &Plan<'_>) -> Self {
        let mut texts = HashMap::new();
        let mut items = HashSet::new();
        for (at, work) in plan.works.iter().enumerate() {
            items.extend(work.pieces.items.iter().flat_map(|piece| piece.lines.iter().copied()));
            for (entry, piece) in work.pieces.texts.iter().enumerate() {
                for (number, line) in piece.lines.iter().enumerate() {
                    if let Some(from) = line.from {
                        texts.entry(from).or_insert((at, entry, number));
                    }
                }
            }
        }
        Self { texts, items, keys: HashMap::new() }
    }

    /// The words of a line that is text of an entry.
    fn text<'p>(&self, plan: &'p Plan<'_>, line: usize) -> Option<&'p str> {
        let &(at, entry, number) = self.texts.get(&line)?;
        let piece = plan.works[at].pieces.texts.get(entry)?;
        piece.lines.get(number).map(|text| text.text.as_str())
    }
}

impl Plan<'_> {
    /// Moves due dates with the lines that say them, and takes those of lines that are left out.
    pub(super) fn follow_due(&mut self, first_of: &[usize], wanted: &Wanted) {
        let kinds = Kinds::of(self);
        for at in 0..self.lines.len() {
            let place = self.reading.places[at];
            let Some(task) = place.task.filter(|_| place.role == Role::Due) else { continue };
            let Some(&origin) = first_of.get(task) else { continue };
            let is_field = !kinds.texts.contains_key(&at);
            if wanted.at(at, Slot::LeaveOut).is_some() && is_field {
                self.roles[at] = Role::LeftOut;
            }
            let owner = self.of_line[at].unwrap_or(origin);
            if self.roles[at] == Role::LeftOut {
                self.works[origin].pieces.task.due_on = None;
            } else if owner != origin {
                let due = self.works[origin].pieces.task.due_on.take();
                self.works[owner].pieces.task.due_on = due;
            }
        }
    }

    /// Makes the date in a line the due date of its task, and takes it away where the line is
    /// something else.
    pub(super) fn set_due(
        &mut self,
        wanted: &Wanted,
        days: &mut Days,
    ) -> Result<(), CorrectionError> {
        let reading = self.reading;
        let dates = Dates::new(&reading.options);
        let mut kinds = Kinds::of(self);
        let mut due_lines: HashMap<usize, Vec<usize>> = HashMap::new();
        for (line, role) in self.roles.iter().enumerate() {
            if let (Role::Due, Some(at)) = (role, self.of_line[line]) {
                due_lines.entry(at).or_default().push(line);
            }
        }
        for (line, edit, source) in wanted.of(Slot::Role) {
            let Edit::SetRole { role } = edit else { continue };
            let Some(at) = self.of_line[line] else { continue };
            if *role != Role::Due {
                if reading.places[line].role == Role::Due {
                    self.works[at].pieces.task.due_on = None;
                    self.keep_text(&mut kinds, at, line);
                    if self.roles[line] == Role::Due {
                        self.roles[line] = Role::Note;
                    }
                }
                continue;
            }
            let is_title = self.roles[line] == Role::Task;
            let text = match is_title {
                true => self.works[at].pieces.task.title.clone(),
                false => kinds.text(self, line).unwrap_or(words(self.lines[line])).to_owned(),
            };
            let Some(dated) = dates.any_in(&text) else {
                if source == EditSource::Now {
                    return Err(CorrectionError::NoDate { line: line + 1 });
                }
                continue;
            };
            let task = reading.places[line].task.and_then(|task| reading.tasks.get(task));
            let day = match (dated.moves, task) {
                (true, Some(task)) => days.settle(&task.key, &dated.words, dated.day),
                (true, None) | (false, _) => dated.day,
            };
            let others = due_lines.entry(at).or_default();
            for other in others.drain(..).filter(|&other| other != line) {
                if self.roles[other] == Role::Due {
                    self.keep_text(&mut kinds, at, other);
                    self.roles[other] = Role::Note;
                }
            }
            others.push(line);
            self.works[at].pieces.task.due_on = Some(day);
            if !is_title {
                self.roles[line] = Role::Due;
            }
        }
        Ok(())
    }

    /// Keeps the text of a line that was a field and no more.
    fn keep_text(&mut self, kinds: &mut Kinds, at: usize, line: usize) {
        if kinds.items.contains(&line) || kinds.texts.contains_key(&line) {
            return;
        }
        let texts = &mut self.works[at].pieces.texts;
        let keys = kinds
            .keys
            .entry(at)
            .or_insert_with(|| Taken::new(texts.iter().map(|piece| piece.key.clone())));
        let text = self.lines[line].trim().to_owned();
        kinds.texts.insert(line, (at, texts.len(), 0));
        texts.push(TextPiece {
            key: keys.take("due#1".to_owned(), "line"),
            lines: vec![TextLine { text, from: Some(line) }],
            ..TextPiece::default()
        });
    }
}
