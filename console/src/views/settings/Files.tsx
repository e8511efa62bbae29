// The memory of an actor out of the store and into it, as a file.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useMay } from "../../api/caller";
import { querySerializer, type Schemas } from "../../api/client";
import { howFar, sending, useExport } from "../../api/exporting";
import { useWhose } from "../../api/whose";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { notifyFailure } from "../../parts/notices";
import { counted } from "../../parts/words";

type Chosen = { name: string; text: string; lines: number };

export function Files() {
  const at = useWhose();
  const may = useMay("write");
  const queries = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const [chosen, choose] = useState<Chosen | null>(null);
  const [done, setDone] = useState<Schemas["Imported"] | null>(null);
  const { busy, progress, told, run: out } = useExport(at);
  const [sent, setSent] = useState<{ done: number; of: number } | null>(null);
  const take = async (file: File | undefined) => {
    if (!file) return;
    const text = await file.text();
    choose({ name: file.name, text, lines: text.split("\n").filter((line) => line.trim()).length });
    if (field.current) field.current.value = "";
  };
  return (
    <section className="panel" aria-labelledby="files">
      <header>
        <h2 id="files">Import and export</h2>
        <span className="small">
          The whole memory of <b>{at.actor_id}</b> in <b>{at.world}</b>, as JSON lines: versions, links, sessions, crystals, ledger.
        </span>
      </header>
      <div className="row">
        <Button icon="down" isDisabled={busy} onPress={out}>
          Export
        </Button>
        {may && (
          <Button icon="up" onPress={() => field.current?.click()}>
            Import…
          </Button>
        )}
        <input ref={field} className="visually-hidden" tabIndex={-1} aria-label="The file to import" type="file" accept=".jsonl,.ndjson,application/x-ndjson" onChange={(event) => void take(event.target.files?.[0])} />
      </div>
      <div aria-live="polite">
        {busy && <Far told={told} of={progress} />}
        {sent && <Far told={sent.done < sent.of ? `Sending: ${howFar(sent.done, sent.of)}` : "The server reads it in"} of={sent.done < sent.of ? sent : null} />}
        {done && <Result done={done} />}
      </div>
      <Confirm
        title={`Import ${chosen?.name ?? ""}?`}
        open={chosen !== null}
        onClose={() => choose(null)}
        act="Import it"
        icon="up"
        look="main"
        run={async () => {
          if (!chosen) return;
          const { text } = chosen;
          choose(null);
          setDone(null);
          sending(`/v1/import?${querySerializer(at)}`, text, (done, of) => setSent({ done, of }))
            .then((told) => setDone(told as Schemas["Imported"]), notifyFailure)
            .finally(() => {
              setSent(null);
              void queries.invalidateQueries({ queryKey: ["records"] });
            });
        }}
      >
        <p>
          {counted(chosen?.lines ?? 0, "line")} are brought into the memory of <b>{at.actor_id}</b>. What is there already is left as it is; what is new can be forgotten again, one by one or in bulk.
        </p>
      </Confirm>
    </section>
  );
}

function Result({ done }: { done: Schemas["Imported"] }) {
  const rejected = done.rejected ?? [];
  return (
    <>
      <p>
        Imported <b>{counted(done.records ?? 0, "memory", "memories")}</b>, {counted(done.versions ?? 0, "version")}, {counted(done.links ?? 0, "link")}, {counted(done.sessions ?? 0, "session")}, {counted(done.crystals ?? 0, "crystal")}. {counted(done.known ?? 0, "line was", "lines were")} known already.
      </p>
      {rejected.length > 0 && (
        <ul className="small">
          {rejected.slice(0, 10).map((one) => (
            <li key={one.index}>
              Line {one.index + 1}: {one.message} (<code>{one.code}</code>)
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Far({ told, of }: { told: string; of: { done: number; of: number } | null }) {
  return (
    <div className="running">
      <progress aria-label={told} {...(of && of.of > 0 && { value: of.done, max: of.of })} />
      <span>{told}</span>
    </div>
  );
}
