//! A task with entries as a value, and the rules' output as lines.

use dormouse_builtin::propose::{self, Proposal};
use dormouse_builtin::{Input, observe};
use dormouse_types::agent::DecisionVerdict;
use dormouse_types::caller::By;
use dormouse_types::change::What;
use dormouse_types::model::{
    Decided, Delta, DeltaChange, Entry, FieldSay, Instruction, Item, Ledger, LogData, Named,
    ObservationCategory, ObservationNote, ObservationPriority, OpenProposal, Resolution, TaskState,
};
use dormouse_types::task::{EntryKind, Field, Status};
use dormouse_types::trend::{Trend, Week};
use dormouse_types::{Fingerprint, Seq, Timestamp};
use jiff::civil::Date;
use serde_json::{Value, json};

const HOUR: i64 = 3_600_000_000;

/// Everything the rules read.
#[derive(Debug, Clone)]
pub struct Case {
    pub state: TaskState,
    pub ledger: Ledger,
    pub delta: Delta,
    pub log: LogData,
    pub trend: Trend,
    pub today: Date,
    on: Date,
    /// Whether the month comes before the day, if that was chosen.
    pub is_month_first: Option<bool>,
}

fn id<T: std::str::FromStr>(prefix: &str, n: usize) -> T
where
    T::Err: std::fmt::Debug,
{
    format!("{prefix}-{n:0>26}").parse().expect("an id")
}

/// The time of an hour of a day.
fn at(day: Date, hour: i64) -> Timestamp {
    let start = day.to_zoned(jiff::tz::TimeZone::UTC).expect("a day").timestamp();
    Timestamp::from_micros(start.as_microsecond() + hour * HOUR)
}

impl Case {
    pub fn new(title: &str, on: Date) -> Self {
        let state = TaskState {
            id: id("jt", 1),
            title: title.to_owned(),
            status: Status::Open,
            status_reason: None,
            priority: None,
            due_on: None,
            estimate_minutes: None,
            time_spent_minutes: 0,
            language: Some("en".to_owned()),
            category: None,
            labels: Vec::new(),
            available_labels: Vec::new(),
            suppressed_labels: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            says: Vec::new(),
            starred: false,
            private: false,
            created_at: at(on, 0),
        };
        Self {
            state,
            ledger: Ledger::default(),
            delta: Delta::default(),
            log: LogData::default(),
            trend: Trend::default(),
            today: on,
            on,
            is_month_first: None,
        }
    }

    /// Adds an entry; each is a day newer than the one before.
    pub fn entry(&mut self, text: &str) {
        let n = self.state.entries.len();
        let on = self
            .on
            .checked_add(jiff::Span::new().days(i64::try_from(n).expect("few")))
            .expect("a day");
        self.state.entries.push(Entry {
            id: id("en", n),
            kind: EntryKind::Text,
            created_at: at(on, 9),
            on,
            text: text.to_owned(),
            minutes: None,
            tainted: false,
            starred: false,
            private: false,
        });
    }

    pub fn item(&mut self, title: &str, is_checked: bool) {
        let n = self.state.items.len();
        self.state.items.push(Item {
            id: id("ci", n),
            checklist: id("cl", 1),
            title: title.to_owned(),
            is_checked,
            is_archived: false,
            checked_by: By::User,
            checked_at: None,
            depth: 0,
        });
    }

    pub fn label(&mut self, name: &str) {
        let n = self.state.available_labels.len();
        self.state.available_labels.push(Named { id: id("lb", n), name: name.to_owned() });
    }

    /// Reads a line of context, for example `due: 2026-03-20` or `rejected: due 2026-03-20 | why`.
    pub fn context(&mut self, key: &str, value: &str) {
        let evening = at(self.on, 20);
        match key {
            "title" => self.state.title = value.to_owned(),
            "on" => self.on = value.parse().expect("a day"),
            "today" => self.today = value.parse().expect("a day"),
            "item" => self.item(value, false),
            "done item" => self.item(value, true),
            "label" => self.label(value),
            "assigned" | "suppressed" => {
                self.label(value);
                let label = self.state.available_labels.last().expect("just added").clone();
                if key == "assigned" {
                    self.state.labels.push(label);
                } else {
                    self.state.suppressed_labels.push(label.id);
                }
            }
            "due" => self.state.due_on = Some(value.parse().expect("a day")),
            "priority" => self.state.priority = Some(value.parse().expect("a priority")),
            "status" => self.state.status = value.parse().expect("a status"),
            "estimate" => self.state.estimate_minutes = Some(value.parse().expect("minutes")),
            "said" => {
                let field = match self.state.items.iter().find(|item| item.title == value) {
                    Some(item) => format!("item:{}", item.id),
                    None => value.to_owned(),
                };
                self.state.says.push(FieldSay { field: field.into(), by: By::User, at: evening });
            }
            "open" => {
                let (tool, args) = self.args(value);
                let fingerprint = Fingerprint(format!("{:0>64}", self.ledger.open.len()));
                self.ledger.open.push(OpenProposal {
                    fingerprint,
                    tool,
                    args,
                    summary: value.to_owned(),
                });
            }
            "rejected" | "expired" | "confirmed" => {
                let (value, reason) = value.split_once(" | ").unwrap_or((value, ""));
                let (tool, args) = self.args(value);
                let verdict = match key {
                    "rejected" => Resolution::Decided(DecisionVerdict::Rejected),
                    "expired" => Resolution::Expired,
                    _ => Resolution::Decided(DecisionVerdict::Confirmed),
                };
                let fingerprint =
                    Fingerprint(format!("{:0>64}", 100 + self.ledger.decisions.len()));
                let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
                self.ledger.decisions.push(Decided {
                    tool,
                    args,
                    verdict,
                    reason,
                    at: evening,
                    fingerprint,
                });
            }
            "change" => {
                let change = self.change(value);
                self.delta.changes.push(change);
            }
            "earlier" => {
                let mut change = self.change(value);
                change.at = Timestamp::from_micros(change.at.micros() - 24 * HOUR);
                self.log.changes.push(change);
            }
            "noted" => self.log.observations.push(ObservationNote {
                at: evening,
                text: value.to_owned(),
                priority: ObservationPriority::Routine,
                category: ObservationCategory::Operational,
            }),
            // Entries and ticks of each week, the last one ends today.
            "weeks" => {
                let weeks = value.split(' ').map(|n| Week {
                    from: self.on,
                    entries: n.parse().expect("a number"),
                    ticks: 0,
                });
                self.trend.weeks = weeks.collect();
            }
            "raises" => self.trend.n_raises = value.parse().expect("a number"),
            other => panic!("unknown context `{other}`"),
        }
    }

    /// Tool and arguments of a proposal as the ledger stores them, from `due 2026-03-20`.
    fn args(&self, line: &str) -> (String, Value) {
        let (kind, value) = line.split_once(' ').expect("a kind and a value");
        let (tool, args) = match kind {
            "due" => ("update_task_due_date", json!({ "dueDate": value })),
            "estimate" => (
                "update_task_estimate",
                json!({ "minutes": value.parse::<u32>().expect("minutes") }),
            ),
            "priority" => ("update_task_priority", json!({ "priority": value })),
            "status" => match value.split_once(": ") {
                Some((status, reason)) => {
                    ("set_task_status", json!({ "status": status, "reason": reason }))
                }
                None => ("set_task_status", json!({ "status": value })),
            },
            "title" => ("set_task_title", json!({ "title": value })),
            "item" => ("add_checklist_item", json!({ "title": value })),
            "tick" => {
                let item =
                    self.state.items.iter().find(|item| item.title == value).expect("an item");
                ("update_checklist_item", json!({ "id": item.id, "isChecked": true }))
            }
            "label" => {
                let label =
                    self.state.available_labels.iter().find(|l| l.name == value).expect("a label");
                ("assign_task_label", json!({ "id": label.id, "confidence": "high" }))
            }
            other => panic!("unknown proposal `{other}`"),
        };
        (tool.to_owned(), args)
    }

    fn change(&self, line: &str) -> DeltaChange {
        let (kind, value) = line.split_once(' ').expect("a kind and a value");
        let n = self.delta.changes.len() + self.log.changes.len();
        let field = |field| {
            let (from, rest) = value.split_once("->").unwrap_or(("", value));
            let (to, reason) = rest.split_once(": ").unwrap_or((rest, ""));
            let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
            let row = json!({
                "field": field, "from": given(from), "to": given(to), "reason": given(reason),
            });
            What::FieldSet(serde_json::from_value(row).expect("a change of a field"))
        };
        let what = match kind {
            "due" => field(Field::DueDate),
            "priority" => field(Field::Priority),
            "status" => field(Field::Status),
            "ticked" | "unticked" => {
                let item =
                    self.state.items.iter().find(|item| item.title == value).expect("an item");
                What::ItemChecked {
                    item: item.id.clone(),
                    title: value.to_owned(),
                    is_checked: kind == "ticked",
                }
            }
            "entry" => What::EntryAdded { entry: id("en", value.parse().expect("a number")) },
            other => panic!("unknown change `{other}`"),
        };
        DeltaChange {
            seq: Seq(i64::try_from(n).expect("few")),
            at: at(self.on, 10 + i64::try_from(n).expect("few")),
            on: self.on,
            by: By::User,
            what,
        }
    }

    fn with_input<T>(&self, read: impl FnOnce(&Input<'_>) -> T) -> T {
        let instruction = Instruction {
            first: self.log.changes.is_empty(),
            report_due: true,
            report_only: false,
            today: self.today,
            is_month_first: self.is_month_first,
            last_report: None,
        };
        let input = Input::new(&self.state, &instruction, &self.delta);
        let trend = Some(&self.trend);
        read(&Input { ledger: &self.ledger, log: &self.log, trend, ..input })
    }

    pub fn proposals(&self) -> Vec<Proposal> {
        self.with_input(propose::proposals)
    }

    /// The proposals one by one, in the notation of the golden files.
    pub fn lines(&self) -> Vec<String> {
        self.proposals().iter().flat_map(|proposal| self.rendered(proposal)).collect()
    }

    pub fn observations(&self) -> Vec<String> {
        self.with_input(observe::observations)
            .into_iter()
            .map(|observation| {
                let weight = match observation.priority {
                    ObservationPriority::Routine => "routine",
                    ObservationPriority::Notable => "notable",
                    ObservationPriority::Critical => "critical",
                };
                format!("{weight} {}", observation.text)
            })
            .collect()
    }

    fn rendered(&self, proposal: &Proposal) -> Vec<String> {
        let args = &proposal.args;
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let list = |key: &str| args[key].as_array().cloned().unwrap_or_default();
        match proposal.tool {
            "update_task_due_date" => vec![format!("due {}", text(args, "dueDate"))],
            "update_task_estimate" => vec![format!("estimate {}", args["minutes"])],
            "update_task_priority" => vec![format!("priority {}", text(args, "priority"))],
            "set_task_status" => match args.get("reason") {
                Some(_) => {
                    vec![format!("status {}: {}", text(args, "status"), text(args, "reason"))]
                }
                None => vec![format!("status {}", text(args, "status"))],
            },
            "set_task_title" => vec![format!("title {}", text(args, "title"))],
            "add_multiple_checklist_items" => {
                list("items").iter().map(|item| format!("item {}", text(item, "title"))).collect()
            }
            "update_checklist_items" => list("items")
                .iter()
                .map(|tick| {
                    let item = self.state.items.iter().find(|item| tick["id"] == json!(item.id));
                    assert_eq!(tick["isChecked"], json!(true));
                    format!("tick {}", item.expect("an item of the task").title)
                })
                .collect(),
            "assign_task_labels" => list("labels")
                .iter()
                .map(|given| {
                    let label = self
                        .state
                        .available_labels
                        .iter()
                        .find(|label| given["id"] == json!(label.id));
                    assert_eq!(given["confidence"], json!("high"));
                    format!("label {}", label.expect("a label of the workspace").name)
                })
                .collect(),
            "retract_suggestions" => list("proposals")
                .iter()
                .map(|given| {
                    let open = self
                        .ledger
                        .open
                        .iter()
                        .find(|open| given["fingerprint"] == json!(open.fingerprint));
                    format!(
                        "retract {} | {}",
                        open.expect("an open proposal").summary,
                        text(given, "reason")
                    )
                })
                .collect(),
            other => panic!("no such tool: {other}"),
        }
    }

    /// Checks what must hold for any set of proposals, whatever the text.
    pub fn check_form(&self) {
        for proposal in self.proposals() {
            let args = &proposal.args;
            match proposal.tool {
                "update_task_estimate" => {
                    let minutes = args["minutes"].as_u64().expect("minutes");
                    assert!((1..=1440).contains(&minutes), "{minutes}");
                    self.check_evidence(args);
                }
                "set_task_status" => {
                    let status = args["status"].as_str().expect("a status");
                    assert!(!["DONE", "REJECTED"].contains(&status));
                    let needs_reason = ["BLOCKED", "ON HOLD"].contains(&status);
                    let reason = args.get("reason").and_then(Value::as_str).unwrap_or_default();
                    assert!(!needs_reason || !reason.trim().is_empty());
                    assert!(reason.chars().count() <= 1000);
                    self.check_evidence(args);
                }
                "set_task_title" => {
                    let title = args["title"].as_str().expect("a title");
                    assert!(!title.trim().is_empty() && title.chars().count() <= 500);
                    self.check_evidence(args);
                }
                "update_task_due_date" => {
                    args["dueDate"].as_str().expect("text").parse::<Date>().expect("a day");
                    self.check_evidence(args);
                }
                "update_task_priority" => {
                    assert!(
                        ["P0", "P1", "P2", "P3"]
                            .contains(&args["priority"].as_str().expect("text"))
                    );
                    self.check_evidence(args);
                }
                "add_multiple_checklist_items" => {
                    let items = args["items"].as_array().expect("a list");
                    assert!((1..=20).contains(&items.len()));
                    for item in items {
                        let title = item["title"].as_str().expect("a title");
                        assert!(
                            !title.trim().is_empty()
                                && title.chars().count() <= 400
                                && !title.contains('\n')
                        );
                        self.check_evidence(item);
                    }
                }
                "update_checklist_items" => {
                    let items = args["items"].as_array().expect("a list");
                    assert!((1..=20).contains(&items.len()));
                    items.iter().for_each(|item| self.check_evidence(item));
                }
                "assign_task_labels" => {
                    let labels = args["labels"].as_array().expect("a list");
                    assert!((1..=3).contains(&labels.len()));
                    labels.iter().for_each(|label| self.check_evidence(label));
                }
                "retract_suggestions" => {
                    for given in args["proposals"].as_array().expect("a list") {
                        let reason = given["reason"].as_str().expect("a reason");
                        assert!((1..=500).contains(&reason.chars().count()));
                    }
                }
                other => panic!("no such tool: {other}"),
            }
        }
    }

    fn check_evidence(&self, args: &Value) {
        let entry = args["evidence"]["entryId"].as_str().expect("an entry");
        let quote = args["evidence"]["quote"].as_str().expect("a quote");
        let entry = self
            .state
            .entries
            .iter()
            .find(|e| e.id.to_string() == entry)
            .expect("an entry of the task");
        assert!(!quote.is_empty() && quote.chars().count() <= 200, "{quote:?}");
        assert!(entry.text.contains(quote), "not verbatim: {quote:?}");
    }
}

/// The folder of development data, if it is next to the checkout.
pub fn data() -> Option<std::path::PathBuf> {
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?;
    Some(beside.join("shared/data")).filter(|data| data.is_dir())
}
