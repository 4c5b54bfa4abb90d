//! The schemas on Postgres: created once, refused if they are not ours, and reached as configured.

use dormouse_store::backend::postgres::{OpenError, Postgres};
use dormouse_store::journal::setting;
use dormouse_store::{ChangeRow, Commit, Db, Store, change_log};
use dormouse_testkit::postgres::Server;
use dormouse_types::{Origin, Seq};

use crate::world::{WS, node, raw_client, still, store, wait};

fn connect(prefix: &str, seed: u64) -> Result<Postgres, OpenError> {
    node(Server::shared().url(), prefix, &still(), seed)
}

#[test]
fn nodes_that_start_together_make_the_schemas_once() {
    let prefix = Server::shared().prefix();
    let nodes: Vec<Postgres> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..6)
            .map(|seed| {
                let prefix = &prefix;
                scope.spawn(move || connect(prefix, seed))
            })
            .collect();
        starts.into_iter().map(|start| start.join().expect("no panic").expect("a node")).collect()
    });
    let stores: Vec<Store> = nodes.into_iter().map(store).collect();
    for db in Db::ALL {
        let hosts: Vec<_> = stores.iter().map(|store| store.host(db)).collect();
        assert!(hosts.iter().all(|host| *host == hosts[0]), "{db:?}: {hosts:?}");
    }
    for store in &stores {
        let change = ChangeRow::journal(Origin::Import, Vec::new(), Vec::new());
        let commit = Commit::new("set", Db::Journal, WS).op(setting::put(WS, "k", "x"));
        wait(store.commit(commit.change(change))).expect("each node writes");
    }
    assert_eq!(wait(stores[0].all(change_log::after(WS, Seq(0), 9))).expect("the feed").len(), 6);
}

#[test]
fn a_schema_of_a_newer_version_is_refused_and_left_as_it_was() {
    for newer in Db::ALL {
        let prefix = Server::shared().prefix();
        drop(connect(&prefix, 1).expect("a node"));
        let schema = format!("{}{}", prefix, newer.name());
        let sql = format!("UPDATE {schema}.meta SET value = '99' WHERE key = 'schema'");
        wait(raw_client().batch_execute(&sql)).expect("the version is raised");
        let error = connect(&prefix, 1);
        let error = error.err().expect("the schema is refused");
        let OpenError::Newer { schema: named, found: 99, .. } = &error else { panic!("{error}") };
        assert_eq!(*named, schema);
        let message = error.to_string();
        assert!(
            message.contains("was written by a newer Dormouse (schema 99, this one"),
            "{message}"
        );
    }
}

#[test]
fn a_new_schema_is_not_begun_next_to_a_newer_one() {
    let prefix = Server::shared().prefix();
    let sql = format!(
        "CREATE SCHEMA {prefix}agent; CREATE TABLE {prefix}agent.meta (key TEXT, value TEXT);
         INSERT INTO {prefix}agent.meta VALUES ('schema', '99')"
    );
    wait(raw_client().batch_execute(&sql)).expect("a newer schema");
    let error = connect(&prefix, 1).err().expect("it is refused");
    assert!(matches!(&error, OpenError::Newer { found: 99, .. }), "{error}");
    let journal = format!("SELECT 1 FROM pg_namespace WHERE nspname = '{prefix}journal'");
    assert!(wait(raw_client().query_opt(&journal, &[])).expect("the schemas").is_none());
}

#[test]
fn a_schema_of_somebody_else_is_left_alone() {
    let prefix = Server::shared().prefix();
    let sql =
        format!("CREATE SCHEMA {prefix}journal; CREATE TABLE {prefix}journal.diary (day TEXT)");
    wait(raw_client().batch_execute(&sql)).expect("a schema");
    let error = connect(&prefix, 1).err().expect("it is refused");
    assert!(matches!(&error, OpenError::Damaged { .. }), "{error}");
}

#[test]
fn what_cannot_be_opened_is_reported_without_the_password() {
    let refused = |url: &str| {
        let error = node(url.to_owned(), "", &still(), 1).err().expect("it is refused");
        let message = error.to_string();
        assert!(!message.contains("secret"), "{message}");
        (error, message)
    };
    let (_, message) = refused("mysql://u:secret@127.0.0.1/d");
    assert!(message.contains("does not begin with postgres://"), "{message}");
    let (_, message) = refused("postgres://u:secret@127.0.0.1/d?sslmode=prefer");
    assert!(
        message.contains("sslmode=prefer is not one of disable, require, verify-full"),
        "{message}"
    );
    let (_, message) =
        refused("postgres://u:secret@127.0.0.1/d?sslmode=require&sslrootcert=/no/file");
    assert!(message.contains("sslrootcert /no/file cannot be read"), "{message}");
    let (error, message) = refused("postgres://u:secret@127.0.0.1:1/d");
    assert!(matches!(error, OpenError::Unreachable { .. }), "{message}");
    let nobody = Server::shared().url().replace("dormouse@", "nobody:secret@");
    let (_, message) = refused(&nobody);
    assert!(message.contains("role \"nobody\" does not exist"), "{message}");
}

/// If encryption is required, a server without a certificate is never talked to in the clear.
#[test]
fn who_asks_for_encryption_gets_it_or_nothing() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let roots = folder.path().join("root.pem");
    std::fs::write(&roots, ROOT).expect("the file is written");
    let url = format!("{}?sslmode=require&sslrootcert={}", Server::shared().url(), roots.display());
    let error = node(url, "", &still(), 1).err().expect("it is refused");
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("server does not support TLS"), "{error}");
}

/// Its private key was discarded.
const ROOT: &str = "\
-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIUJo7eAG3WZEKyYaEmMG8ILjWNLJgwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRYSByb290IGZvciBhIHRlc3QwIBcNMjYxMTIyMDA1MzQ3WhgP
MjEyNjEwMjkwMDUzNDdaMBwxGjAYBgNVBAMMEWEgcm9vdCBmb3IgYSB0ZXN0MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQUph0bJn82Su/AvO/4U4ejyzn0t1apwc
dg/7ckyNrP2jlCXv+a4QKTNoo8YNFRC4xtPGs3t4hyinCZqiAtqMP6NTMFEwHQYD
VR0OBBYEFMVUI32uTRo4Fio7EhXPb2oaBwLEMB8GA1UdIwQYMBaAFMVUI32uTRo4
Fio7EhXPb2oaBwLEMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIh
AMYNamAYHTO49JJoPNWRVdn2XMmaAPphw3I4WtsAkp4UAiBUQmjHDSvGb/MjUaIj
PReu8IiQ4oZ8PTBKbMf8dxFU0Q==
-----END CERTIFICATE-----
";
