// Measures the app in a browser against a real server and prints one line of JSON.
//   node web/measure/main.mjs --binary target/quick/dormouse [--tasks 10000] [--edits 50] [--seconds 5]
// Reports the weight of the first load, the time from a commit until another tab shows it, the frame
// rate while scrolling a long list, and requests per second of the busiest routes.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, promisify } from "node:util";

import { chromium } from "@playwright/test";

const { values: given } = parseArgs({
  options: {
    binary: { type: "string" },
    tasks: { type: "string", default: "10000" },
    edits: { type: "string", default: "50" },
    seconds: { type: "string", default: "5" },
  },
});
if (given.binary === undefined) throw new Error("say which binary: --binary FILE");

const run = promisify(execFile);
const data = await mkdtemp(join(tmpdir(), "dormouse-measure-"));
const command = async (...args) => (await run(given.binary, ["--data", data, ...args], { maxBuffer: 1 << 28 })).stdout;

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
const spread = (all) => {
  const sorted = [...all].sort((a, b) => a - b);
  const round = (ms) => Math.round(ms * 10) / 10;
  return { n: sorted.length, p50Ms: round(quantile(sorted, 0.5)), p99Ms: round(quantile(sorted, 0.99)), maxMs: round(sorted.at(-1)) };
};

// Many tasks without agents, so that only the page and the server are measured.
const list = Array.from({ length: Number(given.tasks) }, (_, n) => `## Task number ${n}\n\n- [ ] First step of ${n}\n- [x] Second step\n`);
await writeFile(join(data, "many.md"), list.join("\n"));
await command("import", join(data, "many.md"));

const server = spawn(given.binary, ["--data", data, "--json", "serve", "--bind", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
let address;
for await (const line of createInterface({ input: server.stdout })) {
  address = JSON.parse(line).address;
  break;
}
const { token } = JSON.parse(await readFile(join(data, "server.json"), "utf8"));
const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
const browser = await chromium.launch({
  executablePath: process.env.DORMOUSE_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
});

async function firstLoad() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const finished = [];
  page.on("requestfinished", (request) => finished.push(request));
  const { link } = JSON.parse(await command("--json", "open"));
  await page.goto(link);
  await page.getByRole("main").waitFor();
  await page.waitForLoadState("networkidle");
  const weight = { appBytes: 0, appHeaderBytes: 0, apiBytes: 0, requests: finished.length };
  for (const request of finished) {
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    if (new URL(request.url()).pathname.startsWith("/api")) weight.apiBytes += responseBodySize;
    else {
      weight.appBytes += responseBodySize;
      weight.appHeaderBytes += responseHeadersSize;
    }
  }
  const state = await context.storageState();
  await context.close();
  return { state, weight };
}

async function ask(method, path, body) {
  const response = await fetch(address + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function seenElsewhere(state) {
  const { items } = await ask("GET", "/api/journal/tasks?limit=1");
  const id = items[0].id;
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  await page.goto(`${address}/tasks/${id}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  const delays = [];
  for (let n = 0; n < Number(given.edits); n += 1) {
    const title = `Title ${n} of the measured task`;
    const seen = page.evaluate(
      (wanted) =>
        new Promise((done) => {
          const holds = () => {
            const text = document.querySelector("h1")?.textContent ?? "";
            const field = document.querySelector("h1 input, h1 textarea")?.value ?? "";
            return text.includes(wanted) || field.includes(wanted);
          };
          const look = () => {
            if (!holds()) return false;
            requestAnimationFrame(() => done(performance.timeOrigin + performance.now()));
            return true;
          };
          if (look()) return;
          const observer = new MutationObserver(() => look() && observer.disconnect());
          observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
        }),
      title,
    );
    await ask("PATCH", `/api/journal/tasks/${id}`, { title });
    const committed = performance.timeOrigin + performance.now();
    delays.push(Math.max(0, (await seen) - committed));
  }
  await context.close();
  return spread(delays);
}

async function scrolled(state) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${address}/tasks`);
  await page.getByRole("main").waitFor();
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => {
    const frames = [];
    let before;
    const tick = (at) => {
      if (before !== undefined) frames.push(at - before);
      before = at;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    const long = [];
    new PerformanceObserver((seen) => long.push(...seen.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ["longtask"] });
    Object.assign(window, { frames, long });
  });
  await page.mouse.move(640, 500);
  for (let n = 0; n < 200; n += 1) {
    await page.mouse.wheel(0, 900);
    await page.waitForTimeout(16);
  }
  const { frames, long, top, rows } = await page.evaluate(() => ({
    frames: window.frames,
    long: window.long,
    top: document.scrollingElement.scrollTop,
    rows: document.querySelectorAll("main a[href^='/tasks/']").length,
  }));
  await context.close();
  return { frames: spread(frames), longTasks: long.length, longestTaskMs: Math.round(Math.max(0, ...long)), scrolledPx: Math.round(top), rowsInPage: rows };
}

function throughput(path) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const { hostname, port } = new URL(address);
  const until = performance.now() + Number(given.seconds) * 1000;
  const delays = [];
  const one = () =>
    new Promise((done, failed) => {
      const start = performance.now();
      request({ hostname, port, path, agent, headers: { ...headers, Host: `${hostname}:${port}` } }, (response) => {
        if (response.statusCode !== 200) failed(new Error(`${path}: ${response.statusCode}`));
        response.resume().on("end", () => done(delays.push(performance.now() - start)));
      })
        .on("error", failed)
        .end();
    });
  const worker = async () => {
    while (performance.now() < until) await one();
  };
  return Promise.all(Array.from({ length: 16 }, worker)).then(() => {
    agent.destroy();
    return { perSecond: Math.round(delays.length / Number(given.seconds)), ...spread(delays) };
  });
}

try {
  const { items } = await ask("GET", "/api/journal/tasks?limit=1");
  const { state, weight } = await firstLoad();
  const figures = {
    machine: { cores: cpus().length, load1: loadavg()[0], tasks: Number(given.tasks) },
    firstLoad: weight,
    seenInAnotherTab: await seenElsewhere(state),
    scrolling: await scrolled(state),
    listOf50: await throughput("/api/journal/tasks?limit=50"),
    oneTask: await throughput(`/api/journal/tasks/${items[0].id}`),
  };
  console.log(JSON.stringify(figures, undefined, 2));
} finally {
  await browser.close();
  server.kill("SIGTERM");
  await new Promise((done) => server.once("exit", done));
  await rm(data, { recursive: true, force: true });
}
