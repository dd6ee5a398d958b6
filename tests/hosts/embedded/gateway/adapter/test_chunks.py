"""Chunks into which an adapter splits a text for its platform."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.hosts.embedded.gateway.adapter import chunks

WORDS = st.lists(st.text("abcxyz😀", min_size=1, max_size=12), max_size=60).map(" ".join)


def in_utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(WORDS, st.integers(40, 200), st.sampled_from([len, in_utf16]))
def test_chunks_fit_and_contain_all_words(text: str, limit: int, length: Callable[[str], int]) -> None:
    parts = chunks.split_message(text, limit, length)
    assert all(length(part) <= limit for part in parts)
    bodies = [part.rpartition(" (")[0] for part in parts] if len(parts) > 1 else parts
    assert "".join(bodies).replace(" ", "") == text.replace(" ", "")


@given(
    st.lists(st.sampled_from(["a", "`", "```", "```py\n", "\n", " ", "word", "\\`"])).map("".join), st.integers(20, 60)
)
def test_splitting_terminates(text: str, limit: int) -> None:
    assert chunks.split_message(text, limit)


def test_code_block_is_closed_in_each_chunk() -> None:
    parts = chunks.split_message("```python\n" + "x = 1\n" * 30 + "```\nafter", 80)
    assert all(part.startswith("```python\n") for part in parts)
    assert all(part.count("```") == 2 for part in parts)
