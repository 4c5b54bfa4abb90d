//! Decides which wake is claimed next, so that a person does not wait and no agent starves.

use dormouse_store::agent::wake_queue::QueueEntry;

/// Once in this many claims the oldest row goes first, whatever its reason.
const TURN_OF_THE_OLDEST: u64 = 4;

/// Decides which rows to claim, at most `want`.
///
/// `n` is the number of claims this node has made. `first_rows` holds the first row of each priority,
/// `waiting` the rows in claim order. `offset` makes nodes that read the same rows start at
/// different ones, but a row with a weaker reason never goes before one with a stronger reason.
pub fn claims(
    n: u64,
    want: usize,
    offset: usize,
    first_rows: Vec<QueueEntry>,
    mut waiting: Vec<QueueEntry>,
) -> Vec<QueueEntry> {
    let equals = waiting.iter().take_while(|row| row.priority == waiting[0].priority).count();
    if equals > 1 {
        waiting[..equals].rotate_left(offset % equals);
    }
    for row in first_rows {
        if !waiting.iter().any(|known| known.holder == row.holder) {
            waiting.push(row);
        }
    }
    let mut order = Vec::new();
    for n in (n..).take(want) {
        let is_turn_of_the_oldest = n % TURN_OF_THE_OLDEST == TURN_OF_THE_OLDEST - 1;
        let next = if is_turn_of_the_oldest {
            (0..waiting.len()).min_by_key(|at| (waiting[*at].due_at, &waiting[*at].holder))
        } else {
            (!waiting.is_empty()).then_some(0)
        };
        order.extend(next.map(|at| waiting.remove(at)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use dormouse_store::agent::wake_queue::Reason;
    use dormouse_types::{Seq, Timestamp};

    fn row(mark: char, reason: Reason, due: i64) -> QueueEntry {
        QueueEntry {
            holder: format!("ag-{}", mark.to_string().repeat(26)).parse().expect("an id"),
            reasons: vec![reason],
            first_signal_at: None,
            due_at: Some(Timestamp::from_micros(due)),
            upto: Seq(0),
            priority: reason.priority(),
            request_id: None,
            run_key: None,
            owner: None,
            epoch: 0,
            expires_at: None,
            crashes: 0,
            sleep_until: None,
            put_off: None,
        }
    }

    fn marks(rows: &[QueueEntry]) -> String {
        rows.iter().map(|row| row.holder.to_string().remove(3)).collect()
    }

    fn queue() -> (Vec<QueueEntry>, Vec<QueueEntry>) {
        let waiting = vec![
            row('a', Reason::UserInitiated, 90),
            row('b', Reason::Creation, 20),
            row('c', Reason::Creation, 21),
            row('d', Reason::Subscription, 1),
        ];
        let first_rows = [0, 1, 3].map(|n: usize| waiting[n].clone()).to_vec();
        (first_rows, waiting)
    }

    #[test]
    fn a_person_goes_first_and_now_and_then_the_oldest_of_all() {
        let order: Vec<String> = (0..5)
            .map(|n| {
                let (first_rows, waiting) = queue();
                marks(&claims(n, 1, 0, first_rows, waiting))
            })
            .collect();
        assert_eq!(order, ["a", "a", "a", "d", "a"]);
        let (first_rows, waiting) = queue();
        assert_eq!(marks(&claims(0, 9, 0, first_rows, waiting)), "abcd");
        let (first_rows, waiting) = queue();
        assert_eq!(marks(&claims(2, 3, 0, first_rows, waiting)), "adb");
    }

    #[test]
    fn the_oldest_is_found_also_far_down_the_queue() {
        let waiting = vec![row('b', Reason::Creation, 20), row('c', Reason::Creation, 21)];
        let first_rows = vec![waiting[0].clone(), row('d', Reason::Subscription, 1)];
        assert_eq!(marks(&claims(3, 2, 0, first_rows, waiting)), "db");
    }

    #[test]
    fn nodes_begin_at_different_rows_of_equal_rank_and_keep_the_ranks() {
        let waiting = vec![
            row('b', Reason::Creation, 20),
            row('c', Reason::Creation, 21),
            row('e', Reason::Creation, 22),
            row('d', Reason::Subscription, 1),
        ];
        let at = |offset| marks(&claims(4, 3, offset, Vec::new(), waiting.clone()));
        assert_eq!([at(0), at(1), at(2), at(3)], ["bce", "ceb", "ebc", "bce"]);
        assert_eq!(marks(&claims(0, 3, 7, Vec::new(), Vec::new())), "");
    }
}
