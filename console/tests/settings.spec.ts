import { readFileSync } from "node:fs";
import { expect, open, pictured, test } from "./browser";

test("a memory is exported, and imported into another", async ({ page }) => {
  await open(page, "/settings", { actor: "support-desk" });
  const coming = page.waitForEvent("download", { timeout: 60_000 });
  await page.getByRole("button", { name: "Export" }).click();
  const path = await (await coming).path();
  expect(readFileSync(path, "utf8").split("\n").length).toBeGreaterThan(20);
  await open(page, "/settings", { actor: "copy" });
  await page.getByLabel("The file to import").setInputFiles(path);
  await page.getByRole("alertdialog").getByRole("button", { name: "Import it" }).click();
  await expect(page.getByText(/Imported \d+ memories/)).toBeVisible();
});

test("everything is embedded anew, and the theme is chosen", async ({ page }) => {
  await open(page, "/settings");
  await page.getByRole("button", { name: "Reindex…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Reindex" }).click();
  await expect(page.getByText(/versions embedded with/)).toBeVisible({ timeout: 60_000 });
  await page.getByRole("radio", { name: "Dark" }).check();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("button", { name: "Theme: dark" })).toBeVisible();
});

test("other bounds of the tiers are told as the lines that set them", async ({ page }) => {
  await open(page, "/settings");
  const field = page.getByRole("spinbutton", { name: "L1 working holds at most" });
  await expect(field).not.toHaveValue("");
  await field.fill("25");
  await expect(page.getByTestId("lines")).toHaveText("memory:\n  l1: {capacity: 25}");
  await field.fill("0");
  await expect(page.getByText("must hold a whole number of at least 1")).toBeVisible();
});

test("a key is made, shown once, and revoked", async ({ page }) => {
  await open(page, "/settings");
  await page.getByRole("button", { name: "Make a key…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("browser test");
  await page.getByRole("checkbox", { name: "write, change and forget" }).uncheck();
  await page.getByRole("button", { name: "Make the key" }).click();
  await expect(page.getByTestId("token")).toContainText(/^fov_/);
  await page.getByRole("button", { name: "I have it" }).click();
  await expect(page.getByTestId("token")).toHaveCount(0);
  await expect(page.getByRole("row", { name: /browser test/ })).toContainText("read");
  await pictured(page, "settings");
  await page.getByRole("button", { name: "Revoke browser test" }).click();
  await page.getByRole("button", { name: "Revoke it" }).click();
  await expect(page.getByRole("row", { name: /browser test/ })).toContainText("revoked");
});
