// A real server on a memory of its own, for as long as a file of tests runs.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const PYTHON = process.env.PYTHON ?? fileURLToPath(new URL("../../../../.venv/bin/python", import.meta.url));
const FOVEAL = ["-m", "foveal.doors.cli"];

export type Serving = { url: string; key: string; stop: () => Promise<void> };

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** A server that asks for keys, and a key to its whole memory. */
export async function serve(): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), "foveal-"));
  const port = await freePort();
  const settings = { FOVEAL_URL: join(folder, "memory.db"), FOVEAL_SERVER: JSON.stringify({ auth: "keys", grpc_port: 0, rate: 0 }) };
  const env = { ...process.env, ...settings, HOME: folder };
  const made = spawnSync(PYTHON, [...FOVEAL, "--json", "key", "add", "tests", "--right", "read", "--right", "write", "--right", "admin"], { env, encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  const { token } = JSON.parse(made.stdout) as { token: string };
  const run = spawn(PYTHON, [...FOVEAL, "serve", "--port", String(port)], { env, stdio: ["ignore", "ignore", "pipe"] });
  let logged = "";
  run.stderr.on("data", (part) => (logged += part));
  const url = `http://127.0.0.1:${port}`;
  const answers = () => fetch(`${url}/livez`).then((one) => one.ok, () => false);
  while (!(await answers())) {
    if (run.exitCode !== null) throw new Error(logged);
    await pause(50);
  }
  const stop = async () => {
    if (run.exitCode === null) {
      const ended = once(run, "exit");
      run.kill("SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true });
  };
  return { url, key: token, stop };
}
