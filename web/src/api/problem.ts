// What went wrong, as reported by the server (RFC 9457) or detected by the page.

import type { components } from "./schema";

type Value = components["schemas"]["FieldValue"];

type KindOf<Address extends string> = Address extends `/problems/${infer Kind}` ? Kind : never;

/** The kinds of problems that the server reports. */
export type ProblemKind = KindOf<components["schemas"]["Problem"]["type"]>;

/** The kinds that the page detects, and the statuses of answers that are not the server's own. */
type PageKind = "offline" | "answer-unreadable" | "page-failed" | "import-broke-off" | "not-applied" | "schedule-not-understood" | `http-${number}`;

export type ProblemCode = ProblemKind | PageKind;

/** A rejected field. */
export interface FieldError {
  pointer?: string;
  code?: string;
  message: string;
}

/** A failed request. `status` is 0 if there was no response at all. */
export class Problem extends Error {
  readonly status: number;
  /** The last segment of its `type`: `conflict`, `scope-missing`, `offline`. */
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
  readonly fields: FieldError[];
  /** Units: seconds. When to try again. */
  readonly retryAfter: number | undefined;
  /** For `value-changed`: the current value as text; `null` if there is none. */
  readonly now: string | null | undefined;
  /** For `value-changed`: the current value. */
  readonly current: Value | null | undefined;
  /** Why agent work cannot be switched on; a newer server may know further reasons. */
  readonly refusal: string | undefined;
  /** For `date-not-understood`: the words that mean nothing in a date or a schedule. */
  readonly part: string | undefined;

  constructor(parts: {
    status: number;
    code: ProblemCode;
    title: string;
    detail?: string | undefined;
    fields?: FieldError[] | undefined;
    retryAfter?: number | undefined;
    now?: string | null | undefined;
    current?: Value | null | undefined;
    refusal?: string | undefined;
    part?: string | undefined;
  }) {
    super(parts.detail ?? parts.title);
    this.name = "Problem";
    this.status = parts.status;
    this.code = parts.code;
    this.title = parts.title;
    this.detail = parts.detail ?? "";
    this.fields = parts.fields ?? [];
    this.retryAfter = parts.retryAfter;
    this.now = parts.now;
    this.current = parts.current;
    this.refusal = parts.refusal;
    this.part = parts.part;
  }

  /** Whether the server could not be reached, so the outcome is unknown. */
  get isOffline(): boolean {
    return this.status === 0;
  }

  /** Whether what was requested does not exist, or its id is none. Only for a request without a body. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 400 || this.status === 422;
  }
}

/** Reads the body of an error response. Any body yields a problem. */
export function problemOf(status: number, body: unknown, retryAfter: string | null): Problem {
  const object = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const text = (key: string): string | undefined => {
    const value = object[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const seconds = Number(retryAfter ?? object["retryAfter"]);
  return new Problem({
    status,
    code: (text("type")?.split("/").pop() as ProblemKind | undefined) ?? `http-${status}`,
    title: text("title") ?? `The server answered ${status}`,
    detail: text("detail"),
    fields: Array.isArray(object["errors"]) ? (object["errors"] as FieldError[]) : undefined,
    retryAfter: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
    now: object["now"] === null ? null : text("now"),
    current: object["current"] as Value | null | undefined,
    refusal: text("refusal"),
    part: text("part"),
  });
}

/** Turns anything thrown into a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError")) {
    return new Problem({ status: 0, code: "offline", title: "Dormouse does not answer" });
  }
  if (error instanceof SyntaxError) {
    return new Problem({ status: -1, code: "answer-unreadable", title: "The answer cannot be read" });
  }
  const detail = error instanceof Error ? error.message : String(error);
  return new Problem({ status: -1, code: "page-failed", title: "The page failed", detail });
}
