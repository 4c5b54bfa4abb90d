// What changed from one text to another, word by word, for people who read it.

export interface Part {
  kind: "same" | "removed" | "added";
  text: string;
}

/** Consecutive lines that are shown, or a number of unchanged ones that are not. */
export type Row = { kind: "line"; parts: Part[]; isChanged: boolean } | { kind: "gap"; n: number };

/** Units: words that differ. Texts with more in which they differ are shown one after the other. */
const MAX_EDITS = 2_000;

/** Words, spaces, and every other character by itself. */
function tokensOf(text: string): string[] {
  return text.match(/\n|[^\S\n]+|[\p{L}\p{N}\p{M}]+|./gu) ?? [];
}

/** Puts a text after the last part, into it if it is of the same kind. */
function push(parts: Part[], kind: Part["kind"], text: string): void {
  const last = parts.at(-1);
  if (text === "") return;
  if (last?.kind === kind) last.text += text;
  else parts.push({ kind, text });
}

/**
 * The edits of a shortest way from one list to the other, as pairs of positions; undefined if it is too long.
 *
 * Source: Myers, "An O(ND) difference algorithm and its variations", 1986.
 */
function shortestEdits(from: readonly string[], to: readonly string[]): { fromAt: number; toAt: number }[] | undefined {
  const most = Math.min(from.length + to.length, MAX_EDITS);
  const origin = most + 1;
  const reach = new Int32Array(2 * origin + 1);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(reach.slice(origin - edits, origin + edits + 1));
    for (let line = -edits; line <= edits; line += 2) {
      const [below, above] = [reach[origin + line - 1] ?? 0, reach[origin + line + 1] ?? 0];
      let fromAt = line === -edits || (line !== edits && below < above) ? above : below + 1;
      while (fromAt < from.length && fromAt - line < to.length && from[fromAt] === to[fromAt - line]) fromAt += 1;
      reach[origin + line] = fromAt;
      if (fromAt >= from.length && fromAt - line >= to.length) return walkBack(trace, from.length, to.length);
    }
  }
  return undefined;
}

function walkBack(trace: readonly Int32Array[], fromLength: number, toLength: number): { fromAt: number; toAt: number }[] {
  const path = [{ fromAt: fromLength, toAt: toLength }];
  let [fromAt, toAt] = [fromLength, toLength];
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const reach = trace[edits];
    const at = (line: number): number => reach?.[edits + line] ?? 0;
    const line = fromAt - toAt;
    const before = line === -edits || (line !== edits && at(line - 1) < at(line + 1)) ? line + 1 : line - 1;
    const [fromBefore, toBefore] = [at(before), at(before) - before];
    while (fromAt > fromBefore && toAt > toBefore) {
      fromAt -= 1;
      toAt -= 1;
      path.push({ fromAt, toAt });
    }
    [fromAt, toAt] = [fromBefore, toBefore];
    path.push({ fromAt, toAt });
  }
  while (fromAt > 0 && toAt > 0) {
    fromAt -= 1;
    toAt -= 1;
    path.push({ fromAt, toAt });
  }
  return path.reverse();
}

/** What was removed and what was added. The parts that are not added give `before`, those not removed `after`. */
export function wordDiff(before: string, after: string): Part[] {
  const [from, to] = [tokensOf(before), tokensOf(after)];
  const path = shortestEdits(from, to);
  const parts: Part[] = [];
  if (path === undefined) {
    push(parts, "removed", before);
    push(parts, "added", after);
    return parts;
  }
  for (const [at, here] of path.entries()) {
    const next = path[at + 1];
    if (next === undefined) break;
    const [isFrom, isTo] = [next.fromAt > here.fromAt, next.toAt > here.toAt];
    if (isFrom && isTo) push(parts, "same", from[here.fromAt] ?? "");
    else if (isFrom) push(parts, "removed", from[here.fromAt] ?? "");
    else push(parts, "added", to[here.toAt] ?? "");
  }
  return joined(parts);
}

/** What both texts have at this edge; empty if it differs. */
function common(one: string, other: string, edge: RegExp): string {
  const [first, second] = [edge.exec(one)?.[0] ?? "", edge.exec(other)?.[0] ?? ""];
  return first === second ? first : "";
}

/** Whole phrases instead of single words: a space or a mark between two changes belongs to both. */
function joined(parts: readonly Part[]): Part[] {
  const found: Part[] = [];
  let [removed, added] = ["", ""];
  const flush = (): void => {
    // Spaces with which both begin or end did not change.
    const start = common(removed, added, /^[^\S\n]+/);
    const [was, is] = [removed.slice(start.length), added.slice(start.length)];
    const end = common(was, is, /[^\S\n]+$/);
    push(found, "same", start);
    push(found, "removed", was.slice(0, was.length - end.length));
    push(found, "added", is.slice(0, is.length - end.length));
    push(found, "same", end);
    [removed, added] = ["", ""];
  };
  for (const [at, part] of parts.entries()) {
    const isBetween = at > 0 && at < parts.length - 1;
    if (part.kind === "removed") removed += part.text;
    else if (part.kind === "added") added += part.text;
    else if (isBetween && /^[^\S\n]+$/.test(part.text) && removed !== "" && added !== "") {
      removed += part.text;
      added += part.text;
    } else {
      flush();
      push(found, "same", part.text);
    }
  }
  flush();
  return found;
}

/**
 * The lines of a diff: those that changed with their neighbours, and how many others lie between.
 *
 * `context`: units: lines on each side.
 */
export function changedRows(parts: readonly Part[], context: number): Row[] {
  const lines: Part[][] = [[]];
  for (const { kind, text } of parts) {
    for (const [at, piece] of text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (piece !== "") lines.at(-1)?.push({ kind, text: piece });
    }
  }
  const isChanged = lines.map((line) => line.some((part) => part.kind !== "same"));
  const isNear = lines.map((_, at) => isChanged.slice(Math.max(0, at - context), at + context + 1).includes(true));
  const rows: Row[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const until = isNear.indexOf(true, at);
    const n = (until < 0 ? lines.length : until) - at;
    // A single line takes no more room than the words that it was left out.
    if (n > 1) rows.push({ kind: "gap", n });
    else rows.push({ kind: "line", parts: lines[at] ?? [], isChanged: isChanged[at] === true });
    at += Math.max(0, n - 1);
  }
  return rows;
}

/** How many words were added, and how many removed. */
export function countWords(parts: readonly Part[]): { added: number; removed: number } {
  const count = (kind: Part["kind"]): number => parts.filter((part) => part.kind === kind).reduce((sum, part) => sum + (part.text.match(/[\p{L}\p{N}\p{M}]+/gu)?.length ?? 0), 0);
  return { added: count("added"), removed: count("removed") };
}
