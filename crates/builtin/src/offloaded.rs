//! The rules model on a thread of its own, apart from the loop that calls it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{BoxFuture, BoxStream, Compute, Model, ModelClass};
use futures_core::Stream;

use crate::{Builtin, events};

/// The rules model, thinking where [`Compute`] runs it.
///
/// A long task takes the rules many milliseconds. On the loop that asks, every heartbeat and every
/// other run of this process would wait for them.
pub struct Offloaded {
    compute: Arc<dyn Compute>,
}

impl Offloaded {
    /// Lets the rules think on `compute`.
    pub fn on(compute: Arc<dyn Compute>) -> Self {
        Self { compute }
    }
}

impl Model for Offloaded {
    fn name(&self) -> &str {
        Builtin.name()
    }

    fn class(&self) -> ModelClass {
        Builtin.class()
    }

    fn reads_messages(&self) -> bool {
        Builtin.reads_messages()
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let answer = Arc::new(Mutex::new(None));
        let job = {
            let (answer, request) = (answer.clone(), request.clone());
            move || {
                let found = events(&request);
                *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            }
        };
        Box::pin(Thinking::UnderWay { job: self.compute.run(Box::new(job)), answer })
    }
}

/// A turn whose events come all at once when the job has ended.
enum Thinking {
    UnderWay { job: BoxFuture<'static, ()>, answer: Arc<Mutex<Option<VecDeque<TurnEvent>>>> },
    Answered(VecDeque<TurnEvent>),
}

impl Stream for Thinking {
    type Item = Result<TurnEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Self::UnderWay { job, answer } = &mut *self {
            if job.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let found = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
            let is_lost = found.is_none();
            *self = Self::Answered(found.unwrap_or_default());
            if is_lost {
                // The job panicked, or was dropped because the program stops.
                let detail = "the rules ended without an answer".into();
                return Poll::Ready(Some(Err(ModelError::Request { detail })));
            }
        }
        match &mut *self {
            Self::Answered(events) => Poll::Ready(events.pop_front().map(Ok)),
            Self::UnderWay { .. } => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use dormouse_types::RunKey;
    use dormouse_types::model::ToolChoice;
    use dormouse_types::port::InlineCompute;

    use super::*;

    /// Loses every job.
    struct Lossy;

    impl Compute for Lossy {
        fn run(&self, _job: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
            Box::pin(std::future::ready(()))
        }
    }

    fn ask(model: &dyn Model) -> Vec<Result<TurnEvent, ModelError>> {
        let request = Request {
            run_key: RunKey("k".into()),
            turn: 1,
            fragments: Vec::new(),
            turns: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
        };
        let mut stream = model.ask(&request);
        let mut found = Vec::new();
        while let Poll::Ready(Some(event)) =
            stream.as_mut().poll_next(&mut Context::from_waker(Waker::noop()))
        {
            found.push(event);
        }
        found
    }

    #[test]
    fn it_answers_what_the_rules_answer() {
        let answer = ask(&Offloaded::on(Arc::new(InlineCompute)));
        assert!(matches!(answer.last(), Some(Ok(TurnEvent::End { ended: true }))), "{answer:?}");
        assert_eq!(answer, ask(&Builtin));
    }

    #[test]
    fn a_lost_job_is_an_error_and_not_an_empty_answer() {
        let answer = ask(&Offloaded::on(Arc::new(Lossy)));
        assert!(matches!(answer[..], [Err(ModelError::Request { .. })]), "{answer:?}");
    }
}
