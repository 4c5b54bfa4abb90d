// An import plan as the server makes it: what each line of a text becomes, before anything is written.

/** What a text is read as. */
export type Format = "markdown" | "todoTxt" | "iCalendar" | "csv" | "trello" | "vikunja" | "githubIssues" | "dormouse" | "plainLines";

/** The place of a line in what the text becomes. */
export type Role = "category" | "parent" | "task" | "item" | "note" | "due" | "field" | "markup" | "skipped" | "leftOut" | "blank";

/** Which tasks get an agent, unless a task says otherwise. */
export type AgentsFor = "suggested" | "all" | "none";

/** The order of day and month in dates such as 3/4. */
export type DayOrder = "dayFirst" | "monthFirst";

/** Lines next to each other with the same place; the first line of a text is 1. */
export interface Run {
  from: number;
  to: number;
  role: Role;
  /** Index into the tasks of the plan. */
  task: number | null;
}

export interface PlanTask {
  line: number;
  title: string;
  /** The title that the text gives, if it was renamed. */
  readTitle: string | null;
  status: string | null;
  statusReason: string | null;
  priority: string | null;
  dueOn: string | null;
  estimateMinutes: number | null;
  category: string | null;
  labels: string[];
  items: number;
  checkedItems: number;
  notes: number;
  suggestsAgent: boolean;
  /** What the person chose; null for what holds for the whole import. */
  agent: "give" | "refuse" | null;
  outcome: "created" | "updated" | "unchanged";
  taskId: string | null;
}

export interface Remark {
  line: number;
  message: string;
}

export interface SheetColumn {
  name: string;
  column: string;
  /** Why it is taken for that, with the numbers that speak for it. */
  because: string;
  n?: number;
  of?: number;
}

export interface Sheet {
  delimiter: string;
  hasHead: boolean;
  columns: SheetColumn[];
}

export interface ImportPlan {
  file: string;
  format: Format;
  digest: string;
  lines: Run[];
  tasks: PlanTask[];
  remarks: Remark[];
  /** How a sheet is read; a server that does not say sends none. */
  sheet?: Sheet | null;
}

/** A correction of a plan, addressed by a line of the text. */
export type Correction = { line: number } & Edit;

export type Edit =
  | { edit: "setRole"; role: Role }
  | { edit: "split" | "join" | "leaveOut" | "leaveOutTask" | "putBack" }
  | { edit: "rename" | "renameTask"; title: string }
  | { edit: "setAgent"; agent: "give" | "refuse" }
  | { edit: "setCategory"; category: string | null };

/** Everything that decides what a text becomes. */
export interface PlanRequest {
  name: string;
  text: string;
  format: Format | undefined;
  dayOrder: DayOrder;
  /** The digest of the plan that the corrections are made to. */
  digest: string | undefined;
  corrections: readonly Correction[];
  columns: readonly string[] | undefined;
}
