import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// `npm run dev` serves the app from source against a running server.
const server = process.env["DORMOUSE_SERVER"] ?? "http://127.0.0.1:7330";

// The page has the version of the workspace, like the server.
const workspace = readFileSync(new URL("../Cargo.toml", import.meta.url), "utf8");
const version = /^version = "(.+)"$/m.exec(workspace)?.[1];
if (version === undefined) throw new Error("Cargo.toml names no version");

/** Tells the worker which files to cache, and their combined hash. */
function shell(): Plugin {
  return {
    name: "dormouse-shell",
    enforce: "post",
    generateBundle(_options, bundle) {
      const worker = bundle["sw.js"];
      const page = bundle["index.html"];
      if (worker?.type !== "chunk" || page?.type !== "asset") throw new Error("the build has no sw.js or no index.html");
      const files = Object.keys(bundle).filter((name) => name.startsWith("assets/")).sort().map((name) => `/${name}`);
      const entry = files.find((name) => page.source.toString().includes(`src="${name}"`));
      if (entry === undefined) throw new Error("index.html names no script");
      const build = createHash("sha256").update(JSON.stringify(files)).update(page.source).digest("hex").slice(0, 16);
      worker.code = worker.code.replace("__SHELL__", JSON.stringify({ build, entry, files: [...files, "/mark.svg"] }));
    },
  };
}

export default defineConfig({
  plugins: [svelte(), shell()],
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    target: "es2023",
    // The server's content security policy forbids inline scripts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    rollupOptions: {
      input: { index: "index.html", sw: "src/worker/sw.ts" },
      // The worker keeps its address, because browsers look there for updates.
      output: {
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
        // What every screen needs goes into one file, because small files compress badly.
        codeSplitting: { groups: [{ name: "app", test: /src\/(api|app|live)\/(?!nav)|src\/i18n\/[^/]+$|src\/ui\/(Icon|icons|Logo|DocumentTitle|EmptyState|AgentState|Elapsed)/ }] },
      },
    },
  },
  server: {
    proxy: {
      // The server accepts writes only from pages of its own origin.
      "/api": { target: server, ws: true, changeOrigin: true, rewriteWsOrigin: true, headers: { origin: server } },
    },
  },
  // Tests run the browser's code, not the server's.
  ...(process.env["VITEST"] === undefined ? {} : { resolve: { conditions: ["browser"] } }),
  test: { include: ["src/**/*.test.ts"], environment: "node", setupFiles: ["src/i18n/test-setup.ts"] },
});
