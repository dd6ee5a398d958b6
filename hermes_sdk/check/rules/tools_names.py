"""HS3xx: the names of tools and toolsets beside those of the host."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding
from hermes_sdk.check.rules.base import MANIFEST, Example, RegistrationRule, RuntimeRule, SourceRule, example
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from hermes_sdk.hosts.show import Registration


def _plugin(name: str = "roll", *, toolset: str = "example", options: str = "", times: int = 1) -> Example:
    """A plugin with a tool of one name."""
    schema = '{"description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}'
    call = f'    ctx.register_tool(name="{name}", toolset="{toolset}", schema=SCHEMA, handler=handle{options})\n'
    source = (
        f'SCHEMA = {schema}\n\n\ndef handle(args, **kwargs):\n    return "4"\n\n\ndef register(ctx):\n{call * times}'
    )
    return example(source, manifest=f"{MANIFEST}provides_tools: [{name}]\n")


class ToolIsBuiltIn(RegistrationRule):
    """The name of a built-in tool (statements C3 to C5)."""

    code = "HS308"
    title = "tool has the name of a built-in one"
    why = "Which of the two the model gets depends on what is imported first; the host only logs the other one."
    fix = "Choose another name, for instance with the plugin's name before it."
    bad = _plugin("web_extract")
    good = _plugin()
    references = ("C3", "C4", "C5")
    call = "register_tool"

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look the name up in the release."""
        name, release = registration["name"], load.contract.release
        toolset = load.contract.tools.get(name)
        if toolset is None:
            return
        if toolset == registration["toolset"]:
            message = f"tool '{name}' replaces the one of Hermes {release} without a word: it has the same toolset"
        else:
            message = f"tool '{name}' is one of Hermes {release} too, in the toolset '{toolset}'"
        yield self.finding(message, *load.call_place(registration))


class OverrideNeedsConsent(SourceRule):
    """``override=True`` (statement C6)."""

    code = "HS309"
    title = "override=True needs the user's consent"
    severity = "warning"
    why = "Without allow_tool_override in the configuration it raises, built-in tool or not: register ends there."
    fix = "Register it last, and catch PermissionError, so that the rest of the plugin works without the consent."
    bad = _plugin(options=", override=True")
    good = _plugin()
    since = "0.18.0"
    references = ("C6",)
    needs: ClassVar[tuple[str, ...]] = ("override",)

    def check(self, source: Source) -> Iterator[Finding]:
        """Look for the argument, outside of a ``try``."""
        for call in source.calls(".register_tool"):
            given = (one.value for one in call.keywords if one.arg == "override")
            is_tried = any(isinstance(around, ast.Try) for around in source.ancestors(call))
            if not is_tried and any(isinstance(value, ast.Constant) and value.value for value in given):
                yield self.finding(
                    "register_tool(override=True) raises without the user's consent", *source.place(call)
                )


class ToolsetIsBuiltIn(RegistrationRule):
    """A new tool in a toolset of the host (statements C2, C11)."""

    code = "HS310"
    title = "tool joins a built-in toolset"
    severity = "info"
    why = "It is switched on and off with the built-in tools there, and some of these toolsets are off by default."
    fix = "Give it a toolset of the plugin's own, unless it belongs to that one."
    bad = _plugin(toolset="spotify")
    good = _plugin()
    references = ("C2", "C11")
    call = "register_tool"

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look the toolset up in the release."""
        toolset, name = registration["toolset"], registration["name"]
        if toolset in load.contract.toolsets and name not in load.contract.tools:
            message = f"tool '{name}' is in the toolset '{toolset}' of Hermes {load.contract.release}"
            yield self.finding(message, *load.call_place(registration))


class RegisteredTwice(RuntimeRule):
    """Two tools with one name (statements C3, C4)."""

    code = "HS311"
    title = "tool is registered twice"
    severity = "warning"
    why = "There is one tool of a name: the later call replaces the first without a word, or is rejected."
    fix = "Register each tool once, under its own name."
    bad = _plugin(times=2)
    good = _plugin()
    references = ("C3", "C4")

    def check(self, load: Load) -> Iterator[Finding]:
        """Report every call for a name that was there before."""
        seen: set[str] = set()
        for registration in load.registrations("register_tool"):
            name = registration["name"]
            if name in seen:
                yield self.finding(f"tool '{name}' was registered before", *load.call_place(registration))
            seen.add(name)


RULES = (
    ToolIsBuiltIn(),
    OverrideNeedsConsent(),
    ToolsetIsBuiltIn(),
    RegisteredTwice(),
)
