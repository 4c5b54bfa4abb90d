//! `dormouse settings`: what holds for everybody in the workspace.

use clap::{Args, ValueEnum};
use dormouse::WorkspaceSettings;
use dormouse::dates::DayOrder;
use jiff::civil::Time;
use serde_json::json;

use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::line;

#[derive(Debug, Args)]
pub struct Params {
    /// How dates in figures are written here: what 3/4 means in this workspace
    #[arg(long, value_name = "ORDER")]
    date_order: Option<Choice>,
    /// The time zone of this workspace, such as Europe/Berlin: whose "today" it is, and when agent work is
    /// due; `default` for that of the system
    #[arg(long, value_name = "NAME")]
    time_zone: Option<String>,
    /// Start time for agent work scheduled on a day without a time, such as 06:30; `default` for 08:00
    #[arg(long, value_name = "TIME", value_parser = day_start)]
    day_starts: Option<DayStart>,
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

/// When agent work starts that has a day and no time.
#[derive(Debug, Clone)]
enum DayStart {
    Default,
    /// As it was written: `06:30`.
    At(String),
}

/// Reads a time of day, or `default`.
///
/// Errors: it is neither.
fn day_start(text: &str) -> Result<DayStart, String> {
    if text == "default" {
        return Ok(DayStart::Default);
    }
    match Time::strptime("%H:%M", text) {
        Ok(_) => Ok(DayStart::At(text.to_owned())),
        Err(_) => {
            Err(format!("`{text}` is not a time of day: write one such as 06:30, or default"))
        }
    }
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    let mut body = serde_json::Map::new();
    if let Some(choice) = params.date_order {
        let order = choice.order().map(|order| order.to_string());
        body.insert("dateOrder".to_owned(), json!(order));
    }
    if let Some(name) = params.time_zone {
        body.insert("timeZone".to_owned(), json!((name != "default").then_some(name)));
    }
    if let Some(start) = params.day_starts {
        let time = match start {
            DayStart::Default => None,
            DayStart::At(time) => Some(time),
        };
        body.insert("dayStarts".to_owned(), json!(time));
    }
    let reply = match body.is_empty() {
        true => session.client.get("/api/settings").await?,
        false => session.client.patch("/api/settings", body.into()).await?,
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
    let zone = line(settings.zone());
    session.screen.say(match settings.time_zone {
        Some(_) => format!("time zone: {zone}"),
        None => {
            format!("time zone: {zone}, that of the system when this workspace was first opened")
        }
    });
    session.screen.say(format!("days start at {}", line(&settings.day_starts)));
    Ok(())
}
