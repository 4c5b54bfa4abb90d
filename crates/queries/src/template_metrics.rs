//! How a template does: counts of its wakes, their cost and the outcome of their proposals, folded by
//! version, model, tool and week.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dormouse_agents::template::stock;
use dormouse_store::agent::entity;
use dormouse_store::agent::template::{self, TemplateVersion};
use dormouse_store::agent::template_metrics::{self, CallCost, ItemCount, RunCount, Wanted};
use dormouse_store::in_list;
use dormouse_types::agent::{ItemStatus, RunStatus};
use dormouse_types::spend::Unit;
use dormouse_types::{TemplateId, TemplateVersionId, Timestamp, WorkspaceId};
use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use crate::metric_judgement::{Good, SMALLEST_COST, Share, amounts, per_wake, shares};
use crate::view::{
    DecisionCounts, Metrics, ModelMetrics, TemplateMetrics, ToolChange, ToolMetrics,
    VersionComparison, VersionMetrics, WeekMetrics,
};
use crate::{Queries, QueryError};

impl Queries {
    /// How a template has done in the last weeks. The number of queries does not grow with the data, except
    /// by one for each 200 versions.
    pub async fn template_metrics(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
    ) -> Result<TemplateMetrics, QueryError> {
        self.agents.template(ws, id).await?;
        let active = self.store.first(template::active(ws, id)).await?;
        let active = active.map(|active| active.doc.value.version);
        let zone = self.zone.get();
        let mondays = mondays(self.clock.now().day_in(&zone));
        let weeks: Vec<Timestamp> = mondays.iter().map(|day| begin(*day, &zone)).collect();
        let is_default = stock::DEFAULT.id() == *id;
        let wanted = Wanted { template: id, is_default, weeks: &weeks };
        let runs = self.store.all(template_metrics::runs(ws, &wanted)).await?;
        let cost = self.store.all(template_metrics::cost(ws, &wanted)).await?;
        let items = self.store.all(template_metrics::items(ws, &wanted)).await?;
        let mut counted: Vec<Counted> = runs.into_iter().filter_map(of_runs).collect();
        counted.extend(cost.into_iter().filter_map(of_cost));
        counted.extend(items.into_iter().filter_map(of_items));
        let versions: BTreeSet<_> = counted.iter().filter_map(|one| one.version.clone()).collect();
        let versions: Vec<TemplateVersionId> = versions.into_iter().collect();
        let mut numbers = BTreeMap::new();
        for some in versions.chunks(in_list::MOST) {
            // A version that cannot be read is one that is not known.
            let read = self.store.each(entity::some::<TemplateVersion>(ws, some)).await?;
            let read = read.into_iter().flatten().map(|version| version.doc.value);
            numbers.extend(read.map(|version| (version.id, version.version)));
        }
        Ok(folded(id, &mondays, active, &numbers, &counted))
    }
}

/// The Mondays of the weeks that are counted, oldest first.
fn mondays(today: Date) -> Vec<Date> {
    let days = today.weekday().since(Weekday::Monday);
    let this = today.saturating_sub(i64::from(days).days());
    let weeks = i64::try_from(template_metrics::MOST_WEEKS).unwrap_or(1);
    (0..weeks).rev().map(|ago| this.saturating_sub((7 * ago).days())).collect()
}

fn begin(day: Date, zone: &TimeZone) -> Timestamp {
    let begin = day.to_zoned(zone.clone()).map(|begin| begin.timestamp());
    // A day that has no beginning in the zone is one at the ends of time.
    begin.map_or(Timestamp::from_micros(0), Timestamp::from_jiff)
}

/// Some of what is counted, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Counted {
    week: usize,
    version: Option<TemplateVersionId>,
    model: Option<String>,
    /// Of proposals.
    tool: Option<String>,
    sum: Sum,
}

/// Sums from which metrics are made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Sum {
    wakes: i64,
    failed: i64,
    input_tokens: i64,
    output_tokens: i64,
    cost: i64,
    confirmed: i64,
    rejected: i64,
    deferred: i64,
    expired: i64,
    by_rule: i64,
}

fn of_runs(count: RunCount) -> Option<Counted> {
    let RunCount { group, status, is_cancelled, n, input_tokens, output_tokens } = count;
    let (wakes, failed) = match status.known()? {
        RunStatus::Completed => (n, 0),
        RunStatus::Failed | RunStatus::Abandoned if is_cancelled => (0, 0),
        RunStatus::Failed | RunStatus::Abandoned => (n, n),
        RunStatus::Queued | RunStatus::Started | RunStatus::Skipped => (0, 0),
    };
    let sum = Sum { wakes, failed, input_tokens, output_tokens, ..Sum::default() };
    (sum != Sum::default()).then_some(Counted {
        week: group.week,
        version: group.version,
        model: group.model,
        tool: None,
        sum,
    })
}

fn of_cost(count: CallCost) -> Option<Counted> {
    let CallCost { group, unit, calls: _, cost } = count;
    let sum = match unit.known()? {
        Unit::MicroDollars => Sum { cost, ..Sum::default() },
        // Tokens are counted with the runs.
        Unit::Tokens => return None,
    };
    let (week, version, model) = (group.week, group.version, group.model);
    Some(Counted { week, version, model, tool: None, sum })
}

fn of_items(count: ItemCount) -> Option<Counted> {
    let ItemCount { group, tool, state, is_by_rule, n } = count;
    let sum = Sum::default();
    let sum = match state.known()? {
        ItemStatus::Confirmed if is_by_rule => Sum { by_rule: n, ..sum },
        ItemStatus::Confirmed => Sum { confirmed: n, ..sum },
        ItemStatus::Rejected => Sum { rejected: n, ..sum },
        ItemStatus::Deferred => Sum { deferred: n, ..sum },
        ItemStatus::Expired => Sum { expired: n, ..sum },
        ItemStatus::Pending | ItemStatus::Applying | ItemStatus::Retracted => return None,
    };
    let (week, version, model) = (group.week, group.version, group.model);
    Some(Counted { week, version, model, tool: Some(tool), sum })
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.wakes += other.wakes;
        self.failed += other.failed;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cost += other.cost;
        self.confirmed += other.confirmed;
        self.rejected += other.rejected;
        self.deferred += other.deferred;
        self.expired += other.expired;
        self.by_rule += other.by_rule;
    }

    fn failures(&self) -> Share {
        Share { part: self.failed, of: self.wakes }
    }

    fn confirms(&self) -> Share {
        Share { part: self.confirmed, of: self.confirmed + self.rejected }
    }

    fn n_proposals(&self) -> i64 {
        self.confirmed + self.rejected + self.deferred + self.expired + self.by_rule
    }

    fn decisions(&self) -> DecisionCounts {
        DecisionCounts {
            confirmed: self.confirmed,
            rejected: self.rejected,
            deferred: self.deferred,
            expired: self.expired,
            by_rule: self.by_rule,
            confirm_rate: self.confirms().percent(),
        }
    }

    fn metrics(&self) -> Metrics {
        let tokens = self.input_tokens.saturating_add(self.output_tokens);
        Metrics {
            wakes: self.wakes,
            failed: self.failed,
            failure_rate: self.failures().percent(),
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            tokens_per_wake: per_wake(tokens, self.wakes),
            cost: self.cost,
            cost_per_wake: per_wake(self.cost, self.wakes),
            decisions: self.decisions(),
        }
    }
}

fn by<K: Ord>(counted: &[Counted], key: impl Fn(&Counted) -> Option<K>) -> BTreeMap<K, Sum> {
    let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
    for one in counted {
        if let Some(key) = key(one) {
            sums.entry(key).or_default().add(&one.sum);
        }
    }
    sums
}

/// Folds counts to metrics. `numbers` are those of the versions that are known.
fn folded(
    template: &TemplateId,
    mondays: &[Date],
    active: Option<i64>,
    numbers: &BTreeMap<TemplateVersionId, i64>,
    counted: &[Counted],
) -> TemplateMetrics {
    let number = |one: &Counted| one.version.as_ref().and_then(|id| numbers.get(id)).copied();
    let total = by(counted, |_| Some(())).remove(&()).unwrap_or_default();
    let versions = by(counted, |one| Some(number(one)));
    let mut models: Vec<_> = by(counted, |one| Some(one.model.clone())).into_iter().collect();
    models.sort_by_key(|(_, sum)| Reverse(sum.wakes));
    let mut tools: Vec<_> = by(counted, |one| one.tool.clone()).into_iter().collect();
    tools.sort_by_key(|(_, sum)| Reverse(sum.n_proposals()));
    let weeks = by(counted, |one| Some(one.week));
    let week = |(n, from): (usize, &Date)| WeekMetrics {
        from: *from,
        metrics: weeks.get(&n).cloned().unwrap_or_default().metrics(),
    };
    let comparison = active.and_then(|active| {
        let before = version_before(active, versions.keys().copied().flatten())?;
        let of = |n| versions.get(&Some(n)).cloned().unwrap_or_default();
        let tools_of = |n| by(counted, |one| one.tool.clone().filter(|_| number(one) == Some(n)));
        Some(compared(
            (active, &of(active), &tools_of(active)),
            (before, &of(before), &tools_of(before)),
        ))
    });
    TemplateMetrics {
        template_id: template.clone(),
        from: mondays.first().copied().unwrap_or_default(),
        total: total.metrics(),
        // `None` is the smallest, so it comes last.
        versions: versions
            .iter()
            .rev()
            .map(|(version, sum)| VersionMetrics { version: *version, metrics: sum.metrics() })
            .collect(),
        models: models
            .into_iter()
            .map(|(model, sum)| ModelMetrics { model, metrics: sum.metrics() })
            .collect(),
        tools: tools
            .into_iter()
            .map(|(tool, sum)| ToolMetrics { tool, decisions: sum.decisions() })
            .collect(),
        weeks: mondays.iter().enumerate().map(week).collect(),
        comparison,
    }
}

/// The version that the active one is compared with: the newest of the earlier ones that was followed. After
/// going back to the first one, it is the newest of all others.
fn version_before(active: i64, followed: impl Iterator<Item = i64> + Clone) -> Option<i64> {
    let earlier = followed.clone().filter(|n| *n < active).max();
    earlier.or_else(|| followed.filter(|n| *n != active).max())
}

type OfVersion<'a> = (i64, &'a Sum, &'a BTreeMap<String, Sum>);

fn compared(
    (version, now, tools): OfVersion<'_>,
    (before, then, tools_then): OfVersion<'_>,
) -> VersionComparison {
    let (metrics, metrics_then) = (now.metrics(), then.metrics());
    let confirmed = |now: &Sum, then: &Sum| shares(now.confirms(), then.confirms(), Good::High);
    let tool = |(tool, sum): (&String, &Sum)| {
        let then = tools_then.get(tool)?;
        let are_decided = sum.confirms().of > 0 && then.confirms().of > 0;
        are_decided.then(|| ToolChange { tool: tool.clone(), confirmed: confirmed(sum, then) })
    };
    VersionComparison {
        version,
        before,
        failures: shares(now.failures(), then.failures(), Good::Low),
        confirmed: confirmed(now, then),
        tokens: amounts(metrics.tokens_per_wake, metrics_then.tokens_per_wake, 1),
        cost: amounts(metrics.cost_per_wake, metrics_then.cost_per_wake, SMALLEST_COST),
        tools: tools.iter().filter_map(tool).collect(),
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::closed_list::Listed;
    use dormouse_types::template::MetricJudgement;
    use jiff::civil::date;

    use super::*;

    fn version(n: u8) -> TemplateVersionId {
        format!("av-0000000000000000000000000{n}").parse().expect("an id")
    }

    fn of(week: usize, n: Option<u8>, sum: Sum) -> Counted {
        Counted { week, version: n.map(version), model: Some("m".into()), tool: None, sum }
    }

    fn wakes(wakes: i64, failed: i64) -> Sum {
        Sum { wakes, failed, input_tokens: 90 * wakes, output_tokens: 10 * wakes, ..Sum::default() }
    }

    fn decided(confirmed: i64, rejected: i64) -> Sum {
        Sum { confirmed, rejected, ..Sum::default() }
    }

    fn titled(one: Counted) -> Counted {
        Counted { tool: Some("set_task_title".into()), ..one }
    }

    fn metrics(active: Option<i64>, counted: &[Counted]) -> TemplateMetrics {
        let template = stock::DEFAULT.id();
        let numbers = (1..=3).map(|n| (version(n), i64::from(n))).collect();
        let mondays = mondays(date(2026, 11, 29));
        folded(&template, &mondays, active, &numbers, counted)
    }

    #[test]
    fn weeks_begin_on_mondays_and_the_last_one_is_this_week() {
        let weeks = mondays(date(2026, 11, 29));
        assert_eq!(weeks.len(), template_metrics::MOST_WEEKS);
        assert_eq!((weeks[0], weeks[25]), (date(2026, 6, 1), date(2026, 11, 23)));
        assert_eq!(mondays(date(2026, 11, 30)).last(), Some(&date(2026, 11, 30)));
    }

    #[test]
    fn what_is_counted_is_folded_by_version_model_tool_and_week() {
        let all = [
            of(0, Some(2), wakes(30, 3)),
            of(25, Some(3), wakes(10, 0)),
            of(25, None, wakes(1, 1)),
            Counted { model: None, ..of(25, Some(9), wakes(2, 0)) },
            titled(of(25, Some(2), decided(15, 5))),
        ];
        let metrics = metrics(Some(3), &all);
        assert_eq!((metrics.total.wakes, metrics.total.failed), (43, 4));
        assert_eq!(metrics.total.failure_rate, Some(9));
        assert_eq!(metrics.total.tokens_per_wake, Some(100));
        assert_eq!(metrics.total.decisions.confirm_rate, Some(75));
        let versions: Vec<_> =
            metrics.versions.iter().map(|one| (one.version, one.metrics.wakes)).collect();
        // A version that has no row is one that is not known.
        assert_eq!(versions, [(Some(3), 10), (Some(2), 30), (None, 3)]);
        let models: Vec<_> = metrics.models.iter().map(|one| one.model.as_deref()).collect();
        assert_eq!(models, [Some("m"), None]);
        assert_eq!((metrics.tools.len(), metrics.tools[0].decisions.rejected), (1, 5));
        let weeks: Vec<_> = metrics.weeks.iter().map(|one| one.metrics.wakes).collect();
        assert_eq!((weeks[0], weeks[1], weeks[25]), (30, 0, 13));
    }

    #[test]
    fn the_active_version_is_compared_with_the_one_before() {
        let all = [
            of(0, Some(1), wakes(400, 0)),
            of(0, Some(2), wakes(40, 20)),
            titled(of(0, Some(2), decided(10, 30))),
            of(1, Some(3), wakes(40, 1)),
            titled(of(1, Some(3), decided(38, 2))),
        ];
        let comparison = metrics(Some(3), &all).comparison.expect("a comparison");
        assert_eq!((comparison.version, comparison.before), (3, 2));
        assert_eq!(comparison.failures.judgement, MetricJudgement::Better);
        assert_eq!(comparison.confirmed.judgement, MetricJudgement::Better);
        assert_eq!(comparison.tokens.judgement, MetricJudgement::Same);
        assert_eq!(comparison.cost.judgement, MetricJudgement::Same);
        assert_eq!(comparison.tools.len(), 1);
        assert_eq!(comparison.tools[0].confirmed.judgement, MetricJudgement::Better);
    }

    #[test]
    fn with_few_wakes_it_is_too_early_to_say() {
        let all = [of(0, Some(1), wakes(400, 0)), of(0, Some(2), wakes(19, 19))];
        let metrics = metrics(Some(2), &all);
        let comparison = metrics.comparison.expect("a comparison");
        let judgements =
            [&comparison.failures, &comparison.confirmed, &comparison.tokens, &comparison.cost]
                .map(|change| change.judgement);
        assert_eq!(judgements, [MetricJudgement::TooEarly; 4]);
        assert_eq!(metrics.versions[0].metrics.failure_rate, None);
    }

    #[test]
    fn there_is_nothing_to_compare_with_without_another_version() {
        let all = [of(0, Some(1), wakes(30, 0)), of(0, None, wakes(30, 0))];
        assert_eq!(metrics(Some(1), &all).comparison, None);
        assert_eq!(metrics(None, &all).comparison, None);
        assert_eq!(version_before(1, [1, 3, 2].into_iter()), Some(3));
        assert_eq!(version_before(3, [1, 5].into_iter()), Some(1));
    }

    #[test]
    fn what_was_not_carried_out_and_what_was_cancelled_is_no_wake() {
        let group = template_metrics::Group { week: 0, version: None, model: None };
        let count = |status: RunStatus, is_cancelled| RunCount {
            group: group.clone(),
            status: Listed::Known(status),
            is_cancelled,
            n: 1,
            input_tokens: 0,
            output_tokens: 0,
        };
        let of = |status, is_cancelled| {
            of_runs(count(status, is_cancelled)).map(|one| (one.sum.wakes, one.sum.failed))
        };
        assert_eq!(of(RunStatus::Completed, false), Some((1, 0)));
        assert_eq!(of(RunStatus::Failed, false), Some((1, 1)));
        assert_eq!(of(RunStatus::Abandoned, false), Some((1, 1)));
        assert_eq!(of(RunStatus::Failed, true), None);
        assert_eq!(of(RunStatus::Skipped, false), None);
        assert_eq!(of(RunStatus::Started, false), None);
    }
}
