// The call that gives this memory, as others may send it.
import type { At } from "../../api/whose";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export function calls(id: string, at: At, origin: string): Record<"curl" | "Python" | "MCP", string> {
  const query = new URLSearchParams(at);
  return {
    curl: `curl -H "Authorization: Bearer $FOVEAL_KEY" ${quoted(`${origin}/v1/records/${encodeURIComponent(id)}?${query}`)}`,
    Python: [
      "from foveal import connect",
      "",
      `memory = connect(${JSON.stringify(origin)})`,
      `record = memory.get(${JSON.stringify(id)}, actor_id=${JSON.stringify(at.actor_id)}, world=${JSON.stringify(at.world)}, node=${JSON.stringify(at.node)})`,
    ].join("\n"),
    MCP: JSON.stringify({ method: "tools/call", params: { name: "memory_get", arguments: { id } } }, null, 2),
  };
}
