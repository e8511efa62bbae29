// The TypeScript client in a browser: the same modules that the package holds.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "./browser";

const BUILT = new URL("../../clients/typescript/dist/", import.meta.url);
type Client = typeof import("../../clients/typescript/src/index");

test.beforeEach(async ({ page }) => {
  await page.route("**/client/*.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: readFileSync(new URL(basename(new URL(route.request().url()).pathname), BUILT)) }),
  );
  await page.goto("/memory-console");
});

test("a page writes, reads, hears of it and learns what went wrong", async ({ page, forgive }) => {
  forgive(/404 \(Not Found\)/);
  const told = await page.evaluate(async (module) => {
    const { Memory, NotFound }: Client = await import(module);
    const memory = new Memory(location.origin, { actorId: "browser" });
    const heard = memory.notices({ kinds: ["memory.write"], after: "0" });
    const { ids } = await memory.write("Ada prefers tea to coffee.");
    const context = await memory.read("what does Ada drink?", { token_budget: 120 });
    const notice = await heard.next();
    await heard.return(undefined);
    const failure = await memory.get("nothing").catch((error: unknown) => error);
    let answer = "";
    for await (const event of memory.chat("What does Ada drink?")) if (event.type === "token") answer += event.text;
    return {
      read: context.items.map((item) => item.record.id).join() === ids.join(),
      heard: notice.value?.ids.join() === ids.join(),
      failed: failure instanceof NotFound && failure.code,
      answer,
    };
  }, "/client/index.js");
  expect(told).toMatchObject({ read: true, heard: true, failed: "not_found" });
  expect(told.answer).toContain("tea");
});
