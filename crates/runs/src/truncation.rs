//! Whether a server read all of a prompt, or cut it without a word because it did not fit.
//!
//! Servers of local models drop the beginning of a prompt that is longer than the window they were
//! started with, and answer as if nothing had happened: the model has then read neither its rules nor
//! its memory. The number of tokens that the server counted gives it away.

use dormouse_types::model::{Request, Usage};
use dormouse_types::model_settings::as_argument;

/// A prompt that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// What the prompt has at the very least. Units: tokens.
    pub sent: u64,
    /// What the server read. Units: tokens.
    pub read: u64,
}

impl Truncation {
    /// Says what happened and what to do, for a person.
    pub fn reason(self, model: &str) -> String {
        let Self { sent, read } = self;
        let argument = as_argument(model);
        format!(
            "the server of {model} read {read} tokens of a prompt that has at least {sent}: it cut \
             the prompt without saying so, and the answer is not used. Give the server a larger \
             window, or tell Dormouse the one that it has: dormouse models edit {argument} --window TOKENS"
        )
    }
}

/// Units: tokens. No server cuts a prompt to less: what is below it counts something else, such as what
/// was computed again.
const SMALLEST_WINDOW: u64 = 256;

/// Units: tokens. Windows that servers are started with are multiples of it.
const WINDOW_STEP: u64 = 256;

/// Returns how far the prompt of a later turn was cut that the server counted exactly as the one of the turn before;
/// `None` if it was not. A later prompt repeats the earlier one and adds to it, so both were cut to the same window.
pub fn truncation_again(request: &Request, before: &Usage, usage: &Usage) -> Option<Truncation> {
    let added = fewest_tokens(&request.turns.last()?.text).max(1);
    let is_again = usage.input >= SMALLEST_WINDOW
        && usage.input.is_multiple_of(WINDOW_STEP)
        && usage.input == before.input
        && usage.cached_input == before.cached_input
        && usage.cache_write == before.cache_write;
    is_again.then(|| Truncation { sent: usage.input.saturating_add(added), read: usage.input })
}

/// Returns how far a prompt was cut; `None` if it was not, or if nobody can know.
///
/// A count of next to nothing says that the server does not count the prompt. What came from a cache is part of `input` or
/// separately, depending on the server; counting it twice finds fewer prompts that were cut and accuses
/// nobody wrongly. Of tools, what they do is counted: providers write the rest in their own way.
pub fn truncation(request: &Request, usage: Option<&Usage>) -> Option<Truncation> {
    let usage = usage.filter(|usage| usage.input >= SMALLEST_WINDOW)?;
    let read = usage.input.saturating_add(usage.cached_input).saturating_add(usage.cache_write);
    let fragments = request.fragments.iter().map(|fragment| fragment.text.as_str());
    let turns = request.turns.iter().flat_map(|turn| {
        std::iter::once(turn.text.as_str())
            .chain(turn.results.iter().map(|result| result.text.as_str()))
    });
    let tools = request.tools.iter().map(|tool| tool.description.as_str());
    let sent =
        fragments.chain(turns).chain(tools).map(fewest_tokens).fold(0u64, u64::saturating_add);
    (read < sent).then_some(Truncation { sent, read: usage.input })
}

/// Returns a number of tokens that no tokenizer stays below.
///
/// Tokenizers cut a text at spaces and signs first, so that a word is one token at least; three of
/// four words allow for those that join frequent pairs of words. Scripts without spaces are long
/// words, of which no tokenizer joins eight characters on average. Signs and spaces count nothing:
/// long rows of them can be one token.
///
/// Source: the patterns that split text before byte pair encoding in the published tokenizers of GPT,
/// Llama, Qwen and Gemma.
fn fewest_tokens(text: &str) -> u64 {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let tokens =
        words.map(|word| if word.is_ascii() { 1 } else { (word.chars().count() / 8).max(1) });
    let tokens = tokens.fold(0usize, usize::saturating_add);
    u64::try_from(tokens / 4 * 3).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use dormouse_types::RunKey;
    use dormouse_types::model::{Fragment, FragmentData, FragmentKind, ToolChoice, Turn};

    use super::*;

    fn request(text: &str) -> Request {
        Request {
            run_key: RunKey("k".into()),
            turn: 1,
            fragments: vec![Fragment {
                kind: FragmentKind::Log,
                text: text.into(),
                data: FragmentData::None,
                tainted: false,
                block_ends: Vec::new(),
            }],
            turns: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
        }
    }

    fn check(text: &str, usage: Usage, expected: Option<(u64, u64)>) {
        let found = truncation(&request(text), Some(&usage));
        assert_eq!(found.map(|it| (it.sent, it.read)), expected, "{usage:?}");
    }

    #[test]
    fn a_count_below_what_the_words_need_says_that_the_prompt_was_cut() {
        // 8,000 words; an honest tokenizer counts about 10,000 tokens.
        let text = "The hall is full of boxes, again. - ".repeat(1_143);
        let input = |input| Usage { input, ..Usage::default() };
        check(&text, input(4_096), Some((6_000, 4_096)));
        check(&text, input(6_000), None);
        check(&text, input(10_500), None);
        let reason = Truncation { sent: 6_000, read: 4_096 }.reason("home/qwen");
        assert!(
            reason.contains("read 4096 tokens") && reason.contains("edit home/qwen --window"),
            "{reason}"
        );
    }

    #[test]
    fn two_turns_of_one_count_were_cut_to_the_same_window() {
        let turn = Turn {
            text: "I look at it.".into(),
            calls: Vec::new(),
            results: Vec::new(),
            ended: false,
            provider_state: None,
        };
        let later = Request { turn: 2, turns: vec![turn], ..request("Hall") };
        let usage = |input, cached_input| Usage { input, cached_input, ..Usage::default() };
        let check = |before, usage, expected| {
            assert_eq!(truncation_again(&later, &before, &usage).map(|it| it.read), expected);
        };
        check(usage(4_096, 0), usage(4_096, 0), Some(4_096));
        check(usage(4_096, 0), usage(4_352, 0), None);
        // No window: a server that counts every prompt alike.
        check(usage(1_000, 0), usage(1_000, 0), None);
        // The rest was served from a cache.
        check(usage(4_096, 0), usage(4_096, 4_096), None);
        check(usage(0, 0), usage(0, 0), None);
        let first = request("Hall");
        assert_eq!(truncation_again(&first, &usage(4_096, 0), &usage(4_096, 0)), None);
    }

    #[test]
    fn what_came_from_a_cache_or_is_not_counted_accuses_nobody() {
        let text = "word ".repeat(8_000);
        check(&text, Usage::default(), None);
        check(&text, Usage { output: 90, ..Usage::default() }, None);
        check(&text, Usage { input: 17, output: 90, ..Usage::default() }, None);
        // Anthropic counts what it read and wrote apart; the adapter has added them to the input.
        check(&text, Usage { input: 8_100, cached_input: 8_000, ..Usage::default() }, None);
        // A server whose input leaves out what it had.
        check(&text, Usage { input: 4_100, cached_input: 4_000, ..Usage::default() }, None);
        assert_eq!(truncation(&request(&text), None), None);
    }

    #[test]
    fn no_script_is_said_to_need_more_tokens_than_it_does() {
        // Source: counts of o200k_base, which packs text more tightly than most.
        for (text, tokens) in [
            ("我们五月搬家。搬运工星期五八点来，货车一百四十欧元。", 22),
            ("Die Donaudampfschifffahrtsgesellschaft zieht im Mai um.", 16),
            ("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}", 17),
            ("            \n\n\n\n          ==========================", 4),
            ("https://example.org/a/b?c=d&e=f", 13),
        ] {
            assert!(fewest_tokens(text) <= tokens, "{text}: {}", fewest_tokens(text));
        }
    }
}
