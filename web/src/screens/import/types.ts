// An import plan as the server makes it: what each line of a text becomes, before anything is written.
// The types are those of the server's OpenAPI document.

import type { Schemas } from "../../api/client";

export type Format = Schemas["Format"];
const KNOWN: Record<Format, true> = {
  markdown: true, plainLines: true, csv: true, todoTxt: true, iCalendar: true, mail: true, orgMode: true, opml: true,
  trello: true, vikunja: true, githubIssues: true, dormouse: true, otherJson: true,
};

/** Every format that a text can be read as, those that people write themselves first. */
export const FORMATS = Object.keys(KNOWN) as readonly Format[];

export type Role = Schemas["Role"];
export type AgentsFor = Schemas["ImportAgents"];
export type DayOrder = Schemas["DayOrder"];
export type Run = Schemas["LineRun"];
export type PlanTask = Schemas["TaskPlan"];
export type Remark = Schemas["ImportRemark"];
export type ColumnMeaning = Schemas["Column"];
export type SheetColumn = Schemas["ColumnGuess"];
export type Sheet = Schemas["Columns"];
export type ImportPlan = Schemas["ImportPlan"];

/** A correction of a plan, addressed by a line of the text. */
export type Correction = Schemas["CorrectionParams"];

/** What a correction changes: all of it but the line. */
export type Edit = Correction extends infer One ? (One extends Correction ? Omit<One, "line"> : never) : never;

/** Everything that decides what a text becomes. */
export interface PlanRequest {
  name: string;
  text: string;
  format: Format | undefined;
  dayOrder: DayOrder;
  /** The digest of the plan that the corrections are made to. */
  digest: string | undefined;
  corrections: readonly Correction[];
  columns: readonly ColumnMeaning[] | undefined;
}
