import { expect, leave, open, pictured, pressed, test, toField } from "./browser";

test("the table shows what is remembered, in both themes and widths", async ({ page }) => {
  await open(page, "/memories");
  await expect(page.getByRole("grid").getByRole("row").nth(5)).toBeVisible();
  await expect(page.getByText("tick several to forget them together")).toBeVisible();
  await expect(page.getByRole("link", { name: "Why did it say that?" })).toBeVisible();
  await pictured(page, "memories");
});

test("what is archived stands in no tier", async ({ page }) => {
  await open(page, "/memories", { archived: "yes" });
  const row = page.getByRole("grid").getByRole("row").nth(1);
  await expect(row.getByText("archived", { exact: true })).toBeVisible();
  await expect(row.getByText("L1")).toHaveCount(0);
});

test("search as you type finds by words and by meaning, and is in the address", async ({ page }) => {
  await open(page, "/memories");
  await expect(page.getByRole("grid")).toBeVisible();
  await toField(page);
  await page.keyboard.type("where do I live");
  await expect(page).toHaveURL(/q=where\+do\+I\+live/);
  await expect(page.getByRole("grid").getByText("I live in Graz now")).toBeVisible();
});

test("a search says how relevant each memory is, which of them is older, and when nothing is found", async ({ page }) => {
  await page.route("**/v1/search", async (route) => {
    const { query } = route.request().postDataJSON() as { query: string };
    if (query === "nothing") return route.fulfill({ json: [] });
    const [hit] = (await (await route.fetch({ postData: { ...route.request().postDataJSON(), min_relevance: 0 } })).json()) as object[];
    if (query === "weak") return route.fulfill({ json: [{ ...hit, relevance: 0.02 }] });
    return route.fulfill({ json: [{ ...hit, relevance: 0.874 }, { ...hit, relevance: 0.004, replaced_by: "fact-0" }] });
  });
  await open(page, "/memories", { q: "where do I live" });
  const grid = page.getByRole("grid");
  await expect(grid.getByRole("columnheader", { name: "Relevance" })).toBeVisible();
  await expect(page.locator("[data-place='0'] .relevance")).toHaveText("87 %");
  await expect(page.locator("[data-place='1'] .relevance")).toHaveText("under 1 %");
  await expect(page.locator(".tag.older")).toHaveCount(1);
  await expect(page.getByText("Nothing found that is likely to help.")).toHaveCount(0);
  await pictured(page, "memories-found");
  await open(page, "/memories", { q: "weak" });
  await expect(page.getByText("Nothing found that is likely to help.")).toBeVisible();
  await expect(page.locator("[data-place='0'] .relevance")).toHaveText("2 %");
  await open(page, "/memories", { q: "nothing" });
  await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
  await expect(page.getByText("No memory is likely to help with this.")).toBeVisible();
});

test("filters are in the address, and an empty answer says how to get out of it", async ({ page }) => {
  await open(page, "/memories", { kind: "preference", pinned: "no" });
  const grid = page.getByRole("grid");
  await expect(grid.getByRole("row").nth(1)).toContainText("preference");
  await page.getByRole("button", { name: "Filter (2)" }).click();
  await page.getByLabel("Tag", { exact: true }).fill("nothing has this");
  await page.getByLabel("Tag", { exact: true }).press("Enter");
  await expect(page.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
  await pictured(page, "memories-empty");
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(grid.getByRole("row").nth(5)).toBeVisible();
  await expect(page).not.toHaveURL(/kind/);
});

test("filters are chips: some are offered from what there is, and each can be taken off", async ({ page }) => {
  await open(page, "/memories");
  await page.getByRole("button", { name: "Filter by Kind: fact" }).click();
  await expect(page).toHaveURL(/kind=fact/);
  await expect(page.locator("[data-place='0'] .col-kind")).toHaveText("fact");
  await page.getByRole("button", { name: "Filter by Pinned" }).click();
  await page.getByRole("button", { name: "Remove the filter Kind: fact" }).click();
  await expect(page).not.toHaveURL(/kind=fact/);
  await expect(page).toHaveURL(/pinned=yes/);
});

test("headings sort: by time all, by other columns what fits, and words that were searched for are marked", async ({ page }) => {
  await open(page, "/memories", { kind: "preference" });
  const texts = page.locator("[data-place='0'] .col-memory a");
  await expect(texts).toBeVisible();
  await page.getByRole("columnheader", { name: "Happened" }).getByRole("button").click();
  await expect(page).toHaveURL(/sort=-happened/);
  await page.getByRole("columnheader", { name: "Happened" }).getByRole("button").click();
  await expect(page.getByRole("columnheader", { name: /Happened/ })).toHaveAttribute("aria-sort", "ascending");
  await expect(page.locator("[data-place='0'] .col-happened")).toContainText("Jan 2026");
  await page.getByRole("columnheader", { name: "Memory" }).getByRole("button").click();
  await expect(page).toHaveURL(/sort=memory/);
  const first = async (place: number) => ((await page.locator(`[data-place='${place}'] .col-memory a`).textContent()) ?? "").toLowerCase();
  await expect(async () => expect((await first(0)) <= (await first(1)) && (await first(1)) <= (await first(2))).toBe(true)).toPass();
  await open(page, "/memories", { actor: "gauge", sort: "memory" });
  await expect(page.getByText("There are too many to sort by this column")).toBeVisible();
  await open(page, "/memories", { q: "rooibos tea" });
  await expect(page.locator("mark").first()).toHaveText(/rooibos/i);
});

test("a memory is added by hand, with the facts it states, and that is taken back", async ({ page }) => {
  await open(page, "/memories", { actor: "newcomer" });
  await expect(page.getByRole("heading", { name: "Nothing is remembered yet" })).toBeVisible();
  const dialog = page.getByRole("dialog", { name: "Add a memory" });
  await pressed(page, "n", dialog);
  await dialog.getByRole("textbox", { name: /What to remember/ }).fill("I live in Graz.");
  await pictured(page, "memories-add");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText(/^Added, and \d+ facts? learned\.$/)).toBeVisible();
  await expect(page.getByRole("grid")).toContainText("I live in Graz.");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("heading", { name: "Nothing is remembered yet" })).toBeVisible();
});

test("ten thousand are at hand: the last, a day, and all of them at once", async ({ page }) => {
  await open(page, "/memories", { actor: "gauge" });
  const grid = page.getByRole("grid");
  await expect(page.getByText("10,000 memories")).toBeVisible();
  await expect(grid).toHaveAttribute("aria-rowcount", "10001");
  await grid.locator("[role=row][tabindex='0']").focus();
  await page.keyboard.press("End");
  await expect(grid.locator("[aria-rowindex='10001']")).toContainText("Reading 0:");
  expect(await grid.getByRole("row").count()).toBeLessThan(60);
  // Neither the way there nor anything in between was fetched.
  const asked = await page.evaluate(() => performance.getEntriesByType("resource").filter((one) => one.name.includes("/v1/records?")).length);
  expect(asked).toBeLessThan(8);
  await page.getByLabel("Go to", { exact: true }).fill("2026-03-10");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-place]:focus")).toContainText("10 Mar 2026");
  await page.getByLabel(/^Select all/).check();
  await expect(page.getByText("All 10,000 memories selected")).toBeVisible();
  await page.getByRole("button", { name: "Forget…" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("10,000 note; from 1 Jan 2026");
  await pictured(page, "memories-forget-all");
  await page.getByRole("button", { name: "Cancel" }).click();
});

test("all that a filter finds is forgotten together, and comes back together", async ({ page }) => {
  await open(page, "/memories", { actor: "gauge", since: "2026-02-03", until: "2026-02-04" });
  await expect(page.getByText("96 found")).toBeVisible();
  await page.getByLabel(/^Select all/).check();
  await page.locator("[data-place='2']").getByRole("checkbox").uncheck();
  await expect(page.getByText("95 memories selected")).toBeVisible();
  await page.getByRole("button", { name: "Forget…" }).click();
  await page.getByRole("button", { name: "Forget 95 memories" }).click();
  await expect(page.getByText("Forgot 95 memories.")).toBeVisible();
  await expect(page.getByText("1 found")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("96 found")).toBeVisible();
});

test("what others write is said quietly, and shown when asked for", async ({ page }) => {
  const listening = page.waitForResponse(/\/v1\/stream/);
  await open(page, "/memories", { actor: "mara" });
  await listening;
  const first = page.locator("[data-place='0']");
  // A row stands there before what it says has come.
  await expect(first).toContainText(/\w/);
  const before = await first.textContent();
  const said = `The kettle is new, ${Date.now()}.`;
  const show = page.getByRole("button", { name: /^\d+ new: show$/ });
  const made = await page.request.post("/v1/records", { data: { actor_id: "mara", text: said, occurred_at: "2027-01-01T00:00:00Z" } });
  expect(made.ok()).toBe(true);
  await expect(show).toBeVisible();
  expect(await first.textContent()).toBe(before);
  await show.click();
  await expect(first).toContainText(said);
  await expect(show).toHaveCount(0);
});

test("with the keyboard alone: search, select, look at what it means, forget, and take it back", async ({ page }) => {
  await open(page, "/memories");
  await expect(page.getByRole("grid")).toBeVisible();
  await toField(page);
  await page.keyboard.type("rooibos");
  await expect(page).toHaveURL(/q=rooibos/);
  const first = page.locator("[data-place='0']");
  await expect(first).toContainText("rooibos");
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  const said = (await first.getByRole("link").textContent()) ?? "";
  await page.keyboard.press("ArrowDown");
  await expect(first).toBeFocused();
  await page.keyboard.press("Space");
  await expect(page.getByText("1 memory selected")).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("[data-place='1']")).toBeFocused();
  await page.keyboard.press("Space");
  await expect(page.getByText("2 memories selected")).toBeVisible();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("will no longer be found");
  await pictured(page, "memories-forget");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Forgot 2 memories.")).toBeVisible();
  await expect(page.getByRole("grid").getByText(said, { exact: true })).toHaveCount(0);
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("grid").getByText(said, { exact: true }).first()).toBeVisible();
  const keys = page.getByRole("dialog", { name: "Keys" });
  await pressed(page, "?", keys);
  await expect(keys).toContainText("Search the memories");
  await leave(page);
});

test("with the keyboard alone: skip to the list, correct a memory, and stand where one stood", async ({ page }) => {
  await open(page, "/memories", { kind: "preference" });
  await expect(page.locator("[data-place='1']")).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the view" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
  await toField(page);
  await page.keyboard.press("ArrowDown");
  const row = page.locator("[data-place='0']");
  await expect(row).toBeFocused();
  expect(await row.evaluate((one) => getComputedStyle(one).outlineStyle)).not.toBe("none");
  const old = (await row.getByRole("link").textContent()) ?? "";
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog", { name: "Correct this memory" });
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("I like rooibos best of all.");
  await page.keyboard.press("Control+Enter");
  await expect(dialog).toHaveCount(0);
  await expect(row).toContainText("I like rooibos best of all.");
  await expect(row).toBeFocused();
  await page.getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  await expect(row).toContainText(old);
});

test("everything that is remembered can be taken along", async ({ page }) => {
  await open(page, "/memories");
  const waiting = page.waitForEvent("download", { timeout: 300_000 });
  await page.getByRole("button", { name: "Export" }).click();
  expect((await waiting).suggestedFilename()).toBe("ada.jsonl");
});

test("an actor who remembers nothing is told how to begin", async ({ page }) => {
  await open(page, "/memories", { actor: "nobody" });
  await expect(page.getByRole("heading", { name: "Nothing is remembered yet" })).toBeVisible();
  await pressed(page, "w", page.getByLabel("Actor"));
  await page.getByLabel("Actor").fill("mara");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/actor=mara/);
  await expect(page.getByRole("grid")).toBeVisible();
});

test("a million rows are at hand, though no browser lays out so many", async ({ page }) => {
  const [all, every] = [1_000_000, 100];
  const stamp = (place: number) => new Date(Date.UTC(2026, 0, 1) - place * 60_000).toISOString();
  await page.route(/\/v1\/outline/, (route) =>
    route.fulfill({ json: { records: all, marks: Array.from({ length: all / every }, (_, page) => ({ place: (page + 1) * every, at: stamp((page + 1) * every - 1), cursor: `p${page + 1}` })) } }),
  );
  await page.route(/\/v1\/records\?/, (route) => {
    const page = Number((new URL(route.request().url()).searchParams.get("cursor") ?? "p0").slice(1));
    const records = Array.from({ length: every }, (_, place) => page * every + place).map((place) => ({
      id: `r${place}`, text: `Row ${place}`, kind: "note", source: "user", occurred_at: stamp(place), recorded_at: stamp(place), vitals: { tier: "working", importance: 0.5 },
    }));
    return route.fulfill({ json: { records, cursor: page + 1 < all / every ? `p${page + 1}` : null } });
  });
  await open(page, "/memories", { actor: "many" });
  const row = (place: number) => page.locator(`[data-place="${place}"]`);
  await row(0).focus();
  await page.keyboard.press("End");
  await expect(row(all - 1)).toBeFocused();
  await expect(row(all - 1)).toContainText(`Row ${all - 1}`);
  await page.keyboard.press("Home");
  await expect(row(0)).toContainText("Row 0");
  const frame = page.locator(".grid-frame");
  await frame.evaluate((one) => (one.scrollTop = one.scrollHeight));
  // The end of what is laid out is not the end of the list: it goes on.
  await frame.hover();
  await expect(async () => {
    await page.mouse.wheel(0, 20_000);
    const last = async () => Number(await page.locator("[data-place]").last().getAttribute("data-place"));
    await expect.poll(last, { timeout: 5_000 }).toBeGreaterThan(341_000);
  }).toPass();
  await expect(page.getByRole("grid")).toHaveAttribute("aria-rowcount", String(all + 1));
});

test("a space stays where it was typed, though typing pauses after it", async ({ page }) => {
  await open(page, "/memories");
  await toField(page);
  await page.keyboard.type("rooibos ");
  await expect(page).toHaveURL(/q=rooibos$/);
  await page.keyboard.type("tea");
  await expect(page).toHaveURL(/q=rooibos\+tea$/);
});

test("typing asks once it pauses, and counts nothing anew", async ({ page }) => {
  await page.clock.install();
  await open(page, "/memories");
  await expect(page.getByText(/\d pinned/).first()).toBeVisible();
  const asked: string[] = [];
  page.on("request", (request) => {
    const path = new URL(request.url()).pathname;
    if (path === "/v1/stats" || path === "/v1/outline") asked.push(path);
    if (path === "/v1/search" && request.postDataJSON().k > 1) asked.push(request.postDataJSON().query);
  });
  await toField(page);
  // Time stands still between the keys, however slow the machine.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  await page.keyboard.type("rooibos in the");
  expect(asked).toEqual([]);
  await page.clock.resume();
  await expect(page).toHaveURL(/q=rooibos\+in\+the/);
  await expect(page.locator("[data-place='0'] .col-memory")).toContainText(/rooibos/i);
  expect(asked).toEqual(["rooibos in the"]);
});
