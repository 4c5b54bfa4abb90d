//! A newer version's document, changed by this one, checked against an independent model.
//!
//! Documents are generated as trees whose unknown parts are raw text. The expected text is written
//! from the tree, so that nothing here depends on how the store reads JSON.

use dormouse_store::doc::Doc;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// The part of a document this version knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    id: String,
    title: String,
    count: i64,
    weight: f64,
    note: Option<String>,
    home: Home,
    steps: Vec<Step>,
    tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Home {
    street: String,
    rooms: Vec<Room>,
}

/// Matched by its id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Step {
    id: String,
    done: bool,
}

/// Has no id, so it is matched by position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Room {
    name: String,
}

/// JSON as written.
#[derive(Debug, Clone)]
enum Node {
    Raw(String),
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
}

impl Node {
    /// Writes the tree with `gap` between tokens; raw parts stay unchanged.
    fn text(&self, gap: &str) -> String {
        match self {
            Self::Raw(text) => text.clone(),
            Self::Object(pairs) => {
                let pairs: Vec<_> = pairs
                    .iter()
                    .map(|(key, value)| format!("{gap}{key}{gap}:{gap}{}{gap}", value.text(gap)))
                    .collect();
                format!("{{{}}}", pairs.join(","))
            }
            Self::Array(items) => {
                let items: Vec<_> =
                    items.iter().map(|item| format!("{gap}{}{gap}", item.text(gap))).collect();
                format!("[{}]", items.join(","))
            }
        }
    }

    fn member(&mut self, wanted: &str) -> &mut Node {
        let Self::Object(pairs) = self else { panic!("no object") };
        let quoted = format!("\"{wanted}\"");
        &mut pairs.iter_mut().find(|(key, _)| *key == quoted).expect("a known key").1
    }

    fn items(&mut self) -> &mut Vec<Node> {
        let Self::Array(items) = self else { panic!("no array") };
        items
    }

    fn set(&mut self, wanted: &str, raw: &str) {
        *self.member(wanted) = Node::Raw(raw.to_owned());
    }
}

/// A newer version's values, in spellings that parsing would lose.
fn unknown_value() -> impl Strategy<Value = Node> {
    let raw = prop::sample::select(vec![
        "1.0",
        "1e400",
        "-0",
        "-0.0",
        "0.10",
        "123456789012345678901234567890",
        r#""\ud800""#,
        r#""\u0000""#,
        r#""\/ \u00e4 ä""#,
        "null",
        "true",
        "[ ]",
        "[1 , 2.50,{}]",
        r#"{"a" : 1,"a":2}"#,
        r#"{ "id":"s1", "title":"not the title" }"#,
    ]);
    raw.prop_map(|text| Node::Raw(text.to_owned()))
}

/// A newer version's keys, as written; duplicates may occur.
fn unknown_key() -> impl Strategy<Value = String> {
    let keys = vec![
        r#""mood""#,
        r#""Title""#,
        r#""""#,
        r#""новое""#,
        r#""a\"b\\""#,
        r#""\u0061b""#,
        r#""\u0000""#,
        r#""🐭""#,
    ];
    prop::sample::select(keys).prop_map(ToOwned::to_owned)
}

/// An object of known members among unknown ones, in any order.
fn object(known: Vec<(&'static str, BoxedStrategy<Node>)>) -> BoxedStrategy<Node> {
    let known: Vec<_> = known
        .into_iter()
        .map(|(key, value)| value.prop_map(move |value| (format!("\"{key}\""), value)).boxed())
        .collect();
    let unknown = prop::collection::vec((unknown_key(), unknown_value()), 0..4);
    (known, unknown)
        .prop_map(|(known, unknown)| known.into_iter().chain(unknown).collect::<Vec<_>>())
        .prop_shuffle()
        .prop_map(Node::Object)
        .boxed()
}

fn raw(texts: &[&'static str]) -> BoxedStrategy<Node> {
    let texts = texts.to_vec();
    prop::sample::select(texts).prop_map(|text| Node::Raw(text.to_owned())).boxed()
}

fn step(id: &str) -> BoxedStrategy<Node> {
    let quoted = format!("\"{id}\"");
    let id = Just(Node::Raw(quoted)).boxed();
    object(vec![("id", id), ("done", raw(&["true", "false"]))])
}

fn plan() -> BoxedStrategy<Node> {
    let rooms = || object(vec![("name", raw(&[r#""hall""#, r#""b\u0061th""#]))]);
    let rooms = prop::collection::vec(rooms(), 0..3).prop_map(Node::Array).boxed();
    let home = object(vec![("street", raw(&[r#""Elm St""#])), ("rooms", rooms)]);
    let steps = (step("s1"), step("s2"), step("s3"))
        .prop_map(|(a, b, c)| Node::Array(vec![a, b, c]))
        .boxed();
    object(vec![
        ("id", raw(&[r#""p1""#])),
        ("title", raw(&[r#""Move""#, r#""M\u006fve""#, r#""M\u00f6ve\/n""#])),
        ("count", raw(&["0", "7", "-9007199254740993"])),
        ("weight", raw(&["1.50", "1e2", "0.1", "-0.0"])),
        ("note", raw(&["null", r#""\u0000""#])),
        ("home", home),
        ("steps", steps),
        ("tags", raw(&["[]", r#"["a","\u0062"]"#])),
    ])
}

fn read(text: &str) -> Doc<Plan> {
    Doc::read(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// A change to the document; it is made to the value and to the tree.
#[derive(Debug, Clone, Copy)]
enum Change {
    Retitle,
    Count,
    Note,
    Move,
    RenameRooms,
    Tick,
    Drop,
    Reverse,
    Add,
    Retag,
}

const CHANGES: [Change; 10] = [
    Change::Retitle,
    Change::Count,
    Change::Note,
    Change::Move,
    Change::RenameRooms,
    Change::Tick,
    Change::Drop,
    Change::Reverse,
    Change::Add,
    Change::Retag,
];

impl Change {
    fn value(self, plan: &mut Plan) {
        match self {
            Self::Retitle => plan.title = "New \"title\"".into(),
            Self::Count => plan.count = 41,
            Self::Note => plan.note = Some("noted".into()),
            Self::Move => plan.home.street = "Oak St".into(),
            Self::RenameRooms => {
                plan.home.rooms.iter_mut().for_each(|room| room.name = "attic".into());
            }
            Self::Tick => {
                plan.steps.iter_mut().filter(|step| step.id == "s2").for_each(|step| {
                    step.done = !step.done;
                });
            }
            Self::Drop => plan.steps.retain(|step| step.id != "s1"),
            Self::Reverse => plan.steps.reverse(),
            Self::Add => plan.steps.push(Step { id: "s9".into(), done: true }),
            Self::Retag => plan.tags = vec!["new".into()],
        }
    }

    fn tree(self, plan: &mut Node) {
        let is = |step: &Node, id: &str| {
            let mut step = step.clone();
            step.member("id").text("") == format!("\"{id}\"")
        };
        match self {
            Self::Retitle => plan.set("title", r#""New \"title\"""#),
            Self::Count => plan.set("count", "41"),
            Self::Note => plan.set("note", r#""noted""#),
            Self::Move => plan.member("home").set("street", r#""Oak St""#),
            Self::RenameRooms => {
                let rooms = plan.member("home").member("rooms").items();
                rooms.iter_mut().for_each(|room| room.set("name", r#""attic""#));
            }
            Self::Tick => {
                for step in plan.member("steps").items().iter_mut().filter(|step| is(step, "s2")) {
                    let other =
                        if step.member("done").text("") == "true" { "false" } else { "true" };
                    step.set("done", other);
                }
            }
            Self::Drop => plan.member("steps").items().retain(|step| !is(step, "s1")),
            Self::Reverse => plan.member("steps").items().reverse(),
            Self::Add => {
                let step = Node::Raw(r#"{"id":"s9","done":true}"#.to_owned());
                plan.member("steps").items().push(step);
            }
            Self::Retag => plan.set("tags", r#"["new"]"#),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_untouched_document_is_its_text(tree in plan(), gap in "[ \n\t]{0,2}") {
        let text = tree.text(&gap);
        let mut doc = read(&text);
        prop_assert_eq!(doc.text(), text.clone());

        // A value that was changed and changed back counts as unchanged.
        let before = doc.value.clone();
        Change::Retitle.value(&mut doc.value);
        doc.value = before;
        prop_assert_eq!(doc.text(), text);
    }

    #[test]
    fn a_changed_document_keeps_every_unknown_in_its_place(
        tree in plan(),
        changes in prop::sample::subsequence(CHANGES.to_vec(), 1..5),
        gap in "[ \n\t]{0,2}",
    ) {
        let mut doc = read(&tree.text(&gap));
        let before = doc.value.clone();
        let mut expected = tree;
        for change in changes {
            change.value(&mut doc.value);
            change.tree(&mut expected);
        }
        prop_assume!(doc.value != before);
        let text = doc.text();
        prop_assert_eq!(&text, &expected.text(""));

        // The written text reads back as the intended value, which then counts as unchanged.
        let again = read(&text);
        prop_assert_eq!(&again.value, &doc.value);
        prop_assert_eq!(again.text(), text);
    }
}

#[track_caller]
fn check(stored: &str, change: impl FnOnce(&mut Plan), expected: &str) {
    let mut doc = read(stored);
    change(&mut doc.value);
    assert_eq!(doc.text(), expected);
}

const SHORT: &str = r#""weight":1.5,"home":{"street":"","rooms":[]},"steps":[],"tags":[]"#;

#[test]
fn a_known_key_that_was_missing_is_added_at_the_end() {
    let stored = format!(r#"{{"x":1.0,"id":"p","title":"","count":1,{SHORT},"y":2}}"#);
    let expected =
        format!(r#"{{"x":1.0,"id":"p","title":"","count":2,{SHORT},"y":2,"note":null}}"#);
    check(&stored, |plan| plan.count = 2, &expected);
}

#[test]
fn elements_without_an_id_are_matched_by_their_place() {
    let rooms = |rooms: &str| {
        format!(
            r#"{{"id":"p","title":"","count":1,"weight":1.5,"note":null,
"home":{{"street":"","rooms":[{rooms}]}},"steps":[],"tags":[]}}"#
        )
        .replace('\n', "")
    };
    let stored = rooms(r#"{"name":"a","x":1.0},{"x":2.0,"name":"b"}"#);
    let add = |plan: &mut Plan| plan.home.rooms.push(Room { name: "c".into() });
    check(&stored, add, &rooms(r#"{"name":"a","x":1.0},{"x":2.0,"name":"b"},{"name":"c"}"#));
    let pop = |plan: &mut Plan| drop(plan.home.rooms.pop());
    check(&stored, pop, &rooms(r#"{"name":"a","x":1.0}"#));
}

#[test]
fn a_new_document_is_written_as_its_value() {
    let plan = read(&format!(r#"{{"id":"p","title":"","count":1,"note":null,{SHORT}}}"#)).value;
    assert_eq!(Doc::new(plan.clone()).text(), serde_json::to_string(&plan).unwrap());
}

#[test]
fn what_cannot_be_read_is_refused() {
    for text in ["", "{", "[]", "null", r#"{"id":"p"}"#, r#"{"id":1}"#] {
        assert!(Doc::<Plan>::read(text).is_err(), "{text}");
    }
}
