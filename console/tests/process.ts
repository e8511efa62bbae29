// A process that serves while a test runs: a server with settings of its own.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { PYTHON } from "../playwright.config";

export type Running = { url: string; folder: string; said: () => string; logged: () => string; stop: () => Promise<void> };

/** Start Python, and wait until it answers; the next port beside that of the tests is taken. */
export async function started(words: (port: number, folder: string) => string[], env: Record<string, string>): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "foveal-"));
  const port = Number(process.env.CONSOLE_TEST_PORT ?? 8765) + 1;
  const url = `http://127.0.0.1:${port}`;
  const run = spawn(PYTHON, words(port, folder), { env: { ...process.env, ...env } });
  let [said, logged] = ["", ""];
  run.stdout.on("data", (part) => (said += part));
  run.stderr.on("data", (part) => (logged += part));
  const stop = async () => {
    if (run.exitCode === null && run.signalCode === null) {
      const ended = new Promise((resolve) => run.once("exit", resolve));
      run.kill("SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true });
  };
  const answers = async () => (run.exitCode === null ? fetch(`${url}/livez`).then((one) => one.ok, () => false) : `it ended: ${logged}`);
  await expect.poll(answers, { timeout: 300_000 }).toBe(true);
  return { url, folder, said: () => said, logged: () => logged, stop };
}
