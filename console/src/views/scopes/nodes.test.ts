import { expect, test } from "vitest";
import { seenFrom, treeOf, why } from "./nodes";

const WROTE: { node: string; scopes: Record<string, number> }[] = [
  { node: "/a/b", scopes: { local: 1, shared: 2 } },
  { node: "/a-c", scopes: { global: 3 } },
  { node: "/", scopes: { local: 4 } },
];

test("the tree has every node that wrote, those above it, and what each wrote", () => {
  const found = treeOf(WROTE);
  expect(found.map((one) => one.path)).toEqual(["/", "/a", "/a/b", "/a-c"]);
  expect(found[2]?.own).toEqual({ local: 1, shared: 2, global: 0 });
  expect(found[1]?.own).toEqual({ local: 0, shared: 0, global: 0 });
});

test("a node sees its own, what is global, and what is shared one step away", () => {
  const nodes = treeOf(WROTE);
  const sum = (node: string) => seenFrom(nodes, node).reduce((all, one) => all + one.count, 0);
  expect([sum("/"), sum("/a"), sum("/a/b"), sum("/a/b/x"), sum("/a/b/x/y")]).toEqual([7, 5, 6, 5, 3]);
});

test("it is said why a node sees what another wrote", () => {
  expect(why("/a", "/a", "local")).toBe("its own");
  expect(why("/a", "/z", "global")).toBe("global: every node sees it");
  expect(why("/a/b", "/a", "shared")).toBe("inherited: its parent shared it");
  expect(why("/a", "/a/b", "shared")).toBe("shared by a child: one step up");
});
