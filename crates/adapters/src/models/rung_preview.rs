//! The arguments of calls as they are being written, on rungs where calls are text.
//!
//! A preview: what counts is read from the whole text when it is complete. Text that is not in the
//! form `{say, calls: [{tool, arguments}], done}` has no preview.

use dormouse_types::model::TurnEvent;

/// Follows a text in any pieces.
#[derive(Debug, Default)]
pub(crate) struct Preview {
    /// The open brackets; the text before the first one is skipped.
    open: Vec<Open>,
    string: Option<Text>,
    /// The string that ended last.
    last: String,
    tool: String,
    n_calls: usize,
    is_in_arguments: bool,
    is_over: bool,
}

#[derive(Debug)]
struct Open {
    is_object: bool,
    /// The member that is being written.
    key: String,
}

#[derive(Debug, Default)]
struct Text {
    text: String,
    is_escaped: bool,
}

/// Deeper than the arguments of any tool.
const MAX_DEPTH: usize = 64;
/// Units: bytes. Longer than any name that matters here.
const MAX_NAME: usize = 256;
/// The answer, its list of calls, one call.
const CALL_DEPTH: usize = 3;

impl Preview {
    /// Takes more of the text; returns the pieces of arguments in it.
    pub(crate) fn feed(&mut self, text: &str) -> Vec<TurnEvent> {
        let mut events = Vec::new();
        let mut json = String::new();
        for c in text.chars() {
            if self.is_over {
                break;
            }
            let was_in_arguments = self.is_in_arguments;
            self.take(c);
            if was_in_arguments || self.is_in_arguments {
                json.push(c);
            }
            if was_in_arguments && !self.is_in_arguments {
                events.extend(self.delta(std::mem::take(&mut json)));
            }
        }
        events.extend(self.delta(json));
        events
    }

    fn delta(&self, json: String) -> Option<TurnEvent> {
        let index = self.n_calls.checked_sub(1)?;
        let is_shown = !json.is_empty() && !self.tool.is_empty();
        is_shown.then(|| TurnEvent::CallDelta { index, name: self.tool.clone(), json })
    }

    fn take(&mut self, c: char) {
        if let Some(string) = &mut self.string {
            match c {
                '"' if !string.is_escaped => self.string_ends(),
                c => {
                    string.is_escaped = c == '\\' && !string.is_escaped;
                    if string.text.len() < MAX_NAME {
                        string.text.push(c);
                    }
                }
            }
            return;
        }
        match c {
            '{' | '[' => self.opens(c == '{'),
            // Strings outside the object are prose.
            '"' if !self.open.is_empty() => self.string = Some(Text::default()),
            ':' => {
                if let Some(open) = self.open.last_mut() {
                    open.key = std::mem::take(&mut self.last);
                }
            }
            ',' => {
                if let Some(open) = self.open.last_mut().filter(|open| open.is_object) {
                    open.key.clear();
                }
            }
            '}' | ']' => self.closes(),
            _ => {}
        }
    }

    fn opens(&mut self, is_object: bool) {
        if self.open.is_empty() && !is_object {
            return;
        }
        if self.open.len() == MAX_DEPTH {
            self.is_over = true;
            return;
        }
        let begins_call = is_object && self.is_in_list();
        let begins_arguments = is_object && self.is_at(CALL_DEPTH, "arguments");
        self.open.push(Open { is_object, key: String::new() });
        if begins_call {
            self.n_calls += 1;
            self.tool.clear();
        }
        if begins_arguments {
            self.is_in_arguments = true;
        }
    }

    fn closes(&mut self) {
        self.open.pop();
        if self.is_in_arguments && self.open.len() == CALL_DEPTH {
            self.is_in_arguments = false;
        }
    }

    fn string_ends(&mut self) {
        self.last = self.string.take().map(|string| string.text).unwrap_or_default();
        if self.is_at(CALL_DEPTH, "tool") && !self.is_in_arguments {
            self.last.clone_into(&mut self.tool);
        }
    }

    /// Whether the list of calls is open, and nothing in it.
    fn is_in_list(&self) -> bool {
        let is_list = self.open.last().is_some_and(|open| !open.is_object);
        is_list && self.open.len() == CALL_DEPTH - 1 && self.open[0].key == "calls"
    }

    /// Whether a member of a call is being written.
    fn is_at(&self, depth: usize, key: &str) -> bool {
        self.open.len() == depth
            && self.open[0].key == "calls"
            && !self.open[1].is_object
            && self.open.last().is_some_and(|open| open.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn previews(text: &str, size: usize) -> Vec<(usize, String, String)> {
        let mut preview = Preview::default();
        let mut all: Vec<(usize, String, String)> = Vec::new();
        let chars: Vec<_> = text.chars().collect();
        for piece in chars.chunks(size) {
            for event in preview.feed(&piece.iter().collect::<String>()) {
                let TurnEvent::CallDelta { index, name, json } = event else { panic!("{event:?}") };
                match all.last_mut() {
                    Some(last) if last.0 == index => last.2.push_str(&json),
                    Some(_) | None => all.push((index, name, json)),
                }
            }
        }
        all
    }

    #[test]
    fn arguments_are_shown_as_they_come_in_any_pieces() {
        let text = r#"Here: {"say": "a \"{[ b", "calls": [{"tool": "one", "arguments": {"x":
            {"tool": "no", "y": ["}", "\\"]}}}, {"tool":"two","arguments":{}}, {"tool": "three",
            "arguments": {"half": "wa"#;
        let one = "{\"x\":\n            {\"tool\": \"no\", \"y\": [\"}\", \"\\\\\"]}}";
        for size in [1, 2, 3, 7, 1000] {
            let expected = [(0, "one", one), (1, "two", "{}"), (2, "three", "{\"half\": \"wa")];
            let found = previews(text, size);
            let found: Vec<_> =
                found.iter().map(|(n, name, json)| (*n, name.as_str(), json.as_str())).collect();
            assert_eq!(found, expected, "{size}");
        }
    }

    #[test]
    fn other_text_has_no_preview() {
        let deep = "{\"calls\":[".repeat(1000);
        let texts =
            ["", "}]", "\"calls\"", "{\"arguments\": {\"x\": 1}}", "{\"calls\": {}}", &deep];
        for text in texts {
            assert_eq!(previews(text, 1), [], "{text}");
        }
        assert_eq!(previews(r#"{"calls":[{"arguments":{"x":1},"tool":"late"}]}"#, 4), []);
    }
}
