//! What is done again and again, one by one: `cargo bench -p dormouse-bench`.

use std::hint::black_box;
use std::sync::Arc;

use criterion::Criterion;
use dormouse_adapters::OsEntropy;
use dormouse_agents::tools;
use dormouse_agents::wake::route;
use dormouse_bench::clock::ShiftedClock;
use dormouse_bench::place::{Engine, Opened};
use dormouse_bench::world::World;
use dormouse_store::agent::subscription::Subscription;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_types::change::Change;
use dormouse_types::port::{Clock, Entropy};
use dormouse_types::{AgentId, Id as _, Origin, Seq, SubscriptionId, TaskId, Timestamp, hash};

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    values(&mut criterion)?;
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
