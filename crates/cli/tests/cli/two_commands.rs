//! Two commands on one folder.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};

use crate::world::World;

#[test]
fn a_command_waits_for_another_and_then_gives_up_naming_it() {
    let world = World::with_agents();
    // It waits for an answer, and holds the folder meanwhile.
    let mut review = world.start(&["review"]);
    let mut out = BufReader::new(review.stdout.take().expect("standard output is piped"));
    let mut first = String::new();
    while !first.contains("1 of ") {
        first.clear();
        assert!(
            out.read_line(&mut first).expect("review prints") > 0,
            "review printed no question"
        );
    }
    let done = world.run(&["task", "list"]);
    assert_eq!(done.code, 1, "{done:?}");
    let holder = format!("process {}", review.id());
    assert!(done.err.contains(&format!("waiting for {holder}")), "{done:?}");
    assert!(done.err.contains(&format!("in use by {holder}")), "{done:?}");
    assert!(done.err.contains("hint: "), "{done:?}");

    let mut input = review.stdin.take().expect("standard input is piped");
    input.write_all(b"q\n").expect("review reads");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("review prints text");
    assert!(review.wait().expect("review ends").success(), "{rest}");
    world.ok(&["task", "list"]);
}
