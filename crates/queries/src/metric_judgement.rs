//! What a difference between two versions of a template means.

use dormouse_types::template::MetricJudgement;

use crate::view::MetricChange;

/// Fewer wakes or decisions than this have no rate and no judgement.
pub(crate) const LEAST: i64 = 20;

/// By how much two amounts must differ, in percent of the one before, to be better or worse.
const NOTABLE: i64 = 10;

/// The smallest difference of costs that a person is shown. Units: micro-dollars.
pub(crate) const SMALLEST_COST: i64 = 100;

/// How many of a number of wakes or decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    pub part: i64,
    pub of: i64,
}

impl Share {
    /// Units: percent; `None` if it is of too few.
    pub(crate) fn percent(self) -> Option<i64> {
        (self.of >= LEAST).then(|| (self.part * 100 + self.of / 2) / self.of)
    }
}

/// An amount per wake, rounded; `None` if it is of too few.
pub(crate) fn per_wake(amount: i64, wakes: i64) -> Option<i64> {
    (wakes >= LEAST).then(|| amount.saturating_add(wakes / 2) / wakes)
}

/// Whether a higher figure is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Good {
    High,
    Low,
}

impl Good {
    fn judged(self, is_higher: bool) -> MetricJudgement {
        match (self, is_higher) {
            (Self::High, true) | (Self::Low, false) => MetricJudgement::Better,
            (Self::High, false) | (Self::Low, true) => MetricJudgement::Worse,
        }
    }
}

/// Compares two shares. A difference counts if it is at least twice its standard error: one decision more
/// or less says nothing.
pub(crate) fn shares(now: Share, before: Share, good: Good) -> MetricChange {
    let change =
        |judgement| MetricChange { now: now.percent(), before: before.percent(), judgement };
    if now.of < LEAST || before.of < LEAST {
        return change(MetricJudgement::TooEarly);
    }
    // (a/n - b/m)² >= 4 · p(1 - p) · (1/n + 1/m) with p = (a + b)/(n + m), without a division.
    let [a, n, b, m] = [now.part, now.of, before.part, before.of].map(i128::from);
    let (parts, all) = (a + b, n + m);
    let difference = a * m - b * n;
    let is_notable =
        difference != 0 && difference * difference * all >= 4 * parts * (all - parts) * n * m;
    change(if is_notable { good.judged(difference > 0) } else { MetricJudgement::Same })
}

/// Compares two amounts per wake, of which the lower one is better. A difference below `smallest` is none.
pub(crate) fn amounts(now: Option<i64>, before: Option<i64>, smallest: i64) -> MetricChange {
    let judgement = match (now, before) {
        (Some(now), Some(before)) => {
            let difference = i128::from(now) - i128::from(before);
            let is_notable = difference.abs() >= i128::from(smallest)
                && difference.abs() * 100 > i128::from(before) * i128::from(NOTABLE);
            if is_notable { Good::Low.judged(difference > 0) } else { MetricJudgement::Same }
        }
        (None, _) | (_, None) => MetricJudgement::TooEarly,
    };
    MetricChange { now, before, judgement }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(part: i64, of: i64) -> Share {
        Share { part, of }
    }

    fn judged(now: (i64, i64), before: (i64, i64)) -> MetricJudgement {
        shares(share(now.0, now.1), share(before.0, before.1), Good::High).judgement
    }

    #[test]
    fn fewer_than_twenty_have_no_rate_and_no_judgement() {
        assert_eq!((share(19, 19).percent(), share(10, 20).percent()), (None, Some(50)));
        assert_eq!((per_wake(19, 19), per_wake(50, 20)), (None, Some(3)));
        assert_eq!(judged((19, 19), (0, 500)), MetricJudgement::TooEarly);
        assert_eq!(judged((500, 500), (0, 19)), MetricJudgement::TooEarly);
        assert_eq!(amounts(None, Some(1), 1).judgement, MetricJudgement::TooEarly);
        assert_eq!(amounts(Some(1), None, 1).judgement, MetricJudgement::TooEarly);
    }

    #[test]
    fn a_difference_that_chance_explains_is_none() {
        assert_eq!(judged((16, 20), (15, 20)), MetricJudgement::Same);
        assert_eq!(judged((20, 20), (20, 20)), MetricJudgement::Same);
        assert_eq!(judged((0, 20), (0, 90)), MetricJudgement::Same);
        assert_eq!(judged((19, 20), (10, 20)), MetricJudgement::Better);
        assert_eq!(judged((10, 20), (19, 20)), MetricJudgement::Worse);
        // The same shares of more decisions are no chance any more.
        assert_eq!(judged((1600, 2000), (1500, 2000)), MetricJudgement::Better);
    }

    #[test]
    fn fewer_failures_and_lower_amounts_are_better() {
        let change = shares(share(1, 40), share(20, 40), Good::Low);
        let wanted =
            MetricChange { now: Some(3), before: Some(50), judgement: MetricJudgement::Better };
        assert_eq!(change, wanted);
        assert_eq!(amounts(Some(111), Some(100), 1).judgement, MetricJudgement::Worse);
        assert_eq!(amounts(Some(110), Some(100), 1).judgement, MetricJudgement::Same);
        assert_eq!(amounts(Some(89), Some(100), 1).judgement, MetricJudgement::Better);
        assert_eq!(amounts(Some(0), Some(0), 1).judgement, MetricJudgement::Same);
        assert_eq!(amounts(Some(1), Some(0), 1).judgement, MetricJudgement::Worse);
        // A difference that is not shown is none.
        let smallest = SMALLEST_COST;
        assert_eq!(amounts(Some(240), Some(160), smallest).judgement, MetricJudgement::Same);
        assert_eq!(amounts(Some(260), Some(160), smallest).judgement, MetricJudgement::Worse);
    }
}
