//! Chooses what to report if there is more than a reader can take in.

use std::cmp::Reverse;

use dormouse_types::directive::ReportLength;

use super::classify::{Findings, order_of_entry};
use super::coming::Coming;
use super::fact::{Fact, Kind, Source};
use super::heading;
use super::unit::{UNIT_MAX, finish, without_stop};
use crate::input::Input;
use crate::lang::Lang;

/// Maximum number of units per section.
struct Most {
    done: usize,
    left: usize,
    learned: usize,
    open: usize,
}

impl Most {
    fn of(length: Option<ReportLength>) -> Self {
        match length {
            Some(ReportLength::Short) => Self { done: 4, left: 8, learned: 2, open: 3 },
            None => Self { done: 12, left: 20, learned: 8, open: 6 },
            Some(ReportLength::Long) => Self { done: 20, left: 30, learned: 14, open: 10 },
        }
    }
}

/// Changes of one version that are reported.
const PER_VERSION: usize = 2;
/// Number of facts that later ones are compared with.
const COMPARED: usize = 80;
/// Number of boxes above which groups are reported instead.
const BOXES_MAX: usize = 24;

/// What the report contains, in order.
#[derive(Debug, Default)]
pub struct Chosen {
    /// Finished work, newest first.
    pub done: Vec<Fact>,
    /// Open work, most urgent first.
    pub left: Vec<Fact>,
    /// Insights, in the order of the text.
    pub learned: Vec<Fact>,
    /// What the person must decide.
    pub open: Vec<Fact>,
    /// All boxes of the task and its text.
    pub n_boxes: usize,
    /// Number of those that are ticked.
    pub n_ticked: usize,
    /// All open work, reported or not.
    pub n_left: usize,
    /// Open items that the text says are done.
    pub contested: Vec<String>,
    /// What the newest notes say that no other section tells.
    pub recent: Vec<String>,
    /// Days to come, soonest first.
    pub coming: Vec<Coming>,
}

/// Chooses what to report.
pub fn choose(input: &Input<'_>, findings: &Findings, facts: Vec<Fact>) -> Chosen {
    let lang = input.lang;
    let most = Most::of(input.style().length());
    let is_box = |fact: &&Fact| matches!(fact.source, Source::Item | Source::Box);
    let mut chosen = Chosen {
        n_boxes: facts.iter().filter(is_box).count(),
        n_ticked: facts.iter().filter(is_box).filter(|fact| fact.kind == Kind::Done).count(),
        contested: facts
            .iter()
            .filter(|fact| fact.kind == Kind::Open && fact.is_contested)
            .filter_map(|fact| fact.group.clone())
            .collect(),
        ..Chosen::default()
    };
    let of = |kind: Kind| facts.iter().filter(move |fact| fact.kind == kind).cloned().collect();
    let (mut done, mut left): (Vec<Fact>, Vec<Fact>) = (of(Kind::Done), of(Kind::Left));
    let (learned, mut open): (Vec<Fact>, Vec<Fact>) = (of(Kind::Learned), of(Kind::Open));

    for half in left.iter().filter(|fact| fact.is_half) {
        let text = lang.report.say.half.replace("{item}", without_stop(&half.text));
        open.push(Fact { kind: Kind::Open, text, ..half.clone() });
    }
    chosen.n_left = distinct(left.clone()).len();
    if facts.iter().filter(is_box).count() > BOXES_MAX {
        (done, left) = grouped(done, left, lang, most.left);
    }
    left.sort_by_key(|fact| {
        (fact.is_contested, fact.source, newest_entry_first(fact), fact.segment)
    });
    chosen.left = finished(distinct(left), lang);
    chosen.left.truncate(most.left);

    done.sort_by_key(|fact| (-fact.weight, -fact.order));
    let mut done = distinct(done);
    if findings.is_change_log {
        done.sort_by_key(|fact| -fact.order);
        // A short log has room for more changes of each version.
        let room = |n: &usize| per_group(&done, *n).len() <= most.done;
        let n = (PER_VERSION..=most.done).take_while(room).last().unwrap_or(PER_VERSION);
        done = per_group(&done, n);
    }
    let mut done = finished(done, lang);
    done.retain(|fact| !chosen.left.iter().any(|open| is_in_both(&fact.text, &open.text)));
    done.truncate(most.done);
    done.sort_by_key(|fact| in_time(fact, findings));
    chosen.done = done;

    let mut learned = learned;
    // If two weigh the same, prefer the one under a heading, then the longer one.
    learned.sort_by_key(|fact| {
        (-fact.weight, fact.source, Reverse(fact.words.len().min(12)), fact.segment)
    });
    let mut learned = finished(distinct(learned), lang);
    learned.retain(|fact| {
        !chosen.done.iter().chain(&chosen.left).any(|other| is_in_both(&fact.text, &other.text))
    });
    learned.truncate(most.learned);
    learned.sort_by_key(|fact| fact.segment);
    chosen.learned = learned;

    open.sort_by_key(|fact| (-fact.weight, fact.segment));
    let mut open = finished(distinct(open), lang);
    open.truncate(most.open);
    chosen.open = open;
    chosen
}

/// Sort key: newest first; a text without days keeps its own order.
fn in_time(fact: &Fact, findings: &Findings) -> (i64, i64) {
    let entry = fact.entry.map_or(fact.order, order_of_entry);
    let has_time = fact.stamp.is_some() || findings.is_change_log;
    let within = if has_time { -fact.order } else { fact.segment.map_or(0, |at| at as i64) };
    (-entry, within)
}

fn newest_entry_first(fact: &Fact) -> i64 {
    // Items of the task keep their order; among texts the newest entry comes first.
    fact.entry.map_or(0, |entry| -i64::try_from(entry).unwrap_or(0))
}

/// Removes duplicates; of two facts that say the same, the first is kept.
fn distinct(facts: Vec<Fact>) -> Vec<Fact> {
    let mut kept: Vec<Fact> = Vec::new();
    for fact in facts {
        // Later facts are never reported, only counted.
        let compared = &kept[..kept.len().min(COMPARED)];
        if !compared.iter().any(|other| other.is_same(&fact) || other.text == fact.text) {
            kept.push(fact);
        }
    }
    kept
}

fn finished(facts: Vec<Fact>, lang: &Lang) -> Vec<Fact> {
    facts
        .into_iter()
        .filter_map(|fact| {
            let max = if fact.kind == Kind::Open { UNIT_MAX + 40 } else { UNIT_MAX };
            let text = finish(&fact.text, max, lang)?;
            let text = match fact.kind {
                Kind::Left => without_stop(&text).trim_end_matches(':').to_owned(),
                Kind::Done | Kind::Learned | Kind::Open => text,
            };
            (!text.is_empty()).then_some(Fact { text, ..fact })
        })
        .collect()
}

/// Returns whether a reader would see the same text twice.
pub fn is_in_both(one: &str, other: &str) -> bool {
    let (one, other) = (plain(one), plain(other));
    let least = one.chars().count().min(other.chars().count());
    one == other || least >= 16 && (one.contains(&other) || other.contains(&one))
}

/// Returns whether a text contains a sentence.
pub fn is_part_of(sentence: &str, text: &str) -> bool {
    plain(text).contains(&plain(sentence))
}

fn plain(text: &str) -> String {
    crate::read::fold::fold(text).trim_end_matches(['.', '!', ' ', '…']).to_owned()
}

/// Keeps at most `most` facts of each version.
fn per_group(facts: &[Fact], most: usize) -> Vec<Fact> {
    let mut seen = std::collections::BTreeMap::<Option<&String>, usize>::new();
    let kept = facts.iter().filter(|fact| {
        let n = seen.entry(fact.group.as_ref()).or_default();
        *n += 1;
        *n <= most
    });
    kept.cloned().collect()
}

/// Groups many boxes into one line per heading: for finished work and, if there is much of it, for
/// open work.
fn grouped(
    done: Vec<Fact>,
    left: Vec<Fact>,
    lang: &Lang,
    left_max: usize,
) -> (Vec<Fact>, Vec<Fact>) {
    let of_box = |fact: &Fact| fact.source == Source::Box;
    let (done_boxes, mut other_done): (Vec<Fact>, Vec<Fact>) = done.into_iter().partition(of_box);
    let (left_boxes, mut other_left): (Vec<Fact>, Vec<Fact>) = left.into_iter().partition(of_box);
    let mut groups: Vec<(Option<String>, Vec<Fact>, Vec<Fact>)> = Vec::new();
    let mut in_order: Vec<Fact> = done_boxes.into_iter().chain(left_boxes).collect();
    in_order.sort_by_key(|fact| fact.segment);
    for fact in in_order {
        if groups.last().is_none_or(|(group, _, _)| *group != fact.group) {
            groups.push((fact.group.clone(), Vec::new(), Vec::new()));
        }
        if let Some((_, done, left)) = groups.last_mut() {
            if fact.kind == Kind::Done { done.push(fact) } else { left.push(fact) }
        }
    }
    let n_left: usize = groups.iter().map(|(_, _, left)| left.len()).sum();
    let say = &lang.report.say;
    let mut left_groups = Vec::new();
    for (group, done, left) in groups {
        let all = done.len() + left.len();
        let name = group.as_deref().map_or("", heading::name).to_owned();
        let line = |n: usize, first: &Fact| {
            let text = say
                .group
                .replace("{group}", &name)
                .replace("{done}", &n.to_string())
                .replace("{all}", &all.to_string());
            // Groups are distinguished by their whole name.
            Fact { words: vec![text.clone()], text, stamp: None, weight: 4, ..first.clone() }
        };
        match done.last() {
            Some(last) if !name.is_empty() => other_done.push(line(done.len(), last)),
            Some(_) => other_done.extend(done.iter().cloned()),
            None => {}
        }
        if n_left <= left_max || name.is_empty() {
            other_left.extend(left);
        } else if let Some(first) = left.first() {
            let samples = left.iter().map(|fact| super::unit::cut(without_stop(&fact.text), 40));
            let shown: Vec<String> = samples.take(4).collect();
            let more = if left.len() > shown.len() { ", …" } else { "" };
            let text = format!("{name} ({}): {}{more}", left.len(), shown.join(", "));
            left_groups
                .push((left.len(), Fact { text, words: vec![name.clone()], ..first.clone() }));
        }
    }
    if other_left.len() + left_groups.len() > left_max {
        let room = left_max.saturating_sub(other_left.len() + 1).max(8);
        let rest = left_groups.split_off(room.min(left_groups.len()));
        if let Some((_, last)) = rest.last() {
            let boxes: usize = rest.iter().map(|(n, _)| n).sum();
            let text = say
                .more_groups
                .replace("{groups}", &rest.len().to_string())
                .replace("{boxes}", &boxes.to_string());
            left_groups
                .push((boxes, Fact { text: text.clone(), words: vec![text], ..last.clone() }));
        }
    }
    other_left.extend(left_groups.into_iter().map(|(_, fact)| fact));
    (other_done, other_left)
}
