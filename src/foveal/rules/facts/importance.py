"""The importance that a text suggests by what it says."""

from __future__ import annotations

from foveal.model.search import Trait
from foveal.rules.facts.instructions import instruction_score
from foveal.rules.facts.statements import PERSONS
from foveal.rules.recall.question import traits

# Small talk, questions and what tools print stay below the threshold of promotion; facts lie above it. The values
# are close together, because importance also weighs in the ranking, where it must not outweigh what was asked.
SMALL, PLAIN, TELLING, PERSONAL, PREFERRED, STANDING = 0.45, 0.5, 0.61, 0.62, 0.63, 0.65
# Longer texts are pasted documents rather than remarks, and are judged by their beginning.
_READ = 600
# Fewer words than this name a thing, but say nothing of it.
_FEW = 4
_DETAILS = Trait.NUMBER | Trait.NAMES | Trait.CHANGES


def suggested_importance(text: str, source: str = "user") -> float:
    """The importance of a text that came without one.

    >>> suggested_importance("ok thanks!"), suggested_importance("My number is now 4711.")
    (0.45, 0.62)
    >>> suggested_importance("Please always answer in French."), suggested_importance("It was a long day.")
    (0.65, 0.5)
    """
    if source not in PERSONS and source != "assistant":
        return PLAIN
    beginning = " ".join(text[:_READ].split())
    found = traits(beginning, source)
    if found & (Trait.ONLY_ASKS | Trait.ACKNOWLEDGES):
        return SMALL
    if source == "assistant":
        return TELLING if found & _DETAILS and len(beginning.split()) >= _FEW else PLAIN
    if Trait.RULES in found:
        if instruction_score(beginning) >= 1.8:
            return STANDING
        if Trait.FIRST_PERSON in found:
            return PREFERRED
    if len(beginning.split()) < _FEW:
        return PLAIN
    details = bool(found & _DETAILS)
    if Trait.FIRST_PERSON in found:
        return PERSONAL if details else TELLING
    return TELLING if details else PLAIN
