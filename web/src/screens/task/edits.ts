// Edits of a task: shown at once, sent in order, told when they are refused.

import { asProblem } from "../../api/problem";
import type { Schemas } from "../../api/client";
import { mail } from "../../app/mail";
import { router } from "../../app/router.svelte";
import { toasts } from "../../app/toasts.svelte";
import { t } from "../../i18n/index.svelte";
import { optimistically } from "../../live/outbox.svelte";
import { live } from "../../live/store.svelte";
import { kept } from "../tasks/kept.svelte";
import { questions, readTask, type Entry, type Named, type Task } from "./data";
import { idsOf, titleOf, withPart } from "./rules";

export { isNew } from "./rules";

type Patch = Schemas["TaskPatch"];

const root = (id: string): string => `/api/journal/tasks/${id}`;

/** Sends an edit of a task and shows it meanwhile. Throws the problem of a refusal. */
async function over(task: Task, edit: (task: Task) => Task, send: () => Promise<unknown>): Promise<void> {
  const resource = live.of(questions.task(task.id));
  await optimistically([{ resource, edit }], send);
}

/** The same, and a refusal is told in a toast. Says whether it was taken. */
async function told(what: string, edit: Promise<void>): Promise<boolean> {
  try {
    await edit;
    return true;
  } catch (error) {
    toasts.refuse(what, asProblem(error));
    return false;
  }
}

function patched(task: Task, patch: Patch): Task {
  const { category, ...rest } = patch;
  const next = { ...task } as Record<string, unknown>;
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) next[key] = value;
  if (patch.status !== undefined && patch.statusReason === undefined) next["statusReason"] = null;
  if (category !== undefined) next["category"] = category === null ? null : { id: category, name: category };
  return next as unknown as Task;
}

/** Sets fields; the last to set one wins. Throws. */
export function setFields(task: Task, patch: Patch, field: string): Promise<void> {
  const what = t("task.what.field", { field, title: titleOf(task) });
  return over(task, (was) => patched(was, patch), () => mail.send({ method: "PATCH", path: root(task.id), body: patch, what }));
}

export function setField(task: Task, patch: Patch, field: string): Promise<boolean> {
  return told(field, setFields(task, patch, field));
}

/** How often an edit is sent again because something else of the task changed. */
const TRIES = 4;

/**
 * Sets the title where it is still the one that was seen.
 *
 * Throws: the problem of a refusal; `precondition-failed` when it changed elsewhere.
 */
export function setTitle(task: Task, title: string, seen: string): Promise<void> {
  const what = t("task.what.title", { title: titleOf(task) });
  return over(
    task,
    (was) => ({ ...was, title }),
    async () => {
      let { revision } = task;
      for (let left = TRIES; ; left -= 1) {
        // Behind edits of one's own that wait, no revision is known.
        const guard = mail.waiting === 0 ? { ifMatch: `"${revision}"` } : {};
        try {
          return await mail.send({ method: "PATCH", path: root(task.id), body: { title }, what, ...guard });
        } catch (error) {
          if (asProblem(error).status !== 412) throw error;
          // The whole task has one revision: an edit of anything else is no conflict with this one.
          const now = await readTask(task.id);
          live.of(questions.task(task.id)).settle(now);
          if (now.title !== seen || left === 0) throw error;
          revision = now.revision;
        }
      }
    },
  );
}

type ItemPatch = { title?: string; isChecked?: boolean; isArchived?: boolean };

export function setItem(task: Task, item: { id: string; title: string }, patch: ItemPatch): Promise<void> {
  const what = t("task.what.item", { title: item.title });
  return over(
    task,
    (was) => ({
      ...was,
      items: was.items.map((one) => (one.id === item.id ? { ...one, ...patch, ...(patch.isChecked === undefined ? {} : { checkedBy: "user" as const }) } : one)),
    }),
    () => mail.send({ method: "PATCH", path: `${root(task.id)}/checklist-items/${item.id}`, body: patch, what }),
  );
}

export function changeItem(task: Task, item: { id: string; title: string }, patch: ItemPatch): Promise<boolean> {
  return told(t("task.what.item", { title: item.title }), setItem(task, item, patch));
}

export function addItem(task: Task, title: string): Promise<void> {
  const id = `new-${crypto.randomUUID()}`;
  const item = { id, checklist: task.items.at(-1)?.checklist ?? "", title, isChecked: false, isArchived: false, checkedBy: "user" as const, checkedAt: null, depth: 0 };
  const known = idsOf(task.items);
  return over(
    task,
    (was) => ({ ...was, items: withPart(was.items, known, item, (one) => one.title === title) }),
    () => mail.send({ method: "POST", path: `${root(task.id)}/checklist-items`, body: { title }, what: t("task.what.item", { title }) }),
  );
}

function written(task: Task, entry: Pick<Entry, "kind" | "text" | "minutes" | "on">): (task: Task) => Task {
  const whole: Entry = { id: `new-${crypto.randomUUID()}`, createdAt: new Date().toISOString(), ...entry };
  const known = idsOf(task.entries);
  return (was) => ({ ...was, entries: withPart(was.entries, known, whole, (one) => one.kind === entry.kind && one.text === entry.text) });
}

/** The day it is here. */
export function localDay(date: Date = new Date()): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function addNote(task: Task, text: string): Promise<void> {
  const entry = { kind: "text", text, minutes: null, on: localDay() } as const;
  return over(task, written(task, entry), () =>
    mail.send({ method: "POST", path: `${root(task.id)}/entries`, body: { text, on: entry.on }, what: t("task.what.note", { title: titleOf(task) }) }),
  );
}

export function addTime(task: Task, time: { minutes: number; on: string; text: string }): Promise<void> {
  const edit = written(task, { kind: "time", ...time });
  return over(
    task,
    (was) => {
      const next = edit(was);
      return next.entries === was.entries ? was : { ...next, timeSpentMinutes: was.timeSpentMinutes + time.minutes };
    },
    () => mail.send({ method: "POST", path: `${root(task.id)}/time-entries`, body: time, what: t("task.what.time", { title: titleOf(task) }) }),
  );
}

export function setEntry(task: Task, entry: Entry, text: string): Promise<void> {
  return over(
    task,
    (was) => ({ ...was, entries: was.entries.map((one) => (one.id === entry.id ? { ...one, text } : one)) }),
    () => mail.send({ method: "PATCH", path: `${root(task.id)}/entries/${entry.id}`, body: { text }, what: t("task.what.note", { title: titleOf(task) }) }),
  );
}

export async function deleteEntry(task: Task, entry: Entry): Promise<void> {
  const what = t("task.what.note", { title: titleOf(task) });
  const path = `${root(task.id)}/entries/${entry.id}`;
  const gone = over(
    task,
    (was) => ({ ...was, entries: was.entries.filter((one) => one.id !== entry.id) }),
    () => mail.send({ method: "DELETE", path, what }),
  );
  toasts.tell(t("task.entryDeleted"), {
    label: t("do.undo"),
    run: () =>
      void told(
        what,
        over(
          task,
          (was) => (was.entries.some((one) => one.id === entry.id) ? was : { ...was, entries: [...was.entries, entry] }),
          () => mail.send({ method: "POST", path: `${path}/restore`, what }),
        ),
      ),
  });
  await told(what, gone);
}

export function addLabel(task: Task, label: Named): Promise<boolean> {
  const what = t("task.what.label", { name: label.name });
  return told(
    what,
    over(
      task,
      (was) => (was.labels.some((one) => one.id === label.id) ? was : { ...was, labels: [...was.labels, label] }),
      () => mail.send({ method: "POST", path: `${root(task.id)}/labels`, body: { name: label.name }, what }),
    ),
  );
}

export function removeLabel(task: Task, label: Named): Promise<boolean> {
  const what = t("task.what.label", { name: label.name });
  return told(
    what,
    over(
      task,
      (was) => ({ ...was, labels: was.labels.filter((one) => one.id !== label.id) }),
      () => mail.send({ method: "DELETE", path: `${root(task.id)}/labels/${label.id}`, what }),
    ),
  );
}

/** Links two tasks; with `isBack` it is the other that says what it is to this one. Throws. */
export function addLink(task: Task, kind: string, isBack: boolean, other: { id: string; title: string; status: Task["status"] }): Promise<void> {
  const link = { id: `new-${crypto.randomUUID()}`, kind, direction: isBack ? ("in" as const) : ("out" as const), task: other, createdAt: new Date().toISOString() };
  const [from, to] = isBack ? [other.id, task.id] : [task.id, other.id];
  return over(
    task,
    (was) => ({ ...was, links: [link, ...was.links] }),
    () => mail.send({ method: "POST", path: `${root(from)}/links`, body: { kind, to }, what: t("task.what.link", { title: titleOf(task) }) }),
  );
}

export function removeLink(task: Task, link: { id: string }): Promise<boolean> {
  const what = t("task.what.link", { title: titleOf(task) });
  return told(
    what,
    over(
      task,
      (was) => ({ ...was, links: was.links.filter((one) => one.id !== link.id) }),
      () => mail.send({ method: "DELETE", path: `${root(task.id)}/links/${link.id}`, what }),
    ),
  );
}

/** The screens that are about a task alone. */
export function placesOf(task: Task): string[] {
  return [`/tasks/${task.id}`, ...(task.agent ? [`/agents/${task.agent}`] : [])];
}

export async function restoreTask(task: Task): Promise<void> {
  const what = t("task.what.restore", { title: titleOf(task) });
  router.restore(placesOf(task));
  kept.list.expect(task.id);
  await told(what, over(task, (was) => ({ ...was, deletedAt: null }), () => mail.send({ method: "POST", path: `${root(task.id)}/restore`, what })));
}

export async function deleteTask(task: Task): Promise<void> {
  const what = t("task.what.delete", { title: titleOf(task) });
  const gone = over(
    task,
    (was) => ({ ...was, deletedAt: new Date().toISOString() }),
    () => mail.send({ method: "DELETE", path: root(task.id), what }),
  );
  toasts.tell(t("task.deleted", { title: titleOf(task) }), { label: t("do.undo"), run: () => void restoreTask(task) });
  await told(what, gone);
}

export async function addAgent(task: Task): Promise<boolean> {
  const what = t("task.what.agent", { title: titleOf(task) });
  try {
    const agent = await mail.send<{ displayName: string }>({ method: "POST", path: `${root(task.id)}/agent`, body: {}, what });
    toasts.tell(t("task.agentAdded", { name: agent.displayName }));
    await live.of(questions.task(task.id)).refresh();
    return true;
  } catch (error) {
    toasts.refuse(what, asProblem(error));
    return false;
  }
}

/** Wakes an agent now. */
export async function updateNow(agent: { id: string; displayName: string }): Promise<void> {
  const what = t("task.what.wake", { name: agent.displayName });
  const sent = mail.send({ method: "POST", path: `/api/agents/${agent.id}/wake`, body: {}, what });
  if (await told(what, sent.then(() => undefined))) toasts.tell(t("task.asked", { name: agent.displayName }));
}
