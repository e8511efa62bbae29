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

test("the caches tell what they were asked for and knew, as the server counts it", async ({ page, request }) => {
  const question = { data: { actor_id: "ada", query: `What was said of boats at ${Date.now()}?`, touch: false } };
  for (let time = 0; time < 2; time += 1) expect((await request.post("/v1/read", question)).ok()).toBe(true);
  await open(page, "/health");
  const told = await (await request.get("/metrics")).text();
  for (const [kind, name] of [["vector", "Cache of vectors"], ["ranking", "Cache of rankings"]] as const) {
    const [known, not] = ["yes", "no"].map((one) => Number(new RegExp(`foveal_cache_total\\{kind="${kind}",known="${one}"\\} (\\S+)`).exec(told)?.[1]));
    // Asked again, the ranking is known, and so no vector is needed.
    expect(kind === "ranking" ? known : not).toBeGreaterThan(0);
    const all = (known ?? 0) + (not ?? 0);
    await expect(page.locator("dt", { hasText: name }).locator("+ dd")).toContainText(`knew ${(known ?? 0).toLocaleString("en-GB")} of ${all.toLocaleString("en-GB")}`);
  }
});

test("a model that is away is not asked for a while, and health says so", async ({ page, serve }) => {
  // Nobody listens at port 9.
  const server = await serve((port) => ["tests/server.py", String(port), "80"], { FOVEAL_LLM: "http://127.0.0.1:9/v1#away", FOVEAL_BREAKER: '{"failures": 1, "seconds": 300}' });
  await page.goto(`${server.url}/memory-console/health?actor=ada`);
  const row = page.getByRole("region", { name: "Breakers by what they stand before" }).getByRole("row", { name: /model/ });
  await expect(row).toContainText("closed");
  const ask = () => page.request.post(`${server.url}/api/agent/chat`, { data: { actor_id: "ada", message: "Where do I live?" } });
  expect((await ask()).ok()).toBe(true);
  await expect(row).toContainText("open");
  await expect(row).toContainText(/one call is tried in \d+ seconds/);
  await pictured(page, "health-breaker");
  expect(await (await ask()).text()).toContain("not tried");
});
