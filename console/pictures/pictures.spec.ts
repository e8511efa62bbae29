// Takes the pictures of the console that the documentation shows: `make pictures`.
import { expect, open, test } from "../tests/browser";

const SHOWN = {
  overview: ["/overview", {}],
  facts: ["/facts", {}],
  memories: ["/memories", { q: "When does Heron ship?" }],
  inspector: ["/inspect/fact-2", {}],
  lens: ["/lens", { q: "When does Heron ship, and why then?" }],
  glyphs: ["/glyphs", { family: "1" }],
} as const;

for (const [name, [path, said]] of Object.entries(SHOWN))
  test(`the picture of ${name}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await open(page, path, { ...said });
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    // Not until the network is idle: the stream of what happens never is.
    await expect(page.locator("#view .loading, #view .bone, #view [aria-busy=true]")).toHaveCount(0);
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(1_000);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: `../docs/images/console-${name}.png` });
  });
