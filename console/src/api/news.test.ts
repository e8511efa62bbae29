import { afterEach, expect, test, vi } from "vitest";
import { hear, isOf } from "./news";

const PATIENT = { timeout: 60_000 };
const ADA = { actor_id: "ada", world: "default" };

afterEach(() => vi.unstubAllGlobals());

test("all who hear a memory share one stream, which ends with the last of them", async () => {
  const opened: { signal: AbortSignal; tell: (text: string) => void }[] = [];
  vi.stubGlobal("fetch", (_path: string, { signal }: RequestInit) => {
    let tell: (text: string) => void = () => undefined;
    const body = new ReadableStream({ start: (control) => void (tell = (text) => control.enqueue(new TextEncoder().encode(text))) });
    opened.push({ signal: signal as AbortSignal, tell: (text) => tell(text) });
    return Promise.resolve(new Response(body));
  });
  const heard: string[] = [];
  const first = hear(ADA, { heard: ({ kind }) => heard.push(`first ${kind}`) });
  const second = hear(ADA, { heard: ({ kind }) => heard.push(`second ${kind}`) });
  await vi.waitFor(() => expect(opened).toHaveLength(1), PATIENT);
  opened[0]?.tell('event: memory.write\ndata: {"at": "2026-01-01T00:00:00Z"}\n\n');
  await vi.waitFor(() => expect(heard).toEqual(["first memory.write", "second memory.write"]), PATIENT);
  first();
  expect(opened[0]?.signal.aborted).toBe(false);
  second();
  expect(opened[0]?.signal.aborted).toBe(true);
});

test("a kind has parts, and a gap concerns everybody", () => {
  expect([isOf("memory.write", ["memory"]), isOf("memory.write", ["memory.read"]), isOf("gap", ["ledger"])]).toEqual([true, false, true]);
});
