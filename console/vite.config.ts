import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The server that `npm run dev` asks; the built console asks the server that serves it.
const SERVER = process.env.FOVEAL_URL ?? "http://127.0.0.1:8001";

export default defineConfig({
  base: "/memory-console/",
  plugins: [react()],
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
