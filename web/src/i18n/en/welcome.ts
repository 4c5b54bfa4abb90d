import type { Message } from "../index.svelte";

export const welcome = {} as const satisfies Record<string, Message>;
