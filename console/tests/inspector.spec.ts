import { expect, open, pictured, test } from "./browser";

test("the inspector says where a memory was learned, why it was recalled and how it changed", async ({ page }) => {
  await open(page, "/inspect/fact-2");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Heron ships in September, after the audit.");
  const life = page.getByRole("region", { name: "What happened to it" });
  await expect(life.getByText("Corrected: version 3")).toBeVisible();
  await expect(life.locator("ins").first()).toContainText("September");
  await expect(life.locator("li").last()).toContainText("Written from what user said");
  await expect(page.getByRole("region", { name: "Where it was learned" })).toContainText("user");
  await expect(page.getByRole("img", { name: /Strength falls from/ })).toBeVisible();
  const recalls = page.getByRole("region", { name: "Why it was recalled" });
  await expect(recalls.getByText(/^Asked (\d+ times, last )?on \d+ \w+ 2026: /).first()).toBeVisible();
  await expect(recalls.getByText(/^It (names|means|holds|was)/).first()).toBeVisible();
  await recalls.locator("summary").first().click();
  await expect(recalls.getByRole("columnheader", { name: "Part of the relevance" }).first()).toBeVisible();
  await expect(recalls.getByText("shares words with the question").first()).toBeVisible();
  await pictured(page, "inspector");
});

test("what forgetting a memory means is asked in words of one, and Escape keeps it", async ({ page }) => {
  await open(page, "/inspect/fact-2");
  await page.getByRole("button", { name: "Forget…" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Forget this memory?" });
  await expect(dialog).toContainText("It was recalled before");
  await expect(dialog.getByRole("button", { name: "Keep it" })).toBeFocused();
  await pictured(page, "inspector-forget");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Heron ships in September, after the audit.");
});

test("a memory is erased for good, and the receipt says what went with it", async ({ page }) => {
  const made = await (await page.request.post("/v1/records", { data: { actor_id: "ada", text: "My old number was 555 0100." } })).json();
  await open(page, `/inspect/${made.ids[0]}`);
  await page.getByRole("button", { name: "Forget…" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("radio", { name: /Erase for good/ }).check();
  const erase = dialog.getByRole("button", { name: "Erase 1 memory" });
  await expect(erase).toBeDisabled();
  await dialog.getByLabel("I know that this cannot be undone").check();
  await erase.click();
  await expect(page.getByRole("alertdialog", { name: "Erased for good" })).toContainText("vectors");
  await expect(page.getByRole("alertdialog")).toContainText("1 memory is gone");
  await expect(page.getByText("This memory was erased")).toBeVisible();
  await expect(page.getByText("My old number")).toHaveCount(0);
  await pictured(page, "inspector-erased");
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the receipt" }).click();
  expect((await waiting).suggestedFilename()).toBe("erased.json");
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page).toHaveURL(/\/memories/);
  expect((await page.request.get(`/v1/records/${made.ids[0]}/history?actor_id=ada`)).status()).toBe(404);
});

test("a memory is corrected, pinned and kept from recall, and each can be taken back", async ({ page }) => {
  await open(page, "/inspect/fact-0");
  const text = page.getByRole("heading", { level: 1 });
  await expect(page.getByRole("button", { name: "Correct" })).toBeVisible();
  const before = await text.textContent();
  await page.getByRole("button", { name: "Correct" }).click();
  await page.getByRole("textbox", { name: /What is true/ }).fill("The truth is another.");
  await page.getByRole("button", { name: "Write the new version" }).click();
  await expect(text).toHaveText("The truth is another.");
  await page.getByRole("region", { name: "Notices" }).getByRole("button", { name: "Undo" }).click();
  await expect(text).toHaveText(before ?? "");
  await page.getByRole("button", { name: "Pin", exact: true }).click();
  await expect(page.getByRole("button", { name: "Unpin" })).toBeVisible();
  await page.getByRole("button", { name: "Unpin" }).click();
  await page.getByRole("button", { name: "Never recall" }).click();
  await page.getByRole("button", { name: "Recall again" }).click();
  await expect(page.getByRole("button", { name: "Never recall" })).toBeVisible();
});

test("an address and a glyph lead to what lies there", async ({ page }) => {
  await open(page, "/inspect");
  await pictured(page, "inspector-empty");
  await page.goto("/memory-console/inspect/fact-2?actor=ada");
  await page.getByText("Its address on the map of meaning").click();
  await page.getByRole("navigation", { name: "Address" }).getByRole("link").nth(1).click();
  await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
  await pictured(page, "inspector-cell");
});

test("what is not there is told with its code and request id", async ({ page, forgive }) => {
  forgive(/404/);
  await open(page, "/inspect/none");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("there is no record 'none' here");
  await expect(alert).toContainText("not_found");
  await expect(alert).toContainText("request");
});

test("what another does to the memory that is shown shows by itself", async ({ page }) => {
  const text = `The ferry leaves at ${Date.now()}`;
  const made = await (await page.request.post("/v1/records", { data: { actor_id: "ada", text } })).json();
  const id: string = made.ids[0];
  const listening = page.waitForResponse(/\/v1\/stream/);
  await open(page, `/inspect/${id}`);
  await listening;
  await expect(page.getByRole("button", { name: "Pin", exact: true })).toBeVisible();
  await page.request.put(`/v1/records/${id}`, { data: { actor_id: "ada", text: `${text}, or later` } });
  await expect(page.getByRole("heading", { level: 1 })).toContainText("or later");
  await page.request.post(`/v1/records/${id}/pin`, { data: { actor_id: "ada" } });
  await expect(page.getByRole("button", { name: "Unpin" })).toBeVisible();
});
