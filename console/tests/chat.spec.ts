import { expect, open, pictured, test, toField } from "./browser";

test("an answer shows the memories it rests on, and says that no model spoke", async ({ page }) => {
  await open(page, "/chat", { beside: "yes" });
  await expect(page.getByText("Ask something that only this memory knows")).toBeVisible();
  await toField(page);
  await page.keyboard.type("Where do I live?");
  await page.keyboard.press("Enter");
  const remembering = page.getByRole("article", { name: "With memory", exact: true });
  await expect(remembering).toContainText("Graz");
  await expect(remembering).toContainText("No model said this");
  expect((await remembering.innerText()).split("there is no language model")).toHaveLength(2);
  await expect(remembering.locator(".source .how").first()).toHaveText(/^\d+ % likely to help/);
  expect(await remembering.locator(".source").count()).toBeLessThanOrEqual(5);
  await remembering.getByText("Connect a model").click();
  await expect(remembering.getByText("FOVEAL_LLM=http://127.0.0.1:11434/v1#llama3.2")).toBeVisible();
  await expect(page.getByRole("article", { name: "Without memory" })).toContainText("I cannot answer");
  await pictured(page, "chat");
  await remembering.getByRole("link", { name: /I live in Graz now/ }).click();
  await expect(page).toHaveURL(/\/inspect\/fact-0/);
  await page.goBack();
  await expect(remembering).toContainText("Graz");
});

test("an empty chat offers the questions that were asked lately", async ({ page }) => {
  await open(page, "/chat");
  const offered = page.getByRole("group", { name: "Asked lately" }).getByRole("button").first();
  const question = (await offered.textContent()) ?? "";
  await offered.click();
  await expect(page.locator(".asked")).toContainText(question);
  await expect(page.getByRole("article", { name: "With memory", exact: true })).toBeVisible();
});

test("a wrong memory is never recalled again, and that is taken back", async ({ page }) => {
  await open(page, "/chat");
  const ask = async () => {
    await page.getByRole("textbox", { name: "Message" }).fill("Which tram line goes past Annenstrasse 12 in Graz?");
    await page.keyboard.press("Enter");
  };
  const latest = page.getByRole("article", { name: "With memory" }).last();
  await ask();
  await latest.getByRole("button", { name: /Wrong memory: I live in Graz now/ }).click();
  await pictured(page, "chat-wrong");
  await page.getByRole("button", { name: "Never recall it" }).click();
  await expect(page.getByText("It will never be recalled.")).toBeVisible();
  await page.getByRole("button", { name: "Clear" }).click();
  await ask();
  await expect(latest.locator(".source").first()).toBeVisible();
  await expect(latest.getByRole("link", { name: /I live in Graz now/ })).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Taken back.")).toBeVisible();
  await page.getByRole("button", { name: "Clear" }).click();
  await ask();
  await expect(latest.getByRole("link", { name: /I live in Graz now/ })).toBeVisible();
});

test("a wrong memory is corrected where it stands, and what was said is not remembered if nobody wants it", async ({ page }) => {
  const told = "The spare key of the shed lies under the blue pot.";
  const made = await (await page.request.post("/v1/records", { data: { actor_id: "ada", text: told } })).json();
  await open(page, "/chat");
  const question = "Where does the spare key of the shed lie?";
  await page.getByRole("textbox", { name: "Message" }).fill(question);
  await page.keyboard.press("Enter");
  const latest = page.getByRole("article", { name: "With memory" }).last();
  await latest.getByRole("button", { name: `Correct: ${told}` }).click();
  await latest.getByRole("textbox", { name: "What is true" }).fill("The spare key of the shed lies under the red pot.");
  await latest.getByRole("button", { name: "Correct", exact: true }).click();
  await expect(latest.getByRole("link", { name: "The spare key of the shed lies under the red pot." })).toBeVisible();
  const now = await (await page.request.get(`/v1/records/${made.ids[0]}?actor_id=ada`)).json();
  expect(now.text).toContain("red pot");
  await page.getByRole("button", { name: "Don’t remember this" }).click();
  await expect(page.getByText("This is not remembered.")).toBeVisible();
  const texts = async () => ((await (await page.request.get("/v1/records?actor_id=ada&limit=20")).json()) as { records: { text: string }[] }).records.map((one) => one.text);
  expect(await texts()).not.toContain(question);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByRole("button", { name: "Don’t remember this" })).toBeVisible();
  expect(await texts()).toContain(question);
});

test("what is erased is neither shown nor asked for in an answer that had it", async ({ page }) => {
  const told = "The code of the bicycle lock is 4711.";
  await page.request.post("/v1/records", { data: { actor_id: "ada", text: told } });
  await open(page, "/chat");
  const send = async () => {
    await page.getByRole("textbox", { name: "Message" }).fill("What is the code of the bicycle lock?");
    await page.getByRole("button", { name: "Send" }).click();
  };
  await send();
  const latest = page.getByRole("article", { name: "With memory" }).last();
  await expect(latest.locator(".words")).toContainText("4711");
  await latest.getByRole("button", { name: `Wrong memory: ${told}` }).click();
  await page.getByRole("button", { name: "Forget it…" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("radio", { name: /Erase for good/ }).check();
  await dialog.getByLabel("I know that this cannot be undone").check();
  await dialog.getByRole("button", { name: "Erase 1 memory" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(latest).toContainText("This answer rested on a memory that was erased.");
  await expect(latest.getByText("This memory was erased.")).toBeVisible();
  await expect(latest.getByRole("link", { name: told })).toHaveCount(0);
  // A notice covers nothing: the next message is sent below it.
  await page.getByRole("button", { name: "Don’t remember this" }).click();
  await expect(page.getByRole("region", { name: "Notices" }).getByRole("button", { name: "Undo" })).toBeVisible();
  await send();
  await expect(page.locator(".turn")).toHaveCount(2);
});

test("a question that is asked again is not shown as a memory of itself", async ({ page }) => {
  await open(page, "/chat");
  const question = "Which city did I move to this year?";
  for (const time of [1, 2]) {
    await page.getByLabel("Message").fill(question);
    await page.keyboard.press("Enter");
    await expect(page.locator(".turn")).toHaveCount(time);
    const chips = page.locator(".turn").last().locator(".source a");
    await expect(chips.first()).toBeVisible();
    expect(await chips.allInnerTexts()).not.toContain(question);
  }
});

test("an answer that nothing is relevant for says so", async ({ page }) => {
  const answer = { text: "I remember nothing about this.", extractive: true, degraded: "there is no language model", model: "" };
  const context = { items: [], tokens: 0, receipt: { token_budget: 2048, nothing_relevant: true } };
  const body = `event: answer\ndata: ${JSON.stringify({ ...answer, context })}\n\n`;
  await page.route("**/api/agent/chat", (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await open(page, "/chat");
  await page.getByLabel("Message").fill("Who won the cup in 1912?");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Nothing found: no memory is likely to help with this.")).toBeVisible();
});
