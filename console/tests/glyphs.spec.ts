import type { Locator, Page } from "@playwright/test";
import { expect, open, pictured, settled, test } from "./browser";

const mapOf = (page: Page) => page.getByRole("application", { name: /The map of [\d,]+ families/ });

/** Wait until the map lies where it stays: it is as wide as there is room, and the table comes below it. */
async function laidOut(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { name: /families in all/ })).toBeVisible();
  await expect(page.locator("#view .loading")).toHaveCount(0);
}

async function boxOf(map: Locator) {
  const box = await map.boundingBox();
  if (!box) throw new Error("nothing is drawn");
  return box;
}

/** Draw a line around the lower left of the middle. */
async function drawAround(page: Page, map: Locator): Promise<void> {
  const box = await boxOf(map);
  const [x, y] = [box.x + box.width * 0.5, box.y + box.height * 0.85];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (const [right, down] of [[-0.3, -0.1], [-0.2, -0.4], [0.1, -0.4], [0.1, 0]] as const)
    await page.mouse.move(x + right * box.width, y + down * box.height, { steps: 3 });
  await page.mouse.up();
}

/** How many pixels of the map have about the colour of a dot. */
async function dotted(page: Page, map: Locator): Promise<number> {
  const picture = (await map.screenshot()).toString("base64");
  return page.evaluate(async (said) => {
    const image = new Image();
    image.src = `data:image/png;base64,${said}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const drawing = canvas.getContext("2d");
    drawing?.drawImage(image, 0, 0);
    const { data } = drawing?.getImageData(0, 0, image.width, image.height) ?? { data: [] };
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (Math.abs(data[at]! - 20) + Math.abs(data[at + 1]! - 107) + Math.abs(data[at + 2]! - 160) < 60) count++;
    return count;
  }, picture);
}

test("the map shows families, a line around some lists them, and one opens with its memories", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await open(page, "/glyphs");
  const map = mapOf(page);
  await expect(map.locator("canvas")).toBeVisible();
  await laidOut(page);
  await settled(async () => expect(await dotted(page, map)).toBeGreaterThan(500));
  await page.keyboard.down("Shift");
  await drawAround(page, map);
  await page.keyboard.up("Shift");
  await expect(page).toHaveURL(/lasso=/);
  await expect(page.getByRole("heading", { name: /families chosen/ })).toBeVisible();
  await page.getByRole("row").nth(1).getByRole("button").click();
  const detail = page.getByRole("region", { name: /^Family / });
  await expect(detail).toContainText("How alike");
  await expect(detail).toContainText("entropy");
  await expect(detail.locator(".examples").getByRole("link").first()).toBeVisible();
  await expect(detail).toBeInViewport();
  await pictured(page, "glyphs");
  await detail.locator(".examples").getByRole("link").first().click();
  await expect(page).toHaveURL(/\/inspect\//);
});

test("the signs of glyphs come with the console, and only when one is shown", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => request.url().endsWith(".woff2") && fetched.push(request.url()));
  const known = () => page.evaluate(() => [...document.fonts].map((one) => `${one.family} ${one.status}`));
  await open(page, "/ledger");
  await expect(page.getByRole("article").first()).toBeVisible();
  expect(await known()).toEqual(["Foveal Glyphs unloaded"]);
  await open(page, "/glyphs");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await expect.poll(known).toEqual(["Foveal Glyphs loaded"]);
  expect(fetched.length).toBeLessThanOrEqual(1);
});

test("the map is enlarged and moved, what is seen stays in the address, and a click opens a family", async ({ page }) => {
  await open(page, "/glyphs");
  const map = mapOf(page);
  await laidOut(page);
  const box = await boxOf(map);
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -480);
  await page.keyboard.up("Control");
  await expect(page).toHaveURL(/view=[\d.]+%2C[\d.]+%2C4\.00/);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.4, { steps: 4 });
  await page.mouse.up();
  await expect(page).not.toHaveURL(/lasso|family/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Further" })).toBeEnabled();
  await page.getByRole("button", { name: "See the whole map" }).click();
  await expect(page).not.toHaveURL(/view=/);
  await page.getByRole("button", { name: "Draw around families" }).click();
  await drawAround(page, map);
  await expect(page).toHaveURL(/lasso=/);
});

test("by keyboard alone: move, enlarge, and open the family in the middle", async ({ page }) => {
  await open(page, "/glyphs");
  const map = mapOf(page);
  await expect(map).toBeVisible();
  await page.getByRole("button", { name: "Nearer" }).focus();
  await page.keyboard.press("Tab");
  await expect(map).toBeFocused();
  for (const key of ["+", "+", "+", "ArrowLeft", "ArrowDown"]) await page.keyboard.press(key);
  await expect(page.getByText("Enter opens it")).toBeVisible();
  await pictured(page, "glyphs-near");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: /^Family / })).toBeFocused();
});

test("a browser without WebGL draws the same map as paths", async ({ page }) => {
  await page.addInitScript(() => {
    const before = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...more: never[]) {
      return kind === "webgl2" ? null : before.call(this, kind, ...more);
    } as typeof before;
  });
  await page.emulateMedia({ colorScheme: "light" });
  await open(page, "/glyphs");
  const map = mapOf(page);
  await expect(map.locator("svg.dots path").first()).toBeAttached();
  await laidOut(page);
  await settled(async () => expect(await dotted(page, map)).toBeGreaterThan(500));
  await page.keyboard.down("Shift");
  await drawAround(page, map);
  await page.keyboard.up("Shift");
  await expect(page.getByRole("heading", { name: /families chosen/ })).toBeVisible();
});

test("twenty thousand families are one picture, and it is moved", async ({ page }) => {
  const many = Array.from({ length: 20_000 }, (_, place) => {
    const [x, y] = [(place * 0.7548776662) % 1, (place * 0.5698402910) % 1];
    const inside = x + y < 1 ? { x, y } : { x: 1 - x, y: 1 - y };
    const languages = place % 9 ? { latin: 1 } : { latin: 1, han: 1 };
    return { number: place, glyph: "亍", label: `family ${place}`, size: 3, uses: 20_000 - place, coherence: 0.8, languages, entropy: place % 9 ? 0 : 1, examples: [], digits: "000", ...inside };
  });
  await page.route("**/v1/families?*", (route) => route.fulfill({ json: many }));
  await open(page, "/glyphs");
  const map = mapOf(page);
  await expect(page.getByRole("heading", { name: "20,000 families in all" })).toBeVisible();
  // One picture, in which a dot costs no element of the page: thousands of those could not be moved.
  const elements = () => map.locator("*").count();
  await expect(map.locator("canvas")).toHaveCount(1);
  expect(await elements()).toBeLessThan(500);
  await map.focus();
  for (const key of ["+", "+", "ArrowLeft", "ArrowUp"]) await page.keyboard.press(key);
  await expect(page).toHaveURL(/view=[\d.]+%2C[\d.]+%2C[\d.]+/);
  await expect(map.locator("canvas")).toHaveCount(1);
  expect(await elements()).toBeLessThan(500);
});

test("without a tape the view teaches what one is, and builds it", async ({ page }) => {
  await open(page, "/glyphs", { actor: "support-desk" });
  await expect(page.getByText("There is no map yet")).toBeVisible();
  await pictured(page, "glyphs-empty");
  await page.getByRole("button", { name: "Build the map" }).click();
  await expect(mapOf(page)).toBeVisible();
});
