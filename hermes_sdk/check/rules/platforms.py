"""HS52x: platforms that the gateway can use, and leaves off until the user configures them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules.base import ContractRule, Example, RegistrationRule, SourceRule, example
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.show import Registration


def _plugin(*, name: str = "echo", options: str = "is_connected=configured") -> Example:
    """A plugin with a platform."""
    call = f'ctx.register_platform("{name}", "Echo", make, configured, {options})'
    source = (
        "def make(config):\n    return None\n\n\ndef configured(config=None):\n    return False\n\n\n"
        f"def register(ctx):\n    {call}\n"
    )
    return example(source, manifest="name: echo\nkind: platform\nversion: '1.0.0'\ndescription: Echo.\n")


class TurnsItselfOn(SourceRule):
    """``register_platform`` without ``is_connected`` (statement H5)."""

    code = "HS521"
    title = "platform has no is_connected"
    severity = "warning"
    why = "Without it, a platform whose check_fn is true is switched on in every gateway, with no configuration at all."
    fix = "Pass is_connected=…, a function of the platform's configuration that says whether the user set it up."
    bad = _plugin(options="install_hint=''")
    good = _plugin()
    references = ("H5", "H6")
    needs = ("register_platform",)

    def check(self, source: Source) -> Iterator[Finding]:
        """Look at the keywords of each call, unless a mapping brings more."""
        for call in source.calls(".register_platform"):
            words = {word.arg for word in call.keywords}
            if not words & {"is_connected", None}:
                yield self.finding("register_platform is called without is_connected", *source.place(call))


class UnknownPlatformKeyword(ContractRule):
    """A keyword that the release's ``PlatformEntry`` does not have (statement H1)."""

    code = "HS522"
    title = "keyword that register_platform does not take"
    why = "The call raises a TypeError, and the plugin does not load on that release."
    fix = "Leave the keyword out, or pass it on releases that have it only."
    bad = _plugin(options="is_connected=configured, colour='red'")
    good = _plugin()
    references = ("H1", "H2")

    def check(self, plugin: Plugin, contract: Contract) -> Iterator[Finding]:
        """Compare the keywords with the fields, unless the call is guarded."""
        for source in plugin.sources:
            for call in source.calls(".register_platform") if "register_platform" in source.text else ():
                fields = {one["name"] for one in contract.section("dataclasses")["PlatformEntry"]["fields"]}
                guarded = any(isinstance(around, ast.Try) for around in source.ancestors(call))
                for word in [] if guarded else call.keywords:
                    if word.arg and word.arg not in fields:
                        message = f"register_platform of Hermes {contract.release} does not take '{word.arg}'"
                        yield self.finding(message, *source.place(word.value))


class PlatformNameHasCapitals(RegistrationRule):
    """A name that is registered and then not found (statement H3)."""

    code = "HS523"
    title = "platform name is not in lower case"
    why = "The host registers the name as it is and looks for it in lower case: the gateway cannot make the adapter."
    fix = "Write the name in lower case; the label may have capitals."
    call = "register_platform"
    bad = _plugin(name="Echo")
    good = _plugin()
    references = ("H3",)

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Compare the name with its lower case."""
        if registration["name"] != registration["name"].lower():
            message = f"the platform is called '{registration['name']}', which is not in lower case"
            yield self.finding(message, *load.call_place(registration))


RULES = (TurnsItselfOn(), UnknownPlatformKeyword(), PlatformNameHasCapitals())
