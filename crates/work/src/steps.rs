//! Steps of a run: what is checked of its published result, and what follows from a check. All of it is
//! decided here on values; the runner reads and writes them.

mod schema;

use std::collections::BTreeSet;

use dormouse_types::fold::folded;
use dormouse_types::work_step::{StepCheck, StepState, WorkRunStep};

/// After so many failed checks a run waits for a review.
pub const ATTEMPTS: i64 = 3;

/// What a check is made against.
#[derive(Debug, Clone, Default)]
pub struct Checked<'a> {
    /// What the run has published so far.
    pub published: Option<&'a str>,
    /// What the run read: its instructions, and the answers of its calls.
    pub read: &'a [String],
    /// The tasks of the query, as id and title.
    pub tasks: &'a [(String, String)],
}

/// Checks a published result.
///
/// Errors: what is wrong, for the run to read.
pub fn check(check: &StepCheck, of: &Checked<'_>) -> Result<(), String> {
    let text = of.published.ok_or("nothing is published yet: call publish_result first")?;
    match check {
        StepCheck::NotEmpty if text.trim().is_empty() => Err("the result is empty".into()),
        StepCheck::NotEmpty => Ok(()),
        StepCheck::NamesTasks { .. } => names_tasks(text, of.tasks),
        StepCheck::Headings { headings } => has_headings(text, headings),
        StepCheck::Links => links_were_read(text, of.read),
        StepCheck::Schema { schema } => schema::fits(text, schema),
        StepCheck::Words { most } => match text.split_whitespace().count() {
            n if n > *most => Err(format!("the result has {n} words; at most {most} are allowed")),
            _ => Ok(()),
        },
    }
}

fn names_tasks(text: &str, tasks: &[(String, String)]) -> Result<(), String> {
    let folded_text = folded(text);
    let is_named = |(id, title): &&(String, String)| {
        let title = folded(title.trim());
        folded_text.contains(&folded(id)) || !title.is_empty() && folded_text.contains(&title)
    };
    let missing: Vec<String> = tasks
        .iter()
        .filter(|task| !is_named(task))
        .map(|(id, title)| format!("{title} [{id}]"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (n, first) = (missing.len(), missing[..missing.len().min(10)].join("; "));
    Err(format!("the result does not name {n} of {} tasks: {first}", tasks.len()))
}

fn has_headings(text: &str, headings: &[String]) -> Result<(), String> {
    let found: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('#'))
        .map(|rest| folded(rest.trim_start_matches('#').trim().trim_end_matches('#').trim()))
        .collect();
    let missing = headings.iter().filter(|one| !found.contains(&folded(one.trim())));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(format!("the result lacks the headings: {}", missing.join(", "))),
    }
}

fn links_were_read(text: &str, read: &[String]) -> Result<(), String> {
    let known: BTreeSet<&str> = read.iter().flat_map(|text| addresses(text)).collect();
    let made_up = addresses(text).find(|address| !known.contains(address));
    match made_up {
        None => Ok(()),
        Some(address) => Err(format!(
            "{address} appears in nothing that this run read: give only addresses that you read"
        )),
    }
}

/// The web addresses of a text.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let begins = text.match_indices("http").map(|(at, _)| &text[at..]);
    begins.filter(|rest| rest.starts_with("http://") || rest.starts_with("https://")).map(|rest| {
        let ends = |c: char| c.is_whitespace() || "<>\"'`()[]{}|\\".contains(c);
        let address = &rest[..rest.find(ends).unwrap_or(rest.len())];
        address.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_'])
    })
}

/// What follows from a check of a step.
pub fn after_check(
    step: &WorkRunStep,
    found: Result<(), String>,
    note: Option<String>,
) -> WorkRunStep {
    match found {
        Ok(()) => {
            WorkRunStep { state: StepState::Done, note: note.or(step.note.clone()), ..step.clone() }
        }
        Err(why) => {
            let attempts = step.attempts + 1;
            let state = if attempts >= ATTEMPTS { StepState::Failed } else { StepState::Open };
            WorkRunStep { state, attempts, note: Some(why), ..step.clone() }
        }
    }
}

/// The mandatory steps that are not done.
pub fn missing(steps: &[WorkRunStep]) -> Vec<&WorkRunStep> {
    steps.iter().filter(|one| one.step.mandatory && one.state != StepState::Done).collect()
}

/// Why the steps of a run keep it from ending well; `None` if they do not.
pub fn obstacle(steps: &[WorkRunStep]) -> Option<String> {
    if let Some(failed) = steps.iter().find(|one| one.state == StepState::Failed) {
        let why = failed.note.as_deref().unwrap_or("its check failed");
        return Some(format!(
            "the check of step {} ({}) failed {ATTEMPTS} times: {why}",
            failed.n, failed.step.text
        ));
    }
    let missing = missing(steps);
    (!missing.is_empty()).then(|| format!("steps were not done: {}", listed(&missing)))
}

/// Steps in a line.
pub fn listed(steps: &[&WorkRunStep]) -> String {
    let lines = steps.iter().map(|one| format!("{}. {}", one.n, one.step.text));
    lines.collect::<Vec<_>>().join("; ")
}

/// Steps in a line, for a model: those that a run added are numbers. An earlier attempt may have added them
/// from what this one is not shown; the prompt has the words of those that it is.
pub fn in_a_line(steps: &[&WorkRunStep]) -> String {
    let lines = steps.iter().map(|one| match one.is_added {
        true => format!("{} (added)", one.n),
        false => format!("{}. {}", one.n, one.step.text),
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// The steps as a prompt shows them.
pub fn rendered(steps: &[WorkRunStep]) -> String {
    let lines = steps.iter().map(|one| {
        let mark = match one.state {
            StepState::Done => "x",
            StepState::Open | StepState::Failed => " ",
        };
        let must = if one.step.mandatory { " (must be done)" } else { "" };
        let check = one.step.check.as_ref().map(StepCheck::describe);
        let check = check.map(|check| format!("\n  checked: {check}")).unwrap_or_default();
        format!("{}. [{mark}] {}{must}{check}", one.n, one.step.text)
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    format!(
        "## Steps\n{lines}\nCall finish_step for each as soon as it is done. What is checked is the result \
         that you published last; it is checked again at the end. Without the steps that must be done the \
         run cannot end well."
    )
}

#[cfg(test)]
mod tests {
    use dormouse_types::work_step::WorkStep;
    use serde_json::json;

    use super::*;

    fn found(check_of: serde_json::Value, published: &str) -> Result<(), String> {
        let one: StepCheck = serde_json::from_value(check_of).expect("a check");
        let read = ["See https://example.org/a, and <https://example.org/b?c=1>.".to_owned()];
        let tasks = [
            ("jt-1".to_owned(), "Pay the rent".to_owned()),
            ("jt-2".to_owned(), "Caf\u{e9}".to_owned()),
        ];
        check(&one, &Checked { published: Some(published), read: &read, tasks: &tasks })
    }

    #[test]
    fn each_check_says_what_is_wrong() {
        let ok = |check, text| assert_eq!(found(check, text), Ok(()), "{text}");
        let no = |check, text, why: &str| {
            let folded_text = found(check, text).expect_err("it does not pass");
            assert!(folded_text.contains(why), "{folded_text}");
        };
        ok(json!({ "type": "notEmpty" }), "x");
        no(json!({ "type": "notEmpty" }), " \n", "is empty");
        ok(json!({ "type": "words", "most": 3 }), "one two three");
        no(json!({ "type": "words", "most": 3 }), "one two three four", "has 4 words");
        let headings = json!({ "type": "headings", "headings": ["Summary", "Next steps"] });
        ok(headings.clone(), "# summary\nText\n### Next Steps ##\n");
        no(headings, "Summary\n## Next steps", "lacks the headings: Summary");
        let tasks = json!({ "type": "namesTasks" });
        ok(tasks.clone(), "- PAY THE RENT\n- cafe");
        ok(tasks.clone(), "jt-1 and Caf\u{e9}");
        no(tasks, "Pay the rent", "1 of 2 tasks: Caf\u{e9} [jt-2]");
        let links = json!({ "type": "links" });
        ok(links.clone(), "[a](https://example.org/a) and https://example.org/b?c=1.");
        ok(links.clone(), "none");
        no(links.clone(), "https://example.org/", "appears in nothing");
        no(links, "https://example.org/ab", "https://example.org/ab appears in nothing");
    }

    #[test]
    fn nothing_published_passes_no_check() {
        let of = Checked::default();
        for one in [StepCheck::NotEmpty, StepCheck::Links, StepCheck::Words { most: 5 }] {
            assert!(check(&one, &of).is_err_and(|why| why.contains("publish_result")));
        }
    }

    #[test]
    fn the_third_failure_leaves_it_to_the_person() {
        let step = WorkStep { text: "Sum up".into(), mandatory: true, check: None };
        let mut one = WorkRunStep {
            n: 1,
            step,
            state: StepState::Open,
            is_added: false,
            attempts: 0,
            note: None,
        };
        assert_eq!(obstacle(&[one.clone()]).as_deref(), Some("steps were not done: 1. Sum up"));
        for attempts in 1..=ATTEMPTS {
            one = after_check(&one, Err("too long".into()), None);
            assert_eq!((one.attempts, one.note.as_deref()), (attempts, Some("too long")));
        }
        assert_eq!(one.state, StepState::Failed);
        assert!(obstacle(&[one.clone()]).is_some_and(|why| why.contains("3 times: too long")));
        one.attempts = 1;
        one = after_check(&one, Ok(()), Some("short now".into()));
        assert_eq!((one.state, one.note.as_deref()), (StepState::Done, Some("short now")));
        assert_eq!(obstacle(&[one]), None);
    }
}
