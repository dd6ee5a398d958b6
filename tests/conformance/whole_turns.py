"""Scenarios in `scenarios/`: whole turns that run on both hosts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from conformance.case import without_handlers
from conformance.outcomes import digest_code, digest_files, digest_json
from conformance.raw_keys import name_sentences, question_text

from hermes_sdk import traces
from hermes_sdk.contract import parse_release
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import Scenario, Trace, play_in_process, read_scenario

FOLDER = Path(__file__).with_name("scenarios")

# Scenarios for behaviour of only some proven releases -> the release that introduced or removed it.
_SINCE = {"iteration_limit_with_tools": "0.22.2"}
_UNTIL = {"gateway_iteration_limit": "0.22.2", "iteration_limit": "0.22.2"}


@dataclass(frozen=True)
class WholeTurn:
    """Scenario with the name of its file."""

    name: str

    @property
    def id(self) -> str:
        return f"scenario-{self.name}"

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.yaml"

    def read(self) -> Scenario:
        return read_scenario(self.file)

    @cached_property
    def digest(self) -> str:
        """Digest of the scenario, and of the code that plays it and compares traces."""
        scenario = self.read()
        folders = [*(one.path for one in scenario.plugins), *scenario.gateway_hooks, *scenario.pythonpath]
        files = [[folder.name, digest_files(folder)] for folder in folders]
        return digest_json([self.file.read_text(encoding="utf-8"), files, _digest_player()])


@cache
def _digest_player() -> str:
    package = Path(traces.__file__).parent
    return digest_code(package, package)


def applies(one: WholeTurn, release: str) -> bool:
    """Return whether a scenario applies to a release."""
    since, until = _SINCE.get(one.name), _UNTIL.get(one.name)
    version = parse_release(release)
    return parse_release(since or release) <= version and (until is None or version < parse_release(until))


def play(one: WholeTurn, kind: HostKind, release: str) -> Trace:
    """Play a scenario on a host, and replace sentences missing from the catalogue of real hosts with their names."""
    with without_handlers():
        return name_catalogue(play_in_process(with_question(one.read(), kind, release), kind, release), release)


def with_question(scenario: Scenario, kind: HostKind, release: str) -> Scenario:
    """Replace ``/approve``, for which messages wait, with the approval prompt of the host."""
    messages = tuple(
        {**each, "wait_send": question_text(kind, release)} if each.get("wait_send") == "/approve" else each
        for each in scenario.messages
    )
    return replace(scenario, messages=messages)


def name_catalogue(trace: Trace, release: str) -> Trace:
    """Replace sentences missing from the catalogue of real hosts with their names."""
    return replace(trace, events=tuple(name_sentences(list(trace.events), release)))


def whole_turns() -> list[WholeTurn]:
    """Return all scenarios by name."""
    return [WholeTurn(file.stem) for file in sorted(FOLDER.glob("*.yaml"))]
