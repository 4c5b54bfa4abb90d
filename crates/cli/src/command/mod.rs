//! The commands, one file for each.

pub mod agent;
pub mod attention;
mod audit;
pub mod bench;
pub mod change;
pub mod conversation;
pub mod doctor;
pub mod export;
pub mod import;
pub mod models;
pub mod open;
pub mod openapi;
pub mod overview;
pub mod proposal;
pub mod report;
pub mod review;
pub mod rule;
pub mod serve;
mod settings;
pub mod task;
pub mod template;
pub mod token;
pub mod work;

use clap::Subcommand;

use crate::config::Config;
use crate::failure::Failure;
use crate::session::Session;

/// The commands. Help lists them by `display_order`, which counts across both kinds.
#[derive(Debug, Subcommand)]
pub enum Command {
    #[command(flatten)]
    Local(Local),
    #[command(flatten)]
    Client(Client),
}

/// Commands that work without a client: they serve the API, or have no use for it.
#[derive(Debug, Subcommand)]
pub enum Local {
    /// Run the agents, and serve the app and the API
    #[command(display_order = 1)]
    Serve(serve::Params),
    /// Create a link that opens the app
    #[command(display_order = 2)]
    Open(open::Params),
    /// Check the data folder (works while a server is running)
    #[command(display_order = 11)]
    Doctor(doctor::Params),
    /// Print the OpenAPI 3.1 document of the API
    #[command(display_order = 12)]
    Openapi,
    /// Measure what the program costs on this machine
    #[command(display_order = 13)]
    Bench(bench::Params),
}

/// Commands that are clients of the API.
#[derive(Debug, Subcommand)]
pub enum Client {
    /// Import tasks from files of any program
    #[command(display_order = 3)]
    Import(import::Params),
    /// Tasks: add, list, show, edit, …
    #[command(subcommand, display_order = 4)]
    Task(task::Command),
    /// Agents: create, list, show, wake, …
    #[command(subcommand, display_order = 5)]
    Agent(agent::Command),
    /// Agent work: add, list, run, answer, …
    #[command(subcommand, display_order = 5)]
    Work(work::Command),
    /// Conversations: list, show, delete
    #[command(subcommand, display_order = 5)]
    Conversation(conversation::Command),
    /// Templates: list, show, create, edit, assign, …
    #[command(subcommand, display_order = 5)]
    Template(template::Command),
    /// Show the report of a task's agent
    #[command(display_order = 6)]
    Report(report::Params),
    /// Review proposals one by one
    #[command(display_order = 7)]
    Review(review::Params),
    /// Proposals: list, show, confirm, reject, …
    #[command(subcommand, display_order = 8)]
    Change(change::Command),
    /// Rules about what agents propose: list, add, remove
    #[command(subcommand, display_order = 8)]
    Rule(rule::Command),
    /// What needs you: list, acknowledge, take back
    #[command(subcommand, display_order = 8)]
    Attention(attention::Command),
    /// Models: list, add, use, test, key, budget, usage, …
    #[command(subcommand, display_order = 9)]
    Models(models::Command),
    /// Access tokens: create, list, revoke
    #[command(subcommand, display_order = 9)]
    Token(token::Command),
    /// Show the audit log: who did what, and what was not sent
    #[command(display_order = 9)]
    Audit(audit::Params),
    /// Show or change the settings of the workspace
    #[command(display_order = 9)]
    Settings(settings::Params),
    /// Export tasks: as one JSON document, or as Markdown, todo.txt, iCalendar or CSV
    #[command(display_order = 10)]
    Export(export::Params),
}

impl Local {
    /// Runs the command and returns its exit code.
    pub async fn run(self, config: &Config) -> Result<u8, Failure> {
        match self {
            Self::Serve(params) => serve::run(config, &params).await?,
            Self::Open(params) => open::run(config, &params).await?,
            Self::Doctor(params) => return doctor::run(config, &params).await,
            Self::Openapi => openapi::run(config)?,
            Self::Bench(params) => bench::run(config, params).await?,
        }
        Ok(0)
    }
}

impl Client {
    /// Runs the command.
    pub async fn run(self, session: &mut Session) -> Result<(), Failure> {
        match self {
            Self::Import(params) => import::run(session, params).await,
            Self::Task(command) => task::run(session, command).await,
            Self::Agent(command) => agent::run(session, command).await,
            Self::Work(command) => work::run(session, command).await,
            Self::Conversation(command) => conversation::run(session, command).await,
            Self::Template(command) => template::run(session, command).await,
            Self::Report(params) => report::run(session, params).await,
            Self::Review(params) => review::run(session, params).await,
            Self::Change(command) => change::run(session, command).await,
            Self::Rule(command) => rule::run(session, command).await,
            Self::Attention(command) => attention::run(session, command).await,
            Self::Models(command) => models::run(session, command).await,
            Self::Token(command) => token::run(session, command).await,
            Self::Audit(params) => audit::run(session, params).await,
            Self::Settings(params) => settings::run(session, params).await,
            Self::Export(params) => export::run(session, params).await,
        }
    }
}
