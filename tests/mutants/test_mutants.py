"""Mistakes in the templates: `check` or a contract suite finds nearly all that change behaviour."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from mutants.finding import Verdict, find
from mutants.operators import list_mutants
from mutants.selection import KINDS, copy_with_mistake, judge_mutants, make_project, read_list

from hermes_sdk.manifest import locate

# Mutants raise exceptions in threads, and do not clean up coroutines and connections.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def leaks() -> Iterator[None]:
    """Collect the garbage of mutants while warnings about it are ignored."""
    yield
    gc.collect()


@pytest.mark.parametrize("kind", KINDS)
def test_mutants_equal_frozen_lists(kind: str, tmp_path: Path) -> None:
    project = make_project(kind, tmp_path)
    assert [str(one) for one in list_mutants(project)] == [line.partition(" ")[2] for line in read_list(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_mutant_changes_one_file_and_can_be_compiled(kind: str, tmp_path: Path) -> None:
    project = make_project(kind, tmp_path)
    directory = locate(project).directory
    for mutant in list_mutants(project):
        before = (directory / mutant.file).read_bytes()
        mutant.apply(directory)
        after = (directory / mutant.file).read_bytes()
        assert before != after
        assert len(before.splitlines()) == len(after.splitlines())
        if mutant.file.endswith(".py"):
            ast.parse(after)
        (directory / mutant.file).write_bytes(before)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_frozen_lists_name_mutants_that_change_behaviour(kind: str, tmp_path: Path) -> None:
    assert list(judge_mutants(kind, make_project(kind, tmp_path))) == read_list(kind)


def _find_all(kind: str, folder: Path, wanted: set[str]) -> dict[str, Verdict]:
    """Return the findings about the mutants of a template with these lines of the frozen list."""
    project, verdicts = make_project(kind, folder), {}
    for mutant in list_mutants(project):
        if str(mutant) in wanted:
            with copy_with_mistake(project, mutant) as copy:
                verdicts[str(mutant)] = find(kind, copy, mutant)
    return verdicts


SAMPLE = {
    "plugin": {
        "interface drop-argument __init__.py:34:9 ctx.register_cli_command.handler_fn",
        "interface drop-parameter commands.py:10:10 show.word",
        "interface drop-parameter tools.py:26:9 add.args",
        "interface drop-registration __init__.py:24:5 register_hook",
        "interface drop-registration __init__.py:36:5 register_skill",
        "interface make-async commands.py:10:1 show",
        "interface raise-error commands.py:19:5 add_arguments",
        "interface return-none tools.py:35:12 add",
        "interface wrong-kind plugin.yaml:5:7 exclusive",
    },
    "memory-provider": {
        "interface drop-parameter provider.py:87:24 prefetch.query",
        "interface make-async provider.py:42:5 __init__",
        "interface raise-error provider.py:109:9 sync_turn",
        "interface rename-function provider.py:108:9 sync_turn",
        "interface return-none provider.py:106:20 handle_tool_call",
        "interface wrong-kind plugin.yaml:5:7 standalone",
        "interface swap-return provider.py:55:16 is_available",
    },
    "platform": {
        "interface drop-argument settings.py:51:13 cls.password",
        "interface return-none adapter.py:54:16 connect",
        "interface return-none settings.py:46:16 read",
        "interface drop-parameter __init__.py:20:14 register.ctx",
        "interface drop-parameter adapter.py:130:15 send.chat_id",
    },
}


@pytest.mark.parametrize(
    "kind", [kind if kind == "plugin" else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]
)
def test_sample_of_mutants_is_found_with_line(kind: str, tmp_path: Path) -> None:
    verdicts = _find_all(kind, tmp_path, SAMPLE[kind])
    assert {mutant: one.has_line for mutant, one in verdicts.items()} == dict.fromkeys(SAMPLE[kind], True)


@pytest.mark.slow
def test_most_mutants_that_change_behaviour_are_found(tmp_path: Path) -> None:
    verdicts: dict[str, Verdict] = {}
    for kind in KINDS:
        changes = [line.removeprefix("changes ") for line in read_list(kind) if line.startswith("changes interface ")]
        found = _find_all(kind, tmp_path / kind, {*changes})
        verdicts |= {f"{kind} {mutant}": verdict for mutant, verdict in found.items()}
    told = "\n".join(f"{mutant} {verdict.codes}" for mutant, verdict in verdicts.items() if not verdict.has_line)
    assert sum(bool(one.codes) for one in verdicts.values()) >= 0.93 * len(verdicts), told
    # In the remaining mutants, findings name only a later error.
    assert sum(one.has_line for one in verdicts.values()) >= 0.92 * len(verdicts), told
