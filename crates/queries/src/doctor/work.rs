//! What the check of a data folder finds in agent work: rows that cannot be read, with what is written within
//! their columns, and what is held since the data was restored.

use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::agent::work::{filter, hook, question, step};
use dormouse_store::{Db, ReadError, in_list};
use dormouse_types::work::WorkState;
use dormouse_types::{WorkId, WorkRunId};
use dormouse_work::check::read_columns;

use super::open::{Open, damaged, named};
use crate::view::Diagnosis;
use crate::work::figures_of;

/// How many rows to check at once: the parts of all of them are read by one query.
const BATCH: i64 = in_list::MOST as i64;

/// Adds findings about agent work.
pub(super) fn examine(open: &Open, diagnosis: &mut Diagnosis) {
    let (mut after, mut held) = (String::new(), Vec::new());
    loop {
        let query = definition::page(open.ws, &after, BATCH);
        let (page, last) = open.sound(query, "agent work", diagnosis);
        parts_of_definitions(open, &page, diagnosis);
        let is_held = |one: &Definition| one.state == WorkState::Held && one.deleted_at.is_none();
        held.extend(page.into_iter().filter(is_held).map(|one| one.id.to_string()));
        // A row without a readable place would be read for ever.
        let Some(last) = last.filter(|last| *last > after) else { break };
        after = last;
    }
    runs(open, diagnosis);
    if !held.is_empty() {
        let n = held.len();
        let what = if n == 1 { "1 piece".to_owned() } else { format!("{n} pieces") };
        diagnosis.problem(
            format!("{what} of agent work held since the data was restored: {}", named(&held)),
            "`dormouse work list` shows what would run, `dormouse work resume --held` lets it run",
        );
    }
}

fn parts_of_definitions(open: &Open, page: &[Definition], diagnosis: &mut Diagnosis) {
    damaged(page.iter().map(read_columns), diagnosis);
    let ids: Vec<WorkId> = page.iter().map(|one| one.id.clone()).collect();
    open.sound(filter::of_definitions(open.ws, &ids), "filters of agent work", diagnosis);
    open.sound(step::of_definitions(open.ws, &ids), "steps of agent work", diagnosis);
    for work in open.all(hook::having(open.ws, &ids), "hooks", diagnosis) {
        open.sound(hook::of_work(open.ws, &work), "hooks", diagnosis);
    }
}

fn runs(open: &Open, diagnosis: &mut Diagnosis) {
    let mut after = String::new();
    loop {
        let query = run::page(open.ws, &after, BATCH);
        let (page, last) = open.sound(query, "runs of agent work", diagnosis);
        damaged(page.iter().map(|run: &Run| figures_of(run).map(drop)), diagnosis);
        let ids: Vec<WorkRunId> = page.into_iter().map(|run| run.id).collect();
        open.sound(step::of_runs(open.ws, &ids), "steps of runs", diagnosis);
        let query = question::of_runs(open.ws, &ids);
        let (questions, _) = open.sound(query, "questions of runs", diagnosis);
        let options = questions.into_iter().filter(|one| one.has_damaged_options).map(|one| {
            let (noun, detail) = ("question of a run", "options: they are no list of texts".into());
            Err(ReadError::Corrupt { db: Db::Agent.name(), noun, id: one.id.to_string(), detail })
        });
        damaged(options, diagnosis);
        let Some(last) = last.filter(|last| *last > after) else { return };
        after = last;
    }
}
