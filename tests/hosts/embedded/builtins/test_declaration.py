"""Declarations of the host's own tools."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.hosts.embedded import builtins
from hermes_sdk.hosts.embedded.builtins import BUILTINS, Builtin, ToolContext
from hermes_sdk.hosts.embedded.builtins.tool import array, boolean, integer, record, string, tool
from hermes_sdk.hosts.interface import NotSupported


def test_declared_tools_are_found_by_name() -> None:
    names = [found.name for found in pkgutil.iter_modules(builtins.__path__, f"{builtins.__name__}.")]
    values = [value for name in names for value in vars(importlib.import_module(name)).values()]
    declared = {value.name: value for value in values if isinstance(value, Builtin)}
    assert dict(BUILTINS) == declared


def test_declaration_becomes_schema_for_model() -> None:
    @tool(
        "Count.",
        check=lambda context: True,
        things=array(record(name=string("Its name.", required=True), big=boolean("How big.")), "What.", required=True),
        limit=integer("How many.", default=5, minimum=1),
    )
    async def count(args: dict[str, object], context: ToolContext) -> str:
        return ""

    assert count.schema == {
        "name": "count",
        "description": "Count.",
        "parameters": {
            "type": "object",
            "properties": {
                "things": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string", "description": "Its name."},
                            "big": {"type": "boolean", "description": "How big."},
                        },
                        "required": ["name"],
                    },
                    "description": "What.",
                },
                "limit": {"type": "integer", "description": "How many.", "default": 5, "minimum": 1},
            },
            "required": ["things"],
        },
    }
    assert count.is_async
    assert count.check is not None


def test_builtin_tools_are_imported_on_demand(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    program = """
import sys
from pathlib import Path
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host

with open_host("embedded", "0.19.0", Home(Path("home"))) as host:
    host.tools, host.fire("on_session_start")
    print([name for name in sys.modules if "embedded.builtins." in name])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_tools_have_valid_schemas() -> None:
    for name, builtin in BUILTINS.items():
        schema = builtin.schema
        assert (schema["name"], schema["parameters"]["type"]) == (name, "object")
        assert set(schema["parameters"]["required"]) <= set(schema["parameters"]["properties"])
        assert name in {**contract.load("0.19.0").tools, **contract.load("0.22.2").tools}


NOT_READ = {
    "a parameter": ("0.22.2", "search_files", {"pattern": "x", "order": "path"}, "order"),
    "a parameter of a part": ("0.22.2", "clarify", {"questions": [{"multi_select": True}]}, "questions.multi_select"),
}
READ = {
    "the default": ("0.22.2", "search_files", {"pattern": "x", "order": "discovery"}),
    "nothing": ("0.22.2", "search_files", {"pattern": "x", "order": None}),
    "what no release has": ("0.22.2", "search_files", {"pattern": "x", "nonsense": 1}),
    "what this release lacks": ("0.19.0", "search_files", {"pattern": "x", "order": "path"}),
}


@pytest.mark.parametrize(("release", "name", "args", "refused"), NOT_READ.values(), ids=NOT_READ)
def test_unmodelled_parameter_of_release_is_not_supported(release, name, args, refused, start) -> None:
    state = start("def register(ctx): pass", release=release)._state
    with pytest.raises(NotSupported, match=f"argument '{refused}' of the built-in tool '{name}'") as error:
        BUILTINS[name].require_modelled(args, state)
    assert "without the argument" in str(error.value.fix)


@pytest.mark.parametrize(("release", "name", "args"), READ.values(), ids=READ)
def test_other_arguments_are_accepted(release, name, args, start) -> None:
    state = start("def register(ctx): pass", release=release)._state
    BUILTINS[name].require_modelled(args, state)
