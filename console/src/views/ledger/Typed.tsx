// A filter of the ledger, kept in the address.
import { useSaid } from "../../route/router";

export function Typed({ name, label, options }: { name: string; label: string; options: readonly (string | readonly [string, string])[] }) {
  const [value, set] = useSaid(name);
  const told = options.map((one) => (typeof one === "string" ? ([one, one] as const) : one));
  // What the address says stays to be seen, also when nothing has it any more.
  const known = value && !told.some(([one]) => one === value) ? [...told, [value, value] as const] : told;
  return (
    <label className={value ? "pick set" : "pick"}>
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.target.value)}>
        <option value="">any</option>
        {known.map(([one, told]) => (
          <option key={one} value={one}>
            {told}
          </option>
        ))}
      </select>
    </label>
  );
}
