import tests from "./playwright.config";

export default { ...tests, testDir: "pictures" };
