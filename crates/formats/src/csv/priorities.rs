//! Priorities that a sheet writes as numbers.
//!
//! A number says nothing about which end is high. Most people count from 1 as the highest, so that is how
//! a scale of a few steps is read, and the plan says so. A longer one stays text.

use dormouse_types::task::Priority;

use super::guess::SAMPLE;
use super::sheet::Sheet;
use crate::intake::{Gather, priority_of};
use crate::reading::{Column, Columns};

/// How the numbers in the column of priorities are read; none if it has words.
pub(super) struct Scale {
    lowest: u8,
    highest: u8,
}

impl Scale {
    /// The scale of a sheet, and a remark about it.
    pub(super) fn of(sheet: &Sheet, columns: &Columns, gather: &mut Gather<'_>) -> Option<Self> {
        if columns.is_own || columns.is_ticktick {
            return None;
        }
        let at = columns.columns.iter().position(|guess| guess.column == Column::Priority)?;
        let rows = sheet.rows.iter().skip(usize::from(columns.has_head));
        let filled = rows.filter(|row| !row.cell(at).is_empty());
        let mut scale: Option<Self> = None;
        let mut first = None;
        for row in filled.take(20 * SAMPLE) {
            let cell = row.cell(at);
            if priority_of(cell).is_some() {
                continue;
            }
            let number: u8 = cell.parse().ok()?;
            first.get_or_insert(*row.lines.start());
            scale = Some(match scale {
                Some(Self { lowest, highest }) => {
                    Self { lowest: lowest.min(number), highest: highest.max(number) }
                }
                None => Self { lowest: number, highest: number },
            });
        }
        // A 0 is as often no priority as the highest.
        let scale = scale.filter(|scale| scale.lowest > 0 && scale.highest <= 4)?;
        let name = &columns.columns[at].name;
        gather.say(
            first.unwrap_or(0),
            format!("numbers in the column `{name}` are read with 1 as the highest priority"),
        );
        Some(scale)
    }

    /// The priority of a number.
    pub(super) fn read(&self, cell: &str) -> Option<Priority> {
        let all = [Priority::P0, Priority::P1, Priority::P2, Priority::P3];
        let number: usize = cell.parse().ok()?;
        // Of three steps the first is high, not urgent.
        let first = usize::from(self.highest > 3);
        all.get(number.checked_sub(first)?).copied()
    }
}
