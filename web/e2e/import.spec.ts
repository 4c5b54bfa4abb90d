// The plan of an import: nothing is written before yes, and what is corrected stays so.

import { drop, MOVE, paste } from "./lists";
import { expect, type Server, taskId, test } from "./world";

async function titles(server: Server): Promise<string[]> {
  const { items } = (await server.ask("GET", "/api/journal/tasks?limit=100")) as { items: { title: string }[] };
  return items.map((task) => task.title).sort();
}

const MOVE_TITLES = ["Boxes", "Hand over the old flat", "Internet at the new flat", "Movers"];

test("a dropped list is shown line by line, and written on yes", async ({ app, server }) => {
  await app.goto(`${server.address}/settings`);
  await drop(app, [{ name: "move.md", text: MOVE }]);
  await expect(app.getByRole("heading", { level: 1, name: "4 tasks from move.md" })).toBeVisible();
  await expect(app.getByRole("button", { name: "Line 7: Task. Change" })).toBeVisible();
  await expect(app.getByRole("button", { name: "Line 8: Item. Change" })).toBeVisible();
  await expect(app.getByRole("article", { name: "Movers" })).toContainText("3 items, 1 done");
  expect(await titles(server)).toEqual([]);

  await app.getByRole("button", { name: "Add 4 tasks" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "4 tasks were added" })).toBeVisible();
  expect(await titles(server)).toEqual(MOVE_TITLES);
  await app.getByRole("link", { name: "Open the tasks" }).click();
  await expect(app.getByRole("link", { name: /^Movers/ })).toBeVisible();
});

test("a list pasted on any screen becomes a plan; a word, or one pasted into a field, does not", async ({ app, server }) => {
  await app.goto(`${server.address}/agents`);
  await expect(app.getByRole("heading", { level: 1 })).toBeVisible();
  await paste(app, "only a word\n");
  await expect(app).toHaveURL(/\/agents$/);
  await paste(app, "call Ana\nbuy milk\nmend the fence\n");
  await expect(app.getByRole("heading", { level: 1, name: "3 tasks from your list" })).toBeVisible();
  await app.getByRole("button", { name: "Cancel" }).click();
  await expect(app).toHaveURL(/\/agents$/);

  await app.goto(`${server.address}/tasks`);
  await expect(app.getByRole("searchbox")).toBeVisible();
  await app.keyboard.press("/");
  await expect(app.getByRole("searchbox")).toBeFocused();
  await paste(app, "call Ana\nbuy milk\n");
  await expect(app).toHaveURL(/\/tasks$/);
  expect(await titles(server)).toEqual([]);
});

test("lines are corrected by their menu, each correction is undone alone, and stays at the next import", async ({ app, server }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  const heading = (n: number) => app.getByRole("heading", { level: 1, name: `${n} tasks from move.md` });
  await expect(heading(4)).toBeVisible();
  const line = (n: number) => app.getByRole("button", { name: new RegExp(`^Line ${n}:`) });

  await line(10).click();
  await app.keyboard.press("t");
  await expect(heading(5)).toBeVisible();
  await expect(line(10)).toBeFocused();
  await expect(app.getByText("You made “Pay the deposit, 30 %” a task of its own.")).toBeVisible();

  await line(12).click();
  await app.getByRole("menuitem", { name: "Join the task above" }).click();
  await expect(heading(4)).toBeVisible();
  await expect(app.getByText("You joined “Boxes” to this task.")).toBeVisible();

  await line(15).click();
  await app.keyboard.press("Delete");
  await expect(heading(3)).toBeVisible();
  await expect(app.getByText("left out, 3 lines")).toBeVisible();

  const title = app.getByRole("textbox", { name: "Title of task 2" });
  await title.fill("Choose the movers");
  await title.press("Enter");
  await expect(app.getByText("You renamed it. It was “Movers”.")).toBeVisible();
  await expect(app.getByText("1 joined, 1 split, 1 left out, 1 renamed")).toBeVisible();

  await app.getByRole("paragraph").filter({ hasText: "You joined" }).getByRole("button", { name: "Undo" }).click();
  await expect(heading(4)).toBeVisible();
  await app.getByRole("button", { name: "Add 4 tasks" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "4 tasks were added" })).toBeVisible();
  expect(await titles(server)).toEqual(["Boxes", "Choose the movers", "Internet at the new flat", "Pay the deposit, 30 %"]);

  await drop(app, [{ name: "move.md", text: MOVE }]);
  await expect(app.getByText("4 unchanged")).toBeVisible();
  await expect(app.getByRole("button", { name: "Nothing new to add" })).toBeDisabled();
  await app.getByRole("button", { name: /^Put back/ }).click();
  await expect(app.getByRole("button", { name: "Add 1 task" })).toBeEnabled();
});

test("the bullets of a task become items together, and text again by one undo", async ({ app }) => {
  await drop(app, [{ name: "flat.md", text: "# Flat\n\n## Keys\n- [ ] fetch them\n\n## Later\n- paint the hall\n- new curtains\n1. a lamp\n* a rug\n" }]);
  const later = app.getByRole("article", { name: "Later" });
  await expect(later).toContainText("1 note");
  await app.getByRole("button", { name: "Later: make its 4 bullets items" }).click();
  await expect(later).toContainText("4 items");
  await expect(app.getByText("You made 4 lines items.")).toBeVisible();
  await expect(app.getByRole("button", { name: "Line 7: Item. Change" })).toBeFocused();
  await app.keyboard.press("Control+z");
  await expect(later).toContainText("1 note");
});

test("a correction that is not possible says why where it was made", async ({ app }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  const line = app.getByRole("button", { name: "Line 7: Task. Change" });
  await line.click();
  await app.getByRole("menuitem", { name: "Category of what follows" }).click();
  await expect(app.getByRole("alert")).toContainText("Not possible");
  await expect(line).toBeVisible();
  await expect(app.getByRole("button", { name: "Add 4 tasks" })).toBeEnabled();
});

test("many files make one plan; a picture is named and left out", async ({ app, server }) => {
  await drop(app, [
    { name: "one.md", text: "## Water the plants\n\n- [ ] The fern\n" },
    { name: "photo.md", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0] },
    { name: "two.txt", text: "(A) call Ana due:2027-02-01\nx 2026-01-02 buy milk\n" },
  ]);
  await expect(app.getByText("photo.md is a picture or another file without text")).toBeVisible();
  await expect(app.getByRole("heading", { level: 1, name: "3 tasks from 2 files" })).toBeVisible();
  await expect(app.getByRole("region", { name: "two.txt" }).getByRole("combobox", { name: "Read as" })).toHaveValue("todoTxt");
  await expect(app.getByRole("article", { name: "call Ana" })).toContainText("1 Feb 2027");
  await app.keyboard.press("Control+Enter");
  await expect(app.getByRole("heading", { level: 1, name: "3 tasks were added" })).toBeVisible();
  expect(await titles(server)).toHaveLength(3);
});

test("a file that cannot be imported is named with its reason, and the others are added", async ({ app, server }) => {
  await drop(app, [
    { name: "plants.md", text: "## Water the plants\n\n- [ ] The fern\n" },
    { name: "page.html", text: "<!doctype html>\n<html><body><ul><li>call Ana</li></ul></body></html>\n" },
    { name: "card.vcf", text: "BEGIN:VCARD\nVERSION:3.0\nFN:Ana Pop\nEND:VCARD\n" },
    { name: "letter.rtf", text: "{\\rtf1\\ansi call Ana}\n" },
    { name: "nothing.md", text: "\n" },
  ]);
  await expect(app.getByRole("heading", { level: 1, name: "1 task from plants.md" })).toBeVisible();
  for (const words of ["page.html is a web page (HTML)", "card.vcf is ", "letter.rtf is ", "nothing.md is empty"]) {
    await expect(app.getByRole("listitem").filter({ hasText: words })).toContainText("It is left out.");
  }
  await app.getByRole("button", { name: "Add 1 task" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "1 task was added" })).toBeVisible();
  expect(await titles(server)).toEqual(["Water the plants"]);
});

test("a single file that cannot be imported says why, and there is a place for another", async ({ app }) => {
  await drop(app, [{ name: "page.html", text: "<!doctype html>\n<html><body>call Ana</body></html>\n" }]);
  await expect(app.getByRole("heading", { level: 1, name: "page.html was not read" })).toBeVisible();
  await expect(app.getByText("page.html is a web page (HTML)")).toBeVisible();
  await expect(app.getByRole("button", { name: "Try again" })).toBeHidden();
  await app.getByRole("textbox", { name: "Paste a list here" }).fill("call Ana\nbuy milk");
  await app.getByRole("button", { name: "Read it" }).click();
  await expect(app.getByRole("button", { name: "Add 2 tasks" })).toBeEnabled();
});

test("a format that cannot read the text says so, and the way back is a click", async ({ app }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  const readAs = app.getByRole("combobox", { name: "Read as" });
  await expect(readAs).toHaveValue("markdown");
  await expect(readAs.getByRole("option").first()).toHaveText("Markdown");
  await readAs.selectOption("Calendar");
  await expect(app.getByRole("alert")).toContainText("BEGIN:VCALENDAR");
  await expect(app.getByRole("article")).toHaveCount(0);
  await expect(app.getByText("Nothing can be added yet: move.md could not be read.")).toBeVisible();
  await app.getByRole("button", { name: "Read it as Markdown again" }).click();
  await expect(app.getByRole("alert")).toBeHidden();
  await expect(readAs).toHaveValue("markdown");
  await expect(app.getByRole("button", { name: "Add 4 tasks" })).toBeEnabled();
});

test("files in other encodings are read, a guess is said, and what can be several is left out", async ({ app, server }) => {
  const latin1 = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
  const utf16 = (text: string): number[] => [0xff, 0xfe, ...latin1(text).flatMap((unit) => [unit % 256, unit >> 8])];
  await drop(app, [
    { name: "Möbel.csv", bytes: latin1(`${"Nr;Titel\n"}${"1;x\n".repeat(1_500)}2;Schr\u00e4nke abholen\n`) },
    { name: "wide.txt", bytes: utf16("(A) K\u00e4se kaufen\n(B) Brot\n") },
    { name: "polish.txt", bytes: [...latin1("- kup ksi"), 0xb9, ...latin1("\u00bfk\u00ea\n- zr"), 0xf3, ...latin1("b obiad\n")] },
  ]);
  const sheet = app.getByRole("region", { name: "Möbel.csv" });
  await expect(sheet.getByText("The file is not UTF-8 and was read as Windows-1252 (Western European).")).toBeVisible();
  await expect(app.getByRole("article", { name: "Käse kaufen" })).toBeVisible();
  await expect(app.getByText("polish.txt is not text, or its encoding is unclear.")).toBeVisible();
  await app.keyboard.press("Control+Enter");
  await expect(app.getByRole("heading", { level: 1, name: /1,503 tasks were added/ })).toBeVisible({ timeout: 60_000 });
  const found = (await server.ask("GET", `/api/journal/tasks?q=${encodeURIComponent("Schränke")}`)) as { items: { title: string }[] };
  expect(found.items.map((task) => task.title)).toEqual(["Schränke abholen"]);
});

test("a text is read another way, and changed, with the corrections that still fit", async ({ app }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  await expect(app.getByRole("heading", { level: 1, name: "4 tasks" })).toBeVisible();
  await app.getByRole("button", { name: "Line 12: Task. Change" }).click();
  await app.keyboard.press("j");
  await expect(app.getByText("You joined")).toBeVisible();
  const readAs = app.getByRole("combobox", { name: "Read as" });
  await readAs.selectOption("Plain lines");
  await expect(app.getByText("You joined")).toBeHidden();
  await readAs.selectOption("Markdown");
  await expect(app.getByText("You joined")).toBeVisible();

  await app.getByRole("button", { name: "Change the text" }).click();
  const field = app.getByRole("textbox", { name: "Text of move.md" });
  await field.fill(`## First of all\n\n${await field.inputValue()}`);
  await app.getByRole("button", { name: "Read it" }).click();
  await expect(app.getByRole("button", { name: "Line 14: Note. Change" })).toBeVisible();
  await expect(app.getByText("You joined “Boxes” to this task.")).toBeVisible();
});

test("the columns of a sheet are chosen", async ({ app, server }) => {
  await drop(app, [{ name: "things.csv", text: "what;room;until\nBookshelf apart;living room;2027-01-27\nCurtain rails;bedroom;2027-02-03\n" }]);
  await expect(app.getByRole("heading", { level: 1, name: "2 tasks from things.csv" })).toBeVisible();
  const due = app.getByRole("combobox", { name: "Column until becomes" });
  await expect(due).toHaveValue("due");
  const rails = app.getByRole("article", { name: "Curtain rails" });
  await expect(rails).toContainText("3 Feb");
  await due.selectOption("note");
  await expect(rails).not.toContainText("3 Feb");
  await expect(due).toHaveValue("note");
  await app.getByRole("button", { name: "Add 2 tasks" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "2 tasks were added" })).toBeVisible();
  const id = await taskId(server, "Curtain rails");
  expect(await server.ask("GET", `/api/journal/tasks/${id}`)).toMatchObject({ dueOn: null });
});

test("a sheet is shown as it is read, below the row that names its columns", async ({ app }) => {
  await drop(app, [{ name: "things.csv", text: "Flat, as of November\n\nTask,Due,Who\n\"Shelf, the big one\",2027-01-27,Ana\nRails,2027-02-03,\n" }]);
  const sheet = app.getByRole("region", { name: "First rows of things.csv" });
  await expect(sheet.getByRole("row")).toHaveText([/Task.*Due.*Who/s, /4\s*Shelf, the big one\s*2027-01-27\s*Ana/, /5\s*Rails\s*2027-02-03/]);
});

test("agents are for tasks with a lot of text, for all, or for none, and for each as one likes", async ({ app, server }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  const agent = (title: string) => app.getByRole("switch", { name: `Agent for ${title}` });
  await expect(agent("Movers")).toBeChecked();
  await expect(agent("Boxes")).not.toBeChecked();
  await app.getByRole("button", { name: "None", exact: true }).click();
  await expect(agent("Movers")).not.toBeChecked();
  await agent("Boxes").check();
  await expect(app.getByRole("contentinfo").or(app.getByRole("paragraph").filter({ hasText: "1 agent" })).first()).toContainText("1 agent");
  await app.getByRole("button", { name: "Add 4 tasks" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "4 tasks were added" })).toBeVisible();
  const { items } = (await server.ask("GET", "/api/agents")) as { items: { taskTitle?: string }[] };
  expect(items).toHaveLength(1);
});

test("an import that is cancelled keeps what it wrote, and goes on", async ({ app, server }) => {
  const text = Array.from({ length: 1_500 }, (_, n) => `## Task ${n}\n- [ ] a\n`).join("\n");
  await drop(app, [{ name: "long.md", text }]);
  await app.getByRole("button", { name: "None", exact: true }).click();
  await app.getByRole("button", { name: "Add 1,500 tasks" }).click();
  await expect(app.getByText(/^[1-9][\d,]* of 1,500 tasks$/).first()).toBeVisible();
  await app.getByRole("button", { name: "Cancel" }).click();
  await expect(app.getByRole("heading", { level: 1, name: /^[\d,]+ of 1,500 tasks added\. Import the list again to continue\.$/ })).toBeVisible();
  await app.getByRole("button", { name: "Continue" }).click();
  await expect(app.getByRole("heading", { level: 1, name: /^[\d,]+ tasks? (was|were) added$|^Your tasks are up to date$/ })).toBeVisible({ timeout: 60_000 });
  const counts = (await server.ask("GET", "/api/overview")) as { tasks: number };
  expect(counts.tasks).toBe(1_500);
});

test("a plan that is no longer what would be written is read again, and keeps its corrections", async ({ app, server }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  await app.getByRole("button", { name: "Line 12: Task. Change" }).click();
  await app.keyboard.press("j");
  await expect(app.getByText("You joined")).toBeVisible();

  // Another tab leaves a task of the same list out.
  const other = await app.context().newPage();
  await other.goto(`${server.address}/import`);
  await drop(other, [{ name: "move.md", text: MOVE }]);
  await other.getByRole("button", { name: "Line 15: Task. Change" }).click();
  await other.keyboard.press("Delete");
  await other.getByRole("button", { name: "Add 3 tasks" }).click();
  await expect(other.getByRole("heading", { level: 1, name: "3 tasks were added" })).toBeVisible();

  await app.getByRole("button", { name: "Add 3 tasks" }).click();
  await expect(app.getByText("The list was imported elsewhere, or it changed.")).toBeVisible();
  await app.getByRole("button", { name: "Read again" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "2 tasks from move.md" })).toBeVisible();
  await expect(app.getByText("You joined")).toBeVisible();
});

test("a list of ten thousand lines is drawn where one looks", async ({ app }) => {
  const text = Array.from({ length: 2_500 }, (_, n) => `## Task ${n}\n- [ ] a ${n}\n- [ ] b ${n}\n`).join("\n");
  await drop(app, [{ name: "long.md", text }]);
  await expect(app.getByRole("heading", { level: 1, name: "2,500 tasks" })).toBeVisible();
  expect(await app.getByRole("article").count()).toBeLessThan(60);
  await app.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect(app.getByRole("article", { name: "Task 2499" })).toBeVisible();
  expect(await app.getByRole("article").count()).toBeLessThan(60);
  const title = app.getByRole("textbox", { name: "Title of task 2500" });
  await title.fill("The last one");
  await title.press("Enter");
  await expect(app.getByText("You renamed it. It was “Task 2499”.")).toBeVisible();
});

test("without a text there is a place to paste one", async ({ app, server }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  await expect(app.getByRole("heading", { level: 1, name: "4 tasks" })).toBeVisible();
  await app.reload();
  await app.getByRole("textbox", { name: "Paste a list here" }).fill("call Ana\nbuy milk");
  await app.getByRole("button", { name: "Read it" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "2 tasks from your list" })).toBeVisible();
  expect(await titles(server)).toEqual([]);
});

test("a text that is being edited is read before it is added, by the key and by the button", async ({ app, server }) => {
  await paste(app, "call Ana\nbuy milk\nmend the fence\n");
  await expect(app.getByRole("button", { name: "Add 3 tasks" })).toBeEnabled();
  const field = app.getByRole("textbox", { name: "Text of" });
  await app.getByRole("button", { name: "Change the text" }).click();
  await expect(field).toBeFocused();
  await field.fill("call Ana on Monday\nbuy milk\n");
  await app.keyboard.press("Control+Enter");
  await expect(app.getByRole("button", { name: "Add 2 tasks" })).toBeEnabled();
  expect(await titles(server)).toEqual([]);

  await app.getByRole("button", { name: "Change the text" }).click();
  await field.fill("call Ana\nbuy oat milk\n");
  await app.getByRole("button", { name: "Read the changed text" }).click();
  await expect(app.getByRole("article", { name: "buy oat milk" })).toBeVisible();
  expect(await titles(server)).toEqual([]);
  await app.getByRole("button", { name: "Add 2 tasks" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "2 tasks were added" })).toBeVisible();
  expect(await titles(server)).toEqual(["buy oat milk", "call Ana"]);
});

for (const way of ["the key", "a click"] as const) {
  test(`a title that is being typed is added by ${way} as it was typed`, async ({ app, server }) => {
    await drop(app, [{ name: "move.md", text: MOVE }]);
    await expect(app.getByRole("button", { name: "Add 4 tasks" })).toBeEnabled();
    await app.getByRole("textbox", { name: "Title of task 3" }).fill("Fetch the boxes");
    if (way === "the key") await app.keyboard.press("Control+Enter");
    else await app.getByRole("button", { name: "Add 4 tasks" }).click();
    await expect(app.getByRole("heading", { level: 1, name: "4 tasks were added" })).toBeVisible();
    expect(await titles(server)).toEqual(["Fetch the boxes", ...MOVE_TITLES.slice(1)]);
  });
}

test("Escape closes the text that is edited before it leaves the plan, and the focus is where one goes on", async ({ app }) => {
  await paste(app, "call Ana\nbuy milk\n");
  const change = app.getByRole("button", { name: "Change the text" });
  const field = app.getByRole("textbox", { name: "Text of" });
  await change.click();
  await expect(field).toBeFocused();
  await app.keyboard.press("Escape");
  await expect(field).toBeHidden();
  await expect(change).toBeFocused();
  await change.click();
  await app.getByRole("button", { name: "Read it" }).focus();
  await app.keyboard.press("Escape");
  await expect(field).toBeHidden();
  await expect(app).toHaveURL(/\/import$/);
  await expect(app.getByRole("heading", { level: 1, name: "2 tasks from your list" })).toBeVisible();
});

test("Escape drops a corrected plan as Cancel does, with Undo", async ({ app, server }) => {
  await app.goto(`${server.address}/agents`);
  await drop(app, [{ name: "move.md", text: MOVE }]);
  await app.getByRole("button", { name: "Line 12: Task. Change" }).click();
  await app.keyboard.press("j");
  await expect(app.getByText("You joined")).toBeVisible();
  await expect(app.getByRole("menu")).toBeHidden();
  await app.keyboard.press("Escape");
  await expect(app).toHaveURL(/\/agents$/);
  await expect(app.getByText("The plan was discarded")).toBeVisible();
  await app.getByRole("button", { name: "Undo" }).click();
  await expect(app).toHaveURL(/\/import$/);
  await expect(app.getByText("You joined")).toBeVisible();
});

test("a plan that is left for another page is kept apart from the next list", async ({ app, server }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  await app.getByRole("button", { name: "Line 12: Task. Change" }).click();
  await app.keyboard.press("j");
  await expect(app.getByText("You joined")).toBeVisible();
  await app.getByRole("navigation").getByRole("link", { name: "Agents" }).click();
  await expect(app.getByText("Your plan for move.md is kept.")).toBeVisible();
  await drop(app, [{ name: "plants.md", text: "## Water the plants\n\n- [ ] The fern\n" }]);
  await expect(app.getByRole("heading", { level: 1, name: "1 task from plants.md" })).toBeVisible();
  await expect(app.getByText("You joined")).toBeHidden();
  await app.getByRole("button", { name: "Add 1 task" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "1 task was added" })).toBeVisible();
  expect(await titles(server)).toEqual(["Water the plants"]);
  await app.getByRole("main").getByRole("button", { name: "Show it" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "3 tasks from move.md" })).toBeVisible();
  await expect(app.getByText("You joined")).toBeVisible();
});

test("Control Z undoes the last change to the plan, then the one before", async ({ app }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  const line = (n: number) => app.getByRole("button", { name: new RegExp(`^Line ${n}:`) });
  await line(12).click();
  await app.keyboard.press("j");
  await expect(app.getByText("You joined")).toBeVisible();
  await line(5).click();
  await app.keyboard.press("i");
  await expect(app.getByText("You made line 5 an item.")).toBeVisible();
  await app.getByRole("switch", { name: "Agent for Movers" }).uncheck();
  await app.keyboard.press("Control+z");
  await expect(app.getByRole("switch", { name: "Agent for Movers" })).toBeChecked();
  await expect(app.getByText("You made line 5 an item.")).toBeVisible();
  await app.keyboard.press("Control+z");
  await expect(app.getByText("You made line 5 an item.")).toBeHidden();
  await app.getByRole("combobox", { name: "Read as" }).selectOption("Plain lines");
  await expect(app.getByText("You joined")).toBeHidden();
  await app.keyboard.press("Control+z");
  await expect(app.getByText("You joined")).toBeVisible();
  await app.keyboard.press("Control+z");
  await expect(app.getByText("You joined")).toBeHidden();
  await expect(app.getByRole("button", { name: "Add 4 tasks" })).toBeEnabled();
  await app.keyboard.press("?");
  await expect(app.getByRole("dialog").getByText("your last change to an import plan")).toBeVisible();
});

test("a page with a pasted list or corrections asks before it is left for good", async ({ app }) => {
  await drop(app, [{ name: "move.md", text: MOVE }]);
  await expect(app.getByRole("button", { name: "Add 4 tasks" })).toBeEnabled();
  await app.getByRole("button", { name: "Line 12: Task. Change" }).click();
  await app.keyboard.press("j");
  await expect(app.getByText("You joined")).toBeVisible();
  const question = app.waitForEvent("dialog");
  void app.evaluate(() => location.reload());
  const dialog = await question;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await expect(app.getByText("You joined")).toBeVisible();

  await app.getByRole("button", { name: "Cancel" }).click();
  await expect(app.getByText("The plan was discarded")).toBeVisible();
  await app.getByRole("button", { name: "Undo" }).click();
  await expect(app.getByText("You joined")).toBeVisible();
});

test("agents are announced only where there are any", async ({ app }) => {
  await paste(app, "call Ana\nbuy milk\n");
  await app.getByRole("button", { name: "Add 2 tasks" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "2 tasks were added" })).toBeVisible();
  await expect(app.getByText("The agents are starting to read")).toBeHidden();
  await drop(app, [{ name: "move.md", text: MOVE }]);
  await app.getByRole("button", { name: "Add 4 tasks" }).click();
  await expect(app.getByText("The agents are starting to read")).toBeVisible();
});

test("on a narrow screen each choice of a plan is named and on screen", async ({ app }) => {
  await app.setViewportSize({ width: 390, height: 844 });
  await drop(app, [{ name: "trip.md", text: "# Trip\n\n## Book the train\nDue: 3/4\n- [ ] a\n- [ ] b\n\n## Pack\n- [ ] c\n" }]);
  await expect(app.getByRole("button", { name: "Add 2 tasks" })).toBeEnabled();
  const choices = app.getByRole("group", { name: "How to read it" });
  await expect(choices.getByRole("combobox", { name: "Read as" })).toBeInViewport({ ratio: 1 });
  for (const name of ["Read as", "Dates like 3/4", "An agent for"]) {
    await expect(choices.getByText(name, { exact: true })).toBeInViewport({ ratio: 1 });
    for (const choice of await choices.getByRole("group", { name }).getByRole("button").all()) await expect(choice).toBeInViewport({ ratio: 1 });
  }
});

test("a list that is imported again names the task it changes, and in what", async ({ app, server }) => {
  const text = (due: string): string => `# Bathroom\n\n## Bath\nDue: ${due}\n- [ ] tiles\n- [ ] paint\n\n## Kitchen\n- [ ] oven\n`;
  await drop(app, [{ name: "rooms.md", text: text("2031-02-01") }]);
  await app.getByRole("button", { name: "Add 2 tasks" }).click();
  await expect(app.getByRole("heading", { level: 1, name: "2 tasks were added" })).toBeVisible();
  await server.ask("PATCH", `/api/journal/tasks/${await taskId(server, "Bath")}`, { title: "The bath upstairs", dueOn: "2031-02-10" });
  await drop(app, [{ name: "rooms.md", text: text("2031-02-15").replace("paint", "paint\n- [ ] drain") }]);
  const bath = app.getByRole("article", { name: "Bath" });
  await expect(bath).toContainText("Changes item drain");
  await expect(bath).toContainText("Kept as it is in Dormouse: due date.");
  await bath.getByRole("link", { name: "changes “The bath upstairs”" }).click();
  await expect(app.getByRole("heading", { level: 1 })).toContainText("The bath upstairs");
  await app.goBack();
  await expect(bath).toContainText("Changes item drain");
});

test("a note with front matter is one block beside its task", async ({ app }) => {
  await drop(app, [{ name: "move.md", text: "---\ntitle: Move\ntags: [flat]\ndue: 2031-02-01\n---\n# Move\n\n- [ ] a\n- [ ] b\n" }]);
  await expect(app.getByRole("button", { name: "Add 1 task" })).toBeEnabled();
  await expect(app.getByRole("article", { name: "Move" })).toBeVisible();
  await expect(app.getByText("Formatting only.")).toBeHidden();
  await expect(app.getByText("More of Move")).toBeHidden();
});
