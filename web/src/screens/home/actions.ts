// What the person does with the list of what needs them.

import { api, unwrap } from "../../api/client";
import { asProblem } from "../../api/problem";
import { toasts } from "../../app/toasts.svelte";
import { t } from "../../i18n/index.svelte";
import type { AttentionItem } from "../../live/queries";
import { live } from "../../live/store.svelte";

const at = (item: AttentionItem): { params: { path: { need: string } } } => ({ params: { path: { need: item.id } } });

async function tried(subject: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toasts.showRefusal(t("home.acknowledging", { subject }), asProblem(error));
    return false;
  } finally {
    live.invalidatePrefix("attention");
  }
}

/** Takes an entry off the list until something new happens; it can be put back. */
export async function acknowledge(item: AttentionItem, subject: string): Promise<void> {
  const back = (): void => void tried(subject, () => unwrap(api.DELETE("/api/needs-attention/{need}/acknowledgement", at(item))));
  const put = (): Promise<unknown> => unwrap(api.PUT("/api/needs-attention/{need}/acknowledgement", { ...at(item), body: { since: item.since } }));
  if (await tried(subject, put)) toasts.show(t("home.acknowledged", { subject }), { label: t("do.undo"), run: back });
}
