// The only API client. Its types are generated from the server's OpenAPI document.

import createClient, { type Middleware } from "openapi-fetch";

import type { components, paths } from "./schema";
import { Problem, asProblem, problemOf } from "./problem";

export type Schemas = components["schemas"];

/** Where the token comes from, and what to do when the server rejects it. */
export interface Credentials {
  token(): string | undefined;
  refused(): void;
}

let credentials: Credentials = { token: () => undefined, refused: () => undefined };

/** Sets where tokens come from. Called once, at startup. */
export function setCredentials(ring: Credentials): void {
  credentials = ring;
}

/** Units: milliseconds. A request that takes longer counts as unanswered. */
const TIMEOUT_MS = 30_000;

const access: Middleware = {
  onRequest({ request }) {
    const token = credentials.token();
    if (token !== undefined) request.headers.set("Authorization", `Bearer ${token}`);
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) credentials.refused();
  },
};

/**
 * A `fetch` that gives up after a while, for requests that may take longer than the others.
 *
 * Units: milliseconds.
 */
export function within(limit: number): (request: Request) => Promise<Response> {
  return (request) => fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(limit)]) });
}

export const api = createClient<paths>({ baseUrl: "", fetch: within(TIMEOUT_MS) });
api.use(access);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * The body of a response.
 *
 * Throws: a `Problem` if the request failed or got no response.
 */
export async function unwrap<T>(request: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await request;
  } catch (error) {
    throw asProblem(error);
  }
  const { response } = answer;
  if (!response.ok) {
    throw problemOf(response.status, answer.error, response.headers.get("Retry-After"));
  }
  const { data } = answer;
  // Every body of the API is an object; anything else comes from a proxy.
  if (data !== undefined && (typeof data !== "object" || data === null || Array.isArray(data))) {
    throw new Problem({ status: -1, code: "answer-unreadable", title: "The answer cannot be read" });
  }
  return data as T;
}

/** An idempotency key: a request sent twice with the same key takes effect once. */
export function idempotencyKey(): string {
  return crypto.randomUUID();
}

/**
 * The JSON at an address, for requests while someone types.
 *
 * Throws: a `Problem`.
 */
export async function getFor<T>(path: string, signal: AbortSignal): Promise<T> {
  const token = credentials.token();
  try {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(path, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    if (response.status === 401) credentials.refused();
    const body: unknown = await response.json();
    if (!response.ok) throw problemOf(response.status, body, response.headers.get("Retry-After"));
    return body as T;
  } catch (error) {
    throw asProblem(error);
  }
}

/** A file, and the name that the server gives it. */
export interface Download {
  content: Blob;
  name: string | undefined;
}

/**
 * The file at an address, as a whole: one that breaks off is none.
 *
 * Throws: a `Problem`.
 */
export async function fileAt(path: string, signal: AbortSignal): Promise<Download> {
  const token = credentials.token();
  try {
    const response = await fetch(path, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` }, signal });
    if (response.status === 401) credentials.refused();
    if (!response.ok) throw problemOf(response.status, await response.json().catch(() => undefined), response.headers.get("Retry-After"));
    const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
    return { content: await response.blob(), name };
  } catch (error) {
    throw asProblem(error);
  }
}

/** Sends a body that is not JSON, or not only: the text of an import. */
async function post(path: string, body: BodyInit, headers: Record<string, string>, signal: AbortSignal | null): Promise<Response> {
  const token = credentials.token();
  const all: Record<string, string> = { ...headers };
  if (token !== undefined) all["Authorization"] = `Bearer ${token}`;
  const response = await fetch(path, { method: "POST", body, headers: all, signal });
  if (response.status === 401) credentials.refused();
  if (!response.ok || response.body === null) {
    const problem: unknown = await response.json().catch(() => undefined);
    throw problemOf(response.status, problem, response.headers.get("Retry-After"));
  }
  return response;
}

/**
 * The JSON that answers a body sent as it is.
 *
 * Throws: a `Problem`.
 */
export async function postFor<T>(
  path: string,
  body: BodyInit,
  headers: Record<string, string>,
  signal: AbortSignal | null = null,
): Promise<T> {
  try {
    const response = await post(path, body, headers, signal);
    return (await response.json()) as T;
  } catch (error) {
    throw asProblem(error);
  }
}

/**
 * Streams a response of JSON lines, for imports.
 *
 * Throws: a `Problem`, even if the response breaks off halfway.
 */
export async function lines<T>(
  path: string,
  body: BodyInit,
  headers: Record<string, string>,
  each: (line: T) => void,
  signal: AbortSignal | null = null,
): Promise<void> {
  try {
    const response = await post(path, body, headers, signal);
    if (response.body === null) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (rest + (value ?? "")).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) if (part !== "") each(JSON.parse(part) as T);
      if (done) break;
    }
    if (rest.trim() !== "") each(JSON.parse(rest) as T);
  } catch (error) {
    throw asProblem(error);
  }
}

export { Problem };
