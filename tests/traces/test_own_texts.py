"""Texts that the two kinds of hosts word differently are ignored in comparisons, but no other texts."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk.hosts import embedded
from hermes_sdk.hosts.embedded.wording import sentences
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import Trace, compare, name_own_texts, own_texts
from hermes_sdk.traces.own_texts import OwnText


def trace(text: str, host: HostKind = "embedded") -> Trace:
    event = {"order": 1, "end": 2, "thread": "main", "depth": 0, "kind": "hook", "name": "h", "returned": text}
    return Trace.of([event], host=host, release="0.22.2", scenario="").normalise({})


def wording_of_hermes(begin: str, end: str) -> str:
    return f"{begin} something that only Hermes says {end}"


OURS, BEGIN, END = next((one.ours, *one.hermes) for one in own_texts() if one.name == "patch.not_found")


@pytest.mark.parametrize("around", [str, json.dumps, lambda text: json.dumps({"error": json.dumps({"e": text})})])
def test_difference_in_wording_of_hosts_is_ignored(around: Callable[[str], str]) -> None:
    ours, theirs = (around(f"Fact 1. {own} Fact 2.") for own in (OURS, wording_of_hermes(BEGIN, END)))
    assert compare(trace(ours), trace(theirs, "real")) == []


def test_text_around_reworded_text_is_compared() -> None:
    ours, theirs = f"Fact 1. {OURS}", f"Fact 2. {wording_of_hermes(BEGIN, END)}"
    [found] = compare(trace(ours), trace(theirs, "real"))
    assert (found.path, found.left, found.right) == (
        "returned",
        "Fact 1. <patch.not_found>",
        "Fact 2. <patch.not_found>",
    )


def test_descriptions_and_order_of_builtin_commands_are_ignored() -> None:
    ours = "Commands\n`/new` -- a command of Hermes\n`/stop` -- a command of Hermes"
    theirs = "Commands\n`/stop` -- Halt\n`/new [name]` -- Begin (alias: `/reset`)"
    assert compare(trace(ours), trace(theirs, "real")) == []
    assert len(compare(trace(ours), trace(theirs.replace("stop", "start"), "real"))) == 1


def test_number_of_commands_on_page_is_compared() -> None:
    ours = "Page 1\n\n`/new` -- a command of Hermes\n`/stop` -- a command of Hermes\n\nnext"
    theirs = "Page 1\n\n`/start` -- Begin\n`/status` -- Status\n\nnext"
    assert compare(trace(ours), trace(theirs, "real")) == []
    assert len(compare(trace(ours), trace(theirs.replace("`/start` -- Begin\n", ""), "real"))) == 1


def test_text_with_another_meaning_is_a_difference() -> None:
    other = next(one.ours for one in own_texts() if one.name == "patch.empty")
    assert len(compare(trace(OURS), trace(other, "real"))) == 1


def test_missing_text_is_a_difference() -> None:
    assert len(compare(trace(f"Fact 1. {OURS}"), trace("Fact 1. ", "real"))) == 1


def test_wording_is_compared_between_hosts_of_same_kind() -> None:
    assert len(compare(trace(OURS), trace(wording_of_hermes(BEGIN, END)))) == 1


@pytest.mark.parametrize("one", own_texts(), ids=lambda one: one.name)
def test_each_wording_of_hermes_has_same_name_as_ours(one: OwnText) -> None:
    begin, *ends = one.hermes
    assert {name_own_texts(wording_of_hermes(begin, end)) for end in ends} == {name_own_texts(one.ours)}
    assert name_own_texts(one.ours) == f"<{one.name}>"


def test_patterns_contain_only_short_texts_of_hermes() -> None:
    assert [words for one in own_texts() for words in one.hermes if len(words) >= 60] == []


def test_reworded_texts_are_unchanged_by_json_encoding() -> None:
    words = [text for one in own_texts() for text in (one.ours, *one.hermes)]
    assert [text for text in words if json.dumps(text) != f'"{text}"'] == []


def test_embedded_host_uses_each_reworded_text() -> None:
    files = Path(embedded.__file__).parent.rglob("*.py")
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    said = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    said += [entry["text"] for entry in sentences()]
    assert [one.name for one in own_texts() if not any(one.ours in text for text in said)] == []
    assert [(one.name, text) for one in own_texts() for text in said if one.hermes[0] in text] == []
