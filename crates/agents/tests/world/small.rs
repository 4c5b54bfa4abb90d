//! A model with a small window, whose memory is folded soon.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use dormouse_testkit::now;
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_types::model::{ModelError, Request, TurnEvent, Usage};
use dormouse_types::port::{BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest};
use dormouse_types::spend::Price;
use futures_util::{StreamExt as _, stream};

/// The model.
pub struct Small {
    name: &'static str,
    location: ModelLocation,
    pub script: Script,
    /// What it answers when it is to fold; `None`: whatever the script says.
    pub summary: Mutex<Option<Answer>>,
    requests: Mutex<Vec<Request>>,
    /// How much it reads and writes. Units: tokens.
    window: AtomicU64,
    /// The most that it writes. Units: tokens.
    pub most_output: AtomicU64,
    /// What it costs; it is free without.
    pub price: Mutex<Option<Price>>,
    /// What it says of each call that it used, if it says anything.
    pub used: Mutex<Option<Usage>>,
}

/// A window that leaves 1,600 tokens for a log.
pub const WINDOW: u64 = 7_600;

impl Small {
    /// Creates the person's own model.
    pub fn own() -> Arc<Self> {
        Self::at("home/small", ModelLocation::OwnServer)
    }

    /// Creates a model of somebody else.
    pub fn far() -> Arc<Self> {
        Self::at("acme/small", ModelLocation::Elsewhere)
    }

    /// Creates a model of a name, at a place.
    pub fn at(name: &'static str, location: ModelLocation) -> Arc<Self> {
        let (script, summary, requests) = (Script::default(), Mutex::default(), Mutex::default());
        let window = AtomicU64::new(WINDOW);
        Arc::new(Self {
            name,
            location,
            script,
            summary,
            requests,
            window,
            most_output: AtomicU64::new(0),
            price: Mutex::default(),
            used: Mutex::default(),
        })
    }

    /// Sets how much it reads and writes. Units: tokens.
    pub fn set_window(&self, window: u64) {
        self.window.store(window, Ordering::Relaxed);
    }

    /// Does something while the window is large, so that many notes at once are news that fits.
    pub fn reading_all<T>(&self, does: impl FnOnce() -> T) -> T {
        let window = self.window.swap(200_000, Ordering::Relaxed);
        let done = does();
        self.set_window(window);
        done
    }

    /// Returns the requests since the last call.
    pub fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.lock().expect("one thread"))
    }
}

impl Model for Small {
    fn name(&self) -> &str {
        self.name
    }

    fn class(&self) -> ModelClass {
        if self.price().is_some() { ModelClass::Paid } else { ModelClass::Free }
    }

    fn price(&self) -> Option<Price> {
        *self.price.lock().expect("one thread")
    }

    fn outgoing(&self, request: &Request) -> Option<OutgoingRequest> {
        let body = request.fragments.iter().map(|fragment| fragment.text.as_str()).collect();
        let (url, headers) = ("https://acme.example/v1/messages".into(), Vec::new());
        self.price().map(|_| OutgoingRequest { method: "POST", url, headers, body })
    }

    fn location(&self) -> ModelLocation {
        self.location
    }

    fn window(&self) -> Option<u64> {
        Some(self.window.load(Ordering::Relaxed))
    }

    fn max_output(&self) -> u64 {
        self.most_output.load(Ordering::Relaxed)
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.requests.lock().expect("one thread").push(request.clone());
        let used = *self.used.lock().expect("one thread");
        let saying = |mut events: Vec<_>| {
            if let Some(used) = used {
                events.retain(|event| !matches!(event, Ok(TurnEvent::Usage(_))));
                let end = events.len().saturating_sub(1);
                events.insert(end, Ok(TurnEvent::Usage(used)));
            }
            Box::pin(stream::iter(events))
        };
        // Calls that fold have no turn yet.
        let summary = self.summary.lock().expect("one thread").clone();
        if let Some(answer) = summary.filter(|_| request.turn == 0) {
            // A script of its own: what one answered before it would answer again.
            let script = Script::in_order([answer]);
            let events: Vec<_> = now(script.ask(request).collect());
            return saying(events);
        }
        saying(now(self.script.ask(request).collect()))
    }
}
