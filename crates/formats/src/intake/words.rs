//! Words for done, status and priority in the sheets and boards of several languages.

use dormouse_types::task::{Priority, Status};

use super::boxes::{boxed, is_tick};
use super::sheet_words;

const STATUS: &[(Status, &[&str])] = &[
    (
        Status::Open,
        &[
            "open",
            "new",
            "todo",
            "to do",
            "backlog",
            "inbox",
            "not started",
            "needs action",
            "pending",
            "offen",
            "neu",
            "zu erledigen",
            "nicht begonnen",
            "à faire",
            "a faire",
            "ouvert",
            "pendiente",
            "por hacer",
            "abierto",
            "de făcut",
            "de facut",
            "deschis",
            "da fare",
            "te doen",
            "att göra",
        ],
    ),
    (Status::Groomed, &["groomed", "ready", "next", "bereit", "prêt", "listo", "gata de lucru"]),
    (
        Status::InProgress,
        &[
            "in progress",
            "in process",
            "doing",
            "started",
            "active",
            "wip",
            "ongoing",
            "underway",
            "working on it",
            "review",
            "in review",
            "under review",
            "to review",
            "reviewing",
            "code review",
            "testing",
            "in testing",
            "in test",
            "qa",
            "in qa",
            "in arbeit",
            "in bearbeitung",
            "läuft",
            "begonnen",
            "en cours",
            "en curso",
            "en progreso",
            "en proceso",
            "haciendo",
            "în lucru",
            "in lucru",
            "în curs",
            "in curs",
            "in corso",
            "bezig",
        ],
    ),
    (
        Status::Blocked,
        &["blocked", "stuck", "blockiert", "gesperrt", "bloqué", "bloque", "bloqueado", "blocat"],
    ),
    (
        Status::OnHold,
        &[
            "on hold",
            "hold",
            "waiting",
            "waiting for",
            "waiting on someone else",
            "waiting for someone else",
            "awaiting",
            "deferred",
            "paused",
            "someday",
            "wartet",
            "warten",
            "zurückgestellt",
            "en attente",
            "en espera",
            "în așteptare",
            "in asteptare",
            "amânat",
        ],
    ),
    (
        Status::Done,
        &[
            "done",
            "completed",
            "complete",
            "closed",
            "finished",
            "resolved",
            "fixed",
            "verified",
            "delivered",
            "erledigt",
            "fertig",
            "abgeschlossen",
            "fait",
            "terminé",
            "termine",
            "fini",
            "hecho",
            "terminado",
            "completado",
            "făcut",
            "facut",
            "gata",
            "terminat",
            "fatto",
            "completato",
            "klaar",
            "gedaan",
            "klar",
            "färdig",
        ],
    ),
    (
        Status::Rejected,
        &[
            "rejected",
            "cancelled",
            "canceled",
            "dropped",
            "wontfix",
            "won't do",
            "abandoned",
            "duplicate",
            "removed",
            "won't fix",
            "wont fix",
            "wont do",
            "will not do",
            "not planned",
            "not doing",
            "obsolete",
            "invalid",
            "cannot reproduce",
            "not a bug",
            "declined",
            "discarded",
            "abgebrochen",
            "verworfen",
            "abgelehnt",
            "duplikat",
            "hinfällig",
            "storniert",
            "entfällt",
            "annulé",
            "annule",
            "abandonné",
            "rejeté",
            "doublon",
            "cancelado",
            "rechazado",
            "descartado",
            "duplicado",
            "respins",
            "duplicat",
            "anulat",
            "annullato",
        ],
    ),
];

/// The status that a word for it means.
pub(crate) fn status_of(text: &str) -> Option<Status> {
    let word = folded(text);
    let found = STATUS.iter().find(|(_, words)| words.contains(&word.as_str()));
    found.map(|&(status, _)| status).or_else(|| sheet_words::status(&word))
}

/// Whether a mark in a column of its own means done; `None` for anything that is no such mark.
pub(crate) fn is_done(text: &str) -> Option<bool> {
    // A box may stand in a list of its own: `- [ ]`.
    let bare = text.trim().trim_start_matches(['-', '*', '+']).trim_start();
    if let Some((mark, "")) = boxed(bare)
        && let Some(is_ticked) = is_tick(mark)
    {
        return Some(is_ticked);
    }
    match folded(text).as_str() {
        "x" | "✓" | "✔" | "✅" | "☑" | "[x]" | "1" | "true" | "yes" | "y" | "ok" | "ja" | "j"
        | "wahr" | "oui" | "vrai" | "sí" | "si" | "verdadero" | "da" | "adevărat" | "100"
        | "100%" | "100 %" => Some(true),
        "" | "[ ]" | "☐" | "❌" | "0" | "false" | "no" | "n" | "nein" | "falsch" | "non"
        | "faux" | "falso" | "nu" | "fals" | "-" | "0%" | "0 %" => Some(false),
        word => match status_of(word) {
            Some(Status::Done) => Some(true),
            Some(Status::Open | Status::InProgress | Status::Groomed) => Some(false),
            Some(Status::Blocked | Status::OnHold | Status::Rejected) => None,
            None => sheet_words::answer(word),
        },
    }
}

/// Whether a word is what a program writes into each task that nobody gave a priority.
pub(crate) fn is_no_priority(text: &str) -> bool {
    matches!(
        folded(text).as_str(),
        "none" | "no priority" | "default" | "pn" | "null" | "unprioritized"
    )
}

/// The priority that a word for it means. Numbers mean different things in different programs and
/// are not words.
pub(crate) fn priority_of(text: &str) -> Option<Priority> {
    match folded(text).as_str() {
        "p0" | "urgent" | "critical" | "highest" | "blocker" | "asap" | "dringend" | "kritisch"
        | "höchste" | "urgente" | "critique" | "crítica" | "critic" | "!!!" => Some(Priority::P0),
        "p1" | "high" | "important" | "hoch" | "wichtig" | "haute" | "élevée" | "elevee"
        | "alta" | "alto" | "ridicată" | "mare" | "!!" => Some(Priority::P1),
        "p2" | "medium" | "normal" | "mittel" | "moyenne" | "normale" | "media" | "medie" | "!" => {
            Some(Priority::P2)
        }
        "p3" | "low" | "lowest" | "niedrig" | "gering" | "basse" | "faible" | "baja"
        | "scăzută" | "mică" | "bassa" => Some(Priority::P3),
        word => sheet_words::priority(word),
    }
}

/// The priority that a value means that is said to be one, where a letter stands for a word.
pub(crate) fn priority_named(text: &str) -> Option<Priority> {
    priority_of(text).or(match text.trim() {
        "H" | "h" => Some(Priority::P1),
        "M" | "m" => Some(Priority::P2),
        "L" | "l" => Some(Priority::P3),
        _ => None,
    })
}

/// Headings of a list of what is to be done, in lower case and without hyphens.
#[rustfmt::skip]
const ACTION_HEADINGS: &[&str] = &[
    "action items", "actions", "action points", "action list", "todo", "to do", "todos", "to dos",
    "to do list", "todo list", "task list", "tasks", "my tasks", "open tasks", "open items",
    "next steps", "next actions", "follow ups", "follow up", "things to do", "what to do",
    "aufgaben", "offene aufgaben", "aufgabenliste", "zu erledigen", "nächste schritte",
    "offene punkte", "maßnahmen", "to do liste", "noch zu tun",
    "à faire", "a faire", "tâches", "liste des tâches", "prochaines étapes", "actions à mener",
    "por hacer", "tareas", "lista de tareas", "tareas pendientes", "pendientes",
    "próximos pasos", "acciones",
    "to pack", "to buy", "to get", "to bring", "shopping list", "packing list", "checklist",
    "einkaufsliste", "packliste", "checkliste", "zu kaufen", "liste de courses", "à acheter", "lista de la compra",
    "lista de compras", "por comprar", "lista de cumpărături", "de cumpărat",
    "de făcut", "de facut", "sarcini", "lista de sarcini", "pași următori", "acțiuni",
];

/// The status of a list whose heading is only a word for it, such as "To do", "Doing" or "Done".
pub(crate) fn list_status(heading: &str) -> Option<Status> {
    let bare = heading.trim_matches(|c: char| !c.is_alphanumeric());
    match status_of(bare) {
        status @ Some(Status::Done | Status::InProgress) => status,
        _ => names_actions(bare).then_some(Status::Open),
    }
}

/// The name of a lane of a board without the number of cards that it may hold: "Doing (3)".
pub(crate) fn without_limit(lane: &str) -> &str {
    let name = lane.trim_end();
    let inner = name.strip_suffix(')').and_then(|open| open.rsplit_once('('));
    match inner {
        Some((before, limit))
            if !before.trim().is_empty()
                && limit.contains(|c: char| c.is_ascii_digit())
                && limit.chars().all(|c| c.is_ascii_digit() || c == '/') =>
        {
            before.trim_end()
        }
        Some(_) | None => name,
    }
}

/// Whether a heading says that the list below it is what is to be done.
pub(crate) fn names_actions(heading: &str) -> bool {
    let bare = heading.trim_matches(|c: char| !c.is_alphanumeric());
    let words = folded(bare);
    ACTION_HEADINGS.contains(&words.as_str()) || sheet_words::names_actions(&words)
}

/// The words of a line that is bold as a whole, without a colon at its end.
pub(crate) fn in_bold(line: &str) -> Option<&str> {
    let text = line.trim();
    let text = text.strip_suffix(':').unwrap_or(text);
    ["**", "__"].into_iter().find_map(|mark| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
        let words = inner.trim().trim_end_matches(':').trim_end();
        (!words.is_empty() && !inner.contains(mark) && inner.trim().len() == inner.len())
            .then_some(words)
    })
}

fn folded(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    // A Turkish capital İ is an i with a dot over it then.
    let lower = short.to_lowercase().replace('\u{307}', "");
    let spaced = lower.replace(['-', '_'], " ").replace('’', "'");
    let word = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    if word.is_empty() && !short.trim().is_empty() { short.trim().to_owned() } else { word }
}
