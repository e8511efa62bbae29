// A phone: every view fits 390 px, and everything that can be pressed can be reached and hit.
import { expect, open, settled, test } from "./browser";
import type { Page } from "@playwright/test";

const ROUTES: Record<string, [string, Record<string, string>?]> = {
  overview: ["/overview"],
  facts: ["/facts"],
  memories: ["/memories"],
  filters: ["/memories", { kind: "fact" }],
  inspector: ["/inspect/fact-2"],
  "inspector, nothing chosen": ["/inspect"],
  lens: ["/lens", { q: "When does Heron ship, and why then?" }],
  chat: ["/chat"],
  timeline: ["/timeline"],
  glyphs: ["/glyphs", { family: "1" }],
  tiers: ["/tiers"],
  scopes: ["/scopes"],
  crystals: ["/crystals"],
  "looked from a node": ["/scopes", { node: "/planner" }],
  goals: ["/ledger"],
  decisions: ["/ledger", { show: "decisions" }],
  patterns: ["/ledger", { show: "patterns" }],
  "tool calls": ["/ledger", { show: "calls" }],
  events: ["/ledger", { show: "events" }],
  metrics: ["/ledger", { show: "metrics" }],
  health: ["/health"],
  settings: ["/settings"],
};

/** What is wrong with what can be pressed: too small, or beyond an edge where no finger gets it. */
async function outOfReach(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const said: string[] = [];
    const view = document.querySelector("[role=dialog], [role=alertdialog]") ?? document.querySelector("#view") ?? document.body;
    const pressed = "button, select, input, textarea, summary, [role=button], [role=option], [role=tab], a[href]";
    for (const one of view.querySelectorAll<HTMLElement>(pressed)) {
      const box = one.getBoundingClientRect();
      if (!one.checkVisibility({ visibilityProperty: true }) || box.width < 2 || box.height < 2) continue;
      if (one.closest(".visually-hidden, .skip, [aria-hidden=true]")) continue;
      const name = `${one.tagName.toLowerCase()} "${(one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 40)}"`;
      if (box.left < -1 || box.right > innerWidth + 1) said.push(`${name} reaches from ${Math.round(box.left)} to ${Math.round(box.right)}`);
      // A link in a sentence, and what a label around it makes larger, may be lower than 24 px.
      const target = one.closest("label")?.getBoundingClientRect() ?? box;
      const inText = one.tagName === "A" && getComputedStyle(one).display === "inline";
      if (!inText && Math.min(Math.max(target.width, box.width), Math.max(target.height, box.height)) < 24) said.push(`${name} is ${Math.round(box.width)} by ${Math.round(box.height)}`);
    }
    return said;
  });
}

/** Boxes that scroll sideways inside the page: a reader of a phone does not find what is there. */
async function sideways(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll<HTMLElement>("#view, #view *, .modal, .modal *")]
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && !one.matches("pre, [data-wide], input, textarea, select"))
      .map((one) => `${one.tagName.toLowerCase()}.${one.className} is ${one.scrollWidth} px wide in ${one.clientWidth}`),
  );
}

test.use({ viewport: { width: 390, height: 844 } });

for (const [name, [path, said]] of Object.entries(ROUTES))
  test(`${name}: nothing scrolls sideways, and everything is in reach`, async ({ page }) => {
    await open(page, path, said);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.locator("#view .loading")).toHaveCount(0);
    await settled(async () => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth), "the page").toBeLessThanOrEqual(390);
      expect(await sideways(page), "what scrolls sideways").toEqual([]);
      expect(await outOfReach(page), "what is out of reach").toEqual([]);
    });
  });

test("dialogs fit, and what they ask can be answered", async ({ page }) => {
  const fits = async (name: string) => {
    await expect(page.locator(".modal:focus-within")).toBeVisible();
    await settled(async () => {
      expect(await sideways(page), name).toEqual([]);
      expect(await outOfReach(page), name).toEqual([]);
    });
    await page.keyboard.press("Escape");
    await expect(page.locator(".modal")).toHaveCount(0);
  };
  await open(page, "/inspect/fact-2");
  await page.getByRole("button", { name: /^Whose memory/ }).click();
  await fits("whose memory");
  await page.getByRole("button", { name: "Keys (?)" }).click();
  await fits("keys of the keyboard");
  await page.getByRole("button", { name: "Correct" }).click();
  await fits("correct");
  await page.getByRole("button", { name: "Forget…" }).click();
  await fits("forget");
  await open(page, "/settings");
  await page.getByRole("button", { name: "Make a key…" }).click();
  await fits("make a key");
  await page.getByRole("button", { name: /^Revoke / }).first().click();
  await fits("revoke");
  await page.getByRole("button", { name: "Reindex…" }).click();
  await fits("reindex");
});

test("a key can be revoked on a phone: its button is on the screen", async ({ page }) => {
  await open(page, "/settings");
  const button = page.getByRole("button", { name: /^Revoke / }).first();
  await button.scrollIntoViewIfNeeded();
  await expect(button).toBeInViewport({ ratio: 1 });
});

test("the page that asks for a key fits", async ({ page, forgive }) => {
  forgive(/401/);
  await page.goto(`/memory-console/memories#token=fov_testtesttest_${"1".repeat(64)}`);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await settled(async () => {
    expect(await sideways(page)).toEqual([]);
    expect(await outOfReach(page)).toEqual([]);
  });
});
