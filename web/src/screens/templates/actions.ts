// Writes to templates. Each names the revision that the person saw, and its answer is shown at once.

import { api, idempotencyKey, unwrap, type Schemas } from "../../api/client";
import { asProblem } from "../../api/problem";
import { toasts } from "../../app/toasts.svelte";
import { t, type Key } from "../../i18n/index.svelte";
import { live } from "../../live/store.svelte";
import { queries, type EvolutionDetail, type Template, type TemplateDetail } from "./data";

const keyed = (): { "Idempotency-Key": string } => ({ "Idempotency-Key": idempotencyKey() });
const at = (revision: number): { "Idempotency-Key": string; "If-Match": string } => ({ ...keyed(), "If-Match": `"${revision}"` });

/** Shows a template as a write left it, and reads again what else it moved. */
function take(detail: TemplateDetail): TemplateDetail {
  const { id } = detail.template;
  live.resourceFor(queries.detail(id))?.settle(detail);
  live.invalidatePrefix("templates/list");
  live.invalidatePrefix(`templates/version`);
  return detail;
}

/** Throws: a `Problem`. */
export async function createTemplate(body: Schemas["TemplateParams"]): Promise<TemplateDetail> {
  return take(await unwrap(api.POST("/api/templates", { params: { header: keyed() }, body })));
}

/** Throws: a `Problem`. */
export async function duplicateTemplate(id: string, name: string | null): Promise<TemplateDetail> {
  return take(await unwrap(api.POST("/api/templates/{template}/duplicate", { params: { path: { template: id }, header: keyed() }, body: { name } })));
}

/**
 * Changes a template as it was at this revision.
 *
 * Throws: a `Problem`; 412 if it was changed since.
 */
export async function editTemplate(id: string, revision: number, body: Schemas["TemplatePatch"]): Promise<TemplateDetail> {
  return take(await unwrap(api.PATCH("/api/templates/{template}", { params: { path: { template: id }, header: at(revision) }, body })));
}

/** Throws: a `Problem`. */
export async function deleteTemplate(template: Template): Promise<void> {
  await unwrap(api.DELETE("/api/templates/{template}", { params: { path: { template: template.id }, header: at(template.revision) } }));
  live.invalidatePrefix("templates/list");
}

/** Whether it succeeded; a refusal is shown, and everything is read again. */
async function tried(label: Key, values: Record<string, string | number>, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toasts.showRefusal(t(label, values), asProblem(error));
    live.invalidatePrefix("templates/");
    return false;
  }
}

export async function setArchived(template: Template, archived: boolean): Promise<void> {
  const name = template.displayName;
  const set = (revision: number, to: boolean): Promise<TemplateDetail> => editTemplate(template.id, revision, { archived: to });
  let revision = template.revision;
  const isDone = await tried(archived ? "templates.what.archive" : "templates.what.restore", { name }, async () => (revision = (await set(revision, archived)).template.revision));
  if (!isDone) return;
  const undo = (): void => void tried(archived ? "templates.what.restore" : "templates.what.archive", { name }, () => set(revision, !archived));
  toasts.show(t(archived ? "templates.archived" : "templates.restored", { name }), { label: t("do.undo"), run: undo });
}

export async function activateVersion(template: Template, n: number): Promise<void> {
  const act = async (): Promise<unknown> =>
    take(await unwrap(api.POST("/api/templates/{template}/versions/{n}/activate", { params: { path: { template: template.id, n }, header: at(template.revision) } })));
  if (await tried("templates.what.activate", { version: n }, act)) toasts.show(t("templates.activated", { version: n }));
}

/** Makes a new version with the texts and settings of an older one. */
export async function rollBack(template: Template, n: number): Promise<void> {
  let made = 0;
  const act = async (): Promise<void> => {
    const detail = take(await unwrap(api.POST("/api/templates/{template}/versions/{n}/rollback", { params: { path: { template: template.id, n }, header: at(template.revision) } })));
    made = detail.template.newestVersion;
  };
  if (await tried("templates.what.rollBack", { version: n }, act)) toasts.show(t("templates.rolledBack", { version: n, made }));
}

/** Makes it the template of new agents in these categories, and in no other. */
export async function setCategories(template: Template, categoryIds: string[]): Promise<boolean> {
  return tried("templates.what.categories", { name: template.displayName }, () => editTemplate(template.id, template.revision, { categoryIds }));
}

/** Shows a session as a write left it. One that has ended is in the list of past ones. */
function takeSession(template: string, detail: EvolutionDetail): EvolutionDetail {
  live.resourceFor(queries.evolution(template))?.settle(detail.session.status === "active" ? detail : null);
  live.invalidatePrefix(`templates/evolutions/${template}`);
  return detail;
}

const onSession = (template: string): { path: { template: string }; header: { "Idempotency-Key": string } } => ({ path: { template }, header: keyed() });

/**
 * Starts a session. Without a message the model says what it finds by itself.
 *
 * Throws: a `Problem`; 409 if one goes on.
 */
export async function startEvolution(template: string, message: string): Promise<EvolutionDetail> {
  const body = { message: message === "" ? null : message };
  return takeSession(template, await unwrap(api.POST("/api/templates/{template}/evolution", { params: onSession(template), body })));
}

/** Throws: a `Problem`. */
export async function sayInEvolution(template: string, message: string): Promise<EvolutionDetail> {
  return takeSession(template, await unwrap(api.POST("/api/templates/{template}/evolution/messages", { params: onSession(template), body: { message } })));
}

/** Makes a proposal the active version. Undo makes the version before active again. */
export async function approveEvolution(template: Template, proposal: number, baseVersion: number): Promise<boolean> {
  let version = 0;
  const act = async (): Promise<void> => {
    const detail = take(await unwrap(api.POST("/api/templates/{template}/evolution/approve", { params: onSession(template.id), body: { proposal, baseVersion } })));
    version = detail.template.newestVersion;
    live.resourceFor(queries.evolution(template.id))?.settle(null);
    live.invalidatePrefix(`templates/evolutions/${template.id}`);
    const undo = (): void => void activateVersion(detail.template, baseVersion);
    toasts.show(t("templates.activated", { version }), { label: t("do.undo"), run: undo });
  };
  return tried("templates.what.approve", { name: template.displayName }, act);
}

export async function rejectEvolution(template: Template, proposal: number, reason: string): Promise<boolean> {
  const body = { proposal, reason };
  return tried("templates.what.reject", { name: template.displayName }, async () =>
    takeSession(template.id, await unwrap(api.POST("/api/templates/{template}/evolution/reject", { params: onSession(template.id), body }))),
  );
}

export async function cancelAnswer(template: Template): Promise<boolean> {
  return tried("templates.what.cancelAnswer", { name: template.displayName }, async () =>
    takeSession(template.id, await unwrap(api.POST("/api/templates/{template}/evolution/cancel", { params: onSession(template.id) }))),
  );
}

export async function abandonEvolution(template: Template): Promise<boolean> {
  return tried("templates.what.abandon", { name: template.displayName }, async () =>
    takeSession(template.id, await unwrap(api.POST("/api/templates/{template}/evolution/abandon", { params: onSession(template.id) }))),
  );
}
