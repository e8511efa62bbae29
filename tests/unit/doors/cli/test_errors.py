"""What went wrong is found in a file, also when no server runs."""

from pathlib import Path

import pytest

from foveal import Memory, Settings
from foveal.backends import in_process
from foveal.backends.in_process import ErrorFileBus, RingBus
from foveal.doors.service.logs import errors_file, open_bus
from foveal.engine.lifecycle.scheduler import Worker
from foveal.engine.runtime.notices import Notifier
from foveal.errors import ModelUnavailable, NotFound, StorageFull
from foveal.ports.system import SystemClock

from .conftest import Run


def test_errors_shows_what_is_to_be_looked_after_newest_last(run: Run) -> None:
    notifier = Notifier(open_bus(Settings(second_look="off")), SystemClock())
    notifier.fault("encoder", ModelUnavailable("xylophone"))
    notifier.fault("http", NotFound("xylophone"), request_id="r1")
    notifier.fault("grpc", StorageFull("/data is full"), request_id="r2")
    lines = run("errors").out.splitlines()
    assert len(lines) == 2 and "xylophone" not in run("errors").out
    assert "warning   encoder model_unavailable" in lines[0]
    assert lines[1].endswith("critical  grpc storage_full  /data is full  [r2]")
    [last] = run("errors", "--limit", "1", "--json").json
    assert (last["fault"]["code"], last["fault"]["request_id"]) == ("storage_full", "r2")


def test_without_errors_it_says_so(run: Run) -> None:
    assert run("errors").out == "no errors\n"
    assert run("errors", "--json").json == []


def test_the_file_is_private_bounded_and_survives_a_line_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deep" / "errors.jsonl"
    monkeypatch.setattr(in_process, "BYTES", 2_000)
    notifier = Notifier(ErrorFileBus(RingBus(), path), SystemClock())
    for _ in range(50):
        notifier.fault("store", StorageFull("full"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert sum(one.stat().st_size for one in path.parent.iterdir()) <= 4_000
    path.write_bytes(path.read_bytes() + b'{"at": "20')
    assert all(one.fault is not None for one in in_process.filed(path))


def test_a_job_that_fails_is_in_the_file(tmp_path: Path) -> None:
    settings = Settings(second_look="off")
    memory = Memory(tmp_path / "memory.db", settings=settings, bus=open_bus(settings))
    worker = Worker(memory.scheduler(), seconds=0)
    memory.close()
    worker.stop()
    with pytest.raises(Exception, match="closed"):
        worker.run()
    [told] = in_process.filed(errors_file(settings))
    assert told.fault is not None
    assert (told.fault.component, told.fault.code) == ("scheduler", "store_unavailable")
