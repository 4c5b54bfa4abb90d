//! Which of the tasks that name another as their parent become items of it.

/// What a task of a list is read as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Member {
    /// A task, with those that are its items and how deep each is.
    Task(Vec<(usize, u32)>),
    /// An item of another.
    Item,
}

/// Makes items of those with a parent that have no more than an item can hold. What names its parents in a loop is
/// below no task and stays one.
pub(crate) fn family(parents: &[Option<usize>], is_bare: impl Fn(usize) -> bool) -> Vec<Member> {
    let is_child = |at: usize| parents[at].is_some() && is_bare(at);
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
        let members = family(&parents, |at| at != 5);
        assert_eq!(members[0], Member::Task(vec![(1, 0), (2, 1)]));
        assert_eq!((&members[1], &members[2]), (&Member::Item, &Member::Item));
        assert_eq!(members[3..], vec![Member::Task(Vec::new()); 3]);
    }
}
