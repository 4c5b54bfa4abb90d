//! A workspace that has a text in every place, each with a mark, and the wakes of its agent.

use std::ops::Deref;
use std::sync::{Arc, Mutex};

use dormouse::tasks::{ItemPatch, NewEntry, NewTask, TaskPatch};
use dormouse::{
    AgentPatch, Caller, Dormouse, DrainScope, NewTemplate, NewToken, Verdict, VerdictOf, WORKSPACE,
};
use dormouse_adapters::http::{BaseUrl, HttpAnswer, HttpError, HttpRequest, Secret, Transport};
use dormouse_adapters::models::{ApiFormat, ModelConfig, ModelId, RemoteModel, ToolMode};
use dormouse_scenes::tables::Dump;
use dormouse_scenes::world::{START, services};
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_testkit::sealing::FixedKey;
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{
    BoxFuture, BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest,
};
use dormouse_types::task::{EntryKind, LinkKind, Status};
use dormouse_types::template::TemplateKind;
use dormouse_types::{AgentId, Scope, TaskId, TemplateId, TokenKind};
use dormouse_world::Rooms;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::{KEY, mark, marked};

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

/// Sends each request to its provider, and answers from a script; calls that fold a log have their own.
pub(super) struct Overheard {
    remote: RemoteModel,
    pub(super) script: Script,
    pub(super) summaries: Script,
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
        let script = if is_fold(request) { &self.summaries } else { &self.script };
        Box::pin(stream::iter(Vec::new()).chain(sent).chain(script.ask(request)))
    }
}

/// Whether a request asks for a summary of older lines of a log.
fn is_fold(request: &Request) -> bool {
    request.tools.iter().any(|tool| tool.name == "keep_summary")
}

/// An answer with a text and calls.
pub(super) fn answer(text: String, calls: &[(&'static str, Value)]) -> Answer {
    match Answer::calls(calls.to_vec()) {
        Answer::Turn { calls, .. } => Answer::Turn { text, calls, ended: false },
        fails @ Answer::Fails(_) => fails,
    }
}

pub(super) struct Workspace {
    pub(super) dormouse: Dormouse,
    rooms: Rooms,
    pub(super) me: Caller,
    pub(super) model: Arc<Overheard>,
    sent: Arc<Recorder>,
    pub(super) task: TaskId,
    linked: TaskId,
    pub(super) hidden: TaskId,
    /// A task without an agent and without a link.
    pub(super) elsewhere: TaskId,
    agent: AgentId,
    agents_of_linked: Vec<AgentId>,
    pub(super) template: TemplateId,
}

impl Deref for Workspace {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}

impl Workspace {
    /// A workspace that has a text in every place, whose agent has woken twice.
    pub(super) async fn new(format: ApiFormat) -> anyhow::Result<Self> {
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
            rung: ToolMode::Native,
            output_limit: None,
            forced_call: None,
        };
        let remote = RemoteModel::new(config, sent.clone());
        let model = Arc::new(Overheard {
            location: Mutex::new(remote.location()),
            remote,
            script: Script::default(),
            summaries: Script::default(),
        });
        let rooms = Rooms::at(START).model(model.clone()).build();
        let dormouse = services(&rooms, "process");
        let dormouse = dormouse.with_sealing_keys(Arc::new(FixedKey([8; 32])));
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
        let mut agents = Vec::new();
        for (other, name) in [(&linked.id, "report-of-linked"), (&hidden.id, "report-of-hidden")] {
            let agent = mark("agent-of-linked");
            agents.push(dormouse.create_agent(&me, other, Some(agent), None).await?.id);
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
        for other in [&linked.id, &hidden.id] {
            let link = (LinkKind::RelatesTo, other.clone());
            dormouse.link_task(&me, &id, link, None, None).await?;
        }
        let token = NewToken {
            name: mark("token"),
            kind: TokenKind::Person,
            scopes: vec![Scope::Read],
            expires_in_days: None,
        };
        dormouse.create_token(&me, token).await?;
        let template = NewTemplate {
            name: mark("template"),
            kind: TemplateKind::TaskAgent,
            general_directive: mark("directive"),
            report_directive: mark("report-directive"),
            model_id: None,
            profile_id: None,
            category_ids: Vec::new(),
        };
        let template = dormouse.create_template(&me, template, None).await?.template.id;
        let (name, follows) = (Some(mark("agent")), Some(template.clone()));
        let agent = dormouse.create_agent_following(&me, &id, name, follows, None).await?.id;
        let world = Self {
            task: id,
            linked: linked.id,
            hidden: hidden.id,
            elsewhere,
            agents_of_linked: agents,
            dormouse,
            rooms,
            me,
            model,
            sent,
            agent,
            template,
        };
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
        let calls = [
            ("add_multiple_checklist_items", items),
            ("record_observations", json!({ "observations": notes })),
            ("update_report", report),
        ];
        self.model.script.push(answer(mark("earlier-text"), &calls));
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

    pub(super) async fn wake(&self, message: Option<String>) -> anyhow::Result<()> {
        self.later(60);
        self.dormouse.wake_agent(&self.me, &self.agent, message, None).await?;
        self.drain().await
    }

    /// Runs the agent of the task, if it is due.
    async fn drain(&self) -> anyhow::Result<()> {
        let scope = DrainScope { tasks: vec![self.task.clone()], ..DrainScope::default() };
        self.dormouse.drain(scope, &mut |_| {}).await?;
        Ok(())
    }

    /// Runs everything that is due a while from now.
    pub(super) async fn drain_all(&self) -> anyhow::Result<()> {
        self.later(120);
        let scope = DrainScope { all_due: true, ..DrainScope::default() };
        self.dormouse.drain(scope, &mut |_| {}).await?;
        Ok(())
    }

    /// What was sent since this was last called.
    pub(super) fn bodies(&self) -> Vec<OutgoingRequest> {
        std::mem::take(&mut *self.sent.0.lock().expect("one thread"))
    }

    /// Lets no agent of a task wake any more.
    pub(super) async fn pause_agents(&self) -> anyhow::Result<()> {
        for agent in self.agents_of_linked.iter().chain([&self.agent]) {
            self.dormouse.pause_agent(&self.me, agent, None).await?;
        }
        Ok(())
    }

    /// Sets a reason for the status of both linked tasks, which is news to the agent.
    async fn change_linked_tasks(&self) -> anyhow::Result<()> {
        let patch = AgentPatch { wake_on_linked: Some(true), ..AgentPatch::default() };
        self.dormouse.edit_agent(&self.me, &self.agent, patch, None).await?;
        for (task, reason) in
            [(&self.linked, "reason-of-linked"), (&self.hidden, "reason-of-hidden")]
        {
            let patch = TaskPatch {
                status: Some(Status::Blocked),
                status_reason: Some(mark(reason)),
                ..TaskPatch::default()
            };
            self.dormouse.edit_task(&self.me, task, patch, None, None).await?;
        }
        Ok(())
    }

    /// The requests of a wake with two turns, after what a preview says of the first.
    pub(super) async fn last_wake(&self) -> anyhow::Result<Vec<OutgoingRequest>> {
        self.later(60);
        self.change_linked_tasks().await?;
        self.bodies();
        let before = Dump::of(&self.store).await?;
        let words = mark("waiting");
        let preview = self.dormouse.preview_wake(&self.me, &self.agent, Some(&words), None).await?;
        assert_eq!(before, Dump::of(&self.store).await?, "a preview writes nothing");
        assert_eq!(self.bodies(), [], "a preview sends nothing");
        let notes = json!({ "observations": [{ "text": mark("turn-call") }] });
        self.model.script.push(answer(mark("turn-text"), &[("record_observations", notes)]));
        self.model.script.push(Answer::calls([]));
        self.dormouse.wake_agent(&self.me, &self.agent, Some(words), None).await?;
        self.drain().await?;
        let sent = self.bodies();
        let shown = preview.request.expect("a request");
        assert_eq!(shown.body, sent[0].body, "a preview is what is then sent, byte for byte");
        assert_eq!((shown.url, shown.headers.len()), (sent[0].url.clone(), sent[0].headers.len()));
        assert_eq!((preview.kept_back.private.entries, preview.kept_back.private.links), (1, 1));
        Ok(sent)
    }
}
