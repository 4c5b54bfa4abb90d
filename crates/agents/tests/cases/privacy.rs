//! What a model that is not the person's own gets to see, and what a preview says about it.

use std::sync::{Arc, Mutex};

use dormouse_journal::Edit;
use dormouse_runs::{Models, Preview};
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::wake_run::{self, RunWithCounts, Status};
use dormouse_store::agent::{entity, model_setting, wake_request};
use dormouse_store::{Commit, Db, Query, params};
use dormouse_testkit::models::provider;
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_types::kept_back::{KeptBack, KeptPieces};
use dormouse_types::model::{FragmentKind, ModelError, Request, TurnEvent};
use dormouse_types::model_settings::{ModelSettings, Provider};
use dormouse_types::port::{BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest, Stage};
use dormouse_types::task::{Flag, LinkKind};
use dormouse_types::{AgentId, EntryId, Id as _, TaskId};
use serde_json::json;

use crate::world::{Agents, WS, World, now, person, report, routine_report, text};

/// A model at a place that the test decides, and may change.
pub(super) struct Placed {
    name: &'static str,
    pub(super) script: Script,
    pub(super) location: Mutex<ModelLocation>,
    pub(super) sent: Mutex<Vec<String>>,
}

impl Placed {
    fn new(name: &'static str, location: ModelLocation) -> Arc<Self> {
        let (script, location) = (Script::default(), Mutex::new(location));
        Arc::new(Self { name, script, location, sent: Mutex::default() })
    }

    fn last_sent(&self) -> String {
        self.sent.lock().expect("one thread").last().expect("a request").clone()
    }
}

/// Everything in a request that an adapter may send.
fn body(request: &Request) -> String {
    let fragments: Vec<_> =
        request.fragments.iter().map(|one| format!("{:?}: {}", one.kind, one.text)).collect();
    json!({ "fragments": fragments, "turns": request.turns, "tools": request.tools }).to_string()
}

impl Model for Placed {
    fn name(&self) -> &str {
        self.name
    }

    fn provider(&self) -> &str {
        self.name.split_once('/').map_or(self.name, |(provider, _)| provider)
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn location(&self) -> ModelLocation {
        *self.location.lock().expect("one thread")
    }

    fn outgoing(&self, request: &Request) -> Option<OutgoingRequest> {
        let url = "https://acme.example/v1".into();
        let headers = vec![("authorization".into(), "Bearer …".into())];
        Some(OutgoingRequest { method: "POST", url, headers, body: body(request) })
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.sent.lock().expect("one thread").push(body(request));
        self.script.ask(request)
    }
}

pub(super) struct Case {
    pub(super) world: World,
    pub(super) task: TaskId,
    pub(super) agent: AgentId,
    pub(super) agents: Agents,
    pub(super) own: Arc<Placed>,
    pub(super) far: Arc<Placed>,
}

impl Case {
    pub(super) fn new() -> Self {
        let world = World::new();
        let task = world.task("Move", &["The van comes on Friday."]);
        let agent = world.try_create(&task, true).expect("an agent");
        let own = Placed::new("home/small", ModelLocation::OwnServer);
        let far = Placed::new("acme/large", ModelLocation::Elsewhere);
        let models = Models::new(world.model.clone()).with(own.clone()).with(far.clone());
        let agents = world.choosing(models);
        Self { world, task, agent, agents, own, far }
    }

    pub(super) fn choose(&self, model: &Placed) {
        let row = entity::by_id::<Agent>(WS, self.agent.as_str());
        let mut row = now(self.world.store.first(row)).expect("readable").expect("an agent");
        row.doc.value.config.model = Some(model.name.to_owned());
        let commit = Commit::new("test", Db::Agent, WS).op(entity::replace(WS, &row));
        now(self.world.store.commit(commit)).expect("committed");
    }

    /// Wakes the agent, which asks this model and gets these answers; returns what was sent last.
    pub(super) fn wake(&self, model: &Placed, answers: impl IntoIterator<Item = Answer>) -> String {
        self.run(model, answers);
        model.last_sent()
    }

    pub(super) fn run(&self, model: &Placed, answers: impl IntoIterator<Item = Answer>) {
        self.choose(model);
        answers.into_iter().for_each(|answer| model.script.push(answer));
        self.world.later(60);
        self.world.wake_now(&self.agent, None);
        now(self.agents.route_feed(WS)).expect("routed");
        let scheduler = self.agents.scheduler();
        let lease = now(scheduler.claim(WS, &self.world.row(&self.agent))).expect("a claim");
        now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran");
    }

    pub(super) fn add(&self, text: &str) -> EntryId {
        self.world.note(&self.task, text);
        self.world.task_state(&self.task).entries.last().expect("an entry").id.clone()
    }

    pub(super) fn flag(&self, entry: &EntryId, is_set: bool) {
        let flag = Flag::Private;
        self.world.edit(&self.task, &[Edit::FlagEntry { entry: entry.clone(), flag, is_set }]);
    }

    pub(super) fn flag_task(&self, task: &TaskId, is_set: bool) {
        self.world.edit(task, &[Edit::Flag { flag: Flag::Private, is_set }]);
    }

    /// The agent's last run.
    pub(super) fn last(&self) -> RunWithCounts {
        let key = self.world.runs(&self.agent)[0].key.clone();
        let run = now(self.world.store.first(wake_run::with_counts_by_key(WS, &key)));
        run.expect("readable").expect("a run")
    }

    pub(super) fn preview(&self, message: Option<&str>) -> Preview {
        now(self.agents.preview(WS, &self.agent, message)).expect("a preview").preview
    }
}

/// A turn that notes, proposes and reports what the model has read.
pub(super) fn repeats(words: &str) -> Answer {
    Answer::calls([
        (
            "record_observations",
            json!({ "observations": [{ "text": words, "priority": "critical" }] }),
        ),
        ("add_multiple_checklist_items", json!({ "items": [{ "title": words }] })),
        report(words, words),
    ])
}

#[test]
fn a_private_entry_goes_to_a_model_of_ones_own_and_to_no_other() {
    let case = Case::new();
    let entry = case.add("The doctor said SECRET.");
    case.flag(&entry, true);
    assert!(case.wake(&case.own, [routine_report()]).contains("SECRET"));
    assert!(case.last().kept_back.is_empty());
    let sent = case.wake(&case.far, [routine_report()]);
    assert!(!sent.contains("SECRET"), "{sent}");
    assert!(sent.contains("The van comes on Friday."), "{sent}");
    assert!(sent.contains("because it is private: 1 entry"), "{sent}");
    assert_eq!(case.last().kept_back.private.entries, 1);
}

#[test]
fn the_flag_counts_as_it_is_when_the_request_is_sent() {
    let case = Case::new();
    let entry = case.add("The doctor said SECRET.");
    assert!(
        case.wake(&case.far, [routine_report()]).contains("SECRET"),
        "it is public, and logged now"
    );
    case.flag(&entry, true);
    assert!(
        !case.wake(&case.far, [routine_report()]).contains("SECRET"),
        "it was logged as a public one"
    );
    case.flag(&entry, false);
    assert!(
        case.wake(&case.far, [routine_report()]).contains("SECRET"),
        "it was private for a time"
    );
}

#[test]
fn what_a_run_made_of_private_text_stays_with_models_of_ones_own() {
    let case = Case::new();
    case.wake(&case.far, [routine_report()]);
    let entry = case.add("The doctor said SECRET.");
    case.flag(&entry, true);
    case.wake(&case.own, [repeats("HEIRLOOM")]);
    let again = case.wake(&case.own, [Answer::calls([])]);
    for place in ["You noted as critical: HEIRLOOM", "Your last report, in short:", "observation"] {
        assert!(again.contains(place), "{place}: {again}");
    }
    let sent = case.wake(&case.far, [Answer::calls([])]);
    assert!(!sent.contains("HEIRLOOM") && !sent.contains("SECRET"), "{sent}");
    let kept =
        KeptPieces { entries: 1, notes: 1, proposals: 1, summaries: 1, ..KeptPieces::default() };
    assert_eq!(case.last().kept_back, KeptBack { private: kept, ..KeptBack::default() });
    case.flag(&entry, false);
    let sent = case.wake(&case.far, [Answer::calls([])]);
    assert!(sent.contains("HEIRLOOM") && sent.contains("SECRET"), "{sent}");
}

#[test]
fn what_is_made_of_that_is_private_too() {
    let case = Case::new();
    let entry = case.add("The doctor said SECRET.");
    case.flag(&entry, true);
    case.wake(&case.own, [repeats("HEIRLOOM")]);
    // The entry is gone; what this run repeats comes from the notes alone.
    case.world.edit(&case.task, &[Edit::DeleteEntry(entry)]);
    case.wake(&case.own, [repeats("GRANDCHILD")]);
    let sent = case.wake(&case.far, [Answer::calls([])]);
    assert!(!sent.contains("GRANDCHILD") && !sent.contains("HEIRLOOM"), "{sent}");
}

#[test]
fn what_a_model_made_that_was_not_shown_the_private_text_is_sent_on() {
    let case = Case::new();
    let entry = case.add("The doctor said SECRET.");
    case.flag(&entry, true);
    case.wake(&case.far, [repeats("HARMLESS")]);
    let sent = case.wake(&case.far, [Answer::calls([])]);
    assert!(sent.contains("HARMLESS"), "{sent}");
    let private = KeptPieces { entries: 1, ..KeptPieces::default() };
    assert_eq!(case.last().kept_back, KeptBack { private, ..KeptBack::default() });
}

#[test]
fn the_title_of_a_private_task_does_not_leave_through_a_link() {
    let case = Case::new();
    let other = case.world.task("SECRET surgery", &[]);
    let link = Edit::Link { to: other.clone(), kind: LinkKind::RelatesTo };
    case.world.edit(&case.task, &[link]);
    case.flag_task(&other, true);
    case.wake(&case.own, [routine_report()]);
    let sent = case.wake(&case.far, [routine_report()]);
    assert!(!sent.contains("SECRET"), "{sent}");
    assert_eq!(case.last().kept_back.private.links, 1);
}

#[test]
fn of_a_private_task_nothing_is_sent_and_the_wake_says_why() {
    let case = Case::new();
    case.wake(&case.own, [routine_report()]);
    case.flag_task(&case.task, true);
    case.choose(&case.far);
    case.world.wake_now(&case.agent, Some("What now?"));
    case.run(&case.far, []);
    assert!(case.far.sent.lock().expect("one thread").is_empty());
    let run = case.last();
    assert_eq!((run.run.status, run.kept_back.private.tasks), (Status::Skipped, 1));
    let why = run.run.error.expect("a reason");
    assert!(why.contains("private") && why.contains("acme/large"), "{why}");
    assert_eq!(case.world.row(&case.agent).due_at, None, "it does not wake again and again");
    assert!(
        case.wake(&case.own, [routine_report()]).contains("What now?"),
        "the message was not lost"
    );
}

#[test]
fn a_run_ends_when_what_it_has_read_becomes_private() {
    let case = Case::new();
    let entry = case.add("The doctor said SECRET.");
    case.choose(&case.far);
    case.far.script.push(routine_report().and_goes_on());
    case.world.wake_now(&case.agent, None);
    let scheduler = case.agents.scheduler();
    let lease = now(scheduler.claim(WS, &case.world.row(&case.agent))).expect("a claim");
    let task = case.task.clone();
    // The flag is set while the model is writing its first turn.
    let journal = case.world.journal.clone();
    case.world.hooks.once(Stage::BeforeCommit, "run.turn", move || {
        let edit = Edit::FlagEntry { entry, flag: Flag::Private, is_set: true };
        now(journal.edit(WS, &task, &[edit], &person())).expect("flagged");
    });
    now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran");
    assert_eq!(case.far.sent.lock().expect("one thread").len(), 1, "the second turn is not sent");
    let run = case.last().run;
    assert_eq!((run.status, run.cut), (Status::Completed, false), "not at the turn limit");
    let why = run.error.expect("a reason");
    assert!(why.contains("became private") && why.contains("acme/large"), "{why}");
}

#[test]
fn a_provider_that_is_not_ones_own_any_more_gets_what_any_other_gets() {
    let case = Case::new();
    let entry = case.add("The doctor said SECRET.");
    case.flag(&entry, true);
    assert!(case.wake(&case.own, [routine_report()]).contains("SECRET"));
    *case.own.location.lock().expect("one thread") = ModelLocation::Elsewhere;
    assert!(!case.wake(&case.own, [routine_report()]).contains("SECRET"));
}

/// A run keeps the model that it began with, and another node may not have heard of the change yet.
#[test]
fn a_node_that_still_takes_a_server_for_ones_own_sends_it_nothing_private() {
    let case = Case::new();
    let entry = case.add("The doctor said SECRET.");
    case.flag(&entry, true);
    let (acme, home) = (provider("acme"), Provider { is_own: false, ..provider("home") });
    let settings = ModelSettings { providers: vec![acme, home], ..ModelSettings::default() };
    let put = model_setting::put(WS, 0, &settings);
    now(case.world.store.commit(Commit::new("test", Db::Agent, WS).op(put))).expect("stored");
    assert_eq!(case.own.location(), ModelLocation::OwnServer);
    let sent = case.wake(&case.own, [routine_report()]);
    assert!(!sent.contains("SECRET") && sent.contains("The van comes on Friday."), "{sent}");
    assert_eq!(case.last().kept_back.private.entries, 1);
}

#[test]
fn lines_of_unknown_origin_are_not_sent_and_the_entries_of_them_are_sent_once_more() {
    let case = Case::new();
    case.wake(&case.own, [repeats("HEIRLOOM")]);
    for sql in ["UPDATE log_lines SET sources = NULL", "UPDATE wake_requests SET sources = NULL"] {
        case.world.write_directly(Db::Agent, sql, params![]);
    }
    let sent = case.wake(&case.far, [Answer::calls([])]);
    assert!(!sent.contains("HEIRLOOM"), "{sent}");
    assert!(sent.contains("The van comes on Friday."), "{sent}");
    let kept = case.last().kept_back;
    assert!(kept.private.others > 0, "{kept:?}");
}

#[test]
fn a_call_cannot_find_out_what_a_private_entry_says() {
    let case = Case::new();
    let entry = case.add("Pay by 2026-04-02.");
    case.flag(&entry, true);
    let evidence = json!({ "entryId": entry, "quote": "Pay by 2026-04-02." });
    let due = json!({ "dueDate": "2026-04-02", "evidence": evidence });
    case.run(&case.far, [Answer::calls([("update_task_due_date", due)]), routine_report()]);
    let answers = case.world.answered(&case.agent);
    assert!(answers[0].refused && answers[0].text.contains("no entry"), "{answers:?}");
}

#[test]
fn what_is_stored_of_a_request_is_what_was_sent() {
    let case = Case::new();
    case.wake(&case.far, [routine_report()]);
    for n in 0..3 {
        let entry = case.add(&format!("Note {n}"));
        case.flag(&entry, n == 1);
    }
    case.wake(&case.far, [routine_report()]);
    let sent = case.wake(&case.far, [routine_report()]);
    let key = case.world.runs(&case.agent)[0].key.clone();
    let stored = now(case.world.store.all(wake_request::of_run(WS, &key))).expect("requests");
    let holder = (&case.agent).into();
    let pieces = dormouse_runs::drive::rebuild(&case.world.store, WS, &holder, &stored[0].spans);
    let pieces = now(pieces).expect("rebuilt");
    let piece =
        |kind: &str| pieces.iter().find(|piece| piece.kind.name() == kind).expect("a piece");
    let log = json!(format!("Log: {}", piece("log").text)).to_string();
    assert!(sent.contains(&log), "{sent}");
    let digest = dormouse_runs::request::digest(&pieces, &[], &piece("tools").text);
    assert_eq!(digest, stored[0].digest);
}

#[test]
fn a_preview_is_what_a_wake_then_sends_and_writes_nothing() {
    let case = Case::new();
    case.wake(&case.own, [repeats("HEIRLOOM")]);
    let entry = case.add("The doctor said SECRET.");
    case.flag(&entry, true);
    case.add("The lift is booked.");
    for model in [&case.own, &case.far] {
        case.choose(model);
        case.world.later(60);
        let before = rows(&case.world);
        let Preview::Request(preview) = case.preview(None) else { panic!("a request") };
        assert_eq!(rows(&case.world), before);
        case.world.wake_now(&case.agent, None);
        let lease = now(case.agents.scheduler().claim(WS, &case.world.row(&case.agent)));
        model.script.push(routine_report());
        now(case.agents.scheduler().run_alive(lease.expect("a claim").expect("a lease")))
            .expect("it ran");
        assert_eq!(preview.outgoing.expect("a request").body, model.last_sent());
        assert_eq!(preview.kept_back, case.last().kept_back);
    }
}

#[test]
fn a_preview_of_a_model_that_is_not_chosen_is_what_that_model_then_gets() {
    let case = Case::new();
    case.wake(&case.own, [repeats("HEIRLOOM")]);
    let entry = case.add("The doctor said SECRET.");
    case.flag(&entry, true);
    case.choose(&case.own);
    case.world.later(60);
    let before = rows(&case.world);
    let to_be = now(case.agents.preview_with(WS, &case.agent, None, case.far.clone()));
    let to_be = to_be.expect("a preview");
    assert_eq!(to_be.model.name(), "acme/large");
    let Preview::Request(to_be) = to_be.preview else { panic!("a request") };
    assert_eq!(rows(&case.world), before);
    assert!(!to_be.kept_back.is_empty());
    let as_it_is = now(case.agents.preview_with(WS, &case.agent, None, case.own.clone()));
    let Preview::Request(as_it_is) = as_it_is.expect("a preview").preview else { panic!("one") };
    assert!(as_it_is.outgoing.expect("a request").body.contains("SECRET"), "it asks its own");

    case.choose(&case.far);
    case.world.wake_now(&case.agent, None);
    let lease = now(case.agents.scheduler().claim(WS, &case.world.row(&case.agent)));
    case.far.script.push(routine_report());
    now(case.agents.scheduler().run_alive(lease.expect("a claim").expect("a lease")))
        .expect("it ran");
    assert_eq!(to_be.outgoing.expect("a request").body, case.far.last_sent());
    assert_eq!(to_be.kept_back, case.last().kept_back);
}

#[test]
fn a_preview_shows_a_message_and_leaves_out_proposals_that_a_wake_would_withdraw() {
    let case = Case::new();
    case.wake(&case.own, [repeats("OUTDATED")]);
    case.choose(&case.far);
    case.world.later(8 * 24 * 3600);
    let before = rows(&case.world);
    let Preview::Request(preview) = case.preview(Some("Hurry up.")) else { panic!("a request") };
    assert_eq!(rows(&case.world), before);
    let message = text(&preview.request, FragmentKind::Message).expect("a message");
    assert!(message.contains("Hurry up."), "{message}");
    case.far.script.push(routine_report());
    case.world.wake_now(&case.agent, Some("Hurry up."));
    let lease = now(case.agents.scheduler().claim(WS, &case.world.row(&case.agent)));
    now(case.agents.scheduler().run_alive(lease.expect("a claim").expect("a lease")))
        .expect("it ran");
    assert_eq!(preview.outgoing.expect("a request").body, case.far.last_sent());
    assert!(body(&preview.request).contains("no decision"), "{}", body(&preview.request));
}

#[test]
fn a_preview_of_a_private_task_says_that_nothing_leaves_and_one_of_the_built_in_model_too() {
    let case = Case::new();
    case.wake(&case.own, [routine_report()]);
    let agents = case.world.choosing(Models::new(case.world.script.clone()));
    case.choose(&Placed::new("script", ModelLocation::BuiltIn));
    let preview = now(agents.preview(WS, &case.agent, None)).expect("a preview").preview;
    let Preview::Request(preview) = preview else { panic!("a request") };
    assert_eq!((preview.outgoing, preview.reserved), (None, None));
    case.flag_task(&case.task, true);
    case.choose(&case.far);
    let Preview::Hidden(kept) = case.preview(None) else { panic!("nothing is sent") };
    assert_eq!(kept.private.tasks, 1);
}

/// All rows that a preview could write.
fn rows(world: &World) -> Vec<String> {
    let read = |db: Db, sql: &'static str| {
        let decode = |row: &dormouse_store::Row| Ok(format!("{:?}", row.0));
        now(world.store.all(Query { db, sql, params: Vec::new(), decode })).expect("rows")
    };
    let agent = [
        "SELECT * FROM wake_queue ORDER BY 1, 2",
        "SELECT * FROM wake_run_log ORDER BY 1, 2",
        "SELECT * FROM wake_requests ORDER BY 1, 2",
        "SELECT * FROM change_items ORDER BY 1, 2, 3",
        "SELECT * FROM change_log ORDER BY 1, 2",
        "SELECT * FROM audit_log ORDER BY 1, 2",
        "SELECT * FROM model_calls ORDER BY 1, 2",
        "SELECT * FROM spend ORDER BY 1, 2",
    ];
    let agent = agent.into_iter().flat_map(|sql| read(Db::Agent, sql));
    agent.chain(world.shown_rows()).chain(world.journal_rows()).collect()
}

/// Another task with a private note, whose agent reported what it says.
fn linked_with_a_private_note(case: &Case) -> (TaskId, EntryId) {
    let other = case.world.task("Sell the old flat", &["The buyer has SECRET reasons."]);
    let entry = case.world.task_state(&other).entries[0].id.clone();
    let edit = Edit::FlagEntry { entry: entry.clone(), flag: Flag::Private, is_set: true };
    case.world.edit(&other, &[edit]);
    case.world.create(&other);
    case.world.script.push(Answer::calls([report("SECRET reasons.", "# SECRET reasons")]));
    case.world.ends(&other);
    let link = Edit::Link { to: other.clone(), kind: LinkKind::Blocks };
    case.world.edit(&case.task, &[link]);
    (other, entry)
}

#[test]
fn a_linked_report_that_was_made_from_private_text_is_kept_back_and_its_row_stays() {
    let case = Case::new();
    let (other, entry) = linked_with_a_private_note(&case);
    let sent = case.wake(&case.far, [routine_report()]);
    assert!(!sent.contains("SECRET") && sent.contains("Sell the old flat"), "{sent}");
    assert_eq!(case.last().kept_back.private.summaries, 1);
    assert!(case.wake(&case.own, [routine_report()]).contains("SECRET reasons"));
    let edit = Edit::FlagEntry { entry, flag: Flag::Private, is_set: false };
    case.world.edit(&other, &[edit]);
    let sent = case.wake(&case.far, [routine_report()]);
    assert!(sent.contains("SECRET reasons"), "its note is not private any more: {sent}");
}

#[test]
fn an_address_of_a_private_note_does_not_leave_through_a_linked_report() {
    let case = Case::new();
    let other = case.world.task("Sell the old flat", &["We meet the buyer."]);
    case.world.note(&other, "His offer: https://example.org/SECRET");
    let entry = case.world.task_state(&other).entries[1].id.clone();
    let edit = Edit::FlagEntry { entry, flag: Flag::Private, is_set: true };
    case.world.edit(&other, &[edit]);
    let far = Placed::new("acme/large", ModelLocation::Elsewhere);
    let agents = case.world.choosing(Models::new(far.clone()));
    let agent = case.world.create(&other);
    far.script.push(Answer::calls([report("We meet.", "# We meet")]));
    now(agents.route_feed(WS)).expect("routed");
    let scheduler = agents.scheduler();
    let lease = now(scheduler.claim(WS, &case.world.row(&agent))).expect("a claim");
    now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran");
    let written = now(agents.latest_report(WS, &agent)).expect("readable").expect("a report");
    assert!(written.content.to_string().contains("SECRET"), "the person has the address");
    let link = Edit::Link { to: other, kind: LinkKind::Blocks };
    case.world.edit(&case.task, &[link]);
    assert!(
        !case.wake(&case.far, [routine_report()]).contains("SECRET"),
        "a model of somebody else has not"
    );
}

#[test]
fn the_categories_that_an_agent_may_act_in_follow_its_task() {
    let case = Case::new();
    case.wake(&case.own, [routine_report()]);
    assert_eq!(case.world.agent_row(&case.agent).allowed_category_ids, []);
    let home =
        now(case.world.journal.ensure_category(WS, "Home", &person())).expect("a category").id;
    case.world.edit(&case.task, &[Edit::Category(Some(home.clone()))]);
    case.wake(&case.own, [routine_report()]);
    assert_eq!(case.world.agent_row(&case.agent).allowed_category_ids, [home]);
    case.world.edit(&case.task, &[Edit::Category(None)]);
    case.wake(&case.own, [routine_report()]);
    assert_eq!(case.world.agent_row(&case.agent).allowed_category_ids, []);
}
