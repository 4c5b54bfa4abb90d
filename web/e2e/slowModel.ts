// A model server that writes a report as slowly as a test wants.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface ChatRequest {
  tools?: { function: { name: string } }[];
}

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
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const tools = ((JSON.parse(body) as ChatRequest).tools ?? []).map((tool) => tool.function.name);
    if (tools.includes("confirm_word")) {
      send(response, call("confirm_word", '{"word":"hazelnut"}'));
      this.#end(response);
      return;
    }
    this.asked += 1;
    this.#turn = response;
    response.on("close", () => (this.dropped += response.writableEnded ? 0 : 1));
    send(response, call("update_report", ""));
  }

  /** Writes more of the arguments of `update_report`. */
  write(args: string): void {
    const piece = { tool_calls: [{ index: 0, function: { arguments: args } }] };
    if (this.#turn !== undefined) send(this.#turn, piece);
  }

  /** Ends the turn. */
  end(): void {
    if (this.#turn !== undefined) this.#end(this.#turn);
    this.#turn = undefined;
  }

  #end(response: ServerResponse): void {
    send(response, {}, "tool_calls");
    response.end("data: [DONE]\n\n");
  }
}
