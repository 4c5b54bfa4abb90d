import type { Message } from "../index.svelte";

export const task = {} as const satisfies Record<string, Message>;
