// English: one file per screen; a key starts with the name of its file.

import { agent } from "./agent";
import { asOf } from "./asOf";
import { common } from "./common";
import { conversations } from "./conversations";
import { due } from "./due";
import { exports } from "./exports";
import { home } from "./home";
import { imports } from "./imports";
import { models } from "./models";
import { review } from "./review";
import { rules } from "./rules";
import { settings } from "./settings";
import { shell } from "./shell";
import { task } from "./task";
import { tasks } from "./tasks";
import { templates } from "./templates";
import { welcome } from "./welcome";
import { work } from "./work";

export const en = {
  ...agent,
  ...asOf,
  ...common,
  ...conversations,
  ...due,
  ...exports,
  ...home,
  ...imports,
  ...models,
  ...review,
  ...rules,
  ...settings,
  ...shell,
  ...task,
  ...tasks,
  ...templates,
  ...welcome,
  ...work,
} as const;
