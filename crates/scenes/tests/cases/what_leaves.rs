//! `docs/what-leaves.md` is what really happens: every text of a workspace has a mark, and the page
//! says which marks are in the bodies of a wake, in each of the formats.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use dormouse::tasks::{ItemPatch, NewEntry, NewTask};
use dormouse::{
    Caller, Dormouse, DrainScope, NewToken, Parts, Store, Verdict, VerdictOf, WORKSPACE,
};
use dormouse_adapters::http::{BaseUrl, HttpAnswer, HttpError, HttpRequest, Secret, Transport};
use dormouse_adapters::models::{ModelConfig, ModelId, RemoteModel, Rung, WireFormat};
use dormouse_scenes::tables::Dump;
use dormouse_store::Value;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{
    BoxFuture, BoxStream, Clock, Entropy, Model, ModelClass, ModelLocation, NoFaults,
    OutgoingRequest,
};
use dormouse_types::task::{EntryKind, LinkKind, Status};
use dormouse_types::{AgentId, PREFIXES, Scope, TaskId, TokenKind};
use futures_util::{StreamExt as _, stream};
use serde_json::json;

const KEY: &str = "canary-the-key-itself";

/// The texts of a workspace: a name in the marks, what it is, and where it is stored.
const TEXTS: &[(&str, &str)] = &[
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

fn mark(name: &str) -> String {
    marked(name, 0)
}

/// A text with a mark at its beginning and one at its end.
fn marked(name: &str, filler: usize) -> String {
    assert!(TEXTS.iter().any(|(known, _)| *known == name), "{name} is not in the list");
    format!("canary-{name}-first {} canary-{name}-last", "and so on ".repeat(filler / 10))
}

/// Records what is sent, and answers nothing.
#[derive(Default)]
struct Recorder(Mutex<Vec<OutgoingRequest>>);

impl Transport for Recorder {
    fn send<'a>(
        &'a self,
        request: &'a HttpRequest,
    ) -> BoxFuture<'a, Result<HttpAnswer, HttpError>> {
        self.0.lock().expect("one thread").push(request.redacted());
        Box::pin(async { Err(HttpError::HostName { origin: "nowhere".into() }) })
    }
}

/// Sends each request to its provider, and answers from a script.
struct Overheard {
    remote: RemoteModel,
    script: Script,
    location: Mutex<ModelLocation>,
}

impl Model for Overheard {
    fn name(&self) -> &str {
        self.remote.name()
    }

    fn provider(&self) -> &str {
        self.remote.provider()
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn location(&self) -> ModelLocation {
        *self.location.lock().expect("one thread")
    }

    fn window(&self) -> Option<u64> {
        self.remote.window()
    }

    fn outgoing(&self, request: &Request) -> Option<OutgoingRequest> {
        self.remote.outgoing(request)
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let sent = self.remote.ask(request).filter(|_| std::future::ready(false));
        Box::pin(stream::iter(Vec::new()).chain(sent).chain(self.script.ask(request)))
    }
}

struct World {
    dormouse: Dormouse,
    store: Store,
    clock: ManualClock,
    me: Caller,
    model: Arc<Overheard>,
    sent: Arc<Recorder>,
    task: TaskId,
    agent: AgentId,
}

impl World {
    /// A workspace that has a text in every place, whose agent has woken twice.
    async fn new(format: WireFormat) -> anyhow::Result<Self> {
        let sent = Arc::new(Recorder::default());
        let config = ModelConfig {
            window: Some(200_000),
            provider: "acme".into(),
            base: BaseUrl::parse("https://acme.example/v1")?,
            format,
            model: ModelId::new("large").map_err(|e| anyhow::anyhow!("{e}"))?,
            key: Some(Secret::new(KEY).map_err(|e| anyhow::anyhow!("{e}"))?),
            max_output_tokens: 4096,
            location: ModelLocation::Elsewhere,
            class: ModelClass::Free,
            price: None,
            rung: Rung::Native,
        };
        let remote = RemoteModel::new(config, sent.clone());
        let model = Arc::new(Overheard {
            location: Mutex::new(remote.location()),
            remote,
            script: Script::default(),
        });
        let clock = ManualClock::at("2026-03-02T09:00:00Z");
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(1));
        let sqlite = Sqlite::memory(&port, &*entropy)?;
        let store = Store::new(Arc::new(sqlite), Arc::new(NoFaults));
        let dormouse = Dormouse::new(Parts {
            store: store.clone(),
            clock: port,
            entropy,
            model: model.clone(),
            zone: jiff::tz::TimeZone::UTC,
            owner: "process".into(),
        });
        let me = Caller::owner(WORKSPACE);
        let other = |title: &str, category: Option<String>| NewTask {
            title: title.to_owned(),
            category,
            note: Some(mark("note-of-linked")),
            ..NewTask::default()
        };
        let linked = NewTask {
            labels: vec![mark("label-of-linked")],
            items: vec![mark("item-of-linked")],
            ..other(&mark("linked"), None)
        };
        let linked = dormouse.create_task(&me, linked, None).await?;
        let hidden = NewTask {
            private: true,
            labels: vec![mark("label-of-hidden")],
            ..other(&mark("hidden"), None)
        };
        let hidden = dormouse.create_task(&me, hidden, None).await?;
        let elsewhere =
            NewTask { labels: vec![mark("unused")], ..other(&mark("other"), Some(mark("other"))) };
        let elsewhere = dormouse.create_task(&me, elsewhere, None).await?.id;
        dormouse.add_label(&me, &elsewhere, &mark("taken-off"), None).await?;
        let name = mark("taken-off").split_whitespace().collect::<Vec<_>>().join(" ");
        dormouse.remove_label(&me, &elsewhere, &name, None).await?;
        let new = NewTask {
            title: mark("title"),
            status: Some(Status::Blocked),
            status_reason: Some(mark("reason")),
            category: Some(mark("category")),
            labels: vec![mark("label")],
            items: vec![mark("item"), mark("archived")],
            note: Some(mark("entry")),
            ..NewTask::default()
        };
        let task = dormouse.create_task(&me, new, None).await?;
        let id = task.id.clone();
        let archive = ItemPatch { is_archived: Some(true), ..ItemPatch::default() };
        dormouse.edit_item(&me, &id, &task.items[1].id, archive, None).await?;
        for (text, kind, private) in [
            (marked("long", 20 * 1024), EntryKind::Text, false),
            (mark("image"), EntryKind::ImageAnalysis, false),
            (mark("private"), EntryKind::Text, true),
        ] {
            let entry = NewEntry { text, kind, private, ..NewEntry::default() };
            dormouse.add_entry(&me, &id, entry, None).await?;
        }
        let deleted = NewEntry { text: mark("deleted"), ..NewEntry::default() };
        let with = dormouse.add_entry(&me, &id, deleted, None).await?;
        let deleted = with.entries.iter().find(|entry| entry.text.contains("canary-deleted"));
        let deleted = deleted.expect("the entry").id.clone();
        dormouse.delete_entry(&me, &id, &deleted, None).await?;
        for (other, name) in [(&linked.id, "report-of-linked"), (&hidden.id, "report-of-hidden")] {
            let agent = mark("agent-of-linked");
            dormouse.create_agent(&me, other, Some(agent), None).await?;
            // A private task is read by a model of this machine alone.
            *model.location.lock().expect("one thread") = ModelLocation::BuiltIn;
            model.script.push(Answer::calls([(
                "update_report",
                json!({ "tldr": mark("tldr-of-linked"), "content": mark(name) }),
            )]));
            let scope = DrainScope { tasks: vec![other.clone()], ..DrainScope::default() };
            dormouse.drain(scope, &mut |_| {}).await?;
            *model.location.lock().expect("one thread") = ModelLocation::Elsewhere;
        }
        for other in [linked.id, hidden.id] {
            dormouse.link_task(&me, &id, (LinkKind::RelatesTo, other), None, None).await?;
        }
        let token = NewToken {
            name: mark("token"),
            kind: TokenKind::Person,
            scopes: vec![Scope::Read],
            expires_in_days: None,
        };
        dormouse.create_token(&me, token).await?;
        let agent = dormouse.create_agent(&me, &id, Some(mark("agent")), None).await?;
        let world = Self { dormouse, store, clock, me, model, sent, task: id, agent: agent.id };
        world.first_wakes().await?;
        Ok(world)
    }

    /// Two wakes, after which there are notes, proposals, decisions, a report and a heard message.
    async fn first_wakes(&self) -> anyhow::Result<()> {
        let item = |title: String| json!({ "title": title, "rationale": mark("rationale") });
        let items = json!({ "items": [item(mark("open")), item(mark("rejected"))] });
        let note = |text: String, priority: &str| json!({ "text": text, "priority": priority });
        let notes = [note(mark("critical"), "critical"), note(mark("noted"), "routine")];
        let report = json!({ "tldr": mark("tldr"), "content": mark("content") });
        let Answer::Turn { calls, .. } = Answer::calls([
            ("add_multiple_checklist_items", items),
            ("record_observations", json!({ "observations": notes })),
            ("update_report", report),
        ]) else {
            anyhow::bail!("a turn");
        };
        let text = mark("earlier-text");
        self.model.script.push(Answer::Turn { text, calls, ended: false });
        self.model.script.push(Answer::calls([]));
        self.wake(Some(mark("heard"))).await?;
        let sets = self.dormouse.change_sets(&self.me, Some(self.task.clone()), true).await?;
        let rejected = sets[0].items.iter().find(|item| item.human_summary.contains("rejected"));
        let rejected = rejected.expect("the proposal");
        let verdict = VerdictOf {
            task: None,
            set: sets[0].id.clone(),
            index: rejected.index,
            verdict: Verdict::Reject,
            digest: Some(rejected.digest.to_string()),
            reason: Some(marked("why-not", 400)),
            over: None,
        };
        self.dormouse.decide_item(&self.me, verdict, None).await?;
        Ok(())
    }

    async fn wake(&self, message: Option<String>) -> anyhow::Result<()> {
        self.clock.advance(std::time::Duration::from_secs(60));
        self.dormouse.wake_agent(&self.me, &self.agent, message, None).await?;
        let tasks = vec![self.task.clone()];
        let scope = DrainScope { tasks, ..DrainScope::default() };
        self.dormouse.drain(scope, &mut |_| {}).await?;
        Ok(())
    }

    fn bodies(&self) -> Vec<OutgoingRequest> {
        std::mem::take(&mut *self.sent.0.lock().expect("one thread"))
    }

    /// The requests of a wake with two turns, after what a preview says of the first.
    async fn last_wake(&self) -> anyhow::Result<Vec<OutgoingRequest>> {
        self.clock.advance(std::time::Duration::from_secs(60));
        self.bodies();
        let before = Dump::of(&self.store).await?;
        let words = mark("waiting");
        let preview = self.dormouse.preview_wake(&self.me, &self.agent, Some(&words), None).await?;
        assert_eq!(before, Dump::of(&self.store).await?, "a preview writes nothing");
        assert_eq!(self.bodies(), [], "a preview sends nothing");
        let Answer::Turn { calls, .. } = Answer::calls([(
            "record_observations",
            json!({ "observations": [{ "text": mark("turn-call") }] }),
        )]) else {
            anyhow::bail!("a turn");
        };
        let text = mark("turn-text");
        self.model.script.push(Answer::Turn { text, calls, ended: false });
        self.model.script.push(Answer::calls([]));
        self.dormouse.wake_agent(&self.me, &self.agent, Some(words), None).await?;
        let scope = DrainScope { tasks: vec![self.task.clone()], ..DrainScope::default() };
        self.dormouse.drain(scope, &mut |_| {}).await?;
        let sent = self.bodies();
        let shown = preview.request.expect("a request");
        assert_eq!(shown.body, sent[0].body, "a preview is what is then sent, byte for byte");
        assert_eq!((shown.url, shown.headers.len()), (sent[0].url.clone(), sent[0].headers.len()));
        assert_eq!((preview.kept_back.private.entries, preview.kept_back.private.links), (1, 1));
        Ok(sent)
    }
}

/// The outcome of each text, by its name, and of each kind of id, by its prefix.
type Leaves = (BTreeMap<&'static str, &'static str>, BTreeMap<&'static str, bool>);

async fn leaves(format: WireFormat) -> anyhow::Result<Leaves> {
    let world = World::new(format).await?;
    let sent = world.last_wake().await?;
    assert_eq!(sent.len(), 2, "two turns");
    let all: String = sent.iter().map(|one| format!("{one:?}\n{}", one.body)).collect();
    assert!(!all.contains(KEY), "the key is shown");
    let dump = Dump::of(&world.store).await?;
    let stored = stored_texts(&dump);
    let mut texts = BTreeMap::new();
    for (name, _) in TEXTS {
        let (first, last) = (format!("canary-{name}-first"), format!("canary-{name}-last"));
        assert!(stored.iter().any(|text| text.contains(&last)), "{name} is stored nowhere");
        let fate = match (all.contains(&first), all.contains(&last)) {
            (true, true) => "sent",
            (true, false) => "shortened",
            (false, false) => "never",
            (false, true) => anyhow::bail!("{name} lost its beginning"),
        };
        texts.insert(*name, fate);
    }
    // No text without a mark: what is stored is a text of this test, or written by the program.
    let of_tools = tool_texts(&world.model.script);
    let is_known = |text: &str| text.contains("canary-") || is_of_the_program(text, &of_tools);
    let unmarked: Vec<_> = stored.iter().filter(|text| !is_known(text)).collect();
    assert!(unmarked.is_empty(), "give these texts a mark: {unmarked:#?}");
    let ids = PREFIXES.iter().filter_map(|(prefix, _)| {
        let found: BTreeSet<&str> = stored.iter().filter_map(|text| id_of(text, prefix)).collect();
        (!found.is_empty()).then(|| (*prefix, found.iter().any(|id| all.contains(id))))
    });
    Ok((texts, ids.collect()))
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

/// Every text that is stored: the columns, and the texts in those that hold JSON.
fn stored_texts(dump: &Dump) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for (_, value) in dump.tables.values().flatten().flatten() {
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

What a wake sends to a model of a provider that is not yours. To the built-in model nothing is sent. A model
of which you said that it is yours gets what is private as well. Each provider, yours too, can be limited to
tasks of some categories (`docs/models.md`).

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
- A wake of a private task asks no model that is not yours, and says so; likewise a wake of a task of another
  category.
- A request that is not sent, and a call that is refused because of what it is about, stand in the audit log as
  `policyDenied`, with the model and the reason, and without the text.
- A text of which nobody knows what it was made of, because an earlier version wrote it, is not sent.
- Once you have confirmed a proposal, its value is part of the task, and as private as that.

## Texts

| stored text | leaves |
|---|---|
";

const IDS: &str = "
## Ids

An id names a row and says nothing else.

| id | leaves |
|---|---|
";

const AFTER: &str = "
Besides: dates of entries and changes, the time zone's current date, status, priority, estimate, time spent,
language, and the descriptions of the tools. Shortened texts are cut with a mark. Tokens and keys are not part of a
prompt; a key is in a header of the request to its own provider.

---

This page is made by `crates/scenes/tests/cases/what_leaves.rs` from bodies that a recorder received in each of
the four formats; the test fails when the two differ. To make it anew, delete it and run
`cargo test -p dormouse-scenes what_leaves`: the test writes the page and fails once, so that somebody looks at it.
";

#[tokio::test]
async fn the_page_says_what_leaves_in_every_format() {
    let mut first: Option<Leaves> = None;
    for format in WireFormat::ALL {
        let found = leaves(*format).await.expect("the wakes run");
        match &first {
            None => first = Some(found),
            Some(first) => assert_eq!(*first, found, "{} sends something else", format.name()),
        }
    }
    let (texts, ids) = first.expect("a format");
    let mut page = BEFORE.to_owned();
    for (name, what) in TEXTS {
        page.push_str(&format!("| {what} | {} |\n", texts[name]));
    }
    page.push_str(IDS);
    for (prefix, id) in PREFIXES {
        if let Some(is_sent) = ids.get(prefix) {
            let fate = if *is_sent { "sent" } else { "never" };
            page.push_str(&format!("| {} (`{prefix}-…`) | {fate} |\n", noun(id)));
        }
    }
    page.push_str(AFTER);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/what-leaves.md");
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    if written.is_empty() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    assert_eq!(written, page, "docs/what-leaves.md says something else");
}
