import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "@playwright/test";

const BUILT = new URL("../../src/foveal/doors/http/console_built/", import.meta.url);
type Chunk = { file: string; imports?: string[]; css?: string[]; isEntry?: boolean; isDynamicEntry?: boolean };
const chunks: Record<string, Chunk> = JSON.parse(readFileSync(new URL("manifest.json", BUILT), "utf8"));

/** Everything that must come over the line before a chunk runs. */
function needed(name: string, seen = new Set<string>()): Set<string> {
  const chunk = chunks[name];
  if (!chunk || seen.has(chunk.file)) return seen;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
  for (const one of chunk.imports ?? []) needed(one, seen);
  return seen;
}

const zipped = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, BUILT))).length, 0);

test("the first route has less than 200 kB", () => {
  const first = new Set([...needed("index.html"), ...needed("src/views/overview/index.tsx")]);
  expect(first.size).toBeGreaterThan(2);
  expect(zipped(first)).toBeLessThan(200_000);
});

test("every other view adds less than 100 kB", () => {
  const shell = needed("index.html");
  for (const [name, chunk] of Object.entries(chunks).filter(([, one]) => one.isDynamicEntry)) {
    const own = [...needed(name)].filter((file) => !shell.has(file));
    expect(zipped(own), chunk.file).toBeLessThan(100_000);
  }
});
