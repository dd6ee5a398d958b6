"""HS4xx: hooks that the release fires, with callbacks that can take what it passes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.callables import judge_keywords
from hermes_sdk.contract.suggestions import suggest

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule


def _plugin(*, hook: str = "on_session_start", callback: str = "def callback(**kwargs):") -> Example:
    """A plugin with one hook."""
    source = f'{callback}\n    pass\n\n\ndef register(ctx):\n    ctx.register_hook("{hook}", callback)\n'
    return example(source, manifest=f"{MANIFEST}provides_hooks: [{hook}]\n")


@rule("HS401", call="register_hook", references=("D2",), bad=_plugin(hook="on_sesion_start"), good=_plugin())
def unknown_hook(registration: Registration, load: Load) -> Iterator[Problem]:
    """hook does not exist

    The host stores the callback with a warning in its log, and never calls it.

    Fix: Use a hook that the release has; `hermes-sdk contract show` lists them.
    """
    name, release = registration["name"], load.contract.release
    if name in load.contract.hooks:
        return
    message = f"Hermes {release} has no hook '{name}'{suggest(name, load.contract, lambda other: other.hooks)}"
    yield Problem(message, *load.call_place(registration))


@rule(
    "HS402",
    call="register_hook",
    references=("D3",),
    bad=_plugin(callback="def callback(session_id, model, platform):"),
    good=_plugin(callback="def callback(session_id, model, platform, **kwargs):"),
)
def callback_refuses_keywords(registration: Registration, load: Load) -> Iterator[Problem]:
    """callback does not take the hook's keywords

    The host passes keywords only and hides the TypeError: the callback fails on every call, and nobody is told.

    Fix: End the parameters of the callback with **kwargs.
    """
    fact = load.contract.hooks.get(registration["name"])
    if fact is not None:
        passed = sorted({*fact.arguments, *load.contract.injected_hook_arguments})
        yield from judge_keywords("callback of", passed, registration, load)


@rule(
    "HS403",
    call="register_hook",
    references=("D5",),
    bad=_plugin(callback="async def callback(**kwargs):"),
    good=_plugin(),
)
def async_callback(registration: Registration, load: Load) -> Iterator[Problem]:
    """hook callback is async

    The host calls hooks synchronously and drops the coroutine: the body never runs.

    Fix: Write the callback as a plain function; hand slow work to a thread.
    """
    callback = registration["callable"]
    if callback is not None and callback["is_coroutine"]:
        message = f"the callback of '{registration['name']}' is async, and the host never awaits it"
        yield Problem(message, *load.callable_place(registration))


@rule(
    "HS407",
    call="register_middleware",
    since="0.17.0",
    references=("C30",),
    bad=example("def register(ctx):\n    ctx.register_middleware('tool_requests', lambda **kwargs: None)\n"),
    good=example(),
)
def unknown_middleware(registration: Registration, load: Load) -> Iterator[Problem]:
    """middleware does not exist

    The host stores the callback with a warning in its log, and never calls it.

    Fix: Use one of the kinds that the release has.
    """
    kinds = load.contract.middleware_kinds
    if registration["name"] not in kinds:
        message = f"there is no middleware '{registration['name']}'; there are {', '.join(kinds)}"
        yield Problem(message, *load.call_place(registration))
