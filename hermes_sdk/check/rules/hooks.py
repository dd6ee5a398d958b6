"""HS4xx: hooks that the release fires, with callbacks that can take what it passes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding
from hermes_sdk.check.rules.base import MANIFEST, Example, RegistrationRule, example
from hermes_sdk.check.rules.hints import hint

if TYPE_CHECKING:
    from hermes_sdk.hosts.show import Registration


def _plugin(*, hook: str = "on_session_start", callback: str = "def callback(**kwargs):") -> Example:
    """A plugin with one hook."""
    source = f'{callback}\n    pass\n\n\ndef register(ctx):\n    ctx.register_hook("{hook}", callback)\n'
    return example(source, manifest=f"{MANIFEST}provides_hooks: [{hook}]\n")


class HookRule(RegistrationRule):
    """A rule about the calls of ``ctx.register_hook``."""

    call = "register_hook"


class UnknownHook(HookRule):
    """A hook that the release does not have (statement D2)."""

    code = "HS401"
    title = "hook does not exist"
    why = "The host stores the callback with a warning in its log, and never calls it."
    fix = "Use a hook that the release has; `hermes-sdk contract show` lists them."
    bad = _plugin(hook="on_sesion_start")
    good = _plugin()

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look the name up in the release, then in the others."""
        name, release = registration["name"], load.contract.release
        if name in load.contract.hooks:
            return
        message = f"Hermes {release} has no hook '{name}'{hint(name, load.contract, lambda other: other.hooks)}"
        yield self.finding(message, *load.call_place(registration))


class CallbackRefusesKeywords(HookRule):
    """A callback without ``**kwargs`` (statement D3)."""

    code = "HS402"
    title = "callback does not take the hook's keywords"
    why = "The host passes keywords only and hides the TypeError: the callback fails on every call, and nobody is told."
    fix = "End the parameters of the callback with **kwargs."
    bad = _plugin(callback="def callback(session_id, model, platform):")
    good = _plugin(callback="def callback(session_id, model, platform, **kwargs):")

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Bind the keywords of the hook; naming each of them works on this release only."""
        callback = registration["callable"]
        fact = load.contract.hooks.get(registration["name"])
        if callback is None or callback["accepts_var_keyword"] or fact is None:
            return
        place = load.callable_place(registration)
        passed = {*fact.always, *fact.sometimes}
        if load.contract.behaviour.hook_telemetry:
            passed.add("telemetry_schema_version")
        refused = sorted(passed.difference(callback["parameters"]))
        if refused:
            message = f"the callback of '{registration['name']}' does not accept {', '.join(refused)}"
            yield self.finding(message, *place)
        else:
            message = f"the callback of '{registration['name']}' has no **kwargs for what a release may add"
            yield self.finding(message, *place, severity="warning")


class AsyncCallback(HookRule):
    """A coroutine function as the callback of a hook (statement D5)."""

    code = "HS403"
    title = "hook callback is async"
    why = "The host calls hooks synchronously and drops the coroutine: the body never runs."
    fix = "Write the callback as a plain function; hand slow work to a thread."
    bad = _plugin(callback="async def callback(**kwargs):")
    good = _plugin()

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look for a coroutine function."""
        callback = registration["callable"]
        if callback is not None and callback["is_coroutine"]:
            message = f"the callback of '{registration['name']}' is async, and the host never awaits it"
            yield self.finding(message, *load.callable_place(registration))


class UnknownMiddleware(RegistrationRule):
    """A kind of middleware that the release does not have (statement C30)."""

    code = "HS407"
    title = "middleware does not exist"
    why = "The host stores the callback with a warning in its log, and never calls it."
    fix = "Use one of the kinds that the release has."
    bad = example("def register(ctx):\n    ctx.register_middleware('tool_requests', lambda **kwargs: None)\n")
    good = example()
    since = "0.17.0"
    references = ("C30",)
    call = "register_middleware"

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look the kind up in the release."""
        kinds = load.contract.middleware_kinds
        if registration["name"] not in kinds:
            message = f"there is no middleware '{registration['name']}'; there are {', '.join(kinds)}"
            yield self.finding(message, *load.call_place(registration))


RULES = (
    UnknownHook(),
    CallbackRefusesKeywords(),
    AsyncCallback(),
    UnknownMiddleware(),
)
