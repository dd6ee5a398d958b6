"""Parts of plugins for single registrations, and strategies for values and function bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

WORDS = st.sampled_from(["a", "hello", "two words", "5", "ä", ""])
WILD_TEXTS = WORDS | st.sampled_from(["<tool_call>", "a\u2028b", " padded ", "None", "{}"]) | st.text(max_size=8)
SCALARS = (
    st.none() | st.booleans() | st.integers(-5, 10**6) | st.floats(allow_nan=False, allow_infinity=False, width=16)
)
JSON = st.recursive(
    SCALARS | WILD_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)
EXPRESSIONS = JSON.map(repr) | st.sampled_from(["(1, 2)", "{1}", "b'x'", "object()", "float('nan')", "print", "..."])

ERRORS = st.sampled_from(["ValueError('boom')", "KeyError('k')", "RuntimeError()"])
_ODD_ERRORS = ["asyncio.CancelledError()", "StopIteration(1)", "SystemExit(3)", "TimeoutError('late')"]
WILD_ERRORS = ERRORS | st.sampled_from([*_ODD_ERRORS * 4, "Unprintable()"])


RETURNS = {
    "pre_llm_call": ['{"context": "known"}', '"known"'],
    "pre_tool_call": ['{"action": "block", "message": "not now"}', '{"action": "modify", "args": {"text": "changed"}}'],
    "transform_tool_result": ['"changed"'],
    "transform_terminal_output": ['"changed"'],
    "transform_llm_output": ['"changed"'],
    "pre_gateway_dispatch": ['{"action": "skip"}', '{"action": "rewrite", "text": "other"}', '{"action": "allow"}'],
    "tool_request": ['{"args": {"text": "changed"}}'],
    "tool_execution": ["next_call()", '"cached"'],
    "llm_request": ['{"request": {**kwargs["request"], "temperature": 0}}'],
    "llm_execution": ["next_call()"],
}
"""Hook or kind of middleware -> typical return values of its callbacks, except None."""


@dataclass(frozen=True)
class Part:
    """Code and configuration of one registration.

    Attributes:
        register: Its lines of ``register``.
        code: Its lines above ``register``.
        tools: Its tools -> their parameters.
        commands: Its slash commands.
        cli: Its CLI commands.
        config: The settings that it needs.
        manifest: The fields of the manifest that it needs.
        content: Other keys of the scenario that it needs.
        files: Files in the plugin's directory: name -> text.
        texts: Texts that users or the model should say.
        kind: The required kind of plugin.
    """

    register: str
    code: str = ""
    tools: Mapping[str, Any] = field(default_factory=dict[str, Any])
    commands: tuple[str, ...] = ()
    cli: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    manifest: Mapping[str, Any] = field(default_factory=dict[str, Any])
    content: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    texts: tuple[str, ...] = ()
    kind: str = ""


def bodies(ordinary: Sequence[str], wild: bool) -> st.SearchStrategy[str]:
    """Return the strategy for bodies of callbacks: `ordinary` ones and errors, with `wild` also any value or error."""
    chosen = st.sampled_from(ordinary)
    if not wild:
        return chosen | ERRORS.map(lambda error: f"raise {error}")
    anything = EXPRESSIONS.map(lambda value: f"return {value}")
    return chosen | anything | WILD_ERRORS.map(lambda error: f"raise {error}")
