"""HS4xx: the release fires the hooks, and accepts the signatures and the results of their callbacks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Repair
from hermes_sdk.check.repair import replace_in_source, set_in_manifest
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.callables import BLOCKING, check_keywords, find_definition, find_written_name, list_hooks
from hermes_sdk.contract.suggestions import correct_name, suggest

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.interface import Registration


RULES = Rules()
rule = RULES.rule

_TIMEOUT_POSITIONS = {"urllib.request.urlopen": 2, "socket.create_connection": 1}
"""Position of the timeout among the positional arguments of these functions."""

_CALLBACK_REGISTRARS = (
    "register_tool register_hook register_middleware register_command register_cli_command register_platform "
    "register_slack_action_handler"
)
"""Methods of ``ctx`` that take a callback."""

_MIN_SLEEP = 0.1
"""Shortest sleep, in seconds, that a finding reports."""


def _plugin(*, hook: str = "on_session_start", callback: str = "def callback(**kwargs):") -> Example:
    """Return a plugin with one hook."""
    source = f'{callback}\n    pass\n\n\ndef register(ctx):\n    ctx.register_hook("{hook}", callback)\n'
    return example(source, manifest=f"{MANIFEST}provides_hooks: [{hook}]\n")


@rule("HS401", call="register_hook", references=("D2",), bad=_plugin(hook="on_sesion_start"), good=_plugin())
def unknown_hook(registration: Registration, load: Load) -> Iterator[Problem]:
    """hook does not exist

    The host stores the callback, logs a warning and never calls it.

    Fix: Use an existing hook; `hermes-sdk contract show` lists them.
    """
    name, release = registration["name"], load.contract.release
    if name in load.contract.hooks:
        return
    place = load.call_place(registration)
    if name in load.contract.middleware_kinds:
        fix = f"Call ctx.register_middleware('{name}', …) instead."
        yield Problem(f"'{name}' is not a hook but a kind of middleware", *place, fix=fix)
        return
    message = f"Hermes {release} has no hook '{name}'{suggest(name, load.contract, lambda other: other.hooks)}"
    yield Problem(message, *place, repair=_rename(registration, load))


def _rename(registration: Registration, load: Load) -> Repair | None:
    """Create a repair that corrects the name of a hook in the call and in the manifest."""
    name, plugin = registration["name"], load.plugin
    new = correct_name(name, load.contract, lambda other: other.hooks)
    found = find_written_name(load, registration)
    if new is None or found is None:
        return None
    source, node = found
    repairs = [
        replace_in_source(
            source, node, (ast.get_source_segment(source.text, node) or "").replace(name, new), safe=False
        )
    ]
    declared = plugin.fields.get("provides_hooks")
    if isinstance(declared, list) and name in declared:
        kept = [one for one in declared if one != name]
        corrected = kept if new in declared else [new if one == name else one for one in declared]
        listed = set_in_manifest(plugin, ["provides_hooks"], corrected, safe=False)
        repairs = [*repairs, listed] if listed else []
    edits = tuple(edit for repair in repairs for edit in repair.edits)
    return Repair(edits, safe=False) if edits else None


@rule(
    "HS402",
    call="register_hook",
    behaviour="not hook_arguments_narrowed",
    references=("D3",),
    bad=_plugin(callback="def callback(session_id, model, platform):"),
    good=_plugin(callback="def callback(session_id, model, platform, **kwargs):"),
)
def callback_refuses_keywords(registration: Registration, load: Load) -> Iterator[Problem]:
    """callback does not accept the hook's keywords

    These releases pass all keywords and swallow the TypeError: every call fails silently. Later ones pass only the
    keywords that the callback takes.

    Fix: Add **kwargs to the callback's parameters.
    """
    fact = load.contract.hooks.get(registration["name"])
    if fact is not None:
        passed = sorted({*fact.arguments, *load.contract.injected_hook_arguments})
        yield from check_keywords("callback of", passed, registration, load)


@rule(
    "HS403",
    call="register_hook",
    behaviour="not hooks_awaited",
    references=("D5",),
    bad=_plugin(callback="async def callback(**kwargs):"),
    good=_plugin(),
)
def async_callback(registration: Registration, load: Load) -> Iterator[Problem]:
    """hook callback is async

    These releases call hooks synchronously and drop the coroutine: the body never runs. Later ones await it.

    Fix: Use a plain function and move slow work to a thread, or raise requires_hermes.
    """
    callback = registration["callable"]
    if callback is not None and callback["is_coroutine"]:
        message = (
            f"the callback of '{registration['name']}' is async, and Hermes {load.contract.release} never awaits it"
        )
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

    The host stores the callback, logs a warning and never calls it.

    Fix: Use a kind that the release supports.
    """
    kinds = load.contract.middleware_kinds
    if registration["name"] not in kinds:
        message = f"there is no middleware '{registration['name']}'; available: {', '.join(kinds)}"
        yield Problem(message, *load.call_place(registration))


@rule(
    "HS408",
    call=_CALLBACK_REGISTRARS,
    references=("D4", "F6", "F12"),
    bad=example(
        "def register(ctx):\n    ctx.register_hook('on_session_start', None)\n",
        manifest=f"{MANIFEST}provides_hooks: [on_session_start]\n",
    ),
    good=_plugin(),
)
def callback_cannot_be_called(registration: Registration, load: Load) -> Iterator[Problem]:
    """registered callback is not callable

    The host accepts it and marks the plugin as loaded; each use at most logs a TypeError.

    Fix: Pass the function itself, not its result or its name.
    """
    if registration["uncallable"] is not None:
        message = (
            f"{registration['call']} of '{registration['name']}' gets {_describe_type(registration['uncallable'])}"
        )
        yield Problem(f"{message} instead of a function", *load.call_place(registration))


def _describe_type(name: str) -> str:
    return "None" if name == "NoneType" else f"a value of type {name}"


@rule(
    "HS409",
    severity="warning",
    call="register_hook",
    references=("D3", "D9", "N65"),
    bad=example(
        "import time\n\n\ndef callback(**kwargs):\n    time.sleep(2)\n\n\n"
        "def register(ctx):\n    ctx.register_hook('on_session_start', callback)\n",
        manifest=f"{MANIFEST}provides_hooks: [on_session_start]\n",
    ),
    good=example(
        "import threading\nimport time\n\n\ndef work():\n    time.sleep(2)\n\n\n"
        "def callback(**kwargs):\n    threading.Thread(target=work, daemon=True).start()\n\n\n"
        "def register(ctx):\n    ctx.register_hook('on_session_start', callback)\n",
        manifest=f"{MANIFEST}provides_hooks: [on_session_start]\n",
    ),
)
def callback_blocks(registration: Registration, load: Load) -> Iterator[Problem]:
    """hook callback blocks the turn

    The host calls hooks one by one, and the user waits. Since 0.20.6, hooks of a turn time out after 30 seconds.

    Fix: Move the work to a thread or queue; if the hook needs the result, set a short timeout.
    """
    found = find_definition(load, registration)
    for node in found.nodes_with_helpers() if found else ():
        assert found is not None
        name = found.source.dotted_name(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in BLOCKING and not _is_short(node, name):
            limit = "" if name in ("time.sleep", "os.system") else " without a `timeout` argument"
            message = f"the callback of '{registration['name']}' waits for {name}{limit}"
            yield Problem(message, *found.source.place(node))


def _is_short(call: ast.Call, name: str) -> bool:
    """Return whether a call has a timeout, or is a short sleep."""
    if name == "time.sleep":
        seconds = call.args[0] if call.args else None
        value = seconds.value if isinstance(seconds, ast.Constant) else None
        return isinstance(value, int | float) and value < _MIN_SLEEP
    given = [word.value for word in call.keywords if word.arg == "timeout"]
    given += call.args[_TIMEOUT_POSITIONS.get(name, len(call.args)) :]
    has_none = any(isinstance(value, ast.Constant) and value.value is None for value in given)
    return (bool(given) and not has_none) or any(word.arg is None for word in call.keywords)


_Fields = Mapping[str, ast.expr]

_NEUTRAL_ACTIONS = frozenset({"allow", "continue", "none", "pass", "proceed"})
"""Actions of callbacks that request no change, so that ignoring them does no harm."""

_MODIFY_SYNONYMS = frozenset({"mutate", "replace", "rewrite", "transform", "update"})
"""Wrong names for the action ``modify``."""


def _blocking_plugin(result: str) -> Example:
    """Return a plugin that blocks a tool."""
    source = f"""\
def callback(tool_name, **kwargs):
    if tool_name == "terminal":
        return {result}
    return None


def register(ctx):
    ctx.register_hook("pre_tool_call", callback)
"""
    return example(source, manifest=f"{MANIFEST}provides_hooks: [pre_tool_call]\n")


@rule(
    "HS405",
    call="register_hook",
    references=("D27", "D30", "D32", "D35", "https://github.com/witt3rd/oh-my-hermes/pull/26"),
    bad=_blocking_plugin('{"decision": "block", "reason": "no terminal here"}'),
    good=_blocking_plugin('{"action": "block", "message": "no terminal here"}'),
)
def directive_ignored(registration: Registration, load: Load) -> Iterator[Problem]:
    """callback returns a result that the hook ignores

    The host silently drops unknown results: calls that should be blocked go through.

    Fix: Return what the hook accepts, such as text from transform_* or an 'action' with a 'message' from pre_tool_call.
    """
    hook = registration["name"]
    found = find_definition(load, registration)
    if found is None or hook not in load.contract.hooks:
        return
    check_result = _RESULT_CHECKS.get(hook)
    for value, node in found.results():
        if value is None or not _is_literal(value):
            continue
        place = found.source.place(node)
        if check_result is not None:
            problem = check_result(value, load.contract)
            if problem:
                yield Problem(f"'{hook}' ignores this result: {problem}", *place)
        elif _fields(value) and list_hooks(load, registration).isdisjoint(_RESULT_CHECKS):
            yield Problem(f"'{hook}' ignores results: it only observes", *place, severity="warning")


def _is_literal(value: ast.expr) -> bool:
    return isinstance(value, (ast.Dict, ast.List, ast.JoinedStr)) or (
        isinstance(value, ast.Constant) and value.value is not None and not isinstance(value.value, bool)
    )


def _fields(value: ast.expr) -> _Fields:
    """Return the keys and values of a mapping; empty if it is not a mapping, or if a key is not a literal."""
    if not isinstance(value, ast.Dict) or not all(isinstance(key, ast.Constant) for key in value.keys):
        return {}
    return {
        str(key.value): one for key, one in zip(value.keys, value.values, strict=True) if isinstance(key, ast.Constant)
    }


def _is_open(value: ast.expr) -> bool:
    """Return whether an expression is an empty mapping, or one with keys that are not literals."""
    return isinstance(value, ast.Dict) and not _fields(value)


def _text(value: ast.expr | None) -> str | None:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _is_blank(value: ast.expr | None) -> bool:
    """Return whether a value is missing, or a literal that is not a non-blank string."""
    return value is None or (
        isinstance(value, ast.Constant) and not (isinstance(value.value, str) and value.value.strip())
    )


def _pre_tool_call(value: ast.expr, contract: Contract) -> str | None:
    if _is_open(value):
        return None
    fields = _fields(value)
    if "action" not in fields:
        return "it has no 'action'"
    action = _text(fields["action"])
    if action is None or action in _NEUTRAL_ACTIONS:
        return None
    late = {"approve": contract.behaviour.approve_directive, "modify": contract.behaviour.modify_directive}
    if action in late and not late[action]:
        return f"Hermes {contract.release} does not know the action '{action}'"
    known = ["block", *(name for name, is_known in late.items() if is_known)]
    if action not in known:
        hint = "; did you mean 'modify'?" if action in _MODIFY_SYNONYMS and "modify" in known else ""
        return f"it knows {', '.join(map(repr, known))}, not '{action}'{hint}"
    if action == "modify" and "args" not in fields:
        return "'modify' needs 'args'"
    return "'block' needs a 'message'" if action == "block" and _is_blank(fields.get("message")) else None


def _pre_verify(value: ast.expr, _: Contract) -> str | None:
    if _is_open(value):
        return None
    fields = _fields(value)
    directive = fields.get("action", fields.get("decision"))
    if directive is None:
        return "it has neither 'action' nor 'decision'"
    action = _text(directive)
    if action is not None and action.lower() not in ("continue", "block"):
        return None if action in _NEUTRAL_ACTIONS else f"it knows 'continue' and 'block', not '{action}'"
    blank = all(_is_blank(fields.get(key)) for key in ("message", "reason"))
    return "it needs a 'message' or a 'reason'" if blank else None


def _pre_gateway_dispatch(value: ast.expr, _: Contract) -> str | None:
    if _is_open(value):
        return None
    fields = _fields(value)
    if "action" not in fields:
        return "it has no 'action'"
    action = _text(fields["action"])
    if action is not None and action not in ("skip", "rewrite", "allow", *_NEUTRAL_ACTIONS):
        return f"it knows 'skip', 'rewrite' and 'allow', not '{action}'"
    return "'rewrite' needs a 'text'" if action == "rewrite" and "text" not in fields else None


def _pre_llm_call(value: ast.expr, _: Contract) -> str | None:
    if isinstance(value, ast.JoinedStr) or _text(value) is not None or _is_open(value):
        return None
    return None if "context" in _fields(value) else "it takes text, or a mapping with 'context'"


def _text_only(value: ast.expr, _: Contract) -> str | None:
    return None if isinstance(value, ast.JoinedStr) or _text(value) is not None else "it takes text only"


_RESULT_CHECKS: Mapping[str, Callable[[ast.expr, Contract], str | None]] = {
    "pre_tool_call": _pre_tool_call,
    "pre_verify": _pre_verify,
    "pre_gateway_dispatch": _pre_gateway_dispatch,
    "pre_llm_call": _pre_llm_call,
    "transform_tool_result": _text_only,
    "transform_terminal_output": _text_only,
    "transform_llm_output": _text_only,
}
