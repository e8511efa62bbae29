import { expect, open, pictured, test } from "./browser";

test("the overview says what is known about whom, what was recalled, what changed and what needs attention", async ({ page }) => {
  await open(page, "");
  await expect(page).toHaveURL(/\/overview\?actor=ada/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("What ada remembers");
  await expect(page.getByRole("region", { name: "What it knows" }).getByRole("listitem").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Recalled lately" }).getByRole("listitem").first()).toContainText("?");
  await expect(page.getByRole("region", { name: "Changed lately" }).getByRole("listitem").first()).toContainText(/memor/);
  await expect(page.getByRole("region", { name: "Needs attention" })).toContainText("archived");
  await pictured(page, "overview");
  await page.getByRole("region", { name: "Recalled lately" }).getByRole("link").first().click();
  await expect(page).toHaveURL(/\/lens\?.*q=/);
});

test("a question typed into the overview is searched for, or looked at with the lens", async ({ page }) => {
  await open(page, "/overview");
  await page.getByRole("searchbox").fill("where do I live");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/memories\?.*q=where/);
  await page.goBack();
  await page.getByRole("searchbox").fill("where do I live");
  await page.getByRole("button", { name: "What would a model get?" }).click();
  await expect(page).toHaveURL(/\/lens\?.*q=where/);
});

test("a memory with nothing in it says how to begin", async ({ page }) => {
  await open(page, "/overview", { actor: "nobody" });
  await expect(page.getByRole("heading", { name: "Nothing is remembered yet" })).toBeVisible();
  await page.getByRole("button", { name: "Add a memory" }).last().click();
  await expect(page.getByRole("dialog", { name: "Add a memory" })).toBeVisible();
});
