//! How a template does, as `dormouse template show` prints it.

use dormouse::view::{DecisionCounts, MetricChange, Metrics, TemplateMetrics, VersionComparison};
use dormouse_types::spend::dollars;
use dormouse_types::template::MetricJudgement;

use crate::session::Session;
use crate::terminal::table::{Fit, Table};

pub(super) fn show(session: &mut Session, metrics: &TemplateMetrics) {
    let (style, width) = (session.screen.style(), session.screen.width());
    session.screen.say("");
    session.screen.say(style.bold(&format!("Metrics since {}", metrics.from)));
    if metrics.versions.is_empty() {
        session.screen.say("No wakes yet.");
        return;
    }
    session.screen.say(figures(metrics).render(width, style));
    session
        .screen
        .say(style.dim("A rate needs 20 wakes or decisions: below that it is too early."));
    if let Some(comparison) = &metrics.comparison {
        let VersionComparison { version, before, .. } = comparison;
        session.screen.say("");
        session.screen.say(style.bold(&format!("Version {version} beside version {before}")));
        session.screen.say(compared(comparison).render(width, style));
    }
}

fn figures(metrics: &TemplateMetrics) -> Table {
    let mut table = Table::new([
        ("", Fit::Cut),
        ("wakes", Fit::Whole),
        ("failed", Fit::Whole),
        ("cost", Fit::Whole),
        ("tokens", Fit::Drop(1)),
        ("confirmed", Fit::Whole),
        ("put off", Fit::Drop(3)),
        ("expired", Fit::Drop(2)),
    ]);
    let mut row = |name: String, of: &Metrics| {
        let tokens = of.input_tokens.saturating_add(of.output_tokens);
        table.row([
            name,
            of.wakes.to_string(),
            of.failed.to_string(),
            dollars(of.cost),
            tokens.to_string(),
            confirmed(&of.decisions),
            of.decisions.deferred.to_string(),
            of.decisions.expired.to_string(),
        ]);
    };
    row("all".to_owned(), &metrics.total);
    for one in &metrics.versions {
        let name = one.version.map_or_else(|| "unknown version".into(), |n| format!("version {n}"));
        row(name, &one.metrics);
    }
    for one in &metrics.models {
        row(one.model.clone().unwrap_or_else(|| "unknown model".to_owned()), &one.metrics);
    }
    for one in &metrics.tools {
        let DecisionCounts { deferred, expired, .. } = one.decisions;
        let [wakes, failed, cost, tokens] = [const { String::new() }; 4];
        table.row([
            one.tool.clone(),
            wakes,
            failed,
            cost,
            tokens,
            confirmed(&one.decisions),
            deferred.to_string(),
            expired.to_string(),
        ]);
    }
    table
}

/// How many proposals were confirmed of how many that were decided, with the rate if there is one.
fn confirmed(decisions: &DecisionCounts) -> String {
    let DecisionCounts { confirmed, rejected, confirm_rate, .. } = decisions;
    match (confirmed + rejected, confirm_rate) {
        (0, _) => String::new(),
        (decided, None) => format!("{confirmed} of {decided}"),
        (decided, Some(rate)) => format!("{confirmed} of {decided} ({rate}%)"),
    }
}

fn compared(comparison: &VersionComparison) -> Table {
    let mut table =
        Table::new([("", Fit::Cut), ("now", Fit::Whole), ("before", Fit::Whole), ("", Fit::Whole)]);
    let percent = |share: i64| format!("{share}%");
    let mut row = |name: &str, change: &MetricChange, words: fn(i64) -> String| {
        let figure = |figure: Option<i64>| figure.map(words).unwrap_or_default();
        let judgement = judgement_words(change.judgement).to_owned();
        table.row([name.to_owned(), figure(change.now), figure(change.before), judgement]);
    };
    row("confirmed", &comparison.confirmed, percent);
    row("failed wakes", &comparison.failures, percent);
    row("cost per wake", &comparison.cost, dollars);
    row("tokens per wake", &comparison.tokens, |tokens| tokens.to_string());
    for one in &comparison.tools {
        row(&one.tool, &one.confirmed, percent);
    }
    table
}

fn judgement_words(judgement: MetricJudgement) -> &'static str {
    match judgement {
        MetricJudgement::TooEarly => "too early to say",
        MetricJudgement::Same => "about the same",
        MetricJudgement::Better => "better",
        MetricJudgement::Worse => "worse",
    }
}

#[cfg(test)]
mod tests {
    use dormouse::view::{ModelMetrics, ToolChange, ToolMetrics, VersionMetrics};
    use dormouse_types::TemplateId;

    use super::*;
    use crate::terminal::style::Style;

    fn decisions(confirmed: i64, rejected: i64, confirm_rate: Option<i64>) -> DecisionCounts {
        DecisionCounts { confirmed, rejected, deferred: 2, expired: 11, by_rule: 0, confirm_rate }
    }

    fn metrics(wakes: i64) -> Metrics {
        Metrics {
            wakes,
            failed: 3,
            input_tokens: 1_200_000,
            output_tokens: 34_567,
            cost: 1_234_000,
            decisions: decisions(34, 6, Some(85)),
            ..Metrics::default()
        }
    }

    #[test]
    fn the_table_fits_eighty_columns_and_keeps_the_rates() {
        let template: TemplateId = "at-0000000000000000000000calm".parse().expect("an id");
        let metrics = TemplateMetrics {
            template_id: template,
            from: jiff::civil::date(2026, 6, 1),
            total: metrics(1124),
            versions: vec![
                VersionMetrics { version: Some(12), metrics: metrics(1100) },
                VersionMetrics { version: None, metrics: metrics(24) },
            ],
            models: vec![ModelMetrics {
                model: Some("somewhere/a-model-with-a-long-name-20261130".into()),
                metrics: metrics(1124),
            }],
            tools: vec![ToolMetrics {
                tool: "update_task_due_date".into(),
                decisions: decisions(3, 2, None),
            }],
            weeks: Vec::new(),
            comparison: None,
        };
        let table = figures(&metrics).render(80, Style::new(false));
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        assert!(table.contains("34 of 40 (85%)") && table.contains("3 of 5"), "{table}");
        assert!(table.contains("unknown version") && table.contains("update_task_due_date"));
    }

    #[test]
    fn the_comparison_says_when_it_is_too_early() {
        let change = |now, before, judgement| MetricChange { now, before, judgement };
        let comparison = VersionComparison {
            version: 3,
            before: 2,
            failures: change(Some(2), Some(3), MetricJudgement::Same),
            confirmed: change(Some(85), Some(40), MetricJudgement::Better),
            tokens: change(Some(900), Some(800), MetricJudgement::Worse),
            cost: change(None, Some(10_000), MetricJudgement::TooEarly),
            tools: vec![ToolChange {
                tool: "set_task_title".into(),
                confirmed: change(None, None, MetricJudgement::TooEarly),
            }],
        };
        let table = compared(&comparison).render_rows(80);
        let rows: Vec<Vec<&str>> =
            table.lines().map(|line| line.split("  ").map(str::trim).collect()).collect();
        let cells = |row: &[&str]| -> Vec<String> {
            row.iter().filter(|cell| !cell.is_empty()).map(|cell| (*cell).to_owned()).collect()
        };
        let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
        assert_eq!(rows[0], ["confirmed", "85%", "40%", "better"]);
        assert_eq!(rows[1], ["failed wakes", "2%", "3%", "about the same"]);
        assert_eq!(rows[2], ["cost per wake", "$0.01", "too early to say"]);
        assert_eq!(rows[4], ["set_task_title", "too early to say"]);
    }
}
