//! Stop signals for commands and servers: Ctrl-C or SIGTERM.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal as listen};
use tokio::sync::watch;

use crate::terminal::note;

/// Becomes true with the first signal and prints a note; the second one ends the process.
///
/// Errors: the signal handlers cannot be installed.
pub fn signal(words: &'static str) -> io::Result<watch::Receiver<bool>> {
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let (tell, stop) = watch::channel(false);
    #[expect(clippy::disallowed_methods, reason = "the composition root spawns its services")]
    tokio::spawn(async move {
        either(&mut interrupt, &mut terminate).await;
        note(words);
        tell.send_replace(true);
        either(&mut interrupt, &mut terminate).await;
        std::process::exit(1);
    });
    Ok(stop)
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        biased;
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// Completes with the first signal.
pub async fn requested(mut stop: watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        // The listener is gone, so no signal can arrive any more.
        std::future::pending::<()>().await;
    }
}
