//! `dormouse models categories`: which tasks a provider may be sent.

use clap::Args;
use dormouse::models::ModelsView;
use dormouse::view::{Named, Page};
use dormouse_types::CategoryId;
use dormouse_types::model_settings::AllowedCategories;
use serde_json::json;

use crate::client::encode;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::line;

#[derive(Debug, Args)]
pub struct Params {
    /// The provider
    name: String,
    /// Send it only tasks of these categories; separate names with commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Send it tasks without a category, besides those of --only
    #[arg(long)]
    uncategorised: bool,
    /// Send it no task
    #[arg(long, conflicts_with_all = ["only", "uncategorised"])]
    none: bool,
    /// Send it tasks of all categories
    #[arg(long, conflicts_with_all = ["only", "uncategorised", "none"])]
    all: bool,
}

/// Sets the categories of a provider, or shows them if nothing is given.
pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let known: Page<Named<CategoryId>> =
        session.client.get("/api/journal/categories").await?.read()?;
    let is_set = params.all || params.none || params.uncategorised || !params.only.is_empty();
    let reply = if is_set {
        let ids = params.only.iter().map(|name| named(session, &known.items, name));
        let ids = ids.collect::<Result<Vec<_>, _>>()?;
        let only =
            (!params.all).then_some(AllowedCategories { ids, uncategorised: params.uncategorised });
        let at = format!("/api/models/providers/{}/categories", encode(&params.name));
        session.client.put(&at, json!({ "categories": only })).await?
    } else {
        session.client.get("/api/models").await?
    };
    if session.print_body(&reply) {
        return Ok(());
    }
    let models: ModelsView = reply.read()?;
    let mut shown = models.providers.iter().chain(&models.found);
    let Some(view) = shown.find(|view| view.provider.name == params.name) else {
        return Err(super::missing::no_provider(session, &params.name, &models, "add it first"));
    };
    let name = line(&params.name);
    let words = match &view.provider.categories {
        None => "tasks of all categories".to_owned(),
        Some(only) => in_words(only, &known.items),
    };
    session.screen.say(format!("{name} may be sent {words}"));
    super::show::kept_back(session, view);
    Ok(())
}

fn named(
    session: &Session,
    known: &[Named<CategoryId>],
    name: &str,
) -> Result<CategoryId, Failure> {
    let wanted = name.trim().to_lowercase();
    let found = known.iter().find(|one| one.name.to_lowercase() == wanted);
    found.map(|one| one.id.clone()).ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|one| line(&one.name)).collect();
        let hint = if names.is_empty() {
            format!("there are none yet: {}", session.command("task edit TASK --category NAME"))
        } else {
            format!("there are: {}", names.join(", "))
        };
        Failure::usage(format!("there is no category {}", line(name))).hint(hint)
    })
}

fn in_words(only: &AllowedCategories, known: &[Named<CategoryId>]) -> String {
    let name = |id: &CategoryId| {
        let found = known.iter().find(|one| one.id == *id);
        found.map_or_else(|| id.to_string(), |one| line(&one.name))
    };
    let names: Vec<String> = only.ids.iter().map(name).collect();
    match (names.is_empty(), only.uncategorised) {
        (true, false) => "no task".to_owned(),
        (true, true) => "tasks without a category".to_owned(),
        (false, false) => format!("tasks of {}", names.join(", ")),
        (false, true) => format!("tasks of {}, and those without a category", names.join(", ")),
    }
}
