//! `dormouse settings`: what holds for everybody in the workspace.

use clap::{Args, ValueEnum};
use dormouse::WorkspaceSettings;
use dormouse::dates::DayOrder;
use serde_json::json;

use crate::failure::Failure;
use crate::session::Session;

#[derive(Debug, Args)]
pub struct Params {
    /// How dates in figures are written here: what 3/4 means in this workspace
    #[arg(long, value_name = "ORDER")]
    date_order: Option<Choice>,
}

/// An order of day and month, or none.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "camelCase")]
enum Choice {
    /// 3/4 is 3 April
    DayFirst,
    /// 3/4 is 4 March
    MonthFirst,
    /// As the locale of each browser and terminal writes it
    None,
}

impl Choice {
    fn order(self) -> Option<DayOrder> {
        match self {
            Self::DayFirst => Some(DayOrder::DayFirst),
            Self::MonthFirst => Some(DayOrder::MonthFirst),
            Self::None => None,
        }
    }
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let reply = match params.date_order {
        Some(choice) => {
            let body = json!({ "dateOrder": choice.order().map(|order| order.to_string()) });
            session.client.patch("/api/settings", body).await?
        }
        None => session.client.get("/api/settings").await?,
    };
    if session.print_body(&reply) {
        return Ok(());
    }
    let settings: WorkspaceSettings = reply.read()?;
    session.screen.say(match settings.date_order {
        Some(DayOrder::DayFirst) => "dates in figures: dayFirst, 3/4 is 3 April",
        Some(DayOrder::MonthFirst) => "dates in figures: monthFirst, 3/4 is 4 March",
        None => "dates in figures: as each locale writes them; to agents 3/4 is unclear",
    });
    Ok(())
}
