// A model behind the chat protocol of OpenAI, on a real port, that says what a test lets it say.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export class Model {
  private server: Server | null = null;
  /** What it was sent, one text for each question. */
  readonly heard: string[] = [];
  /** What it says, piece by piece; it waits before a piece until the promise before it is kept. */
  script: (heard: string) => (string | Promise<void>)[] = () => ["Yes."];

  async listen(port = 0): Promise<string> {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => (body += part));
      request.on("end", () => void this.answer(body, response));
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1#scripted`;
  }

  private async answer(body: string, response: ServerResponse): Promise<void> {
    this.heard.push(body);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const piece of this.script(body)) {
      if (typeof piece !== "string") await piece;
      else if (!response.destroyed) response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: piece } }] })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve(null)));
  }
}
