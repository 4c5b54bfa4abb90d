//! People who write over HTTP while the server is killed under them.
//!
//! Each request has a key. Who gets no answer sends the same request under the same key again once
//! the server is back: it must be done once, whether it was done before or not.

use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::kill::{Random, markdown, shelf};
use crate::kill_books::{Acked, Made};
use crate::running::{Answer, Notice};

/// What all writers know.
pub type Shared = Arc<Mutex<Acked>>;

/// One user. A request without an answer is repeated before any other.
pub struct Writer {
    name: String,
    random: Random,
    n: usize,
    unanswered: Option<Order>,
    acked: Shared,
    /// How many requests were answered, and how many of these for the second time of asking.
    pub answered: [usize; 2],
}

/// A request, with what its answer acknowledges.
#[derive(Debug, Clone)]
struct Order {
    method: &'static str,
    path: String,
    key: String,
    body: String,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Task(Made),
    Note {
        task: String,
        text: String,
    },
    Agent {
        task: String,
    },
    Said {
        agent: String,
        text: String,
    },
    Verdict,
    Verdicts,
    Import,
    Timer,
    /// Nothing that the books look for.
    Other,
}

impl Writer {
    /// A person with an own seed.
    pub fn new(name: String, seed: u64, acked: Shared) -> Self {
        let random = Random(seed);
        Self { name, random, n: 0, unanswered: None, acked, answered: [0; 2] }
    }

    /// Writes until the server is gone, or so many requests were answered; tells each answer. Says
    /// whether the server is still there.
    pub fn write(&mut self, server: &Notice, most: usize, tell: &Sender<()>) -> bool {
        for _ in 0..most {
            let again = self.unanswered.is_some();
            let order = match self.unanswered.take().map_or_else(|| self.order(server), Ok) {
                Ok(order) => order,
                Err(_gone) => return false,
            };
            let Order { method, path, key, body, .. } = &order;
            let answer = server.ask_torn(method, path, key, body);
            let whole = match answer {
                Ok(answer) => {
                    self.take(&order, &answer);
                    answer.is_whole
                }
                Err(_gone) => false,
            };
            if !whole {
                self.unanswered = Some(order);
                return false;
            }
            self.answered[usize::from(again)] += 1;
            // Nobody counts any more once the server is to be killed.
            let _uncounted = tell.send(());
        }
        true
    }

    /// Whether an answer is missing.
    pub fn waits(&self) -> bool {
        self.unanswered.is_some()
    }

    fn number(&mut self) -> String {
        self.n += 1;
        format!("{}{:05}", self.name, self.n)
    }

    fn known<T>(&self, look: impl FnOnce(&Acked) -> T) -> T {
        look(&self.acked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn order(&mut self, server: &Notice) -> io::Result<Order> {
        let n = self.number();
        let order = |method, path: String, body: Value, what| Order {
            method,
            path,
            key: format!("key-{n}"),
            body: body.to_string(),
            what,
        };
        let agents: Vec<(String, String)> = self.known(|acked| {
            acked.agents.iter().map(|(task, agent)| (task.clone(), agent.clone())).collect()
        });
        let agent = self.random.one_of(&agents).cloned();
        Ok(match (self.random.below(12), agent) {
            (0 | 1, _) => {
                let made = Made {
                    title: format!("Nail crate {n}"),
                    items: vec![format!("saw crate {n}")],
                    note: format!("TODO: paint crate {n}"),
                };
                let label = format!("label {n}");
                let body = json!({"title": made.title, "items": made.items, "note": made.note, "labels": [label]});
                order("POST", "/api/journal/tasks".into(), body, What::Task(made))
            }
            // Who has no agent to talk to gets some.
            (2, _) | (_, None) => {
                let titles = [format!("Shelf {n} a"), format!("Shelf {n} b")];
                let path = format!("/api/imports?name=shelf-{n}.md&agents=all");
                let (key, body) = (String::new(), markdown(&titles));
                Order { method: "POST", path, key, body, what: What::Import }
            }
            (3, Some((first, _))) => {
                let without = self.known(|acked| {
                    let mut tasks = acked.tasks.keys();
                    tasks.find(|task| !acked.agents.contains_key(*task)).cloned()
                });
                let task = without.unwrap_or(first);
                let path = format!("/api/journal/tasks/{task}/agent");
                order("POST", path, json!({}), What::Agent { task })
            }
            (4 | 5, Some((task, _))) => {
                let text = format!("Remark {n}. TODO: fetch screws {n}");
                let path = format!("/api/journal/tasks/{task}/entries");
                order("POST", path, json!({"text": text}), What::Note { task, text })
            }
            (6, Some((_, agent))) => {
                let text = format!("Look again, {n}.");
                let path = format!("/api/agents/{agent}/wake");
                order("POST", path, json!({"message": text}), What::Said { agent, text })
            }
            (7, Some((_, agent))) => {
                let body = json!({"at": soon()});
                order("POST", format!("/api/agents/{agent}/wake"), body, What::Timer)
            }
            (8, Some((_, agent))) => {
                let automation = ["auto", "on"][self.random.below(2)];
                let body = json!({"automation": automation});
                order("PATCH", format!("/api/agents/{agent}"), body, What::Other)
            }
            (9, Some(_)) => match self.open_set(server)? {
                Some(set) => {
                    let path = format!("/api/change-sets/{}/confirm-all", text(&set["id"]));
                    let items = set["items"].as_array().map_or(&[][..], Vec::as_slice);
                    let shown = items.iter().filter(|item| item["shown"] == true);
                    let items: Vec<Value> = shown
                        .map(|item| json!({"index": item["index"], "digest": item["digest"]}))
                        .collect();
                    order("POST", path, json!({"items": items}), What::Verdicts)
                }
                None => order("GET", "/api/overview".into(), json!({}), What::Other),
            },
            (_, Some(_)) => {
                let set = self.open_set(server)?.unwrap_or_default();
                let items = set["items"].as_array().map_or(&[][..], Vec::as_slice);
                let open: Vec<&Value> =
                    items.iter().filter(|item| item["status"] == "pending").collect();
                match self.random.one_of(&open) {
                    Some(item) => {
                        let verdict = ["confirm", "confirm", "reject"][self.random.below(3)];
                        let (set, index) = (text(&item["set"]), &item["index"]);
                        let path = format!("/api/change-sets/{set}/items/{index}/{verdict}");
                        order("POST", path, json!({"digest": item["digest"]}), What::Verdict)
                    }
                    None => order("GET", "/api/overview".into(), json!({}), What::Other),
                }
            }
        })
    }

    fn open_set(&mut self, server: &Notice) -> io::Result<Option<Value>> {
        let sets = server.ask("GET", "/api/change-sets", "", "")?.json();
        let sets = sets["items"].as_array().cloned().unwrap_or_default();
        Ok(self.random.one_of(&sets).cloned())
    }

    /// Notes what an answer acknowledges.
    fn take(&self, order: &Order, answer: &Answer) {
        let mut acked = self.acked.lock().unwrap_or_else(PoisonError::into_inner);
        if let What::Import = order.what {
            let lines = answer.body.split_inclusive(|byte| *byte == b'\n');
            for line in lines.filter(|line| line.ends_with(b"\n")) {
                let line: Value = serde_json::from_slice(line).expect("a line is JSON");
                assert_ne!(line["event"], "problem", "{line}");
                if line["event"] == "task" {
                    let (task, title) = (text(&line["taskId"]), text(&line["title"]));
                    acked.agents.insert(task.clone(), text(&line["agentId"]));
                    acked.tasks.insert(task, shelf(&title));
                }
            }
            return;
        }
        if !answer.is_whole {
            return;
        }
        let is_done = (200..300).contains(&answer.status);
        // Two people may want the same thing: the second is refused.
        let may_be_late = matches!(
            order.what,
            What::Agent { .. } | What::Verdict | What::Verdicts | What::Said { .. }
        );
        let is_late = may_be_late && [409, 410, 412].contains(&answer.status)
            // It was in the future when it was first requested.
            || matches!(order.what, What::Timer) && answer.status == 422;
        assert!(is_done || is_late, "{order:?}: {answer:?}");
        if !is_done {
            return;
        }
        let body = answer.json();
        match &order.what {
            What::Task(made) => _ = acked.tasks.insert(text(&body["id"]), made.clone()),
            What::Note { task, text } => {
                acked.notes.push((task.clone(), text.clone()));
            }
            What::Agent { task } => _ = acked.agents.insert(task.clone(), text(&body["id"])),
            What::Said { agent, text } => acked.said.push((agent.clone(), text.clone())),
            What::Verdict => note_verdict(&body, &mut acked),
            What::Verdicts => {
                let all = body["items"].as_array().into_iter().flatten();
                all.for_each(|outcome| note_verdict(outcome, &mut acked));
            }
            What::Import | What::Timer | What::Other => {}
        }
    }
}

/// A moment that the server takes for one to come, and that soon passes.
#[expect(clippy::disallowed_methods, reason = "a real server goes by the real time")]
fn soon() -> String {
    (jiff::Timestamp::now() + jiff::SignedDuration::from_millis(500)).to_string()
}

fn note_verdict(outcome: &Value, acked: &mut Acked) {
    let item = &outcome["item"];
    if item["status"] == "confirmed" || item["status"] == "rejected" {
        let index = item["index"].as_i64().expect("an item has an index");
        acked.verdicts.insert((text(&item["set"]), index), text(&item["status"]));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
