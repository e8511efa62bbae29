// Every operation of the server by its name, with the types that its description gives.
import { Invalid } from "./errors.js";
import { ROUTES } from "./routes.js";
import type { components, operations } from "./schema.js";
import type { Asked } from "./transport.js";

/** The values that the server answers with, by their names. */
export type Schemas = components["schemas"];

/** The name of an operation: `write`, `ledger.store_goal`, … */
export type Operation = keyof typeof ROUTES & keyof operations;

type Json<T> = T extends { content: { "application/json": infer Content } } ? Content : never;
type Known<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Sent<T> = T extends { requestBody?: infer Body } ? Known<Json<NonNullable<Body>>> : unknown;
type In<O extends Operation, Place extends "path" | "query"> = Known<operations[O]["parameters"][Place]>;
type Merged<T> = { [Name in keyof T]: T[Name] };

/** What an operation takes: its path, query and body in one object. */
export type Arguments<O extends Operation> = Merged<In<O, "path"> & In<O, "query"> & Sent<operations[O]>>;

/** What an operation answers; nothing if it has no content. */
export type Answer<O extends Operation> = operations[O]["responses"] extends { 200: infer Good } ? Json<Good> : void;

/** Whose memory it is, in which world, and which agent and session speak. */
export type Viewpoint = { actorId?: string; world?: string; node?: string; sessionId?: string | null };

/** A viewpoint in the names of the server, without what is not said. */
export function named(at: Viewpoint): Record<string, unknown> {
  const names = { actor_id: at.actorId, world: at.world, node: at.node, session_id: at.sessionId };
  return Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
}

/** The request for an operation from a viewpoint, and whether the server recognises it when it comes again. */
export function asked(name: Operation, given: object, at: Record<string, unknown>): Asked & { keyed: boolean } {
  const route: { method: string; path: string; at: readonly string[]; keyed: boolean } | undefined = ROUTES[name];
  if (!route) throw new Invalid(`there is no operation ${name}`);
  const seen = Object.entries(at).filter(([field]) => route.at.includes(field));
  const left: Record<string, unknown> = { ...Object.fromEntries(seen), ...given };
  const path = route.path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = left[field];
    delete left[field];
    return pathPart(field, value);
  });
  const request = { method: route.method, path, keyed: route.keyed };
  if (route.method === "GET" || route.method === "DELETE") return { ...request, query: queryOf(left) };
  return { ...request, body: left };
}

function pathPart(field: string, value: unknown): string {
  const text = String(value ?? "");
  // `.` and `..` would be resolved as steps in the path.
  if (["", ".", ".."].includes(text)) throw new Invalid(`${field} must be a name, not ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}

/** Lists repeat their name, objects are JSON text; nothing is said by leaving it out. */
export function queryOf(values: Record<string, unknown>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, typeof one === "object" ? JSON.stringify(one) : String(one));
  }
  return query;
}
