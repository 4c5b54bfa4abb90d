//! Pages that name a file name one that exists, and the pages that a reader expects are there.

use std::collections::BTreeSet;

use xtask::repository;

/// The pages other than those below `docs/` and `changes/`.
const PAGES: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Pages that other texts rely on.
const EXPECTED: &[&str] =
    &["changes/README.md", "docs/one-wake.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// A path that begins with one of these folders is a path from the root.
const TOP_FOLDERS: &[&str] =
    &["crates", "xtask", "docs", "changes", "samples", "scripts", "web", ".ci", ".cargo"];

/// A word that ends like this is the name of a file.
const FILE_ENDINGS: &[&str] =
    &[".rs", ".md", ".toml", ".sql", ".json", ".sh", ".py", ".yml", ".svg", ".ts", ".css"];

#[test]
fn the_pages_are_there() -> anyhow::Result<()> {
    let files: BTreeSet<String> = repository::files_below("")?.into_iter().collect();
    let missing: Vec<_> =
        PAGES.iter().chain(EXPECTED).filter(|page| !files.contains(**page)).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
    Ok(())
}

#[test]
fn every_path_in_the_docs_exists() -> anyhow::Result<()> {
    let tree = Tree::new(repository::files_below("")?);
    let mut broken = Vec::new();
    for page in pages(&tree) {
        for (line, path) in wrong_paths(&tree, &page, &repository::read(&page)?) {
            broken.push(format!("{page}:{line} names {path}, which does not exist"));
        }
    }
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
    Ok(())
}

#[test]
fn every_path_from_the_root_in_a_comment_exists() -> anyhow::Result<()> {
    let tree = Tree::new(repository::files_below("")?);
    let mut broken = Vec::new();
    for path in tree.files.iter().filter(|path| path.ends_with(".rs")) {
        for (line, named) in wrong_paths_in_comments(&tree, &repository::read(path)?) {
            broken.push(format!("{path}:{line} names {named}, which does not exist"));
        }
    }
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
    Ok(())
}

#[test]
fn the_architecture_page_has_a_place_for_every_room() -> anyhow::Result<()> {
    let text = repository::read("ARCHITECTURE.md")?;
    let files = repository::files_below("crates")?;
    let rooms: BTreeSet<_> = files.iter().filter_map(|path| path.split('/').nth(1)).collect();
    let missing: Vec<_> =
        rooms.into_iter().filter(|room| !text.contains(&format!("### `crates/{room}`"))).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md has no `### `crates/..`` part for {missing:?}");
    Ok(())
}

/// Each list of files below `## To add`: every file is there and names the example, and no file of the
/// product that names it is left out, but for those beside a listed one.
#[test]
fn what_to_touch_is_shown_by_an_example_that_exists() -> anyhow::Result<()> {
    let text = repository::read("ARCHITECTURE.md")?;
    let (_, section) = text.split_once("\n## To add\n").expect("a section `## To add`");
    let section = section.split("\n## ").next().unwrap_or(section);
    let (mut wrong, mut n_examples) = (Vec::new(), 0);
    for part in section.split("\n### ").skip(1) {
        let heading = part.lines().next().unwrap_or_default();
        let Some(&name) = code_spans(heading).first() else {
            wrong.push(format!("{heading}: no example"));
            continue;
        };
        let items = part.lines().filter(|line| line.starts_with("- "));
        let paths: Vec<&str> = items.filter_map(|line| code_spans(line).first().copied()).collect();
        for path in &paths {
            let source = repository::read(path).unwrap_or_default();
            if !names(&source, name) {
                wrong.push(format!("{heading}: {path} does not name {name}"));
            }
        }
        n_examples += usize::from(paths.len() > 1);
        // A name such as `en` or `agents` is an ordinary word, too: only files that are named like it count.
        let folders: BTreeSet<&str> =
            paths.iter().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
        let trees: BTreeSet<&str> = paths.iter().map(|path| tree(path)).collect();
        for path in product()? {
            let parts = path.split('/').skip(2).map(|part| part.split('.').next().unwrap_or(part));
            let is_named_like_it = parts.into_iter().any(|part| part == name);
            let is_listed = folders.iter().any(|folder| path.starts_with(&format!("{folder}/")));
            if trees.contains(tree(&path)) && is_named_like_it && !is_listed {
                wrong.push(format!("{heading}: {path} is named like {name} and is not listed"));
            }
        }
        if name.contains(|c: char| c == '_' || c.is_uppercase()) {
            let folders: BTreeSet<_> =
                paths.iter().filter_map(|path| path.rsplit_once('/')).collect();
            let is_listed = |path: &str| {
                paths.contains(&path)
                    || path.rsplit_once('/').is_some_and(|(folder, _)| {
                        folders
                            .iter()
                            .any(|(listed, _)| *listed == folder && !listed.ends_with("/src"))
                    })
            };
            for path in product()?.iter().filter(|path| !is_listed(path)) {
                // A value of a closed list has a name of its own kind.
                let source = without_comments(&repository::read(path)?)
                    .replace(&format!("Kind::{name}"), "")
                    .replace(&format!("{name} = \""), "");
                if names(&source, name) {
                    wrong.push(format!("{heading}: {path} names {name} and is not listed"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert!(n_examples >= 5, "{n_examples} examples");
    Ok(())
}

/// The first two folders of a path: a crate, or the sources of the web app.
fn tree(path: &str) -> &str {
    path.match_indices('/').nth(1).map_or(path, |(at, _)| &path[..at])
}

/// Whether a name is a word of a text.
fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn without_comments(source: &str) -> String {
    source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The files of the product, without tests and what serves tests alone.
fn product() -> anyhow::Result<Vec<String>> {
    const OF_TESTS: [&str; 6] = ["bench", "powercut", "scenes", "simulation", "testkit", "world"];
    let mut files = code()?;
    files.retain(|path| {
        let room = path.split('/').nth(1).unwrap_or_default();
        let is_test = path.contains("/tests/")
            || path.contains("_tests.rs")
            || path.contains(".test.")
            || path.contains("web/e2e/")
            || path.contains("/testChange.ts");
        !(is_test || path.starts_with("crates/") && OF_TESTS.contains(&room))
    });
    Ok(files)
}

/// Each row of the glossary: the name is defined in the file.
#[test]
fn every_word_of_the_glossary_is_in_the_code() -> anyhow::Result<()> {
    let mut wrong = Vec::new();
    let mut n_rows = 0;
    let mut words = BTreeSet::new();
    for line in repository::read("docs/glossary.md")?.lines().filter(|line| line.contains("| `")) {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let &[_, word, meaning, name, path, _] = &cells[..] else {
            wrong.push(format!("not five columns: {line}"));
            continue;
        };
        n_rows += 1;
        if !words.insert(word.to_owned()) {
            wrong.push(format!("{word} has two rows"));
        }
        let source = repository::read(path)?;
        let kinds = ["struct", "enum", "trait", "fn", "const", "type"];
        let defines = |kind| {
            let definition = format!("{kind} {name}");
            source.match_indices(&definition).any(|(at, _)| {
                let next = source[at + definition.len()..].chars().next();
                !next.is_some_and(|c| c.is_alphanumeric() || c == '_')
            })
        };
        // A macro makes ids of a list, some with a prefix.
        let listed = [format!("{name};"), format!("{name} = \"")];
        let is_listed = source.lines().map(str::trim).any(|line| {
            line == listed[0] || (line.starts_with(&listed[1]) && line.ends_with("\";"))
        });
        if meaning.is_empty() || !(is_listed || kinds.into_iter().any(defines)) {
            wrong.push(format!("{word}: {path} does not define {name}"));
        }
    }
    assert!(n_rows > 40, "{n_rows} rows");
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    Ok(())
}

/// Names that a reader could not search for, and the ones that took their place.
const RETIRED: &[(&str, &str)] = &[
    ("Sleeper", "QueueEntry"),
    ("Errand", "SagaPayload"),
    ("Crossing", "SagaKind"),
    ("Surroundings", "TaskContext"),
    ("Turnstile", "BlockingModel"),
    ("Oddball", "FuzzModel"),
    ("Moody", "FaultyModel"),
    ("Sabotage", "Mutation"),
    ("Posture", "Hardening"),
    ("Glance", "PollRequest"),
    ("Woken", "Wakeup"),
    ("Judged", "CallOutcome"),
    ("Seal", "Rule"),
    ("Brief", "TaskIndexRow"),
    ("Briefs", "TaskIndexCache"),
    ("Pump", "EventStream"),
    ("Seat", "ConnectionSlot"),
    ("Ours", "AllowedHosts"),
    ("Logins", "LoginThrottle"),
    ("Sieve", "ResolvedFilter"),
    ("Effected", "AppliedCall"),
    ("Ink", "Style"),
    ("Watcher", "DocumentTitle"),
    ("Triple", "DecisionToggle"),
    ("DAWN", "EPOCH"),
    ("BREATH", "PAGE_GRACE"),
    ("hindrance", "readiness"),
    ("foremost", "first_per_priority"),
    ("from_the_future", "with_due_beyond"),
    ("read_ends", "load_link_targets"),
    ("point_at_items", "ref_page_items"),
    ("still_fresh", "ensure_not_expired"),
    ("sleeper", "entry"),
    ("errand", "payload"),
    ("told_of", "notices_after"),
    ("posture", "hardening"),
    ("surroundings", "context"),
    ("repertoire", "scenarios"),
    ("furnished", "populated"),
    ("dull", "routine_report"),
    ("told_held", "note_held"),
    ("told_written", "note_written"),
    ("told_off", "note_paid_calls_off"),
    ("tell_of_work", "add_work_details"),
    ("untold", "unsent"),
    ("behind_others", "rows_hidden_by_other_kinds"),
    ("LOOK_AGAIN", "LEASE_CHECK_INTERVAL"),
    ("LOCAL_LOOK_SECONDS", "LOCAL_DISCOVERY_SECONDS"),
    ("NOT_LET_IN", "UNAUTHORIZED"),
    ("WorkOutcomeWithoutModel", "BuiltInOutcome"),
    ("TaskStanding", "TaskReviewState"),
    ("standing_decision", "current_decision"),
    ("standing_of", "snapshot_of"),
    ("in_vain", "fruitless_claims"),
    ("look_again", "poll_now"),
];

#[test]
fn retired_names_do_not_come_back() -> anyhow::Result<()> {
    let mut found = Vec::new();
    for path in code()? {
        let source = repository::read(&path)?;
        // The texts of the app and of its tests may have the ordinary words among them.
        let source = if path.ends_with(".rs") { source } else { without_texts(&source) };
        let words: BTreeSet<&str> =
            source.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let retired = RETIRED.iter().filter(|(old, _)| words.contains(old));
        found.extend(retired.map(|(old, new)| format!("{path}: {old} is called {new}")));
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    Ok(())
}

/// A sentence that is put together from words, or from sentences, cannot be translated: one text of the
/// catalogue says it, and `list` joins what is counted.
#[test]
fn screens_glue_no_sentences_and_fold_with_the_one_head() -> anyhow::Result<()> {
    let mut found = Vec::new();
    for path in code()?.into_iter().filter(|path| path.starts_with("web/src/")) {
        for (index, line) in repository::read(&path)?.lines().enumerate() {
            let glue =
                ["} ${t(", "` ${t(", ")} {t(", "} {t(\"", ".join(\", \")}", "}).join(\", \")"];
            if let Some(glue) = glue.iter().find(|glue| line.contains(**glue)) {
                found.push(format!("{path}:{}: `{glue}` glues texts", index + 1));
            }
            if line.contains("<details") && path != "web/src/ui/Disclosure.svelte" {
                found.push(format!("{path}:{}: use Disclosure", index + 1));
            }
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    Ok(())
}

/// Words that say nothing about what a thing is, as parts of names: requests and queries are not
/// `asked`, notices are not `told`.
const RETIRED_PARTS: &[&str] =
    &["asked", "told", "errand", "hindrance", "sleeper", "surroundings", "trail", "untold"];

/// Words that are no names of things in product code, in names of at most three parts: a name of more parts
/// is the sentence of a test. What is called `said` is a message, an answer, a value that is stated, a note.
const RETIRED_NOUNS: &[&str] = &["said"];

/// A column of the database and the values that are read from it.
const KEPT_NAMES: &[&str] = &["asked_at", "askedAt", "Asked"];

#[test]
fn retired_nouns_are_no_names_in_product_code() -> anyhow::Result<()> {
    let mut found = Vec::new();
    for path in code()?.into_iter().filter(|path| path.ends_with(".rs") && path.contains("/src/")) {
        let source = without_strings(&repository::read(&path)?);
        for (index, line) in source.lines().enumerate() {
            let names = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let retired = names.filter(|name| {
                let parts = parts(name);
                parts.len() <= 3 && parts.iter().any(|part| RETIRED_NOUNS.contains(&part.as_str()))
            });
            found.extend(retired.map(|name| format!("{path}:{}: {name}", index + 1)));
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    Ok(())
}

#[test]
fn retired_words_are_no_parts_of_names() -> anyhow::Result<()> {
    let mut found = Vec::new();
    for path in code()?.into_iter().filter(|path| path.ends_with(".rs")) {
        for (line, name) in retired_parts(&repository::read(&path)?) {
            found.push(format!("{path}:{line} names something {name}: say what it is"));
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    Ok(())
}

/// The names of Rust code that have a retired word as a part, with their lines.
fn retired_parts(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in without_strings(source).lines().enumerate() {
        let names = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_retired = |name: &&str| {
            !KEPT_NAMES.contains(name)
                && parts(name).iter().any(|part| RETIRED_PARTS.contains(&part.as_str()))
        };
        found.extend(names.filter(is_retired).map(|name| (index + 1, name.to_owned())));
    }
    found
}

/// The parts of a name in snake or camel case, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            parts.push(String::new());
        }
        let part = parts.last_mut().expect("one part at least");
        part.extend(c.to_lowercase().filter(|c| *c != '_'));
    }
    parts
}

/// Rust code with neither comments nor what is in string literals; the lines stay.
fn without_strings(source: &str) -> String {
    let (mut code, mut chars) = (String::with_capacity(source.len()), source.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            // The literal of a quote, and an escaped one.
            '\'' if chars.peek() == Some(&'"') => drop(chars.next()),
            '\'' if chars.peek() == Some(&'\\') => {
                chars.next();
                chars.next();
            }
            '"' => {
                let raw = code.len() - code.trim_end_matches('#').len();
                let is_raw = code.trim_end_matches('#').ends_with('r');
                while let Some(inner) = chars.next() {
                    match inner {
                        '\n' => code.push('\n'),
                        '\\' if !is_raw => {
                            // Of an escaped character only the end of a line counts.
                            code.extend(chars.next().filter(|c| *c == '\n'));
                        }
                        '"' if !is_raw => break,
                        '"' => {
                            let mut n = 0;
                            while n < raw && chars.next_if_eq(&'#').is_some() {
                                n += 1;
                            }
                            if n == raw {
                                break;
                            }
                        }
                        _ => {}
                    }
                }
            }
            c => code.push(c),
        }
    }
    code
}

#[test]
fn the_rule_for_parts_of_names_sees_names_and_no_texts() {
    let source = "// it was told\nlet asked = \"told\";\nfn is_told() {}\nstruct AskedAgain;\n\
                  let a = r#\"a \"told\" b\"#; let told_at = '\"';\nlet asked_at = masked;\n";
    let names = ["asked", "is_told", "AskedAgain", "told_at"].map(str::to_owned);
    let lines = [2, 3, 4, 5];
    assert_eq!(retired_parts(source), lines.into_iter().zip(names).collect::<Vec<_>>());
}

/// A source of the app without the texts in quotes and without comments at the end of a line.
fn without_texts(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    for line in source.lines() {
        let mut quote = None;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match quote {
                Some(_) if c == '\\' => drop(chars.next()),
                Some(open) if c == open => quote = None,
                Some(_) => {}
                None if c == '/' && chars.peek() == Some(&'/') => break,
                None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
                None => code.push(c),
            }
        }
        code.push('\n');
    }
    code
}

#[test]
fn the_rule_for_retired_names_sees_names_of_the_app_and_leaves_its_texts_alone() {
    let source =
        "const untold = 1; // dull\nt(\"a dull \\\"boy\\\"\");\nsay('dull', `dull`, posture);\n";
    let code = without_texts(source);
    let has = |word: &str| code.contains(word);
    assert_eq!(
        [has("untold"), has("posture"), has("dull"), has("boy")],
        [true, true, false, false]
    );
}

/// The files of the product and of its tests, but for the generated client.
fn code() -> anyhow::Result<Vec<String>> {
    let mut files = repository::files_below("crates")?;
    files.extend(repository::files_below("web/src")?);
    files.extend(repository::files_below("web/e2e")?);
    // Made from the description of the API, which is made from comments that are looked at.
    files.retain(|path| !path.ends_with("/schema.d.ts"));
    files.retain(|path| [".rs", ".ts", ".svelte"].iter().any(|ending| path.ends_with(ending)));
    Ok(files)
}

/// Phrases that no reader would use, and plain ones. Catalogues have a test of their own.
const TICS: &[(&str, &str)] = &[
    ("what became of", "the outcome of"),
    ("what becomes of", "the outcome of, or how it ends"),
    ("in good part", "say what to expect"),
    ("whoever", "the person who, anyone who, or a plain noun"),
    ("unless said", "by default"),
    ("also when", "even if"),
    ("taken away", "removed"),
    ("somebody who got on", "another process"),
    ("stands behind", "follows"),
    ("behind the log", "after the log"),
    ("is told on", "is shown on"),
    ("stands in the", "is in the"),
    ("has company", "name what there is"),
    ("let alone", "and much less, or two sentences"),
    ("taken back", "undone"),
    ("somebody else was faster", "conflicting change"),
    ("nobody stops half way", "say what cannot be left half done"),
    ("in a circle", "in a loop"),
    ("is no matter of", "does not depend on"),
    ("what there is to know beside", "further"),
    ("is told", "is reported, delivered or shown"),
    ("was asked for", "was requested"),
    ("is asked for", "is requested"),
    ("told apart", "distinguished"),
    ("may be asked", "may be called"),
    ("told twice", "reported twice"),
    ("told once", "reported once"),
    ("is over", "has ended, or has passed"),
    ("are over", "have ended, or have passed"),
    ("says how many", "gives the number of, or reports how many"),
    ("stands in", "is in"),
    ("stands above", "is above"),
    ("stands once", "is named once"),
    ("stands around", "surrounds"),
    (" anew", "again"),
    ("goes on no more", "ends, or is cancelled"),
    ("is no matter", "does not matter"),
];

#[test]
fn pages_and_comments_are_plain_english() -> anyhow::Result<()> {
    let mut found = Vec::new();
    let tree = Tree::new(repository::files_below("")?);
    // Records of decisions are not rewritten.
    for page in pages(&tree).into_iter().filter(|page| !page.starts_with("docs/adr/")) {
        found.extend(tics(&page, &repository::read(&page)?, |_| true));
    }
    // Errors, help and prompts are English, too; the words that rules and readers look for are not
    // the project's own.
    let product: BTreeSet<String> = product()?.into_iter().collect();
    let has_words = |path: &str| {
        path.contains("/lang/")
            || path.contains("formats/src/when/")
            || path.contains("builtin/src/propose/")
    };
    for path in code()? {
        let is_comment =
            |line: &str| ["//", "/*", "*", "<!--"].iter().any(|mark| line.starts_with(mark));
        let is_whole = path.ends_with(".rs") && product.contains(&path) && !has_words(&path);
        let is_looked_at = |line: &str| is_whole || is_comment(line);
        found.extend(tics(&path, &repository::read(&path)?, is_looked_at));
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    Ok(())
}

#[test]
fn the_rule_for_english_sees_tics_in_comments_alone() {
    let source = "let whoever = 1;\n    // For whoever reads.\n/// Whoever\n";
    let found = tics("a.rs", source, |line| line.starts_with("//"));
    let plain = "the person who, anyone who, or a plain noun";
    assert_eq!(found, [2, 3].map(|n| format!("a.rs:{n} says \"whoever\": {plain}")));
    assert_eq!(tics("a.md", "A list of\nitems.\n", |_| true), [] as [String; 0]);
}

/// The lines of a text with a tic, of those that are looked at.
fn tics(path: &str, text: &str, is_looked_at: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = text.lines().enumerate().filter(|(_, line)| is_looked_at(line.trim_start()));
    let mut found = Vec::new();
    for (index, line) in lines {
        let line = line.to_lowercase();
        let is_there = |tic: &str| {
            let ends_a_word = |end: usize| !line[end..].starts_with(char::is_alphabetic);
            line.match_indices(tic).any(|(at, _)| ends_a_word(at + tic.len()))
        };
        let words = TICS.iter().filter(|(tic, _)| is_there(tic));
        found.extend(
            words.map(|(tic, plain)| format!("{path}:{} says {tic:?}: {plain}", index + 1)),
        );
    }
    found
}

#[test]
fn decisions_are_numbered_and_complete() -> anyhow::Result<()> {
    let paths = repository::files_below("docs/adr")?;
    for (index, path) in paths.iter().enumerate() {
        let number = format!("docs/adr/{:04}-", index + 1);
        assert!(path.starts_with(&number), "{path} should begin with {number}");
        assert_headings(path, &["Context", "Decision", "Consequences"])?;
    }
    Ok(())
}

#[test]
fn notes_on_changes_say_what_a_user_wants_to_know() -> anyhow::Result<()> {
    for path in repository::files_below("changes/unreleased")? {
        let wanted = ["What changes", "Why it matters", "Who is affected", "What to do"];
        assert_headings(&path, &wanted)?;
    }
    Ok(())
}

#[test]
fn the_rule_sees_wrong_paths_and_leaves_other_words_alone() {
    let files = ["README.md", "crates/types/src/lib.rs", "docs/limits.md", "docs/adr/0001-a.md"];
    let tree = Tree::new(files.map(str::to_owned).to_vec());
    let wrong = |text| {
        let found = wrong_paths(&tree, "docs/page.md", text);
        found.into_iter().map(|(line, path)| format!("{line} {path}")).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(wrong("see `crates/types/src/lib.rs`, `types/src/lib.rs`, `lib.rs`"), none);
    assert_eq!(wrong("see `crates/types/`, `crates/types/src/lib.rs:12`, `docs/adr/*.md`"), none);
    assert_eq!(
        wrong("see [limits](limits.md#table), [start](../README.md), [x](https://x/a.md)"),
        none
    );
    assert_eq!(wrong("`make run`, `/api/tasks`, `wake::Queue`, `target/demo`, `and/or`"), none);
    assert_eq!(wrong("```\ncat `crates/none.rs`\n```"), none);
    assert_eq!(wrong("one\nsee `crates/types/src/gone.rs`"), ["2 crates/types/src/gone.rs"]);
    assert_eq!(wrong("[a](gone.md) and `gone.rs`"), ["1 gone.md", "1 gone.rs"]);
    assert_eq!(
        wrong("`docs/gone/*.md` and `cat docs/gone.md`"),
        ["1 docs/gone/*.md", "1 docs/gone.md"]
    );
}

#[test]
fn the_rule_for_comments_sees_paths_from_the_root() {
    let tree = Tree::new(vec!["docs/limits.md".to_owned()]);
    let source = "//! See `docs/limits.md`, `limits.md` and `a.rs`.\nlet a = \"`docs/b.md`\";\n";
    assert_eq!(wrong_paths_in_comments(&tree, source), []);
    let wrong = wrong_paths_in_comments(&tree, "fn a() {\n    // As `docs/gone.md` says.\n}\n");
    assert_eq!(wrong, [(2, "docs/gone.md".to_owned())]);
}

/// The files and folders of the repository.
struct Tree {
    files: Vec<String>,
    folders: BTreeSet<String>,
}

impl Tree {
    fn new(files: Vec<String>) -> Self {
        let mut folders = BTreeSet::new();
        for path in &files {
            for (at, _) in path.match_indices('/') {
                folders.insert(path[..at].to_owned());
            }
        }
        Self { files, folders }
    }

    /// Whether a path from the root is a file or a folder.
    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty() || self.folders.contains(path) || self.files.iter().any(|file| file == path)
    }

    /// Whether some file's path ends with these names.
    fn has_ending(&self, path: &str) -> bool {
        let ending = format!("/{path}");
        self.files.iter().any(|file| file == path || file.ends_with(&ending))
    }
}

fn pages(tree: &Tree) -> Vec<String> {
    let below = |path: &str| path.starts_with("docs/") || path.starts_with("changes/");
    let page =
        |path: &&String| PAGES.contains(&path.as_str()) || (below(path) && path.ends_with(".md"));
    tree.files.iter().filter(page).cloned().collect()
}

/// The lines of a page that name a path which does not exist. Fenced blocks are samples: skipped.
fn wrong_paths(tree: &Tree, page: &str, text: &str) -> Vec<(usize, String)> {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut wrong = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let links =
            link_targets(line).into_iter().filter(|target| !link_works(tree, folder, target));
        let words = code_spans(line).into_iter().flat_map(str::split_whitespace);
        let spans = words.filter(|word| !span_works(tree, folder, word));
        wrong.extend(links.chain(spans).map(|path| (index + 1, path.to_owned())));
    }
    wrong
}

/// The lines of Rust comments that name, in backticks, a path from the root which does not exist.
fn wrong_paths_in_comments(tree: &Tree, source: &str) -> Vec<(usize, String)> {
    let mut wrong = Vec::new();
    for (index, line) in source.lines().enumerate() {
        if !line.trim_start().starts_with("//") {
            continue;
        }
        let words = code_spans(line).into_iter().flat_map(str::split_whitespace);
        let paths = words.filter(|word| is_from_root(word) && !span_works(tree, "", word));
        wrong.extend(paths.map(|path| (index + 1, path.to_owned())));
    }
    wrong
}

/// The text between `](` and `)`, without an anchor.
fn link_targets(line: &str) -> Vec<&str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.split('#').next().unwrap_or(target)).collect()
}

/// The text between backticks.
fn code_spans(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

fn link_works(tree: &Tree, folder: &str, target: &str) -> bool {
    target.contains(':') || joined(folder, target).is_some_and(|path| tree.has(&path))
}

/// Whether a word is no path, or one that exists: from the root, from the page, or, when it begins
/// with no known folder, as the end of some path.
fn span_works(tree: &Tree, folder: &str, word: &str) -> bool {
    let word = word.trim_start_matches("./").trim_end_matches([',', ';', '.']);
    let path = without_line(word);
    let from_root = is_from_root(path);
    let is_file = FILE_ENDINGS.iter().any(|ending| path.ends_with(ending));
    let is_other = path.starts_with(['/', '-', '~', '$', '<', '.']) && !from_root;
    if is_other || path.contains("://") || path.starts_with("target/") || !(from_root || is_file) {
        return true;
    }
    // Of a pattern only the folder before it is looked for.
    let fixed = match path.find(['*', '<', '{', '…']) {
        Some(at) => path[..at].rsplit_once('/').map_or("", |(folder, _)| folder),
        None => path,
    };
    tree.has(fixed)
        || joined(folder, fixed).is_some_and(|path| tree.has(&path))
        || (!from_root && tree.has_ending(fixed))
}

/// Whether a word is a path that begins with a top folder.
fn is_from_root(word: &str) -> bool {
    word.split_once('/').is_some_and(|(top, _)| TOP_FOLDERS.contains(&top))
}

/// `file.rs:12` without the line.
fn without_line(word: &str) -> &str {
    match word.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => word,
    }
}

/// A path relative to a folder as a path from the root; none when it leaves the repository.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn assert_headings(path: &str, wanted: &[&str]) -> anyhow::Result<()> {
    let text = repository::read(path)?;
    for heading in wanted {
        let heading = format!("## {heading}");
        assert!(text.lines().any(|line| line == heading), "{path} has no part `{heading}`");
    }
    Ok(())
}
