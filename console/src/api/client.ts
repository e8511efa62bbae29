// The server, with the types of its own description.
import createClient from "openapi-fetch";
import { problemOf } from "./problem";
import type { components, paths } from "./schema";
import { drop, token } from "./session";

export type Schemas = components["schemas"];
export type Memory = Schemas["Record"];

/** Lists are said by repeating a name, objects as JSON text; nothing is said by leaving it out. */
export function querySerializer(query: Record<string, unknown>): string {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value])
      said.append(name, typeof one === "object" ? JSON.stringify(one) : String(one));
  }
  return said.toString();
}

export function authorization(): Record<string, string> {
  const key = token();
  return key ? { Authorization: `Bearer ${key}` } : {};
}

export const api = createClient<paths>({ baseUrl: location.origin, querySerializer });

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value);
    return request;
  },
  async onResponse({ request, response }) {
    if (response.ok) return response;
    const problem = await problemOf(response);
    // What was asked before another signed in says nothing about who is signed in now.
    if (response.status === 401 && token() && request.headers.get("Authorization") === `Bearer ${token()}`) drop(problem);
    throw problem;
  },
});

/** The answer itself: a failure was thrown before. */
export async function answer<T>(asked: Promise<{ data?: T }>): Promise<T> {
  return (await asked).data as T;
}

/** Fetch what is no JSON (a file, a stream of events) with the same key and the same problems. */
export async function fetched(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...init, headers: { ...authorization(), ...init.headers } });
  if (!response.ok) throw await problemOf(response);
  return response;
}
