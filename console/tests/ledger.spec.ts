import { expect, open, pictured, test } from "./browser";

test("goals show their tasks, and one is closed and opened again", async ({ page }) => {
  await open(page, "/ledger");
  const goal = page.getByRole("article", { name: "Halve the open tickets" });
  await expect(goal.getByRole("listitem").first()).toBeVisible();
  await pictured(page, "ledger");
  await goal.getByRole("button", { name: "Done…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Close it" }).click();
  await expect(goal.getByRole("button", { name: "Open again" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(goal.getByRole("button", { name: "Done…" })).toBeVisible();
});

test("what is shown is in the address: decisions, patterns, a status", async ({ page }) => {
  await open(page, "/ledger");
  await page.getByRole("link", { name: "Decisions", exact: true }).click();
  await expect(page).toHaveURL(/show=decisions/);
  await expect(page.getByRole("article", { name: "Train or flight to Kyoto" })).toContainText("Train from Osaka");
  await page.getByRole("link", { name: "Patterns" }).click();
  await expect(page.getByRole("region", { name: "Patterns" })).toContainText("80 %");
  await page.getByRole("link", { name: "Tool calls" }).click();
  await expect(page.getByRole("region", { name: "Tool calls" })).toContainText("pytest tests/login");
  await pictured(page, "ledger-calls");
  await page.getByRole("link", { name: "Events" }).click();
  await expect(page.getByRole("region", { name: "Events" })).toContainText("critical");
  await open(page, "/ledger", { show: "events", category: "no-such" });
  await expect(page.getByText("No such event")).toBeVisible();
  await open(page, "/ledger", { status: "completed" });
  await expect(page.getByRole("article")).toHaveCount(1);
});

test("metrics show their last value, a line by the hour, and the same in a table", async ({ page, request }) => {
  await request.put("/v1/metrics/queue.length", { data: { actor_id: "ada", value: 3 } });
  await open(page, "/ledger", { show: "metrics" });
  const metrics = page.getByRole("region", { name: "Metrics" });
  await expect(metrics.getByRole("row", { name: /queue\.length/ })).toContainText("3");
  const other = metrics.getByRole("link").filter({ hasNotText: "queue.length" }).first();
  const name = (await other.textContent()) ?? "";
  await other.click();
  await expect(page).toHaveURL(/metric=/);
  await expect(page.getByRole("img", { name: `${name} over 48 hours` })).toBeVisible();
  await expect(page.getByRole("region", { name: `Hours of ${name}` }).getByRole("row")).toHaveCount(49);
  await pictured(page, "ledger-metrics");
});

test("a goal that someone else sets shows by itself", async ({ page }) => {
  const listening = page.waitForResponse(/\/v1\/stream/);
  await open(page, "/ledger");
  await listening;
  await expect(page.getByRole("article").first()).toBeVisible();
  const description = `Paint the lighthouse, said at ${Date.now()}`;
  const made = await page.request.post("/v1/goals", { data: { actor_id: "ada", description } });
  expect(made.ok()).toBe(true);
  await expect(page.getByRole("article", { name: description })).toBeVisible();
});

test("the decisions of a goal are found by what the goal says, not by its id", async ({ page }) => {
  await open(page, "/ledger", { show: "decisions" });
  await expect(page.getByRole("article", { name: "Train or flight to Kyoto" })).toBeVisible();
  await page.getByLabel("For the goal").selectOption({ label: "Make the login test reliable" });
  await expect(page.getByRole("article", { name: "Retry the flaky login test or find the race" })).toContainText("For the goal “Make the login test reliable”");
  await expect(page.getByRole("article", { name: "Train or flight to Kyoto" })).toHaveCount(0);
  await open(page, "/ledger", { show: "calls" });
  await page.getByRole("combobox", { name: "Tool" }).selectOption("shell");
  await expect(page).toHaveURL(/tool=shell/);
  await page.getByRole("combobox", { name: "Tool" }).selectOption("any");
  await page.getByRole("combobox", { name: "Task" }).selectOption({ label: "Find the race" });
  await expect(page).toHaveURL(/task=/);
});
