import { describe, expect, it } from "vitest";

import { applyLine, isText, type FileImport, type ImportLine } from "./importing.svelte";

const file: FileImport = {
  id: "1", name: "a.md", state: "running", done: 0, total: 0, created: 0, updated: 0, unchanged: 0, remarks: [],
};
const all = (...lines: ImportLine[]): FileImport => lines.reduce(applyLine, file);

describe("a file being imported", () => {
  it("reports its progress, remarks and result", () => {
    const state = all({ event: "read", tasks: 3 }, { event: "remark", line: 2, message: "a rule" }, { event: "remark", line: 7, message: "a table" }, { event: "task", done: 1, total: 3 });
    expect(state).toMatchObject({ state: "running", done: 1, total: 3, remarks: [{ line: 2 }, { line: 7, message: "a table" }] });
    expect(applyLine(state, { event: "done", created: 2, updated: 1, unchanged: 0 })).toMatchObject({ state: "done", created: 2, updated: 1, remarks: [{ line: 2 }, { line: 7 }] });
  });

  it("fails with the server's problem and keeps its progress", () => {
    const broken = { status: 507, type: "/problems/disk-full", title: "The disk is full" };
    const failed = all({ event: "task", done: 2, total: 3 }, { event: "problem", problem: broken });
    expect(failed).toMatchObject({ state: "failed", done: 2, problem: { code: "disk-full", status: 507 } });
  });

  it("ignores unknown lines", () => {
    expect(applyLine(file, { event: "later" } as unknown as ImportLine)).toBe(file);
  });
});

it.each([
  ["notes.MD", "", true],
  ["list.txt", "", true],
  ["README", "text/plain", true],
  ["photo.png", "image/png", false],
  ["a.md.exe", "application/octet-stream", false],
])("takes %s: %s %s", (name, type, taken) => expect(isText({ name, type })).toBe(taken));
