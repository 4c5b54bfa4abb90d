// A third opinion about recurrence rules: rrule-temporal, on the clock of UTC.
//
// Reads one JSON list of cases, writes one JSON list of answers: the starts of each, as its clock shows them.
import { RRuleTemporal } from "rrule-temporal";

// More starts than a test compares.
const MOST = 80;

let text = "";
for await (const part of process.stdin) text += part;

function starts({ rule, start, horizon }) {
  const given = `DTSTART;TZID=UTC:${start.replace(/[-:]/g, "")}\nRRULE:${rule}`;
  const found = [];
  new RRuleTemporal({ rruleString: given, maxIterations: 4_000 }).all((one) => {
    const shown = one.toPlainDateTime().toString({ smallestUnit: "second" });
    if (shown > horizon) return false;
    found.push(shown);
    return found.length < MOST;
  });
  return found;
}

// What it refuses is not compared.
function answer(given) {
  try {
    return starts(given);
  } catch (error) {
    return String(error.message);
  }
}

process.stdout.write(JSON.stringify(JSON.parse(text).map(answer)));
