import { defineConfig } from "@playwright/test";

// Use the system's browser, so that tests download nothing.
const executablePath = process.env["DORMOUSE_CHROMIUM"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  // Each test has its own server and data folder.
  fullyParallel: true,
  workers: 2,
  // A busy machine may delay a test. Tests that passed only on retry are listed at the end.
  retries: 1,
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
