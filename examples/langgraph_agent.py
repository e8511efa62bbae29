"""A LangGraph agent that remembers its users between runs.

Run it with `python examples/langgraph_agent.py [memory.db]`. The model is a function, so that it runs offline; put
a chat model of LangChain in its place.
"""

from __future__ import annotations

import sys
from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore

from foveal import Memory
from foveal.integrations.langgraph import FovealStore


class Talk(TypedDict, total=False):
    """The state of the graph."""

    user: str
    said: str
    answer: str


def model(said: str, known: list[str]) -> str:
    """What a model would answer: here, the best of what is known."""
    return f"You told me: {known[0]}" if known else f"I will remember: {said}"


def reply(state: Talk, *, store: BaseStore) -> Talk:
    """Search the user's memories, answer, and remember what was said."""
    user, said = state.get("user", ""), state.get("said", "")
    asked = said.endswith("?")
    known = [item.value["text"] for item in store.search(("memories", user), query=said, limit=3)] if asked else []
    if not asked:
        store.put(("memories", user), said[:60], {"text": said})
    return {"answer": model(said, known)}


def main() -> None:
    """Tell the agent two things, then ask."""
    path = sys.argv[1] if len(sys.argv) > 1 else "memory.db"
    graph = StateGraph(Talk)
    graph.add_node("reply", reply)
    graph.add_edge(START, "reply")
    with Memory(path) as memory:
        agent = graph.compile(store=FovealStore(memory.view(actor_id="agent")))
        for said in ("My sister Mira lives in Porto.", "I can't stand coriander.", "Where does my sister live?"):
            print(f"> {said}")
            print(agent.invoke({"user": "ada", "said": said})["answer"])


if __name__ == "__main__":
    main()
