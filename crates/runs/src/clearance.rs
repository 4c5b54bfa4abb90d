//! What the model of a run may see at this moment: everything, or only what is not private and of a
//! category that its provider may be sent.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_store::agent::change_set::ChangeSet;
use dormouse_store::agent::entity;
use dormouse_store::agent::log_line;
use dormouse_store::agent::model_setting;
use dormouse_store::agent::source::Source;
use dormouse_store::agent::wake_request::{self, Origin, Span};
use dormouse_store::journal::label_task;
use dormouse_store::journal::privacy::{self, PrivacyFacts};
use dormouse_store::{ReadError, Store, in_list};
use dormouse_types::kept_back::KeptBackReason;
use dormouse_types::model_settings::Provider;
use dormouse_types::port::{Model, ModelLocation};
use dormouse_types::{ChangeSetId, HolderId, LabelId, RunKey, WorkspaceId};

/// What a model may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clearance {
    Everything,
    /// Everything, and it reads data by rules: what it writes repeats no list of names.
    BuiltIn,
    /// Only some of the requested sources.
    Only(Shown),
}

/// The sources that a model may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// What was made of these may be seen.
    pub sources: BTreeSet<Source>,
    /// What was made of these may not, only because of the category of a task.
    pub other_categories: BTreeSet<Source>,
}

impl Clearance {
    /// Returns whether a text made of these sources may be seen.
    pub fn allows_all(&self, sources: &[Source]) -> bool {
        self.refusal(sources).is_none()
    }

    /// Returns why a text made of these sources may not be seen; `None` if it may.
    ///
    /// Of several reasons it is privacy: a change of the categories would not help.
    pub fn refusal(&self, sources: &[Source]) -> Option<KeptBackReason> {
        let shown = match self {
            Self::Everything | Self::BuiltIn => return None,
            Self::Only(shown) => shown,
        };
        let hidden = sources.iter().filter(|source| !shown.sources.contains(source));
        let reason = |source: &Source| match shown.other_categories.contains(source) {
            true => KeptBackReason::Category,
            false => KeptBackReason::Private,
        };
        hidden.map(reason).min_by_key(|reason| *reason == KeptBackReason::Category)
    }
}

/// Decides what a model may see of what was made of the `requested` sources.
///
/// Flags, categories and the settings of the provider count as they are now, whatever they were when
/// a text was written. What a run wrote is kept back for the same reason as anything that its model
/// was shown. What is unknown, or cannot be read, is not shown.
pub async fn clearance(
    store: &Store,
    ws: WorkspaceId,
    holder: &HolderId,
    model: &dyn Model,
    requested: BTreeSet<Source>,
) -> Result<Clearance, ReadError> {
    let is_own = match model.location() {
        ModelLocation::BuiltIn => return Ok(Clearance::BuiltIn),
        ModelLocation::OwnServer => true,
        ModelLocation::Elsewhere => false,
    };
    let provider = provider_now(store, ws, model.provider()).await?;
    // A run keeps the model that it began with, and another node the one that it has loaded: what a
    // person says of the server since then counts as well.
    let shows_private = is_own && provider.as_ref().is_none_or(|provider| provider.is_own);
    let categories = provider.and_then(|provider| provider.categories);
    if shows_private && categories.is_none() {
        return Ok(Clearance::Everything);
    }
    let facts = Facts::read(store, ws, holder, &requested).await?;
    let may_be_private = |row: &PrivacyFacts| shows_private || !row.is_private;
    let is_allowed = |row: &PrivacyFacts| {
        let category = row.category.as_ref();
        may_be_private(row) && categories.as_ref().is_none_or(|only| only.allows(category))
    };
    let sources = facts.shown_of(&requested, is_allowed);
    let mut other_categories = facts.shown_of(&requested, may_be_private);
    other_categories.retain(|source| !sources.contains(source));
    Ok(Clearance::Only(Shown { sources, other_categories }))
}

/// What texts were made of, no matter who may see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeOf {
    /// Whether tasks, entries or other runs are part of it.
    pub has_read: bool,
    /// Whether anything of it is private, in some category, or cannot be read any more.
    pub is_private: bool,
}

/// Returns what is known of everything that texts were made of.
///
/// A text that is put elsewhere is judged there by the flags and the category of its new place. So it is
/// private if a model could be kept from anything of it.
pub async fn made_of(
    store: &Store,
    ws: WorkspaceId,
    holder: &HolderId,
    requested: &BTreeSet<Source>,
) -> Result<MadeOf, ReadError> {
    let facts = Facts::read(store, ws, holder, requested).await?;
    let is_open = |row: &PrivacyFacts| !row.is_private && row.category.is_none();
    let shown = facts.shown_of(requested, is_open);
    Ok(MadeOf {
        has_read: !facts.rows.is_empty(),
        is_private: requested.iter().any(|source| !shown.contains(source)),
    })
}

/// Returns whether the model of a run was shown something that is private now, or of which that is not known, in the
/// requests so far and in the answers to its calls.
///
/// The names of labels do not count: they are offered to every run, and the person reads the one that is proposed.
pub async fn was_shown_private(
    store: &Store,
    ws: WorkspaceId,
    holder: &HolderId,
    run: &RunKey,
) -> Result<bool, ReadError> {
    let requested = BTreeSet::from([Source::Run(run.clone())]);
    let mut facts = Facts::read(store, ws, holder, &requested).await?;
    let public = PrivacyFacts { is_private: false, category: None };
    facts.labels.values_mut().for_each(|tasks| tasks.push(public.clone()));
    Ok(facts.shown_of(&requested, |row| !row.is_private).is_empty())
}

/// Returns what a person says of a provider, if it was added here. It is read for each request,
/// because another node may have changed it.
async fn provider_now(
    store: &Store,
    ws: WorkspaceId,
    name: &str,
) -> Result<Option<Provider>, ReadError> {
    let stored = store.first(model_setting::of_workspace(ws)).await?;
    Ok(stored.and_then(|stored| stored.settings.provider(name).cloned()))
}

/// What is decided on who may see texts.
#[derive(Debug, Default)]
struct Facts {
    /// The lines of the logs of holders, in order: that of the run's own, and those of others whose
    /// runs wrote something that is shown.
    logs: BTreeMap<HolderId, Vec<(i64, Vec<Source>)>>,
    /// What the requests of runs were made of.
    runs: BTreeMap<RunKey, Vec<Origin>>,
    /// The runs that made sets of proposals.
    sets: BTreeMap<ChangeSetId, RunKey>,
    /// The tasks and entries that can be read.
    rows: BTreeMap<Source, PrivacyFacts>,
    /// The labels, with what decides who may be sent the tasks that have them.
    labels: BTreeMap<LabelId, Vec<PrivacyFacts>>,
}

impl Facts {
    async fn read(
        store: &Store,
        ws: WorkspaceId,
        holder: &HolderId,
        requested: &BTreeSet<Source>,
    ) -> Result<Self, ReadError> {
        let mut facts = Self::default();
        let mut all = BTreeSet::new();
        let mut new = requested.clone();
        let mut holders = vec![holder.clone()];
        while !new.is_empty() || !holders.is_empty() {
            all.extend(new.iter().cloned());
            let mut found = BTreeSet::new();
            for holders in std::mem::take(&mut holders).chunks(in_list::MOST) {
                for holder in holders {
                    facts.logs.entry(holder.clone()).or_default();
                }
                for (holder, n, sources) in store.all(log_line::sources(ws, holders)).await? {
                    found.extend(sources.iter().cloned());
                    facts.logs.entry(holder).or_default().push((n, sources));
                }
            }
            let (mut runs, mut sets) = (Vec::new(), Vec::new());
            for source in &new {
                match source {
                    Source::Run(key) => runs.push(key.clone()),
                    Source::Proposals(set) => sets.push(set.clone()),
                    Source::Task(_) | Source::Entry(_) | Source::Label(_) | Source::Unknown => {}
                }
            }
            for sets in sets.chunks(in_list::MOST) {
                for set in store.all(entity::some::<ChangeSet>(ws, sets)).await? {
                    let ChangeSet { id, run_key, .. } = set.doc.value;
                    found.insert(Source::Run(RunKey(run_key.clone())));
                    facts.sets.insert(id, RunKey(run_key));
                }
            }
            for runs in runs.chunks(in_list::MOST) {
                for origin in store.all(wake_request::origins(ws, runs)).await? {
                    found.extend(origin.sources.iter().cloned());
                    if !facts.logs.contains_key(&origin.holder) {
                        holders.push(origin.holder.clone());
                    }
                    facts.runs.entry(origin.run.clone()).or_default().push(origin);
                }
            }
            holders.sort_unstable();
            holders.dedup();
            new = found.difference(&all).cloned().collect();
        }
        let ids = |source: &Source| match source {
            Source::Task(id) => Some((id.to_string(), source.clone())),
            Source::Entry(id) => Some((id.to_string(), source.clone())),
            Source::Label(_) | Source::Run(_) | Source::Proposals(_) | Source::Unknown => None,
        };
        let by_id: BTreeMap<String, Source> = all.iter().filter_map(ids).collect();
        let ids: Vec<String> = by_id.keys().cloned().collect();
        for ids in ids.chunks(in_list::MOST) {
            for row in store.all(privacy::of_some(ws, ids)).await? {
                facts.rows.extend(by_id.get(&row.id).cloned().zip(row.facts));
            }
        }
        let labels: Vec<LabelId> = all.iter().filter_map(Source::label).cloned().collect();
        facts.labels.extend(labels.iter().map(|label| (label.clone(), Vec::new())));
        for labels in labels.chunks(in_list::MOST) {
            for (label, reach) in store.all(label_task::reaches(ws, labels)).await? {
                facts.labels.entry(label).or_default().push(reach);
            }
        }
        Ok(facts)
    }

    /// Returns those of the sources that may be seen if of tasks and entries those may be that
    /// `is_allowed` names.
    fn shown_of(
        &self,
        requested: &BTreeSet<Source>,
        is_allowed: impl Fn(&PrivacyFacts) -> bool,
    ) -> BTreeSet<Source> {
        let rows = self.rows.iter().filter(|(_, row)| is_allowed(row));
        // The name of a label may be seen with any task that has it. A label that no task has may have
        // been that of a private task: labels are made together with a task.
        let labels = self.labels.iter().filter(|(_, tasks)| tasks.iter().any(&is_allowed));
        let mut decided = Decided {
            facts: self,
            rows: rows.map(|(row, _)| row).collect(),
            labels: labels.map(|(label, _)| label).collect(),
            runs: BTreeSet::new(),
        };
        decided.find_runs();
        requested.iter().filter(|source| decided.is_shown(source)).cloned().collect()
    }
}

/// What may be seen of some facts.
struct Decided<'f> {
    facts: &'f Facts,
    /// The tasks and entries that may be seen.
    rows: BTreeSet<&'f Source>,
    /// The labels whose names may be seen.
    labels: BTreeSet<&'f LabelId>,
    /// The runs whose models were shown nothing else.
    runs: BTreeSet<&'f RunKey>,
}

impl<'f> Decided<'f> {
    fn is_shown(&self, source: &Source) -> bool {
        match source {
            Source::Task(_) | Source::Entry(_) => self.rows.contains(source),
            Source::Label(id) => self.labels.contains(id),
            Source::Run(key) => self.runs.contains(key),
            Source::Proposals(set) => {
                self.facts.sets.get(set).is_some_and(|key| self.runs.contains(key))
            }
            Source::Unknown => false,
        }
    }

    /// Finds the runs whose models were shown nothing that may not be seen now.
    ///
    /// A run is made of log lines, and a line of runs before it. They are judged in the order in
    /// which they were written, until a pass finds no more: what depends on itself, which only a
    /// damaged store contains, is never found.
    fn find_runs(&mut self) {
        let facts = self.facts;
        let mut of_holders: BTreeMap<&'f HolderId, Vec<(&'f RunKey, i64)>> = BTreeMap::new();
        for (key, requests) in &facts.runs {
            let Some(request) = requests.first() else { continue };
            of_holders.entry(&request.holder).or_default().push((key, last_line(requests)));
        }
        for order in of_holders.values_mut() {
            order.sort_by_key(|(_, last)| *last);
        }
        loop {
            let before = self.runs.len();
            for (holder, order) in &of_holders {
                let mut judged = JudgedLines::default();
                let mut lines = facts.logs.get(*holder).into_iter().flatten().peekable();
                for (key, last) in order {
                    while let Some((n, sources)) = lines.next_if(|(n, _)| n <= last) {
                        judged.push(*n, sources.iter().all(|source| self.is_shown(source)));
                    }
                    let mut requests = facts.runs.get(*key).into_iter().flatten();
                    if requests.all(|request| self.was_shown_no_more(request, &judged)) {
                        self.runs.insert(*key);
                    }
                }
            }
            if self.runs.len() == before {
                return;
            }
        }
    }

    fn was_shown_no_more(&self, request: &Origin, judged: &JudgedLines) -> bool {
        let is_shown = |span: &Span| match span {
            Span::Text { .. } => true,
            Span::Log { from, upto, .. } => judged.are_shown(*from, *upto),
        };
        request.spans.iter().all(is_shown)
            && request.sources.iter().all(|source| self.is_shown(source))
    }
}

/// The last line of the log that a run was shown.
fn last_line(requests: &[Origin]) -> i64 {
    let upto = |span: &Span| match span {
        Span::Text { .. } => None,
        Span::Log { upto, .. } => Some(*upto),
    };
    requests.iter().flat_map(|request| &request.spans).filter_map(upto).max().unwrap_or(0)
}

/// The lines of a log that have been judged, from the first without a gap.
#[derive(Debug, Default)]
struct JudgedLines {
    last: i64,
    /// The numbers of lines that may not be seen, in order.
    hidden: Vec<i64>,
}

impl JudgedLines {
    fn push(&mut self, n: i64, is_shown: bool) {
        self.last = n;
        if !is_shown {
            self.hidden.push(n);
        }
    }

    fn are_shown(&self, from: i64, upto: i64) -> bool {
        let before = self.hidden.partition_point(|n| *n < from);
        upto <= self.last && self.hidden.get(before).is_none_or(|n| *n > upto)
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::{CategoryId, EntryId};

    use super::*;

    fn entry(n: i64) -> Source {
        Source::Entry(format!("en-{n:026}").parse::<EntryId>().expect("an id"))
    }

    fn holder(n: i64) -> HolderId {
        format!("ag-{n:026}").parse().expect("an id")
    }

    fn key(n: i64) -> RunKey {
        RunKey(format!("run {n}"))
    }

    fn run(n: i64) -> Source {
        Source::Run(key(n))
    }

    /// A log of three entries; the run after each wrote a note.
    fn facts(public: &[i64]) -> Facts {
        let log = vec![
            (1, vec![entry(1)]),
            (2, vec![run(1)]),
            (3, vec![entry(2)]),
            (4, vec![run(2)]),
            (5, vec![entry(3)]),
            (6, vec![run(3)]),
        ];
        let origin = |n: i64| Origin {
            run: key(n),
            holder: holder(1),
            spans: (n > 1)
                .then_some(Span::Log { from: 1, upto: 2 * n - 2, by_run: true })
                .into_iter()
                .collect(),
            sources: vec![entry(n)],
        };
        Facts {
            logs: BTreeMap::from([(holder(1), log)]),
            runs: (1..=3).map(|n| (key(n), vec![origin(n)])).collect(),
            sets: BTreeMap::new(),
            labels: BTreeMap::new(),
            rows: (1..=4).map(|n| (entry(n), row(!public.contains(&n), None))).collect(),
        }
    }

    fn row(is_private: bool, category: Option<CategoryId>) -> PrivacyFacts {
        PrivacyFacts { is_private, category }
    }

    fn public_of(facts: &Facts, requested: impl IntoIterator<Item = Source>) -> BTreeSet<Source> {
        facts.shown_of(&requested.into_iter().collect(), |row| !row.is_private)
    }

    fn check(facts: &Facts, expected: &[i64]) {
        let public = public_of(facts, (1..=3).map(run));
        assert_eq!(public, expected.iter().map(|n| run(*n)).collect(), "{facts:?}");
    }

    #[test]
    fn what_a_run_makes_of_private_text_is_private_and_so_is_what_later_runs_make_of_that() {
        check(&facts(&[1, 2, 3]), &[1, 2, 3]);
        check(&facts(&[1, 3]), &[1]);
        check(&facts(&[2, 3]), &[]);
    }

    #[test]
    fn a_run_that_was_not_shown_the_private_lines_writes_what_is_public() {
        let mut facts = facts(&[1, 3]);
        let third = facts.runs.get_mut(&key(3)).expect("a run");
        third[0].spans = vec![Span::Log { from: 1, upto: 2, by_run: true }];
        check(&facts, &[1, 3]);
    }

    #[test]
    fn every_request_of_a_run_counts() {
        let mut facts = facts(&[1, 3]);
        let first = facts.runs.get_mut(&key(1)).expect("a run");
        first.push(Origin { spans: Vec::new(), sources: vec![entry(2)], ..first[0].clone() });
        check(&facts, &[]);
    }

    #[test]
    fn a_run_of_another_holder_is_judged_by_its_own_log() {
        let mut facts = facts(&[1, 2, 3, 4]);
        facts.logs.insert(holder(2), vec![(1, vec![entry(4)]), (2, vec![entry(5)])]);
        let of_other = |n: i64, upto: i64| Origin {
            run: key(n),
            holder: holder(2),
            spans: vec![Span::Log { from: 1, upto, by_run: true }],
            sources: Vec::new(),
        };
        facts.runs.insert(key(4), vec![of_other(4, 1)]);
        facts.runs.insert(key(5), vec![of_other(5, 2)]);
        let public = public_of(&facts, [run(4), run(5)]);
        assert_eq!(public, [run(4)].into(), "the second saw a private entry");
    }

    #[test]
    fn what_depends_on_itself_or_on_another_log_or_on_nothing_known_is_private() {
        let mut circle = facts(&[1, 2, 3]);
        circle.runs.get_mut(&key(1)).expect("a run")[0].sources = vec![run(1)];
        check(&circle, &[]);
        let mut foreign = facts(&[1, 2, 3]);
        foreign.runs.get_mut(&key(3)).expect("a run")[0].holder = holder(2);
        check(&foreign, &[1, 2]);
        let mut beyond = facts(&[1, 2, 3]);
        beyond.runs.get_mut(&key(3)).expect("a run")[0].spans =
            vec![Span::Log { from: 1, upto: 99, by_run: true }];
        check(&beyond, &[1, 2]);
        let mut unknown = facts(&[1, 2, 3]);
        unknown.runs.remove(&key(3));
        check(&unknown, &[1, 2]);
        assert_eq!(public_of(&unknown, [Source::Unknown]), BTreeSet::new());
    }

    #[test]
    fn the_name_of_a_label_may_be_seen_if_a_task_may_be_that_has_it() {
        let label = |n: i64| format!("lb-{n:026}").parse::<LabelId>().expect("an id");
        let (public, private) = (row(false, None), row(true, None));
        let tasks = [(1, vec![private.clone(), public]), (2, vec![private])];
        let mut facts = facts(&[]);
        facts.labels.extend(tasks.map(|(n, tasks)| (label(n), tasks)));
        let source = |n| Source::Label(label(n));
        let shown = public_of(&facts, (1..=3).map(source));
        assert_eq!(shown, [source(1)].into(), "no task has the third one");
    }

    #[test]
    fn privacy_is_the_reason_wherever_a_change_of_categories_would_not_help() {
        let shown = Shown { sources: [entry(1)].into(), other_categories: [entry(2)].into() };
        let clearance = Clearance::Only(shown);
        assert_eq!(clearance.refusal(&[entry(1)]), None);
        assert_eq!(clearance.refusal(&[entry(1), entry(2)]), Some(KeptBackReason::Category));
        assert_eq!(clearance.refusal(&[entry(2), entry(3)]), Some(KeptBackReason::Private));
        assert_eq!(Clearance::Everything.refusal(&[entry(3), Source::Unknown]), None);
    }
}
