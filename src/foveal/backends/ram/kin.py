"""Families and phrases of the reference store, with no words that the sight may not see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from foveal.backends.ram.organism import Version
from foveal.backends.ram.reel import Joined, Reel
from foveal.backends.ram.tapes import Taping
from foveal.model.glyph import Family, Mention, Phrase
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.rules.adjoining import held
from foveal.rules.glyphs import glyph
from foveal.rules.kinship import family_of, nearest_first


class Kin(Taping):
    """How tapes are looked at."""

    _owners: dict[int, Version]

    def families(
        self, sight: Sight, tape: int, *, numbers: Sequence[int] | None = None, prefix: str = "", limit: int = 100
    ) -> list[Family]:
        """The families with words that are visible, by number."""
        with self._lock:
            reel = self._looked(sight, tape)
            if reel is None:
                return []
            words: dict[int, list[Phrase]] = {}
            for one in self._phrases(sight, reel, reel.phrases).values():
                if one.family is not None and (numbers is None or one.family in numbers):
                    words.setdefault(one.family, []).append(one)
            kin = [reel.families[number] for number in sorted(words)]
            return [
                family_of(one.number, words[one.number], one.digits, one.x, one.y)
                for one in kin
                if one.digits.startswith(prefix) or numbers is not None
            ][:limit]

    def family_phrases(self, sight: Sight, tape: int, number: int, limit: int) -> list[Phrase]:
        """The visible phrases of a family, the nearest to its middle first."""
        with self._lock:
            reel = self._looked(sight, tape)
            found = self._phrases(sight, reel, reel.phrases).values() if reel else ()
            return nearest_first([one for one in found if one.family == number])[:limit]

    def family_records(self, sight: Sight, tape: int, number: int, limit: int) -> list[Record]:
        """The visible records that say a phrase of a family, newest first, with their addresses on the tape."""
        with self._lock:
            reel = self._looked(sight, tape)
            if reel is None:
                return []
            own = [key for key, one in reel.phrases.items() if one.family == number]
            said = [self._owners[one[0]].record for key in own for one in reel.speakers.get(key, ())]
            versions = {(one.id, one.version) for one in said}
            found = [one for one in self._all_placed(sight, tape) if (one.id, one.version) in versions]
            return sorted(found, key=lambda one: (one.occurred_at, one.id), reverse=True)[:limit]

    def phrases_by_key(self, sight: Sight, tape: int, keys: Sequence[int]) -> Mapping[int, Phrase]:
        """The visible ones of these phrases."""
        with self._lock:
            reel = self._looked(sight, tape)
            return self._phrases(sight, reel, keys) if reel else {}

    def phrases_by_member(
        self, sight: Sight, tape: int, members: Sequence[tuple[int, int]]
    ) -> Mapping[tuple[int, int], str]:
        """The words of these members of families, as far as they are visible."""
        with self._lock:
            reel = self._looked(sight, tape)
            found = self._phrases(sight, reel, reel.phrases).values() if reel else ()
            named = {(one.family, one.member): one.text for one in found}
            return {one: named[one] for one in members if one in named}

    def mentions(self, sight: Sight, tape: int, ids: Sequence[str]) -> Mapping[str, list[Mention]]:
        """The phrases of visible records that have a family, in the order of the text."""
        with self._lock:
            reel = self._looked(sight, tape)
            organism = self._organism(sight)
            found: dict[str, list[Mention]] = {}
            for record in self.get(sight, ids) if reel else ():
                versions = organism.versions[record.id]
                seq = next(one.key for one in versions if one.record.version == record.version)
                assert reel is not None
                for start, length, key in sorted(reel.mentions.get(seq, []), key=lambda one: (one[0], -one[1])):
                    joined = reel.phrases[key]
                    if joined.family is not None:
                        found.setdefault(record.id, []).append(_mention(record.text, start, length, joined))
            return found

    def placed(
        self,
        sight: Sight,
        tape: int,
        *,
        prefix: str = "",
        region: str | None = None,
        time_slice: int | None = None,
        limit: int = 100,
    ) -> list[Record]:
        """The visible records under a prefix of a tape, with their addresses on it, in the order of the digits."""
        with self._lock:
            found = [
                one
                for one in self._all_placed(sight, tape)
                if one.address.digits.startswith(prefix)
                and region in (None, one.region)
                and time_slice in (None, one.address.time_slice)
            ]
            return sorted(found, key=lambda one: (one.address.digits, one.occurred_at, one.id))[:limit]

    def count_placed(self, sight: Sight, tape: int, prefixes: Sequence[str]) -> list[int]:
        """How many visible records lie under each prefix."""
        with self._lock:
            return held(Counter(one.address.digits for one in self._all_placed(sight, tape)), prefixes)

    def _all_placed(self, sight: Sight, tape: int) -> list[Record]:
        organism = self._organism(sight)
        reel = organism.reels.get(tape)
        found: list[Record] = []
        for record in organism.all_seen(sight):
            key = next(one.key for one in organism.versions[record.id] if one.record.version == record.version)
            digits = organism.origins.get(key) if tape == 0 else reel.digits.get(key) if reel else None
            if digits is None and record.address.tape == tape:
                digits = record.address.digits
            if digits is not None:
                address = msgspec.structs.replace(record.address, digits=digits, tape=tape)
                found.append(msgspec.structs.replace(record, address=address))
        return found

    def _looked(self, sight: Sight, tape: int) -> Reel | None:
        return self._organism(sight).reels.get(tape)

    def _phrases(self, sight: Sight, reel: Reel, keys: Iterable[int]) -> dict[int, Phrase]:
        organism = self._organism(sight)
        judged: dict[int, Record | None] = {}

        def seen(seq: int) -> Record | None:
            if seq not in judged:
                owner = self._owners[seq].record
                shown = organism.seen(sight, owner.id)
                judged[seq] = next((one for one in shown if one.version == owner.version), None)
            return judged[seq]

        found: dict[int, Phrase] = {}
        for key in keys:
            said = [one for one in reel.speakers.get(key, ()) if seen(one[0]) is not None]
            if not said:
                continue
            seq, start, length = min(said)
            joined = reel.phrases[key]
            found[key] = Phrase(
                text=self._owners[seq].record.text[start : start + length],
                language=joined.found.language,
                uses=len(said),
                likeness=joined.likeness,
                family=joined.family,
                member=joined.member,
                glyph=None if joined.family is None else glyph(joined.family),
            )
        return found


def _mention(text: str, start: int, length: int, joined: Joined) -> Mention:
    assert joined.family is not None
    return Mention(
        start=start,
        end=start + length,
        text=text[start : start + length],
        glyph=glyph(joined.family),
        family=joined.family,
        member=joined.member,
        likeness=joined.likeness,
        exact=True,
    )
