//! Every scene, cut off at every point, comes to the end it has without a crash.

use dormouse_scenes::{crash, repertoire};

#[tokio::test]
async fn a_crash_at_any_point_of_any_scene_changes_nothing_in_the_end() {
    let mut failures = Vec::new();
    let mut told = Vec::new();
    for scene in repertoire::all() {
        let verdicts = crash::everywhere(&scene).await.expect("the scene plays without a crash");
        told.push(format!(
            "{}: {} points, {} in recovery, {} with a question in flight",
            scene.name, verdicts.points, verdicts.in_recovery, verdicts.asked_again
        ));
        assert!(verdicts.points >= 20, "{}: only {} points", scene.name, verdicts.points);
        failures.extend(verdicts.failures);
    }
    println!("{}", told.join("\n"));
    assert!(
        failures.is_empty(),
        "{} of the crashes lead elsewhere:\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}
