//! Lists, filters and searches tasks. A page always costs the same number of queries.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use dormouse_journal::{Deleted, Due, Sort, TaskQuery, TaskSummary};
use dormouse_store::agent::agent_entity::{Agent, Lifecycle};
use dormouse_store::agent::report::{self, ReportHead};
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::{entity, subscription};
use dormouse_store::in_list;
use dormouse_store::journal::task_list::{self, Text};
use dormouse_types::agent::ReportScope;
use dormouse_types::closed_list;
use dormouse_types::fold::{find, folded};
use dormouse_types::port::ModelClass;
use dormouse_types::task::{Flag, Priority, Status};
use dormouse_types::{AgentId, TaskId, WorkspaceId, limits};

use crate::proposals::Counts;
use crate::view::{Match, MatchPlace, Named, Page, RowActivity, TaskRow};
use crate::{Queries, QueryError};

/// The filters of a task list. Within each filter that is set, one value must match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Words that must all occur in the task: title, TLDR, entries, items, labels.
    pub words: Option<String>,
    /// Only these statuses.
    pub statuses: Vec<Status>,
    /// Only these priorities; a task without a priority counts as P2.
    pub priorities: Vec<Priority>,
    /// Only tasks with any of these labels, by id or name.
    pub labels: Vec<String>,
    /// Only tasks in any of these categories, by id or name; `none` matches tasks without a
    /// category.
    pub categories: Vec<String>,
    /// With such an agent.
    pub agents: Vec<AgentPresence>,
    /// Due then.
    pub due: Vec<Due>,
    /// The order.
    pub sort: Sort,
    /// Only tasks with all of these flags.
    pub flags: Vec<Flag>,
    /// Only tasks with an open proposal that is not deferred.
    pub to_review: bool,
    /// Whether to include deleted tasks.
    pub deleted: Deleted,
}

closed_list! {
    /// The agent filter of a task list.
    pub enum AgentPresence, "agent filter" {
        /// It has one.
        Agent = "with",
        /// It has none.
        None = "without",
        /// It has one that is running.
        Awake = "awake",
    }
}

/// The maximum number of search words; further ones are ignored.
const WORDS: usize = 12;
/// Units: characters. The context a snippet shows before and after the word.
const AROUND: (usize, usize) = (40, 100);

impl Queries {
    /// A page of tasks, newest first by default.
    ///
    /// Errors: a search text over the limit; a cursor of another list or order.
    pub async fn tasks(
        &self,
        ws: WorkspaceId,
        filter: TaskFilter,
        limit: usize,
        cursor: Option<String>,
    ) -> Result<Page<TaskRow>, QueryError> {
        let looked_for = filter.words.as_deref().unwrap_or_default();
        limits::SEARCH.check(looked_for.chars().count())?;
        let words = words(looked_for);
        let own = self.agents_of_tasks(ws, &filter, &words).await?;
        let report_texts =
            if words.is_empty() { HashMap::new() } else { self.tldrs(ws, &own).await? };
        let awake = self.awake(ws, &filter.agents).await?;
        let to_review = self.to_review(ws, filter.to_review).await?;
        let has_agent = |task: &str| {
            let agent = own.get(task);
            filter.agents.iter().any(|with| match with {
                AgentPresence::Agent => agent.is_some(),
                AgentPresence::None => agent.is_none(),
                AgentPresence::Awake => agent.is_some_and(|agent| awake.contains(agent)),
            })
        };
        let keep = |task: &str| {
            to_review.as_ref().is_none_or(|tasks| tasks.contains(task))
                && (filter.agents.is_empty() || has_agent(task))
        };
        let query = TaskQuery {
            statuses: filter.statuses,
            priorities: filter.priorities,
            labels: filter.labels,
            categories: filter.categories,
            due: filter.due,
            flags: filter.flags,
            today: self.clock.now().day_in(&self.zone.get()),
            words: words.clone(),
            report_texts,
            keep: (!filter.agents.is_empty() || filter.to_review).then_some(&keep),
            deleted: filter.deleted,
            sort: filter.sort,
        };
        let page = self.journal.list(ws, &query, limit, cursor.as_deref()).await?;
        let mut items = self.rows(ws, page.items).await?;
        if !words.is_empty() {
            self.show_matches(ws, &mut items, &words).await?;
        }
        Ok(Page { items, next_cursor: page.next, damaged: page.damaged })
    }

    /// Finds tasks by an id, its end, a title, or words of one: a page of those of the first that matches any.
    ///
    /// Errors: a search text over the limit; a cursor of another list.
    pub async fn find_tasks(
        &self,
        ws: WorkspaceId,
        text: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<TaskRow>, QueryError> {
        limits::SEARCH.check(text.chars().count())?;
        let page = self.journal.find(ws, text, limit, cursor).await?;
        let items = self.rows(ws, page.items).await?;
        Ok(Page { items, next_cursor: page.next, damaged: page.damaged })
    }

    /// The agent of each task, if the list filters by it.
    async fn agents_of_tasks(
        &self,
        ws: WorkspaceId,
        filter: &TaskFilter,
        words: &[String],
    ) -> Result<HashMap<String, AgentId>, QueryError> {
        if words.is_empty() && filter.agents.is_empty() {
            return Ok(HashMap::new());
        }
        let own = self.store.all(subscription::own(ws)).await?;
        Ok(own.into_iter().map(|own| (own.task.to_string(), own.agent)).collect())
    }

    /// The TLDR of each task that has a report, folded.
    async fn tldrs(
        &self,
        ws: WorkspaceId,
        own: &HashMap<String, AgentId>,
    ) -> Result<HashMap<String, String>, QueryError> {
        let heads = self.store.all(entity::each(entity::of_kind::<ReportHead>(ws))).await?;
        // A damaged head is reported when its agent is requested; it does not hide the task.
        let heads = heads.into_iter().flatten().map(|head| head.doc.value);
        let tldr: HashMap<AgentId, String> = heads
            .filter(|head| head.scope == ReportScope::Current)
            .filter_map(|head| Some((head.agent_id, folded(&head.tldr?))))
            .collect();
        let report_texts =
            own.iter().filter_map(|(task, agent)| Some((task.clone(), tldr.get(agent)?.clone())));
        Ok(report_texts.collect())
    }

    async fn awake(
        &self,
        ws: WorkspaceId,
        agents: &[AgentPresence],
    ) -> Result<BTreeSet<AgentId>, QueryError> {
        if !agents.contains(&AgentPresence::Awake) {
            return Ok(BTreeSet::new());
        }
        let leased = self.store.each(wake_queue::leased(ws)).await?;
        Ok(leased.into_iter().flatten().filter_map(|row| row.holder.try_into().ok()).collect())
    }

    /// The tasks with open proposals, if the list filters by them.
    async fn to_review(
        &self,
        ws: WorkspaceId,
        is_wanted: bool,
    ) -> Result<Option<HashSet<String>>, QueryError> {
        if !is_wanted {
            return Ok(None);
        }
        let open = self.open_proposals(ws).await?.into_iter().filter(|one| !one.is_put_off);
        Ok(Some(open.map(|one| one.item.task.to_string()).collect()))
    }

    async fn rows(
        &self,
        ws: WorkspaceId,
        summaries: Vec<TaskSummary>,
    ) -> Result<Vec<TaskRow>, QueryError> {
        let mut rows = Vec::with_capacity(summaries.len());
        let mut rest = summaries.into_iter().peekable();
        while rest.peek().is_some() {
            let some: Vec<TaskSummary> = rest.by_ref().take(in_list::MOST).collect();
            let tasks: Vec<TaskId> = some.iter().map(|task| task.id.clone()).collect();
            let columns = self.agent_columns(ws, &tasks).await?;
            rows.extend(some.into_iter().map(|task| columns.row(task)));
        }
        Ok(rows)
    }

    /// What agents have about some tasks.
    async fn agent_columns(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
    ) -> Result<AgentColumns, QueryError> {
        let open = self.counts_among(ws, tasks).await?;
        let own = self.store.all(subscription::own_on_tasks(ws, tasks)).await?;
        let ids: Vec<AgentId> = own.iter().map(|own| own.agent.clone()).collect();
        // A damaged row is reported when its agent is requested; it does not hide the task.
        let agents = self.store.each(entity::some::<Agent>(ws, &ids)).await?;
        let queue = self.store.each(wake_queue::of_holders(ws, &ids)).await?;
        let heads = self.store.each(report::heads(ws, &ids)).await?;
        let heads = heads.into_iter().flatten().map(|head| head.doc.value);
        let queue = queue.into_iter().flatten();
        let agents: Vec<Agent> = agents.into_iter().flatten().map(|it| it.doc.value).collect();
        let classes: HashMap<&AgentId, ModelClass> =
            agents.iter().map(|agent| (&agent.id, self.model_of(agent).class())).collect();
        let mut does: HashMap<AgentId, RowActivity> = queue
            .filter_map(|row| {
                let agent = AgentId::try_from(&row.holder).ok()?;
                let class = *classes.get(&agent)?;
                Some((agent, self.activity_of(Some(&row), class).into()))
            })
            .collect();
        let dormant = agents.iter().filter(|agent| agent.lifecycle == Lifecycle::Dormant);
        does.extend(dormant.map(|agent| (agent.id.clone(), RowActivity::Dormant)));
        Ok(AgentColumns {
            open,
            own: own.into_iter().map(|own| (own.task, own.agent)).collect(),
            names: agents.into_iter().map(|agent| (agent.id, agent.display_name)).collect(),
            does,
            tldr: heads.filter_map(|head| Some((head.agent_id, head.tldr?))).collect(),
        })
    }

    /// Adds to each task of a page where the search words were found.
    async fn show_matches(
        &self,
        ws: WorkspaceId,
        rows: &mut [TaskRow],
        words: &[String],
    ) -> Result<(), QueryError> {
        let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
        let mut texts: BTreeMap<TaskId, Vec<(MatchPlace, String)>> = BTreeMap::new();
        // A damaged row is reported where its task is opened.
        for text in self.store.each(task_list::texts(ws, &ids)).await?.into_iter().flatten() {
            let (task, place, text) = match text {
                Text::Item(item) => {
                    (item.doc.value.task_id, MatchPlace::Item, item.doc.value.title)
                }
                Text::Entry(entry) => {
                    let says = entry.doc.value.says().to_owned();
                    (entry.doc.value.task_id, MatchPlace::Entry, says)
                }
            };
            texts.entry(task).or_default().push((place, text));
        }
        for row in rows {
            let mut places = vec![(MatchPlace::Title, row.title.clone())];
            places.extend(row.tldr.clone().map(|tldr| (MatchPlace::Report, tldr)));
            places.extend(texts.remove(&row.id).unwrap_or_default());
            places.extend(row.labels.iter().map(|label| (MatchPlace::Label, label.name.clone())));
            row.found = best(&places, words);
        }
        Ok(())
    }
}

/// What agents have about the tasks of a page.
struct AgentColumns {
    open: HashMap<TaskId, Counts>,
    own: HashMap<TaskId, AgentId>,
    names: HashMap<AgentId, String>,
    does: HashMap<AgentId, RowActivity>,
    tldr: HashMap<AgentId, String>,
}

impl AgentColumns {
    fn row(&self, task: TaskSummary) -> TaskRow {
        // Only a live agent watches a task as its own.
        let agent = self.own.get(&task.id);
        let named = |agent| self.names.get(agent).cloned();
        let does = |agent| self.does.get(agent).copied().unwrap_or(RowActivity::Asleep);
        let open = self.open.get(&task.id).copied().unwrap_or_default();
        TaskRow {
            agent_name: agent.and_then(named),
            agent_activity: agent.map(does),
            tldr: agent.and_then(|agent| self.tldr.get(agent).cloned()),
            agent: agent.cloned(),
            open_proposals: open.open,
            put_off_proposals: open.put_off,
            items_checked: usize::try_from(task.n_items_done).unwrap_or_default(),
            items_total: usize::try_from(task.n_items_done + task.n_items_open).unwrap_or_default(),
            labels: task.labels.into_iter().map(|it| Named { id: it.id, name: it.name }).collect(),
            category: task.category.map(|it| Named { id: it.id, name: it.name }),
            starred: task.starred,
            private: task.private,
            estimate_minutes: task.estimate_minutes,
            language: task.language,
            found: None,
            id: task.id,
            title: task.title,
            status: task.status,
            priority: task.priority,
            due_on: task.due_on,
            created_at: task.created_at,
            updated_at: task.updated_at,
            deleted_at: task.deleted_at,
        }
    }
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in folded(text).split_whitespace() {
        if words.len() < WORDS && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// The first place with the most of the words, and the text around the first of them.
fn best(places: &[(MatchPlace, String)], words: &[String]) -> Option<Match> {
    let mut best: Option<(usize, MatchPlace, &str)> = None;
    for (place, text) in places {
        let all = folded(text);
        let n = words.iter().filter(|word| all.contains(word.as_str())).count();
        if n > best.map_or(0, |(most, ..)| most) {
            best = Some((n, *place, text));
        }
    }
    let (_, place, text) = best?;
    let (begin, end) = words.iter().filter_map(|word| find(text, word)).min()?;
    Some(Match { place, snippet: snippet(text, begin, end) })
}

/// The text around a position, without line breaks at its ends; `…` marks a cut.
fn snippet(text: &str, begin: usize, end: usize) -> String {
    let before = text[..begin].char_indices().rev().take(AROUND.0).last();
    let from = before.map_or(begin, |(at, _)| at);
    let end_of_text = text[end..].char_indices().nth(AROUND.1);
    let upto = end_of_text.map_or(text.len(), |(at, _)| end + at);
    let begun = if from > 0 { "…" } else { "" };
    let ended = if upto < text.len() { "…" } else { "" };
    format!("{begun}{}{ended}", text[from..upto].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(places: &[(MatchPlace, &str)], text: &str) -> Option<(MatchPlace, String)> {
        let places: Vec<_> = places.iter().map(|(at, text)| (*at, (*text).to_owned())).collect();
        best(&places, &words(text)).map(|found| (found.place, found.snippet))
    }

    #[test]
    fn the_place_with_the_most_words_is_shown_and_of_equal_ones_the_first() {
        let places = [
            (MatchPlace::Title, "Order tiles"),
            (MatchPlace::Entry, "The tiles are out of order."),
        ];
        let shown = |place, snippet: &str| Some((place, snippet.to_owned()));
        assert_eq!(found(&places, "TILES"), shown(MatchPlace::Title, "Order tiles"));
        assert_eq!(
            found(&places, "out tiles"),
            shown(MatchPlace::Entry, "The tiles are out of order.")
        );
        assert_eq!(found(&places, "bath"), None);
    }

    #[test]
    fn a_snippet_is_cut_between_characters_and_says_that_it_was_cut() {
        let long = format!("{}Straße{}", "ä".repeat(60), "ö".repeat(120));
        let (_, snippet) = found(&[(MatchPlace::Entry, &long)], "strasse").expect("it is there");
        assert_eq!(snippet, format!("…{}Straße{}…", "ä".repeat(40), "ö".repeat(100)));
    }
}
