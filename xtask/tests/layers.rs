//! Which room may know which, and what no room may do by itself.
//!
//! A rule that fails here is either broken by mistake or to be changed on purpose: then change the
//! table, and the room's paragraph in ARCHITECTURE.md, in the same commit.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::Context as _;
use xtask::{imports, repository, source};

/// (room, rooms it may import). Every room comes after all rooms that it names.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("dormouse-types", &[]),
    ("dormouse-formats", &["dormouse-types"]),
    ("dormouse-builtin", &["dormouse-types", "dormouse-formats"]),
    ("dormouse-adapters", &["dormouse-types"]),
    ("dormouse-testkit", &["dormouse-types"]),
    ("dormouse-store", &["dormouse-types"]),
    ("dormouse-access", &["dormouse-types", "dormouse-store"]),
    ("dormouse-journal", &["dormouse-types", "dormouse-store"]),
    ("dormouse-changes", &["dormouse-types", "dormouse-store", "dormouse-journal"]),
    ("dormouse-scheduler", &["dormouse-types", "dormouse-store"]),
    ("dormouse-runs", &["dormouse-types", "dormouse-store", "dormouse-scheduler"]),
    // What tests of several rooms stand in. Only integration tests use it, so a room below may, too.
    (
        "dormouse-world",
        &[
            "dormouse-types",
            "dormouse-testkit",
            "dormouse-store",
            "dormouse-journal",
            "dormouse-changes",
            "dormouse-runs",
        ],
    ),
    (
        "dormouse-agents",
        &[
            "dormouse-types",
            "dormouse-store",
            "dormouse-journal",
            "dormouse-changes",
            "dormouse-scheduler",
            "dormouse-runs",
        ],
    ),
    // A sibling of the agents on the same scheduler, runs and store.
    (
        "dormouse-work",
        &[
            "dormouse-types",
            "dormouse-formats",
            "dormouse-store",
            "dormouse-journal",
            "dormouse-changes",
            "dormouse-scheduler",
            "dormouse-runs",
        ],
    ),
    // Reads and builds no commit; see the test below.
    (
        "dormouse-queries",
        &[
            "dormouse-types",
            "dormouse-store",
            "dormouse-access",
            "dormouse-journal",
            "dormouse-changes",
            "dormouse-runs",
            "dormouse-agents",
            "dormouse-work",
        ],
    ),
    (
        "dormouse",
        &[
            "dormouse-types",
            "dormouse-formats",
            "dormouse-store",
            "dormouse-access",
            "dormouse-journal",
            "dormouse-changes",
            "dormouse-scheduler",
            "dormouse-runs",
            "dormouse-agents",
            "dormouse-work",
            "dormouse-queries",
        ],
    ),
    ("dormouse-server", &["dormouse-types", "dormouse"]),
    // Benches join the rooms that run agents, and write the same rows without them.
    (
        "dormouse-bench",
        &[
            "dormouse-types",
            "dormouse-formats",
            "dormouse-adapters",
            "dormouse-store",
            "dormouse-journal",
            "dormouse-changes",
            "dormouse-scheduler",
            "dormouse-runs",
            "dormouse-agents",
            "dormouse",
        ],
    ),
    (
        "dormouse-cli",
        &[
            "dormouse-types",
            "dormouse",
            "dormouse-server",
            "dormouse-adapters",
            "dormouse-builtin",
            "dormouse-formats",
            "dormouse-bench",
        ],
    ),
    // Power cuts under the store: of the product it knows the store alone.
    ("dormouse-powercut", &["dormouse-types", "dormouse-testkit", "dormouse-store"]),
    // Whole-runtime scenes look into every room; only tests and xtask use them.
    (
        "dormouse-scenes",
        &[
            "dormouse-types",
            "dormouse-formats",
            "dormouse-builtin",
            "dormouse-adapters",
            "dormouse-testkit",
            "dormouse-world",
            "dormouse-store",
            "dormouse-journal",
            "dormouse-changes",
            "dormouse-scheduler",
            "dormouse-runs",
            "dormouse-agents",
            "dormouse",
            "dormouse-server",
        ],
    ),
    // The whole runtime under a seeded scheduler.
    (
        "dormouse-simulation",
        &[
            "dormouse-types",
            "dormouse-testkit",
            "dormouse-store",
            "dormouse-journal",
            "dormouse-changes",
            "dormouse-scheduler",
            "dormouse-runs",
            "dormouse-agents",
            "dormouse",
        ],
    ),
    ("xtask", &["dormouse-powercut", "dormouse-scenes", "dormouse-simulation"]),
];

/// (room, rooms that only its tests may import, in addition to those of [`MAY_IMPORT`]).
const TESTS_MAY_IMPORT: &[(&str, &[&str])] = &[
    ("dormouse-types", &[]),
    ("dormouse-formats", &["dormouse-testkit"]),
    // The rules are tried on imported text.
    ("dormouse-builtin", &["dormouse-testkit", "dormouse-formats"]),
    ("dormouse-adapters", &["dormouse-testkit"]),
    ("dormouse-testkit", &[]),
    ("dormouse-store", &["dormouse-testkit"]),
    ("dormouse-world", &[]),
    ("dormouse-access", &[]),
    // Importing the same file again is a property of both.
    ("dormouse-journal", &["dormouse-testkit", "dormouse-world", "dormouse-formats"]),
    ("dormouse-changes", &["dormouse-testkit", "dormouse-world"]),
    (
        "dormouse-scheduler",
        &["dormouse-testkit", "dormouse-world", "dormouse-journal", "dormouse-changes"],
    ),
    ("dormouse-runs", &["dormouse-testkit"]),
    ("dormouse-agents", &["dormouse-testkit", "dormouse-world", "dormouse-builtin"]),
    ("dormouse-work", &["dormouse-testkit", "dormouse-world"]),
    ("dormouse-queries", &["dormouse-testkit"]),
    ("dormouse", &["dormouse-testkit", "dormouse-world", "dormouse-scenes", "dormouse-builtin"]),
    ("dormouse-server", &["dormouse-testkit", "dormouse-scenes", "dormouse-builtin"]),
    // Work without a language model is measured as rules, without a store.
    ("dormouse-bench", &["dormouse-builtin", "dormouse-formats"]),
    ("dormouse-cli", &["dormouse-testkit", "dormouse-scenes", "dormouse-store"]),
    ("dormouse-powercut", &[]),
    // The call of a hook is signed as a sender signs it.
    ("dormouse-scenes", &["dormouse-work"]),
    // The series of the product are compared with an oracle that knows none of it.
    ("dormouse-simulation", &["dormouse-formats", "dormouse-work"]),
    ("xtask", &[]),
];

/// (heavy crate, its users, rooms whose tests may use it too).
const HEAVY: &[(&str, &[&str], &[&str])] = &[
    // The kill test reads the files of the binary directly. Power cuts are simulated below the engine:
    // they need its table of functions for files.
    ("rusqlite", &["dormouse-store", "dormouse-powercut", "dormouse-bench"], &["dormouse-cli"]),
    // The chaos test reads the database of its nodes directly, and so does the bare loop of the bench.
    ("tokio-postgres", &["dormouse-store", "dormouse-bench"], &["dormouse-cli"]),
    ("tokio-postgres-rustls", &["dormouse-store"], &[]),
    // The cli carries the router: it asks it in process, or hands it to a listener.
    ("axum", &["dormouse-server", "dormouse-cli"], &[]),
    // What goes over the wire describes itself where it is defined, behind the feature `openapi`.
    (
        "utoipa",
        &[
            "dormouse-types",
            "dormouse-formats",
            "dormouse-access",
            "dormouse-journal",
            "dormouse-queries",
            "dormouse",
            "dormouse-server",
        ],
        &[],
    ),
    ("utoipa-axum", &["dormouse-server"], &[]),
    // Tool arguments are checked by their types; only tests judge by a schema.
    ("jsonschema", &[], &["dormouse-server"]),
    // The server's own half of a WebSocket comes with axum; only tests are the other half.
    ("tokio-tungstenite", &[], &["dormouse-server"]),
    ("clap", &["dormouse-cli"], &[]),
    ("comfy-table", &["dormouse-cli"], &[]),
    ("indicatif", &["dormouse-cli"], &[]),
    ("reqwest", &["dormouse-cli"], &[]),
    // A listener closes connections that are too slow; a command is a client of a running server,
    // over one plain connection; models are called over one connection each.
    ("hyper", &["dormouse-server", "dormouse-cli", "dormouse-adapters"], &[]),
    ("hyper-util", &["dormouse-server", "dormouse-cli", "dormouse-adapters"], &[]),
    ("tokio-rustls", &["dormouse-adapters"], &[]),
    ("sse-core", &["dormouse-adapters"], &[]),
    // Signals: of a process to itself on demand, and of tests to the server they started.
    ("rustix", &["dormouse-cli"], &[]),
    // Rules and services know futures, not a runtime; rooms that wait on the outside may.
    (
        "tokio",
        &[
            "dormouse-store",
            // `select!` alone.
            "dormouse-scheduler",
            "dormouse-adapters",
            "dormouse-server",
            "dormouse-cli",
            "dormouse-powercut",
            // Channels without a runtime.
            "dormouse-simulation",
            "dormouse-bench",
            // Connections to the server of the tests.
            "dormouse-testkit",
        ],
        &["dormouse-scenes", "dormouse", "dormouse-runs", "dormouse-agents", "dormouse-work"],
    ),
];

/// (what, rooms whose product code may use it, what the others do instead).
const RESERVED: &[(&str, &[&str], &str)] = &[
    ("std::fs", FILES, "take the text or the bytes as an argument"),
    ("tokio::fs", FILES, "take the text or the bytes as an argument"),
    ("std::env", &["dormouse-cli", "dormouse-scenes"], "take the setting as an argument"),
    (
        "std::process",
        &["dormouse-cli", "dormouse-testkit", "dormouse-scenes", "dormouse-bench"],
        "return an error instead",
    ),
    (
        "std::net",
        &["dormouse-adapters", "dormouse-server", "dormouse-cli", "dormouse-testkit"],
        "use a port",
    ),
    (
        "axum::routing",
        &[],
        "annotate the handler and name it in `routes!`, so that the API document has the route",
    ),
    ("std::thread", THREADS, "return a future; the composition root decides where it runs"),
    ("tokio::spawn", THREADS, "use FuturesUnordered; the composition root spawns services"),
    ("println!", TERMINAL, "return the text; the library prints nothing"),
    ("print!", TERMINAL, "return the text; the library prints nothing"),
    ("eprintln!", TERMINAL, "return an error or log with tracing"),
    ("eprint!", TERMINAL, "return an error or log with tracing"),
];
const FILES: &[&str] = &[
    "dormouse-store",
    "dormouse-adapters",
    "dormouse-cli",
    "dormouse-testkit",
    "dormouse-powercut",
    "dormouse-scenes",
    "dormouse-bench",
];
const THREADS: &[&str] = &[
    "dormouse-store",
    "dormouse-adapters",
    "dormouse-server",
    "dormouse-cli",
    "dormouse-testkit",
    "dormouse-powercut",
    "dormouse-scenes",
    "dormouse-simulation",
    "dormouse-bench",
];
const TERMINAL: &[&str] = &["dormouse-cli"];

/// (room, a word that its sources must not contain in any case, what knows it instead).
const UNKNOWN: &[(&str, &str, &str)] = &[
    ("runs", "report", "a handler says which tools close a run, and what its end writes"),
    ("runs", "agentid", "a run belongs to a holder; its handler announces it"),
    ("scheduler", "report", "a handler says what a run does"),
    ("scheduler", "agentid", "a holder is an id, and its kind is the prefix"),
];
/// What a room that only reads must not name in its product code: the parts of a write.
const WRITES: &[&str] = &["Commit", "Op", "Once", "ChangeRow", "Audit"];
/// Rooms that only read.
const READ_ONLY: &[&str] = &["dormouse-queries"];

/// (room, why its files may take names from each other in circles).
const CIRCLES: &[(&str, &str)] = &[("builtin", "its engines are to be written again")];

/// More lines than this have a second subject.
const MAX_FILE_LINES: usize = 1000;

/// The picture in ARCHITECTURE.md: every room is above all rooms that it may import.
#[test]
fn the_picture_of_the_rooms_agrees_with_the_table() -> anyhow::Result<()> {
    let text = repository::read("ARCHITECTURE.md")?;
    let picture = text.split("\n## Rooms\n").nth(1).and_then(|part| part.split("```").nth(1));
    let picture = picture.context("no picture below `## Rooms`")?;
    let mut line_of = BTreeMap::new();
    for (n, line) in picture.lines().enumerate() {
        // Names of rooms, a bar, and what they are for.
        for name in line.split('|').next().unwrap_or(line).split_whitespace() {
            line_of.insert(name.to_owned(), n);
        }
    }
    let place = |room: &str| line_of.get(room.strip_prefix("dormouse-").unwrap_or(room)).copied();
    let mut wrong = Vec::new();
    for (room, imports) in MAY_IMPORT {
        let Some(line) = place(room) else {
            wrong.push(format!("{room} is not in the picture"));
            continue;
        };
        let above = imports.iter().filter(|other| place(other).is_some_and(|at| at <= line));
        wrong.extend(above.map(|other| format!("{room} may import {other}: show it higher")));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    Ok(())
}

#[test]
fn every_crate_has_a_row_and_every_row_a_crate() -> anyhow::Result<()> {
    let crates: BTreeSet<String> = packages()?.into_iter().map(|package| package.name).collect();
    for rows in [names(MAY_IMPORT), names(TESTS_MAY_IMPORT)] {
        assert_eq!(crates, rows, "left: the crates of the workspace, right: the table");
    }
    Ok(())
}

#[test]
fn rooms_import_only_what_the_table_allows() -> anyhow::Result<()> {
    assert_none(&packages()?.iter().flat_map(forbidden_edges).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn imports_point_one_way() {
    let mut above = BTreeSet::new();
    for (room, imports) in MAY_IMPORT {
        for import in *imports {
            assert!(above.contains(import), "{room} names {import}, which comes after it");
        }
        above.insert(room);
    }
}

#[test]
fn heavy_crates_have_their_users_and_no_others() -> anyhow::Result<()> {
    assert_none(&packages()?.iter().flat_map(heavy_uses).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn only_the_named_rooms_touch_files_environment_threads_and_terminal() -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for package in packages()?.iter().filter(|package| package.name != "xtask") {
        for path in repository::files_below(&format!("{}/src", package.folder))? {
            if path.ends_with(".rs") && !source::is_test_file(&path) {
                broken.extend(reserved_uses(&package.name, &path, &repository::read(&path)?));
            }
        }
    }
    assert_none(&broken);
    Ok(())
}

#[test]
fn rooms_do_not_know_the_words_of_the_rooms_above() -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for (room, word, instead) in UNKNOWN {
        let files = repository::files_below(&format!("crates/{room}/src"))?;
        assert!(!files.is_empty(), "the room {room} has no sources");
        for path in files {
            broken.extend(unknown_words(word, instead, &path, &repository::read(&path)?));
        }
    }
    assert_none(&broken);
    Ok(())
}

#[test]
fn files_of_a_room_are_layered_too() -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for package in packages()? {
        let folder = format!("{}/src/", package.folder);
        if CIRCLES.iter().any(|(room, _)| package.folder == format!("crates/{room}")) {
            continue;
        }
        let mut files = BTreeMap::new();
        for path in repository::files_below(&folder)? {
            if path.ends_with(".rs") && !source::is_test_file(&path) {
                let text = repository::read(&path)?;
                files.insert(path.strip_prefix(&folder).unwrap_or(&path).to_owned(), text);
            }
        }
        assert!(!files.is_empty(), "{folder} has no sources");
        let circles = imports::circles(&files).with_context(|| folder.clone())?;
        broken.extend(circles.iter().map(|circle| format!("{folder}: {circle}")));
    }
    assert_none(&broken);
    Ok(())
}

#[test]
fn the_read_side_builds_no_write() -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for package in packages()?.iter().filter(|it| READ_ONLY.contains(&it.name.as_str())) {
        for path in repository::files_below(&format!("{}/src", package.folder))? {
            if path.ends_with(".rs") && !source::is_test_file(&path) {
                broken.extend(writes(&path, &repository::read(&path)?));
            }
        }
    }
    assert_none(&broken);
    Ok(())
}

#[test]
fn every_room_says_what_it_does_not_own() -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for package in packages()? {
        let files = repository::files_below(&format!("{}/src", package.folder))?;
        let root = ["lib.rs", "main.rs"]
            .map(|name| format!("{}/src/{name}", package.folder))
            .into_iter()
            .find(|path| files.contains(path))
            .with_context(|| format!("{} has neither lib.rs nor main.rs", package.name))?;
        if !says_what_it_does_not_own(&repository::read(&root)?) {
            broken.push(format!(
                "{root} does not open with a `//!` text that says what the room is for and has \
                 the words \"Does not own\""
            ));
        }
    }
    assert_none(&broken);
    Ok(())
}

#[test]
fn no_file_is_too_long() -> anyhow::Result<()> {
    let long = repository::long_files(MAX_FILE_LINES)?;
    assert!(long.is_empty(), "more than {MAX_FILE_LINES} lines, give each its subject: {long:?}");
    Ok(())
}

#[test]
fn the_rules_see_what_they_forbid() {
    let mut package = Package {
        name: "dormouse-types".into(),
        folder: "crates/types".into(),
        imports: vec!["dormouse-store".into(), "rusqlite".into(), "serde".into()],
        test_imports: vec!["dormouse-testkit".into(), "axum".into()],
    };
    assert_eq!(forbidden_edges(&package).len(), 2);
    assert_eq!(heavy_uses(&package).len(), 2);
    package.name = "dormouse-new".into();
    assert_eq!(forbidden_edges(&package).len(), 2, "a room without a row may import no room");

    let text = "fn a() {\n    std::fs::read(path);\n}\n";
    let said = reserved_uses("dormouse-journal", "crates/journal/src/a.rs", text);
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("crates/journal/src/a.rs:2"), "{said:?}");
    assert_eq!(reserved_uses("dormouse-store", "crates/store/src/a.rs", text), [] as [String; 0]);

    let text = "fn a() {}\n// The Report.\n";
    assert_eq!(unknown_words("report", "b", "c.rs", text), ["c.rs:2 says \"report\": b"]);
    assert_eq!(writes("a.rs", "fn a() {\n    store.commit(Commit::new(label));\n}\n").len(), 1);
    assert_eq!(writes("a.rs", "fn a(done: Committed) {}\n"), [] as [String; 0]);

    assert!(says_what_it_does_not_own("//! Tasks.\n//!\n//! Does not own: agents.\n"));
    assert!(!says_what_it_does_not_own("//! Tasks.\nuse a;\n// Does not own: agents.\n"));
}

/// A crate of the workspace as cargo sees it.
struct Package {
    name: String,
    folder: String,
    imports: Vec<String>,
    test_imports: Vec<String>,
}

/// The crates of the workspace; cargo reads the manifests, so renamed and target-specific
/// dependencies are seen under their real names.
fn packages() -> anyhow::Result<Vec<Package>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(repository::root())
        .output()
        .context("cannot start cargo metadata")?;
    let said = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "cargo metadata failed: {said}");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let packages: Option<Vec<_>> = packages.iter().map(package).collect();
    packages.context("cargo metadata describes a package in a way this test does not know")
}

fn package(json: &serde_json::Value) -> Option<Package> {
    let root = repository::root();
    let manifest = std::path::Path::new(json["manifest_path"].as_str()?);
    let folder = manifest.parent()?.strip_prefix(root).ok()?.to_str()?.to_owned();
    let mut by_kind: BTreeMap<bool, Vec<String>> = BTreeMap::new();
    for dependency in json["dependencies"].as_array()? {
        let for_tests = dependency["kind"].as_str() == Some("dev");
        by_kind.entry(for_tests).or_default().push(dependency["name"].as_str()?.to_owned());
    }
    Some(Package {
        name: json["name"].as_str()?.to_owned(),
        folder,
        imports: by_kind.remove(&false).unwrap_or_default(),
        test_imports: by_kind.remove(&true).unwrap_or_default(),
    })
}

fn names(table: &[(&str, &[&str])]) -> BTreeSet<String> {
    table.iter().map(|(room, _)| (*room).to_owned()).collect()
}

fn row<'a>(table: &[(&str, &'a [&'a str])], room: &str) -> &'a [&'a str] {
    table.iter().find(|(name, _)| *name == room).map_or(&[], |(_, imports)| imports)
}

/// Edges of a room that the tables do not have.
fn forbidden_edges(package: &Package) -> Vec<String> {
    let is_room = |name: &&String| name.starts_with("dormouse") || *name == "xtask";
    let allowed = row(MAY_IMPORT, &package.name);
    let in_tests = row(TESTS_MAY_IMPORT, &package.name);
    let imports = package.imports.iter().filter(is_room);
    let test_imports = package.test_imports.iter().filter(is_room);
    let product = imports
        .filter(|import| !allowed.contains(&import.as_str()))
        .map(|import| format!("{} may not import {import}", package.name));
    let tests = test_imports
        .filter(|import| !allowed.contains(&import.as_str()))
        .filter(|import| !in_tests.contains(&import.as_str()))
        .map(|import| format!("the tests of {} may not import {import}", package.name));
    product.chain(tests).collect()
}

/// Heavy crates that a room uses without being their user.
fn heavy_uses(package: &Package) -> Vec<String> {
    let room = package.name.as_str();
    let mut broken = Vec::new();
    for (heavy, users, in_tests) in HEAVY {
        let is_heavy = |import: &String| import == heavy;
        if package.imports.iter().any(is_heavy) && !users.contains(&room) {
            broken.push(format!("{room} uses {heavy}, which only {users:?} may"));
        }
        let tests_may = users.contains(&room) || in_tests.contains(&room);
        if package.test_imports.iter().any(is_heavy) && !tests_may {
            broken.push(format!("the tests of {room} use {heavy}, which only {users:?} may"));
        }
    }
    broken
}

/// Lines that contain a word the room must not know; comments and tests count too.
fn unknown_words(word: &str, instead: &str, path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| line.to_lowercase().contains(&word.to_lowercase()));
    lines.map(|(n, _)| format!("{path}:{} says {word:?}: {instead}", n + 1)).collect()
}

/// Lines of a room's product code that use what is reserved for other rooms.
fn reserved_uses(room: &str, path: &str, text: &str) -> Vec<String> {
    let lines = source::product_lines(text);
    let mut broken = Vec::new();
    for (word, rooms, instead) in RESERVED {
        if rooms.contains(&room) {
            continue;
        }
        for line in source::uses(&lines, word) {
            broken.push(format!("{path}:{line} uses {word}: {instead}"));
        }
    }
    broken
}

/// Lines of product code that name a part of a write to the store.
fn writes(path: &str, text: &str) -> Vec<String> {
    let lines = source::product_lines(text);
    let mut broken = Vec::new();
    for word in WRITES {
        for line in source::uses(&lines, word) {
            broken.push(format!(
                "{path}:{line} uses {word}: a room that only reads builds no commit"
            ));
        }
    }
    broken
}

fn says_what_it_does_not_own(text: &str) -> bool {
    let opening: Vec<_> = text.lines().take_while(|line| line.starts_with("//!")).collect();
    opening.iter().any(|line| line.contains("Does not own"))
}

#[track_caller]
fn assert_none(broken: &[String]) {
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}
