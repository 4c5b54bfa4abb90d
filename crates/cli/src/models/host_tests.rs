use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use dormouse_adapters::SystemClock;
use dormouse_adapters::http::{HttpClient, Roots};
use dormouse_types::Timestamp;
use futures_util::{FutureExt as _, StreamExt as _};

use super::*;
use crate::key_variables::{KeyText, KeyVariable};

const KEY: &str = "sk-test-0123456789";
const OTHER: &str = "sk-other-0123456789";

struct Setup {
    variables: Vec<KeyVariable>,
    keys: Result<KeyFile, String>,
    local_servers: Vec<Provider>,
    clock: Arc<dyn Clock>,
    node: Option<String>,
}

impl Setup {
    fn new() -> Self {
        Self {
            variables: Vec::new(),
            keys: Err("with a Postgres database, keys come from the environment".into()),
            local_servers: Vec::new(),
            clock: Arc::new(SystemClock),
            node: None,
        }
    }

    fn variable(mut self, name: &str, key: &str) -> Self {
        self.variables.push(KeyVariable { name: name.into(), key: KeyText::Text(key.into()) });
        self
    }

    fn file(mut self, root: &tempfile::TempDir) -> Self {
        self.keys = Ok(KeyFile::new(root.path().join("config"), root.path().join("data")));
        self
    }

    fn host(self) -> Host {
        Host::new(Parts {
            transport: Arc::new(
                HttpClient::new(Roots::none(), self.clock.clone()).expect("a client"),
            ),
            clock: self.clock,
            environment: Environment::read(&self.variables),
            keys: self.keys,
            prices: PriceTable::built_in().expect("the table"),
            price_problem: None,
            local_servers: self.local_servers,
            node: self.node,
        })
    }
}

fn provider(name: &str, format: ApiFormat, base_url: &str) -> Provider {
    let base_url = base_url.into();
    Provider { name: name.into(), format, base_url, is_own: false, categories: None }
}

fn own(name: &str, base_url: &str) -> Provider {
    Provider { is_own: true, ..provider(name, ApiFormat::ChatCompletions, base_url) }
}

fn known_provider(name: &str) -> Provider {
    known::by_name(name).expect(name).provider()
}

#[test]
fn a_process_without_a_key_that_is_needed_sends_nothing_and_names_the_variable()
-> anyhow::Result<()> {
    let custom = provider("cc", ApiFormat::ChatCompletions, "https://models.example/v1");
    let tested = KnownModel { with_key: true, ..KnownModel::new("cc/good") };
    let setup = Setup { node: Some("attic".into()), ..Setup::new() };
    let keyless = setup.host();
    for (provider, known, variable) in [
        (known_provider("groq"), None, "GROQ_API_KEY"),
        (custom.clone(), Some(&tested), "DORMOUSE_KEY_CC"),
    ] {
        let model = keyless.build(&provider, "good", known).map_err(anyhow::Error::msg)?;
        assert!(model.lacks_key(), "{}", provider.name);
        let answer = model.ask(&probe_request()).next().now_or_never().flatten();
        let Some(Err(ModelError::Provider { why, detail, .. })) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!(why, ProviderUnavailable::Configuration);
        assert!(
            detail.contains("the node attic has no key") && detail.contains(variable),
            "{detail}"
        );
    }
    let untested = keyless.build(&custom, "good", None).map_err(anyhow::Error::msg)?;
    assert!(!untested.lacks_key(), "perhaps it needs none");
    let with_key = Setup::new().variable("DORMOUSE_KEY_CC", KEY).host();
    let model = with_key.build(&custom, "good", Some(&tested)).map_err(anyhow::Error::msg)?;
    assert!(!model.lacks_key());
    Ok(())
}

/// What a server answers to a request without a key.
const NO_KEY: &str = r#"{"error":{"message":"You didn't provide an API key."}}"#;

/// Nobody knows of a server at an address of its own whether it wants a key, until it has answered.
#[tokio::test]
async fn a_test_without_a_key_that_is_refused_names_the_node_and_the_variable() -> anyhow::Result<()>
{
    let custom = provider("cc", ApiFormat::ChatCompletions, &server(Some(NO_KEY))?);
    let build = |host: &Host| host.build(&custom, "good", None).map_err(anyhow::Error::msg);
    let node = Setup { node: Some("attic".into()), ..Setup::new() }.host();
    assert!(!build(&node)?.lacks_key());
    let failed = node.test(&custom, "good").await.expect_err("it is refused");
    let ModelError::Provider { why, detail, .. } = &failed.error else { panic!("{failed:?}") };
    assert_eq!(*why, ProviderUnavailable::Configuration, "others may have the key");
    assert_eq!(
        detail,
        "its server wants a key, and the node attic has no key for cc: set DORMOUSE_KEY_CC or DORMOUSE_KEY_CC_FILE there"
    );
    assert!(failed.is_counted && failed.usage.is_none(), "it cost nothing");
    assert!(build(&node)?.lacks_key(), "wakes are left to the others");

    let single = Setup::new().host();
    let failed = single.test(&custom, "good").await.expect_err("it is refused");
    let ModelError::Provider { why, detail, .. } = &failed.error else { panic!("{failed:?}") };
    assert_eq!(*why, ProviderUnavailable::Authentication);
    assert!(detail.contains("`dormouse models key cc`, or set DORMOUSE_KEY_CC"), "{detail}");
    assert!(!build(&single)?.lacks_key(), "there is nobody else");

    // With a key it is another answer, which holds whatever the key is refused for.
    let with_key = Setup { node: Some("attic".into()), ..Setup::new() };
    let with_key = with_key.variable("DORMOUSE_KEY_CC", KEY).host();
    let failed = with_key.test(&custom, "good").await.expect_err("it is refused");
    assert!(failed.error.to_string().contains("does not accept the key"), "{failed:?}");
    assert!(!build(&with_key)?.lacks_key());
    Ok(())
}

fn state(host: &Host, provider: &Provider) -> (KeySource, Option<String>) {
    let state = host.key(provider);
    (state.source, state.last_four)
}

/// A server on a free port that answers every request with `answer`, or never.
fn server(answer: Option<&'static str>) -> anyhow::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/v1", listener.local_addr()?);
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for stream in listener.incoming().flatten() {
            match answer {
                Some(body) => drop(reply(stream, body)),
                None => silent.push(stream),
            }
        }
    });
    Ok(address)
}

fn reply(mut stream: TcpStream, body: &str) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.extend(byte);
    }
    let is_list = head.starts_with(b"GET /v1/models ");
    let status = match body {
        _ if is_list => "200 OK",
        NO_KEY => "401 Unauthorized",
        _ => "404 Not Found",
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

const MODELS: &str =
    r#"{"data":[{"id":"qwen3:8b","max_model_len":32768},{"id":"gemma3:4b"}],"object":"list"}"#;

#[tokio::test]
async fn a_server_lists_its_models() -> anyhow::Result<()> {
    let host = Setup::new().host();
    let offered = host.list(&own("mine", &server(Some(MODELS))?)).await?;
    let model = |name: &str, window| OfferedModel { name: name.into(), window, calls_tools: None };
    assert_eq!(offered, [model("gemma3:4b", None), model("qwen3:8b", Some(32768))]);
    Ok(())
}

#[tokio::test]
async fn only_servers_that_list_models_are_found_on_this_machine() -> anyhow::Result<()> {
    let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let ollama = own("ollama", &server(Some(MODELS))?);
    let mut setup = Setup::new();
    setup.local_servers = vec![
        own("lm-studio", &format!("http://{free}/v1")),
        ollama.clone(),
        own("vllm", &server(Some("<html>a web page</html>"))?),
    ];
    let found = setup.host().discover().await;
    let found: Vec<_> = found.iter().map(|(it, models)| (it.clone(), models.len())).collect();
    assert_eq!(found, [(ollama, 2)]);
    Ok(())
}

/// Every sleep ends at once.
struct Hurried;

impl Clock for Hurried {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(0)
    }

    fn sleep_until(&self, _: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() -> anyhow::Result<()> {
    let silent = own("mine", &server(None)?);
    let mut setup = Setup::new();
    setup.clock = Arc::new(Hurried);
    setup.local_servers = vec![silent.clone()];
    let host = setup.host();
    assert_eq!(host.discover().await, []);
    let error = host.list(&silent).await.expect_err("it is silent");
    // It is given up before the connection is there, or when it stays silent; both have a limit.
    let ModelError::Provider { why, detail, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(why, ProviderUnavailable::Outage | ProviderUnavailable::Unreachable));
    assert!(detail.ends_with("within 30 seconds"), "{detail}");
    let error = host.test(&silent, "qwen3:8b").await.expect_err("it is silent");
    assert!(matches!(error.error, ModelError::Provider { .. }), "{error:?}");
    Ok(())
}

#[test]
fn the_environment_goes_before_the_key_file() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let openai = known_provider("openai");
    let file = Setup::new().file(&root).host();
    assert_eq!(state(&file, &openai), (KeySource::None, None));
    file.set_key(&openai, Some(&format!("{OTHER}\n"))).map_err(anyhow::Error::msg)?;
    assert_eq!(state(&file, &openai), (KeySource::KeyFile, Some("6789".into())));

    let both = Setup::new().file(&root).variable("OPENAI_API_KEY", KEY).host();
    let found = both.key(&openai);
    assert_eq!(found.source, KeySource::Environment);
    assert_eq!(found.variable.as_deref(), Some("OPENAI_API_KEY"));
    let refused = both.set_key(&openai, Some(OTHER)).expect_err("it would not be used");
    assert!(refused.starts_with("OPENAI_API_KEY is set"), "{refused}");

    both.set_key(&openai, None).map_err(anyhow::Error::msg)?;
    assert_eq!(state(&file, &openai), (KeySource::None, None));
    Ok(())
}

#[test]
fn a_key_does_not_follow_its_provider_to_another_address() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let host = Setup::new().file(&root).variable("OPENAI_API_KEY", KEY).host();
    let at = |address: &str| provider("openai", ApiFormat::ChatCompletions, address);
    let elsewhere = at("https://proxy.example/v1");
    assert_eq!(state(&host, &elsewhere), (KeySource::None, None));
    host.set_key(&elsewhere, Some(OTHER)).map_err(anyhow::Error::msg)?;
    assert_eq!(state(&host, &elsewhere).0, KeySource::KeyFile);
    assert_eq!(state(&host, &at("https://proxy.example:444/v1")), (KeySource::None, None));
    Ok(())
}

#[test]
fn a_shared_database_takes_keys_from_the_environment_only() {
    let host = Setup::new().variable("DORMOUSE_KEY_ACME", "short").host();
    let acme = provider("acme", ApiFormat::Anthropic, "https://acme.example");
    assert_eq!(state(&host, &acme), (KeySource::Environment, None), "nothing of a short key");
    for (provider, variable) in
        [(acme, "DORMOUSE_KEY_ACME"), (known_provider("groq"), "GROQ_API_KEY")]
    {
        let refused = host.set_key(&provider, Some(KEY)).expect_err("there is no key file");
        let expected = format!(": set {variable}, or name a file with {variable}_FILE");
        assert!(refused.contains("Postgres") && refused.ends_with(&expected), "{refused}");
    }
}

#[test]
fn a_key_that_cannot_be_used_fails_its_provider_and_no_other() {
    let host = Setup::new()
        .variable("OPENAI_API_KEY", "sk-first\nsk-second")
        .variable("GROQ_API_KEY", KEY)
        .host();
    let names: Vec<_> = host.found().into_iter().map(|provider| provider.name).collect();
    assert_eq!(names, ["groq"]);
    let error = host.build(&known_provider("openai"), "gpt-5", None).map(drop).expect_err("inner");
    assert!(error.starts_with("OPENAI_API_KEY: ") && !error.contains("sk-"), "{error}");
    assert_eq!(host.problems(), [error]);
    assert_eq!(host.key(&known_provider("openai")).source, KeySource::Environment);
    assert!(host.build(&known_provider("groq"), "openai/gpt-oss-20b", None).is_ok());
}

#[test]
fn a_model_knows_where_it_is_and_what_it_costs() -> anyhow::Result<()> {
    let host = Setup::new().host();
    let build = |provider: &Provider, name: &str, known: Option<&KnownModel>| {
        host.build(provider, name, known).map_err(anyhow::Error::msg)
    };
    let hosted = build(&known_provider("anthropic"), "claude-haiku-4-5", None)?;
    assert_eq!(hosted.name(), "anthropic/claude-haiku-4-5");
    assert_eq!((hosted.location(), hosted.class()), (ModelLocation::Elsewhere, ModelClass::Paid));
    assert_eq!(hosted.price().map(|price| price.output), Some(5_000_000));
    assert_eq!(hosted.max_output(), u64::from(limits::MODEL_OUTPUT_TOKENS));

    let price =
        dormouse_types::spend::Price { input: 1, cached_input: 1, cache_write: 1, output: 1 };
    let known = KnownModel { price: Some(price), ..KnownModel::new("anthropic/claude-haiku-4-5") };
    let priced = build(&known_provider("anthropic"), "claude-haiku-4-5", Some(&known))?;
    assert_eq!(priced.price(), Some(price), "a person's price goes before the table");

    let proxy = provider("anthropic", ApiFormat::Anthropic, "https://proxy.example/v1");
    assert_eq!(build(&proxy, "claude-haiku-4-5", None)?.price(), None);
    let local = build(&own("ollama", "http://127.0.0.1:11434/v1"), "qwen3:8b", Some(&known))?;
    assert_eq!((local.location(), local.class()), (ModelLocation::OwnServer, ModelClass::Free));
    assert_eq!(local.price(), None, "it costs nothing");

    let error = build(&known_provider("groq"), " model", None).map(drop).expect_err("a space");
    assert!(error.to_string().starts_with("a model of groq cannot be used"), "{error}");
    Ok(())
}

#[test]
fn an_untested_model_gets_tools_unless_a_persons_own_server_may_drop_them() {
    let own = own("ollama", "http://127.0.0.1:11434/v1");
    assert_eq!(rung(&own, None), ToolMode::Schema);
    assert_eq!(rung(&own, Some(ToolMode::Native)), ToolMode::Native);
    assert_eq!(rung(&known_provider("groq"), None), ToolMode::Native);
    assert_eq!(rung(&known_provider("groq"), Some(ToolMode::Text)), ToolMode::Text);
}

#[test]
fn a_provider_is_checked_before_it_is_stored() {
    let host = Setup::new().host();
    let checked = |name: &str, address: &str| {
        host.checked(provider(name, ApiFormat::ChatCompletions, address)).map(|it| it.base_url)
    };
    assert_eq!(checked("my-server.2", "HTTP://Box.local:80/v1/"), Ok("http://box.local/v1".into()));
    for (name, address, expected) in [
        ("", "http://a.example", "cannot be the name of a provider"),
        ("a/b", "http://a.example", "cannot be the name of a provider"),
        ("-a", "http://a.example", "with a letter or digit first"),
        ("builtin", "http://a.example", "the name of the built-in model"),
        ("my-file", "http://a.example", "DORMOUSE_KEY_MY_FILE would name"),
        ("a", "a.example/v1", "is not the address of a server"),
        ("a", "https://me:secret@a.example", "give the key by itself"),
        ("a", "https://a.example/v1/chat/completions", "that of the server, https://a.example/v1"),
    ] {
        let error = checked(name, address).expect_err(expected);
        assert!(error.contains(expected) && !error.contains("secret"), "{error}");
    }
    for address in [
        "https://api.openai.com/v1",
        "https://api.openai.com./v1",
        "http://api.openai.com/v1",
        "https://api.openai.com:8443/v1",
    ] {
        let error = host.checked(own("mine", address)).expect_err("nobody's own");
        assert!(error.contains("it is not your own server"), "{address}: {error}");
    }
}

#[test]
fn a_key_is_not_sent_where_others_can_read_it_on_the_way() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let host = Setup::new().file(&root).variable("DORMOUSE_KEY_CC", KEY).host();
    let unread = "is neither encrypted nor in your own network";
    let far = own("far", "http://models.example/v1");
    let error = host.set_key(&far, Some(OTHER)).expect_err("it could be read");
    assert!(error.contains(unread) && error.contains("https"), "{error}");
    // The variable of a provider goes with it to another address.
    for (address, is_built) in [
        ("http://models.example/v1", false),
        ("https://models.example/v1", true),
        ("http://192.168.1.7/v1", true),
    ] {
        let built = host.build(&own("cc", address), "good", None).map(drop);
        assert_eq!(built.is_ok(), is_built, "{address}");
        assert!(is_built || built.is_err_and(|error| error.contains(unread)), "{address}");
    }
    assert!(host.build(&far, "good", None).is_ok(), "it has no key");
    Ok(())
}
