"""How the host's own tools are declared and found."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.hosts.embedded import builtins
from hermes_sdk.hosts.embedded.builtins import BUILTINS, Builtin, ToolContext
from hermes_sdk.hosts.embedded.builtins.declaration import array, boolean, integer, record, string, tool


def test_every_declared_tool_is_found_by_its_name() -> None:
    names = [found.name for found in pkgutil.iter_modules(builtins.__path__, f"{builtins.__name__}.")]
    values = [value for name in names for value in vars(importlib.import_module(name)).values()]
    declared = {value.name: value for value in values if isinstance(value, Builtin)}
    assert dict(BUILTINS) == declared


def test_a_declaration_is_the_schema_that_models_receive() -> None:
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


def test_a_host_that_calls_no_builtin_tool_imports_none(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    program = """
import sys
from pathlib import Path
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host

# Every module that declares a tool imports `declaration`.
with open_host("embedded", "0.19.0", Home(Path("home"))) as host:
    host.tools, host.fire("on_session_start")
    print([name for name in sys.modules if "embedded.builtins.declaration" in name])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_tool_has_a_schema_of_the_form_that_models_take() -> None:
    for name, builtin in BUILTINS.items():
        schema = builtin.schema
        assert (schema["name"], schema["parameters"]["type"]) == (name, "object")
        assert set(schema["parameters"]["required"]) <= set(schema["parameters"]["properties"])
        assert name in {**contract.load("0.13.0").tools, **contract.load("0.22.2").tools}
