import { expect, open, pictured, tabTo, test, toField } from "./browser";

test("the lens shows what a question brings, why, and replays it as the budget moves", async ({ page, forgive }) => {
  forgive(/422/);
  await open(page, "/lens");
  await page.getByPlaceholder("A question, as a user would ask it").fill("where do I live");
  await page.keyboard.press("Enter");
  const side = page.getByRole("region", { name: "Policy foveated" });
  await expect(side.getByRole("link", { name: /I live in Graz now/ })).toBeVisible();
  await expect(side.getByText(/of 600\./)).toBeVisible();
  await expect(side.getByRole("row", { name: /fovea word for word/ })).toBeVisible();
  await side.getByText("likely to help: why?").first().click();
  await expect(side.getByText("whether this memory can answer, and what else it found").first()).toBeVisible();
  await expect(side.getByRole("region", { name: "The text as the model gets it" })).toContainText("I live in Graz now");
  await page.getByRole("slider").focus();
  await page.keyboard.press("PageUp");
  await expect(page).toHaveURL(/budget=\d+/);
  await expect(side.getByText(/of 600\./)).toBeHidden();
  await page.getByLabel("Budget in tokens").fill("10");
  await expect(page.getByRole("alert")).toContainText("holds no item");
  await page.getByRole("button", { name: /^Use \d+ tokens$/ }).click();
  await expect(page.getByRole("alert")).toBeHidden();
});

test("two policies stand side by side, and what was cut says why", async ({ page }) => {
  await open(page, "/lens", { q: "who leads Heron and what is its budget", budget: "300", other: "recent" });
  const left = page.getByRole("region", { name: "Policy foveated" });
  const right = page.getByRole("region", { name: "Policy recent" });
  await expect(right.getByText("only here").first()).toBeVisible();
  await expect(page.getByText(/^\d+ memor\w+ in both, \d+ only in foveated, \d+ only in recent\.$/)).toBeVisible();
  await pictured(page, "lens");
  await page.getByLabel("Only the differences").check();
  await expect(right.locator(".shown > li:not(.only-here)")).toHaveCount(0);
  await page.getByLabel("Only the differences").uncheck();
  await left.getByRole("button", { name: /no room was left in the budget/ }).click();
  await expect(left.locator(".cuts ol a").first()).toBeVisible();
  await left.locator(".shown a").first().click();
  await expect(page).toHaveURL(/\/inspect\//);
});

test("a lens says when nothing is relevant, and marks what a later memory says anew", async ({ page }) => {
  await page.route("**/v1/read", async (route) => {
    const context = (await (await route.fetch()).json()) as { items: object[]; receipt: object };
    const [first, ...rest] = context.items;
    await route.fulfill({ json: { ...context, items: [{ ...first, replaced_by: "fact-1" }, ...rest], receipt: { ...context.receipt, nothing_relevant: true } } });
  });
  await open(page, "/lens", { q: "where do I live" });
  const side = page.getByRole("region", { name: "Policy foveated" });
  await expect(side.getByText("Nothing found: no memory is likely to help with this question.")).toBeVisible();
  await expect(side.locator(".tag.older")).toHaveCount(1);
  await pictured(page, "lens-nothing");
});

test("a lens without a question looks at the last one, and offers those before; where none was asked it teaches", async ({ page }) => {
  await open(page, "/lens");
  await expect(page.getByText("This was asked last.")).toBeVisible();
  await expect(page.getByPlaceholder("A question, as a user would ask it")).not.toHaveValue("");
  await expect(page.getByRole("region", { name: "Policy foveated" })).toBeVisible();
  await page.getByRole("group", { name: "Asked lately" }).getByRole("link").first().click();
  await expect(page).toHaveURL(/q=/);
  await expect(page.getByText("This was asked last.")).toHaveCount(0);
  await open(page, "/lens", { actor: "nobody" });
  await expect(page.getByText("Ask as a user would")).toBeVisible();
});

test("with the keyboard alone: ask, change the budget, open what came; and the log of reads stays as it was", async ({ page }) => {
  const reads = () => page.evaluate(async () => ((await (await fetch("/v1/recalls?actor_id=ada&limit=200")).json()) as { query: string }[]).map((one) => one.query));
  await open(page, "/lens");
  await expect(page.getByText("This was asked last.")).toBeVisible();
  const before = await reads();
  await toField(page);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("where do I live");
  await page.keyboard.press("Enter");
  const side = page.getByRole("region", { name: "Policy foveated" });
  await expect(side.getByText(/of 600\./)).toBeVisible();
  await tabTo(page, page.getByRole("slider"));
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(side.getByText(/of 600\./)).toBeHidden();
  const item = side.getByRole("link", { name: /I live in Graz now/ });
  await tabTo(page, item);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/inspect\/fact-/);
  expect(await reads()).toEqual(before);
});
