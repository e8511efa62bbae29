"""A circuit opens at the third failure in a row, and lets one call try when its time is over."""

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from foveal.backends.breaker import FAILURES, RESET, abandoned, failed, let_through, reset, succeeded, waiting
from foveal.model.server import Circuit, CircuitState
from foveal.testing import ManualClock


class Story(RuleBasedStateMachine):
    """Calls begin, and end in any order, while the clock goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.circuit = Circuit()
        self.under_way: list[int] = []

    @rule(seconds=st.sampled_from([1, 30, 59, 60, 61]))
    def wait(self, seconds: int) -> None:
        self.clock.turn(timedelta(seconds=seconds))

    @rule()
    def call(self) -> None:
        before = self.circuit
        after = let_through(before, self.clock.now())
        if before.state is CircuitState.CLOSED:
            assert after == before
        else:
            free = not waiting(before, self.clock.now())
            assert (after is not None) is free
            if after is not None:
                assert after.state is CircuitState.HALF_OPEN
                assert let_through(after, self.clock.now()) is None
        if after is not None:
            self.circuit = after
            self.under_way.append(after.epoch)

    @rule(data=st.data(), how=st.sampled_from(["well", "badly", "not at all"]))
    def end(self, data: st.DataObject, how: str) -> None:
        if not self.under_way:
            return
        epoch = self.under_way.pop(data.draw(st.integers(0, len(self.under_way) - 1)))
        before, counts = self.circuit, epoch == self.circuit.epoch
        match how:
            case "well":
                self.circuit = succeeded(before, epoch)
                expected = CircuitState.CLOSED
            case "badly":
                self.circuit = failed(before, epoch, self.clock.now())
                opens = before.state is CircuitState.HALF_OPEN or before.failures + 1 >= FAILURES
                expected = CircuitState.OPEN if opens else CircuitState.CLOSED
            case _:
                self.circuit = abandoned(before, epoch)
                expected = CircuitState.OPEN if before.state is CircuitState.HALF_OPEN else CircuitState.CLOSED
        if counts and before.state is not CircuitState.OPEN:
            assert self.circuit.state is expected
        else:
            assert self.circuit == before

    @rule()
    def by_hand(self) -> None:
        self.circuit = reset(self.circuit)
        assert self.circuit.failures == 0
        assert let_through(self.circuit, self.clock.now()) is not None

    @invariant()
    def closed_means_few_failures(self) -> None:
        if self.circuit.state is CircuitState.CLOSED:
            assert self.circuit.failures < FAILURES

    @invariant()
    def one_trial_at_most(self) -> None:
        if self.circuit.state is CircuitState.HALF_OPEN:
            assert self.under_way.count(self.circuit.epoch) <= 1

    @invariant()
    def it_never_stays_shut_for_good(self) -> None:
        assert let_through(self.circuit, self.clock.now() + RESET) is not None


TestStory = Story.TestCase


def test_three_failures_among_successes_do_not_open_it() -> None:
    """C4."""
    clock, circuit = ManualClock(), Circuit()
    for _ in range(5):
        circuit = failed(circuit, circuit.epoch, clock.turn(timedelta(hours=1)))
        circuit = failed(circuit, circuit.epoch, clock.turn(timedelta(hours=1)))
        circuit = succeeded(circuit, circuit.epoch)
    assert circuit.state is CircuitState.CLOSED and circuit.failures == 0


def test_half_open_lets_one_call_try() -> None:
    """C5."""
    clock, circuit = ManualClock(), Circuit()
    for _ in range(3):
        circuit = failed(circuit, circuit.epoch, clock.now())
    assert let_through(circuit, clock.turn(timedelta(seconds=59.9))) is None
    trial = let_through(circuit, clock.turn(timedelta(seconds=0.1)))
    assert trial is not None and trial.state is CircuitState.HALF_OPEN
    assert let_through(trial, clock.now()) is None
    shut = failed(trial, trial.epoch, clock.now())
    assert shut.state is CircuitState.OPEN and waiting(shut, clock.now()) == RESET
    assert succeeded(trial, trial.epoch).state is CircuitState.CLOSED


def test_a_late_success_of_an_old_call_does_not_close_it() -> None:
    clock, circuit = ManualClock(), Circuit()
    begun = circuit.epoch
    for _ in range(3):
        circuit = failed(circuit, circuit.epoch, clock.now())
    assert succeeded(circuit, begun) == circuit
