"""Tapes of the reference store: begun, filled, finished, put to use."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
import numpy as np

from foveal.backends.ram.bonds import Bonds
from foveal.backends.ram.organism import Organism, Version
from foveal.backends.ram.reel import Joined, Reel
from foveal.errors import Conflict, NotFound
from foveal.model.glyph import Tape, TapeState
from foveal.model.sight import Viewpoint
from foveal.ports.tapes import Chart, Cutting, Found, Kin, Points, Uncut, Whole
from foveal.rules.placement import Plane


class Taping(Bonds):
    """How tapes are built."""

    def tapes(self, viewpoint: Viewpoint) -> list[Tape]:
        """The tapes of an organism that were built or begun, by number."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism) or Organism()
            return [_told(reel) for _, reel in sorted(organism.reels.items())]

    def shown_tape(self, viewpoint: Viewpoint) -> int:
        """The number of the tape whose addresses are shown: 0 is the encoder's own."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism) or Organism()
            return next((number for number, reel in organism.reels.items() if reel.tape.active), 0)

    def begin_tape(self, viewpoint: Viewpoint, encoder: str, now: datetime) -> Tape:
        """The unfinished tape of this encoder, or else a new one."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism)
            if organism is None:
                raise NotFound("there is nothing here to build a tape from")
            for number, reel in list(organism.reels.items()):
                if reel.tape.state is not TapeState.READY:
                    if reel.tape.encoder == encoder:
                        return _told(reel)
                    del organism.reels[number]
            number = max([organism.dropped, *organism.reels]) + 1
            tape = Tape(number=number, encoder=encoder, state=TapeState.CUTTING, active=False, created_at=now)
            organism.reels[number] = Reel(tape)
            return tape

    def uncut(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[Uncut]:
        """Versions that a tape does not know yet, oldest first."""
        with self._lock:
            organism, reel = self._reel(viewpoint, tape)
            waiting = sorted(
                (one for some in organism.versions.values() for one in some if one.key > reel.followed),
                key=lambda one: one.key,
            )
            return [Uncut(seq=one.key, text=one.record.text) for one in waiting[:limit]]

    def count_uncut(self, viewpoint: Viewpoint, tape: int) -> int:
        """How many versions a tape does not know yet."""
        return len(self.uncut(viewpoint, tape, 1 << 62))

    def put_phrases(self, viewpoint: Viewpoint, tape: int, cut: Sequence[Cutting], found: Sequence[Found]) -> None:
        """Take the phrases of versions in, all or none."""
        with self._lock:
            organism, reel = self._reel(viewpoint, tape)
            there = {one.key for some in organism.versions.values() for one in some}
            kept = [one for one in cut if one.seq in there and one.seq not in reel.mentions]
            said = {key for one in kept for _, _, key in one.spans}
            for one in found:
                if one.key in said and one.key not in reel.phrases:
                    self._take(reel, one)
            for one in kept:
                reel.mention(one.seq, list(one.spans))
                if one.digits is None:
                    reel.waiting[one.seq] = one.point
                else:
                    reel.digits[one.seq] = one.digits
            reel.followed = max([reel.followed, *(one.seq for one in cut)])
            if reel.tape.active:
                _show(organism, reel)

    def _take(self, reel: Reel, one: Found) -> None:
        joined = Joined(one, likeness=one.likeness)
        # The family may have gone since the phrase was compared with it.
        if one.family is not None and one.family in reel.families:
            joined.family, joined.member = one.family, reel.next_member[one.family]
            reel.next_member[one.family] += 1
        reel.phrases[one.key] = joined

    def points(self, viewpoint: Viewpoint, tape: int) -> Points:
        """The phrases of a tape that is being cut."""
        with self._lock:
            _, reel = self._reel(viewpoint, tape)
            keys = sorted(reel.phrases)
            points = [reel.phrases[key].found.point for key in keys]
            return Points(
                np.array(keys, np.int64),
                np.stack(points) if points else np.empty((0, 0), np.int16),
                np.array([len(reel.speakers[key]) for key in keys], np.int64),
            )

    def put_families(
        self, viewpoint: Viewpoint, tape: int, families: Sequence[Kin], plane: Plane, digest: str
    ) -> None:
        """Store the families of a tape and who belongs to them, all at once."""
        with self._lock:
            _, reel = self._reel(viewpoint, tape)
            if reel.tape.state is not TapeState.CUTTING:
                raise Conflict(f"tape {tape} has its families already", tape=tape)
            reel.families = {one.number: one for one in families}
            reel.next_member = {one.number: len(one.members) for one in families}
            for one in families:
                for member, (key, likeness) in enumerate(one.members):
                    if key in reel.phrases:
                        joined = reel.phrases[key]
                        joined.family, joined.member, joined.likeness = one.number, member, likeness
            reel.plane = plane
            reel.tape = msgspec.structs.replace(reel.tape, state=TapeState.PLACING, digest=digest)

    def unplaced(self, viewpoint: Viewpoint, tape: int, limit: int) -> list[tuple[int, Whole]]:
        """Versions that have no digits on a tape yet, with their points."""
        with self._lock:
            return sorted(self._reel(viewpoint, tape)[1].waiting.items(), key=lambda one: one[0])[:limit]

    def put_places(self, viewpoint: Viewpoint, tape: int, places: Sequence[tuple[int, str]]) -> None:
        """Store the digits of versions."""
        with self._lock:
            _, reel = self._reel(viewpoint, tape)
            for seq, digits in places:
                if reel.waiting.pop(seq, None) is not None:
                    reel.digits[seq] = digits

    def finish_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Say that a tape is ready."""
        with self._lock:
            _, reel = self._reel(viewpoint, tape)
            reel.tape = msgspec.structs.replace(reel.tape, state=TapeState.READY)

    def use_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Show the addresses of a tape from now on, at once for all; 0 is the encoder's own."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism) or Organism()
            if tape and self._reel(viewpoint, tape)[1].tape.state is not TapeState.READY:
                raise Conflict(f"tape {tape} is not finished: build it first", tape=tape)
            for version in (one for some in organism.versions.values() for one in some):
                if version.key in organism.origins:
                    _move(version, organism.origins[version.key], 0)
            organism.origins.clear()
            for number, reel in organism.reels.items():
                reel.tape = msgspec.structs.replace(reel.tape, active=number == tape)
            if tape:
                _show(organism, organism.reels[tape])

    def drop_tape(self, viewpoint: Viewpoint, tape: int) -> None:
        """Remove a tape and all it holds; the one that is shown is `Conflict`."""
        with self._lock:
            organism, reel = self._reel(viewpoint, tape)
            if reel.tape.active:
                raise Conflict(f"tape {tape} is in use: put another to use first", tape=tape)
            del organism.reels[tape]
            organism.dropped = max(organism.dropped, tape)

    def chart(self, viewpoint: Viewpoint, tape: int) -> Chart:
        """The middles of the families of a tape."""
        with self._lock:
            _, reel = self._reel(viewpoint, tape)
            if reel.plane is None:
                raise NotFound("this tape has no map yet: build it first")
            numbers = sorted(reel.families)
            width = reel.plane.axes.shape[0]
            centres = [reel.families[number].centre for number in numbers]
            return Chart(
                np.array(numbers, np.int64),
                np.stack(centres) if centres else np.empty((0, width), np.int16),
                reel.plane,
            )

    def _reel(self, viewpoint: Viewpoint, tape: int) -> tuple[Organism, Reel]:
        organism = self._organisms.get(viewpoint.organism) or Organism()
        if tape not in organism.reels:
            raise NotFound(f"there is no tape {tape} here", tape=tape)
        return organism, organism.reels[tape]


def _show(organism: Organism, reel: Reel) -> None:
    """Show where versions lie on a tape, and keep where they lie on the encoder's own."""
    for version in (one for some in organism.versions.values() for one in some):
        digits = reel.digits.get(version.key)
        if digits is not None and version.record.address.tape != reel.tape.number:
            organism.origins.setdefault(version.key, version.record.address.digits)
            _move(version, digits, reel.tape.number)


def _move(version: Version, digits: str, tape: int) -> None:
    address = msgspec.structs.replace(version.record.address, digits=digits, tape=tape)
    version.record = msgspec.structs.replace(version.record, address=address)


def _told(reel: Reel) -> Tape:
    ready = reel.tape.state is TapeState.READY
    return msgspec.structs.replace(
        reel.tape,
        records=len(reel.digits) + len(reel.waiting),
        phrases=len(reel.phrases),
        families=len(reel.families),
        waiting=sum(one.family is None for one in reel.phrases.values()) if ready else 0,
    )
