//! Names of columns in several languages, in sheets and in the tables of a document.

use super::sheet_words;
use crate::reading::Column;

/// Names of columns in lower case, without signs.
const NAMES: &[(Column, &[&str])] = &[
    (
        Column::Title,
        &[
            "title",
            "task",
            "task name",
            "taskname",
            "name",
            "content",
            "subject",
            "summary",
            "what",
            "todo",
            "to do",
            "item",
            "action",
            "titel",
            "aufgabe",
            "was",
            "betreff",
            "bezeichnung",
            "thema",
            "titre",
            "tâche",
            "tache",
            "quoi",
            "objet",
            "intitulé",
            "título",
            "titulo",
            "tarea",
            "qué",
            "asunto",
            "titlu",
            "sarcină",
            "sarcina",
            "ce",
            "titolo",
            "attività",
            "cosa",
            "taak",
            "uppgift",
        ],
    ),
    (
        Column::Done,
        &[
            "completed at",
            "completed time",
            "completed date",
            "completed on",
            "date completed",
            "date done",
            "date closed",
            "completion date",
            "closed at",
            "done at",
            "resolved",
            "done",
            "completed",
            "complete",
            "finished",
            "checked",
            "is done",
            "iscompleted",
            "is completed",
            "erledigt",
            "fertig",
            "abgehakt",
            "fait",
            "terminé",
            "termine",
            "hecho",
            "terminado",
            "făcut",
            "facut",
            "gata",
            "fatto",
            "ok",
            "✓",
            "✔",
        ],
    ),
    (
        Column::Status,
        &[
            "progress", "status", "state", "stand", "zustand", "statut", "état", "etat", "estado",
            "stare", "stato",
        ],
    ),
    (Column::Reason, &["reason", "grund", "raison", "motivo", "motiv"]),
    (
        Column::Priority,
        &[
            "priority",
            "prio",
            "importance",
            "urgency",
            "priorität",
            "prioritaet",
            "wichtigkeit",
            "priorité",
            "priorite",
            "prioridad",
            "prioritate",
            "priorità",
        ],
    ),
    (
        Column::Due,
        &[
            "due",
            "due date",
            "duedate",
            "due on",
            "deadline",
            "until",
            "by",
            "by when",
            "until when",
            "needed by",
            "finish by",
            "done by",
            "bis wann",
            "fertig bis",
            "zu erledigen bis",
            "pour quand",
            "para cuándo",
            "per quando",
            "entro",
            "entro quando",
            "până când",
            "uiterlijk",
            "tot wanneer",
            "vervaldatum",
            "end date",
            "date",
            "when",
            "fällig",
            "faellig",
            "fällig am",
            "fälligkeit",
            "fälligkeitsdatum",
            "bis",
            "termin",
            "frist",
            "datum",
            "wann",
            "échéance",
            "echeance",
            "date limite",
            "date d'échéance",
            "fecha",
            "fecha límite",
            "vencimiento",
            "hasta",
            "cuándo",
            "termen",
            "scadență",
            "scadenta",
            "până la",
            "data",
            "dată limită",
            "scadenza",
            "quand",
        ],
    ),
    (
        Column::Start,
        &[
            "start",
            "start date",
            "startdate",
            "started",
            "started at",
            "begin",
            "from",
            "scheduled",
            "beginn",
            "startdatum",
            "ab",
            "von",
            "début",
            "debut",
            "date de début",
            "inicio",
            "fecha de inicio",
            "început",
            "inceput",
            "inizio",
        ],
    ),
    (
        Column::Estimate,
        &[
            "estimate",
            "est",
            "estimate minutes",
            "duration",
            "effort",
            "time estimate",
            "aufwand",
            "dauer",
            "schätzung",
            "durée",
            "duree",
            "duración",
            "duracion",
            "estimación",
            "durată",
            "durata",
            "estimare",
        ],
    ),
    (Column::Language, &["language", "lang", "sprache", "langue", "idioma", "limba", "lingua"]),
    (
        Column::Category,
        &[
            "bucket",
            "bucket name",
            "section/column",
            "projects",
            "category",
            "project",
            "project name",
            "list",
            "folder",
            "area",
            "section",
            "group",
            "board",
            "kategorie",
            "projekt",
            "liste",
            "bereich",
            "ordner",
            "catégorie",
            "categorie",
            "projet",
            "categoría",
            "categoria",
            "proyecto",
            "lista",
            "proiect",
            "progetto",
            "list name",
            "folder name",
            "board name",
        ],
    ),
    (
        Column::Label,
        &[
            "label",
            "labels",
            "tag",
            "tags",
            "categories",
            "kategorien",
            "catégories",
            "categorías",
            "categorii",
            "context",
            "contexts",
            "keywords",
            "schlagwort",
            "schlagwörter",
            "stichwort",
            "etikett",
            "étiquette",
            "étiquettes",
            "etiqueta",
            "etiquetas",
            "etichetă",
            "etichete",
            "etichetta",
        ],
    ),
    (
        Column::Items,
        &[
            "checklist items",
            "items",
            "checklist",
            "subtasks",
            "sub tasks",
            "steps",
            "checkliste",
            "unteraufgaben",
            "schritte",
            "sous tâches",
            "étapes",
            "subtareas",
            "pasos",
            "subsarcini",
            "pași",
        ],
    ),
    (
        Column::Note,
        &[
            "note",
            "notes",
            "description",
            "task content",
            "task description",
            "comment",
            "comments",
            "details",
            "detail",
            "body",
            "text",
            "remarks",
            "notiz",
            "notizen",
            "beschreibung",
            "bemerkung",
            "bemerkungen",
            "kommentar",
            "anmerkung",
            "remarque",
            "remarques",
            "commentaire",
            "descripción",
            "descripcion",
            "nota",
            "notas",
            "comentario",
            "notă",
            "descriere",
            "observații",
            "observatii",
            "descrizione",
        ],
    ),
    (
        Column::Starred,
        &[
            "starred",
            "star",
            "favorite",
            "favourite",
            "favorit",
            "favori",
            "favorito",
            "preferito",
            "flagged",
            "markiert",
        ],
    ),
    (
        Column::Private,
        &[
            "private",
            "privat",
            "privé",
            "prive",
            "privado",
            "privada",
            "privato",
            "confidential",
            "vertraulich",
            "confidentiel",
            "confidencial",
            "confidențial",
        ],
    ),
    (
        Column::Key,
        &["id", "uid", "uuid", "guid", "key", "task id", "taskid", "issue key", "identifier"],
    ),
    (
        Column::KeptInNote,
        &[
            "who",
            "person",
            "assignee",
            "assigned to",
            "assignee email",
            "email",
            "parent",
            "parent task",
            "parent id",
            "owner",
            "responsible",
            "author",
            "wer",
            "verantwortlich",
            "zuständig",
            "person/en",
            "qui",
            "responsable",
            "quién",
            "quien",
            "cine",
            "responsabil",
            "chi",
            "url",
            "link",
            "created",
            "created at",
            "created date",
            "created time",
            "modified",
            "updated",
            "last modified",
            "erstellt",
            "geändert",
            "créé",
            "creado",
            "creat",
            "repeat",
            "recurrence",
            "reminder",
            "order",
            "position",
            "nr",
            "no",
            "number",
            "#",
            "timezone",
            "time zone",
        ],
    ),
];

/// Names of a due date that say no more than that the column holds a day: next to a deadline, it is when
/// something was written down or begins.
const ANY_DAY: &[&str] = &["date", "when", "datum", "wann", "fecha", "cuándo", "data", "quand"];

/// Words in the name of a column of days that say that something happened then, or begins: it is not due.
const PAST: &[&str] = &[
    "achat",
    "acheté",
    "achetée",
    "acquistato",
    "acquisto",
    "adăugat",
    "aggiunto",
    "aktualisiert",
    "ajout",
    "ajouté",
    "ajoutée",
    "aangemaakt",
    "anniversary",
    "anniversaire",
    "angelegt",
    "añadido",
    "added",
    "begonnen",
    "besteld",
    "bestellt",
    "bezahlt",
    "betaald",
    "birth",
    "birthday",
    "born",
    "bought",
    "changed",
    "change",
    "comandat",
    "commandé",
    "compleanno",
    "compra",
    "comprado",
    "created",
    "creation",
    "creado",
    "creación",
    "creat",
    "creato",
    "creazione",
    "créé",
    "création",
    "cumpleaños",
    "cumpărat",
    "delivered",
    "depuis",
    "dernier",
    "dernière",
    "desde",
    "edited",
    "eingegangen",
    "envoyé",
    "enviado",
    "entered",
    "erhalten",
    "eröffnet",
    "erstellt",
    "facture",
    "factura",
    "fattura",
    "factuur",
    "geändert",
    "geboren",
    "geburtstag",
    "geburtsdatum",
    "gekauft",
    "gekocht",
    "gesendet",
    "gewijzigd",
    "hinzugefügt",
    "hired",
    "installed",
    "inviato",
    "invoice",
    "issued",
    "joined",
    "kauf",
    "kaufdatum",
    "laatste",
    "last",
    "letzte",
    "letzter",
    "letztes",
    "logged",
    "modificado",
    "modificat",
    "modification",
    "modificato",
    "modified",
    "modifié",
    "naissance",
    "nacimiento",
    "nascita",
    "născut",
    "naștere",
    "opened",
    "ordered",
    "pagado",
    "pagato",
    "paid",
    "payé",
    "plătit",
    "planted",
    "posted",
    "previous",
    "primit",
    "published",
    "purchase",
    "purchased",
    "received",
    "recibido",
    "rechnung",
    "rechnungsdatum",
    "registered",
    "reported",
    "reçu",
    "ricevuto",
    "sent",
    "serviced",
    "shipped",
    "signed",
    "since",
    "seit",
    "sinds",
    "toegevoegd",
    "trimis",
    "ultima",
    "ultimo",
    "ultimul",
    "updated",
    "update",
    "verjaardag",
    "versandt",
    "verzonden",
    "visited",
    "änderung",
    "última",
    "último",
];

/// Whether the name of a column of days says that they are over, or when something began.
pub(crate) fn names_past(name: &str) -> bool {
    let plain = plain(name);
    plain.split(|c: char| !c.is_alphanumeric()).any(|word| PAST.contains(&word))
}

/// Whether the name of a column of due dates only says that it holds days.
pub(crate) fn names_any_day(name: &str) -> bool {
    let lower = name.to_lowercase();
    let plain = lower.trim_matches([' ', ':', '*', '?', '.']);
    ANY_DAY.contains(&plain) || sheet_words::is_any_day(plain)
}

/// What programs call a task, before the name of one of its fields: "Card Name", "Ticket ID".
const KINDS: &[&str] = &["card", "task", "ticket", "issue", "item", "todo", "story", "work item"];

/// Names of the time at which a task was given up.
const CANCELLED: &[&str] = &[
    "canceled",
    "cancelled",
    "canceled at",
    "cancelled at",
    "canceled date",
    "cancelled date",
    "date canceled",
    "date cancelled",
    "cancellation date",
    "cancelled on",
    "canceled on",
    "abgebrochen am",
];

/// Names of how something ended that is closed.
const OUTCOME: &[&str] =
    &["resolution", "close reason", "closed reason", "state reason", "lösung", "résolution"];

/// Whether a column holds when a task was given up.
pub(crate) fn names_cancelled(name: &str) -> bool {
    CANCELLED.contains(&plain(name).as_str())
}

/// Whether a column says how what is closed ended: "Resolution: Won't Do".
pub(crate) fn names_outcome(name: &str) -> bool {
    OUTCOME.contains(&plain(name).as_str())
}

/// Names of the task that a task is a part of.
const PARENTS: &[&str] = &[
    "parent",
    "parent id",
    "parentid",
    "parent key",
    "parent task",
    "parent task id",
    "parent issue",
    "parent item",
    "parent card",
    "übergeordnet",
    "übergeordnete aufgabe",
    "tâche parente",
    "tarea principal",
    "tarea padre",
    "sarcină părinte",
];

/// Whether a column holds the task that a row is a part of.
pub(crate) fn names_parent(name: &str) -> bool {
    PARENTS.contains(&plain(name).as_str())
}

/// Whether the name of a column of unknown meaning says that it tells rows apart, and not what is in them.
pub(crate) fn names_id(name: &str) -> bool {
    let plain = plain(name);
    let mut words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_id = |word: &str| {
        matches!(
            word,
            "id" | "ids"
                | "uid"
                | "uuid"
                | "guid"
                | "key"
                | "url"
                | "no"
                | "nr"
                | "number"
                | "nummer"
        )
    };
    words.next_back().is_some_and(is_id) || words.next().is_some_and(is_id)
}

/// Whether the name of a column says that it holds a time: "Completed at", "Completion Date".
pub(crate) fn names_time(name: &str) -> bool {
    let plain = plain(name);
    let mut words = plain.split_whitespace();
    words.any(|word| matches!(word, "at" | "on" | "date" | "time" | "am" | "datum"))
}

/// What the name of a column says that it holds.
pub(crate) fn column_named(name: &str) -> Option<Column> {
    let plain = plain(name);
    let find = |plain: &str| {
        NAMES.iter().find(|(_, names)| names.contains(&plain)).map(|&(column, _)| column)
    };
    if CANCELLED.contains(&&*plain) || OUTCOME.contains(&&*plain) {
        return Some(Column::KeptInNote);
    }
    let of_kind = || {
        let field = KINDS.iter().find_map(|kind| plain.strip_prefix(kind)?.strip_prefix(' '))?;
        // The date of an issue need not be the day on which it is due.
        find(field).filter(|_| !names_any_day(field))
    };
    let of_other = || sheet_words::column(&plain);
    find(&plain).or_else(|| find(name.trim())).or_else(of_other).or_else(of_kind)
}

/// A name in lower case, without signs and what is in brackets.
fn plain(name: &str) -> String {
    let plain = name.to_lowercase().replace(['_', '-'], " ");
    let plain = plain.split('(').next().unwrap_or_default();
    plain.trim_matches([' ', ':', '*', '?', '.']).to_owned()
}
