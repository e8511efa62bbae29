"""The log of a server: one line a call, with nothing of what was said."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TextIO

from foveal.doors.service.asked import Asked
from foveal.errors import FovealError
from foveal.model.notice import Severity, severity_of
from foveal.model.server import Logging

LOG = logging.getLogger("foveal.calls")
LEVELS = {Severity.INFO: logging.INFO, Severity.WARNING: logging.WARNING}


class JsonLines(logging.Formatter):
    """A record of the log as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            told["error"] = record.exc_info[0].__name__
            if record.levelno >= logging.ERROR:
                told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False, default=str)


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
    """Take back what `start_logging` did."""
    logger = logging.getLogger("foveal")
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    logger.propagate = True


@contextmanager
def logged(asked: Asked) -> Generator[None]:
    """A watch that writes one line a call: the door, the verb, the request, the code, the milliseconds."""
    start = time.perf_counter()
    try:
        yield
    except Exception as error:
        code = error.code if isinstance(error, FovealError) else "internal"
        level = LEVELS.get(severity_of(error), logging.ERROR)
        # Only of what is ours to mend is it of use to know where it happened.
        _line(asked, code, start, level, traced=level >= logging.ERROR)
        raise
    _line(asked, "ok", start, logging.INFO)


def _line(asked: Asked, code: str, start: float, level: int, *, traced: bool = False) -> None:
    if not LOG.isEnabledFor(level):
        return
    took = round((time.perf_counter() - start) * 1000, 2)
    told = {
        "door": asked.door,
        "verb": asked.verb,
        "request_id": asked.request_id,
        "caller": asked.caller.name,
        "code": code,
        "ms": took,
    }
    words = (asked.door, asked.verb, code, took, asked.request_id)
    LOG.log(level, "%s %s %s %s ms [%s]", *words, extra={"told": told}, exc_info=traced)
