import type { Message } from "../index.svelte";

export const agent = {} as const satisfies Record<string, Message>;
