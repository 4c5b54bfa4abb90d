import type { Message } from "../message";

/** Texts that many screens use, and the values of the server. */
export const common = {
  "time.tomorrow": "tomorrow {at}",
  "time.now": "just now",
  "time.minutesAgo": "{n} min ago",
  "time.hoursAgo": "{n} h ago",
  "time.minutes": "{n} min",
  "time.hours": "{n} h",
  "time.hoursMinutes": "{h} h {m}",

  "do.close": "Close",
  "do.cancel": "Cancel",
  "do.save": "Save",
  "do.retry": "Try again",
  "do.undo": "Undo",
  "do.back": "Back",
  "do.more": "Show more",
  "do.copy": "Copy",
  "do.copied": "Copied",
  "do.delete": "Delete",
  "do.edit": "Edit",

  "flag.starred": "Starred",
  "flag.starAdd": "Star this",
  "flag.starRemove": "Remove the star",
  "flag.private": "Private",
  "flag.privateAdd": "Make this private: models that are not yours never see it",
  "flag.privateRemove": "No longer private: any model you use may see it",
  "flag.privateMeans": "Private, with everything in it. Models that are not yours never see it.",

  "value.none": "None",
  "value.yes": "Yes",
  "value.no": "No",
  "value.newer": "A value that this page doesn’t know yet",

  "status.OPEN": "Open",
  "status.GROOMED": "Groomed",
  "status.IN PROGRESS": "In progress",
  "status.BLOCKED": "Blocked",
  "status.ON HOLD": "On hold",
  "status.DONE": "Done",
  "status.REJECTED": "Rejected",

  "priority.P0": "P0, urgent",
  "priority.P1": "P1, high",
  "priority.P2": "P2, normal",
  "priority.P3": "P3, low",

  "activity.asleep": "asleep",
  "activity.queued": "queued",
  "activity.awake": "awake",
  "activity.running": "awake",
  "activity.dormant": "dormant",
  "activity.destroyed": "destroyed",

  "problem.offline": "Dormouse isn’t responding. Nothing you typed is lost.",
  "problem.page-failed": "This part of the page failed.",
  "problem.answer-unreadable": "The response can’t be read. It may come from a proxy.",
  "problem.retryAfter": "{problem} Try again in {n} s.",

  "edit.field": "Edit: {label}",
  "edit.elsewhere": "Changed elsewhere to “{text}”. Saving keeps your version.",
  "edit.takeOther": "Use the other version",
  "pick.make": "Create “{name}”",
  "pick.nothing": "No matches.",
  "list.andMore": "+{n}",
} as const satisfies Record<string, Message>;
