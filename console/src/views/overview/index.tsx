// Overview: what is remembered about whom, what changed lately, what was recalled, what needs attention.
import { useState } from "react";
import { useMay } from "../../api/caller";
import { useWhose } from "../../api/whose";
import { openDialog } from "../../app/dialogs";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { ProblemNote } from "../../parts/ProblemNote";
import { useShortcut } from "../../parts/shortcuts";
import { counted, Span } from "../../parts/words";
import { go, Link } from "../../route/router";
import "../../style/sheet.css";
import { useStats } from "./asking";
import { Attention } from "./Attention";
import { Changed, Recalled } from "./Lately";
import { Known } from "./Known";
import "./overview.css";

export default function Overview() {
  const at = useWhose();
  const mayWrite = useMay("write");
  const { data: stats, error, refetch } = useStats();
  return (
    <section className="sheet overview" aria-labelledby="title">
      <header>
        <h1 id="title">What {at.actor_id === "me" ? "I remember" : `${at.actor_id} remembers`}</h1>
        <p className="small" aria-live="polite">
          {stats && stats.records > 0 && (
            <>
              {counted(stats.records, "memory", "memories")} <Span from={stats.first_at} to={stats.last_at} />, in {counted(stats.sessions, "session")}
            </>
          )}
        </p>
        <span className="spring" />
        {mayWrite && (
          <Button look="main" icon="plus" onPress={() => openDialog("add")}>
            Add a memory
          </Button>
        )}
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !stats ? (
        <Loading lines={14} label="Loading the overview" />
      ) : stats.records === 0 ? (
        <Nothing actor={at.actor_id} mayWrite={mayWrite} />
      ) : (
        <>
          <Ask />
          <div className="overview-columns">
            <Known stats={stats} />
            <div className="overview-side">
              <Attention stats={stats} />
              <Recalled />
            </div>
          </div>
          <Changed />
        </>
      )}
    </section>
  );
}

/** The question people come with. */
function Ask() {
  const [typed, type] = useState("");
  const query = typed.trim();
  useShortcut("/", "Search the memories", () => document.querySelector<HTMLInputElement>(".overview .search input")?.focus());
  return (
    <form
      className="ask"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (query) go("/memories", { q: query });
      }}
    >
      <label className="search">
        <span className="visually-hidden">Search the memories by words and by meaning</span>
        <Icon name="search" />
        <input type="search" placeholder="What does it remember about …?" value={typed} onChange={(event) => type(event.target.value)} />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <Button type="submit" isDisabled={!query}>
        Search
      </Button>
      <Button icon="lens" isDisabled={!query} onPress={() => go("/lens", { q: query })}>
        What would a model get?
      </Button>
    </form>
  );
}

function Nothing({ actor, mayWrite }: { actor: string; mayWrite: boolean }) {
  return (
    <Empty icon="home" title="Nothing is remembered yet">
      <p>A memory is a text that was said, done or learned. Write the first one here, or from a shell or a program:</p>
      {mayWrite && (
        <Button look="main" icon="plus" onPress={() => openDialog("add")}>
          Add a memory
        </Button>
      )}
      <pre>{`foveal remember "I live in Graz." --actor-id ${actor}`}</pre>
      <p>
        To look around first, make a memory to play with: <code>foveal demo --path demo.db</code>, then <code>foveal -u demo.db console</code>. If you expected memories here, press <kbd>w</kbd> to{" "}
        <button type="button" className="as-link" onClick={() => openDialog("whose")}>
          choose whose memory
        </button>
        , or <Link to="/settings">import a file</Link>.
      </p>
    </Empty>
  );
}
