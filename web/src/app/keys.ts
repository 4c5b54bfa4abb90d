// Single keys, and two in a row: `g t`. They never fire inside a field, and can be turned off.

type Action = (event: KeyboardEvent) => void;

const actions = new Map<string, Action[]>();
let first: { key: string; at: number } | undefined;

/** Units: milliseconds. The second key of two comes within this time. */
const TOGETHER = 1_500;

const PLACE = "dormouse.keys";

export function keysAreOn(): boolean {
  return localStorage.getItem(PLACE) !== "off";
}

export function setKeys(on: boolean): void {
  localStorage.setItem(PLACE, on ? "on" : "off");
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
}

/**
 * Runs something on a key: `j`, `Enter`, `g t`, `mod+k` (Ctrl or Command, also inside fields), `dialog y`
 * (while a dialog is open; the others rest then). Who came last is asked alone. Gives what ends it.
 */
export function onKey(keys: string, action: Action): () => void {
  const all = actions.get(keys) ?? [];
  actions.set(keys, [...all, action]);
  return () => {
    actions.set(keys, (actions.get(keys) ?? []).filter((other) => other !== action));
  };
}

/** Runs each of these; gives what ends them all: `$effect(() => bind({ j: next, k: previous }))`. */
export function bind(table: Record<string, Action>): () => void {
  const ends = Object.entries(table).map(([keys, action]) => onKey(keys, action));
  return () => ends.forEach((end) => end());
}

function run(name: string, event: KeyboardEvent): boolean {
  const action = actions.get(name)?.at(-1);
  if (action === undefined) return false;
  event.preventDefault();
  action(event);
  return true;
}

/** Listens from here on. */
export function startKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.metaKey || event.ctrlKey) {
      // Inside a field this takes back what was typed.
      if (key === "z" && isTyping(event.target)) return;
      run(`mod+${key}`, event);
      return;
    }
    if (event.altKey || isTyping(event.target)) return;
    const inDialog = document.querySelector("[role=dialog], [role=menu]") !== null;
    if (key.length === 1 && !keysAreOn()) return;
    const before = first;
    first = undefined;
    if (before !== undefined && event.timeStamp - before.at < TOGETHER) {
      if (!inDialog && run(`${before.key} ${key}`, event)) return;
    }
    const scope = inDialog ? `dialog ${key}` : key;
    if (run(scope, event)) return;
    if (!inDialog && [...actions.keys()].some((name) => name.startsWith(`${key} `))) {
      first = { key, at: event.timeStamp };
    }
  });
}
