// Edits made from the list.

import { asProblem } from "../../api/problem";
import { outbox } from "../../app/outbox";
import { router } from "../../app/router.svelte";
import { toasts } from "../../app/toasts.svelte";
import { t, valueText } from "../../i18n/index.svelte";
import type { Row } from "./data";
import type { TaskList } from "./list.svelte";

/** Whether a status requires a reason. */
export function needsReason(status: Row["status"]): boolean {
  return status === "BLOCKED" || status === "ON HOLD";
}

const titleOf = (row: Row): string => (row.title === "" ? t("tasks.untitled") : row.title);

/** Sets the status: shown immediately, reverted if rejected. */
export async function setStatus(list: TaskList, row: Row, status: Row["status"], reason?: string): Promise<void> {
  const description = t("tasks.statusWhat", { title: titleOf(row), status: valueText("status", status) });
  const removeOverlay = list.addOverlay(row.id, { status: status as Row["status"] });
  try {
    const body = reason === undefined ? { status } : { status, statusReason: reason };
    await outbox.send({ method: "PATCH", path: `/api/journal/tasks/${row.id}`, body, description });
    list.settle(row.id, { status: status as Row["status"] });
  } catch (error) {
    toasts.showRefusal(description, asProblem(error));
  } finally {
    removeOverlay();
  }
}

/** Restores a deleted task. */
export async function restore(list: TaskList, row: Row): Promise<void> {
  const description = t("tasks.restoreNamed", { title: titleOf(row) });
  router.unmarkDeleted([`/tasks/${row.id}`, ...(row.agent === null ? [] : [`/agents/${row.agent}`])]);
  try {
    await outbox.send({ method: "POST", path: `/api/journal/tasks/${row.id}/restore`, description });
    list.settle(row.id, { deletedAt: null });
    toasts.show(t("tasks.restored", { title: titleOf(row) }));
  } catch (error) {
    toasts.showRefusal(description, asProblem(error));
  }
}
