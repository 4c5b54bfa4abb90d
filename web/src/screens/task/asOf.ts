// What changed since a wake, by the parts of the task that it concerns.

import { api, unwrap, type Schemas } from "../../api/client";
import { isAgentEvent, touchesTask } from "../../live/queries";
import type { Query } from "../../live/store.svelte";
import type { Activity, Item } from "./data";

export type TaskAtWake = Schemas["TaskAtWake"];

/** What happened to an item or an entry since, and when. */
export interface Since {
  did: "added" | "ticked" | "unticked" | "archived" | "moved" | "renamed" | "edited" | "deleted";
  at: string;
}

/** The later changes of a task, by what they are about. */
export interface LaterChanges {
  /** By item or entry. Only the last change of each. */
  parts: Map<string, Since>;
  /** Items that were added since and are still there. */
  added: { id: string; title: string; at: string }[];
  /** The names of fields that were set since. */
  fields: Set<string>;
  /** Whether a label was added or removed since. */
  labels: boolean;
}

export function asOfQuery(task: string, agent: string, runKey: string): Query<TaskAtWake> {
  return {
    key: `as-of/${agent}/${runKey}`,
    load: () => unwrap(api.GET("/api/agents/{agent}/wakes/{runKey}/task", { params: { path: { agent, runKey } } })),
    // What was is the same for ever; its outcome is not.
    invalidatedBy: (event) => touchesTask(task)(event) || (isAgentEvent(event) && event.subject === agent),
  };
}

/** Sorts the changes since a wake by what they are about. `items` are those of the task then. */
export function laterChanges(since: readonly Activity[], items: readonly Pick<Item, "id">[]): LaterChanges {
  const known = new Set(items.map((item) => item.id));
  const parts = new Map<string, Since>();
  const added = new Map<string, { id: string; title: string; at: string }>();
  const fields = new Set<string>();
  let labels = false;
  const note = (id: string, did: Since["did"], at: string): void => void parts.set(id, { did, at });
  for (const { what, at } of since) {
    for (const one of what) {
      switch (one.what) {
        case "fieldSet":
          fields.add(one.field.type);
          break;
        case "itemAdded":
          if (!known.has(one.item)) added.set(one.item, { id: one.item, title: one.title, at });
          break;
        case "itemChecked":
          note(one.item, one.isChecked ? "ticked" : "unticked", at);
          break;
        case "itemRenamed": {
          const young = added.get(one.item);
          if (young !== undefined) added.set(one.item, { ...young, title: one.to });
          note(one.item, "renamed", at);
          break;
        }
        case "itemArchived":
          if (one.isArchived) {
            added.delete(one.item);
            note(one.item, "archived", at);
          } else parts.delete(one.item);
          break;
        case "itemMoved":
          if (known.has(one.item)) note(one.item, "moved", at);
          else if (added.has(one.item)) added.delete(one.item);
          else added.set(one.item, { id: one.item, title: one.title, at });
          break;
        case "entryEdited":
          note(one.entry, "edited", at);
          break;
        case "entryDeleted":
          note(one.entry, "deleted", at);
          break;
        case "entryRestored":
          parts.delete(one.entry);
          break;
        case "labelAdded":
        case "labelRemoved":
          labels = true;
          break;
        default:
          break;
      }
    }
  }
  return { parts, added: [...added.values()], fields, labels };
}
