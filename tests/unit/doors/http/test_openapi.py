"""The description of the HTTP door is true."""

# pyright: reportUnknownVariableType=false, reportMissingTypeArgument=false, reportUnknownParameterType=false
# pyright: reportUntypedFunctionDecorator=false, reportUnknownArgumentType=false

from pathlib import Path
from typing import Any

import msgspec
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from foveal import Memory, Settings
from foveal.doors.http import create_app
from foveal.doors.http.openapi import document
from foveal.doors.service import ANYONE
from foveal.doors.service.auth import Keys
from foveal.doors.service.observed import open_observed_service
from foveal.model.server import Serving

COMMITTED = Path(__file__).parents[4] / "docs" / "reference" / "openapi.json"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
FEW = settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)

memory = Memory(":memory:")
station = open_observed_service(memory, Settings(second_look="off"), url=":memory:")
app = create_app(
    station.service,
    authenticate=lambda _: ANYONE,
    # A slow machine is no error of the server.
    serving=Serving(hosts=("testserver",), rate=0.0, request_timeout=600.0),
    station=station,
    keys=Keys(memory.keys),
)
# The stream of events does not end.
schema = schemathesis.openapi.from_asgi("/openapi.json", app).exclude(path="/v1/stream")


@schemathesis.serializer("application/x-ndjson")
def _lines(_: schemathesis.SerializationContext, value: object) -> bytes:
    return str(value).encode(errors="replace")


def test_the_committed_description_is_the_one_that_is_served() -> None:
    assert msgspec.json.decode(COMMITTED.read_bytes()) == document(), "run: make api"


@schema.parametrize()
@FEW
def test_no_request_gets_an_answer_that_is_not_described(case: schemathesis.Case) -> None:
    case.call_and_validate(checks=CHECKS)


class Stateful(schema.as_state_machine()):
    """What one answer gives is asked for next."""

    def validate_response(self, response: Any, case: Any, *_: Any, **__: Any) -> None:
        case.validate_response(response, checks=CHECKS)


TestStateful = Stateful.TestCase
TestStateful.settings = settings(FEW, max_examples=10, stateful_step_count=6)
