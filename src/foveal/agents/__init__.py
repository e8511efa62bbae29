"""Small agents on top of a memory."""

from foveal.agents.chat import Agent, Answer, ChatAgent
from foveal.agents.client_agents import ContextManagerAgent, KnowledgeBaseAgent, SessionMemoryAgent
from foveal.agents.openai import OpenAIEmbeddingProvider, OpenAIProvider
from foveal.agents.orchestrator import Orchestrator, Outcome

__all__ = [
    "Agent",
    "Answer",
    "ChatAgent",
    "ContextManagerAgent",
    "KnowledgeBaseAgent",
    "OpenAIEmbeddingProvider",
    "OpenAIProvider",
    "Orchestrator",
    "Outcome",
    "SessionMemoryAgent",
]
