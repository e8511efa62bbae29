import { expect, open, pictured, pressed, test } from "./browser";

// The key that tests/server.py makes.
const KEY = `fov_testtesttest_${"0".repeat(64)}`;

test("the token of `foveal console` works once: it leaves the address, opens a session, and signing out ends that", async ({ page, browser, forgive, serve }) => {
  forgive(/401/);
  const words = (port: number, folder: string) => ["-c", "from foveal.doors.cli import main; main()", "--json", "console", "--no-browser", "--port", String(port), "--url", `${folder}/memory.db`];
  const run = await serve(words, { FOVEAL_SERVER: '{"auth": "keys"}' });
  await expect.poll(run.said).toMatch(/\}\s*$/);
  const { url } = JSON.parse(run.said()) as { url: string };
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url() + JSON.stringify(request.headers())));
  await page.goto(url);
  const out = page.getByRole("button", { name: "Signed in as console: sign out" });
  await expect(out).toBeVisible();
  const ticket = url.split("#token=")[1] ?? "none";
  expect(page.url()).not.toContain("once_");
  expect(asked.join("\n")).not.toContain(ticket);
  await page.reload();
  await expect(out).toBeVisible();

  const other = await browser.newPage();
  await other.goto(url);
  await expect(other.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(other.getByRole("alert")).toContainText("was used already");
  await other.close();

  const session = await page.evaluate(() => sessionStorage.getItem("foveal.token"));
  await out.click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  const late = await fetch(`${run.url}/v1/whoami`, { headers: { Authorization: `Bearer ${session}` } });
  expect(late.status).toBe(401);
  expect(run.logged()).not.toContain(ticket);
});

test("a key behind the # signs in, leaves the address, and is gone on signing out", async ({ page }) => {
  await page.goto(`/memory-console/memories?actor=ada#token=${KEY}`);
  await expect(page.getByRole("grid")).toBeVisible();
  await expect(page).toHaveURL(/memories\?actor=ada$/);
  await page.getByRole("button", { name: "Signed in as tester: sign out" }).click();
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

test("whoever comes back with a key that was revoked is asked for another, or goes on without where that is allowed", async ({ page, request, forgive }) => {
  forgive(/401/);
  const made = await (await request.post("/v1/keys", { data: { name: "short", rights: ["read", "write", "admin"] } })).json();
  await page.goto(`/memory-console/memories?actor=ada#token=${made.token}`);
  await expect(page.getByRole("button", { name: "Signed in as short: sign out" })).toBeVisible();
  await request.delete(`/v1/keys/${made.key.id}`);
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("was revoked");
  await page.getByRole("button", { name: "Go on without a key" }).click();
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
  await expect(page.getByRole("heading", { level: 1, name: /^What .* remembers$/ })).toBeVisible();
  const dialog = page.getByRole("dialog", { name: "Whose memory" });
  await pressed(page, "w", dialog);
  await pictured(page, "whose");
  await dialog.getByRole("button", { name: "mara in default" }).click();
  await expect(page).toHaveURL(/actor=mara/);
});

test("the palette goes anywhere, does things, and finds memories", async ({ page }) => {
  await open(page, "/health");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const palette = page.getByRole("dialog", { name: "Search, or go anywhere" });
  await pressed(page, "Control+k", palette);
  await expect(palette.getByRole("option").first()).toBeVisible();
  await pictured(page, "palette");
  await page.keyboard.type("time");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/timeline/);
  await pressed(page, "Control+k", palette);
  await page.keyboard.type("where do I live");
  await palette.getByRole("option", { name: /I live in Graz now/ }).click();
  await expect(page).toHaveURL(/\/inspect\/fact-0/);
  await pressed(page, "Control+k", palette);
  await page.keyboard.type("dark");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "Search, or go anywhere" }).click();
  await page.keyboard.press("Escape");
  await expect(palette).toHaveCount(0);
});

test("g and a letter go to a view, but not while one types", async ({ page }) => {
  await open(page, "/overview");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await expect(page).toHaveURL(/\/health/);
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await expect(page).toHaveURL(/\/memories/);
  await page.getByRole("searchbox").focus();
  await page.keyboard.type("gh");
  await expect(page).toHaveURL(/\/memories.*q=gh/);
});

test("the menu has groups, and on a phone the views are behind one button", async ({ page }) => {
  await open(page, "/overview");
  const menu = page.getByRole("navigation", { name: "Views", exact: true });
  for (const group of ["Memory", "Agents", "System"]) await expect(menu.getByRole("region", { name: group })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog", { name: "Views" }).getByRole("link", { name: "Crystals" }).click();
  await expect(page).toHaveURL(/\/crystals/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
