// The logic of metrics: pure functions.

import { compact, number, percent, t, valueText } from "../../i18n/index.svelte";
import type { Bar } from "../../ui/BarPlot.svelte";
import { modelName, money } from "../settings/models/rules";
import { toolName } from "../rules/rules";
import type { DecisionCounts, MetricChange, Metrics, TemplateMetrics, WeekMetrics } from "./data";

export const rateWords = (rate: number | null): string => (rate === null ? t("templates.metricsTooEarly") : percent(rate / 100));

/** How many were confirmed of how many that were decided; nothing if none was. */
export function confirmedWords({ confirmed, rejected }: Pick<DecisionCounts, "confirmed" | "rejected">): string {
  return confirmed + rejected === 0 ? "" : t("templates.metricsOf", { part: number(confirmed), all: number(confirmed + rejected) });
}

export const tokensOf = ({ inputTokens, outputTokens }: Pick<Metrics, "inputTokens" | "outputTokens">): number => inputTokens + outputTokens;

/** The confirm rate of a row: nothing where nothing was decided. */
export const confirmRate = (decisions: DecisionCounts): string => (decisions.confirmed + decisions.rejected === 0 ? "" : rateWords(decisions.confirmRate));

export const versionWords = (version: number | null): string => (version === null ? t("templates.metricsUnknownVersion") : t("templates.version", { version }));

export const modelWords = (model: string | null): string => (model === null ? t("templates.metricsUnknownModel") : modelName(model));

/** A figure of both versions, in words. */
export interface Compared {
  key: string;
  label: string;
  now: string;
  before: string;
  judgement: string;
  tone: "accent" | "caution" | "";
}

export function comparedRows(comparison: NonNullable<TemplateMetrics["comparison"]>): Compared[] {
  const rate = (value: number): string => percent(value / 100);
  const row = (key: string, label: string, { now, before, judgement }: MetricChange, words: (value: number) => string): Compared => ({
    key,
    label,
    now: now === null ? "" : words(now),
    before: before === null ? "" : words(before),
    judgement: valueText("templates.metricsJudged", judgement),
    tone: judgement === "better" ? "accent" : judgement === "worse" ? "caution" : "",
  });
  return [
    row("confirmed", t("templates.metricsRate"), comparison.confirmed, rate),
    row("failures", t("templates.metricsFailureRate"), comparison.failures, rate),
    row("cost", t("templates.metricsCostEach"), comparison.cost, money),
    row("tokens", t("templates.metricsTokensEach"), comparison.tokens, compact),
    ...comparison.tools.map(({ tool, confirmed }) => row(`tool ${tool}`, t("templates.metricsOfTool", { tool: toolName(tool) }), confirmed, rate)),
  ];
}

export function decidedBars(weeks: readonly WeekMetrics[], dayText: (iso: string) => string): Bar[] {
  return weeks.map(({ from, metrics: { decisions } }) => ({
    key: from,
    title: t("templates.metricsWeekDecided", { day: dayText(from), confirmed: number(decisions.confirmed), rejected: number(decisions.rejected) }),
    parts: [
      { value: decisions.confirmed, tone: "accent" },
      { value: decisions.rejected, tone: "stone" },
    ],
  }));
}

export function wokeBars(weeks: readonly WeekMetrics[], dayText: (iso: string) => string): Bar[] {
  return weeks.map(({ from, metrics: { wakes, failed } }) => ({
    key: from,
    title: t("templates.metricsWeekWoke", { day: dayText(from), wakes: number(wakes), failed: number(failed) }),
    parts: [
      { value: wakes - failed, tone: "quiet" },
      { value: failed, tone: "danger" },
    ],
  }));
}

/** The height of the highest bar. */
export const topOf = (bars: readonly Bar[]): number => Math.max(1, ...bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0)));
