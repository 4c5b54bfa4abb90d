/** A mark that the person puts on a task or an entry. */
export type Flag = "starred" | "private";
