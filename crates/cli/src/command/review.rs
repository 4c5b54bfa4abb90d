//! `dormouse review`: proposals one by one, with your decisions.
//!
//! Answers are read as lines, from a terminal or a pipe. The line after the question "Why not?" is
//! always the reason, whatever it says.

use dormouse::{KnownValue, ProblemKind};
use dormouse_types::agent::ItemStatus;
use std::collections::BTreeSet;

use clap::Args;
use dormouse::view::{ChangeItem, ChangeSet, Outcome, Page};
use dormouse_types::{ChangeSetId, TaskId, Verdict};

use super::change::{Wanted, decide};
use super::proposal;
use crate::client::path;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{counted, line, titled};

/// For each proposal: y confirms, n rejects, w rejects and asks for a reason, l puts it off, u
/// undoes the last decision, q quits. Every answer takes effect immediately. Proposals you put off
/// earlier come last.
#[derive(Debug, Args)]
pub struct Params {
    /// Only proposals about this task
    #[arg(value_name = "TASK")]
    task: Vec<String>,
    /// Only proposals you put off
    #[arg(long, alias = "later")]
    put_off: bool,
}

const QUESTION: &str = "[y]es [n]o [w]hy not [l]ater [u]ndo [q]uit? ";

/// What an input line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// The reason, if the line includes it.
    Why(Option<String>),
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
            "w" | "why" | "why not" => Self::Why(None),
            "l" | "later" => Self::Later,
            "u" | "undo" => Self::Undo,
            "q" | "quit" => Self::Quit,
            lower => {
                let openings = ["w ", "why not ", "why not: "].into_iter();
                let opening = openings.filter(|opening| lower.starts_with(opening)).map(str::len);
                let reason = opening.max().and_then(|at| text.get(at..)).map(str::trim);
                match reason {
                    Some(reason) if !reason.is_empty() => Self::Why(Some(reason.to_owned())),
                    Some(_) | None => Self::Unclear,
                }
            }
        }
    }
}

/// The state of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CardState {
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
    state: CardState,
}

/// The proposals of a review, in the order of the questions.
#[derive(Debug, Default)]
struct Cards {
    all: Vec<Card>,
    known: BTreeSet<(ChangeSetId, i64)>,
    /// How many there are, including those that appear as others are decided.
    total: usize,
}

pub async fn run(session: &mut Session, params: Params) -> Result<(), Failure> {
    if session.screen.is_json() {
        return Err(Failure::usage("review is interactive and has no JSON output").hint(
            "use `dormouse change list --json`, then `dormouse change confirm SET:ITEM@DIGEST`",
        ));
    }
    let task = match params.task.join(" ") {
        words if words.is_empty() => None,
        words => Some(find::task(session, &words).await?.id),
    };
    let mut cards = Cards::default();
    cards.read(session, task.as_ref(), params.put_off).await?;
    if cards.all.is_empty() {
        let none = if params.put_off { "Nothing is put off." } else { "No proposals to review." };
        session.screen.say(none);
        return Ok(());
    }
    let mut decided: Vec<usize> = Vec::new();
    let mut at = 0;
    loop {
        if at == cards.all.len() {
            // Proposals after the ten shown appear as those are decided.
            cards.read(session, task.as_ref(), params.put_off).await?;
        }
        let Some(card) = cards.all.get(at) else { break };
        show(session, card, at + 1, cards.total);
        let (verdict, reason) = match answer(session)? {
            Answer::Yes => (Verdict::Confirm, None),
            Answer::No => (Verdict::Reject, None),
            Answer::Why(Some(reason)) => (Verdict::Reject, Some(reason)),
            Answer::Why(None) => match ask(session, "Why not? ")? {
                Some(reason) => (Verdict::Reject, Some(reason).filter(|text| !text.is_empty())),
                // The input ended before the reason, so nothing is decided.
                None => break,
            },
            Answer::Later => (Verdict::Defer, None),
            Answer::Undo => {
                at = undo(session, &mut cards, &mut decided).await?.unwrap_or(at);
                continue;
            }
            Answer::Quit | Answer::Unclear => break,
        };
        match take(session, card, verdict, reason.as_deref()).await? {
            Taken::Is(state) => {
                if state != CardState::Failed {
                    decided.push(at);
                }
                cards.all[at].state = state;
                at += 1;
            }
            Taken::Moved => {
                // Ask again, with the current value on screen.
                let set = format!("/api/change-sets/{}", cards.all[at].item.set);
                let set: ChangeSet = session.client.get(&set).await?.read()?;
                let index = cards.all[at].item.index;
                let fresh = set.items.into_iter().find(|item| item.index == index);
                cards.all[at].item = fresh.unwrap_or_else(|| cards.all[at].item.clone());
            }
        }
    }
    let standings: Vec<CardState> = cards.all.iter().map(|card| card.state).collect();
    session.screen.say(sentence(&standings, cards.total));
    if let Some(last) = decided.last().and_then(|at| cards.all.get(*at)) {
        let name = proposal::name(&last.item);
        session.screen.say(format!("To undo the last one: `dormouse change undo {name}`"));
    }
    Ok(())
}

/// Reads an answer; the end of the input quits.
fn answer(session: &mut Session) -> Result<Answer, Failure> {
    loop {
        match ask(session, QUESTION)? {
            None => return Ok(Answer::Quit),
            Some(text) => match Answer::read(&text) {
                Answer::Unclear => session.screen.say("Please answer y, n, w, l, u or q."),
                answer => return Ok(answer),
            },
        }
    }
}

impl Cards {
    /// Adds the proposals not yet reviewed: the open ones, then those put off.
    async fn read(
        &mut self,
        session: &Session,
        task: Option<&TaskId>,
        put_off: bool,
    ) -> Result<(), Failure> {
        let task = task.map(ToString::to_string);
        let query: Vec<(&str, &str)> =
            task.as_deref().map(|task| ("task", task)).into_iter().collect();
        let page: Page<ChangeSet> =
            session.client.get(&path("/api/change-sets", &query)).await?.read()?;
        let (mut waiting, mut later, mut hidden) = (Vec::new(), Vec::new(), 0);
        for set in page.items {
            for item in set.items {
                if self.known.contains(&(item.set.clone(), item.index)) {
                    continue;
                }
                let list = match item.status {
                    ItemStatus::Pending if put_off => continue,
                    ItemStatus::Pending if !item.shown => {
                        hidden += 1;
                        continue;
                    }
                    ItemStatus::Pending => &mut waiting,
                    ItemStatus::Deferred => &mut later,
                    ItemStatus::Applying
                    | ItemStatus::Confirmed
                    | ItemStatus::Rejected
                    | ItemStatus::Retracted
                    | ItemStatus::Expired => continue,
                };
                let (title, task) = (set.task_title.clone(), set.task_id.clone());
                list.push(Card { title, task, item, state: CardState::Open });
            }
        }
        self.total = self.all.len() + waiting.len() + later.len() + hidden;
        // Deferred proposals come last, even after those not shown yet.
        if hidden == 0 || waiting.is_empty() {
            waiting.append(&mut later);
        }
        for card in waiting {
            self.known.insert((card.item.set.clone(), card.item.index));
            self.all.push(card);
        }
        Ok(())
    }
}

fn show(session: &mut Session, card: &Card, number: usize, of: usize) {
    let (width, style) = (session.screen.prose_width(), session.screen.style());
    session.screen.say("");
    let title = line(titled(&card.title));
    let mut place = format!("{number} of {of} · {title} · {}", proposal::name(&card.item));
    if card.item.status == ItemStatus::Deferred {
        place.push_str(" · put off");
    }
    session.screen.say(style.dim(&crate::terminal::wrap::cut_to(&place, width)));
    for text in proposal::lines(&card.item, width, style) {
        session.screen.say(text);
    }
}

/// The outcome of a verdict.
enum Taken {
    Is(CardState),
    /// The user has set the value since it was shown, so nothing was decided.
    Moved,
}

/// Sends a verdict; a refusal is reported and the next proposal follows.
async fn take(
    session: &mut Session,
    card: &Card,
    verdict: Verdict,
    reason: Option<&str>,
) -> Result<Taken, Failure> {
    let mut wanted = Wanted { reason, ..Wanted::of(&card.item, verdict) };
    // The current value is on screen, so a yes takes it into account.
    if card.item.set_since {
        wanted.over = Some(KnownValue::Current(card.item.current.clone()));
    }
    let reply = match decide(&session.client, wanted).await {
        Ok(reply) => reply,
        Err(failure) if failure.is(ProblemKind::ValueChanged) => {
            session
                .screen
                .say("Not confirmed: you have changed this value since. Here it is again:");
            return Ok(Taken::Moved);
        }
        Err(failure) => {
            session.screen.say(format!("not done: {}", failure.message));
            return Ok(Taken::Is(CardState::Failed));
        }
    };
    let outcome: Outcome = reply.read()?;
    session.touch_task(&card.task);
    let (word, state) = match (verdict, &outcome.item.error) {
        (Verdict::Confirm, Some(error)) => {
            session.screen.say(format!("not applied: {}", line(error)));
            return Ok(Taken::Is(CardState::Failed));
        }
        (Verdict::Confirm, None) => ("done.", CardState::Confirmed),
        (Verdict::Reject, _) => ("rejected.", CardState::Rejected),
        (Verdict::Defer, _) => ("put off.", CardState::Later),
        (Verdict::Undo, _) => ("undone.", CardState::Open),
    };
    session.screen.say(word);
    Ok(Taken::Is(state))
}

/// Undoes the last decision and returns the position of its proposal, to ask again.
async fn undo(
    session: &mut Session,
    cards: &mut Cards,
    decided: &mut Vec<usize>,
) -> Result<Option<usize>, Failure> {
    let last = decided.pop().and_then(|at| Some((at, cards.all.get(at)?)));
    let Some((at, card)) = last else {
        session.screen.say("Nothing to undo yet.");
        return Ok(None);
    };
    // A deferred proposal can be decided as it is, so just ask again.
    if card.state != CardState::Later {
        match take(session, card, Verdict::Undo, None).await? {
            Taken::Is(CardState::Failed) | Taken::Moved => return Ok(None),
            Taken::Is(state) => cards.all[at].state = state,
        }
    }
    Ok(Some(at))
}

fn ask(session: &mut Session, question: &str) -> Result<Option<String>, Failure> {
    session
        .screen
        .ask(question)
        .map_err(|e| Failure::failed(format!("cannot read your answer: {e}")))
}

/// The summary of a review.
fn sentence(standings: &[CardState], total: usize) -> String {
    let count = |wanted| standings.iter().filter(|state| **state == wanted).count();
    let parts = [
        (CardState::Confirmed, "confirmed"),
        (CardState::Rejected, "rejected"),
        (CardState::Later, "put off"),
        (CardState::Failed, "not done"),
    ];
    let parts = parts.map(|(state, word)| (count(state), word));
    let mut parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let left = count(CardState::Open) + total.saturating_sub(standings.len());
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
        assert_eq!(Answer::read("why not"), Answer::Why(None));
        assert_eq!(Answer::read(""), Answer::Unclear);
        assert_eq!(Answer::read("yn"), Answer::Unclear, "a slip decides nothing");
    }

    #[test]
    fn what_follows_why_not_is_the_reason() {
        let why = |reason: &str| Answer::Why(Some(reason.to_owned()));
        assert_eq!(Answer::read("w Y is too early"), why("Y is too early"));
        assert_eq!(Answer::read("Why not: X, y or V"), why("X, y or V"));
        assert_eq!(Answer::read("why not yes"), why("yes"));
        assert_eq!(Answer::read("yes, why not"), Answer::Unclear);
    }

    #[test]
    fn the_end_is_summed_up() {
        use CardState::{Confirmed, Later, Open};
        let standings = [Confirmed, Later, Confirmed, Open, Open, Open];
        assert_eq!(sentence(&standings, 6), "\n2 confirmed, 1 put off, 3 proposals left.");
        assert_eq!(sentence(&standings[..3], 5), "\n2 confirmed, 1 put off, 2 proposals left.");
    }
}
