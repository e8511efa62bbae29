"""A long agent run that is compressed, crystallised, killed, resumed and branched.

Run it with `python examples/crystals.py [memory.db]`. The agent works in a process of its own, which is killed
with SIGKILL in the middle of a step; this process picks the run up from the last crystal.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from foveal import ContextWindow, Memory, View

ROOM = 8_000
TASK = "Find out why the nightly import is slow. The report must name the table and the query."
FINDINGS = {
    3: "Decision: look at the table `harbour_call` first because 92 % of the rows are there.",
    8: "Decision: add an index on (port, arrived_at) because the query scans 4,100,000 rows.",
    13: "Conclusion: the import takes 41 s instead of 19 min with the index.",
}


def step(number: int) -> list[dict[str, Any]]:
    """The messages of one step: a tool call, its long result, and sometimes a decision."""
    call = {"name": "explain", "arguments": json.dumps({"query": f"select * from harbour_call /* {number} */"})}
    rows = "".join(f"step {number} node {n}: seq scan, {n * 997} rows, {n * 3} ms\n" for n in range(60))
    done: list[dict[str, Any]] = [
        {
            "role": "assistant",
            "content": f"Step {number}: asking for the plan.",
            "tool_calls": [{"id": f"call_{number}", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": f"call_{number}", "content": rows},
    ]
    if number in FINDINGS:
        done.append({"role": "assistant", "content": FINDINGS[number]})
    return done


def worked(memory: View, window: ContextWindow, number: int) -> ContextWindow:
    """The window after one more step, compressed if it is too full."""
    window = memory.crystals.add(window, step(number))
    done = memory.crystals.compress(window)
    if done.saved:
        kept = f"{len(done.kept)} kept in memory"
        print(f"  step {number:2}: {done.before:,} tokens compressed to {done.after:,}, {kept}")
    return done.window


def agent(path: str) -> None:
    """The agent: it works, stores a crystal every five steps, and does not stop by itself."""
    view = Memory(path).view(actor_id="ada", session_id="import")
    crystals = view.crystals
    window = crystals.window([{"role": "user", "content": TASK}], max_tokens=ROOM)
    last = None
    for number in range(1, 1_000):
        window = worked(view, window, number)
        if number % 5 == 0:
            state = {"task_id": "import", "description": "the slow import", "progress": min(1, number / 20)}
            crystal = crystals.crystallize(window, parent=last, task_state=state, working_memory={"step": number})
            last = crystal.crystal_id
            print(f"  crystal {crystal.crystal_id} at step {number}: {crystal.total_tokens} tokens", flush=True)


def run_and_kill(path: Path) -> None:
    """Start the agent in another process, and kill it after its second crystal."""
    command = [sys.executable, __file__, "--agent", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        seen = 0
        while seen < 2:
            line = child.stdout.readline()
            if not line:
                raise SystemExit("the agent ended by itself")
            print(line, end="")
            seen += "crystal" in line
        os.kill(child.pid, signal.SIGKILL)
    print(f"killed the agent with SIGKILL; it ended with {child.returncode}")


def main(path: Path) -> None:
    """The whole story."""
    print("An agent works in another process:")
    run_and_kill(path)
    with Memory(path) as memory:
        view = memory.view(actor_id="ada", session_id="import")
        crystals = view.crystals
        last = crystals.lineages()[-1]
        resumed = crystals.resume(last.crystal_id, max_tokens=ROOM)
        reached = int(resumed.working_memory["step"])
        size = f"{len(resumed.window.turns)} turns, {resumed.window.tokens} tokens"
        print(f"\nresumed {last.crystal_id} at step {reached}: {size}")
        for decision in resumed.crystal.decisions:
            print(f"  still known: {decision}")

        window = resumed.window
        for number in range(reached + 1, reached + 6):
            window = worked(view, window, number)
        main_line = crystals.crystallize(window, working_memory={"step": reached + 5})

        branch = crystals.branch(last.crystal_id, "would a materialised view do?", budget=2.0)
        there = crystals.resume(branch.crystal_id, max_tokens=ROOM).window
        tried = "Conclusion: a materialised view takes 55 s and must be refreshed, therefore the index is better."
        there = crystals.add(there, [{"role": "assistant", "content": tried}])
        found = crystals.crystallize(there)
        merged = crystals.merge(found.crystal_id, main_line.crystal_id)
        crystals.cherish(merged.crystal_id)
        print(f"\nbranched, tried another way, and merged into {merged.crystal_id}:")
        for fragment in merged.focus_fragments:
            print(f"  {fragment.linearity.name.lower():9} {fragment.content!r}")
        hit = view.search("step 2 node 17 seq scan rows", k=1)[0]
        print(f"\nmasked long ago, still in memory: {hit.id}, {len(hit.text):,} characters")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--agent"]:
        agent(sys.argv[2])
    elif len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder) / "memory.db")
