//! The files of a command, and the names under which they are known when they are imported again.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use axum::body::Bytes;
use dormouse::imports::{Column, Correction};
use dormouse_formats::plan as formats_plan;
use dormouse_types::limits;

use crate::failure::Failure;
use crate::input;
use crate::terminal::note;

/// Maximum number of files of a folder, with those of its folders: one with more is not a list.
const FILES_MAX: usize = 1_000;

/// A file, and what the person changed in its plan.
pub struct Source {
    pub name: String,
    pub bytes: Bytes,
    pub corrections: Vec<Correction>,
    /// What the columns of the sheet mean, if the person said so.
    pub columns: Option<Vec<Column>>,
}

/// A file to read, and its name.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    pub path: PathBuf,
    pub name: String,
}

/// Names files, and those in folders, in the order of the command. A file has its own name, or its path
/// where two have the same; one in a folder has its path from that folder on, as in the app. What is named
/// twice is there once.
///
/// Errors: a folder that cannot be read, or has no file or too many.
pub fn named(paths: &[PathBuf]) -> Result<Vec<Named>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let found = in_folder(path)?;
            let folder = path.canonicalize().map_err(|error| unread(path, &error))?;
            let above = folder.parent().unwrap_or(&folder);
            files.extend(found.into_iter().map(|found| {
                let inner = found.strip_prefix(path).unwrap_or(&found);
                let name =
                    joined(folder.strip_prefix(above).unwrap_or(&folder).join(inner).as_path());
                Named { path: found, name }
            }));
        } else {
            let name = match path == Path::new("-") {
                true => "stdin".to_owned(),
                false => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into(),
            };
            files.push(Named { path: path.clone(), name });
        }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.path.canonicalize().unwrap_or(file.path.clone())));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    files.iter().for_each(|file| *counts.entry(file.name.clone()).or_default() += 1);
    for file in &mut files {
        if counts[&file.name] > 1 {
            file.name = joined(&file.path);
        }
    }
    Ok(files)
}

/// Reads a file.
pub fn read(file: &Named) -> Result<Source, Failure> {
    let bytes = input::read(&file.path, limits::IMPORT_FILE)?;
    // The decoded text is sent, so the plan does not say it.
    if let Some(encoding) = formats_plan::guessed_encoding(&bytes) {
        let name = &file.name;
        note(&format!(
            "{name} is not UTF-8: read as {encoding}; if letters are wrong, save it as UTF-8"
        ));
    }
    // Exports in one line would have all their tasks on it.
    let bytes = match std::str::from_utf8(&bytes).map(formats_plan::laid_out) {
        Ok(Cow::Owned(text)) => text.into_bytes(),
        Ok(Cow::Borrowed(_)) | Err(_) => bytes,
    };
    let name = file.name.clone();
    Ok(Source { name, bytes: bytes.into(), corrections: Vec::new(), columns: None })
}

/// A path as a name: the same on every system, whether or not it begins with a dot.
fn joined(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn unread(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{} cannot be read: {error}", path.display()))
}

/// The files in a folder and in its folders, by name. Hidden ones, such as the settings of a notebook, are left
/// out, and so are links to folders, which may lead back.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| unread(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unread(&folder, &error))?;
            let kind = entry.file_type().map_err(|error| unread(&entry.path(), &error))?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() || (kind.is_symlink() && entry.path().is_file()) {
                found.push(entry.path());
            }
        }
        if found.len() > FILES_MAX {
            break;
        }
    }
    let shown = folder.display();
    match found.len() {
        0 => Err(Failure::failed(format!("{shown} is a folder without files"))),
        n if n > FILES_MAX => {
            let message = format!("{shown} is a folder with more than {FILES_MAX} files");
            Err(Failure::failed(message).hint("name the lists in it, or a folder of it"))
        }
        _ => {
            found.sort();
            Ok(found)
        }
    }
}
