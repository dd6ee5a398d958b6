"""Parts of plugins: what one registration needs, and strategies for values and bodies of functions."""

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
"""Hook or kind of middleware -> what its callbacks return in practice, besides None."""


@dataclass(frozen=True)
class Part:
    """One registration.

    Attributes:
        register: Its lines of ``register``.
        code: Its lines above ``register``.
        tools: The tools that it brings -> their parameters.
        commands: The slash commands that it brings.
        cli: The commands of the program that it brings.
        config: The settings that it needs.
        manifest: The fields of the manifest that it needs.
        content: The further keys of the scenario that it needs.
        files: The files beside its code: name -> text.
        texts: Texts that users or the model should say.
        kind: The kind of plugin that has it.
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
    """The body of a callback: one of these; a wild one returns or raises anything."""
    chosen = st.sampled_from(ordinary)
    if not wild:
        return chosen | ERRORS.map(lambda error: f"raise {error}")
    anything = EXPRESSIONS.map(lambda value: f"return {value}")
    return chosen | anything | WILD_ERRORS.map(lambda error: f"raise {error}")
