//! The executor: one thread, tasks with wakers, and chance that picks which of the ready goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use dormouse_types::Timestamp;
use dormouse_types::port::BoxFuture;

use crate::faults::Fault;
use crate::locks::lock;
use crate::sim_state::SimState;

struct Task {
    group: usize,
    name: String,
    future: BoxFuture<'static, ()>,
    bell: Arc<Bell>,
}

/// Whether somebody woke a task.
struct Bell(AtomicBool);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs the tasks of a play.
pub(crate) struct Executor {
    sim: Arc<SimState>,
    tasks: Vec<Task>,
    /// Polls so far.
    pub(crate) polls: u64,
}

impl Executor {
    pub(crate) fn new(sim: Arc<SimState>) -> Self {
        Self { sim, tasks: Vec::new(), polls: 0 }
    }

    /// Polls one task; false when none is ready.
    pub(crate) fn step(&mut self) -> bool {
        self.settle();
        let frozen: Vec<bool> = lock(&self.sim.nodes).iter().map(|node| node.is_frozen).collect();
        let moves = |task: &Task| {
            let place = task.group.checked_sub(1);
            !place.and_then(|at| frozen.get(at)).copied().unwrap_or(false)
        };
        let ready: Vec<usize> = (0..self.tasks.len())
            .filter(|at| moves(&self.tasks[*at]) && self.tasks[*at].bell.0.load(Ordering::Relaxed))
            .collect();
        let Some(mut at) = self.sim.draw(|chance| chance.pick(&ready).copied()) else {
            return false;
        };
        if self.sim.strikes(Fault::Poke) {
            // A waker may be called for nothing, and often is.
            let any: Vec<usize> =
                (0..self.tasks.len()).filter(|at| moves(&self.tasks[*at])).collect();
            at = self.sim.draw(|chance| chance.pick(&any).copied()).unwrap_or(at);
        }
        let task = &mut self.tasks[at];
        task.bell.0.store(false, Ordering::Relaxed);
        let waker = Waker::from(task.bell.clone());
        let done = task.future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        self.polls += 1;
        if done {
            drop(self.tasks.remove(at));
        }
        self.settle();
        true
    }

    /// Takes up fresh tasks, and lets go of those of dead nodes.
    fn settle(&mut self) {
        let dead: Vec<bool> = lock(&self.sim.nodes).iter().map(|node| !node.is_alive).collect();
        let lives = |group: usize| {
            !group.checked_sub(1).and_then(|at| dead.get(at)).copied().unwrap_or(false)
        };
        // Whatever a task holds is let go of outside of any lock.
        let (kept, gone): (Vec<Task>, Vec<Task>) =
            std::mem::take(&mut self.tasks).into_iter().partition(|task| lives(task.group));
        self.tasks = kept;
        drop(gone);
        for fresh in self.sim.take_fresh() {
            if lives(fresh.group) {
                self.tasks.push(Task {
                    group: fresh.group,
                    name: fresh.name,
                    future: fresh.future,
                    bell: Arc::new(Bell(AtomicBool::new(true))),
                });
            }
        }
    }

    /// Lets time pass until somebody's sleep ends; false when nobody sleeps.
    pub(crate) fn pass_time(&self) -> bool {
        let Some(next) = self.sim.clock.next_deadline() else { return false };
        self.set_time(next);
        true
    }

    /// Lets time pass until then; never back.
    pub(crate) fn set_time(&self, to: Timestamp) {
        use dormouse_types::port::Clock as _;
        self.sim.clock.set(to.max(self.sim.clock.now()));
    }

    /// The names of the tasks that are under way.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.tasks.iter().map(|task| task.name.as_str()).collect()
    }
}
