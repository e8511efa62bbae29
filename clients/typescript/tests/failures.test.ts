// What the client does when a server fails, on a server that fails as it is told.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, describe, test } from "node:test";
import * as foveal from "foveal";
import { ERRORS, FovealError, Memory, RateLimited, StorageFull, StoreUnavailable, TimedOut, UnderWay, type MemoryOptions } from "foveal";

type Turn = (request: IncomingMessage, response: ServerResponse) => void;
const open: { close: () => void }[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

/** A server that answers each request by the next turn, and a memory behind it that notes its pauses. */
async function failing(turns: Turn[], options: MemoryOptions = {}) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    request.resume().on("end", () => turns[asked.length - 1]!(request, response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({ close: () => (server.close(), server.closeAllConnections()) });
  const { port } = server.address() as { port: number };
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => void pauses.push(milliseconds);
  return { memory: new Memory(`http://127.0.0.1:${port}`, { pause, ...options }), asked, pauses };
}

const problem = (status: number, code: string, headers: Record<string, string> = {}): Turn => (_, response) =>
  response.writeHead(status, { "Content-Type": "application/problem+json", ...headers }).end(JSON.stringify({ code, detail: `it is ${code}`, data: {} }));
const plain = (status: number, text = ""): Turn => (_, response) => response.writeHead(status).end(text);
const written: Turn = (_, response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"ids":["a"]}');

describe("passing failures", () => {
  test("are tried again with growing pauses, under the same key", async () => {
    const { memory, asked, pauses } = await failing([problem(503, "store_unavailable"), plain(502), written]);
    assert.deepEqual((await memory.write("tea")).ids, ["a"]);
    const keys = new Set(asked.map((one) => one.headers["idempotency-key"]));
    assert.equal(keys.size, 1);
    assert.match(String([...keys][0]), /^[0-9a-f]{32}$/);
    assert.ok(pauses[0]! >= 50 && pauses[0]! <= 150 && pauses[1]! >= 100 && pauses[1]! <= 300, String(pauses));
  });

  test("are not tried sooner than the server allows, and not at all when that is long", async () => {
    const { memory, pauses } = await failing([problem(429, "rate_limited", { "Retry-After": "2" }), problem(429, "rate_limited", { "Retry-After": "60" })]);
    const failure = await memory.read("tea").catch((error: unknown) => error);
    assert.ok(failure instanceof RateLimited && failure.retry);
    assert.deepEqual([pauses, failure.data["retry_after"]], [[2000], 60]);
  });

  test("are thrown after the last attempt", async () => {
    const { memory, asked } = await failing([problem(409, "under_way"), problem(409, "under_way")], { attempts: 2 });
    await assert.rejects(memory.write("tea"), UnderWay);
    assert.equal(asked.length, 2);
  });

  test("a broken connection is one", async () => {
    const { memory } = await failing([(request) => request.socket.destroy(), written]);
    assert.deepEqual((await memory.write("tea")).ids, ["a"]);
  });
});

describe("lasting failures", () => {
  for (const [status, code, kind] of [[507, "storage_full", StorageFull], [500, "error", FovealError], [504, "timed_out", TimedOut]] as const) {
    test(`${code} is thrown at once`, async () => {
      const { memory, asked } = await failing([problem(status, code)]);
      await assert.rejects(memory.write("tea"), (error: FovealError) => [error.name, error.message].join() === [kind.name, `it is ${code}`].join());
      assert.equal(asked.length, 1);
    });
  }

  test("a page instead of a problem is told with its status", async () => {
    const { memory } = await failing([plain(500, "<html>oh</html>")]);
    await assert.rejects(memory.write("tea"), (error: FovealError) => error.data["status"] === 500 && error.message.endsWith("answered 500 <html>oh</html>"));
    const { memory: other } = await failing([(_, response) => response.end("<html>")]);
    await assert.rejects(other.read("tea"), FovealError);
  });

  test("an unknown code is an error of the whole tree", async () => {
    const { memory } = await failing([problem(418, "teapot")]);
    await assert.rejects(memory.read("tea"), (error: Error) => error.constructor === FovealError);
  });
});

describe("time", () => {
  test("a server that does not answer in time is not waited for", async () => {
    const { memory } = await failing([() => {}], { timeoutMs: 30 });
    await assert.rejects(memory.read("tea"), TimedOut);
    const { memory: patient } = await failing([() => {}]);
    await assert.rejects(patient.read("tea", {}, { timeoutMs: 30 }), TimedOut);
  });

  test("a signal gives up a call with its own reason, also between attempts", async () => {
    const gone = new AbortController();
    const { memory } = await failing([() => gone.abort(new Error("changed my mind"))]);
    await assert.rejects(memory.read("tea", {}, { signal: gone.signal }), /changed my mind/);
    const { memory: pausing } = await failing([problem(503, "unavailable")], { pause: undefined });
    const signal = AbortSignal.timeout(20);
    await assert.rejects(pausing.read("tea", {}, { signal }), { name: "TimeoutError" });
    await assert.rejects(pausing.read("tea", {}, { signal }), { name: "TimeoutError" });
  });
});

describe("keys of writes", () => {
  test("are the caller's if it has one, and left out where the server knows the write without", async () => {
    const { memory, asked } = await failing([written, written, written, written]);
    await memory.write("tea", {}, { idempotencyKey: "mine" });
    await memory.write("tea", { idempotency_key: "in the body" });
    await memory.write("tea", { occurred_at: "2026-03-01T00:00:00Z" });
    await memory.read("tea");
    assert.deepEqual(asked.map((one) => one.headers["idempotency-key"]), ["mine", undefined, undefined, undefined]);
  });
});

describe("notices", () => {
  test("go on after the last one when the stream breaks, and events may come in any parts", async () => {
    const parts = (...texts: string[]): Turn => (_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      texts.forEach((text) => response.write(text));
      response.end();
    };
    const one = (id: number) => `id: ${id}\r\nevent: memory.write\r\ndata: {"kind":"memory.write","id":"${id}"}\r\n\r\n`;
    const [begin, end] = [one(2).slice(0, 31), one(2).slice(31)];
    const { memory, asked, pauses } = await failing([parts(": listening\n\n", one(1), begin, end), problem(503, "unavailable"), parts(one(3))]);
    const ids = [];
    for await (const notice of memory.notices({ kinds: ["memory.write", "gap"] })) {
      ids.push(notice.id);
      if (notice.id === "3") break;
    }
    assert.deepEqual(ids, ["1", "2", "3"]);
    assert.deepEqual(asked.map((one) => one.headers["last-event-id"]), [undefined, "2", "2"]);
    assert.equal(asked[0]?.url, "/v1/stream?kinds=memory.write&kinds=gap");
    assert.deepEqual(pauses, [500, 1000]);
  });

  test("a problem in the stream is thrown", async () => {
    const { memory } = await failing([(_, response) => response.end('event: problem\ndata: {"code":"store_unavailable","detail":"away"}\n\n')]);
    await assert.rejects(memory.chat("tea").next(), StoreUnavailable);
  });
});

describe("the tree of errors", () => {
  const table = readFileSync(new URL("../../../../docs/reference/errors.md", import.meta.url), "utf8");
  const rows = [...table.matchAll(/^\| `(\w+)` \| `(\w+)` \| (?:`(\w+)`)? ?\| (yes|no) \|/gm)];

  test("is that of the reference", () => {
    assert.ok(rows.length > 20);
    const ours = [...ERRORS.values()].map((kind) => [kind.name, kind.code, Object.getPrototypeOf(kind).name || undefined, kind.retry]);
    const theirs = rows.map(([, name, code, parent, retry]) => [name, code, parent ?? "Error", retry === "yes"]);
    assert.deepEqual(ours.sort(), theirs.sort());
  });

  test("is exported by its names", () => {
    for (const [, name] of rows) assert.equal((foveal as Record<string, unknown>)[name!], [...ERRORS.values()].find((kind) => kind.name === name));
  });
});

test("a URL that is none, or holds a password, is refused without quoting it", () => {
  for (const url of ["", "localhost:8001", "ftp://host", "http://ada:secret@host", "http://host/?key=secret"]) {
    assert.throws(() => new Memory(url), (error: Error) => error instanceof foveal.Invalid && !error.message.includes("secret"));
  }
});
