import { expect, test } from "vitest";
import { inTree, type Lineage } from "./lineage";

const crystal = (crystal_id: string, parent_crystal: string | null, timestamp: string) => ({ crystal_id, parent_crystal, timestamp }) as Lineage;

test("children stand below their parent, and whose parent is not seen stands alone", () => {
  const all = [crystal("b", "a", "3"), crystal("a", null, "1"), crystal("c", "b", "4"), crystal("x", "gone", "2")];
  expect(inTree(all).map((one) => `${one.depth} ${one.one.crystal_id}`)).toEqual(["0 a", "1 b", "2 c", "0 x"]);
});
