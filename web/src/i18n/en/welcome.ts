import type { Message } from "../message";

/** Signing in and the first run. */
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
  "welcome.bring": "Drop a list here: Markdown, text, a calendar, a sheet or JSON",
  "welcome.choose": "Choose files",
  "welcome.paste": "Paste a list",
  "welcome.format": "First you see what each line becomes. Importing a list again updates its tasks.",
  "welcome.sample": "Try the sample list",
  "welcome.sampleAdded": { one: "{n} task was added.", other: "{n} tasks were added." },
  "welcome.sampleWhat": "Adding the sample list",
  "welcome.dropSignedOut": "Sign in first, then drop the files again.",
} as const satisfies Record<string, Message>;
