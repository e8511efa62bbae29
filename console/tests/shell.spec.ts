import { expect, open, pictured, test } from "./browser";

// The key that tests/server.py gives the console.
const KEY = `fov_testtesttest_${"0".repeat(64)}`;

test("a key behind the # signs in, leaves the address, and is gone on signing out", async ({ page }) => {
  await page.goto(`/memory-console/memories?actor=ada#token=${KEY}`);
  await expect(page.getByRole("grid")).toBeVisible();
  await expect(page).toHaveURL(/memories\?actor=ada$/);
  await page.getByRole("button", { name: "Signed in as console: sign out" }).click();
  await expect(page.getByRole("button", { name: /Signed in/ })).toHaveCount(0);
});

test("who comes with a key that is not known is asked for another", async ({ page, forgive }) => {
  forgive(/401/);
  await page.goto(`/memory-console/memories?actor=ada#token=fov_abcdefghjkmn_${"1".repeat(64)}`);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("unauthenticated");
  await expect(page).toHaveURL(/memories\?actor=ada$/);
  await pictured(page, "sign-in");
  await page.getByLabel("Key").fill(KEY);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("grid")).toBeVisible();
});

test("the theme can be switched, and an unknown path says so", async ({ page }) => {
  await open(page, "/no-such-view");
  await expect(page.getByRole("heading", { name: "There is no such view" })).toBeVisible();
  await page.getByRole("button", { name: "Theme: system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("whose memory is chosen from those there are", async ({ page }) => {
  await page.goto("/memory-console/");
  await expect(page.getByRole("grid")).toBeVisible();
  await page.keyboard.press("w");
  const dialog = page.getByRole("dialog", { name: "Whose memory" });
  await expect(dialog).toBeVisible();
  await pictured(page, "whose");
  await dialog.getByRole("button", { name: "mara in default" }).click();
  await expect(page).toHaveURL(/actor=mara/);
});
