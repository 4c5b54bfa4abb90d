//! What the phrases of an instruction come to: a kind with its parameters.

use std::ops::Range;

use dormouse_types::task::Priority;
use dormouse_types::work_kind::{
    Agenda, AgendaList, Only, Repeat, Repeated, Review, ReviewList, Sweep, Watch, WatchList,
    WhenEmpty, WorkKind, WorkParameters,
};

use super::cues::{FoundCues, Hit, What};
use crate::lang::work::{Cue, Topic};

/// The parameters, and whether a review is to reach back to the one before because nothing says how far.
#[derive(Debug)]
pub(super) struct Meaning {
    pub parameters: WorkParameters,
    pub is_days_open: bool,
}

/// The parameters; `None` if what is understood names no kind. What the kind has no use for is taken out of what was found, so that it is named.
pub(super) fn meaning(found: &mut FoundCues) -> Option<Meaning> {
    loop {
        let meant = parameters(&found.hits)?;
        // Without "what I finished yesterday" it may be another kind.
        let mut unused = unused(&meant, found);
        if unused.iter().any(|it| it.is_period) {
            unused.retain(|it| it.is_period);
        }
        let unused: Vec<_> = unused.into_iter().map(|it| it.place).collect();
        if unused.is_empty() {
            let is_days_open = lengths(&found.hits, Some(WorkKind::Review)).next().is_none();
            return Some(Meaning { parameters: meant, is_days_open });
        }
        found.drop(unused);
    }
}

/// The kind that phrases ask for, whatever surrounds them.
pub(super) fn kind_of(hits: &[Hit]) -> Option<WorkKind> {
    let has = |is: fn(&What) -> bool| hits.iter().any(|hit| is(&hit.what));
    if has(|it| matches!(it, What::Title(_) | What::Cue(Cue::Make)))
        || has(|it| matches!(it, What::Task(_)))
            && has(|it| matches!(it, What::Cue(Cue::Reset | Cue::Copy)))
    {
        return Some(WorkKind::Repeat);
    }
    kind(hits, &topics(hits))
}

fn topics(hits: &[Hit]) -> Vec<(Topic, usize)> {
    let of = |hit: &Hit| match hit.what {
        What::Cue(Cue::Topic(topic)) => Some((topic, hit.part)),
        _ => None,
    };
    hits.iter().filter_map(of).collect()
}

fn parameters(hits: &[Hit]) -> Option<WorkParameters> {
    if let Some(what) = title(hits).map(|title| Repeated::Make { title }).or_else(|| repeated(hits))
    {
        return Some(WorkParameters::Repeat(Repeat { what, by_rule: false }));
    }
    let topics = topics(hits);
    match kind(hits, &topics)? {
        WorkKind::Agenda => Some(WorkParameters::Agenda(agenda(hits, &topics))),
        WorkKind::Review => Some(WorkParameters::Review(review(hits, &topics))),
        WorkKind::Watch => Some(WorkParameters::Watch(watch(hits, &topics))),
        WorkKind::Sweep => Some(WorkParameters::Sweep(sweep(hits))),
        WorkKind::Repeat => None,
    }
}

/// Words that a kind has no use for.
struct Unused {
    /// Units: bytes.
    place: Range<usize>,
    is_period: bool,
}

/// Where an instruction says what its kind has no parameter for: a list, a stretch of time, another kind. Units: bytes.
fn unused(parameters: &WorkParameters, found: &FoundCues) -> Vec<Unused> {
    let kind = parameters.kind();
    let hits = &found.hits;
    let names_kind = |hit: &Hit| match hit.what {
        What::Cue(Cue::Kind(it) | Cue::Named(it)) => it == kind,
        What::Cue(Cue::ReviewOf(_)) => kind == WorkKind::Review,
        What::Cue(Cue::Reset | Cue::Copy | Cue::Make) | What::Title(_) | What::Task(_) => {
            kind == WorkKind::Repeat
        }
        What::Cue(Cue::Topic(topic)) => has(kind, topic),
        _ => false,
    };
    let mut places = Vec::new();
    for hit in hits {
        let here = || hits.iter().filter(|it| it.part == hit.part);
        let topics: Vec<Topic> =
            topics(hits).into_iter().filter(|it| it.1 == hit.part).map(|it| it.0).collect();
        let is_watched = topics.iter().any(|topic| has(WorkKind::Watch, *topic));
        let What::Cue(cue) = hit.what else { continue };
        let is_used = match cue {
            // "Ping me" says no more than "tell me" where nothing is watched.
            Cue::Kind(WorkKind::Watch) if !is_watched => true,
            Cue::Kind(it) | Cue::Named(it) => it == kind,
            Cue::ReviewOf(_) => kind == WorkKind::Review,
            // "Untick all that is done".
            Cue::Topic(Topic::Done) if kind == WorkKind::Repeat => here().any(names_kind),
            Cue::Topic(topic) => {
                has(kind, topic) && (is_hours_whole(hit) || hit.caught.unit.is_none())
            }
            Cue::SayEmpty => kind == WorkKind::Agenda,
            Cue::Most => kind == WorkKind::Sweep,
            Cue::Make => kind == WorkKind::Repeat,
            Cue::Ahead(_) | Cue::Length(_) | Cue::Before(_) | Cue::Past(_) | Cue::Coming(_) => {
                is_hours_whole(hit) && is_period_of(kind, cue, &topics)
            }
            Cue::Today | Cue::Yesterday | Cue::Elsewhere => is_period_of(kind, cue, &topics),
            Cue::Reset | Cue::Copy | Cue::Urgent | Cue::If | Cue::Only | Cue::Filler => true,
        };
        if is_used {
            continue;
        }
        let is_period = matches!(
            cue,
            Cue::Ahead(_)
                | Cue::Length(_)
                | Cue::Before(_)
                | Cue::Past(_)
                | Cue::Coming(_)
                | Cue::Today
                | Cue::Yesterday
                | Cue::Elsewhere
        );
        let is_repeated = kind == WorkKind::Repeat && !found.stated.is_without_days();
        let is_whole = if is_period { !is_repeated } else { !here().any(names_kind) };
        let part = found.parts.get(hit.part).filter(|_| is_whole);
        places.push(Unused { place: part.unwrap_or(&hit.bytes).clone(), is_period });
    }
    places
}

/// Whether a kind lists it.
fn has(kind: WorkKind, topic: Topic) -> bool {
    use Topic as T;
    match kind {
        WorkKind::Agenda => matches!(
            topic,
            T::Events | T::Due | T::Overdue | T::Waiting | T::NeedsYou | T::Changed | T::Done
        ),
        WorkKind::Review => matches!(
            topic,
            T::Done | T::Stuck | T::Stale | T::Waiting | T::Moved | T::Decisions | T::Hours
        ),
        WorkKind::Watch => matches!(topic, T::Due | T::Overdue | T::Waiting),
        WorkKind::Sweep => matches!(topic, T::Stale | T::Stuck),
        WorkKind::Repeat => false,
    }
}

/// Whether a length of time has whole days.
fn is_hours_whole(hit: &Hit) -> bool {
    hit.caught.unit != Some(0) || hit.caught.n.is_some_and(|n| n % 24 == 0)
}

/// Whether a kind has a parameter for a stretch of time, beside what its part of the sentence is about.
fn is_period_of(kind: WorkKind, cue: Cue, topics: &[Topic]) -> bool {
    use Topic as T;
    let is_about = |all: &[Topic]| topics.iter().any(|topic| all.contains(topic));
    match (kind, cue) {
        (WorkKind::Agenda, Cue::Ahead(_) | Cue::Coming(_) | Cue::Length(_) | Cue::Before(_)) => {
            topics.is_empty() || is_about(&[T::Due, T::Events])
        }
        (WorkKind::Agenda, Cue::Today) => true,
        (WorkKind::Agenda, Cue::Yesterday) => is_about(&[T::Changed]),
        (WorkKind::Review, Cue::Past(_) | Cue::Length(_) | Cue::Before(_) | Cue::Today) => true,
        (WorkKind::Review, Cue::Ahead(days)) => days > 1,
        (WorkKind::Watch, Cue::Length(_) | Cue::Before(_) | Cue::Coming(_)) => true,
        (WorkKind::Watch, Cue::Past(_)) => is_about(&[T::Waiting]),
        (WorkKind::Watch, Cue::Today | Cue::Ahead(_)) => is_about(&[T::Due, T::Overdue]),
        (WorkKind::Sweep, Cue::Length(_) | Cue::Before(_) | Cue::Past(_)) => true,
        _ => false,
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
    let is_open = topics.iter().any(|(topic, _)| is_watched(topic));
    let mut named = hits.iter().filter_map(|hit| match hit.what {
        // "Let me know" is a watch only over something that can come near.
        What::Cue(Cue::Kind(WorkKind::Watch)) => is_open.then_some(WorkKind::Watch),
        // "Watch what I finished" is none.
        What::Cue(Cue::Named(WorkKind::Watch)) => {
            (is_open || topics.is_empty()).then_some(WorkKind::Watch)
        }
        What::Cue(Cue::Kind(kind) | Cue::Named(kind)) => Some(kind),
        What::Cue(Cue::ReviewOf(_)) => Some(WorkKind::Review),
        _ => None,
    });
    if let Some(kind) = named.next() {
        return Some(kind);
    }
    // "If a deadline is less than a week away", "two days before a deadline".
    let is_condition = |hit: &Hit| {
        matches!(hit.what, What::Cue(Cue::If | Cue::Before(_)))
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
        What::Cue(Cue::Length(days) | Cue::Before(days) | Cue::Coming(days)) => {
            Some(length(hit, days))
        }
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
    let days =
        lengths(hits, Some(WorkKind::Review)).map(|(days, _)| days).max().unwrap_or(default.days);
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
    for (days, part) in lengths(hits, Some(WorkKind::Watch)) {
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
        untouched_days: lengths(hits, None)
            .map(|(days, _)| days)
            .max()
            .unwrap_or(default.untouched_days),
        most: most.unwrap_or(default.most),
        only: only(hits),
    }
}

/// Lengths of time in days, with the part of the sentence they stand in. "Today" and "this week" are lengths for a review
/// and a watch.
fn lengths(hits: &[Hit], kind: Option<WorkKind>) -> impl Iterator<Item = (u16, usize)> {
    hits.iter().filter_map(move |hit| match (hit.what.cue()?, kind) {
        (Cue::Length(days) | Cue::Before(days) | Cue::Past(days) | Cue::Coming(days), _) => {
            Some((length(hit, days), hit.part))
        }
        (Cue::ReviewOf(days), _) => Some((days, hit.part)),
        (Cue::Topic(_), _) => hit.caught.days().map(|days| (days, hit.part)),
        (Cue::Today, Some(WorkKind::Review)) => Some((1, hit.part)),
        (Cue::Ahead(days), Some(WorkKind::Review)) => Some((days + 1, hit.part)),
        (Cue::Today, Some(WorkKind::Watch)) => Some((0, hit.part)),
        (Cue::Ahead(days), Some(WorkKind::Watch)) => Some((days, hit.part)),
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
