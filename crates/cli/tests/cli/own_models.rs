//! Nobody gets a model that sends something out without a question that names what that means.

use crate::world::World;

#[test]
fn an_agent_or_a_template_gets_a_model_only_after_a_yes() {
    let world = World::with_agents();
    world.ok(&["models", "add", "far", "--url", "http://127.0.0.1:9/v1"]);
    world.ok(&["template", "create", "Plainly"]);
    let own =
        |yes: &[&'static str]| [&["agent", "model", "slug fence", "far/big"][..], yes].concat();
    let of_template = |yes: &[&'static str]| {
        [&["template", "edit", "Plainly", "--model", "far/big"][..], yes].concat()
    };
    let made = |yes: &[&'static str]| {
        [&["template", "create", "Curt", "--model", "far/big"][..], yes].concat()
    };
    let in_use = || {
        let agents = world.json(&["agent", "list"])["items"].to_string();
        let templates = world.json(&["template", "list"])["items"].to_string();
        [agents, templates].map(|text| text.contains("far/big"))
    };
    for (command, whom) in [
        (own(&[]), "Let far/big think for "),
        (of_template(&[]), "Let far/big think for 0 agents that follow Plainly?"),
        (made(&[]), "Let far/big think for the agents that will follow it?"),
    ] {
        for answer in ["n\n", ""] {
            let shown = world.run_with(&command, answer.as_bytes());
            assert_eq!(shown.code, 0, "{shown:?}");
            for says in [
                whom,
                "  sent to http://127.0.0.1:9/v1:",
                "    its checklists and notes",
                "  never sent:",
                "its price is not known: calls are counted in tokens",
                "far has no key",
                "nothing is changed",
            ] {
                assert!(shown.out.contains(says), "{command:?}: no {says:?} in {}", shown.out);
            }
        }
    }
    assert_eq!(in_use(), [false, false]);
    assert_eq!(world.json(&["template", "list"])["items"].to_string().matches("Curt").count(), 0);

    let yes = world.run_with(&own(&[]), b"y\n");
    assert!(yes.out.contains("asks far/big, from its next wake on"), "{yes:?}");
    assert_eq!(in_use(), [true, false]);
    // It asks nothing about a model that the agent has, or that is built in.
    for again in [own(&[]), vec!["agent", "model", "slug fence", "builtin"]] {
        let done = world.run(&again);
        assert!(done.code == 0 && !done.out.contains("Let "), "{done:?}");
    }
    for with_yes in [of_template(&["--yes"]), made(&["--yes"])] {
        let done = world.ok(&with_yes);
        assert!(done.out.contains("Let far/big think for"), "{done:?}");
    }
    assert_eq!(in_use(), [false, true]);
}
