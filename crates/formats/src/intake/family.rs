//! Which of the tasks that name another as their parent become items of it.

use std::ops::RangeInclusive;

use super::{Draft, of_item};

/// What was read as a task, before it is known whether it is an item of another.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub draft: Draft,
    /// What the format knows it by.
    pub id: Option<String>,
    /// The lines it is on, from 0.
    pub lines: RangeInclusive<usize>,
}

/// A task with its items.
#[derive(Debug)]
pub(crate) struct Family {
    /// Which of the candidates it was.
    pub at: usize,
    pub task: Candidate,
    /// The lines of each candidate that became an item.
    pub items: Vec<RangeInclusive<usize>>,
}

/// Makes items of the candidates with a parent that `fits_an_item` has no more than an item can hold. What has no
/// field of an item is said among the details of its task.
pub(crate) fn families(
    candidates: Vec<Candidate>,
    parents: &[Option<usize>],
    fits_an_item: impl Fn(usize, &[Candidate]) -> bool,
) -> Vec<Family> {
    let members = members(parents, |at| fits_an_item(at, &candidates));
    let mut candidates: Vec<Option<Candidate>> = candidates.into_iter().map(Some).collect();
    let mut families = Vec::new();
    for (at, member) in members.into_iter().enumerate() {
        let Member::Task(below) = member else { continue };
        let Some(mut task) = candidates[at].take() else { continue };
        let mut items = Vec::with_capacity(below.len());
        for (below, depth) in below {
            let Some(Candidate { draft, id, lines }) = candidates[below].take() else { continue };
            let title = &draft.task.title;
            task.draft.item_on(lines.clone(), id.as_deref(), title, draft.is_done(), depth);
            for (name, value) in draft.details.iter() {
                task.draft.details.push(&of_item(name, title), value);
            }
            items.push(lines);
        }
        families.push(Family { at, task, items });
    }
    families
}

/// What one of a list is read as.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Member {
    /// A task, with those that are its items and how deep each is.
    Task(Vec<(usize, u32)>),
    /// An item of another.
    Item,
}

/// Makes items of those with a parent that `fits_an_item`. What names its parents in a loop is below no task and stays one.
fn members(parents: &[Option<usize>], fits_an_item: impl Fn(usize) -> bool) -> Vec<Member> {
    let is_child = |at: usize| parents[at].is_some() && fits_an_item(at);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    for at in (0..parents.len()).filter(|&at| is_child(at)) {
        if let Some(parent) = parents[at] {
            children[parent].push(at);
        }
    }
    let mut members = vec![Member::Task(Vec::new()); parents.len()];
    for root in (0..parents.len()).filter(|&at| !is_child(at)) {
        let mut left = vec![(root, 0)];
        let mut items = Vec::new();
        while let Some((at, depth)) = left.pop() {
            if at != root {
                items.push((at, depth - 1));
                members[at] = Member::Item;
            }
            left.extend(children[at].iter().rev().map(|&child| (child, depth + 1)));
        }
        members[root] = Member::Task(items);
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_a_child_is_an_item_below_it_and_a_loop_is_none() {
        // 0 over 1 over 2; 3 and 4 over each other; 5 below 0 says more than an item can hold.
        let parents = [None, Some(0), Some(1), Some(4), Some(3), Some(0)];
        let members = members(&parents, |at| at != 5);
        assert_eq!(members[0], Member::Task(vec![(1, 0), (2, 1)]));
        assert_eq!((&members[1], &members[2]), (&Member::Item, &Member::Item));
        assert_eq!(members[3..], vec![Member::Task(Vec::new()); 3]);
    }
}
