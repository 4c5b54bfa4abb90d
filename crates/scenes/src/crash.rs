//! Crash points: a scene is cut off at every point it passes, started again, and must come to the
//! same end.
//!
//! A scene is played once without a crash, and at each point (before and after every commit, and
//! around every question to a model) both databases are copied. Each copy is what a crash there
//! would have left. A new process starts on it, recovers, is asked the interrupted step again under
//! the same key, and then all later steps.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use dormouse_store::backend::sqlite::Snapshot;
use dormouse_types::port::{Clock as _, Faults, NoFaults, Point, Stage as Moment};
use dormouse_types::{ChangeSetId, RunKey, Timestamp};
use similar::TextDiff;

use crate::camera::{Camera, Picture};
use crate::outcome;
use crate::player::Player;
use crate::scene::{Model, Scene};
use crate::world::{Memory, Stage, World, lock};

/// The program as a crash at one point leaves it.
#[derive(Clone)]
pub struct Cut {
    /// Its number, from 1.
    pub number: usize,
    /// The point and both databases.
    pub picture: Picture,
    /// What the person remembers.
    pub memory: Memory,
    now: Timestamp,
    /// Which turn of which run was asked so far.
    asked: Vec<(RunKey, u32)>,
    /// Whether what came of the last question is not durable.
    in_flight: bool,
    /// How many questions the scene has without a crash.
    total: usize,
    /// How many processes have crashed.
    crashes: u64,
}

impl Cut {
    /// The process that started on this cut crashed as well, and left this.
    pub fn then(&self, picture: Picture) -> Self {
        Self { picture, crashes: self.crashes + 1, ..self.clone() }
    }
}

/// Takes a copy at every point that is passed.
struct Recorder {
    stage: Stage,
    cuts: Mutex<Vec<Cut>>,
}

/// The commits that make durable what came of a question.
const SETTLES: [&str; 4] = ["run.turn", "run.final", "run.fail", "run.putBack"];

impl Faults for Recorder {
    fn pass(&self, point: Point<'_>) {
        let player = self.stage.player.as_ref();
        let asked = player.map(|player| player.questions()).unwrap_or_default();
        let mut cuts = lock(&self.cuts);
        let before = cuts.last();
        let settled = point.stage == Moment::AfterCommit && SETTLES.contains(&point.label);
        let is_new = asked.len() > before.map_or(0, |cut| cut.asked.len());
        let in_flight = !settled && (is_new || before.is_some_and(|cut| cut.in_flight));
        let number = cuts.len() + 1;
        cuts.push(Cut {
            number,
            picture: Picture::of(&self.stage.sqlite, point),
            memory: lock(&self.stage.memory).clone(),
            now: self.stage.clock.now(),
            asked,
            in_flight,
            total: 0,
            crashes: 1,
        });
    }
}

/// Plays a scene without a crash; gives its outcome and every point it passed.
pub async fn points(scene: &Scene) -> anyhow::Result<(String, Vec<Cut>)> {
    let stage = Stage::fresh(scene)?;
    let recorder = Arc::new(Recorder { stage: stage.clone(), cuts: Mutex::default() });
    let world = World::new(stage, recorder.clone());
    world.play(scene).await?;
    let outcome = outcome::of(&world).await?;
    let left = outcome::unfinished(&world).await?;
    anyhow::ensure!(left.is_empty(), "a run without a crash leaves work: {left:?}");
    let mut cuts = std::mem::take(&mut *lock(&recorder.cuts));
    let total = cuts.last().map_or(0, |cut| cut.asked.len());
    cuts.iter_mut().for_each(|cut| cut.total = total);
    Ok((outcome, cuts))
}

/// What a crash at every point of a scene came to.
#[derive(Debug, Default)]
pub struct Verdicts {
    /// How many points there are.
    pub points: usize,
    /// How many points of the recovery behind them there are: a second crash at each.
    pub in_recovery: usize,
    /// How many crashes lost an answer: its turn is asked again.
    pub asked_again: usize,
    /// How many different states all these points leave. Two points with nothing between them
    /// leave the same, and each state is started from once.
    pub states: usize,
    /// Each point that did not come to the right end, with what is different.
    pub failures: Vec<String>,
}

/// Crashes a scene at every point, and again at every point of the recovery that follows.
pub async fn everywhere(scene: &Scene) -> anyhow::Result<Verdicts> {
    let (expected, cuts) =
        points(scene).await.with_context(|| format!("scene {:?}", scene.name))?;
    let expected = Expected { expected, reworded: reworded(scene).await? };
    let mut verdicts = Verdicts { points: cuts.len(), ..Verdicts::default() };
    let mut states = BTreeSet::new();
    for cut in &cuts {
        let second = recovery_points(scene, cut).await?;
        verdicts.in_recovery += second.len();
        let place = format!(
            "scene {:?}, point {} of {}: {:?} {}, step {} {:?}",
            scene.name,
            cut.number,
            cuts.len(),
            cut.picture.moment,
            cut.picture.label,
            cut.memory.step,
            scene.steps.get(cut.memory.step)
        );
        verdicts.asked_again += usize::from(cut.in_flight);
        if states.insert(state(cut)) {
            verdicts.failures.extend(judged(scene, cut, &expected, &place).await);
        }
        for picture in second {
            let place = format!("{place}\nand then {:?} {}", picture.moment, picture.label);
            let cut = cut.then(picture);
            if states.insert(state(&cut)) {
                verdicts.failures.extend(judged(scene, &cut, &expected, &place).await);
            }
        }
    }
    verdicts.states = states.len();
    Ok(verdicts)
}

/// All that the next process, the person and the model go on from.
type State = (Snapshot, usize, Option<(ChangeSetId, i64, String)>, Timestamp, usize, bool);

fn state(cut: &Cut) -> State {
    let Memory { step, tasks: _, deciding } = cut.memory.clone();
    (cut.picture.snapshot.clone(), step, deciding, cut.now, cut.asked.len(), cut.in_flight)
}

/// The right ends of a scene.
struct Expected {
    expected: String,
    /// With each question answered in its other words.
    reworded: Vec<String>,
}

/// What is wrong with the end of a scene after a crash, if anything is.
async fn judged(scene: &Scene, cut: &Cut, right: &Expected, place: &str) -> Option<String> {
    let end = match resumed(scene, cut).await {
        Err(error) => return Some(format!("{place}\n{error:#}")),
        Ok(end) => end,
    };
    let reworded = end.asked_again.and_then(|question| right.reworded.get(question));
    let expected = reworded.unwrap_or(&right.expected);
    if !end.left.is_empty() {
        return Some(format!("{place}\nleft: {:#?}", end.left));
    }
    (end.outcome != *expected).then(|| format!("{place}\n{}", diff(expected, &end.outcome)))
}

/// The points that the recovery behind a crash passes.
async fn recovery_points(scene: &Scene, cut: &Cut) -> anyhow::Result<Vec<Picture>> {
    let stage = restored(scene, cut)?;
    let camera = Arc::new(Camera::on(stage.sqlite.clone()));
    World::new(stage, camera.clone()).dormouse.recover().await?;
    Ok(camera.finish())
}

/// How a scene ended after a crash.
struct End {
    outcome: String,
    left: Vec<String>,
    /// The question that was asked a second time, from 0.
    asked_again: Option<usize>,
}

/// What a new process finds that starts on a cut.
pub fn restored(scene: &Scene, cut: &Cut) -> anyhow::Result<Stage> {
    let player = match &scene.model {
        Model::Builtin => None,
        Model::Scripted(answers) => {
            Some(Arc::new(Player::after(answers, cut.asked.len(), cut.in_flight)))
        }
    };
    Stage::restored(&cut.picture.snapshot, cut.now, player, cut.memory.clone(), cut.crashes)
}

/// Starts a new process on a cut. It has not recovered yet.
pub fn restart(scene: &Scene, cut: &Cut) -> anyhow::Result<World> {
    Ok(World::new(restored(scene, cut)?, Arc::new(NoFaults)))
}

/// Starts a new process on a cut and plays the scene to its end.
async fn resumed(scene: &Scene, cut: &Cut) -> anyhow::Result<End> {
    let world = restart(scene, cut)?;
    let player = world.stage.player.clone();
    world.dormouse.recover().await.context("recovery")?;
    if let Some(step) = scene.steps.get(cut.memory.step) {
        world.step_again(cut.memory.step, step).await?;
    }
    world.play_from(scene, cut.memory.step + 1).await?;
    let asked_again = match (&player, cut.asked.split_last()) {
        (Some(player), Some((last, _))) if cut.in_flight => {
            let questions = player.questions();
            anyhow::ensure!(
                questions.first() == Some(last),
                "the turn in flight is not the first that is asked again: {questions:?}"
            );
            Some(cut.asked.len() - 1)
        }
        _ => None,
    };
    if let Some(player) = &player {
        let (asked, total) = (player.questions().len(), cut.asked.len());
        let lost = usize::from(cut.in_flight);
        let whole = total + asked - lost;
        anyhow::ensure!(
            whole == cut.total,
            "{whole} questions were settled, {} without a crash: a recorded turn was asked again",
            cut.total
        );
    }
    Ok(End {
        outcome: outcome::of(&world).await?,
        left: outcome::unfinished(&world).await?,
        asked_again,
    })
}

/// The outcome of the scene without a crash, for each question answered in its other words.
async fn reworded(scene: &Scene) -> anyhow::Result<Vec<String>> {
    let Model::Scripted(answers) = &scene.model else { return Ok(Vec::new()) };
    let mut outcomes = Vec::new();
    for other in 0..answers.len() {
        let mut answers = answers.clone();
        answers[other].first = answers[other].again.clone();
        let scene = Scene { model: Model::Scripted(answers), ..scene.clone() };
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
