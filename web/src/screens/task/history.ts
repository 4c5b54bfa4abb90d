// The history of a task as text.

import { has, t, valueText, type Key } from "../../i18n/index.svelte";
import { formatValue } from "../review/describe";
import type { Activity } from "./data";

type What = Activity["what"][number];

/** Who made a change: the person, the agent by name, or another source. */
export function originName(origin: string, agentName: string | undefined): string {
  return origin === "agent" && agentName !== undefined ? agentName : valueText("task.origin", origin);
}

/** One step of the history. A newer server may have other kinds. */
export function describeStep(what: What): string {
  switch (what.what) {
    case "fieldSet": {
      const values = { field: valueText("task.field", what.field.type), from: formatValue(what.from ?? null), to: formatValue(what.to ?? null) };
      const reason = what.to?.type === "status" ? what.to.reason : null;
      return reason ? t("task.did.setBecause", { ...values, reason }) : t("task.did.set", values);
    }
    case "itemChecked":
      return t(what.isChecked ? "task.did.itemTicked" : "task.did.itemUnticked", { title: what.title });
    case "entryFlagged": {
      const keys = what.isSet
        ? ({ starred: "task.did.entryStarred", private: "task.did.entryPrivate" } as const)
        : ({ starred: "task.did.entryUnstarred", private: "task.did.entryOpened" } as const);
      return t(keys[what.flag]);
    }
    case "itemArchived":
      return t(what.isArchived ? "task.did.itemArchived" : "task.did.itemBack", { title: what.title });
    default: {
      const key = `task.did.${what.what}`;
      const texts = Object.entries(what as Record<string, unknown>).filter((part): part is [string, string] => typeof part[1] === "string");
      return has(key) ? t(key as Key, Object.fromEntries(texts)) : t("task.did.unknown");
    }
  }
}
