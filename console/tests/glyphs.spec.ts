import { expect, open, pictured, test } from "./browser";

test("the map shows families, a line around some lists them, and one opens with its memories", async ({ page }) => {
  await open(page, "/glyphs");
  const map = page.getByRole("img", { name: /The map of \d+ families/ });
  await expect(map).toBeVisible();
  await expect(page.getByRole("heading", { name: /families in all/ })).toBeVisible();
  const box = await map.boundingBox();
  if (!box) throw new Error("nothing is drawn");
  const [x, y] = [box.x + box.width * 0.5, box.y + box.height * 0.85];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (const [right, down] of [[-0.3, -0.1], [-0.2, -0.4], [0.1, -0.4], [0.1, 0]] as const)
    await page.mouse.move(x + right * box.width, y + down * box.height, { steps: 3 });
  await page.mouse.up();
  await expect(page).toHaveURL(/lasso=/);
  await expect(page.getByRole("heading", { name: /families chosen/ })).toBeVisible();
  await page.getByRole("row").nth(1).getByRole("button").click();
  const detail = page.getByRole("region", { name: /^Family / });
  await expect(detail).toContainText("Coherence");
  await expect(detail).toContainText("entropy");
  await expect(detail.getByRole("link").nth(1)).toBeVisible();
  await expect(detail).toBeInViewport();
  await pictured(page, "glyphs");
  await detail.getByRole("link").nth(1).click();
  await expect(page).toHaveURL(/\/inspect\//);
});

test("without a tape the view teaches what one is, and builds it", async ({ page }) => {
  await open(page, "/glyphs", { actor: "support-desk" });
  await expect(page.getByText("There is no map yet")).toBeVisible();
  await pictured(page, "glyphs-empty");
  await page.getByRole("button", { name: "Build the map" }).click();
  await expect(page.getByRole("img", { name: /The map of \d+ families/ })).toBeVisible();
});
