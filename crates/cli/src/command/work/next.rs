//! `dormouse work next`: what is due next, or what the words of a schedule mean.

use clap::Args;
use dormouse::view::SchedulePreview;
use dormouse_types::Id as _;

use crate::client::{Reply, path};
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, time, titled};

#[derive(Debug, Args)]
pub struct Params {
    /// The words of a schedule, such as `every weekday at 9`; without them, what is due next
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    if !params.words.is_empty() {
        let reply = preview(session, &params.words.join(" ")).await?;
        if !session.print_body(&reply) {
            say(session, &reply.read()?);
        }
        return Ok(());
    }
    let mut due: Vec<_> = find::all_work(session).await?;
    due.retain(|work| work.next_due_at.is_some());
    due.sort_by_key(|work| work.next_due_at);
    if session.screen.is_json() {
        let body = serde_json::to_vec(&serde_json::json!({ "items": due }));
        let body = body.map_err(|e| Failure::failed(format!("cannot write the list: {e}")))?;
        session.screen.body(&body);
        return Ok(());
    }
    if due.is_empty() {
        session.screen.say("Nothing is due by a schedule.");
        return Ok(());
    }
    let mut table = Table::new([
        ("due", Fit::Whole),
        ("id", Fit::Whole),
        ("title", Fit::Cut),
        ("schedule", Fit::Drop(1)),
    ]);
    for work in &due {
        table.row([
            work.next_due_at.map_or_else(String::new, |at| time::minute(at, &session.zone)),
            work.id.short().to_owned(),
            titled(&work.title).to_owned(),
            work.schedule.clone().unwrap_or_default(),
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
    Ok(())
}

/// Asks what the words of a schedule mean.
///
/// Errors: they are no schedule, or have no time that is still to come.
pub async fn preview(session: &Session, words: &str) -> Result<Reply, Failure> {
    let (order, language) =
        (session.wording.order.to_string(), session.wording.language.code().to_owned());
    let query = [("text", words), ("dayOrder", &*order), ("lang", &*language)];
    session.client.get(&path("/api/schedules", &query)).await
}

/// "06:00 is in the morning": what a person may have meant who writes "every day at 6".
fn in_the_morning(time: &str) -> String {
    let later = time.split_once(':').and_then(|(hour, minute)| {
        let hour = hour.parse::<u8>().ok()? + 12;
        let part = if hour < 18 { "afternoon" } else { "evening" };
        Some(format!("; write {hour}:{minute} for the {part}"))
    });
    format!("{time} is in the morning{}", later.unwrap_or_default())
}

/// Says what the words of a schedule mean, and when that is next.
pub fn say(session: &mut Session, preview: &SchedulePreview) {
    session.screen.say(line(&preview.sentence));
    for early in &preview.early_times {
        session.screen.say(line(&in_the_morning(early)));
    }
    for at in &preview.next {
        let at = at.to_jiff().to_zoned(session.zone.clone());
        session.screen.say(format!("  {}", at.strftime("%a %Y-%m-%d %H:%M")));
    }
}
