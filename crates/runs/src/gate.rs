//! The gate: which pieces of a prompt the model of a run may see.
//!
//! It is applied to every request, right before the request is built, and nowhere else. A piece goes
//! through whole or not at all.

use std::collections::BTreeSet;

use dormouse_store::agent::source::Source;
use dormouse_types::kept_back::{KeptBack, KeptBackReason, KeptPieces};
use dormouse_types::model::{Fragment, FragmentData, FragmentKind};
use dormouse_types::{LabelId, RunKey};

use crate::clearance::Clearance;
use crate::request;

/// What a piece of a prompt is, for the count of what was kept back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// Fields and checklist of the task. Without them there is nothing to ask about.
    Task,
    /// An entry, or a change of one.
    Entry,
    /// A linked task.
    Link,
    /// A note of the agent.
    Note,
    /// A proposal or a decision.
    Proposal,
    /// The summary of what the person got last.
    Summary,
    /// The name of a label that could be proposed.
    Label,
    /// Anything else: rules, instructions, changes of the task, messages.
    Other,
}

/// A piece of a fragment, with what it was made of.
#[derive(Debug, Clone)]
pub struct Part {
    /// What it is.
    pub piece: Piece,
    pub text: String,
    /// What it was made of. Without a source, it contains nothing of the person's.
    pub sources: Vec<Source>,
    /// The heading of the section that it belongs to, shown with the first part of it.
    pub heading: Option<&'static str>,
    /// Its place in the log, from 1, if it is a line of it.
    pub line: Option<i64>,
    /// The run that wrote it, if it is a line of the log: the lines of a run are sent as one block.
    pub run: Option<RunKey>,
    /// What is shown instead if this may not be, made of fewer sources.
    pub otherwise: Option<Box<Part>>,
    /// What follows the text, with commas: each is judged on its own. If nothing is left of it, the text
    /// is not shown either.
    pub labels: Vec<OfferedLabel>,
}

/// A label that the model may propose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedLabel {
    pub id: LabelId,
    /// Its name, as it is shown.
    pub text: String,
}

impl OfferedLabel {
    fn source(&self) -> Source {
        Source::Label(self.id.clone())
    }
}

impl Part {
    /// Creates a part that contains nothing of the person's.
    pub fn fixed(text: impl Into<String>) -> Self {
        Self::new(Piece::Other, text, Vec::new())
    }

    /// Creates a part without a heading.
    pub fn new(piece: Piece, text: impl Into<String>, sources: Vec<Source>) -> Self {
        Self {
            piece,
            text: text.into(),
            sources,
            heading: None,
            line: None,
            run: None,
            otherwise: None,
            labels: Vec::new(),
        }
    }

    /// Returns the same part below a heading.
    #[must_use]
    pub fn below(self, heading: &'static str) -> Self {
        Self { heading: Some(heading), ..self }
    }
}

/// A fragment before the gate.
#[derive(Debug, Clone)]
pub struct Draft {
    /// What it is; decides its place in the prompt.
    pub kind: FragmentKind,
    /// Its text.
    pub parts: Vec<Part>,
    /// The same content as data, for the built-in model.
    pub data: FragmentData,
    /// What the data was made of beyond the parts.
    pub data_sources: Vec<Source>,
    /// Whether it contains text from outside.
    pub tainted: bool,
}

impl Draft {
    /// Creates a fragment with text from outside.
    pub fn tainted(kind: FragmentKind, parts: Vec<Part>, data: FragmentData) -> Self {
        Self { kind, parts, data, data_sources: Vec::new(), tainted: true }
    }

    /// Creates a fragment of fixed text.
    pub fn fixed(kind: FragmentKind, text: impl Into<String>, data: FragmentData) -> Self {
        let parts = vec![Part::fixed(text)];
        Self { kind, parts, data, data_sources: Vec::new(), tainted: false }
    }
}

/// Returns everything that fragments were made of.
pub fn sources_of(drafts: &[Draft]) -> BTreeSet<Source> {
    let parts = drafts.iter().flat_map(|draft| &draft.parts);
    let of_part = |part: &Part| {
        let labels = part.labels.iter().map(OfferedLabel::source);
        part.sources.iter().cloned().chain(labels).collect::<Vec<_>>()
    };
    parts.flat_map(of_part).collect()
}

/// What went through the gate.
#[derive(Debug, Clone, Default)]
pub struct Gated {
    /// Fragments with what may be sent of them; one of which nothing may be sent is missing.
    pub fragments: Vec<Fragment>,
    /// What they were made of, apart from the log, whose lines say it themselves.
    pub sources: Vec<Source>,
    /// The lines of the log that were let through, as first and last of each run of lines.
    pub log: Vec<(i64, i64)>,
    /// What was left out.
    pub kept_back: KeptBack,
}

impl Gated {
    /// Returns why the model may not even see the task; `None` if it may.
    pub fn hidden_task(&self) -> Option<KeptBackReason> {
        self.kept_back.task()
    }
}

/// Leaves out what the model may not see, counts it, and says so in the instruction.
///
/// A model that may not see everything gets text only: the data of a fragment is not taken apart.
pub fn gate(drafts: Vec<Draft>, clearance: &Clearance) -> Gated {
    let mut gated = Gated::default();
    let mut sources = BTreeSet::new();
    let mut hidden: Vec<(KeptBackReason, Part)> = Vec::new();
    let mut instruction = None;
    for draft in drafts {
        let mut shown = Vec::new();
        for part in draft.parts {
            let mut candidate = Some(part);
            while let Some(mut part) = candidate.take() {
                match clearance.refusal(&part.sources) {
                    None => shown.extend(with_labels(part, clearance, &mut hidden)),
                    Some(reason) => {
                        candidate = part.otherwise.take().map(|otherwise| *otherwise);
                        hidden.push((reason, part));
                    }
                }
            }
        }
        if shown.is_empty() {
            continue;
        }
        for part in &shown {
            match part.line {
                Some(line) => follow(&mut gated.log, line),
                None => sources.extend(part.sources.iter().cloned()),
            }
            // The built-in rules write no label into a text. Which one a proposal of theirs is about is
            // a source of the lines that name it.
            if *clearance != Clearance::BuiltIn {
                sources.extend(part.labels.iter().map(OfferedLabel::source));
            }
        }
        let data = match clearance {
            Clearance::Everything | Clearance::BuiltIn => {
                sources.extend(draft.data_sources);
                draft.data
            }
            Clearance::Only(_) => FragmentData::None,
        };
        let Draft { kind, tainted, .. } = draft;
        if kind == FragmentKind::Instruction {
            instruction = Some(gated.fragments.len());
        }
        let text = joined(kind, &shown);
        let block_ends = match kind {
            FragmentKind::Log => block_ends(&shown),
            FragmentKind::System
            | FragmentKind::Summary
            | FragmentKind::Work
            | FragmentKind::EarlierRuns
            | FragmentKind::LinkedTasks
            | FragmentKind::TaskState
            | FragmentKind::Decisions
            | FragmentKind::Trend
            | FragmentKind::Delta
            | FragmentKind::Message
            | FragmentKind::Instruction => Vec::new(),
        };
        gated.fragments.push(Fragment { kind, text, data, tainted, block_ends });
    }
    gated.sources = sources.into_iter().collect();
    gated.kept_back = counted(&hidden);
    if let Some(note) = note(&gated.kept_back)
        && let Some(fragment) = instruction.and_then(|place| gated.fragments.get_mut(place))
    {
        fragment.text.push_str(&note);
    }
    gated
}

/// Adds to the text of a part the labels that may be seen; `None` if it offers labels and may offer none.
fn with_labels(
    mut part: Part,
    clearance: &Clearance,
    hidden: &mut Vec<(KeptBackReason, Part)>,
) -> Option<Part> {
    if part.labels.is_empty() {
        return Some(part);
    }
    part.labels.retain(|label| {
        let sources = vec![label.source()];
        let refusal = clearance.refusal(&sources);
        let kept = |reason| (reason, Part::new(Piece::Label, label.text.clone(), sources));
        hidden.extend(refusal.map(kept));
        refusal.is_none()
    });
    let labels: Vec<&str> = part.labels.iter().map(|label| label.text.as_str()).collect();
    part.text.push_str(&labels.join(", "));
    (!labels.is_empty()).then_some(part)
}

/// Returns what the model reads about what was kept back.
fn note(kept_back: &KeptBack) -> Option<String> {
    let words = kept_back.words();
    let sentences = words.iter().map(|(reason, words)| match reason {
        KeptBackReason::Private => {
            format!("Kept back from this model because it is private: {words}.")
        }
        KeptBackReason::Category => {
            format!("Kept back from this model because of the category of its task: {words}.")
        }
    });
    let sentences = sentences.collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then(|| format!("\n{sentences} Do not guess what it says."))
}

fn counted(hidden: &[(KeptBackReason, Part)]) -> KeptBack {
    let of = |why: KeptBackReason| {
        let parts = hidden.iter().filter(|(reason, _)| *reason == why);
        parts.map(|(_, part)| part).collect::<Vec<_>>()
    };
    let (private, category) = (of(KeptBackReason::Private), of(KeptBackReason::Category));
    let hides_task = |parts: &[&Part]| parts.iter().any(|part| part.piece == Piece::Task);
    let task = KeptPieces { tasks: 1, ..KeptPieces::default() };
    // Without its task nothing is sent, so nothing else needs to be counted.
    if hides_task(&private) {
        return KeptBack { private: task, ..KeptBack::default() };
    }
    if hides_task(&category) {
        return KeptBack { category: task, ..KeptBack::default() };
    }
    KeptBack { private: pieces(&private), category: pieces(&category) }
}

fn pieces(hidden: &[&Part]) -> KeptPieces {
    let count = |piece: Piece| {
        let parts = hidden.iter().filter(|part| part.piece == piece);
        let distinct: BTreeSet<(&[Source], Option<&str>)> = parts
            .map(|part| match piece {
                // An entry appears once for each of its changes.
                Piece::Entry => (part.sources.as_slice(), None),
                // A linked task, which is the last source, appears in its row and in changes.
                Piece::Link => (&part.sources[part.sources.len().saturating_sub(1)..], None),
                Piece::Label => (part.sources.as_slice(), None),
                Piece::Task | Piece::Note | Piece::Proposal | Piece::Summary | Piece::Other => {
                    (part.sources.as_slice(), Some(part.text.as_str()))
                }
            })
            .collect();
        u32::try_from(distinct.len()).unwrap_or(u32::MAX)
    };
    KeptPieces {
        tasks: 0,
        entries: count(Piece::Entry),
        links: count(Piece::Link),
        notes: count(Piece::Note),
        proposals: count(Piece::Proposal),
        summaries: count(Piece::Summary),
        labels: count(Piece::Label),
        others: count(Piece::Other),
    }
}

/// Joins the parts of a fragment. The sentences of an instruction follow each other on a line, and
/// linked tasks are rows of a JSON document.
fn joined(kind: FragmentKind, parts: &[Part]) -> String {
    if kind == FragmentKind::LinkedTasks {
        let rows: Vec<(Option<&str>, &str)> =
            parts.iter().map(|part| (part.heading, part.text.as_str())).collect();
        return request::json_lists(&rows);
    }
    let joint = if kind == FragmentKind::Instruction { "" } else { "\n" };
    let mut lines = Vec::new();
    let mut heading = None;
    for part in parts {
        if part.heading != heading {
            lines.extend(part.heading);
            heading = part.heading;
        }
        lines.push(part.text.as_str());
    }
    lines.join(joint)
}

/// Returns where a log is cut: after the last line of each run but the newest.
fn block_ends(parts: &[Part]) -> Vec<usize> {
    let runs: Vec<Option<&RunKey>> = parts.iter().map(|part| part.run.as_ref()).collect();
    let lines: Vec<(&str, Option<&RunKey>)> =
        parts.iter().zip(runs).map(|(part, run)| (part.text.as_str(), run)).collect();
    request::log_block_ends(&lines)
}

fn follow(stretches: &mut Vec<(i64, i64)>, line: i64) {
    match stretches.last_mut() {
        Some((_, last)) if *last + 1 == line => *last = line,
        Some(_) | None => stretches.push((line, line)),
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::EntryId;

    use super::*;
    use crate::clearance::Shown;

    fn entry(n: u8) -> Source {
        let id = format!("en-{:026}", n);
        Source::Entry(id.parse::<EntryId>().expect("an id"))
    }

    fn only<const N: usize>(sources: [Source; N]) -> Clearance {
        Clearance::Only(Shown { sources: sources.into(), ..Shown::default() })
    }

    fn line(n: i64, text: &str, source: Source) -> Part {
        Part { line: Some(n), ..Part::new(Piece::Entry, text, vec![source]).below("## Task Log") }
    }

    fn draft(kind: FragmentKind, parts: Vec<Part>) -> Draft {
        Draft { kind, parts, data: FragmentData::None, data_sources: Vec::new(), tainted: true }
    }

    fn drafts() -> Vec<Draft> {
        let note = Part::new(Piece::Note, "You noted: a secret", vec![entry(2), entry(1)]);
        vec![
            draft(
                FragmentKind::Log,
                vec![
                    line(1, "one", entry(1)),
                    line(2, "a secret", entry(2)),
                    line(3, "the secret, edited", entry(2)),
                    line(4, "four", entry(1)),
                    line(5, "five", entry(3)),
                ],
            ),
            draft(FragmentKind::Delta, vec![note]),
            Draft::fixed(FragmentKind::Instruction, "Do it.", FragmentData::None),
        ]
    }

    #[test]
    fn what_may_not_be_seen_is_left_out_whole_and_counted() {
        let clearance = only([entry(1), entry(3)]);
        let gated = gate(drafts(), &clearance);
        let texts: Vec<&str> = gated.fragments.iter().map(|f| f.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "## Task Log\none\nfour\nfive",
                "Do it.\nKept back from this model because it is private: 1 entry, 1 note. Do not \
                 guess what it says.",
            ]
        );
        assert_eq!(gated.log, [(1, 1), (4, 5)]);
        assert_eq!(gated.sources, []);
        assert_eq!(gated.hidden_task(), None);
    }

    #[test]
    fn what_is_of_another_category_is_counted_apart_and_said_in_its_own_words() {
        let shown = Shown { sources: [entry(1)].into(), other_categories: [entry(3)].into() };
        let gated = gate(drafts(), &Clearance::Only(shown));
        let kept = |entries, notes| KeptPieces { entries, notes, ..KeptPieces::default() };
        assert_eq!(gated.kept_back, KeptBack { private: kept(1, 1), category: kept(1, 0) });
        assert_eq!(
            gated.fragments[1].text,
            "Do it.\nKept back from this model because it is private: 1 entry, 1 note. Kept back \
             from this model because of the category of its task: 1 entry. Do not guess what it \
             says."
        );
    }

    fn label(n: u8) -> OfferedLabel {
        let id = format!("lb-{n:026}").parse().expect("an id");
        OfferedLabel { id, text: format!("label {n}") }
    }

    fn offer(labels: &[u8]) -> Vec<Draft> {
        let labels = labels.iter().map(|n| label(*n)).collect();
        let offer = Part { labels, ..Part::new(Piece::Task, "Labels: ", vec![entry(1)]) };
        vec![
            draft(FragmentKind::TaskState, vec![Part::fixed("# a task"), offer]),
            Draft::fixed(FragmentKind::Instruction, "Do it.", FragmentData::None),
        ]
    }

    #[test]
    fn a_label_that_may_not_be_seen_is_left_out_of_its_line_and_counted() {
        let clearance = only([entry(1), label(1).source(), label(3).source()]);
        let gated = gate(offer(&[1, 2, 3]), &clearance);
        let notice = "\nKept back from this model because it is private: 1 label. Do not guess what it \
                    says.";
        let texts: Vec<&str> = gated.fragments.iter().map(|f| f.text.as_str()).collect();
        assert_eq!(texts, ["# a task\nLabels: label 1, label 3", &format!("Do it.{notice}")]);
        assert_eq!(gated.sources, [entry(1), label(1).source(), label(3).source()]);
        let gated = gate(offer(&[2]), &clearance);
        assert_eq!(gated.fragments[0].text, "# a task", "no line without labels");
    }

    #[test]
    fn labels_that_were_offered_are_sources_of_whatever_a_language_model_writes() {
        let labels = [label(1).source(), label(2).source()];
        assert_eq!(
            sources_of(&offer(&[1, 2])),
            [vec![entry(1)], labels.to_vec()].concat().into_iter().collect()
        );
        for (clearance, inherited) in
            [(Clearance::Everything, labels.as_slice()), (Clearance::BuiltIn, &[])]
        {
            let gated = gate(offer(&[1, 2]), &clearance);
            assert_eq!(gated.fragments[0].text, "# a task\nLabels: label 1, label 2");
            assert_eq!(gated.sources, [&[entry(1)], inherited].concat());
        }
    }

    #[test]
    fn a_task_that_may_not_be_sent_is_all_that_is_counted() {
        let of_task = |source| Part::new(Piece::Task, "the task", vec![source]);
        for (clearance, reason) in [
            (only([entry(1)]), KeptBackReason::Private),
            (
                Clearance::Only(Shown {
                    sources: [entry(1)].into(),
                    other_categories: [entry(2), entry(3)].into(),
                }),
                KeptBackReason::Category,
            ),
        ] {
            let all = [drafts(), vec![draft(FragmentKind::TaskState, vec![of_task(entry(2))])]];
            let gated = gate(all.concat(), &clearance);
            assert_eq!(gated.hidden_task(), Some(reason));
            let words = gated.kept_back.words();
            assert_eq!(words, [(reason, "1 task".to_owned())]);
        }
    }

    #[test]
    fn what_is_shown_otherwise_takes_the_place_of_what_may_not_be_seen() {
        let row = |text: &str, sources| Part::new(Piece::Link, text, sources).below("linked_to");
        let whole = Part {
            piece: Piece::Summary,
            otherwise: Some(Box::new(row("{\"id\":1}", vec![entry(1)]))),
            ..row("{\"id\":1,\"words\":\"secret\"}", vec![entry(1), entry(2)])
        };
        let parts = vec![whole, row("{\"id\":2}", vec![entry(2)])];
        let drafts = vec![draft(FragmentKind::LinkedTasks, parts)];
        let gated = gate(drafts, &only([entry(1)]));
        let text = "{\"linked_from\": [],\n\"linked_to\": [\n{\"id\":1}\n]}";
        assert_eq!(gated.fragments[0].text, text);
        assert_eq!((gated.kept_back.private.summaries, gated.kept_back.private.links), (1, 1));
    }

    #[test]
    fn a_model_that_may_see_everything_gets_everything_and_its_sources_are_noted() {
        let gated = gate(drafts(), &Clearance::Everything);
        assert_eq!(gated.fragments.len(), 3);
        assert_eq!(gated.log, [(1, 5)]);
        assert_eq!(gated.sources, [entry(1), entry(2)], "those of the note");
        assert_eq!(gated.fragments[2].text, "Do it.");
        assert!(gated.kept_back.is_empty());
    }

    #[test]
    fn what_nobody_knows_the_origin_of_is_not_sent() {
        let unknown =
            draft(FragmentKind::Delta, vec![Part::new(Piece::Other, "old", vec![Source::Unknown])]);
        let gated = gate(vec![unknown], &only([]));
        assert!(gated.fragments.is_empty(), "{gated:?}");
        assert_eq!(gated.kept_back.private.others, 1);
    }
}
