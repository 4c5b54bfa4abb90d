// The queries of models, budgets and usage, and the requests that change them.

import { api, unwrap, within, type Schemas } from "../../../api/client";
import { isOneOf } from "../../../live/queries";
import type { EventKind } from "../../../live/socket";
import { live, type Query } from "../../../live/store.svelte";

export type ModelsView = Schemas["ModelsView"];
export type Model = Schemas["ModelView"];
export type Provider = Schemas["ProviderView"];
export type ApiFormat = Schemas["ApiFormat"];
export type Budgets = Schemas["Budgets"];
export type Offered = Schemas["OfferedModelView"];
export type Question = Schemas["ModelQuestion"];
export type ProviderQuestion = Schemas["ProviderQuestion"];
export type Test = Schemas["ModelTestView"];
export type UsageDay = Schemas["UsageDay"];
export type Price = Schemas["Price"];
export type Spending = Schemas["Spending"];
export type FoundServer = Schemas["FoundServer"];
export type Purpose = Schemas["Purpose"];
export type KeptBackAgents = Schemas["KeptBackAgents"];

/** Who gets the model, if it is not for the workspace. */
export interface Chooser {
  kind: "agent" | "template";
  id: string;
  /** Its name. */
  name: string;
  /** The model that it has now, in words. */
  now: string;
}

export const FORMATS: readonly ApiFormat[] = ["chatCompletions", "responses", "anthropic", "gemini"];

/** Units: milliseconds. The server waits 30 s for a list of models. */
const LISTING_MS = 40_000;

/** Units: milliseconds. The server waits up to eight minutes for the first word of an own server. */
const TEST_MS = 540_000;

/** Units: milliseconds. The server waits two seconds for each address. */
const LOOKING_MS = 30_000;

/** What moves the number of agents per model. */
const AGENT_EVENTS: EventKind[] = ["agent:created", "agent:changed"];

export const queries = {
  models: (): Query<ModelsView> => ({
    key: "models",
    load: () => unwrap(api.GET("/api/models", {})),
    invalidatedBy: (event) => isOneOf(event, "models:changed", ...AGENT_EVENTS),
  }),
  question: (model: string, purpose: Purpose, chooser?: Chooser): Query<Question> => ({
    key: `models-question/${purpose}/${chooser?.kind ?? "workspace"}/${chooser?.id ?? ""}/${model}`,
    load: () => readQuestion(model, purpose, chooser),
    invalidatedBy: (event) => isOneOf(event, "models:changed", ...AGENT_EVENTS),
  }),
  /** The last two weeks, per day and model. */
  usage: (): Query<Schemas["Page_UsageDay"]> => ({
    key: "models-usage",
    load: () => unwrap(api.GET("/api/usage", {})),
    invalidatedBy: (event) => isOneOf(event, "models:changed") || event.type.startsWith("agent:"),
  }),
};

function readQuestion(model: string, purpose: Purpose, chooser?: Chooser): Promise<Question> {
  const who = chooser === undefined ? {} : { [chooser.kind]: chooser.id };
  return unwrap(api.GET("/api/models/question", { params: { query: { model, for: purpose, ...who } } }));
}

/** A change by which an agent or a template gets another model without naming it. */
export type IndirectChange = { agent: string; template: string | null } | { template: string; version: number } | { agent: string; model: "none" };

/**
 * The model that a person has to be asked about before such a change, if it is one that they have not agreed to.
 *
 * Throws: a `Problem`.
 */
export async function modelToAskAbout(change: IndirectChange): Promise<string | undefined> {
  const query = "template" in change ? { ...change, template: change.template ?? "none" } : change;
  const { id, isAgreed } = await unwrap(api.GET("/api/models/question", { params: { query } }));
  return isAgreed ? undefined : id;
}

/** Whether a person has to be asked first. If that cannot be read, the question says why. */
export async function isQuestionNeeded(model: string, chooser: Chooser): Promise<boolean> {
  try {
    return !(await readQuestion(model, "thinking", chooser)).isAgreed;
  } catch {
    return true;
  }
}

/** Takes the answer of a change as the settings on screen. */
async function settled(answer: Promise<ModelsView>): Promise<ModelsView> {
  const view = await answer;
  live.resourceFor(queries.models()).settle(view);
  return view;
}

const at = (name: string): { params: { path: { name: string } } } => ({ params: { path: { name } } });

/** What a person should know before a provider is changed. */
export function readProviderQuestion(name: string, query: Schemas["ProviderParams"]): Promise<ProviderQuestion> {
  return unwrap(api.GET("/api/models/providers/{name}/question", { params: { path: { name }, query } }));
}

/** Adds a provider, or changes the one of this name. */
export function putProvider(name: string, body: Schemas["ProviderParams"]): Promise<ModelsView> {
  return settled(unwrap(api.PUT("/api/models/providers/{name}", { ...at(name), body })));
}

export function removeProvider(name: string): Promise<ModelsView> {
  return settled(unwrap(api.DELETE("/api/models/providers/{name}", at(name))));
}

/** Keeps the key of a provider; `null` removes it. */
export function setKey(name: string, key: string | null): Promise<ModelsView> {
  return settled(unwrap(api.PUT("/api/models/providers/{name}/key", { ...at(name), body: { key } })));
}

export async function readOffered(name: string): Promise<Offered[]> {
  const page = await unwrap(api.GET("/api/models/providers/{name}/offered", { ...at(name), fetch: within(LISTING_MS) }));
  return page.items;
}

/** Takes a model that nobody uses off the list. */
export function forgetModel(model: string): Promise<ModelsView> {
  return settled(unwrap(api.POST("/api/models/forget", { body: { model } })));
}

/** Calls a model for real, at most four times. */
export function testModel(model: string): Promise<Test> {
  return unwrap(api.POST("/api/models/test", { body: { model }, fetch: within(TEST_MS) }));
}

/** Lets a model think or summarise. For summarising, `null` means the one that thinks. */
export function applyModel(model: string | null, purpose: Purpose): Promise<ModelsView> {
  return settled(unwrap(api.POST("/api/models/use", { body: { model, for: purpose } })));
}

/** Sets which tasks a provider may be sent; `null` means all. */
export function setCategories(name: string, categories: Schemas["AllowedCategoriesParams"] | null): Promise<ModelsView> {
  return settled(unwrap(api.PUT("/api/models/providers/{name}/categories", { ...at(name), body: { categories } })));
}

/** Sets the context window of a model; `null` means what its server says. */
export function setWindow(model: string, window: number | null): Promise<ModelsView> {
  return settled(unwrap(api.PUT("/api/models/window", { body: { model, window } })));
}

export function setPaidCalls(allowed: boolean): Promise<ModelsView> {
  return settled(unwrap(api.PUT("/api/models/paid-calls", { body: { allowed } })));
}

export function setBudgets(body: Budgets): Promise<ModelsView> {
  return settled(unwrap(api.PUT("/api/models/budgets", { body })));
}

/** Sets what a model costs; `null` means the price table again. */
export function setPrice(model: string, price: Price | null): Promise<ModelsView> {
  return settled(unwrap(api.PUT("/api/models/price", { body: { model, price } })));
}

/** Allows one more budget of the same size for today, to one agent or to all together. */
export function allowOnceMore(agentId: string | null): Promise<Spending> {
  return unwrap(api.POST("/api/models/once-more", { body: { agentId } }));
}

/** The model servers that answer on the machine of the server. None is added. */
export async function findServers(): Promise<FoundServer[]> {
  const page = await unwrap(api.GET("/api/models/servers", { fetch: within(LOOKING_MS) }));
  return page.items;
}
