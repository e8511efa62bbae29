"""Small agents on top of a memory."""

from foveal.agents.chat import Agent, Answer, ChatAgent
from foveal.agents.contexts import ContextManagerAgent
from foveal.agents.knowledge_base import KnowledgeBaseAgent
from foveal.agents.orchestrator import Orchestrator, Outcome
from foveal.agents.session_memory import SessionMemoryAgent

__all__ = [
    "Agent",
    "Answer",
    "ChatAgent",
    "ContextManagerAgent",
    "KnowledgeBaseAgent",
    "Orchestrator",
    "Outcome",
    "SessionMemoryAgent",
]
