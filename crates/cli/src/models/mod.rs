//! Models that are reached over the network: providers, their keys, and what they cost.
//!
//! Owns: addresses of known providers, keys from the environment and from the key file, the price
//! table, and the parts that the port [`ModelHost`] is made of. Defends against: a key that reaches
//! another address than its own, a database, a log or an error message; a key file that others can
//! read; a price with a typo.
//!
//! Does not own: which model is in use, what may be spent, and the formats of requests.

pub(crate) mod known;
mod environment;
pub mod keys;
mod prices;
mod host;

use std::path::Path;
use std::sync::Arc;

use dormouse_adapters::http::{HttpClient, Roots};
use dormouse_types::model_settings::ModelHost;
use dormouse_types::port::Clock;

use crate::config::Config;
use crate::failure::Failure;
use environment::Environment;
use host::{Host, Parts};
use keys::KeyFile;
use prices::PriceTable;

/// Where models, keys and prices come from, by the settings of this process. What is wrong with the
/// files of a person is in [`ModelHost::problems`], because models of other providers still work.
///
/// Errors: no encrypted connection is possible.
pub fn host(
    config: &Config,
    clock: Arc<dyn Clock>,
    owner: &str,
) -> Result<Arc<dyn ModelHost>, Failure> {
    let client = HttpClient::new(Roots::system(), clock.clone())
        .map_err(|e| Failure::failed(format!("no encrypted connection is possible: {e}")))?;
    let built_in = PriceTable::built_in().map_err(|e| Failure::failed(e.to_string()))?;
    let (prices, price_problem) = with_own_rows(built_in, config.configuration.as_deref());
    let keys = match (&config.database, &config.configuration) {
        // Nodes of one database would each have their own file.
        (Some(_), _) => Err("with a Postgres database, keys come from the environment".to_owned()),
        (None, Some(folder)) => Ok(KeyFile::new(folder.clone(), config.data.clone())),
        (None, None) => Err("there is no configuration folder, because HOME is not set".to_owned()),
    };
    let node = config.database.is_some().then(|| node_name(owner));
    Ok(Arc::new(Host::new(Parts {
        transport: Arc::new(client),
        clock,
        environment: Environment::read(&config.keys),
        keys,
        prices,
        price_problem,
        local_servers: known::local_servers(),
        node,
    })))
}

/// The name by which a person finds a node: that of its machine, with the one of its leases.
fn node_name(owner: &str) -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match machine.trim() {
        "" => owner.to_owned(),
        machine => format!("{machine} ({owner})"),
    }
}

/// The built-in table with a person's own rows; alone, and with the reason, if those are wrong.
fn with_own_rows(built_in: PriceTable, folder: Option<&Path>) -> (PriceTable, Option<String>) {
    let Some(folder) = folder else { return (built_in, None) };
    let path = folder.join(prices::NAME);
    let own = prices::read_own(&path).and_then(|text| match text {
        Some(text) => built_in.clone().with(&path.display().to_string(), &text),
        None => Ok(built_in.clone()),
    });
    match own {
        Ok(table) => (table, None),
        Err(wrong) => (built_in, Some(format!("{wrong}; the built-in price table is used alone"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_in_a_persons_prices_leaves_the_built_in_table_in_force() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let built_in = PriceTable::built_in()?;
        let read = || with_own_rows(built_in.clone(), Some(folder.path()));
        assert_eq!(read(), (built_in.clone(), None), "without a file");

        let head = "provider,model,input,cachedInput,cacheWrite,output,date,source";
        let path = folder.path().join(prices::NAME);
        std::fs::write(&path, format!("{head}\nacme,*,1.o,,,2,2026-11-01,list\n"))?;
        let (table, problem) = read();
        assert_eq!(table, built_in);
        let expected = format!("{}, line 2, column input: \"1.o\" is not", path.display());
        assert!(problem.as_ref().is_some_and(|it| it.starts_with(&expected)), "{problem:?}");

        std::fs::write(&path, format!("{head}\nacme,*,1.0,,,2,2026-11-01,list\n"))?;
        let (table, problem) = read();
        assert_eq!(problem, None);
        assert!(table.price("acme", None, "any").is_some());
        Ok(())
    }
}
