"""Registrations are recorded with their lines and handlers."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from hermes_sdk.hosts.in_worker.registration_calls import Inspector

BODY = """
import functools
from . import part

def decorated(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner

@decorated
def wrapped(args):
    pass

class Calls:
    def __call__(self, args, *, one):
        pass
    def method(self, args, **kwargs):
        pass

async def waits(args, **kwargs):
    pass

def register(ctx):
    tool = functools.partial(ctx.register_tool, toolset="p", schema={"name": "x"})
    tool(name="wrapped", handler=wrapped)
    tool(name="partial", handler=functools.partial(part.taken, 1))
    tool(name="object", handler=Calls())
    tool(name="method", handler=Calls().method)
    tool(name="async", handler=waits, is_async=True)
    tool(name="builtin", handler=print)
    tool(name="opaque", handler=dict.fromkeys)
    part.registers(ctx)
"""
PART = """
def taken(first, args):
    pass

def registers(ctx):
    ctx.register_hook("post_tool_call", lambda **arguments: None)
    ctx.register_skill("skill", None)
"""
FILES = {"part.py": PART}


@pytest.fixture
def registrations(start) -> Any:
    inspector = Inspector()
    host = start(BODY, files=FILES, observe=inspector.note)
    return inspector.registrations(host.home)


def line_of(text: str, within: str) -> int:
    return dedent(within).splitlines().index(text) + 1


def test_registration_has_line_of_call(registrations: Any) -> None:
    assert [(one["call"], one["name"], one["file"]) for one in registrations][-3:] == [
        ("register_tool", "opaque", "__init__.py"),
        ("register_hook", "post_tool_call", "part.py"),
        ("register_skill", "skill", "part.py"),
    ]
    assert registrations[-1]["line"] == line_of('    ctx.register_skill("skill", None)', PART)
    assert registrations[-1]["callable"] is None


@pytest.mark.parametrize(
    ("tool", "file", "parameters", "accepts"),
    [
        ("wrapped", "__init__.py", ["args"], False),
        ("partial", "part.py", ["args"], False),
        ("object", "__init__.py", ["args", "one"], False),
        ("method", "__init__.py", ["args", "kwargs"], True),
        ("async", "__init__.py", ["args", "kwargs"], True),
    ],
)
def test_handler_is_recorded_with_file_and_parameters(
    tool: str, file: str, parameters: list[str], accepts: bool, registrations: Any
) -> None:
    found = next(one for one in registrations if one["name"] == tool)
    facts = found["callable"]
    assert (facts["file"], facts["parameters"], facts["accepts_var_keyword"]) == (file, parameters, accepts)
    assert facts["is_coroutine"] is (tool == "async")
    assert found["is_async"] is (tool == "async")
    assert (found["toolset"], found["schema"]) == ("p", {"name": "x"})


def test_decorated_handler_is_located_at_its_decorator(registrations: Any) -> None:
    facts = registrations[0]["callable"]
    assert (facts["name"], facts["line"]) == ("wrapped", line_of("@decorated", BODY))


@pytest.mark.parametrize("tool", ["builtin", "opaque"])
def test_handler_without_source_has_no_location(tool: str, registrations: Any) -> None:
    facts = next(one for one in registrations if one["name"] == tool)["callable"]
    assert (facts["file"], facts["line"]) == (None, None)


@pytest.mark.parametrize(
    ("schema", "noted"),
    [
        ("None", None),
        ("{'a': {1, 2}}", {"a": "{1, 2}"}),
        ("object", "<class 'object'>"),
        ("'text'", "text"),
    ],
)
def test_schema_is_recorded_as_json(schema: str, noted: Any, start) -> None:
    inspector = Inspector()
    body = f"def register(ctx): ctx.register_tool('t', 'p', {schema}, print, description='d')\n"
    host = start(body, observe=inspector.note)
    assert [one["schema"] for one in inspector.registrations(host.home)] == [noted]


def test_call_from_outside_plugin_has_line_but_no_file(start) -> None:
    inspector = Inspector()
    host = start("exec('def register(ctx): ctx.register_hook(\"x\", None)')\n", observe=inspector.note)
    (found,) = inspector.registrations(host.home)
    assert (found["file"], found["line"]) == (None, 1)


def test_uncallable_handler_is_recorded_by_type(start) -> None:
    inspector = Inspector()
    body = """
    def register(ctx):
        ctx.register_hook("post_tool_call", None)
        ctx.register_command("roll", "text")
        ctx.register_cli_command("flip", "Flip.", lambda: None)
    """
    host = start(body, observe=inspector.note)
    hook, command, cli_command = inspector.registrations(host.home)
    assert [hook["uncallable"], command["uncallable"], cli_command["uncallable"]] == ["NoneType", "str", None]
    assert cli_command["callable"] is None
    assert cli_command["setup"] is not None
    assert cli_command["setup"]["takes_one"] is False
