//! The files of the repository, for rules that read them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// From this many lines on a file is listed at the end of a check.
pub const LONG_FILE_LINES: usize = 500;

/// The folders that are not part of the repository.
const OUTSIDE: &[&str] = &[".git", "target", "node_modules"];

/// The workspace root.
pub fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

/// All files below a folder of the repository, as paths from the root with `/`, sorted.
///
/// Errors: a folder that cannot be read.
pub fn files_below(folder: &str) -> anyhow::Result<Vec<String>> {
    let root = root();
    let mut files = Vec::new();
    let mut open = vec![root.join(folder)];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder)
            .with_context(|| format!("cannot list the folder {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
            let kind = entry.file_type().with_context(|| format!("cannot look at {entry:?}"))?;
            if kind.is_dir() && !OUTSIDE.iter().any(|name| entry.file_name() == *name) {
                open.push(entry.path());
            } else if kind.is_file() {
                files.push(from_root(&root, &entry.path())?);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a file of the repository.
///
/// Errors: it is missing, unreadable or not UTF-8.
pub fn read(path: &str) -> anyhow::Result<String> {
    fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))
}

/// Rust files with more than `limit` lines, longest first.
///
/// Errors: as [`files_below`] and [`read`].
pub fn long_files(limit: usize) -> anyhow::Result<Vec<(String, usize)>> {
    let mut long = Vec::new();
    for path in files_below("")?.into_iter().filter(|path| path.ends_with(".rs")) {
        let n_lines = read(&path)?.lines().count();
        if n_lines > limit {
            long.push((path, n_lines));
        }
    }
    long.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(long)
}

fn from_root(root: &Path, path: &Path) -> anyhow::Result<String> {
    let path = path
        .strip_prefix(root)
        .with_context(|| format!("{} is outside the repository", path.display()))?;
    let text = path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?;
    Ok(text.replace('\\', "/"))
}
