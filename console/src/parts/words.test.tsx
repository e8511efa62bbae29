import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Span } from "./words";

const span = (from: string, to: string) => render(<Span from={from} to={to} />).container.textContent;

test("a span of one day names it once, and dates are written alike in every browser", () => {
  expect(span("2026-11-18T10:00:00Z", "2026-11-18T10:30:00Z")).toBe("on 18 Nov 2026");
  expect(span("2026-05-03T10:00:00Z", "2026-11-18T10:00:00Z")).toBe("from 3 May 2026 to 18 Nov 2026");
});
