// A model server that answers each turn with the next part of a script, and waits while there is none.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Server } from "./world";

interface ChatRequest {
  tools?: { function: { name: string } }[];
}

/** What the model does in one turn: it says something, and calls tools. */
export interface Turn {
  says?: string;
  calls?: [name: string, args: object][];
}

const CHUNK = { id: "c-1", object: "chat.completion.chunk", created: 1, model: "script" };

function send(response: ServerResponse, delta: object, finish: string | null = null): void {
  response.write(`data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
}

export class ScriptedModel {
  #script: Turn[] = [];
  #waiting: ServerResponse[] = [];
  #server = createServer((request, response) => void this.#answer(request, response));
  /** How many turns were asked for, the test call aside. */
  asked = 0;
  /** How many turns wait for the next part of the script. */
  get waiting(): number {
    return this.#waiting.length;
  }
  /** The bodies of the requests. */
  readonly bodies: string[] = [];

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

  /** Makes it a model of the server, under the name `house/script`. */
  async joins(server: Server): Promise<void> {
    await server.ask("PUT", "/api/models/providers/house", { format: "chatCompletions", baseUrl: this.address, isOwn: true });
    await server.ask("POST", "/api/models/test", { model: "house/script" });
  }

  /** The next turns, in this order. */
  says(...turns: Turn[]): void {
    this.#script.push(...turns);
    this.#go();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (request.method === "GET") {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: [{ id: "script", object: "model" }] }));
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const tools = ((JSON.parse(body) as ChatRequest).tools ?? []).map((tool) => tool.function.name);
    if (tools.includes("confirm_word")) {
      this.#write(response, { calls: [["confirm_word", { word: "hazelnut" }]] });
      return;
    }
    this.asked += 1;
    this.bodies.push(body);
    this.#waiting.push(response);
    // A turn that was cancelled is not answered.
    response.on("close", () => (this.#waiting = this.#waiting.filter((one) => one !== response)));
    response.flushHeaders();
    this.#go();
  }

  #go(): void {
    while (this.#waiting.length > 0 && this.#script.length > 0) {
      const [response, turn] = [this.#waiting.shift(), this.#script.shift()];
      if (response !== undefined && turn !== undefined) this.#write(response, turn);
    }
  }

  #write(response: ServerResponse, turn: Turn): void {
    const calls = turn.calls ?? [];
    if (turn.says !== undefined) send(response, { role: "assistant", content: turn.says });
    calls.forEach(([name, args], index) => {
      const call = { index, id: `call-${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } };
      send(response, { role: "assistant", tool_calls: [call] });
    });
    send(response, {}, calls.length > 0 ? "tool_calls" : "stop");
    response.end("data: [DONE]\n\n");
  }
}
