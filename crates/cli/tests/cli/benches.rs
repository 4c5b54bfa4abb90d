//! Every bench runs, in sizes that say nothing, and prints its figures in the form that is promised.

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
fn wakes_are_measured_beside_the_bare_loop() {
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
