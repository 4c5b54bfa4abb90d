//! Which file of a crate takes names from which, and where that goes round in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Context as _;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Files of one crate that need each other: none can be read, moved or tested without the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circle {
    /// Paths of the files, sorted.
    pub files: Vec<String>,
    /// What ties them: (file, file it takes names from, names).
    pub ties: Vec<(String, String, BTreeSet<String>)>,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} files need each other: move what ties them to the lower one",
            self.files.len()
        )?;
        for (file, from, names) in &self.ties {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            write!(f, "\n    {file} takes from {from}: {}", names.join(", "))?;
        }
        Ok(())
    }
}

/// A path of names as it is written: `crate::wake::key::run_key`.
type Path = Vec<String>;

/// What a file says about names.
#[derive(Debug, Default)]
struct Source {
    /// Imports: the name in this file, and the path it is short for.
    imports: Vec<(String, Path)>,
    /// Re-exports, in the same form. They hand a name on and tie nothing.
    exports: Vec<(String, Path)>,
    /// Paths in the code.
    paths: BTreeSet<Path>,
}

/// Returns the circles among the files of a crate.
///
/// Shape of `files`: path from the crate's `src` to text; product files only. Names in the
/// arguments of macros count; tests in a file do not. Methods are not followed: what a file calls
/// on a value that it was given is no import.
///
/// Errors: a file that is not Rust.
pub fn circles(files: &BTreeMap<String, String>) -> anyhow::Result<Vec<Circle>> {
    let mut modules = BTreeMap::new();
    for (path, text) in files {
        let tokens: TokenStream =
            text.parse().ok().with_context(|| format!("{path} is not Rust"))?;
        let mut source = Source::default();
        source.read(tokens);
        modules.insert(module_of(path), (path.as_str(), source));
    }
    let names = Names(modules);
    let mut ties: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for (module, (path, source)) in &names.0 {
        let imports = source.imports.iter().map(|(_, import)| import);
        for taken in imports.chain(&source.paths) {
            let Some(from) = names.definer(module, taken, 0) else { continue };
            if from != *path {
                let name = taken.last().cloned().unwrap_or_default();
                ties.entry((path, from)).or_default().insert(name);
            }
        }
    }
    Ok(connected(&ties))
}

/// The module that a file holds, as its path from the root of the crate.
fn module_of(path: &str) -> Path {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut module: Path = path.split('/').map(ToOwned::to_owned).collect();
    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        module.pop();
    }
    module
}

/// The modules of a crate: the file of each, and what it says.
struct Names<'a>(BTreeMap<Path, (&'a str, Source)>);

/// Longest chain of re-exports that is followed; rustc refuses a circle of them.
const MAX_REEXPORTS: usize = 16;

impl<'a> Names<'a> {
    /// Returns the file that defines what a path in a module means; `None` outside the crate.
    fn definer(&self, module: &Path, path: &[String], depth: usize) -> Option<&'a str> {
        let (first, mut rest) = path.split_first()?;
        let mut at = module.clone();
        match first.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => _ = at.pop(),
            name => {
                at.push(name.to_owned());
                if !self.0.contains_key(&at) {
                    at.pop();
                    let (_, source) = self.0.get(&at)?;
                    let import = source.imports.iter().chain(&source.exports);
                    let (_, long) = import.into_iter().find(|(short, _)| short == name)?;
                    if depth == MAX_REEXPORTS || long.first() == Some(first) {
                        return None;
                    }
                    let path: Path = long.iter().chain(rest).cloned().collect();
                    return self.definer(&at, &path, depth + 1);
                }
            }
        }
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                at.pop();
                rest = after;
                continue;
            }
            at.push(name.clone());
            if self.0.contains_key(&at) {
                rest = after;
                continue;
            }
            at.pop();
            let (file, source) = self.0.get(&at)?;
            let handed_on = source.exports.iter().find(|(short, _)| short == name);
            return match handed_on {
                Some((_, long)) if depth < MAX_REEXPORTS => self.definer(&at, long, depth + 1),
                _ => Some(file),
            };
        }
        self.0.get(&at).map(|(file, _)| *file)
    }
}

impl Source {
    fn read_inner(&mut self, tokens: TokenStream) {
        let mut inner = Self::default();
        inner.read(tokens);
        let taken = inner.imports.into_iter().chain(inner.exports).map(|(_, path)| path);
        self.paths.extend(taken.chain(inner.paths).filter(|path| !is_relative(path)));
    }

    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        let mut is_public = false;
        while let Some((token, after)) = rest.split_first() {
            if is_test_attribute(rest) {
                rest = after_item(&rest[2..]);
                continue;
            }
            rest = after;
            match token {
                TokenTree::Group(group) => self.read(group.stream()),
                // In a module inside the file, `super` and `self` are this file.
                TokenTree::Ident(word) if word == "mod" => {
                    if let [TokenTree::Ident(_), TokenTree::Group(group), after @ ..] = rest {
                        self.read_inner(group.stream());
                        rest = after;
                    }
                }
                TokenTree::Ident(word) if word == "pub" => {
                    is_public = true;
                    // `pub(crate)` hands a name on as well.
                    if let [TokenTree::Group(_), after @ ..] = rest {
                        rest = after;
                    }
                    continue;
                }
                TokenTree::Ident(word) if word == "use" => {
                    let end = rest.iter().position(|token| is_punct(token, ';'));
                    let end = end.unwrap_or(rest.len());
                    let list = if is_public { &mut self.exports } else { &mut self.imports };
                    read_use(&rest[..end], &Path::new(), list);
                    rest = &rest[end..];
                }
                TokenTree::Ident(word) => {
                    let mut path = vec![word.to_string()];
                    while let [a, b, TokenTree::Ident(name), after @ ..] = rest {
                        if !(is_punct(a, ':') && is_punct(b, ':')) {
                            break;
                        }
                        path.push(name.to_string());
                        rest = after;
                    }
                    if path.len() > 1 {
                        self.paths.insert(path);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            is_public = false;
        }
    }
}

/// Whether a path says from where in the crate it is read.
fn is_relative(path: &Path) -> bool {
    path.first().is_some_and(|first| first == "super" || first == "self")
}

/// Reads the tree of one `use`, without the word and its semicolon.
fn read_use(tokens: &[TokenTree], before: &Path, list: &mut Vec<(String, Path)>) {
    let mut path = before.clone();
    let mut short = None;
    let mut rest = tokens;
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        match token {
            TokenTree::Ident(word) if word == "as" => {
                short = rest.first().map(ToString::to_string);
                break;
            }
            TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for one in inner.split(|token| is_punct(token, ',')) {
                    read_use(one, &path, list);
                }
                return;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    if let Some(last) = path.last().cloned() {
        list.push((short.unwrap_or(last), path));
    }
}

fn is_punct(token: &TokenTree, letter: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == letter)
}

/// Whether `#[cfg(test)]` begins here.
fn is_test_attribute(tokens: &[TokenTree]) -> bool {
    let [hash, TokenTree::Group(group), ..] = tokens else { return false };
    is_punct(hash, '#') && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// Skips the item that an attribute belongs to: up to its `;` or its braces.
fn after_item(tokens: &[TokenTree]) -> &[TokenTree] {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        other => is_punct(other, ';'),
    };
    tokens.iter().position(ends).map_or(&[], |at| &tokens[at + 1..])
}

/// Returns the circles of a graph of files.
fn connected(ties: &BTreeMap<(&str, &str), BTreeSet<String>>) -> Vec<Circle> {
    let reached_from = |start: &str| {
        let mut reached = BTreeSet::new();
        let mut open = vec![start.to_owned()];
        while let Some(file) = open.pop() {
            let next = ties.keys().filter(|(from, _)| *from == file).map(|(_, to)| *to);
            open.extend(next.filter(|to| reached.insert((*to).to_owned())).map(ToOwned::to_owned));
        }
        reached
    };
    let files: BTreeSet<&str> = ties.keys().map(|(from, _)| *from).collect();
    let reached: BTreeMap<&str, _> = files.iter().map(|file| (*file, reached_from(file))).collect();
    let mut circles: BTreeMap<Vec<String>, Circle> = BTreeMap::new();
    for file in &files {
        let in_circle = |other: &&&str| reached[**other].contains(*file);
        let others = files.iter().filter(|other| reached[file].contains(**other));
        let members: Vec<String> = others.filter(in_circle).map(|it| (*it).to_owned()).collect();
        if members.is_empty() {
            continue;
        }
        let is_member = |file: &str| members.iter().any(|member| member == file);
        let inside = ties.iter().filter(|((from, to), _)| is_member(from) && is_member(to));
        let inside =
            inside.map(|((from, to), names)| ((*from).to_owned(), (*to).to_owned(), names.clone()));
        let ties = inside.collect();
        circles.insert(members.clone(), Circle { files: members, ties });
    }
    circles.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of each circle, joined.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let files: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
        let found = circles(&files).expect("the files are Rust");
        let found: Vec<String> = found.iter().map(|circle| circle.files.join(" ")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn files_that_import_each_other_are_a_circle() {
        let a = ("a.rs", "use crate::b::B;\npub struct A;");
        check(&[a, ("b.rs", "use super::a::A;\npub struct B;")], &["a.rs b.rs"]);
        check(&[a, ("b.rs", "pub struct B(pub crate::a::A);")], &["a.rs b.rs"]);
        check(
            &[a, ("b.rs", "use crate::c;\n"), ("c.rs", "use crate::{a as x, b};\n")],
            &["a.rs b.rs c.rs"],
        );
        check(&[a, ("b.rs", "pub struct B;")], &[]);
    }

    #[test]
    fn a_child_that_imports_its_parent_is_a_circle_only_if_the_parent_takes_a_name_of_it() {
        let child = ("a/b.rs", "use super::A;\npub fn b(_: A) {}");
        check(&[("a/mod.rs", "mod b;\npub struct A;"), child], &[]);
        check(&[("a/mod.rs", "mod b;\npub use b::b;\npub struct A;"), child], &[]);
        check(
            &[("a/mod.rs", "mod b;\npub struct A;\nfn f() { b::b(A) }"), child],
            &["a/b.rs a/mod.rs"],
        );
    }

    #[test]
    fn a_name_counts_where_it_is_defined_not_where_it_is_handed_on() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub(crate) use b::{B, B as Other};"),
            ("a.rs", "use crate::{B, Other};\npub struct A;"),
            ("b.rs", "use crate::A;\npub struct B;"),
        ];
        check(&files, &["a.rs b.rs"]);
    }

    #[test]
    fn tests_comments_and_other_crates_tie_nothing() {
        let b = "//! [`crate::a`]\nuse a::A;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n\
                 #[cfg(test)]\nuse crate::a::A;\npub struct B;";
        check(&[("a.rs", "use crate::b::B;"), ("b.rs", b)], &[]);
    }

    #[test]
    fn a_module_inside_a_file_is_a_part_of_it() {
        let inner = "pub struct A;\nmod inner {\n    use super::A;\n    use crate::b::B;\n}\n";
        let b = ("b.rs", "use crate::a::A;");
        check(&[("a.rs", inner), b], &["a.rs b.rs"]);
        check(&[("a.rs", "mod inner {\n    use super::A;\n}\n"), ("lib.rs", "use a::A;")], &[]);
    }
}
