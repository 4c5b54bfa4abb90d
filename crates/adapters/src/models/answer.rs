//! From an HTTP answer to the events of a turn.

use std::collections::VecDeque;

use bytes::Bytes;
use dormouse_types::limits;
use dormouse_types::model::{ModelError, ProviderUnavailable, Request, TurnEvent};
use dormouse_types::port::BoxStream;
use futures_util::stream::{self, StreamExt as _};
use serde_json::Value;

use super::config::ModelConfig;
use super::failure::{self, WireError};
use super::input::Input;
use super::key_filter::KeyFilter;
use super::repair;
use super::wire::{Decoder, http_request};
use crate::http::{HttpAnswer, HttpError, Transport};
use crate::sse::{SseError, SseReader};

/// Units: bytes. More of an answer that is an error is not read.
const REFUSAL_BYTES: usize = 64 * 1024;

/// Sends a request and reads the turn. The last event is [`TurnEvent::End`] or an error. Dropping the
/// stream closes the connection.
pub(crate) fn ask<'a>(
    transport: &'a dyn Transport,
    config: &'a ModelConfig,
    request: &'a Request,
) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
    let events = read(transport, config, request);
    Box::pin(events.map(|event| event.map_err(|error| error.into_model_error(config))))
}

/// The same with the errors of this room. What the provider reports of an answer that cannot be used comes right
/// before its error.
pub(crate) fn read<'a>(
    transport: &'a dyn Transport,
    config: &'a ModelConfig,
    request: &'a Request,
) -> BoxStream<'a, Result<TurnEvent, WireError>> {
    Box::pin(stream::unfold(Step::Send { transport, config, request }, Step::next))
}

enum Step<'a> {
    Send { transport: &'a dyn Transport, config: &'a ModelConfig, request: &'a Request },
    Read(Box<Reading>),
    Ended,
}

type Item = Result<TurnEvent, WireError>;

impl<'a> Step<'a> {
    async fn next(mut self) -> Option<(Item, Self)> {
        loop {
            self = match self {
                Self::Send { transport, config, request } => {
                    match Reading::open(transport, config, request).await {
                        Ok(reading) => Self::Read(Box::new(reading)),
                        Err(error) => return Some((Err(error), Self::Ended)),
                    }
                }
                Self::Read(mut reading) => {
                    let event = match reading.next().await {
                        Ok(event) => event,
                        Err(error) => return Some((Err(error), Self::Ended)),
                    };
                    let rest = match event {
                        TurnEvent::End { .. } => Self::Ended,
                        TurnEvent::Text(_)
                        | TurnEvent::CallDelta { .. }
                        | TurnEvent::Call(_)
                        | TurnEvent::State(_)
                        | TurnEvent::Usage(_) => Self::Read(reading),
                    };
                    return Some((Ok(event), rest));
                }
                Self::Ended => return None,
            };
        }
    }
}

/// An answer that is being read.
struct Reading {
    decoder: Decoder,
    ready: VecDeque<TurnEvent>,
    filter: KeyFilter,
    /// What the filter let through of the events that were ready.
    shown: VecDeque<TurnEvent>,
    /// An error after the events that are ready.
    failed: Option<WireError>,
    events: SseReader,
    body: BoxStream<'static, Result<Bytes, HttpError>>,
    is_closed: bool,
    /// Whether anything of the answer has come.
    has_begun: bool,
}

impl Reading {
    async fn open(
        transport: &dyn Transport,
        config: &ModelConfig,
        request: &Request,
    ) -> Result<Self, WireError> {
        let sent = http_request(request, config);
        let origin = sent.target.origin();
        let answer = transport.send(&sent).await?;
        let answer = success(answer, config).await?;
        let media_type = answer.media_type();
        let (answer, shape) = match declared(&media_type) {
            Declared::NoAnswer => return Err(wrong_type(&origin, &media_type)),
            declared => begun(answer, declared).await?,
        };
        let (body, whole) = match shape {
            Shape::Events => (answer.body, None),
            Shape::Whole => {
                let nothing: BoxStream<'static, _> = Box::pin(stream::empty());
                (nothing, Some(json(answer, &origin).await?))
            }
            Shape::Neither => return Err(wrong_type(&origin, &media_type)),
        };
        let mut reading = Self {
            decoder: Decoder::new(request, config),
            ready: VecDeque::new(),
            filter: KeyFilter::new(config.key.as_ref()),
            shown: VecDeque::new(),
            failed: None,
            events: SseReader::default(),
            body,
            is_closed: whole.is_some(),
            has_begun: false,
        };
        if let Some(whole) = whole {
            reading.failed = reading.step(Input::Whole(&whole)).err();
        }
        Ok(reading)
    }

    fn step(&mut self, input: Input<'_>) -> Result<(), WireError> {
        let read = self.decoder.step(input);
        if read.is_err() {
            self.ready.extend(self.decoder.reported().map(TurnEvent::Usage));
        }
        self.ready.extend(read?);
        Ok(())
    }

    async fn next(&mut self) -> Result<TurnEvent, WireError> {
        loop {
            if let Some(event) = self.shown.pop_front() {
                // A figure alone is nothing of the answer.
                self.has_begun |= !matches!(event, TurnEvent::Usage(_));
                return Ok(event);
            }
            if let Some(event) = self.ready.pop_front() {
                self.shown.extend(self.filter.pass(event));
                continue;
            }
            if self.failed.is_some()
                && let Some(rest) = self.filter.rest()
            {
                return Ok(rest);
            }
            if let Some(error) = self.failed.take() {
                return Err(if self.has_begun { error.of_broken_off() } else { error });
            }
            if self.is_closed {
                return Err(WireError::malformed("the answer ended before it was complete"));
            }
            let read = match self.body.next().await {
                Some(Ok(piece)) => self.events.feed(piece),
                Some(Err(error)) => return Err(error.into()),
                None => {
                    self.is_closed = true;
                    self.events.end()
                }
            };
            // What was said before an error counts: it is shown, and then the error is.
            if let Err(error) = self.take(read) {
                self.failed = Some(error);
            }
        }
    }

    fn take(&mut self, read: Result<Vec<String>, SseError>) -> Result<(), WireError> {
        let read = read.map_err(|error| WireError::refused(error.to_string()))?;
        for data in read {
            if self.has_end() {
                return Ok(());
            }
            let data = data.trim();
            match data {
                "" => continue,
                "[DONE]" => self.step(Input::Done)?,
                _ => {
                    let event = self.event(data)?;
                    self.step(Input::Event(&event))?;
                }
            }
        }
        if self.is_closed && !self.has_end() {
            self.step(Input::Closed)?;
        }
        Ok(())
    }

    /// The JSON of an event. Some servers leave out closing brackets; they are added, except where the
    /// connection ended, because there anything may be missing.
    fn event(&self, data: &str) -> Result<Value, WireError> {
        let read = serde_json::from_str(data).ok();
        let read = read.or_else(|| if self.is_closed { None } else { repair::repaired(data) });
        read.ok_or_else(|| WireError::malformed("the answer has an event that is not JSON"))
    }

    fn has_end(&self) -> bool {
        matches!(self.ready.back(), Some(TurnEvent::End { .. }))
    }
}

/// What an answer says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declared {
    Events,
    Whole,
    /// Some gateways send either of them as plain text.
    Text,
    NoAnswer,
}

fn declared(media_type: &str) -> Declared {
    match media_type {
        "text/event-stream" | "" => Declared::Events,
        "application/json" => Declared::Whole,
        "text/plain" => Declared::Text,
        _ => Declared::NoAnswer,
    }
}

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Events,
    Whole,
    Neither,
}

/// The names of the fields of an event, with the end of a name, and the sign of a comment.
///
/// Source: the HTML standard, section 9.2.6.
const FIELDS: [&str; 5] = ["data:", "event:", "id:", "retry:", ":"];

/// Decides by the start of an answer what it is; `None` if more of it is needed. Some gateways send a stream as JSON,
/// and an error in one piece as a stream.
fn shape(declared: Declared, start: &[u8], has_ended: bool) -> Option<Shape> {
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start).trim_ascii_start();
    let otherwise = match declared {
        Declared::Events => Shape::Events,
        Declared::Whole => Shape::Whole,
        Declared::Text | Declared::NoAnswer => Shape::Neither,
    };
    match start {
        [b'{' | b'[', ..] => Some(Shape::Whole),
        _ if FIELDS.iter().any(|field| start.starts_with(field.as_bytes())) => Some(Shape::Events),
        _ if !has_ended && FIELDS.iter().any(|field| field.as_bytes().starts_with(start)) => None,
        _ if !has_ended && BYTE_ORDER_MARK.starts_with(start) => None,
        _ => Some(otherwise),
    }
}

/// Units: bytes. White space beyond this is not waited out.
const START_BYTES: usize = 64 * 1024;

/// Reads the start of an answer, which stays a part of it, until it shows what the answer is.
async fn begun(
    mut answer: HttpAnswer,
    declared: Declared,
) -> Result<(HttpAnswer, Shape), WireError> {
    let (mut start, mut failed) = (Vec::new(), None);
    let shape = loop {
        let has_ended = match answer.body.next().await {
            Some(Ok(piece)) => {
                start.extend_from_slice(&piece);
                start.len() > START_BYTES
            }
            Some(Err(error)) => {
                failed = Some(Err(error));
                true
            }
            None => true,
        };
        if let Some(shape) = shape(declared, &start, has_ended) {
            break shape;
        }
    };
    let start = stream::iter([Ok(Bytes::from(start))]).chain(stream::iter(failed));
    answer.body = Box::pin(start.chain(answer.body));
    Ok((answer, shape))
}

/// The answer, if its status is a success.
pub(crate) async fn success(
    answer: HttpAnswer,
    config: &ModelConfig,
) -> Result<HttpAnswer, WireError> {
    let encoding = answer.header("content-encoding").map(str::trim);
    let encoding =
        encoding.filter(|it| !matches!(it.to_ascii_lowercase().as_str(), "" | "identity"));
    let encoding = encoding.map(failure::clean);
    if (200..300).contains(&answer.status) {
        return match encoding {
            None => Ok(answer),
            Some(encoding) => Err(compressed(&config.base.origin(), &encoding)),
        };
    }
    let status = answer.status;
    let wait = failure::retry_after(|name| answer.header(name));
    let body = answer.read_start(REFUSAL_BYTES).await;
    // What is compressed cannot be shown.
    let body = if encoding.is_some() { Vec::new() } else { body };
    Err(failure::of_status(status, wait, &body, config))
}

/// Some gateways put it before their text; JSON has none.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The JSON of an answer in one piece.
pub(crate) async fn json(answer: HttpAnswer, origin: &str) -> Result<Value, WireError> {
    let bytes = answer.read(origin, limits::ANSWER_BYTES).await?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    serde_json::from_slice(text)
        .map_err(|_| WireError::malformed(format!("{origin} answered with text that is not JSON")))
}

/// Requests allow no encoding but the plain one.
fn compressed(origin: &str, encoding: &str) -> WireError {
    WireError::Unavailable {
        why: ProviderUnavailable::WrongAnswer,
        detail: format!(
            "{origin} answered in the encoding {encoding:?}, which was not allowed: switch off compression in the \
             server, or in the proxy before it"
        ),
        retry_after: None,
    }
}

pub(crate) fn wrong_type(origin: &str, media_type: &str) -> WireError {
    let shown = failure::clean(media_type);
    let what = match shown.as_str() {
        "text/html" => "a web page".to_owned(),
        _ => format!("the content type {shown:?}"),
    };
    WireError::Unavailable {
        // Whatever answers there is not a server of models, and will not become one by itself. It took the
        // request all the same, so a gateway behind it may have run a model.
        why: ProviderUnavailable::WrongAnswer,
        detail: format!(
            "{origin} answered with {what} instead of an answer of a model; check the base URL"
        ),
        retry_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_its_start_shows_and_otherwise_what_it_says() {
        use Declared as D;
        for (declared, start, expected) in [
            (D::Events, "data: {}", Some(Shape::Events)),
            (D::Events, "{\"error\":1}", Some(Shape::Whole)),
            (D::Events, "\u{feff}\n [", Some(Shape::Whole)),
            (D::Events, "x", Some(Shape::Events)),
            (D::Whole, ": still here", Some(Shape::Events)),
            (D::Whole, "\r\nevent: a", Some(Shape::Events)),
            (D::Whole, "dat", None),
            (D::Whole, "date", Some(Shape::Whole)),
            (D::Whole, "", None),
            (D::Text, "id:", Some(Shape::Events)),
            (D::Text, "{", Some(Shape::Whole)),
            (D::Text, "ok", Some(Shape::Neither)),
        ] {
            assert_eq!(shape(declared, start.as_bytes(), false), expected, "{start:?}");
        }
        assert_eq!(shape(D::Events, b"", true), Some(Shape::Events));
        assert_eq!(shape(D::Text, b"re", true), Some(Shape::Neither));
    }
}
