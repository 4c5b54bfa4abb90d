//! Every source file of a room belongs to a module.
//!
//! A file that no `mod` line names is not compiled: the tests in it do not run, and nothing says so.

use std::collections::{BTreeMap, BTreeSet};

use xtask::repository;

#[test]
fn every_source_file_is_named_by_a_mod_line() -> anyhow::Result<()> {
    // The same name may be a file of the product and one of its tests.
    let mut trees: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in repository::files_below("crates")?.into_iter().filter(|path| path.ends_with(".rs"))
    {
        let tree = path.split('/').take(3).collect::<Vec<_>>().join("/");
        trees.entry(tree).or_default().push(path);
    }
    let mut unnamed = Vec::new();
    for paths in trees.values() {
        let mut named = BTreeSet::new();
        for path in paths {
            named.extend(named_modules(&repository::read(path)?).map(ToOwned::to_owned));
        }
        unnamed
            .extend(paths.iter().filter(|path| module(path).is_some_and(|m| !named.contains(m))));
    }
    assert!(unnamed.is_empty(), "no `mod` line names {unnamed:#?}");
    Ok(())
}

#[test]
fn the_rule_sees_modules_and_leaves_roots_alone() {
    let source = "pub mod edits;\nmod cases {\n    mod links;\n    // mod old;\n}\n\
                  #[path = \"link_tests.rs\"]\nmod tests;\n";
    let named: Vec<_> = named_modules(source).collect();
    assert_eq!(named, ["edits", "links", "link_tests", "tests"]);
    assert_eq!(module("crates/journal/tests/cases/edits.rs"), Some("edits"));
    assert_eq!(module("crates/agents/tests/world/mod.rs"), Some("world"));
    assert_eq!(module("crates/journal/src/link.rs"), Some("link"));
    for root in ["src/lib.rs", "src/main.rs", "build.rs", "tests/journal.rs", "benches/hot.rs"] {
        assert_eq!(module(&format!("crates/journal/{root}")), None, "{root}");
    }
    assert_eq!(module("crates/cli/tests/cli/main.rs"), None);
}

/// The modules that the `mod` lines of a file name, by their own name or by a `path`.
fn named_modules(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let line = line.trim();
        if let Some(path) = line.strip_prefix("#[path = \"") {
            return path.strip_suffix(".rs\"]");
        }
        let line = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    })
}

/// The module that a file holds; `None` for the root of a crate, which Cargo finds by its place.
fn module(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/')?;
    match (file.trim_end_matches(".rs"), folder.split('/').count()) {
        ("lib" | "main", _) | (_, 2) => None,
        ("mod", _) => folder.rsplit('/').next(),
        (_, 3) if !folder.ends_with("/src") => None,
        (name, _) => Some(name),
    }
}
