//! What a person starts from: the kinds of work that need no language model, each ready to switch on.

use dormouse_types::work_kind::{
    Agenda, Review, Sweep, Watch, WorkKind, WorkParameters, WorkReads,
};

pub use dormouse_types::built_in_work::Template;

use crate::lang::work;

/// Every kind, in the order of the gallery, in a language; English if it has no words.
pub fn gallery(language: &str) -> Vec<Template> {
    let words = work::of(language);
    let all = WorkKind::ALL.iter().filter_map(|kind| {
        let (_, name, sentence) = words.gallery.iter().find(|(it, _, _)| it == kind)?;
        let (_, days, time) = words.read.usual.iter().find(|(it, _, _)| it == kind)?;
        Some(Template {
            kind: *kind,
            name,
            sentence,
            schedule: format!("{days} {} {time}", words.read.at),
            reads: reads(*kind),
            parameters: parameters(*kind),
        })
    });
    all.collect()
}

fn reads(kind: WorkKind) -> &'static [WorkReads] {
    match kind {
        WorkKind::Agenda => {
            &[WorkReads::Tasks, WorkReads::History, WorkReads::Attention, WorkReads::Calendar]
        }
        WorkKind::Review => {
            &[WorkReads::Tasks, WorkReads::History, WorkReads::Time, WorkReads::Decisions]
        }
        WorkKind::Watch => &[WorkReads::Tasks, WorkReads::History],
        WorkKind::Sweep => &[WorkReads::Tasks, WorkReads::History, WorkReads::Decisions],
        WorkKind::Repeat => &[WorkReads::Tasks],
    }
}

fn parameters(kind: WorkKind) -> Option<WorkParameters> {
    match kind {
        WorkKind::Agenda => Some(WorkParameters::Agenda(Agenda::default())),
        WorkKind::Review => Some(WorkParameters::Review(Review::default())),
        WorkKind::Watch => Some(WorkParameters::Watch(Watch::default())),
        WorkKind::Sweep => Some(WorkParameters::Sweep(Sweep::default())),
        WorkKind::Repeat => None,
    }
}
