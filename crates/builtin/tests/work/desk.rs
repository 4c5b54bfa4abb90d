//! Builds the facts of a workspace, one task at a time.

use dormouse_builtin::work;
use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::named::Named;
use dormouse_types::task::{Priority, Status};
use dormouse_types::trend::DueMove;
use dormouse_types::verdict::Verdict;
use dormouse_types::work_facts::{
    AttentionFact, AttentionReason, EventFact, HistoryLine, ItemFact, LastRun, TaskFacts,
    TimeSpent, VerdictFact, WorkspaceFacts,
};
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::work_outcome::{BuiltInOutcome, Figure, FigureList, ResultList, WorkText};
use dormouse_types::{EntryId, Origin, TaskId, Timestamp};
use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The id of the nth thing of a kind.
pub fn id<I: std::str::FromStr<Err: std::fmt::Debug>>(prefix: &str, n: usize) -> I {
    format!("{prefix}-{n:026}").parse().expect("an id")
}

pub fn named<I: std::str::FromStr<Err: std::fmt::Debug>>(
    prefix: &str,
    n: usize,
    name: &str,
) -> Named<I> {
    Named { id: id(prefix, n), name: name.to_owned() }
}

/// The day of a text such as `2026-11-19` or `2026-11-19T08:00`.
pub fn day(text: &str) -> Date {
    text[..10].parse().expect("a day")
}

/// The same as a time, with the usual one if the text has none.
fn time(text: &str, usual: &str) -> DateTime {
    let text = if text.len() > 10 { text.to_owned() } else { format!("{text}T{usual}") };
    text.parse().expect("a time")
}

/// The instant of a time on the clock of the person, who lives in the zone of the workspace.
pub fn instant(local: DateTime) -> Timestamp {
    let zone = TimeZone::fixed(jiff::tz::offset(1));
    Timestamp::from_jiff(zone.to_timestamp(local).expect("a time"))
}

/// A workspace on a day.
pub struct Desk {
    pub facts: WorkspaceFacts,
}

/// A task in the making.
pub struct Draft<'a> {
    desk: &'a mut Desk,
    at: usize,
}

impl Desk {
    pub fn new(today: &str) -> Self {
        let today = day(today);
        let facts = WorkspaceFacts {
            today,
            zone: "Europe/Berlin".into(),
            last_run: None,
            since: today.saturating_sub(40.days()),
            tasks: Vec::new(),
            attention: Vec::new(),
            events: Vec::new(),
            verdicts: Vec::new(),
        };
        Self { facts }
    }

    /// On a day, early in the morning, or at a time.
    pub fn last_run(mut self, at: &str) -> Self {
        let local = time(at, "07:30");
        self.facts.last_run = Some(LastRun { at: instant(local), local });
        self
    }

    pub fn task(&mut self, title: &str) -> Draft<'_> {
        let at = self.facts.tasks.len();
        let old = self.facts.today.saturating_sub(20.days());
        self.facts.tasks.push(TaskFacts {
            id: id("jt", at + 1),
            title: title.to_owned(),
            status: Status::Open,
            status_reason: None,
            status_since: old,
            priority: None,
            due_on: None,
            estimate_minutes: None,
            category: None,
            labels: Vec::new(),
            items: Vec::new(),
            time_spent: Vec::new(),
            created_on: old,
            changed_on: old,
            due_moves: Vec::new(),
            n_due_moves: 0,
            history: Vec::new(),
            open_proposals: Vec::new(),
        });
        Draft { desk: self, at }
    }

    pub fn event(&mut self, title: &str, from: &str, to: &str) {
        let n = self.facts.events.len();
        self.facts.events.push(EventFact {
            id: format!("event-{n}"),
            title: title.to_owned(),
            starts_at: from.parse().expect("a time"),
            ends_at: to.parse().expect("a time"),
            is_whole_day: from.ends_with("T00:00") && to.ends_with("T00:00"),
        });
    }

    pub fn attention(
        &mut self,
        reason: AttentionReason,
        task: Option<TaskId>,
        title: &str,
        text: &str,
        (count, since): (usize, &str),
    ) {
        let n = self.facts.attention.len();
        self.facts.attention.push(AttentionFact {
            id: format!("attention-{n}"),
            reason,
            task,
            title: title.to_owned(),
            run: None,
            text: text.to_owned(),
            count,
            since: day(since),
        });
    }

    pub fn run(&self, parameters: &WorkParameters, language: &str) -> BuiltInOutcome {
        let outcome = work::run(&self.facts, parameters, language);
        if let Some(text) = text_of(&outcome) {
            let is_hostile = self.facts.tasks.iter().any(|task| task.title.contains('{'));
            assert_sound(text, is_hostile);
        }
        outcome
    }
}

impl Draft<'_> {
    fn with(self, set: impl FnOnce(&mut TaskFacts)) -> Self {
        set(&mut self.desk.facts.tasks[self.at]);
        self
    }

    pub fn id(self) -> TaskId {
        self.desk.facts.tasks[self.at].id.clone()
    }

    pub fn due(self, on: &str) -> Self {
        self.with(|task| task.due_on = Some(day(on)))
    }

    pub fn priority(self, priority: Priority) -> Self {
        self.with(|task| task.priority = Some(priority))
    }

    pub fn estimate(self, minutes: u32) -> Self {
        self.with(|task| task.estimate_minutes = Some(minutes))
    }

    pub fn category(self, n: usize, name: &str) -> Self {
        self.with(|task| task.category = Some(named("ct", n, name)))
    }

    pub fn label(self, n: usize, name: &str) -> Self {
        self.with(|task| task.labels.push(named("lb", n, name)))
    }

    pub fn changed(self, on: &str) -> Self {
        self.with(|task| task.changed_on = day(on))
    }

    pub fn item(self, title: &str, is_checked: bool) -> Self {
        self.with(|task| {
            let n = task.items.len() + 1;
            task.items.push(ItemFact { id: id("ci", n), title: title.to_owned(), is_checked });
        })
    }

    pub fn spent(self, on: &str, minutes: u32) -> Self {
        self.with(|task| task.time_spent.push(TimeSpent { on: day(on), minutes }))
    }

    pub fn proposed(self, tool: &str) -> Self {
        self.with(|task| task.open_proposals.push(tool.to_owned()))
    }

    pub fn what(self, on: &str, what: What) -> Self {
        self.by(on, Origin::Person { via: None }, what)
    }

    pub fn without_history(self) -> Self {
        self.with(|task| task.history.clear())
    }

    pub fn by(self, on: &str, origin: Origin, what: What) -> Self {
        self.with(|task| {
            task.changed_on = task.changed_on.max(day(on));
            let at = instant(time(on, "12:00"));
            task.history.push(HistoryLine { at, on: day(on), origin, what: Some(what) });
        })
    }

    pub fn created(self, on: &str) -> Self {
        let title = self.desk.facts.tasks[self.at].title.clone();
        let draft = self.with(|task| {
            task.created_on = day(on);
            task.status_since = day(on);
        });
        draft.what(on, What::TaskCreated { title })
    }

    pub fn status(self, on: &str, status: Status, reason: Option<&str>) -> Self {
        let from = self.desk.facts.tasks[self.at].status;
        let reason = reason.map(ToOwned::to_owned);
        let value = |status, reason| Some(FieldValue::Status { status, reason });
        let change = FieldChange {
            field: FieldRef::Status,
            from: value(from, None),
            to: value(status, reason.clone()),
        };
        let draft = self.with(|task| {
            task.status = status;
            task.status_since = day(on);
            task.status_reason = reason;
        });
        draft.what(on, What::FieldSet(change))
    }

    /// Its due date was moved to what it is now.
    pub fn moved(self, on: &str, from: &str) -> Self {
        let to = self.desk.facts.tasks[self.at].due_on.expect("a due date");
        let value = |on| Some(FieldValue::Day { on });
        let change =
            FieldChange { field: FieldRef::DueDate, from: value(day(from)), to: value(to) };
        let draft = self.with(|task| {
            task.due_moves.push(DueMove { on: day(on), from: day(from), to });
            task.n_due_moves += 1;
        });
        draft.what(on, What::FieldSet(change))
    }

    pub fn note(self, on: &str) -> Self {
        let n = self.desk.facts.tasks[self.at].history.len() + 1;
        let entry: EntryId = id("en", n);
        self.what(on, What::EntryAdded { entry })
    }

    pub fn ticked(self, on: &str, title: &str) -> Self {
        self.what(
            on,
            What::ItemChecked { item: id("ci", 1), title: title.to_owned(), is_checked: true },
        )
    }

    pub fn verdict(self, on: &str, tool: &str, verdict: Verdict, is_own: bool) -> Self {
        let task = &self.desk.facts.tasks[self.at];
        let fact = VerdictFact {
            on: day(on),
            task: task.id.clone(),
            title: task.title.clone(),
            tool: tool.to_owned(),
            verdict,
            change: None,
            is_own,
        };
        self.desk.facts.verdicts.push(fact);
        self
    }
}

pub fn text_of(outcome: &BuiltInOutcome) -> Option<&WorkText> {
    match outcome {
        BuiltInOutcome::Text(text) => Some(text),
        BuiltInOutcome::Proposals(proposals) => Some(&proposals.text),
        BuiltInOutcome::Nothing { .. } | BuiltInOutcome::CannotRun { .. } => None,
    }
}

/// What holds for every text: each section has a figure that opens as much as it counts, no task is in
/// it twice, and no section is empty.
fn assert_sound(text: &WorkText, is_hostile: bool) {
    let mut seen = std::collections::BTreeSet::new();
    for section in &text.sections {
        assert!(!section.lines.is_empty(), "{} is empty", section.name);
        // Those that were imported are a line of what changed.
        let counts = |figure: &&Figure| match section.name {
            ResultList::Changed => {
                [ResultList::Changed, ResultList::Imported].iter().any(|it| figure.name == *it)
            }
            name => figure.name == name,
        };
        let figure = text.figures.iter().find(counts);
        let is_one_new = section.name == ResultList::NewTask;
        assert!(figure.is_some() || is_one_new, "{} opens no list", section.name);
        for line in &section.lines {
            let is_new = line.task.as_ref().is_none_or(|task| seen.insert(task.clone()));
            // A task can be done and have been decided about.
            assert!(is_new || section.name == ResultList::Decisions, "{} twice", line.subject);
            assert!(!line.subject.is_empty() && !line.subject.contains('\n'));
            assert!(is_hostile || !line.detail.contains('{'), "{}", line.detail);
        }
    }
    for figure in &text.figures {
        let n = match &figure.opens {
            FigureList::Tasks(ids) => ids.len(),
            FigureList::Events(ids) | FigureList::Attention(ids) => ids.len(),
        };
        assert!(n > 0 && figure.value > 0, "{} opens nothing", figure.name);
    }
    assert!((is_hostile || !text.title.contains('{')) && !text.title.is_empty());
}

/// An outcome as a snapshot shows it.
pub fn rendered(outcome: &BuiltInOutcome) -> String {
    match outcome {
        BuiltInOutcome::Nothing { why } => format!("(nothing: {why})\n"),
        BuiltInOutcome::CannotRun { why, subject } => format!("(cannot run: {why}: {subject})\n"),
        BuiltInOutcome::Text(text) => page(text),
        BuiltInOutcome::Proposals(proposals) => {
            let mut shown = page(&proposals.text);
            for call in proposals.calls.iter().take(3) {
                let because = &call.evidence.text;
                shown.push_str(&format!("> {} {} because: {because}\n", call.tool, call.args));
            }
            for task in &proposals.new_tasks {
                let json = serde_json::to_string(task).expect("plain data");
                shown.push_str(&format!("> new task {json}\n"));
            }
            shown
        }
    }
}

fn page(text: &WorkText) -> String {
    let figures = text.figures.iter().map(|it| {
        let category = it.category.as_ref().map(|of| format!(":{of}")).unwrap_or_default();
        format!("{}{category} {}", it.name, it.value)
    });
    let figures: Vec<String> = figures.collect();
    format!("{}\n\n{}\nfigures: {}\n", text.title, text.markdown, figures.join(", "))
}
