// A model server that writes a report as slowly as a test wants.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { test as base } from "./world";

interface ChatRequest {
  tools?: { function: { name: string } }[];
}

/** The tokens of each answer, as the server counts them. */
const OUTPUT = 9;

const CHUNK = { id: "c-1", object: "chat.completion.chunk", created: 1, model: "slow" };

/** Tells the parts of a turn, as Chat Completions does. */
function send(response: ServerResponse, delta: object, finish: string | null = null): void {
  response.write(`data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
}

function call(name: string, args: string): object {
  return { role: "assistant", tool_calls: [{ index: 0, id: "call-1", type: "function", function: { name, arguments: args } }] };
}

export class SlowModel {
  /** A turn that is being written. */
  #turn: ServerResponse | undefined;
  #hasCalled = false;
  /** The tokens of the request that is answered, about four bytes each. */
  #input = 0;
  #server = createServer((request, response) => void this.#answer(request, response));
  /** How many turns were asked for, the test call aside. */
  asked = 0;
  /** How many connections were closed before their turn ended. */
  dropped = 0;

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
      const data = [
        { id: "slow", object: "model", context_length: 32_768 },
        { id: "tiny", object: "model" },
      ];
      response.end(JSON.stringify({ object: "list", data }));
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const tools = ((JSON.parse(body) as ChatRequest).tools ?? []).map((tool) => tool.function.name);
    if (tools.includes("confirm_word")) {
      this.#input = Math.ceil(body.length / 4);
      send(response, call("confirm_word", '{"word":"hazelnut"}'));
      this.#end(response, "tool_calls");
      return;
    }
    this.asked += 1;
    this.#input = Math.ceil(body.length / 4);
    this.#turn = response;
    this.#hasCalled = false;
    response.on("close", () => (this.dropped += response.writableEnded ? 0 : 1));
    response.flushHeaders();
  }

  /** Writes more of the arguments of a call of `update_report`. */
  write(args: string): void {
    if (this.#turn === undefined) throw new Error("nobody asked for a turn");
    send(this.#turn, this.#hasCalled ? { tool_calls: [{ index: 0, function: { arguments: args } }] } : call("update_report", args));
    this.#hasCalled = true;
  }

  /** Ends the turn; one without a call is the last of its run. */
  end(): void {
    if (this.#turn === undefined) throw new Error("nobody asked for a turn");
    if (!this.#hasCalled) send(this.#turn, { role: "assistant", content: "Done." });
    this.#end(this.#turn, this.#hasCalled ? "tool_calls" : "stop");
    this.#turn = undefined;
  }

  #end(response: ServerResponse, finish: string): void {
    send(response, {}, finish);
    const usage = { prompt_tokens: this.#input, completion_tokens: OUTPUT, total_tokens: this.#input + OUTPUT };
    response.write(`data: ${JSON.stringify({ ...CHUNK, choices: [], usage })}\n\n`);
    response.end("data: [DONE]\n\n");
  }
}

/** A test with such a server. */
export const test = base.extend<{ model: SlowModel }>({
  model: async ({}, use) => {
    const model = new SlowModel();
    await model.start();
    await use(model);
    model.stop();
  },
});
