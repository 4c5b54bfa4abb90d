//! The context of a command: the client, the screen, and the agents it must wait for.

use dormouse_types::agent::RunStatus;
use std::collections::BTreeSet;
use std::future::pending;
use std::io::{self, ErrorKind};

use dormouse::dates::Wording;
use dormouse::view::RunOutcome;
use dormouse::{DrainReport, DrainScope, WorkspaceSettings};
use dormouse_adapters::SystemClock;
use dormouse_types::port::Clock as _;
use dormouse_types::{
    AgentId, EvolutionSessionId, HolderId, Id as _, TaskId, TemplateId, Timestamp, WorkRunId,
};
use jiff::tz::TimeZone;
use tokio::sync::watch;

use crate::client::{Client, Reply};
use crate::config::Config;
use crate::engine::{Backend, Engine};
use crate::failure::Failure;
use crate::terminal::{Screen, line, note, time, titled};
use crate::{stop, wait};

/// One command while it runs.
pub struct Session {
    /// The client for the data.
    pub client: Client,
    /// Where output goes.
    pub screen: Screen,
    /// The person's time zone.
    pub zone: TimeZone,
    /// The person's editor, a command that may have arguments.
    pub editor: String,
    /// How the person writes dates.
    pub wording: Wording,
    /// The engine in this process; `None` if a server does the work.
    engine: Option<Box<Engine>>,
    /// When this command began.
    since: Timestamp,
    call: String,
    no_wait: bool,
    /// Becomes true when the command is to stop; watched while it waits for agents.
    stop: Option<watch::Receiver<bool>>,
    tasks: Vec<TaskId>,
    agents: Vec<AgentId>,
    runs: Vec<WorkRunId>,
    evolutions: Vec<(TemplateId, EvolutionSessionId)>,
    all_due: bool,
    /// The agents whose last run that this command waited for failed.
    failed: BTreeSet<AgentId>,
}

impl Session {
    /// Opens the data, or finds the server that holds it.
    ///
    /// Errors: neither is possible.
    pub async fn open(config: Config) -> Result<Self, Failure> {
        let since = SystemClock.now();
        let (client, mut zone, engine) = match Backend::find(&config).await? {
            Backend::InProcess(engine) => {
                (engine.client(), engine.dormouse.time_zone(), Some(engine))
            }
            Backend::Remote(server) => {
                let zone = TimeZone::get(&server.zone).unwrap_or(config.zone);
                (Client::of(server), zone, None)
            }
        };
        let mut wording = config.wording;
        // The order and the zone of the workspace are what everybody in it and the rules of agents read by. The
        // zone may have changed since the server wrote its file.
        if let Ok(reply) = client.get("/api/settings").await
            && let Ok(settings) = reply.read::<WorkspaceSettings>()
        {
            wording.order =
                settings.date_order.filter(|_| !config.is_order_given).unwrap_or(wording.order);
            zone = TimeZone::get(settings.zone()).unwrap_or(zone);
        }
        Ok(Self {
            client,
            screen: Screen::new(config.screen),
            zone,
            editor: config.editor,
            wording,
            call: config.call,
            engine,
            since,
            no_wait: config.no_wait,
            stop: None,
            tasks: Vec::new(),
            agents: Vec::new(),
            runs: Vec::new(),
            evolutions: Vec::new(),
            all_due: false,
            failed: BTreeSet::new(),
        })
    }

    /// Records that this command changed a task, so that its agents run before the command ends.
    pub fn touch_task(&mut self, task: &TaskId) {
        if !self.tasks.contains(task) {
            self.tasks.push(task.clone());
        }
    }

    /// Records that this command gave an agent a reason to wake.
    pub fn touch_agent(&mut self, agent: &AgentId) {
        if !self.agents.contains(agent) {
            self.agents.push(agent.clone());
        }
    }

    /// Records that this command lets a run of agent work go on.
    pub fn touch_run(&mut self, run: &WorkRunId) {
        if !self.runs.contains(run) {
            self.runs.push(run.clone());
        }
    }

    /// Records that this command lets a model answer in a session about a template.
    pub fn touch_evolution(&mut self, template: &TemplateId, session: &EvolutionSessionId) {
        self.evolutions.push((template.clone(), session.clone()));
    }

    /// Records that all agents that are ready to run should run.
    pub fn touch_all_due(&mut self) {
        self.all_due = true;
    }

    /// Finds the agents that wait because of earlier changes, without running them.
    ///
    /// Errors: the store cannot be read or written.
    pub async fn route(&self) -> Result<(), Failure> {
        match &self.engine {
            Some(engine) if !self.no_wait => {
                engine.drain(DrainScope::default(), pending(), &mut |_nobody| {}).await?;
            }
            // A server routes on its own.
            Some(_) | None => {}
        }
        Ok(())
    }

    /// When this command began.
    pub fn began(&self) -> Timestamp {
        self.since
    }

    /// Whether this process holds the data, so that no server does what is due.
    pub fn is_without_server(&self) -> bool {
        self.engine.is_some()
    }

    /// Whether no other process can change anything while this command runs.
    pub fn is_alone(&self) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.is_alone())
    }

    /// A command for the user to type, with this command's data folder.
    pub fn command(&self, rest: &str) -> String {
        format!("{} {rest}", self.call)
    }

    /// Prints the body if `--json` was given, and returns whether it was.
    pub fn print_body(&mut self, reply: &Reply) -> bool {
        if self.screen.is_json() {
            self.screen.body(&reply.body);
        }
        self.screen.is_json()
    }

    /// Runs the agents this command touched so far, or waits until the server has run them, unless
    /// `--no-wait` was given. Returns the number of ended runs, or `None` if it did not wait.
    pub async fn wait(&mut self) -> Option<usize> {
        let nobody = self.tasks.is_empty()
            && self.agents.is_empty()
            && self.runs.is_empty()
            && self.evolutions.is_empty()
            && !self.all_due;
        if self.no_wait || self.is_stopped() || nobody {
            return None;
        }
        self.flush();
        let runs = std::mem::take(&mut self.runs);
        let evolutions = std::mem::take(&mut self.evolutions);
        let sessions = evolutions.iter().map(|(_, session)| HolderId::from(session));
        let scope = DrainScope {
            tasks: std::mem::take(&mut self.tasks),
            agents: std::mem::take(&mut self.agents),
            others: runs.iter().map(HolderId::from).chain(sessions).collect(),
            all_due: std::mem::take(&mut self.all_due),
        };
        let mut proposed: Vec<TaskId> = Vec::new();
        let mut failed = std::mem::take(&mut self.failed);
        let mut on_run = |run: RunOutcome| {
            note(&format_run(&run));
            match run.status {
                RunStatus::Failed | RunStatus::Abandoned => failed.insert(run.agent_id.clone()),
                _ => failed.remove(&run.agent_id),
            };
            proposed
                .extend(run.task_id.filter(|task| run.proposals > 0 && !proposed.contains(task)));
        };
        let stop = match self.listen() {
            Ok(stop) => stop,
            Err(e) => {
                note(&format!(
                    "the agents are left for later, because this command could not be interrupted: {e}"
                ));
                return Some(0);
            }
        };
        let ended = self.run_to_end(scope, (&runs, &evolutions), stop, &mut on_run).await;
        self.failed = failed;
        let DrainReport { ran, waiting, held, held_until } = match ended {
            Ok(report) => report,
            Err(failure) => {
                note(&format!("note: agents could not run: {}", line(&failure.message)));
                DrainReport::default()
            }
        };
        if self.is_stopped() {
            note(match &self.engine {
                Some(_) => "stopped: the next command resumes the agents",
                None => "no longer waiting: the server continues",
            });
            return Some(ran);
        }
        match proposed.as_slice() {
            [] => {}
            [task] => {
                note(&format!("decide: {}", self.command(&format!("review {}", task.short()))))
            }
            _ => note(&format!("decide: {}", self.command("review"))),
        }
        if waiting > 0 {
            let (agents, wait) = if waiting == 1 { ("agent", "waits") } else { ("agents", "wait") };
            note(&format!("{waiting} {agents} {wait}: {}", self.command("agent wake --due")));
        }
        if let Some(until) = held_until {
            let until = time::minute(until, &self.zone);
            let command = self.command("agent list");
            let then = match self.is_without_server() {
                false => String::new(),
                true => " (without a server, the next command after that wakes it)".to_owned(),
            };
            note(&match held {
                1 => format!("1 agent waits until {until}: {command}{then}"),
                n => format!("{n} agents wait, the first until {until}: {command}{then}"),
            });
        }
        Some(ran)
    }

    /// The agents whose last run that this command waited for failed.
    pub fn failed(&self) -> &BTreeSet<AgentId> {
        &self.failed
    }

    /// Whether this command was stopped while it waited for agents.
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| *stop.borrow())
    }

    /// Starts listening for signals.
    fn listen(&mut self) -> io::Result<watch::Receiver<bool>> {
        let stop = match self.stop.take() {
            Some(stop) => stop,
            None => stop::signal("stopping: a second signal stops immediately")?,
        };
        Ok(self.stop.insert(stop).clone())
    }

    /// Runs agents here, or waits until the server has run them, until the command is to
    /// stop.
    async fn run_to_end(
        &self,
        scope: DrainScope,
        others: Others<'_>,
        stop: watch::Receiver<bool>,
        on_run: &mut (dyn FnMut(RunOutcome) + Send),
    ) -> Result<DrainReport, Failure> {
        match &self.engine {
            Some(engine) => engine.drain(scope, stop::requested(stop), on_run).await,
            None => tokio::select! {
                biased;
                () = stop::requested(stop) => Ok(DrainReport::default()),
                ended = self.wait_for_server(scope, others, on_run) => ended,
            },
        }
    }

    async fn wait_for_server(
        &self,
        scope: DrainScope,
        (runs, evolutions): Others<'_>,
        on_run: &mut (dyn FnMut(RunOutcome) + Send),
    ) -> Result<DrainReport, Failure> {
        wait::until_left(&self.client, &SystemClock, runs).await?;
        wait::until_answered(&self.client, &SystemClock, evolutions).await?;
        let mut agents = scope.agents;
        if scope.all_due {
            agents.extend(wait::at_work(&self.client, &SystemClock).await?);
        }
        let mut ran = 0;
        let mut tell = |run| {
            ran += 1;
            on_run(run);
        };
        let (client, since) = (&self.client, self.since);
        let left = wait::until_asleep(client, &SystemClock, &agents, since, &mut tell).await?;
        Ok(DrainReport { ran, ..left })
    }

    /// Runs the remaining agents at the end of a command. A server does that on its own.
    pub async fn finish(&mut self) {
        if self.engine.is_some() {
            self.wait().await;
        }
    }

    /// Writes the output so far; a closed reader is not a failure.
    pub fn flush(&mut self) -> bool {
        match self.screen.flush() {
            Ok(()) => true,
            Err(e) if e.kind() == ErrorKind::BrokenPipe => true,
            Err(e) => {
                note(&format!("error: cannot write the output: {e}"));
                false
            }
        }
    }
}

/// Runs of agent work and sessions about templates that a command waits for.
type Others<'a> = (&'a [WorkRunId], &'a [(TemplateId, EvolutionSessionId)]);

/// Describes a run in one line.
fn format_run(run: &RunOutcome) -> String {
    let name = line(&run.agent_name);
    let short = run.agent_id.short();
    let title = line(titled(&run.task_title));
    let mut text = format!("agent {name} ({short}), {title}: ");
    match run.status {
        RunStatus::Completed => {
            let mut parts = Vec::new();
            parts.push(if run.report { "report updated".to_owned() } else { "no news".to_owned() });
            match run.proposals {
                0 => {}
                1 => parts.push("1 proposal".to_owned()),
                n => parts.push(format!("{n} proposals")),
            }
            text.push_str(&parts.join(", "));
        }
        RunStatus::Skipped => {
            // A reason means that there was something, and that it may not be sent.
            text.push_str(&run.error.as_deref().map_or("nothing changed".to_owned(), line));
        }
        RunStatus::Queued | RunStatus::Started | RunStatus::Failed | RunStatus::Abandoned => {
            text.push_str(run.status.name());
            if let Some(error) = &run.error {
                text.push_str(&format!(": {}", line(error)));
            }
        }
    }
    text
}
