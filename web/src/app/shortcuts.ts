// Single keys, and two in a row: `g t`. They never fire inside a field, nor while a field that the last
// key opened waits for its first letter, and can be turned off.

import type { Key } from "../i18n/index.svelte";
import { nav } from "./nav";

/**
 * Gives `false` where it did nothing: no field is on its way then.
 */
type Action = (event: KeyboardEvent) => unknown;

interface Row {
  keys: readonly string[];
  description: Key;
  /** The screen that the description names. */
  screen?: Key;
  /** Whether one of these keys opens a field: letters rest until it has the focus. */
  opens?: "field";
}

/** Every key of the app, in the order of the table that `?` shows. No other can be bound. */
export const SHORTCUTS = [
  { keys: ["mod+k"], description: "shell.keys.find", opens: "field" },
  ...nav.map((item) => ({ keys: [item.shortcut], description: "shell.keys.goTo" as const, screen: item.title })),
  { keys: ["j", "k", "ArrowDown", "ArrowUp"], description: "shell.keys.rows" },
  // What Enter opens gives the focus to its field itself.
  { keys: ["Enter"], description: "shell.keys.open" },
  { keys: ["Escape"], description: "shell.keys.back" },
  { keys: ["c"], description: "shell.keys.new", opens: "field" },
  { keys: ["/"], description: "shell.keys.search", opens: "field" },
  { keys: ["s", "p"], description: "shell.keys.menus" },
  { keys: ["d", "e", "l"], description: "shell.keys.properties", opens: "field" },
  { keys: ["r"], description: "shell.keys.review" },
  { keys: ["y", "v"], description: "shell.keys.decide" },
  { keys: ["x"], description: "shell.keys.reject", opens: "field" },
  { keys: ["mod+Enter"], description: "shell.keys.confirm" },
  { keys: ["mod+z"], description: "shell.keys.undo" },
  { keys: ["?"], description: "shell.keys.table" },
] as const satisfies readonly Row[];

type Name = (typeof SHORTCUTS)[number]["keys"][number];
/** `dialog y` works while a dialog is open; the others rest then. */
export type KeyName = Name | `dialog ${Name}`;

const opensField = new Set<string>(SHORTCUTS.flatMap((row: Row) => (row.opens === "field" ? row.keys : [])));

const actions = new Map<string, Action[]>();
let first: { key: string; at: number } | undefined;
/** When a field began to be on its way to the focus; none while none is. */
let fieldAwaitedSince: number | undefined;

/** Units: milliseconds. The second key of two comes within this time. */
const SEQUENCE_MS = 1_500;
/** Units: milliseconds. A field that has not come by then will not come. */
const FIELD_TIMEOUT_MS = 3_000;

const STORAGE_KEY = "dormouse.keys";

export function shortcutsEnabled(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== "off";
}

export function setShortcutsEnabled(on: boolean): void {
  localStorage.setItem(STORAGE_KEY, on ? "on" : "off");
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
}

/**
 * Runs something on a key: `j`, `Enter`, `g t`, `mod+k` (Ctrl or Command, also inside fields), `dialog y`.
 * Who came last is asked alone. Gives what ends it.
 */
export function onKey(keys: KeyName, action: Action): () => void {
  const all = actions.get(keys) ?? [];
  actions.set(keys, [...all, action]);
  return () => {
    actions.set(keys, (actions.get(keys) ?? []).filter((other) => other !== action));
  };
}

/** Runs each of these; gives what ends them all: `$effect(() => bind({ j: next, k: previous }))`. */
export function bindKeys(table: Partial<Record<KeyName, Action>>): () => void {
  const ends = Object.entries(table).map(([keys, action]) => onKey(keys as KeyName, action));
  return () => ends.forEach((end) => end());
}

/** A field opens and takes the focus in a moment: until then no key does anything. */
export function awaitField(): void {
  if (!isTyping(document.activeElement)) fieldAwaitedSince = performance.now();
}

function run(name: string, event: KeyboardEvent): boolean {
  const action = actions.get(name)?.at(-1);
  if (action === undefined) return false;
  event.preventDefault();
  const isDone = action(event) !== false;
  if (isDone && opensField.has(name.replace(/^dialog /, ""))) awaitField();
  return true;
}

/** Keeps a key from everybody while the field that it may be meant for is not there yet. */
function suppressWhileAwaiting(event: KeyboardEvent): void {
  if (fieldAwaitedSince === undefined) return;
  if (isTyping(event.target) || event.key === "Escape" || performance.now() - fieldAwaitedSince > FIELD_TIMEOUT_MS) {
    fieldAwaitedSince = undefined;
    return;
  }
  if (event.key === "Tab" || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * A letter that is typed beside an empty field that asks something (`data-asks`) is the first of the
 * answer: the field takes the focus before the letter is written.
 */
function focusPromptField(event: KeyboardEvent): boolean {
  // A space presses the button that has the focus.
  if (event.key.length !== 1 || event.key === " ") return false;
  const top = [...document.querySelectorAll("[role=dialog], [role=menu]")].at(-1) ?? document;
  const prompts = [...top.querySelectorAll<HTMLInputElement>("[data-asks]")];
  const field = prompts.find((one) => one.value === "" && one.checkVisibility());
  field?.focus();
  return field !== undefined;
}

/** Listens from here on. */
export function startShortcuts(): void {
  addEventListener("keydown", suppressWhileAwaiting, { capture: true });
  addEventListener("pointerdown", () => (fieldAwaitedSince = undefined), { capture: true });
  addEventListener("focusin", (event) => {
    if (isTyping(event.target)) fieldAwaitedSince = undefined;
  });
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
    if (focusPromptField(event)) return;
    const inDialog = document.querySelector("[role=dialog], [role=menu]") !== null;
    if (key.length === 1 && !shortcutsEnabled()) return;
    const before = first;
    first = undefined;
    if (before !== undefined && event.timeStamp - before.at < SEQUENCE_MS) {
      if (!inDialog && run(`${before.key} ${key}`, event)) return;
    }
    const scope = inDialog ? `dialog ${key}` : key;
    if (run(scope, event)) return;
    if (!inDialog && [...actions.keys()].some((name) => name.startsWith(`${key} `))) {
      first = { key, at: event.timeStamp };
    }
  });
}
