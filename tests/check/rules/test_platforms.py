"""What the rules about platforms find, and what they leave alone."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options


@pytest.fixture
def codes(plugin):
    def of(call: str) -> list[str]:
        source = f"OPTIONS = {{}}\n\n\ndef ready(config=None):\n    return False\n\n\ndef register(ctx):\n    {call}\n"
        directory = plugin({"__init__.py": source})
        return [one.code for one in check(directory, Options(static=True)).findings if one.code.startswith("HS52")]

    return of


@pytest.mark.parametrize(
    "call",
    [
        "ctx.register_platform('echo', 'Echo', ready, ready, is_connected=ready, emoji='x', pii_safe=True)",
        "ctx.register_platform(name='echo', label='Echo', adapter_factory=ready, check_fn=ready, **OPTIONS)",
        "ctx.register_tool('echo')",
    ],
)
def test_what_works_is_left_alone(codes, call):
    assert codes(call) == []


def test_a_platform_without_is_connected_is_told(codes):
    assert codes("ctx.register_platform('echo', 'Echo', ready, ready)") == ["HS521"]


def test_a_keyword_of_newer_hosts_is_found_unless_it_is_tried(codes):
    call = "ctx.register_platform('echo', 'Echo', ready, ready, is_connected=ready, trusted_inbound=True)"
    assert codes(call) == ["HS522"]
    assert codes(f"try:\n        {call}\n    except TypeError:\n        pass") == []
