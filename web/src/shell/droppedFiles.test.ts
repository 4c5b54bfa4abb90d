import { describe, expect, it } from "vitest";

import { droppedFiles, MAX_FILES } from "./droppedFiles";

const file = (name: string, fullPath = `/${name}`) => ({
  name, fullPath, isFile: true, isDirectory: false, file: (take: (file: File) => void) => take(new File([""], name)),
});

function folder(name: string, children: object[]): object {
  return {
    name, fullPath: `/${name}`, isFile: false, isDirectory: true,
    createReader: () => {
      const parts = [children, []];
      return { readEntries: (take: (part: object[]) => void) => take(parts.shift() ?? []) };
    },
  };
}

const drop = (...entries: object[]) =>
  droppedFiles({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [] } as unknown as DataTransfer);

describe("a dropped folder", () => {
  it("gives its files by their paths, without hidden ones", async () => {
    const { files, isCut } = await drop(folder("vault", [file("a.md", "/vault/a.md"), folder(".obsidian", [file("b.md")])]));
    expect([files.map(({ name }) => name), isCut]).toEqual([["vault/a.md"], false]);
  });

  it("with more files than are taken says so", async () => {
    const children = (n: number) => Array.from({ length: n }, (_, at) => file(`${at}.md`));
    expect((await drop(folder("vault", children(MAX_FILES)))).isCut).toBe(false);
    const { files, isCut } = await drop(folder("vault", children(MAX_FILES + 1)));
    expect([files.length, isCut]).toEqual([MAX_FILES, true]);
  });
});
