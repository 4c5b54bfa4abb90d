//! `dormouse work gallery`: the kinds of work that need no language model.

use dormouse::view::{Page, WorkTemplate};
use dormouse_types::work_kind::WorkKind;

use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::line;
use crate::terminal::wrap::{self, Margin};

/// An instruction for one kind of work that is understood whatever a workspace has, and its usual time. The model
/// is named, because a language model of the workspace would read the instruction otherwise.
pub const EXAMPLE: &str = "work add 'Morning agenda' --instructions 'Morning agenda' --schedule 'every weekday at 7:30' --model builtin";

pub async fn run(session: &mut Session) -> Result<(), Failure> {
    let language = session.wording.language.code().to_owned();
    let reply = session.client.get(&path("/api/work/gallery", &[("lang", &*language)])).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<WorkTemplate> = reply.read()?;
    let (style, width) = (session.screen.style(), session.screen.prose_width());
    for kind in &page.items {
        session.screen.say(style.bold(&line(&kind.name)));
        for text in wrap::text(&line(&kind.sentence), width, INDENT) {
            session.screen.say(text);
        }
        let instructions = match kind.work_kind {
            WorkKind::Repeat => "reset \"TITLE\"",
            WorkKind::Agenda | WorkKind::Review | WorkKind::Watch | WorkKind::Sweep => &*kind.name,
        };
        let command = format!(
            "work add '{}' --instructions '{instructions}' --schedule '{}' --model builtin",
            kind.name, kind.schedule
        );
        let command = session.command(&command);
        session.screen.say(format!("  {}", line(&command)));
    }
    Ok(())
}

const INDENT: Margin<'static> = Margin { first: "  ", rest: "  " };
