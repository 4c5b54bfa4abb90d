//! `dormouse template activate`, `rollback`, `duplicate`, `archive` and `rm`.

use clap::Args;
use serde_json::json;

use super::edit::say;
use super::name::named;
use crate::command::models::{Chooser, agree};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;

#[derive(Debug, Args)]
pub struct Params {
    /// The template: the end of its id, or words of its name
    #[arg(required = true, value_name = "TEMPLATE")]
    template: Vec<String>,
}

#[derive(Debug, Args)]
pub struct VersionParams {
    /// The template: the end of its id, or words of its name in quotes
    template: String,
    /// The number of the version
    version: i64,
    /// Do not ask before that gives its agents another model
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
pub struct DuplicateParams {
    /// The template: the end of its id, or words of its name in quotes
    template: String,
    /// The name of the copy
    name: Option<String>,
}

#[derive(Debug, Args)]
pub struct ArchiveParams {
    /// The template: the end of its id, or words of its name
    #[arg(required = true, value_name = "TEMPLATE")]
    template: Vec<String>,
    /// Take it out of the archive
    #[arg(long)]
    undo: bool,
}

pub async fn activate(session: &mut Session, params: VersionParams) -> Result<(), Failure> {
    let found = find::template(session, &params.template).await?;
    let chooser = Chooser::Version(&found.id, &found.display_name, params.version);
    agree(session, &chooser, params.yes).await?;
    let path = format!("/api/templates/{}/versions/{}/activate", found.id, params.version);
    let reply = session.client.post(&path, json!({})).await?;
    say(session, &reply, |detail| {
        let (named, n) = (named(&detail.template), params.version);
        format!("version {n} of {named} is active; agents follow it from their next wake on")
    })
}

pub async fn rollback(session: &mut Session, params: VersionParams) -> Result<(), Failure> {
    let found = find::template(session, &params.template).await?;
    let chooser = Chooser::Version(&found.id, &found.display_name, params.version);
    agree(session, &chooser, params.yes).await?;
    let path = format!("/api/templates/{}/versions/{}/rollback", found.id, params.version);
    let reply = session.client.post(&path, json!({})).await?;
    say(session, &reply, |detail| {
        let (named, newest) = (named(&detail.template), detail.template.newest_version);
        format!("version {newest} of {named} has the texts of version {}", params.version)
    })
}

pub async fn duplicate(session: &mut Session, params: DuplicateParams) -> Result<(), Failure> {
    let found = find::template(session, &params.template).await?;
    let path = format!("/api/templates/{}/duplicate", found.id);
    let reply = session.client.post(&path, json!({ "name": params.name })).await?;
    say(session, &reply, |detail| {
        format!("{} is a copy of {}", named(&detail.template), named(&found))
    })
}

pub async fn archive(session: &mut Session, params: ArchiveParams) -> Result<(), Failure> {
    let found = find::template(session, &params.template.join(" ")).await?;
    let path = format!("/api/templates/{}", found.id);
    let reply = session.client.patch(&path, json!({ "archived": !params.undo })).await?;
    say(session, &reply, |detail| match params.undo {
        true => format!("{} is out of the archive", named(&detail.template)),
        false => {
            format!("{} is archived; its agents keep it", named(&detail.template))
        }
    })
}

pub async fn rm(session: &mut Session, params: Params) -> Result<(), Failure> {
    let found = find::template(session, &params.template.join(" ")).await?;
    let reply = session.client.delete(&format!("/api/templates/{}", found.id)).await?;
    say(session, &reply, |detail| format!("{} is deleted", named(&detail.template)))
}
