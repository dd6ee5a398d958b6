"""Names of commands that a user can reach."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options


def found(directory, release: str | None = None) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in check(directory, Options(release=release)).findings]


def commands(call: str) -> dict[str, str]:
    return {"__init__.py": f"def register(ctx):\n    {call}\n"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("roll", []),
        ("/Roll Dice", []),
        ("help", [("HS451", "error")]),
        ("tasks", [("HS451", "error")]),
        ("roll_dice", [("HS452", "warning")]),
        ("roll.dice", [("HS453", "warning")]),
        ("r" * 32, []),
        ("r" * 33, [("HS453", "warning")]),
        ("/", [("HS453", "error")]),
        ("models", [("HS454", "warning")]),
    ],
)
def test_names_of_slash_commands(plugin, name, expected):
    assert found(plugin(commands(f"ctx.register_command('{name}', print)"))) == expected


@pytest.mark.parametrize(("name", "expected"), [("roll", []), ("chat", ["HS455"]), ("tools", ["HS455"])])
def test_names_of_cli_commands(plugin, name, expected):
    directory = plugin(commands(f"ctx.register_cli_command('{name}', 'Roll.', lambda parser: None, print)"))
    assert [code for code, _ in found(directory)] == expected


def test_a_command_is_looked_up_in_each_release(plugin):
    directory = plugin(commands("ctx.register_cli_command('journey', 'Roll.', lambda parser: None, print)"))
    assert found(directory, "0.13.0") == []
    assert found(directory, "0.19.0") == [("HS455", "error")]
