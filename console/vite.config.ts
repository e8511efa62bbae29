import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The server that `npm run dev` asks; the built console asks the server that serves it.
const SERVER = process.env.FOVEAL_URL ?? "http://127.0.0.1:8001";

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");

/** What the build is made from; the same list as in `tests/repo/test_console_built.py`, which compares the two. */
function sources(): string {
  const folders = ["src", "public"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name)),
  );
  const kept = folders.filter((name) => !/(\.test\.tsx?|schema\.d\.ts|testing\.ts)$/.test(name));
  const files = [...kept, "index.html", "package-lock.json", "vite.config.ts"].map((name) => name.replaceAll("\\", "/")).sort((a, b) => (a < b ? -1 : 1));
  return sha256(files.map((name) => `${name} ${sha256(readFileSync(name))}\n`).join(""));
}

/** Write beside the build which sources it was made from, so that a test can tell an old one. */
const signed = {
  name: "signed",
  generateBundle(this: { emitFile: (file: { type: "asset"; fileName: string; source: string }) => string }) {
    this.emitFile({ type: "asset", fileName: "sources.sha256", source: `${sources()}\n` });
  },
};

export default defineConfig({
  base: "/memory-console/",
  plugins: [react(), signed],
  build: {
    outDir: "../src/foveal/doors/http/console_built",
    emptyOutDir: true,
    target: "es2022",
    // A file inside the page's own text would be a data: address, which the policy of the page forbids for all but pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: "manifest.json",
  },
  server: { proxy: { "/v1": SERVER, "/api": SERVER, "/metrics": SERVER } },
  test: { environment: "jsdom", testTimeout: 120_000, hookTimeout: 120_000, include: ["src/**/*.test.{ts,tsx}"], setupFiles: ["src/testing.ts"] },
});
