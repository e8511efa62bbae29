import { expect, open, pictured, test } from "./browser";

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
