import { expect, test } from "vitest";
import { meaning } from "./Breakers";

const BREAKER = { name: "model", state: "CLOSED", failures: 0, allowed: 3, seconds: 0, since: null, failed_at: null };

test("a breaker says what its state means for those who wait", () => {
  expect(meaning(BREAKER)).toBe("Asked as usual.");
  expect(meaning({ ...BREAKER, failures: 2 })).toBe("Asked; opens after 1 more failure in a row.");
  expect(meaning({ ...BREAKER, state: "OPEN", failures: 3, seconds: 41.2 })).toBe("Not asked: one call is tried in 42 seconds.");
  expect(meaning({ ...BREAKER, state: "OPEN", failures: 3 })).toMatch(/next call/);
  expect(meaning({ ...BREAKER, state: "HALF_OPEN", failures: 3 })).toMatch(/One call is trying/);
});
