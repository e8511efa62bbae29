// A filter of the ledger, kept in the address.
import { useSaid } from "../../route/router";

export function Typed({ name, label, options }: { name: string; label: string; options?: readonly string[] }) {
  const [value, set] = useSaid(name);
  return (
    <label className={value ? "pick set" : "pick"}>
      <span>{label}</span>
      {options ? (
        <select value={value} onChange={(event) => set(event.target.value)}>
          <option value="">any</option>
          {options.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input key={value} defaultValue={value} onBlur={(event) => set(event.target.value.trim())} onKeyDown={(event) => event.key === "Enter" && set(event.currentTarget.value.trim())} />
      )}
    </label>
  );
}
