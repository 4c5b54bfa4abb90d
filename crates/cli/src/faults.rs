//! Fault injection for crash tests; only with the feature `faults`.
//!
//! `DORMOUSE_FAULTS` is a comma-separated list. `kill:LABEL:before:N` and `kill:LABEL:after:N` kill
//! the process when it reaches the named point for the Nth time, before or after the commit or
//! effect. `model:holds`, `model:fails`, `model:away` and `model:slow:MILLISECONDS` change how the
//! model behaves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dormouse_adapters::SystemClock;
use dormouse_types::model::{ModelError, ProviderUnavailable, Request, TurnEvent};
use dormouse_types::port::{BoxStream, Clock as _, Faults, Model, ModelClass, Point, Stage};
use futures_util::stream::{self, StreamExt as _};
use rustix::process::{Signal, getpid, kill_process};

/// The faults of this process.
#[derive(Debug, Default)]
pub struct Plan {
    kills: Vec<Kill>,
    mood: Option<ModelFault>,
}

#[derive(Debug)]
struct Kill {
    label: String,
    is_after: bool,
    /// How many passes are left; the fault strikes at 1.
    left: AtomicU64,
}

#[derive(Debug, Clone, Copy)]
enum ModelFault {
    /// Never answers.
    Holds,
    /// Refuses every request.
    Fails,
    Unavailable,
    /// Answers after a delay.
    Slow(Duration),
}

impl Plan {
    /// Reads a list of faults.
    ///
    /// Errors: a part that is not understood.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut plan = Self::default();
        for part in text.split(',') {
            match part.split(':').collect::<Vec<_>>()[..] {
                ["kill", label, moment @ ("before" | "after"), n] => {
                    let n: u64 = n.parse().map_err(|_| format!("`{part}`: {n} is not a number"))?;
                    plan.kills.push(Kill {
                        label: label.to_owned(),
                        is_after: moment == "after",
                        left: AtomicU64::new(n),
                    });
                }
                ["model", "holds"] => plan.mood = Some(ModelFault::Holds),
                ["model", "fails"] => plan.mood = Some(ModelFault::Fails),
                ["model", "away"] => plan.mood = Some(ModelFault::Unavailable),
                ["model", "slow", ms] => {
                    let ms = ms.parse().map_err(|_| format!("`{part}`: {ms} is not a number"))?;
                    plan.mood = Some(ModelFault::Slow(Duration::from_millis(ms)));
                }
                _ => return Err(format!("`{part}` is not a fault")),
            }
        }
        Ok(plan)
    }

    /// The model with the faults of this plan.
    pub fn model(&self, model: Arc<dyn Model>) -> Arc<dyn Model> {
        match self.mood {
            Some(mood) => Arc::new(FaultyModel { model, mood }),
            None => model,
        }
    }
}

impl Faults for Plan {
    fn pass(&self, point: Point<'_>) {
        let is_after = matches!(point.stage, Stage::AfterCommit | Stage::AfterEffect);
        for kill in &self.kills {
            let is_here = kill.label == point.label && kill.is_after == is_after;
            if is_here && kill.left.fetch_sub(1, Ordering::SeqCst) == 1 {
                // A process may always send itself this signal; abort in case the system refuses
                // anyway.
                let _refused = kill_process(getpid(), Signal::KILL);
                std::process::abort();
            }
        }
    }
}

struct FaultyModel {
    model: Arc<dyn Model>,
    mood: ModelFault,
}

impl Model for FaultyModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn class(&self) -> ModelClass {
        self.model.class()
    }

    fn reads_messages(&self) -> bool {
        self.model.reads_messages()
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let detail = "a fault on demand".to_owned();
        let error = match self.mood {
            ModelFault::Holds => return Box::pin(stream::pending()),
            ModelFault::Slow(by) => {
                let answer = move |()| self.model.ask(request);
                return Box::pin(stream::once(SystemClock.sleep(by)).flat_map(answer));
            }
            ModelFault::Fails => ModelError::Request { detail },
            ModelFault::Unavailable => ModelError::Provider {
                provider: self.provider().to_owned(),
                why: ProviderUnavailable::Authentication,
                detail,
                retry_after: None,
            },
        };
        Box::pin(stream::iter([Err(error)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_is_not_understood_is_refused() {
        assert!(Plan::read("kill:run.claim:after:3,model:holds").is_ok());
        assert!(Plan::read("model:slow:20").is_ok());
        let numbers = ["kill:a:before:x", "model:slow", "model:slow:x"];
        for wrong in ["", "kill", "kill:run.claim:within:1", "model:sleeps"].iter().chain(&numbers)
        {
            assert!(Plan::read(wrong).is_err(), "{wrong}");
        }
    }
}
