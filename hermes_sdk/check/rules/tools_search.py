"""HS318: tools that models find by tool search."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.tools import HANDLER, SCHEMA

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule


def _counting_plugin(callback: str, registration: str) -> Example:
    """Return a plugin that counts calls or listings of its tool."""
    call = 'ctx.register_tool("roll", "example", SCHEMA, handle)'
    source = f"SCHEMA = {SCHEMA}\nseen = []\n\n\n{HANDLER}\n\n\n{callback}\n\n\n"
    source += f"def register(ctx):\n    {call}\n    {registration}\n"
    hooks = "provides_hooks: [post_tool_call]\n" if "register_hook" in registration else ""
    return example(source, manifest=f"{MANIFEST}provides_tools: [roll]\n{hooks}")


@rule(
    "HS318",
    severity="warning",
    call="register_tool",
    behaviour="tools_always_deferred",
    references=("C15",),
    bad=_counting_plugin(
        'def count(request, **kwargs):\n    names = [one["function"]["name"] for one in request["tools"]]\n'
        '    seen.append(names.index("roll"))',
        'ctx.register_middleware("llm_request", count)',
    ),
    good=_counting_plugin(
        'def count(tool_name="", **kwargs):\n    if tool_name == "roll":\n        seen.append(tool_name)',
        'ctx.register_hook("post_tool_call", count)',
    ),
)
def is_expected_in_requests(registration: Registration, load: Load) -> Iterator[Problem]:
    """tool is expected among the tools of a request

    Models reach this tool through `tool_call`: tool search is on by default since Hermes 0.20.2, and requests list
    `tool_search`, `tool_describe` and `tool_call` in place of the tools of plugins.

    Fix: Do not rely on the list. The hooks `pre_tool_call` and `post_tool_call` get the tool's own name.
    """
    name = registration["name"]
    if name in load.contract.tools:
        return
    for source in load.plugin.sources if name else ():
        texts = [one for one in source.nodes(ast.Constant) if one.value in ("tools", name)]
        around = {source.function(one) for one in texts if one.value == "tools" and _is_key(source.parent(one))}
        for one in texts:
            if one.value == name and source.function(one) in around - {None}:
                yield Problem(f"requests do not list tool '{name}': models use tool_call", *source.place(one))


def _is_key(around: ast.AST | None) -> bool:
    """Return whether the parent of a string makes it a key: a subscript, or a method call such as ``get``."""
    return isinstance(around, ast.Subscript) or (
        isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute)
    )
