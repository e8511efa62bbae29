"""A table of one's own with pgvector: a text, a tenant and a vector a row, and an HNSW index over the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import psycopg
from numpy.typing import NDArray

from bench.filling import Store
from foveal.backends.models.static import StaticEmbedder
from foveal.backends.postgres.dialect import Half, adapt
from foveal.ports.store import NewRecord

TENANTS = 100
_NEAREST = "select id, body from note order by v <=> %s limit 10"
# Words and meaning together, as one writes it by hand: the places in both lists, added as 1 / (60 + place).
_BOTH = """
with asked as (
    select replace(plainto_tsquery('english', %(question)s)::text, '&', '|')::tsquery as words
), near as (
    select id, row_number() over () as place from (select id from note order by v <=> %(v)s limit 50) n
), worded as (
    select id, row_number() over () as place from (
        select id from word, asked where word.words @@ asked.words
        order by ts_rank_cd(word.words, asked.words) desc limit 50
    ) w
)
select id, body from (
    select id, sum(1.0 / (60 + place)) as score from (table near union all table worded) found
    group by id order by score desc limit 10
) best join note using (id) order by score desc
"""
_NEAREST_OF = "select id, body from note where tenant = %s order by v <=> %s limit 10"


class Plain:
    """What a user would write in an afternoon. Nothing is promised about what was said twice, by whom, or when."""

    def __init__(self, url: str) -> None:
        self._embedder = StaticEmbedder()
        self._connection: psycopg.Connection[Any] = psycopg.connect(url)
        [(self._halfvec,)] = self._connection.execute("select 'halfvec'::regtype::oid::bigint").fetchall()
        adapt(self._connection, self._halfvec)
        # A plan for all vectors would sort where the index is better.
        self._connection.execute("set plan_cache_mode = force_custom_plan")
        columns = (
            f"id bigserial primary key, tenant bigint not null, body text, v halfvec({self._embedder.dimension})"
        )
        self._connection.execute(f"create table if not exists note ({columns})".encode())
        self._connection.commit()

    @property
    def holds(self) -> int:
        """How many rows there are."""
        return self._connection.execute("select count(*) from note").fetchall()[0][0]

    @property
    def bytes(self) -> int:
        """What the table takes, with its indexes."""
        return self._connection.execute("select pg_total_relation_size('note')").fetchall()[0][0]

    def filled(self) -> Store:
        """The table as a store to be filled."""
        return Store("plain pgvector", self.holds, self._put)

    def _put(self, batch: Sequence[NewRecord]) -> None:
        with self._connection.cursor().copy("copy note (tenant, body, v) from stdin (format binary)") as copy:
            copy.set_types(["int8", "text", self._halfvec])
            for number, entry in enumerate(batch):
                assert entry.vectors is not None
                copy.write_row((number % TENANTS, entry.record.text, Half(entry.vectors[0])))
        self._connection.commit()

    def index(self) -> None:
        """Make the indexes, unless they are there; rows that come later are added to them one by one."""
        self._connection.execute("create index if not exists note_v on note using hnsw (v halfvec_cosine_ops)")
        self._connection.execute("create index if not exists note_tenant on note (tenant)")
        self._connection.commit()
        self._connection.execute("analyze note")
        self._connection.commit()

    def write_many(self, texts: Sequence[str]) -> None:
        """Add texts in one transaction."""
        rows = [
            (number % TENANTS, one, Half(row))
            for number, (one, row) in enumerate(zip(texts, self._embedder.embed(texts), strict=True))
        ]
        self._connection.cursor().executemany("insert into note (tenant, body, v) values (%s, %s, %s)", rows)
        self._connection.commit()

    def search(self, question: str) -> list[int]:
        """The ids of the ten nearest by the index."""
        return self._asked(_NEAREST, (Half(self._vector(question)),))

    def index_words(self) -> None:
        """Keep the words of the rows that there are, for `search_both`, unless they are kept."""
        self._connection.execute("create table if not exists word (id bigint primary key, words tsvector)")
        self._connection.execute(
            "insert into word select id, to_tsvector('english', body) from note "
            "where id > (select coalesce(max(id), 0) from word)"
        )
        self._connection.execute("create index if not exists word_words on word using gin (words)")
        self._connection.commit()
        self._connection.execute("analyze word")
        self._connection.commit()

    def search_both(self, question: str) -> list[int]:
        """The ids of the ten that are best by words and by the index of vectors together."""
        return self._asked(_BOTH, {"question": question, "v": Half(self._vector(question))})

    def search_tenant(self, question: str, tenant: int, *, iterative: bool) -> list[int]:
        """The same among the rows of a tenant; `iterative` goes on until ten are found."""
        self._connection.execute(b"set local hnsw.iterative_scan = " + (b"relaxed_order" if iterative else b"off"))
        return self._asked(_NEAREST_OF, (tenant, Half(self._vector(question))))

    def exact(self, question: str, tenant: int | None = None) -> list[int]:
        """The ten nearest by looking at every row."""
        self._connection.execute("set local enable_indexscan = off")
        if tenant is None:
            return self._asked(_NEAREST, (Half(self._vector(question)),))
        return self._asked(_NEAREST_OF, (tenant, Half(self._vector(question))))

    def _asked(self, query: str, values: tuple[Any, ...] | dict[str, Any]) -> list[int]:
        rows = self._connection.execute(query.encode(), values).fetchall()
        self._connection.commit()
        return [row[0] for row in rows]

    def _vector(self, question: str) -> NDArray[np.float32]:
        return np.asarray(self._embedder.embed([question], asking=True)[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
