// Keys: who may come in, and with which rights.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { Loading } from "../../parts/Loading";
import { notify } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { TableWrap } from "../../parts/TableWrap";
import { When } from "../../parts/words";
import { MakeKey } from "./MakeKey";

export type Key = {
  id: string;
  name: string;
  worlds: string[] | null;
  actors: string[] | null;
  rights: string[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
};

const listed = (names: string[] | null) => (names === null ? "any" : names.join(", "));

export function Keys() {
  const queries = useQueryClient();
  const [making, make] = useState(false);
  const [going, revoke] = useState<Key | null>(null);
  const { data, error, refetch } = useQuery({ queryKey: ["keys"], queryFn: async () => (await answer(api.GET("/v1/keys"))) as unknown as Key[] });
  const again = () => void queries.invalidateQueries({ queryKey: ["keys"] });
  const keys = data?.toSorted((a, b) => Number(Boolean(a.revoked_at)) - Number(Boolean(b.revoked_at)) || b.created_at.localeCompare(a.created_at));
  return (
    <section className="panel" aria-labelledby="keys">
      <header>
        <h2 id="keys">Keys</h2>
        <span className="small">With a key, an agent or a person gets in from elsewhere. Only a hash of it is kept.</span>
        <span className="spring" />
        <Button look="main" icon="key" onPress={() => make(true)}>
          Make a key…
        </Button>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !keys ? (
        <Loading lines={3} label="Loading keys" />
      ) : keys.length === 0 ? (
        <p className="small">There is no key yet: the server is open on its own machine, and closed to all others.</p>
      ) : (
        <TableWrap label="Keys">
          <table>
            <thead>
              <tr>
                {["Name", "May", "Actors", "Worlds", "Made", "Last used", "Until"].map((one) => (
                  <th scope="col" key={one}>
                    {one}
                  </th>
                ))}
                <th scope="col">
                  <span className="visually-hidden">Revoke</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((one) => (
                <tr key={one.id} className={one.revoked_at ? "revoked" : undefined}>
                  <td>
                    <b>{one.name}</b>
                    <br />
                    <code className="faint">{one.id}</code>
                  </td>
                  <td>{one.rights.join(", ")}</td>
                  <td>{listed(one.actors)}</td>
                  <td>{listed(one.worlds)}</td>
                  <td className="nowrap">
                    <When at={one.created_at} relative />
                  </td>
                  <td className="nowrap">
                    <When at={one.last_used_at} relative />
                  </td>
                  <td className="nowrap">{one.expires_at ? <When at={one.expires_at} /> : "for good"}</td>
                  <td className="number">
                    {one.revoked_at ? (
                      <span className="state bad">revoked</span>
                    ) : (
                      <Button look="danger" icon="bin" onPress={() => revoke(one)} aria-label={`Revoke ${one.name}`}>
                        Revoke…
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      <MakeKey open={making} onClose={() => make(false)} onMade={again} />
      <Confirm
        title={`Revoke the key “${going?.name ?? ""}”?`}
        open={going !== null}
        onClose={() => revoke(null)}
        act="Revoke it"
        icon="bin"
        run={async () => {
          if (!going) return;
          await answer(api.DELETE("/v1/keys/{key_id}", { params: { path: { key_id: going.id } } }));
          again();
          notify(`The key “${going.name}” opens nothing any more.`);
        }}
      >
        <p>
          Whoever uses it is shut out at once. <b>This cannot be taken back</b>: make a new key instead.
        </p>
      </Confirm>
    </section>
  );
}
