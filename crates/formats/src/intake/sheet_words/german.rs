//! The words of German.

use dormouse_types::task::{Priority, Status};

use super::table::SheetWords;
use crate::reading::Column;

use Column::{Category, Done, Due, Items, Label, Note, Start, Title};
use Priority::{P0, P1, P2, P3};
use Status::{Blocked, InProgress, OnHold, Open, Rejected};

// Rows of words, not one word a line.
#[rustfmt::skip]
pub(super) const WORDS: SheetWords = SheetWords {
    columns: &[
        (Title, &["titel", "aufgabe", "was", "betreff", "bezeichnung", "thema"]),
        (Done, &["erledigt", "fertig", "abgehakt"]),
        (Column::Status, &["stand", "zustand"]),
        (Column::Reason, &["grund"]),
        (Column::Priority, &["priorität", "prioritaet", "wichtigkeit"]),
        (Due, &[
            "bis wann", "fertig bis", "zu erledigen bis", "fällig", "faellig", "fällig am", "fälligkeit",
            "fälligkeitsdatum", "bis", "termin", "frist", "datum", "wann",
        ]),
        (Start, &["beginn", "startdatum", "ab", "von"]),
        (Column::Estimate, &["aufwand", "dauer", "schätzung"]),
        (Column::Language, &["sprache"]),
        (Category, &["kategorie", "projekt", "liste", "bereich", "ordner"]),
        (Label, &["kategorien", "schlagwort", "schlagwörter", "stichwort", "etikett"]),
        (Items, &["checkliste", "unteraufgaben", "schritte"]),
        (Note, &["notiz", "notizen", "beschreibung", "bemerkung", "bemerkungen", "kommentar", "anmerkung"]),
        (Column::Starred, &["favorit", "markiert"]),
        (Column::Private, &["privat", "vertraulich"]),
        (Column::Parent, &["übergeordnet", "übergeordnete aufgabe"]),
        (Column::Canceled, &["abgebrochen am"]),
        (Column::Outcome, &["lösung"]),
        (Column::KeptInNote, &["wer", "verantwortlich", "zuständig", "person/en", "erstellt", "geändert"]),
    ],
    days: &["datum", "wann"],
    past: &[
        "aktualisiert", "angelegt", "begonnen", "bestellt", "bezahlt", "eingegangen", "erhalten", "eröffnet",
        "erstellt", "geändert", "geboren", "geburtstag", "geburtsdatum", "gekauft", "gesendet", "hinzugefügt", "kauf",
        "kaufdatum", "letzte", "letzter", "letztes", "rechnung", "rechnungsdatum", "seit", "versandt", "änderung",
    ],
    statuses: &[
        (Open, &["offen", "neu", "zu erledigen", "nicht begonnen"]),
        (Status::Groomed, &["bereit"]),
        (InProgress, &["in arbeit", "in bearbeitung", "läuft", "begonnen"]),
        (Blocked, &["blockiert", "gesperrt"]),
        (OnHold, &["wartet", "warten", "zurückgestellt"]),
        (Status::Done, &["erledigt", "fertig", "abgeschlossen"]),
        (Rejected, &["abgebrochen", "verworfen", "abgelehnt", "duplikat", "hinfällig", "storniert", "entfällt"]),
    ],
    priorities: &[
        (P0, &["dringend", "kritisch", "höchste"]),
        (P1, &["hoch", "wichtig"]),
        (P2, &["mittel"]),
        (P3, &["niedrig", "gering"]),
    ],
    actions: &[
        "aufgaben", "offene aufgaben", "aufgabenliste", "zu erledigen", "nächste schritte", "offene punkte",
        "maßnahmen", "to do liste", "noch zu tun", "einkaufsliste", "packliste", "checkliste", "zu kaufen",
    ],
    yes: &["ja", "j", "wahr"],
    no: &["nein", "falsch"],
};
