"""Rules about slash commands and CLI commands."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options


def find(directory, release: str | None = None) -> list[tuple[str, str]]:
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
def test_slash_command_names_are_checked(plugin, name, expected):
    assert find(plugin(commands(f"ctx.register_command('{name}', print)"))) == expected


@pytest.mark.parametrize(("name", "expected"), [("roll", []), ("chat", ["HS455"]), ("tools", ["HS455"])])
def test_cli_command_names_are_checked(plugin, name, expected):
    directory = plugin(commands(f"ctx.register_cli_command('{name}', 'Roll.', lambda parser: None, print)"))
    assert [code for code, _ in find(directory)] == expected


def test_built_in_commands_depend_on_the_release(plugin):
    directory = plugin(commands("ctx.register_cli_command('journey', 'Roll.', lambda parser: None, print)"))
    assert find(directory, "0.13.0") == []
    assert find(directory, "0.19.0") == [("HS455", "error")]


@pytest.mark.parametrize("name", ["peer", "worktree", "vault", "connectors"])
def test_newer_built_in_command_is_a_conflict_only_on_newer_releases(plugin, name):
    directory = plugin(commands(f"ctx.register_cli_command('{name}', 'Roll.', lambda parser: None, print)"))
    assert find(directory, "0.19.0") == []
    assert find(directory) == [("HS455", "error")]


HANDLERS = """\
from functools import partial

from .other import none as imported


class Commands:
    def none(self):
        return ""

    def one(self, line):
        return line

    def __call__(self, line):
        return line


def none():
    return ""


def two(one, other):
    return one


def keywords(**kwargs):
    return ""


def optional(line="", other=None, **kwargs):
    return line


def any_number(*lines):
    return ""
"""


@pytest.mark.parametrize(
    ("handler", "is_found"),
    [
        ("lambda: ''", True),
        ("none", True),
        ("imported", True),
        ("two", True),
        ("keywords", True),
        ("Commands().none", True),
        ("lambda line: line", False),
        ("optional", False),
        ("any_number", False),
        ("Commands().one", False),
        ("Commands()", False),
        ("partial(two, 1)", False),
        ("print", False),
        ("dict.fromkeys", False),
    ],
)
def test_command_must_accept_one_argument(plugin, handler, is_found):
    source = f"{HANDLERS}\n\ndef register(ctx):\n    ctx.register_command('roll', {handler})\n"
    directory = plugin({"__init__.py": source, "other.py": "def none():\n    return ''\n"})
    assert find(directory) == ([("HS456", "error")] if is_found else [])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("lambda parser: None, lambda arguments: None", []),
        ("lambda parser: None", []),
        ("lambda: None, lambda arguments: None", ["the setup function of `hermes roll`"]),
        ("lambda parser: None, lambda: None", ["the handler of `hermes roll`"]),
        ("lambda: None, lambda: None", ["the handler of `hermes roll`", "the setup function of `hermes roll`"]),
    ],
)
def test_both_functions_of_a_cli_command_must_accept_one_argument(plugin, arguments, expected):
    directory = plugin(commands(f"ctx.register_cli_command('roll', 'Roll.', {arguments})"))
    assert [one.message.partition(" cannot")[0] for one in check(directory).findings] == expected
