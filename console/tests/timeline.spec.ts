import { expect, open, pictured, test } from "./browser";

test("a time is chosen by dragging, stands in the address, and is listed with both clocks", async ({ page }) => {
  await open(page, "/timeline");
  const drawing = page.getByRole("img", { name: /the list below says the same/ });
  await expect(drawing).toBeVisible();
  await expect(page.getByRole("heading", { name: /entries in all/ })).toBeVisible();
  await page.locator(".bar").first().hover();
  await expect(page.locator(".tip")).toContainText(/memor/);
  await pictured(page, "timeline");
  const box = await drawing.boundingBox();
  if (!box) throw new Error("nothing is drawn");
  await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=2026-\d\d-\d\dT.*to=2026-/);
  await expect(page.getByRole("heading", { name: /entries in the chosen time/ })).toBeVisible();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect(page).toHaveURL(/since=2026/);
  await page.getByRole("combobox", { name: "Lanes" }).selectOption("Session");
  await expect(drawing).toContainText(/s\d-\d{4}/);
  await pictured(page, "timeline-zoomed");
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole("cell", { name: /written \d/ }).first()).toBeVisible();
});

test("what was superseded is struck through, with the keyboard alone", async ({ page }) => {
  await open(page, "/timeline", { from: "2026-01-05T00:00", to: "2026-01-05T12:00" });
  await expect(page.locator("s", { hasText: "I live in Malmö" })).toBeVisible();
  await page.getByRole("link", { name: "I live in Malmö" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/inspect\/fact-0/);
});

test("writes and reads show while they happen", async ({ page }) => {
  const listening = page.waitForResponse(/\/v1\/stream/);
  await open(page, "/timeline");
  await listening;
  await expect(page.getByRole("heading", { name: "Live updates on" })).toBeVisible();
  await expect(page.getByRole("heading", { name: /entries in all/ })).toBeVisible();
  const lines = ["The lighthouse at Cape Nome", `was painted green at ${Date.now()}`];
  await page.request.post("/v1/records", { data: { actor_id: "ada", text: lines.join("\n") } });
  await expect(page.getByText("1 memory written")).toBeVisible();
  await expect(page.getByRole("link", { name: lines.join(" · ") })).toBeVisible();
  await expect(page.locator(".bar.live")).toHaveCount(1);
  await page.request.post("/v1/read", { data: { actor_id: "ada", query: "lighthouse at Cape Nome", token_budget: 200 } });
  await expect(page.getByText(/memor(y|ies) recalled/)).toBeVisible();
});
