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

/// What became of a card so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Open,
    Confirmed,
    Rejected,
    Later,
    Failed,
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
        return Err(Failure::usage("review asks questions, it has no JSON answer").hint(
            "use `dormouse change list --json`, then `dormouse change confirm SET:ITEM@DIGEST`",
        ));
    }
    let cards = cards(session, &params).await?;
    if cards.is_empty() {
        session.screen.say("No proposals wait for you.");
        return Ok(());
    }
    let mut standings = vec![Standing::Open; cards.len()];
    let mut decided: Vec<usize> = Vec::new();
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
                at = undo(session, &cards, &mut decided, &mut standings).await?.unwrap_or(at);
                continue;
            }
            Answer::Quit | Answer::Unclear => break,
        };
        let standing = take(session, card, verdict, reason.as_deref()).await?;
        if standing != Standing::Failed {
            decided.push(at);
        }
        standings[at] = standing;
        at += 1;
    }
    session.screen.say(sentence(&standings));
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
) -> Result<Standing, Failure> {
    let digest = card.item.digest.to_string();
    let reply = match decide(&session.client, &card.item, &digest, verdict, reason).await {
        Ok(reply) => reply,
        Err(failure) => {
            session.screen.say(format!("not done: {}", failure.message));
            return Ok(Standing::Failed);
        }
    };
    let outcome: Outcome = reply.read()?;
    session.touch_task(&card.task);
    let (word, standing) = match (verdict, &outcome.item.error) {
        (Verdict::Confirm, Some(error)) => {
            session.screen.say(format!("not applied: {}", line(error)));
            return Ok(Standing::Failed);
        }
        (Verdict::Confirm, None) => ("done.", Standing::Confirmed),
        (Verdict::Reject, _) => ("rejected.", Standing::Rejected),
        (Verdict::Defer, _) => ("put off.", Standing::Later),
        (Verdict::Undo, _) => ("taken back.", Standing::Open),
    };
    session.screen.say(word);
    Ok(standing)
}

/// Takes the last decision back; the place of its proposal, to be asked again.
async fn undo(
    session: &mut Session,
    cards: &[Card],
    decided: &mut Vec<usize>,
    standings: &mut [Standing],
) -> Result<Option<usize>, Failure> {
    let last = decided.pop().and_then(|at| Some((at, cards.get(at)?)));
    let Some((at, card)) = last else {
        session.screen.say("Nothing was decided yet.");
        return Ok(None);
    };
    // What was put off can be decided as it is, so it is just asked again.
    if standings[at] != Standing::Later {
        match take(session, card, Verdict::Undo, None).await? {
            Standing::Failed => return Ok(None),
            standing => standings[at] = standing,
        }
    }
    Ok(Some(at))
}

fn ask(session: &mut Session, question: &str) -> Result<Option<String>, Failure> {
    session
        .screen
        .ask(question)
        .map_err(|e| Failure::failed(format!("your answer cannot be read: {e}")))
}

/// The end of a review: how many of each.
fn sentence(standings: &[Standing]) -> String {
    let count = |wanted| standings.iter().filter(|standing| **standing == wanted).count();
    let told = [
        (Standing::Confirmed, "confirmed"),
        (Standing::Rejected, "rejected"),
        (Standing::Later, "put off"),
        (Standing::Failed, "not done"),
    ];
    let told = told.map(|(standing, word)| (count(standing), word));
    let mut parts: Vec<String> =
        told.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let left = count(Standing::Open);
    if left > 0 {
        parts.push(format!("{} left", counted(left, "proposal")));
    }
    format!("\n{}.", parts.join(", "))
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
        use Standing::{Confirmed, Later, Open};
        let standings = [Confirmed, Later, Confirmed, Open, Open, Open];
        assert_eq!(sentence(&standings), "\n2 confirmed, 1 put off, 3 proposals left.");
    }
}
