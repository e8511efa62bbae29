"""The memory of a crew in Foveal, with the encoder of the package: no key and no network.

Run it with `python examples/crewai_memory.py [memory.db]`, or give the memory to a crew: `Crew(…, memory=crew)`.
"""

from __future__ import annotations

import sys

from crewai import Memory as CrewMemory

from foveal import Memory
from foveal.integrations.crewai import FovealStorage, embed


def main() -> None:
    """Remember something, and recall it."""
    with Memory(sys.argv[1] if len(sys.argv) > 1 else "memory.db") as memory:
        crew = CrewMemory(storage=FovealStorage(memory.view(actor_id="ada")), embedder=embed)
        crew.remember("The flat is in Lisbon", scope="/users/ada", categories=["home"], importance=0.7)
        for match in crew.recall("Where is the flat?", depth="shallow"):
            print(match.record.content)


if __name__ == "__main__":
    main()
