// Server-sent events, out of the parts in which they come.

/** An event of the server: its kind, its data, and the number after which a stream goes on. */
export type ServerEvent = { kind: string; data: unknown; id: string };

/** The events in a stream, each as soon as it is whole. */
export async function* eventsIn(parts: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of parts) {
    text += decoder.decode(part, { stream: true }).replaceAll("\r\n", "\n");
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

/** The event of a block of lines; comments have none. */
function eventIn(block: string): ServerEvent | null {
  const said = { kind: "message", data: [] as string[], id: "" };
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name === "event") said.kind = value;
    else if (name === "data") said.data.push(value);
    else if (name === "id") said.id = value;
  }
  return said.data.length ? { ...said, data: JSON.parse(said.data.join("\n")) } : null;
}
