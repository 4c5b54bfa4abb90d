//! Embeds two things into the binary: the built files of the web app (*dist* in `web/`, if it was
//! built) and the pages of problems (`docs/errors`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn main() -> io::Result<()> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    let (app, pages) = (Path::new(ROOT).join("web/dist"), Path::new(ROOT).join("docs/errors"));
    // Cargo treats a missing folder as changed, so create it. If that fails, the only loss is that
    // this script runs with each build.
    if let Err(error) = std::fs::create_dir_all(&app) {
        println!("cargo::warning={} cannot be created: {error}", app.display());
    }
    println!("cargo::rerun-if-changed={}", app.display());
    println!("cargo::rerun-if-changed={}", pages.display());

    let mut text = "/// The files of the web app.\nstatic FILES: &[File] = &[\n".to_owned();
    for (path, file) in files(&app)? {
        let plain = std::fs::read(&file)?;
        let kind = kind(&path);
        let mut hasher = DefaultHasher::new();
        hasher.write(&plain);
        let etag = format!("W/\"{:016x}\"", hasher.finish());
        let packed = packed(&plain)?;
        // Images and fonts are already compressed.
        let is_smaller = packed.len() * 10 < plain.len() * 9;
        let gzip = if is_smaller {
            let place = out.join(format!("{:016x}.gz", hasher.finish()));
            std::fs::write(&place, packed)?;
            format!("Some(include_bytes!({place:?}))")
        } else {
            "None".to_owned()
        };
        line(
            &mut text,
            &format!(
                "File {{ path: {path:?}, kind: {kind:?}, etag: {etag:?}, \
                 plain: include_bytes!({file:?}), gzip: {gzip} }}"
            ),
        );
    }
    text.push_str("];\n/// Each problem's page.\nstatic PROBLEMS: &[(&str, &str)] = &[\n");
    for (path, file) in files(&pages)? {
        if let Some(slug) = path.strip_suffix(".md") {
            line(&mut text, &format!("({slug:?}, include_str!({file:?}))"));
        }
    }
    text.push_str("];\n");
    std::fs::write(out.join("files.rs"), text)
}

fn line(text: &mut String, item: &str) {
    // Writing to a String cannot fail.
    let _always = writeln!(text, "    {item},");
}

/// All files below a folder by relative path; none if the folder is missing.
fn files(folder: &Path) -> io::Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        let entries = match std::fs::read_dir(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                found.insert(name.to_string_lossy().replace('\\', "/"), path.canonicalize()?);
            }
        }
    }
    Ok(found)
}

fn packed(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}

/// The content type of a file by its extension. The browser never guesses an unknown one.
fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
