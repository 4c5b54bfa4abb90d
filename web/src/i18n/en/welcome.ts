import type { Message } from "../index.svelte";

/** Signing in, the first run, and imports. */
export const welcome = {
  "welcome.title": "Sign in to Dormouse",
  "welcome.how": "On the machine where Dormouse runs, open a terminal and type:",
  "welcome.opens": "It opens this page and signs this browser in. The link it prints works once, for ten minutes.",
  "welcome.key": "Or paste a link, a code or an access token",
  "welcome.keyHelp": "Access tokens begin with dm_. They are kept in this browser only.",
  "welcome.enter": "Sign in",
  "welcome.entering": "Signing in",
  "welcome.again": "A code works once and for ten minutes. Run dormouse open again for a new one.",

  "welcome.first": "Nothing here yet",
  "welcome.firstWhat": "Bring a list of tasks. Each can have a small agent that sleeps until something changes.",
  "welcome.bring": "Drop Markdown files here",
  "welcome.choose": "Choose files",
  "welcome.withAgents": "Give each task an agent",
  "welcome.format": "Each heading becomes a task, each box an item of its checklist. Importing a file again updates its tasks.",
  "welcome.sample": "Try the sample",
  "welcome.dropSignedOut": "Sign in first; then drop the files again.",
  "welcome.dropTaken": { one: "{n} file is being imported", other: "{n} files are being imported" },
  "welcome.drop": "Drop to import the tasks in these files",

  "welcome.importing": "Importing",
  "welcome.imported": { one: "{n} task was imported", other: "{n} tasks were imported" },
  "welcome.notImported": "Nothing was imported",
  "welcome.agentsRead": "Their agents begin to read; first reports follow.",
  "welcome.waiting": "waits",
  "welcome.progress": "{done} of {n}",
  "welcome.progressOf": "Import of {name}",
  "welcome.fileDone": "{n} new, {updated} updated, {unchanged} as before",
  "welcome.remarks": { one: "{n} line was kept as text", other: "{n} lines were kept as text" },
  "welcome.line": "Line {n}",

  "problem.not-markdown": "This is no Markdown file. Dormouse reads .md and .txt.",
  "problem.import-broke-off": "The answer broke off. What was written stays; import the file again to go on.",
} as const satisfies Record<string, Message>;
