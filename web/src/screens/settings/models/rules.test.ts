import { describe, expect, it } from "vitest";

import type { Model, ModelsView, Provider, Question, UsageDay } from "./data";
import { addable, categoryWords, keptBackFrom, addressFault, cachedShare, costWords, dollarsField, heldWords, isForgettable, isHeldByZero, keyWords, formatAt, LARGEST_BUDGET, matching, modelName, money, nameFault, perDay, plotScale, priceWords, providerOf, readDollars, readTokens, sourceWords, spentWords, splitId, tokensField, tooSmallWords, usedModels, workWords } from "./rules";

const model = (parts: Partial<Model>): Model => ({ id: "house/qwen", toolMode: null, whyNotNative: null, callsNothing: false, window: null, windowSource: null, foldsAt: null, keeps: null, price: null, priceSource: null, isFree: false, agents: 0, problem: null, ...parts });
const provider = (parts: Partial<Provider>): Provider => ({ name: "house", format: "chatCompletions", baseUrl: "http://127.0.0.1:9/v1", isOwn: true, key: "none", keyVariable: null, keyLastFour: null, categories: null, keptBack: { private: 0, category: 0 }, ...parts });
const settings = (parts: Partial<ModelsView> = {}): ModelsView => ({
  model: "builtin",
  chosenBy: "nobody",
  summarising: null,
  models: [model({ id: "builtin", isFree: true })],
  providers: [],
  found: [],
  known: [],
  paidCalls: true,
  problems: [],
  budgets: { workspaceDay: 3_000_000, agentDay: 500_000, wake: 100_000, unpricedDay: 500_000 },
  ...parts,
});

describe("dollars", () => {
  it.each([
    ["3", 3_000_000],
    ["$ 0.50", 500_000],
    [" 0.0003 ", 300],
    ["0", 0],
    ["1000000", LARGEST_BUDGET],
  ])("%s is %d micro-dollars", (text, value) => {
    expect(readDollars(text)).toEqual({ value });
  });

  it.each(["", "$", "1,000", "0,50", "-1", "1.", ".5", "0.00001", "3 dollars", "1e3", "NaN"])("%j is refused", (text) => {
    expect(readDollars(text)).toEqual({ fault: "notDollars" });
  });

  it("of a price have six decimals", () => {
    expect(readDollars("0.000001", 6)).toEqual({ value: 1 });
    expect(readDollars("0.0000001", 6)).toEqual({ fault: "notDollars" });
  });

  it("end where the server's do", () => {
    expect(readDollars("1000000.0001")).toEqual({ fault: "tooLarge" });
    expect(readDollars("999999999999999")).toEqual({ fault: "tooLarge" });
  });

  it("come back from the text of a field, whatever the amount", () => {
    for (const micro of [0, 100, 300, 99_900, 100_000, 500_000, 3_000_000, 12_345_600, 999_999_999_900]) {
      expect(readDollars(dollarsField(micro))).toEqual({ value: micro });
    }
  });

  it("are shown with all their decimals in a field", () => {
    expect([3_000_000, 500_000, 600, 1].map(dollarsField)).toEqual(["3.00", "0.50", "0.0006", "0.000001"]);
  });

  it("are never rounded to nothing", () => {
    expect([0, 1, 600, 3_000_000].map(money)).toEqual(["$0.00", "less than $0.0001", "$0.0006", "$3.00"]);
  });
});

describe("tokens", () => {
  it.each([
    ["500000", 500_000],
    ["500k", 500_000],
    ["1.5 M", 1_500_000],
    ["0.25k", 250],
    ["0", 0],
  ])("%s is %d", (text, value) => {
    expect(readTokens(text)).toEqual({ value });
  });

  it.each(["", "k", "1.5", "-1", "500,000", "5kk", "1.2345M"])("%j is refused", (text) => {
    expect(readTokens(text)).toEqual({ fault: "notTokens" });
  });

  it("end where the server's do, and come back from the text of a field", () => {
    expect(readTokens("1000001M")).toEqual({ fault: "tooLarge" });
    for (const tokens of [0, 1, 999, 1_000, 500_000, 2_000_000, 1_234_567]) {
      expect(readTokens(tokensField(tokens))).toEqual({ value: tokens });
    }
  });
});

describe("a model", () => {
  it("is split at the first slash", () => {
    expect(splitId("openrouter/meta/llama-3")).toEqual({ provider: "openrouter", name: "meta/llama-3" });
    expect(splitId("builtin")).toBeUndefined();
  });

  it("has a name in words", () => {
    expect(modelName("builtin")).toBe("Built-in rules");
    expect(modelName("ollama/qwen3:8b")).toBe("qwen3:8b (ollama)");
  });

  it("says how it works", () => {
    expect(workWords(model({ id: "builtin" }))).toBe("Runs on this machine, nothing leaves it");
    expect(([null, "native", "schema", "text"] as const).map((toolMode) => workWords(model({ toolMode })))).toEqual([
      "Not tested yet: its first wake does that",
      "Calls tools itself",
      "Fills in a form",
      "Writes calls as text",
    ]);
    expect(workWords(model({ callsNothing: true }))).toBe("Tried: calls no tool");
  });

  it("says what it costs", () => {
    expect(priceWords(model({ isFree: true }))).toBe("free");
    expect(priceWords(model({}))).toBe("no known price");
    expect(priceWords(model({ price: { input: 3_000_000, output: 15_000_000, cachedInput: 0, cacheWrite: 0 } }))).toBe("$3.00 in, $15.00 out per million tokens");
  });

  it("says where its price comes from", () => {
    expect(sourceWords(model({}))).toBeUndefined();
    expect(sourceWords(model({ priceSource: { isSetByYou: true, on: "2026-03-02", source: null } }))).toBe("Set by you on 2026-03-02");
    expect(sourceWords(model({ priceSource: { isSetByYou: false, on: "2026-01-01", source: "https://prices.example" } }))).toBe("Price of 2026-01-01 from https://prices.example");
  });

  it("belongs to the provider of its name, added or found", () => {
    const view = settings({ providers: [provider({})], found: [provider({ name: "anthropic" })] });
    expect(providerOf(view, "house/qwen")?.name).toBe("house");
    expect(providerOf(view, "anthropic/sonnet")?.name).toBe("anthropic");
    expect(providerOf(view, "house2/qwen")).toBeUndefined();
  });
});

it("says where a key comes from, and only its end", () => {
  expect(keyWords(provider({}))).toBe("No key");
  expect(keyWords(provider({ key: "environment", keyVariable: "OPENAI_API_KEY", keyLastFour: "9xQz" }))).toBe("Key from OPENAI_API_KEY, ending in 9xQz");
  expect(keyWords(provider({ key: "keyFile", keyLastFour: null }))).toBe("Key kept on this machine");
});

it("knows which models of a provider are in use", () => {
  const view = settings({ model: "house/a", models: [model({ id: "house/a" }), model({ id: "house/b", agents: 2 }), model({ id: "house/c" }), model({ id: "other/d", agents: 1 })] });
  expect(usedModels(view, "house")).toEqual(["house/a", "house/b"]);
  expect(usedModels(view, "hous")).toEqual([]);
});

it("says what the workspace's model would cost", () => {
  const question: Question = { id: "cloud/big", sentTo: "https://example.org", uses: ["wakes"], sent: [], neverSent: [], categories: null, keptBack: { private: 0, category: 0 }, agents: 1, agentWork: 0, agentsThatStay: 0, automationsOff: 0, automationsOffNames: [], wakesADay: 26.04, runsADay: 0, costADay: 420_000, priceSource: null, budgetADay: 3_000_000, oneCall: { unit: "microDollars", value: 106_500 }, tooSmall: [], missesKey: false, isAgreed: false };
  const view = settings({ providers: [provider({}), provider({ name: "cloud", isOwn: false })] });
  const estimate = "An estimate: about $0.42 a day, with 26 wakes a day in the last week, each taken as 6,000 tokens sent and 1,000 received. Never more than your budget of $3.00.";
  expect(costWords(question, view)).toEqual([estimate]);
  const priceSource = { isSetByYou: false, on: "2026-01-01", source: "https://prices.example" };
  expect(costWords({ ...question, priceSource }, view)).toEqual([estimate, "Price of 2026-01-01 from https://prices.example."]);
  expect(costWords({ ...question, agentWork: 2, runsADay: 1.26 }, view)).toEqual([estimate, "It includes 1.3 runs of agent work a day."]);
  expect(costWords({ ...question, uses: ["sessions"] }, view)).toEqual(["Calls each time that you say something in a session. Never more than your budget of $3.00 a day."]);
  expect(costWords({ ...question, costADay: null }, view)).toEqual(["Its price is unknown. Calls are counted in tokens, at most 500k a day."]);
  expect(costWords({ ...question, id: "house/qwen", costADay: null }, view)).toEqual(["Nothing."]);
  expect(costWords({ ...question, id: "builtin", costADay: null }, view)).toEqual(["Nothing."]);
  expect(tooSmallWords(question.oneCall, [{ scope: "wake", budget: 100_000, calls: 1, cost: 106_500, enough: 220_000 }])).toEqual(["One call may cost up to $0.1065, more than the $0.10 that one wake may spend. Its wakes would fail. A budget of $0.22 is enough."]);
  expect(tooSmallWords(question.oneCall, [{ scope: "wake", budget: 150_000, calls: 2, cost: 219_000, enough: 220_000 }])).toEqual(["A wake takes at least 2 calls, which may cost up to $0.219 together, more than the $0.15 that one wake may spend. Its wakes may fail. A budget of $0.22 is enough."]);
  expect(tooSmallWords({ unit: "tokens", value: 8_000 }, [{ scope: "workspace", budget: 500, calls: 1, cost: 8_000, enough: 8_000 }])).toEqual(["One call may cost up to 8,000 tokens, more than the 500 tokens that may be spent a day. Its wakes would wait. A budget of 8,000 tokens is enough."]);
  expect(tooSmallWords(null, [])).toEqual([]);
});

it("offers the known providers and finds one by its address", () => {
  const known = [{ name: "openai", baseUrl: "https://api.openai.com/v1" }, { name: "anthropic", baseUrl: "https://api.anthropic.com/v1" }];
  expect(addable(known, ["openai"]).map(({ name }) => name)).toEqual(["anthropic"]);
});

it("takes the format from a known address, and below it from the path", () => {
  const known = [
    { baseUrl: "https://api.openai.com/v1", format: "responses" as const },
    { baseUrl: "https://generativelanguage.googleapis.com/v1beta", format: "gemini" as const },
    { baseUrl: "https://api.groq.com/openai/v1", format: "chatCompletions" as const },
  ];
  const cases: [string, string | undefined][] = [
    [" https://API.openai.com:443 ", "responses"],
    ["https://api.openai.com/v1/", "responses"],
    ["https://api.openai.com/v2", "responses"],
    ["https://generativelanguage.googleapis.com/v1beta/openai/", "chatCompletions"],
    ["https://api.groq.com/v1", "chatCompletions"],
    ["https://gateway.example/v1/anthropic", "anthropic"],
  ];
  for (const [address, format] of cases) expect(formatAt(known, address), address).toBe(format);
  for (const other of ["", "https://", "http://api.openai.com/v1", "https://openai.com", "api.openai.com"]) expect(formatAt(known, other)).toBeUndefined();
});

it("takes a model off the list only if nobody uses it", () => {
  const view = settings({ model: "house/a", summarising: "house/b" });
  expect(isForgettable(view, model({ id: "house/c" }))).toBe(true);
  expect(isForgettable(view, model({ id: "house/c", agents: 1 }))).toBe(false);
  for (const id of ["house/a", "house/b", "builtin"]) expect(isForgettable(view, model({ id }))).toBe(false);
});

describe("a new provider", () => {
  it("needs a name of its own", () => {
    expect(["", "a b", "a/b"].map((name) => nameFault(name, []))).toEqual(["models.badName", "models.badName", "models.badName"]);
    expect(nameFault("house", ["house"])).toBe("models.nameTaken");
    expect(nameFault("llama.cpp-2", ["house"])).toBeUndefined();
  });

  it("needs an address of the web", () => {
    expect(["", "localhost:11434/v1", "ftp://x", "javascript:alert(1)"].map(addressFault)).toEqual(Array(4).fill("models.badAddress"));
    expect(addressFault("http://127.0.0.1:9/v1")).toBeUndefined();
  });
});

it("narrows the listed models, but not by a name that is complete", () => {
  const offered = [{ name: "qwen3" }, { name: "qwen3-8b" }, { name: "llama" }];
  expect(matching(offered, "8B").map((one) => one.name)).toEqual(["qwen3-8b"]);
  expect(matching(offered, "qwen3")).toEqual(offered);
  expect(matching(offered, " ")).toEqual(offered);
});

describe("the use per day", () => {
  const row = (parts: Partial<UsageDay>): UsageDay => ({ day: "2026-03-01", model: "cloud/big", calls: 1, cost: 100, unit: "microDollars", inputTokens: 10, cachedInputTokens: 5, outputTokens: 1, ...parts });

  it("adds models up, and has the days without calls", () => {
    const rows = [row({}), row({ model: "cloud/small", cost: 50 }), row({ cost: 700, unit: "tokens" }), row({ day: "2026-02-27" })];
    expect(perDay(rows, "2026-03-01", 3)).toEqual([
      { day: "2026-02-27", cost: 100, unpriced: 0, calls: 1 },
      { day: "2026-02-28", cost: 0, unpriced: 0, calls: 0 },
      { day: "2026-03-01", cost: 150, unpriced: 700, calls: 3 },
    ]);
  });

  it("ends on the workspace's day where that is ahead of the browser's", () => {
    expect(perDay([row({})], "2026-02-28", 2).map((one) => one.day)).toEqual(["2026-02-28", "2026-03-01"]);
  });

  it("shows the budget only where bars stay readable", () => {
    const days = perDay([row({ cost: 1_000_000 })], "2026-03-01", 2);
    expect(plotScale(days, 3_000_000)).toEqual({ top: 3_000_000, hasBudget: true });
    expect(plotScale(days, 500_000)).toEqual({ top: 1_000_000, hasBudget: true });
    expect(plotScale(days, 5_000_000)).toEqual({ top: 1_000_000, hasBudget: false });
    expect(plotScale(perDay([], "2026-03-01", 2), 3_000_000)).toEqual({ top: 1, hasBudget: false });
  });

  it("knows the share that caches served", () => {
    expect(cachedShare([row({}), row({ cachedInputTokens: 0 })])).toBe(0.25);
    expect(cachedShare([])).toBeUndefined();
  });
});

describe("what was spent today", () => {
  const spent = { used: 2_900_000, budget: 3_000_000, extra: 0, heldSince: null, nextCall: null };

  it("is shown of what may be spent, with what was allowed beyond the budget", () => {
    expect(spentWords(spent)).toBe("$2.90 of $3.00");
    expect(spentWords({ ...spent, extra: 3_000_000 })).toBe("$2.90 of $6.00");
  });

  it("holds wakes if there is no room, and says with which amounts", () => {
    const held = { heldSince: "2026-03-02T09:00:00Z" };
    expect(heldWords({ day: "2026-03-02", money: spent, tokens: null })).toBeUndefined();
    const zero = { day: "2026-03-02", money: { ...spent, ...held, budget: 0, extra: 0 }, tokens: null };
    expect([heldWords(zero), isHeldByZero(zero)]).toEqual(["The budget is 0, which allows no call. Raise it to let paid wakes begin.", true]);
    expect(heldWords({ day: "2026-03-02", money: { ...spent, ...held, nextCall: 200_000 }, tokens: null })).toContain("$2.90 of $3.00 is used, and the call may cost $0.20");
    expect(heldWords({ day: "2026-03-02", money: spent, tokens: { ...spent, ...held, used: 490_000, budget: 500_000, nextCall: 20_000 } })).toContain("490k of 500k tokens");
  });
});

it("says which tasks a provider may be sent, and whom that keeps back", () => {
  const words = (ids: string[], uncategorised: boolean): string => categoryWords({ categories: { ids, uncategorised } });
  expect(categoryWords({ categories: null })).toBe("May be sent tasks of all categories");
  expect([words([], false), words([], true)]).toEqual(["May be sent no tasks", "May be sent only tasks without a category"]);
  expect([words(["a"], false), words(["a", "b"], true)]).toEqual(["May be sent only tasks of 1 category", "May be sent only tasks of 2 categories, and those without one"]);
  expect(keptBackFrom({ private: 0, category: 0 })).toEqual([]);
  expect(keptBackFrom({ private: 1, category: 2 })).toEqual(["Not sent: the task of 1 agent, because it is private.", "Not sent: the tasks of 2 agents, because of their categories."]);
});
