"""What many texts are about, in words they have themselves."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.model.glyph import Mention
from foveal.rules.splitting import gist

LIMIT = 240


def joined(texts: Sequence[str], limit: int = LIMIT) -> str:
    """Texts side by side, each once and shortened alike, within a limit.

    >>> joined(["see you soon", "see you soon", "the new house"])
    'see you soon; the new house'
    """
    distinct = list(dict.fromkeys(texts))
    room = max(20, limit // max(1, len(distinct)) - 2)
    return "; ".join(gist(text, room) for text in distinct)[:limit]


def outermost(mentions: Sequence[Mention]) -> list[Mention]:
    """Those of the mentions that stand in no other, in the order of the text.

    >>> both = [Mention(start=0, end=9, text="a"), Mention(start=2, end=9, text="b")]
    >>> [one.text for one in outermost(both)]
    ['a']
    """
    kept: list[Mention] = []
    for one in sorted(mentions, key=lambda one: (one.start, -one.end)):
        if not kept or one.end > kept[-1].end:
            kept.append(one)
    return kept
