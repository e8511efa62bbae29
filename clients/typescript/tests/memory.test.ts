// The verbs of the client, on a real server.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Conflict, Invalid, Memory, NotFound, Pinned, PreconditionFailed, StoreUnavailable, Unauthenticated, type Operation } from "foveal";
import { ROUTES } from "../src/routes.js";
import { freePort, serve, type Serving } from "./serving.js";

const DOCUMENT = new URL("../../../../docs/reference/openapi.json", import.meta.url);
let server: Serving;
const memoryOf = (actorId: string) => new Memory(server.url, { key: server.key, actorId });

before(async () => void (server = await serve()));
after(() => server.stop());

describe("verbs", () => {
  test("what is written is read at once, within the budget", async () => {
    const ada = memoryOf("ada");
    const { ids } = await ada.write("Ada prefers tea to coffee.", { tags: ["drinks"], kind: "fact" });
    const context = await ada.read("what does Ada drink?", { token_budget: 120 });
    assert.ok(context.tokens <= 120);
    assert.deepEqual(context.items.map((item) => item.record.id), ids);
    const record = await ada.get(ids[0]!);
    assert.deepEqual([record.text, record.tags, record.kind, record.version], ["Ada prefers tea to coffee.", ["drinks"], "fact", 1]);
  });

  test("a search finds what a view of another actor does not see", async () => {
    const ben = memoryOf("ben");
    await ben.writeMany(["Ben sails on Sundays.", { text: "Ben paints boats.", speaker: "Eve" }]);
    const [hit] = await ben.search("who paints?", { k: 1 });
    assert.equal(hit?.record.speaker, "Eve");
    assert.deepEqual(await ben.view({ actorId: "carl" }).search("who paints?"), []);
  });

  test("a view keeps what it is not told, and agents of the actor share what the root wrote", async () => {
    const dora = memoryOf("dora");
    await dora.write("The garden gate is green.");
    const planner = dora.view({ node: "/planner", sessionId: "s1" }).view({ sessionId: "s2", node: undefined });
    const { ids } = await planner.write("Only the planner knows the code of the gate.");
    const record = await planner.get(ids[0]!);
    assert.deepEqual([record.actor_id, record.node, record.session_id, record.scope], ["dora", "/planner", "s2", "local"]);
    assert.equal((await planner.search("what colour is the garden gate?"))[0]?.record.node, "/");
    await assert.rejects(dora.get(ids[0]!), NotFound);
  });

  test("facts that somebody states stand in the profile, and a new value replaces the old one", async () => {
    const eve = memoryOf("eve");
    await eve.remember([{ role: "user", content: "I live in Lisbon." }]);
    await eve.remember("I moved to Porto.");
    const { text } = await eve.profile();
    assert.match(text, /I moved to Porto\. \(before: "Lisbon"/);
  });

  test("a new version keeps the old one in its history, and a stale writer is refused", async () => {
    const fay = memoryOf("fay");
    const { ids } = await fay.write("The rent is 900.");
    const changed = await fay.supersede(ids[0]!, "The rent is 950.", { expected_version: 1 });
    assert.equal(changed.version, 2);
    assert.deepEqual((await fay.history(ids[0]!)).map((one) => one.text).sort(), ["The rent is 900.", "The rent is 950."]);
    await assert.rejects(fay.supersede(ids[0]!, "The rent is 970.", { expected_version: 1 }), PreconditionFailed);
  });

  test("what is pinned cannot be forgotten until it is not", async () => {
    const gil = memoryOf("gil");
    const { ids } = await gil.write("Gil was born in May.", { pin: true });
    const failure = await gil.forget(ids[0]!).catch((error: unknown) => error);
    assert.ok(failure instanceof Pinned && failure instanceof Conflict);
    assert.equal(failure.data["record_id"], ids[0]);
    await gil.unpin(ids[0]!);
    await gil.pin(ids[0]!);
    await gil.unpin(ids[0]!);
    assert.deepEqual((await gil.forget(ids)).ids, ids);
    await assert.rejects(gil.get(ids[0]!), NotFound);
  });

  test("all records come, page by page", async () => {
    const hal = memoryOf("hal");
    await hal.writeMany(Array.from({ length: 25 }, (_, number) => `Reading ${number}`));
    const texts = [];
    for await (const record of hal.records({ limit: 10, newest_first: false })) texts.push(record.text);
    assert.deepEqual(texts, Array.from({ length: 25 }, (_, number) => `Reading ${number}`));
  });

  test("an id and a filter with odd characters arrive as they are", async () => {
    const ida = memoryOf("ida / ünï?#");
    await ida.write("Odd.", { id: "a/b?c#d%", tags: ["x&y=z", "{}"] });
    assert.equal((await ida.get("a/b?c#d%")).actor_id, "ida / ünï?#");
    const found = [];
    for await (const record of ida.records({ filters: { tags: { contains: "x&y=z" } } })) found.push(record.id);
    assert.deepEqual(found, ["a/b?c#d%"]);
    await assert.rejects(ida.get(".."), Invalid);
  });

  test("every other operation is reached by its name", async () => {
    const jo = memoryOf("jo");
    const goal = await jo.call("ledger.store_goal", { description: "Buy tea" });
    assert.deepEqual((await jo.call("ledger.get_active_goals", {})).map((one) => one.id), [goal.id]);
    await assert.rejects(jo.call("nothing" as Operation, {} as never), Invalid);
  });
});

describe("streams", () => {
  test("a chat answers in pieces, and tells what it recalled", async () => {
    const kim = memoryOf("kim");
    await kim.write("Kim's cat is called Miro.");
    const pieces: string[] = [];
    let answer = "";
    for await (const event of kim.chat("What is my cat called?", { token_budget: 300 })) {
      if (event.type === "token") pieces.push(event.text);
      else answer = `${event.context?.items.length} ${event.text}`;
    }
    assert.match(pieces.join(""), /Miro/);
    assert.equal(answer.replace(/^\d+ /, ""), pieces.join(""));
  });

  test("a failure of a stream is the error of its code", async () => {
    const events = memoryOf("kim").chat("");
    await assert.rejects(events.next(), Invalid);
    const stranger = new Memory(server.url, { key: "fov_wrong", actorId: "kim" });
    await assert.rejects(stranger.notices().next(), Unauthenticated);
  });

  test("notices come as things happen, until the reader leaves or the signal stops them", async () => {
    const lea = memoryOf("lea");
    const stop = new AbortController();
    const heard = lea.notices({ kinds: ["memory.write"], after: "0" }, { signal: stop.signal });
    const first = heard.next();
    const { ids } = await lea.write("Lea has a boat.");
    assert.deepEqual((await first).value?.ids, ids);
    const second = heard.next();
    stop.abort(new Error("enough"));
    await assert.rejects(second, /enough/);
    for await (const notice of lea.notices({ kinds: ["memory.write"], after: "0" })) {
      assert.deepEqual([notice.actor_id, notice.ids], ["lea", ids]);
      break;
    }
  });
});

describe("refusals", () => {
  test("a wrong key is refused, and stands in no message", async () => {
    const stranger = new Memory(server.url, { key: "fov_secret-and-wrong" });
    const failure = await stranger.read("anything").catch((error: unknown) => error);
    assert.ok(failure instanceof Unauthenticated);
    assert.equal(failure.code, "unauthenticated");
    assert.doesNotMatch(`${failure.stack} ${JSON.stringify(failure.data)}`, /secret/);
    assert.throws(() => new Memory(server.url, { key: "secret key" }), (error: Error) => error instanceof Invalid && !/secret/.test(error.message));
  });

  test("bad input is told apart by its code, with what it is about", async () => {
    const failure = await memoryOf("max").read("x", { token_budget: 0 }).catch((error: unknown) => error);
    assert.ok(failure instanceof Invalid);
    assert.match(String(failure.data["request_id"]), /\w+/);
  });

  test("a server that is not there is unavailable", async () => {
    const away = new Memory(`http://127.0.0.1:${await freePort()}`, { attempts: 1 });
    await assert.rejects(away.read("anything"), StoreUnavailable);
  });
});

test("every operation that the server describes can be called, but for files and streams", () => {
  const document = JSON.parse(readFileSync(DOCUMENT, "utf8")) as { paths: Record<string, Record<string, { operationId: string }>> };
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  const names = new Set<string>(Object.keys(ROUTES));
  assert.deepEqual(described.filter((name) => !names.has(name) && !name.endsWith(".old")).sort(), ["chat", "export", "import", "metrics", "stream"].sort());
});

test("the page of the documentation runs, and prints what it says", () => {
  const [page, said] = ["page.js", "page.txt"].map((name) => new URL(name, import.meta.url));
  const run = spawnSync(process.execPath, [fileURLToPath(page!)], { env: { ...process.env, URL: server.url, FOVEAL_API_KEY: server.key }, encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  const lines = run.stdout.split("\n");
  for (const line of readFileSync(said!, "utf8").trim().split("\n")) assert.ok(lines.includes(line), `${line}\n${run.stdout}`);
});
