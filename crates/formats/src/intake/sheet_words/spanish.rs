//! The words of Spanish.

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
        (Title, &["título", "titulo", "tarea", "qué", "asunto"]),
        (Done, &["hecho", "terminado"]),
        (Column::Status, &["estado"]),
        (Column::Reason, &["motivo"]),
        (Column::Priority, &["prioridad"]),
        (Due, &["para cuándo", "fecha", "fecha límite", "vencimiento", "hasta", "cuándo"]),
        (Start, &["inicio", "fecha de inicio"]),
        (Column::Estimate, &["duración", "duracion", "estimación"]),
        (Column::Language, &["idioma"]),
        (Category, &["categoría", "categoria", "proyecto", "lista"]),
        (Label, &["categorías", "etiqueta", "etiquetas"]),
        (Items, &["subtareas", "pasos"]),
        (Note, &["descripción", "descripcion", "nota", "notas", "comentario"]),
        (Column::Starred, &["favorito"]),
        (Column::Private, &["privado", "privada", "confidencial"]),
        (Column::Parent, &["tarea principal", "tarea padre"]),
        (Column::KeptInNote, &["quién", "quien", "creado"]),
    ],
    days: &["fecha", "cuándo"],
    past: &[
        "añadido", "compra", "comprado", "creado", "creación", "cumpleaños", "desde", "enviado", "factura",
        "modificado", "nacimiento", "pagado", "recibido", "ultima", "ultimo", "última", "último",
    ],
    statuses: &[
        (Open, &["pendiente", "por hacer", "abierto"]),
        (Status::Groomed, &["listo"]),
        (InProgress, &["en curso", "en progreso", "en proceso", "haciendo"]),
        (Blocked, &["bloqueado"]),
        (OnHold, &["en espera"]),
        (Status::Done, &["hecho", "terminado", "completado"]),
        (Rejected, &["cancelado", "rechazado", "descartado", "duplicado"]),
    ],
    priorities: &[
        (P0, &["crítica"]),
        (P1, &["alta", "alto"]),
        (P2, &["media"]),
        (P3, &["baja"]),
    ],
    actions: &[
        "por hacer", "tareas", "lista de tareas", "tareas pendientes", "pendientes", "próximos pasos", "acciones",
        "lista de la compra", "lista de compras", "por comprar",
    ],
    yes: &["sí", "si", "verdadero"],
    no: &["falso"],
};
