"""A LangChain chain that keeps its messages in Foveal and recalls what was said in earlier sessions.

Run it with `python examples/langchain_memory.py [memory.db]`. A function stands for the model, so that it runs
offline; put a chat model in its place.
"""

from __future__ import annotations

import sys

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda

from foveal import Memory
from foveal.integrations.langchain import FovealChatMessageHistory, FovealRetriever


def answer(known: list[Document]) -> str:
    """What a model would say to what is known."""
    return f"You told me: {known[0].page_content}" if known else "I will remember that."


def main() -> None:
    """Tell the chain something on Monday, and ask on Tuesday."""
    with Memory(sys.argv[1] if len(sys.argv) > 1 else "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        chain = FovealRetriever(memory=ada, k=1) | RunnableLambda(answer)
        for session, said in (("monday", "My flat is in Lisbon."), ("tuesday", "Where is my flat?")):
            print(f"> {said}")
            replied = chain.invoke(said)
            print(replied)
            FovealChatMessageHistory(session, ada).add_messages([HumanMessage(said), AIMessage(replied)])


if __name__ == "__main__":
    main()
