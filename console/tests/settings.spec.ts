import { readFileSync } from "node:fs";
import { expect, open, pictured, test } from "./browser";

test("a memory is exported, and imported into another", async ({ page }) => {
  await open(page, "/settings", { actor: "support-desk" });
  const coming = page.waitForEvent("download", { timeout: 300_000 });
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
  await expect(page.getByText(/versions embedded with/)).toBeVisible({ timeout: 300_000 });
  await page.getByRole("radio", { name: "Dark" }).check();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("button", { name: "Theme: dark" })).toBeVisible();
});

test("a policy is saved for every server, shows in the lens, and is taken back and reset", async ({ page, request }) => {
  await open(page, "/settings");
  const newest = page.getByRole("spinbutton", { name: "Newest memories" });
  await expect(newest).toHaveValue("2");
  await page.getByRole("spinbutton", { name: "How it began" }).fill("50");
  await expect(page.getByText("must make 100 % together, not 120 %")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save 1 change" })).toBeDisabled();
  await page.getByRole("button", { name: "As it is now" }).click();
  await newest.fill("5");
  await page.getByRole("spinbutton", { name: "L2 session keeps for hours" }).fill("48");
  await page.getByRole("button", { name: "Save 2 changes" }).click();
  await expect(page.getByText("Saved: the next read takes it.")).toBeVisible();
  const kept = page.getByRole("region", { name: "Values that the store keeps" });
  await expect(kept.getByRole("row", { name: /Newest memories/ })).toContainText(/5\s*2/);
  await pictured(page, "policies");
  const told = (await (await request.get("/v1/policies")).json()) as { name: string; value: unknown; origin: string }[];
  expect(told.find((one) => one.name === "memory.l2.retention_hours")).toMatchObject({ value: 48, origin: "store" });
  await open(page, "/lens", { q: "Where does Ada live?" });
  await expect(page.getByTestId("shares")).toContainText("5 newest");
  await page.getByTestId("shares").getByRole("link", { name: "Change it" }).click();
  await page.getByRole("button", { name: "Reset Newest memories" }).click();
  await expect(newest).toHaveValue("2");
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(newest).toHaveValue("5");
  await page.getByRole("button", { name: "Reset all" }).click();
  await expect(page.getByText("Nothing is kept in the store")).toBeVisible();
});

test("what the server refuses of a policy is told where it was asked", async ({ page, forgive }) => {
  forgive(/status of 422/);
  await open(page, "/settings");
  await page.getByRole("spinbutton", { name: "L1 working holds at most" }).fill("0");
  await page.getByRole("button", { name: "Save 1 change" }).click();
  await expect(page.getByText("the capacity of a layer must be 1 or more")).toBeVisible();
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
