// The filters of the list: read from the address, sent to the server.

import type { ListQuery, Row } from "./data";

/** The id that means "no category", here and on the server. */
export const NO_CATEGORY = "none";

export const STATUSES = ["IN PROGRESS", "BLOCKED", "GROOMED", "OPEN", "ON HOLD", "DONE", "REJECTED"] as const;
export const OPEN_STATUSES: readonly string[] = STATUSES.slice(0, 5);
export const PRIORITIES = ["P0", "P1", "P2", "P3"] as const;
export const DUES = ["overdue", "week", "none"] as const;
export const AGENTS = ["awake", "with", "without"] as const;
export const SORTS = ["updated", "due", "priority", "created", "title"] as const;
export const GROUPS = ["status", "due", "category"] as const;

export type Sort = (typeof SORTS)[number];
export type Group = (typeof GROUPS)[number];

export interface Filters {
  q: string;
  /** Empty: any status. */
  status: readonly string[];
  priority: readonly string[];
  label: readonly string[];
  category: readonly string[];
  due: readonly string[];
  agent: readonly string[];
  /** Only tasks with suggested changes. */
  review: boolean;
  /** Only starred tasks. */
  starred: boolean;
  /** Only private tasks. */
  private: boolean;
  /** Only deleted tasks. */
  deleted: boolean;
  sort: Sort;
  group: Group;
}

/** Filters with multiple choice: OR within one, AND between them. */
export type Kind = "status" | "priority" | "label" | "category" | "due" | "agent";

function several(query: URLSearchParams, key: string): string[] {
  return [...new Set(query.getAll(key).flatMap((value) => value.split(",")).filter((value) => value !== ""))];
}

function one<T extends string>(query: URLSearchParams, key: string, known: readonly T[], otherwise: T): T {
  const value = query.get(key);
  return known.find((name) => name === value) ?? otherwise;
}

/** Reads the filters from a query. Without a status it means the open ones; `any` means all. */
export function readFilters(query: URLSearchParams): Filters {
  const status = several(query, "status");
  return {
    q: (query.get("q") ?? "").trim(),
    status: status.includes("any") ? [] : status.length > 0 ? status : OPEN_STATUSES,
    priority: several(query, "priority"),
    label: several(query, "label"),
    category: several(query, "category"),
    due: several(query, "due"),
    agent: several(query, "agent"),
    review: query.get("proposals") === "open",
    starred: query.get("starred") === "true",
    private: query.get("private") === "true",
    deleted: query.get("deleted") === "true",
    sort: one(query, "sort", SORTS, "updated"),
    group: one(query, "group", GROUPS, "status"),
  };
}

/** The query parameter of a choice; undefined for the default. */
export function toQuery(kind: Kind, values: readonly string[]): string | undefined {
  if (kind === "status") {
    if (values.length === 0 || values.length === STATUSES.length) return "any";
    const isOpen = values.length === OPEN_STATUSES.length && OPEN_STATUSES.every((name) => values.includes(name));
    return isOpen ? undefined : values.join(",");
  }
  return values.length === 0 ? undefined : values.join(",");
}

/** Whether the list is filtered by more than its status. */
export function isNarrowed(filters: Filters): boolean {
  return (
    filters.q !== "" ||
    filters.review ||
    filters.starred ||
    filters.private ||
    filters.deleted ||
    (["priority", "label", "category", "due", "agent"] as const).some((kind) => filters[kind].length > 0)
  );
}

/** A part of the list that is loaded with its own request. */
export interface Segment {
  key: string;
  query: ListQuery;
}

const some = (values: readonly string[]): readonly string[] | undefined => (values.length > 0 ? values : undefined);

/** The segments in display order. */
export function segmentsOf(filters: Filters, categories: readonly string[]): Segment[] {
  const all = (over: Partial<Record<Kind | "sort" | "deleted", unknown>>): Segment["query"] => {
    const query = {
      q: filters.q === "" ? undefined : filters.q,
      status: some(filters.status),
      priority: some(filters.priority),
      label: some(filters.label),
      category: some(filters.category),
      due: some(filters.due),
      agent: some(filters.agent),
      proposals: filters.review ? "open" : undefined,
      starred: filters.starred ? "true" : undefined,
      private: filters.private ? "true" : undefined,
      sort: filters.sort,
      ...over,
    };
    return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Segment["query"];
  };
  if (filters.deleted) {
    return [{ key: "deleted", query: all({ deleted: "only", status: undefined }) }];
  }
  switch (filters.group) {
    case "status":
      return STATUSES.filter((status) => filters.status.length === 0 || filters.status.includes(status)).map(
        (status) => ({ key: status, query: all({ status: [status] }) }),
      );
    case "due":
      return [{ key: "due", query: all({ sort: "due" }) }];
    case "category": {
      const wanted = [...categories, NO_CATEGORY].filter((id) => filters.category.length === 0 || filters.category.includes(id));
      return wanted.map((id) => ({ key: id, query: all({ category: [id] }) }));
    }
  }
}

/** A local calendar day, this many days from a moment. */
export function dayFrom(now: Date, days = 0): string {
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The due-date group of a task. */
export function dueGroup(dueOn: string | null, now: Date): "overdue" | "week" | "later" | "none" {
  if (dueOn === null) return "none";
  if (dueOn < dayFrom(now)) return "overdue";
  return dueOn <= dayFrom(now, 7) ? "week" : "later";
}

/** The tone of a due date: danger if overdue, caution within five days; plain for a finished task. */
export function dueTone(dueOn: string, status: Row["status"], now: Date): "danger" | "caution" | "plain" {
  if (status === "DONE" || status === "REJECTED") return "plain";
  if (dueOn < dayFrom(now)) return "danger";
  return dueOn <= dayFrom(now, 5) ? "caution" : "plain";
}

/** Whether a row matches the filters, as far as the row tells. The text search can't be checked here. */
export function matchesFilters(row: Row, filters: Filters, now: Date): boolean {
  const within = (wanted: readonly string[], value: string | null | undefined): boolean =>
    wanted.length === 0 || (value != null && wanted.includes(value));
  if (filters.deleted !== (row.deletedAt !== null)) return false;
  if (filters.deleted) return true;
  const due = dueGroup(row.dueOn, now);
  const agent = row.agent === null ? ["without"] : row.agentActivity === "running" ? ["with", "awake"] : ["with"];
  return (
    within(filters.status, row.status) &&
    // No priority counts as P2, as on the server.
    within(filters.priority, row.priority ?? "P2") &&
    within(filters.category, row.category?.id ?? NO_CATEGORY) &&
    (!filters.review || row.openProposals > 0) &&
    (!filters.starred || row.starred) &&
    (!filters.private || row.private) &&
    (filters.due.length === 0 || filters.due.includes(due)) &&
    (filters.agent.length === 0 || agent.some((kind) => filters.agent.includes(kind))) &&
    (filters.label.length === 0 || row.labels.some((label) => filters.label.includes(label.id)))
  );
}
