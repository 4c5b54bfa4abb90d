import { defineConfig } from "@playwright/test";

// The system's browser: nothing is fetched for a test.
const executablePath = process.env["DORMOUSE_CHROMIUM"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  // Each test has a server and a folder of its own.
  fullyParallel: true,
  workers: 2,
  // A machine that is busy may make one late. What passed at its second try only is named at the end.
  retries: process.env["CI"] === undefined ? 0 : 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  use: {
    locale: "en-GB",
    timezoneId: "Europe/Bucharest",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    },
  },
  projects: [
    { name: "desktop", use: { viewport: { width: 1280, height: 900 } }, testIgnore: /touch/ },
    {
      name: "phone",
      use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
      testMatch: /touch/,
    },
  ],
});
