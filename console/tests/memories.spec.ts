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
