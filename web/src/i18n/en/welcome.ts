import type { Message } from "../index.svelte";

/** Signing in, the first run, and imports. */
export const welcome = {
  "welcome.title": "Sign in to Dormouse",
  "welcome.how": "On the computer that runs Dormouse, open a terminal and run:",
  "welcome.opens": "This opens Dormouse in your browser and signs you in. The link works once, within ten minutes.",
  "welcome.key": "Or paste a sign-in link, a code or an access token",
  "welcome.keyHelp": "Access tokens begin with dm_. They are stored only in this browser.",
  "welcome.enter": "Sign in",
  "welcome.entering": "Signing in…",
  "welcome.again": "A code works once, within ten minutes. Run dormouse open to get a new one.",

  "welcome.first": "Nothing here yet",
  "welcome.firstWhat": "Import a list of tasks. Each task can have its own agent that sleeps until something changes.",
  "welcome.bring": "Drop Markdown files here",
  "welcome.choose": "Choose files",
  "welcome.withAgents": "Add an agent to each task",
  "welcome.format": "Each heading becomes a task, and each checkbox an item in its checklist. Importing a file again updates its tasks.",
  "welcome.sample": "Try the sample",
  "welcome.dropSignedOut": "Sign in first, then drop the files again.",
  "welcome.dropTaken": { one: "Importing {n} file", other: "Importing {n} files" },
  "welcome.drop": "Drop to import tasks from these files",

  "welcome.importing": "Importing…",
  "welcome.imported": { one: "{n} task was imported", other: "{n} tasks were imported" },
  "welcome.notImported": "Nothing was imported",
  "welcome.agentsRead": "The agents are starting to read. Their first reports will follow.",
  "welcome.waiting": "waiting",
  "welcome.progress": "{done} of {n}",
  "welcome.progressOf": "Importing {name}",
  "welcome.fileDone": "{n} new, {updated} updated, {unchanged} unchanged",
  "welcome.remarks": { one: "{n} line was kept as text", other: "{n} lines were kept as text" },
  "welcome.line": "Line {n}",

  "problem.not-markdown": "This isn’t a Markdown file. Dormouse imports .md and .txt files.",
  "problem.import-broke-off": "The import was interrupted. Everything imported so far is kept; import the file again to continue.",
} as const satisfies Record<string, Message>;
