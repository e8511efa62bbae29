import { expect, open, pictured, test } from "./browser";

test("the first page shows what is remembered, in both themes and widths", async ({ page }) => {
  await open(page, "");
  await expect(page).toHaveURL(/\/memory-console\/memories\?actor=ada/);
  await expect(page.getByRole("grid").getByRole("row").nth(5)).toBeVisible();
  await pictured(page, "memories");
});

test("search as you type finds by words and by meaning, and is in the address", async ({ page }) => {
  await open(page, "/memories");
  await expect(page.getByRole("grid")).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("where do I live");
  await expect(page).toHaveURL(/q=where\+do\+I\+live/);
  await expect(page.getByRole("grid").getByText("I live in Graz now")).toBeVisible();
});

test("filters are in the address, and an empty answer says how to get out of it", async ({ page }) => {
  await open(page, "/memories", { kind: "preference", pinned: "no" });
  const grid = page.getByRole("grid");
  await expect(grid.getByRole("row").nth(1)).toContainText("preference");
  await page.getByLabel("Tag").fill("nothing has this");
  await page.getByLabel("Tag").press("Enter");
  await expect(page.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
  await pictured(page, "memories-empty");
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(grid.getByRole("row").nth(5)).toBeVisible();
  await expect(page).not.toHaveURL(/kind/);
});

test("scrolling reaches the oldest memory, with few rows in the page", async ({ page }) => {
  await open(page, "/memories");
  const grid = page.getByRole("grid");
  await expect(grid.getByRole("row").nth(5)).toBeVisible();
  const total = Number(await grid.getAttribute("aria-rowcount"));
  await grid.locator("[role=row][tabindex='0']").focus();
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(grid.locator(`[aria-rowindex='${total}']`)).toBeVisible({ timeout: 500 });
  }).toPass();
  expect(await grid.getByRole("row").count()).toBeLessThan(60);
});

test("with the keyboard alone: search, select, look at what it means, forget, and take it back", async ({ page }) => {
  await open(page, "/memories");
  await expect(page.getByRole("grid")).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("rooibos");
  await expect(page).toHaveURL(/q=rooibos/);
  const first = page.locator("[data-place='0']");
  await expect(first).toContainText("rooibos");
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  const said = (await first.getByRole("link").textContent()) ?? "";
  await page.keyboard.press("ArrowDown");
  await expect(first).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect(page.getByText("2 memories selected")).toBeVisible();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("will no longer be found");
  await pictured(page, "memories-forget");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Forgot 2 memories.")).toBeVisible();
  await expect(page.getByRole("grid").getByText(said, { exact: true })).toHaveCount(0);
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("grid").getByText(said, { exact: true }).first()).toBeVisible();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toContainText("Search the memories");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("everything that is remembered can be taken along", async ({ page }) => {
  await open(page, "/memories");
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  expect((await waiting).suggestedFilename()).toBe("ada.jsonl");
});

test("an actor who remembers nothing is told how to begin", async ({ page }) => {
  await open(page, "/memories", { actor: "nobody" });
  await expect(page.getByRole("heading", { name: "nobody remembers nothing yet" })).toBeVisible();
  await page.keyboard.press("w");
  await page.getByLabel("Actor").fill("mara");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/actor=mara/);
  await expect(page.getByRole("grid")).toBeVisible();
});
