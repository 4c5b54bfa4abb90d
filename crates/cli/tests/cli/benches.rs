//! Every bench runs, in sizes that say nothing, and prints its figures in the form that is promised.

use dormouse_testkit::postgres::Server;
use serde_json::Value;

use crate::world::World;

#[track_caller]
fn numbers(figures: &Value, names: &[&str]) {
    for name in names {
        assert!(figures[name].as_f64().is_some_and(|n| n >= 0.0), "{name} in {figures}");
    }
}

#[track_caller]
fn machine(figures: &Value) {
    for name in ["processor", "cores", "memoryMib", "disk", "build"] {
        assert!(!figures["machine"][name].is_null(), "{name} in {figures}");
    }
}

#[test]
fn wakes_are_measured_against_the_bare_loop() {
    let world = World::new();
    let figures = world.json(&[
        "bench",
        "wake",
        "--agents",
        "2",
        "--turns",
        "3",
        "--wakes",
        "4",
        "--samples",
        "1",
    ]);
    machine(&figures);
    let [point] = figures["points"].as_array().expect("points").as_slice() else {
        panic!("one point: {figures}");
    };
    assert_eq!((point["agents"].as_u64(), point["turns"].as_u64()), (Some(2), Some(3)));
    assert_eq!((&point["nodes"], &figures["server"]), (&1.into(), &Value::Null));
    // Claim, and for each of three turns a request and its answer; the last answer ends the run.
    let commits = point["commitsPerWake"].as_f64().expect("a number");
    assert!((7.0..8.0).contains(&commits), "{point}");
    numbers(point, &["p50Ms", "p99Ms", "bytesPerWake", "bytesPerYear"]);
    for name in ["wakesPerSecond", "rawPerSecond", "ratio", "readsPerWake", "commitsPerSync"] {
        assert!(point[name].as_f64().is_some_and(|n| n > 0.0), "{name} in {point}");
    }
    assert!(!world.data().exists(), "a bench has no business in the data folder");
}

#[test]
fn wakes_are_measured_on_postgres_with_one_node_and_with_three() {
    let (world, server) = (World::new(), Server::shared());
    let figures = world.json(&[
        "--database-url",
        &server.url(),
        "bench",
        "wake",
        "--nodes",
        "1,3",
        "--agents",
        "2",
        "--turns",
        "1",
        "--wakes",
        "7",
        "--samples",
        "2",
    ]);
    machine(&figures);
    assert_eq!(figures["server"]["fsync"], "off", "that of the tests does not wait for its disk");
    let points = figures["points"].as_array().expect("points");
    let nodes: Vec<_> = points.iter().map(|point| point["nodes"].as_u64()).collect();
    assert_eq!(nodes, [Some(1), Some(3)]);
    for point in points {
        // Claim, request, and the answer that ends the run; a claim that another node was faster
        // with is no commit.
        let commits = point["commitsPerWake"].as_f64().expect("a number");
        assert!((3.0..4.0).contains(&commits), "{point}");
        numbers(point, &["p50Ms", "p99Ms", "bytesPerWake", "bytesPerYear"]);
        for name in ["wakesPerSecond", "rawPerSecond", "ratio", "readsPerWake", "commitsPerSync"] {
            assert!(point[name].as_f64().is_some_and(|n| n > 0.0), "{name} in {point}");
        }
    }
    assert_eq!(bench_schemas(server), 0, "a bench drops its schema");
    assert!(!world.data().exists(), "a bench has no business in the data folder");
}

#[test]
fn nodes_without_a_database_are_refused() {
    let done = World::new().run(&["bench", "wake", "--nodes", "3"]);
    assert!(done.code != 0 && done.err.contains("--database-url"), "{done:?}");
}

/// How many schemas of benches a server holds.
fn bench_schemas(server: &Server) -> i64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let counted = runtime.expect("a runtime").block_on(async {
        let (client, connection) =
            tokio_postgres::connect(&server.url(), tokio_postgres::NoTls).await?;
        let moving = tokio::task::LocalSet::new();
        moving.spawn_local(connection);
        let sql = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'bench%'";
        moving.run_until(client.query_one(sql, &[])).await?.try_get(0)
    });
    counted.expect("the server counts its schemas")
}

#[test]
fn matching_is_measured_among_few_and_more() {
    let figures = World::new().json(&["bench", "match", "--agents", "100,250", "--edits", "3"]);
    machine(&figures);
    let points = figures["points"].as_array().expect("points");
    let agents: Vec<_> = points.iter().map(|point| point["agents"].as_u64()).collect();
    assert_eq!(agents, [Some(100), Some(300)], "as many in each of a hundred workspaces");
    for point in points {
        numbers(point, &["p50Us", "p99Us", "matchUs", "reads", "edits", "workspaces"]);
    }
    assert_eq!(points[0]["reads"], points[1]["reads"], "more agents, the same reads");
}

#[test]
fn a_start_is_measured_to_its_first_claim() {
    let figures = World::new().json(&["bench", "cold-start", "--agents", "100", "--samples", "1"]);
    machine(&figures);
    assert_eq!(figures["agents"], 100);
    numbers(&figures, &["openMs", "claimMs", "firstClaimMs", "diskBytes"]);
}

#[test]
fn memory_is_measured_in_a_process_of_its_own() {
    let figures = World::new().json(&["bench", "memory", "--agents", "200"]);
    machine(&figures);
    assert_eq!(figures["agents"], 200);
    numbers(&figures, &["bytesPerAgent", "diskBytesPerAgent", "diskBytes"]);
    for name in ["residentBytes", "baseBytes"] {
        assert!(figures[name].as_u64().is_some_and(|n| n > 1_000_000), "{name} in {figures}");
    }
}

#[test]
fn a_long_log_is_read_in_as_little_memory_as_a_short_one() {
    let figures = World::new().json(&["bench", "log", "--megabytes", "1,32"]);
    machine(&figures);
    let [short, long] = figures["points"].as_array().expect("points").as_slice() else {
        panic!("two points: {figures}");
    };
    let n = |point: &Value, name: &str| point[name].as_u64().expect("a number");
    assert_eq!((n(short, "runs"), n(long, "runs")), (1, 32));
    assert!(n(long, "fileBytes") > 32 << 20 && n(long, "lines") > 32 * 16, "{figures}");
    assert!(n(short, "pages") == 1 && n(long, "pages") > 4, "{figures}");
    // A page holds about 4 MiB of it, and the file one turn.
    for name in ["pagedBytes", "peakBytes"] {
        let more = n(long, name).saturating_sub(n(long, "beforeBytes"));
        assert!(more < 24 << 20, "{more} bytes more for {name} in {figures}");
    }
}

#[test]
fn schedules_are_measured_young_and_old() {
    let figures = World::new().json(&["bench", "recurrence", "--samples", "1"]);
    for name in ["perSecond", "afterADayUs", "afterTenYearsUs", "ageRatio"] {
        assert!(figures[name].as_f64().is_some_and(|n| n > 0.0), "{name} in {figures}");
    }
    assert!(figures["occurrences"].as_u64().is_some_and(|n| n > 5_000), "{figures}");
    assert_eq!(figures["ratio"], Value::Null, "no Python was named");
}
