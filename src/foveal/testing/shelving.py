"""An index can follow a store: nothing is passed over, and nothing of another store is taken for its own."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import numpy as np
import pytest

from foveal.model.search import Mark, Near, Probe
from foveal.ports.store import Encoder, Store
from foveal.testing.building import (
    ADA,
    DIMENSION,
    ENCODER,
    START,
    entry,
    entry_of,
    pending,
    recollected,
    record_of,
    seen_by,
    vector_of,
    version_after,
)


class ShelvingContract:
    """Vectors in the order they came, marks, and erasures."""

    def test_an_index_gets_every_record_once_in_the_order_written(self, store: Store) -> None:
        done = store.append([entry(f"note {n}", kind="knowledge") for n in range(5)], ENCODER)
        first = store.shelved_after(ADA, ENCODER, None, 3)
        then = store.shelved_after(ADA, ENCODER, first.mark, 3)
        assert [one.id for one in (*first.rows, *then.rows)] == [record.id for record, _ in done]
        assert (first.anew, then.anew) == (True, False)
        assert {one.kind for one in first.rows} == {"knowledge"}
        assert first.rows[0].vectors == pytest.approx(vector_of("note 0")[None], abs=1e-3)
        assert store.shelved_after(ADA, ENCODER, then.mark, 3).rows == ()
        assert store.count_shelved(ADA, ENCODER, None) == 5
        assert store.count_shelved(ADA, ENCODER, first.mark) == 2

    def test_a_new_version_comes_in_place_of_the_old(self, store: Store) -> None:
        [(record, _)] = store.append([entry("first")], ENCODER)
        before = store.shelved_after(ADA, ENCODER, None, 9).mark
        store.supersede(seen_by(), version_after(record, "second", START + timedelta(days=1)), ENCODER)
        after = store.shelved_after(ADA, ENCODER, before, 9)
        assert len(after.rows) == 1
        assert after.rows[0].vectors == pytest.approx(vector_of("second")[None], abs=1e-3)
        assert [one.id for one in store.shelved_after(ADA, ENCODER, None, 9).rows] == [record.id]

    def test_what_was_erased_is_told_and_never_handed_out(self, store: Store) -> None:
        done = store.append([entry(f"note {n}") for n in range(3)], ENCODER)
        ids = [record.id for record, _ in done]
        mark = store.shelved_after(ADA, ENCODER, None, 9).mark
        assert store.erased_since(ADA, None) == []
        store.erase(seen_by(), [ids[2]])
        assert [one for one, _ in store.erased_since(ADA, START)] == [ids[2]]
        assert store.erased_since(ADA, START + timedelta(days=9)) == []
        again = store.shelved_after(ADA, ENCODER, mark, 9)
        assert (again.rows, again.anew, again.mark.last) == ((), False, ids[1])
        assert [one.id for one in store.shelved_after(ADA, ENCODER, None, 9).rows] == ids[:2]

    def test_a_mark_of_another_store_begins_anew(self, store: Store) -> None:
        store.append([entry(f"note {n}") for n in range(3)], ENCODER)
        mark = store.shelved_after(ADA, ENCODER, None, 9).mark
        for foreign in (
            msgspec.structs.replace(mark, last="somebody else's"),
            msgspec.structs.replace(mark, encoder="another"),
            msgspec.structs.replace(mark, generation=mark.generation + 1),
            Mark(encoder=ENCODER.id, generation=mark.generation),
        ):
            found = store.shelved_after(ADA, ENCODER, foreign, 9)
            assert (len(found.rows), found.anew) == (3, True)

    def test_vectors_that_come_late_are_handed_out_too(self, store: Store) -> None:
        late = record_of("late")
        store.append([pending(late), entry("in time")], ENCODER)
        first = store.shelved_after(ADA, ENCODER, None, 9)
        assert len(first.rows) == 1
        store.encode(ENCODER, [(late, vector_of("late")[None])])
        assert store.adopt(ENCODER)
        then = store.shelved_after(ADA, ENCODER, first.mark, 9)
        assert (len(then.rows), then.anew) == (2, True)
        assert store.adopt(ENCODER)
        assert store.shelved_after(ADA, ENCODER, then.mark, 9).anew is False

    def test_another_encoder_begins_anew(self, store: Store) -> None:
        [(record, _)] = store.append([entry("a text")], ENCODER)
        mark = store.shelved_after(ADA, ENCODER, None, 9).mark
        other = Encoder(id="contract-2", dimension=4)
        store.encode(other, [(record, vector_of("a text", 4)[None])])
        assert store.adopt(other)
        found = store.shelved_after(ADA, other, mark, 9)
        assert (found.anew, found.rows[0].vectors.shape) == (True, (1, 4))

    def test_the_nearest_of_an_index_are_compared_and_no_others(self, store: Store) -> None:
        # Each in a session of its own: what stands around a candidate is one as well.
        alone = [msgspec.structs.replace(ADA, session_id=str(n)) for n in range(40)]
        done = store.append([entry(f"note {n}", START, one) for n, one in enumerate(alone)], ENCODER)
        ids = [record.id for record, _ in done]
        mark = store.shelved_after(ADA, ENCODER, None, 30).mark
        wanted = vector_of("note 7")

        def found(near: Near | None, limit: int = 4) -> set[str]:
            nothing = np.array([], np.uint32)
            probe = Probe(
                terms=nothing,
                factors=np.array([], np.float32),
                pieces=nothing.astype(np.uint16),
                vector=wanted,
                near=near,
            )
            frame = recollected(store, seen_by(), probe, limit)
            return set(frame.ids)

        near = Near(ids=tuple(ids[5:9]), after=mark.seq, last=mark.last, all=False)
        # What the index does not know yet is compared as well.
        assert found(near) == {*ids[5:9], *ids[30:]}
        assert found(msgspec.structs.replace(near, ids=(*ids[5:9], "erased", "foreign"))) == {*ids[5:9], *ids[30:]}
        everything = found(None, 40)
        # Too few of them may be seen, or it followed another store: then each is compared.
        assert found(msgspec.structs.replace(near, ids=tuple(ids[5:7])), 40) == everything
        assert found(msgspec.structs.replace(near, last="somebody else's"), 40) == everything
        assert found(msgspec.structs.replace(near, ids=tuple(ids[5:7]), all=True), 40) == {*ids[5:7], *ids[30:]}

    def test_the_cosines_are_the_same_with_an_index_and_without(self, store: Store) -> None:
        rows = {n: np.stack([vector_of(f"{n} {part}") for part in range(1 + n % 3)]) for n in range(50)}
        done = store.append([entry_of(record_of(f"note {n}"), rows[n]) for n in rows], ENCODER)
        ids = tuple(record.id for record, _ in done)
        mark = store.shelved_after(ADA, ENCODER, None, 99).mark
        nothing = np.array([], np.uint32)
        probe = Probe(
            terms=nothing,
            factors=np.array([], np.float32),
            pieces=nothing.astype(np.uint16),
            vector=np.ones(DIMENSION, np.float32) / DIMENSION**0.5,
        )
        whole = recollected(store, seen_by(), probe, 50)
        near = Near(ids=ids, after=mark.seq, last=mark.last, all=True)
        some = recollected(store, seen_by(), msgspec.structs.replace(probe, near=near), 50)
        assert list(some.ids) == list(whole.ids)
        assert some.cosine == pytest.approx(whole.cosine, abs=1e-6)
        assert (some.cosine_mean, some.cosine_spread) == pytest.approx(
            (whole.cosine_mean, whole.cosine_spread), abs=1e-3
        )
