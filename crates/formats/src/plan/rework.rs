//! Changes the lines of one task: leaves some out, makes items of text and text of items, and lets
//! lines begin tasks of their own.

use std::collections::BTreeMap;

use dormouse_types::draft::{Item, Task};
use dormouse_types::limits;
use dormouse_types::task::{Flags, Status};

use super::Role;
use super::correction::{CorrectionError, Edit};
use super::join::Taken;
use super::sheet::{ItemPiece, Pieces, TextLine, TextPiece, is_ticked, words};
use super::wanted::{Slot, Wanted};
use crate::intake;
use crate::markdown::key::fold;

/// A task after its lines changed.
pub(super) struct Reworked {
    /// The task itself.
    pub origin: Pieces,
    /// The tasks that began in it, each with the lines of its title.
    pub split: Vec<(Vec<usize>, Pieces)>,
    /// The lines that were left out.
    pub left_out: Vec<usize>,
}

/// Changes a task; `keys` are the keys of all tasks.
pub(super) fn rework(
    lines: &[&str],
    mut pieces: Pieces,
    wanted: &Wanted,
    keys: &mut Taken,
) -> Result<Reworked, CorrectionError> {
    let mut left_out = Vec::new();
    change_roles(lines, &mut pieces, wanted, &mut left_out)?;
    let owners = Owners::new(lines, &pieces, wanted);
    let split = owners.part(lines, &mut pieces, keys)?;
    Ok(Reworked { origin: pieces, split, left_out })
}

fn wants_role(wanted: &Wanted, line: usize, role: Role) -> bool {
    wanted.at(line, Slot::Role) == Some(&Edit::SetRole { role })
        && wanted.at(line, Slot::Split).is_none()
}

fn change_roles(
    lines: &[&str],
    pieces: &mut Pieces,
    wanted: &Wanted,
    left_out: &mut Vec<usize>,
) -> Result<(), CorrectionError> {
    let leaves = |line: usize| wanted.at(line, Slot::LeaveOut).is_some();
    let mut texts = Vec::new();
    let mut gone: Vec<ItemPiece> = Vec::new();
    pieces.items.retain(|piece| {
        let splits = piece.lines.iter().any(|&line| wanted.at(line, Slot::Split).is_some());
        if !splits && piece.lines.iter().any(|&line| leaves(line)) {
            left_out.extend(&piece.lines);
            gone.push(piece.clone());
            return false;
        }
        let is_text = piece.lines.iter().any(|&line| {
            wants_role(wanted, line, Role::Note) || wants_role(wanted, line, Role::Due)
        });
        if let Some(&first) = piece.lines.first().filter(|_| is_text) {
            let mut text = vec![TextLine { text: piece.item.title.clone(), from: Some(first) }];
            // Its other lines are in the title already.
            let more = piece.lines[1..].iter();
            text.extend(more.map(|&line| TextLine { text: String::new(), from: Some(line) }));
            texts.push(TextPiece {
                key: format!("item {}", piece.item.key),
                lines: text,
                ..TextPiece::default()
            });
            return false;
        }
        true
    });
    for item in &gone {
        without_words_of(item, lines, &mut pieces.texts);
    }
    let mut items = Vec::new();
    for piece in &mut pieces.texts {
        piece.lines.retain(|line| {
            let Some(from) = line.from else { return true };
            if leaves(from) && wanted.at(from, Slot::Split).is_none() {
                left_out.push(from);
                return false;
            }
            if wants_role(wanted, from, Role::Item) {
                items.push(from);
                return false;
            }
            true
        });
    }
    pieces.texts.retain(TextPiece::has_words);
    let mut taken = Taken::new(pieces.items.iter().map(|piece| piece.item.key.clone()));
    for line in items {
        let title = words(lines[line]).to_owned();
        if title.is_empty() {
            return Err(CorrectionError::NoWords { line: line + 1 });
        }
        let n_items = pieces.items.len() + 1;
        let checked = limits::ITEMS_PER_TASK.check(n_items);
        checked.map_err(|source| CorrectionError::Limit { line: line + 1, source })?;
        let key = taken.take(format!("{}#1", fold(&title)), "line");
        let title = match intake::shortened(&title, limits::ITEM_TITLE) {
            Some(short) => {
                let text = vec![TextLine { text: title, from: None }];
                texts.push(TextPiece {
                    key: format!("item {key}"),
                    lines: text,
                    ..TextPiece::default()
                });
                short
            }
            None => title,
        };
        let is_checked = is_ticked(lines[line]);
        let item = Item { key, title, is_checked, depth: 0, lines: line + 1..line + 2 };
        let place = place_of(line, &pieces.items);
        pieces.items.insert(place, ItemPiece { item, lines: vec![line] });
    }
    if !texts.is_empty() {
        let mut taken = Taken::new(pieces.texts.iter().map(|piece| piece.key.clone()));
        for mut piece in texts {
            piece.key = taken.take(piece.key, "line");
            pieces.texts.push(piece);
        }
        in_order(&mut pieces.texts, |piece| piece.lines.iter().find_map(|line| line.from));
    }
    Ok(())
}

/// Takes the words of an item that is left out from the text of its task: the whole of a title that was too long,
/// and the title over the notes of the item, which stay.
fn without_words_of(item: &ItemPiece, lines: &[&str], texts: &mut Vec<TextPiece>) {
    let (Some(&first), Some(&last)) = (item.lines.first(), item.lines.last()) else { return };
    let title = item.item.title.as_str();
    let title = intake::signed(title).map_or(title, |(_, title)| title);
    let short = title.strip_suffix('…').map(str::trim_end);
    let is_whole = |piece: &TextPiece| {
        let begins =
            |short: &str| piece.lines.first().is_some_and(|line| line.text.starts_with(short));
        piece.key.starts_with("item ") && short.is_some_and(begins)
    };
    texts.retain(|piece| !is_whole(piece));
    let is_title = |line: &TextLine| {
        let words = words(&line.text);
        line.from.is_none()
            && (words == title || short.is_some_and(|short| words.starts_with(short)))
    };
    let is_note = |line: &TextLine| {
        line.from.is_some_and(|from| {
            from > last && super::indent(lines[from]) > super::indent(lines[first])
        })
    };
    for piece in texts {
        let over = piece.lines.windows(2).position(|pair| is_title(&pair[0]) && is_note(&pair[1]));
        over.into_iter().for_each(|at| drop(piece.lines.remove(at)));
    }
}

/// Where the item of a line belongs: after those above it, followed by what has no lines. The others keep their
/// order, which may not be that of the text.
fn place_of(line: usize, items: &[ItemPiece]) -> usize {
    let first = |piece: &ItemPiece| piece.lines.first().copied();
    let above = items.iter().rposition(|piece| first(piece).is_some_and(|first| first < line));
    let next = above.map_or(0, |above| above + 1);
    next + items[next..].iter().take_while(|piece| piece.lines.is_empty()).count()
}

/// Sorts by line; what has no line stays after what was before it.
fn in_order<T>(all: &mut Vec<T>, line: impl Fn(&T) -> Option<usize>) {
    let mut last = 0;
    let mut keyed: Vec<(usize, T)> = std::mem::take(all)
        .into_iter()
        .map(|one| {
            last = line(&one).unwrap_or(last);
            (last, one)
        })
        .collect();
    keyed.sort_by_key(|(line, _)| *line);
    all.extend(keyed.into_iter().map(|(_, one)| one));
}

/// Which new task takes which line; none for what stays.
struct Owners {
    /// For each item, the line of its new task.
    items: Vec<Option<usize>>,
    /// For each line of text, the line of its new task.
    texts: Vec<Vec<Option<usize>>>,
    /// The items that begin a task, by line.
    heads: BTreeMap<usize, usize>,
    /// All lines that begin a task.
    begins: Vec<usize>,
}

impl Owners {
    fn new(lines: &[&str], pieces: &Pieces, wanted: &Wanted) -> Self {
        let splits = |line: usize| wanted.at(line, Slot::Split).is_some();
        // Lines of text that begin a task take everything below them.
        let mut begins: Vec<usize> = pieces
            .texts
            .iter()
            .flat_map(|piece| &piece.lines)
            .filter_map(|line| line.from.filter(|&from| splits(from)))
            .collect();
        begins.sort_unstable();
        let below = |line: usize| {
            begins.partition_point(|&begin| begin <= line).checked_sub(1).map(|at| begins[at])
        };
        let mut heads = BTreeMap::new();
        let mut items = Vec::with_capacity(pieces.items.len());
        // Items that begin a task take what is nested in them: lines up to the next item that is not.
        let mut nested: Vec<(usize, usize, usize)> = Vec::new();
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut last = None;
        for (at, piece) in pieces.items.iter().enumerate() {
            let first = piece.lines.first().copied();
            while open.last().is_some_and(|&(depth, _)| depth >= piece.item.depth) {
                open.pop();
            }
            if let Some(line) = piece.lines.iter().copied().find(|&line| splits(line)) {
                let first = first.unwrap_or(line);
                heads.insert(first, at);
                open.push((piece.item.depth, first));
                nested.push((first, usize::MAX, super::indent(lines[first])));
            } else if open.is_empty()
                && let (Some(first), Some((_, end, _))) = (first, nested.last_mut())
            {
                *end = (*end).min(first);
            }
            last = first.and_then(below).or(if first.is_none() { last } else { None });
            items.push(open.last().map(|&(_, line)| line).or(last));
        }
        // Items need not be in the order of the text.
        nested.sort_unstable();
        let of_text = |line: usize| {
            let at = nested.partition_point(|&(first, _, _)| first <= line).checked_sub(1);
            let inner = at
                .map(|at| nested[at])
                .filter(|&(_, end, indent)| line < end && super::indent(lines[line]) > indent);
            inner.map(|(first, _, _)| first).or_else(|| below(line))
        };
        let texts = pieces.texts.iter().map(|piece| {
            let mut owners: Vec<Option<Option<usize>>> =
                piece.lines.iter().map(|line| line.from.map(of_text)).collect();
            // Lines of our own, such as the title before the notes of an item, go with the next.
            let mut next = None;
            for owner in owners.iter_mut().rev() {
                next = owner.or(next);
                *owner = next;
            }
            let mut before = None;
            for owner in &mut owners {
                before = owner.or(before);
                *owner = before;
            }
            owners.into_iter().map(Option::flatten).collect()
        });
        let texts = texts.collect();
        begins.extend(heads.keys().copied());
        begins.sort_unstable();
        begins.dedup();
        Self { items, texts, heads, begins }
    }

    /// Takes the new tasks out of a task.
    fn part(
        self,
        lines: &[&str],
        origin: &mut Pieces,
        keys: &mut Taken,
    ) -> Result<Vec<(Vec<usize>, Pieces)>, CorrectionError> {
        let mut split: BTreeMap<usize, Pieces> = BTreeMap::new();
        for &line in &self.begins {
            let head = self.heads.get(&line).map(|&at| &origin.items[at].item);
            let title = head.map_or(words(lines[line]), |item| item.title.as_str()).to_owned();
            if title.is_empty() {
                return Err(CorrectionError::NoWords { line: line + 1 });
            }
            let is_done = head.map_or_else(|| is_ticked(lines[line]), |item| item.is_checked);
            let key = format!("{}/{}", origin.task.key, fold(&title));
            let task = Task {
                key: keys.take(format!("{key}#1"), "line"),
                line: line + 1,
                status: is_done.then_some(Status::Done),
                language: origin.task.language.clone(),
                category: origin.task.category.clone(),
                labels: origin.task.labels.clone(),
                flags: Flags { starred: false, private: origin.task.flags.private },
                ..Task::default()
            };
            let mut pieces = Pieces { task, items: Vec::new(), texts: Vec::new() };
            pieces.task.title = match intake::shortened(&title, limits::TITLE) {
                Some(short) => {
                    let text = vec![TextLine { text: title, from: None }];
                    pieces.texts.push(TextPiece {
                        key: "title#1".into(),
                        lines: text,
                        ..TextPiece::default()
                    });
                    short
                }
                None => title,
            };
            split.insert(line, pieces);
        }
        if split.is_empty() {
            return Ok(Vec::new());
        }
        let mut titles: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let items = std::mem::take(&mut origin.items);
        for (piece, owner) in items.into_iter().zip(&self.items) {
            let head = piece.lines.first().copied().filter(|line| self.heads.contains_key(line));
            if let Some(line) = head {
                titles.insert(line, piece.lines);
                continue;
            }
            match owner.and_then(|line| split.get_mut(&line)) {
                Some(task) => task.items.push(piece),
                None => origin.items.push(piece),
            }
        }
        // The shallowest item of a new task is not nested any more.
        for task in split.values_mut() {
            let outermost = task.items.iter().map(|piece| piece.item.depth).min().unwrap_or(0);
            task.items.iter_mut().for_each(|piece| piece.item.depth -= outermost);
        }
        let texts = std::mem::take(&mut origin.texts);
        for (piece, owners) in texts.into_iter().zip(&self.texts) {
            let mut parts: BTreeMap<Option<usize>, Vec<TextLine>> = BTreeMap::new();
            for (line, owner) in piece.lines.into_iter().zip(owners) {
                let begins = line.from.is_some_and(|from| *owner == Some(from));
                let part = parts.entry(*owner).or_default();
                if !begins {
                    part.push(line);
                }
            }
            for (owner, lines) in parts {
                let TextPiece { on, kind, flags, .. } = piece;
                let part = TextPiece { key: piece.key.clone(), on, kind, flags, lines };
                let task = owner.and_then(|line| split.get_mut(&line));
                if part.has_words() {
                    task.map_or(&mut origin.texts, |task| &mut task.texts).push(part);
                }
            }
        }
        let titled = split
            .into_iter()
            .map(|(line, pieces)| (titles.remove(&line).unwrap_or_else(|| vec![line]), pieces));
        Ok(titled.collect())
    }
}
