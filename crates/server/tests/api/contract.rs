//! The document as a judge: every answer that a test gets is compared with what it promises.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use crate::world::Answer;

/// What the document says of one method of one path.
pub struct Operation {
    pub id: String,
    pub method: String,
    pub path: String,
    pub says: Value,
}

impl Operation {
    /// The names of its parameters of one kind: `path`, `query`, `header`.
    pub fn parameters(&self, kind: &str) -> Vec<&str> {
        let all = self.says["parameters"].as_array().into_iter().flatten();
        all.filter(|one| one["in"] == kind).filter_map(|one| one["name"].as_str()).collect()
    }

    /// The schema of its JSON body.
    pub fn body(&self) -> Option<&Value> {
        self.says["requestBody"]["content"].get("application/json").map(|json| &json["schema"])
    }

    fn is(&self, method: &str, path: &str) -> bool {
        let same = |(said, operation): (&str, &str)| said.starts_with('{') || said == operation;
        self.method == method
            && self.path.split('/').count() == path.split('/').count()
            && self.path.split('/').zip(path.split('/')).all(same)
    }
}

/// The document with what it needs to judge.
pub struct Contract {
    pub document: Value,
    pub operations: Vec<Operation>,
    /// The schemas, refusing every member that they do not name.
    strict: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

pub static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let document = dormouse_server::openapi();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().expect("the document has paths") {
        for (method, says) in item.as_object().expect("a path has methods") {
            operations.push(Operation {
                id: says["operationId"].as_str().unwrap_or_default().to_owned(),
                method: method.to_uppercase(),
                path: path.clone(),
                says: resolved(says, &document["components"]),
            });
        }
    }
    let mut strict = document["components"].clone();
    refuse_others(&mut strict);
    Contract { document, operations, strict, validators: Mutex::default() }
});

/// An operation with its parameters and responses in place of references to them.
fn resolved(says: &Value, components: &Value) -> Value {
    let resolve = |value: &mut Value| {
        if let Some(path) =
            value["$ref"].as_str().and_then(|path| path.strip_prefix("#/components"))
        {
            *value = components.pointer(path).unwrap_or_else(|| panic!("no {path}")).clone();
        }
    };
    let mut says = says.clone();
    says["responses"].as_object_mut().into_iter().flatten().for_each(|(_, one)| resolve(one));
    if let Some(parameters) = says.get_mut("parameters").and_then(Value::as_array_mut) {
        parameters.iter_mut().for_each(resolve);
    }
    says
}

/// A member that the document does not name is a difference as well.
fn refuse_others(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("type").is_some_and(|kind| kind == "object")
                && members.contains_key("properties")
            {
                members.entry("additionalProperties").or_insert(json!(false));
            }
            members.values_mut().for_each(refuse_others);
        }
        Value::Array(items) => items.iter_mut().for_each(refuse_others),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl Contract {
    /// The operation that a request means.
    pub fn operation(&self, method: &str, path: &str) -> Option<&Operation> {
        // A path without parameters goes before one that it would fill, whatever its methods are.
        let is_whole = self.operations.iter().any(|operation| operation.path == path);
        let mut all = self.operations.iter().filter(|one| !is_whole || one.path == path);
        all.find(|operation| operation.is(method, path))
    }

    /// Whether a value fits a schema; if not, why.
    pub fn fits(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let validator = validators.entry(schema.to_string()).or_insert_with(|| {
            let mut root = schema.clone();
            root["components"] = self.strict.clone();
            let options =
                jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
            Arc::new(options.build(&root).unwrap_or_else(|e| panic!("{schema}: {e}")))
        });
        let wrong = validator.iter_errors(value);
        let wrong: Vec<_> = wrong.map(|e| format!("{}: {e}", e.instance_path())).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }

    /// Compares an answer with the document and returns the operation that gave it.
    pub fn check(&self, method: &str, path: &str, answer: &Answer) -> Option<&Operation> {
        let path = path.split('?').next().unwrap_or(path);
        let Some(operation) = self.operation(method, path) else {
            let status = answer.status;
            assert!(matches!(status, 404 | 405), "{method} {path} answers {status}, undocumented");
            return None;
        };
        let differs = |why: &str| -> ! {
            panic!("{}: {method} {path}: {why}\n{}", operation.id, answer.rendered())
        };
        let response = &operation.says["responses"][answer.status.to_string()];
        if response.is_null() {
            differs("the document does not have this status");
        }
        let kind = answer.header("content-type").unwrap_or_default();
        let kind = kind.strip_suffix("; charset=utf-8").unwrap_or(kind);
        let Some(content) = response["content"].get(kind) else {
            differs("the document does not have this content type")
        };
        let lines = if matches!(kind, "application/x-ndjson" | "application/jsonl") {
            answer.body.lines().collect()
        } else {
            vec![answer.body.as_str()]
        };
        for line in lines {
            let value = if kind.contains("json") {
                serde_json::from_str(line).unwrap_or_else(|e| differs(&e.to_string()))
            } else {
                json!(line)
            };
            if let Err(wrong) = self.fits(&content["schema"], &value) {
                differs(&wrong);
            }
        }
        for header in ["ETag", "Location"] {
            let sent = answer.header(&header.to_lowercase()).is_some();
            if sent == response["headers"][header].is_null() {
                differs(&format!("{header} is sent: {sent}, which the document does not say"));
            }
        }
        if answer.status >= 400 {
            let slug = answer.json()["type"].as_str().unwrap_or_default().replace("/problems/", "");
            let known = response["x-problems"].as_array().into_iter().flatten();
            if !known.into_iter().any(|known| *known == slug.as_str()) {
                differs("the document does not have this problem");
            }
        }
        Some(operation)
    }

    /// Compares a request that was accepted with what the document asks for.
    pub fn check_request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<(), String> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let operation = self.operation(method, path).ok_or("the document does not have it")?;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let name = pair.split('=').next().unwrap_or(pair);
            if !operation.parameters("query").contains(&name) {
                return Err(format!("?{name} was accepted, which the document does not have"));
            }
        }
        let known = operation.parameters("header");
        // What an operation answers says which kinds can be requested.
        let sent = headers.iter().filter(|(header, _)| !header.eq_ignore_ascii_case("accept"));
        for (header, _) in sent {
            if !known.iter().any(|known| known.eq_ignore_ascii_case(header)) {
                return Err(format!("{header} was sent, which the document does not have"));
            }
        }
        if body.is_empty() {
            let required = operation.says["requestBody"]["required"] == true;
            return if required { Err("no body was accepted".into()) } else { Ok(()) };
        }
        let Some(schema) = operation.body() else { return Ok(()) };
        let body = serde_json::from_str(body).map_err(|e| e.to_string())?;
        self.fits(schema, &body).map_err(|wrong| format!("the body was accepted, but {wrong}"))
    }
}

/// The path with something in each place.
pub fn filled(path: &str) -> String {
    let zeros = "0".repeat(26);
    let names = [
        ("{task}", format!("jt-{zeros}")),
        ("{entry}", format!("en-{zeros}")),
        ("{item}", format!("ci-{zeros}")),
        ("{label}", "garden".to_owned()),
        ("{agent}", format!("ag-{zeros}")),
        ("{name}", "home".to_owned()),
        ("{runKey}", "0".repeat(64)),
        ("{set}", format!("cs-{zeros}")),
        ("{link}", format!("tl-{zeros}")),
        ("{token}", format!("tok-{zeros}")),
        ("{index}", "1".to_owned()),
        ("{verdict}", "confirm".to_owned()),
        ("{line}", "line-1".to_owned()),
        ("{work}", format!("task-{zeros}")),
        ("{run}", format!("run-{zeros}")),
        ("{question}", format!("qu-{zeros}")),
        ("{delivery}", format!("dl-{zeros}")),
        ("{need}", format!("workQuestion:run-{zeros}")),
        ("{occurrence}", "2026-03-03T12:00:00".to_owned()),
        ("{hook}", format!("hook-{zeros}")),
        ("{template}", format!("at-{zeros}")),
        ("{session}", format!("evo-{zeros}")),
        ("{rule}", format!("ru-{zeros}")),
        ("{tool}", "set_task_title".to_owned()),
        ("{n}", "1".to_owned()),
        ("{conversation}", format!("conv-{zeros}")),
        ("{token}", format!("tok-{zeros}")),
    ];
    let path = names.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value));
    assert!(!path.contains('{'), "{path}: give this parameter a value");
    path
}
