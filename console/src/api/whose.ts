// Whose memory is looked at, from where: in the address, so that a link shows the same to whoever may see it.
import { useMemo } from "react";
import { useSearch } from "../route/router";
import { useActors, type Actor } from "./actors";
import { useCaller } from "./caller";

export type At = { actor_id: string; world: string; node: string };

/** The actor whose memory the command line means when none is said. */
const NOBODY_SAID = "me";

/** Somebody whose memory there is: whom the command line means, or the first. */
function firstOf(actors: Actor[] | undefined, world: string): string | undefined {
  const here = actors?.filter((one) => one.world === world).map((one) => one.actor_id) ?? [];
  return here.includes(NOBODY_SAID) ? NOBODY_SAID : here[0];
}

/** The viewpoint as every verb takes it. What the address does not say is what the key is for, or the default. */
export function useWhose(): At {
  const said = useSearch();
  const caller = useCaller().data;
  const actors = useActors().data;
  const usual = caller?.worlds?.includes(caller.world) === false ? caller.worlds[0] : caller?.world;
  const world = said.get("world") || usual || "default";
  const actor_id = said.get("actor") || caller?.actors?.[0] || firstOf(actors, world) || NOBODY_SAID;
  const node = said.get("node") || "/";
  return useMemo(() => ({ actor_id, world, node }), [actor_id, world, node]);
}
