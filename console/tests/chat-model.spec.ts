import type { Page } from "@playwright/test";
import { accessible, expect, pictured, test } from "./browser";
import { Model } from "./model";
import { started, type Running } from "./process";

test.describe.configure({ mode: "serial" });
const model = new Model();
let server: Running;

test.beforeAll(async () => {
  const llm = await model.listen();
  server = await started((port) => ["tests/server.py", String(port), "80"], { FOVEAL_LLM: llm });
});
test.afterAll(async () => {
  await model.close();
  await server?.stop();
});

const held = () => {
  let release = () => {};
  return { wait: new Promise<void>((resolve) => (release = resolve)), release: () => release() };
};
const voice = (page: Page, name: string) => page.getByRole("article", { name, exact: true }).last();

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(question);
  await page.keyboard.press("Enter");
}

test("an answer shows as it comes, with and without memory side by side, and its memories open", async ({ page }) => {
  const first = held();
  model.script = (heard) => (heard.includes("Annenstrasse") ? ["You live ", first.wait, "in Graz, ", "Annenstrasse 12."] : ["I do not know ", first.wait, "where you live."]);
  await page.goto(`${server.url}/memory-console/chat?actor=ada&beside=yes`);
  await ask(page, "Where do I live?");
  const [remembering, forgetful] = [voice(page, "With memory"), voice(page, "Without memory")];
  await expect(remembering).toContainText("You live");
  await expect(remembering).toHaveAttribute("aria-busy", "true");
  await expect(remembering).not.toContainText("Annenstrasse");
  await expect(forgetful).toContainText("I do not know");
  first.release();
  await expect(remembering.locator(".words")).toHaveText("You live in Graz, Annenstrasse 12.");
  await expect(remembering).toContainText("Said by scripted, given");
  await expect(forgetful).toContainText("I do not know where you live.");
  await expect(forgetful).toContainText("given nothing to remember");
  await pictured(page, "chat-model");
  await remembering.getByRole("link", { name: /I live in Graz now/ }).click();
  await expect(page).toHaveURL(/\/inspect\/fact-0/);
});

test("a wrong memory is corrected from the answer that used it, and the next answer has it right", async ({ page }) => {
  model.script = (heard) => [heard.includes("Linnea leads the Lantern project with Bo") ? "Linnea, with Bo." : "Linnea."];
  await page.goto(`${server.url}/memory-console/chat?actor=ada`);
  await ask(page, "Who leads the Lantern project?");
  await expect(voice(page, "With memory")).toContainText("Said by scripted");
  await voice(page, "With memory").getByRole("button", { name: /Wrong memory: Linnea leads the Lantern project since May/ }).click();
  const remedies = page.getByRole("dialog", { name: "What is wrong with this memory?" });
  for (const one of ["Correct it", "Never recall it", "Forget it…"]) await expect(remedies.getByRole("button", { name: one })).toBeVisible();
  await remedies.getByRole("button", { name: "Correct it" }).click();
  const edit = page.getByRole("dialog").last();
  await accessible(page);
  await edit.getByRole("textbox").first().fill("Linnea leads the Lantern project with Bo.");
  await edit.getByRole("button", { name: "Write the new version" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await ask(page, "Who leads the Lantern project?");
  await expect(voice(page, "With memory").locator(".words")).toHaveText("Linnea, with Bo.");
});

test("an answer is stopped before its end, and the next question is answered", async ({ page }) => {
  const never = held();
  model.script = () => ["This will take ", never.wait, "forever."];
  await page.goto(`${server.url}/memory-console/chat?actor=ada`);
  await ask(page, "Tell me everything.");
  await expect(voice(page, "With memory")).toContainText("This will take");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(voice(page, "With memory")).toContainText("Stopped before the end.");
  never.release();
  model.script = () => ["In short: ", "tea."];
  await ask(page, "In short, please.");
  await expect(voice(page, "With memory").locator(".words")).toHaveText("In short: tea.");
});

test("a model that is away leaves memories to speak, and a problem with its request id where there are none", async ({ page }) => {
  await model.close();
  await page.goto(`${server.url}/memory-console/chat?actor=ada&beside=yes`);
  await ask(page, "Where do I live?");
  await expect(voice(page, "With memory")).toContainText("No model said this", { timeout: 300_000 });
  await expect(voice(page, "With memory")).toContainText("Graz");
  const problem = voice(page, "Without memory").getByRole("alert");
  await expect(problem).toContainText(/[Rr]equest/, { timeout: 300_000 });
  await expect(problem.locator("code").last()).toHaveText(/^[0-9a-z]{26}$/);
  await pictured(page, "chat-away");
});
