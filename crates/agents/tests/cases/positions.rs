//! Feed positions with a second node: they never move back, and no agent is marked needlessly.

use std::sync::{Arc, Mutex};

use dormouse_store::agent::feed_position;
use dormouse_types::TaskId;
use dormouse_world::Rooms;

use crate::world::between::Between;
use crate::world::{DONE, START, WS, World, now};

/// A slow and a quick node on the same store, with a busy task and a quiet one.
struct Two {
    slow: World,
    quick: Arc<Mutex<World>>,
    engine: Arc<Between>,
    busy: TaskId,
    quiet: TaskId,
}

impl Two {
    fn new() -> Self {
        let mut builder = Rooms::at(START);
        let sqlite = builder.engine();
        let (builder, engine) = builder.under(Between::over);
        let slow = World::of(builder, "slow");
        let quick = World::of(Rooms::by(slow.clock.clone()).on(sqlite), "quick");
        let [busy, quiet] = ["Move to the new flat", "Read a book"].map(|title| {
            let task = slow.task(title, &["It began."]);
            slow.create(&task);
            slow.answers(1);
            assert_eq!(slow.ends(&task), [DONE]);
            task
        });
        Self { slow, quick: Arc::new(Mutex::new(quick)), engine, busy, quiet }
    }

    /// After each read of a statement, the given number of times, the quick node writes a note and
    /// routes it.
    fn overtake_after(&self, statement: &'static str, mut times: usize) {
        let (quick, busy) = (self.quick.clone(), self.busy.clone());
        self.engine.after(statement, move || {
            if times > 0 {
                times -= 1;
                let quick = quick.lock().expect("one thread");
                quick.note_now(&busy, "The van is booked.");
                quick.route();
            }
        });
    }

    fn position(&self) -> i64 {
        let quick = self.quick.lock().expect("one thread");
        now(quick.store.first(feed_position::read(WS))).expect("readable").expect("routed").seq.0
    }

    /// Number of reasons for which the quiet task's agent is to wake.
    fn marks_of_the_quiet_one(&self) -> usize {
        let agent = now(self.slow.agents.of_task(WS, &self.quiet)).expect("readable");
        let agent = agent.expect("an agent").doc.value.id;
        self.slow.row(&agent).reasons.len()
    }
}

/// Another node commits and routes between any two reads of this one.
#[test]
fn a_node_that_was_overtaken_between_two_reads_moves_nothing_back_and_marks_nobody() {
    for statement in ["FROM counters", "FROM feed_position", "FROM change_log"] {
        for times in [1, 2, 5] {
            let two = Two::new();
            two.slow.note_now(&two.busy, "The boxes are here.");
            two.overtake_after(statement, times);
            let before = two.position();
            two.slow.route();
            let lag = now(two.slow.agents.routing_lag()).expect("readable");
            assert!(two.position() > before, "{statement} {times}");
            assert_eq!(two.marks_of_the_quiet_one(), 0, "{statement} {times}");
            assert_eq!(lag.as_secs(), 0, "{statement} {times}");
            two.overtake_after(statement, 0);
            two.slow.route();
            let after = two.position();
            two.slow.route();
            assert_eq!(two.position(), after, "{statement} {times}: nothing is routed twice");
        }
    }
}
