// The lines of a plan next to what they become: blocks of lines, each with its task.

import { runAt, type Made } from "./corrections";
import type { ImportPlan, Run } from "./types";

/** Lines that become one thing. */
export interface Block {
  id: string;
  from: number;
  to: number;
  /** The lines, without blank ones. */
  runs: Run[];
  /** How many lines that are. */
  count: number;
  /**
   * What is shown next to them: a task, more lines of a task shown above, what belongs to no task, or what
   * was left out.
   */
  kind: "task" | "more" | "text" | "leftOut";
  /** Index into the tasks of the plan. */
  task: number | null;
}

/** More lines than this are parted, so that only the visible part of a long task is drawn. */
const MAX_LINES = 40;

interface Open {
  key: string;
  task: number | null;
  runs: Run[];
}

/** The blocks of a plan, in the order of the text. `made` are the person's corrections. */
export function blocksOf(plan: ImportPlan, made: readonly Made[]): Block[] {
  const edits = new Map(made.map(({ correction }) => [correction.line, correction.edit]));
  const runs = plan.lines.filter((run) => run.role !== "blank");
  const groups: Open[] = [];
  for (const [at, run] of runs.entries()) {
    const last = groups.at(-1);
    if (run.role !== "leftOut") {
      const task = run.task ?? taskAround(run, last?.task ?? null, runs[at + 1]);
      const key = task === null ? "text" : `task ${task}`;
      if (last?.key === key) last.runs.push(run);
      else groups.push({ key, task, runs: [run] });
      continue;
    }
    // Left out of a task: lines of the same task follow, or the person said so of a single line.
    const next = runs.slice(at + 1, at + 50).find((other) => other.role !== "leftOut");
    const isInside = last?.task != null && next?.task === last.task;
    for (const part of partsOf(run, edits)) {
      const isLine = edits.get(part.from) === "leaveOut";
      const into = groups.at(-1);
      if (into?.task != null && (isInside || isLine)) into.runs.push(part);
      else if (into?.key === "out" && edits.get(part.from) !== "leaveOutTask") into.runs.push(part);
      else groups.push({ key: "out", task: null, runs: [part] });
    }
  }
  return placed(plan, groups.flatMap(parted));
}

/** The task whose lines a run of mere signs opens or interrupts, such as those around front matter. */
function taskAround(run: Run, before: number | null, next: Run | undefined): number | null {
  if (run.role !== "markup" || next === undefined || next.task === null) return null;
  const isOpening = next.role === "field" && next.from === run.to + 1;
  return isOpening || next.task === before ? next.task : null;
}

/** A run of left out lines, parted where the person left out a task or a line. */
function partsOf(run: Run, edits: ReadonlyMap<number, string>): Run[] {
  const starts = [run.from];
  for (let line = run.from + 1; line <= run.to; line += 1) {
    const edit = edits.get(line);
    if (edit === "leaveOutTask" || edit === "leaveOut") starts.push(line);
  }
  return starts.map((from, at) => ({ ...run, from, to: (starts[at + 1] ?? run.to + 1) - 1 }));
}

function kindOf(group: Open): Block["kind"] {
  if (group.task !== null) return "task";
  return group.key === "out" ? "leftOut" : "text";
}

function parted(group: Open): Block[] {
  const pieces: Run[][] = [[]];
  let room = MAX_LINES;
  for (const run of group.runs) {
    for (let from = run.from; from <= run.to; ) {
      if (room === 0) {
        pieces.push([]);
        room = MAX_LINES;
      }
      const to = Math.min(run.to, from + room - 1);
      pieces.at(-1)?.push({ ...run, from, to });
      room -= to - from + 1;
      from = to + 1;
    }
  }
  return pieces.map((runs, at) => {
    const [from, to] = [runs[0]?.from ?? 0, runs.at(-1)?.to ?? 0];
    const count = runs.reduce((sum, run) => sum + run.to - run.from + 1, 0);
    const kind = at === 0 ? kindOf(group) : "more";
    return { id: `l${from}`, from, to, runs, count, kind, task: group.task };
  });
}

/**
 * A task is shown once, at its first lines. One without lines of its own, as in JSON, follows the block
 * of the line it begins on.
 */
function placed(plan: ImportPlan, blocks: readonly Block[]): Block[] {
  const seen = new Set<number>();
  const once = blocks.map((block): Block => {
    if (block.kind !== "task" || block.task === null) return block;
    if (seen.has(block.task)) return { ...block, kind: "more" };
    seen.add(block.task);
    return block;
  });
  const alone = plan.tasks.flatMap((task, at): Block[] =>
    seen.has(at) ? [] : [{ id: `t${at}`, from: task.line, to: task.line, runs: [], count: 0, kind: "task", task: at }],
  );
  if (alone.length === 0) return once;
  alone.sort((one, other) => one.from - other.from);
  const all: Block[] = [];
  let next = 0;
  for (const block of once) {
    for (let one = alone[next]; one !== undefined && one.from < block.from; one = alone[next]) {
      all.push(one);
      next += 1;
    }
    all.push(block);
  }
  return [...all, ...alone.slice(next)];
}

/** Which block a line is in; undefined if it is in none. */
export function blockAt(blocks: readonly Block[], plan: ImportPlan, line: number): number | undefined {
  const inside = blocks.findIndex((block) => block.count > 0 && block.from <= line && line <= block.to);
  if (inside >= 0) return inside;
  const task = runAt(plan, line)?.task ?? plan.tasks.findIndex((one) => one.line === line);
  const at = blocks.findIndex((block) => block.kind === "task" && block.task === task);
  return at < 0 ? undefined : at;
}
