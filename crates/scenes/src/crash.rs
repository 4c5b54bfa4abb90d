//! Crash points: a scene is cut off at every point it passes, started again, and must come to the
//! same end.
//!
//! A scene is played once without a crash, and at each point (before and after every commit, and
//! around every question to a model) both databases are copied. Each copy is what a crash there
//! would have left. A new process starts on it, recovers, gets the interrupted step again under
//! the same key, and then all later steps. That process crashes as well: at every point of its
//! recovery, and at points of the rest of its play, all of them or a sample that a seed decides.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use dormouse::Shown;
use dormouse_store::backend::sqlite::Snapshot;
use dormouse_types::port::{Clock as _, Faults, NoFaults, Point, Stage as Moment};
use dormouse_types::{ChangeSetId, RunKey, TaskLinkId, Timestamp};
use similar::TextDiff;

use crate::outcome;
use crate::scene::{Model, Scene};
use crate::scripted_model::ScriptedModel;
use crate::snapshots::StateSnapshot;
use crate::world::{Memory, Setup, World, lock};

/// The program as a crash at one point leaves it.
#[derive(Clone)]
pub struct Cut {
    /// Its number, from 1.
    pub number: usize,
    /// The point and both databases.
    pub snapshot: StateSnapshot,
    /// What the person remembers.
    pub memory: Memory,
    now: Timestamp,
    /// Which turn of which run was requested so far.
    requested: Vec<(RunKey, u32)>,
    /// Whether what came of the last question is not durable.
    in_flight: bool,
    /// How many questions the scene has without a crash.
    total: usize,
    /// How many processes have crashed.
    crashes: u64,
    /// The question that was answered in its other words, from 0. One of them: each end is compared
    /// with that of a scene in which one answer has other words.
    reworded: Option<usize>,
}

impl Cut {
    /// The process that started on this cut crashed as well, and left this.
    pub fn then(&self, snapshot: StateSnapshot) -> Self {
        Self { snapshot, crashes: self.crashes + 1, ..self.clone() }
    }

    /// The question that the next process answers in its other words.
    fn to_reword(&self) -> Option<usize> {
        self.reworded.or_else(|| self.in_flight.then(|| self.requested.len().saturating_sub(1)))
    }
}

/// Which second crashes are tried after each first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seconds {
    /// At every point of the recovery, and at one of so many points of the rest of the play.
    Sample {
        /// Of how many points one is taken.
        one_in: u64,
        seed: u64,
    },
    /// At every point until the end of the play.
    All,
}

impl Seconds {
    fn takes(self, first: usize, second: usize) -> bool {
        match self {
            Self::All => true,
            Self::Sample { one_in, seed } => {
                let place = [seed, first as u64, second as u64];
                let mixed = place.iter().fold(0x51_7c_c1_b7_u64, |sum, part| {
                    (sum ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
                });
                (mixed >> 20).is_multiple_of(one_in.max(1))
            }
        }
    }
}

/// Takes a copy at every point that is passed, or at those that are wanted.
struct Recorder {
    stage: Setup,
    /// The cut that the process began with, if an earlier one crashed.
    begun: Option<Cut>,
    seconds: Seconds,
    tape: Mutex<Tape>,
}

#[derive(Default)]
struct Tape {
    cuts: Vec<Cut>,
    points: usize,
    recovered: Option<usize>,
    requested: usize,
    in_flight: bool,
}

/// The commits that make durable what came of a question.
const SETTLES: [&str; 5] = ["run.turn", "run.fold", "run.final", "run.fail", "run.putBack"];

impl Recorder {
    fn on(stage: &Setup, begun: Option<&Cut>, seconds: Seconds) -> Arc<Self> {
        let tape = Tape { in_flight: begun.is_some_and(|cut| cut.in_flight), ..Tape::default() };
        Arc::new(Self {
            stage: stage.clone(),
            begun: begun.cloned(),
            seconds,
            tape: Mutex::new(tape),
        })
    }

    /// Recovery has ended.
    fn recovered(&self) {
        let mut tape = lock(&self.tape);
        tape.recovered = Some(tape.points);
    }
}

impl Faults for Recorder {
    fn pass(&self, point: Point<'_>) {
        let player = self.stage.player.as_ref();
        let requested = player.map(|player| player.questions()).unwrap_or_default();
        let mut tape = lock(&self.tape);
        let settled = point.stage == Moment::AfterCommit && SETTLES.contains(&point.label);
        let is_new = requested.len() > tape.requested;
        tape.in_flight = !settled && (is_new || tape.in_flight);
        tape.requested = requested.len();
        tape.points += 1;
        let number = tape.points;
        let first = self.begun.as_ref().map_or(0, |cut| cut.number);
        let in_recovery = self.begun.is_some() && tape.recovered.is_none();
        if !in_recovery && !self.seconds.takes(first, number) {
            return;
        }
        let snapshot = StateSnapshot::of(&self.stage.sqlite, point);
        let memory = lock(&self.stage.memory).clone();
        let now = self.stage.clock.now();
        let in_flight = tape.in_flight;
        tape.cuts.push(match &self.begun {
            None => Cut {
                number,
                snapshot,
                memory,
                now,
                requested,
                in_flight,
                total: 0,
                crashes: 1,
                reworded: None,
            },
            Some(cut) => {
                let kept =
                    cut.requested.len() - usize::from(cut.in_flight && !requested.is_empty());
                let reworded = if requested.is_empty() { cut.reworded } else { cut.to_reword() };
                let requested = cut.requested[..kept].iter().cloned().chain(requested).collect();
                let crashes = cut.crashes + 1;
                Cut {
                    number,
                    snapshot,
                    memory,
                    now,
                    requested,
                    in_flight,
                    crashes,
                    reworded,
                    ..cut.clone()
                }
            }
        });
    }
}

/// Plays a scene without a crash; gives its outcome and every point it passed.
pub async fn points(scene: &Scene) -> anyhow::Result<(String, Vec<Cut>)> {
    let stage = Setup::fresh(scene);
    let recorder = Recorder::on(&stage, None, Seconds::All);
    let world = World::new(stage, recorder.clone());
    world.play(scene).await?;
    let outcome = outcome::of(&world).await?;
    let left = outcome::unfinished(&world).await?;
    anyhow::ensure!(left.is_empty(), "a run without a crash leaves work: {left:?}");
    let mut cuts = std::mem::take(&mut lock(&recorder.tape).cuts);
    let total = cuts.last().map_or(0, |cut| cut.requested.len());
    cuts.iter_mut().for_each(|cut| cut.total = total);
    Ok((outcome, cuts))
}

/// What a crash at every point of a scene came to.
#[derive(Debug, Default)]
pub struct Verdicts {
    /// How many points there are.
    pub points: usize,
    /// How many second crashes were tried in the recovery after them.
    pub in_recovery: usize,
    /// How many second crashes were tried after the recovery, until the end of the play.
    pub later: usize,
    /// How many pairs of points there are in all.
    pub pairs: usize,
    /// How many crashes lost an answer: its turn is requested again.
    pub repeated: usize,
    /// How many different states all these points leave. Two points with nothing between them
    /// leave the same, and each state is started from once.
    pub states: usize,
    /// Each point that did not come to the right end, with what is different.
    pub failures: Vec<String>,
}

/// Crashes a scene at every point, and the process that starts then again.
pub async fn everywhere(scene: &Scene, seconds: Seconds) -> anyhow::Result<Verdicts> {
    let (expected, cuts) =
        points(scene).await.with_context(|| format!("scene {:?}", scene.name))?;
    let expected = Expected { expected, reworded: reworded(scene).await? };
    let mut verdicts = Verdicts { points: cuts.len(), ..Verdicts::default() };
    let mut states = BTreeSet::new();
    let mut firsts = BTreeSet::new();
    for cut in &cuts {
        let place = format!(
            "scene {:?}, point {} of {}: {:?} {}, step {} {:?}",
            scene.name,
            cut.number,
            cuts.len(),
            cut.snapshot.moment,
            cut.snapshot.label,
            cut.memory.step,
            scene.steps.get(cut.memory.step)
        );
        verdicts.repeated += usize::from(cut.in_flight);
        // A second crash may have left the same: where a third one leads is another question.
        if !firsts.insert(state(cut)) {
            continue;
        }
        states.insert(state(cut));
        let stage = restored(scene, cut)?;
        let recorder = Recorder::on(&stage, Some(cut), seconds);
        let world = World::new(stage, recorder.clone());
        verdicts
            .failures
            .extend(judged(scene, cut, world, Some(&recorder), &expected, &place).await);
        let tape = std::mem::take(&mut *lock(&recorder.tape));
        let recovered = tape.recovered.unwrap_or(tape.points);
        verdicts.pairs += tape.points;
        for (second, place) in tape.cuts.into_iter().map(|second| {
            let (moment, label, n) =
                (second.snapshot.moment, &second.snapshot.label, second.number);
            let place = format!("{place}\nand then at its point {n}: {moment:?} {label}");
            (second, place)
        }) {
            let in_recovery = second.number <= recovered;
            verdicts.in_recovery += usize::from(in_recovery);
            verdicts.later += usize::from(!in_recovery);
            if states.insert(state(&second)) {
                let world = restart(scene, &second)?;
                verdicts
                    .failures
                    .extend(judged(scene, &second, world, None, &expected, &place).await);
            }
        }
    }
    verdicts.states = states.len();
    Ok(verdicts)
}

/// All that the next process, the person and the model go on from.
type State = (
    Snapshot,
    usize,
    Option<(ChangeSetId, i64, String)>,
    Vec<(ChangeSetId, Vec<Shown>)>,
    Option<TaskLinkId>,
    Option<String>,
    Timestamp,
    usize,
    bool,
    Option<usize>,
);

fn state(cut: &Cut) -> State {
    let Memory { step, tasks: _, deciding, confirming, unlinking, forgetting } = cut.memory.clone();
    (
        cut.snapshot.snapshot.clone(),
        step,
        deciding,
        confirming.into_iter().collect(),
        unlinking,
        forgetting,
        cut.now,
        cut.requested.len(),
        cut.in_flight,
        cut.reworded,
    )
}

/// The right ends of a scene.
struct Expected {
    expected: String,
    /// With each question answered in its other words.
    reworded: Vec<String>,
}

/// What is wrong with the end of a scene after a crash, if anything is.
async fn judged(
    scene: &Scene,
    cut: &Cut,
    world: World,
    recorder: Option<&Recorder>,
    right: &Expected,
    place: &str,
) -> Option<String> {
    let end = match resumed(scene, cut, world, recorder).await {
        Err(error) => return Some(format!("{place}\n{error:#}")),
        Ok(end) => end,
    };
    let reworded = end.reworded.and_then(|question| right.reworded.get(question));
    let expected = reworded.unwrap_or(&right.expected);
    if !end.left.is_empty() {
        return Some(format!("{place}\nleft: {:#?}", end.left));
    }
    (end.outcome != *expected).then(|| format!("{place}\n{}", diff(expected, &end.outcome)))
}

/// How a scene ended after a crash.
struct End {
    outcome: String,
    left: Vec<String>,
    /// The question that was answered in its other words, from 0.
    reworded: Option<usize>,
}

/// What a new process finds that starts on a cut.
pub fn restored(scene: &Scene, cut: &Cut) -> anyhow::Result<Setup> {
    let player = scene.model.answers().map(|answers| {
        let (requested, lost) = (cut.requested.len(), cut.requested.len().saturating_sub(1));
        // Only one question of a play is answered in its other words.
        let player = if cut.in_flight && cut.to_reword() != Some(lost) {
            ScriptedModel::after(answers, lost, false)
        } else {
            ScriptedModel::after(answers, requested, cut.in_flight)
        };
        Arc::new(match scene.model {
            Model::Builtin | Model::Scripted(_) => player,
            Model::Hosted(_) => player.hosted(),
        })
    });
    Ok(Setup::restored(&cut.snapshot.snapshot, cut.now, player, cut.memory.clone(), cut.crashes))
}

/// Starts a new process on a cut. It has not recovered yet.
pub fn restart(scene: &Scene, cut: &Cut) -> anyhow::Result<World> {
    Ok(World::new(restored(scene, cut)?, Arc::new(NoFaults)))
}

/// Plays a scene to its end in a new process that started on a cut.
async fn resumed(
    scene: &Scene,
    cut: &Cut,
    world: World,
    recorder: Option<&Recorder>,
) -> anyhow::Result<End> {
    let player = world.stage.player.clone();
    world.dormouse.recover().await.context("recovery")?;
    if let Some(recorder) = recorder {
        recorder.recovered();
    }
    if let Some(step) = scene.steps.get(cut.memory.step) {
        world.step_again(cut.memory.step, step).await?;
    }
    world.play_from(scene, cut.memory.step + 1).await?;
    if let (Some(player), Some((last, _)), true) =
        (&player, cut.requested.split_last(), cut.in_flight)
    {
        let questions = player.questions();
        anyhow::ensure!(
            questions.first() == Some(last),
            "the turn in flight is not the first that is requested again: {questions:?}"
        );
    }
    if let Some(player) = &player {
        let (requested, total) = (player.questions().len(), cut.requested.len());
        let lost = usize::from(cut.in_flight);
        let whole = total + requested - lost;
        anyhow::ensure!(
            whole == cut.total,
            "{whole} questions were settled, {} without a crash: a recorded turn was requested again",
            cut.total
        );
    }
    Ok(End {
        outcome: outcome::of(&world).await?,
        left: outcome::unfinished(&world).await?,
        reworded: cut.to_reword(),
    })
}

/// The outcome of the scene without a crash, for each question answered in its other words.
async fn reworded(scene: &Scene) -> anyhow::Result<Vec<String>> {
    let Some(answers) = scene.model.answers() else { return Ok(Vec::new()) };
    let mut outcomes = Vec::new();
    for other in 0..answers.len() {
        let mut answers = answers.to_vec();
        answers[other].first = answers[other].again.clone();
        let scene = Scene { model: scene.model.with_answers(answers), ..scene.clone() };
        let world = World::played(&scene).await?;
        outcomes.push(outcome::of(&world).await?);
    }
    Ok(outcomes)
}

/// The lines that differ, with one line around each.
fn diff(expected: &str, found: &str) -> String {
    TextDiff::from_lines(expected, found)
        .unified_diff()
        .context_radius(1)
        .header("without a crash", "after the crash")
        .to_string()
}
