//! The words of French.

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
        (Title, &["titre", "tâche", "tache", "quoi", "objet", "intitulé"]),
        (Done, &["fait", "terminé", "termine"]),
        (Column::Status, &["statut", "état", "etat"]),
        (Column::Reason, &["raison"]),
        (Column::Priority, &["priorité", "priorite"]),
        (Due, &["pour quand", "échéance", "echeance", "date limite", "date d'échéance", "quand"]),
        (Start, &["début", "debut", "date de début"]),
        (Column::Estimate, &["durée", "duree"]),
        (Column::Language, &["langue"]),
        (Category, &["catégorie", "categorie", "projet"]),
        (Label, &["catégories", "étiquette", "étiquettes"]),
        (Items, &["sous tâches", "étapes"]),
        (Note, &["remarque", "remarques", "commentaire"]),
        (Column::Starred, &["favori"]),
        (Column::Private, &["privé", "prive", "confidentiel"]),
        (Column::Parent, &["tâche parente"]),
        (Column::Outcome, &["résolution"]),
        (Column::KeptInNote, &["qui", "responsable", "créé"]),
    ],
    days: &["quand"],
    past: &[
        "achat", "acheté", "achetée", "ajout", "ajouté", "ajoutée", "anniversaire", "commandé", "créé", "création",
        "depuis", "dernier", "dernière", "envoyé", "facture", "modifié", "naissance", "payé", "reçu",
    ],
    statuses: &[
        (Open, &["à faire", "a faire", "ouvert"]),
        (Status::Groomed, &["prêt"]),
        (InProgress, &["en cours"]),
        (Blocked, &["bloqué", "bloque"]),
        (OnHold, &["en attente"]),
        (Status::Done, &["fait", "terminé", "termine", "fini"]),
        (Rejected, &["annulé", "annule", "abandonné", "rejeté", "doublon"]),
    ],
    priorities: &[
        (P0, &["urgente", "critique"]),
        (P1, &["haute", "élevée", "elevee"]),
        (P2, &["moyenne", "normale"]),
        (P3, &["basse", "faible"]),
    ],
    actions: &[
        "à faire", "a faire", "tâches", "liste des tâches", "prochaines étapes", "actions à mener",
        "liste de courses", "à acheter",
    ],
    yes: &["oui", "vrai"],
    no: &["non", "faux"],
};
