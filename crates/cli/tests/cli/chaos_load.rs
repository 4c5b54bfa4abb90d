//! People who write over HTTP to whichever node they reach, while nodes and database fail.
//!
//! Each request has a key. A client without an answer, or with one that says to retry later, sends the same request under
//! the same key again, mostly to another node: it must be done once.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::kill::Random;
use crate::kill_books::{Acked, Made};
use crate::running::{Answer, Notice};

/// Tasks that one person makes; from then on the person looks after these.
const TASKS: usize = 12;

/// One user. A request without an answer is repeated before any other.
pub struct Writer {
    name: String,
    random: Random,
    n: usize,
    unanswered: Option<Order>,
    acked: Arc<Mutex<Acked>>,
    /// How many requests were done only when they were sent again.
    pub repeated: usize,
}

/// A request, with what its answer acknowledges.
#[derive(Debug, Clone)]
struct Order {
    path: String,
    key: String,
    body: String,
    what: What,
    is_again: bool,
}

#[derive(Debug, Clone)]
enum What {
    Task(Made),
    Agent { task: String },
    Note { task: String, text: String },
    Said { agent: String, text: String },
    Verdict,
}

impl Writer {
    /// A person with an own seed.
    pub fn new(name: &str, seed: usize, acked: Arc<Mutex<Acked>>) -> Self {
        let random = Random(seed as u64);
        Self { name: name.to_owned(), random, n: 0, unanswered: None, acked, repeated: 0 }
    }

    /// Whether an answer is missing.
    pub fn waits(&self) -> bool {
        self.unanswered.is_some()
    }

    /// One of so many nodes.
    pub fn choose(&mut self, nodes: &[Notice]) -> Notice {
        self.random.one_of(nodes).cloned().expect("there are nodes")
    }

    /// Sends what is unanswered, or something new.
    pub fn write(&mut self, node: &Notice) {
        let order = match self.unanswered.take() {
            Some(order) => order,
            None => match self.order(node) {
                Ok(order) => order,
                Err(_gone) => return,
            },
        };
        let answer = node.ask("POST", &order.path, &order.key, &order.body);
        match answer {
            Ok(answer) if answer.status < 500 => {
                self.repeated += usize::from(order.is_again);
                self.take(&order, &answer);
            }
            // The node is gone, or its database: nobody knows.
            Ok(_) | Err(_) => self.unanswered = Some(Order { is_again: true, ..order }),
        }
    }

    fn known<T>(&self, look: impl FnOnce(&mut Acked) -> T) -> T {
        look(&mut self.acked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn order(&mut self, node: &Notice) -> io::Result<Order> {
        self.n += 1;
        let n = format!("{}{:05}", self.name, self.n);
        let order = |path: String, body: Value, what| {
            let key = format!("key-{n}");
            Order { path, key, body: body.to_string(), what, is_again: false }
        };
        let own = |acked: &Acked, name: &str| -> Vec<String> {
            let is_own =
                |(_, made): &(&String, &Made)| made.note.contains(&format!("crate {name}"));
            acked.tasks.iter().filter(is_own).map(|(task, _)| task.clone()).collect()
        };
        let tasks = self.known(|acked| own(acked, &self.name));
        let agents: Vec<(String, String)> = self.known(|acked| {
            acked.agents.iter().map(|(task, agent)| (task.clone(), agent.clone())).collect()
        });
        let without = tasks.iter().find(|task| !agents.iter().any(|(with, _)| with == *task));
        if let Some(task) = without.cloned() {
            let path = format!("/api/journal/tasks/{task}/agent");
            return Ok(order(path, json!({}), What::Agent { task }));
        }
        if tasks.len() < TASKS {
            let made = Made {
                title: format!("Nail crate {n}"),
                items: vec![format!("saw crate {n}")],
                note: format!("TODO: paint crate {n}"),
            };
            let body = json!({"title": made.title, "items": made.items, "note": made.note});
            return Ok(order("/api/journal/tasks".into(), body, What::Task(made)));
        }
        let (task, agent) = self.random.one_of(&agents).cloned().expect("each task has one");
        Ok(match self.random.below(8) {
            0 | 1 => {
                let text = format!("Remark {n}. TODO: fetch screws {n}");
                let path = format!("/api/journal/tasks/{task}/entries");
                order(path, json!({"text": text}), What::Note { task, text })
            }
            2 if let Some(item) = self.open_item(node)? => {
                let verdict = ["confirm", "confirm", "reject"][self.random.below(3)];
                let (set, index) = (text(&item["set"]), &item["index"]);
                let path = format!("/api/change-sets/{set}/items/{index}/{verdict}");
                order(path, json!({"digest": item["digest"]}), What::Verdict)
            }
            _ => {
                let text = format!("Look again, {n}.");
                let path = format!("/api/agents/{agent}/wake");
                order(path, json!({"message": text}), What::Said { agent, text })
            }
        })
    }

    fn open_item(&mut self, node: &Notice) -> io::Result<Option<Value>> {
        let answer = node.ask("GET", "/api/change-sets", "", "")?;
        if answer.status != 200 {
            return Ok(None);
        }
        let sets = answer.json()["items"].as_array().cloned().unwrap_or_default();
        let items = sets.iter().filter_map(|set| set["items"].as_array()).flatten();
        let open: Vec<&Value> = items.filter(|item| item["status"] == "pending").collect();
        Ok(self.random.one_of(&open).copied().cloned())
    }

    /// Notes what an answer acknowledges.
    fn take(&self, order: &Order, answer: &Answer) {
        let is_done = (200..300).contains(&answer.status);
        // Two people may decide on the same item: the second is refused. An agent that cannot be run
        // for long takes in no more words.
        let may_be_late = matches!(order.what, What::Verdict | What::Said { .. });
        assert!(
            is_done || may_be_late && [409, 410, 412].contains(&answer.status),
            "{order:?}: {answer:?}"
        );
        if !is_done {
            return;
        }
        let body = answer.json();
        self.known(|acked| match order.what.clone() {
            What::Task(made) => _ = acked.tasks.insert(text(&body["id"]), made),
            What::Agent { task } => _ = acked.agents.insert(task, text(&body["id"])),
            What::Note { task, text } => acked.notes.push((task, text)),
            What::Said { agent, text } => acked.said.push((agent, text)),
            What::Verdict => {
                let item = &body["item"];
                if item["status"] == "confirmed" || item["status"] == "rejected" {
                    let index = item["index"].as_i64().expect("an item has an index");
                    acked.verdicts.insert((text(&item["set"]), index), text(&item["status"]));
                }
            }
        });
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
