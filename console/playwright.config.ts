import { defineConfig } from "@playwright/test";

const PORT = Number(process.env.CONSOLE_TEST_PORT ?? 8765);
export const PYTHON = process.env.PYTHON ?? "../.venv/bin/python";

// One real server on a seeded file, and the Chromium of the system.
export default defineConfig({
  testDir: "tests",
  outputDir: "artefacts/failures",
  fullyParallel: false,
  workers: 1,
  retries: 1,
  // Nets for a machine far slower than ours: what must come about is waited for, and mostly is there at once.
  timeout: 400_000,
  expect: { timeout: 60_000 },
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    viewport: { width: 1280, height: 800 },
    actionTimeout: 60_000,
    locale: "en-GB",
    timezoneId: "Europe/Vienna",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      // Without a GPU, software draws WebGL, and faster when it need not draw the rest of the page too.
      // A watchdog would end what draws when the machine is busy.
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-gpu-watchdog"],
    },
  },
  webServer: {
    command: `${PYTHON} tests/server.py ${PORT}`,
    url: `http://127.0.0.1:${PORT}/livez`,
    timeout: 900_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGTERM", timeout: 5_000 },
  },
});
