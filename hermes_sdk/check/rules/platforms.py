"""HS52x: platforms that the gateway can use, and leaves off until the user configures them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Example, Problem, Rules, example
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule


def _plugin(*, name: str = "echo", options: str = "is_connected=configured") -> Example:
    """A plugin with a platform."""
    call = f'ctx.register_platform("{name}", "Echo", make, configured, {options})'
    source = (
        "def make(config):\n    return None\n\n\ndef configured(config=None):\n    return False\n\n\n"
        f"def register(ctx):\n    {call}\n"
    )
    return example(source, manifest="name: echo\nkind: platform\nversion: '1.0.0'\ndescription: Echo.\n")


@rule(
    "HS521",
    severity="warning",
    needs=("register_platform",),
    references=("H5", "H6"),
    bad=_plugin(options="install_hint=''"),
    good=_plugin(),
)
def turns_itself_on(source: Source) -> Iterator[Problem]:
    """platform has no is_connected

    Without it, a platform whose check_fn is true is switched on in every gateway, with no configuration at all.

    Fix: Pass is_connected=…, a function of the platform's configuration that says whether the user set it up.
    """
    for call in source.calls(".register_platform"):
        words = {word.arg for word in call.keywords}
        if not words & {"is_connected", None}:
            yield Problem("register_platform is called without is_connected", *source.place(call))


@rule("HS522", references=("H1", "H2"), bad=_plugin(options="is_connected=configured, colour='red'"), good=_plugin())
def unknown_platform_keyword(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """keyword that register_platform does not take

    The call raises a TypeError, and the plugin does not load on that release.

    Fix: Leave the keyword out, or pass it on releases that have it only.
    """
    for source in plugin.sources:
        for call in source.calls(".register_platform") if "register_platform" in source.text else ():
            fields = {one["name"] for one in contract.section("dataclasses")["PlatformEntry"]["fields"]}
            guarded = any(isinstance(around, ast.Try) for around in source.ancestors(call))
            for word in [] if guarded else call.keywords:
                if word.arg and word.arg not in fields:
                    message = f"register_platform of Hermes {contract.release} does not take '{word.arg}'"
                    yield Problem(message, *source.place(word.value))


@rule("HS523", call="register_platform", references=("H3",), bad=_plugin(name="Echo"), good=_plugin())
def platform_name_has_capitals(registration: Registration, load: Load) -> Iterator[Problem]:
    """platform name is not in lower case

    The host registers the name as it is and looks for it in lower case: the gateway cannot make the adapter.

    Fix: Write the name in lower case; the label may have capitals.
    """
    if registration["name"] != registration["name"].lower():
        message = f"the platform is called '{registration['name']}', which is not in lower case"
        yield Problem(message, *load.call_place(registration))
