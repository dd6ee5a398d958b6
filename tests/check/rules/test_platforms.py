"""Rules about platforms."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options


@pytest.fixture
def codes(plugin):
    def find_codes(call: str, release: str | None = None) -> list[str]:
        source = f"OPTIONS = {{}}\n\n\ndef ready(config=None):\n    return False\n\n\ndef register(ctx):\n    {call}\n"
        directory = plugin({"__init__.py": source})
        options = Options(static=True, release=release)
        return [one.code for one in check(directory, options).findings if one.code.startswith("HS52")]

    return find_codes


@pytest.mark.parametrize(
    "call",
    [
        "ctx.register_platform('echo', 'Echo', ready, ready, is_connected=ready, emoji='x', pii_safe=True)",
        "ctx.register_platform(name='echo', label='Echo', adapter_factory=ready, check_fn=ready, **OPTIONS)",
        "ctx.register_tool('echo')",
    ],
)
def test_correct_calls_have_no_finding(codes, call):
    assert codes(call) == []


def test_platform_without_is_connected_is_reported(codes):
    assert codes("ctx.register_platform('echo', 'Echo', ready, ready)") == ["HS521"]


def test_keyword_of_newer_releases_is_reported_outside_of_try(codes):
    call = "ctx.register_platform('echo', 'Echo', ready, ready, is_connected=ready, trusted_inbound=True)"
    assert codes(call) == []
    assert codes(call, "0.20.2") == ["HS522"]
    assert codes(f"try:\n        {call}\n    except TypeError:\n        pass", "0.20.2") == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("Platform('telegramm')", "Hermes 0.22.2 has no platform 'telegramm'; did you mean 'telegram'?"),
        ("Platform.TELEGRAMM", "Hermes 0.22.2 has no platform 'TELEGRAMM'; did you mean 'TELEGRAM'?"),
        ("Platform(' Telegram ')", None),
        ("Platform('irc')", None),
        ("Platform.DISCORD", None),
        ("Platform(line)", None),
        ("Platform.__members__", None),
    ],
)
def test_unknown_platform_gets_a_suggestion(plugin, expression, expected):
    source = f"def where(line):\n    from gateway.config import Platform\n\n    return {expression}\n"
    directory = plugin({"__init__.py": f"{source}\n\ndef register(ctx):\n    ctx.register_command('where', where)\n"})
    found = [one.message for one in check(directory, Options(static=True)).findings if one.code == "HS524"]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize("name", ["'echo'", "NAME"])
def test_platform_that_the_plugin_registers_is_known(codes, name):
    source = "from gateway.config import Platform; NAME = 'echo'; "
    call = f"ctx.register_platform({name}, 'Echo', ready, ready, is_connected=ready)"
    assert codes(f"{source}{call}; Platform('echo')") == []


def test_platform_in_a_try_may_be_missing(codes):
    source = "from gateway.config import Platform\n    "
    assert codes(f"{source}Platform('echo')") == ["HS524"]
    assert codes(f"{source}try:\n        Platform('echo')\n    except ValueError:\n        pass") == []


def test_unknown_platform_that_fails_the_import_is_reported_once(plugin):
    source = "from gateway.config import Platform\n\nWHERE = Platform('echo')\n\n\ndef register(ctx):\n    pass\n"
    assert [one.code for one in check(plugin({"__init__.py": source})).findings] == ["HS524"]
