// The possible values of a task's properties.

import type { Priority, Status } from "./data";

export const STATUSES: readonly Status[] = ["OPEN", "GROOMED", "IN PROGRESS", "BLOCKED", "ON HOLD", "DONE", "REJECTED"];

export const PRIORITIES: readonly Priority[] = ["P0", "P1", "P2", "P3"];

/** Units: minutes. */
export const ESTIMATES: readonly number[] = [15, 30, 60, 120, 240, 480];

/** Units: minutes. The longest estimate. */
export const LONGEST = 1440;

/** The languages to choose from, as ISO 639 codes. */
export const LANGUAGES: readonly string[] =
  "ar bg bn ca cs da de el en es et fa fi fr ga he hi hr hu id is it ja ko lt lv mk ms nb nl pl pt ro ru sk sl sq sr sv sw ta th tr uk ur vi zh".split(" ");
