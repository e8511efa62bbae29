// Whose memory is looked at, from where: in the address, so that a link shows the same to whoever may see it.
import { useMemo } from "react";
import { useSearch } from "../route/router";
import { useCaller } from "./caller";

export type At = { actor_id: string; world: string; node: string };

/** The actor whose memory the command line means when none is said. */
const NOBODY_SAID = "me";

/** The viewpoint as every verb takes it. What the address does not say is what the key is for, or the default. */
export function useWhose(): At {
  const said = useSearch();
  const caller = useCaller().data;
  const actor_id = said.get("actor") || caller?.actors?.[0] || NOBODY_SAID;
  const world = said.get("world") || (caller?.worlds?.includes(caller.world) === false && caller.worlds[0]) || caller?.world || "default";
  const node = said.get("node") || "/";
  return useMemo(() => ({ actor_id, world, node }), [actor_id, world, node]);
}
