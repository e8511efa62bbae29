// What every browser test stands on: console errors fail it, axe looks at it, pictures of it are kept.
import AxeBuilder from "@axe-core/playwright";
import { test as plain, expect, type Locator, type Page } from "@playwright/test";
import { started, type Running } from "./process";

export { expect };

type Fixtures = {
  /** Say which errors of the browser's console a test brings about on purpose: it logs every 404. */
  forgive: (said: RegExp) => void;
  quiet: void;
  /** Start a server for one test. It outlives the page, which would ask in vain after it and log that. */
  serve: (...how: Parameters<typeof started>) => Promise<Running>;
};

// Notices go after a while, and with them the way back: not before a test has pressed it, however slow the machine.
const STAYING = () => {
  const plain = window.setTimeout;
  window.setTimeout = ((run: TimerHandler, wait?: number, ...rest: unknown[]) => plain(run, wait === 12_000 ? 2 ** 30 : wait, ...rest)) as typeof plain;
};

// Software that draws WebGL copies each picture into the page, and its driver says so.
const DRIVER = /GPU stall due to ReadPixels/;

export const test = plain.extend<Fixtures & { forgiven: RegExp[] }>({
  forgiven: async ({}, use) => use([DRIVER]),
  forgive: async ({ forgiven }, use) => use((said) => void forgiven.push(said)),
  quiet: [
    async ({ page, forgiven }, use) => {
      const heard: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") heard.push(message.text());
      });
      page.on("pageerror", (error) => heard.push(String(error)));
      await page.addInitScript(STAYING);
      await use();
      const left = heard.filter((one) => !forgiven.some((said) => said.test(one)));
      expect(left, "the browser's console").toEqual([]);
    },
    { auto: true },
  ],
  serve: async ({ page }, use) => {
    const running: Running[] = [];
    await use(async (...how) => {
      const one = await started(...how);
      running.push(one);
      return one;
    });
    await page.close();
    for (const one of running) await one.stop();
  },
});

/** Open a path of the console from the viewpoint of a seeded actor. */
export async function open(page: Page, path: string, query: Record<string, string> = {}): Promise<void> {
  await page.goto(`/memory-console${path}?${new URLSearchParams({ actor: "ada", ...query })}`);
}

/** What holds as soon as the page is laid out, which a machine may be slow to do. */
export async function settled(check: () => Promise<void>): Promise<void> {
  await expect(check).toPass({ timeout: 60_000 });
}

/** Press a key that the page listens to, until what it brings about is there. */
export async function pressed(page: Page, key: string, brought: Locator): Promise<void> {
  await expect(async () => {
    if (!(await brought.isVisible())) await page.keyboard.press(key);
    await expect(brought).toBeVisible({ timeout: 5_000 });
  }).toPass();
}

/** Go to the field that is typed into, by its key. */
export async function toField(page: Page): Promise<void> {
  await pressed(page, "/", page.locator("input:focus, textarea:focus"));
}

/** Leave a dialog by its key, which it hears once it has the focus. */
export async function leave(page: Page, role: "dialog" | "alertdialog" = "dialog"): Promise<void> {
  await expect(page.locator(`[role=${role}]:focus-within`)).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(page.getByRole(role)).toHaveCount(0);
}

/** Nothing serious for those who use the page with other eyes or hands. */
export async function accessible(page: Page): Promise<void> {
  await settled(() => examined(page));
}

async function examined(page: Page): Promise<void> {
  // Row by row the same again: some are enough, and axe takes long.
  const { violations } = await new AxeBuilder({ page })
    .exclude("[role=rowgroup] > [role=row]:nth-child(n + 6)")
    .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  const serious = violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  expect(serious.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`)).toEqual([]);
}

/** A picture of what is on the screen. A browser that draws in software sometimes never ends one: then another is taken. */
async function kept(page: Page, path: string, again = 2): Promise<void> {
  try {
    await page.screenshot({ path, timeout: 30_000 });
  } catch (error) {
    if (again === 0) throw error;
    await kept(page, path, again - 1);
  }
}

/** Check with axe and keep a picture, at two widths and in both themes; then back to the first. */
export async function pictured(page: Page, name: string): Promise<void> {
  for (const [width, height, theme] of [
    [390, 844, "dark"],
    [390, 844, "light"],
    [1280, 800, "dark"],
    [1280, 800, "light"],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.waitForTimeout(150);
    await kept(page, `artefacts/${name}-${width}-${theme}.png`);
    // Each width and each theme once: axe takes seconds.
    if ((width === 390) === (theme === "dark")) await accessible(page);
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(wide, `${name} fits ${width} px`).toBeLessThanOrEqual(0);
  }
}

/** Go to something with the Tab key, as whoever has no mouse must. */
export async function tabTo(page: Page, to: Locator, most = 80): Promise<void> {
  for (let press = 0; press < most; press += 1) {
    if (await to.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  await expect(to).toBeFocused();
}
