"""The scenarios in `scenarios/`: whole turns, which both hosts show."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from conformance.outcomes import digest_files, digest_json

from hermes_sdk import traces
from hermes_sdk.traces import Scenario, read_scenario

FOLDER = Path(__file__).with_name("scenarios")


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
        folders = [*scenario.plugins, *scenario.gateway_hooks, *scenario.pythonpath]
        files = [[folder.name, digest_files(folder, folder)] for folder in folders]
        return digest_json([self.file.read_text(encoding="utf-8"), files, _digest_player()])


@cache
def _digest_player() -> str:
    package = Path(traces.__file__).parent
    return digest_files(package, package)


def whole_turns() -> list[WholeTurn]:
    """All of them, by name."""
    return [WholeTurn(file.stem) for file in sorted(FOLDER.glob("*.yaml"))]
