//! A router over an empty folder, a manual clock, reproducible entropy. Every answer is
//! compared with the API document.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use dormouse::{Dormouse, DrainScope, Parts};
use dormouse_builtin::Builtin;
use dormouse_builtin::work::Rules;
use dormouse_testkit::models::Host;
use dormouse_testkit::scripted::Script;
use dormouse_testkit::sealing::FixedKey;
use dormouse_types::model::{ModelError, TurnEvent};
use dormouse_types::model_settings::{
    FailedTest, KeyState, KnownModel, ListedPrice, ModelHost, ModelTest, OfferedModel, Provider,
};
use dormouse_types::port::{BoxFuture, BoxStream, Clock, Entropy, Model, ModelClass};
use dormouse_types::{Caller, Timestamp, WorkspaceId};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::contract::CONTRACT;

/// 2026-03-02, a Monday, 09:00 UTC.
const NOW: Timestamp = Timestamp::from_micros(1_772_442_000_000_000);

/// The time that the clock shows at first.
pub struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        NOW
    }

    fn sleep_until(&self, _at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// A clock that a test moves by hand.
#[derive(Default)]
struct Moved(AtomicU64);

impl Clock for Moved {
    fn now(&self) -> Timestamp {
        NOW + Duration::from_secs(self.0.load(Ordering::SeqCst))
    }

    fn sleep_until(&self, _at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[derive(Default)]
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, out: &mut [u8]) {
        let n = self.0.fetch_add(1, Ordering::SeqCst).to_be_bytes();
        let bytes = n.iter().rev().copied().chain(std::iter::repeat(0));
        for (place, byte) in out.iter_mut().rev().zip(bytes) {
            *place = byte;
        }
    }
}

/// The script under the name by which runs find it again.
struct Scripted(Arc<Script>);

impl Model for Scripted {
    fn name(&self) -> &str {
        "acme/scripted"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn ask<'a>(
        &'a self,
        request: &'a dormouse_types::model::Request,
    ) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.0.ask(request)
    }
}

/// The models of the test host, and one called `scripted` that answers from a script.
struct ScriptedHost(Arc<Script>);

impl ModelHost for ScriptedHost {
    fn build(
        &self,
        provider: &Provider,
        name: &str,
        known: Option<&KnownModel>,
    ) -> Result<Arc<dyn Model>, String> {
        if name == "scripted" {
            Ok(Arc::new(Scripted(self.0.clone())))
        } else {
            Host.build(provider, name, known)
        }
    }

    fn checked(&self, provider: Provider) -> Result<Provider, String> {
        Host.checked(provider)
    }

    fn found(&self) -> Vec<Provider> {
        Host.found()
    }

    fn key(&self, provider: &Provider) -> KeyState {
        Host.key(provider)
    }

    fn set_key(&self, provider: &Provider, key: Option<&str>) -> Result<(), String> {
        Host.set_key(provider, key)
    }

    fn price(&self, provider: &Provider, name: &str) -> Option<ListedPrice> {
        Host.price(provider, name)
    }

    fn list<'a>(
        &'a self,
        provider: &'a Provider,
    ) -> BoxFuture<'a, Result<Vec<OfferedModel>, ModelError>> {
        Host.list(provider)
    }

    fn test<'a>(
        &'a self,
        provider: &'a Provider,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ModelTest, FailedTest>> {
        Host.test(provider, name)
    }

    fn test_request(&self) -> Option<dormouse_types::model::Request> {
        Host.test_request()
    }

    fn discover(&self) -> BoxFuture<'_, Vec<(Provider, Vec<OfferedModel>)>> {
        Host.discover()
    }
}

/// The API over a folder of its own.
pub struct World {
    router: Router,
    dormouse: Dormouse,
    clock: Arc<Moved>,
    /// The answers of the model `acme/scripted`.
    pub script: Arc<Script>,
    succeeded: Mutex<BTreeSet<String>>,
    _folder: tempfile::TempDir,
}

/// One answer.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("no JSON ({e}): {}", self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// As it goes over the wire, the body indented.
    pub fn rendered(&self) -> String {
        let mut text = format!("{}\n", self.status);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\n"));
        }
        match serde_json::from_str::<Value>(&self.body) {
            Ok(body) => text.push_str(&format!("\n{body:#}")),
            Err(_) => text.push_str(&format!("\n{}", self.body)),
        }
        text
    }
}

impl World {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let moved = Arc::new(Moved::default());
        let clock: Arc<dyn Clock> = moved.clone();
        let entropy: Arc<dyn Entropy> = Arc::new(Counting::default());
        let store = dormouse::open_folder(folder.path(), &clock, &entropy).expect("it opens");
        let dormouse = Dormouse::new(Parts {
            store,
            clock,
            entropy,
            model: Arc::new(Builtin),
            zone: jiff::tz::TimeZone::UTC,
            owner: "test".to_owned(),
        });
        let script = Arc::new(Script::default());
        let dormouse = dormouse
            .with_work_rules(Arc::new(Rules))
            .with_sealing_keys(Arc::new(FixedKey([7; 32])))
            .with_model_host(Arc::new(ScriptedHost(script.clone())), None);
        let router = dormouse_server::router(dormouse.clone(), Caller::owner(WorkspaceId(1)));
        Self {
            router,
            dormouse,
            clock: moved,
            script,
            succeeded: Mutex::default(),
            _folder: folder,
        }
    }

    /// Lets time pass.
    pub fn later(&self, seconds: u64) {
        self.clock.0.fetch_add(seconds, Ordering::SeqCst);
    }

    /// The services that the router calls.
    pub fn dormouse(&self) -> Dormouse {
        self.dormouse.clone()
    }

    /// Every byte of the databases, as it is on the disk.
    pub fn bytes(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self._folder.path()).expect("the folder is there");
        let files = files.map(|file| std::fs::read(file.expect("a file").path()));
        files.flat_map(|bytes| bytes.expect("it can be read")).collect()
    }

    /// Runs every agent of these tasks that is due.
    pub async fn drain(&self, task: &str) {
        let tasks = vec![task.parse().expect("an id of a task")];
        let scope = DrainScope { tasks, ..DrainScope::default() };
        self.dormouse.drain(scope, &mut |_run| {}).await.expect("the agents run");
    }

    /// Runs everything that is due.
    pub async fn drain_all(&self) {
        let scope = DrainScope { all_due: true, ..DrainScope::default() };
        self.dormouse.drain(scope, &mut |_run| {}).await.expect("what is due runs");
    }

    /// The operations that answered with success.
    pub fn succeeded(&self) -> BTreeSet<String> {
        self.succeeded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request and returns the response with its body unread.
    pub async fn response(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.expect("a router always answers")
    }

    /// Sends a request as it is, and compares the answer with the document.
    pub async fn send(&self, request: Request<Body>) -> Answer {
        let (method, path) = (request.method().to_string(), request.uri().to_string());
        let answer = answer(&self.router, request).await;
        let operation = CONTRACT.check(&method, &path, &answer);
        if let Some(operation) = operation.filter(|_| answer.status < 300) {
            let mut all = self.succeeded.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(operation.id.clone());
        }
        answer
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).expect("a request")).await
    }

    pub async fn call(&self, method: &str, path: &str, body: &str) -> Answer {
        self.call_with(method, path, body, &[]).await
    }

    /// Sends a request; one that is accepted is compared with the document as well.
    pub async fn call_with(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let answer = self.send(request).await;
        if answer.status < 300 {
            let wrong = CONTRACT.check_request(method, path, headers, body).err();
            assert_eq!(wrong, None, "{method} {path} was accepted: {body}");
        }
        answer
    }

    /// Makes a task and returns its id.
    pub async fn task(&self, body: &str) -> String {
        let answer = self.call("POST", "/api/journal/tasks", body).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["id"].as_str().expect("a task has an id").to_owned()
    }
}

/// Asks a router.
pub async fn answer(router: &Router, request: Request<Body>) -> Answer {
    let response: Response<Body> = match router.clone().oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .filter(|(name, _)| *name != "content-length")
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("?").to_owned()))
        .collect();
    let body = response.into_body().collect().await.expect("the body is whole").to_bytes();
    Answer { status, headers, body: String::from_utf8(body.to_vec()).expect("text") }
}
