//! Configuration from flags and the environment. Nothing else reads the environment.

use std::env::{var_os, vars_os};
use std::ffi::OsString;
use std::fmt;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
#[cfg(feature = "faults")]
use std::sync::Arc;
use std::time::Duration;

use clap::Args as ClapArgs;
use dormouse::dates::{DayOrder, Wording};
use dormouse_server::PublicUrl;
use dormouse_types::limits;
use dormouse_types::model_settings::split_id;
use jiff::tz::TimeZone;

use crate::failure::Failure;
use crate::key_variables::{self, KeyText, KeyVariable};
use crate::terminal::Settings;

/// Units: columns. The width if it is unknown.
const DEFAULT_WIDTH: usize = 80;

/// The default address of `serve`.
const DEFAULT_BIND: &str = "127.0.0.1:7330";
/// Units: seconds. A busy node would lose shorter leases.
const LEASE_SECONDS: std::ops::RangeInclusive<u64> = 1..=3600;

/// The URL of a Postgres database. It contains a password and is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The full URL, for connecting.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for DatabaseUrl {
    fn from(url: String) -> Self {
        Self(url)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

/// Options of every command.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Everywhere")]
pub struct Global {
    /// The data folder [default: $DORMOUSE_DATA, else dormouse in the user's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// A Postgres database instead of the data folder [also: $DORMOUSE_DATABASE_URL, or
    /// $DORMOUSE_DATABASE_URL_FILE]
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<DatabaseUrl>,
    /// Print only the body of the API's response
    #[arg(long, global = true)]
    pub json: bool,
    /// Do not wait for agents; without a server, the next command wakes them
    #[arg(long, global = true)]
    pub no_wait: bool,
    /// Print without colour [also: $NO_COLOR]
    #[arg(long, global = true)]
    pub no_color: bool,
    /// How to read a date such as 3/4: dayFirst or monthFirst [default: $DORMOUSE_DAY_ORDER, else
    /// that of the workspace, else that of $LANG]
    #[arg(long, global = true, value_name = "ORDER")]
    pub day_order: Option<DayOrder>,
}

/// The settings of one command.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data folder.
    pub data: PathBuf,
    /// How this program was called, with its data folder; the prefix of suggested commands.
    pub call: String,
    /// The terminal.
    pub screen: Settings,
    /// Whether to leave agents asleep.
    pub no_wait: bool,
    /// The person's time zone.
    pub zone: TimeZone,
    /// How the person writes dates.
    pub wording: Wording,
    /// Whether the command or its environment names the order of day and month.
    pub is_order_given: bool,
    /// A Postgres database, used instead of the files in the data folder.
    pub database: Option<DatabaseUrl>,
    /// The folder of key file and price table; `None` if nothing names one.
    pub configuration: Option<PathBuf>,
    /// The keys that the environment gives.
    pub keys: Vec<KeyVariable>,
    /// The key of hooks that the environment gives.
    pub hook_key: Option<KeyText>,
    /// The model that the environment chooses, `builtin` or `provider/model`.
    pub model: Option<String>,
    /// How long leases last; `None` is the default.
    pub lease: Option<Duration>,
    /// The person's editor, a command that may have arguments.
    pub editor: String,
    /// Faults on demand, for tests.
    #[cfg(feature = "faults")]
    pub faults: Arc<crate::faults::Plan>,
}

/// The settings of `serve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serving {
    /// The address to listen on; only a local one unless a proxy is configured.
    pub bind: SocketAddr,
    /// The address of the proxy in front of the server.
    pub public_url: Option<PublicUrl>,
    /// The number of concurrent wakes.
    pub concurrency: usize,
}

impl Serving {
    /// Uses flags first, then the environment, then defaults.
    ///
    /// Errors: an invalid address, one that other machines can reach without a TLS proxy, or a
    /// number out of range.
    pub fn read(
        bind: Option<&str>,
        public_url: Option<&str>,
        concurrency: Option<usize>,
    ) -> Result<Self, Failure> {
        let bind = bind.map(str::to_owned);
        let bind = bind.or(text("DORMOUSE_BIND")?).unwrap_or_else(|| DEFAULT_BIND.to_owned());
        let public_url = match public_url {
            Some(given) => Some(given.to_owned()),
            None => text("DORMOUSE_PUBLIC_URL")?,
        };
        let public_url = public_url.map(|url| url.parse::<PublicUrl>()).transpose();
        let public_url = public_url.map_err(|wrong| Failure::usage(wrong.to_string()))?;
        let concurrency = match concurrency {
            Some(given) => given,
            None => number("DORMOUSE_CONCURRENCY")?.unwrap_or(limits::CONCURRENCY),
        };
        if !(1..=limits::CONCURRENCY_MAX).contains(&concurrency) {
            let most = limits::CONCURRENCY_MAX;
            let wrong = format!("a concurrency of {concurrency} is not possible");
            return Err(Failure::usage(wrong).hint(format!("use 1 to {most}")));
        }
        let bind = allowed(address(&bind)?, public_url.as_ref())?;
        Ok(Self { bind, public_url, concurrency })
    }
}

/// Parses an address to listen on.
fn address(text: &str) -> Result<SocketAddr, Failure> {
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    named.as_deref().unwrap_or(text).parse().map_err(|_| {
        Failure::usage(format!("`{text}` is not an address to listen on"))
            .hint("write an address of this machine and a port, such as 127.0.0.1:7330")
    })
}

/// Checks that the server may listen there: an address that other machines can reach needs a TLS
/// proxy, because tokens and tasks would otherwise cross the network unencrypted.
fn allowed(bind: SocketAddr, proxy: Option<&PublicUrl>) -> Result<SocketAddr, Failure> {
    if bind.ip().is_loopback() || proxy.is_some() {
        return Ok(bind);
    }
    let wrong = format!(
        "{bind} can be reached from other machines, and the traffic would not be encrypted"
    );
    Err(Failure::usage(wrong).hint(
        "listen on 127.0.0.1 or [::1]; or put a TLS proxy in front and pass its address, such as --public-url https://tasks.example",
    ))
}

impl Config {
    /// Uses flags first, then the environment, then defaults.
    ///
    /// Errors: neither a flag nor a variable names the data folder.
    pub fn read(global: &Global) -> Result<Self, Failure> {
        let data = global.data.clone().or_else(|| folder("DORMOUSE_DATA")).or_else(default_data);
        let Some(data) = data else {
            return Err(Failure::usage("there is no data folder: HOME is not set")
                .hint("name one with --data DIR or DORMOUSE_DATA"));
        };
        let call = match &global.data {
            Some(data) => format!("{} --data {}", program(), quoted(&data.to_string_lossy())),
            None => program(),
        };
        let screen = Settings { width: width(), colour: colour(global), json: global.json };
        let database = match &global.database_url {
            Some(url) => Some(url.clone()),
            None => secret("DORMOUSE_DATABASE_URL")?.map(DatabaseUrl),
        };
        let day_order = match (global.day_order, text("DORMOUSE_DAY_ORDER")?) {
            (Some(order), _) => Some(order),
            (None, Some(order)) => Some(
                order
                    .parse()
                    .map_err(|wrong| Failure::usage(format!("DORMOUSE_DAY_ORDER: {wrong}")))?,
            ),
            (None, None) => None,
        };
        let locale = locale();
        let lease = number("DORMOUSE_LEASE_SECONDS")?;
        if let Some(wrong) = lease.filter(|seconds| !LEASE_SECONDS.contains(seconds)) {
            return Err(Failure::usage(format!("DORMOUSE_LEASE_SECONDS={wrong} is out of range"))
                .hint(format!("use {} to {}", LEASE_SECONDS.start(), LEASE_SECONDS.end())));
        }
        #[cfg(feature = "faults")]
        let faults = match text("DORMOUSE_FAULTS")? {
            Some(text) => crate::faults::Plan::read(&text)
                .map_err(|wrong| Failure::usage(format!("DORMOUSE_FAULTS: {wrong}")))?,
            None => crate::faults::Plan::default(),
        };
        Ok(Self {
            data,
            call,
            screen,
            no_wait: global.no_wait,
            zone: TimeZone::system(),
            editor: editor()?,
            wording: Wording::of(
                day_order.unwrap_or_else(|| order_of(locale.as_deref())),
                text("DORMOUSE_LANG")?.or(locale).as_deref(),
            ),
            is_order_given: day_order.is_some(),
            database,
            configuration: folder("DORMOUSE_CONFIG").or_else(default_configuration),
            keys: key_variables::find(vars_os()),
            hook_key: key_variables::find_hook_key(vars_os()),
            model: text("DORMOUSE_MODEL")?.map(|name| model(&name)).transpose()?,
            lease: lease.map(Duration::from_secs),
            #[cfg(feature = "faults")]
            faults: Arc::new(faults),
        })
    }
}

/// The program as it was called: its path, or the command name.
fn program() -> String {
    let called = std::env::args_os().next().map(|name| name.to_string_lossy().into_owned());
    called.filter(|name| name.contains('/')).map_or_else(|| "dormouse".to_owned(), |n| quoted(&n))
}

/// The editor of the environment, as other programs choose it.
fn editor() -> Result<String, Failure> {
    let given = match text("VISUAL")? {
        Some(editor) => Some(editor),
        None => text("EDITOR")?,
    };
    Ok(given.filter(|editor| !editor.trim().is_empty()).unwrap_or_else(|| "vi".to_owned()))
}

fn folder(name: &str) -> Option<PathBuf> {
    var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The locale that the environment names for times. One that is not text is none of ours to refuse.
fn locale() -> Option<String> {
    let locale = |name| var_os(name).filter(|value| !value.is_empty());
    ["LC_ALL", "LC_TIME", "LANG"].into_iter().find_map(locale)?.into_string().ok()
}

/// Territories whose people write 4 March as 3/4.
const MONTH_FIRST: [&str; 6] = ["US", "PH", "FM", "GU", "PR", "AS"];

/// The order in which a locale such as `en_US.UTF-8` writes day and month.
fn order_of(locale: Option<&str>) -> DayOrder {
    let territory =
        locale.and_then(|locale| locale.split(['.', '@']).next()?.split(['_', '-']).nth(1));
    match territory {
        Some(territory) if MONTH_FIRST.contains(&territory) => DayOrder::MonthFirst,
        Some(_) | None => DayOrder::DayFirst,
    }
}

/// Reads a variable as text; an empty one counts as not set.
fn text(name: &str) -> Result<Option<String>, Failure> {
    match var_os(name).filter(|value| !value.is_empty()).map(OsString::into_string) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(text)),
        Some(Err(_)) => Err(Failure::usage(format!("{name} is not UTF-8"))),
    }
}

/// Reads a variable as a number.
fn number<T: FromStr>(name: &str) -> Result<Option<T>, Failure> {
    let Some(text) = text(name)? else { return Ok(None) };
    match text.trim().parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(Failure::usage(format!("{name}={text} is not a number"))),
    }
}

/// Reads a secret from a variable, or from the file named by the variable with `_FILE`.
fn secret(name: &str) -> Result<Option<String>, Failure> {
    if let Some(secret) = text(name)? {
        return Ok(Some(secret));
    }
    let Some(path) = folder(&format!("{name}_FILE")) else { return Ok(None) };
    let read = std::fs::read_to_string(&path);
    let secret = read.map_err(|e| {
        Failure::failed(format!("{name}_FILE: {} cannot be read: {e}", path.display()))
    })?;
    Ok(Some(secret.trim().to_owned()).filter(|secret| !secret.is_empty()))
}

fn default_data() -> Option<PathBuf> {
    user_folder("XDG_DATA_HOME", ".local/share")
}

fn default_configuration() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", ".config")
}

/// Our folder in the one that a variable names, else in `default` of the home folder.
fn user_folder(variable: &str, default: &str) -> Option<PathBuf> {
    let base = folder(variable)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(folder("HOME")?.join(default)))?;
    Some(base.join("dormouse"))
}

/// Checks the name of a model.
fn model(text: &str) -> Result<String, Failure> {
    let text = text.trim();
    if text == "builtin" || split_id(text).is_some() {
        return Ok(text.to_owned());
    }
    Err(Failure::usage(format!("DORMOUSE_MODEL={text} is not a model"))
        .hint("set it to builtin, or to a provider and its model, such as ollama/qwen3:8b"))
}

fn width() -> usize {
    let columns = var_os("COLUMNS").and_then(|text| text.to_str()?.parse().ok());
    columns
        .filter(|width| *width > 0)
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
        .unwrap_or(DEFAULT_WIDTH)
}

fn colour(global: &Global) -> bool {
    let refused = var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = var_os("TERM").is_some_and(|term| term == "dumb");
    !global.no_color && !refused && !is_dumb && std::io::stdout().is_terminal()
}

/// Quotes text as one shell word.
fn quoted(text: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./:@+=,".contains(c);
    if !text.is_empty() && text.chars().all(is_safe) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_command_can_be_pasted() {
        assert_eq!(quoted("target/demo"), "target/demo");
        assert_eq!(quoted("my tasks"), "'my tasks'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn a_server_listens_on_this_machine_unless_a_proxy_is_named() {
        let proxy: PublicUrl = "https://tasks.example".parse().expect("an address");
        let read = |text, proxy| address(text).and_then(|bind| allowed(bind, proxy));
        for ours in ["127.0.0.1:0", "127.0.0.9:7330", "[::1]:7330", "localhost:7330"] {
            assert!(read(ours, None).is_ok() && read(ours, Some(&proxy)).is_ok(), "{ours}");
        }
        for wrong in ["", "7330", "127.0.0.1", "example.org:7330", "localhost:x", "127.0.0.1:70000"]
        {
            assert_eq!(read(wrong, Some(&proxy)).unwrap_err().code, 2, "{wrong}");
        }
        for open in ["0.0.0.0:7330", "[::]:7330", "192.168.0.2:7330"] {
            let refusal = read(open, None).unwrap_err();
            assert!(refusal.message.contains("other machines"), "{open}: {refusal:?}");
            assert!(read(open, Some(&proxy)).is_ok(), "{open}");
        }
    }

    #[test]
    fn a_model_is_the_built_in_one_or_has_a_provider() {
        for (given, expected) in [
            ("builtin", Some("builtin")),
            ("ollama/qwen3:8b\n", Some("ollama/qwen3:8b")),
            ("openrouter/openai/gpt-5", Some("openrouter/openai/gpt-5")),
            ("gpt-5", None),
            ("/gpt-5", None),
            ("openai/", None),
        ] {
            assert_eq!(model(given).ok().as_deref(), expected, "{given}");
        }
    }

    #[test]
    fn a_url_with_its_password_is_not_shown() {
        let url = DatabaseUrl::from("postgres://me:secret@db/x".to_owned());
        assert!(!format!("{url:?}").contains("secret"));
    }
}
