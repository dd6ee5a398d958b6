"""A few fixed examples of each kind: both hosts show the same, unless the embedded one refuses."""

import pytest
from fuzz.comparison import play_on_both
from fuzz.examples import KINDS, Example, examples
from hypothesis import HealthCheck, Phase, given, settings

RELEASE = "0.19.0"
COUNTS = {"session": 2, "gateway": 1, "calls": 2, "show": 2}
"""Kind -> how many examples every run plays; one when it is not named."""


@pytest.mark.real_host
# Hypothesis draws constants from our own modules, so the examples change with them.
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_both_hosts_show_the_same(kind: str, real_python) -> None:
    real_python(RELEASE)

    # Shrinking belongs into `make fuzz`.
    @settings(
        max_examples=COUNTS.get(kind, 1) + 1,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(examples(kind, RELEASE))
    def play(example: Example) -> None:
        outcome = play_on_both(example, RELEASE)
        told = [f"{place}: embedded {left}, real {right}" for place, left, right in outcome.differences]
        assert outcome.result != "different", "\n".join(told)

    play()
