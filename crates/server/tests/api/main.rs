//! Requests and answers as they go over the wire.

mod access;
mod agents;
mod change_sets;
mod client;
mod contract;
mod dates;
mod exports;
mod imports;
mod lists;
mod live;
mod openapi;
mod posture;
mod problems;
mod scopes;
mod site;
mod task_links;
mod tasks;
mod world;

use std::collections::BTreeSet;
use std::path::Path;

/// A file that is not named above would never run.
#[test]
fn no_file_of_this_folder_is_forgotten() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api");
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        found.extend(name.strip_suffix(".rs").filter(|name| *name != "main").map(str::to_owned));
    }
    let source = std::fs::read_to_string(folder.join("main.rs"))?;
    let named = source.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    assert_eq!(found, named.map(str::to_owned).collect());
    Ok(())
}
