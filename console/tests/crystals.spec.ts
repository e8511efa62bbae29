import { expect, leave, open, pictured, tabTo, test } from "./browser";

test("a crystal is opened, compared, cherished and resumed", async ({ page }) => {
  await open(page, "/crystals");
  await page.getByRole("link", { name: "keep June, drop the export" }).click();
  await expect(page).toHaveURL(/crystals\/crystal_/);
  await expect(page.getByRole("region", { name: "Fragments" })).toContainText("Plan the move of Heron");
  await page.getByRole("button", { name: "Compare with before the audit" }).click();
  await expect(page.getByText(/fragments in both/)).toBeVisible();
  await pictured(page, "crystals");
  await page.getByRole("button", { name: "Cherish", exact: true }).click();
  await expect(page.getByText("Cherished: it stays")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("button", { name: "Cherish", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Resume…" }).click();
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await expect(page.getByLabel("Messages to go on with")).toContainText("Heron");
});

test("composting asks, and leaves a tombstone", async ({ page }) => {
  await open(page, "/crystals", { actor: "mara" });
  await page.getByRole("link", { name: "move everything to September" }).click();
  await page.getByRole("button", { name: "Compost…" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("cannot be taken back");
  await page.getByRole("button", { name: "Compost it" }).click();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await expect(page.getByText(/Its tombstone keeps where it stood/)).toBeVisible();
});

test("with the keyboard alone: open a crystal, think about going on from it, and stand where one stood", async ({ page }) => {
  await open(page, "/crystals", { actor: "support-desk" });
  const link = page.getByRole("link", { name: "keep June, drop the export" });
  await expect(link).toBeVisible();
  await tabTo(page, link);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Fragments" })).toBeVisible();
  const resume = page.getByRole("button", { name: "Resume…" });
  await tabTo(page, resume);
  await page.keyboard.press("Enter");
  await leave(page);
  await expect(resume).toBeFocused();
});

test("work that another puts aside shows by itself", async ({ page }) => {
  const listening = page.waitForResponse(/\/v1\/stream/);
  await open(page, "/crystals");
  await listening;
  await expect(page.getByRole("link", { name: "before the audit" })).toBeVisible();
  const reason = `the harbour, at ${Date.now()}`;
  const made = await page.request.post("/v1/crystals", { data: { actor_id: "ada", context: [{ role: "user", content: "The harbour is deep." }], reason } });
  expect(made.ok()).toBe(true);
  await expect(page.getByRole("link", { name: reason })).toBeVisible();
});
