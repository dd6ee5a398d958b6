"""Sentences of the host: the code and `wording.toml` contain the same ones, and each release has its own wording."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.contract import parse_release
from hermes_sdk.home import Home
from hermes_sdk.hosts import embedded
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.wording import Wording, sentences
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.traces import own_texts

NAMES = {entry["name"] for entry in sentences()}
ALWAYS, NEVER = (0, 0, 0), (999, 0, 0)


def sentences_of_code() -> Iterator[str]:
    """Yield the names of sentences in the code, with `*` for parts that are only known at run time."""
    for file in Path(embedded.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name.lstrip("_") == "wording":
                    yield from patterns(node.args[0])


def patterns(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts)
        case ast.IfExp(body=body, orelse=orelse):
            yield from patterns(body)
            yield from patterns(orelse)
        case _:
            raise AssertionError(f"the name of a sentence cannot be read: {ast.unparse(node)}")


def span(entry: dict[str, str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    since, until = entry.get("since"), entry.get("until")
    return (parse_release(since) if since else ALWAYS), (parse_release(until) if until else NEVER)


def test_code_uses_existing_sentences() -> None:
    assert {asked for asked in sentences_of_code() if not any(fnmatch(name, asked) for name in NAMES)} == set()


def test_each_sentence_is_used() -> None:
    asked = set(sentences_of_code())
    assert {name for name in NAMES if not any(fnmatch(name, one) for one in asked)} == set()


def test_each_release_has_one_wording_per_sentence() -> None:
    for one, other in combinations(sentences(), 2):
        (begin, end), (later, last) = sorted([span(one), span(other)])
        assert one["name"] != other["name"] or (end <= later and begin < end and later < last), one["name"]


def test_only_sentences_of_chats_and_patches_are_absent_in_some_releases() -> None:
    for entry in sentences():
        spans = sorted(span(one) for one in sentences() if one["name"] == entry["name"])
        whole = spans[0][0] == ALWAYS and spans[-1][1] == NEVER
        gaps = [end for (_, end), (begin, _) in pairwise(spans) if end != begin]
        assert not gaps
        assert whole or entry["name"].startswith(("gateway.", "patch."))


def test_wordings_change_only_in_known_releases() -> None:
    named = {entry[key] for entry in sentences() for key in ("since", "until") if key in entry}
    assert named <= {*contract.known_releases()}


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ("0.19.0", "[response interrupted]"),
        ("0.22.2", "[interrupt: no assistant output for this turn]"),
        ("0.23.4", "[interrupt: no assistant output for this turn]"),
    ],
)
def test_sentence_has_wording_of_release(release: str, said: str, tmp_path: Path) -> None:
    state = HostState(contract.load(release), Home(tmp_path), Recording(keep=False))
    assert state.wording("turn.cut_short") == said


@pytest.mark.parametrize("name", ["no.such_sentence", "gateway.errors.unreachable"])
def test_sentence_that_release_lacks_raises_error(name: str) -> None:
    with pytest.raises(KeyError):
        Wording("0.19.0")(name)


def test_long_texts_of_hermes_state_who_depends_on_them() -> None:
    for entry in sentences():
        text = entry["text"]
        for one in own_texts():
            text = text.replace(one.ours, "")
        assert ("depends" in entry) == (len(text) >= 60), entry["name"]


def test_wording_is_read_on_demand(tmp_path: Path) -> None:
    sentences.cache_clear()
    with EmbeddedHost(Home(tmp_path)) as host:
        assert host.tools == []
    assert sentences.cache_info().currsize == 0
