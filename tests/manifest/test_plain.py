"""`read_plain` returns the value of PyYAML and ruamel.yaml, or None."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from hermes_sdk.manifest.load import read_plain
from hermes_sdk.manifest.ruamel_loader import load_document

MANIFEST = """\
# What the plugin is.
name: team-notes
version: "0.1.0"
minimum: 0.19.0
description: Notes — "short" ones, kept at https://example.com/#notes
kind: standalone
manifest_version: 1
requires_env:
  - name: NOTES_KEY
    description: 'A key: from the "settings" # page'
    secret: true

  - NOTES_HOME
provides_tools: []
provides_hooks: [pre_llm_call, on_session_end]
provides_commands:
- notes
config:
  size: 0
  empty:
"""

SCALARS = """\
x|a b|é ✓|it's|session:start|a:b|a: b|a:|a #b|a#b|/x|/|~|null|Null|yes|No|ON|y|true|True|false|.nan|.5|-|--|-1|+1|0|00
007|7|1.0|1.10|1.2.3|1.2.3.4|1_000|1:30|0x1F|0b1|0o7|1e3|1e+3|2026-01-02|2026-13-45|2026-01-02 03:04:05|=|<<|[]|[a]
[a, b]|[a,b]|[ a ]|[yes, 1]|[1, 2]|[a, b|{}|{a: b}|"a"|"a\\n"|"a|'a'|'a''b'|'a' b|"a" # b|"a": b|*x|&x a|!x a|!!str 1
>|@a|`a|%a|? a|, |a,|---|...|--- a|a\tb|\ta|\u2028|\x85|\xa0|\ufeff|\ud800|\x07|1234567890123|_|_a|a-b_c
"""
ODD = SCALARS.strip("\n").replace("\n", "|").split("|")
KEYS = ["a", "b", "c_d", "yes", "Null", "1", "_", "é", "a b", "'a'", '"a"', "<<", "a" * 101, "-", "? a"]


PLAIN = ["", "x", "a b", "it's", "s:start", "1", "1.2.3", "true", "'a: b'", '"c # d"', "[]", "[a, 1]"]


@st.composite
def lines(draw: st.DrawFn, key: str) -> str:
    """Draw a line that is usually plain."""
    indent = draw(st.sampled_from(["", "", "", "  ", "  ", "    "]))
    mark = draw(st.sampled_from(["", "", "- "]))
    text = draw(st.sampled_from(PLAIN))
    odd = draw(st.integers(0, 9))
    if odd == 0:
        text = draw(st.sampled_from(ODD) | st.text(max_size=8))
    elif odd == 1:
        key = draw(st.sampled_from(KEYS))
    elif odd == 2:
        indent, mark = draw(st.sampled_from([" ", "\t", "   "])), draw(st.sampled_from(["-", "-  ", "- - ", "# "]))
    end = draw(st.sampled_from(["", " ", " # c", "\r"])) if odd == 3 else ""
    colon = draw(st.sampled_from([":", " : ", ":  "])) if odd == 4 else ": "
    return f"{indent}{mark}{key}{colon}{text}{end}" if draw(st.integers(0, 4)) else f"{indent}{mark}{text}{end}"


DOCUMENTS = st.integers(1, 6).flatmap(lambda size: st.tuples(*map(lines, "abcdef"[:size]))).map("\n".join)


def value(text: str) -> object:
    try:
        return yaml.load(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        return error


@given(DOCUMENTS)
@example("a: b\n  - c")
@example("a: b\n c")
@example("a:\n  b")
@example("a:\n  - b\n - c")
@example("a: 1\na: 2")
@example("a: y")
@example("n: a")
@example("a: 1e3")
@example("a: [y, b]")
def test_plain_documents_have_the_value_of_both_libraries(text: str) -> None:
    plain = read_plain(text)

    assert plain is None or repr(plain) == repr(value(text)) == repr(load_document(text))


def test_common_manifest_is_plain() -> None:
    plain = read_plain(MANIFEST)

    assert plain is not None
    assert repr(plain) == repr(value(MANIFEST))


def test_empty_lists_are_not_shared() -> None:
    first, second = read_plain("a: []"), read_plain("a: []")

    assert first is not None
    assert second is not None
    assert first["a"] is not second["a"]


@pytest.mark.parametrize(
    "text", ["", "# nothing", "- a", "a", f"a: {'x' * 5_000}", *(f"a: {one}" for one in "~|>*&!{[")]
)
def test_other_documents_are_not_plain(text: str) -> None:
    assert read_plain(text) is None


def test_manifests_of_examples_are_plain() -> None:
    examples = Path(__file__).parents[1] / "examples"
    manifests = [file.read_text(encoding="utf-8") for file in sorted(examples.rglob("plugin.yaml"))]

    assert all(repr(read_plain(text)) == repr(value(text)) for text in manifests)
