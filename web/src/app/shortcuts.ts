// Keyboard shortcuts: single keys, and sequences of two such as `g t`. They never fire inside a field,
// nor between the key that opens a field and the moment that field has focus. They can be turned off.

import type { Key } from "../i18n/index.svelte";
import { nav } from "./nav";

/** Returns `false` if it did nothing, in which case no field is about to open. */
type Action = (event: KeyboardEvent) => unknown;

interface Row {
  keys: readonly string[];
  description: Key;
  /** The screen that the description names. */
  screen?: Key;
  /** Whether these keys open a field: letters are ignored until it has focus. */
  opens?: "field";
}

/** Every shortcut, in the order of the table that `?` shows. No other key can be bound. */
export const SHORTCUTS = [
  { keys: ["mod+k"], description: "shell.keys.find", opens: "field" },
  ...nav.map((item) => ({ keys: [item.shortcut], description: "shell.keys.goTo" as const, screen: item.title })),
  { keys: ["j", "k", "ArrowDown", "ArrowUp"], description: "shell.keys.rows" },
  // What Enter opens focuses its field itself.
  { keys: ["Enter"], description: "shell.keys.open" },
  { keys: ["Escape"], description: "shell.keys.back" },
  { keys: ["c"], description: "shell.keys.new", opens: "field" },
  { keys: ["/"], description: "shell.keys.search", opens: "field" },
  { keys: ["s", "p"], description: "shell.keys.menus" },
  { keys: ["d", "e", "l"], description: "shell.keys.properties", opens: "field" },
  { keys: ["f"], description: "shell.keys.star" },
  { keys: ["r"], description: "shell.keys.review" },
  { keys: ["y", "v"], description: "shell.keys.decide" },
  { keys: ["x"], description: "shell.keys.reject", opens: "field" },
  { keys: ["1", "2", "3"], description: "shell.keys.answer" },
  { keys: ["mod+Enter"], description: "shell.keys.confirm" },
  { keys: ["mod+z"], description: "shell.keys.undo" },
  { keys: ["?"], description: "shell.keys.table" },
] as const satisfies readonly Row[];

/** The keys of the menu of a line in the plan of an import. They hold while it is open. */
export const LINE_KEYS = [
  { keys: ["i", "n", "d"], description: "shell.keys.lineParts" },
  { keys: ["t", "j", "c"], description: "shell.keys.lineTasks" },
  { keys: ["Delete", "p"], description: "shell.keys.lineOut" },
] as const satisfies readonly Row[];

type Name = (typeof SHORTCUTS)[number]["keys"][number];
/** `dialog y` works while a dialog is open; the others don't. */
export type KeyName = Name | `dialog ${Name}`;

const opensField = new Set<string>(SHORTCUTS.flatMap((row: Row) => (row.opens === "field" ? row.keys : [])));

const actions = new Map<string, Action[]>();
let first: { key: string; at: number } | undefined;
/** Since when a field has been about to take the focus; undefined if none is. */
let fieldAwaitedSince: number | undefined;

/** Units: milliseconds. The time within which the second key of a sequence must follow. */
const SEQUENCE_MS = 1_500;
/** Units: milliseconds. A field that hasn't appeared by then won't appear. */
const FIELD_TIMEOUT_MS = 3_000;

const STORAGE_KEY = "dormouse.keys";

export function shortcutsEnabled(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== "off";
}

export function setShortcutsEnabled(on: boolean): void {
  localStorage.setItem(STORAGE_KEY, on ? "on" : "off");
}

/** Whether an element takes what is typed. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
}

/**
 * Binds an action to a key: `j`, `Enter`, `g t`, `mod+k` (Ctrl or Command, also inside fields), `dialog
 * y`. The latest binding of a key wins, unless it did nothing. Returns a function that removes it.
 */
export function onKey(keys: KeyName, action: Action): () => void {
  const all = actions.get(keys) ?? [];
  actions.set(keys, [...all, action]);
  return () => {
    actions.set(keys, (actions.get(keys) ?? []).filter((other) => other !== action));
  };
}

/**
 * Binds several keys; returns a function that removes them all: `$effect(() => bindKeys({ j: next, k:
 * previous }))`.
 */
export function bindKeys(table: Partial<Record<KeyName, Action>>): () => void {
  const ends = Object.entries(table).map(([keys, action]) => onKey(keys as KeyName, action));
  return () => ends.forEach((end) => end());
}

/** A field is about to open and take the focus; keys are ignored until then. */
export function awaitField(): void {
  if (!isTyping(document.activeElement)) fieldAwaitedSince = performance.now();
}

function run(name: string, event: KeyboardEvent): boolean {
  const all = actions.get(name) ?? [];
  if (all.length === 0) return false;
  event.preventDefault();
  const isDone = all.toReversed().some((action) => action(event) !== false);
  if (isDone && opensField.has(name.replace(/^dialog /, ""))) awaitField();
  return true;
}

/** Swallows keys while the field they may be meant for hasn't appeared yet. */
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
 * A letter typed next to an empty prompt field (`data-asks`) is the first letter of the answer: focus
 * the field before the letter is inserted.
 */
function focusPromptField(event: KeyboardEvent): boolean {
  // Space presses the focused button.
  if (event.key.length !== 1 || event.key === " ") return false;
  const top = [...document.querySelectorAll("[role=dialog], [role=menu]")].at(-1) ?? document;
  const prompts = [...top.querySelectorAll<HTMLInputElement>("[data-asks]")];
  const field = prompts.find((one) => one.value === "" && one.checkVisibility());
  field?.focus();
  return field !== undefined;
}

/** Starts listening. */
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
      // Inside a field, this undoes typing. A list to choose from has none.
      if (key === "z" && isTyping(event.target) && !(event.target instanceof HTMLSelectElement)) return;
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
