import { expect, open, pictured, test } from "./browser";

test("health shows each component, how fast verbs are, and errors as they happen", async ({ page, request }) => {
  await open(page, "/health");
  await expect(page.getByRole("heading", { name: "store" })).toBeVisible();
  await request.get("/v1/stats?actor_id=ada");
  await expect(page.getByRole("region", { name: "Requests by verb" }).getByRole("row", { name: /^stats / })).toContainText(/\d m?s/);
  await expect(page.getByText("listening", { exact: true })).toBeVisible();
  await expect(async () => {
    await request.get("/v1/records/there-is-no-such-record?actor_id=ada");
    await expect(page.getByRole("list", { name: "Errors, newest first" }).getByRole("listitem").first()).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await pictured(page, "health");
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page.getByText("Nothing failed since this page was opened.")).toBeVisible();
});
