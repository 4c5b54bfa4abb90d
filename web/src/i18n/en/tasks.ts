import type { Message } from "../index.svelte";

export const tasks = {} as const satisfies Record<string, Message>;
