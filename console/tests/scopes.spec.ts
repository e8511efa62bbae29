import { expect, open, pictured, test } from "./browser";

test("the tree shows the nodes, and one looks as any of them", async ({ page }) => {
  await open(page, "/scopes");
  await page.getByRole("button", { name: "View as /planner", exact: true }).click();
  await expect(page).toHaveURL(/node=%2Fplanner/);
  await expect(page.getByRole("heading", { name: "What /planner can see" })).toBeVisible();
  await expect(page.getByRole("cell", { name: "its own" }).first()).toBeVisible();
  await expect(page.getByRole("cell", { name: "global: every node sees it" }).first()).toBeVisible();
  await pictured(page, "scopes");
  await page.getByRole("button", { name: "Back to the top" }).click();
  await expect(page.getByRole("heading", { name: "What the top node can see" })).toBeVisible();
});

test("a node that is not listed is looked from by its name", async ({ page }) => {
  await open(page, "/scopes");
  await page.getByLabel("A node that is not listed").fill("writer/drafts");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "What /writer/drafts can see" })).toBeVisible();
});
