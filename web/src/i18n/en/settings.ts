import type { Message } from "../index.svelte";

export const settings = {} as const satisfies Record<string, Message>;
