"""Availability of tools (B18, B19)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_sdk.hosts.embedded.tools.availability import Availability

LOST = "check_fn probe returned False; dependent tools will be unavailable this turn"
FORGIVEN = "check_fn probe failed ({}) within 60s of last success; they stay available"


class World:
    """A clock, and a service that may be available."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.answer: object = True
        self.asked = 0
        self.swallowed: list[tuple[str, BaseException]] = []
        self._available = Availability(
            quiet=False,
            on_swallowed=lambda *hidden: self.swallowed.append(hidden),
            clock=lambda: self.now,
        )
        self._probe = self._make_probe()

    def _make_probe(self) -> Callable[[], object]:
        def probe() -> object:
            self.asked += 1
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        probe.__qualname__ = "probe"
        return probe

    def is_offered(self, answer: object, *, after: float = 0.0) -> bool:
        self.now += after
        self.answer = answer
        return self._available(self._probe)


@pytest.mark.parametrize("answer", [True, False])
def test_result_is_cached_for_thirty_seconds(answer: bool) -> None:
    world = World()
    assert world.is_offered(answer) is answer
    assert world.is_offered(not answer, after=29.9) is answer
    assert world.asked == 1


def test_failure_soon_after_success_is_forgiven_and_retried(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    world.is_offered(True)
    assert world.is_offered(False, after=31)
    assert world.is_offered(OSError("busy"), after=1)
    assert world.asked == 3
    assert caplog.messages == [FORGIVEN.format("returned False"), FORGIVEN.format("raised")]
    assert [(where, str(error)) for where, error in world.swallowed] == [("check_fn probe", "busy")]


def test_failure_long_after_success_hides_tool(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    world.is_offered(True)
    assert not world.is_offered(False, after=60)
    assert not world.is_offered(True, after=29)
    assert world.is_offered(True, after=1)
    assert [(record.name, record.levelname, record.message) for record in caplog.records] == [
        ("tools.registry", "WARNING", LOST)
    ]


@pytest.mark.parametrize("failure", [False, None, 0, "", ValueError("no")])
def test_any_failure_without_success_hides_tool(failure: object) -> None:
    assert not World().is_offered(failure)
