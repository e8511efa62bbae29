// The memory of an actor as a file, with how much of it has come.
import { useState } from "react";
import { notify, notifyFailure } from "../parts/notices";
import { authorization, fetched, querySerializer } from "./client";
import { problemOf } from "./problem";
import type { At } from "./whose";

const MEGA = 1_000_000;

/** Give the reader a file. */
export function saved(text: BlobPart | BlobPart[], name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(Array.isArray(text) ? text : [text], { type: "application/x-ndjson" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** How far something of so many bytes is, in words. */
export function howFar(done: number, of: number): string {
  if (of > 0) return `${Math.floor((100 * done) / of)} % of ${(of / MEGA).toFixed(1)} MB`;
  return done > 0 ? `${(done / MEGA).toFixed(1)} MB` : "the server gathers it";
}

export function useExport(at: At) {
  const [progress, set] = useState<{ done: number; of: number } | null>(null);
  const run = async () => {
    set({ done: 0, of: 0 });
    try {
      const response = await fetched(`/v1/export?${querySerializer(at)}`);
      const of = Number(response.headers.get("Content-Length") ?? 0);
      const parts: BlobPart[] = [];
      const reader = response.body?.getReader();
      let done = 0;
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        parts.push(part.value);
        done += part.value.length;
        set({ done, of });
      }
      saved(parts, `${at.actor_id}.jsonl`);
      notify(`Exported the memory of ${at.actor_id}: ${(done / MEGA).toFixed(1)} MB.`);
    } catch (error) {
      notifyFailure(error);
    } finally {
      set(null);
    }
  };
  return { busy: progress !== null, progress, told: progress ? `Exporting: ${howFar(progress.done, progress.of)}` : "", run: () => void run() };
}

/** Send a file, and say how much of it is on its way: what `fetch` does not tell. */
export function sending(path: string, text: string, progress: (done: number, of: number) => void): Promise<unknown> {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    for (const [name, value] of Object.entries({ ...authorization(), "Content-Type": "application/x-ndjson" })) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => progress(event.loaded, event.total);
    request.onerror = () => failed(new TypeError("the server cannot be reached"));
    request.onload = () => {
      if (request.status < 300) return done(JSON.parse(request.responseText));
      problemOf(new Response(request.responseText, { status: request.status, headers: { "x-request-id": request.getResponseHeader("x-request-id") ?? "" } })).then(failed, failed);
    };
    request.send(text);
  });
}
