//! `docs/what-leaves.md` is what really happens: every text of a workspace has a mark, and the page
//! says which marks are in the bodies of a wake, in each of the formats.

mod folding;
mod session;
mod work;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use dormouse_adapters::models::ApiFormat;
use dormouse_scenes::tables::Dump;
use dormouse_store::Value;
use dormouse_testkit::scripted::Script;
use dormouse_types::PREFIXES;
use dormouse_types::port::OutgoingRequest;
use serde_json::json;

use self::workspace::Workspace;

const KEY: &str = "canary-the-key-itself";

/// A name in the marks, and what text it is.
type Text = (&'static str, &'static str);

/// The texts of a workspace when its agent wakes.
const TEXTS: &[Text] = &[
    ("title", "task: title"),
    ("reason", "task: reason of its status"),
    ("category", "task: name of its category"),
    ("label", "task: names of its labels"),
    ("item", "task: checklist items"),
    ("archived", "task: archived checklist items"),
    ("entry", "entry: text"),
    ("long", "entry: text of more than 16 KiB"),
    ("image", "entry: description of an image"),
    ("deleted", "entry: deleted before the agent read it"),
    ("private", "entry: private"),
    ("linked", "linked task: title"),
    ("hidden", "linked task that is private: title"),
    ("label-of-linked", "linked task: names of its labels"),
    ("report-of-linked", "linked task: content of its newest report"),
    ("tldr-of-linked", "linked task: summary of its report"),
    ("reason-of-linked", "linked task: reason that its status was given since the last wake"),
    ("reason-of-hidden", "linked task that is private: the same"),
    ("note-of-linked", "linked task: entries"),
    ("item-of-linked", "linked task: checklist items"),
    ("agent-of-linked", "linked task: name of its agent"),
    ("report-of-hidden", "linked task that is private: content of its newest report"),
    ("unused", "workspace: names of labels that another task has"),
    ("label-of-hidden", "workspace: names of labels that only private tasks have"),
    ("taken-off", "workspace: names of labels that no task has any more"),
    ("other", "workspace: other tasks and their categories"),
    ("token", "workspace: names of tokens"),
    ("agent", "agent: name"),
    ("template", "template: name"),
    ("directive", "template: general directive"),
    ("report-directive", "template: directive for reports"),
    ("tldr", "report: summary"),
    ("content", "report: content"),
    ("critical", "note of the agent: critical"),
    ("noted", "note of the agent: any other"),
    ("open", "open proposal: what would change"),
    ("rejected", "decision: what was proposed"),
    ("why-not", "decision: the person's reason"),
    ("rationale", "proposal: the model's reason"),
    ("heard", "message to the agent: heard by an earlier wake"),
    ("waiting", "message to the agent: not heard yet"),
    ("earlier-text", "turn of an earlier wake: text"),
    ("turn-text", "earlier turn of this wake: text"),
    ("turn-call", "earlier turn of this wake: arguments of calls"),
];

/// The texts that folding adds.
const OF_FOLDING: &[Text] = &[("summary", "summary of the lines that were folded")];

/// The texts that agent work adds.
const OF_WORK: &[Text] = &[
    ("work-title", "work: title"),
    ("work-instructions", "work: instructions"),
    ("work-step", "work: step"),
    ("work-correction", "work: correction of the person"),
    ("work-question", "this run: its question"),
    ("work-option", "this run: answers that it offered"),
    ("work-answer", "this run: the person's answer"),
    ("work-turn-text", "this run: text of an earlier turn"),
    ("work-turn", "earlier run: text of a turn"),
    ("work-call", "earlier run: arguments of calls"),
    ("work-published", "earlier run: title of its result"),
    ("work-result", "earlier run: its result"),
    ("work-summary", "earlier run: its summary"),
    ("hook", "hook: name"),
    ("hook-body", "hook: body of the call that started the run"),
    ("event", "entry that started the run"),
    ("private-event", "private entry that started the run"),
];

/// The texts that a session about a template adds.
const OF_SESSION: &[Text] = &[
    ("session-person", "session: what the person wrote"),
    ("session-again", "session: what the person wrote last"),
    ("session-model", "session: earlier answer"),
    ("session-general", "session: proposed general directive"),
    ("session-report", "session: proposed directive for reports"),
    ("session-rationale", "session: reason of a proposal"),
    ("session-note", "session: note for later sessions"),
];

fn all_texts() -> impl Iterator<Item = Text> {
    [TEXTS, OF_FOLDING, OF_WORK, OF_SESSION].into_iter().flatten().copied()
}

fn mark(name: &str) -> String {
    marked(name, 0)
}

/// A text with a mark at its beginning and one at its end.
fn marked(name: &str, n_bytes: usize) -> String {
    assert!(all_texts().any(|(known, _)| known == name), "{name} is not in the list");
    of_the_test(name, n_bytes)
}

/// The same, for a text that no table names.
fn of_the_test(name: &str, n_bytes: usize) -> String {
    format!("canary-{name}-first {} canary-{name}-last", "and so on ".repeat(n_bytes / 10))
}

/// The outcome of each text, by its name.
type Fates = BTreeMap<&'static str, &'static str>;

/// What leaves in one format.
#[derive(Debug, PartialEq, Eq)]
struct Leaves {
    wake: Fates,
    /// Whether an id of each kind is sent, by its prefix.
    ids: BTreeMap<&'static str, bool>,
    fold: Fates,
    after_fold: Fates,
    work: Fates,
    session: Fates,
}

fn fates(sent: &[OutgoingRequest]) -> anyhow::Result<Fates> {
    let all = written(sent);
    anyhow::ensure!(!all.contains(KEY), "the key is shown");
    let mut fates = BTreeMap::new();
    for (name, _) in all_texts() {
        let (first, last) = (format!("canary-{name}-first"), format!("canary-{name}-last"));
        let fate = match (all.contains(&first), all.contains(&last)) {
            (true, true) => "sent",
            (true, false) => "shortened",
            (false, false) => NEVER,
            (false, true) => anyhow::bail!("{name} lost its beginning"),
        };
        fates.insert(name, fate);
    }
    Ok(fates)
}

const NEVER: &str = "never";

fn written(sent: &[OutgoingRequest]) -> String {
    sent.iter().map(|one| format!("{one:?}\n{}", one.body)).collect()
}

async fn leaves(format: ApiFormat) -> anyhow::Result<Leaves> {
    let world = Workspace::new(format).await?;
    let sent = world.last_wake().await?;
    assert_eq!(sent.len(), 2, "two turns");
    let stored = stored_texts(&Dump::of(&world.store).await?);
    let all = written(&sent);
    let ids = PREFIXES.iter().filter_map(|(prefix, _)| {
        let found: BTreeSet<&str> = stored.iter().filter_map(|text| id_of(text, prefix)).collect();
        (!found.is_empty()).then(|| (*prefix, found.iter().any(|id| all.contains(id))))
    });
    let folded = folding::fold(&world).await?;
    let leaves = Leaves {
        wake: fates(&sent)?,
        ids: ids.collect(),
        fold: fates(&folded.folds)?,
        after_fold: fates(&folded.wake)?,
        work: fates(&work::run(&world).await?)?,
        session: fates(&session::second_answer(&world).await?)?,
    };
    let stored = stored_texts(&Dump::of(&world.store).await?);
    for (name, _) in all_texts() {
        let last = format!("canary-{name}-last");
        assert!(stored.iter().any(|text| text.contains(&last)), "{name} is stored nowhere");
    }
    // No text without a mark: what is stored is a text of this test, or written by the program.
    let of_tools = tool_texts(&world.model.script);
    let is_known = |text: &str| text.contains("canary-") || is_of_the_program(text, &of_tools);
    let unmarked: Vec<_> = stored.iter().filter(|text| !is_known(text)).collect();
    assert!(unmarked.is_empty(), "give these texts a mark: {unmarked:#?}");
    Ok(leaves)
}

fn id_of<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(prefix)?.strip_prefix('-')?;
    (rest.len() == 26 && rest.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(text)
}

/// Every text in a JSON value.
fn collect(value: &serde_json::Value, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::String(text) => into.extend([text.clone()]),
        serde_json::Value::Array(all) => all.iter().for_each(|one| collect(one, into)),
        serde_json::Value::Object(all) => all.values().for_each(|one| collect(one, into)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

/// Every text that is stored: the columns, and the texts in those that hold JSON. The index of a search has
/// the words of other rows only.
fn stored_texts(dump: &Dump) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    let tables = dump.tables.iter().filter(|((_, name), _)| *name != "search_index");
    for (_, value) in tables.flat_map(|(_, rows)| rows).flatten() {
        let Value::Text(text) = value else { continue };
        match serde_json::from_str(text) {
            Ok(json @ (serde_json::Value::Object(_) | serde_json::Value::Array(_))) => {
                collect(&json, &mut texts);
            }
            Ok(_) | Err(_) => texts.extend([text.clone()]),
        }
    }
    texts
}

/// Whether the program wrote a text: one word, or a sentence that is in its code.
fn is_of_the_program(text: &str, of_tools: &BTreeSet<String>) -> bool {
    const SENTENCES: &[&str] = &[
        "You look after one task",
        "Today is 2026-03-02",
        "<data of=",
        "Report published",
        "1 noted.",
        "2 noted.",
        "Kept back",
        "person: read",
        "Answer what the person said last.",
        "Do the work now.",
        "Note recorded",
        "Proposal recorded",
        "Scheduled Events",
        "The task: nothing",
        "You and a person improve a template",
        "You do background work",
        "the person is asked; the run waits",
        "the run ends",
        "wakeOnLinked true",
        "It ended without a result",
    ];
    !text.trim().contains(char::is_whitespace)
        || SENTENCES.iter().any(|sentence| text.contains(sentence))
        || of_tools.contains(text)
}

/// The descriptions of the tools that a model was offered.
fn tool_texts(script: &Script) -> BTreeSet<String> {
    let tools = script.requests().into_iter().flat_map(|request| request.tools);
    let mut texts = BTreeSet::new();
    for tool in tools {
        collect(&json!([tool.description, tool.parameters]), &mut texts);
    }
    texts
}

/// `TaskLinkId` as `task link`.
fn noun(id: &str) -> String {
    let name = id.strip_suffix("Id").unwrap_or(id);
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

const BEFORE: &str = "\
# What leaves this machine

What a wake, a run of agent work and a session about a template send to a model of a provider that is not
yours. To the built-in model nothing is sent. A model of which you said that it is yours gets what is private as
well. Each provider, yours too, can be limited to tasks of some categories (`docs/models.md`).

`dormouse agent wake AGENT --dry-run` prints the body that a wake would send now; the page of an agent shows
it under \"See a whole request\".

- What is private never leaves: a private task, its entries and its title as seen through a link; a private
  entry; and whatever a model wrote after it had read something private: notes, reports, proposals and
  decisions on them. It counts whether it is private at the moment of sending.
- Nothing is sent to a provider of a task of a category that it may not be sent: not its entries, not its row as
  seen through a link, and nothing that a model wrote after it had read it. The category counts that the task
  has at the moment of sending.
- The name of a label is sent only if one of the tasks that have it may be sent (`docs/private.md`).
- What is kept back is left out whole. The model reads how many entries, notes and so on it was not shown,
  and why, and so do you in the list of wakes.
- Nothing more is sent of a task once it is deleted, not even by a wake or a run about it that is under way. An entry
  that is deleted before it was sent is not sent. What an agent has read stays in its memory until you have it
  forgotten (`docs/memory.md`).
- A wake of a private task asks no model that is not yours, and says so; likewise a wake of a task of another
  category.
- A request that is not sent, and a call that is refused because of what it is about, stand in the audit log as
  `policyDenied`, with the model and the reason, and without the text.
- A text of which nobody knows what it was made of, because an earlier version wrote it, is not sent.
- Once you have confirmed a proposal, its value is part of the task, and as private as that. Of one whose model had
  been shown something private you are told so before, unless its task is private. It counts what was private when it
  was proposed; of a proposal of an earlier version, and of one that another program made, it is not known and not said.

## A wake

";

const FOLDING: &str = "
## When older lines of a log are folded

The older lines of a long log are given to a model once, to be summarised; the wakes after that are sent the
summary in their place (`docs/memory.md`). The lines were sent with earlier wakes already, unless another model
summarises than the one that thinks. A private entry is in no line that such a model reads. Of the texts that a wake
sends, these are sent then:

";

const WORK: &str = "
## Agent work

What the runs of agent work send (`docs/work.md`):

";

const READ: &str = "
A run that looks into the tasks of the person reads them through calls, and what they answer is sent with its
next turn. Of a task and its links, and of a list of all tasks:

";

const SESSION: &str = "
## A session that improves a template

";

const SHOWN: &str = "
Besides, the newest reports and notes of the agents that follow the template are sent, and its own texts:

";

const IDS: &str = "
## Ids

An id names a row and says nothing else. Of the ids of a wake:

| id | leaves |
|---|---|
";

const AFTER: &str = "
Besides: dates of entries and changes, the time zone's current date, status, priority, estimate, time spent,
language, and the descriptions of the tools. Shortened texts are cut with a mark. Tokens and keys are not part of a
prompt; a key is in a header of the request to its own provider.

---

This page is made by `crates/scenes/tests/cases/what_leaves.rs` from bodies that a recorder received in each of
the four formats; the test fails when the two differ. To make it again, delete it and run
`cargo test -p dormouse-scenes what_leaves`: the test writes the page and fails once, so that somebody looks at it.
";

/// A table of those texts that are sent by one of the columns, or of all.
fn table(page: &mut String, texts: &[Text], columns: &[(&str, &Fates)], is_whole: bool) {
    let heads: Vec<&str> = columns.iter().map(|(head, _)| *head).collect();
    let rule = "|---".repeat(columns.len() + 1);
    page.push_str(&format!("| stored text | {} |\n{rule}|\n", heads.join(" | ")));
    for (name, what) in texts {
        let fates: Vec<&str> = columns.iter().map(|(_, fates)| fates[name]).collect();
        if is_whole || fates.iter().any(|fate| *fate != NEVER) {
            page.push_str(&format!("| {what} | {} |\n", fates.join(" | ")));
        }
    }
}

fn page_of(leaves: &Leaves) -> String {
    let mut page = BEFORE.to_owned();
    table(&mut page, TEXTS, &[("leaves", &leaves.wake)], true);
    page.push_str(FOLDING);
    let columns = [("call that folds", &leaves.fold), ("wake after it", &leaves.after_fold)];
    let of_task: Vec<Text> =
        TEXTS.iter().copied().filter(|(name, _)| !name.starts_with("turn-")).collect();
    let texts: Vec<Text> = OF_FOLDING.iter().chain(&of_task).copied().collect();
    table(&mut page, &texts, &columns, false);
    page.push_str(WORK);
    table(&mut page, OF_WORK, &[("leaves", &leaves.work)], true);
    page.push_str(READ);
    table(&mut page, &of_task, &[("leaves", &leaves.work)], false);
    page.push_str(SESSION);
    table(&mut page, OF_SESSION, &[("leaves", &leaves.session)], true);
    page.push_str(SHOWN);
    table(&mut page, &of_task, &[("leaves", &leaves.session)], false);
    page.push_str(IDS);
    for (prefix, id) in PREFIXES {
        if let Some(is_sent) = leaves.ids.get(prefix) {
            let fate = if *is_sent { "sent" } else { NEVER };
            page.push_str(&format!("| {} (`{prefix}-…`) | {fate} |\n", noun(id)));
        }
    }
    page.push_str(AFTER);
    page
}

#[tokio::test]
async fn the_page_says_what_leaves_in_every_format() {
    let mut first: Option<Leaves> = None;
    for format in ApiFormat::ALL {
        let found = leaves(*format).await.expect("the wakes and runs end well");
        match &first {
            None => first = Some(found),
            Some(first) => assert_eq!(*first, found, "{} sends something else", format.name()),
        }
    }
    let page = page_of(&first.expect("a format"));
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/what-leaves.md");
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    if written.is_empty() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    assert_eq!(written, page, "docs/what-leaves.md says something else");
}
