//! Waits for agents that a server runs, by polling it.

use dormouse_types::agent::AgentActivity;
use std::time::Duration;

use dormouse::DrainReport;
use dormouse::view::{Agent, AgentWorkDetail, EvolutionDetail, Page, RunOutcome, Wake, WorkRun};
use dormouse_types::port::Clock;
use dormouse_types::work::RunState;
use dormouse_types::{AgentId, EvolutionSessionId, TemplateId, Timestamp, WorkRunId, limits};
use serde::de::DeserializeOwned;

use crate::client::{Client, encode};
use crate::command::work::held::Holds;
use crate::failure::Failure;
use crate::pages;
use crate::terminal::note;

/// The first pause between two polls; each pause is twice as long as the previous one.
const SHORTEST: Duration = Duration::from_millis(20);
/// The longest pause between two polls.
const LONGEST: Duration = Duration::from_millis(500);
/// After this time the user sees what the command waits for.
const QUIET: Duration = Duration::from_secs(5);
/// A wake that is not due within this time waits for more than a free slot.
const SOON: Duration = Duration::from_secs(5);

/// What an agent is doing.
enum AgentProgress {
    AtWork,
    Asleep,
    /// It waits for a later time, such as the end of a back-off.
    Held,
}

fn progress(agent: &Agent, now: Timestamp) -> AgentProgress {
    match agent.activity {
        AgentActivity::Running => AgentProgress::AtWork,
        AgentActivity::Asleep | AgentActivity::Queued => match agent.due_at {
            Some(due) if due <= now + SOON => AgentProgress::AtWork,
            Some(_) => AgentProgress::Held,
            None => AgentProgress::Asleep,
        },
    }
}

/// The agents that a server is running or about to run.
pub async fn at_work(client: &Client, clock: &dyn Clock) -> Result<Vec<AgentId>, Failure> {
    let now = clock.now();
    let mut found: Vec<Agent> =
        pages::all(client, "/api/agents", &[("activity", "running,queued")]).await?;
    found.retain(|agent| matches!(progress(agent, now), AgentProgress::AtWork));
    let mut ids: Vec<AgentId> = found.into_iter().map(|agent| agent.id).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// Waits until these agents sleep again, and reports their runs that ended after `since`. Returns
/// which agents still wait, and until when.
///
/// Errors: the server does not respond.
pub async fn until_asleep(
    client: &Client,
    clock: &dyn Clock,
    agents: &[AgentId],
    since: Timestamp,
    tell: &mut impl FnMut(RunOutcome),
) -> Result<DrainReport, Failure> {
    let mut left = DrainReport::default();
    for id in agents {
        let agent = asleep(client, clock, id).await?;
        match progress(&agent, clock.now()) {
            AgentProgress::Asleep => {}
            AgentProgress::AtWork => left.waiting += 1,
            AgentProgress::Held => {
                left.held += 1;
                left.held_until = [left.held_until, agent.due_at].into_iter().flatten().min();
            }
        }
        let wakes: Page<Wake> = read(client, &format!("/api/agents/{id}/wakes?limit=20")).await?;
        for wake in wakes.items.into_iter().rev() {
            if wake.completed_at.is_some_and(|at| at >= since)
                && let Some(run) = wake.run_key
            {
                let run = encode(run.as_str());
                tell(read(client, &format!("/api/agents/{id}/wakes/{run}/outcome")).await?);
            }
        }
    }
    Ok(left)
}

/// Polls an agent until it sleeps, or waits for a later time.
async fn asleep(client: &Client, clock: &dyn Clock, id: &AgentId) -> Result<Agent, Failure> {
    let start = clock.now();
    // A run ends by itself; this covers one that cannot begin.
    let until = start + Duration::from_secs(limits::WAKE_SECONDS);
    let (mut pause, mut is_noted) = (SHORTEST, false);
    loop {
        let agent: Agent = read(client, &format!("/api/agents/{id}")).await?;
        let now = clock.now();
        if now >= until || !matches!(progress(&agent, now), AgentProgress::AtWork) {
            return Ok(agent);
        }
        if now >= start + QUIET && !is_noted {
            is_noted = true;
            note("waiting for the server to run the agent; press Ctrl-C to stop waiting");
        }
        clock.sleep_until(now + pause).await;
        pause = (pause * 2).min(LONGEST);
    }
}

/// Waits until these runs of agent work have ended, or wait for the person, for a later time or for a model that cannot
/// be used.
///
/// Errors: the server does not respond.
pub async fn until_left(
    client: &Client,
    clock: &dyn Clock,
    runs: &[WorkRunId],
) -> Result<(), Failure> {
    let start = clock.now();
    for run in runs {
        let until = clock.now() + Duration::from_secs(limits::WORK_RUN_SECONDS);
        let (mut pause, mut is_noted) = (SHORTEST, start + QUIET < clock.now());
        loop {
            let found: WorkRun = read(client, &format!("/api/runs/{run}")).await?;
            let now = clock.now();
            if now >= until || !found.run_state.holds_its_place() {
                break;
            }
            if found.run_state == RunState::Queued && is_held(client, &found).await? {
                break;
            }
            if now >= start + QUIET && !is_noted {
                is_noted = true;
                note("waiting for the server to end the run; press Ctrl-C to stop waiting");
            }
            clock.sleep_until(now + pause).await;
            pause = (pause * 2).min(LONGEST);
        }
    }
    Ok(())
}

/// Whether a run waits for more than its turn: its model cannot be used now.
async fn is_held(client: &Client, run: &WorkRun) -> Result<bool, Failure> {
    let holds = Holds::read(client).await?;
    let work: AgentWorkDetail = read(client, &format!("/api/tasks/{}", run.task_id)).await?;
    Ok(holds.reason(&work.task).is_some())
}

/// Waits until the model has answered in these sessions about templates.
///
/// Errors: the server does not respond.
pub async fn until_answered(
    client: &Client,
    clock: &dyn Clock,
    sessions: &[(TemplateId, EvolutionSessionId)],
) -> Result<(), Failure> {
    for (template, session) in sessions {
        let path = format!("/api/templates/{template}/evolution/sessions/{session}");
        let start = clock.now();
        let until = start + Duration::from_secs(limits::WAKE_SECONDS);
        let (mut pause, mut is_noted) = (SHORTEST, false);
        loop {
            let found: EvolutionDetail = read(client, &path).await?;
            let now = clock.now();
            if now >= until || !found.session.is_answering {
                break;
            }
            if now >= start + QUIET && !is_noted {
                is_noted = true;
                note("waiting for the model's answer; press Ctrl-C to stop waiting");
            }
            clock.sleep_until(now + pause).await;
            pause = (pause * 2).min(LONGEST);
        }
    }
    Ok(())
}

async fn read<T: DeserializeOwned>(client: &Client, path: &str) -> Result<T, Failure> {
    client.get(path).await?.read()
}
