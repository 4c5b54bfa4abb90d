//! Recorded exchanges next to the checkout, in the forms in which others keep them: `.yml` cassettes
//! of HTTP requests and answers, and `.chunks.txt` with the data of one event a line.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde_yaml_ng::Value;

/// One recorded exchange.
pub struct Exchange {
    pub uri: String,
    pub status: u16,
    pub media_type: String,
    pub answer: String,
}

/// The files with an ending, sorted; without the folder, says what was not tested.
pub fn files(ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/llm");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        use std::io::Write as _;
        let line = "not tested: there is no ../shared/data/llm next to the checkout";
        let mut terminal = std::io::stderr();
        writeln!(terminal, "{line}").unwrap();
        return vec![];
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_str().is_some_and(|path| path.ends_with(ending)));
    files.sort();
    files
}

/// The exchanges of a cassette.
pub fn exchanges(path: &Path) -> Vec<Exchange> {
    let text = std::fs::read_to_string(path).unwrap();
    let file: Value = serde_yaml_ng::from_str(&text).unwrap();
    let list = file["http_interactions"].as_sequence().unwrap();
    let exchange = |each: &Value| {
        let answer = &each["response"];
        let headers = answer["headers"].as_mapping().unwrap();
        let is_type = |name: &Value| {
            name.as_str().is_some_and(|name| name.eq_ignore_ascii_case("content-type"))
        };
        let media_type = headers.iter().find(|(name, _)| is_type(name)).map(|(_, value)| value);
        Exchange {
            uri: each["request"]["uri"].as_str().unwrap().to_owned(),
            status: u16::try_from(answer["status"]["code"].as_u64().unwrap()).unwrap(),
            media_type: media_type.and_then(|it| it[0].as_str()).unwrap_or_default().to_owned(),
            answer: body(answer),
        }
    };
    list.iter().map(exchange).collect()
}

fn body(message: &Value) -> String {
    match &message["body"]["string"] {
        Value::Tagged(tagged) => {
            let text: String = tagged.value.as_str().unwrap().split_whitespace().collect();
            let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
            String::from_utf8(bytes).unwrap()
        }
        value => value.as_str().unwrap().to_owned(),
    }
}
