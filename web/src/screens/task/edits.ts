// Edits of a task: shown immediately, sent in order, reported if rejected.

import { asProblem } from "../../api/problem";
import type { Schemas } from "../../api/client";
import { outbox } from "../../app/outbox";
import { router } from "../../app/router.svelte";
import { toasts } from "../../app/toasts.svelte";
import { dayAt, t } from "../../i18n/index.svelte";
import { optimistically } from "../../live/outbox.svelte";
import { live } from "../../live/store.svelte";
import type { Flag } from "../../ui/flag";
import { savedList } from "../tasks/savedList.svelte";
import { queries, readTask, type Entry, type Named, type Task } from "./data";
import { idsOf, titleOf, withPending } from "./rules";

export { isPending } from "./rules";

type Patch = Schemas["TaskPatch"];

const taskPath = (id: string): string => `/api/journal/tasks/${id}`;

/** Sends an edit of a task and shows its effect meanwhile. Throws the problem of a rejection. */
async function withOverlay(task: Task, edit: (task: Task) => Task, send: () => Promise<unknown>): Promise<void> {
  const resource = live.resourceFor(queries.task(task.id));
  // A link to this task is a write to the other one, and answers with that.
  const fromAnswer = (answer: unknown): Task | undefined => ((answer as Task | undefined)?.id === task.id ? (answer as Task) : undefined);
  const cursorOf = (answer: unknown): string | undefined => fromAnswer(answer)?.cursor ?? undefined;
  await optimistically([{ resource, edit, fromAnswer, cursorOf }], send);
}

/** Reports a rejection in a toast. Returns whether the edit succeeded. */
async function reportRefusal(description: string, edit: Promise<void>): Promise<boolean> {
  try {
    await edit;
    return true;
  } catch (error) {
    toasts.showRefusal(description, asProblem(error));
    return false;
  }
}

function applyPatch(task: Task, patch: Patch): Task {
  const { category, ...rest } = patch;
  const next = { ...task } as Record<string, unknown>;
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) next[key] = value;
  if (patch.status !== undefined && patch.statusReason === undefined) next["statusReason"] = null;
  if (category !== undefined) next["category"] = category === null ? null : { id: category, name: category };
  return next as unknown as Task;
}

/** Sets fields; the last write wins. Throws. */
export function setFields(task: Task, patch: Patch, field: string): Promise<void> {
  const description = t("task.what.field", { field, title: titleOf(task) });
  return withOverlay(task, (was) => applyPatch(was, patch), () => outbox.send({ method: "PATCH", path: taskPath(task.id), body: patch, description }));
}

export function setField(task: Task, patch: Patch, field: string): Promise<boolean> {
  return reportRefusal(field, setFields(task, patch, field));
}

/** Sets or clears a flag of the task. */
export function setFlag(task: Task, flag: Flag, on: boolean): Promise<boolean> {
  return setField(task, { [flag]: on }, t(`flag.${flag}`));
}

/** How often an edit is retried because another part of the task changed. */
const MAX_RETRIES = 4;

/**
 * Sets the title if it is still the one the person saw.
 *
 * Throws: the problem of a rejection; `precondition-failed` if the title was changed elsewhere.
 */
export function setTitle(task: Task, title: string, seen: string): Promise<void> {
  const description = t("task.what.title", { title: titleOf(task) });
  return withOverlay(
    task,
    (was) => ({ ...was, title }),
    async () => {
      let { revision } = task;
      for (let left = MAX_RETRIES; ; left -= 1) {
        // After other pending edits, the revision is unknown.
        const guard = outbox.waiting === 0 ? { ifMatch: `"${revision}"` } : {};
        try {
          return await outbox.send({ method: "PATCH", path: taskPath(task.id), body: { title }, description, ...guard });
        } catch (error) {
          if (asProblem(error).status !== 412) throw error;
          // The revision covers the whole task, so a change to another part is not a conflict.
          const now = await readTask(task.id);
          live.resourceFor(queries.task(task.id)).settle(now);
          if (now.title !== seen || left === 0) throw error;
          revision = now.revision;
        }
      }
    },
  );
}

type ItemPatch = { title?: string; isChecked?: boolean; isArchived?: boolean };

export function setItem(task: Task, item: { id: string; title: string }, patch: ItemPatch): Promise<void> {
  const description = t("task.what.item", { title: item.title });
  return withOverlay(
    task,
    (was) => ({
      ...was,
      items: was.items.map((one) => (one.id === item.id ? { ...one, ...patch, ...(patch.isChecked === undefined ? {} : { checkedBy: "user" as const }) } : one)),
    }),
    () => outbox.send({ method: "PATCH", path: `${taskPath(task.id)}/checklist-items/${item.id}`, body: patch, description }),
  );
}

export function changeItem(task: Task, item: { id: string; title: string }, patch: ItemPatch): Promise<boolean> {
  return reportRefusal(t("task.what.item", { title: item.title }), setItem(task, item, patch));
}

export function addItem(task: Task, title: string): Promise<void> {
  const id = `new-${crypto.randomUUID()}`;
  const item = { id, checklist: task.items.at(-1)?.checklist ?? "", title, isChecked: false, isArchived: false, checkedBy: "user" as const, checkedAt: null, depth: 0 };
  const known = idsOf(task.items);
  return withOverlay(
    task,
    (was) => ({ ...was, items: withPending(was.items, known, item, (one) => one.title === title) }),
    () => outbox.send({ method: "POST", path: `${taskPath(task.id)}/checklist-items`, body: { title }, description: t("task.what.item", { title }) }),
  );
}

function withEntry(task: Task, entry: Pick<Entry, "kind" | "text" | "minutes" | "on">): (task: Task) => Task {
  const whole: Entry = { id: `new-${crypto.randomUUID()}`, createdAt: new Date().toISOString(), tainted: false, starred: false, private: false, ...entry };
  const known = idsOf(task.entries);
  return (was) => ({ ...was, entries: withPending(was.entries, known, whole, (one) => one.kind === entry.kind && one.text === entry.text) });
}

export function addNote(task: Task, text: string): Promise<void> {
  const entry = { kind: "text", text, minutes: null, on: dayAt(new Date()) } as const;
  return withOverlay(task, withEntry(task, entry), () =>
    outbox.send({ method: "POST", path: `${taskPath(task.id)}/entries`, body: { text, on: entry.on }, description: t("task.what.note", { title: titleOf(task) }) }),
  );
}

export function addTime(task: Task, time: { minutes: number; on: string; text: string }): Promise<void> {
  const edit = withEntry(task, { kind: "time", ...time });
  return withOverlay(
    task,
    (was) => {
      const next = edit(was);
      return next.entries === was.entries ? was : { ...next, timeSpentMinutes: was.timeSpentMinutes + time.minutes };
    },
    () => outbox.send({ method: "POST", path: `${taskPath(task.id)}/time-entries`, body: time, description: t("task.what.time", { title: titleOf(task) }) }),
  );
}

export function setEntry(task: Task, entry: Entry, text: string): Promise<void> {
  return withOverlay(
    task,
    (was) => ({ ...was, entries: was.entries.map((one) => (one.id === entry.id ? { ...one, text } : one)) }),
    () => outbox.send({ method: "PATCH", path: `${taskPath(task.id)}/entries/${entry.id}`, body: { text }, description: t("task.what.note", { title: titleOf(task) }) }),
  );
}

/** Sets or clears a flag of an entry. */
export function setEntryFlag(task: Task, entry: Entry, flag: Flag, on: boolean): Promise<boolean> {
  const description = t("task.what.field", { field: t(`flag.${flag}`), title: titleOf(task) });
  return reportRefusal(
    description,
    withOverlay(
      task,
      (was) => ({ ...was, entries: was.entries.map((one) => (one.id === entry.id ? { ...one, [flag]: on } : one)) }),
      () => outbox.send({ method: "PATCH", path: `${taskPath(task.id)}/entries/${entry.id}`, body: { [flag]: on }, description }),
    ),
  );
}

export async function deleteEntry(task: Task, entry: Entry): Promise<void> {
  const description = t("task.what.note", { title: titleOf(task) });
  const path = `${taskPath(task.id)}/entries/${entry.id}`;
  const deletion = withOverlay(
    task,
    (was) => ({ ...was, entries: was.entries.filter((one) => one.id !== entry.id) }),
    () => outbox.send({ method: "DELETE", path, description }),
  );
  toasts.show(t("task.entryDeleted"), {
    label: t("do.undo"),
    run: () =>
      void reportRefusal(
        description,
        withOverlay(
          task,
          (was) => (was.entries.some((one) => one.id === entry.id) ? was : { ...was, entries: [...was.entries, entry] }),
          () => outbox.send({ method: "POST", path: `${path}/restore`, description }),
        ),
      ),
  });
  await reportRefusal(description, deletion);
}

export function addLabel(task: Task, label: Named): Promise<boolean> {
  const description = t("task.what.label", { name: label.name });
  return reportRefusal(
    description,
    withOverlay(
      task,
      (was) => (was.labels.some((one) => one.id === label.id) ? was : { ...was, labels: [...was.labels, label] }),
      () => outbox.send({ method: "POST", path: `${taskPath(task.id)}/labels`, body: { name: label.name }, description }),
    ),
  );
}

export function removeLabel(task: Task, label: Named): Promise<boolean> {
  const description = t("task.what.label", { name: label.name });
  return reportRefusal(
    description,
    withOverlay(
      task,
      (was) => ({ ...was, labels: was.labels.filter((one) => one.id !== label.id) }),
      () => outbox.send({ method: "DELETE", path: `${taskPath(task.id)}/labels/${label.id}`, description }),
    ),
  );
}

/** Links two tasks; with `isBack`, the link is from the other task to this one. Throws. */
export function addLink(task: Task, kind: Schemas["LinkKind"], isBack: boolean, other: Task["links"][number]["task"]): Promise<void> {
  const link = { id: `new-${crypto.randomUUID()}`, kind, direction: isBack ? ("in" as const) : ("out" as const), task: other, createdAt: new Date().toISOString() };
  const [from, to] = isBack ? [other.id, task.id] : [task.id, other.id];
  return withOverlay(
    task,
    (was) => ({ ...was, links: [link, ...was.links] }),
    () => outbox.send({ method: "POST", path: `${taskPath(from)}/links`, body: { kind, to }, description: t("task.what.link", { title: titleOf(task) }) }),
  );
}

export function removeLink(task: Task, link: { id: string }): Promise<boolean> {
  const description = t("task.what.link", { title: titleOf(task) });
  return reportRefusal(
    description,
    withOverlay(
      task,
      (was) => ({ ...was, links: was.links.filter((one) => one.id !== link.id) }),
      () => outbox.send({ method: "DELETE", path: `${taskPath(task.id)}/links/${link.id}`, description }),
    ),
  );
}

/** The pages about this task only. */
export function pathsOf(task: Task): string[] {
  return [`/tasks/${task.id}`, ...(task.agent ? [`/agents/${task.agent}`] : [])];
}

export async function restoreTask(task: Task): Promise<void> {
  const description = t("task.what.restore", { title: titleOf(task) });
  router.unmarkDeleted(pathsOf(task));
  savedList.list.expectRow(task.id);
  await reportRefusal(description, withOverlay(task, (was) => ({ ...was, deletedAt: null }), () => outbox.send({ method: "POST", path: `${taskPath(task.id)}/restore`, description })));
}

export async function deleteTask(task: Task): Promise<void> {
  const description = t("task.what.delete", { title: titleOf(task) });
  const deletion = withOverlay(
    task,
    (was) => ({ ...was, deletedAt: new Date().toISOString() }),
    () => outbox.send({ method: "DELETE", path: taskPath(task.id), description }),
  );
  toasts.show(t("task.deleted", { title: titleOf(task) }), { label: t("do.undo"), run: () => void restoreTask(task) });
  await reportRefusal(description, deletion);
}

export async function addAgent(task: Task): Promise<boolean> {
  const description = t("task.what.agent", { title: titleOf(task) });
  try {
    const agent = await outbox.send<{ displayName: string }>({ method: "POST", path: `${taskPath(task.id)}/agent`, body: {}, description });
    toasts.show(t("task.agentAdded", { name: agent.displayName }));
    await live.resourceFor(queries.task(task.id)).refresh();
    return true;
  } catch (error) {
    toasts.showRefusal(description, asProblem(error));
    return false;
  }
}

export async function updateNow(agent: { id: string; displayName: string }): Promise<void> {
  const description = t("task.what.wake", { name: agent.displayName });
  const sent = outbox.send({ method: "POST", path: `/api/agents/${agent.id}/wake`, body: {}, description });
  if (await reportRefusal(description, sent.then(() => undefined))) toasts.show(t("task.waking", { name: agent.displayName }));
}
