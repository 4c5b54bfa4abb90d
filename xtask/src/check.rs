//! `cargo xtask check`: the stages, what each may cost, and how they are run.
#![allow(clippy::print_stdout, reason = "the stages talk to the terminal")]

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context as _;

use crate::repository;
use crate::summary::Summary;

/// One stage of the check.
#[derive(Debug)]
pub struct Stage {
    /// What `cargo xtask check STAGE` calls it.
    pub name: &'static str,
    /// What it runs: `cargo`, or a script of the repository.
    pub program: &'static str,
    /// The arguments of the program.
    pub args: &'static [&'static str],
    /// Beyond this the stage passes with a warning: somebody should find out why.
    pub budget: Duration,
    /// Whether it prints results of the test runner, which are added up.
    pub counted: bool,
}

/// The one that runs this, where it says so.
const CARGO: &str = "cargo";

/// What lets the tests of crashes kill the binary where they want.
const FAULTS: &str = "dormouse-cli/faults";

/// The seed of the property tests, for [`perform`]: the same change is judged alike each time. `cargo test`
/// itself draws a new one.
const PROPERTY_SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "1");

/// The stages in order: cheap ones first, so that a slip shows early.
///
/// Lints and tests need a build each, and no third one: every test is built with the same
/// profile and features, so that the binary under test has its faults on demand. The last stages ask
/// that same binary.
pub const STAGES: &[Stage] = &[
    Stage {
        name: "format",
        program: CARGO,
        args: &["fmt", "--all", "--", "--check"],
        budget: Duration::from_secs(20),
        counted: false,
    },
    Stage {
        name: "house",
        program: CARGO,
        // The whole workspace decides which features the few crates below these two tests have, so
        // nothing is built again for the stage of all tests.
        args: &[
            "test",
            "--locked",
            "--workspace",
            "--features",
            FAULTS,
            "--no-fail-fast",
            "--test",
            "layers",
            "--test",
            "docs",
        ],
        budget: Duration::from_secs(40),
        counted: false,
    },
    Stage {
        name: "web",
        // Before the tests: the binary they build holds the app.
        program: "scripts/web",
        args: &["check"],
        budget: Duration::from_secs(4 * 60),
        counted: true,
    },
    Stage {
        name: "lints",
        program: CARGO,
        args: &[
            "clippy",
            "--locked",
            "--workspace",
            "--features",
            FAULTS,
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ],
        budget: Duration::from_secs(4 * 60),
        counted: false,
    },
    Stage {
        name: "tests",
        program: CARGO,
        args: &["test", "--locked", "--workspace", "--features", FAULTS, "--no-fail-fast"],
        budget: Duration::from_secs(12 * 60),
        counted: true,
    },
    Stage {
        name: "model",
        // A whole journey with a real language model, which takes minutes; nothing is built for it. Each
        // model has one thread, and two journeys at a time have two cores.
        program: CARGO,
        args: &[
            "test",
            "--locked",
            "--workspace",
            "--features",
            FAULTS,
            "--test",
            "cli",
            "--test",
            "scenes",
            "--",
            "--ignored",
            "--nocapture",
            "--test-threads",
            "2",
            "real_model::",
        ],
        budget: Duration::from_secs(10 * 60),
        counted: true,
    },
    Stage {
        name: "browser",
        // The app that was built above, in a real browser, before the binary that was tested above.
        program: "scripts/web",
        args: &["browser"],
        budget: Duration::from_secs(6 * 60),
        counted: true,
    },
    Stage {
        name: "api",
        program: "scripts/fuzz-api",
        args: &[],
        budget: Duration::from_secs(4 * 60),
        counted: true,
    },
];

/// The stage of that name.
pub fn stage(name: &str) -> Option<&'static Stage> {
    STAGES.iter().find(|stage| stage.name == name)
}

/// The names of all stages, for messages.
pub fn names() -> String {
    STAGES.iter().map(|stage| stage.name).collect::<Vec<_>>().join(", ")
}

/// Stages that run only when they are named. A real language model is too slow for every change on
/// two cores, and takes its time by chance.
const BY_NAME_ONLY: &[&str] = &["model"];

/// Runs the named stages, or all but those of [`BY_NAME_ONLY`] when none is named, and prints a
/// closing table.
///
/// A failed stage does not stop the others: a slip in the format must not hide a failing test.
/// Returns the exit code of the first stage that failed, 0 when none did.
/// Errors: the program of a stage cannot be started.
pub fn run(only: &[String]) -> anyhow::Result<u8> {
    let mut closing = Vec::new();
    let mut summary = Summary::default();
    let mut code = 0;
    for stage in STAGES {
        let is_wanted = match only {
            [] => !BY_NAME_ONLY.contains(&stage.name),
            only => only.iter().any(|name| name == stage.name),
        };
        if !is_wanted {
            continue;
        }
        println!("\n== {}: {} {}", stage.name, stage.program, stage.args.join(" "));
        let (status, took) = timed(|| perform(stage, &mut summary))?;
        let verdict = verdict(stage, status.success(), took);
        println!("== {verdict}");
        closing.push(verdict);
        if !status.success() && code == 0 {
            code = exit_code(status);
        }
    }
    print_closing(&closing, &summary)?;
    Ok(code)
}

/// Runs one stage in the workspace root; its output is shown whole and as it comes.
fn perform(stage: &Stage, summary: &mut Summary) -> anyhow::Result<ExitStatus> {
    let program = match stage.program {
        CARGO => std::env::var_os("CARGO").unwrap_or_else(|| OsString::from(CARGO)),
        script => repository::root().join(script).into_os_string(),
    };
    let mut command = Command::new(&program);
    command.args(stage.args).current_dir(repository::root());
    if std::env::var_os(PROPERTY_SEED.0).is_none() {
        command.env(PROPERTY_SEED.0, PROPERTY_SEED.1);
    }
    let starting = || format!("cannot start {} for stage {}", program.display(), stage.name);
    if !stage.counted {
        return command.status().with_context(starting);
    }
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(starting)?;
    let output = child.stdout.take().context("the child's output is not piped")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = line.with_context(|| format!("cannot read the output of {}", stage.name))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        summary.read(&line);
    }
    child.wait().with_context(|| format!("cannot wait for stage {}", stage.name))
}

#[allow(clippy::disallowed_methods, reason = "how long a stage took is what is measured")]
fn timed<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, Duration)> {
    let start = std::time::Instant::now();
    let done = work()?;
    Ok((done, start.elapsed()))
}

/// The line that closes a stage.
fn verdict(stage: &Stage, passed: bool, took: Duration) -> String {
    let word = if passed { "ok" } else { "FAILED" };
    let (name, seconds, budget) = (stage.name, took.as_secs_f64(), stage.budget.as_secs());
    let warning = if took > stage.budget {
        format!("  warning: the budget is {budget} s; find what grew")
    } else {
        String::new()
    };
    format!("{name:<8} {word:<6} {seconds:>7.1} s{warning}")
}

/// A child that was ended by a signal has no code; it counts as 1.
fn exit_code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0).unwrap_or(1)
}

fn print_closing(stages: &[String], summary: &Summary) -> anyhow::Result<()> {
    let long = repository::long_files(repository::LONG_FILE_LINES)?;
    if !long.is_empty() {
        println!("\nlong files, is there a second subject in one of them?");
        for (path, n_lines) in long {
            println!("  {n_lines:>5} {path}");
        }
    }
    println!("\nsummary");
    for stage in stages {
        println!("  {stage}");
    }
    if summary.n_binaries > 0 {
        print!("{summary}");
        let data = repository::root().join("../shared/data");
        if !data.is_dir() {
            println!(
                "  ../shared/data is not next to the checkout: tests that read it did not run"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_above_its_budget_passes_with_a_warning() {
        let stage = stage("format").expect("the format stage is in the table");
        let slow = verdict(stage, true, stage.budget + Duration::from_secs(1));
        assert!(slow.contains("ok") && slow.contains("budget is 20 s"), "{slow}");
        assert!(!verdict(stage, true, stage.budget).contains("budget"));
        assert!(verdict(stage, false, stage.budget).contains("FAILED"));
    }

    #[test]
    fn no_two_stages_share_a_name() {
        let mut names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STAGES.len());
    }
}
