//! The figures of `docs/memory.md`: what a wake sends as its task grows, and what a week of wakes
//! costs. The pieces are those of a real wake; how they grow follows the rules that fold a log.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use dormouse_adapters::models::{ApiFormat, RemoteModel, ToolMode};
use dormouse_agents::memory::fold;
use dormouse_types::memory::{FoldLimits, lines_to_fold, tokens};
use serde_json::json;

use crate::support::program::Program;
use crate::support::wire::{Server, Turn, config};

/// One entry a wake.
const N_ENTRIES: usize = 10_000;
const WINDOW: u64 = 200_000;
const ROWS: [usize; 8] = [1, 10, 100, 300, 1_000, 3_000, 5_000, 10_000];
/// What a run may spend on folding; see `docs/memory.md`.
const FOLDS_PER_WAKE: usize = 6;
/// A summary has 400 words at most. Units: tokens.
const SUMMARY: u64 = 540;
/// The answer of a turn with a report, and the results of its calls. Units: tokens.
const ANSWER: u64 = 300;
const RESULTS: u64 = 60;
const WEEK: std::ops::Range<usize> = 1_000..1_140;

const FROM: &str = "<!-- figures: from here -->\n";
const TO: &str = "<!-- figures: to here -->\n";

/// The sizes of what a real wake sends. Units: tokens.
struct Pieces {
    tools: u64,
    system: u64,
    present: u64,
    /// What a wake adds to the log, line by line.
    lines: Vec<u64>,
}

fn turn(body: &str) -> Turn {
    let noted = json!({ "observations": [{ "text": "The lift is narrow: the wardrobe goes up in parts, and Anna holds the door.", "priority": "routine" }] });
    let report = json!({ "tldr": "The move is on its way. 📦", "content": "## 📌 What is left to do\n\n- [ ] Book the van" });
    if body.contains("I read it.") {
        ("That is all.", vec![])
    } else {
        ("I read it.", vec![("record_observations", noted), ("update_report", report)])
    }
}

async fn pieces() -> Pieces {
    let (format, rung) = (ApiFormat::Anthropic, ToolMode::Native);
    let model = RemoteModel::new(config(format, rung), Server::answering(format, rung, turn));
    let program = Program::with(Arc::new(model));
    let (task, agent) = program.task("Move to Lübeck", &["Book the van"], "We move in May.").await;
    let mut logs = Vec::new();
    let mut sizes = Vec::new();
    for n in 1..=4 {
        program
            .note(
                &task,
                &format!(
                    "Call {n} with the movers: they come on Friday at eight with two people and a van of \
                     twelve cubic metres. 140 EUR in cash, the piano is 60 more. They need the \
                     parking space in front of the house, Anna asks the neighbours."
                ),
            )
            .await;
        assert_eq!(program.run().await, ["completed"]);
        let wakes = program.dormouse.wakes(&program.me, &agent, 1).await.expect("wakes");
        let key = wakes[0].run_key.clone().expect("a run");
        let prompts = program.dormouse.prompts(&program.me, &agent, &key).await.expect("prompts");
        let of = |kind: &str| {
            let found = prompts[0].fragments.iter().find(|piece| piece.kind.name() == kind);
            found.map(|piece| piece.text.clone()).unwrap_or_default()
        };
        logs.push(of("log"));
        let all: u64 = prompts[0].fragments.iter().map(|piece| tokens(&piece.text)).sum();
        let [tools, system, log] = ["tools", "system", "log"].map(|kind| tokens(&of(kind)));
        sizes.push((tools, system, all - tools - system - log));
    }
    let [.., before, last] = logs.as_slice() else { panic!("four wakes") };
    let added = last.strip_prefix(before.as_str()).expect("a log only grows");
    let lines = added.split_inclusive("</data>").map(tokens).filter(|size| *size > 0).collect();
    let (tools, system, present) = sizes[3];
    Pieces { tools, system, present, lines }
}

/// What one wake sends. Units: tokens.
#[derive(Clone, Copy)]
struct Wake {
    /// If nothing were folded.
    whole: u64,
    /// In its first turn.
    sent: u64,
    /// The beginning that the wake before it had as well.
    alike: u64,
    /// What the calls that fold before it read, and how many there are.
    folding: (u64, u64),
}

impl Wake {
    fn new_tokens(self) -> u64 {
        self.sent - self.alike
    }
}

/// Every wake of a task that grows by an entry a wake.
fn wakes(pieces: &Pieces) -> Vec<Wake> {
    let limits = FoldLimits::of_window(WINDOW);
    let per_fold = tokens(fold::SYSTEM)
        + tokens(fold::INSTRUCTION)
        + fold::tools()
            .tools()
            .iter()
            .map(|tool| tokens(&tool.parameters.to_string()))
            .sum::<u64>();
    let steady = pieces.tools + pieces.system;
    let (mut tail, mut summary, mut logged) = (Vec::new(), 0, 0);
    let mut all = Vec::new();
    let mut log_before = 0;
    for _ in 0..N_ENTRIES {
        let mut folding = (0, 0);
        for n in 0..FOLDS_PER_WAKE {
            let n_lines = lines_to_fold(&tail, limits, n > 0);
            if n_lines == 0 {
                break;
            }
            let read: u64 = tail.drain(..n_lines).sum();
            folding = (folding.0 + per_fold + summary + read, folding.1 + 1);
            summary = SUMMARY;
        }
        let log = summary + tail.iter().sum::<u64>();
        all.push(Wake {
            whole: steady + logged + pieces.present,
            sent: steady + log + pieces.present,
            alike: match (all.is_empty(), folding.1) {
                (true, _) => 0,
                (false, 0) => steady + log_before,
                (false, _) => steady,
            },
            folding,
        });
        log_before = log;
        tail.extend(&pieces.lines);
        logged += pieces.lines.iter().sum::<u64>();
    }
    all
}

/// The mean of what is new in each wake, what the calls that fold read included.
fn mean_new(wakes: &[Wake]) -> u64 {
    let new: u64 = wakes.iter().map(|wake| wake.new_tokens() + wake.folding.0).sum();
    new / u64::try_from(wakes.len().max(1)).unwrap_or(1)
}

fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn table(wakes: &[Wake]) -> String {
    let mut out = String::from(
        "| entries | everything, every time | sent | begins like the wake before | new | new, mean since the row above |\n\
         |---:|---:|---:|---:|---:|---:|\n",
    );
    let mut from = 0;
    for n in ROWS {
        let wake = wakes[n - 1];
        let cells = [n as u64, wake.whole, wake.sent, wake.alike, wake.new_tokens()].map(thousands);
        let mean = thousands(mean_new(&wakes[from..n]));
        let _ = writeln!(out, "| {} | {mean} |", cells.join(" | "));
        from = n;
    }
    out
}

/// Dollars for a million tokens, from the table that comes with the program.
struct Prices {
    input: f64,
    cached: f64,
    write: f64,
    output: f64,
    on: String,
}

fn prices(provider: &str, model: &str) -> Prices {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/data/prices.csv");
    let csv = std::fs::read_to_string(path).expect("the price table");
    let row = csv.lines().find(|row| row.starts_with(&format!("{provider},{model},")));
    let row: Vec<&str> = row.expect("a row").split(',').collect();
    let price = |n: usize| row[n].parse::<f64>().ok();
    let input = price(2).expect("a price");
    Prices {
        input,
        cached: price(3).unwrap_or(input),
        write: price(4).unwrap_or(input),
        output: price(5).expect("a price"),
        on: row[6].to_owned(),
    }
}

/// What a week costs in dollars: nothing folded or kept, nothing kept, kept during a wake, kept between
/// wakes as well.
fn week(wakes: &[Wake], prices: &Prices) -> [f64; 4] {
    let mut costs = [0.0; 4];
    let million = |n: u64, price: f64| n as f64 * price / 1e6;
    for wake in &wakes[WEEK] {
        let answers = million(2 * ANSWER, prices.output);
        let later = ANSWER + RESULTS;
        let folding = million(wake.folding.0, prices.input)
            + million(wake.folding.1 * SUMMARY, prices.output);
        let plain = |first: u64| million(2 * first + later, prices.input) + answers;
        let kept = |alike: u64| {
            million(alike, prices.cached)
                + million(wake.sent - alike, prices.write)
                + million(wake.sent, prices.cached)
                + million(later, prices.write)
                + answers
                + folding
        };
        costs[0] += plain(wake.whole);
        costs[1] += plain(wake.sent) + folding;
        costs[2] += kept(0);
        costs[3] += kept(wake.alike);
    }
    costs
}

fn bill(wakes: &[Wake]) -> String {
    let mut out = String::from(
        "| model | price of | nothing folded or kept | folded | kept during a wake | kept between wakes |\n\
         |---|---|---:|---:|---:|---:|\n",
    );
    for (provider, model) in [
        ("anthropic", "claude-haiku-4-5"),
        ("openai", "gpt-5-mini"),
        ("gemini", "gemini-2.5-flash"),
        ("mistral", "mistral-small-2603"),
    ] {
        let prices = prices(provider, model);
        let costs = week(wakes, &prices).map(|cost| format!("${cost:.2}"));
        let _ = writeln!(out, "| `{provider}/{model}` | {} | {} |", prices.on, costs.join(" | "));
    }
    out
}

/// A plot of tokens by entries, both in powers of ten.
fn plot(wakes: &[Wake]) -> String {
    let (width, height, left, top, right, bottom) = (760.0, 420.0, 70.0, 30.0, 170.0, 50.0);
    let (x_most, y_least, y_most) = (4.0, 2.0, 6.3);
    let x = |n: f64| left + n.log10() / x_most * (width - left - right);
    let y = |tokens: f64| {
        let share = (tokens.max(1.0).log10() - y_least) / (y_most - y_least);
        height - bottom - share * (height - top - bottom)
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>Tokens of a wake as its task grows from 1 to 10,000 entries</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for power in 0..=4 {
        let n = 10f64.powi(power);
        let at = x(n);
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            height - bottom,
            height - bottom + 20.0,
            thousands(n as u64)
        );
    }
    for power in 2..=6 {
        let n = 10f64.powi(power);
        let at = y(n);
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            width - right,
            left - 8.0,
            at + 4.0,
            thousands(n as u64)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">entries</text>\
         <text x=\"{left}\" y=\"{:.1}\">tokens a wake</text>",
        (left + width - right) / 2.0,
        height - 8.0,
        top - 10.0
    );
    // Steps of a twentieth of a power of ten; a point is the mean of the wakes of its step.
    let steps: Vec<(usize, usize)> = (0..80)
        .map(|step| [step, step + 1].map(|at| 10f64.powf(f64::from(at) / 20.0).round() as usize))
        .filter(|[from, upto]| from < upto)
        .map(|[from, upto]| (from, upto))
        .collect();
    let mut line = |color: &str, name: &str, of: &dyn Fn(&[Wake]) -> u64| {
        let points: Vec<(f64, f64)> = steps
            .iter()
            .map(|(from, upto)| {
                let middle = (*from as f64 * *upto as f64).sqrt();
                (x(middle), y(of(&wakes[from - 1..upto - 1]) as f64))
            })
            .collect();
        let text: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let end = points.last().map_or(0.0, |(_, y)| *y);
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{color}\">{name}</text>",
            text.join(" "),
            width - right + 6.0,
            end + 4.0
        );
    };
    let mean = |wakes: &[Wake], of: fn(&Wake) -> u64| {
        wakes.iter().map(of).sum::<u64>() / wakes.len().max(1) as u64
    };
    line("#b3261e", "everything, every time", &|wakes| mean(wakes, |wake| wake.whole));
    line("#1a5fb4", "sent", &|wakes| mean(wakes, |wake| wake.sent));
    line("#26762b", "new", &mean_new);
    svg.push_str("</svg>\n");
    svg
}

#[tokio::test]
async fn the_figures_about_memory_are_what_the_rules_give() {
    let pieces = pieces().await;
    let wakes = wakes(&pieces);
    let first = wakes.iter().position(|wake| wake.folding.1 > 0).expect("a fold");
    // Flat after the first fold: each thousand of entries costs like any other.
    let means: Vec<u64> = wakes[first..].chunks_exact(1_000).map(mean_new).collect();
    let (least, most) = (means.iter().min().expect("some"), means.iter().max().expect("some"));
    assert!(*most * 100 < *least * 125, "{means:?}");
    let largest = wakes.iter().map(|wake| wake.sent).max().expect("some");
    assert!(largest < wakes[0].sent + FoldLimits::of_window(WINDOW).fold_at + 2 * SUMMARY);
    let figures = format!(
        "Tools take {} tokens, rules {}, the present task with the instruction {}; an entry with a note about it adds {} to \
         the log. The first fold comes with entry {}; no wake sends more than {}.\n\n{}\n\
         ![Tokens of a wake as its task grows](pictures/memory.svg)\n\n\
         A week of 20 wakes a day, each with two turns, of a task with 1,000 entries:\n\n{}",
        thousands(pieces.tools),
        thousands(pieces.system),
        thousands(pieces.present),
        thousands(pieces.lines.iter().sum()),
        thousands(first as u64 + 1),
        thousands(largest),
        table(&wakes),
        bill(&wakes)
    );
    let docs = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
    let (page, picture) = (docs.join("memory.md"), docs.join("pictures/memory.svg"));
    let text = std::fs::read_to_string(&page).expect("the page");
    let (before, rest) = text.split_once(FROM).expect("the page says where the figures begin");
    let (known, after) = rest.split_once(TO).expect("the page says where the figures end");
    let svg = plot(&wakes);
    let Ok(drawn) = std::fs::read_to_string(&picture) else {
        std::fs::write(&page, format!("{before}{FROM}{figures}{TO}{after}")).expect("written");
        std::fs::write(&picture, svg).expect("written");
        panic!("{} was missing and is made again, with the figures of the page", picture.display());
    };
    assert!(
        known == figures && drawn == svg,
        "the figures are not what the rules give any more: delete {} and run this test to make them \
         again.\n{figures}",
        picture.display()
    );
}
