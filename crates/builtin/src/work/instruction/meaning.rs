//! What the phrases of an instruction come to: a kind with its parameters.

use dormouse_types::task::Priority;
use dormouse_types::work_kind::{
    Agenda, AgendaList, Only, Repeat, Repeated, Review, ReviewList, Sweep, Watch, WatchList,
    WhenEmpty, WorkKind, WorkParameters,
};

use super::cues::{FoundCues, Hit, What};
use super::{NotAccepted, short};
use crate::lang::work::{Cue, Topic};

/// The parameters.
///
/// Errors: no kind; a title that no task has.
pub(super) fn parameters(found: &FoundCues, text: &str) -> Result<WorkParameters, NotAccepted> {
    let hits = &found.hits;
    let no_kind = || match found.similar.clone() {
        Some(similar) => NotAccepted::NoSuchTask { text: short(text), similar },
        None => NotAccepted::NeedsModel { text: short(text) },
    };
    if let Some(title) = title(hits) {
        let what = Repeated::Make { title };
        return Ok(WorkParameters::Repeat(Repeat { what, by_rule: false }));
    }
    if let Some(repeated) = repeated(hits) {
        return Ok(WorkParameters::Repeat(Repeat { what: repeated, by_rule: false }));
    }
    let topics: Vec<(Topic, usize)> = hits
        .iter()
        .filter_map(|hit| match hit.what {
            What::Cue(Cue::Topic(topic)) => Some((topic, hit.part)),
            _ => None,
        })
        .collect();
    match kind(hits, &topics).ok_or_else(no_kind)? {
        WorkKind::Agenda => Ok(WorkParameters::Agenda(agenda(hits, &topics))),
        WorkKind::Review => Ok(WorkParameters::Review(review(hits, &topics))),
        WorkKind::Watch => Ok(WorkParameters::Watch(watch(hits, &topics))),
        WorkKind::Sweep => Ok(WorkParameters::Sweep(sweep(hits))),
        WorkKind::Repeat => Err(no_kind()),
    }
}

fn title(hits: &[Hit]) -> Option<String> {
    hits.iter().find_map(|hit| match &hit.what {
        What::Title(title) if !title.is_empty() => Some(title.clone()),
        _ => None,
    })
}

fn repeated(hits: &[Hit]) -> Option<Repeated> {
    let task = hits.iter().find_map(|hit| match &hit.what {
        What::Task(task) => Some(task.clone()),
        _ => None,
    })?;
    let has = |cue| hits.iter().any(|hit| matches!(hit.what, What::Cue(it) if it == cue));
    if has(Cue::Copy) {
        return Some(Repeated::Copy { task });
    }
    has(Cue::Reset).then_some(Repeated::Reset { task })
}

/// The kind that is named first counts; without one, what is to be listed tells it.
fn kind(hits: &[Hit], topics: &[(Topic, usize)]) -> Option<WorkKind> {
    let is_watched = |topic: &Topic| matches!(topic, Topic::Due | Topic::Overdue | Topic::Waiting);
    let named = hits.iter().filter_map(|hit| match hit.what {
        What::Cue(Cue::Kind(kind)) => Some(kind),
        What::Cue(Cue::ReviewOf(_)) => Some(WorkKind::Review),
        _ => None,
    });
    // "Let me know" is a watch only over something that can come near.
    let mut named = named.filter(|kind| {
        *kind != WorkKind::Watch || topics.iter().any(|(topic, _)| is_watched(topic))
    });
    if let Some(kind) = named.next() {
        return Some(kind);
    }
    // "If a deadline is less than a week away".
    let is_condition = |hit: &Hit| {
        matches!(hit.what, What::Cue(Cue::If))
            && topics.iter().any(|(topic, part)| *part == hit.part && is_watched(topic))
    };
    if hits.iter().any(is_condition) {
        return Some(WorkKind::Watch);
    }
    let of = |topic: Topic| match topic {
        Topic::Events | Topic::Due | Topic::Overdue | Topic::Waiting | Topic::NeedsYou => {
            WorkKind::Agenda
        }
        Topic::Changed => WorkKind::Agenda,
        Topic::Done | Topic::Stuck | Topic::Moved | Topic::Decisions | Topic::Hours => {
            WorkKind::Review
        }
        Topic::Stale => WorkKind::Sweep,
    };
    topics.first().map(|(topic, _)| of(*topic))
}

/// The lists that topics ask for, in the order of the kind; all if none is named.
fn lists<L: Copy + PartialEq + 'static>(
    all: &[L],
    topics: &[(Topic, usize)],
    of: impl Fn(Topic) -> &'static [L],
) -> Vec<L> {
    let wanted: Vec<L> = topics.iter().flat_map(|(topic, _)| of(*topic).iter().copied()).collect();
    if wanted.is_empty() {
        return all.to_vec();
    }
    all.iter().copied().filter(|list| wanted.contains(list)).collect()
}

fn agenda(hits: &[Hit], topics: &[(Topic, usize)]) -> Agenda {
    use AgendaList as L;
    let lists = lists(L::ALL, topics, |topic| match topic {
        Topic::Events => &[L::Events],
        Topic::Due => &[L::Overdue, L::Due],
        Topic::Overdue => &[L::Overdue],
        Topic::Waiting => &[L::Waiting],
        Topic::NeedsYou => &[L::NeedsYou],
        Topic::Changed | Topic::Done => &[L::Changed],
        Topic::Stuck | Topic::Moved | Topic::Decisions | Topic::Hours | Topic::Stale => &[],
    });
    let ahead = hits.iter().filter_map(|hit| match hit.what {
        What::Cue(Cue::Ahead(days)) => Some(days),
        What::Cue(Cue::Length(days)) => Some(length(hit, days)),
        _ => None,
    });
    let says = hits.iter().any(|hit| matches!(hit.what, What::Cue(Cue::SayEmpty)));
    Agenda {
        lists,
        ahead_days: ahead.max().unwrap_or(0),
        only: only(hits),
        when_empty: if says { WhenEmpty::Say } else { WhenEmpty::Silent },
    }
}

fn review(hits: &[Hit], topics: &[(Topic, usize)]) -> Review {
    use ReviewList as L;
    let lists = lists(L::ALL, topics, |topic| match topic {
        Topic::Done => &[L::Done],
        Topic::Stuck | Topic::Stale | Topic::Waiting => &[L::Stuck],
        Topic::Moved => &[L::Moved],
        Topic::Decisions => &[L::Decisions],
        Topic::Hours => &[L::Hours],
        Topic::Events | Topic::Due | Topic::Overdue | Topic::NeedsYou | Topic::Changed => &[],
    });
    let default = Review::default();
    let days = lengths(hits).map(|(days, _)| days).max().unwrap_or(default.days);
    Review { lists, days, only: only(hits), ..default }
}

fn watch(hits: &[Hit], topics: &[(Topic, usize)]) -> Watch {
    use WatchList as L;
    let lists = lists(L::ALL, topics, |topic| match topic {
        Topic::Due | Topic::Overdue => &[L::Deadlines],
        Topic::Waiting => &[L::Waiting],
        Topic::Events
        | Topic::NeedsYou
        | Topic::Changed
        | Topic::Done
        | Topic::Stuck
        | Topic::Moved
        | Topic::Decisions
        | Topic::Hours
        | Topic::Stale => &[],
    });
    let mut watch = Watch { lists, only: only(hits), ..Watch::default() };
    for (days, part) in lengths(hits) {
        // A length belongs to what its part of the sentence is about, and else to the only thing watched.
        let here = topics.iter().find(|(_, it)| *it == part).map(|(topic, _)| *topic);
        let is_waiting = match here {
            Some(topic) => topic == Topic::Waiting,
            None => watch.lists == [L::Waiting],
        };
        if is_waiting {
            watch.waiting_days = days;
        } else {
            watch.warn_days = days;
        }
    }
    watch
}

fn sweep(hits: &[Hit]) -> Sweep {
    let default = Sweep::default();
    let most = hits.iter().find_map(|hit| match hit.what {
        What::Cue(Cue::Most) => hit.caught.n,
        _ => None,
    });
    Sweep {
        untouched_days: lengths(hits).map(|(days, _)| days).max().unwrap_or(default.untouched_days),
        most: most.unwrap_or(default.most),
        only: only(hits),
    }
}

/// Lengths of time in days, with the part of the sentence they stand in.
fn lengths(hits: &[Hit]) -> impl Iterator<Item = (u16, usize)> {
    hits.iter().filter_map(|hit| match hit.what {
        What::Cue(Cue::Length(days)) => Some((length(hit, days), hit.part)),
        What::Cue(Cue::ReviewOf(days)) => Some((days, hit.part)),
        What::Cue(Cue::Topic(_)) => hit.caught.days().map(|days| (days, hit.part)),
        _ => None,
    })
}

/// What the phrase caught, or what it says by itself.
fn length(hit: &Hit, days: u16) -> u16 {
    hit.caught.days().unwrap_or(days)
}

fn only(hits: &[Hit]) -> Only {
    let mut only = Only::default();
    for hit in hits {
        match &hit.what {
            What::Category(category) if !only.categories.contains(category) => {
                only.categories.push(category.clone());
            }
            What::Label(label) if !only.labels.contains(label) => only.labels.push(label.clone()),
            What::Cue(Cue::Urgent) => only.priorities = vec![Priority::P0, Priority::P1],
            What::Category(_) | What::Label(_) | What::Cue(_) | What::Title(_) | What::Task(_) => {}
        }
    }
    only
}
