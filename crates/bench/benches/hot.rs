//! What is done again and again, one by one: `cargo bench -p dormouse-bench`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use dormouse_adapters::OsEntropy;
use dormouse_agents::tools;
use dormouse_agents::wake::route;
use dormouse_bench::clock::ShiftedClock;
use dormouse_bench::place::{Engine, Opened};
use dormouse_bench::world::World;
use dormouse_builtin::work::{self, gallery, instruction};
use dormouse_formats::when::{DayOrder, ENGLISH, Reader, Weekday};
use dormouse_store::agent::subscription::Subscription;
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::place::Place;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{Commit, Db};
use dormouse_types::change::Change;
use dormouse_types::port::{Clock, Entropy};
use dormouse_types::task::Status;
use dormouse_types::work::{
    CatchUp, Overlap, WorkCreator, WorkSource, WorkState, WorkStatus, WorkType,
};
use dormouse_types::work_facts::{ItemFact, TaskFacts, WorkspaceFacts};
use dormouse_types::{
    AgentId, Id as _, ItemId, Origin, Seq, SessionId, SubscriptionId, TaskId, Timestamp, WorkId,
    WorkspaceId, hash,
};

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    values(&mut criterion)?;
    work(&mut criterion)?;
    what_is_due(&mut criterion)?;
    a_wake_in_memory(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

fn values(criterion: &mut Criterion) -> anyhow::Result<()> {
    let offer = tools::offer();
    let specs = offer.tools();
    criterion.bench_function("canonical JSON of all tools", |b| {
        b.iter(|| hash::canonical(black_box(&specs)));
    });
    let text = "a line of a note, as long as they are\n".repeat(100);
    criterion.bench_function("digest of a text of 4 kB", |b| {
        b.iter(|| hash::sha256(black_box(&text)));
    });
    let entropy = OsEntropy::open()?;
    let now = Timestamp::from_micros(1_770_000_000_000_000);
    let task = TaskId::fresh(now, &entropy);
    let watchers: Vec<Subscription> = (0..8)
        .map(|_| Subscription {
            id: SubscriptionId::fresh(now, &entropy),
            agent: AgentId::fresh(now, &entropy),
            task: task.clone(),
        })
        .collect();
    let change = Change {
        seq: Seq(7),
        origin: Origin::Person { via: None },
        depth: 0,
        touched: vec![task],
        neighbours: Vec::new(),
        what: Vec::new(),
        at: now,
    };
    criterion.bench_function("a change and its eight watchers", |b| {
        b.iter(|| route::route(black_box(&change), black_box(&watchers), false));
    });
    Ok(())
}

/// Work without a language model over 2,000 tasks. The yardstick is to write the same facts down as JSON:
/// a kind takes a fraction of it.
fn work(criterion: &mut Criterion) -> anyhow::Result<()> {
    let facts = workspace(2_000)?;
    criterion.bench_function("facts of 2,000 tasks as JSON", |b| {
        b.iter(|| serde_json::to_vec(black_box(&facts)));
    });
    for template in gallery::gallery("en") {
        let Some(parameters) = template.parameters else { continue };
        criterion.bench_function(&format!("{} of 2,000 tasks", template.kind), |b| {
            b.iter(|| work::run(black_box(&facts), &parameters, "en"));
        });
    }
    let reader = Reader {
        now: "2026-11-23T10:15".parse()?,
        zone: jiff::tz::TimeZone::UTC,
        order: DayOrder::DayFirst,
        language: ENGLISH,
        week_starts: Weekday::Monday,
    };
    let known = instruction::Known::default();
    let text = "every weekday at 7 tell me what is due today and what waits for me";
    criterion.bench_function("an instruction", |b| {
        b.iter(|| instruction::read(black_box(text), &known, &reader));
    });
    Ok(())
}

/// Tasks of which some are due, some wait, and most are neither.
fn workspace(n: usize) -> anyhow::Result<WorkspaceFacts> {
    let entropy = OsEntropy::open()?;
    let now = Timestamp::from_micros(1_770_000_000_000_000);
    let today = now.to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date();
    let ago = |days: usize| {
        today.saturating_sub(jiff::Span::new().days(i64::try_from(days).unwrap_or_default()))
    };
    let task = |n: usize| TaskFacts {
        id: TaskId::fresh(now, &entropy),
        title: format!("Something to do about number {n}"),
        status: if n.is_multiple_of(20) { Status::Blocked } else { Status::Open },
        status_reason: n.is_multiple_of(20).then(|| "an answer of somebody".to_owned()),
        status_since: ago(n % 40),
        priority: None,
        due_on: n.is_multiple_of(3).then(|| ago(n % 90).saturating_add(jiff::Span::new().days(45))),
        estimate_minutes: Some(30),
        category: None,
        labels: Vec::new(),
        items: (0..5)
            .map(|item| ItemFact {
                id: ItemId::fresh(now, &entropy),
                title: format!("step {item}"),
                is_checked: item < 2,
            })
            .collect(),
        time_spent: Vec::new(),
        created_on: ago(100),
        changed_on: ago(n % 90),
        due_moves: Vec::new(),
        n_due_moves: 0,
        history: Vec::new(),
        open_proposals: Vec::new(),
    };
    Ok(WorkspaceFacts {
        today,
        zone: "UTC".into(),
        last_run: None,
        since: ago(40),
        tasks: (0..n).map(task).collect(),
        attention: Vec::new(),
        events: Vec::new(),
        verdicts: Vec::new(),
    })
}

/// What the planner of schedules asks the store every time it looks: among 100,000 schedules it takes as
/// long as among 100.
fn what_is_due(criterion: &mut Criterion) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for n in [100, 100_000] {
        let clock = ShiftedClock::default();
        let as_clock: Arc<dyn Clock> = Arc::new(clock.clone());
        let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy::open()?);
        let sqlite = Arc::new(Sqlite::memory(&as_clock, &*entropy)?);
        let opened = Opened::on(Engine::Sqlite(sqlite), clock, as_clock, entropy.clone());
        let now = opened.as_clock.now();
        let all: Vec<Definition> = (0..n).map(|at| scheduled(now, at, &*entropy)).collect();
        for some in all.chunks(500) {
            let ops = some.iter().map(|one| definition::insert(WorkspaceId(1), one));
            let commit = Commit::new("bench.fill", Db::Agent, WorkspaceId(1)).ops(ops);
            runtime.block_on(opened.store.commit(commit))?;
        }
        let mut failed = None;
        criterion.bench_function(&format!("when {n} schedules are due next"), |b| {
            b.iter(|| {
                failed = runtime.block_on(opened.store.first(definition::next_due(None))).err()
            });
        });
        criterion.bench_function(&format!("the first ten of {n} schedules"), |b| {
            let due = || definition::due(None, now + Duration::from_secs(10), &Place::START, 10);
            b.iter(|| failed = runtime.block_on(opened.store.all(due())).err());
        });
        failed.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// A definition that is due that many seconds after a time.
fn scheduled(now: Timestamp, seconds: u64, entropy: &dyn Entropy) -> Definition {
    Definition {
        id: WorkId::fresh(now, entropy),
        kind: WorkType::Scheduled,
        source: WorkSource::Manual,
        source_ref: None,
        title: format!("Work {seconds}"),
        version: 1,
        state: WorkState::Active,
        session: SessionId::fresh(now, entropy),
        recurrence: None,
        schedule: Some("DTSTART:20260101T090000\nRRULE:FREQ=DAILY".into()),
        schedule_words: Some("daily at 9".into()),
        catch_up: CatchUp::Once,
        catch_up_hours: 24,
        paused_with_all: false,
        overlap: Overlap::Queue,
        model: None,
        template: None,
        built_in: None,
        position: None,
        next_due_at: Some(now + Duration::from_secs(seconds)),
        n_runs: 0,
        status: WorkStatus::Pending,
        run_state: None,
        latest_run: None,
        revision: 1,
        created_by: WorkCreator::User,
        created_at: now,
        updated_at: now,
        deleted_at: None,
    }
}

/// Edit, routing and wake without a disk: what the program itself takes.
fn a_wake_in_memory(criterion: &mut Criterion) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let clock = ShiftedClock::default();
    let as_clock: Arc<dyn Clock> = Arc::new(clock.clone());
    let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy::open()?);
    let sqlite = Arc::new(Sqlite::memory(&as_clock, &*entropy)?);
    let opened = Opened::on(Engine::Sqlite(sqlite), clock, as_clock, entropy);
    let world = World::new(&opened, 1);
    let watched = runtime.block_on(world.fill(1))?;
    let mut is_checked = false;
    let mut failed = None;
    criterion.bench_function("edit and wake in memory", |b| {
        b.iter(|| {
            is_checked = !is_checked;
            let wake = async {
                world.make_due(&watched, is_checked).await?;
                world.serve(1, 1).await
            };
            failed = runtime.block_on(wake).err();
        });
    });
    failed.map_or(Ok(()), Err)
}
