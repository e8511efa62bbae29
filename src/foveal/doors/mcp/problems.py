"""Errors as MCP says them: to a model in words, to a program by their code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.errors import FovealError, Invalid, NotFound
from foveal.wire.problems import problem

if TYPE_CHECKING:
    from mcp import MCPError
    from mcp_types import CallToolResult

# Where a result carries the whole problem, for programs.
META = "foveal.dev/problem"
# What a model can do about an error, where the message of the error cannot know the tools.
HINTS = {
    "not_found": "Ids come from memory_search, memory_context and memory_timeline.",
    "pinned": "If that is wanted: memory_pin with pinned=false.",
    "precondition_failed": "Read it again with memory_get, then decide.",
    "budget_too_small": "Raise token_budget.",
    "forbidden": "This server was not started for that; the user can change how it is started.",
    "read_only": "This memory can only be read.",
}


def told(error: FovealError) -> str:
    """An error in words: its code, what is wrong, and what to do.

    >>> told(NotFound("there is no record 'x' here"))
    "not_found: there is no record 'x' here. Ids come from memory_search, memory_context and memory_timeline."
    """
    hint = HINTS.get(error.code, "Try again." if error.retry else "")
    message = f"{error.code}: {error.message}"
    return f"{message.rstrip('.')}. {hint}" if hint else message


def tool_error(error: FovealError) -> CallToolResult:
    """An error as the result of a tool, which the model sees and can act on."""
    from mcp_types import CallToolResult, TextContent

    # Not as structured content: clients hold that against the schema of the answer.
    return CallToolResult(content=[TextContent(text=told(error))], is_error=True, _meta={META: problem(error)})


def protocol_error(error: FovealError, **about: str) -> MCPError:
    """An error of a resource or a prompt, which have no results that tell of errors."""
    from mcp import MCPError
    from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

    code = INVALID_PARAMS if isinstance(error, Invalid | NotFound) else INTERNAL_ERROR
    return MCPError(code=code, message=told(error), data={**about, **problem(error)})
