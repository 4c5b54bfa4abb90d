import type { Message } from "../index.svelte";

export const review = {} as const satisfies Record<string, Message>;
