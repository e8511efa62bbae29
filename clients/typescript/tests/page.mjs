// Takes the TypeScript of the page of the documentation, so that it is checked and run with the tests.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const page = readFileSync(new URL("../../../docs/how-to/typescript.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
const of = (language) => blocks.filter(([, one]) => one === language).map(([, , text]) => text);
// The server of the test is elsewhere.
const code = of("ts").join("\n").replaceAll('"http://127.0.0.1:8001"', "process.env.URL!");
writeFileSync(new URL("page.ts", import.meta.url), code);
const build = new URL("../build/tests/", import.meta.url);
mkdirSync(build, { recursive: true });
writeFileSync(new URL("page.txt", build), of("text").join(""));
