//! Every place of the program that has a name for faults, and how the kill test gets there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;

/// How a server comes to pass a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// People who write, and agents that wake because of it.
    Load,
    /// The first start in an empty folder.
    FirstStart,
    /// A start after a kill in the middle of a run.
    AfterKill,
    /// A start after the third kill in the middle of one run.
    AfterThreeKills,
    /// An agent whose model refuses, is away, or does not answer.
    Mood(&'static str),
    /// A stop while an agent waits for its model.
    Stop,
    /// Something a person does while an agent is to wake: the method and the path behind the
    /// agent's, or `task` for the task itself; or `undo` of a confirmed item.
    Once(&'static str, &'static str),
    /// Agent work, which needs a schedule, a question, a hook or a language model: its own tests kill there.
    Work,
    /// Not from here; why.
    Never(&'static str),
}

/// Why some commits are not killed here.
const ALONE: &str = "one commit that nothing follows: the tests of the store cut it";

/// (name, how to get there). Each is tried before and after its commit or effect.
pub const POINTS: &[(&str, Way)] = &[
    ("access.code", Way::FirstStart),
    ("access.exchange", Way::Never(ALONE)),
    ("access.refused", Way::Never(ALONE)),
    ("access.revoke", Way::Never(ALONE)),
    ("access.token", Way::Never(ALONE)),
    ("access.used", Way::Never(ALONE)),
    ("agent.change", Way::Load),
    ("agent.create", Way::Load),
    ("agent.unchanged", Way::Load),
    ("agent.wake", Way::Load),
    ("agent.zone", Way::Never("timers move only with the zone; each start moves them again")),
    ("attention.acknowledge", Way::Never(ALONE)),
    ("change.conclude", Way::Load),
    ("change.decide", Way::Load),
    ("change.decideAll", Way::Load),
    ("change.expire", Way::Never("a proposal expires after 7 days; the scenes move their clock")),
    (
        "change.retract",
        Way::Never("a proposal is withdrawn once the person set its field; nobody here sets one"),
    ),
    ("change.undo", Way::Once("POST", "undo")),
    ("changes.trim", Way::Never("change rows are taken away after 30 days")),
    ("conversation.begin", Way::Never(ALONE)),
    ("conversation.delete", Way::Never(ALONE)),
    ("conversation.turn", Way::Never(ALONE)),
    ("delivery.mark", Way::Never(ALONE)),
    ("evolution.start", Way::Never(ALONE)),
    ("evolution.step", Way::Never(ALONE)),
    ("fence.raise", Way::AfterKill),
    ("journal.create", Way::Load),
    ("journal.define", Way::Load),
    ("journal.edit", Way::Load),
    ("journal.import", Way::Load),
    (
        "journal.importCorrections",
        Way::Never("it needs a plan first; a test of the facade goes on where it ended"),
    ),
    ("journal.setting", Way::FirstStart),
    ("model.ask", Way::Load),
    ("memory.index", Way::Never("only a folder that an earlier version folded has lines to add")),
    ("model.fold", Way::Never("the built-in model folds nothing; tests of agents try it")),
    ("models.edit", Way::Never(ALONE)),
    ("models.forget", Way::Never("a server refuses tools; a test of the facade tries it")),
    ("models.onceMore", Way::Never(ALONE)),
    ("run.leaveOut", Way::Never("a server drops tools; a test of the facade tries it")),
    (
        "models.probe",
        Way::Never("the program knows no provider; without it the next wake tries again"),
    ),
    (
        "models.reserveTest",
        Way::Never("the program knows no provider; a reservation stays counted"),
    ),
    ("models.settleTest", Way::Never("the program knows no provider; a reservation stays counted")),
    (
        "provider.away",
        Way::Never("a provider fails after a report was accepted; tests of agents try it"),
    ),
    ("provider.back", Way::Never("a provider is away and answers again; the scenes cut it")),
    ("purge.again", Way::Never("an agent writes the words between a search and the commit")),
    ("purge.begin", Way::Never("a person removes a line; the scenes cut every step of it")),
    ("purge.done", Way::Never("a person removes a line; the scenes cut every step of it")),
    ("purge.files", Way::Never("a person removes a line; the scenes cut every step of it")),
    ("purge.journal", Way::Never("a person removes a line; the scenes cut every step of it")),
    ("purge.rows", Way::Never("a person removes a line; the scenes cut every step of it")),
    ("rule.add", Way::Never(ALONE)),
    (
        "rule.release",
        Way::Never("a rule that was removed before it confirmed; the scenes cut what one confirms"),
    ),
    ("rule.remove", Way::Never(ALONE)),
    ("run.abandon", Way::AfterThreeKills),
    ("run.beat", Way::Mood("model:holds")),
    ("run.cancel", Way::Never("a person cancels a run at work; tests of agents cut it everywhere")),
    ("run.claim", Way::Load),
    ("run.effect", Way::Load),
    ("run.fail", Way::Mood("model:fails")),
    ("run.final", Way::Load),
    ("run.fold", Way::Never("the built-in model folds nothing; tests of agents try it")),
    ("run.hold", Way::Never("an agent is paused between a look at the queue and the claim")),
    ("run.postpone", Way::Never("the program has one provider; `choosing` in agents has two")),
    ("run.putBack", Way::Stop),
    (
        "run.renew",
        Way::Never("the process stands still for a minute; tests of agents move their clock"),
    ),
    ("run.request", Way::Load),
    ("run.reserve", Way::Never("the built-in model reserves nothing; tests of agents cut it")),
    ("run.skip", Way::Once("DELETE", "task")),
    ("run.spent", Way::Never("an agent is destroyed between a look at the queue and the claim")),
    ("run.takeover", Way::AfterKill),
    ("run.turn", Way::Load),
    ("saga.end", Way::Never("a run has ended and its call is not, once a store was restored")),
    ("settings.edit", Way::Never(ALONE)),
    ("template.change", Way::Never(ALONE)),
    ("template.create", Way::Never(ALONE)),
    ("template.fill", Way::Never("only a folder that an older version wrote has texts to fill")),
    ("template.release", Way::Never("what waits is tried again later anyway")),
    ("template.seed", Way::FirstStart),
    ("template.unchanged", Way::Never(ALONE)),
    ("wake.cancel", Way::Once("DELETE", "/wake")),
    ("wake.clampDue", Way::Never("the clock has to be set back; the scenes move theirs")),
    ("wake.route", Way::Load),
    ("wake.timer", Way::Load),
    ("work.answer", Way::Work),
    ("work.cancel", Way::Work),
    ("work.change", Way::Work),
    ("work.correct", Way::Work),
    ("work.create", Way::Work),
    (
        "work.deliveryTrim",
        Way::Never("read deliveries go after 30 days; tests of work move their clock"),
    ),
    ("work.disable", Way::Work),
    ("work.event", Way::Work),
    ("work.expire", Way::Never("a question expires after 7 days; tests of work move their clock")),
    ("work.fail", Way::Work),
    ("work.final", Way::Work),
    ("work.hookAdd", Way::Work),
    ("work.hookCall", Way::Work),
    ("work.hookCount", Way::Work),
    ("work.hookRemove", Way::Work),
    ("work.hookRotate", Way::Work),
    ("work.hookTrim", Way::Never("bodies go after 30 days; tests of work move their clock")),
    ("work.judge", Way::Work),
    ("work.plan", Way::Work),
    (
        "work.requeue",
        Way::Never(
            "a claim leaves its run under way; only a store restored right after it has another",
        ),
    ),
    (
        "work.returned",
        Way::Never("an agent proposes work and a person confirms it; the work room cuts it"),
    ),
    ("work.run", Way::Work),
    (
        "work.notify",
        Way::Never("an earlier version wrote the question; tests of work remove its delivery"),
    ),
    ("work.zone", Way::Work),
];

/// Names of the same shape that are no points: what the audit log calls an action.
const ACTIONS: &[&str] = &[
    "entry.add",
    "entry.delete",
    "entry.edit",
    "entry.restore",
    "item.add",
    "item.edit",
    "label.add",
    "label.remove",
    "link.add",
    "link.remove",
    "models.onceMore",
    "task.create",
    "task.delete",
    "task.edit",
    "task.restore",
];

/// The rooms that commit, or name an effect.
const ROOMS: &[&str] =
    &["access", "agents", "changes", "dormouse", "journal", "runs", "scheduler", "store", "work"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_point_is_forgotten() {
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    ROOMS.iter().for_each(|room| sources(&rooms.join(room).join("src"), &mut files));
    let name = Regex::new(r#""([a-z]+\.[a-z][a-zA-Z]*)""#).expect("the pattern is fixed");
    let mut there = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source can be read");
        // Tests below a source use names of their own.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        there.extend(name.captures_iter(text).map(|found| found[1].to_owned()));
    }
    there.retain(|name| ![".sqlite", ".rs", ".json"].iter().any(|ending| name.ends_with(ending)));
    let known = POINTS.iter().map(|(point, _)| *point).chain(ACTIONS.iter().copied());
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    assert_eq!(there, known, "left: what the sources name, right: what is killed, or an action");
}
