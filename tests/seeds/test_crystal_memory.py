"""Crystals and ghosts: the classes as the document defines them, its paths, and adaptive staleness."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.seeds.snippets import require_class, run

from foveal import (
    AsyncMemory,
    ContextProjector,
    ContextWindow,
    CrystallizationEngine,
    CrystalReaper,
    FocusFragment,
    Linearity,
    Memory,
    MemoryClient,
    StateCrystal,
    TaskState,
)
from foveal.doors.client.ghosts import level, threshold
from foveal.engine.crystals.crystals import Crystals
from foveal.model.server import Level

CRYSTAL = '''
@dataclass
class StateCrystal:
    """
    Checkpoint with linearity-aware compression.

    AGENTESE: self.memory.crystallize
    """

    crystal_id: str
    agent: str
    timestamp: datetime

    # Core state (REQUIRED)
    task_state: TaskState
    working_memory: dict[str, Any]

    # Compressed history (DROPPABLE masked)
    history_summary: str
    summary_tokens: int

    # Focus fragments (PRESERVED: verbatim)
    focus_fragments: list[FocusFragment]
    focus_tokens: int

    # Comonadic structure
    parent_crystal: str | None
    branch_reason: str | None
    branch_depth: int = 0

    # Accursed Share lifecycle
    ttl: timedelta = timedelta(hours=24)
    pinned: bool = False

    def is_expired(self) -> bool:
        return not self.pinned and (datetime.now() - self.timestamp > self.ttl)

    def total_tokens(self) -> int:
        return self.summary_tokens + self.focus_tokens
'''

FRAGMENT = '''
@dataclass
class FocusFragment:
    """
    A preserved fragment with PRESERVED linearity.

    Focus fragments survive compression verbatim.
    They are marked via focus hints during crystallization.
    """

    hint: str                   # What triggered preservation
    content: str                # Verbatim content
    position: int               # Original position in history
    linearity: Linearity = Linearity.PRESERVED
'''

ENGINE = '''
class CrystallizationEngine:
    """
    Creates State Crystals with linearity-aware compression.

    AGENTESE: self.memory.crystallize
    """

    async def crystallize(
        self,
        context: ContextWindow,
        focus_hints: list[str] | None = None,
        ttl: timedelta = timedelta(hours=24),
    ) -> StateCrystal:
        """
        Create a crystal from current context.

        Process:
        1. Mark linearity classes based on focus hints
        2. Extract PRESERVED fragments verbatim
        3. Compress DROPPABLE+REQUIRED via masking + summary
        4. Store with comonadic metadata
        """
        ...
'''

REAPER = '''
class CrystalReaper:
    """
    TTL-based crystal composting.

    AGENTESE: void.entropy.pour

    Unpinned crystals are composted after TTL.
    Pinned crystals (`cherished`) survive indefinitely.
    """

    async def reap(self) -> list[str]:
        """Compost expired crystals, return IDs."""
        expired = [c for c in self.crystals if c.is_expired()]
        for crystal in expired:
            await self.d_gent.delete_crystal(crystal.crystal_id)
        return [c.crystal_id for c in expired]
'''

CHERISH = """
# AGENTESE: self.memory.cherish
await logos.invoke("self.memory.cherish", crystal_id="abc123")
"""

STALENESS = """
threshold = BASE_THRESHOLD * (1 + stability_score)
"""

NAMES: dict[str, Any] = {
    **{"dataclass": dataclass, "datetime": datetime, "timedelta": timedelta, "Any": Any},
    **{"TaskState": TaskState, "FocusFragment": FocusFragment, "Linearity": Linearity},
    **{"ContextWindow": ContextWindow, "StateCrystal": StateCrystal},
}
SAID = [
    {"role": "user", "content": "[FOCUS:decision] We sail on Tuesday because of the tide."},
    {"role": "assistant", "content": "The weather looks nice."},
]


@pytest.mark.parametrize(
    ("snippet", "ours"),
    [(CRYSTAL, StateCrystal), (FRAGMENT, FocusFragment), (ENGINE, CrystallizationEngine), (REAPER, CrystalReaper)],
    ids=["StateCrystal", "FocusFragment", "CrystallizationEngine", "CrystalReaper"],
)
def test_a_class_has_the_fields_defaults_and_methods_of_the_document(snippet: str, ours: type[Any]) -> None:
    names = run(snippet, **NAMES)
    theirs = next(value for name, value in names.items() if f"class {name}:" in snippet)
    require_class(ours, theirs, built="@dataclass" in snippet)


def test_a_crystal_knows_by_itself_whether_it_has_expired() -> None:
    now = datetime.now(UTC)
    young = StateCrystal(crystal_id="c", agent="/", timestamp=now, summary_tokens=7, focus_tokens=5)
    old = StateCrystal(crystal_id="c", agent="/", timestamp=now - timedelta(hours=25))
    kept = StateCrystal(crystal_id="c", agent="/", timestamp=now - timedelta(hours=25), pinned=True)
    assert [crystal.is_expired() for crystal in (young, old, kept)] == [False, True, False]
    assert young.total_tokens() == 12


def test_the_engine_keeps_focus_verbatim_and_the_reaper_gives_ids() -> None:
    async def story() -> None:
        async with AsyncMemory(":memory:") as memory:
            logos = memory.view(actor_id="ada")
            engine = CrystallizationEngine(logos)
            window = await engine.window(SAID)
            crystal = await engine.crystallize(window, focus_hints=["tide"], ttl=timedelta(0))
            assert [fragment.content for fragment in crystal.focus_fragments] == [SAID[0]["content"]]
            assert crystal.is_expired()
            kept = await engine.crystallize(window)
            projected = await ContextProjector(memory, actor_id="ada").compress(window, threshold=0.0)
            assert SAID[0]["content"] in [turn.content for turn in projected.window.turns]
            reaper = CrystalReaper(memory, actor_id="ada")
            assert [crystal_id for crystal_id in await reaper.reap()] == [crystal.crystal_id]
            assert not kept.is_expired() and list(await reaper.reap()) == []

    asyncio.run(story())


def test_cherish_is_awaited_on_a_memory_and_on_a_client(memory: Memory) -> None:
    crystal = memory.crystals.crystallize(SAID, ttl=0, actor_id="ada")
    source = CHERISH.replace("abc123", crystal.crystal_id)
    client = MemoryClient(memory)
    client.set_user_id("ada")
    run(source, logos=client)
    assert list(memory.crystals.reap(actor_id="ada")) == []
    memory.crystals.uncherish(crystal.crystal_id, actor_id="ada")

    async def story() -> None:
        async with AsyncMemory("crystals.db") as other:
            logos = other.view(actor_id="ada")
            made = await logos.invoke("self.memory.crystallize", context=SAID, ttl=0)
            answer = await logos.invoke("self.memory.cherish", crystal_id=made["crystal_id"])
            assert answer["pinned"]

    asyncio.run(story())


@pytest.mark.parametrize("path", ["crystallize", "resume", "cherish", "manifest", "engram", "compost"])
def test_every_path_of_the_registry_is_listed(path: str, memory: Memory) -> None:
    client = MemoryClient(memory)
    client.set_user_id("ada")
    with pytest.raises(Exception, match=r"needs|there is no") as refused:
        run(f'await client.invoke("self.memory.{path}")', client=client)
    assert "there is no path" not in str(refused.value)


@pytest.mark.parametrize("stability", [0.0, 0.5, 1.0])
def test_the_threshold_adapts_by_the_formula_of_the_document(stability: float) -> None:
    base = timedelta(seconds=120)
    fresh = run(STALENESS, BASE_THRESHOLD=base, stability_score=stability)["threshold"]
    assert threshold(base, stability) == fresh
    moment = timedelta(microseconds=1)
    ages = (fresh - moment, fresh, 2 * fresh - moment, 2 * fresh)
    assert [level(age, fresh) for age in ages] == [Level.FRESH, Level.STALE, Level.STALE, Level.REFUSE]


def test_the_asynchronous_names_are_one_class_with_every_verb_of_crystals() -> None:
    assert CrystallizationEngine is CrystalReaper is ContextProjector
    verbs = {name for name in vars(Crystals) if not name.startswith("_")}
    assert verbs <= set(dir(CrystallizationEngine))
