import { renderHook, act } from "@testing-library/react";
import { expect, test } from "vitest";
import { markBack, markGone, useGone } from "./gone";

test("what was forgotten may come back, and what was erased does not", () => {
  const { result } = renderHook(useGone);
  act(() => markGone(["a"], "forgotten"));
  act(() => markGone(["b"], "erased"));
  expect([...result.current]).toEqual([["a", "forgotten"], ["b", "erased"]]);
  act(markBack);
  expect([...result.current]).toEqual([["b", "erased"]]);
});
