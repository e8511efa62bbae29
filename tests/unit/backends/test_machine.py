"""What the machine says of itself and of its processes."""

import subprocess
import sys

import psutil
import pytest

from foveal.backends.in_process import ThisMachine


def test_a_process_is_alive_until_it_ends() -> None:
    machine = ThisMachine()
    assert machine.alive(machine.owner)
    host = machine.owner.split(":")[0]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        owner = f"{host}:{child.pid}:{psutil.Process(child.pid).create_time():.2f}"
        assert machine.alive(owner)
        # Another process that was given the same number is not the one that was meant.
        assert not machine.alive(f"{host}:{child.pid}:1000.00")
        child.kill()
        child.wait()
        assert not machine.alive(owner)
    assert not machine.alive(f"{host}:nonsense:1")


def test_nothing_is_said_of_other_machines() -> None:
    assert ThisMachine().alive("elsewhere:1:1.00")


def test_a_process_that_may_not_be_asked_counts_as_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = ThisMachine()
    owner = machine.owner

    def refuse(*_: object) -> None:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil, "Process", refuse)
    assert machine.alive(owner)
