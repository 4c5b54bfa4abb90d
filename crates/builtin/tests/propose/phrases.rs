//! The one-line cases of the development data, English ones.

use serde_json::Value;

use crate::case::{Case, data};

/// Folds the way the cases compare: lower case, single spaces, no emphasis.
fn folded(text: &str) -> String {
    dormouse_builtin::read::fold::fold(text)
}

fn fits(wanted: &Value, line: &str) -> bool {
    let args = &wanted["args"];
    let value =
        |key: &str| args[key].as_str().map(str::to_owned).unwrap_or_else(|| args[key].to_string());
    let holds = |wanted: &str, given: &str| match wanted.strip_prefix("re:") {
        Some(words) => folded(given).contains(&folded(words)),
        None => folded(given) == folded(wanted),
    };
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    match (wanted["tool"].as_str().unwrap_or_default(), kind) {
        ("update_task_due_date", "due") => holds(&value("dueDate"), rest),
        ("update_task_estimate", "estimate") => holds(&value("minutes"), rest),
        ("update_task_priority", "priority") => holds(&value("priority"), rest),
        ("set_task_status", "status") => {
            let (status, reason) = rest.split_once(": ").unwrap_or((rest, ""));
            holds(&value("status"), status)
                && (args.get("reason").is_none() || holds(&value("reason"), reason))
        }
        ("set_task_title", "title") => holds(&value("title"), rest),
        ("add_checklist_item", "item") => holds(&value("title"), rest),
        ("update_checklist_items", "tick") => holds(&value("item"), rest),
        ("assign_task_labels", "label") => holds(&value("label"), rest),
        _ => false,
    }
}

#[test]
fn every_english_phrase_is_read_right() {
    let Some(file) = data().map(|data| data.join("expectations/phrases.jsonl")) else {
        eprintln!("not tested: no development data next to the checkout");
        return;
    };
    let text = std::fs::read_to_string(&file).expect("phrases.jsonl");
    let mut wrong = Vec::new();
    let mut n_phrases = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let phrase: Value = serde_json::from_str(line).expect("a line of JSON");
        if phrase["lang"] != "en" {
            continue;
        }
        n_phrases += 1;
        let on = phrase["entryDate"].as_str().expect("a day").parse().expect("a day");
        let mut case = Case::new(phrase["title"].as_str().unwrap_or("Task"), on);
        for title in phrase["checklist"].as_array().into_iter().flatten() {
            case.item(title.as_str().expect("a title"), false);
        }
        for name in phrase["labels"].as_array().into_iter().flatten() {
            case.label(name.as_str().expect("a name"));
        }
        case.entry(phrase["text"].as_str().expect("a text"));
        case.check_form();
        let made = case.lines();
        let right = match &phrase["expect"] {
            Value::Null => made.is_empty(),
            wanted => made.len() == 1 && fits(wanted, &made[0]),
        };
        if !right {
            wrong.push(format!("{} -> {made:?}, not {}", phrase["text"], phrase["expect"]));
        }
    }
    assert!(n_phrases > 0, "no English phrase in {}", file.display());
    assert!(wrong.is_empty(), "{} of {n_phrases}:\n{}", wrong.len(), wrong.join("\n"));
}
