//! The words of Romanian.

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
        (Title, &["titlu", "sarcină", "sarcina", "ce"]),
        (Done, &["făcut", "facut", "gata"]),
        (Column::Status, &["stare"]),
        (Column::Reason, &["motiv"]),
        (Column::Priority, &["prioritate"]),
        (Due, &["până când", "termen", "scadență", "scadenta", "până la", "data", "dată limită"]),
        (Start, &["început", "inceput"]),
        (Column::Estimate, &["durată", "durata", "estimare"]),
        (Column::Language, &["limba"]),
        (Category, &["proiect"]),
        (Label, &["categorii", "etichetă", "etichete"]),
        (Items, &["subsarcini", "pași"]),
        (Note, &["notă", "descriere", "observații", "observatii"]),
        (Column::Private, &["confidențial"]),
        (Column::Parent, &["sarcină părinte"]),
        (Column::KeptInNote, &["cine", "responsabil", "creat"]),
    ],
    days: &["data"],
    past: &[
        "adăugat", "comandat", "creat", "cumpărat", "modificat", "născut", "naștere", "plătit", "primit", "trimis",
        "ultimul",
    ],
    statuses: &[
        (Open, &["de făcut", "de facut", "deschis"]),
        (Status::Groomed, &["gata de lucru"]),
        (InProgress, &["în lucru", "in lucru", "în curs", "in curs"]),
        (Blocked, &["blocat"]),
        (OnHold, &["în așteptare", "in asteptare", "amânat"]),
        (Status::Done, &["făcut", "facut", "gata", "terminat"]),
        (Rejected, &["respins", "duplicat", "anulat"]),
    ],
    priorities: &[
        (P0, &["critic"]),
        (P1, &["ridicată", "mare"]),
        (P2, &["medie"]),
        (P3, &["scăzută", "mică"]),
    ],
    actions: &[
        "lista de cumpărături", "de cumpărat", "de făcut", "de facut", "sarcini", "lista de sarcini", "pași următori",
        "acțiuni",
    ],
    yes: &["da", "adevărat"],
    no: &["nu", "fals"],
};
