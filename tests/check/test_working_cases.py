"""Plugins of conformance cases that work pass the check, except for the rules about security.

`failing_cases.toml` lists the cases that show a failure, and the rules that report it as an error; all are reviewed.
In the table `source`, `CODE = ["case"]` applies to all releases of the case, `"case 0.19.0 0.20.2"` to the listed ones.
The table `load` lists the errors that are found only by loading the plugin on the newest release of a case.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from conformance.case import RELEASES, all_cases

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Finding
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules import RULES, security
from hermes_sdk.check.static import run_static_rules
from hermes_sdk.contract import load
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.manifest import locate_all

FAILING = tomllib.loads(Path(__file__).with_name("failing_cases.toml").read_text(encoding="utf-8"))
STATIC = [
    rule for rule in RULES if rule.profile == "default" and rule.subject != "network" and rule not in security.RULES
]


class CasePlugin(NamedTuple):
    """Plugin of a conformance case.

    Attributes:
        releases: The releases of the case.
    """

    case: str
    name: str
    files: Mapping[str, str]
    releases: tuple[str, ...]


def find_plugins() -> Iterator[CasePlugin]:
    """Find the plugins of all cases, each once."""
    known: list[tuple[str, Mapping[str, str]]] = []
    for one in all_cases():
        plugins: dict[str, dict[str, str]] = {}
        for file, text in one.files.items():
            folder, _, path = file.removeprefix("plugins/").partition("/")
            if file.startswith("plugins/") and path:
                plugins.setdefault(folder, {})[path] = text
        releases = tuple(release for release in one.releases or RELEASES if one.has(release))
        for name, files in plugins.items():
            if releases and (name, files) not in known:
                known.append((name, files))
                yield CasePlugin(one.id, name, files, releases)


def write_plugin(plugin: CasePlugin, folder: Path) -> Path:
    directory = folder / plugin.case / plugin.name
    for name, text in plugin.files.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="surrogateescape")
    return directory


def find_static_errors(plugin: CasePlugin, folder: Path) -> Iterator[str]:
    """Find the errors that do not require loading the plugin, in the format of `failing_cases.toml`."""
    directory = write_plugin(plugin, folder)
    try:
        located = Plugin(locate_all(directory)[0], directory)
    except HermesSdkError:
        return
    for found in run_static_rules(located, STATIC, [load(release) for release in plugin.releases]):
        if isinstance(found, Finding) and found.severity == "error":
            some = found.releases if set(found.releases) != set(plugin.releases) else ()
            yield f"{found.code}: {' '.join([plugin.case, *some])}"


def find_load_errors(plugin: CasePlugin, folder: Path) -> Iterator[str]:
    """Find the errors that are reported when the plugin is loaded on the newest release."""
    try:
        result = check(write_plugin(plugin, folder), Options(release=plugin.releases[-1]))
    except HermesSdkError:
        return
    for found in result.findings:
        if found.severity == "error" and found.code in CODES:
            yield f"{found.code}: {plugin.case}"


CODES = {rule.code for rule in STATIC}
SOURCE, LOAD = (
    {f"{code}: {case}" for code, cases in FAILING[table].items() for case in cases} for table in ("source", "load")
)


def test_sample_of_working_plugins_has_no_errors(tmp_path):
    sample = list(find_plugins())[::8]
    assert {found for plugin in sample for found in find_static_errors(plugin, tmp_path)} - SOURCE == set()


@pytest.mark.slow
def test_only_plugins_listed_as_failing_have_errors(tmp_path):
    assert {found for plugin in find_plugins() for found in find_static_errors(plugin, tmp_path)} == SOURCE


@pytest.mark.slow
def test_loading_working_plugins_finds_no_errors(tmp_path):
    found = {found for plugin in find_plugins() for found in find_load_errors(plugin, tmp_path)}
    assert found - {error.partition(" 0.")[0] for error in SOURCE} - LOAD == set()
