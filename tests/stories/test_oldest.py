"""Among 100,000 the oldest is as findable as the newest."""

from itertools import islice

import msgspec

from foveal import Memory
from foveal.engine.records.write import entries
from foveal.model.query import Viewpoint
from foveal.testing.builders import record_of

COUNT, AT_ONCE = 100_000, 5_000
THINGS = ("paper", "coffee", "chairs", "cables", "paint", "soap", "glass", "bread", "lamps", "maps")


def _fill(memory: Memory) -> None:
    """Decisions about other things, by the store's own batches: words and vectors are made once and used again."""
    texts = [f"Which supplier delivers {THINGS[n % 10]} to office {n}?\nDecided: number {n}" for n in range(500)]
    at, now = Viewpoint(actor_id="ada"), memory.runtime.clock.now()
    made = entries(memory.runtime, [record_of(one, now, at, kind="decision") for one in texts])
    many = (
        msgspec.structs.replace(one, record=msgspec.structs.replace(one.record, id=f"{turn} {one.record.id}"))
        for turn in range(COUNT // len(made))
        for one in made
    )
    while some := list(islice(many, AT_ONCE)):
        memory.runtime.store.records.append(some, memory.runtime.encoder)


def test_e5_the_oldest_of_100000_is_found_by_meaning_as_the_newest_is() -> None:
    with Memory(":memory:") as memory:
        ada = memory.view(actor_id="ada")
        oldest = ada.ledger.store_decision("Which vault keeps the signing keys?", "the hardware module in Oslo")
        _fill(memory)
        newest = ada.ledger.store_decision("Who waters the garden in August?", "the neighbours' children")
        assert ada.stats().records == COUNT + 2
        for question, decision in (
            ("where are our signing keys stored?", oldest),
            ("who looks after the garden this summer?", newest),
        ):
            [found] = ada.longterm.semantic_search(question, n_results=1)
            assert found.metadata["decision_id"] == decision.id
            assert [one.id for one in ada.ledger.find_similar_decisions(question, 1)] == [decision.id]
