// Actions on conversations. A refusal is shown.

import { api, idempotencyKey, unwrap } from "../../api/client";
import { asProblem } from "../../api/problem";
import { router } from "../../app/router.svelte";
import { toasts } from "../../app/toasts.svelte";
import { t } from "../../i18n/index.svelte";
import { live } from "../../live/store.svelte";
import type { Conversation } from "./data";

/** Opens the conversation in which work was begun, or one of its own. */
export async function openConversation(work: { id: string; title: string }): Promise<void> {
  try {
    const opened = await unwrap(api.POST("/api/tasks/{work}/conversation", { params: { path: { work: work.id } } }));
    router.go(`/conversations/${opened.id}`);
  } catch (error) {
    toasts.showRefusal(t("conversations.what.open", { title: work.title }), asProblem(error));
  }
}

/** Whether it was deleted. */
export async function deleteConversation(conversation: Conversation): Promise<boolean> {
  const header = { "Idempotency-Key": idempotencyKey() };
  try {
    await unwrap(api.DELETE("/api/conversations/{conversation}", { params: { path: { conversation: conversation.id }, header } }));
    return true;
  } catch (error) {
    toasts.showRefusal(t("conversations.what.delete", { title: conversation.title }), asProblem(error));
    return false;
  } finally {
    live.invalidatePrefix("conversations/");
  }
}
