"""Facts drawn from what was said, without a model: extraction, reconciliation, importance and the profile."""

from foveal.rules.facts.extraction import drawn
from foveal.rules.facts.importance import suggested_importance
from foveal.rules.facts.reconciliation import Judgement, Verdict, judged, reconciled
from foveal.rules.facts.statements import FACT_KINDS, INSTRUCTION, PREFERENCE, Statement

__all__ = [
    "FACT_KINDS",
    "INSTRUCTION",
    "PREFERENCE",
    "Judgement",
    "Statement",
    "Verdict",
    "drawn",
    "judged",
    "reconciled",
    "suggested_importance",
]
