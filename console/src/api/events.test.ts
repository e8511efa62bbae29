import { expect, test } from "vitest";
import { parsed } from "./events";

test("events are read from what has come, and half an event waits for its other half", () => {
  const first = parsed(': listening\n\nid: 1\nevent: error\ndata: {"a": 1}\n\nevent: error\nda');
  expect(first.events).toEqual([{ event: "error", data: { a: 1 }, id: "1" }]);
  const second = parsed(first.rest + 'ta: {"a": 2}\r\n\r\n');
  expect(second).toEqual({ events: [{ event: "error", data: { a: 2 }, id: "" }], rest: "" });
});
