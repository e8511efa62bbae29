// How a read fills its budget and what tiers may hold: what holds, from where, and a form that changes it for everyone.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "../../api/caller";
import { answer, api } from "../../api/client";
import { POLICIES_KEY, usePolicies } from "../../api/policies";
import { Button } from "../../parts/Button";
import { Loading } from "../../parts/Loading";
import { notify, notifyFailure } from "../../parts/notices";
import { ProblemNote } from "../../parts/ProblemNote";
import { TableWrap } from "../../parts/TableWrap";
import { When } from "../../parts/words";
import { Link } from "../../route/router";
import { BOUNDS, DEPTHS, drafted, fieldOf, labelOf, READS, TIERS, toldOf, undoing, type Value } from "./values";

type Change = { values?: Record<string, unknown>; reset?: string[] };
type Fields = Record<string, string>;
type Form = { held: Map<string, Value>; fields: Fields; say: (name: string, field: string) => void; may: boolean };

export function Policies() {
  const may = useMay("admin");
  const queries = useQueryClient();
  const { data, error, refetch } = usePolicies();
  const [fields, setFields] = useState<Fields>({});
  const [failed, fail] = useState<unknown>();
  const put = async (change: Change) => {
    const after = await answer(api.PATCH("/v1/policies", { body: change }));
    queries.setQueryData(POLICIES_KEY, after);
    await queries.invalidateQueries({ queryKey: ["records"] });
    return after;
  };
  const save = async (change: Change, told: string) => {
    const before = data ?? [];
    try {
      const after = await put(change);
      setFields({});
      fail(undefined);
      notify(told, () => put(undoing(before, after)));
    } catch (error) {
      fail(error);
    }
  };
  const draft = drafted(data ?? [], fields);
  const count = Object.keys(draft.values).length;
  const kept = (data ?? []).filter((one) => one.origin === "store");
  const form: Form = { held: new Map((data ?? []).map((one) => [one.name, one])), fields, say: (name, field) => setFields({ ...fields, [name]: field }), may };
  return (
    <section className="panel policies" aria-labelledby="policies">
      <header>
        <h2 id="policies">Policies</h2>
        <span className="small">
          How a read divides its budget and how much the tiers hold. What is saved applies from the next read, on every server of this store.
          {!may && " To change them needs a key that may administer."}
        </span>
      </header>
      {error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={8} label="Asking for the policies" />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (count && !draft.wrong) void save({ values: draft.values }, "Saved: the next read takes it.");
          }}
        >
          <Reads form={form} />
          <Tiers form={form} />
          <div className="row saving" aria-live="polite">
            {draft.wrong && <p className="state bad wrong">{draft.wrong}</p>}
            {failed !== undefined && <ProblemNote error={failed} />}
            {may && (
              <>
                <Button look="main" icon="check" type="submit" isDisabled={!count || draft.wrong !== null}>
                  {count ? `Save ${count} ${count === 1 ? "change" : "changes"}` : "Save"}
                </Button>
                {Object.keys(fields).length > 0 && (
                  <Button look="quiet" onPress={() => setFields({})}>
                    As it is now
                  </Button>
                )}
                <span className="spring" />
                <Button icon="undo" isDisabled={!kept.length} onPress={() => void save({ reset: kept.map((one) => one.name) }, "Reset: the settings hold again.").catch(notifyFailure)}>
                  Reset all
                </Button>
              </>
            )}
          </div>
          <Kept kept={kept} reset={may ? (name) => void save({ reset: [name] }, `Reset: ${labelOf(name)} is as the settings say.`) : undefined} />
        </form>
      )}
    </section>
  );
}

function Field({ name, label, form }: { name: string; label: string; form: Form }) {
  const one = form.held.get(name);
  if (!one) return null;
  const field = form.fields[name] ?? fieldOf(name, one.value);
  const said = field !== fieldOf(name, one.value);
  const kind = READS[name]?.kind ?? (typeof one.otherwise === "boolean" ? "flag" : name.endsWith("promote_threshold") ? "count" : "bound");
  const shared = { "aria-label": label, disabled: !form.may, className: said ? "said" : one.origin === "store" ? "kept" : undefined };
  if (kind === "flag" || kind === "choice")
    return (
      <select {...shared} value={field} onChange={(event) => form.say(name, event.target.value)}>
        {(kind === "flag" ? ["true", "false"] : DEPTHS.map((_, place) => String(place))).map((option) => (
          <option key={option} value={option}>
            {kind === "flag" ? (option === "true" ? "yes" : "no") : DEPTHS[Number(option)]}
          </option>
        ))}
      </select>
    );
  return (
    <span className="unit">
      <input
        {...shared}
        type="number"
        min={0}
        max={kind === "share" ? 100 : undefined}
        step={kind === "count" || name.endsWith("capacity") ? 1 : "any"}
        placeholder={kind === "bound" ? toldOf(name, null) : undefined}
        value={field}
        onChange={(event) => form.say(name, event.target.value)}
      />
      {kind === "share" && <span aria-hidden="true">%</span>}
    </span>
  );
}

const SHARES = ["policy.relevant_ratio", "policy.recent_ratio", "policy.early_ratio"];

function Reads({ form }: { form: Form }) {
  const now = (name: string) => Number(form.fields[name] ?? fieldOf(name, form.held.get(name)?.value)) || 0;
  return (
    <fieldset>
      <legend>How a read fills its budget</legend>
      <p className="small">
        The policy <b>foveated</b> keeps a part of the budget for each of these; what one does not need, the others get. <Link to="/lens">Try it in the lens</Link>.
      </p>
      <div className="parted" aria-hidden="true">
        {SHARES.map((name, place) => (
          <span key={name} className={`part-${place}`} style={{ flexGrow: now(name), display: now(name) ? undefined : "none" }}>
            {now(name)} %
          </span>
        ))}
      </div>
      <ul className="values">
        {Object.entries(READS).map(([name, { label, means }]) => (
          <li key={name}>
            <span className="what">
              {SHARES.includes(name) && <span className={`dot part-${SHARES.indexOf(name)}`} aria-hidden="true" />}
              {label} <span className="faint">{means}</span>
            </span>
            <Field name={name} label={label} form={form} />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

// Nothing leaves the last tier for another.
const LAST = TIERS.length - 1;
const LASTS = { capacity: true, retention_hours: true };

function Tiers({ form }: { form: Form }) {
  return (
    <fieldset>
      <legend>What the tiers may hold</legend>
      <TableWrap label="Policies of the tiers">
        <table className="bounds">
          <thead>
            <tr>
              <th scope="col">Tier</th>
              {Object.values(BOUNDS).map((told) => (
                <th scope="col" key={told}>
                  {told}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {TIERS.map((tier, place) => (
              <tr key={tier}>
                <th scope="row">
                  {tier}, <span className="faint">{place < 2 ? "of each session" : "of each actor"}</span>
                </th>
                {Object.entries(BOUNDS).map(([bound, told]) => (
                  <td key={bound}>
                    {place < LAST || bound in LASTS ? <Field name={`memory.l${place + 1}.${bound}`} label={`${tier} ${told}`} form={form} /> : <span className="faint">is the last</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </fieldset>
  );
}

function Kept({ kept, reset }: { kept: Value[]; reset?: (name: string) => void }) {
  if (!kept.length) return <p className="small">Nothing is kept in the store: all values are those the server was started with.</p>;
  return (
    <TableWrap label="Values that the store keeps">
      <table>
        <thead>
          <tr>
            <th scope="col">Kept in the store</th>
            <th scope="col">Value</th>
            <th scope="col">Otherwise</th>
            <th scope="col">Changed</th>
            {reset && (
              <th scope="col">
                <span className="visually-hidden">Reset</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {kept.map((one) => (
            <tr key={one.name}>
              <td>
                {labelOf(one.name)} <code className="faint">{one.name}</code>
              </td>
              <td className="nowrap">{toldOf(one.name, one.value)}</td>
              <td className="nowrap">{toldOf(one.name, one.otherwise)}</td>
              <td className="nowrap">{one.changed_at && <When at={one.changed_at} relative />}</td>
              {reset && (
                <td>
                  <Button look="quiet" icon="undo" aria-label={`Reset ${labelOf(one.name)}`} onPress={() => reset(one.name)}>
                    Reset
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}
