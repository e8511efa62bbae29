// A view's sheet stays on the page when another view is opened, so what it styles must be its own.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const SHARED = ["sheet.css"].map((name) => join("src/style", name));
const VIEWS = readdirSync("src/views", { recursive: true }).map(String).filter((name) => name.endsWith(".css")).map((name) => join("src/views", name));

/** The rules of a sheet that begin with a class, as the class and what it is given. */
function rules(path: string): [string, string][] {
  const text = readFileSync(path, "utf8").replace(/\/\*.*?\*\//gs, "");
  return [...text.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = "", given = ""]) =>
    selectors.split(",").flatMap((selector) => {
      const own = /^\.([\w-]+)$/.exec(selector.trim());
      return own?.[1] ? [[own[1], given.replace(/\s+/g, " ").trim()] as [string, string]] : [];
    }),
  );
}

test("no two sheets give one class different looks", () => {
  const known = new Map<string, [string, string]>();
  const twice: string[] = [];
  for (const path of [...SHARED, ...VIEWS])
    for (const [name, given] of rules(path)) {
      const [where, before] = known.get(name) ?? [path, given];
      if (where !== path && before !== given) twice.push(`.${name} in ${basename(where)} and ${basename(path)}`);
      if (!known.has(name)) known.set(name, [path, given]);
    }
  expect(twice).toEqual([]);
});
