import type { Message } from "../index.svelte";

export const home = {} as const satisfies Record<string, Message>;
