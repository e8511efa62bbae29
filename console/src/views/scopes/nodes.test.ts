import { expect, test } from "vitest";
import type { Memory } from "../../api/client";
import { nodesOf, why } from "./nodes";

const wrote = (node: string, scope: string) => ({ node, scope }) as Memory;

test("the tree has every node that wrote, those above it, and what each wrote", () => {
  const found = nodesOf([wrote("/a/b", "local"), wrote("/a-c", "global"), wrote("/", "global")]);
  expect(found.map((one) => one.path)).toEqual(["/", "/a", "/a/b", "/a-c"]);
  expect(found[2]?.own).toEqual({ local: 1, shared: 0, global: 0 });
  expect(found[1]?.own).toEqual({ local: 0, shared: 0, global: 0 });
});

test("it is said why a node sees what another wrote", () => {
  expect(why("/a", "/a", "local")).toBe("its own");
  expect(why("/a", "/z", "global")).toBe("global: every node sees it");
  expect(why("/a/b", "/a", "shared")).toBe("inherited: its parent shared it");
  expect(why("/a", "/a/b", "shared")).toBe("shared by a child: one step up");
});
