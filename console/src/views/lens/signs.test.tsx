// The glyphs of an item lead to their families.
import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Signs } from "./Items";

test("every glyph leads to its family, and the density is told", () => {
  const { container } = render(<Signs glyphs={["亍", "丌"]} density={0.5} />);
  const links = [...container.querySelectorAll("a")];
  expect(links.map((link) => link.textContent?.trim())).toEqual(["亍", "丌"]);
  expect(links[0]?.getAttribute("href")).toContain(encodeURIComponent("亍"));
  expect(container.textContent).toContain("density 50 %");
});

test("without a tape there is nothing to tell", () => {
  const { container } = render(<Signs glyphs={[]} density={0} />);
  expect(container.textContent).toBe("");
});
