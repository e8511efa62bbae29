"""A call as it arrives: who asks, until when, under which id."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from uuid import uuid4

import grpc
from grpc_status import rpc_status

from foveal.doors.grpc.statuses import status
from foveal.doors.service import Caller, Once
from foveal.errors import FovealError, TimedOut

# Who calls, from what the metadata say as `authorization`: `Guard.caller`, or a function of your own.
Authenticate = Callable[[str | None], Caller]
LOG = logging.getLogger("foveal.grpc")
REQUEST_ID = "x-request-id"
IDEMPOTENCY_KEY = "idempotency-key"
_ID = re.compile(r"[\x21-\x7e]{1,128}")


class Arrival:
    """A call that arrived. What goes wrong inside `answering` is told to the caller as a status."""

    def __init__(self, context: grpc.ServicerContext, authenticate: Authenticate) -> None:
        self._context = context
        self._authenticate = authenticate
        self._said = dict(context.invocation_metadata())
        given = str(self._said.get(REQUEST_ID, ""))
        self.request_id = given if _ID.fullmatch(given) else uuid4().hex

    @contextmanager
    def answering(self) -> Generator[Caller]:
        """Who calls, if they may and there is time left."""
        self._context.set_trailing_metadata(((REQUEST_ID, self.request_id),))
        try:
            self.in_time()
            said = self._said.get("authorization")
            yield self._authenticate(None if said is None else str(said))
        except FovealError as error:
            self._end(error)
        except grpc.RpcError:
            # The caller went away in the middle of a stream: nobody is left to be told.
            raise
        except Exception:
            # The boundary: a fault of ours is logged here, and the caller learns no more than that.
            LOG.exception("a call failed", extra={"request_id": self.request_id})
            self._end(FovealError("something went wrong in the server: its log has the request id"))

    @property
    def once(self) -> Once | None:
        """The key that the call came with, if it did."""
        key = self._said.get(IDEMPOTENCY_KEY)
        return None if key is None else Once(key=str(key))

    def in_time(self) -> None:
        """Raise if nobody waits any more: the deadline has passed, or the caller went away."""
        if not self._context.is_active() or self._context.time_remaining() <= 0:
            raise TimedOut("the deadline passed before this was begun")

    def _end(self, error: FovealError) -> None:
        self._context.abort_with_status(rpc_status.to_status(status(error, self.request_id)))
