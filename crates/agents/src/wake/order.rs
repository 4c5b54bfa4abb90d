//! Who is claimed next, so that a person does not wait and nobody starves.

use dormouse_store::agent::wake_queue::Sleeper;

/// Every how many claims the oldest of all goes first, whatever woke it.
const TURN_OF_THE_OLDEST: u64 = 4;

/// Decides which rows to try to claim, in order.
///
/// `n` counts the claims of this node. `foremost` holds the first row of each place in the claim
/// order; `waiting` the rows in claim order. With `offset`, nodes that read the same rows begin at
/// different ones, but no row of a weaker reason goes before one of a stronger.
pub fn claims(
    n: u64,
    offset: usize,
    foremost: Vec<Sleeper>,
    waiting: Vec<Sleeper>,
) -> Vec<Sleeper> {
    let mut order = Vec::with_capacity(waiting.len() + 1);
    if n % TURN_OF_THE_OLDEST == TURN_OF_THE_OLDEST - 1 {
        let oldest = foremost.into_iter().min_by_key(|row| (row.due_at, row.agent.clone()));
        order.extend(oldest);
    }
    let equals = waiting.iter().take_while(|row| row.priority == waiting[0].priority).count();
    let mut waiting = waiting;
    if equals > 1 {
        waiting[..equals].rotate_left(offset % equals);
    }
    order.extend(waiting);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use dormouse_store::agent::wake_queue::Reason;
    use dormouse_types::{Seq, Timestamp};

    fn row(mark: char, reason: Reason, due: i64) -> Sleeper {
        Sleeper {
            agent: format!("ag-{}", mark.to_string().repeat(26)).parse().expect("an id"),
            reasons: vec![reason],
            first_signal_at: None,
            due_at: Some(Timestamp::from_micros(due)),
            upto: Seq(0),
            priority: reason.priority(),
            request_id: None,
            message_id: None,
            run_key: None,
            owner: None,
            epoch: 0,
            expires_at: None,
            crashes: 0,
            sleep_until: None,
        }
    }

    fn marks(rows: &[Sleeper]) -> String {
        rows.iter().map(|row| row.agent.to_string().remove(3)).collect()
    }

    fn queue() -> (Vec<Sleeper>, Vec<Sleeper>) {
        let waiting = vec![
            row('a', Reason::UserInitiated, 90),
            row('b', Reason::Creation, 20),
            row('c', Reason::Creation, 21),
            row('d', Reason::Subscription, 1),
        ];
        let foremost = [0, 1, 3].map(|n: usize| waiting[n].clone()).to_vec();
        (foremost, waiting)
    }

    #[test]
    fn a_person_goes_first_and_now_and_then_the_oldest_of_all() {
        let order: Vec<String> = (0..5)
            .map(|n| {
                let (foremost, waiting) = queue();
                marks(&claims(n, 0, foremost, waiting))
            })
            .collect();
        assert_eq!(order, ["abcd", "abcd", "abcd", "dabcd", "abcd"]);
    }

    #[test]
    fn nodes_begin_at_different_rows_of_equal_rank_and_keep_the_ranks() {
        let waiting = vec![
            row('b', Reason::Creation, 20),
            row('c', Reason::Creation, 21),
            row('e', Reason::Creation, 22),
            row('d', Reason::Subscription, 1),
        ];
        let at = |offset| marks(&claims(0, offset, Vec::new(), waiting.clone()));
        assert_eq!([at(0), at(1), at(2), at(3)], ["bced", "cebd", "ebcd", "bced"]);
        let (foremost, waiting) = queue();
        assert_eq!(marks(&claims(0, 7, foremost, waiting)), "abcd");
        assert_eq!(marks(&claims(0, 7, Vec::new(), Vec::new())), "");
    }
}
