"""Small agents on top of a memory."""

from foveal.agents.chat import Agent, Answer, ChatAgent
from foveal.agents.client_agents import ContextManagerAgent, KnowledgeBaseAgent, SessionMemoryAgent
from foveal.agents.orchestrator import Orchestrator, Outcome

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
