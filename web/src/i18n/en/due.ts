import type { Message } from "../message";

/** Dates in words, and a task in one line. */
export const due = {
  "due.example": "fri, 10.12., in two weeks",
  "due.words": "A day in words or figures.",
  "due.none": "No date",
  "due.never": "There is no such day.",
  "due.noFixedDay": "That isn’t a single day. Enter one date.",
  "due.time": "{day}, {time}. A due date is a whole day.",
  "due.range": "{from} to {day}. Due on the last day.",
  "due.repeats": "{day}. A due date is one day, so it isn’t repeated.",
  "due.doubt": "{said} ({doubt})",
  "due.dayFirst": "read with the day before the month",
  "due.monthFirst": "read with the month before the day",
  "due.before": "before {day}: that day itself is too late",
  "due.monday": "Monday",
  "due.monthBefore": "Previous month",
  "due.monthAfter": "Next month",
  "due.notRead": "“{text}” isn’t a day.",
  "due.category": "@{name}",
  "due.noted": "Note: {text}",
  "due.notADay": "“{text}” is not a day of the calendar; it stays in the title.",
  "due.understood": "Understood:",
  "due.keep": "Keep it all as the title",
  "due.readAgain": "Read dates and labels",
} as const satisfies Record<string, Message>;
