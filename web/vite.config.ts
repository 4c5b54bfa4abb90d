import { readFileSync } from "node:fs";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// `npm run dev` shows the app from its sources, beside a server that runs already.
const server = process.env["DORMOUSE_SERVER"] ?? "http://127.0.0.1:7330";

// The page and the server it comes from have one version: that of the workspace.
const workspace = readFileSync(new URL("../Cargo.toml", import.meta.url), "utf8");
const version = /^version = "(.+)"$/m.exec(workspace)?.[1];
if (version === undefined) throw new Error("Cargo.toml names no version");

export default defineConfig({
  plugins: [svelte()],
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    target: "es2023",
    // The policy of the server allows no script that is written into a page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  server: {
    proxy: {
      // The server takes what writes from pages of its own origin alone.
      "/api": { target: server, ws: true, changeOrigin: true, rewriteWsOrigin: true, headers: { origin: server } },
    },
  },
  // Tests run the code of the browser, not that of a server.
  ...(process.env["VITEST"] === undefined ? {} : { resolve: { conditions: ["browser"] } }),
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
