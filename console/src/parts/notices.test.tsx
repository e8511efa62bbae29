// Notices go by themselves, and with the view that they were told in.
import { act, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { go } from "../route/router";
import { Notices, notify } from "./notices";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wait = (time: number) => act(() => vi.advanceTimersByTime(time));

test("a notice goes after a while", () => {
  const { container } = render(<Notices />);
  act(() => notify("Pinned."));
  expect(container.textContent).toContain("Pinned.");
  wait(20_000);
  expect(container.textContent).toBe("");
});

test("a notice goes with its view, and one that changing the view brought stays", () => {
  const { container } = render(<Notices />);
  act(() => notify("Pinned."));
  wait(2_000);
  act(() => notify("Forgot 1 memory."));
  act(() => go("/memories"));
  expect(container.textContent).toBe("Forgot 1 memory.");
});
