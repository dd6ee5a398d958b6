"""Rules about shell hooks and gateway hooks."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options

HANDLER = "async def handle(event_type, context):\n    pass\n"
REGISTER = "def register(ctx):\n    ctx.register_command('example', print)\n"


@pytest.fixture
def codes(plugin):
    def find_problems(release: str = "0.19.0", **files: str) -> list[tuple[str, str, int]]:
        directory = plugin({"__init__.py": REGISTER, **files})
        found = check(directory, Options(static=True, release=release)).findings
        return [(one.code, one.path, one.line) for one in found if one.code.startswith("HS74")]

    return find_problems


@pytest.mark.parametrize(
    ("hooks", "expected"),
    [
        ("pre_tool_call: [{command: ./a.sh, matcher: 'terminal|read_file', timeout: 5}]", 0),
        ("pre_tool_call: [{command: ./a.sh, matcher: term}]", 0),
        ("pre_tool_call: [{command: ./a.sh, matcher: my_own_tool}]", 0),
        ("pre_tool_call: {command: ./a.sh}", 1),
        ("pre_tool_call:", 0),
        ("pre_tool_call: [{}]", 1),
        ("on_session_start: [{command: ./a.sh, matcher: terminal}]", 1),
        ("on_session_start: [{command: ./a.sh, timeout: soon}]", 1),
        ("on_sesion_start: [{command: ./a.sh}]", 1),
        ("output_spill: {enabled: true}", 0),
    ],
)
def test_shell_hook_entries_are_checked(codes, hooks, expected):
    found = codes(**{"config.yaml.example": f"model: x\nhooks:\n  {hooks}\n"})
    assert [one for one in found if one[0] == "HS741"] == [("HS741", "config.yaml.example", 2)] * expected


@pytest.mark.parametrize("text", ["hooks: [a\n", "- hooks\n", "hooks: 5\n", ""])
def test_other_yaml_files_are_ignored(codes, text):
    assert codes(**{"config.yaml.example": text}) == []


@pytest.mark.parametrize(
    ("hook", "handler", "expected"),
    [
        ("events: [agent:start, 'agent:*', command:new, 'command:*']\n", HANDLER, []),
        ("events: [agent:start]\n", "from .impl import handle\n", []),
        ("events: [agent:start]\n", "handle = print\n", []),
        ("events: [agent:start]\n", "def handle(*args):\n    pass\n", []),
        ("events: agent:start\n", HANDLER, ["HS742"]),
        ("name: x\n", HANDLER, ["HS742"]),
        ("- agent:start\n", HANDLER, ["HS742"]),
        ("events: [agent:start]\n", "def handler(event_type, context):\n    pass\n", ["HS742"]),
        ("events: [agent:start]\n", "def handle(context):\n    pass\n", ["HS742"]),
        ("events: [agent]\n", HANDLER, ["HS743"]),
        ("events: ['*']\n", HANDLER, ["HS743"]),
    ],
)
def test_gateway_hook_files_are_checked(codes, hook, handler, expected):
    found = codes(**{"hooks/log/HOOK.yaml": hook, "hooks/log/handler.py": handler})
    assert [code for code, _, _ in found] == expected


def test_gateway_hook_needs_a_handler_and_the_right_file_name(codes):
    assert codes(**{"a/HOOK.yaml": "events: [agent:start]\n"}) == [("HS742", "a/HOOK.yaml", 1)]


def test_gateway_hook_file_name_must_be_in_capitals(codes):
    found = codes(**{"b/hook.yaml": "events: [agent:start]\n", "b/handler.py": HANDLER})
    assert found == [("HS742", "b/hook.yaml", 1)]


@pytest.mark.parametrize(("release", "expected"), [("0.13.0", ["HS743"]), ("0.19.0", [])])
def test_gateway_events_depend_on_the_release(codes, release, expected):
    files = {"hooks/log/HOOK.yaml": "events: [session:compress]\n", "hooks/log/handler.py": HANDLER}
    assert [code for code, _, _ in codes(release, **files)] == expected
