//! `dormouse review`: one proposal after the other, and what you say to it.
//!
//! Answers are read as lines, from a terminal or a pipe alike.

use clap::Args;
use dormouse::view::{ChangeItem, ChangeSet, Outcome, Page};
use dormouse_types::TaskId;

use super::change::{Verdict, decide};
use super::{counted, proposal};
use crate::client::path;
use crate::failure::Failure;
use crate::find::{self, titled};
use crate::session::Session;
use crate::terminal::line;

/// For each proposal: y confirms, n rejects, w rejects and asks why, l puts it off, u takes the last
/// decision back, q ends. Every answer counts at once.
#[derive(Debug, Args)]
pub struct Params {
    /// Only proposals about this task
    #[arg(value_name = "TASK")]
    task: Vec<String>,
    /// Those you put off too
    #[arg(long)]
    later: bool,
}

const QUESTION: &str = "[y]es [n]o [w]hy not [l]ater [u]ndo [q]uit? ";

/// What one line of the person asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Why,
    Later,
    Undo,
    Quit,
    Unclear,
}

impl Answer {
    fn read(text: &str) -> Self {
        match text.to_lowercase().as_str() {
            "y" | "yes" => Self::Yes,
            "n" | "no" => Self::No,
            "w" | "why" | "why not" => Self::Why,
            "l" | "later" => Self::Later,
            "u" | "undo" => Self::Undo,
            "q" | "quit" => Self::Quit,
            _ => Self::Unclear,
        }
    }
}

/// How many of each.
#[derive(Debug, Default)]
struct Tally {
    confirmed: usize,
    rejected: usize,
    later: usize,
    failed: usize,
}

/// One proposal with the title of its task.
#[derive(Debug, Clone)]
struct Card {
    title: String,
    task: TaskId,
    item: ChangeItem,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    if session.screen.is_json() {
        return Err(Failure::usage("review asks questions, it has no JSON answer")
            .hint("use `change list --json`, then `change confirm SET:ITEM@DIGEST`"));
    }
    let cards = cards(session, &params).await?;
    if cards.is_empty() {
        session.screen.say("No proposals wait for you.");
        return Ok(());
    }
    let mut tally = Tally::default();
    let mut decided: Vec<(usize, Verdict)> = Vec::new();
    let mut at = 0;
    while let Some(card) = cards.get(at) {
        show(session, card, at + 1, cards.len());
        let answer = loop {
            match ask(session, QUESTION)? {
                None => break Answer::Quit,
                Some(text) => match Answer::read(&text) {
                    Answer::Unclear => session.screen.say("Please answer y, n, w, l, u or q."),
                    answer => break answer,
                },
            }
        };
        let (verdict, reason) = match answer {
            Answer::Yes => (Verdict::Confirm, None),
            Answer::No => (Verdict::Reject, None),
            Answer::Why => (Verdict::Reject, ask(session, "Why not? ")?.filter(|r| !r.is_empty())),
            Answer::Later => (Verdict::Defer, None),
            Answer::Undo => {
                at = undo(session, &cards, &mut decided, &mut tally).await?.unwrap_or(at);
                continue;
            }
            Answer::Quit | Answer::Unclear => break,
        };
        if take(session, card, verdict, reason.as_deref(), &mut tally).await? {
            decided.push((at, verdict));
        }
        at += 1;
    }
    let left = cards.len() - at;
    session.screen.say(tally.sentence(left));
    Ok(())
}

/// The proposals to decide, in the order of their sets.
async fn cards(session: &Session, params: &Params) -> Result<Vec<Card>, Failure> {
    let task = match params.task.join(" ") {
        words if words.is_empty() => None,
        words => Some(find::task(session, &words).await?.id.to_string()),
    };
    let query: Vec<(&str, &str)> = task.as_deref().map(|task| ("task", task)).into_iter().collect();
    let page: Page<ChangeSet> =
        session.client.get(&path("/api/change-sets", &query)).await?.read()?;
    let mut cards = Vec::new();
    for set in page.items {
        for item in set.items {
            let is_open = item.status == "pending" && item.shown;
            if is_open || (params.later && item.status == "deferred") {
                cards.push(Card { title: set.task_title.clone(), task: set.task_id.clone(), item });
            }
        }
    }
    Ok(cards)
}

fn show(session: &mut Session, card: &Card, number: usize, of: usize) {
    let (width, ink) = (session.screen.prose_width(), session.screen.ink());
    session.screen.say("");
    let title = line(titled(&card.title));
    let place = format!("{number} of {of} · {title} · {}", proposal::name(&card.item));
    session.screen.say(ink.dim(&crate::terminal::wrap::cut_to(&place, width)));
    for text in proposal::lines(&card.item, width, ink) {
        session.screen.say(text);
    }
}

/// Sends a verdict; a refusal is told and the next proposal comes.
async fn take(
    session: &mut Session,
    card: &Card,
    verdict: Verdict,
    reason: Option<&str>,
    tally: &mut Tally,
) -> Result<bool, Failure> {
    let digest = card.item.digest.to_string();
    let reply = match decide(&session.client, &card.item, &digest, verdict, reason).await {
        Ok(reply) => reply,
        Err(failure) => {
            tally.failed += 1;
            session.screen.say(format!("not done: {}", failure.message));
            return Ok(false);
        }
    };
    let outcome: Outcome = reply.read()?;
    session.touch_task(&card.task);
    let item = &outcome.item;
    if let (Verdict::Confirm, Some(error)) = (verdict, &item.error) {
        tally.failed += 1;
        session.screen.say(format!("not applied: {}", line(error)));
        return Ok(false);
    }
    let word = match verdict {
        Verdict::Confirm => {
            tally.confirmed += 1;
            "done"
        }
        Verdict::Reject => {
            tally.rejected += 1;
            "rejected"
        }
        Verdict::Defer => {
            tally.later += 1;
            "put off"
        }
        Verdict::Undo => "taken back",
    };
    session.screen.say(format!("{word}."));
    Ok(true)
}

/// Takes the last decision back; the place of its proposal, to be asked again.
async fn undo(
    session: &mut Session,
    cards: &[Card],
    decided: &mut Vec<(usize, Verdict)>,
    tally: &mut Tally,
) -> Result<Option<usize>, Failure> {
    let Some((at, verdict)) = decided.pop() else {
        session.screen.say("Nothing was decided yet.");
        return Ok(None);
    };
    let Some(card) = cards.get(at) else { return Ok(None) };
    // What was put off is still open: it is just asked again.
    if verdict != Verdict::Defer {
        let digest = card.item.digest.to_string();
        match decide(&session.client, &card.item, &digest, Verdict::Undo, None).await {
            Ok(_) => {
                session.touch_task(&card.task);
                session.screen.say("taken back.");
            }
            Err(failure) => {
                session.screen.say(format!("not taken back: {}", failure.message));
                return Ok(None);
            }
        }
    }
    match verdict {
        Verdict::Confirm => tally.confirmed -= 1,
        Verdict::Reject => tally.rejected -= 1,
        Verdict::Defer => tally.later -= 1,
        Verdict::Undo => {}
    }
    Ok(Some(at))
}

fn ask(session: &mut Session, question: &str) -> Result<Option<String>, Failure> {
    session
        .screen
        .ask(question)
        .map_err(|e| Failure::failed(format!("your answer cannot be read: {e}")))
}

impl Tally {
    fn sentence(&self, left: usize) -> String {
        let parts = [
            (self.confirmed, "confirmed"),
            (self.rejected, "rejected"),
            (self.later, "put off"),
            (self.failed, "not done"),
        ];
        let mut parts: Vec<String> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        if left > 0 {
            parts.push(format!("{} left", counted(left, "proposal")));
        }
        format!("\n{}.", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_without_regard_to_case() {
        assert_eq!(Answer::read("Y"), Answer::Yes);
        assert_eq!(Answer::read("why not"), Answer::Why);
        assert_eq!(Answer::read(""), Answer::Unclear);
        assert_eq!(Answer::read("yn"), Answer::Unclear, "a slip decides nothing");
    }

    #[test]
    fn the_end_is_summed_up() {
        let tally = Tally { confirmed: 2, later: 1, ..Tally::default() };
        assert_eq!(tally.sentence(3), "\n2 confirmed, 1 put off, 3 proposals left.");
    }
}
