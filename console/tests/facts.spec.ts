import { expect, open, pictured, test } from "./browser";

async function told(page: import("@playwright/test").Page, actor: string, ...said: string[]): Promise<void> {
  for (const [number, text] of said.entries()) {
    const messages = [{ role: "user", content: text, occurred_at: new Date(Date.UTC(2026, number, 3)).toISOString() }];
    expect((await page.request.post("/v1/remember", { data: { actor_id: actor, messages } })).ok()).toBe(true);
  }
}

test("facts are grouped by whom they are about, and each says from which words it comes", async ({ page }) => {
  await open(page, "/facts");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Facts");
  await page.getByRole("button", { name: /My new phone number/ }).click();
  await expect(page.getByText(/It is believed because/)).toBeVisible();
  await expect(page.locator(".sources q").first()).toContainText("555 0177");
  await expect(page.getByText("How sure")).toBeVisible();
  await expect(page.getByText("before: 555 0142")).toBeVisible();
  await pictured(page, "facts");
  await page.getByRole("searchbox").fill("no fact says this");
  await expect(page.getByText("No fact passes.")).toBeVisible();
});

test("a person sets a fact right, which outranks what was said, and takes it back", async ({ page }) => {
  await told(page, "setter", "I live in Linz.");
  await open(page, "/facts", { actor: "setter" });
  await page.getByRole("button", { name: /I live in Linz/ }).click();
  await page.getByRole("button", { name: "Set it right…" }).click();
  const dialog = page.getByRole("dialog", { name: "Set it right" });
  await dialog.getByLabel(/What is true instead/).fill("Wels");
  await pictured(page, "facts-set-right");
  await dialog.getByRole("button", { name: "Set it right" }).click();
  await expect(page.getByText(/Believed from now on: .*Wels/)).toBeVisible();
  await expect(page.getByRole("button", { name: /Wels/ }).first()).toBeVisible();
  await expect(page.locator(".fact-text", { hasText: "Linz" })).toHaveCount(0);
  await page.getByRole("button", { name: "No longer believed" }).click();
  await expect(page.locator(".fact-text", { hasText: "Linz" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "All" }).click();
  await expect(page.locator(".fact-text", { hasText: "Linz" })).toBeVisible();
});

test("whoever erases a fact is told of the words it was read from, and erases them with it", async ({ page }) => {
  await told(page, "eraser", "My dog is called Rex.");
  await open(page, "/facts", { actor: "eraser" });
  await page.getByRole("button", { name: /Rex/ }).click();
  await page.getByRole("link", { name: "Inspect it" }).click();
  await page.getByRole("button", { name: "Forget…" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("The words it was read from stay");
  await expect(dialog.getByRole("link", { name: "My dog is called Rex." })).toBeVisible();
  await dialog.getByRole("radio", { name: /Erase for good/ }).check();
  await dialog.getByLabel(/Also erase these words/).check();
  await dialog.getByLabel("I know that this cannot be undone").check();
  await pictured(page, "facts-erase");
  await dialog.getByRole("button", { name: "Erase 2 memories" }).click();
  await expect(page.getByRole("alertdialog", { name: "Erased for good" })).toContainText("2 memories are gone");
  await page.getByRole("button", { name: "Done" }).click();
  const left = await (await page.request.get("/v1/records?actor_id=eraser&limit=20")).json();
  expect(left.records).toEqual([]);
});

test("where nothing was learned, the page says how facts come about", async ({ page }) => {
  await open(page, "/facts", { actor: "nobody" });
  await expect(page.getByRole("heading", { name: "No facts were learned yet" })).toBeVisible();
});
