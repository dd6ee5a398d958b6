"""A few fixed examples of each kind have the same results on both hosts, unless they are not supported."""

import pytest
from fuzz.comparison import play_on_both
from fuzz.examples import KINDS, Example, examples
from hypothesis import HealthCheck, Phase, given, settings

from hermes_sdk import contract

RELEASES = tuple(reversed(contract.releases()))
"""Proven releases, newest first. Each run plays the kinds in `OFTEN` on the newest."""

OFTEN = ("session", "recent calls")
COUNTS = {"session": 2, "calls": 2, "show": 2}
"""Kind -> the number of examples of a slow test. Default, and for other tests: 1."""


def is_quick(kind: str, release: str) -> bool:
    return kind in OFTEN and release == RELEASES[0]


def pairs() -> list[object]:
    return [
        pytest.param(kind, release, marks=() if is_quick(kind, release) else pytest.mark.slow)
        for release in RELEASES
        for kind in KINDS
    ]


@pytest.mark.real_host
@pytest.mark.parametrize(("kind", "release"), pairs())
@pytest.mark.usefixtures("ignore_unawaited_coroutines")
def test_hosts_agree_on_generated_examples(kind: str, release: str, real_python) -> None:
    real_python(release)

    # Only `make fuzz` shrinks examples.
    @settings(
        max_examples=1 + (1 if is_quick(kind, release) else COUNTS.get(kind, 1)),
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(examples(kind, release))
    def play(example: Example) -> None:
        outcome = play_on_both(example, release)
        told = [f"{place}: embedded {left}, real {right}" for place, left, right in outcome.differences]
        assert outcome.result != "different", "\n".join(told)

    play()
