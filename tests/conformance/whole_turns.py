"""The scenarios in `scenarios/`: whole turns, which both hosts show."""

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

# Scenarios about what came later than the oldest proven release, or ended before the newest.
_SINCE = {"iteration_limit_with_tools": "0.22.2"}
_UNTIL = {"gateway_iteration_limit": "0.22.2", "iteration_limit": "0.22.2"}


@dataclass(frozen=True)
class WholeTurn:
    """A scenario, by the name of its file."""

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
        """A text that changes with what runs, and with the code that plays it and compares the traces."""
        scenario = self.read()
        folders = [*(one.path for one in scenario.plugins), *scenario.gateway_hooks, *scenario.pythonpath]
        files = [[folder.name, digest_files(folder)] for folder in folders]
        return digest_json([self.file.read_text(encoding="utf-8"), files, _digest_player()])


@cache
def _digest_player() -> str:
    package = Path(traces.__file__).parent
    return digest_code(package, package)


def applies(one: WholeTurn, release: str) -> bool:
    """Return whether a release has what a scenario is about."""
    since, until = _SINCE.get(one.name), _UNTIL.get(one.name)
    version = parse_release(release)
    return parse_release(since or release) <= version and (until is None or version < parse_release(until))


def play(one: WholeTurn, kind: HostKind, release: str) -> Trace:
    """Play a scenario on a host; sentences of the catalogue that real hosts lack are named."""
    with without_handlers():
        return name_catalogue(play_in_process(with_question(one.read(), kind, release), kind, release), release)


def with_question(scenario: Scenario, kind: HostKind, release: str) -> Scenario:
    """Let the messages that wait for the question about a command wait for what the host asks."""
    messages = tuple(
        {**each, "wait_send": question_text(kind, release)} if each.get("wait_send") == "/approve" else each
        for each in scenario.messages
    )
    return replace(scenario, messages=messages)


def name_catalogue(trace: Trace, release: str) -> Trace:
    """Return a trace in which sentences of the catalogue that real hosts lack are named."""
    return replace(trace, events=tuple(name_sentences(list(trace.events), release)))


def whole_turns() -> list[WholeTurn]:
    """All of them, by name."""
    return [WholeTurn(file.stem) for file in sorted(FOLDER.glob("*.yaml"))]
