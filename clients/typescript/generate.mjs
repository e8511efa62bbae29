// Makes the types and the table of routes from the OpenAPI document of the server.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const document = JSON.parse(readFileSync(new URL("../../docs/reference/openapi.json", import.meta.url), "utf8"));
const HEAD = "// Made from docs/reference/openapi.json by generate.mjs.\n";
const METHODS = ["get", "post", "put", "patch", "delete"];
const AT = ["actor_id", "world", "node", "session_id"];
const JSON_TYPE = "application/json";

const routes = {};
for (const [path, methods] of Object.entries(document.paths)) {
  for (const method of METHODS.filter((name) => name in methods)) {
    if (methods[method].operationId.endsWith(".old")) {
      delete methods[method];
      continue;
    }
    const { operationId, parameters = [], requestBody, responses } = methods[method];
    const sent = requestBody?.content[JSON_TYPE]?.schema.properties;
    for (const one of parameters.filter((one) => one.content)) {
      // Sent as JSON text, which `queryOf` makes of an object.
      one.schema = one.content[JSON_TYPE].schema;
      delete one.content;
    }
    // A default is what the server takes for a field that is left out, so the field may be left out.
    for (const schema of [...Object.values(sent ?? {}), ...parameters.map((one) => one.schema ?? {})]) delete schema.default;
    const answers = responses["204"] !== undefined || responses["200"]?.content?.[JSON_TYPE] !== undefined;
    if (!answers || (requestBody && !sent)) continue;
    const named = (place) => parameters.filter((one) => one.in === place).map((one) => one.name);
    const known = sent ? Object.keys(sent) : named("query");
    routes[operationId] = {
      method: method.toUpperCase(),
      path,
      // Which names of a viewpoint the operation takes, and whether the server recognises a repeated request.
      at: AT.filter((name) => known.includes(name)),
      keyed: named("header").includes("Idempotency-Key"),
    };
  }
}

const types = astToString(await openapiTS(document));
writeFileSync(new URL("src/schema.ts", import.meta.url), HEAD + types);
const lines = Object.entries(routes).map(([name, route]) => `  ${JSON.stringify(name)}: ${JSON.stringify(route)},\n`);
writeFileSync(new URL("src/routes.ts", import.meta.url), `${HEAD}export const ROUTES = {\n${lines.join("")}} as const;\n`);
