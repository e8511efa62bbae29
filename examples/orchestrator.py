"""An orchestrator that uses for its second goal what it learned from the first, without a network.

Run it with `python examples/orchestrator.py`. The model is a scripted server on this machine that speaks the OpenAI
protocol; give the URL and the name of a real one to use that instead:

    python examples/orchestrator.py http://localhost:11434/v1 llama3.2
"""

from __future__ import annotations

import sys

from foveal import Memory, OpenAIModel
from foveal.agents import Orchestrator, Outcome
from foveal.testing import ModelServer

GOALS = (
    "Find out how long passwords must be",
    "Build a registration form that checks passwords",
    "Find out how long passwords must be",
)
SCRIPT = [
    '["Look up the password policy"]',
    {"read_policy": {"topic": "passwords"}},
    "The password policy is 12 characters.",
    '["Write the rules of the form"]',
    "The form asks for an email and a password of at least 12 characters.",
]


def read_policy(topic: str) -> str:
    """Look up a policy of the company."""
    return {"passwords": "The password policy is 12 characters."}.get(topic, "There is no such policy.")


def says_a_length(goal: str, result: str) -> bool:
    """Whether the result of a repeated goal reaches it. Without such a check, the model is asked."""
    return any(word.isdigit() for word in result.split())


def main(url: str, model: str) -> None:
    """Run three goals, and print every context that the model was given."""
    with Memory(":memory:") as memory:
        ada, llm = memory.view(actor_id="ada"), OpenAIModel(url, model=model)
        orchestrator = Orchestrator(ada, llm, [read_policy], check=says_a_length)
        for goal in GOALS:
            show(orchestrator.run(goal))


def show(done: Outcome) -> None:
    """Print how a goal went."""
    print(f"== {done.goal.description}: {done.goal.status}")
    for number, context in enumerate(done.contexts, 1):
        print(f"-- context {number}, {context.total_tokens} of {context.max_tokens} tokens")
        print(context.text)
    if done.pattern is not None:
        print(f"-- no model was asked: the pattern {done.pattern.action!r} applied")
    print(f"-- result: {done.result}\n")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(sys.argv[1], sys.argv[2])
    else:
        with ModelServer(list(SCRIPT)) as server:
            main(server.url, "scripted")
