//! Tasks for tests, and the model's answers about them.

use dormouse_builtin::Builtin;
use dormouse_types::caller::By;
use dormouse_types::change::What;
use dormouse_types::model::{
    Delta, DeltaChange, Directives, Entry, Fragment, FragmentData, FragmentKind, Instruction, Item,
    LastReport, Ledger, OpenProposal, Request, TaskState, ToolCall, ToolChoice, TurnEvent,
};
use dormouse_types::port::Model;
use dormouse_types::task::{EntryKind, Status};
use dormouse_types::{Id as _, RunKey, Seq, Timestamp};
use jiff::civil::Date;
use serde_json::{Value, json};

/// A task, with the request about it.
#[derive(Debug, Clone)]
pub struct Desk {
    pub state: TaskState,
    pub today: Date,
    pub last_tldr: Option<String>,
    pub changes: Vec<What>,
    /// Proposals that wait for an answer.
    pub open: Vec<OpenProposal>,
    /// What the template of the agent says.
    pub directives: Directives,
}

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(prefix: &str, n: usize) -> T {
    format!("{prefix}-{n:026}").parse().expect("a well-formed id")
}

impl Desk {
    pub fn new(title: &str, today: Date) -> Self {
        let state = TaskState {
            id: id("jt", 1),
            title: title.into(),
            status: Status::Open,
            status_reason: None,
            priority: None,
            due_on: None,
            estimate_minutes: None,
            time_spent_minutes: 0,
            language: None,
            category: None,
            labels: vec![],
            available_labels: vec![],
            suppressed_labels: vec![],
            items: vec![],
            entries: vec![],
            says: vec![],
            starred: false,
            private: false,
            created_at: Timestamp::from_micros(0),
        };
        Self {
            state,
            today,
            last_tldr: None,
            changes: vec![],
            open: vec![],
            directives: Directives::default(),
        }
    }

    /// Gives the agent a template with this general directive.
    pub fn directed(mut self, general: &str) -> Self {
        self.directives.general = general.into();
        self
    }

    pub fn item(mut self, title: &str, is_checked: bool) -> Self {
        let n = self.state.items.len() + 1;
        self.state.items.push(Item {
            id: id("ci", n),
            checklist: id("cl", 1),
            title: title.into(),
            is_checked,
            is_archived: false,
            checked_by: By::User,
            checked_at: None,
            depth: 0,
        });
        self
    }

    /// An entry; entries are an hour apart.
    pub fn entry(self, text: &str) -> Self {
        let on = self.today;
        self.entry_on(on, text)
    }

    /// An entry written on a day.
    pub fn entry_on(mut self, on: Date, text: &str) -> Self {
        let n = self.state.entries.len() + 1;
        self.state.entries.push(Entry {
            id: id("en", n),
            kind: EntryKind::Text,
            created_at: Timestamp::from_micros(n as i64 * 3_600_000_000),
            on,
            text: text.into(),
            minutes: None,
            tainted: false,
            starred: false,
            private: false,
        });
        self
    }

    /// Makes the last entry the change since a report with this summary.
    pub fn since(mut self, last_tldr: &str) -> Self {
        self.last_tldr = Some(last_tldr.into());
        self.changes = vec![What::EntryAdded { entry: id("en", self.state.entries.len()) }];
        self
    }

    pub fn request(&self) -> Request {
        let is_first = self.last_tldr.is_none();
        let instruction = Instruction {
            first: is_first,
            report_due: is_first,
            report_only: false,
            today: self.today,
            is_month_first: None,
            last_report: self
                .last_tldr
                .clone()
                .map(|tldr| LastReport { tldr, at: Timestamp::from_micros(1) }),
        };
        let changes = self
            .changes
            .iter()
            .map(|what| DeltaChange {
                seq: Seq(1),
                at: Timestamp::from_micros(2),
                on: self.today,
                by: By::User,
                what: what.clone(),
            })
            .collect();
        let fragment = |kind, data| Fragment {
            kind,
            text: String::new(),
            data,
            tainted: false,
            block_ends: Vec::new(),
        };
        Request {
            run_key: RunKey("0".repeat(64)),
            turn: 1,
            fragments: vec![
                fragment(FragmentKind::System, FragmentData::Directives(self.directives.clone())),
                fragment(
                    FragmentKind::TaskState,
                    FragmentData::TaskState(Box::new(self.state.clone())),
                ),
                fragment(
                    FragmentKind::Delta,
                    FragmentData::Delta(Delta { changes, ..Delta::default() }),
                ),
                fragment(
                    FragmentKind::Decisions,
                    FragmentData::Decisions(Ledger { decisions: vec![], open: self.open.clone() }),
                ),
                fragment(FragmentKind::Instruction, FragmentData::Instruction(instruction)),
            ],
            turns: vec![],
            tools: vec![],
            tool_choice: ToolChoice::Auto,
        }
    }

    pub fn calls(&self) -> Vec<ToolCall> {
        calls(&self.request())
    }

    /// The arguments of `update_report`.
    pub fn report(&self) -> Option<(String, String)> {
        let call = self.calls().into_iter().find(|call| call.name == "update_report")?;
        let text = |key: &str| call.args[key].as_str().map(str::to_owned);
        Some((text("tldr")?, text("content")?))
    }

    /// The proposals as a change set stores them: one per item, named by titles.
    pub fn proposals(&self) -> Vec<Value> {
        let mut found = Vec::new();
        for call in self.calls() {
            let one = |tool: &str, mut args: Value| {
                let evidence = args.as_object_mut().and_then(|args| args.remove("evidence"));
                json!({ "tool": tool, "args": args, "evidence": evidence })
            };
            let list = |key: &str| call.args[key].as_array().cloned().unwrap_or_default();
            let item = |id: &Value| {
                let of = |item: &&Item| Some(item.id.as_str()) == id.as_str();
                self.state.items.iter().find(of).map(|item| item.title.clone())
            };
            match call.name.as_str() {
                "update_report" | "record_observations" | "set_task_language" => {}
                "add_multiple_checklist_items" => {
                    found.extend(
                        list("items").into_iter().map(|args| one("add_checklist_item", args)),
                    );
                }
                "update_checklist_items" => found.extend(list("items").into_iter().map(|args| {
                    let title = item(&args["id"]);
                    let mut made = one("update_checklist_items", args);
                    made["args"]["item"] = json!(title);
                    made
                })),
                name => found.push(one(name, call.args.clone())),
            }
        }
        found
    }

    /// The report as one text.
    pub fn rendered(&self) -> String {
        let (tldr, content) = self.report().expect("a report is due");
        format!("{tldr}\n\n{content}")
    }
}

/// All calls of the model in one turn.
pub fn calls(request: &Request) -> Vec<ToolCall> {
    let mut stream = Builtin.ask(request);
    let mut found = Vec::new();
    let mut ctx = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        match stream.as_mut().poll_next(&mut ctx) {
            std::task::Poll::Ready(Some(Ok(TurnEvent::Call(call)))) => found.push(call),
            std::task::Poll::Ready(Some(Ok(TurnEvent::End { ended }))) => {
                assert!(ended, "the rules say all they have in one turn");
            }
            std::task::Poll::Ready(Some(Ok(
                TurnEvent::Text(_)
                | TurnEvent::CallDelta { .. }
                | TurnEvent::State(_)
                | TurnEvent::Usage(_),
            ))) => {}
            std::task::Poll::Ready(Some(Err(error))) => panic!("the rules never fail: {error}"),
            std::task::Poll::Ready(None) => return found,
            std::task::Poll::Pending => panic!("the answer is there at once"),
        }
    }
}

/// The task that an expectation file describes, with its text as one entry.
#[allow(dead_code, reason = "used where the shared samples are read")]
pub fn of_expectation(expected: &Value, text: &str) -> Desk {
    let setup = &expected["setup"];
    let today: Date = setup["today"].as_str().expect("a day").parse().expect("an ISO day");
    let mut desk = Desk::new(setup["title"].as_str().unwrap_or_default(), today);
    for item in setup["checklist"].as_array().into_iter().flatten() {
        desk = desk.item(item["title"].as_str().expect("a title"), item["isChecked"] == true);
    }
    desk.entry(text)
}
