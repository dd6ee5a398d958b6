"""HS3xx: the names of tools and toolsets beside those of the host."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.loading_code import is_bundled
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule


def _plugin(name: str = "roll", *, toolset: str = "example", options: str = "", times: int = 1) -> Example:
    """A plugin with a tool of one name."""
    schema = '{"description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}'
    call = f'    ctx.register_tool(name="{name}", toolset="{toolset}", schema=SCHEMA, handler=handle{options})\n'
    source = (
        f'SCHEMA = {schema}\n\n\ndef handle(args, **kwargs):\n    return "4"\n\n\ndef register(ctx):\n{call * times}'
    )
    return example(source, manifest=f"{MANIFEST}provides_tools: [{name}]\n")


@rule("HS308", call="register_tool", references=("C3", "C4", "C5"), bad=_plugin("web_extract"), good=_plugin())
def tool_is_built_in(registration: Registration, load: Load) -> Iterator[Problem]:
    """tool has the name of a built-in one

    Import order decides which tool the model gets; the host only logs the conflict.

    Fix: Choose another name, for example with the plugin's name as a prefix.
    """
    name, release = registration["name"], load.contract.release
    toolset = load.contract.tools.get(name)
    if toolset is None or is_bundled(load.plugin):
        return
    if toolset == registration["toolset"]:
        message = f"tool '{name}' silently replaces the one of Hermes {release}: it has the same toolset"
    else:
        message = f"tool '{name}' is also a tool of Hermes {release}, in the toolset '{toolset}'"
    yield Problem(message, *load.call_place(registration))


@rule(
    "HS309",
    severity="warning",
    needs=("override",),
    since="0.18.0",
    references=("C6",),
    bad=_plugin(options=", override=True"),
    good=_plugin(),
)
def override_needs_consent(source: Source) -> Iterator[Problem]:
    """override=True needs the user's consent

    Unless the configuration sets allow_tool_override, the call raises, whether or not the tool is built in, and
    `register` ends there.

    Fix: Register this tool last and catch PermissionError, so that the rest works without consent.
    """
    for call in source.calls(".register_tool"):
        given = (one.value for one in call.keywords if one.arg == "override")
        is_tried = any(isinstance(around, ast.Try) for around in source.ancestors(call))
        if not is_tried and any(isinstance(value, ast.Constant) and value.value for value in given):
            yield Problem("register_tool(override=True) raises without the user's consent", *source.place(call))


@rule(
    "HS310",
    severity="info",
    call="register_tool",
    references=("C2", "C11"),
    bad=_plugin(toolset="web"),
    good=_plugin(),
)
def toolset_is_built_in(registration: Registration, load: Load) -> Iterator[Problem]:
    """tool joins a built-in toolset

    The toolset's switch controls this tool too, and some built-in toolsets are off by default.

    Fix: Use a toolset of your own, unless the tool belongs there.
    """
    toolset, name = registration["toolset"], registration["name"]
    if toolset in load.contract.toolsets and name not in load.contract.tools:
        message = f"tool '{name}' is in the toolset '{toolset}' of Hermes {load.contract.release}"
        yield Problem(message, *load.call_place(registration))


@rule("HS311", severity="warning", references=("C3", "C4"), bad=_plugin(times=2), good=_plugin())
def registered_twice(load: Load) -> Iterator[Problem]:
    """tool is registered twice

    Tool names are unique: the later call silently replaces the first or is rejected.

    Fix: Register each tool once, under a unique name.
    """
    seen: set[str] = set()
    for registration in load.registrations("register_tool"):
        name = registration["name"]
        if name in seen:
            yield Problem(f"tool '{name}' was registered before", *load.call_place(registration))
        seen.add(name)
