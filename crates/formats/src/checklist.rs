//! The checklist that a list of points makes of a task, line by line.

use dormouse_types::draft::{Item, Task};
use dormouse_types::limits;

use crate::markdown::key::{self, Counter};
use crate::reading;

/// The checklist of one task.
#[derive(Default)]
pub(crate) struct Checklist {
    keys: Counter,
    /// How far the items around the next one are indented. Units: columns.
    around: Vec<usize>,
}

impl Checklist {
    /// Adds the item of a line, as deep as the line is indented; false if it has no words or the task has no
    /// room for it. `number` is that of the line, from 1.
    pub fn add(
        &mut self,
        task: &mut Task,
        (number, line): (usize, &str),
        title: &str,
        is_checked: bool,
    ) -> bool {
        let has_room = limits::ITEMS_PER_TASK.check(task.items.len() + 1).is_ok()
            && limits::ITEM_TITLE.check(title.chars().count()).is_ok();
        if title.is_empty() || !has_room {
            return false;
        }
        let column = reading::indent(line);
        while self.around.last().is_some_and(|&around| around >= column) {
            self.around.pop();
        }
        let depth = u32::try_from(self.around.len()).unwrap_or(u32::MAX);
        self.around.push(column);
        let key = self.keys.next(key::fold(title));
        let lines = number..number + 1;
        task.items.push(Item { key, title: title.to_owned(), is_checked, depth, lines });
        true
    }
}
