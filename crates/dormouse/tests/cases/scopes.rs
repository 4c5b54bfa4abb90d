use std::sync::LazyLock;

use dormouse::dates::Wording;
use dormouse::view::AttentionKind;
use dormouse::work_hooks::{NewHook, OldSecrets};
use dormouse::{
    AgentFilter, AgentPatch, AttentionFilter, Caller, DrainScope, EntryPatch, Error,
    EvolutionApproval, ExportFormat, ImportFile, ImportOptions, ItemPatch, MessageFilter, NewEntry,
    NewTask, NewTemplate, NewToken, NewTurn, NewWork, OperationFilter, RunDays, Selection, Shown,
    TaskFilter, TaskPatch, TemplatePatch, Verdict, VerdictOf, WorkFilter, WorkPatch,
};
use dormouse_agents::template::stock;
use dormouse_store::agent::wake_run;
use dormouse_store::{Commit, Db};
use dormouse_testkit::scripted::Answer;
use dormouse_types::delivery::DeliveryMark;
use dormouse_types::task::LinkKind;
use dormouse_types::template::TemplateKind;
use dormouse_types::work_hook::HookForm;
use dormouse_types::work_kind::{Agenda, WorkParameters};
use dormouse_types::{
    AgentId, ChangeSetId, ConversationId, DeliveryId, EntryId, HookId, ItemId, QuestionId, RunKey,
    Scope, TaskId, TaskLinkId, TemplateId, Timestamp, TokenId, TokenKind, WorkId, WorkRunId,
};
use serde_json::json;

use crate::world::{World, me, now, token};

static AGENDA: LazyLock<WorkParameters> =
    LazyLock::new(|| WorkParameters::Agenda(Agenda::default()));

static NEW_WORK: LazyLock<NewWork> = LazyLock::new(|| NewWork {
    title: "New".into(),
    instructions: Some("Do it.".into()),
    ..NewWork::default()
});

/// What the methods are tried on.
struct Subject {
    world: World,
    task: TaskId,
    item: ItemId,
    entry: EntryId,
    other: TaskId,
    link: TaskLinkId,
    agent: AgentId,
    run: RunKey,
    /// A run that a person cancelled, which may be cancelled again.
    cancelled: RunKey,
    set: ChangeSetId,
    token: TokenId,
    work: WorkSubject,
}

/// Agent work that methods are tried on.
fn new_hook() -> NewHook {
    NewHook { name: "New".into(), form: HookForm::Standard, secret: None }
}

/// A template that comes with the program.
fn template(place: usize) -> TemplateId {
    stock::ALL[place].id()
}

/// A session about a template, with a proposal that waits.
fn evolve(world: &World) {
    now(world.dormouse.start_evolution(&me(), &template(3), None, None)).expect("started");
    let proposal = json!({
        "general_directive": "Be brief.", "report_directive": "One line.", "rationale": "Shorter."
    });
    world.script.push(Answer::calls([("propose_directives", proposal)]));
    let scope = DrainScope { all_due: true, ..DrainScope::default() };
    world.drain_scope(scope).expect("answered");
}

fn new_template() -> NewTemplate {
    NewTemplate {
        name: "Pirate".into(),
        kind: TemplateKind::TaskAgent,
        general_directive: "Arr.".into(),
        report_directive: String::new(),
        model_id: None,
        profile_id: None,
        category_ids: Vec::new(),
    }
}

struct WorkSubject {
    /// By a schedule, and paused.
    paused: WorkId,
    /// Its hook.
    hook: HookId,
    /// Its run asks a question.
    asking: WorkId,
    asking_run: WorkRunId,
    question: QuestionId,
    /// The entry of the list of what needs the person, and since when.
    need: String,
    asked_at: Timestamp,
    /// The notice of its question.
    delivery: DeliveryId,
    /// A run that ended without an outcome.
    unclear_run: WorkRunId,
    /// A run that failed, so that it waits for nobody, and one that was cancelled.
    failed_run: WorkRunId,
    cancelled: WorkId,
    cancelled_run: WorkRunId,
    conversation: ConversationId,
}

impl WorkSubject {
    /// Nothing else is due yet in the world.
    fn new(world: &World) -> Self {
        let create = |schedule: Option<&str>| {
            let new = NewWork {
                title: "Prices".into(),
                instructions: Some("Compare prices.".into()),
                schedule: schedule.map(ToOwned::to_owned),
                ..NewWork::default()
            };
            now(world.dormouse.create_work(&me(), new, Wording::default(), None))
                .expect("agent work")
                .id
        };
        let drain = || {
            let scope = DrainScope { all_due: true, ..DrainScope::default() };
            now(world.dormouse.drain(scope, &mut |_| {})).expect("a drain");
        };
        let run_of = |id: &WorkId| {
            let runs = now(world.dormouse.work_runs(&me(), id, RunDays::default(), 1, None))
                .expect("runs");
            runs.items.into_iter().next().expect("a run").id
        };
        let asking = create(None);
        world.script.push(Answer::calls([("ask", json!({ "question": "Which van?" }))]));
        drain();
        let unclear = create(None);
        for text in ["Hm.", "Hm, hm."] {
            let (text, calls) = (text.to_owned(), Vec::new());
            world.script.push(Answer::Turn { text, calls, ended: true });
        }
        drain();
        let failed = create(None);
        let end = json!({ "outcome": "failed", "summary": "No prices." });
        world.script.push(Answer::calls([("finish", end)]));
        drain();
        let cancelled = create(None);
        let cancelled_run = run_of(&cancelled);
        now(world.dormouse.cancel_work_run(&me(), &cancelled_run, None)).expect("cancelled");
        let paused = create(Some("every weekday at 9"));
        now(world.dormouse.pause_work(&me(), &paused, None)).expect("paused");
        let hook = now(world.dormouse.add_work_hook(&me(), &paused, new_hook()));
        let hook = hook.expect("a hook").hook.id;
        let (asking_run, unclear_run) = (run_of(&asking), run_of(&unclear));
        let questions = now(world.dormouse.work_questions(&me(), &asking_run)).expect("questions");
        let question = questions.into_iter().next().expect("a question").id;
        let needs = now(world.dormouse.attention_list(&me(), AttentionFilter::default(), 9, None))
            .expect("needs")
            .items;
        let need = needs.into_iter().find(|one| one.cause.kind() == AttentionKind::WorkQuestion);
        let need = need.expect("its run asks");
        let (need, asked_at) = (need.id, need.since);
        let deliveries =
            now(world.dormouse.deliveries(&me(), None, 9, None)).expect("deliveries").items;
        let delivery = deliveries.into_iter().find(|one| one.run_id == asking_run);
        let delivery = delivery.expect("its question has a delivery").id;
        let begun = now(world.dormouse.begin_conversation(&me(), "Tiles", None));
        let conversation = begun.expect("a conversation").id;
        Self {
            paused,
            hook,
            need,
            asked_at,
            delivery,
            asking,
            asking_run,
            question,
            unclear_run,
            failed_run: run_of(&failed),
            cancelled,
            cancelled_run,
            conversation,
        }
    }
}

impl Subject {
    fn new() -> Self {
        let world = World::new();
        now(world.dormouse.seed_templates()).expect("seeded");
        evolve(&world);
        let work = WorkSubject::new(&world);
        let estimate = ("update_task_estimate", json!({ "minutes": 60 }));
        let (task, agent, items) = world.proposed(&[estimate]);
        now(world.dormouse.add_label(&me(), &task.id, "Home", None)).expect("a label");
        let (name, kind) = ("Other".to_owned(), TokenKind::Person);
        let new = NewToken { name, kind, scopes: vec![Scope::Read], expires_in_days: None };
        let wakes = now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("wakes");
        let other = world.task("Paint").id;
        let to = (LinkKind::RelatesTo, other.clone());
        let linked =
            now(world.dormouse.link_task(&me(), &task.id, to, None, None)).expect("a link");
        let run = wakes.into_iter().find_map(|wake| wake.run_key).expect("a run");
        let cancelled = cancelled(&world, &run);
        Self {
            cancelled,
            task: task.id,
            item: task.items[0].id.clone(),
            entry: task.entries[0].id.clone(),
            other,
            link: linked.links[0].id.clone(),
            agent: agent.id,
            run,
            set: items[0].set.clone(),
            token: now(world.dormouse.create_token(&me(), new)).expect("a token").details.id,
            work,
            world,
        }
    }
}

/// Adds a cancelled run that is otherwise like another.
fn cancelled(world: &World, like: &RunKey) -> RunKey {
    let ws = dormouse::WORKSPACE;
    let run = now(world.store.first(wake_run::by_key(ws, like))).expect("readable");
    let key = RunKey("cancelled".into());
    let started = wake_run::Status::Started;
    let run = wake_run::Run { key: key.clone(), status: started, ..run.expect("a run") };
    let at = run.created_at;
    let commit = Commit::new("test.write", Db::Agent, ws)
        .op(wake_run::insert(ws, &run))
        .op(wake_run::cancel(ws, &key, started, wake_run::Status::Failed, at, "cancelled"));
    now(world.store.commit(commit)).expect("written");
    key
}

type Call = fn(&Subject, &Caller) -> Result<(), Error>;

/// A method called on a subject; its answer does not matter here.
macro_rules! calls {
    ($($scope:ident $name:ident |$s:ident, $c:ident| $call:expr;)*) => {
        &[$((stringify!($name), Scope::$scope, |$s: &Subject, $c: &Caller| {
            now($call).map(|_| ())
        })),*]
    };
}

/// Every method of the facade that takes a caller, and the scope it needs.
#[rustfmt::skip]
const METHODS: &[(&str, Scope, Call)] = calls! {
    Read tasks |s, c| s.world.dormouse.tasks(c, TaskFilter::default(), 9, None);
    Read find_tasks |s, c| s.world.dormouse.find_tasks(c, "move", 10, None);
    Read task |s, c| s.world.dormouse.task(c, &s.task);
    Read labels |s, c| s.world.dormouse.labels(c);
    Read categories |s, c| s.world.dormouse.categories(c);
    Read task_activity |s, c| s.world.dormouse.task_activity(c, &s.task);
    Read task_changes |s, c| s.world.dormouse.task_changes(c, &s.task);
    Read open_changes |s, c| s.world.dormouse.open_changes(c, &s.task);
    Read recent_reports |s, c| s.world.dormouse.recent_reports(c, 9, None);
    Admin audit |s, c| s.world.dormouse.audit(c, 9, None);
    Read overview |s, c| s.world.dormouse.overview(c);
    Read agent |s, c| s.world.dormouse.agent(c, &s.agent);
    Read agents |s, c| s.world.dormouse.agents(c, &AgentFilter::default(), 9, None);
    Read find_agents |s, c| s.world.dormouse.find_agents(c, "move", 9, None);
    Read agent_of_task |s, c| s.world.dormouse.agent_of_task(c, &s.task);
    Read report |s, c| s.world.dormouse.report(c, &s.agent);
    Read reports |s, c| s.world.dormouse.reports(c, &s.agent, 9);
    Read messages |s, c| s.world.dormouse.messages(c, &s.agent, None, 9);
    Read wakes |s, c| s.world.dormouse.wakes(c, &s.agent, 9);
    Read wake |s, c| s.world.dormouse.wake(c, &s.agent, &s.run);
    Read task_at_wake |s, c| s.world.dormouse.task_at_wake(c, &s.agent, &s.run);
    Read knowledge_at |s, c| s.world.dormouse.knowledge_at(c, &s.agent, &s.run, 9, None);
    Read wake_outcome |s, c| s.world.dormouse.wake_outcome(c, &s.agent, &s.run);
    Read preview_wake |s, c| s.world.dormouse.preview_wake(c, &s.agent, None, None);
    Read prompts |s, c| s.world.dormouse.prompts(c, &s.agent, &s.run);
    Read decisions |s, c| s.world.dormouse.decisions(c, &s.agent, 9);
    Read task_decisions |s, c| s.world.dormouse.task_decisions(c, &s.task);
    Read linked_context |s, c| s.world.dormouse.linked_context(c, &s.task);
    Read memory |s, c| s.world.dormouse.memory(c, &s.agent, 9, None);
    Read search_memory |s, c| s.world.dormouse.search_memory(c, &s.agent, "words", 9, None);
    Read removals |s, c| s.world.dormouse.removals(c, &s.agent, 9);
    Read removal |s, c| s.world.dormouse.removal(c, &s.agent, "line-1", false);
    Admin remove_line |s, c| s.world.dormouse.remove_line(c, &s.agent, "line-1", false);
    Read knowledge |s, c| s.world.dormouse.knowledge(c, &s.agent, 9, None);
    Read checkpoints |s, c| s.world.dormouse.checkpoints(c, &s.agent);
    Read reports_page |s, c| s.world.dormouse.reports_page(c, &s.agent, 9, None);
    Read messages_page |s, c| s.world.dormouse.messages_page(c, &s.agent, MessageFilter { limit: 9, ..MessageFilter::default() });
    Read wakes_page |s, c| s.world.dormouse.wakes_page(c, &s.agent, 9, None);
    Read decisions_page |s, c| s.world.dormouse.decisions_page(c, &s.agent, 9, None);
    Read tool_calls |s, c| s.world.dormouse.tool_calls(c, &s.agent, None, 9, None);
    Read agent_state |s, c| s.world.dormouse.agent_state(c, &s.agent);
    Read subscriptions |s, c| s.world.dormouse.subscriptions(c, &s.agent);
    Read timers |s, c| s.world.dormouse.timers(c, &s.agent);
    Read agent_links |s, c| s.world.dormouse.agent_links(c, &s.agent, None, 9, None);
    Read operations |s, c| s.world.dormouse.operations(c, OperationFilter::All, 9, None);
    Read events_since |s, c| s.world.dormouse.events_since(c, None);
    Read export |s, c| s.world.dormouse.export(c, None);
    Read export_tasks |s, c| s.world.dormouse.export_tasks(c, &Selection::Task(s.task.clone()), ExportFormat::Csv);
    Read export_losses |s, c| s.world.dormouse.export_losses(c, &Selection::Task(s.task.clone()), ExportFormat::Csv);
    Read task_page |s, c| s.world.dormouse.task_page(c, &s.task);
    Read understand_date |s, c| s.world.dormouse.understand_date(c, "friday", Wording::default());
    Read understand_line |s, c| s.world.dormouse.understand_line(c, "Call fri", Wording::default());
    Read change_sets |s, c| s.world.dormouse.change_sets(c, None, true);
    Read change_set |s, c| s.world.dormouse.change_set(c, &s.set);
    Read find_sets |s, c| s.world.dormouse.find_sets(c, "move");
    Edit create_task |s, c| s.world.dormouse.create_task(c, NewTask::default(), None);
    Edit edit_task |s, c| s.world.dormouse.edit_task(c, &s.task, TaskPatch { title: Some("New".into()), ..TaskPatch::default() }, None, None);
    Edit delete_task |s, c| s.world.dormouse.delete_task(c, &s.task, None);
    Edit restore_task |s, c| s.world.dormouse.restore_task(c, &s.task, None);
    Edit add_item |s, c| s.world.dormouse.add_item(c, &s.task, "New".into(), None);
    Edit edit_item |s, c| s.world.dormouse.edit_item(c, &s.task, &s.item, ItemPatch { is_checked: Some(true), ..ItemPatch::default() }, None);
    Edit add_entry |s, c| s.world.dormouse.add_entry(c, &s.task, NewEntry { text: "New".into(), ..NewEntry::default() }, None);
    Read task_links |s, c| s.world.dormouse.task_links(c, &s.task);
    Edit link_task |s, c| s.world.dormouse.link_task(c, &s.task, (LinkKind::Blocks, s.other.clone()), None, None);
    Edit unlink_task |s, c| s.world.dormouse.unlink_task(c, &s.task, &s.link, None, None);
    Edit edit_entry |s, c| s.world.dormouse.edit_entry(c, &s.task, &s.entry, EntryPatch { text: Some("New".into()), ..EntryPatch::default() }, None, None);
    Edit delete_entry |s, c| s.world.dormouse.delete_entry(c, &s.task, &s.entry, None);
    Edit restore_entry |s, c| s.world.dormouse.restore_entry(c, &s.task, &s.entry, None);
    Edit add_label |s, c| s.world.dormouse.add_label(c, &s.task, "New", None);
    Edit remove_label |s, c| s.world.dormouse.remove_label(c, &s.task, "Home", None);
    Edit plan_import |s, c| s.world.dormouse.plan_import(c, &ImportFile::new("a.md", *b"# New\n\n- [ ] One\n"), &ImportOptions::default());
    Edit import |s, c| s.world.dormouse.import(c, &ImportFile::new("a.md", *b"# New\n\n- [ ] One\n"), &ImportOptions::default(), &mut |_| {});
    Edit create_agent |s, c| s.world.dormouse.create_agent(c, &now(s.world.dormouse.create_task(&me(), NewTask::default(), None)).expect("a task").id, None, None);
    Edit create_agent_following |s, c| s.world.dormouse.create_agent_following(c, &now(s.world.dormouse.create_task(&me(), NewTask::default(), None)).expect("a task").id, None, Some(template(2)), None);
    Edit wake_agent |s, c| s.world.dormouse.wake_agent(c, &s.agent, Some("Hello".into()), None);
    Edit reanalyse_agent |s, c| s.world.dormouse.reanalyse_agent(c, &s.agent, None);
    Edit edit_agent |s, c| s.world.dormouse.edit_agent(c, &s.agent, AgentPatch { wake_on_linked: Some(true), ..AgentPatch::default() }, None);
    Edit wake_agent_at |s, c| s.world.dormouse.wake_agent_at(c, &s.agent, None, None);
    Edit cancel_wake |s, c| s.world.dormouse.cancel_wake(c, &s.agent);
    Edit cancel_run |s, c| s.world.dormouse.cancel_run(c, &s.agent, &s.cancelled);
    Edit pause_agent |s, c| s.world.dormouse.pause_agent(c, &s.agent, None);
    Edit resume_agent |s, c| s.world.dormouse.resume_agent(c, &s.agent, None);
    Edit destroy_agent |s, c| s.world.dormouse.destroy_agent(c, &s.agent, None);
    Decide decide_item |s, c| s.world.dormouse.decide_item(c, VerdictOf { task: None, set: s.set.clone(), index: 1, verdict: Verdict::Confirm, digest: None, reason: None, over: None }, None);
    Decide decide_item_and_list |s, c| s.world.dormouse.decide_item_and_list(c, VerdictOf { task: None, set: s.set.clone(), index: 1, verdict: Verdict::Confirm, digest: None, reason: None, over: None }, None);
    Decide confirm_all |s, c| s.world.dormouse.confirm_all(c, &s.set, vec![Shown { index: 1, digest: "00000000".into() }], None);
    Decide decide_items |s, c| s.world.dormouse.decide_items(c, &s.task, Vec::new());
    Decide dismiss |s, c| s.world.dormouse.dismiss(c, &s.set, None);
    Read preview_schedule |s, c| s.world.dormouse.preview_schedule(c, "every weekday at 9", Wording::default());
    Read work_gallery |s, c| s.world.dormouse.work_gallery(c, Wording::default());
    Read read_work_instruction |s, c| s.world.dormouse.read_work_instruction(c, "every day at 7 tell me what is due", Wording::default());
    Read preview_work |s, c| s.world.dormouse.preview_work(c, &NEW_WORK, Wording::default());
    Read try_work |s, c| s.world.dormouse.try_work(c, &AGENDA, Wording::default());
    Read work_list |s, c| s.world.dormouse.work_list(c, WorkFilter::default(), 9, None);
    Read work_detail |s, c| s.world.dormouse.work_detail(c, &s.work.asking);
    Read work_run |s, c| s.world.dormouse.work_run(c, &s.work.asking_run);
    Read work |s, c| s.world.dormouse.work(c, &s.work.asking);
    Read work_runs |s, c| s.world.dormouse.work_runs(c, &s.work.asking, RunDays::default(), 9, None);
    Read work_log |s, c| s.world.dormouse.work_log(c, &s.work.asking, 9, None);
    Read work_run_log |s, c| s.world.dormouse.work_run_log(c, &s.work.asking_run);
    Read work_log_file |s, c| s.world.dormouse.work_log_file(c, &s.work.asking, None, None);
    Read work_questions |s, c| s.world.dormouse.work_questions(c, &s.work.asking_run);
    Edit create_work |s, c| s.world.dormouse.create_work(c, NewWork { title: "New".into(), instructions: Some("Do it.".into()), ..NewWork::default() }, Wording::default(), None);
    Edit edit_work |s, c| s.world.dormouse.edit_work(c, &s.work.paused, WorkPatch { title: Some("New".into()), ..WorkPatch::default() }, Wording::default(), None);
    Edit pause_work |s, c| s.world.dormouse.pause_work(c, &s.work.asking, None);
    Edit resume_work |s, c| s.world.dormouse.resume_work(c, &s.work.paused, None);
    Edit pause_all_work |s, c| s.world.dormouse.pause_all_work(c);
    Edit resume_all_work |s, c| s.world.dormouse.resume_all_work(c);
    Edit archive_work |s, c| s.world.dormouse.archive_work(c, &s.work.paused, None);
    Edit delete_work |s, c| s.world.dormouse.delete_work(c, &s.work.paused, None);
    Edit run_work |s, c| s.world.dormouse.run_work(c, &s.work.paused, None);
    Edit cancel_work_run |s, c| s.world.dormouse.cancel_work_run(c, &s.work.cancelled_run, None);
    Edit cancel_work |s, c| s.world.dormouse.cancel_work(c, &s.work.cancelled, Some(&s.work.cancelled_run), None);
    Edit retry_work_run |s, c| s.world.dormouse.retry_work_run(c, &s.work.failed_run, None);
    Edit correct_work |s, c| s.world.dormouse.correct_work(c, &s.work.paused, "Shorter.", None);
    Decide answer_work_question |s, c| s.world.dormouse.answer_work_question(c, &s.work.question, "The blue one.", None);
    Decide review_work_run |s, c| s.world.dormouse.review_work_run(c, &s.work.unclear_run, true, None, None);
    Read attention_list |s, c| s.world.dormouse.attention_list(c, AttentionFilter::default(), 9, None);
    Decide acknowledge |s, c| s.world.dormouse.acknowledge(c, &s.work.need, s.work.asked_at);
    Decide take_back_acknowledgement |s, c| s.world.dormouse.take_back_acknowledgement(c, &s.work.need);
    Read deliveries |s, c| s.world.dormouse.deliveries(c, None, 9, None);
    Decide mark_delivery |s, c| s.world.dormouse.mark_delivery(c, &s.work.delivery, DeliveryMark::Read);
    Decide read_deliveries_of |s, c| s.world.dormouse.read_deliveries_of(c, &s.work.asking);
    Read work_hooks |s, c| s.world.dormouse.work_hooks(c, &s.work.paused);
    Admin add_work_hook |s, c| s.world.dormouse.add_work_hook(c, &s.work.paused, new_hook());
    Admin rotate_work_hook |s, c| s.world.dormouse.rotate_work_hook(c, &s.work.paused, &s.work.hook, None, OldSecrets::EndNow);
    Admin remove_work_hook |s, c| s.world.dormouse.remove_work_hook(c, &s.work.paused, &s.work.hook);
    Read conversations |s, c| s.world.dormouse.conversations(c, 9, None);
    Read conversation |s, c| s.world.dormouse.conversation(c, &s.work.conversation);
    Read conversation_turns |s, c| s.world.dormouse.conversation_turns(c, &s.work.conversation, 9, None);
    Read conversation_file |s, c| s.world.dormouse.conversation_file(c, &s.work.conversation);
    Read work_of_conversation |s, c| s.world.dormouse.work_of_conversation(c, &s.work.conversation, 9, None);
    Read conversations_of_work |s, c| s.world.dormouse.conversations_of_work(c, &s.work.paused, 9, None);
    Edit begin_conversation |s, c| s.world.dormouse.begin_conversation(c, "Doors", None);
    Edit open_conversation |s, c| s.world.dormouse.open_conversation(c, &s.work.paused);
    Edit add_turn |s, c| s.world.dormouse.add_turn(c, &s.work.conversation, NewTurn { content: "Why?".into(), task_ref: None }, None);
    Edit delete_conversation |s, c| s.world.dormouse.delete_conversation(c, &s.work.conversation, None);
    Read templates |s, c| s.world.dormouse.templates(c);
    Read template |s, c| s.world.dormouse.template(c, &template(0));
    Read template_versions |s, c| s.world.dormouse.template_versions(c, &template(0), 9, None);
    Read template_metrics |s, c| s.world.dormouse.template_metrics(c, &template(0));
    Read template_version |s, c| s.world.dormouse.template_version(c, &template(0), 1);
    Admin create_template |s, c| s.world.dormouse.create_template(c, new_template(), None);
    Admin edit_template |s, c| s.world.dormouse.edit_template(c, &template(1), TemplatePatch { name: Some("Short".into()), ..TemplatePatch::default() }, None, None);
    Admin activate_template_version |s, c| s.world.dormouse.activate_template_version(c, &template(1), 1, None, None);
    Admin roll_back_template |s, c| s.world.dormouse.roll_back_template(c, &template(1), 1, None, None);
    Admin duplicate_template |s, c| s.world.dormouse.duplicate_template(c, &template(1), None, None);
    Admin delete_template |s, c| s.world.dormouse.delete_template(c, &template(1), None, None);
    Read evolution |s, c| s.world.dormouse.evolution(c, &template(3), None);
    Read evolution_sessions |s, c| s.world.dormouse.evolution_sessions(c, &template(3), 9, None);
    Admin start_evolution |s, c| s.world.dormouse.start_evolution(c, &template(1), Some("Shorter."), None);
    Admin say_in_evolution |s, c| s.world.dormouse.say_in_evolution(c, &template(3), "Shorter.", None);
    Admin approve_evolution |s, c| s.world.dormouse.approve_evolution(c, &template(3), &EvolutionApproval { proposal: 1, base_version: 1 }, None);
    Admin reject_evolution |s, c| s.world.dormouse.reject_evolution(c, &template(3), None, "", None);
    Admin abandon_evolution |s, c| s.world.dormouse.abandon_evolution(c, &template(3), None);
    Admin cancel_evolution_answer |s, c| s.world.dormouse.cancel_evolution_answer(c, &template(3), None);
    Read new_ticket |s, c| s.world.dormouse.new_ticket(c);
    Admin new_code |s, c| s.world.dormouse.new_code(c);
    Admin list_tokens |s, c| s.world.dormouse.list_tokens(c);
    Admin create_token |s, c| s.world.dormouse.create_token(c, NewToken { name: "New".into(), kind: TokenKind::Person, scopes: vec![Scope::Admin], expires_in_days: None });
    Admin revoke_token |s, c| s.world.dormouse.revoke_token(c, &s.token);
};

/// Who asks may know who they are, and a socket asks whether it may go on.
const FOR_ALL: [&str; 2] = ["access", "is_live"];

#[test]
fn a_caller_without_the_scope_is_refused_and_leaves_no_row() {
    let subject = Subject::new();
    for (name, needed, call) in METHODS {
        let others: Vec<Scope> =
            Scope::ALL.iter().copied().filter(|scope| scope != needed).collect();
        // One call makes its subject first, which is no part of what is tried.
        let before = (!name.starts_with("create_agent")).then(|| subject.world.rows());
        let error = call(&subject, &token(&others)).expect_err(name);
        assert!(
            matches!(error, Error::ScopeMissing { scope } if scope == needed.name()),
            "{name}: {error:?}"
        );
        assert_eq!(error.problem().status, 403, "{name}");
        if let Some(before) = before {
            assert_eq!(subject.world.rows(), before, "{name} left a row");
        }
    }
}

#[test]
fn a_caller_with_the_scope_alone_is_answered() {
    for (name, needed, call) in METHODS {
        let subject = Subject::new();
        let result = call(&subject, &token(&[*needed]));
        assert!(result.is_ok(), "{name} with {} alone: {result:?}", needed.name());
    }
}

#[test]
fn who_may_not_decide_ends_nothing_that_waits_for_the_person() {
    let subject = Subject::new();
    let (dormouse, editor) = (&subject.world.dormouse, token(&[Scope::Read, Scope::Edit]));
    let failed = now(dormouse.work_run(&me(), &subject.work.failed_run)).expect("a run").task_id;
    let asking = &subject.work.asking;
    let before = subject.world.rows();
    let refused = [
        now(dormouse.cancel_work_run(&editor, &subject.work.asking_run, None)).err(),
        now(dormouse.cancel_work(&editor, asking, None, None)).err(),
        now(dormouse.retry_work_run(&editor, &subject.work.unclear_run, None)).err(),
        now(dormouse.archive_work(&editor, asking, None)).err(),
        now(dormouse.delete_work(&editor, asking, None)).err(),
        // How it failed would leave the list of what needs the person.
        now(dormouse.archive_work(&editor, &failed, None)).err(),
        now(dormouse.delete_work(&editor, &failed, None)).err(),
    ];
    for (n, error) in refused.into_iter().enumerate() {
        let problem = error.unwrap_or_else(|| panic!("request {n} is refused")).problem();
        assert_eq!((problem.kind.name(), problem.status), ("scope-missing", 403), "request {n}");
        assert!(problem.detail.contains("`decide`"), "request {n}: {}", problem.detail);
    }
    assert_eq!(subject.world.rows(), before);
    now(dormouse.delete_work(&me(), asking, None)).expect("the person may");
    now(dormouse.delete_work(&editor, &subject.work.cancelled, None)).expect("nobody waits for it");
}

#[test]
fn no_method_is_forgotten_in_the_table() {
    let sources = [
        include_str!("../../src/read/tasks.rs"),
        include_str!("../../src/read/agents.rs"),
        include_str!("../../src/read/history.rs"),
        include_str!("../../src/read/workspace.rs"),
        include_str!("../../src/read/files.rs"),
        include_str!("../../src/dates.rs"),
        include_str!("../../src/tasks.rs"),
        include_str!("../../src/task_links.rs"),
        include_str!("../../src/agents.rs"),
        include_str!("../../src/change_sets.rs"),
        include_str!("../../src/work.rs"),
        include_str!("../../src/built_in_work.rs"),
        include_str!("../../src/attention.rs"),
        include_str!("../../src/deliveries.rs"),
        include_str!("../../src/work_hooks.rs"),
        include_str!("../../src/conversations.rs"),
        include_str!("../../src/templates.rs"),
        include_str!("../../src/evolution.rs"),
        include_str!("../../src/imports.rs"),
        include_str!("../../src/access.rs"),
        include_str!("../../src/run_outcome.rs"),
        include_str!("../../src/wake_preview.rs"),
    ];
    let mut public: Vec<&str> = sources
        .iter()
        .flat_map(|source| source.split("    pub async fn ").skip(1))
        // What is given out, such as an export, was requested through a method with a caller.
        .filter(|rest| rest.split(')').next().is_some_and(|signature| signature.contains("caller")))
        .map(|rest| rest.split('(').next().unwrap_or_default())
        .collect();
    let mut tried: Vec<&str> = METHODS.iter().map(|(name, ..)| *name).chain(FOR_ALL).collect();
    public.sort_unstable();
    tried.sort_unstable();
    assert_eq!(tried, public);
}

#[test]
fn drafts_are_shown_to_who_may_read() {
    let world = World::new();
    let refused = world.dormouse.drafts(&token(&[Scope::Edit]));
    assert!(matches!(refused, Err(Error::ScopeMissing { scope: "read" })), "{refused:?}");
    assert!(world.dormouse.drafts(&token(&[Scope::Read])).is_ok());
}
