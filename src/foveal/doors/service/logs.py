"""The access log, error notices, the error file, and which notices a caller may receive."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from foveal import compose
from foveal.backends.in_process import ErrorFileBus
from foveal.compose import Memory
from foveal.config import Settings, own_folder
from foveal.doors.service.service import Caller, ServiceCall
from foveal.engine.runtime.notices import Notifier
from foveal.errors import Forbidden, FovealError, Invalid
from foveal.model.notice import Kind, Notice, Severity, severity_of
from foveal.model.query import Viewpoint
from foveal.model.server import Logging
from foveal.ports.system import Bus, Heard, Subscription
from foveal.rules.validation import checked_node


def errors_file(settings: Settings) -> Path:
    """The file of errors: the one in the settings, else one in the user's state folder."""
    if settings.logging.errors is not None:
        return Path(settings.logging.errors).expanduser()
    return own_folder("state") / "errors.jsonl"


def open_bus(settings: Settings) -> Bus:
    """The bus of a door process, which also writes errors to the error file."""
    return ErrorFileBus(compose.open_bus(settings), errors_file(settings))


class FaultReporter:
    """An observer that publishes every error of a call, with its door and request id."""

    def __init__(self, memory: Memory) -> None:
        self._notifier = Notifier(memory.bus, memory.runtime.clock)

    @contextmanager
    def __call__(self, asked: ServiceCall) -> Generator[None]:
        """Observe one call."""
        try:
            yield
        except Exception as error:
            self._notifier.fault(asked.door, error, viewpoint=_place(asked), request_id=asked.request_id)
            raise

    def refused(self, door: str, error: BaseException, request_id: str | None = None) -> None:
        """Publish an error that a door raised before there was a call: no key, too large, not JSON."""
        self._notifier.fault(door, error, request_id=request_id)


def _place(asked: ServiceCall) -> Viewpoint | None:
    """The memory that the call was admitted to, and the node that called; None if it was not admitted."""
    world, actor = asked.said.get("world", "default"), asked.said.get("actor_id")
    if not isinstance(world, str) or not isinstance(actor, str):
        return None
    try:
        node = checked_node(asked.said.get("node", "/"))
    except Invalid:
        node = "/"
    return Viewpoint(world=world, actor_id=actor, node=node)


def heard_by(caller: Caller) -> Heard:
    """A filter for the notices of the memories that a caller may name: its worlds and actors, with all their nodes.

    A notice about no particular memory, such as an unreachable encoder, goes to callers of the whole store.
    """

    def heard(notice: Notice) -> bool:
        return _covers(caller.worlds, notice.world) and _covers(caller.actors, notice.actor_id)

    return heard


def _covers(allowed: tuple[str, ...] | None, name: str | None) -> bool:
    return allowed is None or name in allowed


def kinds_of(names: Iterable[str]) -> frozenset[Kind]:
    """The kinds of notices with these names; "memory" means all that begin with "memory."."""
    kinds: set[Kind] = set()
    for name in names:
        matching = {kind for kind in Kind if kind.value == name or kind.value.startswith(f"{name}.")}
        if not matching:
            raise Invalid(f"there is no kind of notice {name!r}: there are {', '.join(Kind)}")
        kinds |= matching
    return frozenset(kinds)


def subscribe(
    bus: Bus,
    caller: Caller,
    *,
    after: str | None = None,
    kinds: Iterable[str] = (),
    wake: Callable[[], None] | None = None,
) -> Subscription:
    """A subscription to the notices that a caller may receive, from now on or after the one with this id."""
    if not caller.may("read"):
        raise Forbidden("this key may not listen: it may not read")
    return bus.subscribe(after, kinds=kinds_of(kinds), heard=heard_by(caller), wake=wake)


LOG = logging.getLogger("foveal.calls")
LEVELS = {Severity.INFO: logging.INFO, Severity.WARNING: logging.WARNING}


class JsonLines(logging.Formatter):
    """Formats a log record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The log line."""
        fields: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            fields["error"] = record.exc_info[0].__name__
            if record.levelno >= logging.ERROR:
                fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False, default=str)


def start_logging(said: Logging, stream: TextIO | None = None) -> logging.Handler:
    """Write the log of this process to standard error, as the settings say."""
    handler = logging.StreamHandler(stream or sys.stderr)
    text = logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if said.format == "json" else text)
    logger = logging.getLogger("foveal")
    logger.addHandler(handler)
    logger.setLevel(said.level.upper())
    logger.propagate = False
    return handler


def stop_logging(handler: logging.Handler) -> None:
    """Undo `start_logging`."""
    logger = logging.getLogger("foveal")
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    logger.propagate = True


@contextmanager
def logged(asked: ServiceCall) -> Generator[None]:
    """An observer that logs one line for each call: door, verb, code, milliseconds and request id."""
    start = time.perf_counter()
    try:
        yield
    except Exception as error:
        code = error.code if isinstance(error, FovealError) else "internal"
        level = LEVELS.get(severity_of(error), logging.ERROR)
        # A traceback helps only with errors of the server, not with those of the caller.
        _line(asked, code, start, level, traced=level >= logging.ERROR)
        raise
    _line(asked, "ok", start, logging.INFO)


def _line(asked: ServiceCall, code: str, start: float, level: int, *, traced: bool = False) -> None:
    if not LOG.isEnabledFor(level):
        return
    took = round((time.perf_counter() - start) * 1000, 2)
    fields = {
        "door": asked.door,
        "verb": asked.verb,
        "request_id": asked.request_id,
        "caller": asked.caller.name,
        "code": code,
        "ms": took,
    }
    values = (asked.door, asked.verb, code, took, asked.request_id)
    LOG.log(level, "%s %s %s %s ms [%s]", *values, extra={"told": fields}, exc_info=traced)
