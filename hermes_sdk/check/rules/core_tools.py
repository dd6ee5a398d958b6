"""HS76x: a core-tool file can be copied into the package `tools` of Hermes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Example, Problem, Rules

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

_SOURCE = """\
from tools.registry import registry

SCHEMA = {"description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}


def roll(args, **kwargs):
    return "4"


registry.register(name="roll", toolset="dice", schema=SCHEMA, handler=roll)
"""


def _tool(name: str) -> Example:
    """Return a project with a core-tool file."""
    settings = f'[tool.pytest.ini_options]\nhermes_plugin = "tools/{name}.py"\n'
    return {"pyproject.toml": settings, f"tools/{name}.py": _SOURCE}


@rule("HS761", severity="warning", bad=_tool("terminal_tool"), good=_tool("dice_tool"))
def replaces_module(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """core-tool file has the name of a module of Hermes

    Copied into the package `tools`, it overwrites that module: its tools disappear, and imports of it fail.

    Fix: Rename the file.
    """
    file = plugin.located.core_tool
    # In a checkout of Hermes, the file is itself a module of Hermes.
    if file is not None and not (file.parent.parent / "hermes_cli").is_dir():
        module = f"tools.{file.stem}"
        if module in contract.host_modules:
            yield Problem(f"Hermes {contract.release} has a module {module}", plugin.relative(file))
