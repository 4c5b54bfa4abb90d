// A model server that answers at once, and counts what it had read before, as a server with a cache does.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface ChatRequest {
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string } }[];
}

/** What it makes of any memory that it is asked to fold. */
export const SUMMARY = "The forms are ordered. The office is open on Tuesdays, and the photos have to be new. Everybody comes along on the 12th.";

/** The answers that it can give, by the tool that it is offered. */
const ANSWERS: Record<string, object> = {
  confirm_word: { word: "hazelnut" },
  keep_summary: { summary: SUMMARY },
  update_report: { tldr: "The forms are on the desk.", content: "## Left\n\n- photos" },
};

export class QuickModel {
  /** Prompts that were read, as text. */
  #read: string[] = [];
  #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (request.method === "GET") {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: [{ id: "quick", object: "model" }] }));
      return;
    }
    const { messages, tools = [] } = JSON.parse(body) as ChatRequest;
    const prompt = JSON.stringify([tools, messages]);
    const shared = Math.max(0, ...this.#read.map((known) => sharedStart(known, prompt)));
    this.#read.push(prompt);
    const usage = { prompt_tokens: tokens(prompt.length), completion_tokens: 20, prompt_tokens_details: { cached_tokens: tokens(shared) } };
    // A turn after its results is the last one of a wake.
    const isOver = messages.at(-1)?.role === "tool";
    const tool = isOver ? undefined : Object.keys(ANSWERS).find((name) => tools.some((one) => one.function.name === name));
    const delta =
      tool === undefined
        ? { role: "assistant", content: "Done." }
        : { role: "assistant", tool_calls: [{ index: 0, id: "call-1", type: "function", function: { name: tool, arguments: JSON.stringify(ANSWERS[tool]) } }] };
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const chunk = { id: "c-1", object: "chat.completion.chunk", created: 1, model: "quick" };
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: tool === undefined ? "stop" : "tool_calls" }] })}\n\n`);
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [], usage })}\n\n`);
    response.end("data: [DONE]\n\n");
  }
}

const tokens = (characters: number): number => Math.ceil(characters / 4);

function sharedStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
