// A world for each test: its own server on a fresh folder, and watched pages.
//
// Three things are checked when a page closes: it made no requests to another origin, its content
// security policy was not violated, and no script failed.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { type BrowserContext, type Page, test as base, expect } from "@playwright/test";

const run = promisify(execFile);
const BINARY = process.env["DORMOUSE_BIN"] ?? "../target/debug/dormouse";
export const SAMPLE = "../samples/household.md";

export class Server {
  address = "";
  #process: ChildProcess | undefined;

  constructor(readonly data: string) {}

  /** Where it keeps keys, which are no part of the data. */
  get config(): string {
    return `${this.data}-config`;
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...process.env, XDG_CONFIG_HOME: this.config, NO_COLOR: "1" };
  }

  /** Deletes its files. */
  async remove(): Promise<void> {
    for (const folder of [this.data, this.config]) await rm(folder, { recursive: true, force: true });
  }

  /** Starts it; the second time on the same port, so that pages find it again. */
  async start(): Promise<void> {
    const bind = this.address === "" ? "127.0.0.1:0" : new URL(this.address).host;
    const child = spawn(BINARY, ["--data", this.data, "--json", "serve", "--bind", bind], {
      stdio: ["ignore", "pipe", "pipe"],
      env: this.#env,
    });
    this.#process = child;
    const said: string[] = [];
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    for await (const line of createInterface({ input: child.stdout })) {
      this.address = (JSON.parse(line) as { address: string }).address;
      return;
    }
    throw new Error(`the server did not start: ${said.join("")}`);
  }

  /** Stops it: at once, or with time to put its runs back. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await ended;
    this.#process = undefined;
  }

  /** Runs a command on the same folder, as a person would. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await run(BINARY, ["--data", this.data, ...args], { env: this.#env });
    return stdout;
  }

  /** The owner's token, which only they can read. */
  async token(): Promise<string> {
    return (JSON.parse(await readFile(join(this.data, "server.json"), "utf8")) as { token: string }).token;
  }

  /** Sends a request to the API as the owner. */
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const headers: Record<string, string> = { Authorization: `Bearer ${await this.token()}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(this.address + path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** A link that opens the app once. */
  async link(): Promise<string> {
    const said = JSON.parse(await this.command("--json", "open")) as { link: string };
    return said.link;
  }
}

/** What a page did that it should not; empty if all is well. */
const misdeeds = new WeakMap<BrowserContext, string[]>();

/** Watches every page of a context. `allowed` are errors a test causes on purpose. */
export async function watch(context: BrowserContext, origin: () => string): Promise<void> {
  const found: string[] = [];
  misdeeds.set(context, found);
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin()) && !/^(data|blob|about):/.test(url)) found.push(`requested ${url}`);
  });
  context.on("weberror", (error) => found.push(`a script failed: ${error.error().stack ?? error.error().message}`));
  context.on("console", (message) => {
    const text = message.text();
    if (/Content Security Policy|TrustedHTML|trusted type/i.test(text)) found.push(`policy: ${text}`);
    // A failed screen is reported on the page and here; network failures are reported as such.
    else if (message.type() === "error" && !/^Failed to load resource|^WebSocket connection|error occurred when fetching the script/.test(text)) found.push(`console: ${text}`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`Content Security Policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
}

interface Fixtures {
  server: Server;
  /** A signed-in page at Home. */
  app: Page;
  /** The same with the sample imported and every agent asleep. */
  sample: Page;
}

export const test = base.extend<Fixtures>({
  server: async ({}, use) => {
    const data = await mkdtemp(join(tmpdir(), "dormouse-e2e-"));
    const server = new Server(data);
    await server.start();
    await use(server);
    await server.stop();
    await server.remove();
  },
  context: async ({ context, server }, use) => {
    await watch(context, () => server.address.replace(/^http/, "http"));
    await use(context);
    expect(misdeeds.get(context)).toEqual([]);
  },
  app: async ({ page, server }, use) => {
    await page.goto(await server.link());
    await expect(page.getByRole("main")).toBeVisible();
    await use(page);
  },
  sample: async ({ page, server }, use) => {
    await server.command("import", SAMPLE, "--with-agents");
    await settled(server);
    await page.goto(await server.link());
    await expect(page.getByRole("main")).toBeVisible();
    await use(page);
  },
});

/** Waits until no agent is awake or queued. */
export async function settled(server: Server): Promise<void> {
  await expect
    .poll(async () => {
      const agents = (await server.ask("GET", "/api/agents?activity=running,queued")) as { items: unknown[] };
      return agents.items.length;
    })
    .toBe(0);
}

/** The id of the task whose title contains these words. */
export async function taskId(server: Server, words: string): Promise<string> {
  const found = (await server.ask("GET", `/api/journal/tasks?q=${encodeURIComponent(words)}`)) as {
    items: { id: string; title: string }[];
  };
  const id = found.items.find((task) => task.title.includes(words))?.id;
  if (id === undefined) throw new Error(`no task is called ${words}`);
  return id;
}

export { expect };
