//! Requests and models to call.

use dormouse_adapters::http::{BaseUrl, Secret};
use dormouse_adapters::models::{ApiFormat, ModelConfig, ModelId, ToolMode, default_base_url};
use dormouse_types::RunKey;
use dormouse_types::model::{
    Fragment, FragmentData, FragmentKind, Request, ToolCall, ToolChoice, ToolResult, ToolSpec, Turn,
};
use dormouse_types::port::{ModelClass, ModelLocation};
use serde_json::json;

/// A model that speaks a format, at the address of the company that made it.
pub fn config(format: ApiFormat) -> ModelConfig {
    ModelConfig {
        provider: "acme".to_owned(),
        base: BaseUrl::parse(default_base_url(format)).unwrap(),
        format,
        model: ModelId::new("small-1").unwrap(),
        key: Some(Secret::new("sk-very-secret").unwrap()),
        window: None,
        max_output_tokens: 2048,
        location: ModelLocation::Elsewhere,
        class: ModelClass::Paid,
        price: None,
        rung: ToolMode::Native,
        output_limit: None,
        forced_call: None,
    }
}

pub fn fragment(kind: FragmentKind, text: &str) -> Fragment {
    Fragment {
        kind,
        text: text.to_owned(),
        data: FragmentData::None,
        tainted: false,
        block_ends: Vec::new(),
    }
}

/// A first request with two tools.
pub fn request() -> Request {
    Request {
        run_key: RunKey("0".repeat(64)),
        turn: 1,
        fragments: vec![
            fragment(FragmentKind::System, "You keep one task."),
            fragment(FragmentKind::Log, "Monday: began."),
            fragment(FragmentKind::TaskState, "Buy milk, due Friday."),
            fragment(FragmentKind::Instruction, "Write the report."),
        ],
        turns: vec![],
        tools: vec![tool("update_report", "Writes the report."), weather()],
        tool_choice: ToolChoice::Auto,
    }
}

/// The tool of the recorded exchanges.
pub fn weather() -> ToolSpec {
    ToolSpec {
        name: "weather".to_owned(),
        description: "Tells the weather.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "latitude": { "type": "string" }, "longitude": { "type": "string" } },
            "required": ["latitude", "longitude"]
        }),
    }
}

pub fn tool(name: &str, description: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "content": { "$ref": "#/$defs/Text" } },
            "$defs": { "Text": { "type": "string" } }
        }),
    }
}

/// An earlier turn: two calls, one of them refused.
pub fn turn() -> Turn {
    let call = |id: &str, name: &str, args| ToolCall { id: id.into(), name: name.into(), args };
    let result = |id: &str, refused, text: &str| ToolResult {
        call_id: id.into(),
        refused,
        text: text.into(),
    };
    Turn {
        text: "I look first.".to_owned(),
        calls: vec![
            call("c1", "weather", json!({ "latitude": "52.5" })),
            call("call-1-2", "update_report", json!("not an object")),
        ],
        results: vec![
            result("c1", false, "15 degrees"),
            result("call-1-2", true, "`content` is missing"),
        ],
        ended: false,
        provider_state: None,
    }
}
