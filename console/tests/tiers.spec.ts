import { expect, open, pictured, test } from "./browser";

test("tiers show how full they are, what flowed, and why", async ({ page }) => {
  await open(page, "/tiers");
  await expect(page.getByRole("region", { name: "Tier episodic" }).getByRole("meter")).toBeVisible();
  await expect(page.getByRole("region", { name: "Tier working" })).toContainText("kept for 1 hour");
  await expect(page.getByRole("region", { name: "What moved from where to where" }).getByRole("row").nth(1)).toBeVisible();
  await page.getByRole("button", { name: "What would it do?" }).click();
  await expect(page.getByText(/It would make \d+ moves/)).toBeVisible();
  // A memory is told by what it says: an id means nothing to who reads the journal.
  const moves = page.getByRole("region", { name: "Moves, newest first" });
  await expect(moves.getByRole("link").first()).toHaveText(/\w \w/);
  await expect(moves.getByRole("link").first()).toHaveAttribute("title", /./);
  await pictured(page, "tiers");
});

test("a move is taken back from the journal, and that again", async ({ page }) => {
  await open(page, "/tiers", { what: "sedimented" });
  const undo = page.getByRole("button", { name: /^Undo sedimented of/ });
  const which = await undo.first().getAttribute("aria-label");
  await undo.first().click();
  await expect(page.getByText("Took back “sedimented”.")).toBeVisible();
  await expect(page.getByRole("button", { name: which ?? "" })).toHaveCount(0);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(page.getByText("Taken back.", { exact: true })).toBeVisible();
});

test("a pass is asked for, run, and what it did stands in the journal", async ({ page }) => {
  await open(page, "/tiers", { actor: "mara" });
  await page.getByRole("button", { name: "Run it…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Run the pass" }).click();
  await expect(page.getByText(/The pass made|Nothing was due/)).toBeVisible();
});

test("what others write shows in the gauges by itself", async ({ page }) => {
  const listening = page.waitForResponse(/\/v1\/stream/);
  await open(page, "/tiers");
  await listening;
  const held = page.getByRole("region", { name: "Tier working" }).locator(".big");
  await expect(held).toHaveText(/\d/);
  const before = await held.innerText();
  const made = await page.request.post("/v1/records", { data: { actor_id: "ada", text: `The lighthouse was painted at ${Date.now()}` } });
  expect(made.ok()).toBe(true);
  await expect(held).not.toHaveText(before);
});
