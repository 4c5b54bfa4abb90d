//! A bounded pool of threads for work that computes.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use dormouse_types::port::{BoxFuture, Compute};
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that run jobs in the order in which they arrive. More jobs than threads wait.
///
/// The threads are never joined: a job that is still running when the program ends is abandoned, and
/// the run it belongs to is resumed by the next start.
pub struct ThreadPool {
    jobs: Sender<Job>,
}

impl ThreadPool {
    /// Starts the threads.
    ///
    /// Errors: the system has no thread to give.
    pub fn start(n_threads: usize) -> io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        for n in 0..n_threads.max(1) {
            let queue = queue.clone();
            let name = format!("compute-{}", n + 1);
            thread::Builder::new().name(name).spawn(move || work(&queue))?;
        }
        Ok(Self { jobs })
    }
}

fn work(queue: &Mutex<Receiver<Job>>) {
    loop {
        // The lock is held while waiting: of all idle threads, one waits for the next job.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        // A job that panics fails its own run; the thread is there for the next one.
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            continue;
        }
    }
}

impl Compute for ThreadPool {
    fn run(&self, job: Job) -> BoxFuture<'static, ()> {
        let (done, ended) = oneshot::channel::<()>();
        let job: Job = Box::new(move || {
            // Dropped when the job ends, even if it panics.
            let _done = done;
            job();
        });
        let sent = self.jobs.send(job);
        Box::pin(async move {
            if sent.is_ok() {
                // An error is the end of the job: nothing is ever sent.
                let _ended = ended.await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_job_runs_on_another_thread_and_is_awaited() {
        let pool = ThreadPool::start(1).expect("a thread");
        let (here, there) = (thread::current().id(), Arc::new(Mutex::new(None)));
        let seen = there.clone();
        let job = move || *seen.lock().expect("one job") = Some(thread::current().id());
        pool.run(Box::new(job)).await;
        let there = there.lock().expect("one job").expect("it ran");
        assert_ne!(here, there);
    }

    #[tokio::test]
    async fn a_job_that_panics_ends_and_the_next_one_runs() {
        let pool = ThreadPool::start(1).expect("a thread");
        pool.run(Box::new(|| panic!("a broken rule"))).await;
        let ran = Arc::new(AtomicBool::new(false));
        let mark = ran.clone();
        pool.run(Box::new(move || mark.store(true, Ordering::SeqCst))).await;
        assert!(ran.load(Ordering::SeqCst));
    }
}
