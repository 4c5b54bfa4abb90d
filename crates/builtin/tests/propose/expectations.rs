//! The English files of the development data: nothing forbidden, and most of what rules can find.

use serde_json::Value;

use crate::case::{Case, data};

const FILES: &[&str] = &[
    "en-mybinder-2018-02-20-jupyterlab-announcement",
    "en-mybinder-2018-03-13-pvc-hub-locked",
    "en-mybinder-2018-07-08-podsnips",
    "en-mybinder-2020-07-09-scipy",
    "ical4j-junit5-tasks",
];

/// Returns whether a line is a proposal that the expectation describes.
fn fits(wanted: &Value, line: &str) -> bool {
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (expected, key) = match wanted["tool"].as_str().unwrap_or_default() {
        "update_task_due_date" => ("due", "dueDate"),
        "update_task_estimate" => ("estimate", "minutes"),
        "update_task_priority" => ("priority", "priority"),
        "set_task_status" => ("status", "status"),
        "set_task_title" => ("title", "title"),
        "add_checklist_item" => ("item", "title"),
        "update_checklist_items" => ("tick", "item"),
        "assign_task_labels" => ("label", "label"),
        other => panic!("no such tool: {other}"),
    };
    if kind != expected {
        return false;
    }
    let fold = dormouse_builtin::read::fold::fold;
    match wanted["args"].get(key).and_then(Value::as_str) {
        None => true,
        Some(pattern) => match pattern.strip_prefix("re:") {
            Some(pattern) => regex::Regex::new(&format!("(?i){pattern}"))
                .expect("a pattern")
                .is_match(&fold(rest)),
            None => fold(pattern) == fold(rest),
        },
    }
}

#[test]
fn english_files_get_what_rules_can_reach_and_nothing_forbidden() {
    let Some(data) = data() else {
        eprintln!("not tested: no development data next to the checkout");
        return;
    };
    let (mut n_wanted, mut n_found) = (0, 0);
    let (mut faults, mut missed) = (Vec::new(), Vec::new());
    for name in FILES {
        let file = data.join("expectations").join(format!("{name}.json"));
        let expected: Value =
            serde_json::from_str(&std::fs::read_to_string(file).expect("expectations"))
                .expect("JSON");
        let text = std::fs::read_to_string(data.join(expected["file"].as_str().expect("a path")))
            .expect("a text");
        let setup = &expected["setup"];
        let today = setup["today"].as_str().expect("a day").parse().expect("a day");
        let mut case = Case::new(setup["title"].as_str().unwrap_or_default(), today);
        for item in setup["checklist"].as_array().into_iter().flatten() {
            case.item(item["title"].as_str().expect("a title"), item["isChecked"] == true);
        }
        for label in setup["labels"].as_array().into_iter().flatten() {
            case.label(label.as_str().expect("a name"));
        }
        case.entry(&text);
        case.check_form();
        let made = case.lines();
        for wanted in expected["proposals"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|w| w["level"] == "rules")
        {
            n_wanted += 1;
            if made.iter().any(|line| fits(wanted, line)) {
                n_found += 1;
            } else {
                missed.push(format!("{name} lacks {wanted}"));
            }
        }
        for forbidden in expected["forbiddenProposals"].as_array().expect("a list") {
            faults.extend(
                made.iter()
                    .filter(|line| fits(forbidden, line))
                    .map(|line| format!("{name}: {line}")),
            );
        }
        let mut once = made.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), made.len(), "{name}: made twice");
    }
    assert!(faults.is_empty(), "forbidden:\n{}", faults.join("\n"));
    assert!(n_found * 10 >= n_wanted * 9, "found {n_found} of {n_wanted}:\n{}", missed.join("\n"));
}
