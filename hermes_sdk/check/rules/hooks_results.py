"""HS4xx: what a callback returns is something that the host acts on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.callables import find_definition, hooks_of

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule

_Fields = Mapping[str, ast.expr]

_GOES_ON = frozenset({"allow", "continue", "none", "pass", "proceed"})
"""Actions that ask for nothing: to ignore them is what their author wants."""


def _plugin(result: str) -> Example:
    """A plugin that blocks a tool."""
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
    bad=_plugin('{"decision": "block", "reason": "no terminal here"}'),
    good=_plugin('{"action": "block", "message": "no terminal here"}'),
)
def directive_ignored(registration: Registration, load: Load) -> Iterator[Problem]:
    """callback returns what the hook ignores

    The host silently drops unknown results: calls that should be blocked go through.

    Fix: Return what the hook accepts, such as text from transform_* or an 'action' with a 'message' from pre_tool_call.
    """
    hook = registration["name"]
    found = find_definition(load, registration)
    if found is None or hook not in load.contract.hooks:
        return
    judge = _JUDGES.get(hook)
    for value, node in found.results():
        if value is None or not _is_literal(value):
            continue
        place = found.source.place(node)
        if judge is not None:
            problem = judge(value) or _too_early(value, load.contract)
            if problem:
                yield Problem(f"'{hook}' ignores this result: {problem}", *place)
        elif _fields(value) and hooks_of(load, registration).isdisjoint(_JUDGES):
            yield Problem(f"'{hook}' ignores results: it only observes", *place, severity="warning")


def _is_literal(value: ast.expr) -> bool:
    return isinstance(value, (ast.Dict, ast.List, ast.JoinedStr)) or (
        isinstance(value, ast.Constant) and value.value is not None and not isinstance(value.value, bool)
    )


def _fields(value: ast.expr) -> _Fields:
    """The keys and values of a mapping; empty when it is none, or when some are not written out."""
    if not isinstance(value, ast.Dict) or not all(isinstance(key, ast.Constant) for key in value.keys):
        return {}
    return {
        str(key.value): one for key, one in zip(value.keys, value.values, strict=True) if isinstance(key, ast.Constant)
    }


def _is_open(value: ast.expr) -> bool:
    """Whether a mapping is empty, or may have keys that cannot be seen."""
    return isinstance(value, ast.Dict) and not _fields(value)


def _text(value: ast.expr | None) -> str | None:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _is_blank(value: ast.expr | None) -> bool:
    """Whether there is surely no text."""
    return value is None or (
        isinstance(value, ast.Constant) and not (isinstance(value.value, str) and value.value.strip())
    )


def _too_early(value: ast.expr, contract: Contract) -> str | None:
    """Whether a release does not know the action yet."""
    is_late = _text(_fields(value).get("action")) == "approve" and not contract.behaviour.approve_directive
    return f"Hermes {contract.release} does not know the action 'approve'" if is_late else None


def _pre_tool_call(value: ast.expr) -> str | None:
    if _is_open(value):
        return None
    fields = _fields(value)
    if "action" not in fields:
        return "it has no 'action'"
    action = _text(fields["action"])
    if action is None or action in _GOES_ON:
        return None
    if action not in ("block", "approve"):
        return f"it knows the actions 'block' and 'approve', not '{action}'"
    return "'block' needs a 'message'" if action == "block" and _is_blank(fields.get("message")) else None


def _pre_verify(value: ast.expr) -> str | None:
    if _is_open(value):
        return None
    fields = _fields(value)
    directive = fields.get("action", fields.get("decision"))
    if directive is None:
        return "it has neither 'action' nor 'decision'"
    action = _text(directive)
    if action is not None and action.lower() not in ("continue", "block"):
        return None if action in _GOES_ON else f"it knows 'continue' and 'block', not '{action}'"
    blank = all(_is_blank(fields.get(key)) for key in ("message", "reason"))
    return "it needs a 'message' or a 'reason'" if blank else None


def _pre_gateway_dispatch(value: ast.expr) -> str | None:
    if _is_open(value):
        return None
    fields = _fields(value)
    if "action" not in fields:
        return "it has no 'action'"
    action = _text(fields["action"])
    if action is not None and action not in ("skip", "rewrite", "allow", *_GOES_ON):
        return f"it knows 'skip', 'rewrite' and 'allow', not '{action}'"
    return "'rewrite' needs a 'text'" if action == "rewrite" and "text" not in fields else None


def _pre_llm_call(value: ast.expr) -> str | None:
    if isinstance(value, ast.JoinedStr) or _text(value) is not None or _is_open(value):
        return None
    return None if "context" in _fields(value) else "it takes text, or a mapping with 'context'"


def _text_only(value: ast.expr) -> str | None:
    return None if isinstance(value, ast.JoinedStr) or _text(value) is not None else "it takes text only"


_JUDGES: Mapping[str, Callable[[ast.expr], str | None]] = {
    "pre_tool_call": _pre_tool_call,
    "pre_verify": _pre_verify,
    "pre_gateway_dispatch": _pre_gateway_dispatch,
    "pre_llm_call": _pre_llm_call,
    "transform_tool_result": _text_only,
    "transform_terminal_output": _text_only,
    "transform_llm_output": _text_only,
}
