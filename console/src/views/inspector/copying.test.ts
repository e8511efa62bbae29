import { expect, it } from "vitest";
import { calls } from "./copying";

it("a call can be pasted into a shell whatever the id holds", () => {
  const { curl } = calls("it's/one", { actor_id: "ada", world: "default", node: "/" }, "http://127.0.0.1:8001");
  expect(curl).toContain(`'http://127.0.0.1:8001/v1/records/it'\\''s%2Fone?actor_id=ada&world=default&node=%2F'`);
});
