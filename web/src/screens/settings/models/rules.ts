// The logic of models and budgets: pure functions.

import { compact, dollars, listAnd, t, valueText } from "../../../i18n/index.svelte";
import { daysLater } from "../../../ui/month";
import type { ApiFormat, KeptBackAgents, Model, ModelsView, Provider, ProviderQuestion, Question, Spending, UsageDay } from "./data";

type Spent = Spending["money"];

export const BUILT_IN = "builtin";

/** Units: micro-dollars per dollar. */
const MICRO = 1_000_000;

/** Units: micro-dollars, or tokens. The largest budget that the server takes. */
export const LARGEST_BUDGET = 1_000_000_000_000;

/** What a person typed, as a number; or why it is none. */
export type Typed = { value: number } | { fault: "notDollars" | "notTokens" | "tooLarge" };

/**
 * Dollars with up to four decimals, or six for a price, as micro-dollars. A comma is refused: it separates
 * decimals for some people and thousands for others.
 */
export function readDollars(text: string, decimals: 4 | 6 = 4): Typed {
  const match = /^\$?\s*(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (match === null || (match[2] ?? "").length > decimals) return { fault: "notDollars" };
  // Digits instead of a product: 0.0003 × 1,000,000 is no whole number.
  return checked(Number(match[1]) * MICRO + Number((match[2] ?? "").padEnd(6, "0")));
}

/** Tokens: "500000", "500k", "1.5M". */
export function readTokens(text: string): Typed {
  const match = /^(\d{1,15})(?:\.(\d{1,3}))?\s*([kKmM]?)$/.exec(text.trim());
  if (match === null) return { fault: "notTokens" };
  const [, whole, part = "", unit = ""] = match;
  if (part !== "" && unit === "") return { fault: "notTokens" };
  const zeros = { "": 0, k: 3, m: 6 }[unit.toLowerCase()] ?? 0;
  return checked(Number(whole) * 10 ** zeros + Number(part.padEnd(zeros, "0") || "0"));
}

const checked = (value: number): Typed => (value > LARGEST_BUDGET ? { fault: "tooLarge" } : { value });

/** Micro-dollars as the text of a field: at least two decimals, and all that it has. */
export function dollarsField(micro: number): string {
  const digits = String(micro).padStart(7, "0");
  const decimals = digits.slice(-6).replace(/0+$/, "").padEnd(2, "0");
  return `${digits.slice(0, -6)}.${decimals}`;
}

/** Tokens as the text of a field. */
export function tokensField(tokens: number): string {
  if (tokens !== 0 && tokens % 1_000_000 === 0) return `${tokens / 1_000_000}M`;
  if (tokens !== 0 && tokens % 1_000 === 0) return `${tokens / 1_000}k`;
  return String(tokens);
}

/** A cost in words. What is less than the last decimal shown is not rounded to nothing. */
export function money(micro: number): string {
  return micro > 0 && micro < 100 ? t("models.lessThan", { amount: dollars(0.0001) }) : dollars(micro / MICRO);
}

/** `provider/model` split at the first `/`; undefined for the built-in model. */
export function splitId(id: string): { provider: string; name: string } | undefined {
  const at = id.indexOf("/");
  return at < 0 ? undefined : { provider: id.slice(0, at), name: id.slice(at + 1) };
}

/** A model in words: "Built-in rules", "qwen3-8b (ollama)". */
export function modelName(id: string): string {
  const parts = splitId(id);
  if (parts !== undefined) return t("models.nameAt", parts);
  return id === BUILT_IN ? t("models.builtIn") : id;
}

/** How a model calls tools. */
export function workWords(model: Pick<Model, "id" | "toolMode" | "callsNothing">): string {
  if (model.id === BUILT_IN) return t("models.isHere");
  if (model.callsNothing) return t("models.callsNothing");
  return model.toolMode === null ? t("models.untested") : valueText("models.mode", model.toolMode);
}

/** Which tasks a provider may be sent. */
export function categoryWords(provider: Pick<Provider, "categories">): string {
  const only = provider.categories ?? null;
  if (only === null) return t("models.mayAll");
  const n = only.ids.length;
  if (n === 0) return t(only.uncategorised ? "models.mayUncategorised" : "models.mayNone");
  return t(only.uncategorised ? "models.maySomeAndUncategorised" : "models.maySome", { n });
}

/** How many agents a provider is sent nothing of, a sentence for each reason. */
export function keptBackFrom(kept: KeptBackAgents): string[] {
  const sentences = [];
  if (kept.private > 0) sentences.push(t("models.keptPrivate", { n: kept.private }));
  if (kept.category > 0) sentences.push(t("models.keptCategory", { n: kept.category }));
  return sentences;
}

/** What a model costs. */
export function priceWords(model: Pick<Model, "isFree" | "price">): string {
  if (model.isFree) return t("models.free");
  if (model.price === null) return t("models.noPrice");
  return t("models.price", { input: money(model.price.input), output: money(model.price.output) });
}

/** Where the price of a model comes from: a person, or the price table. */
export function sourceWords(model: Pick<Model, "priceSource">): string | undefined {
  const source = model.priceSource;
  if (source === null) return undefined;
  if (source.isSetByYou) return t("models.priceByYou", { day: source.on ?? "" });
  return t("models.priceListed", { day: source.on ?? "", source: source.source ?? "" });
}

/** What was spent today, of what may be. */
export function spentWords(spent: Spent): string {
  return t("models.spentOf", { used: money(spent.used), limit: money(spent.budget + spent.extra) });
}

/** Whether a budget of 0 holds wakes: as much again would be nothing. */
export function isHeldByZero({ money: dollars, tokens }: Spending): boolean {
  const held = dollars.heldSince !== null ? dollars : tokens;
  return held !== null && held.heldSince !== null && held.budget + held.extra === 0;
}

/** Why a budget holds wakes, with the amounts; undefined if it holds none. */
export function heldWords(spending: Spending): string | undefined {
  const { money: dollars, tokens } = spending;
  if (isHeldByZero(spending)) return t("models.heldByZero");
  if (dollars.heldSince !== null) {
    return t("models.heldMoney", { used: money(dollars.used), limit: money(dollars.budget + dollars.extra), call: money(dollars.nextCall ?? 0) });
  }
  if (tokens !== null && tokens.heldSince !== null) {
    return t("models.heldTokens", { used: compact(tokens.used), limit: compact(tokens.budget + tokens.extra), call: compact(tokens.nextCall ?? 0) });
  }
  return undefined;
}

/** The state of a provider's key. */
export function keyWords(provider: Pick<Provider, "key" | "keyVariable" | "keyLastFour">): string {
  const end = provider.keyLastFour ?? "";
  switch (provider.key) {
    case "none":
      return t("models.key.none");
    case "environment":
      return end === ""
        ? t("models.key.environment", { variable: provider.keyVariable ?? "" })
        : t("models.key.environmentEnd", { variable: provider.keyVariable ?? "", end });
    case "keyFile":
      return end === "" ? t("models.key.file") : t("models.key.fileEnd", { end });
  }
}

/** All providers, added and found, by name. */
export function providerOf(view: ModelsView, id: string): Provider | undefined {
  const name = splitId(id)?.provider;
  return [...view.providers, ...view.found].find((provider) => provider.name === name);
}

/** The models of an added provider that are in use, so that it cannot be removed. */
export function usedModels(view: ModelsView, provider: string): string[] {
  const isUsed = (model: Model): boolean => model.agents > 0 || model.id === view.model;
  return view.models.filter((model) => isUsed(model) && splitId(model.id)?.provider === provider).map((model) => model.id);
}

/** What a model of the workspace would cost, a sentence or two each. */
export function costWords(question: Question, view: ModelsView): string[] {
  const budget = money(question.budgetADay);
  if (question.id === BUILT_IN || providerOf(view, question.id)?.isOwn === true) return [t("models.costsNothing")];
  if (question.costADay === null) return [t("models.costUnknown", { tokens: compact(view.budgets.unpricedDay) })];
  if (isOnlySessions(question)) return [t("models.costOfSessions", { budget })];
  const wakes = Math.round(question.wakesADay * 10) / 10;
  const runs = Math.round(question.runsADay * 10) / 10;
  const estimate = t("models.costADay", { cost: money(question.costADay), n: wakes, budget });
  const source = sourceWords(question);
  const from = source === undefined ? undefined : `${source}.`;
  const work = question.agentWork === 0 ? undefined : t("models.costOfWork", { n: runs });
  return [estimate, work, from].filter((words) => words !== undefined);
}

/** Whether a model would only answer in sessions about templates. */
export function isOnlySessions({ uses }: Pick<Question, "uses">): boolean {
  return uses.length === 1 && uses[0] === "sessions";
}

/** What a provider in use would cost from now on. */
export function providerCostWords(question: ProviderQuestion, tokens: number): string {
  if (question.isFree) return t("models.costsNothing");
  if (question.costADay === null) return t("models.costUnknown", { tokens: compact(tokens) });
  const wakes = Math.round((question.wakesADay + question.runsADay) * 10) / 10;
  return t("models.costADay", { cost: money(question.costADay), n: wakes, budget: money(question.budgetADay) });
}

/** The budgets that have no room for the calls of the shortest run, a few sentences for each. */
export function tooSmallWords(call: Question["oneCall"], budgets: Question["tooSmall"]): string[] {
  if (call === null) return [];
  const amount = (value: number): string => (call.unit === "tokens" ? t("models.tokens", { n: value }) : money(value));
  return budgets.map(({ scope, budget, calls, cost, enough }) => t(`models.tooSmall.${scope}`, { n: calls, cost: amount(cost), budget: amount(budget), enough: amount(enough) }));
}

/** An address that can be compared with another one: without spaces around it, and without a slash at its end. */
function addressOf(address: string): { origin: string; path: string } | undefined {
  const text = address.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || url.host === "" ? undefined : { origin: url.origin, path: url.pathname.replace(/\/+$/, "") };
}

/** The formats of companies whose names stand in the path of an address: below it models are offered in that format. */
const NAMED_FORMATS: Readonly<Record<string, ApiFormat>> = { openai: "chatCompletions", anthropic: "anthropic" };

/**
 * The format that an address says: that of a known provider at its own address or its bare host, else the one that the
 * path names, else that of the known provider on the same host. `At` in `crates/cli/src/command/models/add.rs` decides
 * the same.
 */
export function formatAt(known: readonly { baseUrl: string; format: ApiFormat }[], address: string): ApiFormat | undefined {
  const at = addressOf(address);
  if (at === undefined) return undefined;
  const there = known.find((one) => addressOf(one.baseUrl)?.origin === at.origin);
  if (there !== undefined && (at.path === "" || at.path === addressOf(there.baseUrl)?.path)) return there.format;
  const named = at.path.split("/").map((part) => NAMED_FORMATS[part.toLowerCase()]);
  return named.find((format) => format !== undefined) ?? there?.format;
}

/** The known providers that can be added: none of their names is taken. */
export function addable<Known extends { name: string }>(known: readonly Known[], taken: readonly string[]): Known[] {
  return known.filter(({ name }) => !taken.includes(name));
}

/** Whether a model can be taken off the list: it was only tested, or nobody uses it any more. */
export function isForgettable(view: Pick<ModelsView, "model" | "summarising">, model: Pick<Model, "id" | "agents">): boolean {
  return model.id !== BUILT_IN && model.id !== view.model && model.id !== view.summarising && model.agents === 0;
}

/** The agents that would no longer wake by themselves, by name. */
export function offNames(question: Pick<Question, "automationsOff" | "automationsOffNames">): string {
  const names = question.automationsOffNames;
  const more = question.automationsOff - names.length;
  return listAnd(more > 0 ? [...names, t("models.offMore", { n: more })] : names);
}

/** The use of all models on a day. Units: micro-dollars, and tokens of models without a price. */
export interface Day {
  day: string;
  cost: number;
  unpriced: number;
  calls: number;
}

/**
 * The use per day, oldest first, with the days on which there was none. The last day is today by the
 * workspace's clock, or the day of the last row where it is later because the time zone was changed.
 */
export function perDay(rows: readonly UsageDay[], today: string, days: number): Day[] {
  const last = rows.reduce((day, row) => (row.day > day ? row.day : day), today);
  const all = Array.from({ length: days }, (_, n) => ({ day: daysLater(last, n + 1 - days), cost: 0, unpriced: 0, calls: 0 }));
  for (const row of rows) {
    const day = all.find((one) => one.day === row.day);
    if (day === undefined) continue;
    day.calls += row.calls;
    if (row.unit === "tokens") day.unpriced += row.cost;
    else day.cost += row.cost;
  }
  return all;
}

/** The part of the input that caches served, between 0 and 1; undefined if there was no input. */
export function cachedShare(rows: readonly UsageDay[]): number | undefined {
  const input = rows.reduce((sum, row) => sum + row.inputTokens, 0);
  const cached = rows.reduce((sum, row) => sum + row.cachedInputTokens, 0);
  return input === 0 ? undefined : Math.min(1, cached / input);
}

/**
 * What the full height of the plot means. Units: micro-dollars. The budget is part of it unless that
 * would make the bars too small to compare.
 */
export function plotScale(days: readonly Day[], budget: number): { top: number; hasBudget: boolean } {
  const peak = Math.max(0, ...days.map((day) => day.cost));
  const hasBudget = peak > 0 && budget > 0 && budget <= 4 * peak;
  return { top: Math.max(1, peak, hasBudget ? budget : 0), hasBudget };
}

/** What is wrong with the name of a new provider. */
export function nameFault(name: string, taken: readonly string[]): "models.badName" | "models.nameTaken" | undefined {
  if (!/^[\p{L}\p{N}.-]+$/u.test(name)) return "models.badName";
  return taken.includes(name) ? "models.nameTaken" : undefined;
}

/** What is wrong with the address of a provider. The server checks the rest. */
export function addressFault(address: string): "models.badAddress" | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && ["http:", "https:"].includes(url.protocol) ? undefined : "models.badAddress";
}

/** The listed models whose names contain what was typed. */
export function matching<T extends { name: string }>(offered: readonly T[], typed: string): T[] {
  const wanted = typed.trim().toLowerCase();
  // A name typed in full or chosen doesn't hide the others.
  if (offered.some((model) => model.name.toLowerCase() === wanted)) return [...offered];
  return offered.filter((model) => model.name.toLowerCase().includes(wanted));
}
