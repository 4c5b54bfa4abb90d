//! Tables that fit the terminal: one line per row, whatever the width, unless a column wraps.

use comfy_table::{ContentArrangement, Table as Grid, presets};
use unicode_width::UnicodeWidthStr as _;

use super::style::Style;
use super::{line, wrap};

/// How a column shrinks on a narrow terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Always shown in full.
    Whole,
    /// Truncated with `…`.
    Cut,
    /// Continued on the next lines of its row: nothing of it is left out.
    Wrap,
    /// Dropped; the highest number first.
    Drop(u8),
    /// The same, and not shown at all if no row has anything in it.
    DropEmpty(u8),
}

/// Rows under a header.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(&'static str, Fit)>,
    rows: Vec<Vec<String>>,
}

/// Units: columns. The gap between two table columns.
const GAP: usize = 2;
/// Units: columns. A truncated column is not made narrower than this while others can be dropped.
const COMFORT: usize = 30;
/// Units: columns. A truncated column is never narrower than this.
const LEAST: usize = 6;

impl Table {
    /// A table with these columns.
    pub fn new(columns: impl IntoIterator<Item = (&'static str, Fit)>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row and sanitises its cells.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.iter().map(|cell| line(cell)).collect());
    }

    /// The table as text, without a line break at its end.
    pub fn render(&self, width: usize, style: Style) -> String {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let text = self.layout(width, Some(&names));
        match text.split_once('\n') {
            Some((header, rows)) => format!("{}\n{rows}", style.bold(header)),
            None => style.bold(&text),
        }
    }

    /// Whether it fits a width without leaving out a column.
    pub fn is_whole(&self, width: usize) -> bool {
        self.widths(width, true).iter().all(Option::is_some)
    }

    /// The rows alone.
    pub fn render_rows(&self, width: usize) -> String {
        self.layout(width, None)
    }

    fn layout(&self, width: usize, header: Option<&[String]>) -> String {
        let widths = self.widths(width, header.is_some());
        let shown = |cells: &[String]| -> Vec<String> {
            let cells = cells.iter().zip(&widths).zip(&self.columns);
            let fitted = |((cell, width), (_, fit)): ((&String, &Option<usize>), &(_, Fit))| {
                Some(match fit {
                    Fit::Wrap => wrapped(cell, (*width)?),
                    Fit::Whole | Fit::Cut | Fit::Drop(_) | Fit::DropEmpty(_) => {
                        wrap::cut_to(cell, (*width)?)
                    }
                })
            };
            cells.filter_map(fitted).collect()
        };
        let mut grid = Grid::new();
        grid.load_style(presets::NOTHING);
        grid.set_content_arrangement(ContentArrangement::Disabled);
        if let Some(header) = header {
            grid.set_header(shown(header));
        }
        grid.add_rows(self.rows.iter().map(|row| shown(row)));
        for column in grid.column_iter_mut() {
            column.set_padding((0, u16::try_from(GAP).unwrap_or(1)));
        }
        let text = grid.to_string();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// The width of each column; `None` for a dropped one.
    ///
    /// Other columns are dropped before a column is truncated below a comfortable width.
    fn widths(&self, width: usize, with_names: bool) -> Vec<Option<usize>> {
        let mut shown: Vec<Option<usize>> =
            (0..self.columns.len()).map(|at| self.natural(at, with_names)).collect();
        loop {
            let mut widths = shown.clone();
            self.shrink(&mut widths, width, COMFORT);
            if excess(&widths, width).is_none() {
                return widths;
            }
            if !self.drop_one(&mut shown) {
                self.shrink(&mut widths, width, LEAST);
                return widths;
            }
        }
    }

    /// The width of the widest cell of a column.
    fn natural(&self, at: usize, with_names: bool) -> Option<usize> {
        let (name, fit) = self.columns.get(at)?;
        let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
        if matches!(fit, Fit::DropEmpty(_)) && cells.clone().all(|width| width == 0) {
            return None;
        }
        cells.chain(with_names.then_some(name.width())).max()
    }

    /// Narrows columns until the table fits, down to `least` each.
    fn shrink(&self, widths: &mut [Option<usize>], width: usize, least: usize) {
        for (at, (_, fit)) in self.columns.iter().enumerate() {
            let Some(excess) = excess(widths, width) else { return };
            if matches!(fit, Fit::Cut | Fit::Wrap)
                && let Some(Some(width)) = widths.get_mut(at)
            {
                *width = width.saturating_sub(excess).max(least.min(*width));
            }
        }
    }

    /// Drops the least important column.
    fn drop_one(&self, widths: &mut [Option<usize>]) -> bool {
        let droppable = self.columns.iter().zip(widths).filter_map(|((_, fit), width)| match fit {
            Fit::Drop(order) | Fit::DropEmpty(order) if width.is_some() => Some((*order, width)),
            Fit::Drop(_) | Fit::DropEmpty(_) | Fit::Whole | Fit::Cut | Fit::Wrap => None,
        });
        let Some((_, width)) = droppable.max_by_key(|(order, _)| *order) else { return false };
        *width = None;
        true
    }
}

/// The lines of a cell that wraps.
fn wrapped(cell: &str, width: usize) -> String {
    let margin = wrap::Margin { first: "", rest: "" };
    wrap::spans(&[wrap::Span::plain(cell)], width, margin, Style::new(false)).join("\n")
}

/// By how much the columns exceed the width.
fn excess(widths: &[Option<usize>], width: usize) -> Option<usize> {
    let shown: Vec<usize> = widths.iter().copied().flatten().collect();
    let total = shown.iter().sum::<usize>() + GAP * shown.len().saturating_sub(1);
    total.checked_sub(width).filter(|excess| *excess > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new([
            ("id", Fit::Whole),
            ("title", Fit::Cut),
            ("status", Fit::Whole),
            ("due", Fit::Drop(1)),
            ("agent", Fit::Drop(2)),
        ]);
        table.row([
            "k3f9a".into(),
            "Paint the fence before the summer party in June".into(),
            "IN PROGRESS".into(),
            "2026-06-01".into(),
            "Laura".into(),
        ]);
        table.row([
            "9x0z1".into(),
            "屋根の修理\u{1b}[2J".into(),
            "OPEN".into(),
            String::new(),
            String::new(),
        ]);
        table
    }

    #[test]
    fn every_row_is_one_line_that_fits() {
        for width in 40..=200 {
            let text = sample().render(width, Style::new(false));
            assert_eq!(text.lines().count(), 3, "at {width}");
            for line in text.lines() {
                assert!(line.width() <= width, "at {width}: {line}");
            }
        }
    }

    #[test]
    fn a_narrow_table_leaves_columns_out_before_it_cuts_the_title_short() {
        let text = sample().render(46, Style::new(false));
        assert_eq!(
            text,
            "id     title                       status\n\
             k3f9a  Paint the fence before th…  IN PROGRESS\n\
             9x0z1  屋根の修理                  OPEN"
        );
    }

    #[test]
    fn a_column_that_wraps_shows_all_of_its_words_in_lines_that_fit() {
        let mut table =
            Table::new([("since", Fit::Drop(1)), ("what", Fit::Wrap), ("id", Fit::Whole)]);
        let what = "Pay rent: the provider does not work at the moment; check its address";
        table.row(["2026-06-01 10:00".into(), what.into(), "ag-1".into()]);
        table.row(["2026-06-01 10:00".into(), "Answer a question".into(), "wq-2".into()]);
        assert_eq!(
            table.render(40, Style::new(false)),
            "what                             id\n\
             Pay rent: the provider does not  ag-1\n\
             work at the moment; check its\n\
             address\n\
             Answer a question                wq-2"
        );
        for width in 40..=200 {
            let text = table.render(width, Style::new(false));
            assert!(text.lines().all(|line| line.width() <= width), "at {width}: {text}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let shown = words(&text);
            assert!(words(what).iter().all(|word| shown.contains(word)), "at {width}: {text}");
        }
    }

    #[test]
    fn a_column_that_only_some_lists_need_is_not_there_while_it_is_empty() {
        let table = |mark: &str| {
            let mut table = Table::new([("id", Fit::Whole), ("marks", Fit::DropEmpty(1))]);
            table.row(["k3f9a".into(), mark.into()]);
            table.render(40, Style::new(false))
        };
        assert_eq!(table(""), "id\nk3f9a");
        assert_eq!(table("private"), "id     marks\nk3f9a  private");
    }

    #[test]
    fn no_escape_sequence_of_a_cell_is_printed() {
        assert!(!sample().render(100, Style::new(false)).contains('\u{1b}'));
    }
}
